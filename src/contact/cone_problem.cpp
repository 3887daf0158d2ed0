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
#include "contact/cone_newton.h"
#include "contact/cone_scaled.h"

namespace marey {
namespace {

// Below this the search for a smaller natural map ends.
constexpr double as_good_as_exact = 1e-13;
constexpr int newton_steps = 25;

}  // namespace

struct ConeSolver::Parts {
  ScaledCones cones;
  ConeNewton newton;
  ConeAdmm admm;
  std::vector<double> z, v, trial_z, trial_v;  // the best so far, and what is tried

  void begin(const ConeProblem&, std::span<const double> P);
  // Natural map of the best.
  double search(double tolerance, int most_iterations);
  double try_newton(double best);
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
}

// From the trial; keeps it where it is better.
double ConeSolver::Parts::try_newton(double best) {
  const double found = newton.run(cones, trial_z.data(), trial_v.data(), newton_steps, as_good_as_exact);
  if (found < best) z = trial_z, v = trial_v, best = found;
  return best;
}

double ConeSolver::Parts::search(double tolerance, int most_iterations) {
  trial_z = z, trial_v = v;
  double best = try_newton(cones.natural_map(z.data(), v.data()));
  if (best <= tolerance) return best;
  admm.start(cones, z.data(), v.data());
  for (int burst = 50; best > tolerance && admm.iterations + newton.steps < most_iterations; burst += burst / 2) {
    admm.run(cones, burst);
    std::copy(admm.y(), admm.y() + z.size(), trial_z.begin());
    cones.find_velocities(trial_z.data(), trial_v.data());
    best = try_newton(best);
  }
  return best;
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
  parts.cones.project(parts.z.data(), parts.trial_z.data());
  parts.cones.unscale(parts.trial_z.data(), P);
  parts.cones.find_velocities(parts.trial_z.data(), parts.trial_v.data());
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = parts.trial_v[i] / parts.cones.row_scale[i];
  report.certificate = certify(problem, P);
  report.converged = report.certificate.natural_map <= tolerance;
  report.iterations = parts.newton.steps + parts.admm.iterations;
  report.factorisations = parts.newton.factorisations + parts.admm.factorisations;
  return report;
}

}  // namespace marey
