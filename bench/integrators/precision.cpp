// Work and precision: what an error costs, by method and scene; whether chosen steps keep what the tolerance says.
#include <cmath>

#include "integrators/parts.h"

namespace marey::bench {
namespace {

constexpr Integrator fixed[] = {Integrator::euler, Integrator::euler_second, Integrator::semi_implicit,
                                Integrator::midpoint, Integrator::rk4};
constexpr Integrator chosen[] = {Integrator::rk45, Integrator::adams, Integrator::bdf};
void print_slope(const Problem& p, const Curve& c, const Fit& fit, Report& report) {
  if (!c.chosen_steps) return report.detail(p.name, c.method, "measured order", fit.slope, "");
  double worst = 0;
  for (const Point& point : c.points) worst = std::max(worst, point.residual / point.setting);
  const double first = c.points.front().error / c.points.front().setting,
               last = c.points.back().error / c.points.back().setting;
  report.title(fmt::format(
      "  {:<8} error ∝ tolerance^{:.2f} (goal 0.8 … 1.2: {}) from 1e-3 down to {:.0e}; error/tolerance {:.2g} at 1e-3, "
      "{:.2g} at 1e-12; ledger at most {:.2g} × tolerance (goal 100: {})",
      c.method, fit.slope, fit.slope >= 0.8 && fit.slope <= 1.2 ? "yes" : "NO", fit.reached, first, last, worst,
      worst <= 100 ? "yes" : "NO"));
  report.detail(p.name, c.method, "slope of error over tolerance", fit.slope, "(goal 0.8 … 1.2)");
  report.detail(p.name, c.method, "finest tolerance of the slope", fit.reached, "");
  report.detail(p.name, c.method, "ledger residual over tolerance, largest", worst, "(goal 100)");
}

void one_problem(const Problem& p, const Settings& settings, Report& report) {
  report.title(fmt::format("\n{}: {}, {:g} s, {} coordinates; error against the {}", p.name, p.scene.title,
                           p.scene.duration, p.scene.model.nq, p.known_from));
  std::vector<Curve> curves;
  for (const Integrator i : fixed) curves.push_back(fixed_curve(p, i, settings.quick));
  for (const Integrator i : chosen) curves.push_back(chosen_curve(p, i, settings.quick));
  std::vector<std::string> words;
  if (p.for_rivals)
    for (Curve& c : rival_curves(p, settings.quick, words)) curves.push_back(std::move(c));
  for (const std::string& word : words) report.title("  " + word);
  print_table(p, curves, report);
  for (const Curve& c : curves)
    if (!c.rival) print_slope(p, c, c.chosen_steps ? fit_slope(c, floor_of_error) : measured_order(c), report);
  if (!settings.figures.empty()) draw(p, curves, settings.figures);
}

}  // namespace

void work_and_precision(const Settings& settings, Report& report) {
  report.title(fmt::format(
      "Work and precision. Error: the largest of any coordinate or velocity x at the end, over 1 + |x|. Evaluations of "
      "the\n"
      "accelerations; a Jacobian of bdf counts as one for each column. Slopes are taken of errors above {:.0e}.",
      floor_of_error));
  for (const Problem& p : regular_problems(settings.quick)) one_problem(p, settings, report);
}

}  // namespace marey::bench
