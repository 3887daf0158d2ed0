// Runs that come to rest, or lift off gently, and must not be stopped by round-off.
#include <gtest/gtest.h>

#include "support/recorded.h"

namespace {

// When a damped weight hangs still, what is left of its forces is round-off.
TEST(ComingToRest, TheMidpointRuleHangsStill) {
  for (const char* step : {"10 ms", "1 ms"}) {
    const recorded::Memory m = recorded::run_text(std::string(R"(title: hanging
duration: 15 s
solver: {integrator: midpoint, step: )") + step + R"(}
particles:
  w: {mass: 1 kg, points: {a: {position: [0, 0, 1 m]}}}
forces:
  - spring: {link: w.a, to: [0, 0, 2 m], stiffness: 100 N/m, rest: 1 m, damping: 3 N s/m}
record: {per_second: 10}
)");
    EXPECT_EQ(m.summary.breakdown, "");
    EXPECT_NEAR(m.vec("link/w.a/position", m.rows.size() - 1).z, 1 - 9.81 / 100, 1e-9);
    EXPECT_TRUE(m.summary.ledger.closed);
  }
}

// A method of low order dips below the floor a little where a sliding end lifts off.
TEST(ComingToRest, LiftingOffIsOneEvent) {
  for (const marey::Integrator method : {marey::Integrator::euler, marey::Integrator::semi_implicit}) {
    for (const double step : {0.5e-3, 3e-3, 1e-2}) {
      marey::SceneOverrides o;
      o.integrator = method, o.step = step;
      recorded::Memory m;
      m.summary = marey::run(marey::load_scene(std::string(MAREY_SOURCE_DIR) + "/gallery/rod-elastic.yaml", o), m);
      EXPECT_EQ(m.summary.breakdown, "") << name_of(method) << ' ' << step;
      EXPECT_LT(m.summary.events, 200) << name_of(method) << ' ' << step;
    }
  }
}

}  // namespace
