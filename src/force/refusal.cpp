// What an element asks of the model it acts on.
#include <cmath>

#include "marey/force.h"

namespace marey {
namespace {

bool finite(const Vec3<double>& a) { return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z); }

std::string of_link(const Model& model, int link) {
  return link > 0 && link < model.nlink() ? "" : "there is no link number " + std::to_string(link) + " to act on";
}

JointType joint_of(const Model& model, int link) { return model.links[static_cast<std::size_t>(link)].joint; }

std::string of_angle(const Model& model, int link, const NamedAngle& angle) {
  const JointType joint = joint_of(model, link);
  if (joint == JointType::weld) return "a weld has no angle";
  const bool turns = joint == JointType::ball || joint == JointType::free;
  if (turns && angle.kind == NamedAngle::Kind::coordinate) {
    return "a " + std::string(joint == JointType::ball ? "ball" : "free") +
           " joint has several angles; name one: twist, swing, euler_x, euler_y or euler_z";
  }
  const bool by_axis = angle.kind == NamedAngle::Kind::twist || angle.kind == NamedAngle::Kind::swing;
  if (turns && by_axis && !(finite(angle.axis) && norm(angle.axis) > 0)) return "the axis of its angle has no length";
  return "";
}

std::string of_table(const char* name, const TimeTable& table, bool may_be_negative) {
  const std::string what = std::string("'") + name + "'";
  if (table.value.empty() || table.t.size() != table.value.size()) {
    return what + " needs one time for every value, and at least one";
  }
  for (std::size_t i = 0; i < table.t.size(); ++i) {
    if (!std::isfinite(table.t[i]) || !std::isfinite(table.value[i]))
      return what + " holds a number that is not finite";
    if (i > 0 && table.t[i] < table.t[i - 1]) return what + " has times that do not ascend";
    if (!may_be_negative && table.value[i] < 0) return what + " must not be negative: it would drive the joint away";
  }
  return "";
}

std::string of_constant(const char* name, double value) {
  return std::isfinite(value) && value >= 0 ? "" : std::string("'") + name + "' must be a number of at least 0";
}

std::string first_of(std::initializer_list<std::string> reasons) {
  for (const std::string& reason : reasons) {
    if (!reason.empty()) return reason;
  }
  return "";
}

std::string refuse(const Model& model, const FreePlay& e) {
  const std::string reason =
      first_of({of_angle(model, e.link, e.angle), of_table("from", e.from, true), of_table("to", e.to, true),
                of_table("slope_below", e.slope_below, false), of_table("slope_above", e.slope_above, false)});
  if (!reason.empty()) return reason;
  for (const TimeTable* table : {&e.from, &e.to}) {  // between knots both are straight: knots suffice
    for (double t : table->t) {
      if (e.from.at(t) > e.to.at(t)) return "its zone of free play ends before it begins at t = " + std::to_string(t);
    }
  }
  return "";
}

std::string refuse(const Model& model, const JointFriction& e) {
  const JointType joint = joint_of(model, e.link);
  if (joint == JointType::free) return "a free joint has no friction; a support with damping slows a free link";
  if (joint == JointType::weld) return "a weld has no friction";
  return of_constant("coefficient", e.coefficient);
}

std::string refuse(const Model&, const SupportSpring& e) {
  if (!finite(e.point_B) || !finite(e.target_W)) return "its point or its target is not finite";
  const double turn = norm_squared(e.target_turn);
  if (!(std::isfinite(turn) && turn > 0)) return "its target turn is no rotation";
  return first_of({of_constant("stiffness", e.stiffness), of_constant("turning_stiffness", e.turning_stiffness)});
}

std::string refuse(const Model&, const SupportDamper& e) {
  if (!finite(e.point_B)) return "its point is not finite";
  return first_of({of_constant("damping", e.damping), of_constant("turning_damping", e.turning_damping)});
}

std::string refuse(const Model& model, const Push& e) {
  if (!finite(e.point_B) || !finite(e.force) || !finite(e.torque)) return "its point, force or torque is not finite";
  const Schedule& s = e.schedule;
  if (!std::isfinite(s.from)) return "'from' is not finite";
  if (!(s.lasts > 0)) return "'lasts' must be longer than 0";
  if (!(s.every >= 0 && std::isfinite(s.every))) return "'every' must be a time of at least 0";
  if (std::isnan(s.until)) return "'until' is not a number";
  for (const Condition& c : s.conditions) {
    if (!(c.link >= 0 && c.link < model.nlink())) return "a condition watches a link that is not there";
    if (!std::isfinite(c.threshold) || !finite(c.point)) return "a condition holds a number that is not finite";
    if (c.quantity != Condition::Quantity::angle) continue;
    if (const std::string reason = of_angle(model, c.link, c.angle); !reason.empty()) return reason;
  }
  return "";
}

}  // namespace

std::string refusal(const Model& model, const Element& element) {
  const int link = std::visit([](const auto& e) { return e.link; }, element.kind);
  if (const std::string reason = of_link(model, link); !reason.empty()) return reason;
  return std::visit([&](const auto& e) { return refuse(model, e); }, element.kind);
}

}  // namespace marey
