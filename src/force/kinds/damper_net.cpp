// Dampers between points, alone or in nets.
//
// With Q_a, Q_b the points, d = p_QaQb_W, L = |d|, u = d/L:
//   f on a = c L̇ u, L̇ = u · (velocity of Q_b − velocity of Q_a), power −c L̇²                             (1)
#include "force/descriptor.h"
#include "force/line.h"

namespace marey {

template <>
struct Descriptor<DamperNet> {
  static constexpr const char* word = "dampers";
  static constexpr Nature nature = Nature::passive;

  template <class T>
  static void act(const DamperNet& e, const Instant<T>& at, std::span<const double>, ForceSum<T>& sum) {
    for (const DamperNet::Damper& s : e.dampers) {
      const Line<T> l = line(at, s.a, s.b);
      const Twist<T>&V_a = at.V_WB[index(s.a.link)], &V_b = at.V_WB[index(s.b.link)];
      const Vec3<T> v = (V_b.v + cross(V_b.w, l.r_b)) - (V_a.v + cross(V_a.w, l.r_a));
      sum.pair(at, s.a.link, l.r_a, s.b.link, l.r_b, (T(s.damping) * dot(l.d, v) / squared_length(l.d)) * l.d);  // (1)
    }
  }

  static std::string refusal(const Model& model, const DamperNet& e) {
    if (e.dampers.empty()) return "there is no damper in it";
    for (const DamperNet::Damper& s : e.dampers) {
      std::string reason = first_of({refusal_of_ends(model, s.a, s.b), refusal_of_constant("damping", s.damping)});
      if (!reason.empty()) return reason;
    }
    return "";
  }

  static void stiffness(const DamperNet& e, AdviserRows& rows) {
    for (const DamperNet::Damper& s : e.dampers) rows.between(rows.dampers, s.a, s.b, s.damping);
  }
  static std::string describe(const Model&, const DamperNet& e, const std::string& name) {
    return (e.dampers.size() > 1 ? "dampers " : "damper ") + name;
  }
  static void numbers(DamperNet& e, Numbers& n) { n.add_every("damping", e.dampers, &DamperNet::Damper::damping); }
};
MAREY_ELEMENT(DamperNet)

}  // namespace marey
