// The step-size adviser (A4): the shortest period present in a figure, and what causes it.
//
// Near a state the figure moves like M ẍ + C ẋ + K x = 0 in its velocities' coordinates x. Springs and dampers are sums of
// rows, K = Σ k gᵀg and C = Σ c gᵀg, with g x the rate of the angle or displacement the element acts through:
//   torque function   g of its named angle; for a swing, the two directions across its axis
//   friction          every freedom of the joint
//   support           displacement of its point and turn of its link, three directions each
//   spring, damper    the length between its points
//   drag              displacement of the centre of mass, as fast as it moves now
//   attraction        displacement of the centre of mass, k = m ω² with ω the rate of a circle at this distance
//   gravity           turn of every link across s, the moment of its own mass and of the masses it carries at its
//                     joints; k = |gravity| |s|, as if it hung (standing, it would fall at that rate)
// The highest frequency is ω² = max xᵀK x / xᵀM x, found by iterating x ← M⁻¹ K x with M⁻¹ from `aba`, and the fastest
// decay likewise with C. As M xᵢ₊₁ = K xᵢ, Rayleigh's quotient needs no M:
//   ω² ≈ Σ k (g xᵢ₊₁)² / Σ k (g xᵢ₊₁)(g xᵢ)                                                               (1)
// which approaches from below, and is within a per cent or so after the few dozen rounds made here. The element that
// holds the largest part of xᵀK x is named as the cause. Cost: linear in the number of links and elements.
//
// Semi-implicit Euler with step h on one mode with both, v ← v − h (ω² x + λ v), x ← x + h v, is stable while
// 4 − 2hλ − h²ω² > 0:
//   h < 4 / (λ + √(λ² + 4ω²))                                                                            (2)
// 2/ω for a spring alone, 2/λ for a damper alone. Taking the fastest spring and the fastest damper together, though they
// may belong to different modes, is on the safe side.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

#include "core/index.h"
#include "marey/dynamics.h"
#include "marey/force.h"

namespace marey {
namespace {

// One row g with its constant. Through a joint: g x = a · (three of the joint's velocities, from `first` on). On a link:
// g x = a · w_WB + b · v_WBo.
struct Row {
  int link;
  bool through_joint;
  Vec3<double> a, b;
  double k;
  int source;     // elements first, then gravity on link source − n
  int other = 0;  // a second link that the row reads with a_other, b_other; 0: none
  Vec3<double> a_other{}, b_other{};
  int first = 0;

  Row from(int freedom) const {
    Row r = *this;
    r.first = freedom;
    return r;
  }
};

const Vec3<double> unit_vectors[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

// Two unit vectors across a.
std::array<Vec3<double>, 2> across(const Vec3<double>& a) {
  const int least = std::abs(a.x) <= std::abs(a.y) ? (std::abs(a.x) <= std::abs(a.z) ? 0 : 2)
                                                   : (std::abs(a.y) <= std::abs(a.z) ? 1 : 2);
  const Vec3<double> b = cross(a, unit_vectors[least]), unit = (1 / norm(b)) * b;
  return {unit, (1 / norm(a)) * cross(a, unit)};
}

double largest(const TimeTable& table) {
  return table.value.empty() ? 0 : *std::max_element(table.value.begin(), table.value.end());
}

// The axis an angle turns about at the neutral pose of its joint.
Vec3<double> axis_of(const Model& model, int link, const NamedAngle& angle) {
  const JointType joint = model.links[index(link)].joint;
  if (joint == JointType::hinge || joint == JointType::slider) return model.params.links[index(link)].axis;
  switch (angle.kind) {
    case NamedAngle::Kind::euler_x:
      return unit_vectors[0];
    case NamedAngle::Kind::euler_y:
      return unit_vectors[1];
    case NamedAngle::Kind::euler_z:
      return unit_vectors[2];
    default:
      return (1 / norm(angle.axis)) * angle.axis;
  }
}

// ---- rows
struct Rows {
  const Instant<double>& at;
  std::vector<Row> springs, dampers;
  int source = 0;

  void on_point(std::vector<Row>& rows, int link, const Vec3<double>& point_B, double k, double turning_k) const {
    const Vec3<double> r = at.X_WB[index(link)].R * point_B;
    for (const Vec3<double>& u : unit_vectors) {
      if (k > 0) rows.push_back({link, false, cross(r, u), u, k, source});
      if (turning_k > 0) rows.push_back({link, false, u, {}, turning_k, source});
    }
  }
  double mass(int link) const { return at.model.params.links[index(link)].I.m; }
  Vec3<double> com_B(int link) const {
    const Inertia<double>& I = at.model.params.links[index(link)].I;
    return I.m > 0 ? (1 / I.m) * I.h : Vec3<double>{};
  }
  Vec3<double> center(int link) const { return at.X_WB[index(link)] * com_B(link); }
  void on_center(std::vector<Row>& rows, int link, double k) const { on_point(rows, link, com_B(link), k, 0); }
  // ω² of a circle of this radius.
  static double pull(double strength, const Vec3<double>& r, double softening) {
    const double d = std::sqrt(norm_squared(r) + softening * softening);
    return d > 0 ? strength / (d * d * d) : 0;
  }
  void between(std::vector<Row>& rows, const Anchor& a, const Anchor& b, double k) const {
    if (!(k > 0)) return;
    const Vec3<double> r_a = at.X_WB[index(a.link)].R * a.point, r_b = at.X_WB[index(b.link)].R * b.point;
    const Vec3<double> d = (at.X_WB[index(b.link)].p + r_b) - (at.X_WB[index(a.link)].p + r_a);
    const double length = norm(d);
    const Vec3<double> u = length > 0 ? (1 / length) * d : unit_vectors[0];
    rows.push_back({b.link, false, cross(r_b, u), u, k, source, a.link, -cross(r_a, u), -u});
  }
  void operator()(const FreePlay& e) {
    const double k = std::max(largest(e.slope_below), largest(e.slope_above));
    const JointType joint = at.model.links[index(e.link)].joint;
    if (!(k > 0) || joint == JointType::weld || joint == JointType::point) return;
    if (e.angle.kind == NamedAngle::Kind::swing && has_attitude(joint)) {
      for (const Vec3<double>& u : across(e.angle.axis)) springs.push_back({e.link, true, u, {}, k, source});
      return;
    }
    const AngleAndGradient<double> a = named_angle(e.angle, at, e.link);
    Vec3<double> g = a.gradient;
    if (norm(g) == 0) g = axis_of(at.model, e.link, e.angle);  // where the angle has no gradient
    springs.push_back(Row{e.link, true, g, {}, k, source}.from(a.first));
  }
  void operator()(const JointFriction& e) {
    const JointType joint = at.model.links[index(e.link)].joint;
    if (joint == JointType::free || !(e.coefficient > 0)) return;
    for (int i = 0; i < freedom_count(at.model.links[index(e.link)]); ++i)
      if (e.freedom < 0 || e.freedom == i)
        dampers.push_back(Row{e.link, true, unit_vectors[0], {}, e.coefficient, source}.from(i));
  }
  void operator()(const SupportSpring& e) { on_point(springs, e.link, e.point_B, e.stiffness, e.turning_stiffness); }
  void operator()(const SupportDamper& e) { on_point(dampers, e.link, e.point_B, e.damping, e.turning_damping); }
  void operator()(const Push&) {}
  void operator()(const SpringNet& e) {
    for (const SpringNet::Spring& s : e.springs) between(springs, s.a, s.b, s.stiffness);
  }
  void operator()(const DamperNet& e) {
    for (const DamperNet::Damper& s : e.dampers) between(dampers, s.a, s.b, s.damping);
  }
  void operator()(const Attraction& e) {
    for (const int link : e.links)
      on_center(springs, link, mass(link) * pull(e.strength, center(link) - e.center_W, e.softening));
  }
  void operator()(const MutualAttraction& e) {
    const auto drawn = [&](int link, const std::vector<int>& by) {
      double k = 0;
      for (const int other : by)
        if (other != link) k += mass(link) * pull(e.constant * mass(other), center(link) - center(other), e.softening);
      on_center(springs, link, k);
    };
    for (const int link : e.links) drawn(link, e.others.empty() ? e.links : e.others);
    for (const int link : e.others) drawn(link, e.links);
  }
  void operator()(const Drag& e) {
    for (const int link : e.links) {
      const Twist<double>& V = at.V_WB[index(link)];
      const double speed = norm(V.v + cross(V.w, center(link) - at.X_WB[index(link)].p));
      on_center(dampers, link, e.linear + 2 * e.quadratic * speed);
    }
  }
  void operator()(const Field&) {}
  void operator()(const MovingFrame&) {}
  // As if it came at once.
  void operator()(const Reflex& e) {
    const AngleAndGradient<double> a = named_angle(e.angle, at, e.link);
    Vec3<double> g = a.gradient;
    if (norm(g) == 0) g = axis_of(at.model, e.link, e.angle);
    if (e.stiffness > 0) springs.push_back(Row{e.link, true, g, {}, e.stiffness, source}.from(a.first));
    if (e.damping > 0) dampers.push_back(Row{e.link, true, g, {}, e.damping, source}.from(a.first));
  }
};

// Gravity makes links swing when something holds the figure up: its root is not free, or an element holds or pushes it.
void add_gravity(Rows& rows, std::span<const Element> elements) {
  const Model& model = rows.at.model;
  const double g = norm(model.params.gravity);
  if (g == 0) return;
  const std::size_t n = model.links.size();
  std::vector<std::size_t> root(n, 0);
  std::vector<bool> held(n, false);
  for (std::size_t i = 1; i < n; ++i) {
    const LinkTopology& link = model.links[i];
    const bool floats = link.joint == JointType::free || link.joint == JointType::point;
    const bool is_root = link.parent == 0 || floats;
    root[i] = is_root ? i : root[index(link.parent)];
    if (is_root) held[i] = !floats;
  }
  for (const Element& e : elements) {
    if (const auto* spring = std::get_if<SupportSpring>(&e.kind)) held[root[index(spring->link)]] = true;
    if (const auto* push = std::get_if<Push>(&e.kind)) held[root[index(push->link)]] = true;
  }
  std::vector<double> carried(n);  // mass of the link and of all that hangs on it
  std::vector<Vec3<double>> moment(n);
  for (std::size_t i = n - 1; i > 0; --i) {
    const Inertia<double>& I = model.params.links[i].I;
    carried[i] += I.m;
    moment[i] += rows.at.X_WB[i].R * I.h;
    if (root[i] != i) {
      const std::size_t p = index(model.links[i].parent);
      carried[p] += carried[i];
      moment[p] += carried[i] * (rows.at.X_WB[i].p - rows.at.X_WB[p].p);
    }
    const double s = norm(moment[i]);
    if (!held[root[i]] || !(s > 0)) continue;
    const int source = static_cast<int>(elements.size() + i);
    for (const Vec3<double>& u : across(moment[i])) {
      rows.springs.push_back({static_cast<int>(i), false, u, {}, g * s, source});
    }
  }
}

// ---- the fastest mode of a set of rows
struct FastestMode {
  double value = 0;  // ω² or rate
  int source = -1;
};

class ModeFinder {
 public:
  ModeFinder(const Model& model, const State& state)
      : model_(model),
        params_(model.params),
        q_(state.q),
        rest_(index(model.nv)),
        x_(index(model.nv)),
        tau_(index(model.nv)),
        F_(model.links.size()),
        aba_(model),
        motion_(model) {
    params_.gravity = {};
  }

  FastestMode fastest(std::span<const Row> rows) {
    if (rows.empty() || model_.nv == 0) return {};
    std::vector<double> before(rows.size()), after(rows.size());
    std::uint32_t seed = 1;
    for (double& y : before) {  // any start with a part in every mode; fixed, so that the advice is
      seed = 1664525u * seed + 1013904223u;
      y = 0.5 + seed / 4294967296.0;
    }
    double value = 0;
    for (int round = 0; round < 60; ++round) {
      respond(rows, before, after);
      double potential = 0, kinetic = 0;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        potential += rows[i].k * after[i] * after[i];
        kinetic += rows[i].k * after[i] * before[i];
      }
      if (!(potential > 0 && kinetic > 0)) break;
      const double last = std::exchange(value, potential / kinetic);  // (1)
      const double scale = 1 / std::sqrt(potential);
      for (double& y : after) y *= scale;
      std::swap(before, after);
      if (round >= 20 && std::abs(value - last) < 1e-6 * value) break;
    }
    return {value, largest_part(rows, before)};
  }

 private:
  // after = g M⁻¹ Σ k gᵀ before
  void respond(std::span<const Row> rows, const std::vector<double>& before, std::vector<double>& after) {
    std::fill(tau_.begin(), tau_.end(), 0.0);
    std::fill(F_.begin(), F_.end(), Wrench<double>{});
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Row& r = rows[i];
      const double f = r.k * before[i];
      if (r.through_joint) {
        for (int k = 0; k < freedoms(r); ++k) tau_[velocity(r, k)] += f * r.a[k];
      } else {
        F_[index(r.link)] += {f * r.a, f * r.b};
        if (r.other != 0) F_[index(r.other)] += {f * r.a_other, f * r.b_other};
      }
    }
    aba<double>(model_, params_, q_, rest_, Forces<double>{tau_, F_}, aba_, x_);
    forward_kinematics<double>(model_, params_, q_, x_, motion_);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Row& r = rows[i];
      const Twist<double>& V = motion_.V_WB[index(r.link)];
      after[i] = r.through_joint ? 0 : dot(r.a, V.w) + dot(r.b, V.v);
      if (r.other != 0)
        after[i] += dot(r.a_other, motion_.V_WB[index(r.other)].w) + dot(r.b_other, motion_.V_WB[index(r.other)].v);
      for (int k = 0; r.through_joint && k < freedoms(r); ++k) after[i] += r.a[k] * x_[velocity(r, k)];
    }
  }
  int freedoms(const Row& r) const { return std::min(3, freedom_count(model_.links[index(r.link)]) - r.first); }
  std::size_t velocity(const Row& r, int k) const { return index(model_.links[index(r.link)].v + r.first + k); }

  static int largest_part(std::span<const Row> rows, const std::vector<double>& y) {
    int last = 0, best = -1;
    for (const Row& r : rows) last = std::max(last, r.source);
    std::vector<double> part(index(last) + 1);
    for (std::size_t i = 0; i < rows.size(); ++i) part[index(rows[i].source)] += rows[i].k * y[i] * y[i];
    for (int s = 0; s <= last; ++s) {
      if (part[index(s)] > (best < 0 ? 0 : part[index(best)])) best = s;
    }
    return best;
  }

  const Model& model_;
  Params<double> params_;  // without gravity
  std::vector<double> q_, rest_, x_, tau_;
  std::vector<Wrench<double>> F_;
  AbaWorkspace<double> aba_;
  Kinematics<double> motion_;
};

// ---- words
std::string quoted(const std::string& name) { return "'" + name + "'"; }

// Whether an axis is the one a slender link turns about most easily.
bool is_long_axis(const Model& model, int link, const Vec3<double>& axis) {
  const PrincipalAxes p = principal_axes(model.params.links[index(link)].I);
  const Vec3<double> easiest{p.R_BP.xx, p.R_BP.yx, p.R_BP.zx};
  return p.moments.x < 0.5 * p.moments.y && std::abs(dot(easiest, axis)) > 0.98;
}

std::string name_of_angle(const Model& model, const FreePlay& e) {
  const JointType joint = model.links[index(e.link)].joint;
  if (joint == JointType::slider) return "displacement";
  if (is_general(joint) && !has_attitude(joint))
    return "coordinate '" + freedoms_of(model, e.link)[index(e.angle.coordinate)].name + "'";
  if (e.angle.kind == NamedAngle::Kind::swing && joint != JointType::hinge) return "swing";
  return is_long_axis(model, e.link, axis_of(model, e.link, e.angle)) ? "long axis" : "angle";
}

std::string describe(const Model& model, std::span<const Element> elements, int source) {
  if (source < 0) return "what acts";  // beyond all measure, so that no part of it can be told to be the largest
  const std::size_t i = index(source);
  if (i >= elements.size()) return quoted(model.names[i - elements.size()]) + " swinging under gravity";
  const std::string name = quoted(elements[i].name);
  const auto of = [&](int link) { return " of " + quoted(model.names[index(link)]); };
  struct Describe {
    const Model& model;
    const std::string& name;
    const decltype(of)& of_link;
    std::string operator()(const FreePlay& e) const {
      return "torque function " + name + " on the " + name_of_angle(model, e) + of_link(e.link);
    }
    std::string operator()(const JointFriction& e) const {
      return "friction " + name + " in the joint" + of_link(e.link);
    }
    std::string operator()(const SupportSpring& e) const { return "support " + name + of_link(e.link); }
    std::string operator()(const SupportDamper& e) const { return "damping of the support " + name + of_link(e.link); }
    std::string operator()(const Push& e) const { return "push " + name + of_link(e.link); }
    std::string operator()(const SpringNet& e) const { return (e.springs.size() > 1 ? "springs " : "spring ") + name; }
    std::string operator()(const DamperNet& e) const { return (e.dampers.size() > 1 ? "dampers " : "damper ") + name; }
    std::string operator()(const Attraction&) const { return "attraction " + name; }
    std::string operator()(const MutualAttraction&) const { return "attraction " + name; }
    std::string operator()(const Drag&) const { return "drag " + name; }
    std::string operator()(const Field&) const { return "field " + name; }
    std::string operator()(const MovingFrame&) const { return "moving frame " + name; }
    std::string operator()(const Reflex& e) const { return "reflex " + name + of_link(e.link); }
  };
  return std::visit(Describe{model, name, of}, elements[i].kind);
}

}  // namespace

StepAdvice advise_step(const Model& model, std::span<const Element> elements, const State& state) {
  Kinematics<double> start(model);
  forward_kinematics<double>(model, model.params, state.q, state.v, start);
  const Instant<double> at{model, state.t, state.q, state.v, start.X_WB, start.V_WB};
  Rows rows{at, {}, {}};
  for (const Element& e : elements) {
    std::visit(rows, e.kind);
    ++rows.source;
  }
  add_gravity(rows, elements);

  ModeFinder finder(model, state);
  const FastestMode spring = finder.fastest(rows.springs), damper = finder.fastest(rows.dampers);
  const double omega = std::sqrt(spring.value), decay = damper.value;
  double rate = 0;
  StepAdvice advice;
  const auto consider = [&](double candidate, auto describe_it) {
    if (!(candidate > rate)) return;
    rate = candidate;
    advice.cause = describe_it();
  };
  consider(omega, [&] { return describe(model, elements, spring.source); });
  consider(decay, [&] { return describe(model, elements, damper.source); });
  for (std::size_t i = 1; i < model.links.size(); ++i) {
    consider(norm(start.V_WB[i].w), [&] { return quoted(model.names[i]) + " turning"; });
  }
  if (rate > 0) advice.shortest_period = 2 * std::numbers::pi / rate, advice.advised_step = advice.shortest_period / 10;
  if (omega + decay > 0) advice.unstable_step = 4 / (decay + std::hypot(decay, 2 * omega));  // (2)
  return advice;
}

}  // namespace marey
