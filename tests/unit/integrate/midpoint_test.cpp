// The variational midpoint rule: what it keeps, for as long as one likes.
#include <gtest/gtest.h>

#include <cstdio>

#include "support/sanitized.h"
#include "unit/integrate/figure_flow.h"

namespace {

using marey::Integrator, marey::JointType;
using namespace tumbling;

double size(const marey::Vec3<double>& a) { return norm(a); }

// The slope of y over 0, 1, 2, … by least squares, and the spread of y.
struct Trend {
  double slope, spread;
};
Trend trend(const std::vector<double>& y) {
  const auto n = static_cast<double>(y.size());
  double mean = 0, sxy = 0, sxx = 0;
  for (const double a : y) mean += a / n;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double x = static_cast<double>(i) - (n - 1) / 2;
    sxy += x * (y[i] - mean), sxx += x * x;
  }
  const auto [low, high] = std::minmax_element(y.begin(), y.end());
  return {sxy / sxx, *high - *low};
}

// The state with another velocity of the mass centre, in the axes of W.
State drifting(const Model& model, const FigureFlow& flow, State s, const marey::Vec3<double>& velocity) {
  const marey::Totals<double> t = flow.totals(s.q, s.v);
  const marey::Vec3<double> change = velocity - (1 / t.mass) * t.momentum.f;
  const marey::Vec3<double> change_F = transpose(model.params.links[1].R_PF) * change;
  for (int k = 0; k < 3; ++k) s.v[model.links[1].v + 3 + k] += change_F[k];
  return s;
}

// Nothing acts on the figure: its momenta stay, and its energy swings about a fixed value. It drifts slowly: far from
// the origin the angular momentum about it could not be told that exactly.
TEST(Midpoint, KeepsMomentaAndEnergyOfAFreeFigure) {
  const Model model = figure(JointType::free, false);
  FigureFlow flow(model);
  const State start = drifting(model, flow, tumble(model), {0.002, -0.001, 0.001});
  const auto method = marey::make_method({Integrator::midpoint}, flow);
  method->restart(0, start.q, start.v);
  const marey::Totals<double> first = flow.totals(start.q, start.v);
  const double h = 0.005;
  const int steps = 100000 / marey::every(10);
  double linear = 0, angular = 0;
  std::vector<double> energy;
  for (int i = 1; i <= steps; ++i) {
    method->step(h * i);
    const marey::Totals<double> now = flow.totals(method->q(), method->v());
    linear = std::max(linear, size(now.momentum.f - first.momentum.f));
    angular = std::max(angular, size(now.momentum.n - first.momentum.n));
    energy.push_back(now.kinetic);
  }
  const Trend e = trend(energy);
  const double impetus = std::sqrt(2 * first.mass * first.kinetic);  // what the links' momenta are like
  std::printf("momenta off by %.1e kg m/s of %.2f, %.1e kg m²/s of %.2f\n", linear, impetus, angular,
              size(first.momentum.n));
  std::printf("energy swings by %.2e J of %.2f J, drifts by %.1e J in all; %.1f evaluations a step\n", e.spread,
              first.kinetic, e.slope * steps, static_cast<double>(method->tally().evaluations) / steps);
  EXPECT_LT(linear, 1e-12 * impetus);
  EXPECT_LT(angular, 1e-12 * size(first.momentum.n));
  EXPECT_LT(e.spread, 0.01 * first.kinetic);
  // Over a shorter time a part of a swing is left, and looks like a trend.
  if (!marey::sanitized) {
    EXPECT_LT(std::abs(e.slope * steps), 0.05 * e.spread);
  }
}

// Under gravity, hung up on a ball: energy alone is kept, and the angular momentum about the vertical.
TEST(Midpoint, KeepsWhatAHangingFigureKeeps) {
  const Model model = figure(JointType::ball, true);
  FigureFlow flow(model);
  const State start = tumble(model, 1);
  const auto method = marey::make_method({Integrator::midpoint}, flow);
  method->restart(0, start.q, start.v);
  const marey::Totals<double> first = flow.totals(start.q, start.v);
  double angular = 0;
  std::vector<double> energy;
  const int steps = 20000 / marey::every(5);
  for (int i = 1; i <= steps; ++i) {
    method->step(0.004 * i);
    const marey::Totals<double> now = flow.totals(method->q(), method->v());
    angular = std::max(angular, std::abs(now.momentum.n.z - first.momentum.n.z));
    energy.push_back(now.kinetic + now.gravity_potential);
  }
  const Trend e = trend(energy);
  std::printf("momentum about z off by %.1e; energy swings by %.2e J, drifts by %.1e J\n", angular, e.spread,
              e.slope * steps);
  EXPECT_LT(angular, 1e-12);
  if (!marey::sanitized) {
    EXPECT_LT(std::abs(e.slope * steps), 0.1 * e.spread);
  }
  EXPECT_LT(e.spread, 0.1);
}

TEST(Midpoint, RunsBackTheWayItCame) {
  const Model model = figure(JointType::free, true, true);
  FigureFlow flow(model, {0, 0, 5});
  const State start = tumble(model);
  const Outcome there = run(Integrator::midpoint, flow, start, 1, 200);
  State back{0, there.q, there.v};
  for (double& v : back.v) v = -v;
  Outcome again = run(Integrator::midpoint, flow, back, 1, 200);
  for (double& v : again.v) v = -v;
  const Difference d = between(model, again, {start.q, start.v, again.integrals});
  std::printf("back where it began to %.1e, %.1e\n", d.q, d.v);
  EXPECT_LT(d.q, 1e-11);
  EXPECT_LT(d.v, 1e-10);
  // Runge–Kutta does not: its error is not the same on the way back.
  const Outcome other = run(Integrator::rk4, flow, start, 1, 200);
  State other_back{0, other.q, other.v};
  for (double& v : other_back.v) v = -v;
  const Outcome other_again = run(Integrator::rk4, flow, other_back, 1, 200);
  EXPECT_GT(between(model, other_again, {start.q, again.v, again.integrals}).q, 1e-9);
}

// Stiff forces: where the simple iteration does not contract, Newton's method does.
TEST(Midpoint, SolvesItsEquationsByNewtonWhereForcesAreStiff) {
  const Model model = figure(JointType::free, true, true);
  FigureFlow flow(model, {0, 0, 2e4});
  const State start = tumble(model);
  const auto method = marey::make_method({Integrator::midpoint}, flow);
  method->restart(0, start.q, start.v);
  const double before = flow.totals(start.q, start.v).kinetic;
  for (int i = 1; i <= 50; ++i) method->step(0.01 * i);
  EXPECT_GT(method->tally().evaluations, 50 * 25);
  EXPECT_TRUE(std::isfinite(before + flow.totals(method->q(), method->v()).kinetic));
}

// The force dual to a shift of q, (3) of figure_flow.h, from the Lagrangian itself: difference quotients of L along the
// exponential, attitudes turned in the axes of B.
TEST(Midpoint, ForceOfTheFlowIsTheDerivativeOfTheLagrangian) {
  const Model model = figure(JointType::free, true, true);
  FigureFlow flow(model);
  const State s = tumble(model);
  std::vector<double> g(s.v.size()), rates(3), xi(s.v.size()), q(s.q.size());
  flow.force(0, s.q, s.v, g, rates);
  const auto lagrangian = [&](std::size_t i, double d) {
    std::fill(xi.begin(), xi.end(), 0.0);
    xi[i] = d;
    marey::advance<double>(model, s.q, xi, marey::Turn::exponential, q);
    const marey::Totals<double> t = flow.totals(q, s.v);
    return t.kinetic - t.gravity_potential;
  };
  for (std::size_t i = 0; i < g.size(); ++i) {
    const double d = 1e-3, one = (lagrangian(i, d) - lagrangian(i, -d)) / (2 * d),
                 two = (lagrangian(i, 2 * d) - lagrangian(i, -2 * d)) / (4 * d);
    EXPECT_NEAR(g[i], (4 * one - two) / 3, 1e-9) << i;
  }
}

// A force that turns round within half a step: wherever the middle is thought to be, it is pushed to the other side. The
// equations have no solution, all numbers being finite.
struct Thrown : FigureFlow {
  using FigureFlow::FigureFlow;
  void force(double t, std::span<const double> q, std::span<const double> v, std::span<double> g,
             std::span<double> rates) override {
    FigureFlow::force(t, q, v, g, rates);
    for (double& x : g) x = 0;
    g[0] = q[0] > 1 ? -1e6 : 1e6;
  }
};
TEST(Midpoint, SaysSoWhereNewtonDoesNotComeToAnEnd) {
  const Model model = figure(JointType::slider, false);
  Thrown flow(model);
  State start = marey::neutral_state(model);
  start.q[0] = 0.999;
  const auto method = marey::make_method({Integrator::midpoint}, flow);
  method->restart(0, start.q, start.v);
  EXPECT_THROW(method->step(0.1), marey::Error);
}

// A step much too long for the forces is not taken with a wrong answer.
TEST(Midpoint, SaysSoWhereThereIsNoSolution) {
  const Model model = figure(JointType::free, true);
  FigureFlow flow(model, {0, 0, std::nan("")});
  const State start = tumble(model);
  const auto method = marey::make_method({Integrator::midpoint}, flow);
  method->restart(0, start.q, start.v);
  try {
    method->step(0.01);
    FAIL() << "a step was taken";
  } catch (const marey::Error& error) {
    EXPECT_EQ(error.kind(), marey::ErrorKind::cannot_go_on);
    EXPECT_NE(std::string(error.what()).find("the implicit equations of the midpoint rule have no solution"),
              std::string::npos);
  }
}

}  // namespace
