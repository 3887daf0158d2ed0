// What the gallery's scenes after Armstrong and Green 1985, sections 4 and 5, claim, in numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "marey/force.h"
#include "support/recorded.h"

namespace armstrong_green_test {

using namespace marey;
using recorded::Memory;
using V = Vec3<double>;

constexpr double degree = std::numbers::pi / 180;

Scene gallery(const std::string& name) {
  return load_scene(std::string(MAREY_SOURCE_DIR "/gallery/") + name + ".yaml");
}
Memory motion_of(const Scene& scene) {
  Memory m;
  m.summary = run(scene, m);
  return m;
}
std::pair<double, double> range(const Memory& m, const std::string& channel, double from = 0) {
  double least = 1e300, greatest = -1e300;
  for (std::size_t i = 0; i < m.rows.size(); ++i)
    if (m.time(i) >= from)
      least = std::min(least, m.number(channel, i)), greatest = std::max(greatest, m.number(channel, i));
  return {least, greatest};
}

// ---- A4: ranges, found by running limp; and how to leave them
TEST(ArmstrongGreen, TheLimpArmFindsTheRangesThatTheOtherArmsHave) {
  const Scene scene = gallery("limp-arm");
  for (const Element& e : scene.elements) EXPECT_NE(e.kind.get_if<JointFriction>(), nullptr) << "a torque function";
  Scene other = scene;
  other.solver.integrator = Integrator::rk45, other.solver.step = forever, other.solver.tolerance = 1e-10;
  const Memory limp = motion_of(scene), again = motion_of(other);
  EXPECT_TRUE(limp.summary.ledger.closed);
  const Scene ranged = gallery("out-of-range");
  for (const char* link : {"forearm", "hand"}) {
    const std::string channel = std::string("joint/arm.") + link + "/angle";
    const auto [least, greatest] = range(limp, channel);
    const auto [least_again, greatest_again] = range(again, channel);
    std::printf("%s: from %.2f to %.2f degrees\n", link, least / degree, greatest / degree);
    EXPECT_NEAR(least, least_again, 1e-6);  // by another method
    EXPECT_NEAR(greatest, greatest_again, 1e-6);
    int zones = 0;
    for (const Element& e : ranged.elements) {
      const FreePlay* play = e.kind.get_if<FreePlay>();
      if (play == nullptr || !ranged.model.names[static_cast<std::size_t>(play->link)].ends_with(link)) continue;
      ++zones;
      EXPECT_NEAR(play->from.at(0), least, 0.5 * degree);
      EXPECT_NEAR(play->to.at(0), greatest, 0.5 * degree);
    }
    EXPECT_EQ(zones, 2);
  }
}

// At rest the moments about the elbow are in balance: those of the weights of forearm (1.4 kg, 13 cm from the elbow) and hand (0.5 kg, which
// hangs down from the wrist), the pull, and the torque function's.
TEST(ArmstrongGreen, ALargeEnoughForceDrivesTheElbowOutOfItsRange) {
  const Memory m = motion_of(gallery("out-of-range"));
  EXPECT_TRUE(m.summary.ledger.closed);
  const std::size_t pulled = 398;
  ASSERT_NEAR(m.time(pulled), 3.98, 1e-9);
  const double weight = 9.81 * (1.4 * 0.13 + 0.5 * 0.26), from = -49 * degree;
  const auto elbow = [&](const char* arm, std::size_t i) {
    return m.number(std::string("joint/") + arm + ".forearm/angle", i);
  };
  // In its range nothing but the weight holds the 3 N: sin φ = −F l/weight for the angle φ of the forearm, 30° + the elbow's.
  EXPECT_NEAR(elbow("pressed", pulled), -std::asin(3 * 0.26 / weight) - 30 * degree, 1e-3);
  EXPECT_GT(elbow("pressed", pulled), from);
  const double out = elbow("forced", pulled);
  std::printf("60 N: the elbow is %.2f degrees out of its range\n", (from - out) / degree);
  EXPECT_GT(from - out, 15 * degree);
  EXPECT_NEAR(40 * (from - out) - weight * std::sin(out + 30 * degree), 60 * 0.26, 40 * 1e-3);
  for (const char* arm : {"pressed", "forced"}) EXPECT_NEAR(elbow(arm, m.rows.size() - 1), -30 * degree, 0.01);
}

// ---- A4: the instability
TEST(ArmstrongGreen, TheStickFigureFliesOffAsTheAdviserSays) {
  const Scene scene = gallery("oblivion");
  const StepAdvice advice = advise_step(scene.model, scene.elements, scene.start);
  EXPECT_LT(advice.unstable_step, scene.solver.step);
  EXPECT_NE(advice.cause.find("long axis of 'stick."), std::string::npos) << advice.cause;
  const Memory m = motion_of(scene);
  ASSERT_FALSE(m.summary.warnings.empty());
  EXPECT_NE(m.summary.warnings[0].find("likely to fly off"), std::string::npos) << m.summary.warnings[0];
  EXPECT_NE(m.summary.breakdown, "");
  // At rest until it is touched; then some steps of shaking, which are recorded; then it breaks.
  const auto energy = [&](double t) {
    return m.number("energy/kinetic", static_cast<std::size_t>(std::lround(100 * t)));
  };
  EXPECT_LT(energy(2.19), 1e-9);
  ASSERT_GT(m.rows.size(), 250u);
  EXPECT_LT(m.rows.size(), 400u);
  EXPECT_GT(m.number("energy/kinetic", m.rows.size() - 1), 1e6);
  // A step within the advice: nothing of the kind.
  Scene calm = scene;
  calm.solver.step = 2e-3;
  const Memory right = motion_of(calm);
  EXPECT_EQ(right.summary.breakdown, "");
  EXPECT_TRUE(right.summary.warnings.empty());
  EXPECT_TRUE(right.summary.ledger.closed);
  EXPECT_LT(range(right, "energy/kinetic").second, 1);
}

// ---- A5
TEST(ArmstrongGreen, TheGymnastTurnsAboutACenterOfMassThatMovesAsOneParticle) {
  const Memory m = motion_of(gallery("gymnast"));
  EXPECT_TRUE(m.summary.ledger.closed);
  const double mass = 36 + 5 + 2 * (3.5 + 8 + 4.5), gamma = 250 / (2 * mass),
               w = std::sqrt(1500 / mass - gamma * gamma);
  const V target{0, 0, 1.8};
  const V A = m.vec("center_of_mass/position", 0) - target,
          B = (1 / w) * ((1 / mass) * m.vec("momentum/linear", 0) + gamma * A);
  const auto spin = [&](std::size_t i) {
    return m.vec("momentum/angular", i) - cross(m.vec("center_of_mass/position", i), m.vec("momentum/linear", i));
  };
  for (std::size_t i = 0; i < m.rows.size(); i += 10) {
    const double t = m.time(i);
    const V c = target + std::exp(-gamma * t) * (std::cos(w * t) * A + std::sin(w * t) * B);
    EXPECT_LE(norm(m.vec("center_of_mass/position", i) - c), 1e-8) << t;
    EXPECT_LE(norm(spin(i) - spin(0)), 1e-7 * norm(spin(0))) << t;
  }
  const double open = m.vec("link/gymnast.trunk/spin", 30).y, tucked = m.vec("link/gymnast.trunk/spin", 130).y;
  std::printf("turns at %.0f degrees a second, and tucked in at %.0f\n", open / degree, tucked / degree);
  EXPECT_GT(tucked, 2.5 * open);
}

// ---- A6
TEST(ArmstrongGreen, TheSwingIsPushedWhenItHasComeBack) {
  const Memory m = motion_of(gallery("pushed-swing"));
  EXPECT_TRUE(m.summary.ledger.closed);
  std::vector<std::size_t> begins;
  const auto acts = [&](std::size_t i) { return norm(m.vec("element/hand/force", i)) > 0; };
  const auto speed = [&](std::size_t i) { return 2 * std::abs(m.number("joint/swing.seat/velocity", i)); };
  for (std::size_t i = 1; i < m.rows.size(); ++i) {
    if (!acts(i) || acts(i - 1)) continue;
    begins.push_back(i);
    // It began within the last frame, a fiftieth of a second, in which the speed changes by less than g/50.
    EXPECT_LT(m.number("joint/swing.seat/angle", i), -12 * degree) << m.time(i);
    EXPECT_LT(speed(i), 0.1 + 9.81 / 50) << m.time(i);
    EXPECT_GT(speed(i - 1), 0.1) << m.time(i);
  }
  ASSERT_GT(begins.size(), 20u);
  // Settled: each push gives what friction takes until the next.
  const std::size_t last = begins[begins.size() - 1], before = begins[begins.size() - 2];
  const double given = m.number("element/hand/work", last) - m.number("element/hand/work", before),
               taken = m.number("element/swing.seat/friction/work", before) -
                       m.number("element/swing.seat/friction/work", last);
  std::printf("%zu pushes; the last gave %.2f J, of which friction took %.2f J\n", begins.size() + 1, given, taken);
  EXPECT_NEAR(given, taken, 0.02 * taken);
}

// ---- A9: see also free_play_stability_test.cpp
TEST(ArmstrongGreen, FreePlayAndFrictionBringOneArmToRest) {
  const Memory m = motion_of(gallery("free-play-calms"));
  EXPECT_EQ(m.summary.breakdown, "");
  EXPECT_FALSE(m.summary.ledger.closed);
  for (const char* link : {"first", "second", "third"}) {
    const auto [least, greatest] = range(m, std::string("joint/loose.") + link + "/angle", 3);
    EXPECT_LT(greatest - least, 1 * degree) << link;
  }
  const auto loose = range(m, "joint/loose.second/angle"), stiff = range(m, "joint/stiff.third/angle", 3);
  EXPECT_LT(loose.first, -5 * degree) << "it is to reach the end of its zone";
  EXPECT_GT(stiff.second - stiff.first, 60 * degree);
  Scene shorter = gallery("free-play-calms");  // what shook the other was the method alone
  shorter.solver.step = 0.1e-3;
  const auto calm = range(motion_of(shorter), "joint/stiff.third/angle", 3);
  EXPECT_LT(calm.second - calm.first, 2 * degree);
}

}  // namespace armstrong_green_test
