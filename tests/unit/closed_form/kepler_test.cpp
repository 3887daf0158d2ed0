// Kepler's orbits: the residual of his equation, his three laws, an integration of Newton's law in extended precision,
// and states and elements both ways, from circles over parabolas to hyperbolas.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "marey/closed_form.h"
#include "marey/core.h"
#include "unit/dynamics/closed_gbs.h"

namespace marey {
namespace closed_kepler_test {

using V = Vec3<double>;
constexpr double pi = std::numbers::pi, mu = 1.7;

// Backward error: the residual in units of what one bit of the anomaly and of the mean changes, and the residual's own
// round-off in extended precision.
TEST(KeplerEquation, ellipse_to_round_off) {
  for (const double e : {0.0, 1e-9, 0.1, 0.5, 0.9, 0.99, 0.999999, 1 - 1e-12}) {
    for (const double mean : {-20.0, -pi, -1.0, -1e-8, 0.0, 1e-14, 1e-5, 0.01, 0.3, 2.0, 3.14, pi, 4.0, 100.0}) {
      const long double E = eccentric_anomaly(mean, e), eps = 2.3e-16L;
      const long double residual = E - e * std::sin(E) - mean;
      EXPECT_LE(std::abs(residual), eps * (std::abs(E) * (1 - e * std::cos(E)) + std::abs(mean)) + 1e-19L * std::abs(E))
          << e << ' ' << mean;
    }
  }
}

TEST(KeplerEquation, hyperbola_to_round_off) {
  for (const double e : {1 + 1e-12, 1.000001, 1.01, 1.5, 3.0, 100.0}) {
    for (const double mean : {-1e6, -3.0, -1e-9, 0.0, 1e-14, 1e-4, 0.2, 5.0, 1e4, 1e12}) {
      const long double H = hyperbolic_anomaly(mean, e), eps = 2.3e-16L;
      const long double residual = e * std::sinh(H) - H - mean;
      EXPECT_LE(std::abs(residual),
                eps * (std::abs(H) * (e * std::cosh(H) - 1) + std::abs(mean)) + 1e-19L * std::abs(H))
          << e << ' ' << mean;
    }
  }
}

TEST(KeplerEquation, parabola_to_round_off) {
  for (const double mean : {-1e9, -2.0, -1e-7, 0.0, 1e-12, 0.3, 1.0, 1e5}) {
    const long double D = parabolic_anomaly(mean), eps = 2.3e-16L;
    EXPECT_LE(std::abs(D + D * D * D / 3 - mean), eps * (std::abs(D) * (1 + D * D) + std::abs(mean))) << mean;
  }
}

struct Case {
  const char* name;
  KeplerElements elements;
};
const std::vector<Case> cases = {
    {"circle", {1.2, 0, 0.4, 1.1, 0.7, 0.3}},
    {"nearly a circle", {1.2, 1e-12, 0.4, 1.1, 0.7, 0.3}},
    {"ellipse", {1.2, 0.6, 0.4, 1.1, 0.7, 0.3}},
    {"backwards", {1.2, 0.6, 2.9, -1.1, -2.7, 0.3}},
    {"in the plane", {1.2, 0.6, 0, 0, 0.7, 0.3}},
    {"long ellipse", {1.2, 0.999, 1.4, 1.1, 0.7, 0.3}},
    {"nearly a parabola", {1.2, 1 - 1e-10, 1.4, 1.1, 0.7, 0.3}},
    {"parabola", {1.2, 1, 1.4, 1.1, 0.7, 0.3}},
    {"just beyond a parabola", {1.2, 1 + 1e-10, 1.4, 1.1, 0.7, 0.3}},
    {"hyperbola", {1.2, 1.5, 0.4, 1.1, 0.7, 0.3}},
    {"flyby", {30, 40, 0.4, 1.1, 0.7, 0.3}},
};

Reals<6> newton(const Reals<6>& y) {
  const long double r = std::sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]), k = -(long double)mu / (r * r * r);
  return {y[3], y[4], y[5], k * y[0], k * y[1], k * y[2]};
}

TEST(KeplerOrbit, agrees_with_an_integration_of_newtons_law) {
  for (const Case& k : cases) {
    SCOPED_TRACE(k.name);
    const KeplerOrbit orbit(mu, k.elements);
    const double start = -4, end = 9;
    const PathPoint a = orbit.at(start), b = orbit.at(end);
    const Reals<6> y0{a.r.x, a.r.y, a.r.z, a.v.x, a.v.y, a.v.z};
    const Reals<6> y = gbs([](long double, const Reals<6>& s) { return newton(s); }, start, y0, end, 0.01L);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(b.r[i], double(y[i]), 2e-13 * (1 + norm(b.r)));
      EXPECT_NEAR(b.v[i], double(y[3 + i]), 2e-13 * (1 + norm(b.v)));
    }
    EXPECT_LT(norm(b.a + (mu / std::pow(norm(b.r), 3)) * b.r), 1e-15);
  }
}

TEST(KeplerOrbit, first_law_a_conic_with_the_centre_at_a_focus) {
  for (const Case& k : cases) {
    SCOPED_TRACE(k.name);
    const KeplerOrbit orbit(mu, k.elements);
    const auto& [p, e, inclination, node, periapsis, t0] = k.elements;
    const Mat3<double> R = rotation_about(V{0, 0, 1}, node) * rotation_about(V{1, 0, 0}, inclination) *
                           rotation_about(V{0, 0, 1}, periapsis);
    for (double t = -5; t < 5; t += 0.37) {
      const V r = orbit.at(t).r, r_O = transpose_times(R, r);
      // r = p/(1 + e cos ν), without dividing: r + e x = p.
      EXPECT_NEAR(norm(r) + e * r_O.x, p, 4e-15 * (1 + e) * (1 + norm(r)));
      EXPECT_NEAR(r_O.z, 0, 1e-15 * (1 + norm(r)));
    }
    EXPECT_NEAR(norm(orbit.at(t0).r), orbit.periapsis_distance(), 1e-15 * (1 + p));
    EXPECT_LT(norm(orbit.at(t0).r - orbit.periapsis_distance() * V{R.xx, R.yx, R.zx}), 1e-14 * (1 + p));
  }
}

// The area between two instants, from the curve alone (Simpson on r × dr), against half the angular momentum × time.
TEST(KeplerOrbit, second_law_equal_areas_in_equal_times) {
  for (const Case& k : cases) {
    SCOPED_TRACE(k.name);
    const KeplerOrbit orbit(mu, k.elements);
    const double h = norm(orbit.angular_momentum());
    const auto triangle_sum = [&](double t, int n) {
      V sum;
      for (int i = 0; i < n; ++i) sum += 0.5 * cross(orbit.at(t + i * 0.5 / n).r, orbit.at(t + (i + 1) * 0.5 / n).r);
      return norm(sum);
    };
    for (const double t : {-3.0, 0.1, 2.0}) {
      const double area = (4 * triangle_sum(t, 2000) - triangle_sum(t, 1000)) / 3;
      EXPECT_NEAR(area / (h / 2 * 0.5), 1, 1e-10);
    }
  }
}

TEST(KeplerOrbit, third_law_squares_of_periods_as_cubes_of_axes) {
  for (const Case& k : cases) {
    const KeplerOrbit orbit(mu, k.elements);
    if (k.elements.eccentricity >= 1) {
      EXPECT_TRUE(std::isinf(orbit.period()));
      EXPECT_TRUE(std::isinf(orbit.apoapsis_distance()));
      continue;
    }
    SCOPED_TRACE(k.name);
    const double a = orbit.semi_major_axis(), T = orbit.period();
    EXPECT_NEAR(T * T / (a * a * a) * mu / (4 * pi * pi), 1, 1e-14);
    EXPECT_NEAR(2 * a, orbit.periapsis_distance() + orbit.apoapsis_distance(), 1e-14 * a);
    if (T > 1e6) continue;
    // And the orbit does close after T, a thousand times, and not before.
    const V r = orbit.at(0.8).r;
    EXPECT_LT(norm(orbit.at(0.8 + T).r - r), 1e-13 + 1e-15 * T);  // what one bit of 0.8 + T moves
    EXPECT_LT(norm(orbit.at(0.8 + 1000 * T).r - r), 4e-12 * (1 + T / 10));
    EXPECT_GT(norm(orbit.at(0.8 + T / 2).r - r), 0.5);
    EXPECT_NEAR(norm(orbit.at(k.elements.time_of_periapsis + T / 2).r), orbit.apoapsis_distance(), 1e-13 * a);
  }
}

TEST(KeplerOrbit, keeps_energy_and_angular_momentum) {
  for (const Case& k : cases) {
    SCOPED_TRACE(k.name);
    const KeplerOrbit orbit(mu, k.elements);
    for (double t = -50; t < 50; t += 3.3) {
      const PathPoint m = orbit.at(t);
      EXPECT_NEAR(norm_squared(m.v) / 2 - mu / norm(m.r), orbit.energy(), 3e-15 * (norm_squared(m.v) + mu / norm(m.r)));
      EXPECT_LT(norm(cross(m.r, m.v) - orbit.angular_momentum()), 4e-15 * (1 + norm(m.r) * norm(m.v)));
    }
  }
}

TEST(KeplerOrbit, elements_come_back_from_a_state) {
  for (const Case& k : cases) {
    SCOPED_TRACE(k.name);
    const KeplerOrbit orbit(mu, k.elements);
    for (const double t : {-1.0, 0.3, 2.0}) {
      const PathPoint m = orbit.at(t);
      const KeplerOrbit again = KeplerOrbit::from_state(mu, m.r, m.v, t);
      for (const double later : {-3.0, 5.0}) {
        EXPECT_LT(norm(again.at(later).r - orbit.at(later).r), 1e-13 * (1 + norm(orbit.at(later).r)));
        EXPECT_LT(norm(again.at(later).v - orbit.at(later).v), 1e-13 * (1 + norm(orbit.at(later).v)));
      }
      const KeplerElements found = again.elements(), &given = k.elements;
      EXPECT_NEAR(found.semi_latus_rectum, given.semi_latus_rectum, 1e-13 * given.semi_latus_rectum);
      EXPECT_NEAR(found.eccentricity, given.eccentricity, 1e-14 * (1 + given.eccentricity));
      EXPECT_NEAR(found.inclination, given.inclination, 1e-14);
      EXPECT_NEAR(found.node, given.node, 1e-13);
      if (given.eccentricity < 1e-3) continue;  // a circle has no periapsis to be found
      EXPECT_NEAR(found.periapsis, given.periapsis, 1e-13);
      EXPECT_NEAR(found.time_of_periapsis, given.time_of_periapsis, 1e-12);
    }
  }
}

TEST(KeplerOrbit, starts_in_any_state_where_it_is_told) {
  std::mt19937 engine(5);
  std::normal_distribution<double> n;
  for (int i = 0; i < 300; ++i) {
    const V r{n(engine), n(engine), n(engine)}, v{n(engine), n(engine), n(engine)};
    const PathPoint m = KeplerOrbit::from_state(mu, r, v, 4).at(4);
    EXPECT_LT(norm(m.r - r), 1e-14 * (1 + norm(r)));
    EXPECT_LT(norm(m.v - v), 1e-14 * (1 + norm(v)) * (1 + 1 / norm(r)));
  }
  const V start{2, 0, 0};  // an exact circle
  const KeplerOrbit circle = KeplerOrbit::from_state(2, start, {0, 1, 0});
  EXPECT_EQ(circle.elements().eccentricity, 0);
  EXPECT_LT(norm(circle.at(1.0).r - V{2 * std::cos(0.5), 2 * std::sin(0.5), 0}), 1e-15);
}

TEST(KeplerOrbit, refuses_what_is_no_orbit) {
  EXPECT_THROW(KeplerOrbit::from_state(mu, {1, 0, 0}, {2, 0, 0}), Error);
  EXPECT_THROW(KeplerOrbit::from_state(0, {1, 0, 0}, {0, 1, 0}), Error);
  EXPECT_THROW(KeplerOrbit::from_state(mu, {0, 0, 0}, {0, 1, 0}), Error);
  EXPECT_THROW(KeplerOrbit(mu, {0, 0.5, 0, 0, 0, 0}), Error);
  EXPECT_THROW(KeplerOrbit(mu, {1, -0.5, 0, 0, 0, 0}), Error);
}

}  // namespace closed_kepler_test
}  // namespace marey
