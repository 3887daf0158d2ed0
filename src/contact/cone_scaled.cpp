#include "contact/cone_scaled.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "contact/cone_measure.h"

namespace marey {
namespace {

ScaledBlock scaled_block(const RowBlock& block, const BlockMeasure& measure) {
  ScaledBlock out;
  out.kind = block.kind, out.first = block.first, out.rows = block.rows();
  out.d = std::sqrt(measure.rho);
  const bool free = block.kind == RowBlock::Kind::equality;
  out.lower = free ? -unbounded : block.lower / out.d, out.upper = free ? unbounded : block.upper / out.d;
  if (block.kind != RowBlock::Kind::contact) return out;
  out.cone = cone_of(block);
  for (FrictionGroup& g : out.cone.groups)
    if (g.first >= 3) g.coefficient /= measure.length;
  return out;
}

}  // namespace

double slip_term(const FrictionCone& cone, const double* v) {
  double sum = 0;
  for (int g = 0; g < cone.count; ++g) {
    const FrictionGroup& group = cone.groups[static_cast<std::size_t>(g)];
    if (group.coefficient > 0) sum += group.coefficient * length_of(group, v);
  }
  return sum;
}

void ScaledCones::set(const ConeProblem& problem) {
  const std::size_t n = problem.u_free.size();
  B.resize(static_cast<int>(n)), v_free.resize(n), row_scale.resize(n), centre.resize(n), blocks.clear(),
      measures.clear(), added = 0;
  s = problem.scale;
  for (const RowBlock& block : problem.blocks) {
    const BlockMeasure measure = measure_of(problem, block);
    const ScaledBlock& own = blocks.emplace_back(scaled_block(block, measure));
    measures.push_back(measure);
    for (int i = 0; i < own.rows; ++i)
      row_scale[static_cast<std::size_t>(own.first + i)] = own.d * (i < 3 ? 1 : measure.length);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double own = row_scale[i], *from = problem.A.data() + i * n;
    double* row = B.row(static_cast<int>(i));
    for (std::size_t j = 0; j < n; ++j) row[j] = own * row_scale[j] * from[j];
    if (!problem.compliance.empty()) row[i] += own * own * problem.compliance[i];
    v_free[i] = own * problem.u_free[i];
  }
}

void ScaledCones::set_free(std::span<const double> u_free, double scale) {
  added = 0, s = scale;
  for (std::size_t i = 0; i < u_free.size(); ++i) v_free[i] = row_scale[i] * u_free[i];
}

void ScaledCones::scale(std::span<const double> P, double* z) const {
  for (std::size_t i = 0; i < P.size(); ++i) z[i] = P[i] / row_scale[i];
}
void ScaledCones::unscale(const double* z, std::span<double> P) const {
  for (std::size_t i = 0; i < P.size(); ++i) P[i] = z[i] * row_scale[i];
}

void ScaledCones::find_velocities(const double* z, double* v) const {
  std::copy(v_free.begin(), v_free.end(), v);
  B.add_symmetric_product(z, v);
  if (added > 0)
    for (std::size_t i = 0; i < v_free.size(); ++i) v[i] += added * (z[i] - centre[i]);
}

void ScaledCones::project(const double* p, double* y) const {
  for (const ScaledBlock& b : blocks)
    if (b.kind == RowBlock::Kind::contact && b.rows == 3)
      project_three(b.cone.groups[0].coefficient, p + b.first, y + b.first);
    else if (b.kind == RowBlock::Kind::contact)
      marey::project(b.cone, p + b.first, y + b.first);
    else
      y[b.first] = std::clamp(p[b.first], b.lower, b.upper);
}

double ScaledCones::rounding(const double* z) const {
  double most = 0;
  for (const ScaledBlock& b : blocks)
    for (int r = b.first; r < b.first + b.rows; ++r) {
      const double* row = B.row(r);
      std::array<double, 8> sums{};
      int j = 0;
      for (; j + 8 <= size(); j += 8)
        for (int l = 0; l < 8; ++l) sums[static_cast<std::size_t>(l)] += std::abs(row[j + l] * z[j + l]);
      for (std::size_t l = 0; j < size(); ++j, ++l) sums[l] += std::abs(row[j] * z[j]);
      double sum = std::abs(v_free[static_cast<std::size_t>(r)]);
      for (const double x : sums) sum += x;
      most = std::max(most, sum / b.d);
    }
  return std::numeric_limits<double>::epsilon() * most / s;
}

double ScaledCones::natural_map(const double* z, const double* v, double* of_block) const {
  double most = 0;
  for (const ScaledBlock& b : blocks) {
    const double *z_b = z + b.first, *v_b = v + b.first;
    double sum = 0;
    if (b.kind == RowBlock::Kind::contact && b.rows == 3) {
      const double mu = b.cone.groups[0].coefficient;
      const double slip = mu > 0 ? mu * std::sqrt(v_b[1] * v_b[1] + v_b[2] * v_b[2]) : 0;
      const double p[3] = {z_b[0] - v_b[0] - slip, z_b[1] - v_b[1], z_b[2] - v_b[2]};
      double y[3];
      project_three(mu, p, y);
      const double x[3] = {z_b[0] - y[0], z_b[1] - y[1], z_b[2] - y[2]};
      sum = std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    } else if (b.kind == RowBlock::Kind::contact) {
      std::array<double, 6> p{}, y{};
      for (int i = 0; i < b.rows; ++i) p[static_cast<std::size_t>(i)] = z_b[i] - v_b[i];
      p[0] -= slip_term(b.cone, v_b);
      marey::project(b.cone, p.data(), y.data());
      for (int i = 0; i < b.rows; ++i)
        sum += (z_b[i] - y[static_cast<std::size_t>(i)]) * (z_b[i] - y[static_cast<std::size_t>(i)]);
      sum = std::sqrt(sum);
    } else {
      sum = std::abs(z_b[0] - std::clamp(z_b[0] - v_b[0], b.lower, b.upper));
    }
    const double map = sum / (b.d * s);
    if (of_block) *of_block++ = map;
    if (!(map <= most)) most = map;
  }
  return most;
}

}  // namespace marey
