// An interior path to a solution: for problems on which the quicker methods go round in circles.
//
// In the units of cone_scaled.h. The laws are relaxed by τ > 0, each group keeping within its disc by a barrier of its own:
//   normal   v_n = σ,          σ z_n = τ                                                                           (1)
//   group    v_g = −λ z_g,     λ c = τ,      c = ½ (μ² z_n² − |z_g|²)                                               (2)
//   bounds   v = σ₁ − σ₂,      σ₁ (z − lower) = τ,   σ₂ (upper − z) = τ                                             (3)
// τ → 0 gives Coulomb's law. The radius of the disc moves with z_n, but no force of the barrier acts on z_n: Coulomb's law is
// not that of a cone's normals, and de Saxcé's term is what this difference amounts to. So these are the conditions of a
// quasi-variational inequality, for which interior points are known to work well (Facchinei, Kanzow and Sagratella 2014).
// Each step is Newton's for (1)…(3) with σ and λ taken out: B with positive numbers added to its diagonal blocks, so that
// redundant contacts do no harm.
#pragma once

#include <array>
#include <vector>

#include "contact/cone_scaled.h"

namespace marey {

class ConeInterior {
 public:
  struct Manner {
    double size = 1;    // impulses begin at so many times the largest free velocity
    double way = 0.95;  // part of the way to the first bound that a step may go
    double keep =
        0.1;  // τ stays above this times what the velocities are apart from (1) … (3), both relative to the start
  };
  void start(const ScaledCones&, const Manner&);
  // One step; false where it gets no further. z() is strictly inside all cones.
  bool step(const ScaledCones&);
  const double* z() const { return z_.data(); }
  void expect(std::size_t rows, std::size_t blocks) {
    matrix_.expect(rows), lu_.expect(rows);
    reserve_all(rows, {&z_, &dz_, &v_});
    barriers_.reserve(blocks), changes_.reserve(blocks);
  }

  int steps = 0;  // counted up

 private:
  struct Barrier {  // of one block
    std::array<double, 2> sigma{};
    std::array<double, 3> lambda{};
  };
  double disc(const ScaledBlock&, const double* z, std::size_t group) const;
  double discord(const ScaledCones&) const;
  double mean_gap(const ScaledCones&) const;
  void assemble(const ScaledCones&, double tau);
  void assemble_contact(const ScaledBlock&, const Barrier&, double tau);
  void assemble_bounds(const ScaledBlock&, const Barrier&, double tau);
  Barrier change_of(const ScaledBlock&, const Barrier&, double tau) const;
  double longest(const ScaledBlock&, const Barrier&, const Barrier& change) const;

  double gap_ = 1, first_gap_ = 1, centring_ = 0.2, first_apart_ = 0;
  Manner manner_;
  std::vector<double> z_, dz_, v_;
  std::vector<Barrier> barriers_, changes_;
  SquareRows matrix_;
  LuRows lu_;
};

}  // namespace marey
