// Forces given by formulas. With a potential V(x, y, z, t, m): f = −∇V, and ∂V/∂t is the power of what changes it.
#include <fmt/core.h>

#include <array>
#include <cmath>

#include "force/descriptor.h"
#include "force/mass_center.h"
#include "marey/force/element_maker.h"
#include "marey/force/formula_text.h"
#include "marey/shape.h"

namespace marey {
namespace {

template <class T>
Vec3<T> force_of(const Field& e, const FormulaInput<T>& in) {
  if (e.potential.empty()) return {evaluate(e.force[0], in), evaluate(e.force[1], in), evaluate(e.force[2], in)};
  return -evaluate_with_slopes(e.potential, in).gradient;
}

// −∂f/∂x of the three variables from `first` on, its symmetric part, by difference quotients; 0 where it is no number.
Sym3<double> resistance(const Field& e, const FormulaInput<double>& in, std::size_t first) {
  Mat3<double> K;
  for (std::size_t k = 0; k < 3; ++k) {
    const double h = 1e-5 * (1 + std::abs(in[first + k]));
    FormulaInput<double> ahead = in, behind = in;
    ahead[first + k] += h, behind[first + k] -= h;
    const Vec3<double> slope = (0.5 / h) * (force_of(e, behind) - force_of(e, ahead));
    for (int i = 0; i < 3; ++i) K(i, static_cast<int>(k)) = std::isfinite(slope[i]) ? slope[i] : 0;
  }
  return {K.xx, K.yy, K.zz, 0.5 * (K.xy + K.yx), 0.5 * (K.xz + K.zx), 0.5 * (K.yz + K.zy)};
}

template <class T>
FormulaInput<T> input_at(const Instant<T>& at, int link, const MassCenter<T>& c) {
  const Vec3<T> v = c.velocity(at, link);
  return {c.p.x, c.p.y, c.p.z, v.x, v.y, v.z, T(at.t), T(c.mass)};
}

}  // namespace

template <>
struct Descriptor<Field> {
  static constexpr const char* word = "field";
  static Nature nature(const Field& e) { return e.potential.empty() ? Nature::active : Nature::conservative; }

  template <class T>
  static void act(const Field& e, const Instant<T>& at, std::span<const double>, ForceSum<T>& sum) {
    for (const int link : e.links) {
      const MassCenter<T> c(at, link);
      sum.wrench(at, link, c.wrench(force_of(e, input_at(at, link, c))));
    }
  }
  template <class T>
  static T energy(const Field& e, const Instant<T>& at) {
    T V(0);
    for (const int link : e.links) V += evaluate(e.potential, input_at(at, link, MassCenter<T>(at, link)));
    return V;
  }
  template <class T>
  static T energy_rate(const Field& e, const Instant<T>& at) {
    T rate(0);
    if (e.potential.empty()) return rate;
    for (const int link : e.links)
      rate += evaluate_with_slopes(e.potential, input_at(at, link, MassCenter<T>(at, link))).rate;
    return rate;
  }

  static std::string refusal(const Model&, const Field& e) {
    return first_of({refusal_of_formula(e.force[0]), refusal_of_formula(e.force[1]), refusal_of_formula(e.force[2]),
                     refusal_of_formula(e.potential)});
  }

  // As stiff as it is where the links are, and as they move now.
  static void stiffness(const Field& e, AdviserRows& rows) {
    for (const int link : e.links) {
      const FormulaInput<double> in = input_at(rows.at, link, MassCenter<double>(rows.at, link));
      const auto add = [&](std::vector<AdviserRow>& to, std::size_t first) {
        const PrincipalAxes p = principal_axes(resistance(e, in, first));
        for (int i = 0; i < 3; ++i) rows.on_center(to, link, {p.R_BP(0, i), p.R_BP(1, i), p.R_BP(2, i)}, p.moments[i]);
      };
      add(rows.springs, 0), add(rows.dampers, 3);
    }
  }
  static void numbers(Field&, Numbers&) {}
};
MAREY_ELEMENT(Field)

// ---- in scenes
namespace {

std::array<Formula, 3> read_formulas(const Value& node, const FormulaConstants& constants, FormulaUse use) {
  if (node.kind != Value::Kind::list || node.items.size() != 3)
    refuse_value(node, "three formulas in a list, such as ['-k*x', '0', 'sin(2*pi*t)']");
  std::array<Formula, 3> f;
  for (std::size_t k = 0; k < 3; ++k) f[k] = read_formula(*node.items[k], constants, use);
  return f;
}

// Refuses a force that is not minus the gradient of the potential, at points of about the same magnitude as where the
// links start.
void check_potential(const Field& e, const Value& force, const ElementMaker& maker) {
  unsigned seed = 1;
  const auto random = [&] {  // between −1 and 1, the same in every run
    seed = 1664525u * seed + 1013904223u;
    return static_cast<double>(seed) / 2147483648.0 - 1;
  };
  int compared = 0;
  for (int trial = 0; trial < 400 && compared < 100; ++trial) {
    const std::size_t link = static_cast<std::size_t>(e.links[static_cast<std::size_t>(trial) % e.links.size()]);
    const Vec3<double>& p = maker.start().X_WB[link].p;
    const double size = trial % 2 == 0 ? 1 : norm(p) + 0.1;
    FormulaInput<double> in{};
    for (std::size_t k = 0; k < 3; ++k) in[k] = p[static_cast<int>(k)] + size * random(), in[k + 3] = 3 * random();
    in[6] = 5 + 5 * random(), in[7] = maker.model().params.links[link].I.m;
    const Vec3<double> g = evaluate_with_slopes(e.potential, in).gradient;
    const Vec3<double> f{evaluate(e.force[0], in), evaluate(e.force[1], in), evaluate(e.force[2], in)};
    const double scale = norm(f) + norm(g);
    if (!std::isfinite(scale)) continue;
    ++compared;
    if (norm(f + g) <= 1e-7 * scale + 1e-12) continue;
    refuse(
        force.at,
        fmt::format("found a force of ({:.4g}, {:.4g}, {:.4g}) N at ({:.4g}, {:.4g}, {:.4g}) m and {:.4g} s, where the "
                    "potential gives ({:.4g}, {:.4g}, {:.4g}) N; expected minus its gradient, or one of the two",
                    f.x, f.y, f.z, in[0], in[1], in[2], in[6], -g.x, -g.y, -g.z));
  }
  if (compared < 10)
    refuse(force.at, "found a force or potential that is nowhere a number near the start; expected numbers");
}

void make_field(MapReader& map, ElementMaker& maker) {
  const FormulaConstants constants = read_constants(map.get("constants"));
  Field e;
  e.links = maker.links().find_moving(map.need("links"));
  const Value *force = map.get("force"), *potential = map.get("potential");
  if (!force && !potential) refuse(map.node().at, "found neither force nor potential; expected one of them or both");
  if (force) e.force = read_formulas(*force, constants, FormulaUse::place_and_velocity);
  if (potential) e.potential = read_formula(*potential, constants, FormulaUse::place);
  if (force && potential) check_potential(e, *force, maker);
  maker.add_checked(map.text_or("name", "field"), map.has("name"), e, map.entry_at());
}

}  // namespace

extern const ElementForm field_form{
    "a force given by formulas",
    {"field",
     "A force at the centre of mass, given by formulas of x, y, z, vx, vy, vz, t and the mass m in SI units.",
     {{"name", "text", "what the ledger calls it"},
      {"links", "name or names", "which feel it: figure.link, several in a list, figure.* for all", true},
      {"force", "formulas", "its three components in world axes"},
      {"potential", "formula", "instead, or beside it to be checked: the force is minus its gradient"},
      {"constants", "constants", "names to numbers, for the formulas"}}},
    make_field,
    {"{links: figure.*, potential: 'k*(x^2 + 2*y^2)*cos(t) + m*z', constants: {k: 3}}",
     "{links: figure.hand, force: ['-k*x - vy', 'vx', 'sin(t)'], constants: {k: 2}, name: swirl}"}};

}  // namespace marey
