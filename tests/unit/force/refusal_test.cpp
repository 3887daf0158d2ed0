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

// Values made in code, of which a reader would have caught many.
TEST_F(RefusalTest, LooksAtEveryNumberOfATorqueFunction) {
  const FreePlay good = play;
  const auto with = [&](auto&& change, const std::string& words) {
    FreePlay e = good;
    change(e);
    expect(e, words);
  };
  with([](FreePlay& e) { e.to = {{}, {}}; }, "'to' needs one time for every value");
  with([](FreePlay& e) { e.to = {{0, NAN}, {1, 1}}; }, "'to' holds a number that is not finite");
  with([](FreePlay& e) { e.to = {{0, 1}, {1, INFINITY}}; }, "'to' holds a number that is not finite");
  with([](FreePlay& e) { e.to = {{0, 0}, {1, 1}}; }, "");  // a jump
  with([](FreePlay& e) { e.to = {{2, 1}, {1, 1}}; }, "'to' has times that do not ascend");
  with([](FreePlay& e) { e.from = e.to; }, "");
  with([](FreePlay& e) { e.slope_below = constant(-1e-9); }, "'slope_below' must not be negative");
  with([](FreePlay& e) { e.slope_below = constant(0); }, "");
  with([](FreePlay& e) { e.from = constant(-2), e.to = constant(-1.5); }, "");
  with([](FreePlay& e) { e.link = ball, e.angle = {Kind::twist, {0, 0, INFINITY}}; }, "has no length");
  with([](FreePlay& e) { e.link = ball, e.angle = {Kind::euler_x, {0, 0, 0}}; }, "");
  with([](FreePlay& e) { e.link = -1; }, "no link number -1");
}

TEST_F(RefusalTest, KnowsTheCoordinatesOfGeneralJoints) {
  ModelSpec spec;
  for (const JointType joint : {JointType::universal, JointType::cylindrical, JointType::ellipsoid}) {
    LinkSpec link;
    link.name = name_of(joint), link.joint = joint;
    link.inertia = shape_inertia({Sphere{0.1}, {}}, 1.0);
    link.axis_2 = {1, 0, 0};
    if (joint == JointType::ellipsoid) link.radii = {0.1, 0.2, 0.3};
    spec.links.push_back(link);
  }
  model = freeze(spec);
  const int universal = 1, cylindrical = 2, ellipsoid = 3;
  play.link = universal;
  for (const auto& [coordinate, words] :
       {std::pair{-1, "no coordinate number -1"}, {0, ""}, {1, ""}, {2, "no coordinate number 2"}}) {
    play.angle.coordinate = coordinate;
    expect(play, words);
  }
  play.angle = {Kind::twist, {0, 0, 1}};
  expect(play, "a universal joint has coordinates, no named angles");
  play.link = ellipsoid;
  expect(play, "");
  play.angle = {};
  expect(play, "an ellipsoid joint has several angles");
  for (const auto& [freedom, words] :
       {std::pair{-2, "no freedom number -2"}, {-1, "turns and slides"}, {0, ""}, {1, ""}, {2, "no freedom number 2"}})
    expect(JointFriction{cylindrical, 1, freedom}, words);
  expect(JointFriction{universal, 1, -1}, "");
}

TEST_F(RefusalTest, LooksAtEveryNumberOfTheOthers) {
  const auto spring = [&](auto&& change, const std::string& words) {
    SupportSpring e{hinge, {}, {}, 1, 1, {}};
    change(e);
    expect(e, words);
  };
  spring([](SupportSpring& e) { e.point_B.y = NAN; }, "point or its target is not finite");
  spring([](SupportSpring& e) { e.turning_stiffness = -1; }, "'turning_stiffness'");
  spring([](SupportSpring& e) { e.target_turn.x = INFINITY; }, "no rotation");
  spring([](SupportSpring& e) { e.stiffness = 0, e.turning_stiffness = 0; }, "");
  expect(SupportDamper{hinge, {NAN, 0, 0}, 1, 1}, "its point is not finite");
  expect(SupportDamper{hinge, {}, INFINITY, 1}, "'damping'");

  const auto pushed = [&](auto&& change, const std::string& words) {
    Push e = push;
    change(e, e.schedule);
    expect(e, words);
  };
  pushed([](Push& e, Schedule&) { e.point_B.x = NAN; }, "its point, force or torque is not finite");
  pushed([](Push& e, Schedule&) { e.force.x = NAN; }, "its point, force or torque is not finite");
  pushed([](Push& e, Schedule&) { e.torque.x = NAN; }, "its point, force or torque is not finite");
  pushed([](Push&, Schedule& s) { s.from = -INFINITY; }, "'from' is not finite");
  pushed([](Push&, Schedule& s) { s.every = INFINITY; }, "'every'");
  pushed([](Push&, Schedule& s) { s.until = NAN; }, "'until' is not a number");
  pushed([](Push&, Schedule& s) { s.lasts = NAN; }, "'lasts'");
  pushed([](Push&, Schedule& s) { s.conditions.resize(1), s.conditions[0].link = -1; }, "a link that is not there");
  pushed([](Push&, Schedule& s) { s.conditions.resize(1), s.conditions[0].threshold = NAN; }, "not finite");
  pushed([](Push&, Schedule& s) { s.conditions.resize(1), s.conditions[0].point.z = NAN; }, "not finite");
  pushed([](Push&, Schedule& s) { s.conditions.resize(1); }, "");
  pushed(
      [](Push&, Schedule& s) {
        s.conditions.resize(2);
        s.conditions[1].link = weld, s.conditions[1].quantity = Condition::Quantity::angle;
      },
      "a weld has no angle");

  Reflex reflex;
  reflex.link = hinge, reflex.delay = 0.1, reflex.stiffness = 1;
  const auto reacts = [&](auto&& change, const std::string& words) {
    Reflex e = reflex;
    change(e);
    expect(e, words);
  };
  reacts([](Reflex&) {}, "");
  reacts([](Reflex& e) { e.delay = 0; }, "'delay'");
  reacts([](Reflex& e) { e.delay = INFINITY; }, "'delay'");
  reacts([](Reflex& e) { e.target = NAN; }, "'target' is not finite");
  reacts([](Reflex& e) { e.stiffness = 0; }, "neither stiffness nor damping");
  reacts([](Reflex& e) { e.stiffness = 0, e.damping = 1; }, "");
  reacts([](Reflex& e) { e.stiffness = -1; }, "'stiffness'");
  reacts([](Reflex& e) { e.damping = -1; }, "'damping'");
  reacts([](Reflex& e) { e.link = weld; }, "a weld has no angle");
}

TEST_F(RefusalTest, LooksAtNetsFieldsAndAttractions) {
  const Anchor a{hinge, {}}, b{ball, {}}, world{0, {}};
  expect(SpringNet{}, "there is no spring in it");
  expect(SpringNet{{{a, b, 1, 1}}}, "");
  expect(SpringNet{{{a, world, 1, 1}}}, "");
  expect(SpringNet{{{a, b, 1, 1}, {a, {99, {}}, 1, 1}}}, "no link number 99");
  expect(SpringNet{{{a, {ball, {NAN, 0, 0}}, 1, 1}}}, "its point is not finite");
  expect(SpringNet{{{a, a, 1, 1}}}, "on the same link");
  expect(SpringNet{{{a, b, -1, 1}}}, "'stiffness'");
  expect(SpringNet{{{a, b, 1, -1}}}, "'rest'");
  expect(DamperNet{}, "there is no damper in it");
  expect(DamperNet{{{a, b, 1}}}, "");
  expect(DamperNet{{{a, b, 1}, {a, b, NAN}}}, "'damping'");
  expect(DamperNet{{{world, world, 1}}}, "on the same link");

  expect(Attraction{{hinge}, {}, 1, 0}, "");
  expect(Attraction{{}, {}, 1, 0}, "there is no link for it to act on");
  expect(Attraction{{hinge, 0}, {}, 1, 0}, "no link number 0");
  expect(Attraction{{hinge}, {0, NAN, 0}, 1, 0}, "its centre is not finite");
  expect(Attraction{{hinge}, {}, -1, 0}, "'strength'");
  expect(Attraction{{hinge}, {}, 1, -1}, "'softening'");
  expect(MutualAttraction{{hinge}, {ball}, 1, 0}, "");
  expect(MutualAttraction{{hinge}, {}, 1, 0}, "");
  expect(MutualAttraction{{hinge}, {ball, 99}, 1, 0}, "no link number 99");
  expect(MutualAttraction{{hinge}, {ball}, -1, 0}, "'constant'");
  expect(MutualAttraction{{hinge}, {ball}, 1, NAN}, "'softening'");
  expect(Drag{{hinge}, -1, 0}, "'linear'");
  expect(Drag{{hinge}, 0, -1}, "'quadratic'");
  expect(Drag{{hinge}, 0, 0}, "");
  expect(CenterSpring{{hinge, ball}, {}, 1, {}}, "its links have no mass");
  expect(CenterDamper{{hinge, ball}, 1}, "its links have no mass");
  model.params.links[hinge].I.m = 2;
  expect(CenterSpring{{hinge, ball}, {}, 1, {}}, "");
  expect(CenterSpring{{}, {}, 1, {}}, "there is no link for it to act on");
  expect(CenterSpring{{hinge}, {0, NAN, 0}, 1, {}}, "its target or its lift is not finite");
  expect(CenterSpring{{hinge}, {}, 1, {0, 0, INFINITY}}, "its target or its lift is not finite");
  expect(CenterSpring{{hinge}, {}, -1, {}}, "'stiffness'");
  expect(CenterDamper{{hinge}, -1}, "'damping'");
  expect(CenterDamper{{hinge, 99}, 1}, "no link number 99");

  using Op = Formula::Op;
  const auto program = [](std::vector<Formula::Step> steps) {
    Formula f;
    f.program = std::move(steps);
    return f;
  };
  const auto field = [&](const Formula& f, const std::string& words) {
    for (std::size_t k = 0; k < 3; ++k) {
      Field e{{hinge}, {}, {}};
      e.force[k] = f;
      expect(e, words);
      MovingFrame frame;
      frame.motion.of[k] = f;
      expect(frame, words);
    }
    Field e{{hinge}, {}, {}};
    e.potential = f;
    expect(e, words);
  };
  const Formula::Step one{Op::number, 0, 1.0}, x{Op::variable, 0};
  field(program({one}), "");
  field(program({one, x, {Op::add}}), "");
  field(program({x, {Op::negate}}), "");
  field(program({x, {Op::sqrt}}), "");
  field(program({x, {Op::abs}}), "");
  field(program({x, {Op::whole_power, 2}}), "");
  field(program({{Op::negate}}), "does not fit its stack");
  field(program({{Op::whole_power, 2}}), "does not fit its stack");
  field(program({one, {Op::add}}), "does not fit its stack");
  field(program(std::vector<Formula::Step>(Formula::deepest + 1, one)), "does not fit its stack");
  field(program({one, one}), "does not end in one number");
  field(program({{Op::variable, -1}}), "a variable that is not there");
  field(program({{Op::variable, formula_variables}}), "a variable that is not there");
  field(program({{Op::variable, formula_variables - 1}}), "");
}

}  // namespace
}  // namespace marey::test
