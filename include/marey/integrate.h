// Advancing a state in time by fixed steps, with rotations that stay rotations.
//
// A stepper asks a right-hand side for v̇ and for any number of rates (powers, forces); it integrates the rates with its
// own stages and weights, so that the ledger's only residual is the stepper's own error.
#pragma once

#include <span>
#include <vector>

#include "marey/dynamics.h"
#include "marey/model.h"

namespace marey {

enum class Integrator { euler, semi_implicit, rk4 };
const char* name_of(Integrator);
int order_of(Integrator);
int evaluations_per_step(Integrator);

// How a small rotation ξ (a vector in the axes of B) is applied to an attitude.
enum class Turn {
  exponential,  // R exp(ξ̃)
  first_order,  // R (1 + ξ̃), orthonormalised: A (34)(35)
};
// q_out = q ⊕ ξ, joint by joint; ξ has the layout of v. q_out may be q.
template <class T>
void advance(const Model&, std::span<const T> q, std::span<const T> xi, Turn, std::span<T> q_out);
// ξ with q_1 = q_0 ⊕ ξ, the shortest way round.
template <class T>
void difference(const Model&, std::span<const T> q_0, std::span<const T> q_1, std::span<T> xi);
// Rate of the local coordinates ξ of q = q_0 ⊕ ξ when the velocity is v, to third order in ξ; and back.
template <class T>
void local_rate(const Model&, std::span<const T> xi, std::span<const T> v, std::span<T> xi_rate);
template <class T>
void velocity_of_local_rate(const Model&, std::span<const T> xi, std::span<const T> xi_rate, std::span<T> v);

// One fixed step of the methods above. RightHandSide: void(double stage_time, span<const T> q, span<const T> v,
// span<T> vdot, span<T> rates).
//   euler          q ⊕ h v            v + h v̇                    (both from the start of the step; rotations as A (34)(35))
//   semi_implicit  v′ = v + h v̇       q ⊕ h v′                   (the order in which A (32)(33), (37)(38) are printed)
//   rk4            classical, in local coordinates ξ around the start of the step (Munthe-Kaas)
template <class T>
class Stepper {
 public:
  Stepper(const Model& model, Integrator method, std::size_t rate_count)
      : model_(&model),
        method_(method),
        vdot_(model.nv),
        q_stage_(model.nq),
        v_stage_(model.nv),
        v_sum_(model.nv),
        xi_(model.nv),
        xi_rate_(model.nv),
        xi_sum_(model.nv),
        rates_(rate_count) {}

  // Advances q and v from t to t + h in place and adds h-weighted rates to `integrals`.
  template <class RightHandSide>
  void step(double t, double h, std::span<T> q, std::span<T> v, std::span<T> integrals, RightHandSide&& f) {
    if (method_ == Integrator::rk4) return step_rk4(t, h, q, v, integrals, f);
    f(t, q, v, std::span<T>(vdot_), std::span<T>(rates_));
    add(integrals, rates_, h);
    if (method_ == Integrator::euler) {
      scale(xi_, v, h);
      advance<T>(*model_, q, xi_, Turn::first_order, q);
      add(v, vdot_, h);
    } else {
      add(v, vdot_, h);
      scale(xi_, v, h);
      advance<T>(*model_, q, xi_, Turn::exponential, q);
    }
  }

 private:
  static void add(std::span<T> x, std::span<const T> y, double s) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += T(s) * y[i];
  }
  static void scale(std::span<T> x, std::span<const T> y, double s) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = T(s) * y[i];
  }

  template <class RightHandSide>
  void step_rk4(double t, double h, std::span<T> q, std::span<T> v, std::span<T> integrals, RightHandSide& f) {
    constexpr double stage_time[] = {0, 0.5, 0.5, 1}, weight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    for (T& x : xi_) x = T(0);
    for (T& x : xi_sum_) x = T(0);
    for (std::size_t i = 0; i < v.size(); ++i) v_stage_[i] = v[i], v_sum_[i] = v[i];
    for (std::size_t i = 0; i < q.size(); ++i) q_stage_[i] = q[i];
    for (int s = 0; s < 4; ++s) {
      if (s > 0) {
        const double reach = h * stage_time[s];
        scale(xi_, xi_rate_, reach);
        advance<T>(*model_, q, xi_, Turn::exponential, q_stage_);
        for (std::size_t i = 0; i < v.size(); ++i) v_stage_[i] = v[i] + T(reach) * vdot_[i];
      }
      local_rate<T>(*model_, xi_, v_stage_, xi_rate_);
      f(t + h * stage_time[s], std::span<const T>(q_stage_), std::span<const T>(v_stage_), std::span<T>(vdot_),
        std::span<T>(rates_));
      add(xi_sum_, xi_rate_, h * weight[s]);
      add(v_sum_, vdot_, h * weight[s]);
      add(integrals, rates_, h * weight[s]);
    }
    advance<T>(*model_, q, xi_sum_, Turn::exponential, q);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = v_sum_[i];
  }

  const Model* model_;
  Integrator method_;
  std::vector<T> vdot_, q_stage_, v_stage_, v_sum_, xi_, xi_rate_, xi_sum_, rates_;
};

}  // namespace marey
