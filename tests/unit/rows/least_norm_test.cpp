// Singular systems against a complete orthogonal decomposition.
#include "marey/rows/least_norm.h"

#include <gtest/gtest.h>

#include "marey/dynamics/dense_algebra.h"
#include "support/random_figure.h"

namespace {

TEST(LeastNorm, AgreesWithTheCompleteOrthogonalDecomposition) {
  figures::Random random(2);
  marey::LeastNorm solver(12);
  for (int i = 0; i < 300; ++i) {
    const int n = 1 + random.below(12), rank = i % 5 == 0 ? 0 : 1 + random.below(n);
    marey::Matrix L(n, rank), R(rank, n);
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < rank; ++c) L(r, c) = random.normal(), R(c, r) = random.normal();
    const marey::Matrix B = rank == 0 ? marey::Matrix(n, n) : L * R;
    marey::Vector b(n);
    for (int r = 0; r < n; ++r) b[r] = random.normal();
    if (i % 2) b = B * b;  // one that can be met
    const marey::Vector x = marey::CompleteOrthogonal(B, 1e-11).solve(b);
    std::vector<double> rows(static_cast<std::size_t>(n * n)), y(static_cast<std::size_t>(n));
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) rows[static_cast<std::size_t>(r * n + c)] = B(r, c);
    EXPECT_EQ(solver.factor(n, rows, 1e-11), rank) << i;
    solver.solve(b, y);
    for (int r = 0; r < n; ++r)
      EXPECT_NEAR(y[static_cast<std::size_t>(r)], x[r], 1e-9 * (1 + x.norm())) << i << " rank " << rank << " of " << n;
  }
}

}  // namespace
