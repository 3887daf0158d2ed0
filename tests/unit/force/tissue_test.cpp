// The elements of soft tissue and of limits that give way: force against potential, momentum, damping, against (4.3) and (4.2) by hand.
#include "marey/force/tissue.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "marey/force/joint_limit.h"
#include "marey/scalar/instantiate.h"
#include "unit/force/trees.h"

namespace marey::test {
namespace tissue_test {

// A link on a moving base, and its tissue, free or on a planar joint.
Model figure(Random& random, bool plane) {
  Model model = world();
  const auto box = [&](const V3& at) {
    return shape_inertia({Box{V3{0.1, 0.2, 0.4}}, {Mat3<double>::identity(), at}}, 2);
  };
  const int base = add_link(model, 0, JointType::free, {}, {0, 0, 1}, box({}));
  const int link = add_link(model, base, JointType::ball, {rotation(random.quaternion()), random.vec()}, {0, 0, 1},
                            box(random.vec(0.1)));
  add_link(model, plane ? link : 0, plane ? JointType::point : JointType::free, {}, {0, 0, 1}, box({}));
  return model;
}
TissueSpring spring_on(Random& random) {
  TissueSpring e;
  e.link = 2, e.tissue = 3, e.center_B = random.vec(0.1), e.along_B = random.unit();
  e.stiffness = {random.uniform(1, 5), random.uniform(1, 5)}, e.exponent = {random.uniform(1.5, 4), 3};
  e.turning_stiffness = {random.uniform(1, 5), random.uniform(1, 5)}, e.turning_exponent = {1, random.uniform(1, 3)};
  return e;
}
TissueDamper damper_on(Random& random, const TissueSpring& s) {
  return {s.link,
          s.tissue,
          s.along_B,
          {random.uniform(0, 3), random.uniform(0, 3)},
          {random.uniform(0, 3), random.uniform(0, 3)}};
}
double turn_of(const TissueSpring& e, const Placed<double>& placed) { return norm(shift_of(e, placed.instant()).turn); }

ForceSum<double> evaluated(const Element& e, const Model& model, const Instant<double>& at) {
  ForceSum<double> sum(model);
  std::vector<double> modes(static_cast<std::size_t>(mode_count(e)), 0.0);
  evaluate(e, at, modes, sum);
  return sum;
}

template <class Check>
void on_random_states(int times, Check check) {
  Random random{5};
  for (int i = 0; i < times; ++i) {
    const Model model = figure(random, i % 3 == 0);
    const State state = random_state(random, model);
    check(random, model, state);
  }
}

TEST(TissueElements, SpringsAreMinusTheDerivativeOfTheirPotential) {
  int tried = 0;
  on_random_states(300, [&](Random& random, const Model& model, const State& state) {
    const TissueSpring spring = spring_on(random);
    const Element e{"wobble", spring};
    const Placed<double> placed = place(model, state);
    if (turn_of(spring, placed) > 3) return;  // close to half a turn the axis is lost
    ++tried;
    const auto V = [&](double h) { return potential(e, place(model, moved(model, state, h)).instant()); };
    const double h = 1e-4, slope = (8 * (V(h) - V(-h)) - (V(2 * h) - V(-2 * h))) / (12 * h);
    const ForceSum<double> sum = evaluated(e, model, placed.instant());
    EXPECT_NEAR(slope, -sum.power, 1e-8 * (1 + std::abs(sum.power) + V(0)));
    std::vector<Dual<1>> q(state.q.begin(), state.q.end()), v(state.v.begin(), state.v.end());
    const std::vector<double> rate = rates(model, state);
    for (std::size_t k = 0; k < q.size(); ++k) q[k].d[0] = rate[k];
    const Placed<Dual<1>> dual(model, state.t, q, v);
    EXPECT_NEAR(potential(e, dual.instant()).d[0], -sum.power, 1e-10 * (1 + std::abs(sum.power) + V(0)));
  });
  EXPECT_GT(tried, 200);
}

// The pair has no resultant and no moment; and what it takes is what the twists say.
TEST(TissueElements, NeitherMomentumNorEnergyIsLost) {
  on_random_states(200, [&](Random& random, const Model& model, const State& state) {
    const TissueSpring spring = spring_on(random);
    const Placed<double> placed = place(model, state);
    const Instant<double> at = placed.instant();
    for (const Element& e : {Element{"s", spring}, Element{"d", damper_on(random, spring)}}) {
      const ForceSum<double> sum = evaluated(e, model, at);
      Wrench<double> all{};
      double power_of_all = 0, size = 0;
      for (int i = 1; i < model.nlink(); ++i) {
        const Wrench<double>& F = sum.F_Bo_W[static_cast<std::size_t>(i)];
        all += shifted(F, at.X_WB[static_cast<std::size_t>(i)].p);
        power_of_all += power(F, at.V_WB[static_cast<std::size_t>(i)]);
        size += norm(F.n) + norm(F.f);
      }
      EXPECT_GT(size, 0);
      EXPECT_LE(norm(all.f) + norm(all.n), 1e-13 * size);
      EXPECT_NEAR(power_of_all, sum.power, 1e-13 * (1 + size));
      EXPECT_EQ(norm(sum.external.f) + norm(sum.external.n), 0);
      if (nature_of(e) == Nature::passive) EXPECT_LE(sum.power, 0);
    }
  });
}

// (4.3) in the plane, with numbers by hand: exponents, axes, signs; and the axis-angle of a large turn in space.
TEST(TissueElements, ArePrinted43InThePlane) {
  Model model = world();
  const Inertia<double> body = shape_inertia({Box{V3{0.1, 0.2, 0.4}}, {}}, 2);
  add_link(model, 0, JointType::free, {}, {0, 0, 1}, body);
  add_link(model, 0, JointType::free, {}, {0, 0, 1}, body);
  TissueSpring s;
  s.link = 1, s.tissue = 2, s.stiffness = {1000, 400}, s.turning_stiffness = {7, 9};
  const TissueDamper d{1, 2, {0, 0, 1}, {20, 30}, {2, 3}};
  State state;
  const double turn = 0.7, half = turn / 2;
  state.q = {1, 0, 0, 0, 0, 0, 0, std::cos(half), std::sin(half), 0, 0, 0, 0.03, -0.2};
  state.v = {0, 0, 0, 0, 0, 0, 0.4, 0, 0, 0, 0.5, 0.6};
  const Placed<double> placed = place(model, state);
  const Wrench<double> F = pull_of(s, placed.instant()), D = pull_of(d, placed.instant());
  EXPECT_NEAR(F.f.z, 1000 * 0.008, 1e-12);  // −c_l sign |−0.2|³
  EXPECT_NEAR(F.f.y, -400 * 0.03 * 0.03 * 0.03, 1e-14);
  EXPECT_NEAR(F.n.x, -9 * 0.7, 1e-13);  // a Δφ, and not its sine
  EXPECT_NEAR(D.f.z, -20 * 0.6, 1e-13);
  EXPECT_NEAR(D.f.y, -30 * 0.5, 1e-13);
  EXPECT_NEAR(D.n.x, -3 * 0.4, 1e-13);
  EXPECT_NEAR(shift_of(s, placed.instant()).turn.x, 0.7, 1e-15);
}

// A link that turns with its tissue, however far that is out of its place, feels no damping.
TEST(TissueElements, DampNothingThatMovesAsOne) {
  on_random_states(50, [&](Random& random, const Model& model, State state) {
    if (model.links[3].joint != JointType::free) return;
    const Placed<double> before = place(model, state);
    const Instant<double> at = before.instant();
    const Vec3<double> w = at.V_WB[2].w, r = at.X_WB[3].p - at.X_WB[2].p, v = at.V_WB[2].v + cross(w, r);
    const Vec3<double> own = transpose_times(at.X_WB[3].R, w);
    const auto from = static_cast<std::size_t>(model.links[3].v);
    for (int k = 0; k < 3; ++k)
      state.v[from + static_cast<std::size_t>(k)] = own[k], state.v[from + 3 + static_cast<std::size_t>(k)] = v[k];
    const TissueDamper d = damper_on(random, spring_on(random));
    const Placed<double> now = place(model, state);
    const Wrench<double> F = pull_of(d, now.instant());
    EXPECT_LE(norm(F.f) + norm(F.n), 1e-13 * (norm(v) + norm(w)) * 10);
  });
}

TEST(TissueElements, EveryScalarAgrees) {
  on_random_states(20, [&](Random& random, const Model& model, const State& state) {
    const TissueSpring spring = spring_on(random);
    const Placed<double> placed = place(model, state);
    if (turn_of(spring, placed) > 2.9) return;
    for (const Element& e : {Element{"s", spring}, Element{"d", damper_on(random, spring)}}) {
      const ForceSum<double> sum = evaluated(e, model, placed.instant());
#ifndef MAREY_NO_PACKS
      const std::vector<PackD8> q(state.q.begin(), state.q.end()), v(state.v.begin(), state.v.end());
      const Placed<PackD8> packed(model, state.t, q, v);
      ForceSum<PackD8> wide(model);
      evaluate(e, packed.instant(), {}, wide);
      EXPECT_NEAR(lane(wide.power, 3), sum.power, 1e-12 * (1 + std::abs(sum.power)));
#endif
      const std::vector<float> qf(state.q.begin(), state.q.end()), vf(state.v.begin(), state.v.end());
      const Placed<float> single(model, state.t, qf, vf);
      ForceSum<float> narrow(model);
      evaluate(e, single.instant(), {}, narrow);
      EXPECT_NEAR(narrow.power, sum.power, 2e-3 * (1 + std::abs(sum.power)));
    }
  });
}

TEST(TissueElements, RefuseWhatCannotBe) {
  Random random{3};
  const Model model = figure(random, false);
  const TissueSpring good = spring_on(random);
  const auto why = [&](auto change) {
    TissueSpring e = good;
    change(e);
    return refusal(model, {"it", e});
  };
  EXPECT_EQ(refusal(model, {"it", good}), "");
  EXPECT_NE(why([](TissueSpring& e) { e.tissue = e.link; }), "");
  EXPECT_NE(why([](TissueSpring& e) { e.along_B = {0, 0, 2}; }), "");
  EXPECT_NE(why([](TissueSpring& e) { e.stiffness.across = -1; }), "");
  EXPECT_NE(why([](TissueSpring& e) { e.exponent.along = 0.5; }), "");
  EXPECT_NE(why([](TissueSpring& e) { e.center_B.x = NAN; }), "");
  EXPECT_NE(why([](TissueSpring& e) { e.tissue = 2, e.link = 1; }), "") << "whose origin is not its centre of mass";
}

// ---- limits
Model hinged() {
  Model model = world();
  add_link(model, 0, JointType::hinge, {}, {1, 0, 0}, shape_inertia({Box{V3{0.1, 0.2, 0.4}}, {}}, 2));
  return model;
}
double torque_at(const Element& e, const Model& model, double angle, double rate) {
  State s;
  s.q = {angle}, s.v = {rate};
  const Placed<double> placed = place(model, s);
  return evaluated(e, model, placed.instant()).tau[0];
}
constexpr double nan_free = 1e-12;

// (4.2) as corrected, written out: a = 30, b = 2, c = 0.05, φ_on = 0.2 at ±1 rad.
TEST(GivingLimits, ArePrinted42Corrected) {
  const Model model = hinged();
  JointLimit limit;
  limit.link = 1, limit.from = -1, limit.to = 1;
  limit.law.kind = LimitLaw::Kind::power, limit.law.a = 30, limit.law.b = 2, limit.law.c = 0.05, limit.law.begins = 0.2;
  const Element spring{"l", limit}, damper{"d", JointLimitDamper{limit, 0.4, 1}};
  const double jump = 1 / (30 * 0.04 + 0.05);
  const auto f = [&](double delta) { return 1 / (30 * delta * delta + 0.05) - jump; };
  EXPECT_NEAR(torque_at(spring, model, 0.9, 0), -f(0.1), nan_free);
  EXPECT_NEAR(torque_at(spring, model, -0.95, 0), f(0.05), nan_free);
  EXPECT_EQ(torque_at(spring, model, 0.5, 0), 0);
  EXPECT_NEAR(torque_at(spring, model, 0.8 + 1e-9, 0), 0, 1e-6) << "it begins without a jump";
  EXPECT_NEAR(torque_at(spring, model, 1.3, 0), -f(0), nan_free) << "beyond the limit it does not decrease";
  EXPECT_NEAR(torque_at(damper, model, 0.9, 2), -f(0.1) * 0.4 * 2, nan_free) << "more while it approaches";
  EXPECT_NEAR(torque_at(damper, model, 0.9, -2), f(0.1) * 0.4 * 2, nan_free) << "less while it leaves";
  EXPECT_NEAR(torque_at(damper, model, -0.9, -2), f(0.1) * 0.4 * 2, nan_free) << "the lower stop likewise";
  EXPECT_NEAR(torque_at(damper, model, 0.9, -100), f(0.1), nan_free) << "and together they never pull";
}

TEST(GivingLimits, TorquesAreMinusTheDerivativeOfTheirPotential) {
  const Model model = hinged();
  Random random{9};
  for (int i = 0; i < 200; ++i) {
    JointLimit limit;
    limit.link = 1, limit.from = -1, limit.to = i % 2 ? 1 : forever;
    limit.law.kind = static_cast<LimitLaw::Kind>(i % 3);
    limit.law.begins = random.uniform(0.02, 0.3), limit.law.stiffness = random.uniform(1, 90);
    limit.law.a = random.uniform(5, 50), limit.law.b = random.uniform(1, 5), limit.law.c = random.uniform(0.003, 0.1);
    limit.law.torque = random.uniform(1, 9), limit.law.over = random.uniform(0.05, 0.3);
    const Element e{"l", limit};
    const double angle = random.uniform(-1.2, 1.2), h = 2e-4;
    const auto V = [&](double x) {
      State s;
      s.q = {x}, s.v = {0};
      const Placed<double> placed = place(model, s);
      return potential(e, placed.instant());
    };
    const auto slope = [&](double h) {
      return (8 * (V(angle + h) - V(angle - h)) - (V(angle + 2 * h) - V(angle - 2 * h))) / (12 * h);
    };
    if (std::abs(slope(h) - slope(2 * h)) > 1e-6 * (1 + std::abs(slope(h)))) continue;  // across a corner
    const double torque = torque_at(e, model, angle, 0);
    EXPECT_NEAR(slope(h), -torque, 1e-6 * (1 + std::abs(torque))) << "law " << i % 3 << " at " << angle;
  }
}

}  // namespace tissue_test
}  // namespace marey::test
