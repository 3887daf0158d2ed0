#include "force/refusals.h"

#include <cmath>

namespace marey {

std::string refusal_of_link(const Model& model, int link) {
  return link > 0 && link < model.nlink() ? "" : "there is no link number " + std::to_string(link) + " to act on";
}

std::string refusal_of_angle(const Model& model, int link, const NamedAngle& angle) {
  const JointType joint = model.links[static_cast<std::size_t>(link)].joint;
  if (joint == JointType::weld) return "a weld has no angle";
  if (joint == JointType::point) return "a point joint has no angle";
  const bool turns = has_attitude(joint);
  if (is_general(joint) && !turns) {
    const int n = freedom_count(model.links[static_cast<std::size_t>(link)]);
    if (angle.kind != NamedAngle::Kind::coordinate)
      return "a " + std::string(name_of(joint)) + " joint has coordinates, no named angles";
    if (angle.coordinate < 0 || angle.coordinate >= n)
      return "its joint has no coordinate number " + std::to_string(angle.coordinate);
  }
  if (turns && angle.kind == NamedAngle::Kind::coordinate) {
    return (joint == JointType::ellipsoid ? "an " : "a ") + std::string(name_of(joint)) +
           " joint has several angles; name one: twist, swing, euler_x, euler_y or euler_z";
  }
  const bool by_axis = angle.kind == NamedAngle::Kind::twist || angle.kind == NamedAngle::Kind::swing;
  if (turns && by_axis && !(finite(angle.axis) && norm(angle.axis) > 0)) return "the axis of its angle has no length";
  return "";
}

std::string refusal_of_table(const char* name, const TimeTable& table, bool may_be_negative) {
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

std::string refusal_of_constant(const char* name, double value) {
  return std::isfinite(value) && value >= 0 ? "" : std::string("'") + name + "' must be a number of at least 0";
}

std::string refusal_of_links(const Model& model, const std::vector<int>& links, bool some) {
  if (some && links.empty()) return "there is no link for it to act on";
  for (const int link : links)
    if (const std::string reason = refusal_of_link(model, link); !reason.empty()) return reason;
  return "";
}

std::string refusal_of_ends(const Model& model, const Anchor& a, const Anchor& b) {
  for (const Anchor* end : {&a, &b}) {
    if (end->link != 0)
      if (const std::string reason = refusal_of_link(model, end->link); !reason.empty()) return reason;
    if (!finite(end->point)) return "its point is not finite";
  }
  return a.link == b.link ? "both its ends are on the same link, where nothing can part them" : "";
}

std::string refusal_of_formula(const Formula& formula) {
  int depth = 0;
  for (const Formula::Step& step : formula.program) {
    using Op = Formula::Op;
    const bool pushes = step.op == Op::number || step.op == Op::variable;
    const bool one = step.op == Op::negate || step.op == Op::whole_power ||
                     (step.op >= Op::sqrt && step.op <= Op::abs);  // takes one, gives one
    if (pushes ? depth >= Formula::deepest : depth < (one ? 1 : 2)) return "a formula does not fit its stack";
    if (step.op == Op::variable && !(step.index >= 0 && step.index < formula_variables))
      return "a formula reads a variable that is not there";
    depth += pushes ? 1 : one ? 0 : -1;
  }
  return formula.empty() || depth == 1 ? "" : "a formula does not end in one number";
}

std::string first_of(std::initializer_list<std::string> reasons) {
  for (const std::string& reason : reasons) {
    if (!reason.empty()) return reason;
  }
  return "";
}

std::string refusal_of_schedule(const Model& model, const Schedule& s) {
  if (!std::isfinite(s.from)) return "'from' is not finite";
  if (!(s.lasts > 0)) return "'lasts' must be longer than 0";
  if (!(s.every >= 0 && std::isfinite(s.every))) return "'every' must be a time of at least 0";
  if (std::isnan(s.until)) return "'until' is not a number";
  for (const Condition& c : s.conditions) {
    if (!(c.link >= 0 && c.link < model.nlink())) return "a condition watches a link that is not there";
    if (!std::isfinite(c.threshold) || !finite(c.point)) return "a condition holds a number that is not finite";
    if (c.quantity == Condition::Quantity::touching && c.names.a.empty())
      return "a condition of touching names nothing";
    if (c.quantity != Condition::Quantity::angle) continue;
    if (std::string reason = refusal_of_angle(model, c.link, c.angle); !reason.empty()) return reason;
  }
  return "";
}

std::string refusal_of_functions(std::span<const TimeFunction> functions) {
  for (const TimeFunction& f : functions) {
    if (!f.is_table()) {
      if (const std::string reason = refusal_of_formula(f.formula); !reason.empty()) return reason;
      continue;
    }
    if (f.t.size() < 2 || f.value.size() != f.t.size()) return "a table needs two knots or more, each with a value";
    for (std::size_t i = 0; i < f.t.size(); ++i) {
      if (!std::isfinite(f.t[i]) || !std::isfinite(f.value[i])) return "a table has a number that is not finite";
      if (i > 0 && !(f.t[i] > f.t[i - 1])) return "the times of a table do not ascend";
    }
  }
  return {};
}

}  // namespace marey
