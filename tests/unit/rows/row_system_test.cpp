// A λ = b for rows: full rank, rows that say the same twice, and the way from one to the other.
#include "marey/rows/row_system.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/random_figure.h"

namespace {

using marey::RowSystem;
using Numbers = std::vector<double>;

double size_of(const Numbers& x) {
  double square = 0;
  for (const double value : x) square += value * value;
  return std::sqrt(square);
}
// A = G Gᵀ of n rows of n + 3 random numbers, in units that differ by up to 10⁴. The last row is the first one, and of its
// own that part.
Numbers random_matrix(figures::Random& random, std::size_t n, double own_part) {
  std::vector<Numbers> G(n, Numbers(n + 3));
  for (Numbers& row : G) {
    const double unit = std::pow(10.0, random.between(-2, 2));
    for (double& x : row) x = unit * random.normal();
  }
  const double relative = own_part * size_of(G[0]) / size_of(G[n - 1]);
  for (std::size_t k = 0; k < n + 3; ++k) G[n - 1][k] = G[0][k] + relative * G[n - 1][k];
  Numbers A(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n + 3; ++k) A[i * n + j] += G[i][k] * G[j][k];
  return A;
}

TEST(RowSystem, SolvesWhatHasASolution) {
  figures::Random random(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = 2 + static_cast<std::size_t>(round % 14);
    const bool twice = round % 3 == 0;
    const Numbers A = random_matrix(random, n, twice ? 1e-7 : 1);
    Numbers b(n), lambda(n), wanted(n);
    for (double& x : wanted) x = random.normal();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) b[i] += A[i * n + j] * wanted[j];
    RowSystem system(static_cast<int>(n));
    EXPECT_EQ(system.factor(static_cast<int>(n), A, [](int) { return 1.0; }), static_cast<int>(twice ? n - 1 : n));
    system.solve(b, lambda);
    for (std::size_t i = 0; i < n; ++i) {
      double left = -b[i], size = 0;
      for (std::size_t j = 0; j < n; ++j) left += A[i * n + j] * lambda[j], size += std::abs(A[i * n + j] * lambda[j]);
      EXPECT_LE(std::abs(left), 1e-9 * size) << round;
      if (!twice) {
        EXPECT_NEAR(lambda[i], wanted[i], 1e-6 * (1 + std::abs(wanted[i]))) << round;
      }
    }
  }
}

// As the last row turns into the first one, λ goes the same way whether Cholesky or the rank decides: no jump between them.
TEST(RowSystem, HasNoSeam) {
  for (double part = 1; part > 1e-3; part *= 0.97) {
    figures::Random random(11);
    const std::size_t n = 6;
    const Numbers A = random_matrix(random, n, part);
    Numbers b(n), lambda(n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) b[i] += A[i * n + j];
    RowSystem system(static_cast<int>(n));
    EXPECT_EQ(system.factor(static_cast<int>(n), A, [](int) { return 1.0; }), static_cast<int>(n)) << part;
    system.solve(b, lambda);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(lambda[i], 1, 1e-7) << part;
  }
}

}  // namespace
