// Inverse and mixed problems beside rnea(): wrenches through any cut of a figure, and dynamics in which some accelerations
// are given and of the other freedoms the forces. For double alone; no call allocates.
#pragma once

#include <span>
#include <vector>

#include "marey/dynamics.h"

namespace marey {

// ---- cuts
// A plane through a link that divides it into the part with the joint and the part beyond.
struct Cut {
  int link = 0;
  Vec3<double> point;           // p_BoC_B
  Vec3<double> normal;          // in B, of any length, to the part beyond: links that hang there belong to it
  Inertia<double> beyond;       // of the part of the link beyond the plane, about Bo in B
  bool outside_beyond = false;  // the link's own force from outside acts on the part beyond
};
// What the part with the joint does to the part beyond, about the point C in the axes of B; after rnea() with the same
// workspace and forces. A cut through the joint itself (point 0, all of the link beyond) gives the joint's wrench.
Wrench<double> cut_wrench(const Model&, const RneaWorkspace<double>&, std::span<const Wrench<double>> F_Bo_W,
                          const Cut&);
// The wrench on a link by its parent through its joint, about Bo in the axes of W; after rnea().
Wrench<double> joint_wrench(const Model&, const RneaWorkspace<double>&, int link);
// The part beyond of a homogeneous box or cylinder, cut across its z axis at this fraction of its length: about Bo in B.
// Throws Error for other solids, whose parts are to be given.
Inertia<double> part_beyond(const Shape&, double mass, double fraction);

// ---- mixed problems
struct HybridLink {
  Mat3<double> R_WB;
  Vec3<double> p;                 // from O, where the root's Bo is, to Bo
  Twist<double> S[6], V, A, c;    // motions of the freedoms, velocity, acceleration less gravity, given acceleration
  double I[6][6], F[6];           // articulated inertia and bias; all about O, in W
  double U[6][6], D[6][6], u[6];  // of the freedoms whose force is given: columns of U, factors of D, their part
};
struct HybridWorkspace {
  explicit HybridWorkspace(const Model&);
  std::vector<HybridLink> links;  // [nlink]
};
// For each freedom either v̇ is given (`given` not 0) or τ is: the others of v̇ and τ are found, in O(nlink). The
// entries of vdot and tau that are given are read, the others written. With nothing given it is aba(), with all rnea().
void hybrid_dynamics(const Model&, const Params<double>&, std::span<const double> q, std::span<const double> v,
                     std::span<const unsigned char> given, std::span<const Wrench<double>> F_Bo_W, HybridWorkspace&,
                     std::span<double> vdot, std::span<double> tau);

}  // namespace marey
