// Maximal coordinates by themselves: the model, the maps between the two states, and accelerations.
#include <gtest/gtest.h>

#include <cmath>

#include "marey/dynamics/multipliers.h"
#include "marey/integrate.h"
#include "support/figures.h"

namespace marey {
namespace {

TEST(MaximalModel, HasTheSameLinksEachOnItsOwn) {
  const figures::Figure f = figures::random_figure(3, {7, figures::Tree::random});
  const Model model = freeze(f.spec, maximal_coordinates);
  ASSERT_EQ(model.nlink(), f.model.nlink());
  EXPECT_EQ(model.names, f.model.names);
  EXPECT_EQ(model.nq, 7 * (model.nlink() - 1));
  EXPECT_EQ(model.nv, 6 * (model.nlink() - 1));
  for (int i = 1; i < model.nlink(); ++i) {
    EXPECT_EQ(model.links[i].parent, 0);
    EXPECT_EQ(model.links[i].joint, JointType::free);
    EXPECT_EQ(model.params.links[i].I.m, f.model.params.links[i].I.m);
  }
}

TEST(MaximalModel, NamesItsWaysAgainstDrift) {
  EXPECT_STREQ(name_of(Stabilisation::projection), "projection");
  EXPECT_STREQ(name_of(Stabilisation::baumgarte), "baumgarte");
  EXPECT_STREQ(name_of(Stabilisation::none), "none");
}

// A figure a little later, by its joints' velocities and accelerations, as a state of bodies.
State later(const figures::Figure& f, std::span<const double> vdot, double h) {
  State s = f.state;
  std::vector<double> xi(s.v.size());
  for (std::size_t i = 0; i < xi.size(); ++i) xi[i] = h * s.v[i] + 0.5 * h * h * vdot[i], s.v[i] += h * vdot[i];
  advance<double>(f.model, f.state.q, xi, Turn::exponential, s.q);
  return to_maximal(f.model, s);
}

// What the bodies do is what the joints' accelerations say.
TEST(MaximalModel, BodiesAccelerateAsTheirJointsDo) {
  for (int i = 0; i < 12; ++i) {
    SCOPED_TRACE(i);
    const figures::Figure f = figures::random_figure(static_cast<std::uint64_t>(i), {6, figures::Tree::random});
    const State s = to_maximal(f.model, f.state);
    Kinematics<double> k(f.model);
    MultiplierWorkspace<double> ws(f.model);
    maximal_kinematics(s.q, s.v, k);
    std::copy(f.state.q.begin(), f.state.q.end(), ws.q.begin());
    const JointError error = joint_errors(f.model, f.model.params, k, ws.q, ws.v, ws.error, ws.error_rate);
    EXPECT_LT(error.position, 1e-12);
    EXPECT_LT(error.rate, 1e-11);
    std::vector<double> bodies(s.v.size()), joints(f.state.v.size());
    multipliers_maximal(f.model, f.model.params, k, {f.tau, f.F_Bo_W}, 0, ws, bodies);
    AbaWorkspace<double> aba_ws(f.model);
    aba<double>(f.model, f.model.params, f.state.q, f.state.v, {f.tau, f.F_Bo_W}, aba_ws, joints);
    const double h = 1e-6;  // a central difference: its error falls with h²
    double size = 1;
    for (const double a : bodies) size = std::max(size, std::abs(a));
    const State p1 = later(f, joints, h), m1 = later(f, joints, -h);
    for (std::size_t j = 0; j < bodies.size(); ++j)
      EXPECT_NEAR(bodies[j], (p1.v[j] - m1.v[j]) / (2 * h), 1e-6 * size) << j;
  }
}

// Of two bodies out of place the one that is farther off is named.
TEST(MaximalModel, TheFarthestLinkIsNamed) {
  ModelSpec spec;  // three arms of one body, so that none carries another
  for (const char* name : {"trunk", "left", "right", "tail"})
    spec.links.push_back(
        figures::rod_link(name, spec.links.empty() ? "world" : "trunk", JointType::ball, {}, 1, 0.3, 0.03));
  const Model model = freeze(spec);
  for (const char* name : {"left", "right", "tail"}) {
    State s = to_maximal(model, neutral_state(model)), reduced = neutral_state(model);
    for (const char* other : {"left", "right", "tail"})
      s.q[static_cast<std::size_t>(7 * (model.find(other) - 1) + 4)] += name == other ? 0.02 : 0.01;
    const JointError error = to_reduced(model, s, reduced);
    EXPECT_NEAR(error.position, 0.02, 1e-12);
    EXPECT_EQ(error.link, model.find(name));
  }
}

}  // namespace
}  // namespace marey
