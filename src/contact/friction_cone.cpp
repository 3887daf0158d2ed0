#include "contact/friction_cone.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace marey {

FrictionCone cone_of(const RowBlock& block) {
  FrictionCone cone;
  cone.groups[0] = {1, 2, block.friction}, cone.count = 1;
  int row = 3;
  if (block.torsion > 0) cone.groups[static_cast<std::size_t>(cone.count++)] = {row++, 1, block.torsion};
  if (block.rolling > 0) cone.groups[static_cast<std::size_t>(cone.count++)] = {row, 2, block.rolling};
  return cone;
}

double length_of(const FrictionGroup& g, const double* p) {
  return g.rows == 1 ? std::abs(p[g.first]) : std::sqrt(p[g.first] * p[g.first] + p[g.first + 1] * p[g.first + 1]);
}

namespace {

// The groups in falling order of |p_g|/μ_g; without a coefficient a group is on its bound, zero, always.
std::array<int, 3> in_falling_order(const FrictionCone& cone, const ConeProjection& projection) {
  std::array<int, 3> order{0, 1, 2};
  const auto later = [&](int a, int b) {  // |p_a|/μ_a < |p_b|/μ_b
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    return projection.length[i] * cone.groups[j].coefficient < projection.length[j] * cone.groups[i].coefficient;
  };
  for (int i = 1; i < cone.count; ++i)
    for (int j = i; j > 0 && later(order[static_cast<std::size_t>(j - 1)], order[static_cast<std::size_t>(j)]); --j)
      std::swap(order[static_cast<std::size_t>(j - 1)], order[static_cast<std::size_t>(j)]);
  return order;
}

}  // namespace

ConeProjection project(const FrictionCone& cone, const double* p, double* y) {
  ConeProjection out;
  const auto count = static_cast<std::size_t>(cone.count);
  for (std::size_t g = 0; g < count; ++g) out.length[g] = length_of(cone.groups[g], p);
  const std::array<int, 3> order = in_falling_order(cone, out);
  double sum = p[0], weight = 1;
  for (std::size_t k = 0; k < count; ++k) {  // (2)
    const auto g = static_cast<std::size_t>(order[k]);
    const double mu = cone.groups[g].coefficient;
    if (mu > 0 && mu * sum >= out.length[g] * weight) break;
    out.at_bound[g] = true, sum += mu * out.length[g], weight += mu * mu;
  }
  out.y_n = y[0] = std::max(0.0, sum / weight);
  for (std::size_t g = 0; g < count; ++g) {
    const FrictionGroup& group = cone.groups[g];
    const double most = group.coefficient * out.y_n;
    const double part = !out.at_bound[g] ? 1 : out.length[g] > 0 ? most / out.length[g] : 0;
    for (int r = group.first; r < group.first + group.rows; ++r) y[r] = part * p[r];
  }
  return out;
}

}  // namespace marey
