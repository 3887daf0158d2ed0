#include "human/parts.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "human/values.h"

namespace marey {
namespace {

using Vec = Vec3<double>;

constexpr double density = 1050;       // kg/m³, of tissue
constexpr double chest_density = 950;  // with lungs in it
constexpr double heel_part = 0.25;     // of the foot lies behind the ankle

double across(Side side) { return side == Side::left ? -1 : side == Side::right ? 1 : 0; }

// Where the upper joints of the segments are.
Vec joint_of(const Body& b, BodyPart s, Side side) {
  const auto length = [&](BodyPart which) { return b[which].length; };
  const double hip = b.ankle_height + length(BodyPart::shank) + length(BodyPart::thigh);
  const double waist = hip + b.hip_depth, thorax = waist + length(BodyPart::abdomen),
               neck = thorax + length(BodyPart::thorax);
  const double shoulder = neck - b.shoulder_depth, elbow = shoulder - length(BodyPart::upper_arm);
  const double arm = across(side) * b.shoulder_half, leg = across(side) * b.hip_half;
  switch (s) {
    case BodyPart::head:
      return {0, 0, neck};
    case BodyPart::thorax:
      return {0, 0, thorax};
    case BodyPart::abdomen:
      return {0, 0, waist};
    case BodyPart::pelvis:
      return {0, 0, hip};
    case BodyPart::upper_arm:
      return {arm, 0, shoulder};
    case BodyPart::forearm:
      return {arm, 0, elbow};
    case BodyPart::hand:
      return {arm, 0, elbow - length(BodyPart::forearm)};
    case BodyPart::thigh:
      return {leg, 0, hip};
    case BodyPart::shank:
      return {leg, 0, hip - length(BodyPart::thigh)};
    case BodyPart::foot:
      return {leg, 0, b.ankle_height};
  }
  return {};
}

// From the joint to the centre of mass. Head and trunk hang above their joints, and are measured from their upper ends.
Vec center_from_joint(const Body& b, BodyPart s) {
  const BodySegment& part = b[s];
  if (s == BodyPart::pelvis) return {0, 0, b.hip_depth - part.center};
  if (s == BodyPart::foot) return {0, part.center - heel_part * part.length, -0.5 * b.ankle_height};
  return {0, 0, is_paired(s) ? -part.center : part.length - part.center};
}

// ---- what they look like
// An upright ring of points, or of an ellipse's.
void put_ring(std::vector<Value>& points, const Vec& center, double half_x, double half_y) {
  constexpr int corners = 8;
  for (int k = 0; k < corners; ++k) {
    const double phi = 2 * std::numbers::pi * (k + 0.5) / corners;
    points.push_back(value_of(center + Vec{half_x * std::cos(phi), half_y * std::sin(phi), 0}));
  }
}
Value hull(std::vector<Value> points, double rounding) {
  return Value::map(
      {{"hull", Value::map({{"points", Value::list(std::move(points))}, {"rounding", brief(rounding)}})}});
}
Value ellipsoid(const Vec& center, const Vec& radii) {
  return Value::map({{"ellipsoid", Value::map({{"radii", value_of(radii)}, {"center", value_of(center)}})}});
}

// The radius at the upper end of a limb that ends `lower` thick: of a cone frustum of its volume,
//   π L (a² + a b + b²)/3 = V
double upper_radius(const BodySegment& s, double b) {
  const double bulk = 3 * s.mass / density / (std::numbers::pi * s.length);
  return 0.5 * (std::sqrt(std::max(4 * bulk - 3 * b * b, 0.0)) - b);
}
// That of a cylinder of its volume.
double mean_radius(const BodySegment& s) { return std::sqrt(s.mass / density / (std::numbers::pi * s.length)); }

// How thick a limb is at its lower end: as the next begins, or tapering.
double lower_radius(const Body& body, BodyPart part) {
  constexpr double tapered = 0.7;
  const BodySegment& s = body[part];
  if (part == BodyPart::shank || part == BodyPart::forearm) return tapered * mean_radius(s);
  const BodyPart next = part == BodyPart::thigh ? BodyPart::shank : BodyPart::forearm;
  return std::min(upper_radius(body[next], lower_radius(body, next)), mean_radius(s));
}

// A limb from `top` down: a rounded cone frustum. Thighs, which would be in each other, are deeper than they are broad.
Value limb(const Body& body, BodyPart part, const Vec& top) {
  constexpr double apart = 0.97;
  const BodySegment& s = body[part];
  const double lower = lower_radius(body, part), upper = upper_radius(s, lower);
  const double broad = part == BodyPart::thigh ? std::min(upper, apart * body.hip_half) : upper,
               deep = upper * upper / broad;
  const double rounding = 0.9 * std::min(broad, lower);
  std::vector<Value> points;
  put_ring(points, top, broad - rounding, deep - rounding);
  put_ring(points, top - Vec{0, 0, s.length}, lower - rounding, lower - rounding);
  return hull(std::move(points), rounding);
}

// Half the breadth of a part of the trunk, an ellipse whose depth is `flat` of it.
double half_breadth(const BodySegment& s, double length, double flat, double dense) {
  return std::sqrt(s.mass / dense / (std::numbers::pi * flat * length));
}

Value chest(const Body& b, const Vec& base) {
  const BodySegment& s = b[BodyPart::thorax];
  constexpr double flat = 0.66;
  const double half = 1.08 * half_breadth(s, s.length, flat, chest_density), rounding = 0.35 * half * flat;
  const auto ring = [&](std::vector<Value>& points, double z, double part) {
    put_ring(points, base + Vec{0, 0, z}, part * half - rounding, part * half * flat - rounding);
  };
  std::vector<Value> points;
  ring(points, rounding, 0.9);
  ring(points, s.length - b.shoulder_depth, 1);
  ring(points, s.length - 0.5 * rounding, 0.5);
  return hull(std::move(points), rounding);
}
Value barrel(const BodySegment& s, const Vec& base, double length, double flat, double upper, double lower) {
  const double half = half_breadth(s, length, flat, density), rounding = 0.4 * half * flat;
  std::vector<Value> points;
  for (const auto& [z, part] : {std::pair{0.0, lower}, std::pair{length, upper}})
    put_ring(points, base + Vec{0, 0, z}, part * half - rounding, part * half * flat - rounding);
  return hull(std::move(points), rounding);
}

std::vector<Value> head(const BodySegment& s, const Vec& base) {
  const double tall = 0.415 * s.length;
  const Vec middle = base + Vec{0, 0.06 * s.length, s.length - tall};
  const double neck = 0.23 * s.length, foot = 0.2 * s.length;
  return {Value::map({{"capsule", Value::map({{"radius", brief(neck)},
                                              {"from", value_of(base - Vec{0, 0, 0.1 * foot})},
                                              {"to", value_of(base + Vec{0, 0.04 * s.length, 1.9 * foot})}})}}),
          ellipsoid(middle, {0.76 * tall, 0.94 * tall, tall}),
          ellipsoid(middle + Vec{0, 0.93 * tall, -0.15 * tall}, {0.11 * tall, 0.16 * tall, 0.2 * tall})};
}

// A flat sole, the instep rising to the ankle.
Value foot(const Body& b, const Vec& ankle) {
  const BodySegment& s = b[BodyPart::foot];
  const double rounding = 0.05 * s.length, sole = -b.ankle_height + rounding, heel = -heel_part * s.length + rounding;
  const double toe = (1 - heel_part) * s.length - rounding, narrow = 0.13 * s.length - rounding,
               wide = 0.19 * s.length - rounding;
  const double high = std::max(0.3 * b.ankle_height, sole + 0.01 * s.length), ball = 0.62 * toe;
  std::vector<Value> points;
  for (const double x : {-1.0, 1.0})
    for (const Vec& p : {Vec{x * narrow, heel, sole}, Vec{x * wide, ball, sole}, Vec{x * narrow, toe, sole},
                         Vec{x * narrow, 0.6 * heel, high}, Vec{x * narrow, 0.25 * toe, high}})
      points.push_back(value_of(ankle + p));
  return hull(std::move(points), rounding);
}

Value hand(const BodySegment& s, const Vec& wrist) {
  return ellipsoid(wrist - Vec{0, 0, 0.47 * s.length}, {0.1 * s.length, 0.23 * s.length, 0.53 * s.length});
}

}  // namespace

std::vector<HumanPart> standing_parts(const Body& body) {
  std::vector<HumanPart> parts;
  for (int i = 0; i < segment_count; ++i) {
    const auto s = static_cast<BodyPart>(i);
    const BodySegment& segment = body[s];
    const auto put = [&](Side side) {
      const Vec joint = joint_of(body, s, side);
      parts.push_back({s, side, joint, joint + center_from_joint(body, s), segment.mass, segment.moments});
    };
    if (is_paired(s))
      put(Side::left), put(Side::right);
    else
      put(Side::middle);
  }
  return parts;
}

std::vector<Value> shapes_of(const Body& body, const HumanPart& part, const Vec& origin) {
  const BodySegment& s = body[part.segment];
  const Vec at = part.joint - origin;
  switch (part.segment) {
    case BodyPart::head:
      return head(s, at);
    case BodyPart::thorax:
      return {chest(body, at)};
    case BodyPart::abdomen:
      return {barrel(s, at, s.length, 0.7, 1, 0.97)};
    case BodyPart::pelvis:
      return {barrel(s, at, body.hip_depth, 0.7, 0.92, 1)};
    case BodyPart::upper_arm:
    case BodyPart::forearm:
    case BodyPart::thigh:
    case BodyPart::shank:
      return {limb(body, part.segment, at)};
    case BodyPart::hand:
      return {hand(s, at)};
    case BodyPart::foot:
      return {foot(body, at)};
  }
  return {};
}

}  // namespace marey
