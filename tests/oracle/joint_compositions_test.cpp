// General joints against the same mechanism put together from hinges and sliders, with links of no mass in between: the
// coordinates are the same, so that accelerations, poses and joint forces must be.
//
// Tolerance: round-off, 1e-11 of the largest acceleration; the limit of a screw without pitch is the hinge, exactly.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/joint_space.h"

namespace {

using figures::Figure, figures::Random;
using marey::JointType;
using Vec = marey::Vec3<double>;

struct Part {
  JointType joint;
  Vec axis;
};

// A trunk on a free joint, a limb on the joint under test, and a hand on a ball.
marey::ModelSpec figure_with(const marey::LinkSpec& limb, std::uint64_t seed) {
  Random random(seed);
  marey::ModelSpec spec;
  spec.gravity = random.normal3(6);
  marey::LinkSpec trunk, hand;
  trunk.name = "trunk", trunk.joint = JointType::free, trunk.inertia = figures::random_body(random, 10);
  hand.name = "hand", hand.parent = "limb", hand.joint = JointType::ball;
  hand.X_PF.p = random.normal3(0.3), hand.inertia = figures::random_body(random, 10);
  spec.links = {trunk, limb, hand};
  return spec;
}
marey::LinkSpec limb_of(JointType joint, std::uint64_t seed) {
  Random random(seed + 1000);
  marey::LinkSpec limb;
  limb.name = "limb", limb.parent = "trunk", limb.joint = joint;
  limb.axis = random.normal3(1), limb.axis_2 = random.normal3(1);
  limb.X_PF = {figures::matrix_of(random.turn()), random.normal3(0.3)};
  limb.inertia = figures::random_body(random, 10);
  return limb;
}
// The same figure with simple joints in a row in the limb's place.
marey::ModelSpec taken_apart(const marey::ModelSpec& spec, const std::vector<Part>& parts) {
  marey::ModelSpec out = spec;
  out.links.clear();
  for (const marey::LinkSpec& link : spec.links) {
    if (link.name != "limb") {
      out.links.push_back(link);
      continue;
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      marey::LinkSpec part = link;
      const bool last = i + 1 == parts.size();
      part.joint = parts[i].joint, part.axis = parts[i].axis;
      if (!last) part.name = "part " + std::to_string(i), part.inertia = {};
      if (i > 0) part.parent = "part " + std::to_string(i - 1), part.X_PF = {};
      out.links.push_back(part);
    }
  }
  return out;
}

// v̇ of both; links are stored by level, and so are the coordinates: trunk, limb, hand in both.
void expect_same(const marey::ModelSpec& one, const marey::ModelSpec& other, std::uint64_t seed) {
  const Figure f = figures::with_random_state(one, seed);
  Figure g = f;
  g.spec = other, g.model = marey::freeze(other);
  ASSERT_EQ(f.model.nq, g.model.nq);
  ASSERT_EQ(f.model.nv, g.model.nv);
  g.F_Bo_W.assign(g.model.links.size(), {});
  for (const char* name : {"trunk", "limb", "hand"})
    g.F_Bo_W[static_cast<std::size_t>(g.model.find(name))] = f.F_Bo_W[static_cast<std::size_t>(f.model.find(name))];
  marey::Kinematics<double> kf(f.model), kg(g.model);
  marey::forward_kinematics<double>(f.model, f.model.params, f.state.q, f.state.v, kf);
  marey::forward_kinematics<double>(g.model, g.model.params, g.state.q, g.state.v, kg);
  const auto a = static_cast<std::size_t>(f.model.find("hand")), b = static_cast<std::size_t>(g.model.find("hand"));
  EXPECT_LT(norm(kf.X_WB[a].p - kg.X_WB[b].p), 1e-13);
  EXPECT_LT(norm(kf.V_WB[a].w - kg.V_WB[b].w) + norm(kf.V_WB[a].v - kg.V_WB[b].v), 1e-12);
  for (const marey::Dynamics solver : {marey::Dynamics::aba, marey::Dynamics::crba}) {
    const auto x = figures::accelerations(solver, f.model, figures::input_of<double>(f));
    const auto y = figures::accelerations(solver, g.model, figures::input_of<double>(g));
    double size = 0;
    for (const double v : x) size = std::max(size, std::abs(v));
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-11 * size) << name_of(solver) << ' ' << i;
  }
}

TEST(Compositions, UniversalIsTwoHinges) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const marey::LinkSpec limb = limb_of(JointType::universal, seed);
    const marey::ModelSpec spec = figure_with(limb, seed);
    expect_same(spec, taken_apart(spec, {{JointType::hinge, limb.axis}, {JointType::hinge, limb.axis_2}}), seed);
  }
}
TEST(Compositions, CylindricalIsAHingeAndASlider) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const marey::LinkSpec limb = limb_of(JointType::cylindrical, seed);
    const marey::ModelSpec spec = figure_with(limb, seed);
    expect_same(spec, taken_apart(spec, {{JointType::hinge, limb.axis}, {JointType::slider, limb.axis}}), seed);
  }
}
TEST(Compositions, PlanarIsTwoSlidersAndAHinge) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const marey::LinkSpec limb = limb_of(JointType::planar, seed);
    const marey::ModelSpec spec = figure_with(limb, seed);
    const Vec across = cross(limb.axis, limb.axis_2), along = cross(across, limb.axis);
    expect_same(
        spec,
        taken_apart(spec, {{JointType::slider, along}, {JointType::slider, across}, {JointType::hinge, limb.axis}}),
        seed);
  }
}
// Three angles and three displacements of one coordinate each: three sliders, then three hinges.
TEST(Compositions, CustomOfSixIsThreeSlidersAndThreeHinges) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    marey::LinkSpec limb = limb_of(JointType::custom, seed);
    for (int k = 0; k < 6; ++k) {
      limb.custom.coordinates.push_back({"q" + std::to_string(k), k < 3});
      limb.custom.functions[static_cast<std::size_t>((k + 3) % 6)] = {{k, {0, 1}, {}, {}, {}}};
    }
    const marey::ModelSpec spec = figure_with(limb, seed);
    expect_same(spec,
                taken_apart(spec, {{JointType::slider, {1, 0, 0}},
                                   {JointType::slider, {0, 1, 0}},
                                   {JointType::slider, {0, 0, 1}},
                                   {JointType::hinge, {1, 0, 0}},
                                   {JointType::hinge, {0, 1, 0}},
                                   {JointType::hinge, {0, 0, 1}}}),
                seed);
  }
}
TEST(Compositions, AScrewWithoutPitchIsAHinge) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const marey::LinkSpec limb = limb_of(JointType::screw, seed);
    const marey::ModelSpec spec = figure_with(limb, seed);
    expect_same(spec, taken_apart(spec, {{JointType::hinge, limb.axis}}), seed);
  }
}
// On a sphere the link turns about the centre as on a ball, Bo a radius along its z axis.
TEST(Compositions, AnEllipsoidOfEqualRadiiIsABall) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    marey::LinkSpec limb = limb_of(JointType::ellipsoid, seed);
    limb.radii = {0.2, 0.2, 0.2};
    const marey::ModelSpec spec = figure_with(limb, seed);
    marey::ModelSpec ball = spec;
    marey::LinkSpec tip = ball.links[1];
    ball.links[1].joint = JointType::ball, ball.links[1].name = "centre", ball.links[1].inertia = {};
    tip.joint = JointType::weld, tip.parent = "centre", tip.X_PF = {marey::Mat3<double>::identity(), {0, 0, 0.2}};
    ball.links.push_back(tip);
    expect_same(spec, ball, seed);
  }
}

// A nut on an upright screw falls and turns: (m + J (2π/pitch)²) z̈ = −m g.
TEST(Compositions, ANutOnAScrewFallsAsItTurns) {
  marey::LinkSpec nut;
  const double pitch = 0.03, k = pitch / (2 * M_PI), m = 0.4, J = 2e-5;
  nut.name = "nut", nut.joint = JointType::screw, nut.pitch = pitch;
  nut.inertia = {m, {}, marey::Sym3<double>::diagonal(J, J, J)};
  const marey::ModelSpec spec{{nut}, {0, 0, -9.81}};
  Figure f{spec, marey::freeze(spec), {}, {0.0}, {}};
  f.state = marey::neutral_state(f.model);
  f.F_Bo_W.assign(2, {});
  const auto vdot = figures::accelerations(marey::Dynamics::aba, f.model, figures::input_of<double>(f));
  EXPECT_NEAR(k * vdot[0], -9.81 * m / (m + J / (k * k)), 1e-12);
}

}  // namespace
