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

}  // namespace turning_slip_test
}  // namespace marey
