// What the files of the derivatives share: lanes, general joints, and the solve with many right-hand sides.
#pragma once

#include <array>

#include "marey/dynamics/derivatives.h"
#include "marey/scalar/pack.h"

namespace marey {

using Lanes4 = Pack<double, 4>;
using Lanes8 = Pack<double, 8>;

MAREY_KERNEL Lanes4 low(const Lanes8& a) { return Lanes4(__builtin_shufflevector(a.lanes, a.lanes, 0, 1, 2, 3)); }
MAREY_KERNEL Lanes4 high(const Lanes8& a) { return Lanes4(__builtin_shufflevector(a.lanes, a.lanes, 4, 5, 6, 7)); }
// Σ over the first n rows: one factor after the other, `apart` from each other, for all lanes of b.
template <int n, class Lanes>
MAREY_KERNEL Lanes contract(const double* factors, int apart, const Lanes* b) {
  Lanes sum = Lanes(factors[0]) * b[0];
  for (int i = 1; i < n; ++i) sum += Lanes(factors[i * apart]) * b[i];
  return sum;
}
template <int n, class Lanes, std::size_t width>
MAREY_KERNEL std::array<Lanes, n> load_all(const double (*from)[width]) {
  std::array<Lanes, n> x;
  for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = Lanes::load(from[i]);
  return x;
}

MAREY_KERNEL Twist<double> cross_twist(const Twist<double>& a, const Twist<double>& b) {
  return {cross(a.w, b.w), cross(a.w, b.v) + cross(a.v, b.w)};
}

// Strips of columns in which right-hand sides are solved. With 32 registers of eight lanes: as many of five registers as
// fit, then of three, then of one; with 16 smaller ones: of two.
#ifdef __AVX512F__
using Register = Lanes8;
#else
using Register = Lanes4;
#endif
inline constexpr int register_lanes = ScalarTraits<Register>::lanes, narrow_strip = 8;
inline int strip_width(int from, int stride) {
  const int left = stride - from;
  return register_lanes < 8 ? narrow_strip : left >= 40 ? 40 : left >= 24 ? 24 : narrow_strip;
}

inline std::span<const int> path_of(const DerivativesWorkspace& ws, std::size_t group) {
  const std::size_t from = static_cast<std::size_t>(ws.path_start[group]);
  return {ws.path.data() + from, static_cast<std::size_t>(ws.path_start[group + 1]) - from};
}

inline std::span<const Ancestor> ancestors_of(const DerivativesWorkspace& ws, std::size_t group) {
  const std::size_t from = static_cast<std::size_t>(ws.ancestors_start[group]);
  return {ws.ancestors.data() + from, static_cast<std::size_t>(ws.ancestors_start[group + 1]) - from};
}

// Fills all rows and columns of X, so that what a lane without freedom strikes is stored later: in the order of v, that is
// of a free joint the turn before the shift. There the turn's columns in the rows of the shift come last, by store_three.
template <class Rows, class Columns>
MAREY_KERNEL void fill_by_v(const DerivativesWorkspace& ws, Rows&& rows, Columns&& columns) {
  for (std::size_t g = 0; g < ws.groups.size(); ++g)
    if (ws.groups[g].inner)
      rows(g + 1), rows(g), columns(g + 1), columns(g), ++g;
    else
      rows(g), columns(g);
}
MAREY_KERNEL void store_three(const Lanes4& a, double* to) {
  for (int k = 0; k < 3; ++k) to[k] = a[k];
}

// Groups of freedoms of one joint.
inline int group_count(const LinkTopology& link) {
  const int n = freedom_count(link);
  return link.joint == JointType::free || n > 3 ? 2 : n > 0 ? 1 : 0;
}

// General joints: the motion of link i, with the columns of its groups; and, when F is known, what (15) of
// derivatives_general.cpp adds to ∂τ/∂q, found and added.
void move_general(const Model&, const Params<double>&, int i, const double* q, const double* v, const double* vdot,
                  DerivativesWorkspace&, GroupColumns* columns);
void find_own_turning(const LinkTopology&, const DerivativeLink&, GeneralColumns&);
void add_own_turning(const Model&, DerivativesWorkspace&);

// All links moved, with the columns' S, ζ, β, η; I, J̇, k, l, F and outside forces of each link alone.
void move_figure(const Model&, const Params<double>&, const double* q, const double* v, const double* vdot,
                 std::span<const Wrench<double>> F_Bo_W, DerivativesWorkspace&);
MatrixView matrix_of(const Model&, const DerivativesWorkspace&, int kind);

// Outward: X becomes −L⁻¹ D⁻¹ X, in place. Both ways: −M⁻¹ X.
void solve_outward(const DerivativesWorkspace&, int stride, double* X);
void solve_columns(const DerivativesWorkspace&, int stride, double* X);

}  // namespace marey
