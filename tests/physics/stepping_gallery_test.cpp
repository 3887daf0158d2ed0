// The certificate of the gallery's scenes in steps: how exact every step was (CONTRACT: bounds of tight steps).
#include <gtest/gtest.h>

#include "marey/io/scene.h"
#include "support/recorded.h"

namespace marey {
namespace stepping_gallery_test {

class SteppingGallery : public ::testing::TestWithParam<std::pair<const char*, double>> {};

TEST_P(SteppingGallery, EveryStepIsTight) {
  const auto [name, duration] = GetParam();
  Scene scene = load_scene(std::string(MAREY_SOURCE_DIR "/gallery/") + name + ".yaml");
  scene.duration = std::min(scene.duration, duration);
  recorded::Memory memory;
  const RunSummary s = run(scene, memory);
  ASSERT_TRUE(s.breakdown.empty()) << s.breakdown;
  ASSERT_TRUE(s.certificate);
  const ContactCertificate& c = *s.certificate;
  std::printf("%s: natural map %.1e (95 %%: %.1e), cone %.1e, penetration %.1e, momentum %.1e, %lld steps put apart\n",
              name, c.natural_map, c.natural_map_95, c.cone_excess, c.penetration, c.momentum, c.corrected);
  EXPECT_GT(c.steps, 0);
  EXPECT_LE(c.natural_map, 1e-8);
  EXPECT_LE(c.cone_excess, 4 * 2.3e-16);
  EXPECT_LE(c.penetration, 1e-6);
  EXPECT_LE(c.momentum, 1e-13);
  EXPECT_EQ(c.not_converged, 0);
  EXPECT_TRUE(s.ledger.closed);
}

INSTANTIATE_TEST_SUITE_P(, SteppingGallery,
                         ::testing::Values(std::pair{"incline", 1.0}, std::pair{"bowling", 2.0}, std::pair{"arch", 0.1},
                                           std::pair{"dominoes", 0.1}, std::pair{"pushed-quadruped", 3.0},
                                           std::pair{"gripper", 5.0}, std::pair{"plate-with-mast", 4.0},
                                           std::pair{"limp-human-lies", 3.0}, std::pair{"stack-of-20", 0.04}));

}  // namespace stepping_gallery_test
}  // namespace marey
