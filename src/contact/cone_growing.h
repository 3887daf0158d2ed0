// Problems with more and more friction, from none to all of it.
//
// Without friction the problem is convex. Coefficients t μ with t from 0 to 1: each problem begins at the solution of the one
// before; where Newton's method fails, alternating directions bring it nearer, or softened problems do, or t was raised too far.
#pragma once

#include <vector>

#include "contact/cone_admm.h"
#include "contact/cone_newton.h"
#include "contact/cone_proximal.h"
#include "contact/cone_scaled.h"

namespace marey {

class ConeGrowing {
 public:
  // From z on. Leaves the best z and v, and returns their natural map.
  double run(ScaledCones&, ConeNewton&, ConeAdmm&, double* z, double* v, double enough);
  void expect(std::size_t rows, std::size_t blocks) {
    proximal_.expect(rows), whole_.reserve(blocks);
    reserve_all(rows, {&z_, &v_, &trial_z_, &trial_v_});
  }

 private:
  void set_friction(ScaledCones&, double part) const;
  bool solve(ScaledCones&, ConeNewton&, ConeAdmm&, double enough, bool with_care);

  ConeProximal proximal_;
  std::vector<FrictionCone> whole_;
  std::vector<double> z_, v_, trial_z_, trial_v_;
};

}  // namespace marey
