// The method of multipliers in alternating directions, with de Saxcé's correction: slow and sure.
//
// In the units of cone_scaled.h. For a given slip term the problem is convex, and its solution lets z and its copy y in the
// cone agree (Glowinski and Marroco 1975; Boyd et al. 2011, §3); the slip term follows as it goes (Acary and Cadoux 2013,
// Carpentier et al. 2024). With w = v + φ n, −w being the multiplier, and ρ per row:
//   z = (B + ρ)⁻¹ (ρ y + w − v_free − φ(w) n)                                                                      (1)
//   y = Proj_K(z − w/ρ)                                                                                            (2)
//   w = w − ρ (z − y)                                                                                              (3)
// ρ is one number, adapted so that |z − y| and ρ |y − y_before| fall alike, for all rows but those of equalities, where it is
// as small as a factorisation allows.
#pragma once

#include <vector>

#include "contact/cone_scaled.h"

namespace marey {

class ConeAdmm {
 public:
  // Starts at y with the velocities v.
  void start(const ScaledCones&, const double* y, const double* v);
  // So many iterations; y then is in all cones.
  void run(const ScaledCones&, int count);
  const double* y() const { return y_.data(); }
  void expect(std::size_t rows) {
    matrix_.expect(rows), cholesky_.expect(rows);
    reserve_all(rows, {&y_, &z_, &w_, &p_, &before_});
  }

  int iterations = 0, factorisations = 0;  // counted up

 private:
  bool factor(const ScaledCones&);
  double row_rho(const ScaledBlock& b) const;
  void adapt(const ScaledCones&, double primal, double dual);

  double rho_ = 0.1;
  bool factored_ = false;
  SquareRows matrix_;
  CholeskyRows cholesky_;
  std::vector<double> y_, z_, w_, p_, before_;
};

}  // namespace marey
