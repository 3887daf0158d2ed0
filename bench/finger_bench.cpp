// marey bench finger: A7, the finger of 1985, compared with the printed costs.
//
// 8 s of animation at a step of 0.01 s, a frame every 0.1 s. Printed: 604 s on a SUN, 89 s on a VAX, that is 1/75 and 1/11 of
// real time; with the slow band every other step 385 s and 56.6 s, 0.64 of it.
#include <cmath>

#include "marey/io/scene.h"
#include "marey/plant/solver.h"
#include "marey/simulation.h"
#include "report.h"

namespace marey::bench {
namespace {

class Nowhere : public Sink {
 public:
  void begin(const MotionHeader&) override {}
  void frame(std::span<const double>) override {}
  void checkpoint(const Checkpoint&) override {}
  void finish(const std::string&) override {}
};

// The position of the tip at every hundredth of a second.
std::vector<Vec3<double>> tip_path(const Scene& scene) {
  Simulation world(scene);
  Kinematics<double> k(scene.model);
  const int tip = scene.model.find("finger.tip"), per_sample = static_cast<int>(std::lround(0.01 / scene.solver.step));
  std::vector<Vec3<double>> path;
  while (world.time() < scene.duration - 1e-9) {
    for (int i = 0; i < per_sample; ++i) world.step();
    forward_kinematics<double>(scene.model, scene.model.params, world.state().q, world.state().v, k);
    path.push_back(k.X_WB[tip].p);
  }
  return path;
}
double largest_distance(const std::vector<Vec3<double>>& a, const std::vector<Vec3<double>>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) worst = std::max(worst, norm(a[i] - b[i]));
  return worst;
}

// The recursion alone as a run does it, without finding the forces and without ledger: both bands in every step, or the slow one in
// every ν-th.
double solver_seconds(const Scene& scene, int nu) {
  SolverOptions options = scene.solver;
  options.slow_band = nu;
  Solver solver(scene.model, options);
  const std::vector<double> tau(scene.model.nv, 1e-3);
  const std::vector<Wrench<double>> outside(scene.model.nlink(), {{1e-3, 0, 0}, {0, 0, 0.1}});
  std::vector<double> vdot(scene.model.nv);
  const State& s = scene.start;
  constexpr int steps = 20000;
  return best_seconds(7,
                      [&] {
                        for (int k = 0; k < steps; ++k) {
                          solver.begin_step(k, s.q, s.v);
                          solver.solve(s.q, s.v, {tau, outside}, vdot);
                        }
                      }) /
         steps;
}

double whole_run(Report& report, const Scene& scene, const char* subject) {
  const double seconds = best_seconds(25, [&] {
    Nowhere nowhere;
    run(scene, nowhere);
  });
  report.row("finger, 8 s", subject, "run with frames and ledger", 1e3 * seconds, "ms");
  report.row("finger, 8 s", subject, "speed", scene.duration / seconds, "x real time (printed: SUN 1/75, VAX 1/11)");
  return seconds;
}

int run_benchmark(int argc, char** argv) {
  Report report(argc, argv);
  report.title("The finger of 1985 (A7): 8 s, step 0.01 s, a frame every 0.1 s, armstrong, one thread, double");
  Scene every = load_scene(MAREY_SOURCE_DIR "/gallery/finger-tap.yaml");
  Scene other = every, fine = every;
  other.solver.slow_band = 2;
  fine.solver.step = every.solver.step / 2;
  const double whole = whole_run(report, every, "slow band every step"),
               banded = whole_run(report, other, "slow band every 2nd step");
  report.row("finger, 8 s", "slow band every 2nd step", "saved of the whole run", 100 * (1 - banded / whole),
             "% (printed 36; docs/theory/armstrong.md)");
  const double one = solver_seconds(every, 1), two = solver_seconds(every, 2), fast = solver_seconds(every, 1000);
  report.row("finger", "armstrong, both bands", "one step of the recursion", 1e9 * one, "ns");
  report.row("finger", "slow band every 2nd step", "one step of the recursion", 1e9 * two, "ns");
  report.row("finger", "slow band hardly ever", "one step of the recursion", 1e9 * fast, "ns");
  report.row("finger", "slow band every 2nd step", "cost ratio of the recursion", two / one, "(printed 0.64)");
  report.row("finger", "armstrong, both bands", "part of the whole run that the recursion is",
             100 * one * std::lround(every.duration / every.solver.step) / whole, "%");
  const auto path = tip_path(every);
  report.row("finger, 8 s", "slow band every 2nd step", "largest error of the tip it causes",
             1e3 * largest_distance(path, tip_path(other)), "mm");
  report.row("finger, 8 s", "slow band every step", "largest change of the tip when the step is halved",
             1e3 * largest_distance(path, tip_path(fine)), "mm");
  return 0;
}

}  // namespace
}  // namespace marey::bench

int main(int argc, char** argv) { return marey::bench::run_benchmark(argc, argv); }
