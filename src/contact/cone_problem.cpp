// How the parts work together (docs/theory/contact-problem.md).
//
// 1. Newton's method from the guess: after a step of time in which little happened it ends within one or two steps.
// 2. Otherwise alternating directions, and from time to time Newton's method from where they are.
// 3. Of all P with the velocities that were found the shortest.
#include "marey/contact/cone_problem.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include "contact/cone_admm.h"
#include "contact/cone_interior.h"
#include "contact/cone_newton.h"
#include "contact/cone_proximal.h"
#include "contact/cone_scaled.h"
#include "contact/cone_sharing.h"

namespace marey {
namespace {

// Below this the search for a smaller natural map ends.
constexpr double as_good_as_exact = 1e-13;
constexpr int patience = 10;
// Velocities below this part of the scale count as zero when impulses are shared.
constexpr double still = 1e-10;

}  // namespace

struct ConeSolver::Parts {
  ScaledCones cones;
  ConeNewton newton;
  ConeAdmm admm;
  ConeProximal proximal;
  ConeInterior interior;
  ConeSharing sharing;
  std::vector<double> z, v, trial_z, trial_v;  // the best so far, and what is tried

  void begin(const ConeProblem&, std::span<const double> P);
  double best = 0;  // its natural map
  int stage = 0;

  void search(double tolerance, int most_iterations);
  bool share();
  void keep(double found);
  void take(const double* from);
  void try_newton();
  void try_alternating(int count);
  void try_softened(double first, double factor);
  void try_interior(double size, double tolerance);
};

void ConeSolver::Parts::begin(const ConeProblem& problem, std::span<const double> P) {
  cones.set(problem);
  z.resize(P.size()), v.resize(P.size()), trial_z.resize(P.size()), trial_v.resize(P.size());
  cones.scale(P, trial_z.data());
  for (double& x : trial_z)
    if (!std::isfinite(x)) x = 0;
  cones.project(trial_z.data(), z.data());
  cones.find_velocities(z.data(), v.data());
  newton.steps = newton.factorisations = admm.iterations = admm.factorisations = 0;
  interior.steps = sharing.factorisations = 0;
}

// Keeps the trial where it is better.
void ConeSolver::Parts::keep(double found) {
  if (found < best) z = trial_z, v = trial_v, best = found;
}

void ConeSolver::Parts::take(const double* from) {
  std::copy(from, from + z.size(), trial_z.begin());
  cones.find_velocities(trial_z.data(), trial_v.data());
}

void ConeSolver::Parts::try_newton() {
  keep(newton.run(cones, trial_z.data(), trial_v.data(), patience, as_good_as_exact));
}

void ConeSolver::Parts::try_alternating(int count) {
  admm.run(cones, count);
  take(admm.y());
  try_newton();
}

void ConeSolver::Parts::try_softened(double first, double factor) {
  keep(proximal.run(cones, newton, trial_z.data(), trial_v.data(), first, factor, as_good_as_exact));
}

void ConeSolver::Parts::try_interior(double size, double tolerance) {
  interior.start(cones, size);
  for (int k = 1; k <= 80 && best > tolerance && interior.step(cones); ++k) {
    if (k < 8 || k % 4 != 0) continue;
    cones.project(interior.z(), trial_z.data());
    cones.find_velocities(trial_z.data(), trial_v.data());
    try_newton();
  }
}

void ConeSolver::Parts::search(double tolerance, int most_iterations) {
  trial_z = z, trial_v = v, stage = 0;
  best = cones.natural_map(z.data(), v.data());
  try_newton();
  if (best <= tolerance) return;
  stage = 1;
  admm.start(cones, z.data(), v.data());
  try_alternating(50);
  if (best <= tolerance) return;
  stage = 2;
  take(admm.y());
  try_softened(0.1, 0.1);
  if (best <= tolerance) return;
  stage = 3;
  try_interior(1, tolerance);
  if (best <= tolerance) return;
  stage = 4;
  try_alternating(200);
  if (best <= tolerance) return;
  stage = 5;
  std::fill(trial_z.begin(), trial_z.end(), 0);
  cones.find_velocities(trial_z.data(), trial_v.data());
  try_softened(1, 0.3);
  if (best <= tolerance) return;
  stage = 6;
  try_interior(10, tolerance);
  if (best <= tolerance) return;
  stage = 7;
  for (double size = 0.1; best > tolerance && admm.iterations + newton.steps < most_iterations; size *= 7) {
    ++stage;
    if (size > 1e3) size = .013;
    try_interior(size, tolerance);
    if (best <= tolerance) return;
    take(interior.z());
    try_softened(0.1, 0.3);
    if (best <= tolerance) return;
    try_alternating(300);
  }
}

// Sharing loses some digits where masses are far apart; a step of Newton's method brings them back.
bool ConeSolver::Parts::share() {
  const double rounding = cones.rounding(z.data());
  if (!sharing.share(cones, std::max(still, 8 * rounding), z.data(), v.data())) return false;
  best = cones.natural_map(z.data(), v.data());
  if (best <= std::max(as_good_as_exact, 4 * rounding)) return true;
  trial_z = z, trial_v = v;
  keep(newton.run(cones, trial_z.data(), trial_v.data(), 1, as_good_as_exact));
  return true;
}

ConeSolver::ConeSolver() : parts_(std::make_unique<Parts>()) {}
ConeSolver::~ConeSolver() = default;
ConeSolver::ConeSolver(ConeSolver&&) noexcept = default;
ConeSolver& ConeSolver::operator=(ConeSolver&&) noexcept = default;

ConeReport ConeSolver::solve(const ConeProblem& problem, std::span<double> P, std::span<double> u) {
  assert(P.size() == problem.u_free.size() && u.size() == P.size());
  ConeReport report;
  Parts& parts = *parts_;
  parts.begin(problem, P);
  parts.search(tolerance, most_iterations);
  if (sharing) report.shared = parts.share();
  parts.cones.project(parts.z.data(), parts.trial_z.data());
  parts.cones.unscale(parts.trial_z.data(), P);
  parts.cones.find_velocities(parts.trial_z.data(), parts.trial_v.data());
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = parts.trial_v[i] / parts.cones.row_scale[i];
  report.certificate = certify(problem, P);
  report.converged = report.certificate.natural_map <= tolerance;
  report.iterations = parts.newton.steps + parts.admm.iterations;
  report.stage = parts.stage;
  report.factorisations =
      parts.newton.factorisations + parts.admm.factorisations + parts.interior.steps + parts.sharing.factorisations;
  return report;
}

}  // namespace marey
