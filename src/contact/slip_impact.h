// The impact of one point with friction, followed along its normal impulse.
//
// Sources: Routh 1860 (vol. 1, §315 f.); Keller 1986; Stronge 1990; Batlle 1996 for slip in space. With p the normal
// impulse so far and P_t the tangential one, velocities (u_n, u_t) obey u = u⁻ + A (p, P_t) and
//   slip     dP_t/dp = −μ s,  s = u_t / |u_t|                                                                    (1)
//   stick    dP_t/dp = f,     f = −A_tt⁻¹ A_tn, possible while |f| ≤ μ                                            (2)
//   again    slip out of rest, where |f| > μ: along the s with A_tn − μ A_tt s = k s, k > 0 (one such s)           (3)
// Slip on a line is linear in p, and so are (2) and (3): taken in one stretch. Slip that turns is integrated in the
// variable τ with dp = |u_t| dτ, in which (1) is smooth even where the slip comes to rest:
//   du_t/dτ = |u_t| A_tn − μ A_tt u_t,   dp/dτ = |u_t|,   dP_t/dτ = −μ u_t,   dW_n/dτ = u_n |u_t|                   (4)
// by a pair of Runge–Kutta methods of orders 5 and 4 (Dormand and Prince 1980), to a relative 1e-13.
// Compression lasts while u_n < 0; restitution until the hypothesis is met. Should friction press the point back
// (u_n falls to zero again), a second compression follows and its work adds to the first one's.
#pragma once

#include <array>

#include "marey/contact.h"

namespace marey {

class SlipImpact {
 public:
  // A 3 × 3 row-major in the axes (n, t₁, t₂); friction and restitution of the law with the given hypothesis.
  SlipImpact(std::span<const double, 9> A, std::span<const double, 3> u_minus, double friction, double restitution,
             Hypothesis);
  // From the first touch, u_n < 0; or, `without_collision`, from u_n = 0 where friction presses. False when no end was
  // found within the bounds.
  bool run(bool without_collision);

  std::array<double, 3> P{}, u{};
  unsigned course = course_none;

 private:
  using Pair = std::array<double, 2>;
  enum class Stage { compression, restitution, done };
  struct Turning {
    std::array<double, 6> y;  // u_t, p, P_t, W_n of (4); the last four from the start of the stretch
  };

  Pair times_tt(const Pair& s) const;
  double normal_gain(const Pair& dP_t) const;  // du_n/dp
  Pair sticking() const;                       // f of (2)
  Pair slip_again() const;                     // s of (3)
  double slip() const;

  double still_to_do() const;
  bool straight(const Pair& dP_t, double longest);  // whether it went all the way
  double to_stage_end(double gain, bool& pressed_back) const;
  void add(double p, const Pair& P_t, double W);
  void end_stage(bool pressed_back);

  void slide();
  void turn();
  Turning rate(const Turning&) const;
  Turning step(const Turning&, double h, double* error) const;
  double stage_function(const Turning&, bool& pressed_back) const;
  double turning_normal(const Turning&) const;
  void come_to_rest();

  std::array<double, 9> A_;
  std::array<double, 3> u_minus_;
  double mu_, e_, size_ = 0, slip_floor_ = 0, rest_floor_ = 0;
  Hypothesis hypothesis_;
  Stage stage_ = Stage::compression;
  bool at_rest_ = false;
  double W_taken_ = 0, W_given_ = 0, P_taken_ = 0, P_given_ = 0;
};

}  // namespace marey
