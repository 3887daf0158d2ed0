// Ground of 10⁸ N/m: an impact, and rest with damping.
#include <cmath>

#include "integrators/parts.h"

namespace marey::bench {
namespace {

// Coarser steps than the ground's own period only fly off.
Curve stiff_curve(const Problem& problem, Integrator integrator, bool quick) {
  if (!has_fixed_step(integrator)) return chosen_curve(problem, integrator, quick);
  Curve curve{name_of(integrator), integrator, false, false, {}};
  for (double steps = 1 << 10; steps <= (quick ? 1 << 15 : 1 << 18); steps *= 2) {
    const Point p = measure(problem, integrator, problem.scene.duration / steps, 1);
    if (std::isfinite(p.error)) curve.points.push_back(p);
    if (p.work > 1.1e6) break;
  }
  return curve;
}

void one_problem(const Problem& p, const Settings& settings, Report& report) {
  report.title(
      fmt::format("\n{}: {}, {:g} s; error against the {}", p.name, p.scene.title, p.scene.duration, p.known_from));
  std::vector<Curve> curves;
  for (const Integrator i :
       {Integrator::euler, Integrator::euler_second, Integrator::semi_implicit, Integrator::midpoint, Integrator::rk4,
        Integrator::rk45, Integrator::adams, Integrator::bdf})
    curves.push_back(stiff_curve(p, i, settings.quick));
  print_table(p, curves, report);
  if (!settings.figures.empty()) draw(p, curves, settings.figures);
}

}  // namespace

void stiff_ground(const Settings& settings, Report& report) {
  report.title("\nStiff ground, 10⁸ N/m");
  one_problem(impact_problem(), settings, report);
  one_problem(rest_problem(), settings, report);
}

}  // namespace marey::bench
