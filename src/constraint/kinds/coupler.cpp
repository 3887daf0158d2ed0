// Couplers: sums of joints' coordinates, held, geared or driven.
//
// A coordinate c of the joint of B on P has a rate ċ = g · v, v the joint's velocities: g is a unit vector where c is one
// of the joint's own coordinates, and the gradient of a named angle of an attitude. With the joint's motions
// V_FB_F = S v, A_FB_F = S v̇ + Ṡ v (marey/dynamics/joint_directions.h) and the least wrench F for which Sᵀ F = g,
//   ċ = F · V_FB      c̈ = F · (A_FB_F − Ṡ v) + ġ · v                                                                (1)
// so that λ is the wrench F at Bo on B, and −F at the same point on P: a force between the two and no other. In W, with
// r = p_PoBo and w, v the relative velocities
//   w = ω_B − ω_P      v = v_B − v_P − ω_P × r                                                                      (2)
//   A_FB = (α_B − α_P − ω_P × w,  a_B − a_P − α_P × r − ω_P × (ω_P × r) − 2 ω_P × v)                                (3)
#include "marey/constraint/coupler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_set>

#include "constraint/descriptor.h"
#include "marey/constraint/constraint_maker.h"
#include "marey/core/index.h"
#include "marey/dynamics/joint_directions.h"
#include "marey/dynamics/least_wrench.h"
#include "marey/force/attitude_angle.h"
#include "marey/rows/parts.h"
#include "marey/scalar/instantiate.h"

namespace marey {
namespace {

using Vec = Vec3<double>;

bool is_named(const Coupler::Term& term) { return term.angle.kind != NamedAngle::Kind::coordinate; }
// Whether it has a value, and not only a rate.
bool has_value(const Model& model, const Coupler::Term& term) {
  return is_named(term) || !has_attitude(model.links[index(term.link)].joint) || term.freedom >= 3;
}

// A coordinate and its rate in terms of the joint's velocities.
struct Slope {
  double value = 0;
  double g[most_freedoms] = {};
  double turning = 0;  // ġ · v
};
Slope slope_of(const Coupler::Term& term, const Instant<double>& now) {
  const LinkTopology& link = now.model.links[index(term.link)];
  const double *q = now.q.data() + link.q, *v = now.v.data() + link.v;
  Slope s;
  if (is_named(term)) {
    // The quaternion a moment later: q̇ = ½ q (0, w).
    const Quaternion<double> at = load_quaternion(q),
                             rate = at * Quaternion<double>{0, 0.5 * v[0], 0.5 * v[1], 0.5 * v[2]};
    Quaternion<Dual1> moving{Dual1(at.w), Dual1(at.x), Dual1(at.y), Dual1(at.z)};
    moving.w.d[0] = rate.w, moving.x.d[0] = rate.x, moving.y.d[0] = rate.y, moving.z.d[0] = rate.z;
    const AngleAndGradient<Dual1> angle = angle_of_attitude<Dual1>(term.angle, moving);
    s.value = angle.angle.value;
    for (int k = 0; k < 3; ++k) s.g[k] = angle.gradient[k].value, s.turning += angle.gradient[k].d[0] * v[k];
    return s;
  }
  s.g[term.freedom] = 1;
  const int skip = coordinate_count(link) - freedom_count(link);  // a quaternion has a number more than freedoms
  if (has_value(now.model, term)) s.value = q[term.freedom + skip];
  return s;
}

// Adds factor × coordinate; its value is returned.
double add_term(const Coupler::Term& term, const Instant<double>& now, ConstraintRow& row) {
  const Model& model = now.model;
  const int parent = model.links[index(term.link)].parent;
  const Slope slope = slope_of(term, now);
  const JointDirections<double> joint =
      joint_directions<double>(model, model.params, term.link, now.q.data(), now.v.data());
  JointMotions<double> S{};
  std::copy_n(joint.S, joint.freedoms, S.begin());
  const Wrench<double> F_F = LeastWrench<double>(S, joint.freedoms)(slope.g);

  const Transform<double>&X_B = now.X_WB[index(term.link)], &X_P = now.X_WB[index(parent)];
  const Twist<double>& V_B = now.V_WB[index(term.link)];
  const Twist<double> V_P = parent == 0 ? Twist<double>{} : now.V_WB[index(parent)];
  const Mat3<double> R_WF = X_P.R * model.params.links[index(term.link)].R_PF;
  const Vec n = term.factor * (R_WF * F_F.n), f = term.factor * (R_WF * F_F.f), r = X_B.p - X_P.p;
  const Vec w = V_B.w - V_P.w, v = V_B.v - V_P.v - cross(V_P.w, r);  // (2)
  put_part(row, term.link, {n, f}, norm(n));
  put_part(row, parent, {-(n + cross(r, f)), -f}, norm(n) + norm(r) * norm(f));
  row.rate += dot(n, w) + dot(f, v);
  row.bias += term.factor * (slope.turning - power(F_F, joint.c)) - dot(n, cross(V_P.w, w)) -
              dot(f, cross(V_P.w, cross(V_P.w, r) + 2.0 * v));  // (1)(3)
  return term.factor * slope.value;
}

// What is left of an offset: it goes as 1 − x³ (10 − 15 x + 6 x²), whose first two derivatives vanish at both ends; and its rate
// with it, as x − x³ (6 − 8 x + 3 x²), which has the slope 1 at the start, and no bend.
TimeFunction::AtTime left_of_offset(const Coupler& c, double t) {
  if (c.blend <= 0) return {c.offset, 0, 0};
  const double x = std::clamp((t - c.made) / c.blend, 0.0, 1.0), y = 1 - x, r = 1 / c.blend;
  TimeFunction::AtTime left{c.offset * (1 - x * x * x * (10 - x * (15 - 6 * x))), -c.offset * 30 * x * x * y * y * r,
                            -c.offset * 60 * x * y * (1 - 2 * x) * r * r};
  if (c.offset_rate == 0) return left;
  left.value += c.offset_rate * c.blend * (x - x * x * x * (6 - x * (8 - 3 * x)));
  left.rate += c.offset_rate * (1 - x * x * (18 - x * (32 - 15 * x)));
  left.acceleration -= c.offset_rate * x * (36 - x * (96 - 60 * x)) * r;
  return left;
}

// A twist or Euler angle comes back from the other side after half a turn; alone, it may be any number of turns away.
double without_turns(const Coupler& c, double off) {
  if (c.terms.size() != 1 || !is_named(c.terms[0]) || c.terms[0].angle.kind == NamedAngle::Kind::swing) return off;
  return std::remainder(off, 2 * std::numbers::pi * c.terms[0].factor);
}

}  // namespace

double coupled_value(const Coupler& coupler, const Instant<double>& now) {
  double sum = 0;
  for (const Coupler::Term& term : coupler.terms) sum += term.factor * slope_of(term, now).value;
  return sum;
}

double off_script(const Coupler& coupler, const Instant<double>& now) {
  return without_turns(coupler, coupled_value(coupler, now) - coupler.sum.at(now.t).value);
}

ConstraintRow coupler_row(const Coupler& coupler, const Instant<double>& now, double since) {
  ConstraintRow row;
  for (const Coupler::Term& term : coupler.terms) row.value += add_term(term, now, row);
  const TimeFunction::AtTime sum = coupler.sum.at(now.t, since);
  if (coupler.level == Coupler::Level::coordinate) {
    const TimeFunction::AtTime offset = left_of_offset(coupler, now.t);
    row.value = without_turns(coupler, row.value - sum.value - offset.value);
    row.bias -= sum.acceleration + offset.acceleration;
    row.time_rate = -(sum.rate + offset.rate);
    row.rate += row.time_rate;
    return row;
  }
  const bool velocity = coupler.level == Coupler::Level::velocity;
  row.holonomic = false, row.value = 0;
  row.time_rate = velocity ? -sum.value : -row.rate;  // no velocity is wanted where the acceleration is: ġ = 0 always
  row.rate += row.time_rate;
  row.bias -= velocity ? sum.rate : sum.value;
  return row;
}

std::string refusal_of_coupler(const Model& model, const Coupler& coupler) {
  if (coupler.terms.empty()) return "a coupler needs at least one joint";
  std::vector<int> links;
  for (const Coupler::Term& term : coupler.terms) {
    if (term.link < 1 || term.link >= model.nlink()) return "there is no such link";
    const LinkTopology& link = model.links[index(term.link)];
    const std::string whose = fmt::format("the {} joint of '{}'", name_of(link.joint), model.names[index(term.link)]);
    if (freedom_count(link) == 0) return whose + " has no coordinate";
    if (is_named(term) && !has_attitude(link.joint)) return whose + " has coordinates and no named angle";
    if (is_named(term) && !(norm(term.angle.axis) > 0)) return "the axis of an angle has no direction";
    if (term.freedom < 0 || term.freedom >= freedom_count(link))
      return fmt::format("{} has {} freedoms, numbered from 0", whose, freedom_count(link));
    if (coupler.level == Coupler::Level::coordinate && !has_value(model, term))
      return whose + " has no coordinate of turning; expected a named angle of it (twist, swing or euler)";
    if (!(term.factor != 0) || !std::isfinite(term.factor)) return "the factors of a coupler are not zero";
    for (const int i : {term.link, link.parent})
      if (i != 0 && std::find(links.begin(), links.end(), i) == links.end()) links.push_back(i);
  }
  if (links.size() > std::tuple_size_v<decltype(ConstraintRow::parts)>)
    return "a coupler moves at most four links, the joints' own and those they hang on";
  return {};
}

template <>
struct ConstraintDescriptor<Coupler> {
  static constexpr const char* word = "coupler";
  static constexpr bool acts_in_joints = true;
  static void for_each_joint(const Coupler& coupler, const std::function<void(int link)>& use) {
    for (const Coupler::Term& term : coupler.terms) use(term.link);
  }
  static int row_count(const Coupler&) { return 1; }
  static void rows(const Coupler& coupler, const Constraint& c, const Instant<double>& now,
                   std::span<ConstraintRow> rows) {
    rows[0] = coupler_row(coupler, now, c.since.value_or(now.t));
  }
  static std::string refusal(const Model& model, const Coupler& coupler) { return refusal_of_coupler(model, coupler); }
  static void take_as_is(Coupler& coupler, Constraint&, const Instant<double>& now) {
    if (coupler.from_where_it_is)
      coupler.made = now.t, coupler.offset = off_script(coupler, now), coupler.offset_rate = 0;
  }
  static std::array<double*, 2> made(Coupler& coupler) { return {&coupler.offset, &coupler.made}; }
  static void for_each_function(const Coupler& coupler, const ConstraintLaw::UseFunction& use) { use(coupler.sum); }
};
MAREY_CONSTRAINT(Coupler)

// ---- in scenes: gears, joints that follow a function, and (joint drives) scripts for a while
namespace {

// A factor, of a joint with one coordinate; factors by the names of coordinates; or a named angle and its factor.
void add_terms(const ConstraintMaker& maker, int link, const Value& factors, std::vector<MeantCoordinate>& out) {
  const auto add = [&](MeantCoordinate meant, const Value& factor) {
    meant.term.factor = read_number(factor, kinds::number);
    if (meant.term.factor == 0) refuse_value(factor, "a factor other than zero, or the joint left out");
    out.push_back(std::move(meant));
  };
  if (factors.kind != Value::Kind::map) return add(maker.own_coordinate(link, nullptr, factors.at), factors);
  if (has_attitude(maker.model().links[static_cast<std::size_t>(link)].joint) && factors.find("which")) {
    MapReader map(factors, coupled_keys());
    add(maker.named_angle_of(link, map.need("which")), map.need("factor"));
    return map.done("in a coupler");
  }
  if (factors.entries.empty()) refuse_value(factors, "coordinates and their factors: {first: 2}");
  for (const ValueEntry& entry : factors.entries) {
    Value key;
    key.kind = Value::Kind::scalar, key.text = entry.key, key.at = entry.key_at;
    add(maker.own_coordinate(link, &key, key.at), *entry.value);
  }
}

void make_couple(MapReader& map, const ConstraintMaker& maker, Constraint& c) {
  const Value& node = map.need("joints");
  if (node.kind != Value::Kind::map || node.entries.empty())
    refuse_value(node, "joints and their factors: {arm.lower: 1, arm.upper: -2}");
  std::vector<MeantCoordinate> meant;
  for (const ValueEntry& entry : node.entries) {
    Value key;
    key.kind = Value::Kind::scalar, key.text = entry.key, key.at = entry.key_at;
    add_terms(maker, maker.links().find(key), *entry.value, meant);
  }
  Coupler coupler;
  std::size_t lengths = 0;
  std::unordered_set<int> links;
  for (const MeantCoordinate& m : meant) {
    coupler.terms.push_back(m.term), lengths += m.length ? 1 : 0;
    for (const int moved : {m.term.link, maker.model().links[static_cast<std::size_t>(m.term.link)].parent})
      if (moved != 0) links.insert(moved);
  }
  constexpr std::size_t most_links = std::tuple_size_v<decltype(ConstraintRow::parts)>;
  if (links.size() > most_links)
    refuse_value(node, fmt::format("joints of at most {} links, their own and those they hang on; these are of {}",
                                   most_links, links.size()));
  const FormulaConstants constants = read_constants(map.get("constants"));
  const Value* given = map.get("sum");
  const QuantityKind& kind = lengths == 0 ? kinds::angle : lengths == meant.size() ? kinds::length : kinds::number;
  const Join join = read_curve(map, curves_of_places, {given});
  coupler.sum = given ? read_time_function(*given, kind, constants, join)
                      : constant_in_time(coupled_value(coupler, maker.at_start()));
  coupler.from_where_it_is = !given;
  c.kind = coupler;
}

void make_follow(MapReader& map, const ConstraintMaker& maker, Constraint& c) {
  const MeantCoordinate meant = maker.coordinate_of(map);
  Coupler coupler;
  coupler.terms.push_back(meant.term);
  const std::string mode = map.one_of({"angle", "slide"});
  coupler.sum = maker.script_of(map, mode.empty() ? (meant.length ? "slide" : "angle") : mode, meant);
  c.kind = coupler;
}

// One freedom of a joint that follows a script for a while: a coupler of one term that starts from where the joint is.
JointDrive joint_drive(MapReader& map, const MeantCoordinate& meant, const ConstraintMaker& maker) {
  Coupler coupler;
  coupler.terms.push_back(meant.term);
  const std::string mode = map.one_of({"angle", "slide", "velocity", "acceleration", "locked"});
  if (mode.empty())
    refuse(map.node().at, "found a drive without a script; expected angle, slide, velocity, acceleration or locked");
  const Value& script = map.need(mode);
  if (mode == "locked") {
    if (!read_flag(script)) refuse_value(script, "true, or the drive left out");
    coupler.sum = constant_in_time(meant.rate_alone ? 0 : coupled_value(coupler, maker.at_start()));
    if (meant.rate_alone) coupler.level = Coupler::Level::velocity;
  } else if (mode == "velocity") {
    coupler.level = Coupler::Level::velocity;
    coupler.sum =
        read_time_function(script, meant.length ? kinds::speed : kinds::angular_rate,
                           read_constants(map.get("constants")), read_curve(map, curves_of_forces, {&script}));
  } else if (mode == "acceleration") {
    coupler.level = Coupler::Level::acceleration;
    coupler.sum =
        read_time_function(script, meant.length ? kinds::acceleration : kinds::angular_acceleration,
                           read_constants(map.get("constants")), read_curve(map, curves_of_forces, {&script}));
  } else {
    coupler.sum = maker.script_of(map, mode, meant);
  }
  if (const std::optional<double> blend = map.number_if("blend")) {
    if (mode != "angle" && mode != "slide")
      refuse_value(map.need("blend"), "nothing, since only angle and slide are blended in");
    coupler.blend = *blend;
  }
  coupler.from_where_it_is = coupler.level == Coupler::Level::coordinate;
  JointDrive out;
  maker.when(map, out.constraint);
  const Constraint& c = out.constraint;
  if (coupler.blend > 0 && c.from == 0 && !c.when) {
    coupler.offset = off_script(coupler, maker.at_start());
    coupler.offset_rate = coupler_row(coupler, maker.at_start(), 0).rate;
  }
  out.constraint.kind = coupler;
  return out;
}

}  // namespace

// A lock that says no more is of all the joint's freedoms.
std::vector<JointDrive> make_joint_drives(MapReader& map, const ConstraintMaker& maker) {
  if (!map.has("locked") || !map.one_of({"coordinate", "which", "freedom"}).empty())
    return {joint_drive(map, maker.coordinate_of(map), maker)};
  const int link = maker.links().find(map.need("joint"));
  const JointType joint = maker.model().links[index(link)].joint;
  const std::vector<JointCoordinate> freedoms = freedoms_of(maker.model(), link);
  if (freedoms.size() < 2) return {joint_drive(map, maker.coordinate_of(map), maker)};
  std::vector<JointDrive> all;
  for (int k = 0; k < static_cast<int>(freedoms.size()); ++k) {
    MeantCoordinate meant;
    meant.term.link = link, meant.term.freedom = k;
    meant.rate_alone = has_attitude(joint) && k < 3;
    all.push_back(joint_drive(map, meant, maker));
    all.back().of_several = " " + freedoms[index(k)].name;
  }
  return all;
}

const KeyTable& coupled_keys() {
  static const KeyTable table{
      "coupled",
      "An angle of a ball, free or ellipsoid joint in a coupler.",
      {{"which", "@angle", "the angle", true}, {"factor", "q:number", "its factor in the sum", true}}};
  return table;
}

extern const ConstraintForm couple_form{
    "couple",
    "coordinates of joints keep a sum: gears",
    {"couple", "The sum of factor × coordinate over joints: gears.",
     constraint_keys_with(
         {{"joints", "factors",
           "figure.link: factor, or by coordinates {first: 2}, or {which: {twist: x}, factor: 2}; of at most four "
           "links "
           "in all, those they hang on counted",
           true},
          {"sum", "q:angle or q:length or q:number or formula or t:angle or t:length or t:number",
           "an angle or length where all coordinates are; default: as at the start, or when it is made"},
          curve_key(curves_of_places),
          {"constants", "constants", "names to numbers, for formulas"}})},
    make_couple,
    {"{joints: {figure.hand: 1, figure.tray: -2}, name: gears}",
     "{joints: {figure.hand: 1}, sum: 'a*sin(t)', constants: {a: 0.3}}",
     "{joints: {figure.arm: {which: {twist: z}, factor: 2}}, sum: [[0 s, 10 deg], [1 s, 20 deg]], curve: linear}"}};
extern const ConstraintForm follow_form{
    "follow",
    "a joint follows a given motion",
    {"follow", "A coordinate of a joint follows a function of time.",
     constraint_keys_with(
         {{"joint", "name", "figure.link", true},
          {"coordinate", "text",
           "which, by name or number, where there are several; of a free joint the place: x, y, z"},
          {"which", "@angle", "of a ball, free or ellipsoid joint: which angle"},
          {"angle", "q:angle or formula or t:angle", "of an angle: a number, a quoted formula of t, or a table"},
          {"slide", "q:length or formula or t:length", "of a length: likewise"},
          curve_key(curves_of_places),
          {"constants", "constants", "names to numbers, for the formulas"}})},
    make_follow,
    {"{joint: figure.hand, angle: [[0 s, 0 deg], [1 s, 30 deg]], curve: spline}",
     "{joint: figure.arm, which: {euler: y}, angle: 'a*t', constants: {a: 0.2}}",
     "{joint: figure.trunk, coordinate: z, slide: 1 m}"}};
const KeyTable& joint_drive_keys() {
  static const KeyTable table{
      "joint_drive",
      "A freedom of a joint follows a script instead of the forces, or is locked; between its times it moves freely.",
      constraint_keys_with(
          {{"joint", "name or names", "figure.link, several in a list, figure.* for all that can do so", true},
           {"coordinate", "text",
            "which, by name or number, where there are several; of a free joint the place: x, y, z"},
           {"freedom", "=x,y,z", "ball, free and ellipsoid joints: about which axis of the link"},
           {"which", "@angle", "of these joints, instead: which angle"},
           {"angle", "q:angle or formula or t:angle", "of an angle: a number, a quoted formula of t, or a table"},
           {"slide", "q:length or formula or t:length", "of a length: likewise"},
           {"velocity", "q:angular_rate or q:speed or formula or t:angular_rate or t:speed", "or the rate, likewise"},
           {"acceleration",
            "q:angular_acceleration or q:acceleration or formula or t:angular_acceleration or t:acceleration",
            "or the acceleration, likewise"},
           {"curve", "=smooth,spline,linear,hold",
            "of a table: how its knots are joined; default: smooth for angle and slide, linear for velocity and "
            "acceleration, which alone may hold"},
           {"locked", "flag", "or it does not move; the whole joint, if no coordinate, freedom or angle is named"},
           {"blend", "q:time>0",
            "angle, slide: how long it takes to come from where it is to the script; default: it stays apart"},
           {"constants", "constants", "names to numbers, for the formulas"}})};
  return table;
}

}  // namespace marey
