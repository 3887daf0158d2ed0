// Coordinates by scripts: f(t)/factor for a freedom with a coordinate of its own. Of an attitude, with R = R_FB:
//
//   Euler angles   R = Rx(a) Ry(b) Rz(c);  in B the axes of ȧ, ḃ, ċ are
//                  u₃ = e_z,  u₂ = Rz(c)ᵀ e_y,  u₁ = Rz(c)ᵀ Ry(b)ᵀ e_x                                         (1)
//                  w = ȧ u₁ + ḃ u₂ + ċ u₃,  u̇₂ = −ċ u₃ × u₂,  u̇₁ = −ḃ u₂ × u₁ − ċ u₃ × u₁                    (2)
//   twist          R = Rot(a, θ − θ_0) R_0: the swing stays;  w = θ̇ R_0ᵀ a, whose direction in B stays         (3)
//
// Angles without a script keep their values at the start.
#include "marey/sim/scripted.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "marey/core/index.h"
#include "marey/force/attitude_angle.h"
#include "marey/force/tissue.h"

namespace marey {
namespace {

using Kind = NamedAngle::Kind;

const Coupler* script_of(const Constraint& c) {
  const Coupler* coupler = c.kind.get_if<Coupler>();
  return coupler != nullptr && coupler->terms.size() == 1 && coupler->level == Coupler::Level::coordinate ? coupler
                                                                                                          : nullptr;
}

std::string refusal_of_script(const Scene& scene, const Constraint& c) {
  const Coupler* coupler = script_of(c);
  if (coupler == nullptr)
    return fmt::format(
        "'{}' is no script of a joint's coordinate or angle, and without dynamics nothing else moves "
        "anything: leave it away, or use dynamics: aba",
        c.name);
  if (c.from > 0 || c.when || c.until < scene.duration)
    return fmt::format(
        "'{}' does not hold from the start to the end, and without dynamics nothing moves its joint "
        "besides: let it hold all the time",
        c.name);
  if (coupler->blend > 0)
    return fmt::format("'{}' has a 'blend', which means nothing without dynamics: leave it away", c.name);
  const Coupler::Term& term = coupler->terms[0];
  if (term.angle.kind == Kind::swing)
    return fmt::format("'{}' prescribes a swing, which does not say where to: prescribe Euler angles", c.name);
  const bool turns = term.angle.kind != Kind::coordinate;
  for (const Constraint& other : scene.constraints) {
    const Coupler* its = &other == &c ? nullptr : script_of(other);
    if (its == nullptr || its->terms[0].link != term.link || its->terms[0].angle.kind == Kind::coordinate || !turns)
      continue;
    if (term.angle.kind == Kind::twist)
      return fmt::format("'{}' prescribes a twist beside '{}', another angle of the same joint: prescribe Euler angles",
                         c.name, other.name);
  }
  return {};
}

Vec3<double> euler_of(const Quaternion<double>& q) {
  Vec3<double> angles;
  angles.x = angle_of_attitude<double>({Kind::euler_x, {0, 0, 1}, 0}, q).angle;
  angles.y = angle_of_attitude<double>({Kind::euler_y, {0, 0, 1}, 0}, q).angle;
  angles.z = angle_of_attitude<double>({Kind::euler_z, {0, 0, 1}, 0}, q).angle;
  return angles;
}

}  // namespace

std::string refusal_of_kinematics(const Scene& scene) {
  if (scene.constraints.empty())
    return "dynamics: none moves joints by their scripts, and there is none: give them under 'drives'";
  for (const Constraint& c : scene.constraints)
    if (const std::string why = refusal_of_script(scene, c); !why.empty()) return why;
  for (const Element& e : scene.elements)
    if (e.kind.get_if<TissueSpring>() != nullptr)
      return "wobbling masses are moved by forces alone, and without dynamics there are none: leave 'wobble' away";
  const RecordOptions& r = scene.record;
  if (!r.paths.empty() || !r.euler_zyz.empty() || !r.compare.empty())
    return "without dynamics neither paths, euler_zyz nor compare are recorded: leave them away";
  std::vector<bool> moved(scene.model.links.size());
  for (const Constraint& c : scene.constraints) moved[index(script_of(c)->terms[0].link)] = true;
  for (int i = 1; i < scene.model.nlink(); ++i) {
    const LinkTopology& link = scene.model.links[index(i)];
    for (int k = 0; k < freedom_count(link) && !moved[index(i)]; ++k)
      if (scene.start.v[index(link.v + k)] != 0)
        return fmt::format(
            "'{}' moves at the start, and without dynamics only scripts move anything: give it one under "
            "'drives', or let it rest",
            scene.model.names[index(i)]);
  }
  return {};
}

ScriptedMotion::ScriptedMotion(const Scene& scene) : scene_(scene) {
  for (const Constraint& c : scene.constraints) {
    const Coupler& coupler = *script_of(c);
    const Coupler::Term& term = coupler.terms[0];
    auto at = std::ranges::find(joints_, term.link, &Joint::link);
    if (at == joints_.end()) at = joints_.insert(joints_.end(), Joint{term.link, {}});
    at->scripts.push_back({term.freedom, term.angle, &coupler.sum, term.factor});
  }
}

void ScriptedMotion::at(double t, State& state, std::vector<double>& vdot) const {
  state.t = t;
  state.q = scene_.start.q;
  state.v.assign(scene_.start.v.size(), 0), vdot.assign(scene_.start.v.size(), 0);
  for (const Joint& joint : joints_) {
    const LinkTopology& link = scene_.model.links[index(joint.link)];
    const int coordinates_ahead = coordinate_count(link) - freedom_count(link);  // 1 of a quaternion
    for (const Script& s : joint.scripts) {
      if (s.angle.kind != Kind::coordinate) continue;
      const TimeFunction::AtTime f = s.function->at(t);
      state.q[index(link.q + s.freedom + coordinates_ahead)] = f.value / s.factor;
      state.v[index(link.v + s.freedom)] = f.rate / s.factor,
                             vdot[index(link.v + s.freedom)] = f.acceleration / s.factor;
    }
    if (has_attitude(link.joint)) turn(joint, t, state, vdot);
  }
}

void ScriptedMotion::turn(const Joint& joint, double t, State& state, std::vector<double>& vdot) const {
  const LinkTopology& link = scene_.model.links[index(joint.link)];
  double* const q = state.q.data() + link.q;
  const Quaternion<double> start{q[0], q[1], q[2], q[3]};
  Vec3<double> w, w_dot, value = euler_of(start), rate, acceleration;
  Quaternion<double> now = start;
  bool by_euler = false;
  for (const Script& s : joint.scripts) {
    if (s.angle.kind == Kind::coordinate) continue;
    const TimeFunction::AtTime f = s.function->at(t);
    if (s.angle.kind == Kind::twist) {
      const Vec3<double> a = (1 / norm(s.angle.axis)) * s.angle.axis;
      const double theta_0 = angle_of_attitude<double>(s.angle, start).angle;
      now = quaternion_about(a, f.value / s.factor - theta_0) * start;  // (3)
      const Vec3<double> along = transpose(rotation(start)) * a;
      w = (f.rate / s.factor) * along, w_dot = (f.acceleration / s.factor) * along;
      continue;
    }
    const int k = s.angle.kind == Kind::euler_x ? 0 : s.angle.kind == Kind::euler_y ? 1 : 2;
    value[k] = f.value / s.factor, rate[k] = f.rate / s.factor, acceleration[k] = f.acceleration / s.factor;
    by_euler = true;
  }
  if (by_euler) {
    const Quaternion<double> about_y = quaternion_about(Vec3<double>{0, 1, 0}, value.y),
                             about_z = quaternion_about(Vec3<double>{0, 0, 1}, value.z);
    now = quaternion_about(Vec3<double>{1, 0, 0}, value.x) * about_y * about_z;
    const Mat3<double> Rz_t = transpose(rotation(about_z));
    const Vec3<double> u3{0, 0, 1}, u2 = Rz_t * Vec3<double>{0, 1, 0},
                                    u1 = Rz_t * (transpose(rotation(about_y)) * Vec3<double>{1, 0, 0});  // (1)
    w = rate.x * u1 + rate.y * u2 + rate.z * u3;
    const Vec3<double> u2_dot = -rate.z * cross(u3, u2), u1_dot = -rate.y * cross(u2, u1) - rate.z * cross(u3, u1);
    w_dot = acceleration.x * u1 + acceleration.y * u2 + acceleration.z * u3 + rate.x * u1_dot + rate.y * u2_dot;  // (2)
  }
  q[0] = now.w, q[1] = now.x, q[2] = now.y, q[3] = now.z;
  for (int k = 0; k < 3; ++k) state.v[index(link.v + k)] = w[k], vdot[index(link.v + k)] = w_dot[k];
}

}  // namespace marey
