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
#include "lying_peers/lying_figure.h"
#include "marey/core/index.h"
#include "marey/io/scene.h"
#include "marey/simulation.h"
#include "peers/from_model.h"
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

[[noreturn]] void refuse_shape() {
  throw Error(ErrorKind::bad_input, "marey bench lying: found a shape that is neither ellipsoid nor capsule");
}

lying::Solid solid_of(const Shape& shape, std::size_t link) {
  lying::Solid out;
  out.link = link;
  const Quaternion<double> q = quaternion_of(shape.X_BS.R);
  out.quat_BS = {q.w, q.x, q.y, q.z};
  out.p_BoSo_B = {shape.X_BS.p.x, shape.X_BS.p.y, shape.X_BS.p.z};
  if (const auto* e = std::get_if<Ellipsoid>(&shape.solid))
    out.radii = {e->radii.x, e->radii.y, e->radii.z};
  else if (const auto* c = std::get_if<Capsule>(&shape.solid))
    out.radii = {c->radius, c->radius, 0.5 * c->length}, out.capsule = true;
  else
    refuse_shape();
  return out;
}

lying::Figure figure_of(const Scene& scene) {
  const Model& model = scene.model;
  lying::Figure f;
  f.links = peers::peer_figure(model);
  f.start.q = scene.start.q, f.start.v = scene.start.v;
  f.friction = friction_of_floor, f.step = scene.solver.step;
  for (std::size_t i = 1; i < model.links.size(); ++i) {
    for (int k = 0; k < freedom_count(model.links[i]); ++k) f.damping.push_back(friction_of(model.names[i]));
    for (const Shape& shape : model.shapes[i]) f.solids.push_back(solid_of(shape, i - 1));
  }
  return f;
}

// ---- MuJoCo's format

std::string numbers(std::initializer_list<double> all) {
  std::string text;
  for (const double x : all) text += fmt::format("{}{:.17g}", text.empty() ? "" : " ", x);
  return text;
}
std::string place(const Transform<double>& X) {
  const Quaternion<double> q = quaternion_of(X.R);
  return fmt::format("pos=\"{}\" quat=\"{}\"", numbers({X.p.x, X.p.y, X.p.z}), numbers({q.w, q.x, q.y, q.z}));
}
std::string geom(const Shape& shape) {
  std::string what;
  if (const auto* e = std::get_if<Ellipsoid>(&shape.solid))
    what = fmt::format("type=\"ellipsoid\" size=\"{}\"", numbers({e->radii.x, e->radii.y, e->radii.z}));
  else if (const auto* c = std::get_if<Capsule>(&shape.solid))
    what = fmt::format("type=\"capsule\" size=\"{}\"", numbers({c->radius, 0.5 * c->length}));
  else
    refuse_shape();
  return fmt::format("<geom {} {}/>", what, place(shape.X_BS));
}

class Mjcf {
 public:
  explicit Mjcf(const Scene& scene) : scene_(scene), model_(scene.model) {}
  std::string text() {
    std::string bodies;
    for (int i = 1; i < static_cast<int>(model_.links.size()); ++i)
      if (model_.links[index(i)].parent == 0) bodies += body(i);
    return fmt::format(
        "<mujoco><compiler angle=\"radian\" boundmass=\"0\" boundinertia=\"0\" inertiafromgeom=\"false\"/>"
        "<option timestep=\"{:.17g}\" gravity=\"0 0 {:.17g}\" cone=\"elliptic\"/>"
        "<default><geom friction=\"{:.17g}\" condim=\"3\" contype=\"0\" conaffinity=\"1\"/></default>"
        "<worldbody><geom type=\"plane\" size=\"0 0 1\" contype=\"1\" conaffinity=\"0\"/>\n{}</worldbody>"
        "<keyframe><key qpos=\"{}\" qvel=\"{}\"/></keyframe></mujoco>\n",
        scene_.solver.step, model_.params.gravity.z, friction_of_floor, bodies, q_, v_);
  }

 private:
  std::string body(int i) {
    const LinkParams<double>& params = model_.params.links[index(i)];
    std::string text = fmt::format("<body {}>{}{}", place({params.R_PF, params.l}), inertial(params.I), joint(i));
    for (const Shape& shape : model_.shapes[index(i)]) text += geom(shape);
    for (int k = i + 1; k < static_cast<int>(model_.links.size()); ++k)
      if (model_.links[index(k)].parent == i) text += body(k);
    return text + "</body>\n";
  }
  static std::string inertial(const Inertia<double>& I) {
    const Vec3<double> c = (1 / I.m) * I.h;
    const double cc = norm_squared(c);
    const Sym3<double>& J = I.J;
    return fmt::format(
        "<inertial pos=\"{}\" mass=\"{:.17g}\" fullinertia=\"{}\"/>", numbers({c.x, c.y, c.z}), I.m,
        numbers({J.xx - I.m * (cc - c.x * c.x), J.yy - I.m * (cc - c.y * c.y), J.zz - I.m * (cc - c.z * c.z),
                 J.xy + I.m * c.x * c.y, J.xz + I.m * c.x * c.z, J.yz + I.m * c.y * c.z}));
  }
  // Coordinates in the order in which MuJoCo counts bodies; of a free joint places and velocities come first.
  std::string joint(int i) {
    const LinkTopology& link = model_.links[index(i)];
    const double damping = friction_of(model_.names[index(i)]);
    const auto put = [](std::string& text, const std::vector<double>& from, int first, int count) {
      for (int k = 0; k < count; ++k) text += fmt::format("{}{:.17g}", text.empty() ? "" : " ", from[index(first + k)]);
    };
    const State& start = scene_.start;
    if (link.joint == JointType::free) {
      put(q_, start.q, link.q + 4, 3), put(q_, start.q, link.q, 4);
      put(v_, start.v, link.v + 3, 3), put(v_, start.v, link.v, 3);
      return "<joint type=\"free\"/>";
    }
    const bool ball = link.joint == JointType::ball;
    put(q_, start.q, link.q, ball ? 4 : 1), put(v_, start.v, link.v, ball ? 3 : 1);
    const Vec3<double>& a = model_.params.links[index(i)].axis;
    return ball ? fmt::format("<joint type=\"ball\" damping=\"{:.17g}\"/>", damping)
                : fmt::format("<joint type=\"hinge\" axis=\"{}\" damping=\"{:.17g}\"/>", numbers({a.x, a.y, a.z}),
                              damping);
  }

  const Scene& scene_;
  const Model& model_;
  std::string q_, v_;
};

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
  const std::string figure = to_text(figure_of(scene));
  const std::vector<Peer> peers = {{"MuJoCo", of_peer("mujoco", Mjcf(scene).text())},
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
