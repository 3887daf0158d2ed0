#include "contact/cone_newton.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace marey {
namespace {

// Added to the diagonal, whose blocks have λmax = 1. It is far below what inertias and levers make of the smallest eigenvalue
// that is not zero, and far above rounding.
constexpr double newton_regularisation = 1e-10;
// κ below which the slip is so quick that its direction is that of the free motion.
constexpr double least_kappa = 1e-13;
// A step that leaves less than this of the natural map may be followed by one with its factors.
constexpr double settling = 0.1;

// Whether both ask for the same unknowns.
bool same_unknowns(const ScaledBlock& block, const BlockMode& a, const BlockMode& b) {
  if (a.normal != b.normal) return false;
  if (a.normal != BlockMode::Normal::closed || block.kind != RowBlock::Kind::contact) return true;
  for (std::size_t g = 0; g < static_cast<std::size_t>(block.cone.count); ++g) {
    const BlockMode::Group &x = a.groups[g], &y = b.groups[g];
    if (x.slides != y.slides || (x.slides && (x.kappa < least_kappa) != (y.kappa < least_kappa))) return false;
  }
  return true;
}

}  // namespace

void ConeNewton::find_modes(const ScaledCones& cones, const double* z, const double* v,
                            std::vector<BlockMode>& modes) const {
  modes.resize(cones.blocks.size());
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const ScaledBlock& b = cones.blocks[i];
    BlockMode& mode = modes[i];
    const double a_n = z[b.first] - augmentation * v[b.first];
    if (b.kind != RowBlock::Kind::contact) {
      using Normal = BlockMode::Normal;
      mode.normal = a_n < b.lower ? Normal::at_lower : a_n > b.upper ? Normal::at_upper : Normal::closed;
      continue;
    }
    mode.normal = a_n > 0 ? BlockMode::Normal::closed : BlockMode::Normal::open;
    for (std::size_t g = 0; g < static_cast<std::size_t>(b.cone.count); ++g) {
      const FrictionGroup& group = b.cone.groups[g];
      std::array<double, 2> a{};
      for (int r = 0; r < group.rows; ++r)
        a[static_cast<std::size_t>(r)] = z[b.first + group.first + r] - augmentation * v[b.first + group.first + r];
      const double length = std::sqrt(a[0] * a[0] + a[1] * a[1]), most = group.coefficient * a_n;
      BlockMode::Group& own = mode.groups[g];
      own.slides = group.coefficient == 0 || length > most;
      if (!own.slides) continue;
      own.tau = length > 0 ? std::array{a[0] / length, a[1] / length} : std::array{1.0, 0.0};
      own.kappa = length > 0 ? most / length : 0;
    }
  }
}

void ConeNewton::add_unknown(int row) {
  Unknown& u = unknowns_.emplace_back();
  u.test_row[0] = u.trial_row[0] = row;
  u.test[0] = u.trial[0] = 1;
}

void ConeNewton::add_contact(const ScaledBlock& b, const BlockMode& mode) {
  const std::size_t normal = unknowns_.size();
  add_unknown(b.first);
  for (std::size_t g = 0; g < static_cast<std::size_t>(b.cone.count); ++g) {
    const FrictionGroup& group = b.cone.groups[g];
    const BlockMode::Group& own = mode.groups[g];
    const int row = b.first + group.first;
    if (!own.slides) {
      for (int r = 0; r < group.rows; ++r) add_unknown(row + r);
      continue;
    }
    if (group.coefficient == 0) continue;
    symmetric_ = false;
    Unknown& along = unknowns_[normal];
    for (int r = 0; r < group.rows; ++r) {
      const auto k = static_cast<std::size_t>(along.trials++);
      along.trial_row[k] = row + r, along.trial[k] = group.coefficient * own.tau[static_cast<std::size_t>(r)];
    }
    if (group.rows == 1 || own.kappa < least_kappa) continue;
    add_unknown(row);
    Unknown& across = unknowns_.back();
    across.tests = across.trials = 2;
    across.test_row[1] = across.trial_row[1] = row + 1;
    across.test = {-own.tau[1], own.tau[0]};
    across.trial[0] = -own.tau[1], across.trial[1] = own.tau[0];
    across.turning = (1 - own.kappa) / (own.kappa * augmentation);
  }
}

void ConeNewton::find_unknowns(const ScaledCones& cones) {
  unknowns_.clear(), symmetric_ = true;
  for (std::size_t i = 0; i < modes_.size(); ++i) {
    const ScaledBlock& b = cones.blocks[i];
    if (modes_[i].normal != BlockMode::Normal::closed) continue;
    if (b.kind == RowBlock::Kind::contact)
      add_contact(b, modes_[i]);
    else
      add_unknown(b.first);
  }
}

// Trials by themselves: most unknowns have one.
void ConeNewton::list_trials() {
  first_trials_.clear(), more_trials_.clear();
  for (std::size_t j = 0; j < unknowns_.size(); ++j) {
    const Unknown& u = unknowns_[j];
    first_trials_.push_back({u.trial_row[0], u.trial[0]});
    for (std::size_t k = 1; k < static_cast<std::size_t>(u.trials); ++k)
      more_trials_.push_back({static_cast<int>(j), u.trial_row[k], u.trial[k]});
  }
}

// The matrix of the unknowns: rows are tests, columns trials.
bool ConeNewton::factor(const ScaledCones& cones) {
  const int count = static_cast<int>(unknowns_.size()), n = cones.size();
  matrix_.resize(count);
  y_.resize(static_cast<std::size_t>(n));
  list_trials();
  for (int i = 0; i < count; ++i) {
    const Unknown& test = unknowns_[static_cast<std::size_t>(i)];
    const double* tested = cones.B.row(test.test_row[0]);
    if (test.tests == 2) {
      const double* other = cones.B.row(test.test_row[1]);
      for (int c = 0; c < n; ++c) y_[static_cast<std::size_t>(c)] = test.test[0] * tested[c] + test.test[1] * other[c];
      tested = y_.data();
    }
    double* row = matrix_.row(i);
    for (int j = 0; j < count; ++j) {
      const FirstTrial& trial = first_trials_[static_cast<std::size_t>(j)];
      row[j] = trial.factor * tested[trial.row];
    }
    for (const MoreTrial& trial : more_trials_) row[trial.unknown] += trial.factor * tested[trial.row];
    row[i] += test.turning + newton_regularisation + cones.added;
  }
  ++factorisations;
  const bool done = symmetric_ ? cholesky_.factor(matrix_) : lu_.factor(matrix_);
  has_factors_ = done && cones.added == 0;
  return done;
}

// z as the modes would have it, as near to what it was as they allow.
void ConeNewton::take_shape(const ScaledCones& cones, double* z) const {
  for (std::size_t i = 0; i < modes_.size(); ++i) {
    const ScaledBlock& b = cones.blocks[i];
    const BlockMode& mode = modes_[i];
    double* z_b = z + b.first;
    if (mode.normal == BlockMode::Normal::open) std::fill(z_b, z_b + b.rows, 0.0);
    if (mode.normal == BlockMode::Normal::at_lower) z_b[0] = b.lower;
    if (mode.normal == BlockMode::Normal::at_upper) z_b[0] = b.upper;
    if (mode.normal != BlockMode::Normal::closed || b.kind != RowBlock::Kind::contact) continue;
    for (std::size_t g = 0; g < static_cast<std::size_t>(b.cone.count); ++g) {
      const BlockMode::Group& own = mode.groups[g];
      if (!own.slides) continue;
      const FrictionGroup& group = b.cone.groups[g];
      double *z_g = z_b + group.first, across = 0;
      if (group.rows == 2 && own.kappa >= least_kappa && group.coefficient > 0)
        across = own.tau[0] * z_g[1] - own.tau[1] * z_g[0];
      const double along = group.coefficient * z_b[0];
      z_g[0] = along * own.tau[0] - across * own.tau[1];
      if (group.rows == 2) z_g[1] = along * own.tau[1] + across * own.tau[0];
    }
  }
}

// With the factors at hand: z and v in, z and v out.
void ConeNewton::correct(const ScaledCones& cones, double* z, double* v) {
  const std::size_t count = unknowns_.size();
  y_.resize(std::max(y_.size(), count));
  for (std::size_t i = 0; i < count; ++i) {
    const Unknown& u = unknowns_[i];
    double r = 0, across = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(u.tests); ++k) {
      r += u.test[k] * v[u.test_row[k]];
      across += u.test[k] * z[u.test_row[k]];
    }
    if (u.turning > 0) r += u.turning * across;
    y_[i] = -r;
  }
  if (symmetric_)
    cholesky_.solve(matrix_, y_.data());
  else
    lu_.solve(matrix_, y_.data());
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < static_cast<std::size_t>(unknowns_[i].trials); ++k)
      z[unknowns_[i].trial_row[k]] += unknowns_[i].trial[k] * y_[i];
  cones.find_velocities(z, v);
}

// Whether the unknowns are still those of the factors at hand.
bool ConeNewton::modes_stay(const ScaledCones& cones) {
  find_modes(cones, z_.data(), v_.data(), next_modes_);
  for (std::size_t i = 0; i < modes_.size(); ++i)
    if (!same_unknowns(cones.blocks[i], modes_[i], next_modes_[i])) return false;
  return true;
}

// A second step with the same factors takes out what was added to the diagonal; near the solution it may only bring noise. Where modes
// stay the next step does as much.
double ConeNewton::solve_for_modes(const ScaledCones& cones) {
  const double once = step_again(cones);
  if (once < as_good_as_exact || (reuses_factors && modes_stay(cones))) return once;
  once_z_ = z_, once_v_ = v_;
  const double twice = step_again(cones);
  if (!(once < twice)) return twice;
  z_.swap(once_z_), v_.swap(once_v_);
  return once;
}

// A step with the factors at hand. Returns the natural map.
double ConeNewton::step_again(const ScaledCones& cones) {
  correct(cones, z_.data(), v_.data());
  return cones.natural_map(z_.data(), v_.data());
}

double ConeNewton::run(const ScaledCones& cones, double* z, double* v, int patience, double enough) {
  return run_from(cones.natural_map(z, v), cones, z, v, patience, enough);
}

double ConeNewton::run_from(double known, const ScaledCones& cones, double* z, double* v, int patience, double enough) {
  const auto n = static_cast<std::size_t>(cones.size());
  z_.assign(z, z + n), v_.assign(v, v + n);
  double best = known, before = best;
  int idle = 0;
  bool settles = std::exchange(starts_with_factors_, false) && modes_.size() == cones.blocks.size();
  while (best > enough && idle < patience) {
    ++steps;
    const bool as_before = reuses_factors && settles && modes_stay(cones);
    if (as_before)
      modes_.swap(next_modes_);
    else
      find_modes(cones, z_.data(), v_.data(), modes_);
    find_unknowns(cones);
    if (!as_before && !factor(cones)) break;
    take_shape(cones, z_.data());
    cones.find_velocities(z_.data(), v_.data());
    const double now = as_before ? step_again(cones) : solve_for_modes(cones);
    settles = now < settling * before, before = now;
    if (!std::isfinite(now)) break;
    if (++idle > 1 && best < 1e-7 && best <= 4 * cones.rounding(z)) break;
    if (now < 0.5 * best) idle = 0;
    if (now < best) best = now, std::copy(z_.begin(), z_.end(), z), std::copy(v_.begin(), v_.end(), v);
  }
  return best;
}

}  // namespace marey
