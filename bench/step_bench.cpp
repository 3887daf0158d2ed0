// marey bench step: what a whole step costs, against the solver calls in it and against other engines' steps.
//
//   bench_step [--json] [--quick]
//
// The human of 39 degrees of freedom tumbles, with its account of energy and momentum. Recording: not at all, and at 60
// Hz to a sink that discards it. Solver calls: those of the step's evaluations (rk4: 4, semi_implicit: 1), each a
// complete call of aba(). MuJoCo, Bullet, DART and Simbody (bench/peers), each in a process of its own, take steps of
// the same length from the same start by their own methods; none of them keeps an account. Their time counts only if
// their steps make the same motion, as peers/same_motion.h requires for the human at its liveliest, and is compared
// with that of Marey's method of the same order: DART has only a first-order one. Two engines call a method RK4 that is
// of less than fourth order on figures that turn; the rows say what was measured. Thread CPU time, the shortest of
// several rounds; ratios are within the same run. Then the same human with all its joints welded, and scenes whose
// steps cost more than their solvers: a bar in both hands, a cloth of 400 particles, larger cloths, and a chain all of
// whose joints follow scripts. What a cloth costs with links and elements one by one, like any figure, is measured as
// well (SolverOptions::particles_apart).
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "floating_human.h"
#include "marey/io/scene.h"
#include "marey/simulation.h"
#include "peers/same_motion.h"
#include "report.h"
#include "support/figures.h"

namespace marey::bench {
namespace {

constexpr double step = 1e-3;

struct Nothing final : Sink {
  void begin(const MotionHeader&) override {}
  void frame(std::span<const double>) override {}
  void checkpoint(const Checkpoint&) override {}
  void finish(const std::string&) override {}
};

// As fast as `liveliness` says: at 1, joints turn at a few rad/s.
Scene tumbling(Integrator integrator, double liveliness = 0.2) {
  const figures::Figure f = figures::with_random_state(figures::human39(), 2024);
  Scene scene;
  scene.model = f.model;
  scene.start = f.state;
  for (double& v : scene.start.v) v *= liveliness;
  scene.solver.integrator = integrator, scene.solver.step = step;
  return scene;
}

// Time of one step, without recording, after some others.
double step_seconds(const Scene& scene, int steps, int rounds, int others = 0) {
  Simulation simulation(scene);
  for (int k = 0; k < others; ++k) simulation.step();
  const SavedState start = simulation.save();
  double best = 1e300;
  for (int round = 0; round < rounds; ++round) {
    simulation.restore(start);
    const double began = cpu_seconds();
    for (int k = 0; k < steps; ++k) simulation.step();
    best = std::min(best, cpu_seconds() - began);
  }
  return best / steps;
}

double recorded_seconds(Scene scene, int steps, int rounds) {
  scene.duration = steps * scene.solver.step;
  scene.record.every = 1.0 / 60;
  Nothing sink;
  return best_seconds(rounds, [&] { run(scene, sink); }) / steps;
}

double call_seconds(const Scene& scene, int rounds) {
  const Model& model = scene.model;
  AbaWorkspace<double> ws(model);
  const std::vector<double> tau(static_cast<std::size_t>(model.nv));
  std::vector<double> vdot(tau.size());
  constexpr int calls = 1000;
  return best_seconds(rounds,
                      [&] {
                        for (int k = 0; k < calls; ++k)
                          aba<double>(model, model.params, scene.start.q, scene.start.v, {tau, {}}, ws, vdot);
                      }) /
         calls;
}

// What a step of Marey costs, for comparison.
struct OurStep {
  Integrator integrator;
  int order, evaluations;
  double seconds;
  peers::Convergence convergence;
};

struct TheirStep {
  double seconds = forever, evaluations = 0;
  bool finite = true;  // the motion, all the time
};
std::optional<TheirStep> step_of(peers::Peer& peer, const char* method, std::size_t nq, int steps, int rounds) {
  TheirStep best;
  for (int round = 0; round < rounds; ++round) {
    const auto motion = peer.integrate(method, step, steps * step, 0, nq);
    if (!motion) return {};
    best.seconds = std::min(best.seconds, motion->seconds / steps);
    best.evaluations = motion->evaluations / steps;
    for (const double v : motion->v) best.finite = best.finite && std::isfinite(v);
  }
  return best;
}

void compare(Report& report, const peers::SteppedRival& rival, const TheirStep& theirs,
             const peers::Convergence& convergence, const OurStep& ours) {
  const std::string name = fmt::format("{} {}", rival.engine, rival.method), beside = name_of(ours.integrator);
  report.row("human", name, "time per step", 1e6 * theirs.seconds, "us");
  report.row("human", name, "evaluations in a step", theirs.evaluations, "");
  report.row("human", name, "measured order", convergence.order(), "");
  report.row("human", name, fmt::format("error over that of Marey's {}", beside),
             convergence.fine / ours.convergence.fine, "x");
  const double ratio = theirs.seconds / ours.seconds;
  const std::string over = fmt::format("over Marey's {}", beside);
  if (!theirs.finite || !convergence.same_motion(rival.order))
    report.row("human", name, over, NAN, "(none: not the same motion)");
  else if (rival.order == ours.order)
    report.row("human", name, over, ratio, "x");
  else if (std::lround(theirs.evaluations) == ours.evaluations)
    report.row("human", name, over, ratio, fmt::format("x (as many evaluations, but of order {})", rival.order));
  else
    report.row("human", name, over, NAN, fmt::format("(none: of order {})", rival.order));
}

void compare_with(Report& report, const char* engine, const peers::AccurateMotion& accurate, const Scene& scene,
                  const Scene& lively, std::span<const OurStep> all_ours, bool quick) {
  peers::Peer peer(engine);
  const std::vector<double> none(scene.start.v.size());
  const auto state = [&](const Scene& s) { return peers::peer_state(s.start.q, s.start.v, none, none); };
  if (!peer.running() || !peer.load(peers::peer_figure(scene.model)) || !peer.set_states({state(scene), state(lively)}))
    return report.title(fmt::format("  {} is left out: {}", engine, peer.why()));
  for (const peers::SteppedRival& rival : peers::stepped_rivals) {
    if (rival.engine != std::string(engine)) continue;
    const auto convergence = accurate.of_peer(peer, rival, 1);
    const auto theirs = step_of(peer, rival.method, scene.start.q.size(), quick ? 500 : 2000, quick ? 3 : 15);
    if (!convergence || !theirs) {
      report.title(fmt::format("  {} {} is left out: {}", engine, rival.method, peer.why()));
      continue;
    }
    for (const OurStep& ours : all_ours)
      if (ours.integrator == rival.ours) compare(report, rival, *theirs, *convergence, ours);
  }
}

void humans(Report& report, bool quick) {
  const int rounds = quick ? 3 : 15, steps = quick ? 500 : 2000;
  report.title("A whole step of a human of 39 freedoms, with its account, by aba; steps of 1 ms, one thread, double");
  const Scene lively = tumbling(Integrator::rk4, 1);
  const peers::AccurateMotion accurate(lively, step, 0.2);
  std::vector<OurStep> ours;
  for (const Integrator integrator : {Integrator::semi_implicit, Integrator::rk4}) {
    const Scene scene = tumbling(integrator);
    const int calls = integrator == Integrator::rk4 ? 4 : 1;
    const double solver = calls * call_seconds(scene, rounds), whole = step_seconds(scene, steps, rounds),
                 recorded = recorded_seconds(scene, steps, rounds);
    report.row("human", name_of(integrator), fmt::format("{} solver call{}", calls, calls > 1 ? "s" : ""), 1e6 * solver,
               "us");
    report.row("human", name_of(integrator), "a step, nothing recorded", 1e6 * whole, "us");
    report.row("human", name_of(integrator), "a step, recorded at 60 Hz", 1e6 * recorded, "us");
    report.row("human", name_of(integrator), "a step over its solver calls", whole / solver, "x");
    const int order = order_of(integrator);
    ours.push_back({integrator, order, calls, whole, accurate.of_marey(integrator, order)});
  }
  report.title("Other engines' steps of the same human, without an account");
  for (const char* engine : {"mujoco", "bullet", "dart", "simbody"})
    compare_with(report, engine, accurate, tumbling(Integrator::rk4), lively, ours, quick);
}

// The human floats and turns as a whole. Once with nothing in its joints, once with friction in all of them.
void welds(Report& report, bool quick) {
  report.title("A step of the human with all joints welded, rk4");
  for (const bool friction : {false, true}) {
    Scene scene = floating_human(friction);
    scene.solver.integrator = Integrator::rk4, scene.solver.step = step;
    const int steps = quick ? 500 : 2000, rounds = quick ? 3 : 15;
    const double none = step_seconds(scene, steps, rounds, 20);
    scene.solver.weld = WeldOptions{5, 5 * step, 1e9};  // everything slow, and for good
    const double all = step_seconds(scene, steps, rounds, 20);
    const char* which = friction ? "with friction" : "human";
    report.row(which, "rk4", "a step, no joint welded", 1e6 * none, "us");
    report.row(which, "rk4", "a step, all welded", 1e6 * all, "us");
    report.row(which, "rk4", "all welded over none", all / none, "x");
  }
}

void scenes(Report& report, const std::string& gallery, bool quick) {
  report.title("Scenes, as they are, nothing recorded");
  for (const char* name : {"bar-in-both-hands", "cloth"}) {
    const Scene scene = load_scene(gallery + "/" + name + ".yaml");
    const double seconds = step_seconds(scene, quick ? 50 : 300, quick ? 2 : 5);
    report.row(name, name_of(scene.solver.integrator), "time per step", 1e6 * seconds, "us");
    report.row(name, name_of(scene.solver.integrator), "faster than real time", scene.solver.step / seconds, "x");
  }
}

// Like gallery/cloth.yaml, in another size.
std::string cloth_text(int side) {
  return fmt::format(R"(marey: 1
duration: 1 s
solver: {{integrator: rk4, step: 1 ms}}
particles:
  cloth:
    at: [0, 0, 2 m]
    grid: {{count: [{0}, {0}], spacing: 5 cm}}
    mass: 1 g
    fixed: [1-{0}, {0}-{0}]
    springs: {{stiffness: 40 N/m, damping: 20 mN s/m, diagonal: 15 N/m, second: 4 N/m}}
forces:
  - drag: {{links: cloth.*, linear: 1 mN s/m}}
)",
                     side);
}

void cloths(Report& report, bool quick) {
  report.title("Cloths of particles with springs, dampers and drag, rk4 with its account, nothing recorded");
  for (const int side : {20, 100, 316}) {
    if (quick && side > 100) continue;
    const std::string name = fmt::format("{} particles", side * side);
    const double began = cpu_seconds();
    Scene scene = parse_scene(cloth_text(side), "cloth.yaml");
    const double read = cpu_seconds() - began;
    const double seconds = step_seconds(scene, std::max(4, 120000 / (side * side)), quick ? 2 : 5);
    report.row(name, "rk4", "time to read the scene", read, "s");
    report.row(name, "rk4", "time per step", 1e6 * seconds, "us");
    report.row(name, "rk4", "particles times steps, in a second", 1e-6 * side * side / seconds, "million");
    if (side > 20) continue;
    scene.solver.particles_apart = false;
    const double by_links = step_seconds(scene, quick ? 50 : 300, quick ? 2 : 5);
    report.row(name, "rk4", "time per step as links", 1e6 * by_links, "us");
    report.row(name, "rk4", "as links over as particles", by_links / seconds, "x");
  }
}

// A chain of hinges, each of which follows a script.
Scene driven_chain(int links) {
  std::string text = fmt::format(R"(marey: 1
duration: 1 s
solver: {{integrator: rk4, step: 1 ms}}
start: projected
figures:
  c:
    chain:
      links: {}
      spacing: [0, 0, -10 cm]
      link: {{joint: {{type: hinge, axis: y}}, mass: 0.1 kg, shape: {{capsule: {{radius: 1 cm, length: 8 cm, along: -z}}}}}}
constraints:
)",
                                 links);
  for (int i = 1; i <= links; ++i)
    text += fmt::format("  - follow: {{name: script {0}, joint: c.{0}, angle: '0.05*(1 - cos(3*t))'}}\n", i);
  return parse_scene(text, "driven-chain.yaml");
}

void drives(Report& report, bool quick) {
  report.title("A chain all of whose joints follow scripts, rk4");
  std::vector<std::pair<double, double>> points;
  for (int links = 16; links <= (quick ? 128 : 512); links *= 2) {
    const double seconds = step_seconds(driven_chain(links), links > 100 ? 20 : 50, quick ? 2 : 5);
    report.row(fmt::format("{} joints", links), "rk4", "time per step", 1e6 * seconds, "us");
    points.emplace_back(std::log(links), std::log(seconds));
  }
  const auto& [x_0, y_0] = points[2];  // 64 joints
  report.row("from 64 joints", "rk4", "exponent of time over joints",
             (points.back().second - y_0) / (points.back().first - x_0), "(1: linear)");
}

int run_benchmark(int argc, char** argv) {
  bool quick = false;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    quick = quick || option == "--quick";
    if (option == "--json" || option == "--quick") continue;
    fmt::print(stderr, "marey bench step: found '{}'\nusage: marey bench step [--json] [--quick]\n", option);
    return status_of(ErrorKind::bad_input);
  }
  Report report(argc, argv, true);
  humans(report, quick);
  welds(report, quick);
  scenes(report, MAREY_SOURCE_DIR "/gallery", quick);
  cloths(report, quick);
  drives(report, quick);
  return 0;
}

}  // namespace
}  // namespace marey::bench

int main(int argc, char** argv) { return marey::bench::guarded(marey::bench::run_benchmark, argc, argv); }
