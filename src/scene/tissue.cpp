// The split of a link into a rigid part and a wobbling mass (R9). With the link's mass m, centre of mass c and central moments J,
//   wobbling part   m_w = share m, at c, J_w = share J unless it is given
//   rigid part      m − m_w, at c, J − J_w
// so that the two at rest are the link: mass, centre and moments are what they were, to the last digit but one.
//
// Coupling constants are not printed. Where a scene gives none they grow with the tissue's mass and moments, by constants that were
// fitted to R9's figure (bench_down_jump; docs/theory/soft-tissue.md).
#include "scene/tissue.h"

#include <fmt/core.h>

#include <cmath>
#include <unordered_set>

#include "marey/scene/keys.h"

namespace marey {
namespace {

constexpr double usual_share = 0.75;  // R9, of legs
// Over the tissue's mass or moment.
constexpr double usual_stiffness = 1e7;           // 1/(m² s²), of the exponent 3
constexpr double usual_damping = 40;              // 1/s
constexpr double usual_turning_stiffness = 2500;  // 1/s²
constexpr double usual_turning_damping = 20;      // 1/s

// A number for both directions, or one for each.
AlongAcross read_parts(MapReader& map, const char* key, const KeyTable& table, const QuantityKind& kind,
                       const AlongAcross& usual) {
  const Value* node = map.get(key);
  if (node == nullptr) return usual;
  if (node->kind != Value::Kind::map) {
    const double both = read_number(*node, kind, Range::not_negative);
    return {both, both};
  }
  MapReader parts(*node, table);
  return {parts.number("along"), parts.number("across")};
}

AlongAcross read_exponents(MapReader& map, const char* key, double usual) {
  const AlongAcross m = read_parts(map, key, key_table("along_across"), kinds::number, {usual, usual});
  constexpr double largest = 20;
  for (const double x : {m.along, m.across})
    if (!(x >= 1 && x <= largest)) refuse_value(map.need(key), "exponents from 1 to 20");
  return m;
}

// The axis of the smallest moment; z where there is none that is smallest.
Vec3<double> length_of(const Sym3<double>& central) {
  const PrincipalAxes p = principal_axes(central);
  constexpr double alike = 1e-9;
  if (p.moments.y - p.moments.x <= alike * p.moments.z) return {0, 0, 1};  // as of a disc, or a ball
  const Vec3<double> u{p.R_BP.xx, p.R_BP.yx, p.R_BP.zx};
  return (1 / norm(u)) * u;
}

double mass_of_tissue(MapReader& map, double whole) {
  map.one_of({"share", "mass"});
  const double m = map.has("mass") ? map.number("mass") : map.number_or("share", usual_share) * whole;
  if (m < whole) return m;
  const char* key = map.has("mass") ? "mass" : "share";
  refuse_value(map.need(key), map.has("mass")
                                  ? fmt::format("less than the link's {:.6g} kg: something has to be rigid", whole)
                                  : "a number below 1: something has to be rigid");
}

struct Moments {
  Sym3<double> of_tissue, of_rest;
};
Moments split_moments(MapReader& map, const Sym3<double>& central, double share) {
  const std::optional<Vec3<double>> own = map.vector_if("inertia");
  if (!own) return {share * central, central - share * central};
  const Moments J{Sym3<double>::diagonal(own->x, own->y, own->z),
                  central - Sym3<double>::diagonal(own->x, own->y, own->z)};
  for (const Sym3<double>& part : {J.of_tissue, J.of_rest}) {
    const Vec3<double> moments = principal_axes(part).moments;
    constexpr double rounding = 1e-12;
    if (moments.x < 0 || moments.z > (moments.x + moments.y) * (1 + rounding))
      refuse_value(map.need("inertia"),
                   "moments that a body can have, and that leave the rigid part such: the largest at most the sum of "
                   "the others");
  }
  return J;
}

// Moments as two numbers, along u and across it (their mean).
AlongAcross about(const Sym3<double>& J, const Vec3<double>& u) {
  const double along = dot(u, J * u);
  return {along, 0.5 * (J.xx + J.yy + J.zz - along)};
}

void read_coupling(MapReader& map, double mass, const AlongAcross& moments, TissueDraft& out) {
  TissueSpring& s = out.spring;
  TissueDamper& d = out.damper;
  const auto of = [](double c, const AlongAcross& x) { return AlongAcross{c * x.along, c * x.across}; };
  const AlongAcross m{mass, mass};
  s.exponent = read_exponents(map, "exponent", 3);
  s.turning_exponent = read_exponents(map, "turning_exponent", 1);
  s.stiffness = read_parts(map, "stiffness", key_table("along_across"), kinds::number, of(usual_stiffness, m));
  s.turning_stiffness = read_parts(map, "turning_stiffness", key_table("along_across"), kinds::number,
                                   of(usual_turning_stiffness, moments));
  d.damping = read_parts(map, "damping", key_table("damping_along_across"), kinds::damping, of(usual_damping, m));
  d.turning_damping = read_parts(map, "turning_damping", key_table("turning_along_across"), kinds::turning_damping,
                                 of(usual_turning_damping, moments));
  const auto other = [](const AlongAcross& x, double usual) { return x.along != usual || x.across != usual; };
  if (other(s.exponent, 3) && !map.has("stiffness"))
    refuse(map.key_place("exponent"), "found an exponent without a stiffness, whose unit it changes; expected both");
  if (other(s.turning_exponent, 1) && !map.has("turning_stiffness"))
    refuse(map.key_place("turning_exponent"),
           "found a turning_exponent without a turning_stiffness, whose unit it changes; expected both");
}

// A planar joint at the link's centre of mass, or free in space.
LinkSpec spec_of_tissue(MapReader& map, const LinkSpec& link, const Vec3<double>& center) {
  LinkSpec spec;
  spec.name = link.name + "_tissue";
  spec.joint = JointType::free;
  const Value* plane = map.get("plane");
  if (plane == nullptr) return spec;
  spec.parent = link.name, spec.joint = JointType::planar, spec.X_PF.p = center;
  spec.axis = read_axis(*plane);
  const Vec3<double>& n = spec.axis;
  const double x = std::abs(n.x), y = std::abs(n.y), z = std::abs(n.z);
  spec.axis_2 = x <= y && x <= z ? Vec3<double>{1, 0, 0} : y <= z ? Vec3<double>{0, 1, 0} : Vec3<double>{0, 0, 1};
  return spec;
}

void split(LinkDraft& link, const Value& node, LinkDraft& soft, TissueDraft& out) {
  static const Value usual = Value::map({});
  MapReader map(node.kind == Value::Kind::map ? node : usual, key_table("wobble"));
  Inertia<double>& whole = link.spec.inertia;
  if (link.spec.joint == JointType::point)
    refuse(node.at, "found a wobbling mass of a particle, which has no parts; expected it of a body");
  if (!(whole.m > 0)) refuse(node.at, "found a wobbling mass of a link without mass; expected one with mass");
  const Vec3<double> center = (1 / whole.m) * whole.h;
  const Sym3<double> central = central_inertia(whole);
  const double mass = mass_of_tissue(map, whole.m);
  const Moments J = split_moments(map, central, mass / whole.m);
  soft.spec = spec_of_tissue(map, link.spec, center);
  soft.spec.inertia = {mass, {}, J.of_tissue};
  whole = {whole.m - mass, whole.h - mass * center, whole.J - J.of_tissue - point_inertia(mass, center)};
  const Value* along = map.get("along");
  const Vec3<double> u = along ? read_axis(*along) : length_of(central);
  out.spring.center_B = center, out.spring.along_B = out.damper.along_B = u;
  read_coupling(map, mass, about(J.of_tissue, u), out);
  map.done("of a wobbling mass");
}

}  // namespace

void split_off_tissues(FiguresDraft& draft) {
  std::unordered_set<std::string> names;
  const std::size_t links = draft.links.size();
  for (const LinkDraft& link : draft.links) names.insert(link.spec.name);
  for (std::size_t i = 0; i < links; ++i) {
    const Value* node = draft.links[i].wobble;
    if (node == nullptr || (node->kind != Value::Kind::map && !read_flag(*node))) continue;
    if (draft.links.size() >= static_cast<std::size_t>(most_links))
      refuse(node->at, fmt::format("found more than {} links; expected fewer", most_links));
    LinkDraft soft;
    soft.figure = draft.links[i].figure;
    soft.at = soft.parent_at = soft.mass_at = node->at;
    TissueDraft tissue{i, draft.links.size(), node->at, {}, {}};
    split(draft.links[i], *node, soft, tissue);
    if (!names.insert(soft.spec.name).second)
      refuse(node->at, fmt::format("found a link called '{}', which is the name of the wobbling mass; expected another",
                                   soft.spec.name));
    draft.links.push_back(std::move(soft));
    draft.tissues.push_back(tissue);
  }
}

ValuePtr wobble_of_human(const Value& whole, const Value& of_link, const Value* own) {
  const auto is_map = [](const Value& v) { return v.kind == Value::Kind::map; };
  if (own && !is_map(*own) && !read_flag(*own)) return nullptr;
  if (!own && !is_map(whole) && !read_flag(whole)) return nullptr;
  ValuePtr made = std::make_shared<Value>(of_link);
  // A share takes the place of a mass, and with it the moments that belong to it, and the other way round.
  const auto add = [&](const Value& besides) {
    auto next = std::make_shared<Value>(*made);
    std::erase_if(next->entries, [&](const ValueEntry& e) {
      const bool amount = besides.find("share") || besides.find("mass");
      return amount && (e.key == "share" || e.key == "mass" || e.key == "inertia");
    });
    made = merged(*next, &besides);
  };
  if (is_map(whole)) add(whole);
  if (own && is_map(*own)) add(*own);
  return made;
}

}  // namespace marey
