// How the motion across a general joint changes with its coordinates.
#pragma once

#include "marey/model/general_motion.h"
#include "marey/scalar/pack.h"

namespace marey {

// One number for each degree of freedom of a joint: 0–2 in lanes 0–2, 3–5 in lanes 4–6; zero in the others.
using JointLanes = Pack<double, 8>;
constexpr int joint_lane(int freedom) { return freedom < 3 ? freedom : freedom + 1; }

// Twists are the components (w_FB_B, v_FBo) in B, and the derivatives of these components. A derivative with respect to
// a coordinate is taken in the tangent space, with v and v̇ fixed.
struct GeneralDerivatives {
  Mat3<double> R_FB;
  Vec3<double> p;            // p_FoBo_F
  Twist<double> V, A;        // V = Σ S v, A = V̇ = Σ S v̇ + Ṡ v
  Twist<JointLanes> S;       // of each freedom
  Twist<JointLanes> S_rate;  // Ṡ of each freedom
  Twist<JointLanes> V_by_q, A_by_q;
  std::array<Twist<JointLanes>, most_freedoms> S_by_q;  // [freedoms] derivative of S of this freedom by each coordinate
};
// q, v and v̇ point to the joint's own part.
void general_derivatives(const GeneralJoint&, const GeneralParams<double>&, const double* q, const double* v,
                         const double* vdot, GeneralDerivatives&);

}  // namespace marey
