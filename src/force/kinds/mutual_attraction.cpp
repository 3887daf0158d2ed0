// Newton's attraction between links, with r = p_AcmBcm and s the softening:
//   V = −G m₁ m₂/√(r² + s²),   f on a = G m₁ m₂ r/(r² + s²)^{3/2}, on b its opposite                       (1)
// Bodies are attracted at their centres of mass, as if they were spheres: there is no moment.
#include "force/descriptor.h"
#include "force/mass_center.h"
#include "force/newton.h"

namespace marey {
namespace {

// Every pair of links that attract each other, once.
template <class Use>
void for_each_pair(const MutualAttraction& e, Use use) {
  for (std::size_t i = 0; i < e.links.size(); ++i) {
    if (e.others.empty())
      for (std::size_t j = i + 1; j < e.links.size(); ++j) use(e.links[i], e.links[j]);
    for (const int other : e.others)
      if (other != e.links[i]) use(e.links[i], other);
  }
}

}  // namespace

template <>
struct Descriptor<MutualAttraction> {
  static constexpr const char* word = "mutual attraction";
  static constexpr Nature nature = Nature::conservative;

  template <class T>
  static void act(const MutualAttraction& e, const Instant<T>& at, std::span<const double>, ForceSum<T>& sum) {
    for_each_pair(e, [&](int a, int b) {
      const MassCenter<T> A(at, a), B(at, b);
      const Vec3<T> r = B.p - A.p;
      const T u = inverse_distance(r, e.softening);
      sum.pair(at, a, A.e, b, B.e, (T(e.constant * A.mass * B.mass) * u * u * u) * r);  // (1)
    });
  }
  template <class T>
  static T energy(const MutualAttraction& e, const Instant<T>& at) {
    T V(0);
    for_each_pair(e, [&](int a, int b) {
      const MassCenter<T> A(at, a), B(at, b);
      V -= T(e.constant * A.mass * B.mass) * inverse_distance(B.p - A.p, e.softening);
    });
    return V;
  }

  static std::string refusal(const Model& model, const MutualAttraction& e) {
    return first_of({refusal_of_links(model, e.others, false), refusal_of_constant("constant", e.constant),
                     refusal_of_constant("softening", e.softening)});
  }

  static void stiffness(const MutualAttraction& e, AdviserRows& rows) {
    const auto drawn = [&](int link, const std::vector<int>& by) {
      double k = 0;
      for (const int other : by)
        if (other != link)
          k += rows.mass(link) * rate_of_circle_squared(e.constant * rows.mass(other),
                                                        rows.center(link) - rows.center(other), e.softening);
      rows.on_center(rows.springs, link, k);
    };
    for (const int link : e.links) drawn(link, e.others.empty() ? e.links : e.others);
    for (const int link : e.others) drawn(link, e.links);
  }
  static void numbers(MutualAttraction& e, Numbers& n) {
    n.add("constant", e.constant), n.add("softening", e.softening);
  }
};
MAREY_ELEMENT(MutualAttraction)

}  // namespace marey
