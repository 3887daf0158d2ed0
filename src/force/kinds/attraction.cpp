// Newton's attraction of links towards a fixed point C, with r = p_CBcm and s the softening:
//   V = −G M m/√(r² + s²),   f = −G M m r/(r² + s²)^{3/2}                                                 (1)
// A body is attracted at its centre of mass, as if it were a sphere: there is no moment.
#include <fmt/core.h>

#include "force/descriptor.h"
#include "force/mass_center.h"
#include "force/newton.h"
#include "marey/force/element_maker.h"

namespace marey {

template <>
struct Descriptor<Attraction> {
  static constexpr const char* word = "attraction";
  static constexpr Nature nature = Nature::conservative;

  template <class T>
  static void act(const Attraction& e, const Instant<T>& at, std::span<const double>, ForceSum<T>& sum) {
    for (const int link : e.links) {
      const MassCenter<T> c(at, link);
      const Vec3<T> r = c.p - cast<T>(e.center_W);
      const T u = inverse_distance(r, e.softening);
      sum.wrench(at, link, c.wrench((T(-e.strength * c.mass) * u * u * u) * r));  // (1)
    }
  }
  template <class T>
  static T energy(const Attraction& e, const Instant<T>& at) {
    T V(0);
    for (const int link : e.links) {
      const MassCenter<T> c(at, link);
      V -= T(e.strength * c.mass) * inverse_distance(c.p - cast<T>(e.center_W), e.softening);
    }
    return V;
  }

  static std::string refusal(const Model&, const Attraction& e) {
    if (!finite(e.center_W)) return "its centre is not finite";
    return first_of({refusal_of_constant("strength", e.strength), refusal_of_constant("softening", e.softening)});
  }

  static void stiffness(const Attraction& e, AdviserRows& rows) {
    for (const int link : e.links)
      rows.on_center(rows.springs, link,
                     rows.mass(link) * rate_of_circle_squared(e.strength, rows.center(link) - e.center_W, e.softening));
  }
  static void numbers(Attraction& e, Numbers& n) { n.add("strength", e.strength), n.add("softening", e.softening); }
};
MAREY_ELEMENT(Attraction)

// ---- in scenes: towards a point of the world, or (MutualAttraction) between links
namespace {

constexpr double newtons_constant = 6.67430e-11;  // m³/(kg s²), CODATA 2018

bool is_point_of_world(const Value& to) {
  return to.kind == Value::Kind::list && to.items.size() == 3 && to.items[0]->kind == Value::Kind::scalar &&
         !to.items[0]->text.empty() &&
         std::string_view("+-.0123456789").find(to.items[0]->text[0]) != std::string_view::npos;
}

MutualAttraction attraction_between(MapReader& map, const ElementMaker& maker, std::vector<int> drawn) {
  MutualAttraction e{std::move(drawn), {}, newtons_constant, map.number_or("softening", 0)};
  if (const Value* to = map.get("to")) {
    e.others = maker.links().find_moving(*to);
    for (const int a : e.links)
      for (const int b : e.others)
        if (a == b)
          refuse_value(*to, fmt::format("other links than those drawn ('{}' is among both)", maker.name_of_link(a)));
  } else if (e.links.size() < 2) {
    refuse(map.node().at, "found one link that attracts itself; expected 'to', or several links");
  }
  e.constant = map.number_or("constant", e.constant);
  map.done("between links (it belongs to a fixed point)");
  return e;
}

void make_attraction(MapReader& map, ElementMaker& maker) {
  const bool named = map.has("name");
  const std::string name = map.text_or("name", "attraction");
  std::vector<int> drawn = maker.links().find_moving(map.need("links"));
  const Value* to = map.get("to");
  if (to == nullptr || !is_point_of_world(*to))
    return maker.add_checked(name, named, attraction_between(map, maker, std::move(drawn)), map.entry_at());
  Attraction e{std::move(drawn), map.vector("to"), 0, map.number_or("softening", 0)};
  e.strength = map.number("strength");
  map.done("towards a fixed point");
  maker.add_checked(name, named, e, map.entry_at());
}

}  // namespace

extern const ElementForm attraction_form{
    "gravity towards a point, or between links",
    {"attraction",
     "Gravity at the centres of mass of links: towards a point of the world, or between links.",
     {{"name", "text", "what the ledger calls it"},
      {"links", "name or names", "which are drawn: figure.link, several in a list, figure.* for all", true},
      {"to", "v:length or name or names", "a point of the world, or other links; default: each other"},
      {"strength", "q:attraction>=0", "of a point: G M"},
      {"constant", "q:newton>=0", "between links: G; default: Newton's"},
      {"softening", "q:length>=0", "a length that keeps close encounters finite; default: 0"}}},
    make_attraction,
    {"{links: figure.*, to: [3 m, 1 m, -2 m], strength: 5 m^3/s^2}",
     "{links: [figure.arm, figure.tray], constant: 2 m^3/(kg s^2), softening: 20 cm}",
     "{links: figure.hand, to: [figure.trunk, figure.tray], constant: 1 m^3/(kg s^2), softening: 10 cm, name: pull}"},
    {"to"}};

}  // namespace marey
