// Particles whose mass m(t) changes: what joins or leaves has the velocity u, all of it at the particle's place x. Momentum is kept
// in each such meeting, so that
//   m v̇ = f + ṁ (u − v)                                                                                    (1)
// with f all other forces: the thrust of a rocket is ṁ (u − v) with the velocity of its jet relative to it, u − v.
// What the flow brings in, which the ledger books (ṁ < 0: takes away):
//   momentum   ṁ u       about Wo: x × ṁ u,  since d(m v)/dt = f + ṁ u                                       (2)
//   energy     ṁ (u·v − ½ v² + φ),           since d(½ m v² + m φ)/dt = f·v + ṁ (u − v)·v + ½ ṁ v² + ṁ φ     (3)
// with φ = ∂V/∂m the potential per mass. (3) is the kinetic energy ½ ṁ u² that comes with the flow, less ½ ṁ |u − v|², which
// heats the drop or is the work of the rocket's fuel. Here φ is that of gravity, −g·x; of other elements whose potentials depend
// on masses the world adds it (sim/sources.h), as no element knows the others.
#include "marey/force/mass_flow.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "force/descriptor.h"
#include "force/schedule.h"
#include "marey/dynamics/particles.h"
#include "marey/force/cast.h"
#include "marey/force/element_maker.h"
#include "marey/force/time_text.h"

namespace marey {
namespace {

const Schedule all_the_time;

// The particle's mass is the model's until the run begins.
std::string refusal_of_particle(const Model& model, int link, double begins_with) {
  const std::string& name = model.names[index(link)];
  if (!is_particle(model, link))
    return fmt::format(
        "'{}' is no particle (a link on a point joint of the world, with nothing hanging on it): of bodies that turn "
        "the "
        "inertia would have to change, too",
        name);
  const double m = model.params.links[index(link)].I.m;
  if (!(std::abs(m - begins_with) <= 1e-9 * m))
    return fmt::format("'{}' has a mass of {:.9g} kg, but the flow begins with {:.9g} kg", name, m, begins_with);
  return {};
}

}  // namespace

template <>
struct Descriptor<MassFlow> : SwitchesBySchedule<MassFlow> {
  static constexpr const char* word = "mass flow";
  static constexpr Nature nature = Nature::active;

  static Scheduled scheduled(const MassFlow& e) { return {all_the_time, {&e.mass, 1}}; }

  template <class T>
  static void act(const MassFlow& e, const Instant<T>& at, std::span<const double> modes, ForceSum<T>& sum) {
    const T rate(mass_rate(e, at.t, modes));
    const Vec3<T> given = cast<T>(e.velocity), g = cast<T>(at.model.params.gravity);
    for (const int link : e.links) {
      const Vec3<T>&x = at.X_WB[index(link)].p, &v = at.V_WB[index(link)].v;
      sum.wrench(at, link, {{T(0), T(0), T(0)}, rate * (e.relative ? given : given - v)});  // (1)
      const Vec3<T> brought = rate * v;                       // and what is still missing of ṁ u
      sum.external += Wrench<T>{cross(x, brought), brought};  // (2)
      sum.power += rate * (T(0.5) * dot(v, v) - dot(g, x));   // (3)
    }
  }

  static std::string refusal(const Model& model, const MassFlow& e) {
    if (!finite(e.velocity)) return "its velocity is not finite";
    if (const std::string why = refusal_of_functions({&e.mass, 1}); !why.empty()) return why;
    for (const double m : e.mass.value)
      if (!(m > 0)) return fmt::format("a mass becomes {:g} kg", m);
    for (const int link : e.links)
      if (const std::string why = refusal_of_particle(model, link, e.mass.at(0).value); !why.empty()) return why;
    return {};
  }

  // What is at rest and joins slows down as a damper does.
  static void stiffness(const MassFlow& e, AdviserRows& rows) {
    if (e.relative) return;
    for (const int link : e.links) rows.on_center(rows.dampers, link, std::max(e.mass.at(0).rate, 0.0));
  }
  static void numbers(MassFlow& e, Numbers& n) { n.add("velocity", e.velocity); }
};
MAREY_ELEMENT(MassFlow)

double mass_rate(const MassFlow& e, double t, std::span<const double> modes) {
  return e.mass.at(t, Descriptor<MassFlow>::scheduled(e).since(t, modes)).rate;
}

// ---- in scenes
namespace {

constexpr std::array curves_of_masses{Join::linear, Join::smooth};

void make_mass_flow(MapReader& map, ElementMaker& maker) {
  MassFlow e;
  e.links = maker.links().find_moving(map.need("links"));
  for (const int link : e.links)
    if (!maker.may_change_mass(link))
      refuse_value(map.need("links"),
                   fmt::format("other particles: another mass_flow already says how the mass of '{}' "
                               "changes",
                               maker.name_of_link(link)));
  const Value& mass = map.need("mass");
  e.mass = read_time_function(mass, kinds::mass, read_constants(map.get("constants")),
                              read_curve(map, curves_of_masses, {&mass}));
  if (is_constant(e.mass))
    remark(map.key_place("mass"),
           fmt::format("'mass_flow' has no effect: the mass stays {:.6g} kg", e.mass.at(0).value));
  e.velocity = map.vector_or("velocity");
  if (const Value* relative = map.get("relative")) e.relative = read_flag(*relative);
  if (const std::string why = Descriptor<MassFlow>::refusal(maker.model(), e); !why.empty())
    refuse(map.entry_at(), "found that " + why + "; expected a mass above zero, of particles that begin with it");
  maker.add_checked(map.text_or("name", "mass flow"), map.has("name"), e, map.entry_at());
}

}  // namespace

extern const ElementForm mass_flow_form{
    "a mass that changes: of a rocket, of a drop",
    {"mass_flow",
     "Particles whose mass changes, and the velocity of what joins or leaves them.",
     {{"name", "text", "what the ledger calls it"},
      {"links", "name or names", "particles: group.name, several in a list, group.* for all", true},
      {"mass", "q:mass or formula or t:mass",
       "the mass of each: a quoted formula of t in kg, or a table; it begins with the particle's own", true},
      curve_key(curves_of_masses),
      {"velocity", "v:speed", "of what joins or leaves, in world axes; default: 0"},
      {"relative", "flag", "whether that is as seen from the particle, as of a jet; default: false, from the world"},
      {"constants", "constants", "names to numbers, for the formula"}}},
    make_mass_flow,
    {"{links: dust.speck, mass: [[0 s, 1 kg], [1 s, 0.25 kg]], curve: smooth, velocity: [0, 1 m/s, -30 m/s], relative: "
     "true}",
     "{links: dust.*, mass: '1 + a*t', constants: {a: 0.2}, name: mist}"}};

}  // namespace marey
