// Springs between points, alone or in nets.
//
// With Q_a, Q_b the points, d = p_QaQb_W, L = |d|, u = d/L:
//   V = ½ k (L − L₀)²,   f on a = k (L − L₀) u, on b its opposite                                         (1)
// Where L₀ = 0 the force is k d, smooth through L = 0. Otherwise the direction is lost when the points meet, and there
// is no force there.
#include "force/descriptor.h"
#include "force/line.h"
#include "marey/force/element_maker.h"

namespace marey {

template <>
struct Descriptor<SpringNet> {
  static constexpr const char* word = "springs";
  static constexpr Nature nature = Nature::conservative;

  template <class T>
  static void act(const SpringNet& e, const Instant<T>& at, std::span<const double>, ForceSum<T>& sum) {
    for (const SpringNet::Spring& s : e.springs) {
      const Line<T> l = line(at, s.a, s.b);
      const T tension = s.rest == 0 ? T(s.stiffness) : T(s.stiffness) * (T(1) - T(s.rest) / sqrt(squared_length(l.d)));
      sum.pair(at, s.a.link, l.r_a, s.b.link, l.r_b, tension * l.d);  // (1)
    }
  }
  template <class T>
  static T energy(const SpringNet& e, const Instant<T>& at) {
    T V(0);
    for (const SpringNet::Spring& s : e.springs) {
      const T L2 = norm_squared(line(at, s.a, s.b).d);
      if (s.rest == 0) {
        V += T(0.5 * s.stiffness) * L2;
      } else {
        const T stretch = sqrt(max(L2, T(meeting))) - T(s.rest);
        V += T(0.5 * s.stiffness) * stretch * stretch;
      }
    }
    return V;
  }

  static std::string refusal(const Model& model, const SpringNet& e) {
    if (e.springs.empty()) return "there is no spring in it";
    for (const SpringNet::Spring& s : e.springs) {
      std::string reason = first_of({refusal_of_ends(model, s.a, s.b), refusal_of_constant("stiffness", s.stiffness),
                                     refusal_of_constant("rest", s.rest)});
      if (!reason.empty()) return reason;
    }
    return "";
  }

  static void stiffness(const SpringNet& e, AdviserRows& rows) {
    for (const SpringNet::Spring& s : e.springs) rows.between(rows.springs, s.a, s.b, s.stiffness);
  }
  static std::string describe(const Model&, const SpringNet& e, const std::string& name) {
    return (e.springs.size() > 1 ? "springs " : "spring ") + name;
  }
  static void numbers(SpringNet& e, Numbers& n) {
    n.add_every("stiffness", e.springs, &SpringNet::Spring::stiffness);
    n.add_every("rest", e.springs, &SpringNet::Spring::rest);
  }
};
MAREY_ELEMENT(SpringNet)

// ---- in scenes: a spring, with a damper beside it where it has one (DamperNet)
namespace {

void make_spring(MapReader& map, ElementMaker& maker) {
  Anchor a{maker.links().find(map.need("link")), map.vector_or("point")}, b;
  const Value& to = map.need("to");
  if (to.kind == Value::Kind::list) {
    b.point = map.vector("to");
  } else {
    b.link = maker.links().find(to);
    b.point = map.vector_or("to_point");
    if (b.link == a.link) refuse_value(to, "another link than the one it begins at");
  }
  const double k = map.number("stiffness"), c = map.number_or("damping", 0);
  const std::optional<double> rest = map.number_if("rest");
  const double length = rest ? *rest : norm(maker.place(b) - maker.place(a));
  const bool named = map.has("name");
  const std::string name = map.text_or("name", maker.name_of_link(a.link) + "/spring");
  map.done("with a point of the world");
  if (k > 0) maker.add_checked(name, named, SpringNet{{{a, b, k, length}}}, map.entry_at());
  if (c > 0) maker.add_checked(name + (k > 0 ? "/damping" : ""), named, DamperNet{{{a, b, c}}}, map.entry_at());
}

}  // namespace

void make_springs(const std::string& group, const std::vector<SpringPair>& pairs, const Place& at,
                  ElementMaker& maker) {
  SpringNet net;
  DamperNet dampers;
  for (const SpringPair& pair : pairs) {
    const Anchor a{pair.a, {}}, b{pair.b, {}};
    net.springs.push_back({a, b, pair.stiffness, norm(maker.X_WB(b.link).p - maker.X_WB(a.link).p)});
    if (pair.damping > 0) dampers.dampers.push_back({a, b, pair.damping});
  }
  maker.add_checked(group + "/springs", false, std::move(net), at);
  if (!dampers.dampers.empty()) maker.add_checked(group + "/damping", false, std::move(dampers), at);
}

extern const ElementForm spring_form{
    "a spring and damper between two links, or a link and the world",
    {"spring",
     "A spring and damper between points of two links, or of a link and the world.",
     {{"name", "text", "what the ledger calls it"},
      {"link", "name", "figure.link", true},
      {"point", "v:length", "where it is fastened, in the link's frame; default: the joint"},
      {"to", "name or v:length", "the other link, or a point of the world", true},
      {"to_point", "v:length", "where on the other link; default: its joint"},
      {"stiffness", "q:stiffness>=0", "of the spring", true},
      {"rest", "q:length>=0", "its length without force; default: the one at the start"},
      {"damping", "q:damping>=0", "against the rate at which it grows longer or shorter; default: none"}}},
    make_spring,
    {"{link: figure.hand, to: [1 m, 0 m, 2 m], stiffness: 40 N/m, rest: 30 cm, damping: 2 N s/m}",
     "{link: figure.hand, point: [0, 0, 10 cm], to: figure.tray, to_point: [5 cm, 0, 0], stiffness: 100 N/m, name: "
     "band}",
     "{link: figure.arm, to: [0, 0, 0], stiffness: 20 N/m, rest: 0 m}"},
    {"point", "to", "to_point"}};

}  // namespace marey
