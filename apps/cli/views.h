// What pictures and plots have in common.
#pragma once

#include <string>

namespace marey::cli {

// The name of a view nobody named: beside the motion, with another ending.
std::string default_view(const std::string& motion, const std::string& ending);

// A time like "2 s", or the fallback where nothing was given.
double time_or(const std::string& text, const std::string& option, double fallback);

// Throws Error unless the first instant comes before the last; where both were given.
void check_span(const std::string& from, const std::string& to);

}  // namespace marey::cli
