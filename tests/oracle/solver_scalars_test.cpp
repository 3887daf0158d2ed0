// The same source for every scalar: what float, packs, duals and expressions compute is what double computes.
//
// A solver in a scalar of unit round-off ε is backward stable: ‖M v̇ + b − τ‖ ≤ 10 ε (‖M‖‖v̇‖ + ‖b‖ + ‖τ‖) on figures of a dozen
// links (the contract's 1e-12 is 4,500 ε: that many would let a float be wrong by a percent). M, b, ‖M‖ and the condition κ
// are the double ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>

#include "marey/scalar/instantiate.h"
#include "support/figures.h"
#include "support/joint_space.h"

namespace {

using figures::Figure, figures::JointSpace;
using marey::Dynamics, marey::Vector;

constexpr double stable = 10;  // in ε

// One spec, one state per lane.
std::vector<Figure> worlds(const marey::ModelSpec& spec, int count) {
  std::vector<Figure> all;
  for (int i = 0; i < count; ++i) all.push_back(figures::with_random_state(spec, static_cast<std::uint64_t>(100 + i)));
  return all;
}
std::vector<marey::ModelSpec> specs() {
  return {figures::human39(), figures::random_spec(11, {7, figures::Tree::random}),
          figures::random_spec(12, {9, figures::Tree::chain, figures::Joints::any, 10}),
          figures::random_spec(13, {12, figures::Tree::bushy, figures::Joints::balls, 10}),
          figures::random_spec(14, {14, figures::Tree::random, figures::Joints::every, 10})};
}

template <class T>
std::vector<double> lane_of(const std::vector<T>& x, int i) {
  using marey::lane;
  std::vector<double> out;
  for (const T& value : x) out.push_back(static_cast<double>(lane(value, i)));
  return out;
}

// ------------------------------------------------------------------------------------------------- float and packs
// The i-th lane of every number is world i.
template <class T>
figures::Input<T> lanes(const std::vector<Figure>& all) {
  figures::Input<T> in = figures::input_of<T>(all[0]);
  if constexpr (marey::ScalarTraits<T>::lanes > 1) {
    for (int i = 0; i < marey::ScalarTraits<T>::lanes; ++i) {
      const auto one = figures::input_of<typename marey::ScalarTraits<T>::Real>(all[static_cast<std::size_t>(i)]);
      for (std::size_t k = 0; k < one.q.size(); ++k) in.q[k].set(i, one.q[k]);
      for (std::size_t k = 0; k < one.v.size(); ++k) in.v[k].set(i, one.v[k]), in.tau[k].set(i, one.tau[k]);
      for (std::size_t k = 0; k < one.F_Bo_W.size(); ++k)
        for (int c = 0; c < 3; ++c) {
          in.F_Bo_W[k].n[c].set(i, one.F_Bo_W[k].n[c]);
          in.F_Bo_W[k].f[c].set(i, one.F_Bo_W[k].f[c]);
        }
    }
  }
  return in;
}

template <class T>
void solves_every_lane(double epsilon) {
  constexpr int n = marey::ScalarTraits<T>::lanes;
  double worst = 0;
  for (const marey::ModelSpec& spec : specs()) {
    const std::vector<Figure> all = worlds(spec, n);
    const figures::Input<T> in = lanes<T>(all);
    for (Dynamics solver : figures::solvers_for(all[0].model)) {
      const std::vector<T> vdot = figures::accelerations<T>(solver, all[0].model, in);
      const std::vector<T> tau = figures::inverse_dynamics<T>(all[0].model, in, vdot);
      for (int i = 0; i < n; ++i) {
        const Figure& f = all[static_cast<std::size_t>(i)];
        const JointSpace s(f);
        const std::vector<double> a = lane_of(vdot, i), t = lane_of(tau, i);
        worst = std::max({worst, s.backward_error(a, f.tau), s.backward_error(a, t)});
        EXPECT_LE(s.backward_error(a, f.tau), stable * epsilon) << name_of(solver) << ", lane " << i;
        EXPECT_LE(s.backward_error(a, t), stable * epsilon) << "rnea, lane " << i;
      }
    }
  }
  std::printf("backward error: %.2f eps (bound %.0f)\n", worst / epsilon, stable);
}
TEST(Scalars, Float) { solves_every_lane<float>(FLT_EPSILON); }
TEST(Scalars, PackOfSixteenFloats) { solves_every_lane<marey::PackF16>(FLT_EPSILON); }
TEST(Scalars, PackOfEightDoubles) { solves_every_lane<marey::PackD8>(DBL_EPSILON); }

// ------------------------------------------------------------------------------------------------------------ duals
// v̇ along a direction (δq, δv, δτ, δF, δm of every link), where q moves by δξ of its local coordinates.
struct Direction {
  std::vector<double> q, v, tau;
  std::vector<marey::Wrench<double>> F;
  double mass = 0;  // relative, the same for every link
};
Direction random_direction(const Figure& f) {
  figures::Random random(9);
  Direction d;
  d.q.resize(f.state.q.size());
  for (double& x : d.q) x = random.normal();
  for (std::size_t k = 0; k < f.state.v.size(); ++k) d.v.push_back(random.normal()), d.tau.push_back(random.normal());
  for (std::size_t k = 0; k < f.F_Bo_W.size(); ++k) d.F.push_back({random.normal3(1), random.normal3(1)});
  d.mass = 0.7;
  return d;
}
Figure moved(Figure f, const Direction& d, double s) {
  for (std::size_t k = 0; k < d.q.size(); ++k) f.state.q[k] += s * d.q[k];
  for (std::size_t k = 0; k < d.v.size(); ++k) f.state.v[k] += s * d.v[k], f.tau[k] += s * d.tau[k];
  for (std::size_t k = 0; k < d.F.size(); ++k) {
    f.F_Bo_W[k].n += s * d.F[k].n;
    f.F_Bo_W[k].f += s * d.F[k].f;
  }
  const double factor = 1 + s * d.mass;
  for (marey::LinkParams<double>& link : f.model.params.links)
    link.I = {factor * link.I.m, factor * link.I.h, factor * link.I.J};
  return f;
}
figures::Input<marey::Dual1> dual_input(const Figure& f, const Direction& d) {
  auto in = figures::input_of<marey::Dual1>(f);
  for (std::size_t k = 0; k < d.q.size(); ++k) in.q[k].d[0] = d.q[k];
  for (std::size_t k = 0; k < d.v.size(); ++k) in.v[k].d[0] = d.v[k], in.tau[k].d[0] = d.tau[k];
  for (std::size_t k = 0; k < d.F.size(); ++k)
    for (int c = 0; c < 3; ++c) in.F_Bo_W[k].n[c].d[0] = d.F[k].n[c], in.F_Bo_W[k].f[c].d[0] = d.F[k].f[c];
  marey::Dual1 factor(1.0);
  factor.d[0] = d.mass;
  for (marey::LinkParams<marey::Dual1>& link : in.params.links)
    link.I = {factor * link.I.m, factor * link.I.h, factor * link.I.J};
  return in;
}
// Central differences at h, h/2, h/4, twice extrapolated: an error of h⁶ and of ε/h.
Vector difference_quotient(const Figure& f, const Direction& d, Dynamics solver) {
  const auto central = [&](double h) -> Vector {
    const auto at = [&](double s) {
      const Figure g = moved(f, d, s);
      return Vector(figures::accelerations(solver, g.model, figures::input_of<double>(g)));
    };
    return (at(h) - at(-h)) / (2 * h);
  };
  const double h = 2e-3;
  const Vector a = central(h), b = central(h / 2), c = central(h / 4);
  const Vector ab = (4 * b - a) / 3, bc = (4 * c - b) / 3;
  return (16 * bc - ab) / 15;
}
TEST(Scalars, DualsCarryTheDerivative) {
  for (const marey::ModelSpec& spec : specs()) {
    const Figure f = figures::with_random_state(spec, 5);
    const Direction d = random_direction(f);
    for (Dynamics solver : figures::solvers_for(f.model)) {
      const auto vdot = figures::accelerations<marey::Dual1>(solver, f.model, dual_input(f, d));
      const Vector value(figures::accelerations(solver, f.model, figures::input_of<double>(f)));
      const Vector slope = difference_quotient(f, d, solver);
      double worst_value = 0, worst_slope = 0;
      for (int k = 0; k < value.size(); ++k) {
        worst_value = std::max(worst_value, std::abs(vdot[static_cast<std::size_t>(k)].value - value[k]));
        worst_slope = std::max(worst_slope, std::abs(vdot[static_cast<std::size_t>(k)].d[0] - slope[k]));
      }
      EXPECT_LE(worst_value, 10 * JointSpace(f).kappa * DBL_EPSILON * value.norm()) << name_of(solver);
      EXPECT_LE(worst_slope, 1e-6 * slope.norm()) << name_of(solver);
    }
  }
}

// ------------------------------------------------------------------------------------------------------ expressions
// The variables x0, x1 … in place of all numbers of x.
void become_variables(std::vector<marey::Expr>& x, char letter, marey::ExprGraph& graph) {
  for (std::size_t k = 0; k < x.size(); ++k) {
    std::string name(1, letter);
    name += std::to_string(k);
    x[k] = graph.variable(name.c_str());
  }
}
TEST(Scalars, ExpressionsEvaluateToTheNumbers) {
  for (const marey::ModelSpec& spec : specs()) {
    const Figure f = figures::with_random_state(spec, 6), other = figures::with_random_state(spec, 7);
    for (Dynamics solver : figures::solvers_for(f.model)) {
      marey::ExprGraph graph;
      const marey::ExprScope scope(graph);
      auto in = figures::input_of<marey::Expr>(f);  // wrenches and parameters stay constants
      become_variables(in.q, 'q', graph), become_variables(in.v, 'v', graph), become_variables(in.tau, 't', graph);
      const std::vector<marey::Expr> vdot = figures::accelerations<marey::Expr>(solver, f.model, in);
      for (const Figure* at : {&f, &other}) {  // traced once, good for every state
        Figure g = *at;
        g.F_Bo_W = f.F_Bo_W;
        std::vector<double> inputs = g.state.q;
        inputs.insert(inputs.end(), g.state.v.begin(), g.state.v.end());
        inputs.insert(inputs.end(), g.tau.begin(), g.tau.end());
        const Vector traced(marey::evaluate(graph, vdot, inputs));
        const Vector direct(figures::accelerations(solver, g.model, figures::input_of<double>(g)));
        EXPECT_LE((traced - direct).norm(), 10 * JointSpace(g).kappa * DBL_EPSILON * direct.norm()) << name_of(solver);
      }
    }
  }
}

}  // namespace
