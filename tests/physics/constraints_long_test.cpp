// A hundred thousand steps of mechanisms: constraints stay where they are, and the books close.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "support/recorded.h"

namespace {

using namespace marey;

// The size is that of the mechanism, m.
void check_hundred_thousand_steps(const std::string& name, double size, double step = 0) {
  Scene scene = load_scene(std::string(MAREY_SOURCE_DIR "/gallery/") + name + ".yaml");
  if (step > 0) scene.solver.integrator = Integrator::rk4, scene.solver.step = step;
  scene.duration = 1e5 * scene.solver.step;
  scene.record.every = 1e-3 * scene.duration;
  recorded::Memory m;
  m.summary = run(scene, m);
  ASSERT_EQ(m.summary.breakdown, "");
  EXPECT_GE(m.summary.steps, 100000);
  EXPECT_LE(m.summary.ledger.energy_residual_relative, 1e-5);
  const std::size_t tenth = m.rows.size() / 10;
  double early = 0, late = 0;
  for (std::size_t i = 0; i < tenth; ++i) {
    early = std::max(early, m.number("constraints/error", i));
    late = std::max(late, m.number("constraints/error", m.rows.size() - 1 - i));
  }
  std::printf("error of constraints, first tenth %.1e, last tenth %.1e; energy not accounted for %.1e\n", early, late,
              m.summary.ledger.energy_residual_relative);
  EXPECT_LT(late, 1e-6 * size);
  EXPECT_LT(late, 10 * early + 1e-12);
}

TEST(HundredThousandSteps, FourBar) { check_hundred_thousand_steps("four-bar", 1); }
TEST(HundredThousandSteps, SliderCrank) { check_hundred_thousand_steps("slider-crank", 0.3); }
TEST(HundredThousandSteps, DoubleFourBar) { check_hundred_thousand_steps("double-four-bar", 1); }
TEST(HundredThousandSteps, Bricard) { check_hundred_thousand_steps("bricard", 1); }
TEST(HundredThousandSteps, SqueezingMechanism) { check_hundred_thousand_steps("squeezing-mechanism", 0.02, 3e-7); }
TEST(HundredThousandSteps, RollingDisc) { check_hundred_thousand_steps("rolling-disc", 0.2); }
TEST(HundredThousandSteps, BarInBothHands) { check_hundred_thousand_steps("bar-in-both-hands", 1.7); }

}  // namespace
