// marey bench tissue: what wobbling masses cost. A human of 12 links and 39 freedoms, rigid and with soft parts on all links (39 + 72), by
// both drivers; and ten humans with limits, hinge friction and floor (printed in P: ten in real time, on a Pentium 4).
#include <fmt/format.h>

#include <vector>

#include "marey/io/scene.h"
#include "marey/simulation.h"
#include "report.h"

namespace marey::bench {
namespace {

constexpr double step = 1e-3;

std::string text_of(bool wobbling, int humans, const std::string& solver, bool floor) {
  std::string groups;
  for (int i = 1; i <= humans; ++i)
    groups += fmt::format("{}[{}, floor]", i > 1 ? ", " : "", humans == 1 ? "anna" : fmt::format("anna-{}", i));
  return fmt::format(R"(marey: 1
duration: 10 s
solver: {}
figures:
  anna:
    at: [0, 0, {}]
    {}human: {{sex: female, mass: 62 kg, height: 1.7 m, wobble: {}}}
    links:
      pelvis: {{start: {{turned: {{axis: [1, 0.3, 0], angle: -9 deg}}}}}}
      left_thigh: {{start: {{turned: {{axis: x, angle: 20 deg}}}}}}
      left_shank: {{start: {{turned: {{axis: x, angle: -25 deg}}}}}}
{}{})",
                     solver, floor ? "10 cm" : "3 m",
                     humans > 1 ? fmt::format("copies: {{count: {}, spacing: [2 m, 0, 0]}}\n    ", humans) : "",
                     wobbling, floor ? "scenery: {floor: {plane: 0}}\n" : "",
                     floor ? fmt::format("collide: [{}]\n", groups) : "");
}

struct Speed {
  double per_second = 0;  // steps
  double real_time = 0;   // simulated over processor seconds
  int freedoms = 0;
};
Speed speed_of(const std::string& text, double from, double until) {
  Speed best;
  for (int round = 0; round < 3; ++round) {
    Simulation s(parse_scene(text, "tissue.yaml"));
    best.freedoms = s.system().scene().model.nv;
    if (from > 0) s.run_until(from);
    const long long before = s.steps();
    const double start = cpu_seconds();
    s.run_until(until);
    const double seconds = cpu_seconds() - start;
    best.per_second = std::max(best.per_second, static_cast<double>(s.steps() - before) / seconds);
    best.real_time = std::max(best.real_time, (until - from) / seconds);
  }
  return best;
}

void compare(Report& report, const std::string& which, const std::string& solver, bool floor, double from,
             double until) {
  Speed speeds[2];
  for (const bool wobbling : {false, true}) {
    Speed& s = speeds[wobbling];
    s = speed_of(text_of(wobbling, 1, solver, floor), from, until);
    const std::string subject = fmt::format("{} freedoms", s.freedoms);
    report.row(which, subject, "steps", s.per_second, "1/s");
    report.row(which, subject, "simulated over processor time", s.real_time, "");
  }
  report.row(which, "rigid over wobbling", "steps in a second", speeds[0].per_second / speeds[1].per_second, "");
}

int run_benchmark(int argc, char** argv) {
  Report report(argc, argv);
  report.title(
      fmt::format("A human with limits and friction in its joints, steps of {:g} s, one core, best of three", step));
  compare(report, "flight, rk4", "{dynamics: aba, integrator: rk4, step: 1 ms}", false, 0, 0.3);
  compare(report, "flight, armstrong", "{dynamics: armstrong, integrator: rk4, step: 1 ms}", false, 0, 0.3);
  compare(report, "flight, in steps", "{contact: stepping, threads: 1, step: 1 ms}", false, 0, 0.3);
  compare(report, "falls on floor", "{contact: stepping, threads: 1, step: 1 ms}", true, 0, 1);
  for (const bool wobbling : {false, true})
    for (const int humans : {1, 2, 5, 10}) {
      const Speed s = speed_of(text_of(wobbling, humans, "{contact: stepping, threads: 1, step: 1 ms}", true), 0, 0.5);
      report.row("humans on a floor",
                 fmt::format("{} {}, {} freedoms", humans, wobbling ? "wobbling" : "rigid", s.freedoms),
                 "simulated over processor time", s.real_time, humans == 10 ? "(printed: 1)" : "");
    }
  return 0;
}

}  // namespace
}  // namespace marey::bench

int main(int argc, char** argv) { return marey::bench::guarded(marey::bench::run_benchmark, argc, argv); }
