// 500 random figures of 1–64 links, half of them deep chains, mass ratios up to 1,000: every solver on every figure it can
// hold, against the Euler–Lagrange oracle and against each other.
//
// Bounds, with M the joint-space inertia, b the bias (velocities, gravity, wrenches), ‖·‖ the 2-norm, ε = 2⁻⁵²:
//   oracle           each row |d/dt ∂L/∂ξ̇ − ∂L/∂ξ − Q| ≤ 1e-9 Σ|terms of the row|, all rows of all figures       (1)
//   backward error   ‖M v̇ + b − τ‖ ≤ 1e-12 S,   S = ‖M‖‖v̇‖ + ‖b‖ + ‖τ‖                                           (2)
//   forward          ‖v̇₁ − v̇₂‖ ≤ 10 κ(M) ε ‖v̇‖, every pair                                                        (3)
// M and b are the engine's own, and are themselves held against the oracle: M u and b for the same figure.        (4)
#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cstdio>
#include <map>

#include "support/joint_space.h"
#include "support/oracle_input.h"

namespace {

using figures::JointSpace;
using marey::Dynamics, marey::Vector;

constexpr int figure_count = 500;
constexpr double oracle_bound = 1e-9, backward_bound = 1e-12;

// What was seen over all figures.
struct Tally {
  double oracle = 0, backward = 0;  // worst, relative
  int figures = 0;
};
struct Report {
  std::map<Dynamics, Tally> of;
  std::vector<double> kappa;
  double forward = 0;  // worst ‖Δv̇‖ / (κ ε ‖v̇‖)
  double inertia = 0, bias = 0, round_trip = 0;

  void print() {
    std::sort(kappa.begin(), kappa.end());
    std::printf("condition of M: median %.3g, largest %.3g\n", kappa[kappa.size() / 2], kappa.back());
    for (const auto& [solver, t] : of)
      std::printf("%-10s %3d figures: Euler-Lagrange %.2e (bound %.0e), backward error %.2e (bound %.0e)\n",
                  name_of(solver), t.figures, t.oracle, oracle_bound, t.backward, backward_bound);
    std::printf("forward difference: %.3g k eps |vdot| (bound 10)\n", forward);
    std::printf("M u against the oracle %.2e, b %.2e, rnea(aba) - tau %.2e\n", inertia, bias, round_trip);
  }
};

// (4): M u is the residual's change with v̇ = u, and b its value at v̇ = 0.
void check_joint_space(const figures::Figure& f, const oracle::PlainFigure& figure, const JointSpace& s, int seed,
                       Report& report) {
  oracle::Motion m = oracle::motion_of(f, {});
  m.tau.assign(m.tau.size(), 0.0);
  const oracle::Residual at_zero = oracle::euler_lagrange(figure, m);
  const auto b_scale = Vector(at_zero.scale).norm();
  report.bias = std::max(report.bias, (s.b - Vector(at_zero.value)).norm() / b_scale);
  EXPECT_LE((s.b - Vector(at_zero.value)).norm(), backward_bound * b_scale);
  figures::Random random(static_cast<std::uint64_t>(seed));
  for (double& u : m.vdot) u = random.normal();
  m.wrenches.clear();
  m.v.assign(m.v.size(), 0.0);
  oracle::PlainFigure weightless = figure;
  weightless.gravity = {};
  const oracle::Residual Mu = oracle::euler_lagrange(weightless, m);
  const double difference = (s.M * Vector(m.vdot) - Vector(Mu.value)).norm(), scale = s.norm * Vector(m.vdot).norm();
  report.inertia = std::max(report.inertia, difference / scale);
  EXPECT_LE(difference, backward_bound * scale);
}

void check_solver(Dynamics solver, const std::vector<double>& vdot, const figures::Figure& f,
                  const oracle::PlainFigure& figure, const JointSpace& s, Report& report) {
  Tally& t = report.of[solver];
  ++t.figures;
  const double el = oracle::euler_lagrange(figure, oracle::motion_of(f, vdot)).relative();  // (1)
  const double backward = s.backward_error(vdot, f.tau);                                    // (2)
  t.oracle = std::max(t.oracle, el), t.backward = std::max(t.backward, backward);
  EXPECT_LE(el, oracle_bound) << name_of(solver);
  EXPECT_LE(backward, backward_bound) << name_of(solver);
}

void check_pair(const std::vector<double>& one, const std::vector<double>& other, double kappa, Report& report) {
  const double difference = (Vector(one) - Vector(other)).norm(), unit = kappa * DBL_EPSILON * Vector(one).norm();
  report.forward = std::max(report.forward, difference / unit);
  EXPECT_LE(difference, 10 * unit);  // (3)
}

void check_figure(const figures::Figure& f, int seed, Report& report) {
  if (f.model.nv == 0) return;
  const oracle::PlainFigure figure = oracle::plain_figure(f.spec, f.model);
  const auto in = figures::input_of<double>(f);
  const JointSpace s(f);
  report.kappa.push_back(s.kappa);
  check_joint_space(f, figure, s, seed, report);

  std::map<Dynamics, std::vector<double>> vdot;
  for (Dynamics solver : figures::solvers_for(f.model)) vdot[solver] = figures::accelerations(solver, f.model, in);
  vdot[Dynamics::dense] = figures::dense_accelerations(f);
  for (const auto& [solver, a] : vdot) check_solver(solver, a, f, figure, s, report);
  for (auto one = vdot.begin(); one != vdot.end(); ++one)
    for (auto other = std::next(one); other != vdot.end(); ++other)
      check_pair(one->second, other->second, s.kappa, report);

  // Necessary, never sufficient: the round trip through inverse dynamics.
  const Vector tau(figures::inverse_dynamics(f.model, in, vdot[Dynamics::aba]));
  const double S = s.scale(vdot[Dynamics::aba], f.tau);
  report.round_trip = std::max(report.round_trip, (tau - Vector(f.tau)).norm() / S);
  EXPECT_LE((tau - Vector(f.tau)).norm(), backward_bound * S);
}

Report check_figures(int count) {
  Report report;
  for (int i = 0; i < count; ++i) {
    const figures::Options options = figures::options_of(i);
    SCOPED_TRACE("figure " + std::to_string(i) + ", links " + std::to_string(options.links));
    check_figure(figures::random_figure(static_cast<std::uint64_t>(i), options), i, report);
    if (testing::Test::HasFailure() && i >= 20) break;  // enough to see what is wrong
  }
  report.print();
  return report;
}

TEST(Agreement, EverySolverOnFiveHundredRandomFigures) {
  Report report = check_figures(figure_count);
  if (HasFailure()) return;
  EXPECT_GE(report.of[Dynamics::armstrong].figures, figure_count / 3);
}
// The same, short: for those who change the code and wait.
TEST(Agreement, TheFirstForty) { check_figures(40); }

// Bodies at the edge of what is physical, where the joint-space inertia is still positive definite.
TEST(Agreement, PointMassesThinRodsAndEmptyLinks) {
  using marey::JointType;
  marey::ModelSpec spec;
  const auto add = [&](const char* name, const char* parent, JointType joint, const marey::Inertia<double>& body) {
    marey::LinkSpec link;
    link.name = name, link.parent = parent, link.joint = joint, link.inertia = body;
    link.axis = {1, 0, 0};
    link.X_PF.p = {0.1, -0.2, 0.3};
    spec.links.push_back(link);
  };
  const auto none = marey::Mat3<double>::identity();
  const marey::Inertia<double> empty{}, point = figures::body(0.7, {0.2, 0, 0.1}, {0, 0, 0}, none),
                                        rod = figures::body(0.4, {0, 0, -0.3}, {0.012, 0.012, 0}, none),
                                        solid = figures::body(2, {0.1, 0.1, 0}, {0.02, 0.03, 0.025}, none);
  add("empty hinge", "world", JointType::hinge, empty);
  add("trunk", "empty hinge", JointType::ball, solid);
  add("stone", "trunk", JointType::weld, point);
  add("thin rod", "trunk", JointType::hinge, rod);
  add("bead", "thin rod", JointType::slider, point);
  add("empty plate", "trunk", JointType::weld, empty);
  add("limb", "empty plate", JointType::ball, solid);
  add("pearl", "limb", JointType::point, {0.3, {}, {}});
  add("raft", "limb", JointType::point, empty);
  add("mast", "raft", JointType::ball, solid);
  Report report;
  for (int i = 0; i < 10; ++i) check_figure(figures::with_random_state(spec, static_cast<std::uint64_t>(i)), i, report);
  report.print();
}

// A quaternion stands for the same attitude at any length.
TEST(Agreement, QuaternionsOfAnyLength) {
  const figures::Figure f = figures::random_figure(8, {10, figures::Tree::random, figures::Joints::balls});
  figures::Figure longer = f;
  for (const marey::LinkTopology& link : f.model.links)
    if (link.joint == marey::JointType::ball || link.joint == marey::JointType::free)
      for (int k = 0; k < 4; ++k) longer.state.q[static_cast<std::size_t>(link.q + k)] *= 1.25;
  for (Dynamics solver : figures::solvers_for(f.model)) {
    const auto one = figures::accelerations(solver, f.model, figures::input_of<double>(f));
    const auto two = figures::accelerations(solver, f.model, figures::input_of<double>(longer));
    EXPECT_LE((Vector(one) - Vector(two)).norm(), 10 * JointSpace(f).kappa * DBL_EPSILON * Vector(one).norm());
  }
}

}  // namespace
