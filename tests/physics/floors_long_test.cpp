// The long form of what is claimed of floors by located events: five hundred random scenes, under every integrator.
#include <gtest/gtest.h>

#include "support/random_runs.h"
#include "support/random_scenes_on_floors.h"

namespace marey {
namespace floors_long_test {

TEST(FloorsLong, FiveHundredRandomScenes) {
  constexpr int count = 500;
  EXPECT_LE(count_open(count, random_scene_on_floors), count / 100);
}

}  // namespace floors_long_test
}  // namespace marey
