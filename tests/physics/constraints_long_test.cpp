// A hundred thousand steps of mechanisms: constraints stay where they are, and the books close.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/recorded.h"

namespace {

using namespace marey;

TEST(MechanismsLong, NothingGrowsInAHundredThousandSteps) {
  for (const char* name : {"four-bar", "double-four-bar", "bricard", "rolling-disc"}) {
    Scene scene = load_scene(std::string(MAREY_SOURCE_DIR "/gallery/") + name + ".yaml");
    scene.duration = 1e5 * scene.solver.step;
    scene.record.every = 0.1;
    recorded::Memory m;
    m.summary = run(scene, m);
    ASSERT_EQ(m.summary.breakdown, "") << name;
    EXPECT_GE(m.summary.steps, 100000) << name;
    EXPECT_LE(m.summary.ledger.energy_residual_relative, 1e-5) << name;
    const std::size_t tenth = m.rows.size() / 10;
    double early = 0, late = 0;
    for (std::size_t i = 0; i < tenth; ++i) {
      early = std::max(early, m.number("constraints/error", i));
      late = std::max(late, m.number("constraints/error", m.rows.size() - 1 - i));
    }
    EXPECT_LT(late, 1e-6) << name;
    EXPECT_LT(late, 10 * early + 1e-12) << name;
  }
}

}  // namespace
