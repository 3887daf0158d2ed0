// B follows a motion given in A: Bo is at place(t), and R_AB = Rot(axis, angle(t)).
#include "constraint/descriptor.h"
#include "marey/constraint/constraint_maker.h"
#include "marey/core/index.h"

namespace marey {
namespace {

PlaceRow follow(const Ends& e, int axis, const TimeFunction::AtTime& f) {
  return {e.x[axis] - f.value, unit_vector(axis), -f.acceleration, -f.rate};
}

// The axes of a frame that turns about a fixed axis n: û̇ = θ̇ n × û, û̈ = θ̈ n × û + θ̇² n × (n × û).
std::array<Arrow, 3> turning(const Vec3<double>& n, const TimeFunction::AtTime& angle) {
  const Mat3<double> R = rotation_about(n, angle.value);
  std::array<Arrow, 3> axes;
  for (int k = 0; k < 3; ++k) {
    const Vec3<double> u = column(R, k), across = cross(n, u);
    axes[index(k)] = {u, angle.rate * across, angle.acceleration * across + angle.rate * angle.rate * cross(n, across)};
  }
  return axes;
}

}  // namespace

template <>
struct ConstraintDescriptor<Drive> {
  static constexpr const char* word = "drive";
  static int row_count(const Drive& drive) { return (drive.place ? 3 : 0) + (drive.angle ? 3 : 0); }
  static void rows(const Drive& drive, const Constraint& c, const Instant<double>& now, std::span<ConstraintRow> rows) {
    const Ends e = ends_of(c, now);
    std::size_t n = 0;
    if (drive.place)
      for (int k = 0; k < 3; ++k)
        put_place(e, follow(e, k, (*drive.place)[index(k)].at(now.t, c.since.value_or(now.t))), rows[n++]);
    if (!drive.angle) return;
    const std::array<Arrow, 3> axes = turning(drive.axis, drive.angle->at(now.t, c.since.value_or(now.t)));
    put_turns(e, axes, rows.subspan(n));
  }
  static std::string refusal(const Model&, const Drive& drive) {
    return drive.place || drive.angle ? "" : "a drive gives a place, an angle or both";
  }
  static constexpr NothingToTake take_as_is{};
  static void for_each_function(const Drive& drive, const ConstraintLaw::UseFunction& use) {
    if (drive.place)
      for (const TimeFunction& f : *drive.place) use(f);
    if (drive.angle) use(*drive.angle);
  }
};
MAREY_CONSTRAINT(Drive)

// ---- in scenes
namespace {

std::array<TimeFunction, 3> waypoints(const Value& node, Join join) {
  if (node.kind != Value::Kind::list || node.items.size() < 2)
    refuse_value(node, "two waypoints or more: [[0 s, 0, 0, 1 m], [2 s, 0, 0, 2 m]]");
  std::vector<double> t;
  std::array<std::vector<double>, 3> x;
  for (const ValuePtr& item : node.items) {
    if (item->kind != Value::Kind::list || item->items.size() != 4)
      refuse_value(*item, "a time and a place: [2 s, 0, 0, 1 m]");
    t.push_back(read_number(*item->items[0], kinds::time));
    if (t.size() > 1 && !(t.back() > t[t.size() - 2])) refuse_value(*item, "times that ascend");
    for (std::size_t k = 0; k < 3; ++k) x[k].push_back(read_number(*item->items[k + 1], kinds::length));
  }
  return {curve_in_time(join, t, x[0]), curve_in_time(join, t, x[1]), curve_in_time(join, t, x[2])};
}

void make_drive(MapReader& map, const ConstraintMaker& maker, Constraint& c) {
  maker.ends(map, c);
  const FormulaConstants constants = read_constants(map.get("constants"));
  c.b.X_LC.p = map.vector_or("at_b");
  Drive drive;
  const std::string form = map.one_of({"place", "through"});
  const Join join = read_curve(map, curves_of_places, {map.get("through"), map.get("angle")});
  if (form == "through") drive.place = waypoints(map.need(form), join);
  if (form == "place") {
    const Value& node = map.need(form);
    if (node.kind != Value::Kind::list || node.items.size() != 3)
      refuse_value(node, "three numbers or quoted formulas of t: [0, 0, '0.1*sin(t)']");
    drive.place.emplace();
    for (std::size_t k = 0; k < 3; ++k)
      (*drive.place)[k] = read_time_function(*node.items[k], kinds::length, constants, join);
  }
  if (const Value* n = map.get("angle")) {
    drive.angle = read_time_function(*n, kinds::angle, constants, join);
    if (const Value* axis = map.get("axis")) drive.axis = read_axis(*axis);
    // B is set so that the angle at the start is the one the link then has.
    const Transform<double> X_WA = maker.pose(c.a.link) * c.a.X_LC;
    const Mat3<double> R_0 = rotation_about(drive.axis, drive.angle->at(0).value);
    c.b.X_LC.R = transpose(maker.pose(c.b.link).R) * X_WA.R * R_0;
  }
  if (!drive.place && !drive.angle) refuse(map.node().at, "found a drive of nothing; expected place, through or angle");
  c.kind = drive;
}

}  // namespace

extern const ConstraintForm drive_form{
    "drive",
    "b follows a given motion",
    {"drive", "b follows a motion given in a: a point its place, the link an angle about an axis.",
     two_link_keys_with(
         {{"at", "v:length", "the origin of the frame in which places are given, in a's; default: its origin"},
          {"at_b", "v:length", "the point of b that follows; default: its origin"},
          {"place", "formulas or v:length", "numbers, or quoted formulas of t"},
          {"through", "waypoints", "instead: a motion through [time, x, y, z], at rest before and after"},
          {"angle", "q:angle or formula or t:angle",
           "by which b is turned; a number, a quoted formula of t, or a table"},
          {"axis", "axis", "of that turning, in a's frame; default: z"},
          curve_key(curves_of_places),
          {"constants", "constants", "names to numbers, for the formulas"}})},
    make_drive,
    {"{b: figure.hand, place: [0, '0.1*sin(w*t)', 1 m], constants: {w: 2}}",
     "{b: figure.hand, at: [0, 0, 1 m], at_b: [0, 0, -10 cm], through: [[0 s, 0, 0, 0], [1 s, 10 cm, 0, 0]], curve: "
     "linear, angle: '0.3*t', axis: y}"}};

}  // namespace marey
