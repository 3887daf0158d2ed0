// R (3.13), fig. 3.1: particles in the frame of two stars that go round each other, for a whole orbit.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "support/recorded.h"

namespace marey {
namespace two_stars_test {

using recorded::Memory;
using V = Vec3<double>;
const V left{-0.6, 0, 0}, right{0.4, 0, 0};

// Jacobi's integral, in the turning frame: what is kept there in the place of the energy.
double jacobi(const V& p, const V& v) {
  return 0.5 * norm_squared(v) - 0.5 * (p.x * p.x + p.y * p.y) - 0.4 / norm(p - left) - 0.6 / norm(p - right);
}

// Run once for all cases.
const Memory& whole_orbit() {
  static const Memory kept = [] {
    Memory m;
    m.summary = run(load_scene(MAREY_SOURCE_DIR "/gallery/two-stars-orbit.yaml"), m);
    return m;
  }();
  return kept;
}

// Of each of the 53 over the whole orbit. Chosen steps of 1e-10 in v of up to 4 m/s, ten thousand of them: below 1e-6 of
// energies of about 2.
TEST(TwoStars, EveryParticleKeepsJacobisIntegralForAWholeOrbit) {
  const Memory& m = whole_orbit();
  EXPECT_TRUE(m.summary.ledger.closed);
  EXPECT_NEAR(m.time(m.rows.size() - 1), 2 * std::numbers::pi, 0.02);
  int particles = 0;
  double worst = 0;
  for (const std::string& name : m.header.scene.model.names) {
    if (name.find('.') == std::string::npos || name.starts_with("star")) continue;
    const std::string base = "link/" + name;
    const double start = jacobi(m.vec(base + "/position", 0), m.vec(base + "/velocity", 0));
    for (std::size_t i = 0; i < m.rows.size(); ++i) {
      const double now = jacobi(m.vec(base + "/position", i), m.vec(base + "/velocity", i));
      worst = std::max(worst, std::abs(now - start));
      ASSERT_NEAR(now, start, 1e-6) << name << " at " << m.time(i);
    }
    ++particles;
  }
  std::printf("%d particles, Jacobi's integral kept to %.1e\n", particles, worst);
  EXPECT_EQ(particles, 53);
}

// What the scene says of them.
TEST(TwoStars, RingsStayTheFarOneGoesBackwardsAndL4DoesNotHold) {
  const Memory& m = whole_orbit();
  const std::size_t last = m.rows.size() - 1;
  double round = 0, away = 0;
  for (std::size_t i = 1; i <= last; ++i) {
    for (int k = 1; k <= 5; ++k)
      EXPECT_LT(norm(m.vec("link/near-left." + std::to_string(k) + "/position", i) - left), 0.25);
    for (int k = 1; k <= 6; ++k)
      EXPECT_LT(norm(m.vec("link/near-right." + std::to_string(k) + "/position", i) - right), 0.3);
    const V a = m.vec("link/around.1/position", i - 1), b = m.vec("link/around.1/position", i);
    round += std::remainder(std::atan2(b.y, b.x) - std::atan2(a.y, a.x), 2 * std::numbers::pi);
    away = std::max(away, norm(m.vec("link/L4.1-1/position", i) - m.vec("link/L4.1-1/position", 0)));
  }
  EXPECT_LT(round, -3);
  EXPECT_GT(away, 0.3);
}

// The two ways of 3.1.3 are "completely equivalent": stars that really go round, pull particles and each other, seen from
// where nothing turns; then turned into the frame. To the tolerance of 1e-11 times the growth of differences near a star.
TEST(TwoStars, TheTurningFrameShowsWhatTheInertialOneDoes) {
  const std::string solver =
      "duration: 6.283185307179586 s\ngravity: 0\nsolver: {integrator: rk45, tolerance: 1e-11}\nrecord: {every: 0.3 "
      "s}\n";
  struct Start {
    double x, y, u, v;  // in the turning frame
  };
  const Start starts[] = {{-0.1, 0.8, 0.05, 0}, {0.9, 0.5, 0, -0.4}, {-0.6, 0.2, 1.1, 0}, {1.7, 0.1, 0, -1}};
  std::string inside, outside;
  for (int i = 0; i < 4; ++i) {
    const Start& s = starts[i];
    const auto point = [&](double u, double v) {
      return "p" + std::to_string(i) + ": {position: [" + std::to_string(s.x) + ", " + std::to_string(s.y) +
             ", 0], velocity: [" + std::to_string(u) + ", " + std::to_string(v) + ", 0]}, ";
    };
    inside += point(s.u, s.v), outside += point(s.u - s.y, s.v + s.x);  // v + ω × r
  }
  const Memory turning = recorded::run_text(
      solver + "frame: {angular_velocity: [0, 0, 1]}\nparticles: {p: {mass: 1 g, points: {" + inside + "}}}\n" +
      "forces: [{attraction: {name: a, links: p.*, to: [-0.6, 0, 0], strength: 0.4}}, {attraction: {name: b, links: "
      "p.*, to: [0.4, 0, 0], strength: 0.6}}]\n");
  const Memory still =
      recorded::run_text(solver + "particles: {p: {mass: 1e-15 kg, points: {" + outside +
                         "}}, star: {mass: 1 kg, points: {a: {mass: 0.4 kg, position: [-0.6, 0, 0], "
                         "velocity: [0, -0.6, 0]}, b: {mass: 0.6 kg, position: [0.4, 0, 0], velocity: [0, 0.4, 0]}}}}\n"
                         "forces: [{attraction: {name: a, links: p.*, to: star.*, constant: 1}}, {attraction: {name: "
                         "b, links: star.*, constant: 1}}]\n");
  for (std::size_t k = 0; k < turning.rows.size(); ++k) {
    const double t = turning.time(k), c = std::cos(t), s = std::sin(t);
    const V a = still.vec("link/star.a/position", k);
    EXPECT_NEAR(a.x, -0.6 * c, 1e-8);
    for (int i = 0; i < 4; ++i) {
      const std::string name = "link/p.p" + std::to_string(i) + "/position";
      const V p = still.vec(name, k);
      EXPECT_LT(norm(V{c * p.x + s * p.y, c * p.y - s * p.x, 0} - turning.vec(name, k)), 1e-6) << i << " at " << t;
    }
  }
}

}  // namespace two_stars_test
}  // namespace marey
