// Conditions of touching (when: {touching: …}): what switches when somebody lands, under both drivers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "marey/io/scene.h"
#include "marey/simulation.h"
#include "sim/world.h"

namespace marey {
namespace touching_test {

constexpr double g = 9.81, h = 1e-3;

// A ball of 10 cm falls from 1 m, on the scene's own floor, and something else is switched.
std::string falling(const std::string& floor, const std::string& more) {
  return "marey: 1\nduration: 2 s\nfigures: {ball: {links: {b: {shape: {sphere: 10 cm}, mass: 1 kg, start: {position: "
         "[0, "
         "0, 1 m]}}}}, flag: {links: {b: {shape: {sphere: 1 cm}, mass: 1 kg, start: {position: [5 m, 0, 3 m]}}}}}\n" +
         floor + more;
}
std::string points(const std::string& driver, const std::string& restitution) {
  return "solver: {step: 1 ms, contact: " + driver +
         "}\ncontacts: [{link: ball.b, name: ground, restitution: " + restitution + "}]\n";
}
const std::string shapes = "solver: {step: 1 ms}\nscenery: {floor: {plane: 0}}\ncollide: [[ball, floor]]\n";
std::string kick(const std::string& when, const std::string& lasts = "0.1 s") {
  return "forces: [{spike: {link: flag.b, force: [1 N, 0, 0], lasts: " + lasts + ", when: " + when + "}}]\n";
}
Simulation simulated(const std::string& text) { return Simulation(parse_scene(text, "test.yaml")); }

// When the flag began to be pushed, by its speed: 1 m/s² from then on, for as long as that.
double began(Simulation& s, double until, double lasts) {
  s.run_until(until);
  const double v = s.values("link/flag.b/velocity")[0];
  if (v == 0) return forever;
  EXPECT_LT(v, lasts) << "it was over by then";
  return until - v;
}

const double lands = std::sqrt(2 * 0.9 / g);

TEST(Touching, WhatLandsSwitchesAtOnce) {
  for (const char* when : {"{touching: ball}", "{touching: ball.b}", "{touching: b*}", "{touching: [ball, ground]}",
                           "{touching: [g*, ball.b]}", "[{touching: ball}, {speed_of: flag.b, below: 100 m/s}]"})
    for (const char* restitution : {"0", "0.5"}) {
      Simulation s = simulated(falling(points("events", restitution), kick(when)));
      EXPECT_NEAR(began(s, 0.5, 0.1), lands, 1e-12) << when << " " << restitution;
    }
}

// In steps it is known where the step ends.
TEST(Touching, InStepsWithinOne) {
  const std::string soft = "materials: {default: {restitution: 0.5}}\n";
  for (const std::string& floor : {points("stepping", "0"), points("stepping", "0.5"), shapes, shapes + soft}) {
    Simulation s = simulated(falling(floor, kick("{touching: ball}")));
    const double t = began(s, 0.5, 0.1);
    EXPECT_GT(t, lands - h) << floor;
    EXPECT_LT(t, lands + 1.5 * h) << floor;
  }
  Simulation pair = simulated(falling(shapes, kick("{touching: [floor, ball.*]}")));
  EXPECT_NEAR(began(pair, 0.5, 0.1), lands, 1.5 * h);
}

// From the start until it lands again, in the air and on the ground.
TEST(Touching, NotIsItsContrary) {
  for (const std::string& floor : {points("events", "0"), points("stepping", "0"), shapes}) {
    Simulation in_the_air = simulated(falling(floor, kick("{not: {touching: ball}}")));
    EXPECT_NEAR(began(in_the_air, 0.05, 0.1), 0, 1e-12) << floor;
    std::string lying = falling(floor, kick("{touching: ball}"));
    lying.replace(lying.find("0, 1 m"), 6, "0, 10 cm");
    Simulation rests = simulated(lying);
    EXPECT_NEAR(began(rests, 0.05, 0.1), 0, 1e-12) << floor;
    lying.replace(lying.find("{touching: ball}"), 16, "{not: {touching: ball}}");
    Simulation never = simulated(lying);
    EXPECT_EQ(began(never, 0.05, 0.1), forever) << floor;
  }
}

TEST(Touching, EveryBounceCountsAgain) {
  for (const char* driver : {"events", "stepping"}) {
    // Up again after 2 e v/g; by then the first push of 1 ms is long over.
    Simulation s = simulated(falling(points(driver, "0.5"), kick("{touching: ball}, every: 2 ms", "1 ms")));
    const double v = std::sqrt(2 * g * 0.9), again = lands + 2 * 0.5 * v / g;
    s.run_until(again - 5e-3);
    EXPECT_NEAR(s.values("link/flag.b/velocity")[0], 1e-3, 1e-12) << driver;
    s.run_until(again + 5e-3);
    EXPECT_NEAR(s.values("link/flag.b/velocity")[0], 2e-3, 1e-12) << driver;
  }
}

// What a sensor feels does not push it.
TEST(Touching, SensorsFeelTheirOwn) {
  const std::string gate =
      "solver: {step: 1 ms}\nscenery: {gate: {shape: {box: [1 m, 1 m, 10 cm]}, at: [0, 0, 50 cm]}}\n"
      "collide: {pairs: [[ball, gate]], sensors: [gate]}\n";
  Simulation s = simulated(falling(gate, kick("{touching: [ball, gate]}")));
  const double meets = std::sqrt(2 * (1 - 0.1 - 0.55) / g);
  EXPECT_NEAR(began(s, 0.33, 0.1), meets, 1.5 * h);
}

// A constraint is made at the instant: what lands is held from then on.
TEST(Touching, ConstraintsAreMadeByIt) {
  for (const std::string& floor : {points("events", "0.9"), points("stepping", "0.9")}) {
    Simulation s = simulated(falling(floor, "constraints: [{weld: {a: ball.b, b: world, when: {touching: ball}}}]\n"));
    s.run_until(1);
    EXPECT_NEAR(s.values("link/ball.b/position")[2], 0.1, 2 * h * std::sqrt(2 * g * 0.9)) << floor;
    EXPECT_NEAR(s.values("link/ball.b/velocity")[2], 0, 1e-9) << floor;
    EXPECT_EQ(s.value("constraints/error") < 1e-9, true);
  }
}

TEST(Touching, ASavedStateGoesOnBitForBit) {
  for (const std::string& floor : {points("events", "0.5"), points("stepping", "0.5"), shapes}) {
    const Scene scene = parse_scene(falling(floor, kick("{touching: ball}, every: 2 ms", "1 ms")), "test.yaml");
    World whole(scene);
    std::vector<std::vector<std::byte>> saved;
    while (whole.time() < 1) {
      whole.step(1);
      if (whole.steps() % 37 == 0 || std::abs(whole.time() - lands) < 2 * h) saved.push_back(whole.save());
    }
    ASSERT_GT(saved.size(), 10u);
    for (const std::vector<std::byte>& bytes : saved) {
      World resumed(scene);
      resumed.restore(bytes);
      while (resumed.time() < 1) resumed.step(1);
      ASSERT_EQ(resumed.state().v, whole.state().v) << floor;
      ASSERT_EQ(resumed.state().q, whole.state().q) << floor;
    }
  }
}

// ---- sums (record: {touch: …})
Scene with_sums(const std::string& solver, const std::string& sums) {
  return parse_scene(
      "marey: 1\nduration: 2 s\nsolver: {step: 2 ms" + solver +
          "}\nscenery: {floor: {plane: 0}}\ncollide: all\nmaterials: {default: {friction: 0.5}}\nbodies:\n"
          "  low: {at: [0, 0, 10 cm], shape: {box: [40 cm, 40 cm, 20 cm]}, mass: 5 kg}\nfigures:\n  man:\n"
          "    at: [0, 0, 30 cm]\n    links:\n"
          "      trunk: {shape: {box: [30 cm, 30 cm, 20 cm]}, mass: 3 kg}\n"
          "      arm: {parent: trunk, joint: {type: hinge, axis: y}, friction: 1 N m s/rad, at: [15 cm, 0, 8 "
          "cm], shape: {capsule: {radius: 4 cm, length: 50 cm, along: x}}, mass: 1 kg, start: {angle: 20 deg}}\n"
          "record: {touch: " +
          sums + "}\n",
      "test.yaml");
}

// Weights, and Newton's third law: at rest a figure bears its own weight on what is below it.
TEST(TouchSums, WeightsOfWhatLiesOnEachOther) {
  Simulation s(with_sums(", accuracy: fast", "[man, man+low, low+floor, floor+low, man.arm+floor, man+floor]"));
  s.run_until(2);
  const auto z = [&](const std::string& name) { return s.values("touch/" + name + "/force")[2]; };
  EXPECT_NEAR(z("man"), 4 * g, 0.02);
  EXPECT_NEAR(z("man+low") + z("man+floor"), 4 * g, 0.02);
  EXPECT_NEAR(z("low+floor") + z("man+floor"), 9 * g, 0.02);
  EXPECT_EQ(z("low+floor"), -z("floor+low"));
  EXPECT_GT(s.values("touch/man+low/points")[0], 0);
  EXPECT_EQ(s.values("touch/man+low/points")[0] + s.values("touch/man+floor/points")[0],
            s.values("touch/man/points")[0]);
  EXPECT_EQ(z("man.arm+floor"), z("man+floor")) << "no other link reaches it";
  // Beside what is recorded of each link without being asked.
  const auto of_link = [&](const std::string& link) { return s.values("touch/" + link + "/force")[2]; };
  EXPECT_NEAR(of_link("man.trunk") + of_link("man.arm"), z("man"), 1e-9);
  // At rest what touches it turns it about its trunk's origin against its weight, which acts beside it: by the arm.
  const auto& names = s.system().model().names;
  const auto link = [&](const char* name) { return static_cast<int>(std::ranges::find(names, name) - names.begin()); };
  const Transform<double> X = s.pose(link("man.arm"));
  const double lever = (X.p + X.R * Vec3<double>{0.25, 0, 0} - s.pose(link("man.trunk")).p).x;
  EXPECT_NEAR(s.values("touch/man/moment")[1], -lever * g, 0.02);
}

// Chosen channels leave them in; the words of who asks for nonsense.
TEST(TouchSums, AreAskedForByName) {
  Scene scene = with_sums("", "man+low");
  scene.record.channels = {"energy"};
  bool found = false;
  for (const Channel& c : recorded_channels_of(scene)) found = found || c.name == "touch/man+low/force";
  EXPECT_TRUE(found);
  const auto refused = [](const std::string& sums) -> std::string {
    try {
      with_sums("", sums);
    } catch (const Error& e) {
      return e.what();
    }
    return "taken";
  };
  EXPECT_NE(refused("man+lw").find("found the unknown body 'lw'; did you mean 'low'?"), std::string::npos);
  EXPECT_NE(refused("low").find("found 'low', one body"), std::string::npos);
  EXPECT_NE(refused("man+man.arm").find("'man.arm' on both sides"), std::string::npos);
  EXPECT_NE(refused("[]").find("expected figures or pairs of bodies"), std::string::npos);
}

}  // namespace touching_test
}  // namespace marey
