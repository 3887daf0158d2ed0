// What gravity and inertia do to links for v̇ = 0, as wrenches in W: with A_i the acceleration that velocities alone give a link, that of the world
// being −g,
//   B_i = −h (I_i A_i + V_i × I_i V_i)                                                                              (1)
// about Bo. On their way inward they are −h times what rnea() finds, without asking joints where they are once more.
#pragma once

#include <span>

#include "marey/rows.h"

namespace marey {

// A link in W, about Bo.
struct HeavyLink {
  double m = 0;
  Vec3<double> h;
  Sym3<double> J;
};

// Links move as V_W says, at the axes; joints without motions of their own (Model::general) alone. All [nlink]; A_W: scratch.
void weigh_links(const Model&, const MotionAxes&, std::span<const HeavyLink>, const Vec3<double>& gravity, double h,
                 std::span<const Twist<double>> V_W, std::span<Twist<double>> A_W, std::span<Wrench<double>> B_W);

}  // namespace marey
