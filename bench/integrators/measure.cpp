// Runs measured: error, work, time and ledger of one method at one setting, and curves of them.
#include <cmath>

#include "integrators/parts.h"
#include "sim/world.h"

namespace marey::bench {
namespace {

constexpr double enough_seconds = 0.02;  // a run longer than this is timed once

double largest_residual(const Scene& scene, World& world) {
  const State& s = world.state();
  const Ledger ledger =
      close_ledger(world.layout(), world.ledger(), world.balance(s), world.integrals(), scene, closed_within(scene));
  return std::max({ledger.energy_residual_relative, ledger.linear_momentum_residual_relative,
                   ledger.angular_momentum_residual_relative});
}

double work_of(const Scene& scene, const World& world) {
  return static_cast<double>(world.tally().evaluations) +
         static_cast<double>(world.tally().jacobians) * (scene.model.nq + scene.model.nv);
}

}  // namespace

Point measure(const Problem& problem, Integrator integrator, double setting, int rounds) {
  Scene scene = problem.scene;
  scene.solver.integrator = integrator;
  scene.solver.step = has_fixed_step(integrator) ? setting : forever;
  if (!has_fixed_step(integrator)) scene.solver.tolerance = setting;
  Point p{setting, HUGE_VAL, 0, HUGE_VAL, HUGE_VAL};
  double spent = 0;
  for (int round = 0; round < rounds && (round == 0 || spent < enough_seconds); ++round) {
    World world(scene);
    const double start = cpu_seconds();
    try {
      while (world.time() < scene.duration) world.step(scene.duration);
    } catch (const Error&) {
      return p;
    }
    const double took = cpu_seconds() - start;
    spent += took;
    p.seconds = std::min(p.seconds, took);
    if (round > 0) continue;
    p.error = error_of(scene.model, problem.truth, world.state());
    p.work = work_of(scene, world);
    p.residual = largest_residual(scene, world);
  }
  return p;
}

Curve fixed_curve(const Problem& problem, Integrator integrator, bool quick) {
  Curve curve{name_of(integrator), integrator, false, false, {}};
  const double per_step = integrator == Integrator::rk4 ? 4 : integrator == Integrator::midpoint ? 6 : 1;
  for (double steps = 32; steps * per_step <= problem.budget; steps *= 2) {
    const Point p = measure(problem, integrator, problem.scene.duration / steps, quick ? 1 : 5);
    if (std::isfinite(p.error)) curve.points.push_back(p);
  }
  return curve;
}

Curve chosen_curve(const Problem& problem, Integrator integrator, bool quick) {
  Curve curve{name_of(integrator), integrator, false, true, {}};
  for (int k = 3; k <= 12; ++k) curve.points.push_back(measure(problem, integrator, std::pow(10, -k), quick ? 1 : 5));
  return curve;
}

double cost_at(const Curve& curve, double error, double Point::*cost) {
  // From the fine end: the last point from which on the error stays below.
  std::size_t first = curve.points.size();
  while (first > 0 && curve.points[first - 1].error <= error) --first;
  if (first == curve.points.size()) return std::nan("");
  const Point& fine = curve.points[first];
  if (first == 0) return fine.*cost;
  const Point& coarse = curve.points[first - 1];
  const double part = std::log(coarse.error / error) / std::log(coarse.error / fine.error);
  return std::exp((1 - part) * std::log(coarse.*cost) + part * std::log(fine.*cost));
}

Fit fit_slope(const Curve& curve, double floor) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  Fit fit;
  for (const Point& p : curve.points) {
    if (!(p.error > floor) || !std::isfinite(p.error)) continue;
    const double x = std::log(p.setting), y = std::log(p.error);
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
    fit.reached = p.setting;
  }
  fit.points = static_cast<std::size_t>(n);
  fit.slope = n > 1 ? (n * sxy - sx * sy) / (n * sxx - sx * sx) : std::nan("");
  return fit;
}

Fit measured_order(const Curve& curve) {
  Curve fine = curve;
  std::erase_if(fine.points, [](const Point& p) { return !(p.error < 0.03 && p.error > floor_of_error); });
  if (fine.points.size() > 4) fine.points.erase(fine.points.begin(), fine.points.end() - 4);
  return fit_slope(fine, 0);
}

}  // namespace marey::bench
