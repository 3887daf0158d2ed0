// Scenes with hundreds and thousands of bodies: tests that go through the whole gallery do little with them, since a step of one of them
// takes as long as whole runs of others; nor are they made into others at random, which may lie in each other by the hundred.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace marey {

inline bool is_large_scene(std::string_view name) {
  constexpr std::array<std::string_view, 5> large{"hundred-humans", "polyhedra", "pyramid", "sand-glass",
                                                  "wall-of-400-cubes"};
  return std::ranges::find(large, name) != large.end();
}

}  // namespace marey
