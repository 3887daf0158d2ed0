// marey inverse, from outside and through the library: the torques it finds are those the run applied.
#include <gtest/gtest.h>

#include <cmath>

#include "marey/io/inverse.h"
#include "program.h"

namespace marey {
namespace {

using program::contains, program::Outcome;
using Inverse = program::InFolder;

TEST_F(Inverse, FindsWhatTheRunApplied) {
  ASSERT_EQ(run({"run", "chain.yaml", "-o", "a.h5"}).status, 0);
  const Outcome o = run({"inverse", "a.h5", "-o", "t.csv"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.out, "t.csv\n");
  const std::string table = program::contents(folder / "t.csv");
  EXPECT_TRUE(contains(table, "time [s],")) << table.substr(0, 200);
  EXPECT_TRUE(contains(table, "/torque"));
  EXPECT_TRUE(contains(table, "root/"));
  const Motion motion = read_motion(folder / "a.h5"), exact = inverse_dynamics(motion);
  const Motion film = inverse_dynamics(motion, {true, true});
  EXPECT_EQ(exact.frames, motion.frames);
  EXPECT_EQ(film.frames, motion.frames - 4);
  int compared = 0;
  for (const Channel& c : motion.channels) {
    const std::string::size_type at = c.name.find("/applied");
    if (at == std::string::npos) continue;
    const std::string found = c.name.substr(0, at) + "/torque";
    const auto a = motion.channel(c.name), b = exact.channel(found), f = film.channel(found);
    double size = 0;
    for (const double x : exact.channel(c.name.substr(0, at) + "/moment")) size = std::max(size, std::abs(x));
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-9 * (1 + size)) << c.name;
    for (std::size_t i = 0; i < f.size(); ++i)
      EXPECT_NEAR(f[i], b[i + 2 * c.columns.size()], 0.02 * (1 + size)) << c.name;
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

TEST_F(Inverse, RefusesAsTheOtherCommandsDo) {
  refused({"inverse"}, 2, "required");
  refused({"inverse", "nothing.h5"}, 2, "nothing.h5");
  refused({"inverse", "chain.yaml"}, 2, "chain.yaml");
  ASSERT_EQ(run({"run", "chain.yaml", "-o", "a.h5"}).status, 0);
  ASSERT_EQ(run({"inverse", "a.h5", "-o", "t.csv"}).status, 0);
  refused({"inverse", "a.h5", "-o", "t.csv"}, 4, "already exists");
  refused({"inverse", "a.h5", "-o", "a.h5"}, 2, "would replace the motion");
  refused({"inverse", "a.h5", "--channels", "nonsense"}, 2, "nonsense");
  EXPECT_EQ(run({"inverse", "a.h5", "-o", "t.csv", "--force"}).status, 0);
}

}  // namespace
}  // namespace marey
