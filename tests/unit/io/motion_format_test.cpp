// Motions of older programs: read like any other, and not gone on with.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "marey/io/inverse.h"
#include "marey/render.h"
#include "motion_fake.h"

namespace marey::motion_format_test {

// Format 1: a dataset for every channel. The last program of that format wrote it, and was interrupted: a bar on a hinge with a
// bob on a ball joint, and a pebble thrown at (1, 0, 20) m/s from (1, 2, 3) m, 51 frames, one every 20 s.
const std::string format_1 = MAREY_SOURCE_DIR "/tests/unit/io/motions/format-1.h5";

TEST(MotionFormat, OneIsRead) {
  const Motion m = read_motion(format_1);
  EXPECT_EQ(m.title, "A pendulum and a pebble");
  EXPECT_EQ(m.end, MotionEnd::interrupted);
  EXPECT_EQ(m.duration, 1e5);
  EXPECT_EQ(m.solver.step, 0.005);
  EXPECT_EQ(m.channels.size(), 36u);
  ASSERT_EQ(m.frames, 51u);
  EXPECT_FALSE(m.takes_inputs);
  EXPECT_TRUE(m.lists.empty());
  // Thrown: rk4 is exact for a parabola, up to the rounding of 200,000 steps.
  const std::vector<double> x = m.column("link/falling.pebble/position.x"),
                            z = m.column("link/falling.pebble/position.z");
  for (std::size_t k = 0; k < m.frames; ++k) {
    const double t = 20.0 * static_cast<double>(k);
    EXPECT_DOUBLE_EQ(m.time()[k], t);
    EXPECT_NEAR(x[k], 1 + t, 2e5 * 1e-16 * (1 + t));
    EXPECT_NEAR(z[k], 3 + 20 * t - 9.81 / 2 * t * t, 2e5 * 1e-16 * (1 + 5 * t * t));
  }
  // The bob's joint is 60 cm from the hinge, where the bar's angle puts it.
  const std::vector<double> angle = m.column("joint/pendulum.bar/angle"),
                            height = m.column("link/pendulum.bob/position.z");
  for (std::size_t k = 0; k < m.frames; ++k) EXPECT_NEAR(height[k], -0.6 * std::cos(angle[k]), 1e-14);
}

TEST(MotionFormat, OneServesPicturesTablesAndInverseDynamics) {
  const Motion m = read_motion(format_1);
  const Scene scene = scene_of(m);
  EXPECT_EQ(picture_scene(scene.model, m, scene.contacts).links.size(), 4u);
  const std::vector<std::string> pattern{"link/*/position"};
  EXPECT_EQ(select_channels(m, pattern).size(), 3u);
  EXPECT_EQ(read_motion(format_1, pattern).channel("link/pendulum.bob/position").size(), 153u);
  // From places alone: nothing but gravity has moved the pebble. Rounding (1e-4 m at worst, above) over (20 s)².
  const Motion forces = inverse_dynamics(m, {.differentiate = true});
  EXPECT_EQ(forces.frames, 47u);
  for (const double f : forces.channel("joint/falling.pebble/torque")) EXPECT_NEAR(f, 0, 4 * 1e-4 / 400);
  EXPECT_TRUE(inputs_of(m).size() <= 1);  // the end of the run, which ended no step before
  EXPECT_TRUE(last_checkpoint(format_1));
}

TEST(MotionFormat, OneIsNotGoneOnWith) {
  const fake::Folder folder;
  const std::string name = folder / "old.h5";
  std::filesystem::copy_file(format_1, name);
  std::filesystem::permissions(name, std::filesystem::perms::owner_write, std::filesystem::perm_options::add);
  try {
    MotionFile::resume(name);
    ADD_FAILURE() << "taken";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::bad_input);
    EXPECT_EQ(std::string(e.what()),
              "cannot go on with '" + name +
                  "': it has the motion format 1, which this program reads and no longer writes; run its scene again, "
                  "or finish it with the program that began it (0.1.0)");
  }
  EXPECT_EQ(read_motion(name).values, read_motion(format_1).values);
}

}  // namespace marey::motion_format_test
