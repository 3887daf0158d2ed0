// Rows between a frame A, fixed in link a, and a frame B, fixed in link b.
//
// A is fixed in link a and B in link b; r_A, r_B go from the links' origins to those of A and B; d = p_AoBo; all in W.
// Everything is made of three forms. The accelerations α, a of the links themselves are left out of the biases.
//
// Place: a function φ(x, t) of x = p_AoBo_A, with the gradient u = R_WA ∇φ in W. From d = R_WA x, differentiated twice,
//   R_WA ẋ = v_B − v_A − ω_A × d      ġ = u · R_WA ẋ + φ_t                                                          (1)
//   bias = u · (ω_B × (ω_B × r_B) − ω_A × (ω_A × (r_A + d)) − 2 ω_A × R_WA ẋ) + ẋᵀ φ″ ẋ + 2 ∇φ_t · ẋ + φ_tt         (2)
// so that λ is a force u at Bo on b, and −u at the same point on a.
//
// Axes: u · w, with u = R_WA û(t) and w fixed in b; u′, u″ the parts of u̇, ü that come from û. With m = w × u
//   ġ = m · (ω_B − ω_A) + u′ · w                                                                                    (3)
//   bias = (ω_A × (ω_A × u) + 2 ω_A × u′ + u″) · w + 2 (ω_A × u + u′) · (ω_B × w) + u · (ω_B × (ω_B × w))           (4)
//
#pragma once

#include <array>

#include "marey/constraint.h"

namespace marey {

// What both ends are and do; in W.
struct Ends {
  int a = 0, b = 0;
  Mat3<double> R_A, R_B;
  Vec3<double> r_A, r_B, d;         // d: from Ao to Bo
  Vec3<double> w_A, w_B;            // of the links
  Vec3<double> x, x_rate;           // p_AoBo_A and its rate
  Vec3<double> carried;             // what (2) multiplies by u
  Vec3<double> v_A, v_B;            // of Ao and Bo
  Vec3<double> origin_A, origin_B;  // of the links
  double reach_A = 0, reach_B = 0;  // |r_A| + |d|, |r_B|: what levers would be had nothing in them cancelled
};
Ends ends_of(const Constraint&, const Instant<double>&);
// Why its two links cannot be tied; empty when all is well.
std::string refusal_of_ends(const Model&, const Constraint&);

// ---- place: functions φ(x, t) of p_AoBo_A, (1) and (2)
struct PlaceRow {
  double value = 0;
  Vec3<double> gradient;  // in A
  double bent = 0;        // ẋᵀ φ″ ẋ + 2 ∇φ_t · ẋ + φ_tt
  double time_rate = 0;   // φ_t
};
void put_place(const Ends&, const PlaceRow&, ConstraintRow&);
void put_along(const Ends&, int axis, ConstraintRow&);  // x itself, along an axis of A
// (k − 1) c with k² = Σ (x_i / radius_i)²; c, a mean radius, makes it the distance of a circle or sphere. Axes with an
// infinite radius do not count.
PlaceRow ellipse(const Ends&, const Vec3<double>& radii);

// ---- axes: (3) and (4)
// û in A and its derivatives by time.
struct Arrow {
  Vec3<double> u, d1, d2;
};
void put_square(const Ends&, int axis_A, int axis_B, ConstraintRow&);
// ½ (R_AB − R_ABᵀ) as a vector, which for small turns is the turn: ½ (a_k · b_j − a_j · b_k) about axis i. Three rows.
void put_turns(const Ends&, const std::array<Arrow, 3>& axes, std::span<ConstraintRow>);
void put_turns(const Ends&, std::span<ConstraintRow>);  // axes that stand still in A

constexpr Vec3<double> unit_vector(int k) { return {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0}; }
inline Vec3<double> column(const Mat3<double>& R, int k) { return {R(0, k), R(1, k), R(2, k)}; }

}  // namespace marey
