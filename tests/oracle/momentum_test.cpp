// Momentum, energy and their rates against sums over bodies written from positions alone.
//
// The rate of momentum of everything that moves is the sum of what acts from outside:
//   d/dt Σ m v_c = Σ m g + Σ f + roots,   d/dt Σ (c × m v_c + R I_c ω) = Σ c × m g + Σ (n + p × f) + roots        (1)
// where for a free root "roots" is its τ alone: the moment in B and the force in F, at Bo.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/figures.h"
#include "support/oracle_input.h"
#include "support/solvers.h"

namespace momentum_test {

using marey::JointType;
using oracle::crossed, oracle::minus, oracle::plus, oracle::V3;

constexpr double bound = 1e-10;  // of the largest term: 64 links of round-off, amplified by mass ratios of 1,000

double size(const V3& a) { return std::sqrt(oracle::inner(a, a)); }

struct Balance {
  V3 n{}, f{};
  double largest = 1e-300;
  void add(const V3& moment, const V3& force) {
    n = plus(n, moment), f = plus(f, force);
    largest = std::max({largest, size(moment), size(force)});
  }
};

// The right side of (1) for figures whose roots are all free.
Balance outside(const oracle::PlainFigure& figure, const oracle::Motion& m) {
  const auto X = oracle::moving_positions(figure, m.q, m.v);
  Balance sum;
  for (std::size_t i = 1; i < X.size(); ++i) {
    const oracle::PlainLink& link = figure.links[i];
    const V3 p = oracle::value(X[i].p), c = oracle::value(oracle::mass_centre(link, X[i]));
    const V3 weight = oracle::scaled(link.m, figure.gravity);
    sum.add(crossed(c, weight), weight);
    sum.add(plus(m.wrenches[i].n, crossed(p, m.wrenches[i].f)), m.wrenches[i].f);
    if (link.parent != 0) continue;
    const double* t = m.tau.data() + link.v;
    V3 n{};
    for (int r = 0; r < 3; ++r)
      for (int k = 0; k < 3; ++k) n[r] += X[i].R[r][k].x * t[k];
    const V3 f = oracle::times(link.R_PF, V3{t[3], t[4], t[5]});
    sum.add(plus(n, crossed(p, f)), f);
  }
  return sum;
}

figures::Figure floating_figure(int i) {
  marey::ModelSpec spec = figures::random_spec(static_cast<std::uint64_t>(i), figures::options_of(i));
  for (marey::LinkSpec& link : spec.links)
    if (link.parent == "world") link.joint = JointType::free;
  return figures::with_random_state(spec, static_cast<std::uint64_t>(i));
}

TEST(Momentum, ChangesByWhatActsFromOutsideAlone) {
  for (int i = 0; i < 40; ++i) {
    const figures::Figure f = floating_figure(i);
    const oracle::PlainFigure figure = oracle::plain_figure(f.spec, f.model);
    const auto in = figures::input_of<double>(f);
    for (marey::Dynamics solver : figures::solvers_for(f.model)) {
      const oracle::Motion m = oracle::motion_of(f, figures::accelerations(solver, f.model, in));
      const oracle::Momentum rate = oracle::total_momentum(figure, m);
      const Balance sum = outside(figure, m);
      const double scale = sum.largest * static_cast<double>(figure.links.size());
      EXPECT_LE(size(minus(rate.linear_rate, sum.f)), bound * scale) << i << name_of(solver);
      EXPECT_LE(size(minus(rate.angular_rate, sum.n)), bound * scale) << i << name_of(solver);
    }
  }
}

TEST(Totals, AreTheSumsOverBodies) {
  for (int i = 0; i < 40; ++i) {
    const figures::Figure f = figures::random_figure(static_cast<std::uint64_t>(i), figures::options_of(i));
    const oracle::PlainFigure figure = oracle::plain_figure(f.spec, f.model);
    marey::Kinematics<double> kinematics(f.model);
    marey::forward_kinematics<double>(f.model, f.model.params, f.state.q, f.state.v, kinematics);
    const marey::Totals<double> totals = marey::totals<double>(f.model, f.model.params, kinematics);
    const oracle::Energies e = oracle::energies(figure, f.state.q, f.state.v);
    const oracle::Momentum p = oracle::total_momentum(figure, oracle::motion_of(f, {}));
    const double tight = 1e-12;
    EXPECT_NEAR(totals.kinetic, e.kinetic, tight * (e.kinetic + 1));
    EXPECT_NEAR(totals.gravity_potential, e.potential, 1e-10);
    const double scale = std::sqrt(2 * totals.mass * e.kinetic) + 1;  // ≥ any momentum
    EXPECT_LE(size(minus(oracle::plain(totals.momentum.f), p.linear)), tight * scale);
    EXPECT_LE(size(minus(oracle::plain(totals.momentum.n), p.angular)), 10 * tight * scale);
  }
}

TEST(Kinematics, PosesAndTwistsFollowFromPositions) {
  for (int i = 0; i < 40; ++i) {
    const figures::Figure f = figures::random_figure(static_cast<std::uint64_t>(i), figures::options_of(i));
    const oracle::PlainFigure figure = oracle::plain_figure(f.spec, f.model);
    marey::Kinematics<double> kinematics(f.model);
    marey::forward_kinematics<double>(f.model, f.model.params, f.state.q, f.state.v, kinematics);
    const auto X = oracle::moving_positions(figure, f.state.q, f.state.v);
    double fastest = 1;
    for (std::size_t k = 1; k < X.size(); ++k) fastest = std::max(fastest, size(oracle::rate(X[k].p)));
    for (std::size_t k = 1; k < X.size(); ++k) {
      const V3 w_B = oracle::spin(X[k].R);
      V3 w_W{};
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
          EXPECT_NEAR(kinematics.X_WB[k].R(r, c), X[k].R[r][c].x, 1e-13);
          w_W[r] += X[k].R[r][c].x * w_B[c];
        }
      EXPECT_LE(size(minus(oracle::plain(kinematics.X_WB[k].p), oracle::value(X[k].p))), 1e-12);
      EXPECT_LE(size(minus(oracle::plain(kinematics.V_WB[k].w), w_W)), 1e-12 * fastest);
      EXPECT_LE(size(minus(oracle::plain(kinematics.V_WB[k].v), oracle::rate(X[k].p))), 1e-12 * fastest);
    }
  }
}

}  // namespace momentum_test
