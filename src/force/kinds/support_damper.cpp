// Support damper: f = −c (velocity of Q) at Q, n = −c w_WB.
#include "force/descriptor.h"
#include "marey/force/cast.h"

namespace marey {

template <>
struct Descriptor<SupportDamper> {
  static constexpr const char* word = "damping of the support";
  static constexpr Nature nature = Nature::passive;

  template <class T>
  static void act(const SupportDamper& e, const Instant<T>& at, std::span<const double>, ForceSum<T>& sum) {
    const Twist<T>& V_WB = at.V_WB[index(e.link)];
    const Vec3<T> r = at.X_WB[index(e.link)].R * cast<T>(e.point_B);
    Wrench<T> F = force_at(r, T(-e.damping) * (V_WB.v + cross(V_WB.w, r)));
    F.n -= T(e.turning_damping) * V_WB.w;
    sum.wrench(at, e.link, F);
  }

  static std::string refusal(const Model&, const SupportDamper& e) {
    if (!finite(e.point_B)) return "its point is not finite";
    return first_of(
        {refusal_of_constant("damping", e.damping), refusal_of_constant("turning_damping", e.turning_damping)});
  }

  static void stiffness(const SupportDamper& e, AdviserRows& rows) {
    rows.on_point(rows.dampers, e.link, e.point_B, e.damping, e.turning_damping);
  }
  static void numbers(SupportDamper& e, Numbers& n) {
    n.add("damping", e.damping), n.add("turning_damping", e.turning_damping);
  }
};
MAREY_ELEMENT(SupportDamper)

}  // namespace marey
