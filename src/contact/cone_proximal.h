// The proximal point method: a row of problems that are less and less softened.
//
// In the units of cone_scaled.h. Each adds ε (z − centre) to the velocities, the centre being the solution of the one before
// (Rockafellar 1976): with ε ~ 1 there is one solution, and Newton's method finds it; smaller ones begin near their solution.
// Where it fails ε was lowered too far.
#pragma once

#include <vector>

#include "contact/cone_newton.h"
#include "contact/cone_scaled.h"

namespace marey {

class ConeProximal {
 public:
  struct Manner {
    double first, factor;    // ε, and what it is lowered by each time
    double enough;           // natural map
    double wanted = enough;  // below it a problem that does not make it much smaller is the last
  };
  // From z on. Leaves the best z and v, and returns their natural map.
  double run(ScaledCones&, ConeNewton&, double* z, double* v, const Manner&);
  void expect(std::size_t rows) { reserve_all(rows, {&z_, &v_, &trial_z_, &trial_v_}); }

 private:
  std::vector<double> z_, v_, trial_z_, trial_v_;
};

}  // namespace marey
