// The GPU's kernel, compiled for the host: the same source with a tree known at compile time must do what the general
// double solver does, with and without keeping rotations between passes.
#include "marey/batch/human_step.h"

#include <gtest/gtest.h>

#include <cmath>

#include "marey/integrate.h"
#include "support/figures.h"
#include "support/random_figure.h"

namespace marey::batch {
namespace {

struct Columns {
  std::vector<double> q, v, tau;
};

class HumanStep : public ::testing::Test {
 protected:
  HumanStep()
      : figure(figures::with_random_state(figures::human39(), 11)), human(human_params(figure.model, link_of)) {}

  // The model's numbers in the tree's order.
  Columns to_tree() const {
    Columns c{std::vector<double>(HumanTree::nq), std::vector<double>(HumanTree::nv),
              std::vector<double>(HumanTree::nv)};
    for (int i = 1; i < HumanTree::links; ++i) {
      const LinkTopology& link = figure.model.links[link_of[i]];
      for (int k = 0; k < coordinate_count(link.joint); ++k) c.q[HumanTree::q(i) + k] = figure.state.q[link.q + k];
      for (int k = 0; k < freedom_count(link.joint); ++k) {
        c.v[HumanTree::v(i) + k] = figure.state.v[link.v + k];
        c.tau[HumanTree::v(i) + k] = figure.tau[link.v + k];
      }
    }
    return c;
  }
  // The same step by the general solver, on the model.
  void step_model(State& s, double h) const {
    const Model& model = figure.model;
    ArmstrongWorkspace<double> ws(model);
    std::vector<double> vdot(model.nv), xi(model.nv);
    armstrong<double>(model, model.params, s.q, s.v, {figure.tau, {}}, ws, vdot);
    for (int i = 0; i < model.nv; ++i) xi[i] = h * (s.v[i] += h * vdot[i]);
    advance<double>(model, s.q, xi, Turn::first_order, s.q);
  }
  template <class T, bool Forgets>
  double error_after(int steps, double h) {
    Columns c = to_tree();
    const HumanParams<T> numbers = cast<T>(human);
    std::vector<T> q(c.q.begin(), c.q.end()), v(c.v.begin(), c.v.end()), tau(c.tau.begin(), c.tau.end());
    State s = figure.state;
    for (int n = 0; n < steps; ++n) {
      step_human<T, Forgets>(numbers, T(h), true, Column<T>{tau.data(), 1}, Column<T>{q.data(), 1},
                             Column<T>{v.data(), 1});
      step_model(s, h);
    }
    double worst = 0;
    for (int i = 1; i < HumanTree::links; ++i) {
      const LinkTopology& link = figure.model.links[link_of[i]];
      for (int k = 0; k < coordinate_count(link.joint); ++k)
        worst = std::max(worst, std::abs(static_cast<double>(q[HumanTree::q(i) + k]) - s.q[link.q + k]));
    }
    return worst;
  }

  figures::Figure figure;
  int link_of[HumanTree::links];
  HumanParams<double> human;
};

// Round-off of 100 steps in double; the orders of summing differ.
TEST_F(HumanStep, KeepsUpWithTheGeneralSolver) { EXPECT_LT((error_after<double, false>(100, 1e-4)), 1e-12); }
TEST_F(HumanStep, RotationsWorkedOutAnewGiveTheSame) { EXPECT_LT((error_after<double, true>(100, 1e-4)), 1e-12); }
// Float: 100 steps of round-off 6e-8, amplified by stiff light limbs; measured 4e-6.
TEST_F(HumanStep, InFloat) { EXPECT_LT((error_after<float, true>(100, 1e-4)), 1e-4); }

TEST_F(HumanStep, RefusesOtherFigures) {
  int map[HumanTree::links];
  EXPECT_THROW(human_params(freeze(figures::chain(12)), map), Error);
  EXPECT_THROW(human_params(freeze(figures::chain(3)), map), Error);
}

}  // namespace
}  // namespace marey::batch
