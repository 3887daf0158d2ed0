// Every kind of constraint that scenes know, by the examples it gives of itself: read, written and read again; its rows against
// difference quotients along motions; made on the way, it holds where it is. A new kind is in here by its line in the list
// (src/constraint/constraint_forms.cpp).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "marey/constraint/constraint_maker.h"
#include "marey/dynamics.h"
#include "marey/integrate.h"
#include "marey/io/scene.h"
#include "marey/simulation.h"
#include "unit/io/forms.h"
#include "unit/io/scene_numbers.h"

namespace marey::constraint_forms_test {
namespace {

const std::string figure = R"(marey: 1
duration: 1 s
start: projected
figures:
  figure:
    links:
      trunk: {shape: {box: [30 cm, 20 cm, 50 cm]}, mass: 20 kg, start: {position: [0.1, 0.2, 0.3], turned: {axis: [1, 2, 1], angle: 40 deg}}}
      arm: {parent: trunk, joint: ball, at: [0, 10 cm, 20 cm], mass: 2 kg, shape: {capsule: {radius: 4 cm, length: 30 cm, along: -z}}, start: {turned: {axis: [1, 1, 3], angle: 50 deg}}}
      hand: {parent: arm, joint: {type: hinge, axis: y}, at: [0, 0, -30 cm], mass: 1 kg, shape: {capsule: {radius: 3 cm, length: 20 cm, along: -z}}, start: {angle: 30 deg}}
      tray: {parent: trunk, joint: {type: slider, axis: x}, at: [20 cm, 0, 0], mass: 1 kg, shape: {box: [20 cm, 20 cm, 2 cm]}}
      pinion: {parent: trunk, joint: {type: hinge, axis: z}, at: [10 cm, 5 cm, 10 cm], mass: 0.3 kg, shape: {cylinder: {radius: 2 cm, length: 1 cm, along: z}}, start: {angle: 20 deg}}
      wheel: {parent: trunk, joint: {type: hinge, axis: -z}, at: [14 cm, 8 cm, 12 cm], mass: 1 kg, shape: {cylinder: {radius: 4 cm, length: 1 cm, along: z}}}
)";

struct Example {
  const ConstraintForm& form;
  std::string value;
  std::string text() const { return fmt::format("{}constraints:\n  - {}: {}\n", figure, form.key, value); }
};
std::vector<Example> all_examples() {
  std::vector<Example> all;
  for (const ConstraintForm* form : constraint_forms())
    for (const char* value : form->examples) all.push_back({*form, value});
  return all;
}

// The constraint of an example, on the figure, without asking whether a start can be found.
struct Made {
  explicit Made(const Example& example) {
    const SceneSpec spec = parse_spec(example.text(), "example");
    SceneSpec alone = spec;
    alone.erase("constraints");
    alone.erase("start");
    scene = build(alone);
    const Value* entry = spec.find(fmt::format("constraints/0/{}", example.form.key));
    MapReader map(*entry, example.form.keys);
    make_constraint(map, example.form, ConstraintMaker(scene.model, scene.start, false), constraint);
  }
  Scene scene;
  Constraint constraint;
};

struct Measured {
  std::array<ConstraintRow, most_rows> rows;
  int count = 0;
};
Measured measured(const Model& model, const Constraint& c, const State& s) {
  Kinematics<double> k(model);
  forward_kinematics<double>(model, model.params, s.q, s.v, k);
  Measured m;
  m.count = row_count(c);
  for (ConstraintRow& row : m.rows) {  // what was in them before does not count
    row.part_count = 1, row.parts[0] = {1, {{7, 7, 7}, {7, 7, 7}}, 7};
    row.holonomic = false, row.value = row.rate = row.time_rate = row.bias = 7;
  }
  constraint_rows(c, {model, s.t, s.q, s.v, k.X_WB, k.V_WB},
                  std::span(m.rows).first(static_cast<std::size_t>(m.count)));
  return m;
}
// Along a motion with constant velocities of the joints.
State moved(const Model& model, const State& s, double h) {
  State out = s;
  std::vector<double> xi(s.v);
  for (double& x : xi) x *= h;
  advance<double>(model, s.q, xi, Turn::exponential, out.q);
  out.t += h;
  return out;
}

TEST(ConstraintForms, ExamplesAreReadWrittenAndReadAgain) {
  for (const Example& example : all_examples()) {
    SCOPED_TRACE(example.text());
    const SceneSpec spec = parse_spec(example.text(), "example");
    const SceneSpec again = parse_spec(to_yaml(spec.root()), "example");
    EXPECT_EQ(to_yaml(again.root()), to_yaml(spec.root()));
    const Made made(example);
    EXPECT_EQ(refusal(made.scene.model, made.constraint), "");
    EXPECT_GE(row_count(made.constraint), 1);
    EXPECT_LE(row_count(made.constraint), most_rows);
  }
}

TEST(ConstraintForms, EveryKeyIsInAnExample) {
  std::map<std::string, std::string> of_table;
  for (const Example& example : all_examples()) of_table[example.form.keys.name] += example.value;
  for (const ConstraintForm* form : constraint_forms())
    for (const KeyInfo& info : form->keys.keys) {
      const bool common = info.key == "name" || info.key == "from" || info.key == "until" || info.key == "when" ||
                          info.key == "a" || info.key == "at" || info.key == "at_b";
      EXPECT_TRUE(common || of_table[form->keys.name].find(info.key + ": ") != std::string::npos)
          << form->key << ": " << info.key;
    }
}

TEST(ConstraintForms, AKeyTooManyAndAKeyTooFewAreRefused) {
  for (const Example& example : all_examples())
    forms::expect_keys_are_minded(parse_spec(example.text(), "example"),
                                  fmt::format("constraints/0/{}", example.form.key), example.form.keys);
}

TEST(ConstraintForms, EveryKeyOfAnExampleMatters) {
  for (const Example& example : all_examples())
    forms::expect_keys_matter(parse_spec(example.text(), "example"), fmt::format("constraints/0/{}", example.form.key));
}

// Of rows that are holonomic, rate = dg/dt; of all, the bias is what is left of the rate's derivative when the joints' velocities
// stay as they are, the links' own accelerations counted along.
TEST(ConstraintForms, RatesAndBiasesAreDifferenceQuotients) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  int compared = 0;
  for (const Example& example : all_examples()) {
    SCOPED_TRACE(example.value);
    const Made made(example);
    const Model& model = made.scene.model;
    for (int trial = 0; trial < 10; ++trial) {
      State state = made.scene.start;
      for (double& v : state.v) v = normal(random);
      state = moved(model, state, 0.1);
      state.t = 0.3 + 0.05 * trial;
      Constraint c = made.constraint;
      c.since = 0.2;
      const Measured now = measured(model, c, state);
      const auto at = [&](double h) { return measured(model, c, moved(model, state, h)); };
      const Measured a = at(1e-4), b = at(-1e-4), a2 = at(2e-4), b2 = at(-2e-4);
      BiasMotion bias(model);
      Kinematics<double> k(model);
      forward_kinematics<double>(model, model.params, state.q, state.v, k);
      bias_motion(model, model.params, state.q, state.v, k, bias);
      MotionAxes axes(model);
      motion_axes(model, model.params, k, axes);
      for (std::size_t i = 0; i < static_cast<std::size_t>(now.count); ++i) {
        const auto slope = [&](auto of) {
          return (8 * (of(a.rows[i]) - of(b.rows[i])) - (of(a2.rows[i]) - of(b2.rows[i]))) / 12e-4;
        };
        const double rate = slope([](const ConstraintRow& r) { return r.value; });
        const double bent = slope([](const ConstraintRow& r) { return r.rate; });
        const double scale = 1 + std::abs(now.rows[i].rate) + std::abs(now.rows[i].bias);
        if (!std::isfinite(scale)) continue;
        if (now.rows[i].holonomic) {
          EXPECT_NEAR(now.rows[i].rate, rate, 1e-6 * scale);
        }
        EXPECT_NEAR(bias_of(now.rows[i], bias), bent, 2e-5 * scale);
        RowSet rows(model, 1);
        add_row(model, now.rows[i], axes, bias, rows);
        double J_v = 0;
        for (std::size_t j = 0; j < state.v.size(); ++j) J_v += rows[0].J[j] * state.v[j];
        EXPECT_NEAR(J_v + now.rows[i].time_rate, now.rows[i].rate, 1e-12 * scale);
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 300);
}

// Frames, lengths and offsets are taken over; couplers and drives that are given a motion of their own keep it.
TEST(ConstraintForms, MadeOnTheWayItHoldsWhereItIs) {
  int held = 0;
  for (const Example& example : all_examples()) {
    SCOPED_TRACE(example.value);
    const Made made(example);
    State state = made.scene.start;
    for (std::size_t i = 0; i < state.v.size(); ++i) state.v[i] = 0.3 + 0.1 * static_cast<double>(i);
    state = moved(made.scene.model, state, 0.5);
    Kinematics<double> k(made.scene.model);
    forward_kinematics<double>(made.scene.model, made.scene.model.params, state.q, state.v, k);
    Constraint c = taken_as_is(made.constraint, {made.scene.model, state.t, state.q, state.v, k.X_WB, k.V_WB});
    const Measured before = measured(made.scene.model, made.constraint, state),
                   now = measured(made.scene.model, c, state);
    double off = 0, was = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(now.count); ++i)
      off = std::max(off, std::abs(now.rows[i].value)), was = std::max(was, std::abs(before.rows[i].value));
    const bool loop = c.kind.get_if<LoopJoint>() != nullptr || c.kind.get_if<FixedDistance>() != nullptr;
    if (loop && std::string(example.form.key) != "surface") {
      EXPECT_LT(off, 1e-12);
      EXPECT_GT(was, 1e-3);
      ++held;
    }
    // What it took over can be kept and given back.
    Constraint again = made.constraint;
    again.b = c.b;
    for (std::size_t i = 0; i < 2; ++i)
      if (made_numbers(again)[i] != nullptr) *made_numbers(again)[i] = *made_numbers(c)[i];
    const Measured restored = measured(made.scene.model, again, state);
    for (std::size_t i = 0; i < static_cast<std::size_t>(now.count); ++i)
      EXPECT_EQ(restored.rows[i].value, now.rows[i].value);
  }
  EXPECT_GE(held, 10);
}

// From a start that fits it, as far as one is found, it holds while the figure falls, and its books close: by steps of 1 ms, whose
// errors are put right.
TEST(ConstraintForms, HoldsAlongARun) {
  std::size_t held = 0;
  for (const Example& example : all_examples()) {
    SCOPED_TRACE(example.value);
    Scene scene;
    if (!trouble::of(ErrorKind::bad_input, [&] { scene = parse_scene(example.text(), "example"); }).empty()) continue;
    Simulation simulation(scene);
    while (simulation.time() < 0.05) {
      ASSERT_NO_THROW(simulation.step());
      EXPECT_LT(simulation.value("constraints/error"), 1e-9) << simulation.time();
    }
    const Ledger ledger = simulation.ledger();
    EXPECT_LT(ledger.energy_residual_relative, 1e-6);
    EXPECT_LT(ledger.linear_momentum_residual_relative, 1e-6);
    EXPECT_LT(ledger.angular_momentum_residual_relative, 1e-6);
    ++held;
  }
  EXPECT_GT(held, 2 * all_examples().size() / 3);
}

}  // namespace
}  // namespace marey::constraint_forms_test
