// The contact layer at its edges: ground that is not touched, planes that a mechanism cannot move along, numbers that are
// none, workspaces that are handed on.
#include <gtest/gtest.h>

#include <cmath>

#include "contact_cases.h"

namespace contact_edges_test {

using namespace marey;

std::vector<double> diagonal(const std::vector<double>& d) {
  std::vector<double> A(d.size() * d.size());
  for (std::size_t i = 0; i < d.size(); ++i) A[i * d.size() + i] = d[i];
  return A;
}
ContactPoint point_with(double mu_s, double mu_k, double slip = 0) {
  ContactPoint p;
  p.friction_static = mu_s, p.friction_kinetic = mu_k, p.slip = {slip, 0};
  return p;
}

TEST(ContactEdges, GroundAboveItDoesNothing) {
  const CompliantGround ground{1000, 1.5, 30, 0};
  const GroundForce f = ground_force(ground, -0.01, 2);
  EXPECT_EQ(f.force, 0);
  EXPECT_EQ(f.unclamped, 0);
  EXPECT_EQ(f.potential, 0);
  EXPECT_EQ(f.dissipation, 0);
  EXPECT_EQ(ground_force_rate(ground, -0.01, 2, 3), 0);
  EXPECT_EQ(ground_force(ground, 0, 2).force, 60);  // the force jumps at touch-down
  EXPECT_EQ(ground_force_rate(ground, 0, 2, 3), 90);
}

TEST(ContactEdges, Names) {
  EXPECT_STREQ(name_of(Mode::free), "free");
  EXPECT_STREQ(name_of(Mode::idle), "idle");
  EXPECT_STREQ(name_of(Mode::slide), "slide");
  EXPECT_STREQ(name_of(Mode::stick), "stick");
  EXPECT_STREQ(name_of(Choice::consistent), "consistent");
  EXPECT_STREQ(name_of(Choice::indeterminate), "indeterminate");
  EXPECT_STREQ(name_of(Choice::inconsistent), "inconsistent");
  EXPECT_STREQ(name_of(Choice::unresolved), "unresolved");
}

TEST(ContactEdges, AWorkspaceMayBeHandedOn) {
  const std::vector<double> A = diagonal({1, 1, 1}), a_free{-2, 0.5, 0};
  const std::array<ContactPoint, 1> points{point_with(0.5, 0.4)};
  std::vector<ContactMode> modes(1);
  std::vector<double> lambda(3), a(3);
  ContactWorkspace first(1), moved(std::move(first)), assigned(2);
  choose_modes(A, a_free, points, 1e-9, moved, modes, lambda, a);
  EXPECT_EQ(lambda[0], 2);
  assigned = std::move(moved);
  std::fill(lambda.begin(), lambda.end(), 0.0);
  choose_modes(A, a_free, points, 1e-9, assigned, modes, lambda, a);
  EXPECT_EQ(lambda[0], 2);
  EXPECT_EQ(lambda[1], -0.5);
}

// A normal force that is given neither ends by itself nor jams.
TEST(ContactEdges, WhatEndsAModeWithAGivenNormalForce) {
  std::array<double, 9> A{1, 0.5, 0, 0.5, 1, 0, 0, 0, 1};
  ContactPoint p = point_with(0.5, 0.4, 2);
  const ContactMode slide{Mode::slide, {1, 0}}, stick{Mode::stick, {}}, idle{Mode::idle, {}}, free{};
  ContactMotion motion;
  motion.gap = 0.25, motion.velocity = {-3, 2, 1};
  const std::array<double, 3> lambda{10, 3, 4}, a{7, -0.5, 0};
  const ModeEnds sliding = mode_ends(A, p, slide, motion, lambda, a);
  EXPECT_EQ(sliding.lift_off.value, 10);
  EXPECT_EQ(sliding.stop.value, 2);
  EXPECT_EQ(sliding.stop.rate, -0.5);
  EXPECT_DOUBLE_EQ(sliding.jam.value, 1 - 0.4 * 0.5);
  EXPECT_EQ(sliding.slip.value, unbounded);
  EXPECT_EQ(sliding.touch.value, unbounded);
  const ModeEnds sticking = mode_ends(A, p, stick, motion, lambda, a);
  EXPECT_EQ(sticking.lift_off.value, 10);
  EXPECT_DOUBLE_EQ(sticking.slip.value, 0.5 * 10 - 5);
  EXPECT_EQ(sticking.stop.value, unbounded);
  EXPECT_EQ(sticking.jam.value, unbounded);
  EXPECT_EQ(mode_ends(A, p, idle, motion, lambda, a).lift_off.value, 7);
  const ModeEnds flying = mode_ends(A, p, free, motion, lambda, a);
  EXPECT_EQ(flying.touch.value, 0.25);
  EXPECT_EQ(flying.touch.rate, -3);
  EXPECT_EQ(flying.lift_off.value, unbounded);
  p.normal_given = true, p.normal_force = 10;
  const ModeEnds given = mode_ends(A, p, slide, motion, lambda, a);
  EXPECT_EQ(given.lift_off.value, unbounded);
  EXPECT_EQ(given.jam.value, unbounded);
  EXPECT_EQ(given.stop.value, 2);
  EXPECT_EQ(mode_ends(A, p, stick, motion, lambda, a).lift_off.value, unbounded);
}

// A given normal force acts in every mode but free.
TEST(ContactEdges, MultipliersOfAGivenNormalForce) {
  const std::vector<double> A = diagonal({1, 1, 1}), a_free{-2, 0.5, 0};
  ContactPoint p = point_with(0.5, 0.4, 2);
  p.normal_given = true, p.normal_force = 3;
  ContactWorkspace ws(1);
  std::vector<double> lambda(3), a(3);
  const auto solve = [&](const ContactMode& mode) {
    return contact_multipliers(A, a_free, std::span(&p, 1), std::span(&mode, 1), ws, lambda, a);
  };
  EXPECT_TRUE(solve({Mode::free, {}}));
  EXPECT_EQ(lambda, (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(a, a_free);
  EXPECT_TRUE(solve({Mode::slide, {1, 0}}));
  EXPECT_DOUBLE_EQ(lambda[0], 3);
  EXPECT_DOUBLE_EQ(lambda[1], -1.2);
  EXPECT_DOUBLE_EQ(a[0], 1);
  EXPECT_TRUE(solve({Mode::stick, {}}));
  EXPECT_DOUBLE_EQ(lambda[0], 3);
  EXPECT_DOUBLE_EQ(lambda[1], -0.5);
}

// Beside a contact in Painlevé's region (Λ = 1 − 2 · 0.9) all combinations are tried, also those of one that holds up to μ_s
// and slips without friction.
TEST(ContactEdges, CombinationsOfAContactThatSlipsWithoutFriction) {
  std::vector<double> A = diagonal({1, 1, 1, 1, 1, 1});
  A[1] = A[6] = 0.9;
  const std::array<ContactPoint, 2> points{point_with(2, 2, 1), point_with(0.5, 0)};
  for (const double pull : {4.0, 8.0}) {
    const std::vector<double> a_free{1, 0, 0, -10, 0, pull};
    ContactWorkspace ws(2);
    std::vector<ContactMode> modes(2);
    std::vector<double> lambda(6), a(6);
    const ModeChoice choice = choose_modes(A, a_free, points, 1e-9, ws, modes, lambda, a);
    EXPECT_EQ(choice.choice, Choice::indeterminate);
    EXPECT_EQ(choice.contact, 0);
    EXPECT_EQ(modes[0].mode, Mode::free);
    EXPECT_EQ(lambda[0], 0);
    EXPECT_DOUBLE_EQ(lambda[3], 10);
    const bool holds = pull <= 5;
    EXPECT_EQ(modes[1].mode, holds ? Mode::stick : Mode::slide);
    EXPECT_NEAR(lambda[5], holds ? -pull : 0, 1e-14);
    EXPECT_NEAR(a[5], holds ? 0 : pull, 1e-14);
    EXPECT_NEAR(modes[1].direction[1], holds ? 0 : 1, 1e-14);
  }
}

// No force moves the point along the normal, and yet it is pressed: there is no mode for that.
TEST(ContactEdges, NothingIsChosenWhereNothingHelps) {
  const std::vector<double> A = diagonal({0, 1, 1}), a_free{-1, 0.5, 0};
  for (const double slip : {0.0, 1.0}) {
    const std::array<ContactPoint, 1> points{point_with(0.5, 0.4, slip)};
    ContactWorkspace ws(1);
    std::vector<ContactMode> modes(1);
    std::vector<double> lambda{9, 9, 9}, a{9, 9, 9};
    const ModeChoice choice = choose_modes(A, a_free, points, 1e-9, ws, modes, lambda, a);
    EXPECT_EQ(choice.choice, slip > 0 ? Choice::inconsistent : Choice::unresolved);
    EXPECT_EQ(choice.contact, slip > 0 ? 0 : -1);
    EXPECT_EQ(lambda, (std::vector<double>{0, 0, 0}));
    EXPECT_EQ(a, a_free);
  }
}

// A point of a slider that moves along the normal alone: friction finds nothing to stop, and changes nothing.
TEST(ContactEdges, ImpactOfAPointThatCannotMoveAcross) {
  const std::vector<double> A = diagonal({2, 0, 0});
  ImpulseLaw law;
  law.kind = ImpactKind::coulomb, law.friction = 0.5, law.restitution = 0.5;
  ContactWorkspace ws(1);
  std::vector<double> P(3), u(3);
  std::array<ImpactOfContact, 1> reports;
  EXPECT_TRUE(impact(A, std::array{-1.0, 0.0, 0.0}, std::span(&law, 1), ws, P, u, reports));
  EXPECT_NEAR(P[0], 0.75, 1e-15);
  EXPECT_EQ(P[1], 0);
  EXPECT_EQ(P[2], 0);
  EXPECT_NEAR(u[0], 0.5, 1e-15);
  EXPECT_NEAR(reports[0].work, 0.75 * -0.25, 1e-15);
}

// What cannot be moved at all (no body is like that) is not struck for ever.
TEST(ContactEdges, ImpactOfWhatCannotMove) {
  const std::vector<double> A(9);
  ImpulseLaw law;
  law.kind = ImpactKind::coulomb, law.friction = 0.5;
  ContactWorkspace ws(1);
  std::vector<double> P(3), u(3);
  std::array<ImpactOfContact, 1> reports;
  impact(A, std::array{-1.0, 0.0, 0.0}, std::span(&law, 1), ws, P, u, reports);
  EXPECT_EQ(P, (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(u, (std::vector<double>{-1, 0, 0}));
}

}  // namespace contact_edges_test
