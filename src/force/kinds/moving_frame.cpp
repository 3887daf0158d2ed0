// Fictitious forces in a world that turns and accelerates, on particles and bodies alike.
//
// Source: R (3.13), with −m a₀. Seen from W, which turns with ω (in the axes of W) and whose origin accelerates with
// a₀, a mass element dm at p + ρ (p = p_WoBo, ρ from Bo) that moves with v + w × ρ feels
//   −dm [a₀ + 2 ω × (v + w × ρ) + ω × (ω × (p + ρ)) + ω̇ × (p + ρ)].                                       (1)
// Summed over the body, with m, h = ∫ρ dm, J = ∫(ρ·ρ 1 − ρρᵀ) dm about Bo and S = ∫ρρᵀ dm = ½ tr J 1 − J, all in W:
//   acceleration  f = −m a₀                              n = −h × a₀                                     (2)
//   coriolis      f = −2 (m ω × v + ω × (w × h))         n = −2 (h × (ω × v) + S ω × w)                  (3)
//   centrifugal   f = −ω × (ω × (m p + h))               n = −(h × (ω × (ω × p)) + ω × J ω)              (4)
//   euler         f = −ω̇ × (m p + h)                     n = −(h × (ω̇ × p) + J ω̇)                       (5)
// In (3) ρ × (ω × (w × ρ)) = (ρ × w)(ω·ρ) was used. Potentials, with the frame's motion held fixed:
//   acceleration  V = a₀·(m p + h)          ∂V/∂t = ȧ₀·(m p + h)                                         (6)
//   centrifugal   V = −½ ω·L(ω)             ∂V/∂t = −ω̇·L(ω)                                              (7)
//   with L(ω) = J ω + p × (ω × h) + h × (ω × p) + m p × (ω × p), the inertia about Wo times ω.
// The Coriolis part does no work: (ω × v)·v = 0 for every mass element. The Euler part is active.
#include <fmt/core.h>

#include "force/descriptor.h"
#include "marey/force/cast.h"
#include "marey/force/element_maker.h"
#include "marey/force/formula_text.h"

namespace marey {
namespace {

// A link's mass properties about Bo, in W. For a particle nothing needs to be rotated.
template <class T>
struct BodyInWorld {
  const Mat3<T>& R;
  const Inertia<double>& I;
  bool particle;
  Vec3<T> p, h;
  T m;

  BodyInWorld(const Instant<T>& at, std::size_t link)
      : R(at.X_WB[link].R), I(at.model.params.links[link].I), p(at.X_WB[link].p), m(I.m) {
    const double extent = norm_squared(I.h) + I.J.xx + I.J.yy + I.J.zz;
    particle = extent == 0;
    h = particle ? Vec3<T>{T(0), T(0), T(0)} : R * cast<T>(I.h);
  }
  Vec3<T> J_times(const Vec3<T>& a) const {
    if (particle) return {T(0), T(0), T(0)};
    const Vec3<T> b = transpose_times(R, a);
    const Sym3<double>& J = I.J;
    return R * Vec3<T>{T(J.xx) * b.x + T(J.xy) * b.y + T(J.xz) * b.z, T(J.xy) * b.x + T(J.yy) * b.y + T(J.yz) * b.z,
                       T(J.xz) * b.x + T(J.yz) * b.y + T(J.zz) * b.z};
  }
  Vec3<T> S_times(const Vec3<T>& a) const { return T(0.5 * (I.J.xx + I.J.yy + I.J.zz)) * a - J_times(a); }
  Vec3<T> first_moment() const { return m * p + h; }
  Vec3<T> L(const Vec3<T>& w) const { return J_times(w) + cross(p, cross(w, first_moment())) + cross(h, cross(w, p)); }
};

template <class T>
Wrench<T> wrench_of(MovingFrame::Part part, const Vec3<T>& value, const Vec3<T>& rate, const BodyInWorld<T>& b,
                    const Twist<T>& V) {
  switch (part) {
    case MovingFrame::Part::acceleration:  // (2)
      return -Wrench<T>{cross(b.h, value), b.m * value};
    case MovingFrame::Part::coriolis: {  // (3)
      const Vec3<T> wv = cross(value, V.v);
      Wrench<T> F{T(-2) * cross(b.h, wv), T(-2) * (b.m * wv)};
      if (!b.particle) F -= Wrench<T>{T(2) * cross(b.S_times(value), V.w), T(2) * cross(value, cross(V.w, b.h))};
      return F;
    }
    case MovingFrame::Part::centrifugal:  // (4)
      return -Wrench<T>{cross(b.h, cross(value, cross(value, b.p))) + cross(value, b.J_times(value)),
                        cross(value, cross(value, b.first_moment()))};
    case MovingFrame::Part::euler:  // (5)
      break;
  }
  return -Wrench<T>{cross(b.h, cross(rate, b.p)) + b.J_times(rate), cross(rate, b.first_moment())};
}

bool has_potential(MovingFrame::Part part) {
  return part == MovingFrame::Part::acceleration || part == MovingFrame::Part::centrifugal;
}

}  // namespace

template <>
struct Descriptor<MovingFrame> {
  static constexpr const char* word = "moving frame";
  static Nature nature(const MovingFrame& e) {
    if (has_potential(e.part)) return Nature::conservative;
    return e.part == MovingFrame::Part::coriolis ? Nature::passive : Nature::active;
  }

  template <class T>
  static void act(const MovingFrame& e, const Instant<T>& at, std::span<const double>, ForceSum<T>& sum) {
    const TimeVector::AtTime now = e.motion.at(at.t);
    const Vec3<T> value = cast<T>(now.value), rate = cast<T>(now.rate);
    for (std::size_t i = 1; i < at.model.links.size(); ++i)
      sum.wrench(at, static_cast<int>(i), wrench_of(e.part, value, rate, BodyInWorld<T>(at, i), at.V_WB[i]));
  }
  template <class T>
  static T energy(const MovingFrame& e, const Instant<T>& at) {
    T V(0);
    if (!has_potential(e.part)) return V;
    const bool acceleration = e.part == MovingFrame::Part::acceleration;
    const Vec3<T> value = cast<T>(e.motion.at(at.t).value);
    for (std::size_t i = 1; i < at.model.links.size(); ++i) {
      const BodyInWorld<T> b(at, i);
      V += acceleration ? dot(value, b.first_moment()) : T(-0.5) * dot(value, b.L(value));  // (6)(7)
    }
    return V;
  }
  template <class T>
  static T energy_rate(const MovingFrame& e, const Instant<T>& at) {
    T sum(0);
    if (!has_potential(e.part)) return sum;
    const bool acceleration = e.part == MovingFrame::Part::acceleration;
    const TimeVector::AtTime now = e.motion.at(at.t);
    const Vec3<T> value = cast<T>(now.value), rate = cast<T>(now.rate);
    for (std::size_t i = 1; i < at.model.links.size(); ++i) {
      const BodyInWorld<T> b(at, i);
      sum += acceleration ? dot(rate, b.first_moment()) : -dot(rate, b.L(value));
    }
    return sum;
  }

  static std::string refusal(const Model&, const MovingFrame& e) {
    return first_of(
        {refusal_of_formula(e.motion.of[0]), refusal_of_formula(e.motion.of[1]), refusal_of_formula(e.motion.of[2])});
  }

  static constexpr NoStiffness stiffness{};
  static void numbers(MovingFrame&, Numbers&) {}
};
MAREY_ELEMENT(MovingFrame)

// ---- in scenes: the scene's `frame`, which makes all parts that are not zero
namespace {

// Numbers with units, or quoted formulas in the time, in SI units.
TimeVector read_over_time(const Value& node, const QuantityKind& kind, const FormulaConstants& constants) {
  if (node.kind != Value::Kind::list || node.items.size() != 3)
    refuse_value(node, fmt::format("three numbers in a list, each {}, such as [0, 0, {}], or formulas of t", kind.name,
                                   kind.example));
  TimeVector v;
  for (std::size_t k = 0; k < 3; ++k) {
    const Value& item = *node.items[k];
    const bool number = item.kind != Value::Kind::scalar || !item.quoted;
    v.of[k] = number ? constant_formula(read_number(item, kind)) : read_time_formula(item, constants, kind);
  }
  return v;
}

bool is_zero(const TimeVector& v) {
  for (const Formula& f : v.of)
    if (!(f.program.size() == 1 && f.program[0].op == Formula::Op::number && f.program[0].value == 0)) return false;
  return true;
}
bool is_constant(const TimeVector& v) {
  for (const Formula& f : v.of)
    for (const Formula::Step& step : f.program)
      if (step.op == Formula::Op::variable) return false;
  return true;
}

}  // namespace

void make_frame(const Value& node, ElementMaker& maker) {
  MapReader map(node, frame_keys());
  const FormulaConstants constants = read_constants(map.get("constants"));
  const Formula zero = constant_formula(0);
  TimeVector turning{{zero, zero, zero}}, acceleration = turning;
  if (const Value* w = map.get("angular_velocity")) turning = read_over_time(*w, kinds::angular_rate, constants);
  if (const Value* a = map.get("angular_acceleration")) {
    const Vec3<double> alpha = read_vector(*a, kinds::angular_acceleration);
    using Op = Formula::Op;
    for (int k = 0; k < 3; ++k) {  // ω + α t
      auto& program = turning.of[static_cast<std::size_t>(k)].program;
      if (alpha[k] != 0)
        program.insert(program.end(), {{Op::number, 0, alpha[k]}, {Op::variable, 6}, {Op::multiply}, {Op::add}});
    }
  }
  if (const Value* a = map.get("acceleration")) acceleration = read_over_time(*a, kinds::acceleration, constants);
  using Part = MovingFrame::Part;
  const auto add = [&](const char* name, Part part, const TimeVector& motion) {
    maker.add_checked(name, true, MovingFrame{part, motion}, node.at);
  };
  const bool turns = !is_zero(turning), moves = !is_zero(acceleration);
  if (moves) add("frame/acceleration", Part::acceleration, acceleration);
  if (turns) add("frame/coriolis", Part::coriolis, turning);
  if (turns) add("frame/centrifugal", Part::centrifugal, turning);
  if (turns && !is_constant(turning)) add("frame/euler", Part::euler, turning);
  if (!turns && !moves)
    refuse(node.at,
           "found a frame that does not move; expected angular_velocity, angular_acceleration or acceleration");
}

const KeyTable& frame_keys() {
  static const KeyTable table{
      "frame",
      "How the scene's world itself moves: every link feels the fictitious forces. Numbers, or quoted formulas of t.",
      {{"angular_velocity", "v:angular_rate or formulas", "how fast it turns, in its own axes"},
       {"angular_acceleration", "v:angular_acceleration", "a constant rate of change of that"},
       {"acceleration", "v:acceleration or formulas", "of its origin, in its own axes"},
       {"constants", "constants", "names to numbers, for the formulas"}}};
  return table;
}

}  // namespace marey
