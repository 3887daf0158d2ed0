// A figure held at its centre of mass c (A5: a gymnast): a spring towards a point, and a lift L against gravity. With d = c − target,
//   V = ½ k d² − L · d,   F = −k d + L at c                                                           (1)
// How a force acts at c is in common_center.h. Whatever the limbs do, m c̈ = F + m g: the centre of mass moves as one particle would,
// and the angular momentum about it stays what it is. A lift of the whole weight takes gravity off every link.
//
// The adviser gets rows of its own for each link, (m_i/m) k at its centre of mass. By convexity Σ (m_i/m) ċ_i² ≥ ċ², and
// Σ (m_i/m) k ċ_i² is at most k/m times twice the kinetic energy: the frequency found is never below the true one, nor above
// √(k/m), which is that of the figure moving as a whole.
#include "force/common_center.h"
#include "force/descriptor.h"
#include "marey/force/element_maker.h"

namespace marey {

template <>
struct Descriptor<CenterSpring> {
  static constexpr const char* word = "hold";
  static constexpr Nature nature = Nature::conservative;

  template <class T>
  static void act(const CenterSpring& e, const Instant<T>& at, std::span<const double>, ForceSum<T>& sum) {
    const CommonCenter<T> center(at, e.links);
    center.push(cast<T>(e.lift_W) - T(e.stiffness) * (center.place() - cast<T>(e.target_W)), sum);  // (1)
  }
  template <class T>
  static T energy(const CenterSpring& e, const Instant<T>& at) {
    const Vec3<T> d = CommonCenter<T>(at, e.links).place() - cast<T>(e.target_W);
    return T(0.5 * e.stiffness) * norm_squared(d) - dot(cast<T>(e.lift_W), d);  // (1)
  }

  static std::string refusal(const Model& model, const CenterSpring& e) {
    if (!finite(e.target_W) || !finite(e.lift_W)) return "its target or its lift is not finite";
    if (!(common_mass(model, e.links) > 0)) return "its links have no mass";
    return refusal_of_constant("stiffness", e.stiffness);
  }

  static void stiffness(const CenterSpring& e, AdviserRows& rows) {
    const double mass = common_mass(rows.at.model, e.links);
    for (const int link : e.links) rows.on_center(rows.springs, link, e.stiffness * rows.mass(link) / mass);
  }
  static void numbers(CenterSpring& e, Numbers& n) {
    n.add("stiffness", e.stiffness);
    n.add("to", e.target_W), n.add("lift", e.lift_W);
  }
};
MAREY_ELEMENT(CenterSpring)

// ---- in scenes: `hold`, which makes a spring with its lift, and a damper (CenterDamper)
namespace {

Vec3<double> read_lift(MapReader& map, double weight, const Vec3<double>& gravity) {
  const Value* node = map.get("lift");
  if (node == nullptr) return {};
  const double strength = norm(gravity);
  if (!(strength > 0)) refuse_value(*node, "no lift in a scene without gravity");
  const bool all = node->kind == Value::Kind::scalar && node->text == "weight";
  return (-(all ? weight : map.number("lift")) / strength) * gravity;
}

// "gymnast/" for links of one figure, "gymnast.trunk/" for one link; nothing for links of several figures.
std::string name_of_all(const ElementMaker& maker, const std::vector<int>& links) {
  if (links.size() == 1) return maker.name_of_link(links[0]) + "/";
  const auto figure = [&](int link) { return maker.name_of_link(link).substr(0, maker.name_of_link(link).find('.')); };
  for (const int link : links)
    if (figure(link) != figure(links[0])) return {};
  return figure(links[0]) + "/";
}

void make_hold(MapReader& map, ElementMaker& maker) {
  const std::vector<int> links = maker.links().find_moving(map.need("links"));
  const Vec3<double>& gravity = maker.model().params.gravity;
  const double mass = common_mass(maker.model(), links);
  if (!(mass > 0)) refuse_value(map.need("links"), "links that have mass");
  if (!map.has("stiffness") && !map.has("damping") && !map.has("lift"))
    refuse(map.node().at, "found a hold that does nothing; expected stiffness, damping or lift");
  const Vec3<double> lift = read_lift(map, mass * norm(gravity), gravity);
  const double stiffness = map.number_or("stiffness", 0), damping = map.number_or("damping", 0);
  Vec3<double> target = CommonCenter<double>(maker.start(), links).place();
  if (map.has("stiffness")) target = map.vector_or("to", target);
  const std::string name = map.text_or("name", name_of_all(maker, links) + "hold");
  if (map.has("stiffness") || map.has("lift"))
    maker.add_checked(name, map.has("name"), CenterSpring{links, target, stiffness, lift}, map.entry_at());
  if (map.has("damping"))
    maker.add_checked(name + "_damping", map.has("name"), CenterDamper{links, damping}, map.entry_at());
  map.done("without its stiffness");
}

}  // namespace

extern const ElementForm hold_form{
    "holds a figure at its centre of mass",
    {"hold",
     "What holds a figure at the common centre of mass of its links: a spring towards a point, a damper, an upward "
     "force.",
     {{"name", "text", "what the ledger calls it"},
      {"links", "name or names",
       "whose centre of mass: figure.* for the whole figure, or figure.link, several in a list", true},
      {"to", "v:length", "the point of the world it is drawn to; default: where it is at the start"},
      {"stiffness", "q:stiffness>=0", "of the spring that draws it there"},
      {"damping", "q:damping>=0", "of its motion"},
      {"lift", "q:force>=0 or =weight", "a constant force against gravity; weight: that of these links"}}},
    make_hold,
    {"{links: figure.*, stiffness: 300 N/m}", "{links: figure.*, lift: weight, damping: 20 N s/m}",
     "{links: [figure.trunk, figure.arm], to: [0, 10 cm, 1 m], stiffness: 2 kN/m, damping: 40 N s/m, lift: 100 N, "
     "name: "
     "harness}"}};

}  // namespace marey
