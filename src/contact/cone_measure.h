// What the certificate measures a block with: the length of its moments and ρ (marey/contact/cone_problem.h).
#pragma once

#include "marey/contact/cone_problem.h"

namespace marey {

struct BlockMeasure {
  double length = 1;  // ℓ; 1 where it has no moments, or they move nothing
  double rho = 1;     // 1/λmax; 1 where nothing moves
};
BlockMeasure measure_of(const ConeProblem&, const RowBlock&);

// Of a symmetric matrix of at most six rows, by rows without gaps; destroys it.
double largest_eigenvalue(double* a, int size);

}  // namespace marey
