// Euler angles against rotations built of their own three turns, and rates against differences of rotations.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "marey/closed_form.h"

namespace marey {
namespace {

using V = Vec3<double>;
using Q = Quaternion<double>;
constexpr double pi = std::numbers::pi;

double distance(const Mat3<double>& a, const Mat3<double>& b) {
  double largest = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) largest = std::max(largest, std::abs(a(i, j) - b(i, j)));
  return largest;
}

class EulerAngles : public testing::Test {
 protected:
  std::mt19937 engine{11};
  double in(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine); }
  Mat3<double> any_rotation() {
    std::normal_distribution<double> n;
    return rotation(Q{n(engine), n(engine), n(engine), n(engine)});
  }
};

// The turns go about the new axes: the image of a body vector, turned step by step.
TEST_F(EulerAngles, turn_about_the_new_axes_one_after_the_other) {
  const double a = 0.4, b = 1.1, c = -0.7;
  const V z{0, 0, 1}, x{1, 0, 0}, y{0, 1, 0};
  const Mat3<double> R1 = rotation_about(z, a), R2 = rotation_about(R1 * y, b) * R1,
                     R3 = rotation_about(R2 * z, c) * R2;
  EXPECT_LT(distance(rotation(EulerZyz{a, b, c}), R3), 1e-15);
  const Mat3<double> S1 = rotation_about(x, a), S2 = rotation_about(S1 * y, b) * S1,
                     S3 = rotation_about(S2 * z, c) * S2;
  EXPECT_LT(distance(rotation(EulerXyz{a, b, c}), S3), 1e-15);
  // Fig. 2.5: β is the angle between Z and ζ, α the azimuth of ζ.
  const V zeta = rotation(EulerZyz{a, b, c}) * z;
  EXPECT_NEAR(std::acos(zeta.z), b, 1e-15);
  EXPECT_NEAR(std::atan2(zeta.y, zeta.x), a, 1e-15);
}

TEST_F(EulerAngles, of_a_rotation_give_it_back) {
  for (int i = 0; i < 500; ++i) {
    const Mat3<double> R = any_rotation();
    const EulerZyz e = euler_zyz(R);
    const EulerXyz f = euler_xyz(R);
    EXPECT_LT(distance(rotation(e), R), 2e-15);
    EXPECT_LT(distance(rotation(f), R), 2e-15);
    EXPECT_LT(distance(rotation(quaternion_of(e)), R), 2e-15);
    EXPECT_LT(distance(rotation(quaternion_of(f)), R), 2e-15);
    EXPECT_GE(quaternion_of(e).w, 0);
    EXPECT_TRUE(e.beta >= 0 && e.beta <= pi && std::abs(f.beta) <= pi / 2);
  }
}

TEST_F(EulerAngles, are_found_in_their_ranges) {
  for (int i = 0; i < 500; ++i) {
    const EulerZyz e{in(-3.1, 3.1), in(0.01, 3.1), in(-3.1, 3.1)}, e2 = euler_zyz(rotation(e));
    EXPECT_NEAR(e2.alpha, e.alpha, 1e-13);
    EXPECT_NEAR(e2.beta, e.beta, 1e-13);
    EXPECT_NEAR(e2.gamma, e.gamma, 1e-13);
    const EulerXyz f{in(-3.1, 3.1), in(-1.5, 1.5), in(-3.1, 3.1)}, f2 = euler_xyz(rotation(f));
    EXPECT_NEAR(f2.alpha, f.alpha, 1e-13);
    EXPECT_NEAR(f2.beta, f.beta, 1e-13);
    EXPECT_NEAR(f2.gamma, f.gamma, 1e-13);
  }
}

// Singular pose: γ = 0, α has the whole turn, and the rotation is still met; also a hair beside it.
TEST_F(EulerAngles, in_the_singular_pose_keep_the_rotation_and_put_the_turn_into_alpha) {
  for (const double beta : {0.0, pi}) {
    const EulerZyz e = euler_zyz(rotation(EulerZyz{0.5, beta, 0.3}));
    EXPECT_EQ(e.gamma, 0);
    EXPECT_NEAR(e.alpha, beta == 0 ? 0.8 : 0.2, 1e-15);
    EXPECT_LT(distance(rotation(e), rotation(EulerZyz{0.5, beta, 0.3})), 3e-15);
  }
  for (const double side : {-1.0, 1.0}) {
    const EulerXyz f = euler_xyz(rotation(EulerXyz{0.5, side * pi / 2, 0.3}));
    EXPECT_EQ(f.gamma, 0);
    EXPECT_NEAR(f.alpha, 0.5 + side * 0.3, 1e-15);
    EXPECT_LT(distance(rotation(f), rotation(EulerXyz{0.5, side * pi / 2, 0.3})), 3e-15);
  }
  for (double off = 1e-18; off < 1e-3; off *= 7) {
    const Mat3<double> R = rotation(EulerZyz{0.5, off, 0.3}), S = rotation(EulerXyz{0.5, pi / 2 - off, 0.3});
    EXPECT_LT(distance(rotation(euler_zyz(R)), R), 4e-15) << off;
    EXPECT_LT(distance(rotation(euler_xyz(S)), S), 4e-15) << off;
  }
}

// ω from Ṙ Rᵀ by differences: independent of the formulas.
template <class Angles>
void expect_rates_match(const Angles& e, const V& rates) {
  const double h = 1e-5;
  const auto at = [&](double t) {
    return rotation(Angles{e.alpha + t * rates.x, e.beta + t * rates.y, e.gamma + t * rates.z});
  };
  const Mat3<double> tilde_W = (0.5 / h) * ((at(h) - at(-h)) * transpose(at(0)));
  const V w_W{tilde_W.zy, tilde_W.xz, tilde_W.yx}, w_B = transpose_times(at(0), w_W);
  EXPECT_LT(norm(angular_velocity_world(e, rates) - w_W), 1e-8);
  EXPECT_LT(norm(angular_velocity_body(e, rates) - w_B), 1e-8);
  EXPECT_LT(norm(*euler_rates_from_world(e, angular_velocity_world(e, rates)) - rates), 1e-12);
  EXPECT_LT(norm(*euler_rates_from_body(e, angular_velocity_body(e, rates)) - rates), 1e-12);
}

TEST_F(EulerAngles, have_rates_that_belong_to_the_angular_velocity) {
  for (int i = 0; i < 50; ++i) {
    const V rates{in(-2, 2), in(-2, 2), in(-2, 2)};
    expect_rates_match(EulerZyz{in(-3, 3), in(0.1, 3), in(-3, 3)}, rates);
    expect_rates_match(EulerXyz{in(-3, 3), in(-1.4, 1.4), in(-3, 3)}, rates);
  }
}

// R (3.20a) as printed, −(ω_ξ cos γ + ω_η sin γ)/sin β, is another function.
TEST_F(EulerAngles, correct_the_print_of_3_20a) {
  const EulerZyz e{0.3, 0.8, 0.5};
  const V w{0.2, 0.7, -0.4};
  const double printed = -(w.x * std::cos(e.gamma) + w.y * std::sin(e.gamma)) / std::sin(e.beta);
  EXPECT_GT(std::abs(euler_rates_from_body(e, w)->x - printed), 0.5);
}

TEST_F(EulerAngles, have_no_rates_in_the_singular_pose) {
  const V w{1, 2, 3};
  for (const double beta : {0.0, pi}) {
    EXPECT_FALSE(euler_rates_from_body(EulerZyz{0.4, beta, 0}, w));
    EXPECT_FALSE(euler_rates_from_world(EulerZyz{0.4, beta, 0}, w));
  }
  for (const double beta : {-pi / 2, pi / 2}) {
    EXPECT_FALSE(euler_rates_from_body(EulerXyz{0.4, beta, 0}, w));
    EXPECT_FALSE(euler_rates_from_world(EulerXyz{0.4, beta, 0}, w));
  }
  // The other direction goes on: no rates turn the body about the axis across ζ and the tilt axis.
  const V only = angular_velocity_body(EulerZyz{0.4, 0, 0}, {5, 2, 7});
  EXPECT_EQ(only.x, 0);
  EXPECT_EQ(only.y, 2);
  EXPECT_EQ(only.z, 12);
  // Just outside they exist, and are large.
  EXPECT_GT(std::abs(euler_rates_from_body(EulerZyz{0.4, 1e-10, 0}, w)->x), 1e9);
}

}  // namespace
}  // namespace marey
