// marey bench solvers: P fig. 1 redrawn, articulated bodies against Lagrange multipliers.
//
//   bench_solvers [--json] [--quick] [--figures FOLDER]
//
// Time: 1 … 64 humans of 39 degrees of freedom in one world, afloat, one thread, double precision. A call finds the
// accelerations of all from one state; a step is a semi-implicit Euler step in a running world, with its account of
// energy and momentum, and in maximal coordinates with the projection on the joints. Other engines run in processes of
// their own. The exponent is the slope of log time over log number.
// Drift: one human tumbles in free flight; the largest distance of a link from its joint, over time.
// With --figures both are drawn (SVG, by gnuplot).
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <sstream>

#include "marey/dynamics/multipliers.h"
#include "marey/render/gnuplot.h"
#include "peers/from_model.h"
#include "peers/peer.h"
#include "report.h"
#include "sim/world.h"
#include "support/figures.h"

namespace marey::bench {
namespace {

struct Settings {
  bool quick = false;
  std::string figures;
};
using Curve = std::vector<std::pair<double, double>>;
using Curves = std::vector<std::pair<std::string, Curve>>;

constexpr const char* rivals[] = {"mujoco", "simbody", "dart", "bullet"};
constexpr int states = 4;

ModelSpec humans(int count) {
  ModelSpec all;
  for (int n = 0; n < count; ++n) {
    const int row = n / 8;
    ModelSpec one = figures::human39();
    for (LinkSpec& link : one.links) {
      const std::string prefix = std::to_string(n) + " ";
      if (link.parent == "world")
        link.X_PF.p = link.X_PF.p + Vec3<double>{2.0 * (n % 8), 2.0 * row, 1};
      else
        link.parent = prefix + link.parent;
      link.name = prefix + link.name;
      all.links.push_back(link);
    }
  }
  return all;
}

struct Crowd {
  explicit Crowd(int count) : model(freeze(humans(count))) {
    figures::Figure f{{}, model, {}, {}, {}};
    figures::Random random(2024);
    for (int i = 0; i < states; ++i) {
      figures::random_state(random, f);
      figures::random_forces(random, f);
      ring.push_back(peers::peer_state(f.state.q, f.state.v, f.tau, std::vector<double>(f.state.v.size())));
    }
  }
  Model model;
  std::vector<peers::PeerState> ring;
};

// Seconds of one call, the shortest of several batches.
template <class Call>
double seconds_of(const Settings& settings, Call&& call) {
  const double start = cpu_seconds();
  call(0);
  const double once = std::max(cpu_seconds() - start, 1e-7);
  const int reps = std::max(states, static_cast<int>((settings.quick ? 5e-4 : 2e-3) / once));
  return best_seconds(settings.quick ? 10 : 40,
                      [&] {
                        for (int r = 0; r < reps; ++r) call(r % states);
                      }) /
         reps;
}

double call_seconds(const Settings& settings, const Crowd& crowd, Dynamics dynamics) {
  const Model& model = crowd.model;
  std::vector<double> vdot(static_cast<std::size_t>(model.nv));
  AbaWorkspace<double> aba_ws(model);
  MultiplierWorkspace<double> ws(model);
  return seconds_of(settings, [&](int i) {
    const peers::PeerState& s = crowd.ring[static_cast<std::size_t>(i)];
    if (dynamics == Dynamics::aba) return aba<double>(model, model.params, s.q, s.v, {s.tau, {}}, aba_ws, vdot);
    multipliers<double>(model, model.params, s.q, s.v, {s.tau, {}}, ws, vdot);
  });
}

Scene afloat(const Model& model, const peers::PeerState& s, Dynamics dynamics, Integrator integrator, double step) {
  Scene scene;
  scene.model = model;
  scene.start = {0, s.q, s.v};
  for (double& v : scene.start.v) v *= 0.2;
  scene.solver.dynamics = dynamics, scene.solver.integrator = integrator, scene.solver.step = step;
  scene.duration = 1e9;
  return scene;
}

double step_seconds(const Settings& settings, const Crowd& crowd, Dynamics dynamics) {
  const Scene scene = afloat(crowd.model, crowd.ring[0], dynamics, Integrator::semi_implicit, 1e-5);
  World world(scene);
  return seconds_of(settings, [&](int) { world.step(); });
}

double peer_seconds(const Settings& settings, const Crowd& crowd, peers::Peer& peer) {
  if (!peer.load(peers::peer_figure(crowd.model)) || !peer.set_states(crowd.ring)) return -1;
  const auto once = peer.time(peers::PeerTask::forward, 1, 3);
  if (!once) return -1;
  const double ns = *std::min_element(once->ns_per_call.begin(), once->ns_per_call.end());
  const int reps = std::max(1, static_cast<int>((settings.quick ? 5e5 : 2e6) / ns));
  const auto timing = peer.time(peers::PeerTask::forward, reps, settings.quick ? 10 : 40);
  if (!timing) return -1;
  return 1e-9 * *std::min_element(timing->ns_per_call.begin(), timing->ns_per_call.end());
}

// Slope of log y over log x by least squares, for the larger half, where the fixed cost of a call no longer counts.
double exponent(const Curve& curve) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0, n = 0;
  for (std::size_t i = curve.size() / 2; i < curve.size(); ++i) {
    const double x = std::log(curve[i].first), y = std::log(curve[i].second);
    sx += x, sy += y, sxx += x * x, sxy += x * y, n += 1;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

Curves growth(const Settings& settings, Report& report) {
  report.title("Humans of 39 degrees of freedom in one world, double, one thread");
  std::vector<std::unique_ptr<peers::Peer>> at_hand;
  for (const char* name : rivals) {
    at_hand.push_back(std::make_unique<peers::Peer>(name));
    if (!at_hand.back()->running()) report.title(fmt::format("  {} is left out: {}", name, at_hand.back()->why()));
  }
  std::map<std::string, Curve> of;
  std::vector<std::string> order;
  const auto add = [&](int n, const std::string& subject, const char* metric, double seconds) {
    if (!(seconds > 0)) return;
    if (!of.contains(subject)) order.push_back(subject);
    of[subject].emplace_back(n, 1e6 * seconds);
    report.row(fmt::format("{} human{}", n, n == 1 ? "" : "s"), subject, metric, 1e6 * seconds, "us");
  };
  for (int n = 1; n <= (settings.quick ? 8 : 64); n *= 2) {
    const Crowd crowd(n);
    add(n, "aba", "time per call", call_seconds(settings, crowd, Dynamics::aba));
    add(n, "multipliers", "time per call", call_seconds(settings, crowd, Dynamics::multipliers));
    add(n, "aba, a step", "time per step", step_seconds(settings, crowd, Dynamics::aba));
    add(n, "multipliers, a step", "time per step", step_seconds(settings, crowd, Dynamics::multipliers));
    for (const auto& peer : at_hand)
      if (peer->running()) add(n, peer->name(), "time per call", peer_seconds(settings, crowd, *peer));
  }
  Curves curves;
  for (const std::string& subject : order) {
    if (of[subject].size() > 3)
      report.row("exponent", subject, "of time over humans", exponent(of[subject]), "(1: linear)");
    curves.emplace_back(subject, of[subject]);
  }
  return curves;
}

// ---- drift
double joint_error(const World& world, Dynamics dynamics, const Scene& scene) {
  if (dynamics == Dynamics::multipliers) return world.drift_at(world.time()).position;
  State back = world.state();
  return to_reduced(scene.model, to_maximal(scene.model, world.state()), back).position;
}

Curve drift(const Settings& settings, Dynamics dynamics, Stabilisation way) {
  const Crowd crowd(1);
  Scene scene = afloat(crowd.model, crowd.ring[0], dynamics, Integrator::rk4, 5e-3);
  scene.model.params.gravity = {};
  scene.solver.stabilisation = way;
  World world(scene);
  Curve curve;
  const double end = settings.quick ? 2 : 20;
  while (world.time() < end) {
    for (int k = 0; k < 20; ++k) world.step();
    curve.emplace_back(world.time(), std::max(joint_error(world, dynamics, scene), 1e-17));
  }
  return curve;
}

Curves drifts(const Settings& settings, Report& report) {
  report.title("A human tumbles in free flight, rk4, steps of 5 ms: distance or angle of a link from its joint");
  const Curves curves{
      {"multipliers, not stabilised", drift(settings, Dynamics::multipliers, Stabilisation::none)},
      {"multipliers, Baumgarte's rule", drift(settings, Dynamics::multipliers, Stabilisation::baumgarte)},
      {"multipliers, projection", drift(settings, Dynamics::multipliers, Stabilisation::projection)},
      {"aba, joint coordinates", drift(settings, Dynamics::aba, Stabilisation::none)}};
  for (const auto& [name, curve] : curves) {
    double most = 0;
    for (const auto& [t, e] : curve) most = std::max(most, e);
    report.row(fmt::format("{:.3g} s", curve.back().first), name, "largest error of a joint", most, "m or rad");
  }
  return curves;
}

// ---- figures
void draw(const Curves& curves, const std::string& title, const char* x, const char* y, const char* scales,
          const std::string& file) {
  static constexpr const char* colours[] = {"#0072b2", "#d55e00", "#56b4e9", "#e69f00",
                                            "#222222", "#6b4f9e", "#009e73", "#cc79a7"};
  std::ostringstream out;
  out << "set terminal svg size 860,520 dynamic enhanced background '#ffffff' font 'Helvetica,13'\nset encoding utf8\n"
         "set output picture\nset border 3 lc '#9a9a9a' lw 1\nset tics nomirror out scale 0.5 textcolor '#444444'\n"
         "set grid lc '#e4e4e4' lw 1 lt 1 dt solid\n"
      << scales << "set xlabel " << render::quoted(x) << "\nset ylabel " << render::quoted(y) << "\nset title "
      << render::quoted(title) << " noenhanced\nset key noenhanced outside right top Left reverse samplen 1.6\n";
  for (std::size_t i = 0; i < curves.size(); ++i) {
    out << "$c" << i << " << EOD\n";
    for (const auto& [a, b] : curves[i].second) out << fmt::format("{:.7g} {:.7g}\n", a, b);
    out << "EOD\n";
  }
  out << "plot ";
  for (std::size_t i = 0; i < curves.size(); ++i)
    out << (i ? ", " : "") << "$c" << i << " with linespoints lw 1.6 ps 0.4 lc '" << colours[i % std::size(colours)]
        << "' title " << render::quoted(curves[i].first);
  out << "\nset output\n";
  render::run_gnuplot(out.str(), file);
}

int run_benchmark(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--json") continue;
    if (option == "--quick") {
      settings.quick = true;
    } else if (option == "--figures" && i + 1 < argc) {
      settings.figures = argv[++i];
    } else {
      fmt::print(stderr, "marey bench solvers: found '{}'\n", option);
      fmt::print(stderr, "usage: marey bench solvers [--json] [--quick] [--figures FOLDER]\n");
      return status_of(ErrorKind::bad_input);
    }
  }
  Report report(argc, argv, true);
  const Curves times = growth(settings, report), errors = drifts(settings, report);
  if (settings.figures.empty()) return 0;
  draw(times, "Time against the number of humans", "humans of 39 degrees of freedom", "time [µs]",
       "set logscale xy 2\nset format y '%g'\n", settings.figures + "/solvers-time.svg");
  draw(errors, "Drift of joints", "time [s]", "largest error of a joint [m, rad]",
       "set logscale y\nset format y '10^{%T}'\n", settings.figures + "/solvers-drift.svg");
  return 0;
}

}  // namespace
}  // namespace marey::bench

int main(int argc, char** argv) { return marey::bench::guarded(marey::bench::run_benchmark, argc, argv); }
