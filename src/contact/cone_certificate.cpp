// The certificate, by its definition (marey/contact/cone_problem.h).
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <vector>

#include "contact/cone_measure.h"
#include "contact/friction_cone.h"

namespace marey {
namespace {

using SixRows = std::array<double, 6>;

struct BlockSight {
  SixRows P{}, u{};  // moments divided by ℓ, angular velocities multiplied
  double rho = 1;
  FrictionCone cone;
};
BlockSight sight_of(const RowBlock& block, const BlockMeasure& measure, std::span<const double> P,
                    std::span<const double> u) {
  BlockSight out;
  out.rho = measure.rho;
  for (std::size_t i = 0; i < static_cast<std::size_t>(block.rows()); ++i) {
    const std::size_t r = static_cast<std::size_t>(block.first) + i;
    const double length = i < 3 ? 1 : measure.length;
    out.P[i] = P[r] / length, out.u[i] = u[r] * length;
  }
  if (block.kind != RowBlock::Kind::contact) return out;
  out.cone = cone_of(block);
  for (FrictionGroup& g : out.cone.groups)
    if (g.first >= 3) g.coefficient /= measure.length;
  return out;
}

// |P − Proj_K(P − ρ (u + φ n))|
double natural_map(const BlockSight& sight) {
  const FrictionCone& cone = sight.cone;
  SixRows p{}, y{};
  double phi = 0;
  for (int g = 0; g < cone.count; ++g) {
    const FrictionGroup& group = cone.groups[static_cast<std::size_t>(g)];
    phi += group.coefficient * length_of(group, sight.u.data());
  }
  for (std::size_t i = 0; i < 6; ++i) p[i] = sight.P[i] - sight.rho * (sight.u[i] + (i == 0 ? phi : 0));
  project(cone, p.data(), y.data());
  double sum = 0;
  for (std::size_t i = 0; i < 6; ++i) sum += (sight.P[i] - y[i]) * (sight.P[i] - y[i]);
  return std::sqrt(sum);
}

double cone_excess(const BlockSight& sight) {
  SixRows y{};
  project(sight.cone, sight.P.data(), y.data());
  double apart = 0, size = 0;
  for (std::size_t i = 0; i < 6; ++i)
    apart += (sight.P[i] - y[i]) * (sight.P[i] - y[i]), size += sight.P[i] * sight.P[i];
  return size > 0 ? std::sqrt(apart / size) : 0;
}

}  // namespace

void find_velocities(const ConeProblem& problem, std::span<const double> P, std::span<double> u) {
  const std::size_t n = problem.u_free.size();
  std::ranges::copy(problem.u_free, u.begin());
  for (std::size_t i = 0; i < n; ++i) {  // A is symmetric
    if (P[i] == 0) continue;
    const double P_i = P[i], *row = problem.A.data() + i * n;
    double* to = u.data();
    for (std::size_t j = 0; j < n; ++j) to[j] += P_i * row[j];
    if (!problem.compliance.empty()) to[i] += problem.compliance[i] * P_i;
  }
}

ConeCertificate certify(const ConeProblem& problem, std::span<const BlockMeasure> measures, std::span<const double> P,
                        std::span<const double> u) {
  ConeCertificate out;
  for (std::size_t b = 0; b < problem.blocks.size(); ++b) {
    const RowBlock& block = problem.blocks[b];
    const BlockSight sight = sight_of(block, measures[b], P, u);
    double distance = 0, excess = 0;
    if (block.kind == RowBlock::Kind::contact) {
      distance = natural_map(sight), excess = cone_excess(sight);
    } else {
      const bool free = block.kind == RowBlock::Kind::equality;
      const double lower = free ? -unbounded : block.lower, upper = free ? unbounded : block.upper, p = sight.P[0];
      distance = std::abs(p - std::clamp(p - sight.rho * sight.u[0], lower, upper));
      if (p != 0) excess = std::abs((p - std::clamp(p, lower, upper)) / p);
    }
    const double map = distance / (sight.rho * problem.scale);
    if (!(map <= out.natural_map)) out.natural_map = map, out.block = static_cast<int>(b);
    out.cone_excess = std::max(out.cone_excess, excess);
  }
  return out;
}

ConeCertificate certify(const ConeProblem& problem, std::span<const double> P) {
  assert(P.size() == problem.u_free.size() && problem.A.size() == P.size() * P.size());
  std::vector<double> u(P.size());
  find_velocities(problem, P, u);
  std::vector<BlockMeasure> measures;
  for (const RowBlock& block : problem.blocks) measures.push_back(measure_of(problem, block));
  return certify(problem, measures, P, u);
}

}  // namespace marey
