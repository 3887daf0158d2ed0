#include "contact/cone.h"

#include <algorithm>
#include <cmath>

namespace marey {

namespace {
using Normal = ConeMode::Normal;
using Tangent = ConeMode::Tangent;
constexpr double rank_tolerance = 1e-11, near_rank_tolerance = 1e-6, zero_tolerance = 1e-10;
constexpr int most_combinations = 1024, most_solutions = 8;

double length(double x, double y) { return std::sqrt(x * x + y * y); }
Pair unit(double x, double y) {
  const double l = length(x, y);
  return l > 0 ? Pair{x / l, y / l} : Pair{1, 0};
}
bool turns(const ConePoint& point, const ConeMode& mode) { return mode.tangent == Tangent::slide && !point.slides; }
bool frictionless(const ConePoint& p) { return !p.holds_always && p.mu_slide == 0 && (p.slides || p.mu_stick == 0); }
}  // namespace

ModeSolver::ModeSolver(int m)
    : system_(3 * m),
      turns_(m),
      B_(9 * m * m),
      rhs_(3 * m),
      x_(3 * m),
      P_(3 * m),
      u_(3 * m),
      tolerance_(m),
      dP_(3 * m),
      turn_matrix_(m * m),
      turn_rhs_(m),
      turn_(m),
      best_P_(3 * m),
      best_u_(3 * m),
      solutions_(most_solutions * 3 * m),
      trial_(m),
      best_modes_(m),
      before_(m),
      kept_(m),
      sliding_(m) {}

// ---- given modes
// Rows and unknowns scaled so that rows of A and rows of the identity are of one size: x = α P, α the largest entry of
// A, which is returned.
double ModeSolver::assemble(const ModeProblem& p, std::span<const ConeMode> modes) {
  const std::size_t n = size_;
  double alpha = 0;
  for (std::size_t i = 0; i < n; ++i) alpha = std::max(alpha, p.A[i * n + i]);
  if (alpha == 0) alpha = 1;
  std::fill(B_.begin(), B_.begin() + static_cast<std::ptrdiff_t>(n * n), 0);
  const auto restrain = [&](std::size_t row) {  // u = 0
    for (std::size_t j = 0; j < n; ++j) B_[row * n + j] = p.A[row * n + j] / alpha;
    rhs_[row] = -p.b[row];
  };
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const ConeMode& mode = modes[i];
    const std::size_t row = 3 * i;
    if (mode.normal == Normal::held) {
      restrain(row);
    } else {
      B_[row * n + row] = 1;
      rhs_[row] = alpha * p.points[i].least;
    }
    for (std::size_t k = 0; k < 2; ++k) {
      const std::size_t t = row + 1 + k;
      if (mode.tangent == Tangent::stick) {
        restrain(t);
      } else {
        B_[t * n + t] = 1;
        if (mode.tangent == Tangent::slide) B_[t * n + row] = p.points[i].mu_slide * mode.s[k];
        rhs_[t] = 0;
      }
    }
  }
  return alpha;
}

void ModeSolver::linear_solve(const ModeProblem& p, std::span<const ConeMode> modes) {
  const double alpha = assemble(p, modes);
  system_.factor(static_cast<int>(size_), B_, rank_tolerance);
  system_.solve(rhs_, x_);
  for (std::size_t i = 0; i < size_; ++i) P_[i] = x_[i] / alpha;
  for (std::size_t i = 0; i < modes.size(); ++i) {  // what is not an unknown is exact
    if (modes[i].normal == Normal::open) P_[3 * i] = p.points[i].least;
    if (modes[i].tangent == Tangent::stick) continue;
    const double rub = modes[i].tangent == Tangent::slide ? -p.points[i].mu_slide * P_[3 * i] : 0;
    for (std::size_t k = 0; k < 2; ++k) P_[3 * i + 1 + k] = rub * modes[i].s[k];
  }
  velocities(p);
}

void ModeSolver::solve_near(const ModeProblem& p, std::span<const ConeMode> modes, std::span<const double> P_0) {
  const std::size_t n = size_ = 3 * p.points.size();
  const double alpha = assemble(p, modes);
  for (std::size_t r = 0; r < n; ++r) {
    const bool open = modes[r / 3].normal == Normal::open;
    for (std::size_t c = 0; !open && c < n; ++c) rhs_[r] -= B_[r * n + c] * alpha * P_0[c];
    if (open) rhs_[r] = 0;
  }
  system_.factor(static_cast<int>(n), B_, near_rank_tolerance);
  system_.solve(rhs_, x_);
  for (std::size_t i = 0; i < n; ++i) P_[i] = P_0[i] + x_[i] / alpha;
  velocities(p);
}

void ModeSolver::velocities(const ModeProblem& p) {
  const std::size_t n = size_;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = p.b[i], size = std::abs(p.b[i]);
    for (std::size_t j = 0; j < n; ++j) {
      const double term = p.A[i * n + j] * P_[j];
      sum += term, size += std::abs(term);
    }
    u_[i] = sum;
    double& tolerance = tolerance_[i / 3];
    tolerance = i % 3 == 0 ? zero_tolerance * size : std::max(tolerance, zero_tolerance * size);
  }
}

double ModeSolver::force_tolerance(const ModeProblem& p, int i) const {
  const std::size_t n = size_, k = 3 * static_cast<std::size_t>(i);
  const double largest = std::max({p.A[k * n + k], p.A[(k + 1) * n + k + 1], p.A[(k + 2) * n + k + 2]});
  return largest > 0 ? tolerance_[i] / largest : 0;
}

bool ModeSolver::met(const ModeProblem&, std::span<const ConeMode> modes) const {
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const double tolerance = 10 * tolerance_[i];
    if (modes[i].normal == Normal::held && !(std::abs(u_[3 * i]) <= tolerance)) return false;
    if (modes[i].tangent == Tangent::stick && !(length(u_[3 * i + 1], u_[3 * i + 2]) <= tolerance)) return false;
  }
  return true;
}

// ---- directions of slip
// Largest |ρ| over its tolerance; fills the list of contacts whose direction is to be found.
double ModeSolver::misalignment(const ModeProblem& p, std::span<const ConeMode> modes) {
  double worst = 0;
  sliding_.clear();
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (!turns(p.points[i], modes[i])) continue;
    sliding_.push_back(static_cast<int>(i));
    const Pair& s = modes[i].s;
    const double rho = s[0] * u_[3 * i + 2] - s[1] * u_[3 * i + 1], size = 1e-4 * tolerance_[i];
    worst = std::max(worst, std::abs(rho) / (size > 0 ? size : 1e-300));
  }
  return worst;
}

// The turns of Newton's step; the system must be factored and P, u belong to the modes. Returns the largest.
double ModeSolver::newton_turn(const ModeProblem& p, std::span<const ConeMode> modes) {
  const std::size_t k = sliding_.size(), n = size_;
  for (std::size_t c = 0; c < k; ++c) {
    const std::size_t j = static_cast<std::size_t>(sliding_[c]);
    const Pair& s = modes[j].s;
    std::fill(rhs_.begin(), rhs_.end(), 0);
    rhs_[3 * j + 1] = p.points[j].mu_slide * P_[3 * j] * s[1];
    rhs_[3 * j + 2] = -p.points[j].mu_slide * P_[3 * j] * s[0];
    system_.solve(rhs_, dP_);  // scaling by α is the same on both sides
    for (std::size_t r = 0; r < k; ++r) {
      const std::size_t i = static_cast<std::size_t>(sliding_[r]);
      const Pair& t = modes[i].s;
      double du[2] = {0, 0};
      for (std::size_t a = 0; a < 2; ++a)
        for (std::size_t l = 0; l < n; ++l) du[a] += p.A[(3 * i + 1 + a) * n + l] * dP_[l];
      turn_matrix_[r * k + c] = t[0] * du[1] - t[1] * du[0];
      if (r == c) turn_matrix_[r * k + c] -= t[0] * u_[3 * i + 1] + t[1] * u_[3 * i + 2];
    }
    turn_rhs_[c] = -(s[0] * u_[3 * j + 2] - s[1] * u_[3 * j + 1]);
  }
  turns_.factor(static_cast<int>(k), turn_matrix_, 1e-14);
  turns_.solve(turn_rhs_, turn_);
  double largest = 0;
  for (std::size_t c = 0; c < k; ++c) largest = std::max(largest, std::abs(turn_[c]));
  return largest;
}

bool ModeSolver::find_directions(const ModeProblem& p, std::span<ConeMode> modes) {
  double now = misalignment(p, modes);
  for (int round = 0; round < 60 && now > 1; ++round) {
    const double largest = newton_turn(p, modes);
    std::copy(modes.begin(), modes.end(), before_.begin());
    double reach = largest > 0.5 ? 0.5 / largest : 1;
    bool better = false;
    for (int halving = 0; halving < 6 && !better; ++halving, reach *= 0.5) {
      for (std::size_t c = 0; c < sliding_.size(); ++c) {
        const std::size_t i = static_cast<std::size_t>(sliding_[c]);
        const double a = reach * turn_[c];
        const Pair& s = before_[i].s;
        modes[i].s = {s[0] * std::cos(a) - s[1] * std::sin(a), s[1] * std::cos(a) + s[0] * std::sin(a)};
      }
      linear_solve(p, modes);
      const double then = misalignment(p, modes);
      better = then < now;
      if (better) now = then;
    }
    if (better) continue;
    // Newton's step is of no use here: project P_t − u_t / A_tt on the cone, which is slow but heads for a solution.
    std::copy(before_.begin(), before_.begin() + static_cast<std::ptrdiff_t>(modes.size()), modes.begin());
    linear_solve(p, modes);
    for (const int c : sliding_) {
      const std::size_t i = static_cast<std::size_t>(c), n = size_;
      const double a = p.A[(3 * i + 1) * n + 3 * i + 1] + p.A[(3 * i + 2) * n + 3 * i + 2];
      const double push = a * p.points[i].mu_slide * std::abs(P_[3 * i]);
      modes[i].s = unit(u_[3 * i + 1] + push * modes[i].s[0], u_[3 * i + 2] + push * modes[i].s[1]);
    }
    linear_solve(p, modes);
    now = misalignment(p, modes);
  }
  return now <= 1e4;  // zero_tolerance itself; rounding may keep it from reaching 1
}

bool ModeSolver::solve(const ModeProblem& p, std::span<ConeMode> modes, bool turn) {
  size_ = 3 * p.points.size();
  linear_solve(p, modes);
  const bool found = !turn || find_directions(p, modes);
  return found && met(p, modes);
}

// ---- unknown modes
ConeMode ModeSolver::guess(const ConePoint& p) {
  ConeMode mode;
  mode.normal = p.normal_given ? Normal::open : Normal::held;
  mode.s = p.s;
  mode.tangent = frictionless(p) ? Tangent::none : p.slides ? Tangent::slide : Tangent::stick;
  if (p.normal_given && p.least == 0) mode.tangent = Tangent::none;
  return mode;
}

// Whether contact i breaks a law of its mode, and the mode it should have instead.
bool ModeSolver::violated(const ModeProblem& p, std::span<const ConeMode> modes, int index, ConeMode& better) const {
  const std::size_t i = static_cast<std::size_t>(index);
  const ConePoint& point = p.points[i];
  const ConeMode& mode = modes[i];
  const double force_zero = force_tolerance(p, index), zero = tolerance_[i];
  better = mode;
  if (mode.normal == Normal::held && P_[3 * i] < point.least - force_zero) {
    better.normal = Normal::open;
    if (point.least == 0) better.tangent = Tangent::none;
    return true;
  }
  if (mode.normal == Normal::open && !point.normal_given && u_[3 * i] < -zero) {
    better = guess(point);
    return true;
  }
  const double P_t = length(P_[3 * i + 1], P_[3 * i + 2]);
  if (mode.tangent == Tangent::stick && !point.holds_always && P_t > point.mu_stick * P_[3 * i] + force_zero) {
    better.tangent = point.mu_slide > 0 ? Tangent::slide : Tangent::none;
    better.s = unit(-P_[3 * i + 1], -P_[3 * i + 2]);
    return true;
  }
  if (turns(point, mode) && mode.s[0] * u_[3 * i + 1] + mode.s[1] * u_[3 * i + 2] < -zero) {
    better.tangent = Tangent::stick;
    return true;
  }
  return false;
}

bool ModeSolver::obeys(const ModeProblem& p, std::span<const ConeMode> modes) const {
  ConeMode better;
  for (std::size_t i = 0; i < modes.size(); ++i)
    if (violated(p, modes, static_cast<int>(i), better)) return false;
  return true;
}

bool ModeSolver::switch_modes(const ModeProblem& p, std::span<ConeMode> modes, int rounds) {
  const int m = static_cast<int>(p.points.size());
  int fewest = m + 1, patience = 3;
  for (int round = 0; round < rounds; ++round) {
    if (!solve(p, modes, true)) return false;
    int wrong = 0;
    for (int i = 0; i < m; ++i) {
      ConeMode better;
      trial_[i] = modes[i];
      if (!violated(p, modes, i, better)) continue;
      // All at once as long as that helps, then the first alone.
      if (patience > 0 || wrong == 0) trial_[i] = better;
      ++wrong;
    }
    if (wrong == 0) return true;
    --patience;
    if (wrong < fewest) fewest = wrong, patience = 3;
    std::copy(trial_.begin(), trial_.begin() + m, modes.begin());
  }
  return false;
}

// Gauss–Seidel over the contacts: each takes the step that would stop its own approach and slip, and is put back into
// its cone. Slow in the last digits, but it finds out who is loaded and who slides.
void ModeSolver::sweep(const ModeProblem& p, int times) {
  const std::size_t n = size_;
  for (int t = 0; t < times; ++t) {
    for (std::size_t i = 0; i < p.points.size(); ++i) {
      const ConePoint& point = p.points[i];
      double* P = P_.data() + 3 * i;
      const auto velocity = [&](std::size_t k) {
        double u = p.b[3 * i + k];
        for (std::size_t j = 0; j < n; ++j) u += p.A[(3 * i + k) * n + j] * P_[j];
        return u;
      };
      const double a_n = p.A[3 * i * n + 3 * i];
      P[0] = point.normal_given || a_n == 0 ? point.least : std::max(point.least, P[0] - velocity(0) / a_n);
      if (point.slides) {
        P[1] = -point.mu_slide * P[0] * point.s[0], P[2] = -point.mu_slide * P[0] * point.s[1];
        continue;
      }
      const double a_t = p.A[(3 * i + 1) * n + 3 * i + 1] + p.A[(3 * i + 2) * n + 3 * i + 2];
      const double u_1 = velocity(1), u_2 = velocity(2);
      if (a_t > 0) P[1] -= u_1 / a_t, P[2] -= u_2 / a_t;
      const double l = length(P[1], P[2]);
      const double most = point.holds_always && P[0] > 0 ? l : point.mu_slide * P[0];
      if (l > most) P[1] *= most / l, P[2] *= most / l;
    }
  }
}

void ModeSolver::modes_of_sweeps(const ModeProblem& p, std::span<ConeMode> modes) const {
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const ConePoint& point = p.points[i];
    const double* P = P_.data() + 3 * i;
    modes[i] = guess(point);
    if (!point.normal_given && P[0] <= point.least) {
      modes[i].normal = Normal::open;
      if (point.least == 0) modes[i].tangent = Tangent::none;
    }
    if (modes[i].tangent != Tangent::stick || point.holds_always) continue;
    if (length(P[1], P[2]) < point.mu_slide * P[0] * (1 - 1e-7)) continue;
    modes[i].tangent = point.mu_slide > 0 ? Tangent::slide : Tangent::none;
    modes[i].s = unit(-P[1], -P[2]);
  }
}

// Lets contacts that touch without load take part, all together or else one by one, where the laws allow it.
void ModeSolver::share(const ModeProblem& p, std::span<ConeMode> modes) {
  const std::size_t m = modes.size();
  const auto unloaded = [&](std::size_t i) {
    return modes[i].normal == Normal::open && !p.points[i].normal_given && u_[3 * i] <= tolerance_[i];
  };
  bool any = false;
  for (std::size_t i = 0; i < m; ++i) any = any || unloaded(i);
  if (!any) return;
  std::copy(modes.begin(), modes.end(), kept_.begin());
  const auto admit = [&](std::size_t i) {
    modes[i] = guess(p.points[i]);
    if (modes[i].tangent != Tangent::stick) return;
    if (length(u_[3 * i + 1], u_[3 * i + 2]) <= tolerance_[i]) return;
    modes[i].tangent = p.points[i].mu_slide > 0 ? Tangent::slide : Tangent::none;
    modes[i].s = unit(u_[3 * i + 1], u_[3 * i + 2]);
  };
  const auto accept = [&] {
    if (solve(p, modes, true) && obeys(p, modes)) return true;
    std::copy(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(m), modes.begin());
    solve(p, modes, true);
    return false;
  };
  for (std::size_t i = 0; i < m; ++i)
    if (unloaded(i)) admit(i);
  if (accept()) return;
  for (std::size_t i = 0; i < m; ++i) {
    if (!unloaded(i)) continue;
    admit(i);
    if (accept()) std::copy(modes.begin(), modes.end(), kept_.begin());
  }
}

bool ModeSolver::search_quickly(const ModeProblem& p, std::span<ConeMode> modes) {
  const int m = static_cast<int>(p.points.size());
  size_ = 3 * p.points.size();
  bool found = switch_modes(p, modes, 5 * m + 5);
  if (!found) std::fill(P_.begin(), P_.end(), 0);
  for (int times = 100; !found && m > 1 && times <= 6400; times *= 4) {
    // The sweeps go on where they stopped: switching writes to P as well.
    if (times > 100) std::copy(best_P_.begin(), best_P_.end(), P_.begin());
    sweep(p, times);
    best_P_ = P_;
    modes_of_sweeps(p, modes);
    found = switch_modes(p, modes, 2 * m + 2);
  }
  if (found) share(p, modes);
  return found;
}

bool ModeSolver::search_all(const ModeProblem& p, std::span<ConeMode> modes) {
  if (enumerate(p, modes) == 0) return false;
  share(p, modes);
  return true;
}

// The modes a contact may have. Slip that begins may go either way from where the contact would be held: s = ∓1 stands
// for that until try_combination knows the direction.
int ModeSolver::choices(const ConePoint& point, std::array<ConeMode, 8>& list) {
  int count = 0;
  for (const Normal normal : {Normal::open, Normal::held}) {
    if (point.normal_given && normal == Normal::held) continue;
    const bool loaded = normal == Normal::held || point.least > 0;
    if (!loaded || frictionless(point)) {
      list[count++] = {normal, Tangent::none, point.s};
    } else if (point.slides) {
      list[count++] = {normal, Tangent::slide, point.s};
    } else {
      list[count++] = {normal, Tangent::stick, {}};
      if (point.holds_always) continue;
      if (point.mu_slide == 0) {
        list[count++] = {normal, Tangent::none, {}};
      } else {
        list[count++] = {normal, Tangent::slide, {-1, 0}};
        list[count++] = {normal, Tangent::slide, {1, 0}};
      }
    }
  }
  return count;
}

// Solves one combination; directions start from where the contacts would be pulled if they stuck.
bool ModeSolver::try_combination(const ModeProblem& p, std::span<ConeMode> modes) {
  bool begins = false;
  std::copy(modes.begin(), modes.end(), before_.begin());
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (!turns(p.points[i], modes[i])) continue;
    begins = true;
    modes[i].tangent = Tangent::stick;
  }
  if (!solve(p, modes, false) && !begins) return false;
  if (!begins) return obeys(p, modes);
  for (std::size_t i = 0; i < modes.size(); ++i) {
    modes[i].tangent = before_[i].tangent;
    const double sign = before_[i].s[0];
    if (turns(p.points[i], modes[i])) modes[i].s = unit(sign * P_[3 * i + 1], sign * P_[3 * i + 2]);
  }
  return solve(p, modes, true) && obeys(p, modes);
}

// Whether u differs from all solutions found so far; keeps it if so.
bool ModeSolver::new_solution(int found) {
  for (int k = 0; k < std::min(found, most_solutions); ++k) {
    bool same = true;
    for (std::size_t i = 0; i < size_; ++i)
      same = same && std::abs(u_[i] - solutions_[k * size_ + i]) <= 1e3 * tolerance_[i / 3];
    if (same) return false;
  }
  if (found < most_solutions)
    std::copy(u_.begin(), u_.begin() + static_cast<std::ptrdiff_t>(size_),
              solutions_.begin() + static_cast<std::ptrdiff_t>(found * size_));
  return true;
}

int ModeSolver::enumerate(const ModeProblem& p, std::span<ConeMode> modes) {
  size_ = 3 * p.points.size();
  const int m = static_cast<int>(p.points.size());
  long combinations = 1;
  std::array<ConeMode, 8> list;
  for (int i = 0; i < m && combinations <= most_combinations; ++i) combinations *= choices(p.points[i], list);
  if (combinations > most_combinations) return 0;
  int found = 0;
  double least = 0;
  for (long c = 0; c < combinations; ++c) {
    long rest = c;
    for (int i = 0; i < m; ++i) {
      const int count = choices(p.points[i], list);
      modes[i] = list[rest % count];
      rest /= count;
    }
    if (!try_combination(p, modes)) continue;
    double sum = 0;
    for (int i = 0; i < m; ++i) sum += P_[3 * i];
    const bool is_new = new_solution(found);
    if (found == 0 || (is_new && sum < least)) {
      least = sum;
      best_P_ = P_, best_u_ = u_;
      std::copy(modes.begin(), modes.end(), best_modes_.begin());
    }
    found += is_new;
  }
  if (found == 0) return 0;
  P_ = best_P_, u_ = best_u_;
  std::copy(best_modes_.begin(), best_modes_.begin() + m, modes.begin());
  velocities(p);
  return found;
}

}  // namespace marey
