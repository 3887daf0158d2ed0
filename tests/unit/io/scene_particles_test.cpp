// Groups of particles, their springs, formulas, and moving frames, as scenes say them.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "marey/dynamics.h"
#include "marey/force/formula_text.h"
#include "marey/io/scene.h"

namespace marey {
namespace {

Scene scene(const std::string& rest) { return parse_scene("marey: 1\nduration: 1 s\n" + rest, "f.yaml"); }

Vec3<double> place(const Scene& s, const std::string& name) {
  Kinematics<double> k(s.model);
  forward_kinematics<double>(s.model, s.model.params, s.start.q, s.start.v, k);
  return k.X_WB[static_cast<std::size_t>(s.model.find(name))].p;
}
Vec3<double> velocity(const Scene& s, const std::string& name) {
  Kinematics<double> k(s.model);
  forward_kinematics<double>(s.model, s.model.params, s.start.q, s.start.v, k);
  return k.V_WB[static_cast<std::size_t>(s.model.find(name))].v;
}
template <class Kind>
const Kind& element(const Scene& s, const std::string& name) {
  for (const Element& e : s.elements)
    if (e.name == name) return *e.kind.get_if<Kind>();
  throw std::runtime_error("no element " + name);
}
void expect_near(const Vec3<double>& a, const Vec3<double>& b) { EXPECT_LE(norm(a - b), 1e-14) << a.x << ' ' << a.y; }

TEST(SceneParticles, PointsByNameAndInLists) {
  const Scene s = scene(R"(particles:
  a: {at: [1, 0, 0], turned: {axis: z, angle: 90 deg}, mass: 2 g, velocity: [0, 0, 1], spin: [0, 0, 2],
      points: {sun: {position: [1, 0, 0]}, earth: {position: [0, 1, 0], velocity: [3, 0, 0], mass: 1 g}}}
  b: {mass: 1 kg, points: [{position: [0, 0, 7]}, {position: [0, 0, 8]}]}
)");
  EXPECT_EQ(s.model.names, (std::vector<std::string>{"world", "a.sun", "a.earth", "b.1", "b.2"}));
  EXPECT_EQ(s.model.links[1].joint, JointType::point);
  EXPECT_EQ(s.model.params.links[1].I.m, 0.002);
  EXPECT_EQ(s.model.params.links[2].I.m, 0.001);
  expect_near(place(s, "a.sun"), {1, 1, 0});
  expect_near(place(s, "a.earth"), {0, 0, 0});
  expect_near(velocity(s, "a.sun"), {-2, 0, 1});  // ω × r = (0, 0, 2) × (0, 1, 0)
  expect_near(velocity(s, "a.earth"), {0, 3 - 2, 1});
  expect_near(place(s, "b.2"), {0, 0, 8});
}

TEST(SceneParticles, AGridAndItsSprings) {
  const Scene s = scene(R"(particles:
  cloth: {mass: 1 g, grid: {count: [3, 4], spacing: [1, 2, 5], from: [10, 0, 0]}, fixed: [1-1, 2-1],
          springs: {stiffness: 10, damping: 0.5, diagonal: 4, second: 3}}
  block: {mass: 1 g, grid: {count: [2, 2, 3], spacing: 1, center: [0, 0, 0]}, springs: {stiffness: 1, diagonal: 2}}
)");
  EXPECT_EQ(s.model.nlink(), 1 + 12 + 12);
  expect_near(place(s, "cloth.3-2"), {12, 2, 0});
  expect_near(place(s, "cloth.2-1"), {11, 0, 0});
  EXPECT_EQ(s.model.links[static_cast<std::size_t>(s.model.find("cloth.2-1"))].joint, JointType::weld);
  expect_near(place(s, "block.1-1-1"), {-0.5, -0.5, -1});
  expect_near(place(s, "block.2-2-3"), {0.5, 0.5, 1});
  // 2·4 along x, 3·3 along y, less the one between the two fixed; 2·3·2 across; 1·4 and 3·2 to the second neighbour
  const SpringNet& cloth = element<SpringNet>(s, "cloth/springs");
  EXPECT_EQ(cloth.springs.size(), 8u + 9 - 1 + 12 + 4 + 6);
  EXPECT_EQ(element<DamperNet>(s, "cloth/damping").dampers.size(), cloth.springs.size());
  double stiffness = 0, rest = 0;
  for (const SpringNet::Spring& e : cloth.springs) stiffness += e.stiffness, rest += e.rest;
  EXPECT_NEAR(stiffness, 10 * 16 + 4 * 12 + 3 * 10, 1e-12);
  EXPECT_NEAR(rest, 7 * 1 + 9 * 2 + 12 * std::sqrt(5.0) + 4 * 2 + 6 * 4, 1e-12);
  // edges: 1·2·3 twice and 2·2·2; faces: (1·1·3 + 2 (1·2·2)) · 2 diagonals; cells: 1·1·2 · 4
  EXPECT_EQ(element<SpringNet>(s, "block/springs").springs.size(), 20u + 22 + 8);
}

TEST(SceneParticles, ARingAndPairs) {
  const Scene s = scene(R"(particles:
  hoop: {mass: 1 g, ring: {count: 4, radius: 2, speed: 3}, springs: {stiffness: 1}}
  pair: {mass: 1 g, points: [{position: [0, 0, 0]}, {position: [3, 4, 0]}], springs: {stiffness: 7, pairs: [[2, pair.1]]}}
)");
  expect_near(place(s, "hoop.2"), {0, 2, 0});
  expect_near(velocity(s, "hoop.2"), {-3, 0, 0});
  const SpringNet& hoop = element<SpringNet>(s, "hoop/springs");
  ASSERT_EQ(hoop.springs.size(), 4u);
  EXPECT_EQ(hoop.springs[3].b.link, s.model.find("hoop.1"));
  EXPECT_DOUBLE_EQ(element<SpringNet>(s, "pair/springs").springs[0].rest, 5);
}

TEST(SceneParticles, ForcesOnThem) {
  const Scene s = scene(R"(particles:
  p: {mass: 2 kg, ring: {count: 3, radius: 1}, fixed: 3}
forces:
  - spring: {link: p.1, to: [1, 0, 2], stiffness: 5, damping: 1}
  - attraction: {links: p.*, to: [1, 2, 3], strength: 4}
  - attraction: {name: pull, links: p.1, to: p.3}
  - drag: {links: p.*, linear: 1}
)");
  EXPECT_DOUBLE_EQ(element<SpringNet>(s, "p.1/spring").springs[0].rest, 2);  // as at the start
  EXPECT_EQ(element<DamperNet>(s, "p.1/spring/damping").dampers.size(), 1u);
  EXPECT_EQ(element<Attraction>(s, "attraction").links.size(), 2u);  // not the one that is held
  EXPECT_EQ(element<MutualAttraction>(s, "pull").others, (std::vector<int>{s.model.find("p.3")}));
  EXPECT_DOUBLE_EQ(element<MutualAttraction>(s, "pull").constant, 6.6743e-11);
}

TEST(SceneParticles, AMovingFrame) {
  const Scene s = scene(R"(particles: {p: {mass: 2 kg, ring: {count: 3, radius: 1}}}
frame: {angular_velocity: [0, 90 deg/s, '2*sin(k*t)'], angular_acceleration: [0, 0, 0.5], constants: {k: 3}}
)");
  const TimeVector::AtTime w = element<MovingFrame>(s, "frame/coriolis").motion.at(0.7);
  EXPECT_NEAR(w.value.y, std::numbers::pi / 2, 1e-15);
  EXPECT_NEAR(w.value.z, 2 * std::sin(2.1) + 0.35, 1e-14);
  EXPECT_NEAR(w.rate.z, 6 * std::cos(2.1) + 0.5, 1e-14);
  EXPECT_EQ(s.elements.size(), 3u);
  const Scene steady = scene(
      "particles: {p: {mass: 2 kg, ring: {count: 3, radius: 1}}}\n"
      "frame: {angular_velocity: [0, 0, 1], acceleration: [1, 0, 0]}\n");
  EXPECT_EQ(steady.elements.size(), 3u);  // acceleration, Coriolis, centrifugal: nothing turns ever faster
}

TEST(SceneParticles, APointJointInAFigureNeedsAMassAlone) {
  const Scene s = scene(R"(figures:
  f:
    links:
      arm: {joint: {type: hinge, axis: y}, shape: {capsule: {radius: 2 cm, length: 30 cm, along: x}}, mass: 1 kg}
      bead: {parent: arm, joint: point, mass: 10 g, friction: 2 N s/m, start: {position: [1, 2, 3], velocity: [4, 5, 6]}}
)");
  EXPECT_EQ(s.start.q, (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(s.start.v, (std::vector<double>{0, 4, 5, 6}));
  EXPECT_EQ(element<JointFriction>(s, "f.bead/friction").coefficient, 2);
}

// ------------------------------------------------------------------------------------------------------- formulas
FormulaSlopes<double> value_of_text(const std::string& text) {
  Value node;
  node.kind = Value::Kind::scalar, node.text = text, node.quoted = true;
  const Formula f = read_formula(node, {{"k", 3}, {"long_name2", -0.5}}, FormulaUse::place_and_velocity);
  const FormulaInput<double> in{0.7, -1.2, 2.1, 0.4, -0.3, 1.7, 0.9, 2.5};
  const FormulaSlopes<double> s = evaluate_with_slopes(f, in);
  EXPECT_NEAR(s.value, evaluate(f, in), 1e-15 * (1 + std::abs(s.value))) << text;
  const auto slope = [&](std::size_t i) {
    const auto at = [&](double h) {
      FormulaInput<double> moved = in;
      moved[i] += h;
      return evaluate(f, moved);
    };
    const double h = 1e-3;
    return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
  };
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(s.gradient[i], slope(static_cast<std::size_t>(i)), 1e-8 * (1 + std::abs(s.gradient[i]))) << text;
  EXPECT_NEAR(s.rate, slope(6), 1e-8 * (1 + std::abs(s.rate))) << text;
  return s;
}

// The height of the stack is counted right: a sum grows longer, not deeper, whatever its terms are made of.
TEST(FormulaText, LongSumsOfEveryKindOfTermAreTaken) {
  for (const std::string term : {"z^x", "x^2", "x^-1", "x*y", "x/y", "(x + y)", "(x - y)", "-x", "sin(x)", "sqrt(z)",
                                 "min(x, y)", "max(x, y)", "abs(y)", "k"}) {
    std::string sum = term;
    for (int i = 1; i < 50; ++i) sum += " + " + term;
    EXPECT_NEAR(value_of_text(sum).value, 50 * value_of_text(term).value, 1e-12) << term;
  }
}

TEST(FormulaText, MeansWhatItSays) {
  const double x = 0.7, y = -1.2, z = 2.1, vx = 0.4, vy = -0.3, vz = 1.7, t = 0.9, m = 2.5, pi = std::numbers::pi;
  const auto expect = [](const std::string& text, double value) {
    EXPECT_NEAR(value_of_text(text).value, value, 1e-14 * (1 + std::abs(value))) << text;
  };
  expect("1 + 2*3", 7);
  expect("2 - 3 - 4", -5);
  expect("8/4/2", 1);
  expect("-x^2", -x * x);
  expect("2^3^2", 512);
  expect("2^-2", 0.25);
  expect("x^0", 1);
  expect("z^0.5", std::sqrt(z));
  expect("z^x", std::pow(z, x));
  expect("--x - -y", x + y);
  expect("+x", x);
  expect("(x + y)*(z - t)", (x + y) * (z - t));
  expect("k*long_name2", -1.5);
  expect("m*9.81*z", m * 9.81 * z);
  expect("1.5e-3 + .5", 0.5015);
  expect("sqrt(x^2 + y^2 + z^2)", std::sqrt(x * x + y * y + z * z));
  expect("sin(2*pi*t)*cos(x)/tan(y)", std::sin(2 * pi * t) * std::cos(x) / std::tan(y));
  expect("exp(-x)*log(z)", std::exp(-x) * std::log(z));
  expect("atan2(y, x) + abs(y)", std::atan2(y, x) - y);
  expect("min(x, y) - max(z, t*2)", y - z);
  expect("vx*vy - vz^3", vx * vy - vz * vz * vz);
  expect("1/(x*t)^3", 1 / std::pow(x * t, 3));
}

TEST(FormulaText, RefusesAtTheCharacter) {
  const auto said = [](const std::string& text) -> std::string {
    try {
      scene(
          "particles: {p: {mass: 1, ring: {count: 3, radius: 1}}}\nforces:\n- field:\n    links: p.*\n    potential: "
          "'" +
          text + "'\n");
      return "taken";
    } catch (const Error& e) {
      return e.what();
    }
  };
  const auto expect = [&](const std::string& text, int column, const std::string& words) {
    const std::string what = said(text);
    EXPECT_EQ(what.rfind("f.yaml:7:" + std::to_string(16 + 1 + column) + ": ", 0), 0u) << what;
    EXPECT_NE(what.find(words), std::string::npos) << what;
  };
  EXPECT_EQ(said("x"), "taken");
  expect("", 0, "the end of the formula");
  expect("x +", 3, "expected a number, a name or '('");
  expect("x $ y", 2, "found '$'");
  expect("foo(x)", 0, "unknown name 'foo'");
  expect("sin x", 4, "expected '(' after sin");
  expect("atan2(x)", 7, "expected ',' and the second argument");
  expect("max(x, y, z)", 8, "expected ')'");
  expect("3..4", 2, "expected an operator");
  expect("x)", 1, "expected an operator");
  expect("1e999", 0, "expected a number");
  std::string deep = "x";
  for (int i = 0; i < 40; ++i) deep = "(1 + " + deep + ")";
  EXPECT_NE(said(deep).find("too deeply"), std::string::npos) << said(deep);
}

}  // namespace
}  // namespace marey
