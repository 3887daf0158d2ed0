// The long form of what is claimed of floors by located events: five hundred random scenes, under every integrator.
#include <gtest/gtest.h>

#include <cstdio>

#include "marey/io/scene.h"
#include "support/random_scenes_on_floors.h"
#include "support/recorded.h"

namespace marey {
namespace floors_long_test {

TEST(FloorsLong, FiveHundredRandomScenes) {
  int open = 0;
  constexpr int count = 500;
  for (unsigned seed = 1; seed <= count; ++seed) {
    const std::string text = random_scene_on_floors(seed);
    recorded::Memory memory;
    RunSummary s;
    ASSERT_NO_THROW(s = run(parse_scene(text, "random.yaml"), memory)) << text;
    EXPECT_TRUE(s.breakdown.empty()) << "seed " << seed << ": " << s.breakdown << "\n" << text;
    if (s.ledger.closed) continue;
    ++open;
    std::printf("seed %u: energy %.1e, momenta %.1e %.1e\n", seed, s.ledger.energy_residual_relative,
                s.ledger.linear_momentum_residual_relative, s.ledger.angular_momentum_residual_relative);
  }
  EXPECT_LE(open, count / 100);
}

}  // namespace floors_long_test
}  // namespace marey
