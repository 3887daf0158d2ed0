// Which corners of a contact stay: manifold.cpp says by what rule.
#include "shape/clip.h"

namespace marey {
namespace {

double squared_between(const Corner& p, const Corner& q) {
  return (p.s - q.s) * (p.s - q.s) + (p.t - q.t) * (p.t - q.t);
}
// A number that orders corners by their names, whoever is a. A mesh has up to three sides for each of `most_faces`.
long name_order(const Corner& c) {
  constexpr long most = 8'000'000;
  const long a = most * static_cast<long>(c.a.kind) + c.a.index;
  const long b = most * static_cast<long>(c.b.kind) + c.b.index;
  return 4 * most * std::min(a, b) + std::max(a, b);
}

// Of the cores: margins are the same everywhere.
double gap_of_cores(const Corner& c) { return c.height_b - c.height_a; }

}  // namespace

// By insertion: corners are few, and large things to move.
void sort_by_name(std::span<Corner> corners) {
  Room<long, corner_limit> names;
  Room<Corner, corner_limit> sorted;
  Room<int, corner_limit> order;
  const int count = static_cast<int>(corners.size());
  for (int k = 0; k < count; ++k) {
    names[k] = name_order(corners[index(k)]);
    int m = k;
    for (; m > 0 && names[order[m - 1]] > names[k]; --m) order[m] = order[m - 1];
    order[m] = k;
  }
  for (int k = 0; k < count; ++k) sorted[k] = corners[index(order[k])];
  std::copy(sorted.begin(), sorted.begin() + count, corners.begin());
}

int reduce_to_four(std::span<Corner> corners, double size, double thick) {
  const int count = static_cast<int>(corners.size());
  if (count <= 4) return count;
  // On regular polygons many choices are equally good: the first by name then, not the one that rounding prefers.
  sort_by_name(corners);
  constexpr double clearly = 1 + 1e-6;
  int first = 0, second = 0, left = -1, right = -1;
  double low = gap_of_cores(corners[0]), high = low, most = 0;
  for (int k = 1; k < count; ++k) {
    const double g = gap_of_cores(corners[index(k)]);
    if (g < low) low = g, first = k;
    high = std::max(high, g);
  }
  const bool flat = high - low <= 1e-6 * size;
  for (int j = flat ? 0 : first; j < (flat ? count : first + 1); ++j)
    for (int k = flat ? j + 1 : 0; k < count; ++k) {
      const double d = squared_between(corners[index(k)], corners[index(j)]);
      if (d > clearly * most) most = d, first = j, second = k;
    }
  const Corner p = corners[index(first)], q = corners[index(second)];
  double highest = thick * std::sqrt(most), lowest = highest;
  for (int k = 0; k < count; ++k) {
    const double side = (q.s - p.s) * (corners[index(k)].t - p.t) - (q.t - p.t) * (corners[index(k)].s - p.s);
    if (side > clearly * highest) highest = side, left = k;
    if (-side > clearly * lowest) lowest = -side, right = k;
  }
  Corner kept[4] = {p, q};
  int left_over = 2;
  if (left >= 0) kept[left_over++] = corners[index(left)];
  if (right >= 0) kept[left_over++] = corners[index(right)];
  std::copy(kept, kept + left_over, corners.begin());
  return left_over;
}

}  // namespace marey
