// A λ = b for rows: full rank, rows that say the same twice, and the way from one to the other.
#include "marey/rows/row_system.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

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

// Where weights are remembered nobody asks for them, and the answer is the same to the last bit. They are asked for again
// where a row does much less than it did, where somebody else's were asked for in between, where they are forgotten, and after a while.
TEST(RowSystem, RemembersWeightsWhileRowsStayAsTheyAre) {
  figures::Random random(5);
  for (const std::size_t n : {1, 3, 4, 9, 14}) {
    Numbers A = random_matrix(random, n, 1), b(n), lambda(n), afresh(n);
    for (double& x : b) x = random.normal();
    int asked = 0;
    double last = 0.5;  // weight of the last row
    const int size = static_cast<int>(n);
    const auto weight = [&](int i) { return ++asked, i == size - 1 ? last : 0.8; };
    const auto times_asked = [&] { return std::exchange(asked, 0) / size; };
    RowSystem system(20);
    const auto factor = [&] { return system.factor_by_memory(size, A, weight, size); };
    EXPECT_EQ(factor(), size);
    EXPECT_EQ(times_asked(), 1);
    for (double& x : A) x *= 0.9;  // it turns a little, say
    EXPECT_EQ(factor(), size);
    EXPECT_EQ(times_asked(), 0);
    system.solve(b, lambda);
    RowSystem other(static_cast<int>(n));
    other.factor(size, A, [](int) { return 0.3; });
    other.solve(b, afresh);
    EXPECT_EQ(lambda, afresh);

    for (int i = 0; i < RowSystem::a_little_while; ++i) factor();
    EXPECT_EQ(times_asked(), 1);
    system.forget_weights();
    EXPECT_EQ(factor(), size);
    EXPECT_EQ(times_asked(), 1);
    system.factor(size, A, [](int) { return 1.0; });
    EXPECT_EQ(factor(), size);
    EXPECT_EQ(times_asked(), 1);

    if (n == 1) continue;  // a single row is always its own measure
    for (std::size_t k = 0; k < n; ++k) A[(n - 1) * n + k] *= 0.6, A[k * n + n - 1] *= 0.6;
    last = 1e-6;  // next to nothing is left of its lever
    EXPECT_EQ(factor(), size - 1);
    EXPECT_EQ(times_asked(), 1);
  }
}

}  // namespace
