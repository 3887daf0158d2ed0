// Springs between points, alone or in nets.
//
// With Q_a, Q_b the points, d = p_QaQb_W, L = |d|, u = d/L:
//   V = ½ k (L − L₀)²,   f on a = k (L − L₀) u, on b its opposite                                         (1)
// Where L₀ = 0 the force is k d, smooth through L = 0. Otherwise the direction is lost when the points meet, and there
// is no force there.
#include "force/descriptor.h"
#include "force/line.h"

namespace marey {

template <>
struct Descriptor<SpringNet> {
  static constexpr const char* word = "springs";
  static constexpr Nature nature = Nature::conservative;

  template <class T>
  static void act(const SpringNet& e, const Instant<T>& at, std::span<const double>, ForceSum<T>& sum) {
    for (const SpringNet::Spring& s : e.springs) {
      const Line<T> l = line(at, s.a, s.b);
      const T tension = s.rest == 0 ? T(s.stiffness) : T(s.stiffness) * (T(1) - T(s.rest) / sqrt(squared_length(l.d)));
      sum.pair(at, s.a.link, l.r_a, s.b.link, l.r_b, tension * l.d);  // (1)
    }
  }
  template <class T>
  static T energy(const SpringNet& e, const Instant<T>& at) {
    T V(0);
    for (const SpringNet::Spring& s : e.springs) {
      const T L2 = norm_squared(line(at, s.a, s.b).d);
      if (s.rest == 0) {
        V += T(0.5 * s.stiffness) * L2;
      } else {
        const T stretch = sqrt(max(L2, T(meeting))) - T(s.rest);
        V += T(0.5 * s.stiffness) * stretch * stretch;
      }
    }
    return V;
  }

  static std::string refusal(const Model& model, const SpringNet& e) {
    if (e.springs.empty()) return "there is no spring in it";
    for (const SpringNet::Spring& s : e.springs) {
      std::string reason = first_of({refusal_of_ends(model, s.a, s.b), refusal_of_constant("stiffness", s.stiffness),
                                     refusal_of_constant("rest", s.rest)});
      if (!reason.empty()) return reason;
    }
    return "";
  }

  static void stiffness(const SpringNet& e, AdviserRows& rows) {
    for (const SpringNet::Spring& s : e.springs) rows.between(rows.springs, s.a, s.b, s.stiffness);
  }
  static std::string describe(const Model&, const SpringNet& e, const std::string& name) {
    return (e.springs.size() > 1 ? "springs " : "spring ") + name;
  }
  static void numbers(SpringNet& e, Numbers& n) {
    n.add_every("stiffness", e.springs, &SpringNet::Spring::stiffness);
    n.add_every("rest", e.springs, &SpringNet::Spring::rest);
  }
};
MAREY_ELEMENT(SpringNet)

}  // namespace marey
