// Derivatives of inverse and forward dynamics, against dual numbers through rnea and aba, and against differences of
// sixth order that know nothing of either.
//
// Bound: 1e-8 of the largest entry of the column compared, on figures of all joints, half of them deep chains, masses up
// to 1 : 1,000, with forces from outside. Rounding of M⁻¹ grows with the condition κ of M: forward dynamics is allowed
// 10 κ ε more.
#include "marey/dynamics/derivatives.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <functional>

#include "marey/integrate.h"
#include "marey/scalar/instantiate.h"
#include "support/figures.h"
#include "support/joint_space.h"
#include "support/solvers.h"

namespace {

using figures::Figure, figures::Input;
using marey::Dual1, marey::MatrixView;
using Numbers = std::vector<double>;

constexpr double bound = 1e-8;

// What one column is made of: a change of the input by a dual number of slope 1, or by a step.
enum class By { q, v, last, parameter };  // last: v̇ of inverse dynamics, τ of forward dynamics

template <class T>
T& parameter_of(marey::Inertia<T>& I, int k) {
  T* const all[] = {&I.m, &I.h.x, &I.h.y, &I.h.z, &I.J.xx, &I.J.yy, &I.J.zz, &I.J.xy, &I.J.xz, &I.J.yz};
  return *all[k];
}
template <class T>
void change(const marey::Model& model, By by, int column, const T& step, Input<T>& in) {
  const auto at = static_cast<std::size_t>(column);
  if (by == By::v) in.v[at] += step;
  if (by == By::last) in.tau[at] += step;
  if (by == By::parameter)
    parameter_of(in.params.links[at / marey::inertia_parameters].I, column % marey::inertia_parameters) += step;
  if (by != By::q) return;
  std::vector<T> xi(in.v.size(), T(0.0));
  xi[at] = step;
  const std::vector<T> q = in.q;
  marey::advance<T>(model, q, xi, marey::Turn::exponential, in.q);
}

// Inverse dynamics takes v̇ from the place of τ.
template <class T>
std::vector<T> solve(const marey::Model& model, bool inverse, const Input<T>& in) {
  return inverse ? figures::inverse_dynamics<T>(model, in, in.tau)
                 : figures::accelerations<T>(marey::Dynamics::aba, model, in);
}

Numbers column_by_dual(const Figure& f, bool inverse, By by, int column) {
  Input<Dual1> in = figures::input_of<Dual1>(f);
  Dual1 step(0.0);
  step.d[0] = 1;
  change(f.model, by, column, step, in);
  Numbers out;
  for (const Dual1& x : solve(f.model, inverse, in)) out.push_back(x.d[0]);
  return out;
}
// Central differences at h, 2h, 3h: an error of h⁶ and of ε/h.
Numbers column_by_difference(const Figure& f, bool inverse, By by, int column) {
  const double h = 2e-3, weights[] = {0.75, -0.15, 1.0 / 60};
  Numbers out(f.state.v.size());
  for (int k = 1; k <= 3; ++k)
    for (const double sign : {1.0, -1.0}) {
      Input<double> in = figures::input_of<double>(f);
      change(f.model, by, column, sign * k * h, in);
      const Numbers x = solve(f.model, inverse, in);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += sign * weights[k - 1] / h * x[i];
    }
  return out;
}

double largest(const MatrixView& view) {
  double size = 0;
  for (int i = 0; i < view.rows; ++i)
    for (int k = 0; k < view.columns; ++k) size = std::max(size, std::abs(view(i, k)));
  return size;
}
double column_error(const MatrixView& view, int column, const Numbers& right, double floor) {
  double size = std::max(DBL_MIN, floor), error = 0;
  for (int i = 0; i < view.rows; ++i) {
    size = std::max(size, std::abs(right[static_cast<std::size_t>(i)]));
    error = std::max(error, std::abs(view(i, column) - right[static_cast<std::size_t>(i)]));
  }
  return size == DBL_MIN ? error : error / size;
}
using Column = std::function<Numbers(const Figure&, bool inverse, By, int)>;
double worst_column(const Figure& f, bool inverse, By by, const MatrixView& view, const Column& right, double floor) {
  double worst = 0;
  floor *= largest(view);
  const int first = by == By::parameter ? marey::inertia_parameters : 0;  // the world has no inertia
  for (int k = first; k < view.columns; ++k)
    worst = std::max(worst, column_error(view, k, right(f, inverse, by, k), floor));
  return worst;
}

struct Errors {
  double inverse = 0, inverse_parameters = 0, forward = 0, forward_parameters = 0;
};
// Columns smaller than `floor` of the whole matrix are measured against that.
Errors errors_of(const Figure& f, const Column& right, bool parameters, double floor = 0) {
  marey::DerivativesWorkspace ws(f.model);
  marey::ParameterWorkspace ps(f.model);
  Errors e;
  const marey::InverseDerivatives i =
      marey::rnea_derivatives(f.model, f.model.params, f.state.q, f.state.v, f.tau, f.F_Bo_W, ws);
  e.inverse =
      std::max({worst_column(f, true, By::q, i.q, right, floor), worst_column(f, true, By::v, i.v, right, floor),
                worst_column(f, true, By::last, i.vdot, right, floor)});
  if (parameters)
    e.inverse_parameters =
        worst_column(f, true, By::parameter, marey::rnea_parameter_derivatives(f.model, ws, ps), right, floor);
  const marey::ForwardDerivatives d =
      marey::aba_derivatives(f.model, f.model.params, f.state.q, f.state.v, {f.tau, f.F_Bo_W}, ws);
  e.forward =
      std::max({worst_column(f, false, By::q, d.q, right, floor), worst_column(f, false, By::v, d.v, right, floor),
                worst_column(f, false, By::last, d.tau, right, floor)});
  if (parameters)
    e.forward_parameters =
        worst_column(f, false, By::parameter, marey::aba_parameter_derivatives(f.model, ws, ps), right, floor);
  return e;
}
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
    const Errors e = errors_of(f, column_by_dual, i % 4 < 2);
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

}  // namespace
