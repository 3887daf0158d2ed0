// Long forms of what is claimed of steps: a stack for a minute, five hundred random scenes.
#include <gtest/gtest.h>

#include <cstdio>

#include "marey/io/scene.h"
#include "marey/simulation.h"
#include "support/random_runs.h"
#include "support/random_scenes_in_steps.h"

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
  int loose = 0;
  constexpr int count = 500;
  const auto look = [&](unsigned seed, const RunSummary& s) {
    ASSERT_TRUE(s.certificate);
    if (s.certificate->natural_map <= 1e-8) return;
    ++loose, std::printf("seed %u: natural map %.1e\n", seed, s.certificate->natural_map);
  };
  EXPECT_LE(count_open(count, random_scene_in_steps, look), count / 100);
  EXPECT_EQ(loose, 0);
}

}  // namespace stepping_long_test
}  // namespace marey
