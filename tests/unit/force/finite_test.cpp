// A force that is not a number is found on whichever joint it acts, in whichever of its freedoms, and the link is named.
#include "marey/force/finite.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "marey/dynamics.h"
#include "support/random_figure.h"

namespace marey {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();

// The second of three links has the joint; a custom joint has four coordinates.
Model figure_with(JointType joint) {
  figures::Random random(5);
  figures::Options options;
  options.links = 3;
  ModelSpec spec;
  for (int i = 0; i < 3; ++i) {
    LinkSpec link = figures::random_link(random, options, i);
    link.joint = i == 1 ? joint : JointType::hinge;
    if (is_general(link.joint)) figures::random_general(random, link);
    spec.links.push_back(link);
  }
  CustomJoint& custom = spec.links[1].custom;
  custom = {};
  for (int k = 0; k < 4; ++k) {
    custom.coordinates.push_back({"q" + std::to_string(k), k >= 3});
    custom.functions[static_cast<std::size_t>(k)].push_back({k, {0, 1}, {}, {}, {}});
  }
  return freeze(spec);
}

int faulty_link(const Model& model, const ElementKind& kind, const State& s) {
  Kinematics<double> k(model);
  forward_kinematics<double>(model, model.params, neutral_state(model).q, s.v, k);  // poses are numbers all the same
  const Element element{"element", kind};
  std::vector<double> modes(static_cast<std::size_t>(mode_count(element)));
  const Instant<double> now{model, 0, s.q, s.v, k.X_WB, k.V_WB, nullptr};
  start_modes(element, now, false, modes);
  return link_without_finite_force(element, now, modes);
}

TEST(NotFinite, IsFoundInEveryFreedomOfEveryJoint) {
  for (int type = 0; type <= static_cast<int>(JointType::custom); ++type) {
    const auto joint = static_cast<JointType>(type);
    if (joint == JointType::weld || joint == JointType::free) continue;  // these have no friction
    const Model model = figure_with(joint);
    const int link = model.find("link 1");
    const LinkTopology& topology = model.links[static_cast<std::size_t>(link)];
    const JointFriction friction{link, 2};
    EXPECT_EQ(faulty_link(model, friction, neutral_state(model)), -1) << name_of(joint);
    for (int k = 0; k < freedom_count(topology); ++k)
      for (const double bad : {nan, infinite, -infinite}) {
        State s = neutral_state(model);
        s.v[static_cast<std::size_t>(topology.v + k)] = bad;
        EXPECT_EQ(faulty_link(model, friction, s), link) << name_of(joint) << ", freedom " << k << ", " << bad;
      }
  }
}

// By a coordinate, and by a number of the element's own.
TEST(NotFinite, IsFoundInEachCoordinateOfACustomJoint) {
  const Model model = figure_with(JointType::custom);
  const int link = model.find("link 1");
  const LinkTopology& topology = model.links[static_cast<std::size_t>(link)];
  ASSERT_EQ(freedom_count(topology), 4);
  for (int k = 0; k < 4; ++k) {
    FreePlay play;
    play.link = link, play.angle.coordinate = k;
    play.from = {{0}, {-0.1}}, play.to = {{0}, {0.1}}, play.slope_below = play.slope_above = {{0}, {3}};
    State s = neutral_state(model);
    s.q[static_cast<std::size_t>(topology.q + k)] = 0.5;
    EXPECT_EQ(faulty_link(model, play, s), -1);
    play.slope_above = {{0}, {infinite}};
    EXPECT_EQ(faulty_link(model, play, s), link) << k;
    play.slope_above = {{0}, {3}};
    s.q[static_cast<std::size_t>(topology.q + k)] = infinite;
    EXPECT_EQ(faulty_link(model, play, s), link) << k;
  }
}

}  // namespace
}  // namespace marey
