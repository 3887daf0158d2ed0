// What a person sees of a motion that breaks down on purpose (A4), and of the ranges of a motion's quantities.
#include <nlohmann/json.hpp>
#include <numbers>

#include "marey/io/motion.h"
#include "program.h"

namespace marey {
namespace {

using program::contains, program::Outcome;
using Json = nlohmann::json;

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

// A limp arm on a ball joint, whose second angle passes a quarter of a turn again and again: none of these passes is a turn of the
// others. What turns on and on about one axis is counted all the same.
TEST_F(Range, OfABallJointCountsTurnsAndNotPasses) {
  program::write(folder / "a.yaml", R"(marey: 1
duration: 20 s
solver: {integrator: rk45, tolerance: 1e-8}
record: {per_second: 100, channels: ["joint/*/angle"]}
figures:
  a:
    links:
      up: {joint: {type: hinge, axis: y}, at: [0, 0, 2 m], shape: {capsule: {radius: 3 cm, length: 40 cm, along: -z}}, mass: 2 kg}
      low: {parent: up, at: [0, 0, -40 cm], joint: ball, shape: {capsule: {radius: 3 cm, length: 40 cm, along: -z}}, mass: 1 kg, friction: 5 mN m s/rad}
  top: {links: {body: {joint: ball, shape: {sphere: 10 cm}, mass: 1 kg, start: {spin: [0, 0, 3 rad/s]}}}}
drives: [{joint: a.up, angle: 'sin(t)^3'}]
forces: [{push: {link: a.low, force: ['3*sin(3*t)', '2*cos(t)', 0]}}]
)");
  ASSERT_EQ(run({"run", "a.yaml", "-o", "a.h5"}).status, 0);
  const Outcome o = run({"range", "a.h5", "joint/a.low/angle", "--json"});
  const Json rows = Json::parse(o.out);
  ASSERT_EQ(rows.size(), 3u) << o.out;
  for (const Json& row : rows)
    EXPECT_LT(row["greatest"].get<double>() - row["least"].get<double>(), 4 * std::numbers::pi) << o.out;
  EXPECT_NEAR(Json::parse(run({"range", "a.h5", "joint/top.body/angle.z", "--json"}).out)[0]["greatest"].get<double>(),
              60, 1e-6);
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
