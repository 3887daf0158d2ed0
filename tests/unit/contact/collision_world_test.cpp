// Who may touch whom, against the rule written out for every pair; and where, against closed forms.
#include "marey/contact/collision_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "marey/dynamics.h"
#include "marey/model.h"

namespace marey {
namespace {

using V = Vec3<double>;

LinkSpec ball_link(const std::string& name, const std::string& parent, JointType joint, double radius = 0.1) {
  LinkSpec link;
  link.name = name, link.parent = parent, link.joint = joint;
  link.axis = {0, 1, 0};
  link.shapes = {{Sphere{radius}, {}}};
  link.inertia = shape_inertia(link.shapes[0], 1);
  return link;
}

// arm: upper –hinge– lower –hinge– hand –weld– cup; ball, crate: free; post: welded to the world.
Model bodies() {
  ModelSpec spec;
  spec.links = {
      ball_link("arm.upper", "world", JointType::hinge),    ball_link("arm.lower", "arm.upper", JointType::hinge),
      ball_link("arm.hand", "arm.lower", JointType::hinge), ball_link("arm.cup", "arm.hand", JointType::weld),
      ball_link("ball.body", "world", JointType::free),     ball_link("crate.body", "world", JointType::free),
      ball_link("post.body", "world", JointType::weld)};
  return freeze(spec);
}

int number_of(const CollisionWorld& w, const std::string& name) {
  for (int i = 0; i < w.body_count(); ++i)
    if (w.name(i) == name) return i;
  ADD_FAILURE() << name;
  return -1;
}

// All bodies in one place: every pair that may touch does.
std::set<std::pair<std::string, std::string>> touching(CollisionWorld& w, const Model& model) {
  w.place(std::vector<Transform<double>>(model.links.size()));
  std::set<std::pair<std::string, std::string>> names;
  for (const auto& p : w.near(0)) names.insert(std::minmax(w.name(p.a), w.name(p.b)));
  return names;
}

const std::vector<SceneryPiece> floor_and_step{{"floor", {}, Plane{}}, {"step", {{Box{{1, 1, 1}}, {}}}, {}}};

using Names = std::set<std::pair<std::string, std::string>>;

TEST(CollisionWorld, LeavesOutWhatAJointJoinsAndLinksOfOneFigure) {
  const Model model = bodies();
  CollisionWorld w(model, floor_and_step, everybody_may_touch(model.links.size() + 2));
  Names expected;
  const std::vector<std::string> arm{"arm.upper", "arm.lower", "arm.hand", "arm.cup"}, loose{"ball.body", "crate.body"},
      still{"post.body", "floor", "step"};
  expected.insert(std::minmax(loose[0], loose[1]));
  for (const std::string& a : arm) {
    for (const std::string& b : loose) expected.insert(std::minmax(a, b));
    for (const std::string& b : still) expected.insert(std::minmax(a, b));
  }
  for (const std::string& a : loose)
    for (const std::string& b : still) expected.insert(std::minmax(a, b));
  EXPECT_EQ(touching(w, model), expected);
}

TEST(CollisionWorld, AFigureMayTouchItselfWhereNoJointJoins) {
  const Model model = bodies();
  CollideRule rule = everybody_may_touch(model.links.size());
  rule.self = {"arm"};
  CollisionWorld w(model, {}, rule);
  const Names all = touching(w, model);
  EXPECT_TRUE(all.contains({"arm.hand", "arm.upper"}));
  EXPECT_TRUE(all.contains({"arm.cup", "arm.upper"}));
  EXPECT_FALSE(all.contains({"arm.lower", "arm.upper"}));  // a hinge
  EXPECT_FALSE(all.contains({"arm.cup", "arm.hand"}));     // a weld
  EXPECT_FALSE(all.contains({"arm.cup", "arm.lower"}));    // the hand's hinge carries what is welded to it
}

TEST(CollisionWorld, LeavesOutWhatConstraintsJoinAndTheRuleExcepts) {
  const Model model = bodies();
  const auto link = [&](const std::string& name) {
    return static_cast<int>(std::ranges::find(model.names, name) - model.names.begin());
  };
  CollideRule rule = everybody_may_touch(model.links.size() + 2);
  rule.except = {{static_cast<int>(model.links.size()), link("ball.body")}};  // the floor and the ball, in any order
  const std::vector<BroadPhase::Pair> joined{{link("crate.body"), link("ball.body")}};
  CollisionWorld w(model, floor_and_step, rule, joined);
  const Names all = touching(w, model);
  EXPECT_FALSE(all.contains({"ball.body", "floor"}));
  EXPECT_FALSE(all.contains({"ball.body", "crate.body"}));
  EXPECT_TRUE(all.contains({"crate.body", "floor"}));
}

// Random groups, against the rule as it is written.
TEST(CollisionWorld, GroupsMeetAsTheRuleSays) {
  std::mt19937 random(7);
  const Model model = bodies();
  for (int round = 0; round < 50; ++round) {
    CollideRule rule = everybody_may_touch(model.links.size());
    for (CollideRule::Body& b : rule.bodies) b.groups = random() & 15, b.meets = random() & 15;
    CollisionWorld w(model, {}, rule);
    const Names all = touching(w, model);
    const auto may = [&](const std::string& a, const std::string& b) {
      const auto &x = rule.bodies[static_cast<std::size_t>(number_of(w, a))],
                 &y = rule.bodies[static_cast<std::size_t>(number_of(w, b))];
      return (x.groups & y.meets) != 0 && (y.groups & x.meets) != 0;
    };
    for (const char* a : {"arm.upper", "arm.hand", "crate.body", "post.body"})
      EXPECT_EQ(all.contains(std::minmax<std::string>(a, "ball.body")), may(a, "ball.body")) << a;
  }
}

TEST(CollisionWorld, DepthsAreThoseOfSpheresAndPlanes) {
  const Model model = bodies();
  CollisionWorld w(model, floor_and_step, everybody_may_touch(model.links.size() + 2));
  std::vector<Transform<double>> X_WB(model.links.size());
  for (std::size_t i = 1; i < X_WB.size(); ++i) X_WB[i].p = {static_cast<double>(3 * i), 0, 1};
  const auto ball = static_cast<std::size_t>(number_of(w, "ball.body")),
             crate = static_cast<std::size_t>(number_of(w, "crate.body"));
  X_WB[ball].p = {20, 0, 0.07};                     // 3 cm into the floor
  X_WB[crate].p = X_WB[ball].p + V{0.12, 0, 0.16};  // 0.2 m apart: just touching
  w.place(X_WB);
  std::vector<Overlap> all = overlaps(w);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(w.name(all[0].a), "ball.body");
  EXPECT_EQ(w.name(all[0].b), "floor");
  EXPECT_NEAR(all[0].depth, 0.03, 1e-15);
  X_WB[crate].p = X_WB[ball].p + V{0, 0.15, 0};  // 5 cm into each other
  w.place(X_WB);
  all = overlaps(w);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_NEAR(all[0].depth, 0.05, 1e-15);  // the deepest first
  // Near, not touching.
  X_WB[crate].p = {40, 0, 0.1 + 0.004};
  w.place(X_WB);
  EXPECT_EQ(overlaps(w).size(), 1u);
  std::vector<Manifold> manifolds;
  bool seen = false;
  for (const auto& p : w.near(0.01)) {
    if (w.name(p.a) != "crate.body") continue;
    seen = true;
    EXPECT_NEAR(w.distance(p).distance.distance, 0.004, 1e-15);
    w.manifolds(p, 0.01, manifolds);
    ASSERT_EQ(manifolds.size(), 1u);
    EXPECT_NEAR(manifolds[0].points[0].gap, 0.004, 1e-15);
    EXPECT_NEAR(manifolds[0].normal_W.z, -1, 1e-15);
  }
  EXPECT_TRUE(seen);
}

TEST(CollisionWorld, KnowsWhenThereIsNothingToDo) {
  const Model model = bodies();
  const std::size_t n = model.links.size();
  EXPECT_TRUE(CollisionWorld(model, {}, everybody_may_touch(n)).anything_to_do());
  EXPECT_FALSE(CollisionWorld(model, {}, CollideRule{std::vector<CollideRule::Body>(n), {}, {}}).anything_to_do());
  ModelSpec alone;
  alone.links = {ball_link("arm.upper", "world", JointType::hinge),
                 ball_link("arm.lower", "arm.upper", JointType::hinge)};
  const Model arm = freeze(alone);
  EXPECT_FALSE(CollisionWorld(arm, {}, everybody_may_touch(3)).anything_to_do());
  EXPECT_TRUE(CollisionWorld(arm, floor_and_step, everybody_may_touch(5)).anything_to_do());
}

}  // namespace
}  // namespace marey
