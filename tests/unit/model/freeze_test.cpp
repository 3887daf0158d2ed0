// What freeze() refuses, by which name and for which reason, and what it lets through.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "marey/model.h"

namespace marey {
namespace {

LinkSpec link(const std::string& name, const std::string& parent, JointType joint) {
  LinkSpec l;
  l.name = name;
  l.parent = parent;
  l.joint = joint;
  l.X_PF.p = {0, 0, -0.3};
  l.inertia = shape_inertia({Capsule{0.05, 0.2}, {Mat3<double>::identity(), {0, 0, -0.15}}}, 1.0);
  return l;
}
ModelSpec three_links() {
  ModelSpec spec;
  spec.links = {link("root", "world", JointType::free), link("arm", "root", JointType::ball),
                link("hand", "arm", JointType::hinge)};
  return spec;
}

// The link that is blamed and the reason, or what else happened.
std::string blamed(const std::function<void(ModelSpec&)>& spoil) {
  ModelSpec spec = three_links();
  spoil(spec);
  try {
    freeze(spec);
  } catch (const InvalidSpec& e) {
    EXPECT_EQ(e.kind(), ErrorKind::bad_input);
    return e.link() + ": " + e.reason();
  }
  return "accepted";
}
#define EXPECT_BLAMED(who, why, ...)                                 \
  do {                                                               \
    const std::string said = blamed(__VA_ARGS__);                    \
    EXPECT_EQ(said.substr(0, std::string(who).size() + 1), who ":"); \
    EXPECT_NE(said.find(why), std::string::npos) << said;            \
  } while (false)

TEST(Freeze, AcceptsAFigure) {
  const Model model = freeze(three_links());
  EXPECT_EQ(model.nlink(), 4);
  EXPECT_EQ(model.nq, 7 + 4 + 1);
  EXPECT_EQ(model.nv, 6 + 3 + 1);
  EXPECT_EQ(model.names[0], "world");
  EXPECT_EQ(model.find("hand"), 3);
  EXPECT_EQ(model.find("foot"), -1);
}

TEST(Freeze, StoresParentsFirstHoweverTheyAreWritten) {
  ModelSpec spec = three_links();
  std::swap(spec.links[0], spec.links[2]);
  const Model model = freeze(spec);
  for (int i = 1; i < model.nlink(); ++i) EXPECT_LT(model.links[i].parent, i);
  EXPECT_EQ(model.names, (std::vector<std::string>{"world", "root", "arm", "hand"}));
  EXPECT_TRUE(model.links[3].leaf);
  EXPECT_FALSE(model.links[2].leaf);
  EXPECT_TRUE(model.links[3].opens);
}

TEST(Freeze, RefusesNamesAndTrees) {
  EXPECT_BLAMED("arm", "two links have this name", [](ModelSpec& s) { s.links[2].name = "arm"; });
  EXPECT_BLAMED("world", "belongs to link 0", [](ModelSpec& s) { s.links[2].name = "world"; });
  EXPECT_BLAMED("", "needs a name", [](ModelSpec& s) { s.links[1].name = ""; });
  EXPECT_BLAMED("hand", "'leg' does not exist", [](ModelSpec& s) { s.links[2].parent = "leg"; });
  EXPECT_BLAMED("arm", "hangs on itself", [](ModelSpec& s) { s.links[1].parent = "hand"; });
  EXPECT_BLAMED("hand", "hangs on itself", [](ModelSpec& s) { s.links[2].parent = "hand"; });
}

TEST(Freeze, RefusesMassesNoBodyHas) {
  EXPECT_BLAMED("arm", "negative mass", [](ModelSpec& s) { s.links[1].inertia.m = -1; });
  EXPECT_BLAMED("arm", "not a finite number", [](ModelSpec& s) { s.links[1].inertia.m = std::nan(""); });
  EXPECT_BLAMED("arm", "not a finite number", [](ModelSpec& s) { s.links[1].inertia.J.xy = INFINITY; });
  EXPECT_BLAMED("arm", "no mass, but", [](ModelSpec& s) { s.links[1].inertia.m = 0; });
  EXPECT_BLAMED("hand", "exceeds the sum", [](ModelSpec& s) {
    s.links[2].inertia = {1, {}, Sym3<double>::diagonal(1, 1, 2.1)};
  });
  EXPECT_BLAMED("hand", "negative moment", [](ModelSpec& s) { s.links[2].inertia.J.xx = 0; });
}

TEST(Freeze, RefusesPlacesAndAxes) {
  EXPECT_BLAMED("hand", "axis has no direction", [](ModelSpec& s) { s.links[2].axis = {0, 0, 0}; });
  EXPECT_BLAMED("hand", "axis has no direction", [](ModelSpec& s) { s.links[2].axis = {std::nan(""), 0, 0}; });
  EXPECT_BLAMED("arm", "place on the parent", [](ModelSpec& s) { s.links[1].X_PF.p.x = INFINITY; });
  EXPECT_BLAMED("arm", "not a rotation", [](ModelSpec& s) { s.links[1].X_PF.R.xx = 2; });
  EXPECT_BLAMED("arm", "not a rotation", [](ModelSpec& s) { s.links[1].X_PF.R = Mat3<double>::diagonal(1, 1, -1); });
  EXPECT_BLAMED("world", "gravity", [](ModelSpec& s) { s.gravity.z = std::nan(""); });
}

// A joint that could move without moving any inertia has no acceleration.
TEST(Freeze, RefusesASingularJointSpaceInertia) {
  const auto point_mass = [](const Vec3<double>& c) { return inertia_about_origin(1.0, c, Sym3<double>{}); };
  const Inertia<double> thin_rod =
      inertia_about_origin(1.0, Vec3<double>{0, 0, -0.2}, Sym3<double>::diagonal(0.01, 0.01, 0));
  EXPECT_BLAMED("hand", "without effort", [&](ModelSpec& s) { s.links[2].inertia = point_mass({0, 0, 0}); });
  EXPECT_BLAMED("hand", "without effort", [&](ModelSpec& s) {
    s.links[2].joint = JointType::ball;
    s.links[2].inertia = thin_rod;
  });
  EXPECT_BLAMED("hand", "without effort", [&](ModelSpec& s) {
    s.links[2].axis = {0, 0, 1};  // along the rod
    s.links[2].inertia = thin_rod;
  });
  EXPECT_BLAMED("hand", "without effort", [&](ModelSpec& s) {
    s.links[2].joint = JointType::slider;
    s.links[2].inertia = {};
  });
  EXPECT_BLAMED("root", "needs mass", [&](ModelSpec& s) {
    s.links.resize(1);
    s.links[0].inertia = point_mass({0, 0, 0.1});
  });
}

// A particle needs no moment of inertia, only mass.
TEST(Freeze, AcceptsParticles) {
  ModelSpec spec = three_links();
  spec.links[0].joint = spec.links[2].joint = JointType::point;
  spec.links[2].inertia = {0.1, {}, {}};
  const Model model = freeze(spec);
  EXPECT_EQ(model.nq, 3 + 4 + 3);
  EXPECT_EQ(model.nv, 3 + 3 + 3);
  EXPECT_EQ(neutral_state(model).q, (std::vector<double>{0, 0, 0, 1, 0, 0, 0, 0, 0, 0}));
  EXPECT_BLAMED("hand", "give the particle a mass", [](ModelSpec& s) {
    s.links[2].joint = JointType::point;
    s.links[2].inertia = {};
  });
}

TEST(Freeze, AcceptsPointMassesRodsAndConnectorsWhereTheJointsAllow) {
  ModelSpec spec = three_links();
  spec.links[2].axis = {1, 0, 0};
  spec.links[2].inertia =
      inertia_about_origin(1.0, Vec3<double>{0, 0, -0.2}, Sym3<double>{});  // a point mass on a hinge
  EXPECT_NO_THROW(freeze(spec));
  spec.links[2].inertia = inertia_about_origin(1.0, Vec3<double>{0, 0, -0.2}, Sym3<double>::diagonal(0.01, 0.01, 0));
  EXPECT_NO_THROW(freeze(spec));
  spec.links[1].joint = JointType::hinge;  // a link without mass between two that have it
  spec.links[1].axis = {0, 1, 0};
  spec.links[1].inertia = {};
  EXPECT_NO_THROW(freeze(spec));
}

// A bob on a rod without mass on another: stretched, the upper hinge moves nothing. That is a pose, and no fault of the
// figure; almost everywhere it is a double pendulum.
TEST(Freeze, AcceptsWhatIsSingularInOnePoseAlone) {
  ModelSpec spec;
  LinkSpec upper, lower;
  upper.name = "upper", upper.joint = JointType::hinge, upper.axis = {0, 1, 0};
  lower.name = "lower", lower.parent = "upper", lower.joint = JointType::hinge, lower.axis = {0, 1, 0};
  lower.X_PF.p = {0, 0, -0.3};
  lower.inertia = inertia_about_origin(1.0, Vec3<double>{0, 0, -0.2}, Sym3<double>{});
  spec.links = {upper, lower};
  EXPECT_NO_THROW(freeze(spec));
}

// A custom joint made in code, spoilt.
std::string blamed_custom(const std::function<void(CustomJoint&)>& spoil) {
  return blamed([&](ModelSpec& s) {
    s.links[2].joint = JointType::custom;
    CustomJoint& joint = s.links[2].custom;
    joint.coordinates = {{"bend", false}, {"glide", true}};
    joint.functions[0] = {JointFunction{0, {}, {0, 1, 2}, {0, 1, 2}, {}}};
    joint.functions[3] = {JointFunction{1, {0, 1}, {}, {}, {}}};
    spoil(joint);
  });
}
TEST(Freeze, RefusesCustomJointsWithoutSense) {
  EXPECT_EQ(blamed_custom([](CustomJoint&) {}), "accepted");
  const auto table = [](auto&& change) { return blamed_custom([&](CustomJoint& j) { change(j.functions[0][0]); }); };
  const std::string points = "hand: a table of its joint needs at least two points, each with two numbers",
                    finite = "hand: a table of its joint holds a number that is not finite",
                    slopes = "hand: the slopes at the ends of a table of its joint are not finite numbers";
  EXPECT_EQ(table([](JointFunction& f) { f.y.pop_back(); }), points);
  EXPECT_EQ(table([](JointFunction& f) { f.x = {0}, f.y = {0}; }), points);
  EXPECT_EQ(table([](JointFunction& f) { f.x = {0, 1}, f.y = {0, 1}; }), "accepted");
  EXPECT_EQ(table([](JointFunction& f) { f.x[2] = INFINITY; }), finite);
  EXPECT_EQ(table([](JointFunction& f) { f.y[0] = NAN; }), finite);
  EXPECT_EQ(table([](JointFunction& f) { f.x[2] = f.x[1]; }),
            "hand: a table of its joint has coordinates that do not ascend");
  EXPECT_EQ(table([](JointFunction& f) { f.end_slopes = {1, 1}; }), "accepted");
  EXPECT_EQ(table([](JointFunction& f) { f.end_slopes = {NAN, 1}; }), slopes);
  EXPECT_EQ(table([](JointFunction& f) { f.end_slopes = {1, INFINITY}; }), slopes);
  EXPECT_EQ(table([](JointFunction& f) { f.coordinate = -1; }),
            "hand: a function of its joint is of a coordinate that is not there");
  EXPECT_EQ(table([](JointFunction& f) { f.coordinate = 2; }),
            "hand: a function of its joint is of a coordinate that is not there");
  EXPECT_EQ(blamed_custom([](CustomJoint& j) { j.functions[3][0].polynomial[1] = NAN; }),
            "hand: a polynomial of its joint holds a number that is not finite");
  EXPECT_NE(blamed_custom([](CustomJoint& j) {
              j.functions[3][0].polynomial.assign(50, 1.0);
            }).find("a polynomial of its joint needs 1 to "),
            std::string::npos);
  EXPECT_EQ(blamed_custom([](CustomJoint& j) { j.constants[4] = INFINITY; }),
            "hand: a constant of its joint is not finite");
  EXPECT_EQ(blamed_custom([](CustomJoint& j) { j.coordinates.clear(); }),
            "hand: a custom joint needs 1 to 6 coordinates");
  EXPECT_EQ(blamed_custom([](CustomJoint& j) { j.coordinates.resize(7); }),
            "hand: a custom joint needs 1 to 6 coordinates");
  EXPECT_EQ(blamed_custom([](CustomJoint& j) { j.coordinates[1].name = "bend"; }),
            "hand: two coordinates of its joint are called 'bend'");
  EXPECT_EQ(blamed_custom([](CustomJoint& j) { j.functions[3].clear(); }),
            "hand: coordinate 'glide' of its joint moves nothing");
  EXPECT_EQ(blamed_custom([](CustomJoint& j) { j.functions[0].push_back(j.functions[0][0]); }),
            "hand: an angle or displacement of its joint has two functions of 'bend'; put them into one");
}

}  // namespace
}  // namespace marey
