// What a person sees of a motion that breaks down on purpose (A4), and of the ranges of a motion's quantities.
#include "marey/io/motion.h"
#include "program.h"

namespace marey {
namespace {

using program::contains, program::Outcome;

class Range : public program::InFolder {};

TEST_F(Range, OfAnglesIsPrinted) {
  ASSERT_EQ(run({"run", "limp-arm", "-o", "a.h5", "--duration", "2 s"}).status, 0);
  const Outcome all = run({"range", "a.h5"});
  EXPECT_EQ(all.status, 0) << all.err;
  EXPECT_TRUE(contains(all.out,
                       "joint/arm.upper_arm/angle  from  -1.44437 rad = -82.7561 deg (at 0.8 s) to     1.91986 rad = "
                       "110 deg (at 0 s)\n"))
      << all.out;
  EXPECT_TRUE(contains(all.out, "joint/arm.hand/angle"));
  const Outcome later = run({"range", "a.h5", "joint/arm.hand/angle", "link/*/position.z", "--from", "1 s", "--json"});
  EXPECT_EQ(later.status, 0) << later.err;
  EXPECT_TRUE(contains(later.out, "\"quantity\": \"link/arm.hand/position.z\",\n    \"unit\": \"m\"")) << later.out;
  refused({"range", "a.h5", "joint/arm.hnd/angle"}, 2, "did you mean 'joint/arm.hand");
  refused({"range", "a.h5", "--from", "2 s", "--to", "1 s"}, 2, "");
  refused({"range", "none.h5"}, 2, "none.h5");
}

// Particles have no joints to speak of: where they are is what is asked for.
TEST_F(Range, OfParticlesIsWhereTheyAre) {
  ASSERT_EQ(run({"run", "throw", "-o", "a.h5"}).status, 0);
  const Outcome all = run({"range", "a.h5"});
  EXPECT_EQ(all.status, 0) << all.err;
  EXPECT_TRUE(contains(all.out, "link/throw.a45/position.z")) << all.out;
  EXPECT_TRUE(contains(all.out, " m (at 1.4 s)")) << all.out;
}

// The warning comes first, the run ends with status 3 and says why, what was recorded is kept, and a picture shows the figure and
// not a plate as wide as where it flew to.
TEST_F(Range, AFigureThatFliesOffIsDrawnUntilItBreaks) {
  const Outcome checked = run({"check", "oblivion"});
  EXPECT_TRUE(contains(checked.out + checked.err, "likely to fly off")) << checked.out << checked.err;
  const Outcome o = run({"run", "oblivion", "-o", "a.h5"});
  EXPECT_EQ(o.status, 3);
  EXPECT_TRUE(contains(o.out + o.err, "the step of 0.01 s is long for the shortest period present")) << o.out << o.err;
  EXPECT_TRUE(contains(o.err, "could not go on: at t = 2.")) << o.err;
  EXPECT_EQ(read_motion_info(folder / "a.h5").end, MotionEnd::broke_down);
  const Outcome drawn = run({"render", "a.h5", "--strobe", "-o", "a.svg"});
  EXPECT_EQ(drawn.status, 0) << drawn.err;
  EXPECT_TRUE(contains(drawn.err, "note: drawn until 2.")) << drawn.err;
  EXPECT_GT(program::contents(folder / "a.svg").size(), 20000u);  // twelve instants of ten links
  EXPECT_FALSE(contains(run({"render", "a.h5", "--strobe", "--to", "2 s", "-o", "b.svg"}).err, "note"));
}

}  // namespace
}  // namespace marey
