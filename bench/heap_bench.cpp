// marey bench heap: heaps of 1,000 boxes, 1,000 mixed bodies and 10,000 spheres; steps in a second, and what became of them.
//
//   bench_heap [--json] [columns] [bin] [mixed] [few] [spheres] [growth]
//
// Bodies fall and settle by accuracy: fast; from that state each engine takes the same steps of 4 ms, one thread, without sleep, and its contacts
// are measured by one formula (heap_peers/heap.h). The others, in processes of their own, keep no account: they compute less. MuJoCo
// takes part where bodies are few, in fewer steps: the matrices of 1,000 are more than Debian's version (2.2.2) can have. growth: the time of a step
// of Marey over the number of boxes in settled heaps. Thread CPU time, the shortest of two rounds.
#include <array>
#include <cstdlib>

#include "heap_report.h"
#include "marey/io/scene.h"
#include "marey/shape/hull.h"

namespace marey::bench {
namespace {

constexpr int rounds = 2;

struct Case {
  std::string name;
  double settled;  // s: it lies still then
  double half;     // m: of the bin between walls; 0: none
  int steps;
  std::string bodies;
};
// A hundred columns of ten, which fall and stand beside each other; and heaps in bins: of boxes; of boxes, capsules, octahedra and balls
// in layers; of balls.
std::vector<Case> cases() {
  return {{"columns", 10, 0, 250, R"(
  box: {at: [0, 0, 20 cm], turned: {axis: [1, 2, 3], angle: 25 deg}, copies: {count: [10, 10, 10], spacing: 24 cm}, shape: {box: [20 cm, 20 cm, 20 cm]}, mass: 1 kg}
)"},
          {"bin", 8, 0.9, 250, R"(
  box: {at: [-70 cm, -70 cm, 25 cm], copies: {count: [6, 6, 28], spacing: 28 cm, random: {seed: 1, turned: 180 deg}}, shape: {box: [20 cm, 16 cm, 12 cm]}, mass: 1 kg}
)"},
          {"mixed", 8, 0.9, 250, R"(
  box: {at: [0, 0, 20 cm], copies: {pile: 250, within: [1.7 m, 1.7 m], spacing: [28 cm, 28 cm, 112 cm], random: {seed: 1, turned: 180 deg}}, shape: {box: [20 cm, 16 cm, 12 cm]}, mass: 1 kg}
  rod: {at: [0, 0, 48 cm], copies: {pile: 250, within: [1.7 m, 1.7 m], spacing: [28 cm, 28 cm, 112 cm], random: {seed: 2, turned: 180 deg}}, shape: {capsule: {radius: 5 cm, length: 12 cm}}, mass: 1 kg}
  stone: {at: [0, 0, 76 cm], copies: {pile: 250, within: [1.7 m, 1.7 m], spacing: [28 cm, 28 cm, 112 cm], random: {seed: 3, turned: 180 deg}}, shape: {hull: {points: [[12 cm, 0, 0], [-12 cm, 0, 0], [0, 10 cm, 0], [0, -10 cm, 0], [0, 0, 8 cm], [0, 0, -8 cm]]}}, mass: 1 kg}
  ball: {at: [0, 0, 1.04 m], copies: {pile: 250, within: [1.7 m, 1.7 m], spacing: [28 cm, 28 cm, 112 cm], random: {seed: 4, place: 1 cm}}, shape: {sphere: 8 cm}, mass: 1 kg}
)"},
          {"few", 8, 0.5, 250, R"(
  box: {at: [0, 0, 25 cm], copies: {pile: 300, within: [90 cm, 90 cm], spacing: 28 cm, random: {seed: 1, turned: 180 deg}}, shape: {box: [20 cm, 16 cm, 12 cm]}, mass: 1 kg}
)"},
          {"spheres", 4, 1.8, 50, R"(
  ball: {at: [0, 0, 12 cm], copies: {pile: 10000, within: [3.5 m, 3.5 m], spacing: 21 cm, random: {seed: 1, place: 4 mm}}, shape: {sphere: 10 cm}, mass: 1 kg}
)"}};
}
// So many boxes in a bin whose floor grows with them: as high as the others.
Case of_boxes(int n) {
  const double half = 0.9 * std::sqrt(n / 1000.0);
  return {fmt::format("{} boxes", n), 4, half, 50,
          fmt::format(R"(
  box: {{at: [0, 0, 25 cm], copies: {{pile: {}, within: [{}, {}], spacing: 28 cm, random: {{seed: 1, turned: 180 deg}}}}, shape: {{box: [20 cm, 16 cm, 12 cm]}}, mass: 1 kg}}
)",
                      n, 2 * half - 0.1, 2 * half - 0.1)};
}

std::vector<heap::Plane> planes_of(const Case& c) {
  std::vector<heap::Plane> planes{{{0, 0, 1}, 0}};
  if (c.half > 0)
    for (const double x : {1.0, -1.0}) planes.push_back({{x, 0, 0}, -c.half}), planes.push_back({{0, x, 0}, -c.half});
  return planes;
}
std::string text_of(const Case& c) {
  std::string text = R"(marey: 1
duration: 100 s
solver: {contact: stepping, accuracy: fast, threads: 1, step: 4 ms}
materials: {default: {friction: 0.5}}
collide: all
bodies:)" + c.bodies +
                     "scenery:\n";
  int k = 0;
  for (const heap::Plane& p : planes_of(c))
    text += fmt::format("  plane_{}: {{plane: {{normal: [{}, {}, {}], height: {}}}}}\n", k++, p.normal[0], p.normal[1],
                        p.normal[2], p.offset);
  return text;
}

// ---- the same heap for all
heap::Body body_of(const Model& model, int link) {
  heap::Body b;
  const Shape& shape = model.shapes[index(link)].front();
  if (const auto* box = std::get_if<Box>(&shape.solid)) {
    b.kind = heap::box, b.size = vec_of(0.5 * box->size);
  } else if (const auto* ball = std::get_if<Sphere>(&shape.solid)) {
    b.kind = heap::sphere, b.size = {ball->radius, ball->radius, ball->radius};
  } else if (const auto* rod = std::get_if<Capsule>(&shape.solid)) {
    b.kind = heap::capsule, b.size = {rod->radius, rod->length / 2, 0};
  } else {  // an octahedron
    b.kind = heap::octahedron, b.size = {};
    for (const Vec3<double>& p : std::get<Hull>(shape.solid).hull->vertices)
      b.size = {std::max(b.size[0], p.x), std::max(b.size[1], p.y), std::max(b.size[2], p.z)};
  }
  const Inertia<double>& I = model.params.links[index(link)].I;
  b.mass = I.m, b.inertia = {I.J.xx, I.J.yy, I.J.zz};
  return b;
}
heap::Heap heap_of(const Simulation& s, const Case& c) {
  const Model& model = s.system().model();
  heap::Heap out{4e-3, -model.params.gravity.z, 0.5, planes_of(c), {}};
  for (int i = 1; i < model.nlink(); ++i) {
    heap::Body b = body_of(model, i);
    const Transform<double> X = s.pose(i);
    const Twist<double> V = s.velocity(i);
    const Quaternion<double> q = quaternion_of(X.R);
    b.p = vec_of(X.p), b.v = vec_of(V.v), b.w = vec_of(V.w), b.quat = {q.w, q.x, q.y, q.z};
    out.bodies.push_back(b);
  }
  return out;
}

// ---- Marey
std::vector<heap::Moving> moving(const Simulation& s, const heap::Heap& heap) {
  std::vector<heap::Moving> all(heap.bodies.size() + 1);  // the first one: the world
  for (std::size_t i = 1; i < all.size(); ++i) {
    const heap::Body& b = heap.bodies[i - 1];
    const Transform<double> X = s.pose(static_cast<int>(i));
    const Twist<double> V = s.velocity(static_cast<int>(i));
    const Quaternion<double> q = quaternion_of(X.R);
    all[i] = {false, b.mass, b.inertia, vec_of(X.p), vec_of(V.v), vec_of(V.w), {q.w, q.x, q.y, q.z}};
  }
  return all;
}
void compare(Report& report, const Case& c) {
  Simulation s(parse_scene(text_of(c), "heap.yaml"));
  s.run_until(c.settled);
  const SavedState start = s.save();
  const heap::Heap heap = heap_of(s, c);
  double height = 0;
  for (const heap::Body& b : heap.bodies) height += b.p[2] / static_cast<double>(heap.bodies.size());
  report.title(fmt::format("{} bodies in a heap, {}: {} steps of {:g} ms, one thread", heap.bodies.size(), c.name,
                           c.steps, 1e3 * heap.step));
  report.row(c.name, "start", "height of the centres", height, "m");
  report.row(c.name, "start", "kinetic energy", s.kinetic_energy(), "J");
  const heap::Answer ours =
      answer_of_marey(s, start, heap, rounds, c.steps, [&](const Simulation& at) { return moving(at, heap); });
  rows(report, c.name, "Marey", ours);
  struct Peer {
    const char *name, *program;
    int fewer;  // steps: one of so many
  };
  for (const Peer& peer : {Peer{"Bullet", "bullet", 1}, Peer{"ODE", "ode", 1}, Peer{"MuJoCo", "mujoco", 10}}) {
    if (peer.fewer > 1 && heap.bodies.size() > 500) continue;
    rows_of_peer(report, c.name, peer.name, ours,
                 answer_of_peer(fmt::format("heap_{}", peer.program), rounds, c.steps / peer.fewer,
                                [&](std::FILE* file) { heap::write(file, heap); }));
  }
}

void growth(Report& report) {
  report.title("Settled heaps of more and more boxes: the time of a step");
  double first = 0, last = 0;
  constexpr int few = 300, many = 10000;
  for (const int n : {few, 1000, 3000, many}) {
    const Case c = of_boxes(n);
    Simulation s(parse_scene(text_of(c), "heap.yaml"));
    s.run_until(c.settled);
    last = seconds_a_step(s, s.save(), s.system().scene().solver.step, rounds, c.steps);
    if (n == few) first = last;
    report.row("growth", c.name, "time of a step", 1e3 * last, "ms");
  }
  report.row("growth", "exponent", fmt::format("from {} to {} boxes", few, many),
             std::log(last / first) / std::log(double(many) / few), "");
}

int run(int argc, char** argv) {
  std::vector<std::string> asked;
  for (int i = 1; i < argc; ++i)
    if (std::string(argv[i]) != "--json") asked.push_back(argv[i]);
  const auto wanted = [&](const std::string& name) {
    return asked.empty() || std::ranges::find(asked, name) != asked.end();
  };
  std::vector<std::string> known{"growth"};
  for (const Case& c : cases()) known.push_back(c.name);
  for (const std::string& name : asked)
    if (std::ranges::find(known, name) == known.end())
      throw Error(ErrorKind::bad_input, fmt::format("found '{}'; expected {}", name, fmt::join(known, ", ")));
  Report report(argc, argv, true);
  for (const Case& c : cases())
    if (wanted(c.name)) compare(report, c);
  if (wanted("growth")) growth(report);
  return 0;
}

}  // namespace
}  // namespace marey::bench

int main(int argc, char** argv) { return marey::bench::guarded(marey::bench::run, argc, argv); }
