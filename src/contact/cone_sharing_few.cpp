// Sharing where few impulses are redundant: (2) of cone_sharing.h.
#include <algorithm>
#include <cmath>

#include "contact/cone_sharing.h"
#include "marey/core/inner_product.h"

namespace marey {

// N of (2), by columns in weighted_: with DᵀBD = L Lᵀ and L₁ the rows of L at the pivots, what makes up for a column j beside them is −L₁⁻ᵀ (row j of L)ᵀ.
void ConeSharing::find_null_vectors(std::size_t count) {
  const std::size_t n = columns_.size(), rank = n - count;
  if (weighted_.size() < count * n) weighted_.resize(count * n);
  std::fill_n(weighted_.data(), count * n, 0.0);
  p_.assign(n, 0.0);
  for (std::size_t k = 0; k < rank; ++k) p_[static_cast<std::size_t>(root_.pivot(static_cast<int>(k)))] = 1;
  std::size_t at = 0;
  for (std::size_t j = 0; j < n; ++j) {
    if (p_[j] != 0) continue;
    double* own = weighted_.data() + at++ * n;
    own[j] = 1;
    for (std::size_t k = rank; k-- > 0;) {
      const double* column = root_.column(static_cast<int>(k));
      double sum = column[j];
      for (std::size_t m = k + 1; m < rank; ++m) {
        const int pivot = root_.pivot(static_cast<int>(m));
        sum += column[pivot] * own[pivot];
      }
      const int pivot = root_.pivot(static_cast<int>(k));
      own[pivot] = -sum / column[pivot];
    }
    for (std::size_t i = 0; i < n; ++i) own[i] *= columns_[i].d;
  }
}

// (2), for t_. False where the vectors are hardly independent.
bool ConeSharing::take_out_null_vectors(std::size_t count) {
  const std::size_t n = columns_.size();
  const auto vector = [&](std::size_t k) { return std::span<const double>(weighted_.data() + k * n, n); };
  matrix_.resize(static_cast<int>(count)), step_.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t j = k; j < count; ++j) matrix_.row(static_cast<int>(k))[j] = inner_product(vector(k), vector(j));
    step_[k] = inner_product(vector(k), t_);
  }
  if (!cholesky_.factor(matrix_)) return false;
  cholesky_.solve(matrix_, step_.data());
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t i = 0; i < n; ++i) t_[i] -= step_[k] * weighted_[k * n + i];
  return true;
}

// What (DᵀBD)⁻ of b_ adds to t, at the pivots.
void ConeSharing::add_answer(double* t) {
  const auto rank = static_cast<std::size_t>(root_.rank());
  step_.resize(rank), g_.resize(rank);
  root_.solve_lower(b_.data(), step_.data());
  for (std::size_t k = rank; k-- > 0;) {
    const double* column = root_.column(static_cast<int>(k));
    double sum = step_[k];
    for (std::size_t m = k + 1; m < rank; ++m) sum -= column[root_.pivot(static_cast<int>(m))] * g_[m];
    const int pivot = root_.pivot(static_cast<int>(k));
    g_[k] = sum / column[pivot];
    t[pivot] += columns_[static_cast<std::size_t>(pivot)].d * g_[k];
  }
}

// rest() by (2): false also where what rests could go on resting, but not by impulses that are all inside. |t|² is to be at most
// `most`.
bool ConeSharing::rest_inside(const ScaledCones& cones, double most, double* z, double* v) {
  const std::size_t n = columns_.size(), redundant = n - static_cast<std::size_t>(root_.rank());
  find_null_vectors(redundant);
  t_.assign(n, 0.0);
  double best = unbounded;
  for (int round = 0; round < 5; ++round) {
    set_impulses(t_.data(), z_.data());
    cones.find_velocities(z_.data(), v_.data());
    if (round > 0) {
      const double now = cones.natural_map(z_.data(), v_.data());
      if (!(now < best)) break;
      best = now;
      if (best <= enough_at_rest) std::copy(z_.begin(), z_.end(), z), std::copy(v_.begin(), v_.end(), v);
      if (best <= as_good_as_exact) break;
    }
    find_residual();
    add_answer(t_.data());
    if (!take_out_null_vectors(redundant) || !all_inside(t_.data())) break;
    if (!(inner_product(t_, t_) <= most)) return false;
  }
  return best <= enough_at_rest;
}

namespace {

// The first α in 0 … 1 at which |g + α dg| grows beyond μ (n + α dn); 1: none. At 0 it is inside, but for rounding.
double leaves_cone(const FrictionGroup& group, const double* from, const double* to) {
  const double mu2 = group.coefficient * group.coefficient, dn = to[0] - from[0];
  double a = -mu2 * dn * dn, b = -2 * mu2 * from[0] * dn, c = -mu2 * from[0] * from[0];
  for (int r = group.first; r < group.first + group.rows; ++r) {
    const double d = to[r] - from[r];
    a += d * d, b += 2 * from[r] * d, c += from[r] * from[r];
  }
  if (a + b + c <= 0 && to[0] >= 0) return 1;
  if (c >= 0) return b >= 0 || a <= 0 ? 0 : std::min(1.0, -b / a);
  const double root = std::sqrt(std::max(0.0, b * b - 4 * a * c));
  const double alpha = -2 * c / (b + root);  // the one that is positive where c < 0, without cancellation for b > 0
  return alpha > 0 ? std::min(1.0, alpha) : 1;
}

}  // namespace

// How much of the way from one t to another is inside C.
double ConeSharing::way_inside(const double* from, const double* to) const {
  double way = 1;
  for (const Part& part : parts_) {
    const double *x = from + part.first, *y = to + part.first;
    if (part.kind == Part::Kind::interval && y[0] != x[0])
      way = std::min(way, ((y[0] > x[0] ? part.upper : part.lower) - x[0]) / (y[0] - x[0]));
    if (part.kind != Part::Kind::cone) continue;
    if (y[0] < 0) way = std::min(way, x[0] / (x[0] - y[0]));
    for (std::size_t g = 0; g < static_cast<std::size_t>(part.cone.count); ++g)
      way = std::min(way, leaves_cone(part.cone.groups[g], x, y));
  }
  return std::max(0.0, way);
}

bool ConeSharing::share_inside(const ScaledCones& cones, double most, double* z, double* v, double& natural_map) {
  const std::size_t count = columns_.size() - static_cast<std::size_t>(root_.rank());
  if (count > few_redundant) return false;
  find_lengths(z);
  before_ = t_;
  find_null_vectors(count);
  if (!take_out_null_vectors(count)) return false;
  if (!all_inside(t_.data())) {
    if (count > 1) return false;
    const double way = way_inside(before_.data(), t_.data());
    for (std::size_t i = 0; i < t_.size(); ++i) t_[i] = before_[i] + way * (t_[i] - before_[i]);
  }
  z_.assign(z, z + cones.size()), v_.resize(z_.size());
  set_impulses(t_.data(), z_.data());
  cones.find_velocities(z_.data(), v_.data());
  const double now = cones.natural_map(z_.data(), v_.data());
  if (!(now <= most)) return false;
  natural_map = now;
  std::copy(z_.begin(), z_.end(), z), std::copy(v_.begin(), v_.end(), v);
  return true;
}

}  // namespace marey
