// Where several of a kind stand, and how they differ: in rows (a line, a sheet, a block), pyramids and piles, each turned against the
// one before, or by chance.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "marey/spatial.h"
#include "marey/spec/values.h"

namespace marey {

// ---- rows
using Cell = std::array<int, 3>;  // along x, y and z, from 0
struct Lattice {
  int dimensions = 1;
  Cell count{1, 1, 1};
  std::array<Vec3<double>, 3> step;  // from one to the next along each
  Vec3<double> corner;               // where the first one is

  int size() const { return count[0] * count[1] * count[2]; }
  Cell cell(int i) const { return {i % count[0], i / count[0] % count[1], i / count[0] / count[1]}; }
  Vec3<double> place(const Cell& c) const {
    return corner + double(c[0]) * step[0] + double(c[1]) * step[1] + double(c[2]) * step[2];
  }
  std::string name(const Cell&) const;  // 3, or 3-1, or 3-1-2: from 1
};
// From the keys count, spacing, from and center of a grid; `what`: particles.
Lattice read_grid(MapReader&, const char* what, int most);

// ---- chance
// SplitMix64: the same numbers for a seed on every machine. G. L. Steele, D. Lea and C. H. Flood, "Fast splittable pseudorandom
// number generators", OOPSLA 2014, figure 17.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}
  double part();                    // from 0 to 1
  Vec3<double> direction();         // of all directions alike
  Vec3<double> within(double far);  // in any direction, at any distance up to this: both alike
 private:
  std::uint64_t state_;
};

// ---- a figure repeated
struct Copy {
  std::string name;             // behind the figure's, after a -
  Transform<double> X_GC;       // in the figure's frame G
  Vec3<double> velocity, spin;  // in W, on top of how its roots start
};
// At most `most` of them.
std::vector<Copy> read_copies(const Value&, int most);

}  // namespace marey
