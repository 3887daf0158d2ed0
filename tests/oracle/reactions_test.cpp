// Forces in the joints and between the figure and the world, against sums of Newton's and Euler's laws over all links
// beyond the joint. The sums take the solver's accelerations, so what is compared is round-off alone; the bound is 1e-10 of
// the largest wrench or rate of momentum of a link anywhere in the figure (Armstrong's forces come out of a recursion of their own, over up to 64 links).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "support/oracle_input.h"
#include "support/solvers.h"

namespace reactions_test {

using marey::JointType;
using oracle::V3;

constexpr double bound = 1e-10;

struct Case {
  figures::Figure f;
  figures::Input<double> in;
  oracle::PlainFigure figure;
  oracle::Motion motion;
  std::vector<oracle::Pose<oracle::Second>> X;
  std::vector<oracle::PlainWrench> on;  // about Bo, in W
  V3 world_n{}, world_f{};              // what the world does to all roots, about Wo
  double largest = 0;

  explicit Case(figures::Figure figure_) : f(std::move(figure_)), in(figures::input_of<double>(f)) {
    figure = oracle::plain_figure(f.spec, f.model);
    motion = oracle::motion_of(f, figures::accelerations(marey::Dynamics::aba, f.model, in));
    X = oracle::accelerated_positions(figure, motion);
    on = oracle::joint_wrenches(figure, motion);
    world_n = on[0].n, world_f = on[0].f;
    for (std::size_t i = 1; i < on.size(); ++i) {
      on[i] = oracle::about_joint(on[i], X[i]);
      const oracle::Momentum momentum = oracle::momentum_of(figure.links[i], X[i]);
      for (const V3& a : {on[i].n, on[i].f, momentum.linear_rate, momentum.angular_rate})
        for (int k = 0; k < 3; ++k) largest = std::max(largest, std::abs(a[k]));
    }
  }
  // A vector in the axes of link i, in W.
  V3 in_world(std::size_t i, const marey::Vec3<double>& a) const {
    V3 out{};
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) out[r] += X[i].R[r][c].x.a * a[c];
    return out;
  }
  V3 origin(std::size_t i) const { return {X[i].p[0].x.a, X[i].p[1].x.a, X[i].p[2].x.a}; }
};

double distance(const V3& a, const V3& b) {
  const V3 d = oracle::minus(a, b);
  return std::sqrt(oracle::inner(d, d));
}

TEST(Reactions, HingeForcesOfArmstrong) {  // A (31)
  double worst = 0;
  for (int i = 0; i < 60; ++i) {
    figures::Options options = figures::options_of(i);
    options.joints = figures::Joints::balls;
    const Case c(figures::random_figure(static_cast<std::uint64_t>(i), options));
    marey::ArmstrongWorkspace<double> ws(c.f.model);
    std::vector<double> vdot(c.in.v.size());
    marey::armstrong_kinematics<double>(c.f.model, c.in.params, c.in.q, c.in.v, ws);
    marey::armstrong_slow_band<double>(c.f.model, c.in.params, c.f.model.nlink() - 1, 1, ws);
    marey::armstrong_fast_band<double>(c.f.model, c.in.params, {c.in.tau, c.in.F_Bo_W}, ws, vdot);
    for (int r = 1; r < c.f.model.nlink(); ++r) {
      if (c.figure.links[r].joint != JointType::ball) continue;
      const V3 on_parent = c.in_world(r, marey::armstrong_hinge_force(ws, r));
      worst = std::max(worst, distance(on_parent, oracle::scaled(-1, c.on[r].f)) / c.largest);
    }
  }
  std::printf("hinge forces (31): %.2e of the largest (bound %.0e)\n", worst, bound);
  EXPECT_LE(worst, bound);
}

// Every joint's wrench, with the parts that constrain as well as those that move, and the world's part of it.
TEST(Reactions, JointWrenchesOfRneaAndTheWorldsReaction) {
  double worst = 0, worst_world = 0;
  for (int i = 0; i < 60; ++i) {
    const Case c(figures::random_figure(static_cast<std::uint64_t>(i), figures::options_of(i)));
    marey::RneaWorkspace<double> ws(c.f.model);
    std::vector<double> tau(c.in.v.size());
    marey::rnea<double>(c.f.model, c.in.params, c.in.q, c.in.v, c.motion.vdot, c.in.F_Bo_W, ws, tau);
    V3 n{}, f{};
    for (int r = 1; r < c.f.model.nlink(); ++r) {
      const V3 n_W = c.in_world(r, ws.links[r].F.n), f_W = c.in_world(r, ws.links[r].F.f);
      worst = std::max({worst, distance(n_W, c.on[r].n) / c.largest, distance(f_W, c.on[r].f) / c.largest});
      if (c.f.model.links[r].parent != 0) continue;
      n = oracle::plus(n, oracle::plus(n_W, oracle::crossed(c.origin(r), f_W)));
      f = oracle::plus(f, f_W);
    }
    worst_world = std::max({worst_world, distance(n, c.world_n) / c.largest, distance(f, c.world_f) / c.largest});
  }
  std::printf("joint wrenches: %.2e of the largest, world reaction: %.2e (bound %.0e)\n", worst, worst_world, bound);
  EXPECT_LE(worst, bound);
  EXPECT_LE(worst_world, bound);
}

}  // namespace reactions_test
