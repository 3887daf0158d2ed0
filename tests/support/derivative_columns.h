// Derivatives of dynamics held against columns made another way: by dual numbers through the solvers, or by differences.
#pragma once

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <functional>

#include "marey/dynamics/derivatives.h"
#include "marey/integrate.h"
#include "marey/scalar/instantiate.h"
#include "support/figures.h"
#include "support/solvers.h"

namespace figures {

using marey::Dual1, marey::MatrixView;
using Numbers = std::vector<double>;

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
  return inverse ? inverse_dynamics<T>(model, in, in.tau) : accelerations<T>(marey::Dynamics::aba, model, in);
}

inline Numbers column_by_dual(const Figure& f, bool inverse, By by, int column) {
  Input<Dual1> in = input_of<Dual1>(f);
  Dual1 step(0.0);
  step.d[0] = 1;
  change(f.model, by, column, step, in);
  Numbers out;
  for (const Dual1& x : solve(f.model, inverse, in)) out.push_back(x.d[0]);
  return out;
}
// Central differences at h, 2h, 3h: an error of h⁶ and of ε/h.
inline Numbers column_by_difference(const Figure& f, bool inverse, By by, int column) {
  const double h = 2e-3, weights[] = {0.75, -0.15, 1.0 / 60};
  Numbers out(f.state.v.size());
  for (int k = 1; k <= 3; ++k)
    for (const double sign : {1.0, -1.0}) {
      Input<double> in = input_of<double>(f);
      change(f.model, by, column, sign * k * h, in);
      const Numbers x = solve(f.model, inverse, in);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += sign * weights[k - 1] / h * x[i];
    }
  return out;
}

inline double largest(const MatrixView& view) {
  double size = 0;
  for (int i = 0; i < view.rows; ++i)
    for (int k = 0; k < view.columns; ++k) size = std::max(size, std::abs(view(i, k)));
  return size;
}
inline double column_error(const MatrixView& view, int column, const Numbers& right, double floor) {
  double size = std::max(DBL_MIN, floor), error = 0;
  for (int i = 0; i < view.rows; ++i) {
    size = std::max(size, std::abs(right[static_cast<std::size_t>(i)]));
    const double off = std::abs(view(i, column) - right[static_cast<std::size_t>(i)]);
    if (!std::isfinite(off)) return INFINITY;
    error = std::max(error, off);
  }
  return size == DBL_MIN ? error : error / size;
}
using Column = std::function<Numbers(const Figure&, bool inverse, By, int)>;
inline double worst_column(const Figure& f, bool inverse, By by, const MatrixView& view, const Column& right,
                           double floor) {
  double worst = 0;
  floor *= largest(view);
  const int first = by == By::parameter ? marey::inertia_parameters : 0;  // the world has no inertia
  if (!std::isfinite(floor)) return INFINITY;
  for (int k = first; k < view.columns; ++k)
    worst = std::max(worst, column_error(view, k, right(f, inverse, by, k), floor));
  return worst;
}

struct Errors {
  double inverse = 0, inverse_parameters = 0, forward = 0, forward_parameters = 0;
};
// Columns smaller than `floor` of the whole matrix are measured against that.
inline Errors errors_of(const Figure& f, const Column& right, bool parameters, double floor = 0) {
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

}  // namespace figures
