// Errors that know the place of a value.
#pragma once

#include <string>

#include "marey/core.h"
#include "marey/spec.h"

namespace marey {

// Something is wrong with what is said at a place. `what()` begins with "FILE:LINE:COLUMN: " where the place is in a file.
class PlacedError : public Error {
 public:
  PlacedError(const Place& at, const std::string& message);
  const Place& place() const { return at_; }

 private:
  Place at_;
};
[[noreturn]] void refuse(const Place&, const std::string& what);

// "a list of 3", "an empty map", "nothing", "'text'": what an error says it found.
std::string describe(const Value&);

inline constexpr int deepest = 32;
inline constexpr std::size_t most_nodes = 1'000'000;

}  // namespace marey
