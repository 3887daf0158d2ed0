// Errors that know the place of a value.
#pragma once

#include <string>
#include <vector>

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
// Where a scalar is wrong: at the first character that only looks like the one meant (core/look_alikes.h), if it has such a
// character; otherwise where it begins.
Place culprit_place(const Value&);

// What is said at a place and does nothing: no error, but worth a warning. Kept by the innermost Remarks of this thread, where
// there is one.
void remark(const Place&, const std::string& what);

class Remarks {
 public:
  struct Remark {
    Place at;
    std::string what;
  };
  Remarks();
  ~Remarks();
  Remarks(const Remarks&) = delete;
  Remarks& operator=(const Remarks&) = delete;
  const std::vector<Remark>& all() const { return all_; }  // each place and text once

 private:
  friend void remark(const Place&, const std::string&);
  Remarks* outer_;
  std::vector<Remark> all_;
};
// "FILE:LINE:COLUMN: what", where the place is in a file.
std::string with_place(const Place&, const std::string& what);

inline constexpr int deepest = 32;
inline constexpr std::size_t most_nodes = 1'000'000;

}  // namespace marey
