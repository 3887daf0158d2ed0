// Runs gnuplot.
#pragma once

#include <string>

namespace marey::render {

// Runs a script that writes its picture to the file named by the variable `picture`, and moves that to `file`.
void run_gnuplot(const std::string& script, const std::string& file);

// A text in single quotes, as gnuplot reads it.
std::string quoted(const std::string& text);

}  // namespace marey::render
