#include "marey/core/channel_pattern.h"

namespace marey {

// A star takes as little as it can, and more where what follows does not fit. Only the last one met needs to be tried again:
// what was before it has fitted already.
bool fits_channel(std::string_view pattern, std::string_view name) {
  constexpr std::size_t none = std::string_view::npos;
  std::size_t p = 0, n = 0, star = none, taken = 0;  // `taken`: where what the star has taken ends
  for (;;) {
    if (p == pattern.size() && (n == name.size() || name[n] == '/')) return true;  // the channel, or a whole group
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++, taken = n;
    } else if (p < pattern.size() && n < name.size() && (pattern[p] == name[n] || pattern[p] == '?')) {
      ++p, ++n;
    } else {
      if (star == none || taken == name.size()) return false;
      p = star + 1, n = ++taken;
    }
  }
}

}  // namespace marey
