// marey bench crowd: 1, 3, 10, 30 and 100 limp humans that fall into a heap; steps in a second, what became of them, and the growth.
//
//   bench_crowd [--json] [NUMBER …]
//
// The humans of gallery/hundred-humans.yaml (twelve links, friction in their joints), dropped in layers onto a floor that grows with their
// number, by accuracy: fast in steps of 2 ms. From two of Marey's states, where most strike and where they lie, each engine takes the same steps,
// one thread, without sleep, and its contacts are measured by one formula (heap_peers/heap.h) with links as if they were free of their joints:
// these answer less, so that what is said to be unsolved is at least what is. MuJoCo and Bullet have the same masses, joints,
// friction, shapes and state; what differs is said in crowd_peers/*.cpp. They keep no account: they compute less. MuJoCo takes fewer steps where
// figures are many. Thread CPU time, the shortest of two rounds.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "heap_report.h"
#include "marey/force.h"
#include "marey/io/scene.h"
#include "marey/shape.h"
#include "peer_scene.h"

namespace marey::bench {
namespace {

constexpr int rounds = 2;
constexpr const char* gallery = MAREY_SOURCE_DIR "/gallery/hundred-humans.yaml";

struct Crowd {
  int humans, along;  // in layers of along × along
};
constexpr Crowd crowds[] = {{1, 1}, {3, 1}, {10, 2}, {30, 3}, {100, 4}};

struct Phase {
  const char* name;
  double from;
};
constexpr Phase phases[] = {{"strike", 1.2}, {"lie", 4}};  // s
constexpr int steps = 50;
// MuJoCo's time grows with the square of the freedoms and more.
int steps_of_mujoco(int humans) { return humans < 30 ? steps : humans < 100 ? 10 : 2; }

void replace(std::string& text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  if (at == std::string::npos)
    throw Error(ErrorKind::bad_input, fmt::format("gallery/hundred-humans.yaml: expected '{}'", what));
  text.replace(at, what.size(), by);
}
Scene scene_of(const Crowd& c) {
  std::ifstream file(gallery);
  std::stringstream content;
  content << file.rdbuf();
  std::string text = content.str();
  const double side = 1.75 * c.along;
  replace(text, "pile: 100, within: [7 m, 7 m]", fmt::format("pile: {}, within: [{} m, {} m]", c.humans, side, side));
  replace(text, "accuracy: fast", "accuracy: fast, threads: 1");
  return parse_scene(text, "crowd.yaml");
}

// ---- what the others are told
PeerTerms terms_of(const Scene& scene) {
  PeerTerms terms;
  terms.friction = 0.6;  // of the gallery's default material
  terms.damping.assign(index(scene.model.nv), 0.0);
  for (const Element& e : scene.elements) {
    const JointFriction* f = e.kind.get_if<JointFriction>();
    if (f == nullptr)
      throw Error(ErrorKind::bad_input, "gallery/hundred-humans.yaml: expected friction of joints alone");
    const LinkTopology& link = scene.model.links[index(f->link)];
    for (int k = 0; k < freedom_count(link); ++k)
      if (f->freedom < 0 || f->freedom == k) terms.damping[index(link.v + k)] += f->coefficient;
  }
  return terms;
}
std::string figures_of(const Scene& scene, const State& start, const PeerTerms& terms) {
  std::string text;
  for (const std::vector<int>& links : figures_in(scene.model)) text += to_text(figure_of(scene, start, terms, links));
  return text;
}
std::string mjcf_of(const Scene& scene, const State& start, const PeerTerms& terms, const Crowd& c) {
  Mjcf::Options options;
  options.among_themselves = true;
  // With few rows Newton's method and dense matrices are its own choice; a crowd has to do without.
  if (c.humans > 1) options.solver = "solver=\"CG\" jacobian=\"sparse\"";
  options.elements = fmt::format("<size nconmax=\"{}\" njmax=\"{}\"/>", 20 * c.humans + 100, 60 * c.humans + 300);
  return Mjcf(scene, start, terms, options).text();
}

// ---- Marey
std::vector<heap::Moving> moving(const Simulation& s) {
  const Model& model = s.system().model();
  std::vector<heap::Moving> all(index(model.nlink()));  // the first one: the world
  for (int i = 1; i < model.nlink(); ++i) {
    const Inertia<double>& I = model.params.links[index(i)].I;
    const PrincipalAxes axes = principal_axes(I);
    const Transform<double> X = s.pose(i);
    const Twist<double> V = s.velocity(i);
    const Vec3<double> c = X.R * ((1 / I.m) * I.h);
    const Quaternion<double> q = quaternion_of(X.R * axes.R_BP);
    all[index(i)] = {false,
                     I.m,
                     vec_of(axes.moments),
                     vec_of(X.p + c),
                     vec_of(V.v + cross(V.w, c)),
                     vec_of(V.w),
                     {q.w, q.x, q.y, q.z}};
  }
  return all;
}

// Returns the time of a step in each phase.
std::array<double, std::size(phases)> compare(Report& report, const Crowd& c) {
  Simulation s(scene_of(c));
  const Scene& scene = s.system().scene();
  const PeerTerms terms = terms_of(scene);
  heap::Heap heap{scene.solver.step, -scene.model.params.gravity.z, terms.friction, {}, {}};
  heap.bodies.resize(index(scene.model.nlink() - 1));
  report.title(fmt::format("{} limp humans: steps of {:g} ms, one thread", c.humans, 1e3 * heap.step));
  std::array<double, std::size(phases)> seconds{};
  for (std::size_t p = 0; p < std::size(phases); ++p) {
    s.run_until(phases[p].from);
    const SavedState start = s.save();
    const State state = s.state();
    const std::string which = fmt::format("{}, {}", c.humans, phases[p].name);
    const heap::Answer ours = answer_of_marey(s, start, heap, rounds, steps, moving);
    s.restore(start);
    seconds[p] = 1 / ours.steps_per_second;
    rows(report, which, "Marey", ours);
    const auto ask = [&](const char* peer, const char* program, const std::string& text, int asked) {
      rows_of_peer(report, which, peer, ours,
                   answer_of_peer(program, rounds, asked, [&](std::FILE* file) { std::fputs(text.c_str(), file); }));
    };
    ask("Bullet", "crowd_bullet", figures_of(scene, state, terms), steps);
    ask("MuJoCo", "crowd_mujoco", mjcf_of(scene, state, terms, c), steps_of_mujoco(c.humans));
  }
  return seconds;
}

int run(int argc, char** argv) {
  std::vector<Crowd> asked;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--json") continue;
    const auto* found = std::ranges::find(crowds, std::atoi(argv[i]), &Crowd::humans);
    if (found == std::end(crowds))
      throw Error(ErrorKind::bad_input, fmt::format("found '{}'; expected 1, 3, 10, 30 or 100", argv[i]));
    asked.push_back(*found);
  }
  if (asked.empty()) asked.assign(std::begin(crowds), std::end(crowds));
  Report report(argc, argv, true);
  std::vector<std::array<double, std::size(phases)>> seconds;
  seconds.reserve(asked.size());
  for (const Crowd& c : asked) seconds.push_back(compare(report, c));
  for (std::size_t p = 0; asked.size() > 1 && p < std::size(phases); ++p)
    for (std::size_t i = 1; i < asked.size(); ++i)
      report.row("growth", phases[p].name, fmt::format("exponent from {} to {}", asked[i - 1].humans, asked[i].humans),
                 std::log(seconds[i][p] / seconds[i - 1][p]) / std::log(double(asked[i].humans) / asked[i - 1].humans),
                 "");
  return 0;
}

}  // namespace
}  // namespace marey::bench

int main(int argc, char** argv) { return marey::bench::guarded(marey::bench::run, argc, argv); }
