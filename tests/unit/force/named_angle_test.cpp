// Named angles: their values on rotations built from known parts, their gradients against differences, and
// what they do where they have none.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "marey/force/attitude_angle.h"
#include "marey/force/joint_slope.h"
#include "unit/force/trees.h"

namespace marey::test {
namespace named_angle_test {

constexpr double pi = std::numbers::pi;
using Kind = NamedAngle::Kind;
using Q = Quaternion<double>;

class NamedAngleTest : public testing::Test {
 protected:
  Random random{3};
  Model model = [] {
    Model m = world();
    add_link(m, 0, JointType::ball, {}, {0, 0, 1}, {});
    return m;
  }();

  template <class T = double>
  AngleAndGradient<T> of(const NamedAngle& angle, const Quaternion<T>& q) const {
    const Placed<T> placed(model, 0, {q.w, q.x, q.y, q.z}, std::vector<T>(3, T(0)));
    return named_angle(angle, placed.instant(), 1);
  }
  static Q about(const V3& axis, double angle) { return quaternion_about(axis, angle); }
  static Q scaled(double s, const Q& q) { return {s * q.w, s * q.x, s * q.y, s * q.z}; }
};

TEST_F(NamedAngleTest, TwistIsWhatIsLeftWhenTheSwingIsTakenAway) {
  for (int i = 0; i < 200; ++i) {
    const V3 axis = random.unit(), other = cross(axis, random.unit()), across = (1 / norm(other)) * other;
    const double twist = random.uniform(-pi, pi), swing = random.uniform(0, 3);
    const NamedAngle named{Kind::twist, (i % 3 + 0.5) * axis};
    const Q q = scaled(random.uniform(-3, 3), about(across, swing) * about(axis, twist));
    EXPECT_NEAR(of(named, q).angle, twist, 1e-12 / std::cos(swing / 2));
    EXPECT_NEAR(of({Kind::swing, axis}, q).angle, swing, 1e-12);
  }
}

TEST_F(NamedAngleTest, SwingIsTheAngleOfTheAxisWithItself) {
  for (int i = 0; i < 100; ++i) {
    const V3 axis = random.unit();
    const Q q = random.quaternion();
    const V3 turned = rotation(q) * axis;
    EXPECT_NEAR(of({Kind::swing, axis}, q).angle, std::atan2(norm(cross(axis, turned)), dot(axis, turned)), 1e-12);
  }
}

TEST_F(NamedAngleTest, EulerAnglesAreTheOnesTheRotationWasMadeOf) {
  for (int i = 0; i < 100; ++i) {
    const double a = random.uniform(-pi, pi), b = random.uniform(-1.5, 1.5), c = random.uniform(-pi, pi);
    const Q q = scaled(random.uniform(-3, 3), about({1, 0, 0}, a) * about({0, 1, 0}, b) * about({0, 0, 1}, c));
    EXPECT_NEAR(of({Kind::euler_x, {}}, q).angle, a, 1e-13 / std::cos(b));
    EXPECT_NEAR(of({Kind::euler_y, {}}, q).angle, b, 1e-13 / std::cos(b));
    EXPECT_NEAR(of({Kind::euler_z, {}}, q).angle, c, 1e-13 / std::cos(b));
  }
}

// g · w against a six-point difference of the angle along the turn exp(w h), error O(h⁶).
TEST_F(NamedAngleTest, GradientIsTheDerivativeAlongEveryTurn) {
  int smooth = 0;
  for (int i = 0; i < 600; ++i) {
    const NamedAngle named{static_cast<Kind>(1 + i % 5), random.unit()};
    const Q q = random.quaternion();
    const V3 w = random.vec();
    const auto angle = [&](double h) { return of(named, q * about((1 / norm(w)) * w, h * norm(w))).angle; };
    const auto slope = [&](double h) {
      return (45 * (angle(h) - angle(-h)) - 9 * (angle(2 * h) - angle(-2 * h)) + angle(3 * h) - angle(-3 * h)) /
             (60 * h);
    };
    const double fine = slope(5e-4), coarse = slope(1e-3);
    if (std::abs(fine - coarse) > 1e-9 * (1 + std::abs(fine))) continue;  // near a singularity or ±π
    ++smooth;
    EXPECT_NEAR(dot(of(named, q).gradient, w), fine, 1e-9 * (1 + std::abs(fine))) << i;
  }
  EXPECT_GT(smooth, 500);
}

TEST_F(NamedAngleTest, DerivativeByDualAgrees) {
  for (int i = 0; i < 200; ++i) {
    const NamedAngle named{static_cast<Kind>(1 + i % 5), random.unit()};
    const Q q = random.quaternion();
    const V3 w = random.vec();
    const Q dq = q * Q{0, w.x / 2, w.y / 2, w.z / 2};
    Quaternion<Dual<1>> d{q.w, q.x, q.y, q.z};
    d.w.d[0] = dq.w, d.x.d[0] = dq.x, d.y.d[0] = dq.y, d.z.d[0] = dq.z;
    const double g = dot(of(named, q).gradient, w);
    EXPECT_NEAR(of(named, d).angle.d[0], g, 1e-11 * (1 + norm_squared(of(named, q).gradient))) << i;
  }
}

// Along a turn with constant w the rate of the angle is g · w, and its derivative w · H w.
TEST_F(NamedAngleTest, CurvatureIsTheDerivativeOfTheGradient) {
  for (int i = 0; i < 200; ++i) {
    const NamedAngle named{i % 2 ? Kind::twist : Kind::swing, random.unit()};
    const Q q = random.quaternion();
    const V3 w = random.vec();
    const Q dq = q * Q{0, w.x / 2, w.y / 2, w.z / 2};
    Quaternion<Dual<1>> d{q.w, q.x, q.y, q.z};
    d.w.d[0] = dq.w, d.x.d[0] = dq.x, d.y.d[0] = dq.y, d.z.d[0] = dq.z;
    const Vec3<Dual<1>> g = of(named, d).gradient;
    const V3 g_rate{g.x.d[0], g.y.d[0], g.z.d[0]}, g_now = of(named, q).gradient;
    Sym3<double> H;
    ASSERT_TRUE(curvature_of_attitude(named, q, g_now, H));
    const double size = std::abs(H.xx) + std::abs(H.yy) + std::abs(H.zz) + 1;
    EXPECT_NEAR(dot(w, H * w), dot(w, g_rate), 1e-11 * size * size) << i;
  }
  Sym3<double> H;
  EXPECT_FALSE(curvature_of_attitude({Kind::euler_y, {}}, {1, 0.1, 0, 0}, {0, 1, 0}, H));
  EXPECT_FALSE(curvature_of_attitude({Kind::swing, {0, 0, 1}}, {1, 0, 0, 0}, {}, H));
}

// What a switch of a torque function can come by within a step, by turns that are even: never more than the bound says, and for some
// turns nearly as much.
TEST_F(NamedAngleTest, SwitchesAreNoFasterThanTheirBound) {
  constexpr double h = 0.01;
  double nearest = 0;
  for (int i = 0; i < 2000; ++i) {
    FreePlay play;
    play.link = 1, play.angle = {i % 2 ? Kind::twist : Kind::swing, random.unit()};
    play.from = {{0}, {-0.5}}, play.to = {{0}, {0.5}}, play.slope_below = play.slope_above = {{0}, {1}};
    const Element element{"play", play};
    const double inside = 2;  // frozen within the zone: values are how far the edges are
    const Q q = normalized(random.quaternion());
    const V3 w = random.vec(5);
    const auto value = [&](const Q& at) {
      const Placed<double> placed(model, 0, {at.w, at.x, at.y, at.z}, {w.x, w.y, w.z});
      std::array<double, 2> values{};
      switch_values(element, placed.instant(), std::span(&inside, 1), values);
      return values[1];
    };
    const Q start = q * about((1 / norm(w)) * w, -h * norm(w));
    const Placed<double> end(model, 0, {q.w, q.x, q.y, q.z}, {w.x, w.y, w.z});
    const double most = h * fastest_switch(element, end.instant(), end.instant().v, h);
    const double went = std::abs(value(q) - value(start));
    if (went > 3) continue;  // beyond ±π, where the turn that counts is another one
    EXPECT_LE(went, most * (1 + 1e-9) + 1e-12) << i;
    nearest = std::max(nearest, went / most);
  }
  EXPECT_GT(nearest, 0.97);
}

TEST_F(NamedAngleTest, LengthAndSignOfTheQuaternionDoNotMatter) {
  for (int i = 0; i < 100; ++i) {
    const NamedAngle named{static_cast<Kind>(1 + i % 5), random.unit()};
    const Q q = random.quaternion();
    const AngleAndGradient<double> a = of(named, q);
    for (double s : {-1.0, 3.7, 1e-6, -1e5}) {
      const AngleAndGradient<double> b = of(named, scaled(s, q));
      EXPECT_NEAR(a.angle, b.angle, 1e-12);
      EXPECT_LT(norm(a.gradient - b.gradient), 1e-12 * (1 + norm_squared(a.gradient)));
    }
  }
}

TEST_F(NamedAngleTest, HasNoGradientWhereTheAngleHasNone) {
  const V3 z{0, 0, 1}, x{1, 0, 0}, y{0, 1, 0};
  struct Place {
    NamedAngle named;
    Q q;
    double angle;
  };
  const Place places[] = {
      {{Kind::swing, z}, {1, 0, 0, 0}, 0},
      {{Kind::swing, z}, about(z, 1), 0},
      {{Kind::swing, z}, about(x, pi), pi},
      {{Kind::swing, z}, {0, 1, 0, 0}, pi},
      {{Kind::twist, z}, {0, 1, 0, 0}, 0},
      {{Kind::twist, z}, about(x, pi), 0},
      {{Kind::euler_x, z}, about(y, pi / 2) * about(z, 0.3), 0},
      {{Kind::euler_z, z}, about(y, -pi / 2) * about(z, 0.3), 0},
      {{Kind::euler_y, z}, about(y, pi / 2), pi / 2},
      {{Kind::euler_y, z}, about(x, 0.4) * about(y, -pi / 2), -pi / 2},
  };
  for (const Place& p : places) {
    const AngleAndGradient<double> a = of(p.named, p.q);
    EXPECT_NEAR(a.angle, p.angle, 3e-8);
    EXPECT_EQ(norm(a.gradient), 0);
    Quaternion<Dual<1>> d{p.q.w, p.q.x, p.q.y, p.q.z};
    d.w.d[0] = 0.3, d.x.d[0] = -0.2, d.y.d[0] = 0.7, d.z.d[0] = 0.1;
    const AngleAndGradient<Dual<1>> b = of(p.named, d);
    EXPECT_TRUE(all_finite(b.angle) && all_finite(b.gradient.x) && all_finite(b.gradient.y) &&
                all_finite(b.gradient.z));
  }
}

TEST_F(NamedAngleTest, StaysFiniteAllAroundTheSingularities) {
  const V3 z{0, 0, 1};
  for (int i = 0; i < 2000; ++i) {
    const double off = std::pow(10.0, random.uniform(-12, 0));
    const Q base[] = {{1, 0, 0, 0}, {0, 1, 0, 0}, about({0, 1, 0}, pi / 2), about({0, 1, 0}, -pi / 2)};
    const Q q = base[i % 4] * about(random.unit(), off);
    for (Kind kind : {Kind::twist, Kind::swing, Kind::euler_x, Kind::euler_y, Kind::euler_z}) {
      const AngleAndGradient<double> a = of({kind, z}, q);
      EXPECT_TRUE(std::isfinite(a.angle) && std::isfinite(norm(a.gradient)));
      EXPECT_LE(std::abs(a.angle), pi + 1e-12);
    }
  }
}

TEST_F(NamedAngleTest, OfAHingeAndASliderIsTheCoordinate) {
  Model m = world();
  add_link(m, 0, JointType::hinge, {}, {0, 1, 0}, {});
  add_link(m, 1, JointType::slider, {}, {0, 1, 0}, {});
  const Placed<double> placed(m, 0, {7.5, -0.3}, {0, 0});
  for (Kind kind : {Kind::coordinate, Kind::twist}) {
    const AngleAndGradient<double> a = named_angle({kind, {0, 1, 0}}, placed.instant(), 1);
    EXPECT_EQ(a.angle, 7.5);
    EXPECT_EQ(a.gradient.x, 1);
    EXPECT_EQ(named_angle({kind, {0, 1, 0}}, placed.instant(), 2).angle, -0.3);
  }
}

}  // namespace named_angle_test
}  // namespace marey::test
