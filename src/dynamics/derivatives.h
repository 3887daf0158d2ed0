// What the files of the derivatives share: lanes, general joints, and the solve with many right-hand sides.
#pragma once

#include "marey/dynamics/derivatives.h"
#include "marey/scalar/pack.h"

namespace marey {

using Lanes4 = Pack<double, 4>;
using Lanes8 = Pack<double, 8>;

MAREY_KERNEL Twist<double> cross_twist(const Twist<double>& a, const Twist<double>& b) {
  return {cross(a.w, b.w), cross(a.w, b.v) + cross(a.v, b.w)};
}

// Strips of columns in which right-hand sides are solved: as many of five registers as fit, then of three, then of one.
inline int strip_width(int from, int stride) {
  const int left = stride - from;
  return left >= 40 ? 40 : left >= 24 ? 24 : 8;
}
inline constexpr int narrow_strip = 8;

inline std::span<const int> path_of(const DerivativesWorkspace& ws, std::size_t group) {
  const std::size_t from = static_cast<std::size_t>(ws.path_start[group]);
  return {ws.path.data() + from, static_cast<std::size_t>(ws.path_start[group + 1]) - from};
}

inline std::span<const Ancestor> ancestors_of(const DerivativesWorkspace& ws, std::size_t group) {
  const std::size_t from = static_cast<std::size_t>(ws.ancestors_start[group]);
  return {ws.ancestors.data() + from, static_cast<std::size_t>(ws.ancestors_start[group + 1]) - from};
}

// Groups of freedoms of one joint.
inline int group_count(const LinkTopology& link) {
  const int n = freedom_count(link);
  return link.joint == JointType::free || n > 3 ? 2 : n > 0 ? 1 : 0;
}

// General joints: the motion of link i, with the columns of its groups; and, when F is known, what (14) of
// derivatives_general.cpp adds to ∂τ/∂q.
void move_general(const Model&, const Params<double>&, int i, const double* q, const double* v, const double* vdot,
                  DerivativesWorkspace&, GroupColumns* columns);
void add_own_turning(const Model&, DerivativesWorkspace&);

// M = Lᵀ D L in place; then X becomes −M⁻¹ X, in place. `touched` may be null.
void factor_inertia(DerivativesWorkspace&);
void solve_columns(const DerivativesWorkspace&, int stride, const unsigned char* touched, double* X);

}  // namespace marey
