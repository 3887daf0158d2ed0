// marey bench heap: 1,000 boxes in a heap; steps in a second, and what became of the heap.
//
//   bench_heap [--json]
//
// Boxes fall and settle by accuracy: fast; from that state each engine takes 250 steps of 4 ms, one thread, without sleep. Bullet, in a
// process of its own, keeps no account: it computes less. Thread CPU time, the shortest of two rounds.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "heap_peers/heap.h"
#include "marey/io/scene.h"
#include "marey/simulation.h"
#include "report.h"
#include "sim/simulation_parts.h"

namespace marey::bench {
namespace {

constexpr int rounds = 2;
constexpr double settled = 3;  // s

Scene dropped() {
  return parse_scene(R"(marey: 1
duration: 100 s
solver: {contact: stepping, accuracy: fast, step: 4 ms}
materials: {default: {friction: 0.5}}
figures:
  box:
    at: [0, 0, 20 cm]
    copies: {count: [10, 10, 10], spacing: 24 cm}
    links: {body: {shape: {box: [20 cm, 20 cm, 20 cm]}, mass: 1 kg, start: {turned: {axis: [1, 2, 3], angle: 25 deg}}}}
scenery: {floor: {plane: 0}}
collide: all
)",
                     "heap.yaml");
}

heap::Heap heap_of(const Simulation& s) {
  const Model& model = s.system().model();
  heap::Heap out{4e-3, -model.params.gravity.z, 0.5, {}};
  for (int i = 1; i < model.nlink(); ++i) {
    const Transform<double> X = s.pose(i);
    const Twist<double> V = s.velocity(i);
    const Quaternion<double> q = quaternion_of(X.R);
    out.boxes.push_back({{0.1, 0.1, 0.1},
                         {X.p.x, X.p.y, X.p.z},
                         {V.v.x, V.v.y, V.v.z},
                         {V.w.x, V.w.y, V.w.z},
                         {q.w, q.x, q.y, q.z},
                         1});
  }
  return out;
}

heap::Answer of_marey(Simulation& s, const SavedState& start, Report& report) {
  heap::Answer a;
  for (int round = 0; round < rounds; ++round) {
    s.restore(start);
    const double began = cpu_seconds();
    for (int k = 0; k < heap::steps; ++k) s.step();
    a.steps_per_second = std::max(a.steps_per_second, heap::steps / (cpu_seconds() - began));
  }
  s.restore(start);
  std::vector<double> maps;
  for (int k = 0; k < heap::steps; ++k) {
    s.step();
    const StepCertificate& c = s.parts().world.stepped()->certificate();
    a.points += c.points, maps.push_back(c.natural_map);
    for (const TouchingPoint& p : s.parts().world.stepped()->points()) a.penetration = std::max(a.penetration, -p.gap);
  }
  a.points /= heap::steps;
  std::ranges::sort(maps);
  report.row("boxes", "Marey", "unsolved, 95 % of the steps below", maps[maps.size() * 95 / 100], "");
  report.row("boxes", "Marey", "unsolved at most", maps.back(), "");
  const int count = s.system().model().nlink() - 1;
  for (int i = 1; i <= count; ++i) a.height += s.pose(i).p.z / count;
  a.kinetic = s.kinetic_energy();
  return a;
}

std::optional<heap::Answer> of_peer(const std::string& engine, const heap::Heap& heap) {
  const std::filesystem::path program = std::filesystem::path(MAREY_BIN_DIR) / ("heap_" + engine);
  if (!std::filesystem::exists(program)) return {};
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("marey-heap-{}.txt", ::getpid());
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return {};
  heap::write(file, heap);
  std::fclose(file);
  std::FILE* pipe =
      ::popen(fmt::format("timeout 300 '{}' '{}' {}", program.string(), path.string(), rounds).c_str(), "r");
  heap::Answer a;
  const bool found = pipe != nullptr && std::fscanf(pipe, "%lf %lf %lf %lf %lf", &a.steps_per_second, &a.points,
                                                    &a.height, &a.kinetic, &a.penetration) == 5;
  if (pipe != nullptr) ::pclose(pipe);
  std::filesystem::remove(path);
  return found ? std::optional(a) : std::nullopt;
}

void rows(Report& report, const std::string& engine, const heap::Answer& a) {
  report.row("boxes", engine, "steps in a second", a.steps_per_second, "");
  report.row("boxes", engine, "points that touch, on average", a.points, "");
  report.row("boxes", engine, "height of the centres at the end", a.height, "m");
  report.row("boxes", engine, "kinetic energy at the end", a.kinetic, "J");
  report.row("boxes", engine, "penetration, largest", a.penetration, "m");
}

int run(int argc, char** argv) {
  Report report(argc, argv);
  Simulation s(dropped());
  s.run_until(settled);
  const SavedState start = s.save();
  const heap::Heap heap = heap_of(s);
  double height = 0;
  for (const heap::Box& b : heap.boxes) height += b.p[2] / static_cast<double>(heap.boxes.size());
  report.title(fmt::format("1,000 boxes in a heap: {} steps of {:g} ms, one thread", heap::steps, 1e3 * heap.step));
  report.row("boxes", "start", "height of the centres", height, "m");
  report.row("boxes", "start", "kinetic energy", s.kinetic_energy(), "J");
  const heap::Answer ours = of_marey(s, start, report);
  rows(report, "Marey", ours);
  const std::optional<heap::Answer> bullet = of_peer("bullet", heap);
  if (!bullet) {
    report.title("  Bullet is left out: it is not installed, or failed");
    return 0;
  }
  rows(report, "Bullet", *bullet);
  report.row("boxes", "Marey over Bullet", "steps in a second", ours.steps_per_second / bullet->steps_per_second, "x");
  return 0;
}

}  // namespace
}  // namespace marey::bench

int main(int argc, char** argv) { return marey::bench::guarded(marey::bench::run, argc, argv); }
