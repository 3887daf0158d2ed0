// A box that slides and turns on its four corners until it stops, in fixed steps and by located events. How its weight is shared among
// the corners decides where it stops; both take the least Σ|P|².
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "marey/io/scene.h"
#include "marey/simulation.h"

namespace marey {
namespace stepping_sliding_test {

Vec3<double> end_of(const std::string& more, double step) {
  Scene scene = parse_scene(
      "marey: 1\nduration: 1 s\nfigures: {b: {links: {b: {shape: {box: [40 cm, 20 cm, 20 cm]}, mass: 2 kg, start: "
      "{position: "
      "[0, 0, 10 cm], velocity: [0.6 m/s, 1.2 m/s, 0], spin: [0, 0, 5 rad/s]}}}}}\n" +
          more,
      "test.yaml");
  if (step > 0) scene.solver.step = step;
  Simulation s(scene);
  s.run_until(0.6);
  EXPECT_NEAR(s.values("link/b.b/velocity")[1], 0, 1e-12);
  const auto at = s.values("link/b.b/position");
  return {at[0], at[1], at[2]};
}

// Steps take friction as it is at their end, an error of order h: those of h and h/2 are as 2 : 1, but for order h, so that they go to what events
// say and to nothing else.
TEST(SteppingSliding, WhereItStopsConvergesToWhatEventsSay) {
  const Vec3<double> exact =
      end_of("solver: {integrator: rk45, tolerance: 1.0e-8}\ncontacts: [{link: b.b, friction: 0.4}]\n", 0);
  Vec3<double> before{};
  for (const double h : {4e-3, 2e-3, 1e-3, 5e-4}) {
    const Vec3<double> error = end_of(
                                   "solver: {contact: stepping, accuracy: tight}\nscenery: {floor: {plane: "
                                   "0}}\ncollide: all\nmaterials: {default: {friction: "
                                   "0.4}}\n",
                                   h) -
                               exact;
    std::printf("%g ms: %.2e, %.2e m\n", 1e3 * h, error.x, error.y);
    if (h < 4e-3) EXPECT_NEAR(before.y / error.y, 2, 0.2) << h;
    before = error;
  }
}

}  // namespace stepping_sliding_test
}  // namespace marey
