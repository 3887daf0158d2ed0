// marey bench heap: 1,000 boxes in heaps; steps in a second, and what became of the heaps.
//
//   bench_heap [--json]
//
// Boxes fall and settle by accuracy: fast; from that state each engine takes 250 steps of 4 ms, one thread, without sleep. Bullet, in a
// process of its own, keeps no account: it computes less. Thread CPU time, the shortest of two rounds.
#include <unistd.h>

#include <array>
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

struct Case {
  const char* name;
  double settled;  // s: it lies still then
  std::array<double, 3> half;
  std::vector<heap::Plane> planes;
  std::string scene;
};
// A hundred columns of ten, which fall and stand beside each other; and one heap, of all boxes, in a bin.
std::vector<Case> cases() {
  const std::string head = R"(marey: 1
duration: 100 s
solver: {contact: stepping, accuracy: fast, threads: 1, step: 4 ms}
materials: {default: {friction: 0.5}}
collide: all
)";
  const heap::Plane floor{{0, 0, 1}, 0};
  return {{"columns", 10, {0.1, 0.1, 0.1}, {floor}, head + R"(scenery: {floor: {plane: 0}}
bodies:
  box: {at: [0, 0, 20 cm], turned: {axis: [1, 2, 3], angle: 25 deg}, copies: {count: [10, 10, 10], spacing: 24 cm}, shape: {box: [20 cm, 20 cm, 20 cm]}, mass: 1 kg}
)"},
          {"bin",
           8,
           {0.1, 0.08, 0.06},
           {floor, {{1, 0, 0}, -0.9}, {{-1, 0, 0}, -0.9}, {{0, 1, 0}, -0.9}, {{0, -1, 0}, -0.9}},
           head + R"(scenery:
  floor: {plane: 0}
  left: {plane: {normal: [1, 0, 0], height: -0.9}}
  right: {plane: {normal: [-1, 0, 0], height: -0.9}}
  front: {plane: {normal: [0, 1, 0], height: -0.9}}
  back: {plane: {normal: [0, -1, 0], height: -0.9}}
bodies:
  box: {at: [-70 cm, -70 cm, 25 cm], copies: {count: [6, 6, 28], spacing: 28 cm, random: {seed: 1, turned: 180 deg}}, shape: {box: [20 cm, 16 cm, 12 cm]}, mass: 1 kg}
)"}};
}

heap::Heap heap_of(const Simulation& s, const Case& c) {
  const Model& model = s.system().model();
  heap::Heap out{4e-3, -model.params.gravity.z, 0.5, c.planes, {}};
  for (int i = 1; i < model.nlink(); ++i) {
    const Transform<double> X = s.pose(i);
    const Twist<double> V = s.velocity(i);
    const Quaternion<double> q = quaternion_of(X.R);
    out.boxes.push_back(
        {c.half, {X.p.x, X.p.y, X.p.z}, {V.v.x, V.v.y, V.v.z}, {V.w.x, V.w.y, V.w.z}, {q.w, q.x, q.y, q.z}, 1});
  }
  return out;
}

heap::Answer of_marey(Simulation& s, const SavedState& start, const Case& c, Report& report) {
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
    const StepCertificate& found = s.parts().world.stepped()->certificate();
    a.points += found.points, maps.push_back(found.natural_map);
    for (const TouchingPoint& p : s.parts().world.stepped()->points()) a.penetration = std::max(a.penetration, -p.gap);
  }
  a.points /= heap::steps;
  std::ranges::sort(maps);
  report.row(c.name, "Marey", "unsolved, 95 % of the steps below", maps[maps.size() * 95 / 100], "");
  report.row(c.name, "Marey", "unsolved at most", maps.back(), "");
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

void rows(Report& report, const Case& c, const std::string& engine, const heap::Answer& a) {
  report.row(c.name, engine, "steps in a second", a.steps_per_second, "");
  report.row(c.name, engine, "points that touch, on average", a.points, "");
  report.row(c.name, engine, "height of the centres at the end", a.height, "m");
  report.row(c.name, engine, "kinetic energy at the end", a.kinetic, "J");
  report.row(c.name, engine, "penetration, largest", a.penetration, "m");
}

void compare(Report& report, const Case& c) {
  Simulation s(parse_scene(c.scene, "heap.yaml"));
  s.run_until(c.settled);
  const SavedState start = s.save();
  const heap::Heap heap = heap_of(s, c);
  double height = 0;
  for (const heap::Box& b : heap.boxes) height += b.p[2] / static_cast<double>(heap.boxes.size());
  report.title(fmt::format("{} boxes in a heap, {}: {} steps of {:g} ms, one thread", heap.boxes.size(), c.name,
                           heap::steps, 1e3 * heap.step));
  report.row(c.name, "start", "height of the centres", height, "m");
  report.row(c.name, "start", "kinetic energy", s.kinetic_energy(), "J");
  const heap::Answer ours = of_marey(s, start, c, report);
  rows(report, c, "Marey", ours);
  const std::optional<heap::Answer> bullet = of_peer("bullet", heap);
  if (!bullet) return report.title("  Bullet is left out: it is not installed, or failed");
  rows(report, c, "Bullet", *bullet);
  report.row(c.name, "Marey over Bullet", "steps in a second", ours.steps_per_second / bullet->steps_per_second, "x");
}

int run(int argc, char** argv) {
  Report report(argc, argv);
  for (const Case& c : cases()) compare(report, c);
  return 0;
}

}  // namespace
}  // namespace marey::bench

int main(int argc, char** argv) { return marey::bench::guarded(marey::bench::run, argc, argv); }
