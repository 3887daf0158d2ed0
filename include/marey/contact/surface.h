// Where a link touches a plane: at a point of it, with a ball about a point, or with the rim of a disc.
//
// With n the plane's normal and R the link's turning, C is, from the link's origin,
//   point   r = R p_B
//   ball    r = R p_B − ρ n                                                                                            (1)
//   rim     r = R p_B + ρ e,   e = −m/|m|,   m = n − (n·k) k,   k = R a_B the axis of the disc                         (2)
// the lowest of what the surface has. It is another point of the body from instant to instant. The rows of contact are those of the
// point of the body that is there, u = v + ω × r, and since that point changes, u̇ has ω × ṙ for ω × (ω × r):
//   ball    ṙ = ω × R p_B
//   rim     ṙ = ω × R p_B + ρ ė,   ė = −(ṁ − (m·ṁ) m/|m|²)/|m|,   ṁ = −(n·k̇) k − (n·k) k̇,   k̇ = ω × k               (3)
// Along n nothing changes but this: n·ω×ṙ is the curvature's part of the gap's second rate.
// A disc that lies flat touches with all of its rim, and (2) has no e.
#pragma once

#include "marey/contact.h"

namespace marey {

// |m|: the sine of the angle between a disc and the plane.
double tilt_of_rim(const FloorContact&, const Mat3<double>& R_WB);
// r
Vec3<double> offset_of_contact(const FloorContact&, const Mat3<double>& R_WB);
// ṙ for the link's ω
Vec3<double> rate_of_offset(const FloorContact&, const Mat3<double>& R_WB, const Vec3<double>& w_WB_W);

}  // namespace marey
