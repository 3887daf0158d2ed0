// Positions in models are int, where −1 means none; containers count in std::size_t.
#pragma once

#include <cstddef>

namespace marey {

inline std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace marey
