// Figures of persons: how they stand, what they weigh as a whole, which way their joints go; against sums and heights worked
// out here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "marey/dynamics.h"
#include "marey/human.h"
#include "marey/scene.h"

namespace marey::human_figure_test {
namespace {

using Vec = Vec3<double>;

const std::vector<Person>& people() {
  static const std::vector<Person> all{
      {.sex = Sex::male, .mass = 75, .height = 1.78},
      {.sex = Sex::female, .mass = 60, .height = 1.66},
      {.sex = Sex::male, .population = Population::german, .mass = 82, .height = 1.85},
      {.sex = Sex::female, .population = Population::german, .mass = 64, .height = 1.68},
      {.sex = Sex::male, .population = Population::chinese, .mass = 66, .height = 1.7},
      {.sex = Sex::female, .population = Population::chinese, .mass = 55, .height = 1.6},
      {.sex = Sex::male, .age = 9, .mass = 30, .height = 1.35},
      {.sex = Sex::female, .age = 80, .mass = 66, .height = 1.58},
  };
  return all;
}

Scene scene_of(const HumanFigure& figure) {
  std::vector<std::pair<std::string, Value>> links;
  for (const HumanLink& link : figure.links) links.emplace_back(link.name, link.link);
  SceneSpec spec;
  spec.set("duration", "1 s");
  spec.set("figures/h/links", Value::map(links));
  return build(spec);
}
Scene scene_of(const Person& p, HumanForm form) { return scene_of(human_figure(measure(p), {form, true})); }

std::vector<Transform<double>> poses(const Scene& s) {
  Kinematics<double> k(s.model);
  forward_kinematics<double>(s.model, s.model.params, s.start.q, s.start.v, k);
  return k.X_WB;
}
std::size_t at(const Scene& s, const std::string& link) {
  const int i = s.model.find("h." + link);
  EXPECT_GT(i, 0) << link;
  return static_cast<std::size_t>(i);
}
// All links as one body, about the world's origin.
Inertia<double> whole(const Scene& s) {
  const auto X = poses(s);
  Inertia<double> sum;
  for (std::size_t i = 1; i < X.size(); ++i) sum += X[i] * s.model.params.links[i].I;
  return sum;
}

TEST(HumanFigure, HasTheFreedomsItShould) {
  const Person& p = people().front();
  const auto freedoms = [&](HumanForm form) { return scene_of(p, form).model.nv; };
  EXPECT_EQ(freedoms(HumanForm::whole), 39);
  EXPECT_EQ(scene_of(p, HumanForm::whole).model.nlink(), 1 + 12);
  EXPECT_EQ(freedoms(HumanForm::hands_and_feet), 51);
  EXPECT_EQ(freedoms(HumanForm::three_links), 5);
  EXPECT_EQ(freedoms(HumanForm::five_links), 7);
}

// Soles on the floor, the top of the head at the person's height.
TEST(HumanFigure, StandsAsHighAsThePerson) {
  for (const Person& p : people()) {
    const Scene s = scene_of(p, HumanForm::hands_and_feet);
    const auto X = poses(s);
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t i = 1; i < X.size(); ++i)
      for (const Shape& shape : s.model.shapes[i]) {
        const Vec center = X[i].p + shape.X_BS.p + bounding_box_center(shape.solid), size = bounding_box(shape.solid);
        if (s.model.names[i] == "h.head" && !std::holds_alternative<Ellipsoid>(shape.solid))
          continue;  // a neck, turned
        low = std::min(low, center.z - size.z / 2), high = std::max(high, center.z + size.z / 2);
      }
    EXPECT_NEAR(low, 0, 1e-7);
    EXPECT_NEAR(high, p.height, 1e-7);
  }
}

// Mass, centre and moments of all, summed here over the segments of the standing body by the theorem of parallel axes.
struct Sum {
  double m = 0, yz = 0;
  Vec c, I;  // first moment; moments about the origin
  void add(double mass, const Vec& center, const Vec& I_own) {
    m += mass, c += mass * center, yz += -mass * center.y * center.z;
    const Vec& r = center;
    I += I_own + mass * Vec{r.y * r.y + r.z * r.z, r.x * r.x + r.z * r.z, r.x * r.x + r.y * r.y};
  }
};
Sum standing(const Body& b) {
  Sum sum;
  const auto of = [&](BodyPart s) -> const BodySegment& { return b[s]; };
  const auto add = [&](BodyPart s, const Vec& center) { sum.add(of(s).mass, center, of(s).moments); };
  const double ankle = b.ankle_height, knee = ankle + of(BodyPart::shank).length,
               hip = knee + of(BodyPart::thigh).length;
  const double waist = hip + b.hip_depth, thorax = waist + of(BodyPart::abdomen).length;
  const double neck = thorax + of(BodyPart::thorax).length, top = neck + of(BodyPart::head).length;
  const double shoulder = neck - b.shoulder_depth, elbow = shoulder - of(BodyPart::upper_arm).length;
  const double wrist = elbow - of(BodyPart::forearm).length;
  add(BodyPart::head, {0, 0, top - of(BodyPart::head).center});
  add(BodyPart::thorax, {0, 0, neck - of(BodyPart::thorax).center});
  add(BodyPart::abdomen, {0, 0, thorax - of(BodyPart::abdomen).center});
  add(BodyPart::pelvis, {0, 0, waist - of(BodyPart::pelvis).center});
  for (const double side : {-1.0, 1.0}) {
    const double arm = side * b.shoulder_half, leg = side * b.hip_half;
    add(BodyPart::upper_arm, {arm, 0, shoulder - of(BodyPart::upper_arm).center});
    add(BodyPart::forearm, {arm, 0, elbow - of(BodyPart::forearm).center});
    add(BodyPart::hand, {arm, 0, wrist - of(BodyPart::hand).center});
    add(BodyPart::thigh, {leg, 0, hip - of(BodyPart::thigh).center});
    add(BodyPart::shank, {leg, 0, knee - of(BodyPart::shank).center});
    const BodySegment& foot = of(BodyPart::foot);
    add(BodyPart::foot, {leg, foot.center - foot.length / 4, ankle / 2});
  }
  return sum;
}

TEST(HumanFigure, IsTheSumOfItsSegmentsInEveryForm) {
  for (const Person& p : people()) {
    const Body b = measure(p);
    const Sum sum = standing(b);
    for (const HumanForm form :
         {HumanForm::whole, HumanForm::hands_and_feet, HumanForm::three_links, HumanForm::five_links}) {
      const Inertia<double> all = whole(scene_of(p, form));
      EXPECT_NEAR(all.m, p.mass, 1e-12 * p.mass);
      EXPECT_NEAR(norm(all.h - sum.c), 0, 1e-12 * p.mass);
      EXPECT_NEAR(norm(Vec{all.J.xx, all.J.yy, all.J.zz} - sum.I), 0, 1e-12 * sum.I.x);
      EXPECT_NEAR(norm(Vec{all.J.yz - sum.yz, all.J.xy, all.J.xz}), 0, 1e-12 * sum.I.x);
      // Where people have their centre, 55 to 57 % of the height, of children higher: a wide bound.
      EXPECT_GT(all.h.z / all.m, 0.52 * p.height);
      EXPECT_LT(all.h.z / all.m, 0.61 * p.height);
    }
  }
}

TEST(HumanFigure, IsAlikeOnBothSides) {
  const Scene s = scene_of(people()[2], HumanForm::hands_and_feet);
  const auto X = poses(s);
  for (const char* limb : {"upper_arm", "forearm", "hand", "thigh", "shank", "foot"}) {
    const auto l = at(s, std::string("left_") + limb), r = at(s, std::string("right_") + limb);
    EXPECT_EQ(s.model.params.links[l].I.m, s.model.params.links[r].I.m);
    EXPECT_EQ(norm(X[l].p - Vec{-X[r].p.x, X[r].p.y, X[r].p.z}), 0);
    EXPECT_LT(X[l].p.x, 0);  // x is to the right
  }
}

// ---- which way joints go
struct Turn {
  const char *joint, *seen;  // the link that is turned, and the one whose origin is looked at
  char axis;
  double degrees;
  Vec goes;  // where that one goes, roughly
};
TEST(HumanFigure, JointsGoTheWayTheyAreCalled) {
  const Scene standing = scene_of(people().front(), HumanForm::hands_and_feet);
  const Vec forward{0, 1, 0}, back{0, -1, 0}, left{-1, 0, 0}, right{1, 0, 0};
  for (const Turn& t :
       {Turn{"left_thigh", "left_shank", 'x', 60, forward}, Turn{"right_shank", "right_foot", 'x', -60, back},
        Turn{"left_forearm", "left_hand", 'x', 60, forward}, Turn{"left_thigh", "left_shank", 'y', 30, left},
        Turn{"right_thigh", "right_shank", 'y', -30, right}, Turn{"abdomen", "head", 'x', -30, forward},
        Turn{"left_upper_arm", "left_hand", 'x', 80, forward}}) {
    Scene s = standing;
    const LinkTopology& joint = s.model.links[at(s, t.joint)];
    const double half = t.degrees * std::numbers::pi / 360;
    s.start.q[static_cast<std::size_t>(joint.q)] = std::cos(half);
    s.start.q[static_cast<std::size_t>(joint.q + (t.axis == 'x' ? 1 : t.axis == 'y' ? 2 : 3))] = std::sin(half);
    const Vec moved = poses(s)[at(s, t.seen)].p - poses(standing)[at(s, t.seen)].p;
    EXPECT_GT(dot(moved, t.goes), 0.08) << t.joint << ' ' << t.axis;
    // that much is within the joint's range
    for (const JointRange& range : joint_ranges()) {
      const std::string name = t.joint;
      const bool this_joint = name.ends_with(range.joint) && std::string(range.angle) == std::string(1, t.axis);
      const double mirrored = name.starts_with("right_") && t.axis != 'x' ? -t.degrees : t.degrees;
      EXPECT_TRUE(!this_joint || (mirrored >= range.from && mirrored <= range.to)) << name;
    }
  }
}

// A standing person is inside all ranges, on both sides alike, and every joint has its ranges.
TEST(HumanFigure, StandsWithinItsRanges) {
  for (const JointRange& r : joint_ranges()) {
    EXPECT_LT(r.from, 0) << r.joint;
    EXPECT_GT(r.to, 0) << r.joint;
    EXPECT_GT(r.slope, 0) << r.joint;
  }
  for (const HumanForm form :
       {HumanForm::whole, HumanForm::hands_and_feet, HumanForm::three_links, HumanForm::five_links})
    for (const HumanLink& link : human_figure(measure(people().front()), {form, true}).links)
      EXPECT_EQ(link.limits.empty(), link.name == "pelvis" || !link.link.find("parent")) << link.name;
  for (const HumanLink& link : human_figure(measure(people().front()), {HumanForm::whole, false}).links)
    EXPECT_TRUE(link.limits.empty());
}

TEST(HumanFigure, LimitsAreMirrored) {
  const HumanFigure figure = human_figure(measure(people().front()), {});
  const auto zone = [&](const std::string& name, const char* axis) {
    for (const HumanLink& link : figure.links)
      if (link.name == name)
        for (const Value& limit : link.limits)
          if (const ValueEntry* euler = limit.find("angle")->value->find("euler"); euler && euler->value->text == axis)
            return limit.find("from")->value->text + ".." + limit.find("to")->value->text;
    return std::string("none");
  };
  EXPECT_EQ(zone("left_thigh", "y"), "-30 deg..45 deg");
  EXPECT_EQ(zone("right_thigh", "y"), "-45 deg..30 deg");
  EXPECT_EQ(zone("right_thigh", "x"), zone("left_thigh", "x"));
}

// ---- the printed figure: R 4.3.1, of both legs, of a body of 80 kg
TEST(HumanFigure, OfThreeLinksIsAsPrinted) {
  Person p;
  p.source = BodySource::ruder, p.mass = 80;
  const Body b = measure(p);
  const Scene s = scene_of(human_figure(b, {HumanForm::three_links, true}));
  struct Printed {
    const char* link;
    double mass, length, moment;  // of the body's mass
  };
  for (const Printed& l :
       {Printed{"shanks", 0.12, 0.43, 2 * (0.00023 + 0.00073)}, Printed{"thighs", 0.22, 0.45, 2 * (0.00047 + 0.00152)},
        Printed{"trunk", 0.66, 0.75, 0.00845 + 0.03380}}) {
    const Inertia<double>& I = s.model.params.links[at(s, l.link)].I;
    EXPECT_NEAR(I.m, l.mass * 80, 1e-12);
    EXPECT_NEAR(norm(I.h - I.m * Vec{0, 0, l.length / 2}), 0, 1e-12);
    EXPECT_NEAR(central_inertia(I).xx, l.moment * 80, 1e-12);
  }
  const auto X = poses(s);
  EXPECT_NEAR(X[at(s, "thighs")].p.z, 0.43, 1e-15);
  EXPECT_NEAR(X[at(s, "trunk")].p.z, 0.43 + 0.45, 1e-15);
  // (4.4): the lower leg's wobbling part, ¾ of 0.06, of a cylinder of 5.7 cm; with the printed 0.00037 there is no such radius
  const double rod = 0.75 * 0.06 * 0.43 * 0.43 / 12;
  EXPECT_GT(rod, 0.00037);
  EXPECT_NEAR(std::sqrt(4 * (0.00073 - rod) / (0.75 * 0.06)), 0.057, 0.001);
  EXPECT_THROW(human_figure(b, {HumanForm::whole, true}), ImpossibleBody);
}

}  // namespace
}  // namespace marey::human_figure_test
