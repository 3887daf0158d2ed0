// Elements that make no sense on a model are refused with a reason.
#include <gtest/gtest.h>

#include <cmath>

#include "unit/force/trees.h"

namespace marey::test {
namespace {

using Kind = NamedAngle::Kind;

class RefusalTest : public testing::Test {
 protected:
  enum : int { weld = 1, hinge, slider, ball, free, point };
  Model model = [] {
    Model m = world();
    for (int joint = 0; joint < 6; ++joint) add_link(m, joint, static_cast<JointType>(joint), {}, {0, 0, 1}, {});
    return m;
  }();
  FreePlay play{hinge, {}, constant(-1), constant(1), constant(2), constant(3)};
  Push push;
  RefusalTest() { push.link = hinge; }

  void expect(const ElementKind& kind, const std::string& words) const {
    const std::string reason = refusal(model, {"it", kind});
    if (words.empty()) {
      EXPECT_EQ(reason, "");
    } else {
      EXPECT_NE(reason.find(words), std::string::npos) << "got: " << reason;
    }
  }
};

TEST_F(RefusalTest, LetsSensibleOnesPass) {
  expect(play, "");
  expect(push, "");
  for (int link : {hinge, slider, ball, point}) expect(JointFriction{link, 1}, "");
  play.link = ball, play.angle = {Kind::swing, {0, 2, 0}};
  expect(play, "");
  play.link = free, play.angle.kind = Kind::euler_y;
  expect(play, "");
  expect(SupportSpring{weld, {}, {}, 1, 1, {}}, "");
  expect(SupportDamper{free, {}, 1, 1}, "");
}

TEST_F(RefusalTest, SaysWhatIsWrongWithATorqueFunction) {
  play.link = 0;
  expect(play, "no link number 0");
  play.link = 17;
  expect(play, "no link number 17");
  play.link = weld;
  expect(play, "a weld has no angle");
  play.link = point;
  expect(play, "a point joint has no angle");
  play.link = ball;
  expect(play, "a ball joint has several angles");
  play.angle = {Kind::twist, {0, 0, 0}};
  expect(play, "has no length");
  play.link = hinge;
  play.from = {{0, 1}, {0}};
  expect(play, "'from' needs one time for every value");
  play.from = {{1, 0}, {0, 0}};
  expect(play, "do not ascend");
  play.from = {{0, 1, 3}, {0, 2, 0}};
  expect(play, "ends before it begins at t = 1");
  play.from = constant(NAN);
  expect(play, "not finite");
  play.from = constant(0), play.slope_above = constant(-1);
  expect(play, "'slope_above' must not be negative");
}

TEST_F(RefusalTest, SaysWhatIsWrongWithTheOthers) {
  expect(JointFriction{free, 1}, "a free joint has no friction");
  expect(JointFriction{weld, 1}, "a weld has no friction");
  expect(JointFriction{hinge, -1}, "'coefficient'");
  expect(SupportSpring{hinge, {}, {}, -1, 0, {}}, "'stiffness'");
  expect(SupportSpring{hinge, {}, {}, 1, 0, {0, 0, 0, 0}}, "no rotation");
  expect(SupportSpring{hinge, {}, {INFINITY, 0, 0}, 1, 0, {}}, "not finite");
  expect(SupportDamper{hinge, {}, 1, -1}, "'turning_damping'");
  push.schedule.lasts = 0;
  expect(push, "'lasts'");
  push.schedule.lasts = 1, push.schedule.every = -1;
  expect(push, "'every'");
  push.schedule.every = 0, push.schedule.conditions.resize(1), push.schedule.conditions[0].link = 9;
  expect(push, "a link that is not there");
  push.schedule.conditions[0].link = ball, push.schedule.conditions[0].quantity = Condition::Quantity::angle;
  expect(push, "several angles");
}

}  // namespace
}  // namespace marey::test
