// Other engines' integrators, one process each, on the same problems.
#include <cmath>
#include <memory>

#include "integrators/parts.h"
#include "marey/dynamics.h"
#include "peers/from_model.h"
#include "peers/peer.h"

namespace marey::bench {
namespace {

using peers::Peer, peers::PeerIntegrator, peers::PeerMotion;

constexpr const char* engines[] = {"simbody", "mujoco"};
constexpr double longest_run_s = 20;  // of one run; what takes longer is left out
constexpr double most_seconds = 4;    // of processor time, to keep a pendulum's energy

bool load(Peer& peer, const Model& model, const State& state, std::vector<std::string>& words) {
  if (!peer.running() || !peer.load(peers::peer_figure(model)) ||
      !peer.set_states({peers::peer_state(state.q, state.v, state.v, state.v)})) {
    words.push_back(peer.name() + " is left out: " + peer.why());
    return false;
  }
  return true;
}

std::string first_sentence(const std::string& text) {
  return text.substr(0, std::min<std::size_t>(100, text.find(". ")));
}

// Settings from coarse to fine: accuracies by decades, steps by halves.
std::vector<double> settings_of(const PeerIntegrator& integrator, const Problem& problem, bool quick) {
  std::vector<double> all;
  if (integrator.chosen_steps)
    for (int k = 2; k <= 12; ++k) all.push_back(std::pow(10, -k));
  else
    for (double steps = 32; steps <= (quick ? 1 << 13 : 1 << 16); steps *= 2)
      all.push_back(problem.scene.duration / steps);
  return all;
}

Curve curve_of(Peer& peer, const PeerIntegrator& integrator, const Problem& problem, bool quick,
               std::vector<std::string>& words) {
  Curve curve{peer.name() + " " + integrator.name, {}, true, integrator.chosen_steps, {}};
  const double most_work = quick ? 2e4 : 2e5;
  for (const double setting : settings_of(integrator, problem, quick)) {
    Point p{setting, HUGE_VAL, 0, HUGE_VAL, HUGE_VAL};
    for (int round = 0; round < (quick ? 1 : 3) && (round == 0 || p.seconds < 0.01); ++round) {
      const auto motion =
          peer.integrate(integrator.name, setting, problem.scene.duration, 0, problem.truth.q.size(), longest_run_s);
      if (!motion && !integrator.chosen_steps && peer.running()) break;  // breaks down; shorter steps may not
      if (!motion) {
        words.push_back(
            fmt::format("{} goes no further than {:g}: {}", curve.method, setting, first_sentence(peer.why())));
        return curve;
      }
      State end = problem.truth;
      end.q = motion->q, end.v = motion->v;
      p.error = error_of(problem.scene.model, problem.truth, end);
      p.work = motion->evaluations;
      p.seconds = std::min(p.seconds, motion->seconds);
    }
    if (std::isfinite(p.error)) curve.points.push_back(p);
    if (p.work > most_work) break;
  }
  return curve;
}

double energy_of(const Model& model, const std::vector<double>& q, const std::vector<double>& v) {
  Kinematics<double> k(model);
  forward_kinematics<double>(model, model.params, q, v, k);
  const Totals<double> t = totals(model, model.params, k);
  return t.kinetic + t.gravity_potential;
}

// In pieces, with the energy looked at after each. False: the engine gave up.
bool watch(Peer& peer, const PeerIntegrator& integrator, double setting, const Scene& scene, double allowed, Point& p) {
  constexpr int pieces = 200;
  std::vector<double> q = scene.start.q, v = scene.start.v;
  const double start = energy_of(scene.model, q, v);
  p = {setting, 0, 0, 0, 0};
  for (int k = 0; k < pieces && p.error <= allowed && p.seconds <= most_seconds; ++k) {
    if (!peer.set_states({peers::peer_state(q, v, v, v)})) return false;
    const auto motion = peer.integrate(integrator.name, setting, scene.duration / pieces, 0, q.size(), longest_run_s);
    if (!motion) return false;
    q = motion->q, v = motion->v;
    p.work += motion->evaluations, p.seconds += motion->seconds;
    const double error = std::abs(energy_of(scene.model, q, v) - start);
    p.error = std::isfinite(error) ? std::max(p.error, error) : HUGE_VAL;
  }
  return true;
}

}  // namespace

std::vector<Curve> rival_curves(const Problem& problem, bool quick, std::vector<std::string>& words) {
  std::vector<Curve> curves;
  for (const char* engine : engines) {
    Peer peer(engine);
    if (!load(peer, problem.scene.model, problem.scene.start, words)) continue;
    for (const PeerIntegrator& integrator : peer.integrators()) {
      Curve curve = curve_of(peer, integrator, problem, quick, words);
      if (!curve.points.empty()) curves.push_back(std::move(curve));
      if (!peer.running() && !(peer.start() && load(peer, problem.scene.model, problem.scene.start, words))) break;
    }
  }
  return curves;
}

std::vector<EnergyCost> rival_energy_costs(const Scene& scene, double allowed, std::vector<std::string>& words) {
  std::vector<EnergyCost> costs;
  for (const char* engine : engines) {
    Peer peer(engine);
    if (!load(peer, scene.model, scene.start, words)) continue;
    for (const PeerIntegrator& integrator : peer.integrators()) {
      double setting = integrator.chosen_steps ? 0x1p-13 : scene.duration / 200 / 64;
      Point p;
      bool done = false;
      for (int halvings = 0; halvings < 40 && !done; ++halvings, setting /= 2) {
        if (!watch(peer, integrator, setting, scene, allowed, p) || p.seconds > most_seconds) break;
        done = p.error <= allowed;
      }
      costs.push_back({peer.name() + " " + integrator.name, done ? p : Point{setting, NAN, NAN, NAN, 0}, false});
      if (!peer.running() && !(peer.start() && load(peer, scene.model, scene.start, words))) break;
    }
  }
  return costs;
}

}  // namespace marey::bench
