// Many bodies, each alone and free: what forces and impulses do to them, without trees.
//
// Frames: B a body with its origin Bo, C its centre of mass, c = p_BoC in B; F where its joint hangs in the world, R that of B in F by q.
// v = (ω in B, velocity of Bo in F), and p, what an impulse is in these coordinates: (n about Bo in B, f in F). With J about C,
//   p = M v        f_B = m (Rᵀ v + ω × c),        n = J ω + c × f_B,      f = R f_B                                   (1)
//   v = M⁻¹ p      ω = J⁻¹ (n − c × Rᵀ f),        v = R (Rᵀ f/m − ω × c)                                              (2)
//   v̇ of nothing   α = J⁻¹ (J ω × ω),             a = −R (α × c + ω × (ω × c))                                        (3)
// to which gravity and (2) of forces are added. R is only asked for where C is not in Bo.
// A body is 2½ lines of the cache. Bodies are shared out to threads; nothing is summed over them.
#pragma once

#include <span>
#include <vector>

#include "marey/core/threads.h"
#include "marey/dynamics.h"

namespace marey {

class LooseBodies {
 public:
  // Whether all links are such bodies, and so many that it is worth while.
  static bool serve(const Model&);
  LooseBodies(const Model&, Threads*);  // to stay alive; null: the thread that calls
  void take_masses();

  void momentum(std::span<const double> q, std::span<const double> v, std::span<double> p);
  void respond(std::span<const double> q, std::span<const double> p, std::span<double> dv);
  // F_Bo_W: [nlink] about Bo in W, or none.
  void accelerate(std::span<const double> q, std::span<const double> v, const Forces<double>&, std::span<double> vdot);

 private:
  struct Body {
    double m = 1, inverse_m = 1;
    Vec3<double> c;
    Sym3<double> J, inverse_J;
    bool is_centred = true;
  };
  template <class F>
  void for_bodies(const F&);

  const Model& model_;
  Threads* threads_;
  std::vector<Body> bodies_;  // [nlink] the first one: the world
};

}  // namespace marey
