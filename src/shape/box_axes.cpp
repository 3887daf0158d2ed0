// Two boxes by separating axes: their separation is the largest along the six normals of their faces and the nine cross
// products of their edges (Gottschalk, Lin and Manocha, SIGGRAPH 1996; it is their Minkowski difference that has no other
// faces). With R = R_AB, p = p_AoBo_A, half edges a and b:
//
//   A_i:        s = |p_i| − a_i − Σ_j |R_ij| b_j
//   B_j:        s = |Σ_i p_i R_ij| − b_j − Σ_i |R_ij| a_i
//   A_i × B_j:  s = (|p · (A_i × B_j)| − Σ_k |e_k · (A_i × B_j)| a_k − Σ_k |B_k · (A_i × B_j)| b_k) / √(1 − R_ij²)
//               with e_{i+1} · (A_i × B_j) = −R_{i+2,j},  e_{i+2} · (…) = R_{i+1,j}, and B_{j+1} · (…) = R_{i,j+2} in size
//
// Edges that are parallel to 1e-7 are left out: the face that they add to the difference is a sliver, and what it could
// hide is of the order of the square of this angle.
//
// Most pairs of edges are worse than the best face, which needs no root to say: with s = raw/√q, s > f where
// raw |raw| > f |f| q. This is asked for three pairs at a time, with room for rounding; of the others one root each is taken, for
// the separation and, should it be the best, the normal (A_i × B_j)/√q.
// Room. Let no entry of R have changed by more than ρ, none of p by more than π. With the lever L = Σ|p_i| + Σ a_i + Σ b_i and
// µ = π + ρ L, the sums above say that the separation of a face and the numerator (raw) of a pair of edges have changed by no more
// than 2 µ, q by no more than 2 ρ ≤ 2 µ/L; so long as ρ ≤ 1/100. An overlap −s = S stays the least one
//   of a face with the overlap S_f,                 while  4 µ < S_f − S
//   of edges with the numerator −W, where S √q < W, while  8 (W + S) µ < W² − S² q
// the second because (W − 2µ)² > (S + 2µ)² (q + 2ρ) follows from it, with S ≤ L. If the best are edges, S changes by up to
// 2µ/√q + S ρ/q, for which all of it is made smaller by 2/q.
#include <algorithm>
#include <bit>
#include <cmath>

#include "shape/lanes.h"
#include "shape/minkowski.h"

namespace marey {
namespace {

constexpr double parallel = 1e-14;  // q of edges that are left out
constexpr int after(int i) { return i == 2 ? 0 : i + 1; }
constexpr int before(int i) { return i == 0 ? 2 : i - 1; }

// R_AB, the half edges and the place of b, by number.
struct BoxNumbers {
  double r[3][3], abs_r[3][3], pa[3], ha[3], hb[3];

  explicit BoxNumbers(const CorePair& pair)
      : pa{pair.X_AB.p.x, pair.X_AB.p.y, pair.X_AB.p.z},
        ha{pair.a.half.x, pair.a.half.y, pair.a.half.z},
        hb{pair.b.half.x, pair.b.half.y, pair.b.half.z} {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) r[i][j] = pair.X_AB.R(i, j), abs_r[i][j] = std::abs(r[i][j]);
  }
  // The way from a to b in the direction of the axis.
  MAREY_INLINE double along_b(int j) const { return pa[0] * r[0][j] + pa[1] * r[1][j] + pa[2] * r[2][j]; }
  MAREY_INLINE double along_edges(int i, int j) const {
    return pa[before(i)] * r[after(i)][j] - pa[after(i)] * r[before(i)][j];
  }
  // Separations; of edges without its denominator √q.
  MAREY_INLINE double of_a(int i) const {
    return std::abs(pa[i]) - ha[i] - (abs_r[i][0] * hb[0] + abs_r[i][1] * hb[1] + abs_r[i][2] * hb[2]);
  }
  MAREY_INLINE double of_b(int j) const {
    return std::abs(along_b(j)) - hb[j] - (abs_r[0][j] * ha[0] + abs_r[1][j] * ha[1] + abs_r[2][j] * ha[2]);
  }
  MAREY_INLINE double raw_of_edges(int i, int j) const {
    const int i1 = after(i), i2 = before(i), j1 = after(j), j2 = before(j);
    return std::abs(along_edges(i, j)) -
           (ha[i1] * abs_r[i2][j] + ha[i2] * abs_r[i1][j] + hb[j1] * abs_r[i][j2] + hb[j2] * abs_r[i][j1]);
  }
  // |A_i × B_j|² = 1 − R_ij², without its cancellation: so that the normal is of unit length.
  MAREY_INLINE double q(int i, int j) const {
    return r[after(i)][j] * r[after(i)][j] + r[before(i)][j] * r[before(i)][j];
  }

  BoxAxis face_axis(int which, double s) const {
    BoxAxis out{which, s, {}};
    if (which < 3)
      out.normal[which] = pa[which] < 0 ? -1 : 1;
    else
      out.normal =
          (along_b(which - 3) < 0 ? -1.0 : 1.0) * Vec3<double>{r[0][which - 3], r[1][which - 3], r[2][which - 3]};
    return out;
  }
  // per = 1/√q.
  BoxAxis edge_axis(int i, int j, double s, double per) const {
    BoxAxis out{6 + 3 * i + j, s, {}};
    const double sign = along_edges(i, j) < 0 ? -per : per;
    out.normal[after(i)] = -sign * r[before(i)][j], out.normal[before(i)] = sign * r[after(i)][j];
    return out;
  }
};

// The pairs of edges that may be farther apart than `face`: bit 4 i + j.
MAREY_INLINE unsigned promising_edges(const BoxNumbers& boxes, double face, double size) {
  using Lanes = FourLanes;
  const auto three = [](double x, double y, double z) { return Lanes(Lanes::Lanes{x, y, z, 0}); };
  const auto& r = boxes.r;
  const double *pa = boxes.pa, *ha = boxes.ha, *hb = boxes.hb;
  const Lanes rows[3] = {three(r[0][0], r[0][1], r[0][2]), three(r[1][0], r[1][1], r[1][2]),
                         three(r[2][0], r[2][1], r[2][2])};
  const Lanes abs_rows[3] = {abs(rows[0]), abs(rows[1]), abs(rows[2])};
  const Lanes next = three(hb[1], hb[2], hb[0]), last = three(hb[2], hb[0], hb[1]);
  const double bound = face * std::abs(face), room = 1e-12 * size * size;
  unsigned bits = 0;
  for (int i = 0; i < 3; ++i) {
    const int i1 = after(i), i2 = before(i);
    const Lanes& own = abs_rows[i];
    const Lanes own_next(__builtin_shufflevector(own.lanes, own.lanes, 1, 2, 0, 3)),
        own_last(__builtin_shufflevector(own.lanes, own.lanes, 2, 0, 1, 3));
    const Lanes along = pa[i2] * rows[i1] - pa[i1] * rows[i2];
    const Lanes wide = ha[i1] * abs_rows[i2] + ha[i2] * abs_rows[i1] + next * own_last + last * own_next;
    const Lanes raw = abs(along) - wide;
    bits |= (bits_of(raw * abs(raw) + room > bound * (1 - rows[i] * rows[i])) & 7u) << 4 * i;
  }
  return bits;
}

double sum_of(const Vec3<double>& v) { return std::abs(v.x) + std::abs(v.y) + std::abs(v.z); }
// 1.1 L: L may be that of the pose before or now.
double lever_of(const CorePair& pair) {
  return 1.1 * (sum_of(pair.X_AB.p) + sum_of(pair.a.half) + sum_of(pair.b.half));
}

}  // namespace

BoxAxis best_box_axis(const CorePair& pair) {
  const BoxNumbers boxes(pair);
  const double tie = 1e-13 * pair.size;  // faces win where edges are as good
  // Which one is the best is anybody's guess: nothing here jumps.
  int best = 0;
  double s = boxes.of_a(0);
  const auto keep_better = [&](int which, double t, double by) {
    const bool better = t > s + by;
    best = better ? which : best, s = better ? t : s;
  };
  keep_better(1, boxes.of_a(1), 0), keep_better(2, boxes.of_a(2), 0);
  for (int j = 0; j < 3; ++j) keep_better(3 + j, boxes.of_b(j), tie);
  int edge_i = -1, edge_j = -1;
  double per = 0;
  for (unsigned left = promising_edges(boxes, s, pair.size); left != 0; left &= left - 1) {
    const int pick = std::countr_zero(left), i = pick >> 2, j = pick & 3;
    const double q = boxes.q(i, j);
    if (q < parallel) continue;
    const double here = 1 / std::sqrt(q), t = boxes.raw_of_edges(i, j) * here;
    if (t > s + tie) s = t, edge_i = i, edge_j = j, per = here;
  }
  return edge_i < 0 ? boxes.face_axis(best, s) : boxes.edge_axis(edge_i, edge_j, s, per);
}

BoxAxis box_axis(const CorePair& pair, int axis) {
  const BoxNumbers boxes(pair);
  if (axis < 6) return boxes.face_axis(axis, axis < 3 ? boxes.of_a(axis) : boxes.of_b(axis - 3));
  const int i = (axis - 6) / 3, j = (axis - 6) % 3;
  const double q = boxes.q(i, j);
  if (q < parallel) return {axis, -HUGE_VAL, {}};
  const double per = 1 / std::sqrt(q);
  return boxes.edge_axis(i, j, boxes.raw_of_edges(i, j) * per, per);
}

double room_of_axis(const CorePair& pair, const BoxAxis& best) {
  const BoxNumbers boxes(pair);
  const double S = -best.separation;
  double room = 0.01 * lever_of(pair);
  for (int k = 0; k < 6; ++k)
    if (k != best.axis) room = std::min(room, 0.25 * (-(k < 3 ? boxes.of_a(k) : boxes.of_b(k - 3)) - S));
  double shrunk = 1;
  for (int k = 0; k < 9; ++k) {
    const int i = k / 3, j = k % 3;
    const double q = boxes.q(i, j), W = -boxes.raw_of_edges(i, j);
    if (k + 6 == best.axis)
      shrunk = 0.5 * q;
    else
      room = std::min(room, W > 0 ? (W * W - S * S * q) / (8 * (W + S)) : 0);
  }
  return std::max(0.0, shrunk * (room - 1e-12 * pair.size));
}

double motion_of_boxes(const CorePair& pair, const Transform<double>& before) {
  const Transform<double>& now = pair.X_AB;
  double turned = 0, moved = 0;
  for (int i = 0; i < 3; ++i) {
    moved = std::max(moved, std::abs(now.p[i] - before.p[i]));
    for (int j = 0; j < 3; ++j) turned = std::max(turned, std::abs(now.R(i, j) - before.R(i, j)));
  }
  return moved + lever_of(pair) * turned;
}

}  // namespace marey
