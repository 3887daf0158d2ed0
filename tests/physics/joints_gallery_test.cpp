// What the gallery's knee, shoulder and sleeping chain claim, in numbers, and the books of a figure with forces on
// every coordinate.
#include <gtest/gtest.h>

#include <cmath>

#include "support/random_figure.h"
#include "support/recorded.h"

namespace marey {
namespace {

using recorded::Memory;
using V = Vec3<double>;

Memory run_gallery(const std::string& name) {
  Memory m;
  m.summary = run(load_scene(MAREY_SOURCE_DIR "/gallery/" + name + ".yaml"), m);
  EXPECT_TRUE(m.summary.ledger.closed) << name;
  EXPECT_LT(std::abs(m.summary.ledger.energy_residual_relative), 1e-6) << name;
  return m;
}
Transform<double> pose(const Memory& m, const std::string& link, std::size_t i) {
  return {rotation(m.turn("link/" + link + "/orientation", i)), m.vec("link/" + link + "/position", i)};
}

// All ten joints are stiff when the blow comes, and loose at the next frame; the end then goes with the blow.
TEST(JointsGallery, TheChainSleepsUntilItIsStruck) {
  const Memory m = run_gallery("falls-asleep");
  double farthest = 0;
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    const double t = m.time(i), welded = m.number("solver/welded", i);
    if (t > 4 && t < 5) {
      EXPECT_EQ(welded, 10) << t;
    }
    if (t > 5.01 && t < 5.3) {
      EXPECT_EQ(welded, 0) << t;
    }
    if (t > 5) farthest = std::max(farthest, m.number("link/chain.8/position", i));
  }
  EXPECT_EQ(m.number("solver/welded", m.rows.size() - 1), 10);
  EXPECT_GT(farthest, 0.05);
}

// The tables have two digits behind the point, in mm, and splines between: a tenth of a millimetre.
TEST(JointsGallery, TheLigamentsOfTheKneeKeepTheirLengths) {
  const Memory m = run_gallery("knee");
  double least = 1e9, most = -1e9;
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    const Transform<double> X_WT = pose(m, "leg.thigh", i), X_WS = pose(m, "leg.shank", i);
    const V knee{0, 0, -0.42};
    const auto length = [&](const V& thigh, const V& shank) { return norm(X_WT * (knee + thigh) - X_WS * shank); };
    const double bend = m.number("joint/leg.shank/angle", i);
    least = std::min(least, bend), most = std::max(most, bend);
    if (bend > 2.2) continue;  // beyond 130 degrees the tables go straight on
    EXPECT_NEAR(length({-0.008, 0, 0.006}, {0.012, 0, -0.024}), 0.03606, 1e-4) << i;
    EXPECT_NEAR(length({0.002, 0, 0}, {-0.016, 0, -0.026}), 0.03162, 1e-4) << i;
  }
  EXPECT_GT(most, 1.9);  // it swings well past where it hangs
  EXPECT_GT(least, -0.1);
}

// While it is held the knee is where the script wants it, let go it keeps its speed (weight changes it by less than
// 0.3 rad/s in a frame). The ankle follows by its gear all the time.
TEST(JointsGallery, TheKneeKicksIsLetGoAndIsCaught) {
  const Memory m = run_gallery("kick");
  const double deg = M_PI / 180;
  const auto bend = [&](std::size_t i) { return m.number("joint/leg.shank/angle", i); };
  const auto rate = [&](std::size_t i) { return m.number("joint/leg.shank/velocity", i); };
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    const double t = m.time(i);
    EXPECT_NEAR(m.at("joint/leg.foot/coordinate", i)[0], 0.2 * bend(i), 1e-10) << t;
    EXPECT_NEAR(m.at("joint/leg.foot/coordinate", i)[1], 0, 1e-10) << t;
    EXPECT_EQ(m.number("constraint/kick/holds", i), t < 0.85 ? 1 : 0) << t;
    if (std::abs(t - 0.5) < 1e-9) {
      EXPECT_NEAR(bend(i), 105 * deg, 1e-10);
    }
    if (t > 2.71) {
      EXPECT_NEAR(bend(i), 60 * deg, 1e-10) << t;
    }
    if (i > 0 && t > 0.85 && m.time(i - 1) < 0.85) {
      EXPECT_NEAR(rate(i), rate(i - 1), 0.3);
      EXPECT_LT(rate(i), -2);
    }
  }
  EXPECT_LT(std::abs(m.summary.ledger.energy_residual), 1e-6);
}

// The script that catches the knee sets out from where it is, at rest: the impulse takes all the energy of motion,
// which is that of the same knee when nobody catches it.
TEST(JointsGallery, CatchingTheKneeCostsItsEnergyOfMotion) {
  Scene caught = load_scene(MAREY_SOURCE_DIR "/gallery/kick.yaml");
  caught.duration = 2.4;
  Scene loose = caught;
  std::erase_if(loose.constraints, [](const Constraint& c) { return c.name == "catch"; });
  ASSERT_EQ(loose.constraints.size() + 1, caught.constraints.size());
  Memory a, b;
  run(caught, a), run(loose, b);
  const std::size_t last = b.rows.size() - 1;
  ASSERT_EQ(a.rows.size(), b.rows.size());
  const double energy = b.number("energy/kinetic", last);
  EXPECT_GT(energy, 3);
  EXPECT_NEAR(a.number("constraint/catch/work", last), -energy, 1e-12 * energy);
  EXPECT_LT(a.number("energy/kinetic", last), 1e-20);
}

TEST(JointsGallery, TheShoulderBladeStaysOnTheRibs) {
  const Memory m = run_gallery("shoulder");
  double travelled = 0;
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    const Transform<double> X_CB = inverse(pose(m, "body.chest", i)) * pose(m, "body.blade", i);
    const V p{X_CB.p.x / 0.11, X_CB.p.y / 0.15, X_CB.p.z / 0.20};
    EXPECT_NEAR(norm(p), 1, 1e-9) << i;
    V normal{p.x / 0.11, p.y / 0.15, p.z / 0.20};
    EXPECT_LT(norm(cross((1 / norm(normal)) * normal, X_CB.R * V{0, 0, 1})), 1e-9) << i;
    travelled = std::max(travelled, norm(m.vec("link/body.blade/position", i) - m.vec("link/body.blade/position", 0)));
  }
  EXPECT_GT(travelled, 0.01);
}

// Friction and torque functions on every coordinate of random figures with every joint: energy and momentum are
// accounted for. Steps are short enough for rk4's error of 1e-8; what is left of it shows in the residuals alone.
TEST(JointsGallery, TheBooksCloseWithForcesOnEveryCoordinate) {
  int general = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const figures::Figure f = figures::random_figure(seed, {5, figures::Tree::random, figures::Joints::every, 5});
    Scene scene;
    scene.model = f.model, scene.start = f.state;
    for (double& v : scene.start.v) v *= 0.2;
    scene.duration = 0.02, scene.record.every = 0.01, scene.solver.step = 2e-5;
    const TimeTable zero{{0}, {0}}, slope{{0}, {2}};
    for (int i = 1; i < f.model.nlink(); ++i) {
      const LinkTopology& link = f.model.links[static_cast<std::size_t>(i)];
      if (!is_general(link.joint)) continue;
      ++general;
      for (int k = 0; k < freedom_count(link); ++k) {
        scene.elements.push_back({"f" + std::to_string(10 * i + k), JointFriction{i, 0.05, k}});
        NamedAngle angle;
        if (has_attitude(link.joint)) angle.kind = NamedAngle::Kind::twist, angle.axis = {1, 2, 3};
        angle.coordinate = k;
        scene.elements.push_back({"t" + std::to_string(10 * i + k), FreePlay{i, angle, zero, zero, slope, slope}});
      }
    }
    for (const Element& e : scene.elements) ASSERT_EQ(refusal(scene.model, e), "");
    Memory m;
    m.summary = run(scene, m);
    EXPECT_LT(std::abs(m.summary.ledger.energy_residual_relative), 1e-8) << seed;
    EXPECT_LT(m.summary.ledger.linear_momentum_residual_relative, 1e-7) << seed;
    EXPECT_LT(m.summary.ledger.angular_momentum_residual_relative, 1e-7) << seed;
  }
  EXPECT_GE(general, 8);
}

}  // namespace
}  // namespace marey
