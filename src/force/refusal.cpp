// What an element asks of the model it acts on.
#include <cmath>

#include "marey/force.h"

namespace marey {
namespace {

std::string of_link(const Model& model, int link) {
  return link > 0 && link < model.nlink() ? "" : "there is no link number " + std::to_string(link) + " to act on";
}

JointType joint_of(const Model& model, int link) { return model.links[static_cast<std::size_t>(link)].joint; }

std::string of_angle(const Model& model, int link, const NamedAngle& angle) {
  const JointType joint = joint_of(model, link);
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

std::string of_links(const Model& model, const std::vector<int>& links, bool some) {
  if (some && links.empty()) return "there is no link for it to act on";
  for (const int link : links)
    if (const std::string reason = of_link(model, link); !reason.empty()) return reason;
  return "";
}

// The two ends of a spring or damper.
std::string of_ends(const Model& model, const Anchor& a, const Anchor& b) {
  for (const Anchor* end : {&a, &b}) {
    if (end->link != 0)
      if (const std::string reason = of_link(model, end->link); !reason.empty()) return reason;
    if (!finite(end->point)) return "its point is not finite";
  }
  return a.link == b.link ? "both its ends are on the same link, where nothing can part them" : "";
}

// Programs come from a reader that counts; this catches those made by hand.
std::string of_formula(const Formula& formula) {
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
  const std::vector<JointCoordinate> freedoms = freedoms_of(model, e.link);
  if (e.freedom < -1 || e.freedom >= static_cast<int>(freedoms.size()))
    return "its joint has no freedom number " + std::to_string(e.freedom);
  for (const JointCoordinate& c : freedoms)
    if (e.freedom < 0 && c.is_length != freedoms[0].is_length)
      return "its joint turns and slides; name the coordinate that has the friction";
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

std::string refuse(const Model& model, const SpringNet& e) {
  if (e.springs.empty()) return "there is no spring in it";
  for (const SpringNet::Spring& s : e.springs) {
    const std::string reason =
        first_of({of_ends(model, s.a, s.b), of_constant("stiffness", s.stiffness), of_constant("rest", s.rest)});
    if (!reason.empty()) return reason;
  }
  return "";
}

std::string refuse(const Model& model, const DamperNet& e) {
  if (e.dampers.empty()) return "there is no damper in it";
  for (const DamperNet::Damper& s : e.dampers)
    if (const std::string reason = first_of({of_ends(model, s.a, s.b), of_constant("damping", s.damping)});
        !reason.empty())
      return reason;
  return "";
}

std::string refuse(const Model&, const Attraction& e) {
  if (!finite(e.center_W)) return "its centre is not finite";
  return first_of({of_constant("strength", e.strength), of_constant("softening", e.softening)});
}

std::string refuse(const Model& model, const MutualAttraction& e) {
  return first_of(
      {of_links(model, e.others, false), of_constant("constant", e.constant), of_constant("softening", e.softening)});
}

std::string refuse(const Model&, const Drag& e) {
  return first_of({of_constant("linear", e.linear), of_constant("quadratic", e.quadratic)});
}

std::string refuse(const Model&, const Field& e) {
  return first_of({of_formula(e.force[0]), of_formula(e.force[1]), of_formula(e.force[2]), of_formula(e.potential)});
}

std::string refuse(const Model&, const MovingFrame& e) {
  return first_of({of_formula(e.motion.of[0]), of_formula(e.motion.of[1]), of_formula(e.motion.of[2])});
}

std::string refuse(const Model& model, const Reflex& e) {
  if (!(e.delay > 0 && std::isfinite(e.delay))) return "'delay' must be a time above 0";
  if (!std::isfinite(e.target)) return "'target' is not finite";
  if (e.stiffness == 0 && e.damping == 0) return "it has neither stiffness nor damping";
  return first_of(
      {of_angle(model, e.link, e.angle), of_constant("stiffness", e.stiffness), of_constant("damping", e.damping)});
}

}  // namespace

std::string refusal(const Model& model, const Element& element) {
  return std::visit(
      [&](const auto& e) -> std::string {
        if constexpr (requires { e.link; })
          if (const std::string reason = of_link(model, e.link); !reason.empty()) return reason;
        if constexpr (requires { e.links; })
          if (const std::string reason = of_links(model, e.links, true); !reason.empty()) return reason;
        return refuse(model, e);
      },
      element.kind);
}

}  // namespace marey
