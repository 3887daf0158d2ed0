// The articulated-body algorithm in two halves: the same as the whole of it, and as forward_kinematics, on random figures.
#include "marey/dynamics/aba_halves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/figures.h"

namespace marey {
namespace {

void expect_near(const Vec3<double>& a, const Vec3<double>& b, double within) { EXPECT_LE(norm(a - b), within); }

figures::Figure any_figure(std::uint64_t seed) {
  figures::Options o;
  o.links = 9, o.joints = figures::Joints::any;
  return figures::with_random_state(figures::random_spec(seed, o), seed);
}

TEST(AbaHalves, GivePlacesAndAccelerationsAndMayBeAskedAgain) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const figures::Figure f = any_figure(seed);
    const Model& model = f.model;
    const std::size_t nv = static_cast<std::size_t>(model.nv), nlink = model.links.size();
    Kinematics<double> right(model), found(model);
    forward_kinematics<double>(model, model.params, f.state.q, f.state.v, right);
    AbaWorkspace<double> ws(model);
    aba_motion<double>(model, model.params, f.state.q, f.state.v, ws, found);
    for (std::size_t i = 1; i < nlink; ++i) {
      const double size = 1 + norm(right.X_WB[i].p) + norm(right.V_WB[i].w) + norm(right.V_WB[i].v);
      expect_near(found.X_WB[i].p, right.X_WB[i].p, 1e-13 * size);
      expect_near(found.V_WB[i].w, right.V_WB[i].w, 1e-13 * size);
      expect_near(found.V_WB[i].v, right.V_WB[i].v, 1e-13 * size);
      expect_near(found.X_WB[i].R * Vec3<double>{1, 2, 3}, right.X_WB[i].R * Vec3<double>{1, 2, 3}, 1e-13);
    }
    for (std::size_t g = 0; g < right.general.size(); ++g)
      for (std::size_t k = 0; k < right.general[g].size(); ++k) {
        expect_near(found.general[g][k].w, right.general[g][k].w, 1e-13);
        expect_near(found.general[g][k].v, right.general[g][k].v, 1e-13);
      }
    // Other forces at the same place, and inertias alone in between; rnea shares no code with it.
    std::vector<double> tau(nv), vdot(nv), needed(nv);
    std::vector<Wrench<double>> F(nlink);
    RneaWorkspace<double> rnea_ws(model);
    for (int round = 0; round < 3; ++round) {
      for (std::size_t k = 0; k < nv; ++k) tau[k] = std::sin(1.0 + static_cast<double>(k) + 5 * round);
      for (std::size_t i = 1; i < nlink; ++i) F[i] = {{0.3 * round, 0, 0.1}, {0, 1.0 * round, -0.2}};
      const std::span<const Wrench<double>> outside = round == 1 ? std::span<const Wrench<double>>{} : F;
      aba_forces<double>(model, model.params, {tau, outside}, ws, vdot);
      rnea<double>(model, model.params, f.state.q, f.state.v, vdot, outside, rnea_ws, needed);
      double size = 1;
      for (const double x : vdot) size = std::max(size, std::abs(x));
      for (std::size_t k = 0; k < nv; ++k) EXPECT_NEAR(needed[k], tau[k], 1e-9 * size) << round;
      aba_forces<double>(model, model.params, {}, ws, {});
    }
  }
}

// The first moment that falls out on the way is that of the places of links; without these, v̇ is the same to the bit.
TEST(AbaHalves, FindTheFirstMomentOnTheWay) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const figures::Figure f = any_figure(seed);
    const Model& model = f.model;
    Kinematics<double> kinematics(model);
    forward_kinematics<double>(model, model.params, f.state.q, f.state.v, kinematics);
    const Totals<double> right = totals(model, model.params, kinematics);
    const std::vector<double> tau(static_cast<std::size_t>(model.nv), 0.7);
    std::vector<double> vdot(tau), whole(tau);
    AbaWorkspace<double> ws(model);
    FirstMoment moment(model);
    for (int round = 0; round < 2; ++round) {
      aba_motion<double>(model, model.params, f.state.q, f.state.v, ws);
      aba_forces(model, model.params, {tau, {}}, ws, vdot, moment);
      double reach = 0;
      for (const Transform<double>& X : kinematics.X_WB) reach = std::max(reach, 1 + norm(X.p));
      expect_near(moment.value(), right.first_moment, 1e-14 * reach * right.mass);
    }
    aba<double>(model, model.params, f.state.q, f.state.v, {tau, {}}, ws, whole);
    EXPECT_EQ(vdot, whole);
  }
}

// Energy and momentum without places of links are those of their places and twists, and what forces do is the same to the bit.
TEST(AbaHalves, FindEnergyAndMomentumWithoutPlaces) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const figures::Figure f = any_figure(seed);
    const Model& model = f.model;
    Kinematics<double> kinematics(model);
    forward_kinematics<double>(model, model.params, f.state.q, f.state.v, kinematics);
    const Totals<double> right = totals(model, model.params, kinematics);
    double reach = 0, speed = 0;
    for (const Transform<double>& X : kinematics.X_WB) reach = std::max(reach, 1 + norm(X.p));
    for (const Twist<double>& V : kinematics.V_WB) speed = std::max(speed, norm(V.w) + norm(V.v));
    const std::vector<double> tau(static_cast<std::size_t>(model.nv), -0.4);
    std::vector<double> vdot(tau), whole(tau);
    AbaWorkspace<double> ws(model), ws_of_whole(model);
    FirstMoment moment(model);
    LinkMomenta momenta(model);
    for (int round = 0; round < 2; ++round) {
      aba_motion(model, model.params, f.state.q, f.state.v, ws, momenta, moment);
      EXPECT_NEAR(momenta.kinetic, right.kinetic, 1e-13 * right.kinetic);
      expect_near(momenta.L[0].f, right.momentum.f, 1e-13 * right.mass * reach * speed);
      expect_near(momenta.L[0].n, right.momentum.n, 1e-13 * right.mass * reach * reach * speed);
      expect_near(moment.value(), right.first_moment, 1e-14 * reach * right.mass);
      EXPECT_NEAR(moment.mass(), right.mass, 1e-15 * right.mass);
    }
    aba_forces<double>(model, model.params, {tau, {}}, ws, vdot);
    aba<double>(model, model.params, f.state.q, f.state.v, {tau, {}}, ws_of_whole, whole);
    EXPECT_EQ(vdot, whole);
  }
}

// The inertias are those of the whole algorithm.
TEST(AbaHalves, FactorsAloneAreThoseOfTheWhole) {
  const figures::Figure f = figures::with_random_state(figures::human39(), 3);
  const Model& model = f.model;
  AbaWorkspace<double> whole(model), alone(model);
  Kinematics<double> k(model);
  std::vector<double> vdot(static_cast<std::size_t>(model.nv));
  aba<double>(model, model.params, f.state.q, f.state.v, {}, whole, vdot);
  aba_motion<double>(model, model.params, f.state.q, f.state.v, alone, k);
  aba_forces<double>(model, model.params, {}, alone, {});
  for (int i = 1; i < model.nlink(); ++i) {
    const AbaLink<double>&a = whole.links[i], &b = alone.links[i];
    EXPECT_NEAR(a.J.xx, b.J.xx, 1e-13 * a.J.xx);
    EXPECT_NEAR(a.M.yz, b.M.yz, 1e-13 * (a.M.xx + a.M.yy));
    EXPECT_NEAR(a.J_inverse.zz, b.J_inverse.zz, 1e-12 * a.J_inverse.zz);
  }
}

}  // namespace
}  // namespace marey
