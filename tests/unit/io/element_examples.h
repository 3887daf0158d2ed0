// The examples that every kind of force and torque gives of itself, on a figure with joints of several types.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "marey/force/element_maker.h"
#include "marey/io/scene.h"
#include "unit/force/trees.h"

namespace marey::element_examples {
using namespace marey::test;

inline const std::string figure = R"(marey: 1
duration: 1 s
figures:
  figure:
    links:
      trunk: {shape: {box: [30 cm, 20 cm, 50 cm]}, mass: 20 kg, start: {velocity: [1 m/s, 0, 2 m/s], spin: [1, 2, 0]}}
      arm: {parent: trunk, joint: ball, at: [0, 10 cm, 20 cm], mass: 2 kg, shape: {capsule: {radius: 4 cm, length: 30 cm, along: -z}}}
      hand: {parent: arm, joint: {type: hinge, axis: y}, at: [0, 0, -30 cm], mass: 1 kg, shape: {capsule: {radius: 3 cm, length: 20 cm, along: -z}}}
      tray: {parent: trunk, joint: {type: slider, axis: x}, at: [20 cm, 0, 0], mass: 1 kg, shape: {box: [20 cm, 20 cm, 2 cm]}}
      bolt: {parent: trunk, joint: {type: cylindrical, axis: z}, at: [0, -10 cm, 0], mass: 1 kg, shape: {box: [2 cm, 2 cm, 9 cm]}}
particles:
  dust: {points: {speck: {position: [0, 0, 3 m], mass: 1 kg}}}
)";

struct Example {
  const ElementForms& forms;
  const ElementForm& form;
  std::string value;  // behind the key

  std::string name() const { return fmt::format("{}: {}", form.keys.name, value); }
  std::string text() const { return fmt::format("{}{}s:\n  - {}: {}\n", figure, forms.what, form.keys.name, value); }
};
inline std::vector<Example> all_examples() {
  std::vector<Example> all;
  for (const ElementForms* forms : {&force_forms(), &torque_forms()})
    for (const ElementForm* form : forms->all)
      for (const char* value : form->examples) all.push_back({*forms, *form, value});
  return all;
}

// With the element's switches as they are at a state, or all on.
inline void evaluate_on(const Element& e, const Instant<double>& at, ForceSum<double>& sum) {
  std::vector<double> modes(static_cast<std::size_t>(mode_count(e)), 1.0);
  if (switches_at_corners_alone(e)) start_modes(e, at, true, modes);
  sum.clear();
  evaluate(e, at, modes, sum);
}

template <class Check>
void on_random_states(const Scene& scene, Check check) {
  Random random{23};
  for (int k = 0; k < 40; ++k) {
    State state = random_state(random, scene.model);
    state.t = random.uniform(0.05, 1.9);
    for (const Element& e : scene.elements) check(e, state);
  }
}

}  // namespace marey::element_examples
