// Contacts that do not influence each other: modes, multipliers and impulses are those that each group has by itself, to the last bit.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "contact_cases.h"

namespace marey {
namespace contact_islands_test {
namespace {

using cases::Random;

// A = B Bᵀ of m contacts on a body with `freedoms` of them: redundant where 3m is more.
std::vector<double> delassus(Random& random, std::size_t m, std::size_t freedoms) {
  std::vector<double> B(3 * m * freedoms), A(9 * m * m);
  for (double& x : B) x = random.between(-1, 1);
  for (std::size_t r = 0; r < 3 * m; ++r)
    for (std::size_t c = 0; c < 3 * m; ++c)
      for (std::size_t k = 0; k < freedoms; ++k) A[r * 3 * m + c] += B[r * freedoms + k] * B[c * freedoms + k];
  return A;
}

struct Problem {
  std::vector<double> A, b;
  std::vector<ContactPoint> points;
};
struct Answer {
  ModeChoice choice;
  Holding holding = Holding::alone;
  std::vector<ContactMode> modes, modes_of_step;
  std::vector<double> lambda, a, shared, ends, P;
};

Problem on_a_body(Random& random, std::size_t m, std::size_t freedoms) {
  Problem p{delassus(random, m, freedoms), std::vector<double>(3 * m), std::vector<ContactPoint>(m)};
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < 3; ++k) p.b[3 * i + k] = random.between(-1, 1) - (k == 0 ? 1 : 0);
    p.points[i].friction_static = p.points[i].friction_kinetic = random.between(0, 0.6);
    if (random.between(0, 1) < 0.5) p.points[i].slip = {random.between(-1, 1), random.between(-1, 1)};
  }
  return p;
}

Answer solve(const Problem& p) {
  const std::size_t m = p.points.size(), n = 3 * m;
  ContactWorkspace ws(static_cast<int>(m));
  Answer x;
  x.modes.resize(m), x.modes_of_step.resize(m);
  x.lambda.resize(n), x.a.resize(n), x.ends.resize(2 * m), x.P.resize(n);
  x.choice = choose_modes(p.A, p.b, p.points, 1e-9, ws, x.modes, x.lambda, x.a);
  x.shared = x.lambda;
  std::vector<double> a(n);
  contact_multipliers(p.A, p.b, p.points, x.modes, ws, x.shared, a);
  x.holding = share_multipliers(p.A, p.b, p.points, x.modes, ws, x.shared, a, x.ends);
  contact_step(p.A, p.b, p.points, 1e-9, ws, x.modes_of_step, x.P);
  return x;
}

// The contacts of two bodies in turn, as long as there are any.
std::vector<std::pair<int, std::size_t>> in_turn(std::size_t first, std::size_t second) {
  std::vector<std::pair<int, std::size_t>> order;
  for (std::size_t i = 0; i < std::max(first, second); ++i) {
    if (i < first) order.emplace_back(0, i);
    if (i < second) order.emplace_back(1, i);
  }
  return order;
}

TEST(ContactIslands, AreSolvedAsIfEachWereAlone) {
  Random random(7);
  int together = 0, jammed = 0;
  for (int round = 0; round < 200; ++round) {
    // The second is redundant in most rounds, the first in none.
    const Problem each[2] = {on_a_body(random, 1 + static_cast<std::size_t>(round) % 3, 9),
                             on_a_body(random, 2 + static_cast<std::size_t>(round) % 4, 6)};
    const auto order = in_turn(each[0].points.size(), each[1].points.size());
    const std::size_t m = order.size();
    Problem both{std::vector<double>(9 * m * m), std::vector<double>(3 * m), std::vector<ContactPoint>(m)};
    for (std::size_t i = 0; i < m; ++i) {
      const auto [of, k] = order[i];
      both.points[i] = each[of].points[k];
      for (std::size_t r = 0; r < 3; ++r) both.b[3 * i + r] = each[of].b[3 * k + r];
      for (std::size_t j = 0; j < m; ++j)
        for (std::size_t r = 0; order[j].first == of && r < 9; ++r)
          both.A[(3 * i + r / 3) * 3 * m + 3 * j + r % 3] =
              each[of].A[(3 * k + r / 3) * 3 * each[of].points.size() + 3 * order[j].second + r % 3];
    }
    const Answer apart[2] = {solve(each[0]), solve(each[1])}, joint = solve(both);
    EXPECT_EQ(joint.choice.choice, std::max(apart[0].choice.choice, apart[1].choice.choice)) << round;
    EXPECT_EQ(joint.holding, std::max(apart[0].holding, apart[1].holding)) << round;
    together += joint.choice.together, jammed += joint.choice.choice != Choice::consistent;
    for (std::size_t i = 0; i < m; ++i) {
      const auto [of, k] = order[i];
      const Answer& own = apart[of];
      EXPECT_EQ(joint.modes[i].mode, own.modes[k].mode) << round;
      EXPECT_EQ(joint.modes[i].direction, own.modes[k].direction) << round;
      EXPECT_EQ(joint.modes[i].together, own.modes[k].together) << round;
      EXPECT_EQ(joint.modes_of_step[i].mode, own.modes_of_step[k].mode) << round;
      for (std::size_t r = 0; r < 3; ++r) {
        EXPECT_EQ(joint.lambda[3 * i + r], own.lambda[3 * k + r]) << round;
        EXPECT_EQ(joint.a[3 * i + r], own.a[3 * k + r]) << round;
        EXPECT_EQ(joint.shared[3 * i + r], own.shared[3 * k + r]) << round;
        EXPECT_EQ(joint.P[3 * i + r], own.P[3 * k + r]) << round;
      }
      for (std::size_t e = 2 * i, own_e = 2 * k; e < 2 * i + 2; ++e, ++own_e)
        EXPECT_TRUE(joint.ends[e] == own.ends[own_e] || (std::isnan(joint.ends[e]) && std::isnan(own.ends[own_e])));
    }
  }
  EXPECT_GT(together, 50);
  EXPECT_LT(together, 200);
  std::printf("%d of 200 pairs with redundant contacts, %d without modes or with several\n", together, jammed);
}

}  // namespace
}  // namespace contact_islands_test
}  // namespace marey
