// Derivatives at joints whose motions change with their coordinates, each kind by itself: on the root, in the middle and at
// the tip of a figure, and two of them in a row.
//
// Bound: 1e-11 of the largest entry of the column compared (of 1e-3 of the matrix, where the column is smaller: nothing
// depends on how far a cylinder has slid along its axis). Rounding of M⁻¹ grows with the condition κ of M: forward
// dynamics is allowed 10 κ ε more.
#include <gtest/gtest.h>

#include <cstdio>

#include "support/derivative_columns.h"
#include "support/joint_space.h"

namespace {

using figures::column_by_difference, figures::column_by_dual;
using figures::Errors, figures::errors_of, figures::Figure, figures::Random;
using marey::JointType;

constexpr double bound = 1e-11, floor_of_columns = 1e-3;
constexpr JointType kinds[] = {JointType::universal, JointType::cylindrical, JointType::planar,
                               JointType::screw,     JointType::ellipsoid,   JointType::custom};

// A custom joint with n coordinates: each channel a polynomial of up to the ninth degree or a table, of several of them.
marey::CustomJoint wild_custom(Random& random, int n) {
  marey::CustomJoint joint;
  for (int k = 0; k < n; ++k) {
    joint.coordinates.push_back({"q" + std::to_string(k), k >= 3});
    joint.functions[static_cast<std::size_t>(k)].push_back({k, {0.1, 1}, {}, {}, {}});
    for (std::size_t c = 0; c < 6; ++c) {
      if (static_cast<int>(c) == k || random.chance(0.4)) continue;
      marey::JointFunction f = figures::random_function(random, k, 0.15);
      if (!f.polynomial.empty())
        for (int d = random.below(7); d > 0; --d) f.polynomial.push_back(random.between(-0.1, 0.1));
      joint.functions[c].push_back(f);
    }
  }
  for (double& c : joint.constants) c = random.between(-0.3, 0.3);
  return joint;
}

// Links in a row with a branch, the joint in question at the places of `where` (bits).
Figure figure_with(JointType kind, int where, std::uint64_t seed, int freedoms) {
  Random random(seed);
  figures::Options options{4, figures::Tree::chain, figures::Joints::balls, 10};
  marey::ModelSpec spec = figures::random_spec(seed, options);
  for (int i = 0; i < 4; ++i) {
    marey::LinkSpec& link = spec.links[static_cast<std::size_t>(i)];
    if (where >> i & 1) {
      link.joint = kind;
      figures::random_general(random, link);
      if (kind == JointType::custom) link.custom = wild_custom(random, freedoms);
    } else if (i == 2 && random.chance(0.5)) {
      link.joint = JointType::hinge;
    }
  }
  if (random.chance(0.5)) spec.links[3].parent = spec.links[1].name;
  return figures::with_random_state(spec, seed + 1000);
}

double forward_bound(const Figure& f) { return bound + 10 * figures::JointSpace(f).kappa * DBL_EPSILON; }

TEST(DerivativesJoints, EachKindAsDualNumbersSay) {
  for (const JointType kind : kinds) {
    Errors worst;
    for (int i = 0; i < 30; ++i) {
      const Figure f = figure_with(kind, 1 + i % 15, static_cast<std::uint64_t>(i), 1 + i % 6);
      const Errors e = errors_of(f, column_by_dual, true, floor_of_columns);
      EXPECT_LE(e.inverse, bound) << name_of(kind) << " " << i;
      EXPECT_LE(e.inverse_parameters, bound) << name_of(kind) << " " << i;
      EXPECT_LE(e.forward, forward_bound(f)) << name_of(kind) << " " << i;
      EXPECT_LE(e.forward_parameters, forward_bound(f)) << name_of(kind) << " " << i;
      worst = {std::max(worst.inverse, e.inverse), std::max(worst.inverse_parameters, e.inverse_parameters),
               std::max(worst.forward, e.forward), std::max(worst.forward_parameters, e.forward_parameters)};
    }
    std::printf("%-12s inverse %.1e, by inertia %.1e; forward %.1e, by inertia %.1e\n", name_of(kind), worst.inverse,
                worst.inverse_parameters, worst.forward, worst.forward_parameters);
  }
}

// Differences may not reach across a knot, where the third derivative of a table jumps.
bool clear_of_knots(const Figure& f) {
  for (const marey::LinkTopology& link : f.model.links) {
    if (link.general < 0) continue;
    const auto g = static_cast<std::size_t>(link.general);
    for (const marey::GeneralJoint::Function& y : f.model.general[g].functions)
      for (int k = 1; k < y.pieces; ++k) {
        const auto at = static_cast<std::size_t>(y.first + k * (y.degree + 3));
        const double knot = f.model.params.general[g].coefficients[at];
        if (std::abs(f.state.q[static_cast<std::size_t>(link.q + y.coordinate)] - knot) < 0.01) return false;
      }
  }
  return true;
}
TEST(DerivativesJoints, EachKindAsDifferencesSay) {
  for (const JointType kind : kinds)
    for (int i = 0, count = 0; count < 4; ++i) {
      const Figure f = figure_with(kind, 2 + 4 * (i % 2), static_cast<std::uint64_t>(100 + i), 1 + i % 3);
      if (!clear_of_knots(f)) continue;
      ++count;
      const Errors e = errors_of(f, column_by_difference, false, 1e-3);
      EXPECT_LE(e.inverse, 1e-8) << name_of(kind) << " " << i;
      EXPECT_LE(e.forward, 1e-6) << name_of(kind) << " " << i;
    }
}
// The human, its balls replaced by three kinds in turn, without forces from outside.
TEST(DerivativesJoints, AHumanOfGeneralJoints) {
  marey::ModelSpec spec = figures::human39();
  Random random(5);
  int count = 0;
  for (marey::LinkSpec& link : spec.links) {
    if (link.joint != JointType::ball) continue;
    link.joint = std::array{JointType::custom, JointType::ellipsoid, JointType::planar}[count++ % 3];
    link.axis_2 = {1, 0, 0}, link.radii = {0.03, 0.03, 0.04};
    link.custom = wild_custom(random, 3 + count % 4);
  }
  Figure f = figures::with_random_state(spec, 6);
  f.F_Bo_W.clear();
  const Errors e = errors_of(f, column_by_dual, true, floor_of_columns);
  EXPECT_LE(e.inverse, bound);
  EXPECT_LE(e.inverse_parameters, bound);
  EXPECT_LE(e.forward, forward_bound(f));
  EXPECT_LE(e.forward_parameters, forward_bound(f));
}

}  // namespace
