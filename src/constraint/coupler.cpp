// Couplers: sums of joints' coordinates, held, geared or driven.
//
// A coordinate c of the joint of B on P has a rate ċ = g · v, v the joint's velocities: g is a unit vector where c is one
// of the joint's own coordinates, and the gradient of a named angle of an attitude. With the joint's motions
// V_FB_F = S v, A_FB_F = S v̇ + Ṡ v (dynamics/joint_directions.h) and the least wrench F for which Sᵀ F = g,
//   ċ = F · V_FB      c̈ = F · (A_FB_F − Ṡ v) + ġ · v                                                                (1)
// so that λ is the wrench F at Bo on B, and −F at the same point on P: a force between the two and no other. In W, with
// r = p_PoBo and w, v the relative velocities
//   w = ω_B − ω_P      v = v_B − v_P − ω_P × r                                                                      (2)
//   A_FB = (α_B − α_P − ω_P × w,  a_B − a_P − α_P × r − ω_P × (ω_P × r) − 2 ω_P × v)                                (3)
#include "constraint/coupler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "constraint/parts.h"
#include "core/index.h"
#include "dynamics/joint_directions.h"
#include "dynamics/least_wrench.h"
#include "force/attitude_angle.h"
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

// What is left of an offset: it goes as 1 − x³ (10 − 15 x + 6 x²), whose first two derivatives vanish at both ends.
TimeFunction::AtTime left_of_offset(const Coupler& c, double t) {
  if (c.blend <= 0) return {c.offset, 0, 0};
  const double x = std::clamp((t - c.made) / c.blend, 0.0, 1.0), y = 1 - x, r = 1 / c.blend;
  return {c.offset * (1 - x * x * x * (10 - x * (15 - 6 * x))), -c.offset * 30 * x * x * y * y * r,
          -c.offset * 60 * x * y * (1 - 2 * x) * r * r};
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

}  // namespace marey
