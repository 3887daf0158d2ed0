// One templated routine with every operation a kinematic algorithm uses, run on all scalars and compared with
// double.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "marey/scalar.h"

namespace marey {
namespace {

constexpr int n_in = 7, n_out = 6;
template <class T>
using Inputs = std::array<T, n_in>;  // a quaternion (w, x, y, z), not of unit length, and a vector
template <class T>
using Outputs = std::array<T, n_out>;  // the rotated vector, the angle of rotation, a spring with free play, an angle

// v' = v + 2 w (u × v) + 2 u × (u × v) for the unit quaternion (w, u).
template <class T>
Outputs<T> rotate(const Inputs<T>& in) {
  T length{};
  for (int i = 0; i < 4; ++i) length += in[i] * in[i];
  const T scale = 1.0 / sqrt(length);
  const T w = in[0] * scale;
  const T u[3] = {in[1] * scale, in[2] * scale, in[3] * scale};
  const T* v = &in[4];
  T t[3], r[3];
  for (int i = 0; i < 3; ++i) t[i] = T(2.0) * (u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3]);
  for (int i = 0; i < 3; ++i)
    r[i] = v[i] + w * t[i] + (u[(i + 1) % 3] * t[(i + 2) % 3] - u[(i + 2) % 3] * t[(i + 1) % 3]);
  const T angle = 2.0 * atan2(sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]), abs(w));
  T s, c;
  sincos(angle * 0.5, s, c);
  const auto above = r[0] > 0.5, below = !(r[0] >= -0.5);
  const T past = select(above | below, r[0] - min(max(r[0], -0.5), 0.5), T(0.0));
  T spring = past * exp(-abs(past)) - log(1.0 + v[0] * v[0]);
  spring /= 2;
  return {r[0], r[1], r[2], angle, spring, s * c - cos(angle) * sin(angle)};
}

Inputs<double> draw(std::mt19937& random) {
  std::uniform_real_distribution<double> u(-1.0, 1.0);
  Inputs<double> in;
  for (double& x : in) x = u(random);
  in[0] += in[0] > 0.0 ? 0.2 : -0.2;  // away from |w| = 0, where the angle has a corner
  return in;
}

// Inputs are drawn in float, so that every scalar starts from the same numbers.
std::vector<Inputs<double>> samples(int n) {
  std::mt19937 random(5);
  std::vector<Inputs<double>> all(n);
  for (Inputs<double>& in : all) {
    in = draw(random);
    for (double& x : in) x = static_cast<float>(x);
  }
  return all;
}

template <class T>
void expect_lanes_like_double(double tolerance) {
  constexpr int lanes = ScalarTraits<T>::lanes;
  const std::vector<Inputs<double>> all = samples(32 * lanes);
  for (std::size_t k = 0; k < all.size(); k += lanes) {
    Inputs<T> in;
    for (int i = 0; i < n_in; ++i) {
      if constexpr (lanes == 1)
        in[i] = T(all[k][i]);
      else
        for (int j = 0; j < lanes; ++j) in[i].set(j, all[k + j][i]);
    }
    const Outputs<T> out = rotate(in);
    for (int j = 0; j < lanes; ++j) {
      const Outputs<double> expected = rotate(all[k + j]);
      for (int i = 0; i < n_out; ++i) EXPECT_NEAR(lane(out[i], j), expected[i], tolerance) << "output " << i;
    }
    for (const T& x : out) EXPECT_TRUE(all_finite(x));
  }
}

TEST(EveryScalar, Float) { expect_lanes_like_double<float>(3e-6); }
TEST(EveryScalar, PackOfFloats) { expect_lanes_like_double<Pack<float, 16>>(3e-6); }
TEST(EveryScalar, PackOfDoubles) { expect_lanes_like_double<Pack<double, 8>>(4e-15); }
TEST(EveryScalar, DualOfDoubles) { expect_lanes_like_double<Dual<7>>(4e-15); }
TEST(EveryScalar, DualOfFloats) { expect_lanes_like_double<Dual<2, float>>(3e-6); }

TEST(EveryScalar, DoubleKeepsLengthsAndTurnsTheRightWay) {
  for (const Inputs<double>& in : samples(50)) {
    const Outputs<double> out = rotate(in);
    EXPECT_NEAR(std::hypot(out[0], out[1], out[2]), std::hypot(in[4], in[5], in[6]), 1e-15 * 4);
  }
  const Outputs<double> quarter = rotate<double>({1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0});  // about z: x becomes y
  EXPECT_NEAR(quarter[0], 0.0, 1e-15);
  EXPECT_NEAR(quarter[1], 1.0, 1e-15);
  EXPECT_NEAR(quarter[3], std::acos(0.0), 1e-15);
}

TEST(EveryScalar, Expression) {
  ExprGraph graph;
  ExprScope scope(graph);
  Inputs<Expr> in;
  const char* names[n_in] = {"qw", "qx", "qy", "qz", "vx", "vy", "vz"};
  for (int i = 0; i < n_in; ++i) in[i] = Expr::variable(names[i]);
  const Outputs<Expr> out = rotate(in);
  for (const Inputs<double>& numbers : samples(50)) {
    const std::vector<double> found = evaluate(graph, out, numbers);
    const Outputs<double> expected = rotate(numbers);
    for (int i = 0; i < n_out; ++i) EXPECT_NEAR(found[i], expected[i], 4e-15) << "output " << i;
  }
  // The rotation alone: 8 mul, 3 add, sqrt, div to normalise; t: 9 mul, 3 add; r: 9 mul, 9 add.
  const OperationCounts c = count_operations(graph, std::span(out).first(3));
  EXPECT_EQ(c.mul, 8 + 9 + 9);
  EXPECT_EQ(c.add, 3 + 3 + 9);
  EXPECT_EQ(c.sqrt, 1);
  EXPECT_EQ(c.div, 1);
  EXPECT_EQ(c.total(), 26 + 15 + 2);
}

// Derivatives along all inputs, against central differences extrapolated to order six.
TEST(EveryScalar, DualDerivatives) {
  int compared = 0;
  for (const Inputs<double>& at : samples(50)) {
    const double r = rotate(at)[0], margin = 0.05;
    if (std::abs(std::abs(r) - 0.5) < margin || std::abs(r) < margin) continue;  // corners of the spring
    Inputs<Dual<n_in>> in;
    for (int i = 0; i < n_in; ++i) in[i] = Dual<n_in>::variable(at[i], i);
    const Outputs<Dual<n_in>> out = rotate(in);
    for (int j = 0; j < n_in; ++j) {
      const auto slope = [&](int i, double h) {
        Inputs<double> up = at, down = at;
        up[j] += h;
        down[j] -= h;
        return (rotate(up)[i] - rotate(down)[i]) / (2.0 * h);
      };
      for (int i = 0; i < n_out; ++i) {
        const double h = 2e-3, s1 = slope(i, h), s2 = slope(i, 2.0 * h), s3 = slope(i, 3.0 * h);
        EXPECT_NEAR(out[i].d[j], 1.5 * s1 - 0.6 * s2 + 0.1 * s3, 1e-9) << "output " << i << ", input " << j;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 1000);
}

}  // namespace
}  // namespace marey
