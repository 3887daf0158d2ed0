// Scenes of points on floors, for tests.
#pragma once

#include <cmath>
#include <string>

#include "marey/closed_form.h"
#include "sim/world.h"

namespace floors {

using namespace marey;

inline Vec3<double> down{0, 0, -9.81};

// A free body with a homogeneous solid, its origin at its centre of mass.
inline Scene body(const Solid& solid, double mass) {
  ModelSpec spec;
  LinkSpec link;
  link.name = "body";
  link.joint = JointType::free;
  link.inertia = solid_inertia(solid, mass);
  spec.links.push_back(link);
  spec.gravity = down;
  Scene scene;
  scene.model = freeze(spec);
  scene.start = neutral_state(scene.model);
  scene.duration = 1;
  return scene;
}

inline FloorContact point(const Vec3<double>& at, const std::string& name = "point") {
  FloorContact c;
  c.link = 1;
  c.point_B = at;
  c.name = name;
  return c;
}

// A ball whose centre cannot come nearer to the floor than its radius.
inline Scene ball(double height, double velocity, double restitution, double radius = 0.1) {
  Scene scene = body(Sphere{0.1}, 0.5);
  scene.start.q[6] = radius + height;
  scene.start.v[5] = velocity;
  FloorContact c = point({}, "ball");
  c.plane.offset = radius;
  c.law.restitution = restitution;
  scene.contacts.push_back(c);
  return scene;
}

// The rod of R 3.3: thin, in the x-z plane; R_WB turns z, its axis, to (cos φ, 0, sin φ).
struct RodShape {
  double mass = 1, length = 1;
};
inline Scene rod(const RodShape& shape, const PlaneRod& at) {
  Scene scene;
  ModelSpec spec;
  LinkSpec link;
  link.name = "rod";
  link.joint = JointType::free;
  const double transverse = shape.mass * shape.length * shape.length / 12;
  link.inertia = Inertia<double>{shape.mass, {}, {transverse, transverse, 1e-6 * transverse, 0, 0, 0}};
  spec.links.push_back(link);
  spec.gravity = down;
  scene.model = freeze(spec);
  scene.start = neutral_state(scene.model);
  const Quaternion<double> turn = quaternion_about({0, 1, 0}, std::acos(-1.0) / 2 - at.phi);
  const double q[] = {turn.w, turn.x, turn.y, turn.z, at.x, 0, at.z};
  std::copy(q, q + 7, scene.start.q.begin());
  scene.start.v[1] = -at.phidot;
  scene.start.v[3] = at.xdot, scene.start.v[5] = at.zdot;
  scene.contacts = {point({0, 0, 0.5 * shape.length}, "upper"), point({0, 0, -0.5 * shape.length}, "lower")};
  return scene;
}
inline void set_law(Scene& scene, ImpactKind kind, double restitution, double friction = 0) {
  for (FloorContact& c : scene.contacts) {
    c.law.kind = kind, c.law.restitution = restitution, c.law.friction = friction;
    c.friction_static = c.friction_kinetic = friction;
  }
}

inline double energy(World& world) { return world.balance(world.state()).energy; }
inline Ledger ledger(World& world, const Scene& scene, double closed_within = 1e-9) {
  return close_ledger(world.layout(), world.ledger(), world.balance(world.state()), world.integrals(), scene,
                      closed_within);
}
inline SolverOptions adaptive(Integrator method, double tolerance) {
  SolverOptions o;
  o.integrator = method;
  o.step = forever;
  o.tolerance = tolerance;
  return o;
}
inline SolverOptions fixed(Integrator method, double step) {
  SolverOptions o;
  o.integrator = method;
  o.step = step;
  return o;
}
inline void run_until(World& world, double t) {
  while (world.time() < t) world.step(t);
}

}  // namespace floors
