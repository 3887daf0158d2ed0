// What surfaces are made of, and what two of them make of each other.
//
// Mixed by a stated rule, unless the pair has a law of its own:
//   friction              √(μ_a μ_b), at rest and in motion
//   restitution           the larger one
//   rolling, torsion      the larger one
//   compliance            the sum: two springs in series
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace marey {

inline constexpr double most_friction = 100;  // beyond it rounding decides
// Law of one surface, or of two that touch.
struct SurfaceLaw {
  double friction_static = 0.5, friction_kinetic = 0.5;  // μ_s ≥ μ_k ≥ 0
  double restitution = 0;                                // e in [0, 1], of velocities along the normal
  double rolling = 0, torsion = 0;                       // m: largest moment over the normal force
  double compliance = 0;                                 // m/N of a point; 0: it does not give way
  double damping = 0;                                    // N s/m of a point that gives way
  bool operator==(const SurfaceLaw&) const = default;
};
// Why there is no such law; empty when there is no objection.
std::string refusal(const SurfaceLaw&);
SurfaceLaw mixed(const SurfaceLaw& a, const SurfaceLaw& b);

struct Material {
  std::string name;
  SurfaceLaw law;
};
// The materials of all bodies (links, then scenery: marey/contact/collide.h).
struct MaterialRule {
  std::vector<Material> materials;  // the first one is that of bodies of which nothing is said
  std::vector<int> of_body;         // [bodies] place in `materials`; empty: all are of the first
  struct Pair {
    int a = 0, b = 0;  // places in `materials`
    SurfaceLaw law;
  };
  std::vector<Pair> pairs;
};

// The laws of all pairs of materials, mixed once.
class SurfaceLaws {
 public:
  SurfaceLaws(const MaterialRule&, std::size_t bodies);
  const SurfaceLaw& of(int body_a, int body_b) const {
    return laws_[of_body_[static_cast<std::size_t>(body_a)] * count_ + of_body_[static_cast<std::size_t>(body_b)]];
  }

 private:
  std::size_t count_;
  std::vector<std::size_t> of_body_;
  std::vector<SurfaceLaw> laws_;  // [count × count]
};

}  // namespace marey
