// Every kind of force and torque that scenes know, by the examples it gives of itself: read, written and read again; its force
// against its potential, its power against its nature, its derivatives against difference quotients. A new kind is in here by
// its line in the list (src/force/element_forms.cpp).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "marey/force/element_maker.h"
#include "marey/io/scene.h"
#include "support/trouble.h"
#include "unit/io/element_examples.h"
#include "unit/io/forms.h"
#include "unit/io/scene_numbers.h"

namespace marey::element_forms_test {
namespace {
using namespace marey::element_examples;

TEST(ElementForms, EveryKeyIsInAnExample) {
  for (const ElementForms* forms : {&force_forms(), &torque_forms()}) {
    for (const ElementForm* form : forms->all) {
      std::string examples;
      for (const char* e : form->examples) examples += e;
      for (const KeyInfo& info : form->keys.keys)
        EXPECT_TRUE(examples.find(info.key + ": ") != std::string::npos)
            << "no example of '" << form->keys.name << "' has the key '" << info.key << "'";
    }
  }
}

TEST(ElementForms, ExamplesAreReadWrittenAndReadAgain) {
  for (const Example& example : all_examples()) {
    SCOPED_TRACE(example.text());
    const SceneSpec spec = parse_spec(example.text(), "example");
    const Scene scene = build(spec);
    EXPECT_FALSE(scene.elements.empty());
    for (const Element& e : scene.elements) EXPECT_EQ(refusal(scene.model, e), "");
    const SceneSpec again = parse_spec(to_yaml(spec.root()), "example");
    EXPECT_EQ(scene_numbers::text_of(build(again)), scene_numbers::text_of(scene));
  }
}

TEST(ElementForms, AKeyTooManyAndAKeyTooFewAreRefused) {
  for (const Example& example : all_examples())
    forms::expect_keys_are_minded(parse_spec(example.text(), "example"),
                                  fmt::format("{}s/0/{}", example.forms.what, example.form.keys.name),
                                  example.form.keys);
}

TEST(ElementForms, EveryKeyOfAnExampleMatters) {
  for (const Example& example : all_examples())
    forms::expect_keys_matter(parse_spec(example.text(), "example"),
                              fmt::format("{}s/0/{}", example.forms.what, example.form.keys.name));
}

// What an element does at random states, with its switches as they are there or all on.
std::vector<double> deeds(const Scene& scene, const Element& e) {
  std::vector<double> all;
  on_random_states(scene, [&](const Element& own, const State& state) {
    if (&own != &scene.elements.front()) return;  // once for each state
    const Placed<double> placed = place(scene.model, state);
    ForceSum<double> sum(scene.model);
    evaluate_on(e, placed.instant(), sum);
    all.push_back(potential(e, placed.instant()));
    all.insert(all.end(), sum.tau.begin(), sum.tau.end());
    for (const Wrench<double>& F : sum.F_Bo_W) all.insert(all.end(), {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z});
  });
  return all;
}
// Tables and formulas are functions of time; these are not numbers.
bool is_function(const Value& value) {
  if (value.kind != Value::Kind::list) return value.quoted;
  return std::ranges::any_of(value.items,
                             [](const ValuePtr& item) { return item->kind == Value::Kind::list || item->quoted; });
}
bool nearly_same(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::abs(a[i] - b[i]) > 1e-12 * (1 + std::abs(a[i]) + std::abs(b[i]))) return false;
  return a.size() == b.size();
}

// What becomes of keys that are given other values while elements act.
struct Changes {
  std::set<std::string> fixed, changed;  // kind/key: the element does not do as with that value in the scene, or does
  std::set<std::pair<std::string, std::string>> named;  // kind/key, and the number that follows it

  void add(const std::string& name, const Scene& scene, const Scene& other) {
    ASSERT_EQ(other.elements.size(), scene.elements.size()) << name;
    for (std::size_t i = 0; i < scene.elements.size(); ++i) {
      Element element = scene.elements[i];
      const std::vector<double> wanted = deeds(other, other.elements[i]);
      if (nearly_same(deeds(scene, element), wanted)) continue;  // nothing that it does
      std::set<std::pair<std::string, std::string>> now;
      const std::vector<std::string> numbers = numbers_of(element);
      for (std::size_t n = 0; n < numbers.size(); ++n) {
        if (number_of(element, n) != number_of(other.elements[i], n)) now.insert({name, numbers[n]});
        set_number(element, n, number_of(other.elements[i], n));
      }
      const bool follows = nearly_same(deeds(scene, element), wanted);
      (follows ? changed : fixed).insert(name);
      // Friction of joints is asked for in many places, under their own words.
      if (follows && std::string(word_of(element)) != "friction") named.merge(now);
    }
  }
};
void change_quantities(const Example& example, Changes& changes) {
  const std::string path = fmt::format("{}s/0/{}", example.forms.what, example.form.keys.name);
  const SceneSpec spec = parse_spec(example.text(), "example");
  const Scene scene = build(spec);
  for (const KeyInfo& info : example.form.keys.keys) {
    const Value* given = spec.find(path + "/" + info.key);
    const bool quantity = info.form.find("q:") != std::string::npos || info.form.find("v:") != std::string::npos;
    if (!quantity || info.form.starts_with("q:time") || given == nullptr || is_function(*given)) continue;
    for (const Value& value : forms::other_values(*given)) {
      SceneSpec other_spec = spec;
      other_spec.set(path + "/" + info.key, value);
      Scene other;
      if (trouble::of(ErrorKind::bad_input, [&] { other = build(other_spec); }).empty())
        changes.add(example.form.keys.name + "/" + info.key, scene, other);
    }
  }
}

// A quantity that is given another value in the scene, or while the element acts, does the same: one that the kind has forgotten among its
// numbers could not be changed by hand, and nobody would be told. Those that stay as they are the form names.
TEST(ElementForms, QuantitiesAreAmongTheNumbersThatCanBeChanged) {
  Changes changes;
  for (const Example& example : all_examples()) change_quantities(example, changes);
  std::set<std::string> fixed;
  for (const ElementForms* all : {&force_forms(), &torque_forms()})
    for (const ElementForm* form : all->all)
      for (const char* key : form->fixed) fixed.insert(form->keys.name + "/" + key);
  for (const std::string& key : changes.fixed)
    EXPECT_TRUE(fixed.contains(key)) << key << " is neither among its kind's numbers() nor fixed in its form";
  for (const std::string& key : changes.changed)
    EXPECT_FALSE(fixed.contains(key)) << key << " can be changed, and is called fixed";
  for (const auto& [key, number] : changes.named) {
    const std::string word = key.substr(key.find('/') + 1);
    EXPECT_TRUE(number == word || number.starts_with(word + "/"))
        << key << " is called '" << number << "' among the numbers";
  }
  EXPECT_GT(changes.changed.size(), 15u);
}

// Quantities out of their range, and of another kind.
TEST(ElementForms, QuantitiesOutOfRangeAreRefused) {
  int tried = 0;
  for (const Example& example : all_examples()) {
    const std::string path = fmt::format("{}s/0/{}", example.forms.what, example.form.keys.name);
    for (const KeyInfo& info : example.form.keys.keys) {
      const SceneSpec spec = parse_spec(example.text(), "example");
      const Value* given = spec.find(path + "/" + info.key);
      const QuantityForm form = quantity_form(info.form, 'q');
      if (form.kind == nullptr || given == nullptr || given->kind != Value::Kind::scalar) continue;
      const auto refused = [&](const char* value) {
        SceneSpec changed = spec;
        changed.set(path + "/" + info.key, value);
        return trouble::of(ErrorKind::bad_input, [&] { build(changed); });
      };
      EXPECT_NE(refused("3 kg m^7"), "") << path << "/" << info.key;
      EXPECT_NE(refused("1e300"), "") << path << "/" << info.key;
      if (form.range != Range::any) {
        EXPECT_NE(refused("-1"), "") << path << "/" << info.key;
      }
      if (form.range == Range::positive) {
        EXPECT_NE(refused("0"), "") << path << "/" << info.key;
      }
      ++tried;
    }
  }
  EXPECT_GT(tried, 30);
}

// Along the motion dV/dt = −power + ∂V/∂t; where two step sizes disagree there is a kink, and the state is passed over.
TEST(ElementForms, ConservativeOnesAreMinusTheDerivativeOfTheirPotential) {
  int tried = 0, smooth = 0;
  for (const Example& example : all_examples()) {
    SCOPED_TRACE(example.name());
    const Scene scene = parse_scene(example.text(), "example");
    on_random_states(scene, [&](const Element& e, const State& state) {
      const auto V = [&](double h) {
        State s = moved(scene.model, state, h);
        s.t += h;
        return potential(e, place(scene.model, s).instant());
      };
      if (nature_of(e) != Nature::conservative) {
        EXPECT_EQ(V(0), 0);
        return;
      }
      const auto slope = [&](double h) {
        return (45 * (V(h) - V(-h)) - 9 * (V(2 * h) - V(-2 * h)) + V(3 * h) - V(-3 * h)) / (60 * h);
      };
      const Placed<double> placed = place(scene.model, state);
      ForceSum<double> sum(scene.model);
      evaluate_on(e, placed.instant(), sum);
      const double scale = 1 + std::abs(sum.power) + std::abs(V(0)), running = slope(5e-4);
      ++tried;
      if (std::abs(running - slope(1e-3)) > 1e-7 * scale) return;
      ++smooth;
      EXPECT_NEAR(running, potential_rate(e, placed.instant()) - sum.power, 1e-7 * scale);
    });
  }
  EXPECT_GT(smooth, 8 * tried / 10);
  EXPECT_GT(tried, 300);
}

TEST(ElementForms, PassiveOnesNeverPutEnergyIn) {
  double spent = 0;
  for (const Example& example : all_examples()) {
    SCOPED_TRACE(example.name());
    const Scene scene = parse_scene(example.text(), "example");
    on_random_states(scene, [&](const Element& e, const State& state) {
      if (nature_of(e) != Nature::passive) return;
      const Placed<double> placed = place(scene.model, state);
      ForceSum<double> sum(scene.model);
      evaluate_on(e, placed.instant(), sum);
      EXPECT_LE(sum.power, 0);
      spent -= sum.power;
    });
  }
  EXPECT_GT(spent, 100);
}

// What a change of place and velocity along the motion does to forces: by dual numbers, and by differences.
TEST(ElementForms, DualsAreDifferenceQuotients) {
  int tried = 0, smooth = 0;
  for (const Example& example : all_examples()) {
    SCOPED_TRACE(example.name());
    const Scene scene = parse_scene(example.text(), "example");
    const Model& model = scene.model;
    on_random_states(scene, [&](const Element& e, const State& state) {
      std::vector<double> modes(static_cast<std::size_t>(mode_count(e)), 1.0);
      if (switches_at_corners_alone(e)) start_modes(e, place(model, state).instant(), true, modes);
      const auto forces = [&](double h) {
        State s = moved(model, state, h);
        for (double& v : s.v) v *= 1 + h;
        ForceSum<double> sum(model);
        evaluate<double>(e, place(model, s).instant(), modes, sum);
        std::vector<double> all(sum.tau);
        for (const Wrench<double>& F : sum.F_Bo_W) all.insert(all.end(), {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z});
        return all;
      };
      const std::vector<double> rate = rates(model, state);
      std::vector<Dual<1>> q(state.q.begin(), state.q.end()), v(state.v.begin(), state.v.end());
      for (std::size_t i = 0; i < q.size(); ++i) q[i].d[0] = rate[i];
      for (std::size_t i = 0; i < v.size(); ++i) v[i].d[0] = state.v[i];
      ForceSum<Dual<1>> sum(model);
      evaluate<Dual<1>>(e, Placed<Dual<1>>(model, state.t, q, v).instant(), modes, sum);
      std::vector<Dual<1>> dual(sum.tau);
      for (const Wrench<Dual<1>>& F : sum.F_Bo_W) dual.insert(dual.end(), {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z});
      const std::vector<double> ahead = forces(1e-5), behind = forces(-1e-5), further = forces(2e-5),
                                back = forces(-2e-5);
      for (std::size_t i = 0; i < dual.size(); ++i) {
        const double slope = (8 * (ahead[i] - behind[i]) - (further[i] - back[i])) / 12e-5;
        const double coarse = (further[i] - back[i]) / 4e-5, scale = 1 + std::abs(slope) + std::abs(ahead[i]);
        ++tried;
        if (std::abs(slope - coarse) > 1e-5 * scale) continue;
        ++smooth;
        EXPECT_NEAR(dual[i].d[0], slope, 1e-6 * scale);
      }
    });
  }
  EXPECT_GT(smooth, 9 * tried / 10);
}

}  // namespace
}  // namespace marey::element_forms_test
