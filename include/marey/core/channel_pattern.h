// Patterns that name channels: "energy/kinetic", a whole group "link/tip", or with stars "link/*/position".
#pragma once

#include <string_view>

namespace marey {

// Whether a pattern fits the name of a channel, or of a column of one. A star stands for anything, a question mark for any one
// character: subjects may have slashes in their names, as contacts do. A pattern that ends where a part of the name does stands for all that lies in that group.
bool fits_channel(std::string_view pattern, std::string_view name);

}  // namespace marey
