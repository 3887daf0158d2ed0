// Accelerations with the factors of an earlier mass matrix are those of aba, at any distance from it.
#include "marey/dynamics/crba_reuse.h"

#include <gtest/gtest.h>

#include <cmath>

#include "marey/integrate.h"
#include "support/figures.h"

namespace marey {
namespace {

ModelSpec hinges(int n) {
  ModelSpec spec = figures::chain(n);
  for (LinkSpec& link : spec.links) link.joint = JointType::hinge, link.axis = {0, 1, 0};
  return spec;
}

// Every other joint turns and slides, or turns about two axes.
ModelSpec general(int n) {
  ModelSpec spec = hinges(n);
  for (std::size_t i = 1; i < spec.links.size(); i += 2) {
    spec.links[i].joint = i % 4 == 1 ? JointType::cylindrical : JointType::universal;
    spec.links[i].axis_2 = {1, 0, 0};
  }
  return spec;
}

// A slow walk from a random state: each call is a little further on than the one before.
struct Walk {
  Walk(const ModelSpec& spec, double step)
      : f(figures::with_random_state(spec, 3)), ws(f.model), aba_ws(f.model), h(step) {
    vdot.resize(f.state.v.size()), expected = vdot, xi = vdot;
  }
  // The largest difference from aba, relative to the largest acceleration.
  double one(double limit) {
    const Model& m = f.model;
    const Forces<double> forces{f.tau, f.F_Bo_W};
    crba_reuse(m, m.params, f.state.q, f.state.v, forces, limit, ws, vdot);
    aba<double>(m, m.params, f.state.q, f.state.v, forces, aba_ws, expected);
    double worst = 0, size = 0;
    for (std::size_t i = 0; i < vdot.size(); ++i) {
      worst = std::max(worst, std::abs(vdot[i] - expected[i]));
      size = std::max(size, std::abs(expected[i]));
      xi[i] = h * f.state.v[i];
    }
    advance<double>(m, f.state.q, xi, Turn::exponential, f.state.q);
    return worst / size;
  }
  figures::Figure f;
  ReuseWorkspace ws;
  AbaWorkspace<double> aba_ws;
  double h;
  std::vector<double> vdot, expected, xi;
};

TEST(CrbaReuse, AgreesWithAbaAndFactorsRarely) {
  for (const double limit : {1e-3, 0.05, 0.3}) {
    for (const ModelSpec& spec : {figures::human39(), hinges(10), figures::tree(15)}) {
      Walk walk(spec, 1e-5);
      double worst = 0;
      for (int k = 0; k < 400; ++k) worst = std::max(worst, walk.one(limit));
      EXPECT_LT(worst, 1e-12) << "limit " << limit << ", " << walk.f.model.nv << " freedoms";
      EXPECT_LT(walk.ws.factorisations, limit < 0.01 ? 100 : 20);
      EXPECT_GT(walk.ws.rounds, 400);
    }
  }
}

TEST(CrbaReuse, AgreesWithAbaOnGeneralJoints) {
  for (const double limit : {0.05, 0.3}) {
    Walk walk(general(8), 1e-5);
    double worst = 0;
    for (int k = 0; k < 400; ++k) worst = std::max(worst, walk.one(limit));
    EXPECT_LT(worst, 1e-12) << "limit " << limit;
    EXPECT_LT(walk.ws.factorisations, 20);
    EXPECT_GT(walk.ws.rounds, 400);
  }
}

// Steps so large that old factors are of no use.
TEST(CrbaReuse, StaysRightWhenFactorsAreFarOff) {
  Walk walk(figures::human39(), 0.3);
  for (int k = 0; k < 100; ++k) EXPECT_LT(walk.one(0.5), 1e-12) << k;
  EXPECT_GT(walk.ws.factorisations, 30);
}

TEST(CrbaReuse, FactorsAgainAndAgainWhenTheLimitIsLow) {
  Walk low(figures::human39(), 1e-4), high(figures::human39(), 1e-4);
  for (int k = 0; k < 300; ++k) low.one(1e-3), high.one(0.3);
  EXPECT_GT(low.ws.factorisations, 4 * high.ws.factorisations);
  EXPECT_LT(low.ws.rounds, high.ws.rounds);
}

TEST(CrbaReuse, ANumberThatIsNoneIsHandedOn) {
  Walk walk(figures::human39(), 1e-3);
  walk.one(0.1);
  walk.f.state.v[2] = std::nan("");
  walk.one(0.1);
  EXPECT_TRUE(std::isnan(walk.vdot[2]));
  walk.f.state.v[2] = 0;
}

// What is remembered goes on bit for bit in a workspace of its own, before the first call as well.
TEST(CrbaReuse, GoesOnFromWhatItRemembers) {
  Walk walk(hinges(8), 1e-3);
  for (const int calls : {0, 1, 5}) {
    for (int i = 0; i < calls; ++i) walk.one(0.1);
    Walk other = walk;
    other.ws = ReuseWorkspace(walk.f.model);
    other.ws.recall(walk.f.model, walk.f.model.params, walk.ws.memory());
    EXPECT_EQ(other.ws.known, walk.ws.known);
    for (int i = 0; i < 20; ++i) {
      walk.one(0.1), other.one(0.1);
      ASSERT_EQ(walk.vdot, other.vdot) << calls << ' ' << i;
    }
  }
}

}  // namespace
}  // namespace marey
