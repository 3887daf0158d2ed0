// The contact layer takes no memory once its workspaces are made: this program counts every call of operator new.
#include <gtest/gtest.h>

#include "contact_cases.h"
#include "support/allocations.h"
#include "support/islands.h"

namespace {

using namespace marey;

TEST(ContactNoHeap, RowsAndDelassus) {
  figures::Options o;
  o.links = 6;
  const figures::Figure f = figures::random_figure(5, o);
  Kinematics<double> k(f.model);
  BiasMotion bias(f.model);
  RowSet rows(f.model, 6);
  AbaWorkspace<double> aba_ws(f.model);
  Delassus d(f.model, 6);
  std::vector<double> vdot(f.state.v.size());
  const std::array<double, 6> lambda{1, 2, 3, 4, 5, 6};
  const std::span<const double> q(f.state.q), v(f.state.v);
  FloorContact c;
  c.link = 6;
  const long before = allocations;
  forward_kinematics<double>(f.model, f.model.params, q, v, k);
  bias_motion(f.model, f.model.params, q, v, k, bias);
  aba<double>(f.model, f.model.params, q, v, {}, aba_ws, vdot);
  rows.clear();
  for (int i = 0; i < 2; ++i) add_rows(f.model, f.model.params, c, k, contact_motion(c, k, bias), rows);
  d.compute(f.model, f.model.params, aba_ws, rows);
  d.add_response(lambda, vdot);
  EXPECT_EQ(allocations - before, 0);
}

TEST(ContactNoHeap, ImpactAndModes) {
  cases::Random random(9);
  for (int i = 0; i < 200; ++i) {
    const int m = 1 + random.below(4);
    const std::size_t n = static_cast<std::size_t>(3 * m);
    const auto A = cases::random_matrix(random, m, i % 2 ? 3 : 3 * m);
    const auto u = cases::in_range(A, cases::random_vector(random, n));
    std::vector<ImpulseLaw> laws(static_cast<std::size_t>(m), cases::law(static_cast<ImpactKind>(i % 4), 0.5, 0.6));
    std::vector<ContactPoint> points(static_cast<std::size_t>(m));
    for (ContactPoint& p : points)
      p.friction_static = p.friction_kinetic = 0.7, p.slip[0] = i % 3 ? 0 : random.normal();
    std::vector<ContactMode> modes(static_cast<std::size_t>(m));
    std::vector<double> P(n), x(n);
    std::vector<ImpactOfContact> reports(static_cast<std::size_t>(m));
    std::vector<double> ends(static_cast<std::size_t>(2 * m));
    ContactWorkspace ws(5);
    const long before = allocations;
    impact(A, u, laws, ws, P, x, reports);
    choose_modes(A, u, points, 1e-9, ws, modes, P, x);
    contact_multipliers(A, u, points, modes, ws, P, x);
    share_multipliers(A, u, points, modes, ws, P, x, ends);
    impact_without_collision(A, u, u, laws, ws, P, x, reports);
    contact_step(A, u, points, 1e-9, ws, modes, P);
    ASSERT_EQ(allocations - before, 0) << i;
  }
}

// What a solver has seen once it needs no memory for again, however hard the way to the solution.
TEST(ContactNoHeap, ConeProblem) {
  std::vector<islands::Numbers> problems;
  for (unsigned seed = 0; seed < 60; ++seed) {
    islands::Random random(seed);
    problems.push_back(seed % 2 ? islands::random_planted(random, {}) : islands::random_motion(random, {}));
  }
  problems.push_back(islands::stack(8, 0.5).falling({0.03, 0, -0.1}));
  ConeSolver solver;
  std::vector<double> P(300), u(300);
  long before = 0;
  for (const bool counted : {false, true}) {
    before = allocations;
    for (const islands::Numbers& p : problems) {
      std::fill(P.begin(), P.end(), 0.0);
      solver.solve(p.problem(), std::span(P).first(p.size()), std::span(u).first(p.size()));
      if (counted) {
        ASSERT_EQ(allocations - before, 0);
      }
    }
  }
}

}  // namespace
