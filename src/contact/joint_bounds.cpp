#include "marey/contact/joint_bounds.h"

#include <cmath>

#include "marey/constraint/coupler.h"

namespace marey {
namespace {

// rad, m: how near its end a joint at rest has to be to be looked at, since it may be set in motion within the step.
constexpr double skin = 1e-3;

void turn_round(ConstraintRow& row) {
  for (int p = 0; p < row.part_count; ++p) {
    Wrench<double>& F = row.parts[static_cast<std::size_t>(p)].F_Bo_W;
    F = {-F.n, -F.f};
  }
}

void set_gradient(BoundedRow& bound, const NamedAngle& angle, const Instant<double>& now, int link, double sign) {
  const AngleAndGradient<double> found = named_angle<double>(angle, now, link);
  bound.freedom = now.model.links[static_cast<std::size_t>(link)].v + found.first;
  bound.gradient = sign * found.gradient;
}

}  // namespace

JointBounds::JointBounds(std::span<const Element> elements) : elements_(elements) {
  for (std::size_t i = 0; i < elements.size(); ++i)
    if (acts_in_steps_alone(elements[i])) which_.push_back(i);
  angle_.terms.resize(1);
  angle_.sum = constant_in_time(0);
}

void JointBounds::find(const Instant<double>& now, double h, std::vector<BoundedRow>& out) {
  out.clear();
  for (const std::size_t i : which_) {
    if (const auto* stop = elements_[i].kind.get_if<JointStop>()) add_stop(i, *stop, now, h, out);
    if (const auto* motor = elements_[i].kind.get_if<JointMotor>()) add_motor(i, *motor, now, h, out);
  }
}

// (1)
void JointBounds::add_stop(std::size_t element, const JointStop& stop, const Instant<double>& now, double h,
                           std::vector<BoundedRow>& out) {
  angle_.terms[0] = {stop.link, 1, stop.angle.coordinate, stop.angle};
  const ConstraintRow row = coupler_row(angle_, now, now.t);
  const double near = 2 * h * std::abs(row.rate) + skin;
  for (const bool upper : {false, true}) {
    BoundedRow bound;
    bound.gap = upper ? stop.to - row.value : row.value - stop.from;
    if (!(bound.gap <= near)) continue;
    bound.key = {-2, static_cast<int>(element), upper ? 1 : 0};
    bound.sign = upper ? -1 : 1;
    bound.element = element, bound.stop = true, bound.restitution = stop.restitution;
    bound.row = row;
    set_gradient(bound, stop.angle, now, stop.link, bound.sign);
    if (upper) turn_round(bound.row);
    out.push_back(bound);
  }
}

// (2)
void JointBounds::add_motor(std::size_t element, const JointMotor& motor, const Instant<double>& now, double h,
                            std::vector<BoundedRow>& out) {
  if (now.t < motor.schedule.from || now.t >= motor.schedule.until) return;
  angle_.terms[0] = {motor.link, 1, motor.angle.coordinate, motor.angle};
  BoundedRow bound;
  bound.key = {-2, static_cast<int>(element)};
  bound.element = element, bound.most = motor.most;
  bound.row = coupler_row(angle_, now, now.t);
  set_gradient(bound, motor.angle, now, motor.link, 1);
  const TimeFunction::AtTime script = motor.script.at(motor.of_rate ? now.t + 0.5 * h : now.t);
  bound.gap = motor.of_rate ? 0 : bound.row.value - script.value;
  const bool turns = motor.angle.kind == NamedAngle::Kind::twist || motor.angle.kind == NamedAngle::Kind::euler_x ||
                     motor.angle.kind == NamedAngle::Kind::euler_z;
  if (turns) bound.gap = std::remainder(bound.gap, 2 * std::acos(-1.0));
  bound.script_rate = motor.of_rate ? script.value : script.rate;
  out.push_back(bound);
}

}  // namespace marey
