// Long forms of what is claimed of steps: a stack for a minute, five hundred random scenes.
#include <gtest/gtest.h>

#include <cstdio>

#include "marey/io/scene.h"
#include "marey/simulation.h"
#include "support/random_scenes_in_steps.h"
#include "support/recorded.h"

namespace marey {
namespace stepping_long_test {

TEST(SteppingLong, AStackOfTwentyDoesNotCreepInAMinute) {
  Simulation s(load_scene(MAREY_SOURCE_DIR "/gallery/stack-of-20.yaml"));
  s.run_until(60);
  for (int i = 1; i <= 20; ++i) {
    const Vec3<double> p = s.pose(i).p;
    EXPECT_LT(norm(p - Vec3<double>{0, 0, 0.2 * i - 0.1}), 1e-4) << i;
    if (i == 20) std::printf("the topmost cube is off by %.1e m after a minute\n", norm(p - Vec3<double>{0, 0, 3.9}));
  }
}

TEST(SteppingLong, FiveHundredRandomScenes) {
  int open = 0, loose = 0;
  constexpr int count = 500;
  for (unsigned seed = 1; seed <= count; ++seed) {
    const std::string text = random_scene_in_steps(seed);
    recorded::Memory memory;
    RunSummary s;
    ASSERT_NO_THROW(s = run(parse_scene(text, "random.yaml"), memory)) << text;
    EXPECT_TRUE(s.breakdown.empty()) << s.breakdown << "\n" << text;
    if (s.certificate->natural_map > 1e-8)
      ++loose, std::printf("seed %u: natural map %.1e\n", seed, s.certificate->natural_map);
    if (s.ledger.closed) continue;
    ++open;
    std::printf("seed %u: energy %.1e, momenta %.1e %.1e\n", seed, s.ledger.energy_residual_relative,
                s.ledger.linear_momentum_residual_relative, s.ledger.angular_momentum_residual_relative);
  }
  EXPECT_LE(open, count / 100);
  EXPECT_EQ(loose, 0);
}

}  // namespace stepping_long_test
}  // namespace marey
