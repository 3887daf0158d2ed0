// The arch of the gallery stands by friction alone, and falls where no forces within the cones of friction could hold it.
//
// Static admissibility of half of a semicircular arch of nine equal stones. By symmetry the thrust H is horizontal, the same in all
// joints; the joint at the angle φ = 20° j above the springing carries the weight V = 4.5 − j (in stones) above it. In its axes
//   N = H sin φ + V cos φ      T = H cos φ − V sin φ                                                                 (1)
// and the least μ is min over H of max over joints of |T|/N. (The line of thrust fits into stones of this thickness: R/t = 4.5 < 9.3.)
#include <gtest/gtest.h>

#include <cmath>

#include "marey/io/scene.h"
#include "marey/simulation.h"

namespace marey {
namespace arch_test {

double least_friction() {
  double least = 1;
  for (double H = 0.5; H < 3; H += 1e-5) {
    double most = 0;
    for (int j = 0; j < 5; ++j) {
      const double phi = j * std::acos(-1.0) / 9, V = 4.5 - j;
      most = std::max(
          most, std::abs(H * std::cos(phi) - V * std::sin(phi)) / (H * std::sin(phi) + V * std::cos(phi)));  // (1)
    }
    least = std::min(least, most);
  }
  return least;
}

double moved_with(double friction) {
  Scene scene = load_scene(MAREY_SOURCE_DIR "/gallery/arch.yaml");
  for (Material& m : scene.materials.materials) m.law.friction_static = m.law.friction_kinetic = friction;
  Simulation s(scene);
  const int key = scene.model.find("stone-5.body");
  const Vec3<double> before = s.pose(key).p;
  while (s.time() < 1.5 && norm(s.pose(key).p - before) < 0.01) s.step();
  return norm(s.pose(key).p - before);
}

TEST(Arch, FallsWithinOnePercentOfTheLeastFriction) {
  const double least = least_friction();
  EXPECT_NEAR(least, 0.309, 1e-3);
  EXPECT_GE(moved_with(0.99 * least), 0.01);
  EXPECT_LT(moved_with(1.01 * least), 1e-9);
}

}  // namespace arch_test
}  // namespace marey
