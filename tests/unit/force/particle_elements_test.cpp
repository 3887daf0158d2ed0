// Springs, attractions, drag, fields and moving frames on random figures: forces against the derivative of their
// potentials, passive ones never putting energy in, frames against a world seen from outside.
#include <gtest/gtest.h>

#include <cmath>

#include "marey/dynamics.h"
#include "unit/force/trees.h"

namespace marey::test {
namespace particle_elements_test {

using Op = Formula::Op;

Anchor random_anchor(Random& random, int link) { return {link, random.vec()}; }

// Springs between random links and to the world, every second one without a rest length.
Element random_net(Random& random, const Model& model) {
  SpringNet net;
  for (int i = 1; i < model.nlink(); ++i) {
    int other = random.whole(0, model.nlink() - 1);
    if (other == i) other = 0;
    net.springs.push_back({random_anchor(random, i), random_anchor(random, other), random.uniform(0.5, 3),
                           i % 2 == 0 ? 0 : random.uniform(0.1, 1)});
  }
  return {"net", net};
}
Element random_dampers(Random& random, const Model& model) {
  DamperNet net;
  for (int i = 1; i < model.nlink(); ++i)
    net.dampers.push_back({random_anchor(random, i), random_anchor(random, i - 1), random.uniform(0.5, 3)});
  return {"dampers", net};
}
std::vector<int> all_links(const Model& model) {
  std::vector<int> links;
  for (int i = 1; i < model.nlink(); ++i) links.push_back(i);
  return links;
}
Element random_attraction(Random& random, const Model& model) {
  return {"attraction", Attraction{all_links(model), random.vec(), 2.5, random.uniform(0, 0.3)}};
}
Element random_mutual(Random&, const Model& model) {
  return {"mutual", MutualAttraction{all_links(model), {}, 1.5, 0.4}};
}
// V = a x² y + m sin(b z + t)
Formula a_potential() {
  return {{{Op::number, 0, 0.7},
           {Op::variable, 0},
           {Op::whole_power, 2},
           {Op::multiply},
           {Op::variable, 1},
           {Op::multiply},
           {Op::variable, 7},
           {Op::number, 0, 1.3},
           {Op::variable, 2},
           {Op::multiply},
           {Op::variable, 6},
           {Op::add},
           {Op::sin},
           {Op::multiply},
           {Op::add}}};
}
Element some_field(Random&, const Model& model) { return {"field", Field{all_links(model), {}, a_potential()}}; }
// sin(1.1 t) and the like along three axes
TimeVector random_motion(Random& random) {
  TimeVector v;
  for (Formula& f : v.of)
    f.program = {{Op::number, 0, random.uniform(-1, 1)}, {Op::variable, 6}, {Op::multiply}, {Op::sin},
                 {Op::number, 0, random.uniform(-2, 2)}, {Op::add}};
  return v;
}
Element frame_part(Random& random, MovingFrame::Part part) {
  return {"frame", MovingFrame{part, random_motion(random)}};
}

std::vector<Element> conservative_ones(Random& random, const Model& model) {
  return {random_net(random, model),
          random_attraction(random, model),
          random_mutual(random, model),
          some_field(random, model),
          frame_part(random, MovingFrame::Part::acceleration),
          frame_part(random, MovingFrame::Part::centrifugal)};
}

void evaluate_alone(const Element& e, const Instant<double>& at, ForceSum<double>& sum) {
  sum.clear();
  evaluate<double>(e, at, {}, sum);
}
double power_of_sum(const ForceSum<double>& sum, const Instant<double>& at) {
  double p = 0;
  for (std::size_t i = 0; i < sum.tau.size(); ++i) p += sum.tau[i] * at.v[i];
  for (std::size_t i = 0; i < sum.F_Bo_W.size(); ++i) p += power(sum.F_Bo_W[i], at.V_WB[i]);
  return p;
}

class ParticleElementsTest : public testing::Test {
 protected:
  Random random{23};

  template <class Check>
  void on_random_figures(int figures, Check check) {
    for (int i = 0; i < figures; ++i) {
      const Model model = random_tree(random, random.whole(2, 7));
      State state = random_state(random, model);
      state.t = random.uniform(-0.5, 1.5);
      check(model, state);
    }
  }
};

// V along the motion with the time held (dV = −power), exactly by duals; ∂V/∂t by differences in the time alone.
TEST_F(ParticleElementsTest, ConservativeOnesAreMinusTheDerivativeOfTheirPotential) {
  on_random_figures(150, [&](const Model& model, const State& state) {
    const std::vector<double> rate = rates(model, state);
    std::vector<Dual<1>> q(state.q.begin(), state.q.end()), v(state.v.begin(), state.v.end());
    for (std::size_t i = 0; i < q.size(); ++i) q[i].d[0] = rate[i];
    const Placed<Dual<1>> dual(model, state.t, q, v);
    const Placed<double> placed = place(model, state);
    ForceSum<double> sum(model);
    for (const Element& e : conservative_ones(random, model)) {
      ASSERT_EQ(nature_of(e), Nature::conservative);
      ASSERT_EQ(refusal(model, e), "") << e.name;
      evaluate_alone(e, placed.instant(), sum);
      const Dual<1> V = potential(e, dual.instant());
      const double scale = 1 + std::abs(V.value) + std::abs(sum.power);
      EXPECT_NEAR(V.d[0], -sum.power, 1e-10 * scale) << e.name;
      EXPECT_NEAR(power_of_sum(sum, placed.instant()), sum.power, 1e-11 * scale) << e.name;
      const auto at_time = [&](double t) {
        State later = state;
        later.t = t;
        return potential(e, place(model, later).instant());
      };
      const double h = 1e-3, t = state.t;
      const double slope =
          (8 * (at_time(t + h) - at_time(t - h)) - (at_time(t + 2 * h) - at_time(t - 2 * h))) / (12 * h);
      EXPECT_NEAR(potential_rate(e, placed.instant()), slope, 1e-8 * scale) << e.name;
    }
  });
}

TEST_F(ParticleElementsTest, PassiveOnesNeverPutEnergyIn) {
  double spent = 0;
  on_random_figures(150, [&](const Model& model, const State& state) {
    const Placed<double> placed = place(model, state);
    ForceSum<double> sum(model);
    for (const Element& e : {random_dampers(random, model),
                             Element{"drag", Drag{all_links(model), random.uniform(0, 1), random.uniform(0, 1)}}}) {
      ASSERT_EQ(nature_of(e), Nature::passive);
      evaluate_alone(e, placed.instant(), sum);
      EXPECT_LE(sum.power, 0) << e.name;
      EXPECT_NEAR(power_of_sum(sum, placed.instant()), sum.power, 1e-11 * (1 - sum.power)) << e.name;
      spent -= sum.power;
    }
    // Coriolis forces do no work, up to round-off.
    const Element coriolis = frame_part(random, MovingFrame::Part::coriolis);
    ASSERT_EQ(nature_of(coriolis), Nature::passive);
    evaluate_alone(coriolis, placed.instant(), sum);
    double size = 0;
    for (std::size_t i = 1; i < sum.F_Bo_W.size(); ++i)
      size += norm(sum.F_Bo_W[i].f) * norm(placed.V_WB[i].v) + norm(sum.F_Bo_W[i].n) * norm(placed.V_WB[i].w);
    EXPECT_NEAR(sum.power, 0, 1e-13 * size);
  });
  EXPECT_GT(spent, 1000);
}

// All links moved as one rigid body: what acts between links does no work, what comes from outside works at
// external · (w, v).
TEST_F(ParticleElementsTest, ExternalIsWhatActsOnTheFigureAsAWhole) {
  on_random_figures(100, [&](const Model& model, const State& state) {
    Placed<double> placed = place(model, state);
    const V3 w = random.vec(), v = random.vec();
    for (std::size_t i = 1; i < placed.V_WB.size(); ++i) placed.V_WB[i] = {w, v + cross(w, placed.X_WB[i].p)};
    ForceSum<double> sum(model);
    std::vector<Element> elements = conservative_ones(random, model);
    elements.push_back(random_dampers(random, model));
    elements.push_back({"drag", Drag{all_links(model), 0.4, 0.3}});
    elements.push_back(frame_part(random, MovingFrame::Part::euler));
    for (const Element& e : elements) {
      evaluate_alone(e, placed.instant(), sum);
      const double scale = 1 + norm(sum.external.n) + norm(sum.external.f);
      EXPECT_NEAR(sum.power, dot(sum.external.n, w) + dot(sum.external.f, v), 1e-11 * scale) << e.name;
      if (e.name == "mutual") {
        EXPECT_EQ(norm(sum.external.n) + norm(sum.external.f), 0);
      }
    }
  });
}

// The parts together against (3.13) summed over six point masses that have the link's own mass properties.
TEST_F(ParticleElementsTest, AMovingFrameActsOnEveryMassElement) {
  on_random_figures(60, [&](const Model& model, const State& state) {
    const Placed<double> placed = place(model, state);
    const TimeVector turning = random_motion(random), pull = random_motion(random);
    const V3 w = turning.at(state.t).value, w_dot = turning.at(state.t).rate, a0 = pull.at(state.t).value;
    ForceSum<double> sum(model);
    using Part = MovingFrame::Part;
    evaluate<double>({"a", MovingFrame{Part::acceleration, pull}}, placed.instant(), {}, sum);
    for (const Part part : {Part::coriolis, Part::centrifugal, Part::euler})
      evaluate<double>({"w", MovingFrame{part, turning}}, placed.instant(), {}, sum);
    for (int i = 1; i < model.nlink(); ++i) {
      const std::size_t k = static_cast<std::size_t>(i);
      const Inertia<double>& I = model.params.links[k].I;
      const PrincipalAxes principal = principal_axes(central_inertia(I));
      const V3 moments = principal.moments, com = (1 / I.m) * I.h;
      Wrench<double> expected;
      for (int axis = 0; axis < 3; ++axis) {
        // ∫x² dm along a principal axis, as two masses m/6 each at ±d
        const double second = (moments.x + moments.y + moments.z) / 2 - moments[axis];
        const double d = std::sqrt(3 * second / I.m);
        const V3 u{principal.R_BP(0, axis), principal.R_BP(1, axis), principal.R_BP(2, axis)};
        for (const double side : {-1.0, 1.0}) {
          const V3 rho = placed.X_WB[k].R * (com + side * d * u), r = placed.X_WB[k].p + rho;
          const V3 v = placed.V_WB[k].v + cross(placed.V_WB[k].w, rho);
          const V3 f = (-I.m / 6) * (a0 + 2.0 * cross(w, v) + cross(w, cross(w, r)) + cross(w_dot, r));
          expected += Wrench<double>{cross(rho, f), f};
        }
      }
      const double scale = 1 + norm(expected.n) + norm(expected.f);
      EXPECT_LE(norm(sum.F_Bo_W[k].f - expected.f), 1e-12 * scale);
      EXPECT_LE(norm(sum.F_Bo_W[k].n - expected.n), 1e-12 * scale);
    }
  });
}

TEST_F(ParticleElementsTest, ASpringPullsWhenLongAndPushesWhenShort) {
  Model model = world();
  add_link(model, 0, JointType::point, {}, {}, {1, {}, {}});
  add_link(model, 0, JointType::point, {}, {}, {2, {}, {}});
  const auto force_on_first = [&](double x, double rest) {
    const Placed<double> placed(model, 0, {0, 0, 0, x, 0, 0}, std::vector<double>(6));
    ForceSum<double> sum(model);
    evaluate_alone({"s", SpringNet{{{{1, {}}, {2, {}}, 10, rest}}}}, placed.instant(), sum);
    EXPECT_EQ(sum.F_Bo_W[1].f.x, -sum.F_Bo_W[2].f.x);
    return sum.F_Bo_W[1].f.x;
  };
  EXPECT_NEAR(force_on_first(1.5, 1), 5, 1e-14);
  EXPECT_NEAR(force_on_first(0.8, 1), -2, 1e-14);
  EXPECT_EQ(force_on_first(0, 1), 0);  // no direction left
  EXPECT_NEAR(force_on_first(1e-9, 0), 1e-8, 1e-20);
}

TEST_F(ParticleElementsTest, RefusesWhatMakesNoSense) {
  const Model model = random_tree(random, 3);
  const auto expect = [&](const ElementKind& kind, const std::string& words) {
    const std::string reason = refusal(model, {"it", kind});
    EXPECT_NE(reason.find(words), std::string::npos) << "got: " << reason;
  };
  expect(SpringNet{}, "no spring");
  expect(SpringNet{{{{1, {}}, {1, {}}, 1, 1}}}, "same link");
  expect(SpringNet{{{{1, {}}, {9, {}}, 1, 1}}}, "no link number 9");
  expect(SpringNet{{{{1, {}}, {2, {}}, -1, 1}}}, "'stiffness'");
  expect(SpringNet{{{{1, {}}, {2, {NAN, 0, 0}}, 1, 1}}}, "not finite");
  expect(DamperNet{{{{1, {}}, {2, {}}, -1}}}, "'damping'");
  expect(Attraction{{}, {}, 1, 0}, "no link for it");
  expect(Attraction{{1}, {}, -1, 0}, "'strength'");
  expect(MutualAttraction{{1}, {7}, 1, 0}, "no link number 7");
  expect(Drag{{1}, -1, 0}, "'linear'");
  Field f{{1}, {}, {{{Op::add}}}};
  expect(f, "does not fit its stack");
  f.potential = {{{Op::number}, {Op::number}}};
  expect(f, "does not end in one number");
  f.potential = {{{Op::variable, 8}}};
  expect(f, "a variable that is not there");
}

}  // namespace particle_elements_test
}  // namespace marey::test
