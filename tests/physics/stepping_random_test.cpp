// Random scenes in steps: figures of boxes, capsules and spheres with joints, limits, friction, pushes and drives fall on floors,
// stairs and each other. Each reaches its end with contacts solved tightly, and books close.
#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "marey/io/scene.h"
#include "support/random_scenes_in_steps.h"
#include "support/recorded.h"

namespace marey {
namespace stepping_random_test {

TEST(SteppingRandom, ScenesReachTheirEndTightly) {
  int open = 0;
  constexpr int count = 40;
  for (unsigned seed = 1; seed <= count; ++seed) {
    const std::string text = random_scene_in_steps(seed);
    recorded::Memory memory;
    RunSummary s;
    ASSERT_NO_THROW(s = run(parse_scene(text, "random.yaml"), memory)) << text;
    ASSERT_TRUE(s.breakdown.empty()) << s.breakdown << "\n" << text;
    EXPECT_LE(s.certificate->natural_map, 1e-8) << "seed " << seed << "\n" << text;
    EXPECT_LE(s.certificate->cone_excess, 1e-15) << seed;
    if (s.ledger.closed) continue;
    ++open;
    std::printf("seed %u: energy %.1e, momenta %.1e %.1e\n", seed, s.ledger.energy_residual_relative,
                s.ledger.linear_momentum_residual_relative, s.ledger.angular_momentum_residual_relative);
  }
  EXPECT_EQ(open, 0);
}

}  // namespace stepping_random_test
}  // namespace marey
