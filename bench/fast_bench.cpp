// marey bench fast: how far heaps by sweeps (accuracy: fast) go from those by matrices (tight), in twenty scenes by chance.
//
//   bench_fast [--json] [--plot FILE.svg]
//
// Each scene drops 8 to 20 boxes, balls and rods, turned by chance, onto a floor; both run from the same start at 2 ms. Heaps are chaotic: a difference
// of rounding grows until bodies lie elsewhere. So a third run, tight, from a start that is 1e-9 m away, shows what cannot be asked of anybody.
// The distance of two motions is the root mean square of the distances of the bodies' centres. Also: how much energy is left.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <vector>

#include "marey/core/index.h"
#include "marey/io/scene.h"
#include "marey/simulation.h"
#include "report.h"

namespace marey::bench {
namespace {

constexpr int scenes = 20, instants = 40;
constexpr double duration = 2;  // s

std::string text_of(int seed, const char* accuracy) {
  const int each = 3 + seed % 5;
  return fmt::format(R"(marey: 1
duration: {} s
solver: {{contact: stepping, accuracy: {}, step: 2 ms}}
materials: {{default: {{friction: {}}}}}
collide: all
scenery: {{floor: {{plane: 0}}}}
bodies:
  box: {{at: [0, 0, 20 cm], copies: {{pile: {}, within: [60 cm, 60 cm], spacing: [30 cm, 30 cm, 90 cm], random: {{seed: {}, turned: 180 deg, place: 2 cm}}}}, shape: {{box: [20 cm, 16 cm, 12 cm]}}}}
  rod: {{at: [0, 0, 50 cm], copies: {{pile: {}, within: [60 cm, 60 cm], spacing: [30 cm, 30 cm, 90 cm], random: {{seed: {}, turned: 180 deg, place: 2 cm}}}}, shape: {{capsule: {{radius: 5 cm, length: 12 cm}}}}}}
  ball: {{at: [0, 0, 80 cm], copies: {{pile: {}, within: [60 cm, 60 cm], spacing: [30 cm, 30 cm, 90 cm], random: {{seed: {}, place: 2 cm}}}}, shape: {{sphere: 8 cm}}}}
)",
                     duration, accuracy, 0.3 + 0.05 * (seed % 8), each, seed, each, seed + 100, each - 1, seed + 200);
}

struct Track {
  std::vector<std::vector<Vec3<double>>> centres;  // [instants][bodies]
  double energy = 0;                               // kinetic, at the end
};
Track run_of(Scene scene, double aside) {
  for (int i = 1; i < scene.model.nlink(); ++i) scene.start.q[index(scene.model.links[index(i)].q + 4)] += aside;
  Simulation s(std::move(scene));
  Track track;
  for (int k = 1; k <= instants; ++k) {
    s.run_until(k * duration / instants);
    std::vector<Vec3<double>>& now = track.centres.emplace_back();
    for (int i = 1; i < s.system().model().nlink(); ++i) now.push_back(s.pose(i).p);
  }
  track.energy = s.kinetic_energy();
  return track;
}
double distance(const Track& a, const Track& b, int instant) {
  double sum = 0;
  const auto &x = a.centres[index(instant)], &y = b.centres[index(instant)];
  for (std::size_t i = 0; i < x.size(); ++i) sum += norm_squared(x[i] - y[i]);
  return std::sqrt(sum / static_cast<double>(x.size()));
}

// Of the scenes: the one below which a part of them are.
double quantile(std::vector<double> all, double part) {
  std::ranges::sort(all);
  return all[std::min(all.size() - 1, static_cast<std::size_t>(part * static_cast<double>(all.size())))];
}

struct Pair {
  const char* name;
  std::vector<std::vector<double>> distances;  // [instants][scenes]
};

void plot(const std::string& file, const std::vector<Pair>& pairs) {
  std::FILE* gnuplot = ::popen("gnuplot", "w");
  if (gnuplot == nullptr) throw Error(ErrorKind::file_trouble, "gnuplot cannot be started");
  fmt::print(
      gnuplot,
      "set terminal svg size 900,560 font 'sans,13'\nset output '{}'\nset logscale y\nset format y '10^{{%L}}'\n",
      file);
  fmt::print(gnuplot,
             "set yrange [1e-10:1]\nset key right bottom\nset xlabel 'time [s]'\nset ylabel 'distance of the motions "
             "[m]'\nset grid\nplot ");
  for (std::size_t i = 0; i < pairs.size(); ++i)
    fmt::print(gnuplot,
               "'-' using 1:3:4 with filledcurves fs transparent solid 0.2 lc {0} notitle, "
               "'-' using 1:2 with lines lw 2 lc {0} title '{1}', ",
               i + 1, pairs[i].name);
  fmt::print(gnuplot, "\n");
  for (const Pair& p : pairs)
    for (int copy = 0; copy < 2; ++copy) {
      for (int k = 0; k < instants; ++k) {
        const auto part = [&](double q) { return std::max(quantile(p.distances[index(k)], q), 1e-16); };
        fmt::print(gnuplot, "{} {} {} {}\n", (k + 1) * duration / instants, part(0.5), part(0.1), part(0.9));
      }
      fmt::print(gnuplot, "e\n");
    }
  ::pclose(gnuplot);
}

int run(int argc, char** argv) {
  std::string file;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--json") == 0) continue;
    if (std::strcmp(argv[i], "--plot") != 0 || i + 1 == argc)
      throw Error(ErrorKind::bad_input, fmt::format("found '{}'; expected --json or --plot FILE.svg", argv[i]));
    file = argv[++i];
  }
  Report report(argc, argv, true);
  report.title(fmt::format("{} small heaps for {:g} s: distance of the motions, root mean square over the bodies",
                           scenes, duration));
  std::vector<Pair> pairs{{"fast from tight", std::vector<std::vector<double>>(instants)},
                          {"tight from tight 1e-9 m aside", std::vector<std::vector<double>>(instants)}};
  double fast_energy = 0, tight_energy = 0;
  for (int seed = 1; seed <= scenes; ++seed) {
    const Scene of_tight = parse_scene(text_of(seed, "tight"), "heap.yaml");
    const Track tight = run_of(of_tight, 0), aside = run_of(of_tight, 1e-9),
                fast = run_of(parse_scene(text_of(seed, "fast"), "heap.yaml"), 0);
    for (int k = 0; k < instants; ++k) {
      pairs[0].distances[index(k)].push_back(distance(fast, tight, k));
      pairs[1].distances[index(k)].push_back(distance(aside, tight, k));
    }
    fast_energy = std::max(fast_energy, fast.energy), tight_energy = std::max(tight_energy, tight.energy);
  }
  for (const Pair& p : pairs)
    for (const int k : {4, 9, 19, 39})
      for (const auto& [what, part] : {std::pair{"median", 0.5}, {"nine of ten below", 0.9}})
        report.row(p.name, fmt::format("after {:g} s", (k + 1) * duration / instants), what,
                   quantile(p.distances[index(k)], part), "m");
  report.row("at the end", "fast", "kinetic energy, largest of the scenes", fast_energy, "J");
  report.row("at the end", "tight", "kinetic energy, largest of the scenes", tight_energy, "J");
  if (!file.empty()) plot(file, pairs);
  return 0;
}

}  // namespace
}  // namespace marey::bench

int main(int argc, char** argv) { return marey::bench::guarded(marey::bench::run, argc, argv); }
