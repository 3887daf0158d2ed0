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
// raw |raw| > f |f| q. This is asked for three pairs at a time, with room for rounding; the others are looked at one by one.
#include <bit>
#include <cmath>

#include "shape/lanes.h"
#include "shape/minkowski.h"

namespace marey {
namespace {

// The pairs of edges that may be farther apart than `face`: bit 3 i + j.
unsigned promising_edges(const double (&r)[3][3], const double (&pa)[3], const double (&ha)[3], const double (&hb)[3],
                         double face, double size) {
  using Lanes = FourLanes;
  const auto three = [](double x, double y, double z) { return Lanes(Lanes::Lanes{x, y, z, 0}); };
  const Lanes rows[3] = {three(r[0][0], r[0][1], r[0][2]), three(r[1][0], r[1][1], r[1][2]),
                         three(r[2][0], r[2][1], r[2][2])};
  const Lanes abs_rows[3] = {abs(rows[0]), abs(rows[1]), abs(rows[2])};
  const Lanes next = three(hb[1], hb[2], hb[0]), last = three(hb[2], hb[0], hb[1]);
  const double bound = face * std::abs(face), room = 1e-12 * size * size;
  unsigned bits = 0;
  for (int i = 0; i < 3; ++i) {
    const int i1 = i == 2 ? 0 : i + 1, i2 = i == 0 ? 2 : i - 1;
    const Lanes& own = abs_rows[i];
    const Lanes own_next(__builtin_shufflevector(own.lanes, own.lanes, 1, 2, 0, 3)),
        own_last(__builtin_shufflevector(own.lanes, own.lanes, 2, 0, 1, 3));
    const Lanes along = pa[i2] * rows[i1] - pa[i1] * rows[i2];
    const Lanes wide = ha[i1] * abs_rows[i2] + ha[i2] * abs_rows[i1] + next * own_last + last * own_next;
    const Lanes raw = abs(along) - wide;
    bits |= (bits_of(raw * abs(raw) + room > bound * (1 - rows[i] * rows[i])) & 7u) << 3 * i;
  }
  return bits;
}

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
  // Separations; `along`: the way from a to b in the direction of the axis.
  MAREY_INLINE double of_a(int i, double& along) const {
    along = pa[i];
    return std::abs(pa[i]) - ha[i] - (abs_r[i][0] * hb[0] + abs_r[i][1] * hb[1] + abs_r[i][2] * hb[2]);
  }
  MAREY_INLINE double of_b(int j, double& along) const {
    along = pa[0] * r[0][j] + pa[1] * r[1][j] + pa[2] * r[2][j];
    return std::abs(along) - hb[j] - (abs_r[0][j] * ha[0] + abs_r[1][j] * ha[1] + abs_r[2][j] * ha[2]);
  }
  MAREY_INLINE double of_edges(int i, int j, double& along) const {
    const int i1 = i == 2 ? 0 : i + 1, i2 = i == 0 ? 2 : i - 1, j1 = j == 2 ? 0 : j + 1, j2 = j == 0 ? 2 : j - 1;
    along = pa[i2] * r[i1][j] - pa[i1] * r[i2][j];
    const double wide = ha[i1] * abs_r[i2][j] + ha[i2] * abs_r[i1][j] + hb[j1] * abs_r[i][j2] + hb[j2] * abs_r[i][j1];
    const double raw = std::abs(along) - wide, squared = 1 - r[i][j] * r[i][j];
    return squared < 1e-14 ? -HUGE_VAL : raw / std::sqrt(squared);
  }
  MAREY_INLINE BoxAxis axis(int which, double s, double along) const {
    BoxAxis out{which, s, {}};
    const double sign = along < 0 ? -1 : 1;
    if (which < 3) {
      out.normal[which] = sign;
    } else if (which < 6) {
      const int j = which - 3;
      out.normal = sign * Vec3<double>{r[0][j], r[1][j], r[2][j]};
    } else {
      const int i = (which - 6) / 3, j = (which - 6) % 3;
      Vec3<double> e;
      e[i] = sign;
      out.normal = unit(cross(e, Vec3<double>{r[0][j], r[1][j], r[2][j]}));
    }
    return out;
  }
};

}  // namespace

BoxAxis best_box_axis(const CorePair& pair) {
  const BoxNumbers boxes(pair);
  const double tie = 1e-13 * pair.size;  // faces win where edges are as good
  int best = 0;
  double s = -1e300, along = 0, t = 0, q = 0;
  for (int i = 0; i < 3; ++i)
    if (t = boxes.of_a(i, q); t > s) s = t, best = i, along = q;
  for (int j = 0; j < 3; ++j)
    if (t = boxes.of_b(j, q); t > s + tie) s = t, best = 3 + j, along = q;
  for (unsigned left = promising_edges(boxes.r, boxes.pa, boxes.ha, boxes.hb, s, pair.size); left != 0;
       left &= left - 1) {
    const int pick = std::countr_zero(left);
    if (t = boxes.of_edges(pick / 3, pick % 3, q); t > s + tie) s = t, best = 6 + pick, along = q;
  }
  return boxes.axis(best, s, along);
}

BoxAxis box_axis(const CorePair& pair, int axis) {
  const BoxNumbers boxes(pair);
  double along = 0;
  const double s = axis < 3   ? boxes.of_a(axis, along)
                   : axis < 6 ? boxes.of_b(axis - 3, along)
                              : boxes.of_edges((axis - 6) / 3, (axis - 6) % 3, along);
  return boxes.axis(axis, s, along);
}

}  // namespace marey
