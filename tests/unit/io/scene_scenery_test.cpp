// Scenery and `collide` as scenes write them: who may touch whom, by name, against what the words say.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "marey/io/scene.h"
#include "marey/sim/overlaps.h"
#include "support/recorded.h"

namespace marey {
namespace {

using NamePairs = std::set<std::pair<std::string, std::string>>;

// Everything within a few metres, and nothing within anything else: a scene with `collide` is tried for a step when it is read, and
// what cannot be put apart is tried for long.
const std::string three = R"(marey: 1
duration: 1 s
figures:
  ball: {at: [0, 0, 3 m], links: {body: {shape: {sphere: 10 cm}, mass: 1 kg}}}
  crate: {at: [1 m, 0, 3 m], links: {body: {shape: {box: [20 cm, 20 cm, 20 cm]}, mass: 1 kg}}}
  arm:
    links:
      upper: {at: [2 m, 0, 3 m], joint: {type: hinge, axis: y}, shape: {sphere: 10 cm}, mass: 1 kg}
      lower: {parent: upper, at: [0, 0, -50 cm], joint: {type: hinge, axis: y}, shape: {sphere: 10 cm}, mass: 1 kg}
      hand: {parent: lower, at: [0, 0, -50 cm], joint: {type: hinge, axis: y}, shape: {sphere: 10 cm}, mass: 1 kg}
scenery:
  floor: {plane: 0}
  step: {shape: [{box: [1 m, 1 m, 10 cm]}, {box: [50 cm, 1 m, 20 cm]}]}
)";
NamePairs touching_by(const std::string& collide) {
  const Scene scene = parse_scene(three + collide + "\n", "s.yaml");
  CollisionWorld world = collision_world(scene);
  world.place(poses_at_start(scene));
  NamePairs pairs;
  for (const auto& p : world.near(10)) pairs.insert(std::minmax(world.name(p.a), world.name(p.b)));
  return pairs;
}
NamePairs pairs_of(std::initializer_list<std::pair<std::string, std::string>> list) {
  NamePairs pairs;
  for (const auto& [a, b] : list) pairs.insert(std::minmax(a, b));
  return pairs;
}

TEST(SceneScenery, PairsAreThoseThatAreNamed) {
  EXPECT_EQ(touching_by("collide: [[ball, floor]]"), pairs_of({{"ball.body", "floor"}}));
  EXPECT_EQ(touching_by("collide: [[crate.body, ball], [arm.hand, step]]"),
            pairs_of({{"crate.body", "ball.body"}, {"arm.hand", "step"}}));
  // Named twice in different company: exactly these, nothing across.
  EXPECT_EQ(touching_by("collide: [[ball, floor], [crate, step], [ball, crate]]"),
            pairs_of({{"ball.body", "floor"}, {"crate.body", "step"}, {"ball.body", "crate.body"}}));
}

TEST(SceneScenery, AllIsAllButWhatJoins) {
  NamePairs all = pairs_of({{"ball.body", "crate.body"}});
  for (const char* a : {"ball.body", "crate.body", "arm.upper", "arm.lower", "arm.hand"})
    for (const char* b : {"floor", "step"}) all.insert(std::minmax<std::string>(a, b));
  for (const char* a : {"ball.body", "crate.body"})
    for (const char* b : {"arm.upper", "arm.lower", "arm.hand"}) all.insert(std::minmax<std::string>(a, b));
  EXPECT_EQ(all.size(), 17u);
  EXPECT_EQ(touching_by("collide: all"), all);
  EXPECT_EQ(touching_by(""), all);  // what is looked at where the scene says nothing
  EXPECT_EQ(touching_by("collide: {pairs: [[all, all]]}"), all);
  NamePairs more = all;
  more.insert({"arm.hand", "arm.upper"});
  EXPECT_EQ(touching_by("collide: {self: arm}"), more);
  EXPECT_EQ(touching_by("collide: {self: [all]}"), more);
  NamePairs fewer = all;
  fewer.erase({"ball.body", "floor"});
  fewer.erase({"arm.hand", "step"});
  EXPECT_EQ(touching_by("collide: {except: [[floor, ball], [arm.hand, step]]}"), fewer);
}

// All of it in one place, where nothing can be put apart.
TEST(SceneScenery, WhatIsInOnePlaceTouches) {
  std::string heap = three;
  for (const std::string place :
       {"at: [0, 0, 3 m], ", "at: [1 m, 0, 3 m], ", "at: [2 m, 0, 3 m], ", "at: [0, 0, -50 cm], "})
    while (heap.find(place) != std::string::npos) heap.erase(heap.find(place), place.size());
  const Scene scene = parse_scene(heap + "collide: all\n", "s.yaml");
  CollisionWorld world = collision_world(scene);
  world.place(poses_at_start(scene));
  EXPECT_EQ(world.near(0).size(), 17u);  // as many as may touch, counted above
}

TEST(SceneScenery, GroupsStandForTheirMembers) {
  EXPECT_EQ(touching_by("collide: {groups: {things: [ball, crate], ground: [floor]}, pairs: [[things, ground]]}"),
            pairs_of({{"ball.body", "floor"}, {"crate.body", "floor"}}));
  EXPECT_EQ(touching_by("collide: {groups: {things: [ball, crate]}, pairs: [[things, things]]}"),
            pairs_of({{"ball.body", "crate.body"}}));
}

TEST(SceneScenery, PatternsNameCopies) {
  const Scene scene = parse_scene(R"(marey: 1
duration: 1 s
figures: {f: {copies: {count: 3, spacing: [1 cm, 0, 0]}, links: {a: {shape: {sphere: 10 cm}, mass: 1 kg}}}}
scenery: {floor: {plane: 0}}
collide: [['f-*', floor]]
)",
                                  "s.yaml");
  CollisionWorld world = collision_world(scene);
  world.place(poses_at_start(scene));
  EXPECT_EQ(world.near(0).size(), 3u);
}

TEST(SceneScenery, PairsWithoutEffectAreSaid) {
  const auto remarks = [](const std::string& collide) { return parse_scene(three + collide + "\n", "s.yaml").remarks; };
  ASSERT_EQ(remarks("collide: [[arm.hand, arm.upper]]").size(), 1u);
  EXPECT_NE(
      remarks("collide: [[arm.hand, arm.upper]]")[0].find("s.yaml:14:12: this pair has no effect: links of 'arm'"),
      std::string::npos);
  EXPECT_EQ(remarks("collide: [[floor, step]]").size(), 1u);
  EXPECT_EQ(remarks("collide: {pairs: [[arm.hand, arm.upper]], self: arm}").size(), 0u);
  EXPECT_EQ(remarks("collide: [[all, all], [ball, floor], [arm, ball]]").size(), 0u);
}

TEST(SceneScenery, ExceptionsAndGroupsWithoutEffectAreSaid) {
  const auto remarks = [](const std::string& collide) { return parse_scene(three + collide + "\n", "s.yaml").remarks; };
  const auto said = [&](const std::string& collide, const std::string& what) {
    const std::vector<std::string> all = remarks(collide);
    return all.size() == 1 && all[0].find(what) != std::string::npos;
  };
  EXPECT_TRUE(said("collide: {except: [[floor, step]]}", "s.yaml:14:21: this exception has no effect"));
  EXPECT_TRUE(said("collide: {except: [[arm.hand, arm.upper]]}", "this exception has no effect"));
  EXPECT_TRUE(said("collide: {pairs: [[ball, floor]], except: [[crate, floor]]}", "this exception has no effect"));
  EXPECT_TRUE(said("collide: {except: [[ball, floor], [floor, ball]]}", "this exception has no effect"));
  EXPECT_TRUE(said("collide: {groups: {things: [ball, crate]}}", "s.yaml:14:20: the group 'things' has no effect"));
  EXPECT_EQ(remarks("collide: {except: [[floor, ball], [arm.hand, step]]}").size(), 0u);
  EXPECT_EQ(remarks("collide: {self: arm, except: [[arm.hand, arm.upper]]}").size(), 0u);
  EXPECT_EQ(remarks("collide: {groups: {a: [ball], b: [a, crate]}, except: [[b, floor]]}").size(), 0u);
  EXPECT_EQ(remarks("collide: {groups: {gate: [step]}, sensors: [gate]}").size(), 0u);
}

TEST(SceneScenery, MaterialsWithoutEffectAreSaid) {
  const auto remarks = [](const std::string& more) { return parse_scene(three + more + "\n", "s.yaml").remarks; };
  const auto said = [&](const std::string& more, const std::string& what) {
    const std::vector<std::string> all = remarks(more);
    return all.size() == 1 && all[0].find(what) != std::string::npos;
  };
  EXPECT_TRUE(said("collide: all\nmaterials: {ice: {friction: 0.1}}",
                   "s.yaml:15:13: the material 'ice' has no effect: nothing is made of it"));
  EXPECT_TRUE(said("materials: {default: {friction: 0.1}}", "'materials' has no effect: nothing may touch"));
  EXPECT_TRUE(said(
      "collide: all\nmaterials: {ice: {friction: 0.1}}\nmaterial_pairs: [{between: [ice, default], friction: 0.2}]",
      "this pair has no effect: nothing is made of 'ice'"));
  EXPECT_EQ(remarks("collide: all\nmaterials: {default: {friction: 0.1}}").size(), 0u);
}

TEST(SceneScenery, SensorsAreMarked) {
  const Scene scene = parse_scene(three + "collide: {sensors: [step]}\n", "s.yaml");
  const CollisionWorld world = collision_world(scene);
  for (int i = 0; i < world.body_count(); ++i) EXPECT_EQ(world.is_sensor(i), world.name(i) == "step");
}

// A ball of 10 cm falls from 1 m through a gate between 0.5 and 0.6 m, at 10 m/s²: it touches while its centre is between
// 0.4 and 0.7 m, from √(2 · 0.3/10) to √(2 · 0.6/10) s. Another ball, at rest beside it, is in the gate all the time.
TEST(SceneScenery, SensorsCountWhatTouchesThem) {
  const Scene scene = parse_scene(R"(marey: 1
duration: 0.5 s
gravity: 10
figures:
  ball: {links: {body: {shape: {sphere: 10 cm}, mass: 1 kg, start: {position: [0, 0, 1 m]}}}}
  post: {links: {body: {joint: weld, at: [5 m, 0, 0.5 m], shape: {sphere: 10 cm}, mass: 1 kg}}}
  cart: {links: {body: {joint: {type: slider, axis: x}, at: [2 m, 0, 0.5 m], shape: {sphere: 10 cm}, mass: 1 kg}}}
scenery: {gate: {shape: {box: {size: [10 m, 1 m, 10 cm], center: [0, 0, 0.55 m]}}}}
collide: {sensors: gate}
record: {every: 1 ms}
)",
                                  "s.yaml");
  recorded::Memory motion;
  run(scene, motion);
  const double from = std::sqrt(2 * 0.3 / 10), to = std::sqrt(2 * 0.6 / 10);
  for (std::size_t k = 0; k < motion.rows.size(); ++k) {
    const double t = motion.number("time", k);
    if (std::min(std::abs(t - from), std::abs(t - to)) < 1e-6) continue;
    EXPECT_EQ(motion.number("sensor/gate/touching", k), t > from && t < to ? 2 : 1) << t;
  }
  EXPECT_EQ(motion.rows.size(), 501u);
}

TEST(SceneScenery, IsWhereItIsPut) {
  const Scene scene = parse_scene(R"(marey: 1
duration: 1 s
figures: {ball: {links: {body: {shape: {sphere: 10 cm}, mass: 1 kg, start: {position: [0, 0, 2 m]}}}}}
scenery:
  block: {at: [0, 0, 1 m], turned: {axis: y, angle: 90 deg}, shape: {box: {size: [20 cm, 40 cm, 60 cm], center: [10 cm, 0, 0]}}}
  wall: {plane: {normal: [-1, 0, 0], through: [3 m, 0, 0]}}
)",
                                  "s.yaml");
  CollisionWorld world = collision_world(scene);
  world.place(poses_at_start(scene));
  // Turned by 90° about y the block's x is −z of the world: its middle is at 0.9 m, its top at 1 m; the ball's lowest point at 1.9 m.
  double block = 0, wall = 0;
  const auto near = world.near(10);
  for (const auto& p : std::vector(near.begin(), near.end()))
    (world.name(p.b) == "block" ? block : wall) = world.distance(p).distance.distance;
  EXPECT_NEAR(block, 0.9, 1e-14);
  EXPECT_NEAR(wall, 2.9, 1e-14);
}

}  // namespace
}  // namespace marey
