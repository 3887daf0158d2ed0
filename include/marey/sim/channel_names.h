// Channels by name and by pattern, of a scene that is going to be recorded and of a motion that was.
//
// A channel is called KIND/SUBJECT/QUANTITY, where the subject (a link, a contact, an element) may have slashes of its own, and its
// columns QUANTITY.COLUMN; totals are called KIND/QUANTITY.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "marey/sim.h"

namespace marey {

struct ColumnIndex {
  std::size_t channel = 0, column = 0;
};
// The name of a column: "link/tip/position.z", "energy/kinetic".
std::string column_name(const Channel&, std::size_t column);

// The columns that a pattern names: "energy/kinetic", a whole group "link/tip", with stars, which stand for anything,
// "contact/*/force" or "*/position.z"; what is recorded of something by its name alone, "finger.tip", or of all
// links that are called so, "tip". Empty: there is nothing of the kind.
std::vector<ColumnIndex> columns_named(std::span<const Channel>, const std::string& pattern);
// The same for many patterns: names without stars are looked up, not compared with every channel.
class ColumnFinder {
 public:
  explicit ColumnFinder(std::span<const Channel> channels) : channels_(channels) {}  // to stay alive
  std::vector<ColumnIndex> named(const std::string& pattern) const;

 private:
  // Names, or what there is of them from somewhere on, in order, each with its channel.
  using Sorted = std::vector<std::pair<std::string, std::size_t>>;
  const Sorted& sorted(int from, bool any_capitals) const;
  std::vector<ColumnIndex> look_up(const std::string& name, int from, bool any_capitals) const;

  std::span<const Channel> channels_;
  mutable Sorted sorted_[2][3];  // made when first asked for
};
// The name or pattern of what there is that is most like it; empty: nothing is.
std::string nearest_pattern(std::span<const Channel>, const std::string& pattern);

// For what is recorded on request alone, the key of `record` that asks for what the pattern names, or nearly names:
// "euler_zyz: figure.link". Empty: it is nothing of the kind.
std::string how_to_ask_for(const std::string& pattern);

// A name as it stands, then with its last word replaced by another for the same: scenes and motions say `slide`, older motions
// `displacement`. Loosely: also by what scenes say of the start, where motions say `velocity`.
std::vector<std::string> words_for(std::string_view name, bool loosely = false);

}  // namespace marey
