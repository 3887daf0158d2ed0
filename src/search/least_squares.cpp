// Levenberg and Marquardt's method for the least sum of squares of the misses r(x), 0 ≤ x ≤ 1:
//
//   (Jᵀ J + λ diag(Jᵀ J)) δ = −Jᵀ r                                                                               (1)
//   J e_i = (r(x + h e_i) − r(x − h e_i)) / 2h,   h = ∛η                                                          (2)
//
// η is what a motion is rounded to (1e-12 with steps of a fixed length, the tolerance where they are chosen), relative to what lies
// between the bounds: with (2) the derivative is then exact to about η^(2/3). Across an impact that comes or goes r jumps: a difference
// counts only if the same events, of the same number, are on both sides; if they are on one side, that one is taken, and if on none,
// the number stays as it is for this step. Steps of (1) that would leave the bounds end there.
#include "search/least_squares.h"

#include <algorithm>
#include <cmath>

#include "marey/core/index.h"
#include "marey/dynamics/dense_algebra.h"

namespace marey {
namespace {

constexpr double well_within = 1e-2;    // misses at which what holds need not get better
constexpr double hardly_better = 1e-3;  // of the badness: a step that is not worth another one
constexpr int most_steps = 30, most_tries = 8;
constexpr double longest = 0.5;  // of the bounds, in a step

bool same_stretch(const Trial& a, const Trial& b) {
  return !a.failed() && !b.failed() && a.events == b.events && a.impacts == b.impacts;
}
bool good_enough(const Trial& t) { return t.holds && t.badness < well_within * well_within; }

class Descent {
 public:
  Descent(Trials& trials, Trial from) : trials_(trials), at_(std::move(from)), n_(trials.dimensions()) {}

  Trial go() {
    for (int step = 0; step < most_steps && !good_enough(at_); ++step) {
      const double before = at_.badness;
      if (!differentiate() || !improve()) break;
      if (at_.badness > before * (1 - hardly_better)) break;
    }
    return at_;
  }

 private:
  // Column i of J, by (2); false where there is no smooth way.
  bool column(std::size_t i, std::vector<double>& out) {
    const double h = trials_.difference();
    Trial ends[2];
    bool usable[2];
    for (int side = 0; side < 2; ++side) {
      std::vector<double> x = at_.x;
      x[i] += side == 0 ? -h : h;
      usable[side] = x[i] >= 0 && x[i] <= 1;
      if (usable[side]) ends[side] = trials_.run(x), usable[side] = same_stretch(at_, ends[side]);
    }
    if (!usable[0] && !usable[1]) return false;
    const std::vector<double>& low = usable[0] ? ends[0].misses : at_.misses;
    const std::vector<double>& high = usable[1] ? ends[1].misses : at_.misses;
    const double width = usable[0] && usable[1] ? 2 * h : h;
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = (high[k] - low[k]) / width;
    return true;
  }
  bool differentiate() {
    bool any = false;
    columns_.assign(n_, std::vector<double>(at_.misses.size(), 0));
    for (std::size_t i = 0; i < n_; ++i) any = column(i, columns_[i]) || any;
    gradient_.assign(n_, 0);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t k = 0; k < at_.misses.size(); ++k) gradient_[i] += columns_[i][k] * at_.misses[k];
    return any;
  }
  // The numbers that are free to move: not held at a bound.
  std::vector<std::size_t> free_numbers() const {
    std::vector<std::size_t> free;
    for (std::size_t i = 0; i < n_; ++i) {
      const bool held = (at_.x[i] <= 0 && gradient_[i] > 0) || (at_.x[i] >= 1 && gradient_[i] < 0);
      if (!held && gradient_[i] != 0) free.push_back(i);
    }
    return free;
  }
  // The step by (1) of those.
  std::vector<double> step() const {
    const std::vector<std::size_t> free = free_numbers();
    const int m = static_cast<int>(free.size());
    Matrix J(static_cast<int>(at_.misses.size()), m);
    Vector downhill(m);
    for (int i = 0; i < m; ++i) {
      std::ranges::copy(columns_[free[index(i)]], J.col(i).begin());
      downhill[i] = -gradient_[free[index(i)]];
    }
    Matrix A = transpose_times(J, J);
    for (int i = 0; i < m; ++i) A(i, i) *= 1 + damping_;
    std::vector<double> all(n_, 0);
    const Cholesky factors(A);
    if (!factors.ok()) return all;
    const Vector d = factors.solve(downhill);
    for (int i = 0; i < m; ++i) all[free[index(i)]] = std::isfinite(d[i]) ? std::clamp(d[i], -longest, longest) : 0;
    return all;
  }
  bool improve() {
    for (int attempt = 0; attempt < most_tries; ++attempt) {
      const std::vector<double> d = step();
      std::vector<double> x = at_.x;
      for (std::size_t i = 0; i < n_; ++i) x[i] = std::clamp(x[i] + d[i], 0.0, 1.0);
      if (x == at_.x) return false;
      Trial there = trials_.run(x);
      if (there.badness < at_.badness) {
        damping_ = std::max(1e-12, damping_ / 10), at_ = std::move(there);
        return true;
      }
      damping_ *= 8;
    }
    return false;
  }

  Trials& trials_;
  Trial at_;
  std::size_t n_;
  std::vector<std::vector<double>> columns_;  // of J
  std::vector<double> gradient_;              // Jᵀ r
  double damping_ = 1e-4;
};

}  // namespace

Trial descend(Trials& trials, Trial from) {
  if (from.failed() || (from.stepping && from.impacts > 0)) return from;  // steps with impacts are no smooth motion
  return Descent(trials, std::move(from)).go();
}

}  // namespace marey
