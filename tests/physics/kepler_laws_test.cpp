// Kepler's three laws, measured on simulated orbits to 1e-10, without being told the orbit.
//
// First: places satisfy the conic equation |r| + e·r = p. Its numbers are found from three places; all others must agree.
// Second: the areas swept in equal times are equal. By velocity, ½ r × v; and by places alone: between two eccentric
//   anomalies E of x = a (cos E − e), y = b sin E the radius sweeps ½ a b (E − e sin E).
// Third: T²/a³ is 4π²/(G M) for all orbits; T from one passage of the near end to the next, 2 a from near to far end.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <numeric>

#include "marey/closed_form.h"
#include "sim/world.h"
#include "support/recorded.h"

namespace marey {
namespace {

using V = Vec3<double>;
constexpr double mu = 2.5, tolerance = 1e-10;

struct Orbit {
  double a, e;
  V near, along;  // unit vectors: to the near end, and the way of travel there
};
const Orbit orbits[] = {
    {1.0, 0.0, {1, 0, 0}, {0, 1, 0}},
    {0.7, 0.3, {0.6, 0.8, 0}, {0, 0, 1}},
    {1.9, 0.6, {0, 0, 1}, {0.8, -0.6, 0}},
    {3.0, 0.9, {0.48, 0.64, 0.6}, {0.8, -0.6, 0}},
};

Scene scene_of(const Orbit& o) {
  const double r = o.a * (1 - o.e), v = std::sqrt(mu / o.a * (1 + o.e) / (1 - o.e));
  Scene scene = parse_scene(R"(marey: 1
duration: 1000
gravity: 0
solver: {integrator: adams, tolerance: {relative: 1e-13, absolute: 1e-14}}
particles: {planet: {mass: 3 kg, points: [{position: [1, 0, 0]}]}}
forces: [{attraction: {links: planet.*, to: [0, 0, 0], strength: 2.5}}]
)",
                            "orbit.yaml");
  scene.start.q = {r * o.near.x, r * o.near.y, r * o.near.z};
  scene.start.v = {v * o.along.x, v * o.along.y, v * o.along.z};
  return scene;
}

// A planet that can be asked where it is, as the world goes on.
class Planet {
 public:
  explicit Planet(const Orbit& o) : orbit_(o), scene_(scene_of(o)), world_(scene_) {}
  PathPoint at(double t) {
    if (t == 0) {
      const State& s = world_.state();
      return {{s.q[0], s.q[1], s.q[2]}, {s.v[0], s.v[1], s.v[2]}, {}};
    }
    while (world_.time() < t) step();
    State s = scene_.start;
    world_.at(t, s, {});
    return {{s.q[0], s.q[1], s.q[2]}, {s.v[0], s.v[1], s.v[2]}, {}};
  }
  // The next instant at which it crosses the line through the near end and the centre.
  double next_crossing() {
    const auto side = [&](double t) { return dot(at(t).r, orbit_.along); };
    step();
    const bool above = side(world_.time()) > 0;
    double before = world_.time(), after = before;
    while ((side(after) > 0) == above) {
      before = after;
      step();
      after = world_.time();
    }
    for (int i = 0; i < 60; ++i) {
      const double middle = std::midpoint(before, after);
      ((side(middle) > 0) == above ? before : after) = middle;
    }
    return after;
  }
  double estimated_period() const { return 2 * std::numbers::pi * std::sqrt(orbit_.a * orbit_.a * orbit_.a / mu); }

 private:
  void step() { world_.step(scene_.duration); }

  Orbit orbit_;
  Scene scene_;
  World world_;
};

// x of A x = b by elimination with pivots.
std::array<double, 3> solve(std::array<std::array<double, 4>, 3> m) {
  for (int k = 0; k < 3; ++k) {
    int best = k;
    for (int i = k; i < 3; ++i)
      if (std::abs(m[i][k]) > std::abs(m[best][k])) best = i;
    std::swap(m[k], m[best]);
    for (int i = 0; i < 3; ++i) {
      if (i == k) continue;
      const double f = m[i][k] / m[k][k];
      for (int j = k; j < 4; ++j) m[i][j] -= f * m[k][j];
    }
  }
  return {m[0][3] / m[0][0], m[1][3] / m[1][1], m[2][3] / m[2][2]};
}

TEST(KeplersLaws, FirstAnEllipseWithTheCentreAtAFocus) {
  for (const Orbit& o : orbits) {
    Planet planet(o);
    const double T = planet.estimated_period();
    std::array<PathPoint, 60> places;
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = planet.at(3 * T * static_cast<double>(i) / 60);
    // In the plane of the first two places: |r| + e_x x + e_y y − p = 0, from three of them.
    const V h = cross(places[0].r, places[7].r), z = (1 / norm(h)) * h, x = (1 / norm(places[0].r)) * places[0].r,
            y = cross(z, x);
    std::array<std::array<double, 4>, 3> m;
    for (int i = 0; i < 3; ++i) {
      const V& r = places[static_cast<std::size_t>(7 * i)].r;
      m[static_cast<std::size_t>(i)] = {dot(r, x), dot(r, y), -1, -norm(r)};
    }
    const auto [e_x, e_y, p] = solve(m);
    double worst = 0, off_plane = 0;
    for (const PathPoint& at : places) {
      worst = std::max(worst, std::abs(norm(at.r) + e_x * dot(at.r, x) + e_y * dot(at.r, y) - p) / o.a);
      off_plane = std::max(off_plane, std::abs(dot(at.r, z)) / o.a);
    }
    std::printf("e = %.1f: found e = %.11f, p/a = %.11f; conic %.1e, plane %.1e\n", o.e, std::hypot(e_x, e_y), p / o.a,
                worst, off_plane);
    EXPECT_LE(worst, tolerance);
    EXPECT_LE(off_plane, tolerance);
    EXPECT_NEAR(std::hypot(e_x, e_y), o.e, tolerance);
    EXPECT_NEAR(p, o.a * (1 - o.e * o.e), o.a * tolerance);
  }
}

TEST(KeplersLaws, SecondEqualAreasInEqualTimes) {
  constexpr int records = 40;  // a turn
  for (const Orbit& o : orbits) {
    Planet planet(o);
    const double T = planet.estimated_period(), b = o.a * std::sqrt(1 - o.e * o.e), area = std::numbers::pi * o.a * b;
    V first;
    double worst_rate = 0, worst_area = 0, swept_before = 0;
    for (int i = 0; i <= 2 * records; ++i) {
      const PathPoint p = planet.at(T * i / records);
      const V rate = 0.5 * cross(p.r, p.v);
      if (i == 0) first = rate;
      worst_rate = std::max(worst_rate, norm(rate - first) / norm(first));
      const double E = std::atan2(dot(p.r, o.along) / b, dot(p.r, o.near) / o.a + o.e);
      const double swept = 0.5 * o.a * b * (E - o.e * std::sin(E));
      const double since = std::remainder(swept - swept_before - area / records, area);
      if (i > 0) worst_area = std::max(worst_area, std::abs(since) / area);
      swept_before = swept;
    }
    std::printf("e = %.1f: areas off by %.1e of the ellipse, rate by %.1e\n", o.e, worst_area, worst_rate);
    EXPECT_LE(worst_rate, tolerance);
    EXPECT_LE(worst_area, tolerance);
  }
}

TEST(KeplersLaws, ThirdSquaresOfPeriodsAsCubesOfAxes) {
  for (const Orbit& o : orbits) {
    Planet planet(o);
    const double near = norm(planet.at(0).r), half = planet.next_crossing(), far = norm(planet.at(half).r),
                 period = planet.next_crossing();
    const double a = (near + far) / 2, law = period * period / (a * a * a);
    std::printf("e = %.1f: a = %.11f m, T = %.11f s, T^2/a^3 = %.12f\n", o.e, a, period, law);
    EXPECT_NEAR(law * mu / (4 * std::numbers::pi * std::numbers::pi), 1, tolerance);
    EXPECT_NEAR(a, o.a, o.a * tolerance);
  }
}

// Where it is and when, against the closed form. An error in the period grows along the orbit, turn by turn, and counts most
// where the planet is fast.
TEST(KeplersLaws, AndTheClosedForm) {
  for (const Orbit& o : orbits) {
    Planet planet(o);
    const PathPoint start = planet.at(0);
    const KeplerOrbit orbit = KeplerOrbit::from_state(mu, start.r, start.v);
    double worst = 0;
    for (int i = 1; i <= 20; ++i) {
      const double t = planet.estimated_period() * i / 20, along = norm(orbit.at(t).v) / norm(start.v);
      worst = std::max(worst, norm(planet.at(t).r - orbit.at(t).r) / o.a / (1 + along * o.e / (1 - o.e)));
    }
    std::printf("e = %.1f: off by %.1e\n", o.e, worst);
    EXPECT_LE(worst, 5 * tolerance) << o.e;
  }
}

}  // namespace
}  // namespace marey
