// Support spring (A5; proportional to the distance, where the print says inversely): with r = R_WB p_BoQ_B,
//   V = ½ k |p_WoQ − target|²,   f = −k (p_WoQ − target) at Q                                      (1)
// and, turning the axes b_i of the link (columns of R_WB) to those of the target t_i, φ the angle between the two,
//   V = ¼ k Σ |b_i − t_i|² = k (1 − cos φ),   n = ½ k Σ b_i × t_i = −k sin φ (axis of the turn)    (2)
// which is ½ k φ² for small φ but smooth for all: no angle, no branch, no singular pose but the unstable rest at π.
#include <cmath>

#include "force/cast.h"
#include "force/descriptor.h"

namespace marey {

template <>
struct Descriptor<SupportSpring> {
  static constexpr const char* word = "support";
  static constexpr Nature nature = Nature::conservative;
  static constexpr bool holds_up = true;

  template <class T>
  static void act(const SupportSpring& e, const Instant<T>& at, std::span<const double>, ForceSum<T>& sum) {
    const Transform<T>& X_WB = at.X_WB[index(e.link)];
    const Vec3<T> r = X_WB.R * cast<T>(e.point_B);
    Wrench<T> F = force_at(r, T(-e.stiffness) * (X_WB.p + r - cast<T>(e.target_W)));  // (1)
    if (e.turning_stiffness != 0) {                                                   // (2), Σ b_i × t_i
      const Mat3<T> A = X_WB.R * transpose(cast<T>(rotation(e.target_turn)));
      F.n += T(0.5 * e.turning_stiffness) * Vec3<T>{A.yz - A.zy, A.zx - A.xz, A.xy - A.yx};
    }
    sum.wrench(at, e.link, F);
  }
  template <class T>
  static T energy(const SupportSpring& e, const Instant<T>& at) {
    const Transform<T>& X_WB = at.X_WB[index(e.link)];
    T V = T(0.5 * e.stiffness) * norm_squared(X_WB * cast<T>(e.point_B) - cast<T>(e.target_W));
    if (e.turning_stiffness != 0) {
      const Mat3<T> d = X_WB.R - cast<T>(rotation(e.target_turn));
      V += T(0.25 * e.turning_stiffness) * (d.xx * d.xx + d.xy * d.xy + d.xz * d.xz + d.yx * d.yx + d.yy * d.yy +
                                            d.yz * d.yz + d.zx * d.zx + d.zy * d.zy + d.zz * d.zz);
    }
    return V;
  }

  static std::string refusal(const Model&, const SupportSpring& e) {
    if (!finite(e.point_B) || !finite(e.target_W)) return "its point or its target is not finite";
    const double turn = norm_squared(e.target_turn);
    if (!(std::isfinite(turn) && turn > 0)) return "its target turn is no rotation";
    return first_of(
        {refusal_of_constant("stiffness", e.stiffness), refusal_of_constant("turning_stiffness", e.turning_stiffness)});
  }

  static void stiffness(const SupportSpring& e, AdviserRows& rows) {
    rows.on_point(rows.springs, e.link, e.point_B, e.stiffness, e.turning_stiffness);
  }
  static void numbers(SupportSpring& e, Numbers& n) {
    n.add("stiffness", e.stiffness), n.add("turning_stiffness", e.turning_stiffness);
    n.add("to", e.target_W);
  }
};
MAREY_ELEMENT(SupportSpring)

}  // namespace marey
