// What is recorded within a step is what was then, and not what the end of the step has brought.
#include <gtest/gtest.h>

#include "support/recorded.h"

namespace {

TEST(Recorder, ForcesWithinAStepAreThoseOfThatStep) {
  const recorded::Memory m = recorded::run_text(R"(title: spike
duration: 0.5 s
solver: {integrator: rk45, tolerance: 1e-9}
particles:
  w: {mass: 1 kg, points: {a: {position: [0, 0, 1 m]}}}
forces:
  - spike: {name: kick, link: w.a, force: [0, 0, 100 N], lasts: 0.05 s, when: {height_of: w.a, below: 50 cm}}
record: {per_second: 1000}
)");
  const double begins = std::sqrt(2 * 0.5 / 9.81), ends = begins + 0.05;
  int acting = 0;
  for (std::size_t k = 0; k < m.rows.size(); ++k) {
    const double t = m.time(k);
    if (std::abs(t - begins) < 1e-6 || std::abs(t - ends) < 1e-6) continue;
    const bool acts = t > begins && t < ends;
    acting += acts;
    EXPECT_NEAR(m.at("link/w.a/acceleration", k)[2], acts ? 90.19 : -9.81, 1e-9) << t;
    EXPECT_NEAR(m.number("element/kick/power", k), acts ? 100 * m.at("link/w.a/velocity", k)[2] : 0, 1e-9) << t;
  }
  EXPECT_EQ(acting, 50);
}

// A floor that is about to be relieved of a body does not pull at it.
TEST(Recorder, AFloorNeverPulls) {
  recorded::Memory m;
  m.summary = marey::run(marey::load_scene(std::string(MAREY_SOURCE_DIR) + "/gallery/bouncing-ball.yaml"), m);
  int pressed = 0;
  for (const marey::Channel& c : m.header.channels) {
    if (!c.name.starts_with("contact/") || !c.name.ends_with("/force")) continue;
    for (std::size_t k = 0; k < m.rows.size(); ++k) {
      EXPECT_GE(m.at(c.name, k)[2], 0) << c.name << " at " << m.time(k);
      pressed += m.at(c.name, k)[2] > 0;
    }
  }
  EXPECT_GT(pressed, 10);
}

}  // namespace
