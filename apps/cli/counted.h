// "1 link", "3 links".
#pragma once

#include <fmt/format.h>

#include <string>

namespace marey::cli {

template <class Count>
std::string counted(Count n, const char* one, const char* several) {
  return fmt::format("{} {}", n, n == 1 ? one : several);
}

}  // namespace marey::cli
