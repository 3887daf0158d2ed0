// What pictures and plots have in common.
#pragma once

#include <string>

namespace marey::cli {

// The default name of a view: next to the motion, with another extension.
std::string default_view(const std::string& motion, const std::string& ending);

// A time such as "2 s", or the fallback if none was given.
double time_or(const std::string& text, const std::string& option, double fallback);

// Throws Error unless the first instant comes before the last, if both were given.
void check_span(const std::string& from, const std::string& to);

}  // namespace marey::cli
