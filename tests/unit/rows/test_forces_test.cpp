// Prescribed accelerations by test forces, against the mixed problem of the recursions and against M itself.
#include <gtest/gtest.h>

#include <cmath>

#include "marey/dynamics/inverse.h"
#include "marey/rows.h"
#include "support/figures.h"

namespace {

using figures::Figure;
using Numbers = std::vector<double>;

struct Setting {
  explicit Setting(const Figure& figure) : f(figure), aba(f.model), vdot(f.tau.size()) {
    marey::aba<double>(f.model, f.model.params, f.state.q, f.state.v, {f.tau, f.F_Bo_W}, aba, vdot);
  }
  const Figure& f;
  marey::AbaWorkspace<double> aba;
  Numbers vdot;
};

// Unit rows are freedoms with given accelerations: hybrid dynamics solves the same problem by another way.
TEST(TestForces, UnitRowsAreTheMixedProblem) {
  for (int i = 0; i < 30; ++i) {
    figures::Options o = figures::options_of(i);
    o.links = 2 + o.links / 4, o.mass_ratio = 10;
    const Figure f = figures::random_figure(static_cast<std::uint64_t>(40 + i), o);
    figures::Random random(static_cast<std::uint64_t>(i));
    Setting s(f);
    marey::RowSet rows(f.model, f.model.nv);
    std::vector<unsigned char> given(f.tau.size());
    Numbers vdot(f.tau.size()), tau = f.tau;
    for (std::size_t k = 0; k < given.size(); ++k) {
      if (!random.chance(0.4)) continue;
      given[k] = 1, vdot[k] = random.normal();
      marey::Row row;
      row.target = vdot[k];
      rows.add(row)[k] = 1;
    }
    marey::TestForces forces(f.model, f.model.nv);
    EXPECT_EQ(forces.prescribe(f.model, f.model.params, s.aba, rows, s.vdot), rows.size());
    marey::HybridWorkspace ws(f.model);
    marey::hybrid_dynamics(f.model, f.model.params, f.state.q, f.state.v, given, f.F_Bo_W, ws, vdot, tau);
    std::size_t at = 0;
    double size = 1, torque = 1;
    for (std::size_t k = 0; k < given.size(); ++k)
      size = std::max(size, std::abs(vdot[k])), torque = std::max(torque, std::abs(tau[k]));
    for (std::size_t k = 0; k < given.size(); ++k) {
      EXPECT_NEAR(s.vdot[k], vdot[k], 1e-8 * size) << i;
      if (given[k]) {
        EXPECT_NEAR(forces.lambda()[at++], tau[k] - f.tau[k], 1e-8 * torque) << i;
      }
    }
  }
}
// Any linear functions; twice the same is shared between the two.
TEST(TestForces, RedundantRowsShareTheirForce) {
  const Figure f = figures::with_random_state(figures::human39(), 12);
  figures::Random random(5);
  Setting once(f), twice(f);
  marey::RowSet single(f.model, 6), redundant(f.model, 6);
  for (int r = 0; r < 3; ++r) {
    Numbers J(f.tau.size());
    for (double& x : J) x = random.normal();
    marey::Row row;
    row.bias = random.normal(), row.target = 3 * random.normal();
    for (marey::RowSet* set : {&single, &redundant, &redundant}) {
      const std::span<double> to = set->add(row);
      std::copy(J.begin(), J.end(), to.begin());
    }
  }
  marey::TestForces forces(f.model, 6), shared(f.model, 6);
  EXPECT_EQ(forces.prescribe(f.model, f.model.params, once.aba, single, once.vdot), 3);
  EXPECT_EQ(shared.prescribe(f.model, f.model.params, twice.aba, redundant, twice.vdot), 3);
  EXPECT_LE(forces.left_over(), 1e-9);
  EXPECT_LE(shared.left_over(), 1e-9);
  for (std::size_t k = 0; k < once.vdot.size(); ++k)
    EXPECT_NEAR(once.vdot[k], twice.vdot[k], 1e-9 * (1 + std::abs(once.vdot[k])));
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t half = 0; half < 2; ++half)
      EXPECT_NEAR(shared.lambda()[2 * r + half], 0.5 * forces.lambda()[r], 1e-9 * (1 + std::abs(forces.lambda()[r])));
}
TEST(TestForces, ContradictionsAreLeftOver) {
  const Figure f = figures::with_random_state(figures::human39(), 13);
  Setting s(f);
  marey::RowSet rows(f.model, 2);
  marey::Row row;
  row.target = 1, rows.add(row)[7] = 1;
  row.target = 3, rows.add(row)[7] = 1;
  marey::TestForces forces(f.model, 2);
  EXPECT_EQ(forces.prescribe(f.model, f.model.params, s.aba, rows, s.vdot), 1);
  EXPECT_NEAR(s.vdot[7], 2, 1e-9);
  EXPECT_NEAR(forces.left_over(), 1, 1e-9);
}

}  // namespace
