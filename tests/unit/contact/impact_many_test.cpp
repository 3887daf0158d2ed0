// Impact of several contacts at once.
#include <gtest/gtest.h>

#include <cmath>

#include "contact_cases.h"

namespace {

using namespace marey;
using cases::law;
using cases::Random;

struct Box {
  double m = 2, a = 0.5, b = 0.3, h = 0.4;  // half lengths
  Sym3<double> J() const {
    return Sym3<double>::diagonal(m / 3 * (b * b + h * h), m / 3 * (a * a + h * h), m / 3 * (a * a + b * b));
  }
  std::vector<double> four_corners() const {
    return cases::free_body(m, J(), {{a, b, -h}, {-a, b, -h}, {-a, -b, -h}, {a, -b, -h}});
  }
};

// A box lands flat: four corners for three freedoms. All share, it rises with e times its speed.
TEST(ImpactOfABox, LandsFlat) {
  const Box box;
  const auto A = box.four_corners();
  for (const double e : {0.0, 0.5, 1.0}) {
    for (const Hypothesis h : {Hypothesis::stronge, Hypothesis::poisson, Hypothesis::newton}) {
      for (const double mu : {0.0, 0.3}) {
        std::vector<double> u(12, 0.0);
        for (std::size_t i = 0; i < 4; ++i) u[3 * i] = -1.5;
        const auto r = cases::strike(A, u, std::vector<ImpulseLaw>(4, law(ImpactKind::coulomb, e, mu, h)));
        ASSERT_TRUE(r.solved);
        for (std::size_t i = 0; i < 4; ++i) {
          EXPECT_NEAR(r.u[3 * i], 1.5 * e, 1e-13);
          EXPECT_NEAR(r.P[3 * i], box.m * 1.5 * (1 + e) / 4, 1e-13);
          EXPECT_NEAR(std::hypot(r.P[3 * i + 1], r.P[3 * i + 2]), 0, 1e-13);
          EXPECT_EQ(r.reports[i].course, course_simultaneous);
        }
        EXPECT_NEAR(r.work(), -0.5 * box.m * 1.5 * 1.5 * (1 - e * e), 1e-13);
      }
    }
  }
}

// It lands flat and slides: the corners brake it, the front ones are pressed harder. Sum of forces and moments as a
// rigid box must have: horizontal velocity changes by −μ P/m while it slides.
TEST(ImpactOfABox, LandsFlatAndSlides) {
  const Box box;
  const auto A = box.four_corners();
  const double mu = 0.2;
  std::vector<double> u(12, 0.0);
  for (std::size_t i = 0; i < 4; ++i) u[3 * i] = -1.0, u[3 * i + 1] = 4.0;
  const auto r = cases::strike(A, u, std::vector<ImpulseLaw>(4, law(ImpactKind::coulomb, 0, mu)));
  double P_n = 0, P_t = 0, moment = 0;
  const double x[4] = {box.a, -box.a, -box.a, box.a};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(r.u[3 * i], 0, 1e-13);
    EXPECT_NEAR(r.P[3 * i + 1], -mu * r.P[3 * i], 1e-13);
    P_n += r.P[3 * i], P_t += r.P[3 * i + 1];
    moment += -x[i] * r.P[3 * i] - box.h * r.P[3 * i + 1];  // about y
  }
  EXPECT_NEAR(P_n, box.m, 1e-13);
  EXPECT_NEAR(P_t, -mu * box.m, 1e-13);
  EXPECT_NEAR(moment, 0, 1e-13);
  EXPECT_GT(r.P[0], r.P[3]);
}

// Housner 1963: a slender block that rocks from one edge to the other. The old edge lets go, and the angular velocity
// falls by 1 − (3/2) sin²α, with tan α = half width / half height.
TEST(ImpactOfABox, RocksFromEdgeToEdge) {
  const double a = 0.2, h = 1.0, m = 3;
  const auto J = Sym3<double>::diagonal(m / 3 * (1 + h * h), m / 3 * (a * a + h * h), m / 3 * (a * a + 1));
  const auto A = cases::free_body(m, J, {{a, 0, -h}, {-a, 0, -h}});
  const double w = 0.7;  // about y: the right edge stays, the left one comes down: rotation with −w about y
  const std::vector<double> u{0, 0, 0, -2 * a * w, 0, 0};
  const auto r = cases::strike(A, u, std::vector<ImpulseLaw>(2, law(ImpactKind::coulomb, 0, 5)));
  ASSERT_TRUE(r.solved);
  const double sin2 = a * a / (a * a + h * h);
  EXPECT_NEAR(r.P[0], 0, 1e-14);
  EXPECT_NEAR(r.u[3], 0, 1e-14);
  EXPECT_NEAR(r.u[4], 0, 1e-14);
  EXPECT_NEAR(r.u[0], 2 * a * w * (1 - 1.5 * sin2), 1e-13);
}

// Contacts that do not influence each other are single contacts.
TEST(ImpactOfSeveral, SeparateBodiesAreSeparate) {
  Random random(3);
  const auto A1 = cases::random_body(random, 1), A2 = cases::random_body(random, 1);
  std::vector<double> A(36, 0.0);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) A[i * 6 + j] = A1[3 * i + j], A[(i + 3) * 6 + j + 3] = A2[3 * i + j];
  const std::vector<double> u{-1, 0.5, 0.2, -0.3, 1, -2};
  const auto l1 = law(ImpactKind::coulomb, 0.5, 0.3), l2 = law(ImpactKind::coulomb, 0.9, 0.8, Hypothesis::poisson);
  const auto both = cases::strike(A, u, {l1, l2});
  const auto one = cases::strike(A1, std::span(u).first(3), {l1}), two = cases::strike(A2, std::span(u).last(3), {l2});
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(both.P[k], one.P[k]);
    EXPECT_EQ(both.P[k + 3], two.P[k]);
  }
  EXPECT_EQ(both.reports[1].course, two.reports[0].course);
  // One that separates is not struck.
  const auto gone = cases::strike(A, std::vector<double>{-1, 0.5, 0.2, 0.3, 1, -2}, {l1, l2});
  EXPECT_EQ(gone.P[3], 0);
  EXPECT_EQ(gone.reports[1].course, course_none);
}

// Without friction, equal e: 0 ≤ u⁺ + e u⁻ ⊥ P ≥ 0 on every contact (Moreau), and energy is kept by e = 1.
TEST(ImpactOfSeveral, FrictionlessIsMoreaus) {
  Random random(5);
  for (int i = 0; i < 300; ++i) {
    const int m = 2 + i % 3;
    const auto A = cases::random_body(random, m);
    auto u = cases::random_vector(random, static_cast<std::size_t>(3 * m));
    for (int k = 0; k < m; ++k) u[static_cast<std::size_t>(3 * k)] = -std::abs(u[static_cast<std::size_t>(3 * k)]);
    const double e = i % 2 ? 1 : 0;
    const auto r =
        cases::strike(A, u, std::vector<ImpulseLaw>(static_cast<std::size_t>(m), law(ImpactKind::smooth, e, 0.5)));
    ASSERT_TRUE(r.solved);
    if (e == 1) {
      EXPECT_NEAR(r.work(), 0, 1e-11) << i;
    }
    for (int k = 0; k < m; ++k) {
      const std::size_t n = static_cast<std::size_t>(3 * k);
      EXPECT_GE(r.P[n], -1e-12);
      EXPECT_GE(r.u[n], -1e-11);
      if (e == 0) {
        EXPECT_NEAR(r.P[n] * r.u[n], 0, 1e-11);
      }
    }
  }
}

// Any bodies, any laws: no energy is created, floors push, friction stays in its cone, nothing goes on approaching.
TEST(ImpactOfSeveral, NeverCreatesEnergy) {
  Random random(17);
  int by_one = 0, replaced = 0;
  for (int i = 0; i < 1000; ++i) {
    const int m = 2 + random.below(3);
    const std::size_t n = static_cast<std::size_t>(3 * m);
    const bool redundant = i % 3 == 0;
    const auto A = i % 3 == 1 ? cases::random_body(random, m)
                              : cases::random_matrix(random, m, redundant ? 3 + random.below(3) : 3 * m);
    const auto u = cases::in_range(A, cases::random_vector(random, n));
    std::vector<ImpulseLaw> laws;
    const auto h = static_cast<Hypothesis>(random.below(3));
    for (int k = 0; k < m; ++k) {
      const ImpactKind kind = random.chance(0.1) ? static_cast<ImpactKind>(random.below(4)) : ImpactKind::coulomb;
      const double e = random.uniform(), mu = random.chance(0.2) ? 0 : std::exp(random.between(-3, 1));
      laws.push_back(law(kind, e, mu, h));
    }
    const auto r = cases::strike(A, u, laws);
    double size = 0, fast = 0, most = 0;
    for (std::size_t k = 0; k < n; ++k)
      size += std::abs(r.P[k] * u[k]), fast = std::max(fast, std::abs(u[k])), most = std::max(most, std::abs(r.P[k]));
    ASSERT_TRUE(r.solved) << i;
    EXPECT_LE(r.work(), 1e-11 * size) << i;
    bool struck = false;
    for (int k = 0; k < m; ++k) {
      const std::size_t at = static_cast<std::size_t>(3 * k);
      struck = struck || u[at] < 0;
      EXPECT_GE(r.P[at], -1e-9 * most) << i;
      if (r.reports[static_cast<std::size_t>(k)].course & course_one_by_one) {
        EXPECT_GE(r.u[at], -1e-9 * fast) << i;
      }
      const ImpulseLaw& l = laws[static_cast<std::size_t>(k)];
      const bool kept = !(r.reports[static_cast<std::size_t>(k)].course & course_rule_replaced);
      const bool holds = kept && (l.kind == ImpactKind::rough || l.kind == ImpactKind::stick);
      const double mu = l.kind == ImpactKind::smooth ? 0 : l.friction;
      if (!holds) {
        EXPECT_LE(std::hypot(r.P[at + 1], r.P[at + 2]), mu * r.P[at] + 1e-9 * most) << i;
      }
    }
    by_one += (r.reports[0].course & course_one_by_one) != 0;
    replaced += (r.reports[0].course & course_rule_replaced) != 0;
  }
  std::printf("of 1000: %d one by one, %d rules replaced\n", by_one, replaced);
  EXPECT_LT(by_one, 5);
}

// Both ends of a rod on a rough elastic floor (one freedom too few for the tangents): reversed, energy kept.
TEST(ImpactOfSeveral, RoughFloorUnderBothEnds) {
  const double m = 1.5;
  const auto A = cases::free_body(m, Sym3<double>::diagonal(1e-9, m / 12, m / 12), {{0.5, 0, 0}, {-0.5, 0, 0}});
  const std::vector<double> u{-1, 0.6, 0, -2, 0.6, 0};
  const auto r = cases::strike(A, u, std::vector<ImpulseLaw>(2, law(ImpactKind::rough, 1, 0)));
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(r.u[k], -u[k], 1e-11);
  EXPECT_NEAR(r.work(), 0, 1e-12);
}

}  // namespace
