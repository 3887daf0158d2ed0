// What the gallery's jumps claim, in numbers (R12, figs. 4.8 and 4.9).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include "marey/force/muscle.h"
#include "support/recorded.h"

namespace marey::jumps_gallery_test {
namespace {

using recorded::Memory;
constexpr double g = 9.81, pi = std::numbers::pi;

Memory run_gallery(const std::string& name) {
  Memory m;
  m.summary = run(load_scene(MAREY_SOURCE_DIR "/gallery/" + name + ".yaml", {}), m);
  EXPECT_TRUE(m.summary.ledger.closed) << name;
  return m;
}
double load(const Memory& m, const std::string& ground, std::size_t i) {
  return m.vec("element/" + ground + "/force", i).z;
}
// As the scenes say them.
struct Range {
  const char* joint;
  double from, to;
};
constexpr Range ranges[] = {{"shanks", -40, 50}, {"thighs", -2, 135}, {"trunk", -120, 30}, {"arms", -60, 180}};

void expect_within_limits(const Memory& m, const std::string& who) {
  for (const Range& r : ranges)
    for (std::size_t i = 0; i < m.rows.size(); ++i) {
      const double angle = m.number("joint/" + who + "." + r.joint + "/angle", i) * 180 / pi;
      EXPECT_GE(angle, r.from) << who << ' ' << r.joint << " at " << m.time(i);
      EXPECT_LE(angle, r.to) << who << ' ' << r.joint << " at " << m.time(i);
    }
}
// In the last quarter of a second nobody moves, and the ground carries the weight.
void expect_rest(const Memory& m, const std::string& who, const std::string& ground, double mass) {
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    if (m.time(i) < m.time(m.rows.size() - 1) - 0.25) continue;
    EXPECT_NEAR(load(m, ground, i), mass * g, 0.05 * mass * g) << who << " at " << m.time(i);
    for (const Range& r : ranges)
      EXPECT_LT(std::abs(m.number("joint/" + who + "." + r.joint + "/velocity", i)), 0.1) << who << ' ' << r.joint;
  }
}

TEST(JumpsGallery, TheSquatComesToRest) {
  const Memory m = run_gallery("squat");
  const std::size_t last = m.rows.size() - 1;
  expect_rest(m, "jumper", "plank", 75);
  expect_within_limits(m, "jumper");
  const double knee = m.number("joint/jumper.thighs/angle", last) * 180 / pi;
  double bend = 0, peak = 0;
  for (std::size_t i = 0; i < m.rows.size(); ++i)
    bend = std::min(bend, m.number("element/plank/bend_1", i)), peak = std::max(peak, load(m, "plank", i));
  std::printf("squat: knees bent by %.0f deg, plank by %.0f mm at most, %.1f body weights, account %.1e\n", knee,
              -1000 * std::numbers::sqrt2 * bend, peak / (75 * g), m.summary.ledger.energy_residual_relative);
  EXPECT_GT(knee, 40);
  EXPECT_LT(-std::numbers::sqrt2 * bend, 0.3);
  // as it stands the plank is bent by the weight, 48 EI/L³ = 40 kN/m, in its first mode by 96/π⁴ of that
  EXPECT_NEAR(-std::numbers::sqrt2 * m.number("element/plank/bend_1", last), 96 / std::pow(pi, 4) * 75 * g / 40e3,
              0.05 * 75 * g / 40e3);
  EXPECT_LT(m.summary.ledger.energy_residual_relative, 1e-6);
}

TEST(JumpsGallery, TheSomersaultGoesRound) {
  const Memory m = run_gallery("plank-somersault");
  std::size_t touches = 0;
  while (load(m, "plank", touches) == 0) ++touches;
  std::size_t last = m.rows.size() - 1, off = last;
  while (load(m, "plank", off - 1) == 0) --off;  // the last flight
  ASSERT_GT(off, touches);
  ASSERT_LT(off + 60, last);
  const auto turn = [&](std::size_t i) {
    double sum = m.at("joint/jumper.feet/coordinate", i).back();
    for (const char* joint : {"shanks", "thighs", "trunk"})
      sum += m.number(std::string("joint/jumper.") + joint + "/angle", i);
    return sum / (2 * pi);
  };
  std::printf("plank-somersault: off at %.2f s, the trunk turns by %.2f in %.2f s, account %.1e\n", m.time(off),
              turn(last) - turn(off), m.time(last) - m.time(off), m.summary.ledger.energy_residual_relative);
  EXPECT_GT(std::abs(turn(last) - turn(off)), 1);
  for (const char* link : {"feet", "shanks", "thighs", "trunk"})  // before it lands
    EXPECT_GT(m.vec(std::string("link/jumper.") + link + "/position", last).z, 0) << link;
  EXPECT_LT(m.summary.ledger.energy_residual_relative, 1e-6);
  // In flight angular momentum about the centre of mass stays what it is, whatever the joints do.
  const auto spin = [&](std::size_t i) {
    const Vec3<double> L = m.vec("momentum/angular", i), p = m.vec("momentum/linear", i);
    const Vec3<double> c = m.vec("center_of_mass/position", i);
    return (L - cross(c, p)).x;
  };
  double lost = 0;
  for (std::size_t i = off + 1; i <= last; ++i) lost = std::max(lost, std::abs(spin(i) - spin(off)));
  std::printf("  angular momentum %.3f kg m^2/s, kept within %.1e\n", spin(off), lost);
  EXPECT_LT(lost, 1e-10 * std::abs(spin(off)));
}

TEST(JumpsGallery, PeopleLand) {
  const Memory m = run_gallery("landings");
  for (const auto& [who, mass] : {std::pair{"child", 30.0}, {"man", 75.0}, {"elder", 62.0}}) {
    const std::string ground = std::string(who) + "_ground";
    double peak = 0;
    for (std::size_t i = 0; i < m.rows.size(); ++i) peak = std::max(peak, load(m, ground, i));
    std::printf("%s: %.2f kN, %.1f body weights\n", who, peak / 1000, peak / (mass * g));
    EXPECT_GT(peak, 3 * mass * g) << who;
    expect_rest(m, who, ground, mass);
    expect_within_limits(m, who);
  }
  EXPECT_LT(m.summary.ledger.energy_residual_relative, 1e-6);
}

// The same jump with reaction times: what is felt of the world at t is answered at t + T, so that two with different ones are the same
// until the shorter one is over, and not afterwards.
TEST(JumpsGallery, ReactionTimesAreFeltWhenTheyAreOver) {
  std::vector<Memory> motions;
  const std::vector<double> delays{0, 0.05, 0.1, 0.15};
  for (const double delay : delays) {
    Scene scene = load_scene(MAREY_SOURCE_DIR "/gallery/squat.yaml", {});
    for (Element& e : scene.elements)
      if (Muscle* muscle = e.kind.get_if<Muscle>(); muscle != nullptr && muscle->control != 0) muscle->delay = delay;
    scene.duration = 1.2;
    motions.emplace_back();
    motions.back().summary = run(scene, motions.back());
    EXPECT_LT(motions.back().summary.ledger.energy_residual_relative, 1e-6);
  }
  const auto knee = [](const Memory& m, std::size_t i) { return m.number("joint/jumper.thighs/angle", i); };
  double starts = 0;  // when the muscles do: toes at the ground
  for (std::size_t i = 0; starts == 0; ++i)
    if (load(motions[0], "plank", i) > 0) starts = motions[0].time(i) - 0.01;  // within a frame of 10 ms
  for (std::size_t k = 0; k < delays.size(); ++k) {
    double deepest = 0, apart = 0;
    for (std::size_t i = 0; i < motions[k].rows.size(); ++i) {
      deepest = std::max(deepest, knee(motions[k], i));
      if (k + 1 == delays.size()) continue;
      const double difference = std::abs(knee(motions[k], i) - knee(motions[k + 1], i));
      if (motions[k].time(i) < starts + delays[k]) EXPECT_LT(difference, 1e-5) << delays[k];
      apart = std::max(apart, difference);
    }
    std::printf("reaction time %3.0f ms: knees bent by up to %.2f deg", 1000 * delays[k], deepest * 180 / pi);
    std::printf(k + 1 < delays.size() ? ", up to %.2f deg from the next\n" : "\n", apart * 180 / pi);
    if (k + 1 < delays.size()) EXPECT_GT(apart, 1e-4) << delays[k];
  }
}

}  // namespace
}  // namespace marey::jumps_gallery_test
