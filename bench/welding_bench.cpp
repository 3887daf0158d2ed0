// marey bench welding: what a step costs with more and more joints welded (P6). The human of 39 degrees of freedom
// floats and turns, as rigid as its welds make it, with friction in all its joints; 0, 25, 50, 75 and 100 % of its
// eleven joints are welded, from the hands and feet inward. One line for the solver alone, one for whole steps of rk4
// with the account.
#include <algorithm>

#include "floating_human.h"
#include "marey/sim.h"
#include "report.h"
#include "sim/world.h"
#include "support/figures.h"

namespace marey::bench {
namespace {

constexpr int calls = 2000;

// The joints from the last link inward; those that are not welded turn too fast to count as still.
std::vector<char> held_joints(const Model& model, int percent) {
  const int joints = model.nlink() - 2, welded = (joints * percent + 50) / 100;
  std::vector<char> held(model.links.size());
  for (int k = 0; k < welded; ++k) held[model.links.size() - 1 - static_cast<std::size_t>(k)] = 1;
  return held;
}

void solver_alone(const Scene& scene, const std::vector<char>& held, const std::string& which, Report& report) {
  const Model& model = scene.model;
  ReducedFigure figure(model, scene.solver, held, scene.start.q);
  Kinematics<double> kinematics(model);
  forward_kinematics<double>(model, model.params, scene.start.q, scene.start.v, kinematics);
  std::vector<double> tau(static_cast<std::size_t>(model.nv), 0.01), vdot(tau);
  const double seconds = best_seconds(15, [&] {
    for (int k = 0; k < calls; ++k) figure.solve(kinematics, scene.start.q, scene.start.v, {tau, {}}, vdot);
  });
  report.row(which, "aba", "degrees of freedom", figure.model().nv, "");
  report.row(which, "aba", "time per call", 1e9 * seconds / calls, "ns");
}

void whole_steps(Scene scene, const std::vector<char>& held, const std::string& which, Report& report) {
  const bool any = std::find(held.begin(), held.end(), 1) != held.end();
  // A speed bound that only the joints meant to be welded stay below, and welds that nothing breaks.
  if (any) scene.solver.weld = WeldOptions{5, 5e-3, 1e9};
  for (int i = 2; i < scene.model.nlink(); ++i)
    if (!held[static_cast<std::size_t>(i)]) scene.start.v[static_cast<std::size_t>(scene.model.links[i].v)] = 20;
  const auto start = [&](World& world) {
    for (int k = 0; k < 10; ++k) world.step();
  };
  World world(scene);
  start(world);
  const int welded = any ? world.welds()->count() : 0;
  const double seconds = best_seconds(9, [&] {
    for (int k = 0; k < 50; ++k) world.step();
  });
  report.row(which, "a step of rk4", "joints welded", welded, "");
  report.row(which, "a step of rk4", "time per step", 1e6 * seconds / 50, "µs");
}

int run_benchmark(int argc, char** argv) {
  Report report(argc, argv);
  report.title("Welding: the human of 39 degrees of freedom, double, one thread");
  const Scene scene = floating_human(true);
  for (const int percent : {0, 25, 50, 75, 100}) {
    const std::vector<char> held = held_joints(scene.model, percent);
    const std::string which = fmt::format("{} % welded", percent);
    solver_alone(scene, held, which, report);
    whole_steps(scene, held, which, report);
  }
  return 0;
}

}  // namespace
}  // namespace marey::bench

int main(int argc, char** argv) { return marey::bench::run_benchmark(argc, argv); }
