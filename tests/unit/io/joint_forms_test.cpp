// Every kind of joint that scenes know, by the examples it gives of itself: read, written and read again; twists of links against
// difference quotients of their poses, and forward dynamics against inverse. A new kind is in here by its line in the list
// (src/model/joint_forms.cpp).
#include "marey/model/joint_forms.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "marey/dynamics.h"
#include "marey/integrate.h"
#include "marey/io/scene.h"
#include "support/trouble.h"
#include "unit/io/forms.h"
#include "unit/io/scene_numbers.h"

namespace marey::joint_forms_test {
namespace {

// A free trunk, the joint in question with axes turned, and a hinge behind it.
std::string figure_with(const char* joint) {
  return fmt::format(R"(marey: 1
duration: 1 s
figures:
  f:
    links:
      trunk: {{shape: {{box: [30 cm, 20 cm, 50 cm]}}, mass: 20 kg}}
      part: {{parent: trunk, joint: {}, at: [10 cm, 0, 20 cm], turned: {{axis: [1, 2, 3], angle: 50 deg}}, mass: 2 kg, shape: {{box: {{size: [10 cm, 20 cm, 30 cm], center: [2 cm, 3 cm, 10 cm]}}}}}}
      tip: {{parent: part, joint: {{type: hinge, axis: x}}, at: [0, 0, 30 cm], mass: 1 kg, shape: {{capsule: {{radius: 3 cm, length: 20 cm, along: z}}}}}}
)",
                     joint);
}

template <class Check>
void for_each_example(Check check) {
  for (const JointForm* form : joint_forms()) {
    EXPECT_FALSE(form->examples.empty()) << form->name;
    for (const char* example : form->examples) {
      SCOPED_TRACE(example);
      check(figure_with(example));
    }
  }
}

State random_state(const Model& model, std::mt19937& random) {
  std::normal_distribution<double> normal(0, 0.4);
  State s = neutral_state(model);
  std::vector<double> xi(s.v.size());
  for (double& x : xi) x = normal(random);
  advance<double>(model, s.q, xi, Turn::exponential, s.q);
  for (double& v : s.v) v = normal(random);
  return s;
}

TEST(JointForms, ExamplesAreReadWrittenAndReadAgain) {
  for_each_example([](const std::string& text) {
    const SceneSpec spec = parse_spec(text, "example");
    const SceneSpec again = parse_spec(to_yaml(spec.root()), "example");
    EXPECT_EQ(scene_numbers::text_of(build(again)), scene_numbers::text_of(build(spec)));
  });
}

// ---- keys
const std::string joint_path = "figures/f/links/part/joint";

TEST(JointForms, EveryKeyIsInAnExample) {
  for (const JointForm* form : joint_forms()) {
    std::string examples;
    for (const char* e : form->examples) examples += e;
    for (const KeyInfo& info : form->keys)
      EXPECT_NE(examples.find(info.key + ": "), std::string::npos) << form->name << ": " << info.key;
  }
}

TEST(JointForms, EveryKeyOfAnExampleMatters) {
  for_each_example([](const std::string& text) {
    const SceneSpec spec = parse_spec(text, "example");
    if (spec.find(joint_path)->kind == Value::Kind::map) forms::expect_all_keys_matter(spec, joint_path);
  });
}

// A coordinate that turns nothing is a length, and one that turns is none: units, stops and drives go by it.
TEST(JointForms, CoordinatesThatTurnNothingAreLengths) {
  std::mt19937 random(3);
  for_each_example([&](const std::string& text) {
    const Scene scene = parse_scene(text, "example");
    const Model& model = scene.model;
    const auto part = static_cast<int>(std::ranges::find(model.names, "f.part") - model.names.begin());
    const std::vector<JointCoordinate> freedoms = freedoms_of(model, part);
    const int first = model.links[static_cast<std::size_t>(part)].v;
    for (std::size_t k = 0; k < freedoms.size(); ++k) {
      double turns = 0;
      for (int round = 0; round < 5; ++round) {
        State s = random_state(model, random);
        std::fill(s.v.begin(), s.v.end(), 0);
        s.v[static_cast<std::size_t>(first) + k] = 1;
        Kinematics<double> at(model);
        forward_kinematics<double>(model, model.params, s.q, s.v, at);
        turns = std::max(turns, norm(at.V_WB[static_cast<std::size_t>(part)].w));
      }
      EXPECT_EQ(freedoms[k].is_length, turns < 1e-12) << freedoms[k].name;
    }
  });
}

// The keys of all joints stand in one table: each joint has to refuse those of the others.
TEST(JointForms, KeysOfOtherJointsAreRefused) {
  for (const JointForm* form : joint_forms())
    for (const JointForm* other : joint_forms())
      for (const KeyInfo& info : other->keys) {
        if (std::ranges::any_of(form->keys, [&](const KeyInfo& own) { return own.key == info.key; })) continue;
        const SceneSpec of_other = parse_spec(figure_with(other->examples.front()), "example");
        const Value* value = of_other.find(joint_path + "/" + info.key);
        for (const char* example : form->examples) {
          SceneSpec more = parse_spec(figure_with(example), "example");
          if (more.find(joint_path)->kind != Value::Kind::map) more.set(joint_path, Value::map({{"type", form->name}}));
          value != nullptr ? more.set(joint_path + "/" + info.key, *value) : more.set(joint_path + "/" + info.key, 1);
          EXPECT_NE(trouble::of(ErrorKind::bad_input, [&] { build(more); }), "")
              << form->name << " takes " << info.key << ", which is " << other->name << "'s";
        }
      }
}

// … and those of the same name are the same.
TEST(JointForms, KeysOfOneNameTakeTheSame) {
  for (const JointForm* form : joint_forms())
    for (const KeyInfo& info : form->keys) {
      ASSERT_NE(joint_keys().find(info.key), nullptr);
      EXPECT_EQ(joint_keys().find(info.key)->form, info.form) << form->name << ": " << info.key;
    }
}

TEST(JointForms, TwistsAreDifferenceQuotientsOfPoses) {
  std::mt19937 random(3);
  for_each_example([&](const std::string& text) {
    const Model model = parse_scene(text, "example").model;
    for (int trial = 0; trial < 5; ++trial) {
      const State s = random_state(model, random);
      const auto at = [&](double h) {
        std::vector<double> xi(s.v), q(s.q);
        for (double& x : xi) x *= h;
        advance<double>(model, s.q, xi, Turn::exponential, q);
        Kinematics<double> k(model);
        forward_kinematics<double>(model, model.params, q, s.v, k);
        return k;
      };
      constexpr double h = 1e-4;
      const Kinematics<double> now = at(0), ahead = at(h), behind = at(-h);
      for (std::size_t i = 1; i < model.links.size(); ++i) {
        const Vec3<double> v = (0.5 / h) * (ahead.X_WB[i].p - behind.X_WB[i].p);
        EXPECT_LT(norm(v - now.V_WB[i].v), 1e-6 * (1 + norm(v)));
        // Ṙ Rᵀ is the skew matrix of the angular velocity.
        const Mat3<double> W = (ahead.X_WB[i].R - behind.X_WB[i].R) * transpose(now.X_WB[i].R);
        const Vec3<double> w{W.zy * 0.5 / h, W.xz * 0.5 / h, W.yx * 0.5 / h};
        EXPECT_LT(norm(w - now.V_WB[i].w), 1e-6 * (1 + norm(w)));
      }
    }
  });
}

TEST(JointForms, ForwardDynamicsUndoesInverse) {
  std::mt19937 random(7);
  for_each_example([&](const std::string& text) {
    const Model model = parse_scene(text, "example").model;
    const State s = random_state(model, random);
    std::normal_distribution<double> normal;
    std::vector<double> wanted(s.v.size()), tau(s.v.size()), vdot(s.v.size());
    for (double& x : wanted) x = normal(random);
    const std::vector<Wrench<double>> none(model.links.size());
    RneaWorkspace<double> rnea_space(model);
    rnea<double>(model, model.params, s.q, s.v, wanted, none, rnea_space, tau);
    AbaWorkspace<double> aba_space(model);
    aba<double>(model, model.params, s.q, s.v, Forces<double>{tau, none}, aba_space, vdot);
    for (std::size_t k = 0; k < vdot.size(); ++k)
      EXPECT_NEAR(vdot[k], wanted[k], 1e-9 * (1 + std::abs(wanted[k]))) << k;
  });
}

}  // namespace
}  // namespace marey::joint_forms_test
