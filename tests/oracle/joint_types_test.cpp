// One type of general joint at a time: small figures of this joint alone against the Euler–Lagrange oracle, and what a
// custom joint's functions promise. The bound is that of agreement_test.
#include <gtest/gtest.h>

#include <cmath>

#include "marey/model/general_motion.h"
#include "marey/scalar/instantiate.h"
#include "support/joint_space.h"
#include "support/oracle_input.h"

namespace {

using figures::Figure, figures::Random;
using marey::JointType;

constexpr double bound = 1e-9;

Figure figure_of(JointType joint, std::uint64_t seed) {
  Random random(seed);
  marey::ModelSpec spec;
  for (int i = 0; i < 3; ++i) {
    marey::LinkSpec link = figures::random_link(random, {3, figures::Tree::chain, figures::Joints::balls, 10}, i);
    link.joint = joint;
    figures::random_general(random, link);
    spec.links.push_back(link);
  }
  spec.gravity = random.normal3(6);
  return figures::with_random_state(spec, seed);
}
void check(JointType joint) {
  double worst = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Figure f = figure_of(joint, seed);
    const oracle::PlainFigure plain = oracle::plain_figure(f.spec, f.model);
    const auto in = figures::input_of<double>(f);
    for (const marey::Dynamics solver : {marey::Dynamics::aba, marey::Dynamics::crba, marey::Dynamics::dense}) {
      const std::vector<double> vdot = solver == marey::Dynamics::dense ? figures::dense_accelerations(f)
                                                                        : figures::accelerations(solver, f.model, in);
      const double el = oracle::euler_lagrange(plain, oracle::motion_of(f, vdot)).relative();
      EXPECT_LE(el, bound) << name_of(solver) << " on " << name_of(joint) << ' ' << seed;
      worst = std::max(worst, el);
    }
    marey::Kinematics<double> k(f.model);
    marey::forward_kinematics<double>(f.model, f.model.params, f.state.q, f.state.v, k);
    const oracle::Energies energies = oracle::energies(plain, f.state.q, f.state.v);
    const marey::Totals<double> totals = marey::totals(f.model, f.model.params, k);
    EXPECT_NEAR(totals.kinetic, energies.kinetic, 1e-12 * energies.kinetic);
  }
  std::printf("%-12s Euler-Lagrange %.2e (bound %.0e)\n", name_of(joint), worst, bound);
}
TEST(JointTypes, Universal) { check(JointType::universal); }
TEST(JointTypes, Cylindrical) { check(JointType::cylindrical); }
TEST(JointTypes, Planar) { check(JointType::planar); }
TEST(JointTypes, Screw) { check(JointType::screw); }
TEST(JointTypes, Ellipsoid) { check(JointType::ellipsoid); }
TEST(JointTypes, Custom) { check(JointType::custom); }

// ---------------------------------------------------------------------------------------------------- the ellipsoid
// Bo lies on the surface, the normal there is the z axis of B, and Bo moves along the surface.
TEST(JointTypes, TheEllipsoidCarriesBoOnItsSurface) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Figure f = figure_of(JointType::ellipsoid, seed);
    marey::GeneralMotion<double> m;
    const marey::Vec3<double> a = f.model.params.general[0].radii;
    marey::general_motion<double>(f.model.general[0], f.model.params.general[0], f.state.q.data(), f.state.v.data(), m);
    EXPECT_NEAR(std::pow(m.p.x / a.x, 2) + std::pow(m.p.y / a.y, 2) + std::pow(m.p.z / a.z, 2), 1, 1e-13);
    marey::Vec3<double> normal{m.p.x / (a.x * a.x), m.p.y / (a.y * a.y), m.p.z / (a.z * a.z)};
    normal = (1 / norm(normal)) * normal;
    EXPECT_LT(norm(normal - m.R_FB * marey::Vec3<double>{0, 0, 1}), 1e-13);
    EXPECT_NEAR(dot(normal, m.v_J), 0, 1e-13);
  }
}

// ------------------------------------------------------------------------------------------------------- functions
// A channel that is one function of one coordinate, seen through the displacement along x.
struct OneFunction {
  marey::FrozenJoint joint;
  explicit OneFunction(const marey::JointFunction& f) {
    marey::LinkSpec link;
    link.name = "link", link.joint = JointType::custom;
    link.custom.coordinates = {{"x", true}};
    link.custom.functions[3] = {f};
    joint = marey::freeze_general(link);
  }
  // Value, slope, and curvature at x.
  marey::Vec3<double> at(double x) const {
    const double v = 1;
    marey::GeneralMotion<double> m;
    marey::general_motion<double>(joint.joint, joint.params, &x, &v, m);
    return {m.p.x, m.v_J.x, m.v_bias.x};
  }
};
TEST(JointFunctions, TablesGoThroughTheirPointsWithTwoContinuousDerivatives) {
  for (int seed = 0; seed < 30; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    marey::JointFunction f;
    const int knots = 2 + random.below(6);
    for (int k = 0; k < knots; ++k) f.x.push_back(k + random.between(-0.3, 0.3)), f.y.push_back(random.normal());
    if (seed % 2 == 0) f.end_slopes = {0.4, -0.7};
    const OneFunction one(f);
    const double h = 1e-9;
    for (int k = 0; k < knots; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const bool end = k == 0 || k == knots - 1;
      const auto before = one.at(f.x[i] - h), after = one.at(f.x[i] + h);
      EXPECT_NEAR(one.at(f.x[i]).x, f.y[i], 1e-13);
      EXPECT_NEAR(before.y, after.y, 1e-6);
      if (!end || !f.end_slopes) {
        EXPECT_NEAR(before.z, after.z, 1e-6);
      }
      if (f.end_slopes && end) {
        EXPECT_NEAR(one.at(f.x[i]).y, k == 0 ? 0.4 : -0.7, 1e-12);
      }
    }
    for (const double beyond : {0.5, 3.0}) {  // straight on
      const auto left = one.at(f.x.front() - beyond), right = one.at(f.x.back() + beyond);
      EXPECT_NEAR(left.x, f.y.front() - beyond * one.at(f.x.front()).y, 1e-12);
      EXPECT_NEAR(right.x, f.y.back() + beyond * one.at(f.x.back()).y, 1e-12);
      EXPECT_EQ(left.z, 0);
      EXPECT_EQ(right.z, 0);
    }
  }
}
// A clamped spline through points of a cubic is that cubic.
TEST(JointFunctions, ACubicComesBack) {
  const auto cubic = [](double x) { return 0.3 - x + 0.5 * x * x - 0.2 * x * x * x; };
  const auto slope = [](double x) { return -1 + x - 0.6 * x * x; };
  marey::JointFunction f;
  for (const double x : {-1.0, -0.2, 0.1, 0.9, 1.4}) f.x.push_back(x), f.y.push_back(cubic(x));
  f.end_slopes = {slope(-1.0), slope(1.4)};
  const OneFunction one(f);
  marey::JointFunction p;
  p.polynomial = {0.3, -1, 0.5, -0.2};
  const OneFunction other(p);
  for (double x = -1; x < 1.4; x += 0.05) {
    EXPECT_NEAR(one.at(x).x, cubic(x), 1e-14);
    EXPECT_NEAR(one.at(x).y, slope(x), 1e-13);
    EXPECT_NEAR(one.at(x).z, 1 - 1.2 * x, 1e-12);
    EXPECT_LT(norm(one.at(x) - other.at(x)), 1e-12);
  }
}

// -------------------------------------------------------------------------------------------------------- refusals
std::string refusal(void (*change)(marey::LinkSpec&)) {
  marey::LinkSpec link;
  link.name = "link", link.joint = JointType::custom;
  link.inertia = {1, {}, marey::Sym3<double>::diagonal(1, 1, 1)};
  link.axis = {0, 0, 1}, link.axis_2 = {1, 0, 0}, link.radii = {1, 1, 1};
  link.custom.coordinates = {{"bend"}};
  link.custom.functions[0] = {{0, {0, 1}, {}, {}, {}}};
  change(link);
  try {
    marey::freeze({{link}, {}});
  } catch (const marey::InvalidSpec& e) {
    return e.reason();
  }
  return "";
}
TEST(JointTypes, RefusesWhatCannotMove) {
  using Link = marey::LinkSpec;
  const auto expect = [](void (*change)(Link&), const char* words) {
    const std::string reason = refusal(change);
    if (*words == 0)
      EXPECT_EQ(reason, "");
    else
      EXPECT_NE(reason.find(words), std::string::npos) << reason;
  };
  expect([](Link&) {}, "");
  expect([](Link& l) { l.joint = JointType::universal, l.axis_2 = {0, 0, -2}; }, "parallel");
  expect([](Link& l) { l.joint = JointType::planar, l.axis_2 = {0, 0, 3}; }, "normal itself");
  expect([](Link& l) { l.joint = JointType::cylindrical, l.axis = {}; }, "no direction");
  expect([](Link& l) { l.joint = JointType::screw, l.pitch = NAN; }, "pitch");
  expect([](Link& l) { l.joint = JointType::ellipsoid, l.radii.y = 0; }, "radii");
  expect([](Link& l) { l.custom.coordinates.push_back({"idle"}); }, "'idle' of its joint moves nothing");
  expect([](Link& l) { l.custom.coordinates.clear(); }, "1 to 6 coordinates");
  expect([](Link& l) { l.custom.coordinates.push_back({"bend"}); }, "are called 'bend'");
  expect([](Link& l) { l.custom.functions[0].push_back({0, {1}, {}, {}, {}}); }, "two functions");
  expect([](Link& l) { l.custom.functions[0][0].coordinate = 1; }, "not there");
  expect([](Link& l) { l.custom.functions[0][0] = {0, {}, {0, 1, 1}, {0, 1, 2}, {}}; }, "do not ascend");
  expect([](Link& l) { l.custom.functions[0][0] = {0, {}, {0}, {0}, {}}; }, "at least two points");
  // Two coordinates that do the same, and one that does nothing anywhere.
  expect(
      [](Link& l) {
        l.custom.coordinates.push_back({"copy"});
        l.custom.functions[0].push_back({1, {0, 2}, {}, {}, {}});
      },
      "without effort");
  expect([](Link& l) { l.custom.functions[0][0].polynomial = {0.3}; }, "without effort");
}

}  // namespace
