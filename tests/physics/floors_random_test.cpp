// Random figures stand, fall and are pushed on floors, by located events, under every integrator: each reaches its end, none stalls.
#include <gtest/gtest.h>

#include "support/random_runs.h"
#include "support/random_scenes_on_floors.h"

namespace marey {
namespace floors_random_test {

TEST(FloorsRandom, ScenesReachTheirEnd) { EXPECT_EQ(count_open(35, random_scene_on_floors), 0); }

}  // namespace floors_random_test
}  // namespace marey
