// Figures from bodies: which segments make one link, and on what it hangs. All frames of the standing figure have the same axes,
// so a link's mass properties are sums over its segments, shifted to its joint.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>

#include "human/parts.h"
#include "human/ranges.h"
#include "human/values.h"
#include "marey/human.h"
#include "marey/shape.h"

namespace marey {
namespace {

using Vec = Vec3<double>;
using S = BodyPart;

// A link: the first segment gives it its joint.
struct LinkPlan {
  const char *name, *parent;
  Side side;  // of its segments; in the plane both sides are in one link
  std::vector<BodyPart> segments;
};

std::vector<LinkPlan> in_space(bool jointed) {
  using enum Side;
  std::vector<LinkPlan> plans{{"pelvis", "", middle, {S::pelvis}},
                              {"abdomen", "pelvis", middle, {S::abdomen}},
                              {"chest", "abdomen", middle, {S::thorax}},
                              {"head", "chest", middle, {S::head}}};
  for (const Side side : {left, right}) {
    plans.push_back({"upper_arm", "chest", side, {S::upper_arm}});
    plans.push_back(
        {"forearm", "upper_arm", side, jointed ? std::vector{S::forearm} : std::vector{S::forearm, S::hand}});
    if (jointed) plans.push_back({"hand", "forearm", side, {S::hand}});
    plans.push_back({"thigh", "pelvis", side, {S::thigh}});
    plans.push_back({"shank", "thigh", side, jointed ? std::vector{S::shank} : std::vector{S::shank, S::foot}});
    if (jointed) plans.push_back({"foot", "shank", side, {S::foot}});
  }
  return plans;
}

// Links of both sides together, the lowest first.
const std::vector<LinkPlan> three_links{
    {"shanks", "", Side::middle, {S::shank, S::foot}},
    {"thighs", "shanks", Side::middle, {S::thigh}},
    {"trunk", "thighs", Side::middle, {S::pelvis, S::abdomen, S::thorax, S::head, S::upper_arm, S::forearm, S::hand}}};
const std::vector<LinkPlan> five_links{{"feet", "", Side::middle, {S::foot}},
                                       {"shanks", "feet", Side::middle, {S::shank}},
                                       {"thighs", "shanks", Side::middle, {S::thigh}},
                                       {"trunk", "thighs", Side::middle, {S::pelvis, S::abdomen, S::thorax, S::head}},
                                       {"arms", "trunk", Side::middle, {S::upper_arm, S::forearm, S::hand}}};

std::string side_name(Side side) { return side == Side::left ? "left_" : side == Side::right ? "right_" : ""; }
std::string full_name(const LinkPlan& plan) { return side_name(plan.side) + plan.name; }
// Of a trunk's links the sides are their own; a limb hangs on the limb of its side.
std::string parent_of(const LinkPlan& plan) {
  const std::string parent = plan.parent;
  return parent == "chest" || parent == "pelvis" || parent.empty() ? parent : side_name(plan.side) + parent;
}

// ---- what a joint lets go
Value angle_of(const std::string& angle) {
  if (angle == "swing") return Value::map({{"swing", "z"}});
  constexpr std::string_view twist = "twist ";
  if (angle.starts_with(twist)) return Value::map({{"twist", angle.substr(twist.size())}});
  return Value::map({{"euler", angle}});
}

// Torques grow with mass and height, as those of gravity do.
double strength_of(const Person& p, BodySource source) {
  constexpr double mass = 75, height = 1.75;
  return p.mass / mass * (source == BodySource::ruder ? 1 : p.height / height);
}

// Times of falling grow with the square root of the height, and friction is a torque times a time.
double pace_of(const Person& p, BodySource source) {
  constexpr double height = 1.75;
  return source == BodySource::ruder ? 1 : std::sqrt(p.height / height);
}

std::vector<Value> limits_of(const LinkPlan& plan, const Body& body, bool plane) {
  std::vector<Value> limits;
  for (const JointRange& range : joint_ranges_of(body.source)) {
    if (range.joint != std::string_view(plan.name)) continue;
    const std::string angle = range.angle;
    // Mirrored, turns about the forward and the upward axis change their sign.
    const bool mirrored = plan.side == Side::right && (angle.ends_with('y') || angle.ends_with('z'));
    const double from = mirrored ? -range.to : range.from, to = mirrored ? -range.from : range.to;
    std::vector<std::pair<std::string, Value>> limit;
    if (!plane) limit.emplace_back("angle", angle_of(angle));
    limit.emplace_back("from", fmt::format("{:g} deg", from));
    limit.emplace_back("to", fmt::format("{:g} deg", to));
    limit.emplace_back("slope", brief(range.slope * strength_of(body.person, body.source)));
    limits.push_back(Value::map(limit));
  }
  return limits;
}

double friction_of(const LinkPlan& plan, const Body& body) {
  for (const JointFriction& f : joint_frictions())
    if (f.joint == std::string_view(plan.name))
      return f.friction * strength_of(body.person, body.source) * pace_of(body.person, body.source);
  return 0;
}

// ---- links
Value joint_value(bool root, bool plane) {
  if (!plane) return root ? "free" : "ball";
  if (root) return Value::map({{"type", "planar"}, {"axis", "x"}});
  return Value::map({{"type", "hinge"}, {"axis", "x"}});
}

struct LinkMasses {
  Inertia<double> inertia;  // about the joint
  std::vector<Value> shapes;
  Vec joint;  // p from the middle between the soles
};

Value matrix(const Sym3<double>& J) {
  return Value::list({exact({J.xx, J.xy, J.xz}), exact({J.xy, J.yy, J.yz}), exact({J.xz, J.yz, J.zz})});
}

// R9: three quarters of the legs are soft, and half of the trunk; arms are taken as legs, the head as trunk.
Value wobble_of(const LinkPlan& plan, bool plane) {
  const bool trunk = plan.segments.front() <= S::pelvis;
  std::vector<std::pair<std::string, Value>> wobble{{"share", trunk ? "0.5" : "0.75"}};
  if (!plane || plan.segments.front() != S::foot) wobble.emplace_back("along", "z");
  if (plane) wobble.emplace_back("plane", "x");
  return Value::map(wobble);
}

HumanLink link_of(const LinkPlan& plan, const LinkMasses& m, const Vec* parent, const Body& body, bool plane,
                  bool limits) {
  const Vec center = (1 / m.inertia.m) * m.inertia.h;
  std::vector<std::pair<std::string, Value>> link;
  if (parent) link.emplace_back("parent", parent_of(plan));
  link.emplace_back("joint", joint_value(!parent, plane));
  const Vec from = parent ? *parent : Vec{};
  link.emplace_back("at", exact(m.joint - from));
  if (!m.shapes.empty()) link.emplace_back("shape", Value::list(m.shapes));
  link.emplace_back("mass", Value(m.inertia.m));
  link.emplace_back("center_of_mass", exact(center));
  link.emplace_back("inertia", Value::map({{"matrix", matrix(central_inertia(m.inertia))}}));
  const bool turns = parent != nullptr && limits;
  if (turns) link.emplace_back("friction", brief(friction_of(plan, body)));
  return {full_name(plan), plan.segments, Value::map(link), turns ? limits_of(plan, body, plane) : std::vector<Value>{},
          wobble_of(plan, plane)};
}

// The segments of a link as one body.
LinkMasses masses_of(const LinkPlan& plan, const Body& body, std::span<const HumanPart> parts, bool plane) {
  LinkMasses m;
  const auto belongs = [&](const HumanPart& p, BodyPart s) {
    return p.segment == s && (plane || p.side == plan.side || p.side == Side::middle);
  };
  const auto first = std::ranges::find_if(parts, [&](const HumanPart& p) { return belongs(p, plan.segments.front()); });
  m.joint = first->joint;
  if (plane) m.joint.x = 0;
  // The lowest link of a plane figure begins at the ankle, or its own end nearest to it.
  if (plane && plan.segments.front() == S::shank && plan.parent[0] == 0) m.joint.z = body.ankle_height;
  // Seen from below, a shank begins at the ankle, a thigh at the knee.
  if (plane && plan.parent[0] != 0 && (plan.segments.front() == S::shank || plan.segments.front() == S::thigh))
    m.joint.z -= body[plan.segments.front()].length;
  for (const BodyPart s : plan.segments)
    for (const HumanPart& p : parts) {
      if (!belongs(p, s)) continue;
      const Vec c = p.center - m.joint;
      m.inertia += inertia_about_origin(p.mass, c, Sym3<double>::diagonal(p.moments.x, p.moments.y, p.moments.z));
      for (Value& shape : shapes_of(body, p, m.joint)) m.shapes.push_back(std::move(shape));
    }
  return m;
}

// ---- the printed figure
// R 4.3.1: lengths, masses and moments of both legs together, over the mass of the body; skeletal and wobbling part as one. The
// lower leg's wobbling part is 0.00073, not the printed 0.00037: with (4.4) that is a radius of 5.7 cm (docs/theory/human.md).
// Moments about the axes in the plane are Marey's: those of the cylinder of (4.4), and none about the upright axis but its own.
struct PrintedLink {
  double length, mass, moment, soft_share, soft_moment;
};
constexpr std::array<PrintedLink, 3> printed_links{{{0.43, 2 * 0.06, 2 * (0.00023 + 0.00073), 0.75, 2 * 0.00073},
                                                    {0.45, 2 * 0.11, 2 * (0.00047 + 0.00152), 0.75, 2 * 0.00152},
                                                    {0.75, 0.66, 0.00845 + 0.03380, 0.50, 0.03380}}};

HumanFigure printed_figure(const Body& body, const HumanOptions& options) {
  HumanFigure figure;
  Vec joint, before;
  for (std::size_t i = 0; i < printed_links.size(); ++i) {
    const PrintedLink& p = printed_links[i];
    const double m = p.mass * body.person.mass, own = p.moment * body.person.mass;
    const double radius_squared = 4 * (p.moment / p.mass - p.length * p.length / 12);  // (4.4)
    const double radius = std::sqrt(radius_squared);
    LinkMasses masses;
    masses.joint = joint;
    masses.inertia =
        inertia_about_origin(m, {0, 0, 0.5 * p.length}, Sym3<double>::diagonal(own, own, 0.5 * m * radius_squared));
    const double seen = std::min(radius, 0.14);  // the printed trunk's moment is that of one 26 cm thick
    masses.shapes = {Value::map({{"capsule", Value::map({{"radius", brief(seen)},
                                                         {"from", value_of({0, 0, seen})},
                                                         {"to", value_of({0, 0, p.length - 0.5 * seen})}})}})};
    figure.links.push_back(link_of(three_links[i], masses, i == 0 ? nullptr : &before, body, true, options.limits));
    const double soft = p.soft_moment * body.person.mass;
    figure.links.back().wobble = Value::map({{"mass", Value(p.soft_share * m)},
                                             {"inertia", exact({soft, soft, p.soft_share * 0.5 * m * radius_squared})},
                                             {"along", "z"},
                                             {"plane", "x"}});
    before = joint, joint.z += p.length;
  }
  return figure;
}

}  // namespace

HumanFigure human_figure(const Body& body, const HumanOptions& options) {
  const bool plane = options.form == HumanForm::three_links || options.form == HumanForm::five_links;
  if (body.source == BodySource::ruder) {
    if (options.form != HumanForm::three_links)
      throw ImpossibleBody("source: ruder for a figure that it does not print; expected form: three_links");
    return printed_figure(body, options);
  }
  const std::vector<HumanPart> parts = standing_parts(body);
  const std::vector<LinkPlan> plans = options.form == HumanForm::three_links ? three_links
                                      : options.form == HumanForm::five_links
                                          ? five_links
                                          : in_space(options.form == HumanForm::hands_and_feet);
  HumanFigure figure;
  std::map<std::string, Vec> joints;
  for (const LinkPlan& plan : plans) {
    const LinkMasses m = masses_of(plan, body, parts, plane);
    const Vec* parent = plan.parent[0] == 0 ? nullptr : &joints.at(parent_of(plan));
    figure.links.push_back(link_of(plan, m, parent, body, plane, options.limits));
    joints[full_name(plan)] = m.joint;
  }
  return figure;
}

}  // namespace marey
