// How curves are printed.
#include <cmath>

#include "integrators/parts.h"

namespace marey::bench {
namespace {

constexpr double wanted[] = {1e-3, 1e-6, 1e-9};

void print_points(const Problem& p, const Curve& c, Report& report) {
  for (const Point& point : c.points) {
    const std::string setting = fmt::format("at {} {:.3g}: ", c.chosen_steps ? "tolerance" : "step", point.setting);
    report.detail(p.name, c.method, setting + "error", point.error, "");
    report.detail(p.name, c.method, setting + "evaluations", point.work, "");
    report.detail(p.name, c.method, setting + "CPU time", 1e3 * point.seconds, "ms");
    if (!c.rival) report.detail(p.name, c.method, setting + "ledger residual", point.residual, "");
  }
}

void print_costs(const Problem& p, const Curve& c, Report& report) {
  const Fit order = measured_order(c);
  const bool known = !c.chosen_steps && order.points > 1;
  std::string line = fmt::format("  {:<24}{:>8}", c.method,
                                 c.chosen_steps ? "chosen" : number_text("{:.2f}", known ? order.slope : NAN));
  for (const double error : wanted) {
    const double work = cost_at(c, error, &Point::work);
    line += fmt::format("{:>10}", number_text("{:.0f}", work));
    report.detail(p.name, c.method, fmt::format("evaluations for an error of {:.0e}", error), work, "");
  }
  for (const double error : wanted) {
    const double ms = 1e3 * cost_at(c, error, &Point::seconds);
    line += fmt::format("{:>9}", number_text("{:.3g}", ms));
    report.detail(p.name, c.method, fmt::format("CPU time for an error of {:.0e}", error), ms, "ms");
  }
  if (known) report.detail(p.name, c.method, "measured order", order.slope, "");
  report.title(line);
}

std::string cheapest(const std::vector<Curve>& curves, double error, double Point::*cost) {
  const Curve* best = nullptr;
  double least = HUGE_VAL;
  for (const Curve& c : curves)
    if (const double x = cost_at(c, error, cost); x < least) least = x, best = &c;
  return best ? best->method : "none";
}

}  // namespace

std::string number_text(const char* format, double x) {
  return std::isfinite(x) ? fmt::format(fmt::runtime(format), x) : "–";
}

void print_table(const Problem& p, const std::vector<Curve>& curves, Report& report) {
  report.title(fmt::format("  {:<24}{:>8}{:>30}{:>27}", "", "", "evaluations for an error of", "CPU ms for one of"));
  report.title(fmt::format("  {:<24}{:>8}{:>10}{:>10}{:>10}{:>9}{:>9}{:>9}", "method", "order", "1e-3", "1e-6", "1e-9",
                           "1e-3", "1e-6", "1e-9"));
  for (const Curve& c : curves) {
    print_points(p, c, report);
    print_costs(p, c, report);
  }
  std::string fewest = "  fewest evaluations:", quickest = "  least time:";
  for (const double error : wanted) {
    fewest += fmt::format(" {:.0e} {};", error, cheapest(curves, error, &Point::work));
    quickest += fmt::format(" {:.0e} {};", error, cheapest(curves, error, &Point::seconds));
  }
  report.title(fewest + quickest);
}

}  // namespace marey::bench
