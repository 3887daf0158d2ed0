// Figures with constraints, for tests of them in a running world.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sim/world.h"
#include "support/floors.h"

namespace held {

using namespace marey;
using Kind = LoopJoint::Kind;
using Vec = Vec3<double>;

inline LinkSpec body(const std::string& name, JointType joint, const std::string& parent = "world") {
  LinkSpec link;
  link.name = name, link.parent = parent, link.joint = joint;
  link.axis = {0, 1, 0};
  link.inertia = inertia_about_origin(1.5, {0.3, 0.02, 0.1}, {0.02, 0.05, 0.06, 0, 0, 0.001});
  return link;
}
inline Scene scene_of(const std::vector<LinkSpec>& links, const Vec& gravity = {0, 0, -9.81}) {
  Scene scene;
  ModelSpec spec;
  spec.links = links, spec.gravity = gravity;
  scene.model = freeze(spec);
  scene.start = neutral_state(scene.model);
  scene.solver = floors::fixed(Integrator::rk4, 1e-3);
  return scene;
}
inline Constraint loop(Kind kind, int a, int b, const Transform<double>& X_a = {}, const Transform<double>& X_b = {}) {
  Constraint c;
  c.kind = LoopJoint{kind};
  c.a = {a, X_a}, c.b = {b, X_b};
  c.name = name_of(kind);
  return c;
}
inline Ledger ledger(World& world, const Scene& scene, double within = 1e-6) {
  return close_ledger(world.layout(), world.ledger(), world.balance(world.state()), world.integrals(), scene, within);
}
inline double work_of(const Ledger& l, const std::string& name) {
  for (const auto& [source, work] : l.work_in)
    if (source == name) return work;
  ADD_FAILURE() << "no source " << name;
  return 0;
}
inline const Mat3<double> z_along_y{1, 0, 0, 0, 0, 1, 0, -1, 0};  // a frame whose z is the link's y

// Two links on hinges; and the same with the second on a free joint, held by a hinge of its own.
inline Scene double_pendulum() {
  LinkSpec second = body("second", JointType::hinge, "first");
  second.X_PF.p = {0.6, 0, 0};
  Scene scene = scene_of({body("first", JointType::hinge), second});
  scene.start.q = {0.3, 0.5};
  scene.start.v = {1, -2};
  return scene;
}
inline Scene held_pendulum() {
  Scene scene = scene_of({body("first", JointType::hinge), body("second", JointType::free)});
  const Quaternion<double> turn = quaternion_about(Vec{0, 1, 0}, 0.8);
  const Vec end = rotation_about(Vec{0, 1, 0}, 0.3) * Vec{0.6, 0, 0};
  scene.start.q = {0.3, turn.w, turn.x, turn.y, turn.z, end.x, end.y, end.z};
  const Vec v = cross(Vec{0, 1, 0}, end);
  scene.start.v = {1, 0, -1, 0, v.x, v.y, v.z};
  scene.constraints = {loop(Kind::hinge, 1, 2, {z_along_y, {0.6, 0, 0}}, {z_along_y, {}})};
  return scene;
}

}  // namespace held
