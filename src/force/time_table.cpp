// Numbers that change in time.
#include <algorithm>

#include "marey/force.h"

namespace marey {
namespace {

// The knot after `time`: right-sided, so that of two knots at the same time the later one counts.
std::size_t next_knot(const std::vector<double>& t, double time) {
  return static_cast<std::size_t>(std::upper_bound(t.begin(), t.end(), time) - t.begin());
}

}  // namespace

double TimeTable::at(double time) const {
  if (value.empty()) return 0;
  if (value.size() == 1) return value.front();
  const std::size_t i = next_knot(t, time);
  if (i == 0) return value.front();
  if (i == t.size()) return value.back();
  return value[i - 1] + (value[i] - value[i - 1]) * ((time - t[i - 1]) / (t[i] - t[i - 1]));
}

double TimeTable::rate(double time) const {
  if (t.size() < 2) return 0;
  const std::size_t i = next_knot(t, time);
  if (i == 0 || i == t.size()) return 0;
  return (value[i] - value[i - 1]) / (t[i] - t[i - 1]);
}

}  // namespace marey
