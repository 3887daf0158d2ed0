// A figure's joints as rows between links: an orthonormal set of the directions a joint holds, from those it leaves free.
#include <cmath>

#include "marey/rows/loops.h"

namespace marey {
namespace {

using Direction = Twist<double>;

double dot(const Direction& a, const Direction& b) { return marey::dot(a.w, b.w) + marey::dot(a.v, b.v); }
void take(Direction& a, double s, const Direction& b) { a += Direction{-s * b.w, -s * b.v}; }

// Adds to `basis` what the direction has beside it, if that is more than a little. Twice is enough (Kahan).
bool add_orthonormal(Direction a, std::vector<Direction>& basis, double least) {
  const double size = std::sqrt(dot(a, a));
  for (int round = 0; round < 2; ++round)
    for (const Direction& b : basis) take(a, dot(a, b), b);
  const double left = std::sqrt(dot(a, a));
  if (!(left > least * size)) return false;
  basis.push_back({(1 / left) * a.w, (1 / left) * a.v});
  return true;
}

// Free directions first, then held ones.
int complete(const MultiplierLink<double>& b, std::vector<Direction>& basis) {
  basis.clear();
  for (int k = 0; k < b.freedoms; ++k) add_orthonormal(b.S[k], basis, 1e-12);
  const int free = static_cast<int>(basis.size());
  // That makes six: were one direction left over, the squares of what the basis lacks of the six unit vectors would add up
  // to 1, and of each that was not taken it lacks less than 0.3.
  for (int k = 0; k < 6 && basis.size() < 6; ++k) {
    Direction e;
    (k < 3 ? e.w[k] : e.v[k - 3]) = 1;
    add_orthonormal(e, basis, 0.3);
  }
  return free;
}

}  // namespace

void joint_rows(const Model& figure, const Params<double>& params, const Kinematics<double>& k,
                MultiplierWorkspace<double>& ws, std::vector<ConstraintRow>& rows, std::vector<int>& joint_of) {
  multiplier_rows<double>(figure, params, ws.q, ws.v, k, ws);
  std::vector<Direction> basis;
  for (int i = 1; i < figure.nlink(); ++i) {
    const MultiplierLink<double>& b = ws.links[i];
    for (int n = complete(b, basis); n < static_cast<int>(basis.size()); ++n) {
      const Direction& N = basis[static_cast<std::size_t>(n)];
      const Wrench<double> F{N.w, N.v}, on_parent = -shifted(F, b.r);
      ConstraintRow row;
      row.parts[0] = {i, F};
      row.parts[1] = {figure.links[i].parent, on_parent};
      row.part_count = 2;
      row.value = dot(N, ws.error[i]);
      row.rate = dot(N, ws.error_rate[i]);
      row.bias = -dot(N, b.k);
      rows.push_back(row);
      joint_of.push_back(i);
    }
  }
}

}  // namespace marey
