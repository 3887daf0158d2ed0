// marey bench search: how often, and in how many runs, numbers are found that make a wish come true.
//
//   bench_search [--json]
//
// Ten targets each of
//   throw     a stone with air drag is to be at a place at a time, within 1 mm: three components of a velocity, smooth
//   die       a die is to show a given side and to lie in a circle of 3 cm: two components of a velocity, two of a spin; impacts all along
//   landing   a bottle of 1 kg, let go with a spin, is to stand on a given place, within 5 cm and 5 degrees, at rest: two components of a
//             velocity and a spin; impacts
// with at most 1,000 runs each and the seed 1. A run is one simulation of the scene.
#include <algorithm>
#include <vector>

#include "marey/io/scene.h"
#include "marey/search.h"
#include "report.h"

namespace marey::bench {
namespace {

constexpr int targets = 10, most_runs = 1000;

std::string throw_scene(int k) {
  return fmt::format(R"(marey: 1
duration: {}
solver: {{step: 5 ms}}
particles:
  stone: {{mass: 100 g, points: {{a: {{position: [0, 0, 1.5 m], velocity: [{{search: [0 m/s, 30 m/s]}}, {{search: [-10 m/s, 10 m/s]}}, {{search: [-5 m/s, 20 m/s]}}]}}}}}}
forces:
  - drag: {{links: stone.a, quadratic: 2 mN s^2/m^2}}
want:
  - place: {{link: stone.a, at: [{}, {}, {}], within: 1 mm}}
)",
                     1 + 0.05 * k, 4 + 0.9 * k, -2 + 0.45 * k, 3 - 0.3 * k);
}

std::string die_scene(int k) {
  constexpr const char* faces[] = {"x", "-x", "y", "-y", "z", "-z"};
  return fmt::format(R"(marey: 1
duration: 1 s
solver: {{step: 1 ms}}
materials: {{default: {{friction: 0.35, restitution: 0.4}}}}
figures:
  die:
    links:
      body:
        shape: {{box: [16 mm, 16 mm, 16 mm]}}
        mass: 6 g
        start:
          position: [-30 cm, 0, 12 cm]
          turned: {{axis: [1, 2, 3], angle: 40 deg}}
          velocity: [{{search: [0.5 m/s, 1.5 m/s]}}, {{search: [-0.2 m/s, 0.2 m/s]}}, 0.3 m/s]
          spin: [{{search: [-30 rad/s, 30 rad/s]}}, {{search: [0 rad/s, 60 rad/s]}}, 5 rad/s]
scenery: {{table: {{plane: 0}}}}
collide: all
want:
  - face: {{link: die.body, axis: {}, within: 1 deg}}
  - place: {{link: die.body, at: [{}, 0, 8 mm], within: 3 cm}}
)",
                     faces[k % 6], 0.05 + 0.01 * k);
}

std::string landing_scene(int k) {
  return fmt::format(R"(marey: 1
duration: 1.6 s
solver: {{step: 1 ms}}
materials: {{default: {{friction: 0.6, restitution: 0.1}}}}
figures:
  bottle:
    links:
      body:
        shape: {{cylinder: {{radius: 4 cm, length: 24 cm, along: z}}}}
        mass: 1 kg
        start:
          position: [0, 0, 60 cm]
          turned: {{axis: y, angle: 30 deg}}
          velocity: [{{search: [0 m/s, 4 m/s]}}, 0, {{search: [0 m/s, 4 m/s]}}]
          spin: [0, {{search: [-20 rad/s, 20 rad/s]}}, 0]
scenery: {{table: {{plane: 0}}}}
collide: all
want:
  - standing: {{link: bottle.body, within: 5 deg, slower: 2 cm/s}}
  - place: {{link: bottle.body, at: [{}, 0, 0], within: 5 cm}}
)",
                     0.3 + 0.1 * k);
}

void measure(Report& report, const char* name, std::string (*scene)(int)) {
  std::vector<int> runs;
  double seconds = 0;
  int solved = 0, all = 0;
  for (int k = 0; k < targets; ++k) {
    const SceneSpec spec = parse_spec(scene(k), name);
    const double began = cpu_seconds();
    const SearchResult r = search(spec, {.seed = 1, .runs = most_runs});
    seconds += cpu_seconds() - began, all += r.runs, solved += r.holds;
    if (r.holds) runs.push_back(r.runs);
    report.detail(name, fmt::format("target {}", k + 1), r.holds ? "runs" : "runs, not found", r.runs, "");
  }
  std::ranges::sort(runs);
  report.row(name, "marey search", "solved, of ten", solved, "");
  if (!runs.empty()) {
    report.row(name, "marey search", "runs: median of those solved", runs[runs.size() / 2], "");
    report.row(name, "marey search", "runs: most of those solved", runs.back(), "");
  }
  report.row(name, "marey search", "CPU time of a run", 1e3 * seconds / all, "ms");
}

int run(int argc, char** argv) {
  Report report(argc, argv);
  report.title(fmt::format("Ten targets each, at most {} runs for one, seed 1", most_runs));
  measure(report, "throw", throw_scene);
  measure(report, "die", die_scene);
  measure(report, "landing", landing_scene);
  return 0;
}

}  // namespace
}  // namespace marey::bench

int main(int argc, char** argv) { return marey::bench::guarded(marey::bench::run, argc, argv); }
