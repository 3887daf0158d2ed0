// The parts of `marey bench integrators`: problems with their answers, runs measured, tables and figures.
#pragma once

#include <string>
#include <vector>

#include "marey/sim.h"
#include "report.h"

namespace marey::bench {

struct Settings {
  bool quick = false;
  std::string only;     // one part, or all
  std::string figures;  // the folder for figures; empty: none
  bool wants(const char* part) const { return only.empty() || only == part; }
};

// ---- problems
// A scene whose state at its end is known.
struct Problem {
  std::string name;
  Scene scene;
  State truth;             // at scene.duration
  std::string known_from;  // "closed form", or which run
  double budget = 1e5;     // evaluations of the finest run with a fixed step
  bool for_rivals = false;
};
std::vector<Problem> regular_problems(bool quick);
Problem impact_problem();
Problem rest_problem();

// The largest error of any coordinate (as an angle, for attitudes) or velocity x, over 1 + |x|: rad, m, rad/s, m/s.
double error_of(const Model&, const State& truth, const State& found);

// ---- runs
struct Point {
  double setting = 0;  // step (s), tolerance or accuracy
  double error = 0;
  double work = 0;      // evaluations; a Jacobian counts as one for each column
  double seconds = 0;   // of processor time
  double residual = 0;  // of the ledger: the largest of the three relative ones
};
// All runs of one method, from coarse to fine.
struct Curve {
  std::string method;
  Integrator integrator = Integrator::rk4;
  bool rival = false, chosen_steps = false;
  std::vector<Point> points;
};
// Runs the scene with a step or tolerance; the shortest of several times. A run that breaks down has an infinite error.
Point measure(const Problem&, Integrator, double setting, int rounds);
Curve fixed_curve(const Problem&, Integrator, bool quick);
Curve chosen_curve(const Problem&, Integrator, bool quick);

// What a curve costs where it reaches an error, between its points; NaN where it does not.
double cost_at(const Curve&, double error, double Point::*cost);
// log–log slope of error over setting, of the points above `floor`.
struct Fit {
  double slope = 0;
  std::size_t points = 0;
  double reached = 0;  // the finest setting that was used
};
Fit fit_slope(const Curve&, double floor);
// Of a fixed step: of the finest runs that are neither coarse nor rounded.
Fit measured_order(const Curve&);
// Errors below this are rounding, of the run or of what it is held against: no slope is taken there.
inline constexpr double floor_of_error = 1e-11;

// Other engines' integrators on the same problem; `words` says why some are left out.
std::vector<Curve> rival_curves(const Problem&, bool quick, std::vector<std::string>& words);

// The cheapest run whose energy stays within `allowed` of its start, over the whole scene.
struct EnergyCost {
  std::string method;
  Point run;  // its error is that of the energy, J
  bool extrapolated = false;
};
std::vector<EnergyCost> rival_energy_costs(const Scene&, double allowed, std::vector<std::string>& words);

// ---- what is printed
std::string number_text(const char* format, double);  // – where there is none
// Costs of three errors by method, and who is cheapest; all points as JSON.
void print_table(const Problem&, const std::vector<Curve>&, Report&);
// One figure: error over evaluations, and over time.
void draw(const Problem&, const std::vector<Curve>&, const std::string& folder);

// ---- what is asked
void work_and_precision(const Settings&, Report&);
void long_pendulum(const Settings&, Report&);
void stiff_ground(const Settings&, Report&);
void reused_factors(const Settings&, Report&);

}  // namespace marey::bench
