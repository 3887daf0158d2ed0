// How the parts work together (docs/theory/contact-problem.md).
//
// 1. What rests by the guess goes on resting, if impulses can be found for that: the shortest of these are the solution.
// 2. Newton's method from the guess: after a step of time in which little happened one or two steps of it are all.
//    Otherwise other ways, the quickest first, each of which ends in Newton's method; the best of all is kept.
// 3. Of all P with the velocities that were found the shortest; while loads that slide are redundant, of all solutions near by.
#include "marey/contact/cone_problem.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "contact/cone_admm.h"
#include "contact/cone_growing.h"
#include "contact/cone_interior.h"
#include "contact/cone_measure.h"
#include "contact/cone_newton.h"
#include "contact/cone_proximal.h"
#include "contact/cone_scaled.h"
#include "contact/cone_sharing.h"

namespace marey {
namespace {

constexpr int patience_of_newton = 10, patience_at_random = 30;
constexpr int most_interior_steps = 80;
// Velocities below this part of the scale count as zero when impulses are shared.
constexpr double still = 1e-10;
// Natural maps below so many times what rounding may contribute are as small as they can be.
constexpr double of_rounding = 16, most_by_rounding = 5e-9;

}  // namespace

struct ConeSolver::Parts {
  ScaledCones cones;
  ConeNewton newton;
  ConeAdmm admm;
  ConeProximal proximal;
  ConeGrowing growing;
  ConeInterior interior;
  ConeSharing sharing;
  std::vector<double> z, v, trial_z, trial_v;  // the best so far, and what is tried
  double best = 0;                             // its natural map
  double enough = 0;
  int attempts = 0;
  std::uint64_t generator = 0;

  void begin(const ConeProblem&, std::span<const double> P);
  void expect(std::size_t rows, std::size_t blocks) {
    cones.expect(rows, blocks), newton.expect(rows, blocks), admm.expect(rows), proximal.expect(rows);
    growing.expect(rows, blocks), interior.expect(rows, blocks), sharing.expect(rows);
    reserve_all(rows, {&z, &v, &trial_z, &trial_v});
  }
  void search(int most_iterations);
  bool try_rest();
  bool share(bool shares_slips);
  double still_by_rounding() const;
  bool as_small_as_can_be() const;
  int iterations() const { return newton.steps + admm.iterations + interior.steps; }
  int factorisations() const {
    return newton.factorisations + admm.factorisations + interior.steps + sharing.factorisations;
  }

 private:
  // One way after another; each leaves its best in z and v, if it is better than what was there.
  void attempt(int number);
  void attempt_at_random(int number);
  void try_newton(int patience = patience_of_newton);
  void try_alternating(int count);
  void try_softened(double first, double factor);
  void try_interior(const ConeInterior::Manner&);
  void try_growing();
  void take(const double* from);
  void take_nothing();
  void take_anything();
  double chance();
  void keep(double found);
};

void ConeSolver::Parts::begin(const ConeProblem& problem, std::span<const double> P) {
  const bool as_before = problem.as_before && cones.v_free.size() == P.size();
  if (as_before)
    cones.set_free(problem.u_free, problem.scale);
  else
    cones.set(problem);
  newton.expect_same_matrix(as_before);
  z.resize(P.size()), v.resize(P.size()), trial_z.resize(P.size()), trial_v.resize(P.size());
  cones.scale(P, trial_z.data());
  for (double& x : trial_z)
    if (!std::isfinite(x)) x = 0;
  cones.project(trial_z.data(), z.data());
  cones.find_velocities(z.data(), v.data());
  best = cones.natural_map(z.data(), v.data());
  newton.steps = newton.factorisations = admm.iterations = admm.factorisations = 0;
  interior.steps = sharing.factorisations = attempts = 0, generator = 1;
}

// ------------------------------------------------------------------------------------------------------- what is tried
void ConeSolver::Parts::keep(double found) {
  if (found < best) z = trial_z, v = trial_v, best = found;
}
void ConeSolver::Parts::take(const double* from) {
  cones.project(from, trial_z.data());
  cones.find_velocities(trial_z.data(), trial_v.data());
}
void ConeSolver::Parts::take_nothing() {
  std::fill(trial_z.begin(), trial_z.end(), 0.0);
  take(trial_z.data());
}
// Impulses that would stop each block from some speed, small or large.
void ConeSolver::Parts::take_anything() {
  const double size = cones.s * std::pow(10, 5 * chance() - 2);
  for (const ScaledBlock& b : cones.blocks)
    for (int r = b.first; r < b.first + b.rows; ++r)
      trial_z[static_cast<std::size_t>(r)] = b.d * size * (4 * chance() - 1);
  take(trial_z.data());
}
// By a generator that begins anew for every problem: the same problem has the same answer.
double ConeSolver::Parts::chance() {
  generator = generator * 6364136223846793005u + 1442695040888963407u;
  return static_cast<double>(generator >> 11) * 0x1p-53;
}

void ConeSolver::Parts::try_newton(int patience) {
  keep(newton.run(cones, trial_z.data(), trial_v.data(), patience, as_good_as_exact));
}
void ConeSolver::Parts::try_alternating(int count) {
  admm.run(cones, count);
  take(admm.y());
  try_newton();
}
void ConeSolver::Parts::try_softened(double first, double factor) {
  keep(proximal.run(cones, newton, trial_z.data(), trial_v.data(), {first, factor, as_good_as_exact, enough}));
}
void ConeSolver::Parts::try_interior(const ConeInterior::Manner& manner) {
  interior.start(cones, manner);
  for (int k = 1; k <= most_interior_steps && best > enough && interior.step(cones); ++k) {
    if (k < 8 || k % 4 != 0) continue;
    take(interior.z());
    try_newton();
  }
}

void ConeSolver::Parts::try_growing() {
  keep(growing.run(cones, newton, admm, trial_z.data(), trial_v.data(), enough));
}

void ConeSolver::Parts::attempt(int number) {
  newton.reuses_factors = number == 0;
  switch (number) {
    case 0:
      trial_z = z, trial_v = v;
      return keep(newton.run_from(best, cones, trial_z.data(), trial_v.data(), patience_of_newton, as_good_as_exact));
    case 1:
      admm.start(cones, z.data(), v.data());
      return try_alternating(50);
    case 2:
      take(admm.y());
      return try_softened(0.1, 0.1);
    case 3:
      return try_interior({});
    case 4:
      take_nothing();
      return try_softened(1, 0.3);
    case 5:
      return try_interior({.size = 10});
    case 6:
      take_nothing();
      return try_growing();
    default:
      return attempt_at_random(number);
  }
}

void ConeSolver::Parts::attempt_at_random(int number) {
  constexpr std::array<double, 4> ways{0.8, 0.95, 0.5, 0.99};
  constexpr std::array<double, 3> keeps{0, 0.1, 1};
  const auto k = static_cast<std::size_t>(number);
  switch (number % 4) {
    case 0:
      take_anything();
      try_newton(patience_at_random);
      take_anything();
      return try_softened(0.1, 0.3);
    case 2:
      trial_z = z, trial_v = v;  // the best so far
      return try_softened(std::pow(10, -2 - 4 * chance()), 0.1);
    default:
      return try_interior({.size = std::pow(10, 4 * chance() - 2), .way = ways[k / 2 % 4], .keep = keeps[k % 3]});
  }
}

// Where nothing slides, solution and sharing are one.
bool ConeSolver::Parts::try_rest() {
  if (!std::isfinite(best) || !sharing.rest(cones, z.data(), v.data())) return false;
  best = cones.natural_map(z.data(), v.data()), attempts = 1;
  return true;
}

void ConeSolver::Parts::search(int most_iterations) {
  if (!std::isfinite(best)) return;
  do attempt(attempts++);
  while (!as_small_as_can_be() && iterations() < most_iterations);
}

// Impulses so large that their rounding hides everything are no solution.
bool ConeSolver::Parts::as_small_as_can_be() const {
  if (best <= enough) return true;
  return best <= most_by_rounding && best <= of_rounding * cones.rounding(z.data());
}

// Entries of B are 1 at most, so that rounding is seldom worth the look at all of them.
double ConeSolver::Parts::still_by_rounding() const {
  double most = 0, sum = 0, least = 1e300;
  for (const double x : cones.v_free) most = std::max(most, std::abs(x));
  for (const double x : z) sum += std::abs(x);
  for (const ScaledBlock& b : cones.blocks) least = std::min(least, b.d);
  if (8 * std::numeric_limits<double>::epsilon() * (most + sum) <= still * least * cones.s) return still;
  return std::max(still, 8 * cones.rounding(z.data()));
}

// Where impulses were so large that their velocities are not exact, the shorter ones are a start for better velocities, and these
// are shared again.
bool ConeSolver::Parts::share(bool shares_slips) {
  bool shared = false;
  if (shares_slips && sharing.share_sliding(cones, still_by_rounding(), std::max(2 * best, ConeSharing::enough_at_rest),
                                            z.data(), v.data(), best))
    return true;
  for (int round = 0; round < 2; ++round) {
    if (!sharing.share(cones, still_by_rounding(), z.data(), v.data(), best)) return shared;
    shared = true;
    if (as_small_as_can_be()) return true;
    trial_z = z, trial_v = v;
    try_newton();
  }
  return shared;
}

// -------------------------------------------------------------------------------------------------------------- solver
ConeSolver::ConeSolver() : parts_(std::make_unique<Parts>()) {}
void ConeSolver::expect(std::size_t rows, std::size_t blocks) { parts_->expect(rows, blocks); }
ConeSolver::~ConeSolver() = default;
ConeSolver::ConeSolver(ConeSolver&&) noexcept = default;
ConeSolver& ConeSolver::operator=(ConeSolver&&) noexcept = default;

ConeReport ConeSolver::solve(const ConeProblem& problem, std::span<double> P, std::span<double> u) {
  assert(P.size() == problem.u_free.size() && u.size() == P.size());
  ConeReport report;
  Parts& parts = *parts_;
  parts.begin(problem, P);
  parts.enough = 0.5 * tolerance;
  if (sharing && parts.try_rest())
    report.shared = true;
  else
    parts.search(most_iterations);
  if (sharing && !report.shared && std::isfinite(parts.best)) report.shared = parts.share(shares_slips);
  parts.cones.project(parts.z.data(), parts.trial_z.data());
  parts.cones.unscale(parts.trial_z.data(), P);
  find_velocities(problem, P, u);
  report.certificate = certify(problem, parts.cones.measures, P, u);
  report.rounding = parts.cones.rounding(parts.trial_z.data());
  report.converged =
      report.certificate.natural_map <= std::max(tolerance, std::min(of_rounding * report.rounding, most_by_rounding));
  report.iterations = parts.iterations(), report.factorisations = parts.factorisations();
  report.attempts = parts.attempts;
  return report;
}

}  // namespace marey
