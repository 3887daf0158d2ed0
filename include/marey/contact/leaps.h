// Fast bodies and thin ones: where two of them meet on their way through a step, which may be far longer than the thinner one is thick.
//
// A step goes along q⁻ ⊕ s v⁻ to its middle and along q ⊕ s v⁺ from there (sim/stepping.h), 0 ≤ s ≤ ½h, links turning and joints
// moving as they do. Let d(s) be the signed distance of two bodies on such a way, and n its normal, from a to b. Points of a link
// move with c, constant, and beside it no faster than e + ω r, with r their distance from its origin. Then
//   d(s + δ) ≥ d(s) − δ w        w = n · (c_a − c_b) + e_a + e_b + ω_a r_a + ω_b r_b                                  (1)
// for convex bodies, since the plane between them moves no faster; for others with |c_a − c_b| instead of its part along n. So two
// are not as near as d* before s + (d − d*)/w, and steps of this length find the first s at which they are (conservative
// advancement; Mirtich 1996). A body that is rounded by a ball turns with its core: r is the reach of the core.
//
// Two may leap if they can come closer in a step by more than τ, half of the thickness of the thinner one. Where they are farther
// apart than 0.01 τ at the start of a way, they are looked for where they meet; else where they are deeper in each other than 0.25 τ,
// from which they are put apart the way they came.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "marey/contact/collision_world.h"
#include "marey/model.h"

namespace marey {

// Where links are as q goes along q ⊕ s v.
class LinkWays {
 public:
  explicit LinkWays(const Model&);  // to stay alive, as are q and v
  void begin(std::span<const double> q, std::span<const double> v, double longest);
  Transform<double> pose(int link, double s);
  // c, e and ω of (1), in W.
  struct Speed {
    Vec3<double> steady;
    double beside = 0, turning = 0;
  };
  Speed speed(int link);

 private:
  struct Across {
    Transform<double> X_PB;
    Vec3<double> w, v;  // of B against P: its own axes, and those of P
  };
  Across across(int link, double s);

  const Model& model_;
  std::span<const double> q_, v_;
  double longest_ = 0;
  std::vector<double> xi_, q_s_;  // [nv], [nq] of joints on the way to a link
};

class Leaps {
 public:
  // Bodies from `links` on are scenery.
  Leaps(const Model& coordinates, int links) : ways_(coordinates), links_(links) {}

  enum class Start { by_distance, touching, apart };
  struct Fast {
    CollisionWorld::Pair pair;
    double thin = 0;  // τ, m
    Start start = Start::by_distance;
  };
  // τ; infinite where nothing can be leapt over, since one of them has no other side.
  static double thin(const CollisionWorld&, const CollisionWorld::Pair&);
  // How near two are in the middle of a step that have a contact there.
  static double near(double thin) { return 0.05 * thin; }

  // The way to look at, 0 ≤ s ≤ longest.
  void go_along(std::span<const double> q, std::span<const double> v, double longest) { ways_.begin(q, v, longest); }
  // How fast two come closer to each other at most.
  double approach(const CollisionWorld&, const CollisionWorld::Pair&);

  struct Found {
    std::optional<double> s;  // where they meet, or are too deep; none: nowhere on the way
    bool lost = false;        // they were too deep from the start
  };
  Found first(const CollisionWorld&, const Fast&, double longest);

  std::vector<Fast> pairs;  // of this step

 private:
  struct Motion {
    Vec3<double> steady;  // c_b − c_a
    double others = 0;    // the rest of w
    bool convex = false;
  };
  Motion motion(const CollisionWorld&, const CollisionWorld::Pair&);
  Transform<double> pose(const CollisionWorld&, int body, double s);

  LinkWays ways_;
  int links_;
  ColliderCache cache_;
  QueryScratch scratch_;
};

}  // namespace marey
