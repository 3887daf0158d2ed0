// marey bench lying: a limp human falls and lies on a floor; steps in a second, and how exact they were.
//
//   bench_lying [--json]
//
// The figure of gallery/limp-human-lies.yaml, steps of its length, one thread: while it falls and strikes (the first second), and
// while it lies. Each engine says how exact its steps were from its own state and its own contact forces, by the same
// formulas (lying_peers/lying.h). MuJoCo, Bullet and DART, each in a process of its own, have the same masses, joints, shapes,
// friction and start; their joints have the linear friction of the torque functions, but not their ranges, and they keep no
// account: they compute less. MuJoCo's cones are elliptic, and all else as it comes; what the others have that differs is said
// in lying_peers/*.cpp. Thread CPU time, the shortest of several rounds.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "lying_peers/lying.h"
#include "marey/core/index.h"
#include "marey/simulation.h"
#include "peer_scene.h"
#include "report.h"
#include "sim/simulation_parts.h"

namespace marey::bench {
namespace {

constexpr int rounds = 3;
using lying::Answer;

Scene limp_human() { return load_scene(MAREY_SOURCE_DIR "/gallery/limp-human-lies.yaml"); }

// ---- Marey

double mass_of(const Model& model) {
  double m = 0;
  for (std::size_t i = 1; i < model.links.size(); ++i) m += model.params.links[i].I.m;
  return m;
}
Vec3<double> momentum_of(const Simulation& s) {
  const Model& model = s.system().model();
  Vec3<double> p;
  for (std::size_t i = 1; i < model.links.size(); ++i) {
    const Inertia<double>& I = model.params.links[i].I;
    const Twist<double> V = s.velocity(static_cast<int>(i));
    p += I.m * V.v + cross(V.w, s.pose(static_cast<int>(i)).R * I.h);
  }
  return p;
}

lying::Certificate certified_step(Simulation& s, double h, double mass, double& points) {
  const Vec3<double> before = momentum_of(s);
  const double began = s.time();
  s.step();
  const double length = s.time() - began;  // where something strikes late a step is cut in two
  lying::Step step(mass, -s.system().model().params.gravity.z, h, length);
  Vec3<double> sum = before - momentum_of(s);
  for (const TouchingPoint& p : s.parts().world.stepped()->points()) {
    const double sign = p.link_b != 0 ? 1 : -1, along = length * dot(p.force_W, p.axes_W[0]);
    sum += (sign * length) * p.force_W;
    if (!(along > 0) && p.gap > 0) continue;  // near, and no more
    step.point(p.gap, along, length * std::hypot(dot(p.force_W, p.axes_W[1]), dot(p.force_W, p.axes_W[2])),
               p.law.friction_static, p.u[0]);
    ++points;
  }
  return step.done({sum.x, sum.y, sum.z});
}

std::array<Answer, lying::phases.size()> of_marey(const Scene& scene) {
  std::array<Answer, lying::phases.size()> answers;
  std::array<double, lying::phases.size()> best;
  best.fill(1e300);
  for (int round = 0; round < rounds; ++round) {
    Simulation s(scene);
    for (std::size_t p = 0; p < lying::phases.size(); ++p) {
      s.run_until(lying::phases[p].from);
      const double began = cpu_seconds();
      s.run_until(lying::phases[p].to);
      const double steps = (lying::phases[p].to - lying::phases[p].from) / scene.solver.step;  // cut ones count as one
      best[p] = std::min(best[p], (cpu_seconds() - began) / steps);
    }
  }
  Simulation s(scene);
  const double mass = mass_of(scene.model), h = scene.solver.step;
  for (std::size_t p = 0; p < lying::phases.size(); ++p) {
    s.run_until(lying::phases[p].from);
    long steps = 0;
    for (; s.time() < lying::phases[p].to - 0.5 * h; ++steps)
      answers[p].certificate.add(certified_step(s, h, mass, answers[p].points));
    answers[p].points /= static_cast<double>(steps), answers[p].steps_per_second = 1 / best[p];
  }
  return answers;
}

// ---- what the others are told

// The linear friction of the scene's torque functions, by link: N m s/rad.
double friction_of(const std::string& link) {
  static const std::map<std::string, double> known{
      {"abdomen", 14},          {"chest", 14},      {"head", 2},         {"left_upper_arm", 1.5},
      {"right_upper_arm", 1.5}, {"left_thigh", 14}, {"right_thigh", 14}, {"left_forearm", 0.6},
      {"right_forearm", 0.6},   {"left_shank", 4},  {"right_shank", 4}};
  const auto at = known.find(link.substr(link.rfind('.') + 1));
  return at == known.end() ? 0 : at->second;
}
constexpr double friction_of_floor = 0.6;

PeerTerms terms_of(const Scene& scene) {
  PeerTerms terms;
  terms.friction = friction_of_floor;
  for (std::size_t i = 1; i < scene.model.links.size(); ++i)
    for (int k = 0; k < freedom_count(scene.model.links[i]); ++k)
      terms.damping.push_back(friction_of(scene.model.names[i]));
  return terms;
}

// ---- all of them

// Empty: the program is not there, or failed.
std::map<std::string, Answer> of_peer(const std::string& engine, const std::string& text) {
  const std::filesystem::path program = std::filesystem::path(MAREY_BIN_DIR) / ("lying_" + engine);
  std::map<std::string, Answer> answers;
  if (!std::filesystem::exists(program)) return answers;
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("marey-lying-{}.txt", ::getpid());
  std::ofstream(file) << text;
  std::FILE* pipe =
      ::popen(fmt::format("timeout 300 '{}' '{}' {}", program.string(), file.string(), rounds).c_str(), "r");
  char line[512], name[16];
  while (pipe != nullptr && std::fgets(line, sizeof line, pipe) != nullptr) {
    Answer a;
    lying::Certificate& c = a.certificate;
    if (std::sscanf(line, "%15s %lf %lf %lf %lf %lf %lf", name, &a.steps_per_second, &a.points, &c.momentum,
                    &c.penetration, &c.cone, &c.into) == 7)
      answers[name] = a;
  }
  if (pipe != nullptr) ::pclose(pipe);
  std::filesystem::remove(file);
  return answers;
}

void rows(Report& report, const char* phase, const std::string& engine, const Answer& a) {
  report.row(phase, engine, "steps in a second", a.steps_per_second, "");
  report.row(phase, engine, "points that touch, on average", a.points, "");
  report.row(phase, engine, "penetration, largest", a.certificate.penetration, "m");
  report.row(phase, engine, "momentum not accounted for, over m g h", a.certificate.momentum, "");
  report.row(phase, engine, "beyond the cone, over m g h", a.certificate.cone, "");
  report.row(phase, engine, "velocity into the floor after a step", a.certificate.into, "m/s");
}

struct Peer {
  std::string name;
  std::map<std::string, Answer> answers;  // by phase
};

int run(int argc, char** argv) {
  Report report(argc, argv);
  const Scene scene = limp_human();
  report.title(fmt::format("A limp human falls and lies: steps of {:g} ms, one thread", 1e3 * scene.solver.step));
  const auto ours = of_marey(scene);
  const PeerTerms terms = terms_of(scene);
  const std::string figure = to_text(figure_of(scene, scene.start, terms, figures_in(scene.model).front()));
  const std::vector<Peer> peers = {{"MuJoCo", of_peer("mujoco", Mjcf(scene, scene.start, terms, {}).text())},
                                   {"Bullet", of_peer("bullet", figure)},
                                   {"DART", of_peer("dart", figure)}};
  for (std::size_t p = 0; p < lying::phases.size(); ++p) {
    const char* phase = lying::phases[p].name;
    rows(report, phase, "Marey", ours[p]);
    for (const Peer& peer : peers) {
      const auto answer = peer.answers.find(phase);
      if (answer == peer.answers.end()) {
        report.title("  " + peer.name + " is left out: it is not installed, or failed");
        continue;
      }
      rows(report, phase, peer.name, answer->second);
      report.row(phase, "Marey over " + peer.name, "steps in a second",
                 ours[p].steps_per_second / answer->second.steps_per_second, "x");
    }
  }
  return 0;
}

}  // namespace
}  // namespace marey::bench

int main(int argc, char** argv) { return marey::bench::guarded(marey::bench::run, argc, argv); }
