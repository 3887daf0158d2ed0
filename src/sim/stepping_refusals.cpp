// What does not go together with contact: stepping, or with contact: events, by name.
#include <fmt/format.h>

#include <optional>

#include "marey/force/mass_flow.h"
#include "marey/sim.h"

namespace marey {

namespace {

std::string refusal_in_steps(const FloorContact& c) {
  if (c.law.kind != ImpactKind::coulomb)
    return fmt::format("'{}' has impact: {}, and steps know Coulomb's law alone: use contact: events", c.name,
                       name_of(c.law.kind));
  if (c.compliant && c.ground.exponent != 1)
    return fmt::format("'{}' has ground with an exponent of {:g}, and in steps ground is linear: use contact: events",
                       c.name, c.ground.exponent);
  return {};
}

// What bounds a joint, and when.
struct Bound {
  int link = 0;
  NamedAngle angle;
  double from = 0, until = forever;
};
std::optional<Bound> bound_of(const Element& e) {
  if (const auto* stop = e.kind.get_if<JointStop>()) return Bound{stop->link, stop->angle};
  if (const auto* motor = e.kind.get_if<JointMotor>())
    return Bound{motor->link, motor->angle, motor->schedule.from, motor->schedule.until};
  return {};
}

// Whether two are surely not of the same angle: of two coordinates of a joint.
bool are_apart(const NamedAngle& a, int coordinate_a, const NamedAngle& b, int coordinate_b) {
  using Kind = NamedAngle::Kind;
  return a.kind == Kind::coordinate && b.kind == Kind::coordinate && coordinate_a != coordinate_b;
}

// A coordinate that follows a script, or is held, goes no other way.
std::string refusal_of_bounds(const Scene& scene) {
  for (const Element& e : scene.elements) {
    const std::optional<Bound> bound = bound_of(e);
    if (!bound) continue;
    for (const Constraint& c : scene.constraints) {
      const Coupler* coupler = c.kind.get_if<Coupler>();
      if (coupler == nullptr || coupler->terms.size() != 1 || c.from >= bound->until || bound->from >= c.until)
        continue;
      const Coupler::Term& term = coupler->terms[0];
      if (term.link == bound->link && !are_apart(bound->angle, bound->angle.coordinate, term.angle, term.freedom))
        return fmt::format(
            "the {} '{}' and '{}' are of the same joint, which cannot obey both: leave one out, or let a motor do what "
            "'{}' does",
            word_of(e), e.name, c.name, c.name);
    }
  }
  return {};
}

}  // namespace

std::string refusal_of_stepping(const Scene& scene) {
  const SolverOptions& o = scene.solver;
  if (o.sleep && o.contact == ContactDriver::events)
    return "bodies sleep in steps alone: use contact: stepping, or leave sleep out";
  if (o.sleep && o.dynamics == Dynamics::multipliers)
    return "bodies in maximal coordinates do not sleep: use dynamics: aba, or leave sleep out";
  if (o.contact == ContactDriver::events)
    for (const Element& e : scene.elements)
      if (acts_in_steps_alone(e))
        return fmt::format("'{}' is a {}, which acts in steps alone: use contact: stepping", e.name, word_of(e));
  if (o.contact == ContactDriver::events)
    return scene.collide
               ? "shapes that touch are met by contact: stepping, and not by contact: events, which knows points on "
                 "floors alone"
               : "";
  if (o.integrator != SolverOptions().integrator)
    return fmt::format("contact: stepping advances by a rule of its own, and not by {}: leave the integrator out",
                       name_of(o.integrator));
  if (o.weld) return "contact: stepping does not weld joints: leave weld out";
  if (o.slow_band > 1) return "contact: stepping knows no slow band: use slow_band: 1";
  if (o.reuse > 0) return "contact: stepping makes the mass matrix anew in each step: leave reuse out";
  for (const Element& e : scene.elements)
    if (e.kind.get_if<MassFlow>() != nullptr)
      return fmt::format("'{}' changes masses, which contact: stepping takes for constant: use contact: events",
                         e.name);
  if (const std::string why = refusal_of_bounds(scene); !why.empty()) return why;
  for (std::size_t i = 0; i < scene.elements.size(); ++i)
    if (const std::string why = refusal_beside_other_stops(scene.elements, i); !why.empty()) return why;
  for (const FloorContact& c : scene.contacts)
    if (const std::string why = refusal_in_steps(c); !why.empty()) return why;
  return {};
}

}  // namespace marey
