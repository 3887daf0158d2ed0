// Other words for the same channel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace marey {

// A name as it stands, then with its last word replaced by another for the same: scenes and motions say `slide`, older motions
// `displacement`. Loosely: also by what scenes say of the start, where motions say `velocity`.
std::vector<std::string> words_for(std::string_view name, bool loosely = false);

}  // namespace marey
