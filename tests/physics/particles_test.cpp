// Particles against motions known in closed form, and a moving frame against the world seen from outside.
//
// Kepler, G M = 1: r·v from E with M = t/√a³ = E − e sin E, x = a (cos E − e), y = a √(1 − e²) sin E  (1)
// Throw with linear drag, c/m = k:  v = v₀ e^{−kt} + (g/k)(1 − e^{−kt})  (2)
// Fall with quadratic drag:  v = w tanh(g t/w), w² = m g/c  (3)
// Two masses on a spring: their distance swings with ω² = k (1/m₁ + 1/m₂)  (4)
// Frame that turns by θ(t) about z, its origin at X(t):  p_inertial = X + R(θ) p_frame, R_inertial = R(θ) R_frame  (5)
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "marey/io/scene.h"

namespace marey {
namespace particles_test {

struct Memory : Sink {
  MotionHeader header;
  std::vector<std::vector<double>> rows;
  void begin(const MotionHeader& h) override { header = h; }
  void frame(std::span<const double> row) override { rows.emplace_back(row.begin(), row.end()); }
  void checkpoint(const Checkpoint&) override {}
  void finish(const std::string&) override {}

  // A channel's numbers in one frame.
  std::span<const double> at(const std::string& channel, std::size_t frame) const {
    std::size_t begin = 0;
    for (const Channel& c : header.channels) {
      if (c.name == channel) return std::span(rows[frame]).subspan(begin, c.columns.size());
      begin += c.columns.size();
    }
    throw std::runtime_error("no channel " + channel);
  }
  Vec3<double> vec(const std::string& channel, std::size_t frame) const {
    const auto x = at(channel, frame);
    return {x[0], x[1], x[2]};
  }
  double number(const std::string& channel, std::size_t frame) const { return at(channel, frame)[0]; }
};

Memory run_text(const std::string& text) {
  Memory memory;
  const RunSummary s = run(parse_scene("marey: 1\n" + text, "test.yaml"), memory);
  EXPECT_EQ(s.breakdown, "");
  EXPECT_TRUE(s.ledger.closed);
  EXPECT_LE(s.ledger.energy_residual_relative, 1e-8);
  EXPECT_LE(s.ledger.angular_momentum_residual_relative, 1e-8);
  return memory;
}

TEST(ParticleMotion, KeplersThreeLaws) {
  // a = 1, e = 0.6, from the near end: r = 0.4, v = 2; one period of 2π. Another with a = 4^(1/3) has half of its own.
  const Memory m = run_text(R"(duration: 6.283185307179586
gravity: 0
solver: {integrator: rk4, step: 0.0002617993877991494}
record: {every: 0.15707963267948966}
particles:
  p:
    mass: 3 kg
    points:
      a: {position: [0.4, 0, 0], velocity: [0, 2, 0]}
      b: {position: [1.5874010519681994, 0, 0], velocity: [0, 0, 0.7937005259840998]}
forces: [{attraction: {links: p.*, to: [0, 0, 0], strength: 1}}]
)");
  ASSERT_EQ(m.rows.size(), 41u);
  const double e = 0.6, b = 0.8;
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    const double t = m.number("time", i);
    double E = t;
    for (int round = 0; round < 60; ++round) E -= (E - e * std::sin(E) - t) / (1 - e * std::cos(E));
    const Vec3<double> p = m.vec("link/p.a/position", i), v = m.vec("link/p.a/velocity", i);
    EXPECT_LE(norm(p - Vec3<double>{std::cos(E) - e, b * std::sin(E), 0}), 1e-10) << t;  // (1)
    EXPECT_NEAR(norm(p) + norm(p + Vec3<double>{2 * e, 0, 0}), 2, 1e-10);                // first: an ellipse
    EXPECT_NEAR(0.5 * cross(p, v).z, 0.4, 1e-10);                                        // second: equal areas
    const Vec3<double> acceleration = m.vec("link/p.a/acceleration", i);
    EXPECT_LE(norm(acceleration + (1 / std::pow(norm(p), 3)) * p), 1e-9);
    EXPECT_NEAR(m.number("link/p.a/tangential_acceleration", i), dot(acceleration, v) / norm(v), 1e-12);
    EXPECT_NEAR(
        std::hypot(m.number("link/p.a/tangential_acceleration", i), m.number("link/p.a/normal_acceleration", i)),
        norm(acceleration), 1e-12);
  }
  EXPECT_LE(norm(m.vec("link/p.a/position", 40) - m.vec("link/p.a/position", 0)), 1e-10);  // third
  EXPECT_LE(norm(m.vec("link/p.b/position", 40) + m.vec("link/p.b/position", 0)), 1e-10);
}

// Two stars of 3 and 1 kg, 2 m apart, go round their common centre with ω² = G (m₁ + m₂)/d³ = 1.
TEST(ParticleMotion, TwoStarsGoRoundTheirCentre) {
  const Memory m = run_text(R"(duration: 3.141592653589793
gravity: 0
solver: {integrator: rk4, step: 0.001}
record: {every: 3.141592653589793}
particles:
  star:
    points:
      heavy: {mass: 3 kg, position: [0.5, 0, 0], velocity: [0, 0.5, 0]}
      light: {mass: 1 kg, position: [-1.5, 0, 0], velocity: [0, -1.5, 0]}
forces: [{attraction: {links: star.*, constant: 2 m^3/(kg s^2)}}]
)");
  ASSERT_EQ(m.rows.size(), 2u);
  EXPECT_LE(norm(m.vec("link/star.heavy/position", 1) - Vec3<double>{-0.5, 0, 0}), 1e-10);
  EXPECT_LE(norm(m.vec("link/star.light/position", 1) - Vec3<double>{1.5, 0, 0}), 1e-10);
}

TEST(ParticleMotion, AThrowThroughAir) {
  const Memory m = run_text(R"(duration: 2
gravity: 10
solver: {integrator: rk4, step: 0.001}
record: {every: 0.5}
particles:
  p:
    mass: 0.5 kg
    points:
      thrown: {position: [0, 0, 0], velocity: [3, -1, 8]}
      dropped: {position: [1, 0, 0]}
forces:
  - drag: {links: p.thrown, linear: 0.3 N s/m}
  - drag: {links: p.dropped, quadratic: 0.2 N s^2/m^2}
)");
  const double k = 0.6, w = std::sqrt(0.5 * 10 / 0.2);
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    const double t = m.number("time", i), fade = std::exp(-k * t);
    const Vec3<double> v = fade * Vec3<double>{3, -1, 8} + ((1 - fade) / k) * Vec3<double>{0, 0, -10};  // (2)
    EXPECT_LE(norm(m.vec("link/p.thrown/velocity", i) - v), 1e-10);
    EXPECT_NEAR(m.vec("link/p.dropped/velocity", i).z, -w * std::tanh(10 * t / w), 1e-10);  // (3)
  }
  // At rest it is about to leave along its acceleration: all of that is tangential.
  EXPECT_DOUBLE_EQ(m.number("link/p.dropped/tangential_acceleration", 0), 10);
  EXPECT_EQ(m.number("link/p.dropped/normal_acceleration", 0), 0);
}

TEST(ParticleMotion, TwoMassesOnASpring) {
  const Memory m = run_text(R"(duration: 1
gravity: 0
solver: {integrator: rk4, step: 0.0005}
record: {every: 0.1}
particles:
  p:
    points: [{mass: 2 kg, position: [0, 0, 0]}, {mass: 0.5 kg, position: [0, 0.6, 0.8]}]
forces: [{spring: {link: p.1, to: p.2, stiffness: 20 N/m, rest: 0.7 m}}]
)");
  const double omega = std::sqrt(20 * (1 / 2.0 + 1 / 0.5));
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    const Vec3<double> a = m.vec("link/p.1/position", i), b = m.vec("link/p.2/position", i);
    EXPECT_NEAR(norm(b - a), 0.7 + 0.3 * std::cos(omega * m.number("time", i)), 1e-10);  // (4)
    EXPECT_LE(norm(2.0 * a + 0.5 * b - Vec3<double>{0, 0.3, 0.4}), 1e-12);
  }
}

// A field given by its force, and the same by its potential: one motion.
TEST(ParticleMotion, AFieldByForceOrByPotential) {
  const auto scene = [](const std::string& field) {
    return run_text(
        "duration: 2\ngravity: 0\nsolver: {integrator: rk4, step: 0.001}\nrecord: {every: 1}\n"
        "particles: {p: {mass: 2 kg, points: [{position: [1, 0.5, 0], velocity: [0, 1, 0.3]}]}}\n"
        "forces: [{field: {links: p.1, constants: {k: 3}, " +
        field + "}}]\n");
  };
  const Memory a = scene("force: ['-m*k*x + sin(t)', '-2*y^3', '-k*x*y']"),
               b = scene("force: ['-m*k*x + sin(t)', '-2*y^3', '-k']"),
               c = scene("potential: 'm*k*x^2/2 - x*sin(t) + y^4/2 + k*z'");
  EXPECT_LE(norm(b.vec("link/p.1/position", 2) - c.vec("link/p.1/position", 2)), 1e-12);
  EXPECT_GE(norm(a.vec("link/p.1/position", 2) - c.vec("link/p.1/position", 2)), 1e-3);
}

// A figure with a swinging arm, a loose head and a particle on a spring; `frame` and the start of its root differ.
std::string tumbler(const std::string& frame, const std::string& root, const std::string& particle) {
  return "duration: 2\ngravity: 0\nsolver: {integrator: rk4, step: 0.001}\nrecord: {every: 0.5}\n" + frame + R"(
figures:
  f:
    links:
      trunk: {shape: {box: [20 cm, 30 cm, 50 cm]}, mass: 4 kg, start: )" +
         root + R"(}
      arm: {parent: trunk, joint: {type: hinge, axis: [1, 1, 0]}, at: [0, 15 cm, 20 cm], shape: {capsule: {radius: 4 cm, length: 40 cm, along: y}}, mass: 1 kg, start: {rate: 3}}
      head: {parent: trunk, joint: ball, at: [0, 0, 25 cm], shape: {ellipsoid: {radii: [8 cm, 9 cm, 12 cm], along: z}}, mass: 2 kg, start: {spin: [1, -2, 3]}}
      bead: {parent: arm, joint: point, at: [0, 20 cm, 0], mass: 300 g, start: {position: [5 cm, 0, 0], velocity: [0, 0, 1]}}
particles: {p: {mass: 0.7 kg, points: [)" +
         particle + R"(]}}
forces:
  - spring: {link: f.trunk, point: [0, 0, -25 cm], to: p.1, stiffness: 30 N/m}
  - spring: {link: f.bead, to: f.arm, to_point: [0, 20 cm, 0], stiffness: 80 N/m, rest: 0, damping: 0.5 N s/m}
)";
}

TEST(ParticleMotion, AMovingFrameIsTheWorldSeenFromOutside) {
  // ω = (0, 0, 0.8 + 0.5 t), the origin accelerated by (1.5, 0, −0.4) in inertial axes.
  const Memory inside = run_text(tumbler(
      "frame: {angular_velocity: [0, 0, 0.8], angular_acceleration: [0, 0, 0.5], constants: {A: 1.5}, acceleration: "
      "['A*cos(0.8*t + 0.25*t^2)', '-A*sin(0.8*t + 0.25*t^2)', '-0.4']}",
      "{position: [0.3, -0.2, 0.1], velocity: [0.2, 0.1, 0], spin: [0.4, -1, 0.2]}",
      "{position: [0.5, 0, -0.5], velocity: [0, 0.3, 0]}"));
  // v + ω × p and spin + ω at the start
  const Memory outside =
      run_text(tumbler("", "{position: [0.3, -0.2, 0.1], velocity: [0.36, 0.34, 0], spin: [0.4, -1, 1]}",
                       "{position: [0.5, 0, -0.5], velocity: [0, 0.7, 0]}"));
  for (std::size_t i = 0; i < inside.rows.size(); ++i) {
    const double t = inside.number("time", i), angle = 0.8 * t + 0.25 * t * t;
    const Mat3<double> R = rotation_about(Vec3<double>{0, 0, 1}, angle);
    const Vec3<double> X = (0.5 * t * t) * Vec3<double>{1.5, 0, -0.4};
    for (const char* link : {"f.trunk", "f.arm", "f.head", "f.bead", "p.1"}) {
      const std::string base = std::string("link/") + link;
      const Vec3<double> seen = X + R * inside.vec(base + "/position", i);  // (5)
      EXPECT_LE(norm(seen - outside.vec(base + "/position", i)), 1e-9) << link << " at " << t;
      if (std::string(link) == "p.1") continue;
      const auto a = inside.at(base + "/orientation", i), b = outside.at(base + "/orientation", i);
      const Quaternion<double> turned =
          quaternion_about(Vec3<double>{0, 0, 1}, angle) * Quaternion<double>{a[0], a[1], a[2], a[3]};
      const double same = turned.w * b[0] + turned.x * b[1] + turned.y * b[2] + turned.z * b[3];
      EXPECT_NEAR(std::abs(same), 1, 1e-12) << link << " at " << t;
    }
  }
}

}  // namespace particles_test
}  // namespace marey
