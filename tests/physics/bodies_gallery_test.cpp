// What the gallery's scenes of turning bodies claim, in numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "marey/closed_form.h"
#include "support/recorded.h"

namespace marey {
namespace {

using recorded::Memory;
using V = Vec3<double>;

Memory run_gallery(const std::string& name, double duration) {
  SceneOverrides options;
  options.duration = duration;
  Memory m;
  m.summary = run(load_scene(MAREY_SOURCE_DIR "/gallery/" + name + ".yaml", options), m);
  EXPECT_TRUE(m.summary.ledger.closed) << name;
  return m;
}
V axis(const Memory& m, const std::string& link, std::size_t i) {
  return rotation(m.turn("link/" + link + "/orientation", i)) * V{0, 0, 1};
}

TEST(BodiesGallery, TheHandleTurnsOverAtEvenIntervals) {
  const Memory m = run_gallery("flip", 8);
  std::vector<double> flips;
  for (std::size_t i = 1; i < m.rows.size(); ++i) {
    const double a = axis(m, "handle.body", i - 1).z, b = axis(m, "handle.body", i).z;
    if ((a > 0) != (b > 0)) flips.push_back(m.time(i - 1) + (m.time(i) - m.time(i - 1)) * a / (a - b));
  }
  ASSERT_GE(flips.size(), 3u);
  const double interval = flips[1] - flips[0];
  for (std::size_t i = 1; i < flips.size(); ++i) EXPECT_NEAR(flips[i] - flips[i - 1], interval, 0.01);
  // From one flip to the next the angular velocity goes through half its period.
  const Inertia<double>& I = m.header.scene.model.params.links[1].I;
  const V c = (1 / I.m) * I.h;
  const TorqueFree exact(I.J - point_inertia(I.m, c), Quaternion<double>{}, V{0.05, 0, 12});
  EXPECT_NEAR(interval, exact.period() / 2, 0.01);
  EXPECT_NEAR(flips[0], exact.period() / 4, 0.02);
  for (std::size_t i = 0; i < m.rows.size(); i += 50)  // most of the time the stem is upright, one way or the other
    EXPECT_LE(norm(m.vec("momentum/angular", i) - m.vec("momentum/angular", 0)),
              1e-8 * norm(m.vec("momentum/angular", 0)));
}

TEST(BodiesGallery, ThePlateAndTheSpindleDrawConesTwiceASecond) {
  const Memory m = run_gallery("free-top", 2);
  for (const char* link : {"plate.body", "spindle.body"}) {
    double round = 0;
    for (std::size_t i = 0; i < m.rows.size(); ++i) {
      const V a = axis(m, link, i);
      EXPECT_NEAR(std::acos(a.z), 25 * std::numbers::pi / 180, 1e-6) << link;
      if (i == 0) continue;
      const V b = axis(m, link, i - 1);
      round += std::remainder(std::atan2(a.y, a.x) - std::atan2(b.y, b.x), 2 * std::numbers::pi);
    }
    EXPECT_NEAR(round / (2 * std::numbers::pi), 4, 1e-2) << link;
  }
}

TEST(BodiesGallery, TheTopsDrawCuspsWavesLoopsAndACircle) {
  const Memory m = run_gallery("heavy-top", 1);
  const auto azimuth_rates = [&](const char* link) {  // least and greatest
    double least = 1e9, greatest = -1e9;
    for (std::size_t i = 1; i < m.rows.size(); ++i) {
      const V a = axis(m, link, i), b = axis(m, link, i - 1);
      const double rate = std::remainder(std::atan2(a.y, a.x) - std::atan2(b.y, b.x), 2 * std::numbers::pi) /
                          (m.time(i) - m.time(i - 1));
      least = std::min(least, rate), greatest = std::max(greatest, rate);
    }
    return std::pair{least, greatest};
  };
  EXPECT_NEAR(azimuth_rates("cusps.top").first, 0, 0.01);
  EXPECT_GT(azimuth_rates("waves.top").first, 1);
  EXPECT_LT(azimuth_rates("loops.top").first, -1);
  const auto [slow, fast] = azimuth_rates("steady.top");
  EXPECT_NEAR(slow, 4.8856, 1e-3);
  EXPECT_NEAR(fast, 4.8856, 1e-3);
}

TEST(BodiesGallery, ThePendulumAndItsTwinPartAfterThreeSeconds) {
  const Memory m = run_gallery("n-pendulum", 3.6);
  double together = 0, apart = 0;
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    const double d = norm(m.vec("link/pendulum.5/position", i) - m.vec("link/twin.5/position", i));
    (m.time(i) < 2.5 ? together : apart) = std::max(m.time(i) < 2.5 ? together : apart, d);
  }
  EXPECT_LT(together, 0.02);
  EXPECT_GT(apart, 0.2);
}

TEST(BodiesGallery, TheSlowReflexComesTooLate) {
  const Memory m = run_gallery("late-reflex", 4.5);
  const double lean = m.number("joint/quick.body/angle", 0);
  EXPECT_GT(lean, 0.05);
  double late_first = 0, late_second = 0;
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    const double quick = m.number("joint/quick.body/angle", i), late = m.number("joint/late.body/angle", i);
    if (m.time(i) < 1) {
      EXPECT_NEAR(quick, lean, 1e-9);
      EXPECT_NEAR(late, lean, 1e-9);
    }
    EXPECT_LT(quick, 0.15);
    (m.time(i) < 2.2 ? late_first : late_second) = std::max(m.time(i) < 2.2 ? late_first : late_second, late);
  }
  EXPECT_NEAR(m.number("joint/quick.body/angle", m.rows.size() - 1), lean, 1e-3);
  EXPECT_GT(late_second, 1.5 * late_first);
}

}  // namespace
}  // namespace marey
