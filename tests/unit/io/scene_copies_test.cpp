// Figures several times: where copies stand, how they are turned and differ, what they are called; and shapes that say nothing of
// their mass.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "marey/dynamics/mass_properties.h"
#include "marey/io/scene.h"
#include "marey/simulation.h"

namespace marey::scene_copies_test {
namespace {

using Vec = Vec3<double>;

Scene scene_of(const std::string& text) { return parse_scene("marey: 1\nduration: 1 s\n" + text, "f.yaml"); }

struct Placed {
  explicit Placed(const std::string& text) : scene(scene_of(text)), kinematics(scene.model) {
    forward_kinematics<double>(scene.model, scene.model.params, scene.start.q, scene.start.v, kinematics);
  }
  std::size_t index(const std::string& link) const { return static_cast<std::size_t>(scene.model.find(link)); }
  const Transform<double>& pose(const std::string& link) const { return kinematics.X_WB[index(link)]; }
  const Twist<double>& twist(const std::string& link) const { return kinematics.V_WB[index(link)]; }
  Scene scene;
  Kinematics<double> kinematics;
};
void expect_near(const Vec& a, const Vec& b, double by = 1e-14) { EXPECT_NEAR(norm(a - b), 0, by); }

const std::string bird =
    "links: {body: {shape: {sphere: 5 cm}, start: {position: [0, 0, 1], velocity: [1, 0, 0], spin: [0, 0, 2]}}, "
    "wing: {parent: body, joint: ball, at: [0, 1 m, 0], shape: {box: [10 cm, 50 cm, 1 cm]}}}";

TEST(SceneCopies, ARowIsNamedFromOne) {
  const Placed p(
      "figures: {geese: {at: [10, 0, 0], turned: {axis: z, angle: 90 deg}, copies: {count: 3, spacing: [2 m, 0, "
      "1 m]}, " +
      bird + "}}\n");
  ASSERT_EQ(p.scene.model.nlink(), 7);
  EXPECT_EQ(p.scene.model.names[1], "geese-1.body");
  EXPECT_EQ(p.scene.model.names[6], "geese-3.wing");
  // In the figure's own frame, which is turned: its x is the world's y.
  for (int k = 0; k < 3; ++k) {
    const std::string name = "geese-" + std::to_string(k + 1);
    expect_near(p.pose(name + ".body").p, {10, 2.0 * k, 1.0 + k});
    expect_near(p.pose(name + ".wing").p, {9, 2.0 * k, 1.0 + k});
    expect_near(p.twist(name + ".body").v, {0, 1, 0});
    expect_near(p.twist(name + ".body").w, {0, 0, 2});
  }
}

TEST(SceneCopies, AGridIsNamedByItsAxes) {
  const Placed p("figures: {geese: {copies: {count: [2, 3], spacing: [1 m, 2 m, 1 m], center: [0, 0, 5]}, " + bird +
                 "}}\n");
  ASSERT_EQ(p.scene.model.nlink(), 13);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      expect_near(p.pose("geese-" + std::to_string(i + 1) + "-" + std::to_string(j + 1) + ".body").p,
                  {i - 0.5, 2.0 * (j - 1), 6});
}

// Every layer has one fewer and stands over the gaps of the one below: n (n + 1)/2 in a wall of rows, Σ k² in layers.
TEST(SceneCopies, PyramidsStandOverGaps) {
  const Placed wall(
      "bodies: {b: {at: [0, 5, 0], copies: {pyramid: 4, spacing: [2, 1, 3], center: [10, 0, 0]}, shape: {sphere: 5 "
      "cm}}}\n");
  ASSERT_EQ(wall.scene.model.nlink(), 1 + 10);
  for (int layer = 1; layer <= 4; ++layer)
    for (int i = 1; i <= 5 - layer; ++i)
      expect_near(wall.pose(fmt::format("b-{}-{}.body", i, layer)).p,
                  {10 + 2 * (i - 0.5 * (6 - layer)), 5, 3.0 * (layer - 1)});
  const Placed layers("bodies: {b: {copies: {pyramid: [3, 5], spacing: 2}, shape: {sphere: 5 cm}}}\n");
  ASSERT_EQ(layers.scene.model.nlink(), 1 + 3 * 5 + 2 * 4 + 1 * 3);
  expect_near(layers.pose("b-3-5-1.body").p, {4, 8, 0});
  expect_near(layers.pose("b-2-1-2.body").p, {3, 1, 2});
  expect_near(layers.pose("b-1-3-3.body").p, {2, 6, 4});
}

// As many side by side as the room has spacings, about the middle; the last layer may be begun and no more.
TEST(SceneCopies, PilesFillTheirRoom) {
  const Placed p(
      "bodies: {b: {at: [1, 2, 3], copies: {pile: 14, spacing: [0.5, 1, 2], within: [1.2, 3]}, shape: {sphere: 5 "
      "cm}}}\n");
  ASSERT_EQ(p.scene.model.nlink(), 1 + 14);
  for (int k = 0; k < 14; ++k) {
    const int x = k % 2, y = k / 2 % 3, z = k / 6;
    expect_near(p.pose(fmt::format("b-{}.body", k + 1)).p, {1 + 0.5 * (x - 0.5), 2.0 + (y - 1), 3 + 2.0 * z});
  }
  const Placed lone(
      "bodies: {b: {copies: {pile: 1, spacing: 1, within: [9, 9], from: [4, 5, 6]}, shape: {sphere: 5 cm}}}\n");
  expect_near(lone.pose("b-1.body").p, {4, 5, 6});
}

// Each against the one before, about where it stands; what it starts with is turned along.
TEST(SceneCopies, EachIsTurnedAgainstTheOneBefore) {
  const Placed p("figures: {geese: {copies: {count: 4, spacing: [3 m, 0, 0], turned_by: {axis: z, angle: 30 deg}}, " +
                 bird + "}}\n");
  for (int k = 0; k < 4; ++k) {
    const double a = k * std::numbers::pi / 6;
    const std::string name = "geese-" + std::to_string(k + 1);
    expect_near(p.pose(name + ".body").p, {3.0 * k, 0, 1});
    expect_near(p.pose(name + ".wing").p, Vec{3.0 * k - std::sin(a), std::cos(a), 1});
    expect_near(p.twist(name + ".body").v, Vec{std::cos(a), std::sin(a), 0});
  }
}

TEST(SceneCopies, ChanceIsBoundedAndTheSameEveryTime) {
  const auto text = [](const std::string& seed, const std::string& more) {
    return "figures: {geese: {copies: {count: 200, spacing: [1 m, 0, 0], random: {seed: " + seed + more + "}}, " +
           "links: {body: {shape: {sphere: 5 cm}}}}}\n";
  };
  const std::string all = ", place: 10 cm, turned: 90 deg, velocity: 2 m/s, spin: 3 rad/s";
  const Placed a(text("7", all)), b(text("7", all)), other(text("8", all)), less(text("7", ", velocity: 2 m/s"));
  EXPECT_EQ(a.scene.start.v, b.scene.start.v);
  EXPECT_NE(a.scene.start.v, other.scene.start.v);
  double far = 0, fast = 0, turned = 0, spin = 0;
  Vec mean;
  for (int k = 0; k < 200; ++k) {
    const std::string name = "geese-" + std::to_string(k + 1) + ".body";
    const Quaternion<double> q = quaternion_of(a.pose(name).R);
    far = std::max(far, norm(a.pose(name).p - Vec{1.0 * k, 0, 0}));
    turned = std::max(turned, 2 * std::acos(std::min(std::abs(q.w), 1.0)));
    fast = std::max(fast, norm(a.twist(name).v)), spin = std::max(spin, norm(a.twist(name).w));
    mean += (1.0 / 200) * a.twist(name).v;
    expect_near(less.twist(name).v, a.twist(name).v);  // one difference less leaves the others as they are
  }
  // The largest of 200 sizes that are all alike up to a bound is within a tenth of it, but once in 10⁹ seeds.
  const auto reaches = [](double largest, double bound) {
    EXPECT_LE(largest, bound * (1 + 1e-12));
    EXPECT_GE(largest, 0.9 * bound);
  };
  reaches(far, 0.1), reaches(fast, 2), reaches(turned, std::numbers::pi / 2), reaches(spin, 3);
  // Directions are all alike: the mean of components of variance (2 m/s)²/9 is 0 within 5 of its deviations.
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(mean[k], 0, 5 * (2.0 / 3) / std::sqrt(200.0));
}

TEST(SceneCopies, PatternsNameOneOfEach) {
  const Scene s =
      scene_of("figures: {geese: {copies: {count: 3, spacing: [1 m, 0, 0]}, " + bird + "}, duck: {" + bird +
               "}}\n"
               "torques: [{friction: {joint: 'geese-*.wing', coefficient: 1 mN m s/rad}}]\n"
               "forces: [{drag: {links: 'geese-*.body', linear: 1}}, {drag: {links: geese-2.*, linear: 2}}, "
               "{drag: {links: '*.body', linear: 3}}, {drag: {links: 'g*e-*2*y', linear: 4}}]\n"
               "contacts: [{link: '*.body', floor: -5 m}]\n");
  std::vector<std::size_t> counts;
  for (const Element& e : s.elements)
    if (const Drag* drag = e.kind.get_if<Drag>()) counts.push_back(drag->links.size());
  EXPECT_EQ(counts, (std::vector<std::size_t>{3, 2, 4, 1}));
  EXPECT_EQ(s.contacts.size(), 4u);
  int rubs = 0;
  for (const Element& e : s.elements) rubs += e.kind.get_if<JointFriction>() != nullptr ? 1 : 0;
  EXPECT_EQ(rubs, 3);
}

// A name that only looks like a copy's.
TEST(SceneCopies, AFlockOfGeeseIsNoGoose) {
  const Scene s = scene_of("figures: {geese-flock: {" + bird + "}, geese: {copies: {count: 2, spacing: [1 m, 0, 0]}, " +
                           bird + "}, geese-3: {" + bird + "}}\n");
  EXPECT_EQ(figures_of(s.model).size(), 4u);
}

// What is written is what was read, and a chain may be repeated, too.
TEST(SceneCopies, AreWrittenAsTheyWereRead) {
  const SceneSpec spec = parse_spec(
      "marey: 1\nduration: 1 s\nfigures: {rope: {copies: {count: [2, 2], spacing: 1 m, random: {seed: 3, place: 1 "
      "mm}}, "
      "chain: {links: 5, spacing: [0, 0, -10 cm], link: {joint: ball, shape: {capsule: {radius: 1 cm, length: 10 cm, "
      "along: -z}}}}}}\n",
      "f.yaml");
  const std::string text = to_yaml(spec.root());
  const Scene a = build(spec), b = parse_scene(text, "f.yaml");
  EXPECT_EQ(a.model.names, b.model.names);
  EXPECT_EQ(a.model.nlink(), 21);
  EXPECT_EQ(a.model.names.back(), "rope-2-2.5");
  EXPECT_EQ(to_yaml(parse_spec(text, "f.yaml").root()), text);
}

// A figure in free flight and its copy, turned and put elsewhere: the same motion, seen from another side.
TEST(SceneCopies, ATurnedCopyFliesTheSameWay) {
  const std::string text =
      "gravity: 0\nfigures: {geese: {copies: {count: 2, spacing: [3 m, 1 m, 0], turned_by: [40 deg, 70 deg, 10 "
      "deg]}, " +
      bird + "}}\n";
  const Scene scene = scene_of(text);
  Simulation simulation(scene);
  const auto pose = [&](const char* link) { return simulation.pose(scene.model.find(link)); };
  const Transform<double> X_12 = pose("geese-2.body") * inverse(pose("geese-1.body"));  // both with the same start
  simulation.run_until(1);
  for (const auto& [first, second] : {std::pair{"geese-1.body", "geese-2.body"}, {"geese-1.wing", "geese-2.wing"}}) {
    const Transform<double> expected = X_12 * pose(first), found = pose(second);
    expect_near(found.p, expected.p, 1e-12);
    EXPECT_NEAR(norm(found.R * Vec{1, 2, 3} - expected.R * Vec{1, 2, 3}), 0, 1e-12);
  }
}

// P7: 39 degrees of freedom each, and no two alike. Nothing acts from outside: all of them go on as they set out.
TEST(SceneCopies, TenHumansTumble) {
  const Scene scene = load_scene(MAREY_SOURCE_DIR "/gallery/ten-humans.yaml");
  EXPECT_EQ(scene.model.nv, 390);
  const std::vector<LinksOfFigure> humans = figures_of(scene.model);
  ASSERT_EQ(humans.size(), 10u);
  EXPECT_EQ(humans[7].name, "human-3-2");
  Simulation simulation(scene);
  const auto now = [&](const LinksOfFigure& human) {
    Kinematics<double> k(scene.model);
    forward_kinematics<double>(scene.model, scene.model.params, simulation.state().q, simulation.state().v, k);
    return mass_properties(scene.model, k, human.links);
  };
  // Centres of mass at three times in a row, 0.1 s apart: the second is half way between the others.
  std::vector<Vec> centers[3];
  for (int i = 0; i < 3; ++i) {
    simulation.run_until(0.1 * i);
    for (const LinksOfFigure& human : humans) centers[i].push_back(now(human).center);
  }
  std::set<double> turns;
  for (std::size_t h = 0; h < 10; ++h) {
    EXPECT_NEAR(now(humans[h]).mass, 75, 1e-12);
    expect_near(centers[1][h], 0.5 * (centers[0][h] + centers[2][h]), 1e-9);  // rk4 with steps of 2 ms
    turns.insert(norm(centers[2][h] - centers[0][h]));
  }
  EXPECT_EQ(turns.size(), 10u);
}

// ------------------------------------------------------------------------------------- shapes and their masses
TEST(DefaultDensity, OfBareShapesIsThatOfWaterAndSaid) {
  const Scene s = scene_of(
      "figures: {f: {links: {a: {shape: {box: [1, 2, 3]}}, b: {shape: {sphere: 1}, mass: 2 kg}, "
      "c: {shape: [{box: [1, 1, 1], mass: 5 kg}, {box: {size: [1, 1, 2], center: [0, 0, 3]}}]}}}}\n");
  const auto mass = [&](int i) { return s.model.params.links[static_cast<std::size_t>(i)].I.m; };
  EXPECT_NEAR(mass(1), 6000, 1e-11);
  EXPECT_EQ(mass(2), 2);
  EXPECT_NEAR(mass(3), 2005, 1e-11);
  ASSERT_EQ(s.notes.size(), 1u);
  EXPECT_EQ(s.notes[0], "shapes without mass or density have that of water, 1000 kg/m^3: of f.a, f.c");
  EXPECT_TRUE(scene_of("figures: {f: {links: {a: {shape: {sphere: 1}, density: 1}}}}").notes.empty());
}

TEST(DefaultDensity, OfManyTheFirstAreListed) {
  const Scene s = scene_of(
      "figures: {f: {chain: {links: 9, spacing: [1, 0, 0], link: {joint: ball, shape: {box: {size: [1, 1, 1], along: "
      "x}}}}}}\n");
  ASSERT_EQ(s.notes.size(), 1u);
  EXPECT_TRUE(s.notes[0].ends_with(": of f.1, f.2, f.3, f.4 and 5 more links")) << s.notes[0];
}

// W's default: the bounding box of a sphere of radius r, m = ρ (2r)³ with moments m (2r)²/6.
TEST(DefaultDensity, FillsBoundingBoxes) {
  const Scene s = scene_of("figures: {f: {links: {a: {shape: {sphere: 10 cm}, inertia: bounding_box}}}}\n");
  EXPECT_NEAR(s.model.params.links[1].I.m, 8, 1e-14);
  EXPECT_NEAR(s.model.params.links[1].I.J.xx, 8 * 0.04 / 6, 1e-15);
  EXPECT_EQ(s.notes.size(), 1u);
}

// ----------------------------------------------------------------------------------------------- masses of figures
// Two balls of mass m and radius r on a rod without mass, 2a apart along u: J = 2 (2/5) m r² along, and 2 m a² more across.
TEST(MassProperties, OfADumbbellInTheWorld) {
  const Placed p(
      "figures: {f: {at: [1000, 2000, 3000], turned: {axis: [1, 2, -1], angle: 50 deg}, links: {a: {shape: {sphere: 10 "
      "cm}, "
      "mass: 3}, b: {parent: a, joint: {type: slider, axis: x}, shape: {sphere: 10 cm}, mass: 3, start: {slide: 2 "
      "m}}}}}\n");
  const int links[] = {1, 2};
  const MassProperties m = mass_properties(p.scene.model, p.kinematics, links);
  const double own = 2 * 0.4 * 3 * 0.01;
  EXPECT_EQ(m.mass, 6);
  EXPECT_NEAR(m.principal.moments.x, own, 1e-12);
  EXPECT_NEAR(m.principal.moments.y, own + 2 * 3 * 1.0, 1e-12);
  EXPECT_NEAR(m.principal.moments.z, own + 2 * 3 * 1.0, 1e-12);
  const Vec u = p.pose("f.a").R * Vec{1, 0, 0}, found{m.principal.R_BP.xx, m.principal.R_BP.yx, m.principal.R_BP.zx};
  EXPECT_NEAR(std::abs(dot(u, found)), 1, 1e-13);
  expect_near(m.center, p.pose("f.a").p + u, 1e-11);
}

TEST(MassProperties, OfALinkInItsOwnFrame) {
  const Scene s =
      scene_of("figures: {f: {links: {a: {shape: {box: {size: [1, 2, 3], center: [5, 6, 7]}}, mass: 12}}}}\n");
  const MassProperties m = mass_properties(s.model.params.links[1].I);
  expect_near(m.center, {5, 6, 7});
  EXPECT_NEAR(m.principal.moments.x, 5, 1e-10);   // 1² + 2²: about z
  EXPECT_NEAR(m.principal.moments.y, 10, 1e-10);  // 1² + 3²: about y
  EXPECT_NEAR(m.principal.moments.z, 13, 1e-10);
  EXPECT_NEAR(std::abs(m.principal.R_BP.zx), 1, 1e-12);
}

TEST(MassProperties, FiguresAreWhatStandsBeforeTheDot) {
  const Scene s =
      scene_of("figures: {geese: {copies: {count: 2, spacing: [1 m, 0, 0]}, " + bird + "}, duck: {" + bird + "}}\n");
  const std::vector<LinksOfFigure> figures = figures_of(s.model);
  ASSERT_EQ(figures.size(), 3u);
  EXPECT_EQ(figures[1].name, "geese-2");
  EXPECT_EQ(figures[1].links, (std::vector<int>{2, 5}));
}

}  // namespace
}  // namespace marey::scene_copies_test
