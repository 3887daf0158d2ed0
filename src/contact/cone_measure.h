// What the certificate measures a block with: the length of its moments and ρ (marey/contact/cone_problem.h).
#pragma once

#include "marey/contact/cone_problem.h"

namespace marey {

struct BlockMeasure {
  double length = 1;  // ℓ; 1 where it has no moments, or they move nothing
  double rho = 1;     // 1/λmax; 1 where nothing moves
};
BlockMeasure measure_of(const ConeProblem&, const RowBlock&);

// (1) there; and the certificate of P, u being as (1) has it and the blocks' measures as above.
void find_velocities(const ConeProblem&, std::span<const double> P, std::span<double> u);
ConeCertificate certify(const ConeProblem&, std::span<const BlockMeasure>, std::span<const double> P,
                        std::span<const double> u);

// Of a symmetric matrix of at most six rows, by rows without gaps; destroys it.
double largest_eigenvalue(double* a, int size);

}  // namespace marey
