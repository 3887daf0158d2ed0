#include "contact/touching.h"

#include <algorithm>
#include <cmath>

namespace marey {
namespace {

constexpr double small_pivot = 1e-6;  // of A with a diagonal of ones
constexpr double far_beyond = 1e6;    // S, in units of the accelerations
constexpr double enough = 1e-9;       // of the natural map
constexpr double nothing = 1e-8;      // accelerations below that part of the free ones
constexpr double jam = 1e3;           // forces that would give such accelerations are impulses

}  // namespace

TouchingCones::TouchingCones(int max_points) {
  const std::size_t m = static_cast<std::size_t>(max_points);
  solver_.tolerance = 0.1 * enough;
  solver_.shares_slips = false;  // slips have the directions they are given, and loads those of the accelerations found
  solver_.expect(3 * m, m);
  blocks_.resize(m), begun_.resize(m), direction_.resize(m);
  scaled_.resize(9 * m * m), free_.resize(3 * m), slip_.resize(2 * m), u_.resize(3 * m), a_.resize(3 * m);
}

// By Cholesky's method with the largest pivot first.
bool TouchingCones::redundant(std::span<const double> A, std::size_t points) {
  const std::size_t n = 3 * points;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const double size = A[i * n + i] * A[j * n + j];
      scaled_[i * n + j] = size > 0 ? A[i * n + j] / std::sqrt(size) : 0;
    }
  std::fill_n(u_.begin(), n, 0.0);  // 1: eliminated
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = n;
    for (std::size_t i = 0; i < n; ++i)
      if (u_[i] == 0 && (pivot == n || scaled_[i * n + i] > scaled_[pivot * n + pivot])) pivot = i;
    const double own = scaled_[pivot * n + pivot];
    if (own < small_pivot) return true;
    u_[pivot] = 1;
    for (std::size_t i = 0; i < n; ++i) {
      if (u_[i] != 0) continue;
      const double factor = scaled_[i * n + pivot] / own;
      for (std::size_t j = 0; j < n; ++j)
        if (u_[j] == 0) scaled_[i * n + j] -= factor * scaled_[pivot * n + j];
    }
  }
  return false;
}

double TouchingCones::slip(std::size_t i) const { return std::hypot(a_[3 * i + 1], a_[3 * i + 2]); }

bool TouchingCones::solve(const ModeProblem& p, std::span<double> lambda) {
  std::fill_n(begun_.begin(), p.points.size(), char(0));
  return solve_once(p, lambda, far_beyond);
}

bool TouchingCones::step(const ModeProblem& p, std::span<double> P) {
  std::fill_n(begun_.begin(), p.points.size(), char(0));
  return solve_once(p, P, 0);
}

bool TouchingCones::solve_once(const ModeProblem& p, std::span<double> lambda, double slip_of_sliding) {
  const std::size_t m = p.points.size();
  size_ = 3 * m;
  double scale = 0;
  for (const double a : p.b) scale = std::max(scale, std::abs(a));
  still_ = nothing * scale;
  std::copy(p.b.begin(), p.b.end(), free_.begin());
  for (std::size_t i = 0; i < m; ++i) {
    const ConePoint& point = p.points[i];
    const bool kinetic = point.slides || begun_[i] != 0;
    blocks_[i] = {};
    blocks_[i].first = static_cast<int>(3 * i);
    blocks_[i].friction = kinetic ? point.mu_slide : point.mu_stick;
    for (std::size_t k = 0; k < 2; ++k) slip_[2 * i + k] = point.slides ? slip_of_sliding * scale * point.s[k] : 0;
  }
  if (scale == 0) {
    std::ranges::fill(lambda, 0), std::fill_n(a_.begin(), size_, 0.0);
    return true;
  }
  // Solutions need not be unique. From the same start the same one is found, be it asked for within a phase or at its end.
  std::ranges::fill(lambda, 0);
  const auto jams = [&] {
    double most = 0;
    for (std::size_t i = 0; i < m; ++i) most = std::max(most, lambda[3 * i] * p.A[3 * i * size_ + 3 * i]);
    return slip_of_sliding > 0 && !(most <= jam * scale);
  };
  bool solved = false, turned = true;
  for (int round = 0; round < 2 && turned; ++round) {
    turned = false;
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t k = 0; k < 2; ++k) free_[3 * i + 1 + k] = p.b[3 * i + 1 + k] + slip_[2 * i + k];
    const ConeProblem problem{
        p.A.first(size_ * size_), {}, std::span(free_).first(size_), std::span(blocks_).first(m), scale};
    solved = solver_.solve(problem, lambda, std::span(u_).first(size_)).certificate.natural_map <= enough;
    for (std::size_t i = 0; i < m; ++i) {
      a_[3 * i] = u_[3 * i];
      for (std::size_t k = 0; k < 2; ++k) {
        const double a = a_[3 * i + 1 + k] = u_[3 * i + 1 + k] - slip_[2 * i + k];
        if (!p.points[i].slides || slip_of_sliding == 0) continue;
        slip_[2 * i + k] = slip_of_sliding * scale * p.points[i].s[k] - a;
        turned = turned || a != 0;
      }
    }
    if (jams()) return false;
  }
  return solved;
}

bool TouchingCones::choose(const ModeProblem& p, std::span<ConeMode> modes, std::span<double> lambda) {
  const std::size_t m = p.points.size();
  std::fill_n(begun_.begin(), m, char(0));
  const auto begins = [&](std::size_t i) {
    const ConePoint& point = p.points[i];
    return !point.slides && begun_[i] == 0 && !leaves(i) && slip(i) > still_;
  };
  for (bool again = true; again;) {
    if (!solve_once(p, lambda, far_beyond)) return false;
    still_ *= 0.5;  // what ended a phase has reached `still`, but for rounding
    again = false;
    for (std::size_t i = 0; i < m; ++i) {
      if (!begins(i)) continue;
      begun_[i] = 1;
      direction_[i] = {a_[3 * i + 1] / slip(i), a_[3 * i + 2] / slip(i)};
      again = again || p.points[i].mu_slide != p.points[i].mu_stick;
    }
  }
  for (std::size_t i = 0; i < m; ++i) {
    const ConePoint& point = p.points[i];
    modes[i] = {};
    if (leaves(i)) continue;
    if (lambda[3 * i] * p.A[3 * i * size_ + 3 * i] <= 0.1 * still_) {  // others carry the load
      std::fill_n(lambda.begin() + static_cast<std::ptrdiff_t>(3 * i), 3, 0.0);
      continue;
    }
    modes[i].normal = ConeMode::Normal::held;
    if (point.slides) {
      modes[i].tangent = point.mu_slide > 0 ? ConeMode::Tangent::slide : ConeMode::Tangent::none, modes[i].s = point.s;
    } else if (point.mu_stick == 0) {
      modes[i].tangent = ConeMode::Tangent::none;
    } else if (begun_[i] != 0) {
      modes[i].tangent = ConeMode::Tangent::slide;
      modes[i].s = slip(i) > still_ ? Pair{a_[3 * i + 1] / slip(i), a_[3 * i + 2] / slip(i)} : direction_[i];
    } else {
      modes[i].tangent = ConeMode::Tangent::stick;
    }
  }
  return true;
}

}  // namespace marey
