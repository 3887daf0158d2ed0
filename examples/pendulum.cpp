// A pendulum made in code: one link on a hinge, released, stepped, and its period compared with the closed form.
//
// A body of moment of inertia J about its hinge, whose first moment about it is h = m c, swings with the amplitude θ₀ in
//   T = 4 √(J / (h g)) K(sin(θ₀/2)),   K the complete elliptic integral of the first kind.
#include <cmath>
#include <cstdio>

#include "marey/simulation.h"

int main() {
  const double amplitude = 1;  // rad
  marey::Shape rod{marey::Capsule{0.01, 1.0}, {}};
  rod.X_BS.p = {0, 0, -0.5};
  marey::LinkSpec arm;
  arm.name = "arm";
  arm.joint = marey::JointType::hinge;
  arm.axis = {0, 1, 0};
  arm.inertia = marey::shape_inertia(rod, 2.0);
  marey::ModelSpec spec;
  spec.links = {arm};

  marey::Scene scene;
  scene.model = marey::freeze(spec);
  scene.start = marey::neutral_state(scene.model);
  scene.start.q[0] = amplitude;
  scene.solver.step = 1e-3;

  // It passes below its hinge twice per period. At that instant its acceleration is zero, so that linear interpolation
  // between two steps locates it to h³ ω²: 1e-8 s.
  marey::Simulation simulation(scene);
  double passed[3];
  for (int count = 0; count < 3;) {
    const double t = simulation.time(), before = simulation.value("joint/arm/angle");
    simulation.step();
    const double after = simulation.value("joint/arm/angle");
    if (before * after < 0) passed[count++] = t + (simulation.time() - t) * before / (before - after);
  }
  const double period = passed[2] - passed[0];
  const double expected =
      4 * std::sqrt(arm.inertia.J.yy / (-arm.inertia.h.z * 9.81)) * std::comp_ellint_1(std::sin(amplitude / 2));
  std::printf("period %.9f s, in closed form %.9f s\n", period, expected);
  return std::abs(period - expected) < 1e-7 * expected ? 0 : 1;
}
