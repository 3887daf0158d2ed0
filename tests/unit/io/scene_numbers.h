// A scene as words and numbers: all that its reader has made of the text, a line for each thing in it. The fields of each
// kind stand in the order of its declaration.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "marey/force/footing.h"
#include "marey/force/joint_limit.h"
#include "marey/force/mass_flow.h"
#include "marey/force/muscle.h"
#include "marey/force/tissue.h"
#include "marey/shape/hull.h"
#include "marey/sim.h"

namespace marey::scene_numbers {

template <class T>
auto fields(const Vec3<T>& a) {
  return std::tie(a.x, a.y, a.z);
}
inline auto fields(const Mat3<double>& a) { return std::tie(a.xx, a.xy, a.xz, a.yx, a.yy, a.yz, a.zx, a.zy, a.zz); }
inline auto fields(const Sym3<double>& a) { return std::tie(a.xx, a.yy, a.zz, a.xy, a.xz, a.yz); }
inline auto fields(const Quaternion<double>& a) { return std::tie(a.w, a.x, a.y, a.z); }
inline auto fields(const Transform<double>& a) { return std::tie(a.R, a.p); }
inline auto fields(const Inertia<double>& a) { return std::tie(a.m, a.h, a.J); }

inline auto fields(const Box& a) { return std::tie(a.size); }
inline auto fields(const Sphere& a) { return std::tie(a.radius); }
inline auto fields(const Capsule& a) { return std::tie(a.radius, a.length); }
inline auto fields(const Cylinder& a) { return std::tie(a.radius, a.length); }
inline auto fields(const Ellipsoid& a) { return std::tie(a.radii); }
inline auto fields(const Cone& a) { return std::tie(a.radius, a.length); }
inline auto fields(const Hull& a) { return std::tie(a.hull->vertices, a.rounding); }
inline auto fields(const Polyhedron& a) { return std::tie(a.mesh->vertices, a.mesh->triangles); }
inline auto fields(const Shape& a) { return std::tie(a.solid, a.X_BS); }
inline auto fields(const JointCoordinate& a) { return std::tie(a.name, a.is_length); }
inline auto fields(const GeneralJoint::Function& a) {
  return std::tie(a.channel, a.coordinate, a.degree, a.pieces, a.first);
}
inline auto fields(const GeneralJoint& a) { return std::tie(a.ellipsoid, a.freedoms, a.used, a.functions); }
inline auto fields(const GeneralParams<double>& a) { return std::tie(a.axes, a.constants, a.radii, a.coefficients); }
inline auto fields(const LinkTopology& a) {
  return std::tie(a.parent, a.joint, a.turned, a.leaf, a.opens, a.q, a.v, a.general, a.custom_freedoms);
}
inline auto fields(const LinkParams<double>& a) { return std::tie(a.I, a.l, a.R_PF, a.axis); }

inline auto fields(const Formula::Step& a) { return std::tie(a.op, a.index, a.value); }
inline auto fields(const Formula& a) { return std::tie(a.program); }
inline auto fields(const TimeVector& a) { return std::tie(a.of); }
inline auto fields(const TimeTable& a) { return std::tie(a.t, a.value); }
inline auto fields(const NamedAngle& a) { return std::tie(a.kind, a.axis, a.coordinate); }
inline auto fields(const Condition& a) { return std::tie(a.quantity, a.link, a.point, a.angle, a.above, a.threshold); }
inline auto fields(const Schedule& a) { return std::tie(a.from, a.lasts, a.every, a.until, a.conditions); }
inline auto fields(const Anchor& a) { return std::tie(a.link, a.point); }
inline auto fields(const FreePlay& a) { return std::tie(a.link, a.angle, a.from, a.to, a.slope_below, a.slope_above); }
inline auto fields(const JointFriction& a) { return std::tie(a.link, a.coefficient, a.freedom); }
inline auto fields(const SupportSpring& a) {
  return std::tie(a.link, a.point_B, a.target_W, a.stiffness, a.turning_stiffness, a.target_turn);
}
inline auto fields(const CenterSpring& a) { return std::tie(a.links, a.target_W, a.stiffness, a.lift_W); }
inline auto fields(const MassFlow& a) { return std::tie(a.links, a.mass, a.velocity, a.relative); }
inline auto fields(const CenterDamper& a) { return std::tie(a.links, a.damping); }
inline auto fields(const SupportDamper& a) { return std::tie(a.link, a.point_B, a.damping, a.turning_damping); }
inline auto fields(const AlongAcross& a) { return std::tie(a.along, a.across); }
inline auto fields(const TissueSpring& a) {
  return std::tie(a.link, a.tissue, a.center_B, a.along_B, a.stiffness, a.exponent, a.turning_stiffness,
                  a.turning_exponent);
}
inline auto fields(const TissueDamper& a) {
  return std::tie(a.link, a.tissue, a.along_B, a.damping, a.turning_damping);
}
inline auto fields(const LimitLaw& a) {
  return std::tie(a.kind, a.begins, a.stiffness, a.a, a.b, a.c, a.torque, a.over);
}
inline auto fields(const JointLimit& a) { return std::tie(a.link, a.angle, a.from, a.to, a.law); }
inline auto fields(const JointLimitDamper& a) { return std::tie(a.limit, a.damping, a.link); }
inline auto fields(const Push& a) {
  return std::tie(a.link, a.point_B, a.force, a.torque, a.body_axes, a.schedule, a.force_in_time, a.torque_in_time);
}
inline auto fields(const Muscle& a) {
  return std::tie(a.link, a.angle, a.towards_larger, a.stiffness, a.most, a.rate, a.control, a.delay, a.body, a.release,
                  a.schedule);
}
inline auto fields(const Pad::Curve& a) { return std::tie(a.depth, a.force, a.slope); }
inline auto fields(const Pad& a) {
  return std::tie(a.stiffness, a.exponent, a.damping, a.at_rest, a.in_motion, a.speed);
}
inline auto fields(const Plank& a) {
  return std::tie(a.held, a.middle, a.along, a.length, a.mass, a.stiffness, a.damping, a.modes);
}
inline auto fields(const Footing& a) {
  return std::tie(a.links, a.heel_B, a.toes_B, a.height, a.pad, a.friction, a.sliding, a.slow, a.give, a.lever,
                  a.turning_stiffness, a.turning_damping, a.about, a.upright_B, a.upright_W, a.plank);
}
inline auto fields(const JointTorque& a) { return std::tie(a.link, a.angle, a.value, a.schedule); }
inline auto fields(const SpringNet::Spring& a) { return std::tie(a.a, a.b, a.stiffness, a.rest); }
inline auto fields(const SpringNet& a) { return std::tie(a.springs); }
inline auto fields(const DamperNet::Damper& a) { return std::tie(a.a, a.b, a.damping); }
inline auto fields(const DamperNet& a) { return std::tie(a.dampers); }
inline auto fields(const Attraction& a) { return std::tie(a.links, a.center_W, a.strength, a.softening); }
inline auto fields(const MutualAttraction& a) { return std::tie(a.links, a.others, a.constant, a.softening); }
inline auto fields(const Drag& a) { return std::tie(a.links, a.linear, a.quadratic); }
inline auto fields(const Field& a) { return std::tie(a.links, a.force, a.potential); }
inline auto fields(const MovingFrame& a) { return std::tie(a.part, a.motion); }
inline auto fields(const Reflex& a) { return std::tie(a.link, a.angle, a.target, a.stiffness, a.damping, a.delay); }

inline auto fields(const Plane& a) { return std::tie(a.normal_W, a.offset); }
inline auto fields(const SceneryPiece& a) { return std::tie(a.shapes, a.plane); }
inline auto fields(const CollideRule::Body& a) { return std::tie(a.groups, a.meets, a.sensor); }
inline auto fields(const CollideRule& a) { return std::tie(a.bodies, a.self); }
inline auto fields(const ImpulseLaw& a) { return std::tie(a.kind, a.hypothesis, a.restitution, a.friction); }
inline auto fields(const CompliantGround& a) { return std::tie(a.stiffness, a.exponent, a.damping, a.tangential); }
inline auto fields(const ContactSurface& a) { return std::tie(a.kind, a.radius, a.axis_B); }
inline auto fields(const FloorContact& a) {
  return std::tie(a.link, a.point_B, a.plane, a.law, a.friction_static, a.friction_kinetic, a.compliant, a.ground,
                  a.clearance, a.group, a.surface);
}

inline auto fields(const LinkFrame& a) { return std::tie(a.link, a.X_LC); }
inline auto fields(const TimeFunction& a) { return std::tie(a.formula, a.join, a.t, a.value, a.slope); }
inline auto fields(const JointStop& a) { return std::tie(a.link, a.angle, a.from, a.to, a.restitution); }
inline auto fields(const JointMotor& a) { return std::tie(a.link, a.angle, a.script, a.of_rate, a.most, a.schedule); }
inline auto fields(const SplinePath& a) { return std::tie(a.points, a.closed, a.knots, a.bending); }
inline auto fields(const LoopJoint& a) { return std::tie(a.kind); }
inline auto fields(const FixedDistance& a) { return std::tie(a.length); }
inline auto fields(const OnPath& a) { return std::tie(a.radii, a.spline); }
inline auto fields(const OnSurface& a) { return std::tie(a.radii); }
inline auto fields(const Coupler::Term& a) { return std::tie(a.link, a.factor, a.freedom, a.angle); }
inline auto fields(const Coupler& a) {
  return std::tie(a.terms, a.sum, a.level, a.from_where_it_is, a.offset, a.offset_rate, a.made, a.blend);
}
inline auto fields(const Drive& a) { return std::tie(a.place, a.angle, a.axis); }
inline auto fields(const Gears& a) { return std::tie(a.point, a.tangent, a.lever_a, a.lever_b, a.sum); }
inline auto fields(const Rolling& a) { return std::tie(a.body, a.radius); }
inline auto fields(const Constraint& a) { return std::tie(a.a, a.b, a.kind, a.from, a.until, a.when, a.since); }

inline auto fields(const Comparison& a) { return std::tie(a.form, a.link); }
inline auto fields(const WeldOptions& a) { return std::tie(a.below, a.lasts, a.wake); }
inline auto fields(const SolverOptions& a) {
  return std::tie(a.dynamics, a.integrator, a.step, a.slow_band, a.spread, a.tolerance, a.absolute_tolerance,
                  a.stabilisation, a.stabilisation_time, a.reuse, a.weld);
}

// One word after another. Of more than `most` things in a row the first and the last few are written, and of the numbers of
// those between a mean, each weighed with its place.
class Line {
 public:
  static constexpr std::size_t most = 60, shown = 12;
  std::string text;
  double weighed = 0;  // Σ k x_k over the numbers that were put

  // The kinds that are in a public header.
  template <class... K>
  struct Kinds {
    template <class Kind>
    static bool have(const Kind& x) {
      return ((x.template get_if<K>() != nullptr) || ...);
    }
    // Its place in the list, and the value.
    template <class Kind>
    static void put(const Kind& x, Line& line) {
      int place = 0;
      const bool found =
          ((x.template get_if<K>() != nullptr ? (line.put(place), line.put(*x.template get_if<K>()), true)
                                              : (++place, false)) ||
           ...);
      if (!found) line.put_unknown(x);
    }
  };
  using Elements =
      Kinds<FreePlay, JointFriction, SupportSpring, SupportDamper, Push, SpringNet, DamperNet, Attraction,
            MutualAttraction, Drag, Field, MovingFrame, Reflex, JointTorque, CenterSpring, CenterDamper, MassFlow,
            JointStop, JointMotor, Muscle, Footing, TissueSpring, TissueDamper, JointLimit, JointLimitDamper>;
  using Constraints = Kinds<LoopJoint, FixedDistance, OnPath, OnSurface, Coupler, Drive, Rolling, Gears>;
  static bool is_known(const ElementKind& x) { return Elements::have(x); }
  static bool is_known(const ConstraintKind& x) { return Constraints::have(x); }

  // Kinds that stand in a file of their own alone, by what can be asked of all.
  void put_unknown(const ElementKind& x) {
    const Element e{"", x};
    word(word_of(e));
    const std::size_t n = numbers_of(e).size();
    for (std::size_t k = 0; k < n; ++k) put(number_of(e, k));
  }
  void put_unknown(const ConstraintKind& x) {
    Constraint c;
    c.kind = x;
    word(word_of(c));
  }

  void word(const std::string& w) { text += ' ' + w; }
  void put(double x) { text += fmt::format(" {:.12g}", x), weighed += ++count_ * x; }
  void put(const std::string& s) { text += " '" + s + "'"; }
  void put(Integrator i) { word(name_of(i)); }  // and not its place in a list that grows
  void put(Dynamics d) { word(name_of(d)); }
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void put(T x) { put(static_cast<double>(x)); }
  template <class T>
  void put(const std::optional<T>& x) {
    x ? put(*x) : word("-");
  }
  template <class... T>
  void put(const std::variant<T...>& x) {
    put(x.index());
    std::visit([&](const auto& kind) { put(kind); }, x);
  }
  void put(const ElementKind& x) { Elements::put(x, *this); }
  void put(const ConstraintKind& x) { Constraints::put(x, *this); }
  template <class... T>
  void put(const std::tuple<T...>& x) {
    std::apply([&](const auto&... each) { (put(each), ...); }, x);
  }
  template <class T, std::size_t n>
  void put(const std::array<T, n>& x) {
    for (const T& each : x) put(each);
  }
  template <class T>
  void put(const std::vector<T>& x) {
    word(fmt::format("[{}]", x.size()));
    Line rest;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const T& each = x[i];
      if (x.size() <= most || i < shown || i + shown >= x.size())
        put(each);
      else
        rest.put(each);
    }
    if (rest.count_ > 0) word("…"), put(rest.weighed / rest.count_);
  }
  template <class T>
  requires requires(const T& x) { fields(x); }
  void put(const T& x) { put(fields(x)); }

 private:
  double count_ = 0;
};

// What is known of a kind that stands in a file of its own alone: what it does, at a state that is not the start.
struct Elsewhere {
  explicit Elsewhere(const Scene& s) : q(s.start.q), v(s.start.v), kinematics(s.model), model(s.model) {
    for (std::size_t i = 0; i < v.size(); ++i) v[i] += 0.1 * static_cast<double>(i + 1);
    forward_kinematics<double>(model, model.params, q, v, kinematics);
  }
  Instant<double> instant() const { return {model, 0.3, q, v, kinematics.X_WB, kinematics.V_WB}; }
  std::vector<double> q, v;
  Kinematics<double> kinematics;
  const Model& model;
};
inline std::vector<double> force_of(const Scene& s, const Element& e) {
  ForceSum<double> sum(s.model);
  evaluate<double>(e, Elsewhere(s).instant(), std::vector<double>(static_cast<std::size_t>(mode_count(e)), 1.0), sum);
  std::vector<double> all(sum.tau);
  for (const Wrench<double>& F : sum.F_Bo_W) all.insert(all.end(), {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z});
  return all;
}
inline std::vector<double> rows_of(const Scene& s, const Constraint& c) {
  std::vector<ConstraintRow> rows(static_cast<std::size_t>(row_count(c)));
  constraint_rows(c, Elsewhere(s).instant(), rows);
  std::vector<double> all;
  for (const ConstraintRow& row : rows) all.insert(all.end(), {row.value, row.rate, row.bias});
  return all;
}

// Every thing in the scene, a line each.
inline std::string text_of(const Scene& s) {
  std::string out;
  const auto line = [&](const std::string& what, const auto&... values) {
    Line l;
    (l.put(values), ...);
    out += what + ":" + l.text + "\n";
  };
  line("title", s.title, s.source), line("duration", s.duration), line("gravity", s.model.params.gravity);
  line("solver", s.solver), line("record", s.record.every), line("closed within", s.closed_within);
  if (!s.record.paths.empty()) line("paths", s.record.paths);
  if (!s.record.euler_zyz.empty()) line("euler zyz", s.record.euler_zyz);
  if (!s.record.compare.empty()) line("compare", s.record.compare);
  for (const TouchSum& sum : s.record.touch) line("touch", sum.name, sum.a, sum.b);
  for (const std::string& pattern : s.record.channels) line("records", pattern);
  const bool many = s.model.nlink() > 100;
  std::vector<LinkTopology> links;
  std::vector<LinkParams<double>> params;
  for (std::size_t i = 1; i < s.model.links.size(); ++i) {
    const LinkParams<double>& p = s.model.params.links[i];
    if (many)
      links.push_back(s.model.links[i]), params.push_back(p);
    else
      line("link " + s.model.names[i], s.model.links[i], p, s.model.shapes[i]);
  }
  if (many) line("links", s.model.names, links, params);
  for (std::size_t i = 0; i < s.model.general.size(); ++i)
    line("general joint", s.model.general[i], s.model.params.general[i], s.model.coordinates[i]);
  line("q", s.start.q), line("v", s.start.v);
  for (const Element& e : s.elements) {
    line("element " + e.name, e.kind);
    if (!Line::is_known(e.kind)) line("its force", force_of(s, e));
  }
  for (const FloorContact& c : s.contacts) line("contact " + c.name, c);
  for (const Constraint& c : s.constraints) {
    line("constraint " + c.name, c);
    if (!Line::is_known(c.kind)) line("its rows", rows_of(s, c));
  }
  for (const SceneryPiece& piece : s.scenery) line("scenery " + piece.name, piece);
  if (s.collide) {
    line("collide", *s.collide);
    for (const auto& [a, b] : s.collide->except) line("except", a, b);
  }
  for (const std::string& w : s.warnings) line("warning", w);
  for (const std::string& n : s.notes) line("note", n);
  return out;
}

}  // namespace marey::scene_numbers
