// What is refused of constraints made in code, and whether they move by themselves.
#include <gtest/gtest.h>

#include <cmath>

#include "marey/constraint.h"
#include "support/figures.h"

namespace marey {
namespace {

// Values made in code, of which a reader would have caught many: each with its reason, and the nearest one that is taken.
TEST(ConstraintRefusals, EveryNumberIsLookedAt) {
  const Model model = freeze(figures::chain(2));
  const auto said = [&](const ConstraintKind& kind) {
    Constraint c;
    c.a = {1, {}}, c.b = {2, {}};
    c.kind = kind;
    return refusal(model, c);
  };
  for (const double bad : {0.0, -1.0, std::nan(""), forever}) {
    EXPECT_EQ(said(FixedDistance{bad}), "the length of a rod is above zero");
    EXPECT_EQ(said(Rolling{Rolling::Body::disc, bad}), "the radius of what rolls is above zero");
    EXPECT_EQ(said(OnSurface{{bad, 1, 1}}), "radii are above zero");
    EXPECT_EQ(said(OnSurface{{1, bad, 1}}), "radii are above zero");
    EXPECT_EQ(said(OnSurface{{1, 1, bad}}), "radii are above zero");
    EXPECT_EQ(said(OnPath{{bad, 1}, {}}), "radii are above zero");
    EXPECT_EQ(said(OnPath{{1, bad}, {}}), "radii are above zero");
  }
  EXPECT_EQ(said(FixedDistance{1e-9}), "");
  EXPECT_EQ(said(Rolling{Rolling::Body::sphere, 1e-9}), "");
  EXPECT_EQ(said(OnSurface{{1, 2, 3}}), "");
  EXPECT_EQ(said(OnPath{{1, 2}, {}}), "");
  SplinePath path;
  const std::string few = "a path has at least two points, three when it is closed";
  for (const bool closed : {false, true})
    for (std::size_t n = 0; n < 5; ++n) {
      path.points.assign(n, {}), path.closed = closed;
      EXPECT_EQ(said(OnPath{{}, path}), n < (closed ? 3U : 2U) ? few : "") << closed << n;
    }
  Drive drive;
  EXPECT_EQ(said(drive), "a drive gives a place, an angle or both");
  drive.angle = constant_in_time(0);
  EXPECT_EQ(said(drive), "");
  Constraint c;
  for (const auto& [a, b, words] : {std::tuple{-1, 2, "there is no such link"},
                                    {1, model.nlink(), "there is no such link"},
                                    {0, 1, ""},
                                    {2, 2, "it ties a link to itself"}}) {
    c.a.link = a, c.b.link = b;
    EXPECT_EQ(refusal(model, c), words);
  }
  c.a.link = 1, c.b.link = 2;
  for (const double until : {0.0, -1.0, std::nan("")}) {
    c.until = until;
    EXPECT_EQ(refusal(model, c), "it ends before it begins");
  }
}

TEST(ConstraintRefusals, EveryTermOfACouplerIsLookedAt) {
  ModelSpec spec;
  for (const JointType joint : {JointType::hinge, JointType::ball, JointType::weld, JointType::free})
    spec.links.push_back(figures::rod_link(name_of(joint), "world", joint, {}, 1, 0.3, 0.03));
  const Model model = freeze(spec);
  const int hinge = model.find("hinge"), ball = model.find("ball"), weld = model.find("weld"),
            free = model.find("free");
  const auto said = [&](const std::vector<Coupler::Term>& terms, Coupler::Level level = Coupler::Level::coordinate) {
    Constraint c;
    c.kind = Coupler{terms, constant_in_time(0), level};
    return refusal(model, c);
  };
  const NamedAngle twist{NamedAngle::Kind::twist, {0, 0, 1}}, nowhere{NamedAngle::Kind::twist, {0, 0, 0}};
  EXPECT_EQ(said({}), "a coupler needs at least one joint");
  EXPECT_EQ(said({{hinge}}), "");
  EXPECT_EQ(said({{hinge}, {0}}), "there is no such link");
  EXPECT_EQ(said({{model.nlink()}}), "there is no such link");
  EXPECT_EQ(said({{weld}}), "the weld joint of 'weld' has no coordinate");
  EXPECT_EQ(said({{hinge, 1, 0, twist}}), "the hinge joint of 'hinge' has coordinates and no named angle");
  EXPECT_EQ(said({{ball, 1, 0, twist}}), "");
  EXPECT_EQ(said({{ball, 1, 0, nowhere}}), "the axis of an angle has no direction");
  EXPECT_EQ(said({{hinge, 1, -1}}), "the hinge joint of 'hinge' has 1 freedoms, numbered from 0");
  EXPECT_EQ(said({{hinge, 1, 1}}), "the hinge joint of 'hinge' has 1 freedoms, numbered from 0");
  EXPECT_NE(said({{ball, 1, 0}}).find("expected a named angle of it"), std::string::npos);
  EXPECT_EQ(said({{ball, 1, 2}}, Coupler::Level::velocity), "");
  EXPECT_NE(said({{free, 1, 2}}).find("expected a named angle of it"), std::string::npos);
  EXPECT_EQ(said({{free, 1, 3}}), "");
  EXPECT_EQ(said({{free, 1, 5}}), "");
  EXPECT_EQ(said({{free, 1, 6}}), "the free joint of 'free' has 6 freedoms, numbered from 0");
  for (const double bad : {0.0, forever, std::nan("")})
    EXPECT_EQ(said({{hinge, bad}}), "the factors of a coupler are not zero");
}

TEST(ConstraintMotion, IsKnown) {
  Constraint c;
  c.a = {1, {}}, c.b = {2, {}};
  c.kind = Drive{{}, constant_in_time(3)};
  EXPECT_FALSE(moves_in_time(c));
  c.kind = Drive{{}, spline_in_time({0, 1}, {2, 2})};
  EXPECT_TRUE(moves_in_time(c));
  TimeFunction of_time;
  of_time.formula.program = {{Formula::Op::variable, 6}};
  c.kind = Drive{{}, of_time};
  EXPECT_TRUE(moves_in_time(c));
  c.kind = Coupler{{{1}}, of_time};
  EXPECT_TRUE(moves_in_time(c));
  c.kind = LoopJoint{};
  EXPECT_FALSE(moves_in_time(c));
}

}  // namespace
}  // namespace marey
