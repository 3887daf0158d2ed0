// Derivatives of inverse and forward dynamics, against dual numbers through rnea and aba, and against differences of
// sixth order that know nothing of either.
//
// Bound: 1e-8 of the largest entry of the column compared, on figures of all joints, half of them deep chains, masses up
// to 1 : 1,000, with forces from outside. Rounding of M⁻¹ grows with the condition κ of M: forward dynamics is allowed
// 10 κ ε more. With joints that slide along what nothing depends on, whole columns are zero but for rounding: there
// columns below 1e-6 of the matrix are measured against that.
#include "marey/dynamics/derivatives.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "support/derivative_columns.h"
#include "support/joint_space.h"

namespace derivatives_test {

using figures::column_by_difference, figures::column_by_dual;
using figures::Errors, figures::errors_of, figures::Figure, figures::Numbers;

constexpr double bound = 1e-8;

void expect_small(const Errors& e, double forward_bound, const std::string& which) {
  EXPECT_LE(e.inverse, bound) << which;
  EXPECT_LE(e.inverse_parameters, bound) << which;
  EXPECT_LE(e.forward, forward_bound) << which;
  EXPECT_LE(e.forward_parameters, forward_bound) << which;
}

TEST(Derivatives, AreThoseOfDualNumbers) {
  Errors worst;
  for (int i = 0; i < 60; ++i) {
    figures::Options o = figures::options_of(i);
    o.links = 1 + o.links / 2;
    const Figure f = figures::random_figure(static_cast<std::uint64_t>(i), o);
    if (f.model.nv == 0) continue;
    const Errors e = errors_of(f, column_by_dual, i % 4 < 2, f.model.general.empty() ? 0 : 1e-6);
    expect_small(e, bound + 10 * figures::JointSpace(f).kappa * DBL_EPSILON, "figure " + std::to_string(i));
    worst = {std::max(worst.inverse, e.inverse), std::max(worst.inverse_parameters, e.inverse_parameters),
             std::max(worst.forward, e.forward), std::max(worst.forward_parameters, e.forward_parameters)};
  }
  std::printf("largest differences: inverse %.1e, by inertia %.1e; forward %.1e, by inertia %.1e\n", worst.inverse,
              worst.inverse_parameters, worst.forward, worst.forward_parameters);
}
TEST(Derivatives, AreThoseOfSixthOrderDifferences) {
  for (int i = 0; i < 6; ++i) {
    const figures::Options o{5 + i, i % 2 == 0 ? figures::Tree::chain : figures::Tree::random, figures::Joints::any,
                             10};
    const Figure f = figures::random_figure(static_cast<std::uint64_t>(500 + i), o);
    // The differences of a hard figure are not better than this themselves.
    const Errors e = errors_of(f, column_by_difference, false, 1e-3);
    EXPECT_LE(e.inverse, bound) << i;
    EXPECT_LE(e.forward, 100 * bound) << i;
  }
  const Figure human = figures::with_random_state(figures::human39(), 3);
  expect_small(errors_of(human, column_by_difference, false, 1e-3), 100 * bound, "human");
}
TEST(Derivatives, WithoutForcesFromOutside) {
  Figure f = figures::with_random_state(figures::human39(), 8);
  f.F_Bo_W.clear();
  expect_small(errors_of(f, column_by_dual, true), bound, "human");
}
// What forces from outside left in the workspace is gone when there are none.
TEST(Derivatives, NothingIsLeftOfForcesFromOutside) {
  const Figure f = figures::with_random_state(figures::human39(), 8);
  marey::DerivativesWorkspace ws(f.model);
  for (const bool outside : {true, false}) {
    const std::span<const marey::Wrench<double>> F = outside ? std::span(f.F_Bo_W) : std::span<marey::Wrench<double>>();
    marey::aba_derivatives(f.model, f.model.params, f.state.q, f.state.v, {f.tau, F}, ws);
    double most = 0;
    for (int i = 1; i < f.model.nlink(); ++i)
      for (const auto& row : ws.articulated[static_cast<std::size_t>(i)].Z)
        for (int k = 4; k < 7; ++k) most = std::max(most, std::abs(row[k]));
    EXPECT_EQ(most > 0, outside);
  }
}
// The point O goes with the figure: far from the origin nothing is lost.
TEST(Derivatives, AKilometreAway) {
  Figure f = figures::with_random_state(figures::human39(), 9);
  const Errors near = errors_of(f, column_by_dual, true);
  for (int k = 4; k < 7; ++k) f.state.q[static_cast<std::size_t>(k)] = 1000;
  const Errors far = errors_of(f, column_by_dual, true);
  EXPECT_LE(far.inverse, 2 * near.inverse + 1e-13);
  EXPECT_LE(far.forward, 2 * near.forward + 1e-13);
}
// Known accelerations need not be computed again, and the workspace keeps nothing from one call to the next.
TEST(Derivatives, AWorkspaceServesManyCalls) {
  const marey::ModelSpec spec = figures::random_spec(21, {14, figures::Tree::random});
  const Figure a = figures::with_random_state(spec, 1), b = figures::with_random_state(spec, 2);
  const auto forward = [](const Figure& f, marey::DerivativesWorkspace& ws, std::span<const double> vdot) {
    return marey::aba_derivatives(f.model, f.model.params, f.state.q, f.state.v, {f.tau, f.F_Bo_W}, ws, vdot);
  };
  marey::DerivativesWorkspace used(a.model), fresh(a.model);
  forward(b, used, {});
  marey::rnea_derivatives(b.model, b.model.params, b.state.q, b.state.v, b.tau, b.F_Bo_W, used);
  const marey::ForwardDerivatives first = forward(a, fresh, {});
  const Numbers vdot(first.vdot.begin(), first.vdot.end());
  const marey::ForwardDerivatives second = forward(a, used, vdot);
  for (int i = 0; i < a.model.nv; ++i)
    for (int k = 0; k < a.model.nv; ++k) {
      EXPECT_EQ(first.q(i, k), second.q(i, k));
      EXPECT_EQ(first.v(i, k), second.v(i, k));
      EXPECT_EQ(first.tau(i, k), second.tau(i, k));
    }
  const marey::InverseDerivatives x =
      marey::rnea_derivatives(a.model, a.model.params, a.state.q, a.state.v, a.tau, a.F_Bo_W, used);
  const marey::InverseDerivatives y =
      marey::rnea_derivatives(a.model, a.model.params, a.state.q, a.state.v, a.tau, a.F_Bo_W, fresh);
  for (int i = 0; i < a.model.nv; ++i)
    for (int k = 0; k < a.model.nv; ++k) {
      EXPECT_EQ(x.q(i, k), y.q(i, k));
      EXPECT_EQ(x.vdot(i, k), y.vdot(i, k));
    }
}

}  // namespace derivatives_test
