// One source, every scalar: elements on float, packs and formulas do what they do on double; no call allocates.
#include <gtest/gtest.h>

#include <cmath>

#include "marey/scalar/instantiate.h"
#include "support/allocations.h"
#include "unit/force/trees.h"

namespace marey::test {
namespace {

using Kind = NamedAngle::Kind;

// Every kind of element on every link.
std::vector<Element> elements_on(Random& random, const Model& model) {
  std::vector<Element> elements;
  for (int link = 1; link < model.nlink(); ++link) {
    const JointType joint = model.links[static_cast<std::size_t>(link)].joint;
    const bool turns = joint == JointType::ball || joint == JointType::free;
    for (Kind kind : {Kind::twist, Kind::swing, Kind::euler_x, Kind::euler_y, Kind::euler_z}) {
      FreePlay e{link,           {turns ? kind : Kind::coordinate, random.unit()},
                 constant(-0.3), constant(0.2),
                 constant(1),    constant(2)};
      elements.push_back({"play", e});
    }
    elements.push_back({"friction", JointFriction{link, 0.3}});
    elements.push_back(
        {"reflex", Reflex{link, {turns ? Kind::twist : Kind::coordinate, random.unit()}, 0.3, 2, 0.4, 0.1}});
    elements.push_back({"spring", SupportSpring{link, random.vec(), random.vec(), 2, 3, random.quaternion()}});
    elements.push_back({"damper", SupportDamper{link, random.vec(), 0.2, 0.4}});
    Push push;
    push.link = link, push.force = random.vec(), push.torque = random.vec(), push.point_B = random.vec();
    push.body_axes = link % 2 == 0;
    elements.push_back({"push", push});
  }
  std::vector<int> all;
  SpringNet net;
  DamperNet dampers;
  for (int link = 1; link < model.nlink(); ++link) {
    all.push_back(link);
    net.springs.push_back({{link, random.vec()}, {link - 1, random.vec()}, 2, link % 2 * 0.5});
    dampers.dampers.push_back({{link, random.vec()}, {link - 1, random.vec()}, 0.3});
  }
  elements.push_back({"net", net});
  elements.push_back({"dampers", dampers});
  elements.push_back({"attraction", Attraction{all, random.vec(), 2, 0.3}});
  elements.push_back({"mutual", MutualAttraction{all, {}, 0.7, 0.4}});
  elements.push_back({"drag", Drag{all, 0.2, 0.1}});
  elements.push_back({"hold", CenterSpring{all, random.vec(), 2, random.vec()}});
  elements.push_back({"hold damping", CenterDamper{all, 0.3}});
  using Op = Formula::Op;
  const Formula wave{{{Op::variable, 0},
                      {Op::variable, 6},
                      {Op::subtract},
                      {Op::sin},
                      {Op::variable, 1},
                      {Op::cos},
                      {Op::multiply},
                      {Op::variable, 7},
                      {Op::whole_power, -2},
                      {Op::max}}};
  const Formula curve{{{Op::variable, 2},
                       {Op::abs},
                       {Op::number, 0, 1},
                       {Op::add},
                       {Op::number, 0, 0.3},
                       {Op::power},
                       {Op::variable, 4},
                       {Op::negate},
                       {Op::exp},
                       {Op::atan2},
                       {Op::sqrt},
                       {Op::log}}};
  elements.push_back({"field", Field{all, {wave, curve, wave}, {}}});
  elements.push_back({"potential", Field{all, {}, wave}});
  const Formula swing{{{Op::variable, 6}, {Op::cos}}};
  for (int part = 0; part < 4; ++part)
    elements.push_back({"frame", MovingFrame{static_cast<MovingFrame::Part>(part),
                                             {{constant_formula(0.7), constant_formula(-1), swing}}}});
  return elements;
}

// All numbers the elements give at a state: joint forces, wrenches, and for each element power, external, potentials.
template <class T>
std::vector<T> everything(const std::vector<Element>& elements, const Instant<T>& at, ForceSum<T>& sum) {
  std::vector<T> out;
  const std::vector<double> on{0.7};
  const auto put = [&](const Vec3<T>& a) { out.insert(out.end(), {a.x, a.y, a.z}); };
  for (const Element& e : elements) {
    evaluate<T>(e, at, on, sum);
    out.insert(out.end(), {sum.power, potential(e, at), potential_rate(e, at)});
    put(sum.external.n), put(sum.external.f);
  }
  out.insert(out.end(), sum.tau.begin(), sum.tau.end());
  for (const Wrench<T>& F : sum.F_Bo_W) put(F.n), put(F.f);
  return out;
}

class ForceScalarsTest : public testing::Test {
 protected:
  Random random{17};
  Model model = random_tree(random, 9);
  std::vector<Element> elements = elements_on(random, model);

  std::vector<double> reference(const State& s) {
    const Placed<double> placed = place(model, s);
    ForceSum<double> sum(model);
    return everything(elements, placed.instant(), sum);
  }
  template <class Pack>
  void check_pack(double tolerance) {
    constexpr int lanes = ScalarTraits<Pack>::lanes;
    std::vector<State> states;
    for (int k = 0; k < lanes; ++k) states.push_back(random_state(random, model));
    std::vector<Pack> q(states[0].q.size()), v(states[0].v.size());
    using Real = typename ScalarTraits<Pack>::Real;
    for (int k = 0; k < lanes; ++k) {
      const State& s = states[static_cast<std::size_t>(k)];
      for (std::size_t i = 0; i < q.size(); ++i) q[i].set(k, static_cast<Real>(s.q[i]));
      for (std::size_t i = 0; i < v.size(); ++i) v[i].set(k, static_cast<Real>(s.v[i]));
    }
    const Placed<Pack> placed(model, 0, q, v);
    ForceSum<Pack> sum(model);
    const std::vector<Pack> all = everything(elements, placed.instant(), sum);
    for (int k = 0; k < lanes; ++k) {
      const std::vector<double> expected = reference(states[static_cast<std::size_t>(k)]);
      ASSERT_EQ(expected.size(), all.size());
      for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_NEAR(lane(all[i], k), expected[i], tolerance * (1 + std::abs(expected[i]))) << i;
      }
    }
  }
};

TEST_F(ForceScalarsTest, Float) {
  const State s = random_state(random, model);
  const Placed<float> placed(model, 0, {s.q.begin(), s.q.end()}, {s.v.begin(), s.v.end()});
  ForceSum<float> sum(model);
  const std::vector<float> all = everything(elements, placed.instant(), sum);
  const std::vector<double> expected = reference(s);
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_NEAR(all[i], expected[i], 1e-4 * (1 + std::abs(expected[i]))) << i;
}

#ifndef MAREY_NO_PACKS
TEST_F(ForceScalarsTest, PackOfSixteenFloats) {
  check_pack<PackF16>(2e-3);
}  // near singularities angles are less sharp
TEST_F(ForceScalarsTest, PackOfEightDoubles) { check_pack<PackD8>(1e-11); }
#endif

TEST_F(ForceScalarsTest, FormulasTracedOnceHoldForAnyState) {
  ExprGraph graph;
  ExprScope scope(graph);
  std::vector<Expr> q, v;
  for (int i = 0; i < model.nq; ++i) q.push_back(Expr::variable(std::to_string(i).c_str()));
  for (int i = 0; i < model.nv; ++i) v.push_back(Expr::variable(std::to_string(model.nq + i).c_str()));
  const Placed<Expr> placed(model, 0, q, v);
  ForceSum<Expr> sum(model);
  const std::vector<Expr> all = everything(elements, placed.instant(), sum);
  for (int trial = 0; trial < 5; ++trial) {
    const State other = random_state(random, model);
    std::vector<double> inputs = other.q;
    inputs.insert(inputs.end(), other.v.begin(), other.v.end());
    const std::vector<double> values = marey::evaluate(graph, all, inputs), expected = reference(other);
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(values[i], expected[i], 1e-11 * (1 + std::abs(expected[i]))) << i;
    }
  }
}

// At the neutral pose, where swings and half of the other angles are singular, nothing becomes NaN in any scalar.
TEST_F(ForceScalarsTest, NeutralPoseIsFinite) {
  const auto check = [&]<class T>(T) {
    std::vector<T> q(static_cast<std::size_t>(model.nq), T(0)), v(static_cast<std::size_t>(model.nv), T(0));
    for (const LinkTopology& link : model.links) {
      if (freedom_count(link.joint) >= 3) q[static_cast<std::size_t>(link.q)] = T(1);
    }
    const Placed<T> placed(model, 0, q, v);
    ForceSum<T> sum(model);
    for (const T& x : everything(elements, placed.instant(), sum)) EXPECT_TRUE(all_finite(x));
  };
  check(double{}), check(float{}), check(Dual1{});
#ifndef MAREY_NO_PACKS
  check(PackF16{}), check(PackD8{});
#endif
}

TEST_F(ForceScalarsTest, NoCallAllocates) {
  const State s = random_state(random, model);
  const Placed<double> placed = place(model, s);
  const Instant<double> at = placed.instant();
  ForceSum<double> sum(model);
  std::vector<std::vector<double>> modes;
  for (Element& e : elements) {
    if (Push* push = e.kind.get_if<Push>()) {
      push->schedule.conditions.resize(2);
      push->schedule.conditions[1].quantity = Condition::Quantity::distance_from_start;
    }
    modes.emplace_back(static_cast<std::size_t>(mode_count(e)));
  }
  const long before = allocations;
  sum.clear();
  double total = 0, values[8];
  int later = 0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    start_modes(elements[i], at, true, modes[i]);
    switch_values(elements[i], at, modes[i],
                  std::span(values).first(static_cast<std::size_t>(switch_count(elements[i]))));
    switch_modes(elements[i], at, by_clock, modes[i]);
    later += next_instant(elements[i], 0, modes[i]) > 0;
    evaluate<double>(elements[i], at, modes[i], sum);
    total += potential(elements[i], at) + potential_rate(elements[i], at);
  }
  const long after = allocations;
  EXPECT_EQ(after - before, 0);
  EXPECT_EQ(later, static_cast<int>(elements.size()));
  EXPECT_TRUE(std::isfinite(total));
}

}  // namespace
}  // namespace marey::test
