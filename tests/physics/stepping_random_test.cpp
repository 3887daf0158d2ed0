// Random scenes in steps: figures of boxes, capsules and spheres with joints, limits, friction, pushes and drives fall on floors,
// stairs and each other. Each reaches its end with contacts solved tightly, and books close.
#include <gtest/gtest.h>

#include "support/random_runs.h"
#include "support/random_scenes_in_steps.h"

namespace marey {
namespace stepping_random_test {

TEST(SteppingRandom, ScenesReachTheirEndTightly) {
  const auto look = [](unsigned, const RunSummary& s) {
    ASSERT_TRUE(s.certificate);
    EXPECT_LE(s.certificate->natural_map, 1e-8);
    EXPECT_LE(s.certificate->cone_excess, 1e-15);
  };
  EXPECT_EQ(count_open(40, random_scene_in_steps, look), 0);
}

}  // namespace stepping_random_test
}  // namespace marey
