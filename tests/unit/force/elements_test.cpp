// Elements on random figures: conservative ones against the derivative of their potential, passive ones never
// putting energy in, and what each adds to momentum.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "unit/force/trees.h"

namespace marey::test {
namespace elements_test {

constexpr double pi = std::numbers::pi;
using Kind = NamedAngle::Kind;

// A torque function on any joint, its zone and slopes moving at different times.
Element random_free_play(Random& random, const Model& model, int link) {
  const JointType joint = model.links[static_cast<std::size_t>(link)].joint;
  const bool turns = joint == JointType::ball || joint == JointType::free;
  FreePlay e;
  e.link = link;
  e.angle = {turns ? static_cast<Kind>(random.whole(1, 5)) : Kind::coordinate, random.unit()};
  const double at = random.uniform(-4, 4), width = random.uniform(0, 1);
  e.from = {{0, 1}, {at, at + random.uniform(-1, 1)}};
  e.to = {{0, 1}, {at + width, at + 1 + width}};
  e.slope_below = {{0, 1}, {random.uniform(0, 3), random.uniform(0, 3)}};
  e.slope_above = {{-1, 3}, {random.uniform(0, 3), random.uniform(0, 3)}};
  return {"play", e};
}
Element random_spring(Random& random, int link) {
  return {"spring", SupportSpring{link, random.vec(), random.vec(), random.uniform(0, 5), random.uniform(0, 5),
                                  random.quaternion()}};
}
Element random_friction(Random& random, int link) { return {"friction", JointFriction{link, random.uniform(0, 3)}}; }
Element random_damper(Random& random, int link) {
  return {"damper", SupportDamper{link, random.vec(), random.uniform(0, 3), random.uniform(0, 3)}};
}
Element random_push(Random& random, int link) {
  Push push;
  push.link = link, push.point_B = random.vec(), push.force = random.vec(), push.torque = random.vec();
  push.body_axes = random.whole(0, 1) == 1;
  return {"push", push};
}

// Evaluates one element with its switches full on.
void evaluate_alone(const Element& e, const Instant<double>& at, ForceSum<double>& sum) {
  std::vector<double> on(static_cast<std::size_t>(mode_count(e)), 1.0);
  if (e.kind.get_if<FreePlay>() != nullptr) start_modes(e, at, true, on);
  sum.clear();
  evaluate(e, at, on, sum);
}

// What the solvers get, times the velocities: Σ τ v + Σ F·V.
double power_of_sum(const ForceSum<double>& sum, const Instant<double>& at) {
  double p = 0;
  for (std::size_t i = 0; i < sum.tau.size(); ++i) p += sum.tau[i] * at.v[i];
  for (std::size_t i = 0; i < sum.F_Bo_W.size(); ++i) p += power(sum.F_Bo_W[i], at.V_WB[i]);
  return p;
}

class ElementsTest : public testing::Test {
 protected:
  Random random{11};

  template <class Check>
  void on_random_figures(int figures, Check check) {
    for (int i = 0; i < figures; ++i) {
      const Model model = random_tree(random, random.whole(1, 8));
      State state = random_state(random, model);
      state.t = random.uniform(-0.5, 1.5);
      check(model, state);
    }
  }
};

// V along the motion, by six-point differences with the time held (dV = −power) and running (dV = −power +
// ∂V/∂t). Where two step sizes disagree there is a kink or a half turn between the points, and the state is
// passed over.
TEST_F(ElementsTest, ConservativeOnesAreMinusTheDerivativeOfTheirPotential) {
  int tried = 0, smooth = 0;
  on_random_figures(300, [&](const Model& model, const State& state) {
    const int link = random.whole(1, model.nlink() - 1);
    for (const Element& e : {random_free_play(random, model, link), random_spring(random, link)}) {
      ASSERT_EQ(nature_of(e), Nature::conservative);
      const auto V = [&](double h, bool clock) {
        State s = moved(model, state, h);
        if (clock) s.t += h;
        return potential(e, place(model, s).instant());
      };
      const auto slope = [&](double h, bool c) {
        return (45 * (V(h, c) - V(-h, c)) - 9 * (V(2 * h, c) - V(-2 * h, c)) + V(3 * h, c) - V(-3 * h, c)) / (60 * h);
      };
      const Placed<double> placed = place(model, state);
      ForceSum<double> sum(model);
      evaluate_alone(e, placed.instant(), sum);
      const double scale = 1 + std::abs(sum.power) + V(0, false);
      EXPECT_NEAR(power_of_sum(sum, placed.instant()), sum.power, 1e-13 * scale);
      const double still = slope(5e-4, false), running = slope(5e-4, true);
      ++tried;
      if (std::abs(still - slope(1e-3, false)) + std::abs(running - slope(1e-3, true)) > 1e-8 * scale) continue;
      ++smooth;
      EXPECT_NEAR(still, -sum.power, 1e-8 * scale);
      EXPECT_NEAR(running, -sum.power + potential_rate(e, placed.instant()), 1e-8 * scale);
    }
  });
  EXPECT_GT(smooth, 9 * tried / 10);
}

TEST_F(ElementsTest, ConservativeOnesAgreeWithDualDerivatives) {
  on_random_figures(200, [&](const Model& model, const State& state) {
    const std::vector<double> rate = rates(model, state);
    std::vector<Dual<1>> q(state.q.begin(), state.q.end()), v(state.v.begin(), state.v.end());
    for (std::size_t i = 0; i < q.size(); ++i) q[i].d[0] = rate[i];
    const Placed<Dual<1>> dual(model, state.t, q, v);
    const Placed<double> placed = place(model, state);
    ForceSum<double> sum(model);
    for (int link = 1; link < model.nlink(); ++link) {
      for (const Element& e : {random_free_play(random, model, link), random_spring(random, link)}) {
        evaluate_alone(e, placed.instant(), sum);
        const Dual<1> V = potential(e, dual.instant());
        EXPECT_NEAR(V.d[0], -sum.power, 1e-10 * (1 + V.value + std::abs(sum.power)));
      }
    }
  });
}

TEST_F(ElementsTest, PassiveOnesNeverPutEnergyIn) {
  double spent = 0;
  on_random_figures(200, [&](const Model& model, const State& state) {
    const Placed<double> placed = place(model, state);
    ForceSum<double> sum(model);
    for (int link = 1; link < model.nlink(); ++link) {
      for (const Element& e : {random_friction(random, link), random_damper(random, link)}) {
        ASSERT_EQ(nature_of(e), Nature::passive);
        evaluate_alone(e, placed.instant(), sum);
        EXPECT_LE(sum.power, 0);
        EXPECT_NEAR(power_of_sum(sum, placed.instant()), sum.power, 1e-12 * (1 - sum.power));
        EXPECT_EQ(potential(e, placed.instant()), 0);
        spent -= sum.power;
      }
    }
  });
  EXPECT_GT(spent, 1000);
}

TEST_F(ElementsTest, FrictionIsMinusCoefficientTimesJointVelocity) {
  on_random_figures(100, [&](const Model& model, const State& state) {
    const Placed<double> placed = place(model, state);
    ForceSum<double> sum(model);
    for (int link = 1; link < model.nlink(); ++link) {
      const LinkTopology& joint = model.links[static_cast<std::size_t>(link)];
      evaluate_alone({"friction", JointFriction{link, 0.7}}, placed.instant(), sum);
      double expected = 0;
      for (int i = 0; i < freedom_count(joint.joint); ++i) {
        const std::size_t k = static_cast<std::size_t>(joint.v + i);
        const double factor = joint.joint == JointType::free ? 0 : -0.7;
        EXPECT_EQ(sum.tau[k], factor * state.v[k]);
        expected += factor * state.v[k] * state.v[k];
      }
      EXPECT_NEAR(sum.power, expected, 1e-12 * (1 - expected));
    }
  });
}

// All links given the velocities of one rigid motion (w, v of the world's origin): a pair between two links
// does no work then, and what comes from outside works at external · (w, v).
TEST_F(ElementsTest, ExternalIsWhatActsOnTheFigureAsAWhole) {
  on_random_figures(200, [&](const Model& model, const State& state) {
    Placed<double> placed = place(model, state);
    const V3 w = random.vec(), v = random.vec();
    for (std::size_t i = 1; i < placed.V_WB.size(); ++i) placed.V_WB[i] = {w, v + cross(w, placed.X_WB[i].p)};
    ForceSum<double> sum(model);
    for (int link = 1; link < model.nlink(); ++link) {
      for (const Element& e : {random_free_play(random, model, link), random_friction(random, link),
                               random_spring(random, link), random_damper(random, link), random_push(random, link)}) {
        evaluate_alone(e, placed.instant(), sum);
        const double scale = 1 + norm(sum.external.n) + norm(sum.external.f);
        EXPECT_NEAR(sum.power, dot(sum.external.n, w) + dot(sum.external.f, v), 1e-12 * scale) << e.name;
        const bool through_joint = e.name == "play" || e.name == "friction";
        if (through_joint && model.links[static_cast<std::size_t>(link)].parent != 0) {
          EXPECT_EQ(norm(sum.external.n) + norm(sum.external.f), 0);
          for (const Wrench<double>& F : sum.F_Bo_W) EXPECT_EQ(norm(F.n) + norm(F.f), 0);
        }
      }
    }
  });
}

TEST_F(ElementsTest, FreeJointForcesGoThroughTheWholeJoint) {
  on_random_figures(100, [&](const Model& model, const State& state) {
    Placed<double> placed = place(model, state);
    for (int link = 1; link < model.nlink(); ++link) {
      const LinkTopology& joint = model.links[static_cast<std::size_t>(link)];
      std::vector<double> tau(static_cast<std::size_t>(freedom_count(joint.joint)));
      double expected = 0;
      for (std::size_t i = 0; i < tau.size(); ++i) {
        tau[i] = random.uniform(-1, 1);
        expected += tau[i] * state.v[static_cast<std::size_t>(joint.v) + i];
      }
      ForceSum<double> sum(model);
      sum.joint(placed.instant(), link, tau);
      EXPECT_NEAR(sum.power, expected, 1e-12);  // wrench · twist over the pair is τ·v
    }
  });
}

TEST_F(ElementsTest, NothingInsideTheZoneAndProportionalOutside) {
  Model model = world();
  add_link(model, 0, JointType::hinge, {}, {0, 1, 0}, {});
  const Element e{"curl", FreePlay{1, {}, constant(-0.1), constant(0.5), constant(2), constant(3)}};
  const auto torque = [&](double angle) {
    const Placed<double> placed(model, 0, {angle}, {0});
    ForceSum<double> sum(model);
    evaluate_alone(e, placed.instant(), sum);
    return sum.tau[0];
  };
  EXPECT_EQ(torque(-0.1), 0);
  EXPECT_EQ(torque(0.2), 0);
  EXPECT_EQ(torque(0.5), 0);
  EXPECT_NEAR(torque(0.7), -0.6, 1e-15);
  EXPECT_NEAR(torque(-0.6), 1.0, 1e-15);
  EXPECT_NEAR(torque(0.5 + 2 * pi), -6 * pi, 1e-14);  // a hinge counts its turns
}

// A zone across ±π, and the same zone a few turns on, on the twist of a ball.
TEST_F(ElementsTest, ZonesLieInTheNearestTurn) {
  Model model = world();
  add_link(model, 0, JointType::ball, {}, {0, 0, 1}, {});
  const auto torque = [&](double middle, double angle) {
    const Element e{
        "curl",
        FreePlay{
            1, {Kind::twist, {0, 0, 1}}, constant(middle - 0.1), constant(middle + 0.1), constant(1), constant(1)}};
    const Quaternion<double> q = quaternion_about(V3{0, 0, 1}, angle);
    const Placed<double> placed(model, 0, {q.w, q.x, q.y, q.z}, {0, 0, 0});
    ForceSum<double> sum(model);
    evaluate_alone(e, placed.instant(), sum);
    return sum.tau[2];
  };
  for (int turn = -3; turn <= 3; ++turn) {
    for (double middle : {pi, 3.0, -2.5, 0.4}) {
      for (double off : {-3.0, -0.5, -0.05, 0.05, 0.3, 3.0}) {
        const double expected = off > 0.1 ? 0.1 - off : off < -0.1 ? -0.1 - off : 0;
        EXPECT_NEAR(torque(middle + 2 * pi * turn, middle + off), expected, 1e-13) << middle << " " << off;
      }
    }
  }
}

TEST_F(ElementsTest, ASupportHoldsPlaceAndTurn) {
  Model model = world();
  add_link(model, 0, JointType::free, {}, {}, {});
  const V3 axis{0.6, 0, 0.8};
  const Quaternion<double> target = random.quaternion();
  const Element e{"support", SupportSpring{1, {0, 0, 0}, {1, 2, 3}, 10, 4, target}};
  for (double phi : {1e-4, 0.5, 2.0, 3.1}) {
    const Quaternion<double> q = quaternion_about(axis, phi) * target;  // turned on by φ about an axis of W
    const Placed<double> placed(model, 0, {q.w, q.x, q.y, q.z, 1.5, 2, 3}, std::vector<double>(6));
    ForceSum<double> sum(model);
    evaluate_alone(e, placed.instant(), sum);
    EXPECT_LT(norm(sum.F_Bo_W[1].n + 4 * std::sin(phi) * axis), 1e-14);
    EXPECT_LT(norm(sum.F_Bo_W[1].f - V3{-5, 0, 0}), 1e-14);
    EXPECT_NEAR(potential(e, placed.instant()), 0.5 * 10 * 0.25 + 4 * (1 - std::cos(phi)), 1e-14);
  }
}

TEST_F(ElementsTest, APushActsAtItsPointInItsAxes) {
  Model model = world();
  add_link(model, 0, JointType::free, {}, {}, {});
  const Quaternion<double> q = quaternion_about(V3{0, 0, 1}, pi / 2);
  const Placed<double> placed(model, 0, {q.w, q.x, q.y, q.z, 5, 0, 0}, std::vector<double>(6));
  ForceSum<double> sum(model);
  Push push{1, {1, 0, 0}, {0, 0, 2}, {0, 3, 0}, false, {}};
  evaluate_alone({"push", push}, placed.instant(), sum);
  EXPECT_LT(norm(sum.F_Bo_W[1].n - V3{2, 3, 0}), 1e-15);  // (0,1,0) × (0,0,2) + (0,3,0)
  EXPECT_LT(norm(sum.external.n - V3{2, 3 - 10, 0}), 1e-14);
  push.body_axes = true, push.force = {0, 2, 0};
  evaluate_alone({"push", push}, placed.instant(), sum);
  EXPECT_LT(norm(sum.F_Bo_W[1].f - V3{-2, 0, 0}), 1e-15);
  EXPECT_LT(norm(sum.F_Bo_W[1].n - V3{-3, 0, 2}), 1e-15);
  EXPECT_EQ(nature_of({"push", push}), Nature::active);
}

TEST_F(ElementsTest, TorquesOfSeveralElementsAddUp) {
  on_random_figures(50, [&](const Model& model, const State& state) {
    const Placed<double> placed = place(model, state);
    ForceSum<double> together(model), alone(model);
    std::vector<double> tau(static_cast<std::size_t>(model.nv));
    double spent = 0;
    for (int link = 1; link < model.nlink(); ++link) {
      for (const Element& e : {random_free_play(random, model, link), random_friction(random, link),
                               random_spring(random, link), random_push(random, link)}) {
        std::vector<double> on{1};
        if (e.kind.get_if<FreePlay>() != nullptr) start_modes(e, placed.instant(), true, on);
        evaluate(e, placed.instant(), on, together);
        evaluate_alone(e, placed.instant(), alone);
        EXPECT_EQ(together.power, alone.power);
        EXPECT_EQ(together.external.n.x, alone.external.n.x);
        for (std::size_t i = 0; i < tau.size(); ++i) tau[i] += alone.tau[i];
        spent += alone.power;
      }
    }
    for (std::size_t i = 0; i < tau.size(); ++i) EXPECT_EQ(together.tau[i], tau[i]);
    EXPECT_NEAR(power_of_sum(together, placed.instant()), spent, 1e-12 * (1 + std::abs(spent)) * 100);
  });
}

TEST(TimeTableTest, StraightBetweenKnotsConstantOutside) {
  const TimeTable table{{1, 2, 4}, {10, 20, 0}};
  EXPECT_EQ(table.at(0), 10);
  EXPECT_EQ(table.at(1.5), 15);
  EXPECT_EQ(table.at(3), 10);
  EXPECT_EQ(table.at(9), 0);
  EXPECT_EQ(table.rate(0), 0);
  EXPECT_EQ(table.rate(1), 10);  // right-sided
  EXPECT_EQ(table.rate(2), -10);
  EXPECT_EQ(table.rate(4), 0);
  const TimeTable jump{{0, 1, 1, 2}, {0, 0, 5, 5}};
  EXPECT_EQ(jump.at(0.999), 0);
  EXPECT_EQ(jump.at(1), 5);
  EXPECT_EQ(constant(3).at(-1), 3);
  EXPECT_EQ(constant(3).rate(0), 0);
}

}  // namespace elements_test
}  // namespace marey::test
