// A point slides across a slope and is turned downhill: friction turns with it, the faster the slower it is.
//
// With gravity g∥ along the plane, g⊥ into it, k = μ g⊥/g∥ and ψ the angle from downhill to the velocity,
//   u̇ = g∥ (cos ψ − k),   u ψ̇ = −g∥ sin ψ,   so that   u sin ψ / tan(ψ/2)^k   is constant.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "support/recorded.h"

namespace marey {
namespace turning_slip_test {

constexpr double along = 5, into = 8;  // m/s²

// How far the constant is from that of the start, after one step of 4 ms.
double missed_by(double speed, double mu) {
  const recorded::Memory m = recorded::run_text(
      fmt::format("duration: 40 ms\ngravity: [{}, 0, {}]\nrecord: {{every: 4 ms}}\nsolver: {{integrator: rk4, step: 4 "
                  "ms}}\nfigures: {{p: {{links: {{b: {{shape: {{sphere: 1 cm}}, mass: 1 kg, start: {{velocity: [0, {}, "
                  "0]}}}}}}}}}}\ncontacts: [{{link: p.b, at: [0, 0, 0], friction: {}}}]\n",
                  along, -into, speed, mu));
  EXPECT_TRUE(m.summary.ledger.closed) << speed;
  const Vec3<double> v = m.vec("link/p.b/velocity", 1);
  const double psi = std::atan2(v.y, v.x), k = mu * into / along;
  return std::hypot(v.x, v.y) * std::sin(psi) / std::pow(std::tan(0.5 * psi), k) / speed - 1;
}

// A slip of 1 mm/s turns with 5,000 rad/s. Without an end of the step on the way the constant was 58 % off.
TEST(TurningSlip, StepsEndWhereItTurns) {
  for (const double speed : {0.1, 0.01, 0.003, 0.001}) {
    const double missed = missed_by(speed, 0.3);
    std::printf("%g m/s: off by %.1e\n", speed, missed);
    EXPECT_LE(std::abs(missed), 1e-2) << speed;
  }
}

// A box on four corners is pushed below its centre by a force r t that ends to grow at f: it slips from t₀ = μ m g/r on, when u and its rate
// are 0 at all corners, straight ahead, and with friction μ m g altogether. With t₁ = f/r, m = 1 kg:
//   x = r (t₁ − t₀)³/6 + ½ r (t₁ − t₀)² (t − t₁) + ½ (f − μ g) (t − t₁)².
// Friction that is constant over τ ≤ 1 ms gives u of its end; until the slip is fast, within a few τ, x is off by no more than ½ r (2 τ)² (t − t₀).
TEST(TurningSlip, SeveralPointsBreakAwayStraightUnderFixedSteps) {
  constexpr double r = 14, f = 7.2, mu = 0.7, g = 9.81, t = 0.7, tau = 1e-3;
  constexpr double t0 = mu * g / r, t1 = f / r, d = t1 - t0, e = t - t1;
  constexpr double expected = r * d * d * d / 6 + 0.5 * r * d * d * e + 0.5 * (f - mu * g) * e * e;
  for (const char* method : {"rk4, step: 5 ms", "rk4, step: 2 ms", "rk4, step: 1 ms"}) {
    const recorded::Memory m = recorded::run_text(fmt::format(
        "duration: {}\nrecord: {{every: 100 ms}}\nsolver: {{integrator: {}}}\nfigures: {{box: {{links: {{b: {{shape: "
        "{{box: [30 cm, 20 cm, 16 cm]}}, mass: 1 kg, start: {{position: [0, 0, 8 cm]}}}}}}}}}}\ncontacts: [{{link: "
        "box.b, "
        "at: corners, friction: {}}}]\nforces: [push: {{link: box.b, point: [0, 0, -5 cm], force: ['min({}*t, {})', 0, "
        "0]}}]\n",
        t, method, mu, r, f));
    const Vec3<double> x = m.vec("link/box.b/position", m.rows.size() - 1);
    std::printf("%s: %.6f mm, expected %.6f\n", method, 1e3 * x.x, 1e3 * expected);
    EXPECT_NEAR(x.x, expected, 2 * r * tau * tau * (t - t0)) << method;
    EXPECT_NEAR(x.y, 0, 1e-9) << method;
  }
}

}  // namespace turning_slip_test
}  // namespace marey
