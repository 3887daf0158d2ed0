// The impact of one point: closed forms, and an integration in ten thousands of small steps.
#include <gtest/gtest.h>

#include <cmath>

#include "contact_cases.h"

namespace {

using namespace marey;
using cases::law;
using cases::Random;
using cases::Rod;

std::vector<Rod> rods() {
  std::vector<Rod> list;
  for (const double angle : {0.05, 0.4, 0.9, 1.3, 1.8, 2.6}) list.push_back({2.5, 1.4, angle});
  return list;
}

// R (3.30) with c_x = 0: c_z = −2 ż_e / (1/M + r_x²/Θ).
TEST(ImpactRod, ElasticAndSmooth) {
  for (const Rod& rod : rods()) {
    const std::array<double, 3> u{-3, 1.2, 0.3};
    const auto A = rod.A();
    const auto r = cases::strike(A, u, {law(ImpactKind::smooth, 1, 0.7)});
    const double c_z = 6 / (1 / rod.mass + rod.r_x() * rod.r_x() / rod.inertia());
    EXPECT_NEAR(r.P[0], c_z, 1e-13 * c_z);
    EXPECT_EQ(r.P[1], 0);
    EXPECT_NEAR(r.u[0], 3, 1e-14);
    EXPECT_NEAR(r.work(), 0, 1e-14);
  }
}

// R (3.30), the other root: with c_z from (3.30b) as a function of c_x the energy (3.30c) is c_x (β + α c_x) = 0.
TEST(ImpactRod, ElasticAndRough) {
  int pulled = 0;
  for (const Rod& rod : rods()) {
    const double z = -3, x = 1.2;
    const double M = rod.mass, Q = rod.inertia(), rx = rod.r_x(), rz = rod.r_z();
    const double nn = 1 / M + rx * rx / Q, nt = -rx * rz / Q, tt = 1 / M + rz * rz / Q;
    // c_z = (−2 z − nt c_x)/nn makes ż_e⁺ = −ż_e; the work is then c_x (x + (nt c_z + tt c_x)/2).
    const double beta = x - nt * z / nn, alpha = 0.5 * (tt - nt * nt / nn);
    const double c_x = -beta / alpha, c_z = (-2 * z - nt * c_x) / nn;
    const std::array<double, 3> u{z, x, 0};
    const auto A = rod.A();
    const auto r = cases::strike(A, u, {law(ImpactKind::rough, 1, 0)});
    EXPECT_NEAR(r.work(), 0, 1e-13);
    if (c_z < 0) {
      ++pulled;
      EXPECT_TRUE(r.reports[0].course & course_rule_replaced);
      EXPECT_GE(r.P[0], 0);
      continue;
    }
    EXPECT_NEAR(r.P[0], c_z, 1e-12 * c_z);
    EXPECT_NEAR(r.P[1], c_x, 1e-12 * c_z);
    EXPECT_NEAR(r.u[1], -x, 1e-13);
    EXPECT_NEAR(r.u[0], -z, 1e-13);
    EXPECT_EQ(r.reports[0].course, course_none);
  }
  EXPECT_LT(pulled, 3);
}

// R (3.31): Δẋ_e = −ẋ_e, Δż_e = −ż_e; the energy lost is u A⁻¹ u / 2, here from the body's own velocities.
TEST(ImpactRod, Inelastic) {
  for (const Rod& rod : rods()) {
    const std::array<double, 3> u{-2, 0.4, 0};
    const auto A = rod.A();
    const auto r = cases::strike(A, u, {law(ImpactKind::stick, 0, 0)});
    EXPECT_NEAR(r.u[0], 0, 1e-14);
    EXPECT_NEAR(r.u[1], 0, 1e-14);
    // A rod without rotation before: velocity u at the end is that of the centre. After (3.29):
    const double M = rod.mass, Q = rod.inertia();
    const double x = u[1] + r.P[1] / M, z = u[0] + r.P[0] / M, w = (rod.r_x() * r.P[0] - rod.r_z() * r.P[1]) / Q;
    EXPECT_NEAR(x - rod.r_z() * w, 0, 1e-13);
    EXPECT_NEAR(z + rod.r_x() * w, 0, 1e-13);
    const double before = 0.5 * M * (u[0] * u[0] + u[1] * u[1]), after = 0.5 * (M * (x * x + z * z) + Q * w * w);
    EXPECT_NEAR(r.work(), after - before, 1e-13);
    EXPECT_LT(r.work(), 0);
  }
}

// Fast sliding and slow approach: the printed rule would need a floor that pulls.
TEST(ImpactRod, AFloorDoesNotPull) {
  const Rod rod{1, 1, 1.0};
  const auto A = rod.A();
  int replaced = 0;
  for (const double x : {-20.0, 20.0}) {
    for (const ImpactKind kind : {ImpactKind::rough, ImpactKind::stick}) {
      const auto r =
          cases::strike(A, std::array<double, 3>{-0.1, x, 0}, {law(kind, kind == ImpactKind::rough ? 1 : 0, 0)});
      EXPECT_TRUE(r.solved);
      EXPECT_GE(r.P[0], 0);
      EXPECT_LE(r.work(), 1e-14);
      replaced += (r.reports[0].course & course_rule_replaced) != 0;
    }
  }
  EXPECT_EQ(replaced, 2);  // one direction of sliding each
}

// A homogeneous sphere: A = diag(1, 7/2, 7/2)/m. Friction acts with μ P_n until the slip stops.
TEST(ImpactSphere, SlidesOrRolls) {
  const double m = 0.4;
  const std::array<double, 9> A{1 / m, 0, 0, 0, 3.5 / m, 0, 0, 0, 3.5 / m};
  for (const double mu : {0.05, 0.2, 0.9}) {
    for (const double e : {0.0, 0.6, 1.0}) {
      const std::array<double, 3> u{-2, 3, -4};
      for (const Hypothesis h : {Hypothesis::stronge, Hypothesis::poisson, Hypothesis::newton}) {
        const auto r = cases::strike(A, u, {law(ImpactKind::coulomb, e, mu, h)});
        const double P_n = m * 2 * (1 + e), slip = 5, stop = slip * m / 3.5;
        const double P_t = std::min(mu * P_n, stop);
        EXPECT_NEAR(r.u[0], 2 * e, 1e-14);
        EXPECT_NEAR(r.P[1], -P_t * 0.6, 1e-14);
        EXPECT_NEAR(r.P[2], P_t * 0.8, 1e-14);
        EXPECT_EQ((r.reports[0].course & course_stuck) != 0, mu * P_n > stop);
        const double lost = 0.5 * m * 4 * (1 - e * e) + P_t * slip - 0.5 * P_t * P_t * 3.5 / m;
        EXPECT_NEAR(r.work(), -lost, 1e-13);
      }
    }
  }
}

// A grain of dust and a mountain bounce alike: velocities do not know of masses.
TEST(ImpactSphere, OfAnyMassBouncesAlike) {
  const std::array<double, 3> u{-2, 3, -4};
  const auto strike = [&](double m, double mu) {
    // Not quite a sphere: the second direction along the floor moves more easily than the first, and with the normal.
    const std::array<double, 9> A{1 / m, 0.2 / m, 0.1 / m, 0.2 / m, 3.5 / m, 0.3 / m, 0.1 / m, 0.3 / m, 4 / m};
    return cases::strike(A, u, {law(ImpactKind::coulomb, 0.5, mu)});
  };
  for (const double mu : {0.1, 0.4, 2.0}) {
    const auto one = strike(1, mu);
    for (const double m : {1e-9, 1e9}) {
      const auto other = strike(m, mu);
      for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(other.u[k], one.u[k], 1e-12) << m << ", friction " << mu;
        EXPECT_NEAR(other.P[k] / m, one.P[k], 1e-12) << m << ", friction " << mu;
      }
    }
  }
}

// A superball: the spin makes it come back. Energy stays; the angular momentum about the contact does as well.
TEST(ImpactSphere, Superball) {
  const double m = 0.1;
  const std::array<double, 9> A{1 / m, 0, 0, 0, 3.5 / m, 0, 0, 0, 3.5 / m};
  const auto r = cases::strike(A, std::array<double, 3>{-2, 3, 0}, {law(ImpactKind::rough, 1, 0)});
  EXPECT_NEAR(r.u[0], 2, 1e-14);
  EXPECT_NEAR(r.u[1], -3, 1e-14);
  // Without spin before, the centre goes on at 3 (1 − 4/7): Garwin 1969.
  EXPECT_NEAR(3 + r.P[1] / m, 3 * (1 - 4.0 / 7), 1e-13);
  EXPECT_NEAR(r.work(), 0, 1e-14);
}

// ---- an independent integration, in small steps of p, of the definition of Routh's process
struct Fine {
  std::array<double, 3> P{}, u{};
};
Fine small_steps(std::span<const double> A, std::array<double, 3> u, double mu, double e, Hypothesis h, double dp) {
  Fine f;
  const double u_start = u[0];
  double taken = 0, given = 0, P_c = 0;
  bool restoring = false;
  for (int n = 0; n < 3000000; ++n) {
    double dt[2];
    const double w = std::hypot(u[1], u[2]);
    const double det = A[4] * A[8] - A[5] * A[5];
    // Sticks if an impulse within the cone can stop the slip within this step.
    double s1 = -(A[8] * (u[1] + A[3] * dp) - A[5] * (u[2] + A[6] * dp)) / det,
           s2 = -(A[4] * (u[2] + A[6] * dp) - A[5] * (u[1] + A[3] * dp)) / det;
    if (std::hypot(s1, s2) <= mu * dp) {
      dt[0] = s1, dt[1] = s2;
    } else if (w > 50 * mu * dp * (A[4] + A[8])) {
      // midpoint
      const double m1 = u[1] + 0.5 * dp * (A[3] - mu * (A[4] * u[1] + A[5] * u[2]) / w),
                   m2 = u[2] + 0.5 * dp * (A[6] - mu * (A[7] * u[1] + A[8] * u[2]) / w), wm = std::hypot(m1, m2);
      dt[0] = -mu * dp * m1 / wm, dt[1] = -mu * dp * m2 / wm;
    } else {
      // Close to rest: the direction of the slip at the end of the step, by iteration.
      double c1 = s1, c2 = s2;
      for (int k = 0; k < 200; ++k) {
        const double l = std::hypot(c1, c2);
        const double p1 = mu * dp * c1 / l, p2 = mu * dp * c2 / l, rho = 1 / (A[4] + A[8]);
        const double v1 = u[1] + A[3] * dp + A[4] * p1 + A[5] * p2, v2 = u[2] + A[6] * dp + A[7] * p1 + A[8] * p2;
        c1 = p1 - rho * v1, c2 = p2 - rho * v2;
      }
      const double l = std::hypot(c1, c2);
      dt[0] = mu * dp * c1 / l, dt[1] = mu * dp * c2 / l;
    }
    const double before = u[0];
    f.P[0] += dp, f.P[1] += dt[0], f.P[2] += dt[1];
    for (std::size_t i = 0; i < 3; ++i) u[i] += A[3 * i] * dp + A[3 * i + 1] * dt[0] + A[3 * i + 2] * dt[1];
    const double W = 0.5 * (before + u[0]) * dp;
    restoring = restoring || u[0] >= 0;
    (W < 0 ? taken : given) += std::abs(W);
    if (!restoring) P_c += dp;
    if (!restoring) continue;
    if (h == Hypothesis::stronge && given >= e * e * taken) break;
    if (h == Hypothesis::poisson && f.P[0] >= (1 + e) * P_c) break;
    if (h == Hypothesis::newton && u[0] >= -e * u_start) break;
  }
  f.u = u;
  return f;
}

TEST(ImpactPoint, AgreesWithSmallSteps) {
  Random random(7);
  unsigned seen = 0;
  for (int i = 0; i < 60; ++i) {
    const auto A = cases::random_body(random, 1);
    std::array<double, 3> u{-random.between(0.5, 2), random.normal(), random.normal()};
    if (i % 4 == 0) u[1] *= 0.1, u[2] *= 0.1;
    const double mu = random.between(0.05, 1.5), e = random.uniform();
    const auto h = static_cast<Hypothesis>(i % 3);
    const auto r = cases::strike(A, u, {law(ImpactKind::coulomb, e, mu, h)});
    ASSERT_TRUE(r.solved);
    if (r.reports[0].course & course_rule_replaced) continue;
    seen |= r.reports[0].course;
    const double steps = 2e4;
    const Fine f = small_steps(A, u, mu, e, h, r.P[0] / steps);
    const double size = std::hypot(u[0], std::hypot(u[1], u[2]));
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(r.u[k], f.u[k], 20 / steps * size * (1 + mu)) << i << ' ' << k << " mu " << mu << " e " << e;
  }
  EXPECT_EQ(seen, course_slid | course_stopped | course_stuck | course_reversed);
}

// No body, no friction, no e creates energy; the floor pushes; friction stays in its cone; the point leaves.
TEST(ImpactPoint, NeverCreatesEnergy) {
#ifdef __SANITIZE_ADDRESS__
  constexpr int tries = 2000;
#else
  constexpr int tries = 20000;
#endif
  Random random(11);
  int replaced = 0, recompressed = 0;
  for (int i = 0; i < tries; ++i) {
    const auto A = i % 2 ? cases::random_body(random, 1) : cases::random_matrix(random, 1, 3);
    const std::array<double, 3> u{-random.between(0.01, 2), 2 * random.normal(),
                                  random.chance(0.3) ? 0 : random.normal()};
    const double mu = random.chance(0.1) ? 0 : std::exp(random.between(-4, 2));
    const double e = random.chance(0.2) ? 1 : random.uniform();
    const auto kind = static_cast<ImpactKind>(random.below(4));
    const auto h = static_cast<Hypothesis>(random.below(3));
    const auto r = cases::strike(A, u, {law(kind, e, mu, h)});
    ASSERT_TRUE(r.solved) << i;
    const double size = r.P[0] * std::abs(u[0]) + std::hypot(r.P[1], r.P[2]) * std::hypot(u[1], u[2]);
    EXPECT_LE(r.work(), 1e-12 * size) << i;
    EXPECT_GE(r.P[0], 0);
    EXPECT_GE(r.u[0], -1e-10 * std::hypot(u[0], std::hypot(u[1], u[2]))) << i;
    replaced += (r.reports[0].course & course_rule_replaced) != 0;
    recompressed += (r.reports[0].course & course_recompressed) != 0;
    const bool holds = kind == ImpactKind::rough || kind == ImpactKind::stick;
    if (!holds || r.reports[0].course & course_rule_replaced) {
      EXPECT_LE(std::hypot(r.P[1], r.P[2]), mu * r.P[0] * (1 + 1e-12) + 1e-13) << i;
    }
    // The work is the change of energy: u A⁻¹ u / 2 before and after, whatever the system.
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(r.u[k], u[k] + A[3 * k] * r.P[0] + A[3 * k + 1] * r.P[1] + A[3 * k + 2] * r.P[2], 1e-12 * (1 + size));
  }
  EXPECT_GT(replaced, tries / 200);
  std::printf("of %d: %d rules replaced, %d compressed twice\n", tries, replaced, recompressed);
}

// H (9)(11): Newton's e with sticking, as printed, gives a uniform rod up to half its energy again. Detected.
TEST(ImpactPoint, NewtonWithStickingCreatesEnergy) {
  double most = 0;
  int created = 0, of = 0;
  for (double angle = 0.02; angle < 3.14; angle += 0.02) {
    for (double direction = -1.5; direction < 1.55; direction += 0.05) {
      const Rod rod{1, 1, angle};
      const auto A = rod.A();
      const std::array<double, 3> u{-std::cos(direction), std::sin(direction), 0};
      const double det = A[0] * A[4] - A[1] * A[1], e = 1;
      // As printed: u⁺ = (−e u_n, 0).
      const double d_n = -(1 + e) * u[0], d_t = -u[1];
      const double P_n = (A[4] * d_n - A[1] * d_t) / det, P_t = (A[0] * d_t - A[1] * d_n) / det;
      if (P_n < 0) continue;
      const double work = 0.5 * (P_n * (u[0] - e * u[0]) + P_t * u[1]);
      // The energy the rod must have for this: at least u A⁻¹ u / 2, when it has no motion beside that.
      const double energy = 0.5 * (A[4] * u[0] * u[0] - 2 * A[1] * u[0] * u[1] + A[0] * u[1] * u[1]) / det;
      most = std::max(most, work / energy);
      const auto r = cases::strike(A, u, {law(ImpactKind::stick, e, 0.5, Hypothesis::newton)});
      EXPECT_EQ((r.reports[0].course & course_rule_replaced) != 0, work > 1e-12 * energy) << angle << ' ' << direction;
      EXPECT_LE(r.work(), 1e-12);
      created += work > 0, ++of;
    }
  }
  std::printf("as printed: up to +%.0f %% energy; %d of %d cases\n", 100 * most, created, of);
  EXPECT_GT(most, 0.3);
}

// A mechanism that cannot move across its plane: A has a zero row.
TEST(ImpactPoint, PlanarMechanism) {
  const Rod rod{1, 1, 1.1};
  auto A = rod.A();
  const auto full = cases::strike(A, std::array<double, 3>{-1, 0.3, 0}, {law(ImpactKind::coulomb, 0.5, 0.4)});
  A[8] = 0;
  const auto flat = cases::strike(A, std::array<double, 3>{-1, 0.3, 0}, {law(ImpactKind::coulomb, 0.5, 0.4)});
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(flat.P[k], full.P[k], 1e-14);
  const auto held = cases::strike(A, std::array<double, 3>{-1, 0.3, 0}, {law(ImpactKind::stick, 0, 0)});
  EXPECT_NEAR(held.u[0], 0, 1e-14);
  EXPECT_NEAR(held.u[1], 0, 1e-14);
}

}  // namespace
