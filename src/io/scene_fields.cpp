#include "io/scene_fields.h"

#include <fmt/core.h>

#include <array>
#include <cmath>

#include "io/formula_text.h"

namespace marey {

namespace {

using Vec = Vec3<double>;

constexpr double newton = 6.67430e-11;  // m³/(kg s²), CODATA 2018

struct Reader {
  MapReader map;
  const LinkNames& links;
  const Model& model;
  const Kinematics<double>& start;

  std::string name_or(const std::string& usual) {
    const YamlNode* name = map.get("name");
    return name ? read_text(*name) : usual;
  }
  double number(const char* key, const QuantityKind& kind) {
    const YamlNode* node = map.get(key);
    return node ? read_number(*node, kind, Range::not_negative) : 0.0;
  }
  std::vector<int> which() { return links.find_moving(map.need("links")); }
  Vec place(const Anchor& a) const { return start.X_WB[static_cast<std::size_t>(a.link)] * a.point; }
};

// ---- spring
std::vector<FieldDraft> spring(Reader& r) {
  Anchor a{r.links.find(r.map.need("link")), {}}, b;
  if (const YamlNode* point = r.map.get("point")) a.point = read_vector(*point, kinds::length);
  const YamlNode& to = r.map.need("to");
  if (to.kind == YamlNode::Kind::list) {
    b.point = read_vector(to, kinds::length);
  } else {
    b.link = r.links.find(to);
    if (const YamlNode* point = r.map.get("to_point")) b.point = read_vector(*point, kinds::length);
    if (b.link == a.link) refuse_value(to, "another link than the one it begins at");
  }
  const double k = read_number(r.map.need("stiffness"), kinds::stiffness, Range::not_negative);
  const double c = r.number("damping", kinds::damping);
  const YamlNode* rest = r.map.get("rest");
  const double length = rest ? read_number(*rest, kinds::length, Range::not_negative) : norm(r.place(b) - r.place(a));
  const bool named = r.map.has("name");
  const std::string name = r.name_or(r.model.names[static_cast<std::size_t>(a.link)] + "/spring");
  r.map.done("with a point of the world");
  std::vector<FieldDraft> out;
  if (k > 0) out.push_back({name, named, SpringNet{{{a, b, k, length}}}});
  if (c > 0) out.push_back({name + (k > 0 ? "/damping" : ""), named, DamperNet{{{a, b, c}}}});
  return out;
}

// ---- attraction
std::vector<FieldDraft> attraction(Reader& r) {
  const bool named = r.map.has("name");
  const std::string name = r.name_or("attraction");
  const std::vector<int> drawn = r.which();
  const YamlNode* to = r.map.get("to");
  const bool numbers = to && to->kind == YamlNode::Kind::list && to->items.size() == 3 &&
                       to->items[0]->kind == YamlNode::Kind::scalar && !to->items[0]->text.empty() &&
                       std::string_view("+-.0123456789").find(to->items[0]->text[0]) != std::string_view::npos;
  if (numbers) {
    Attraction e{drawn, read_vector(*to, kinds::length), 0, r.number("softening", kinds::length)};
    e.strength = read_number(r.map.need("strength"), kinds::attraction, Range::not_negative);
    r.map.done("towards a fixed point");
    return {{name, named, e}};
  }
  MutualAttraction e{drawn, {}, newton, r.number("softening", kinds::length)};
  if (to) {
    e.others = r.links.find_moving(*to);
    for (const int a : e.links)
      for (const int b : e.others)
        if (a == b)
          refuse_value(*to, fmt::format("other links than those drawn ('{}' is among both)",
                                        r.model.names[static_cast<std::size_t>(a)]));
  } else if (e.links.size() < 2) {
    refuse(r.map.node().at, "found one link that attracts itself; expected 'to', or several links");
  }
  if (const YamlNode* G = r.map.get("constant")) e.constant = read_number(*G, kinds::newton, Range::not_negative);
  r.map.done("between links (it belongs to a fixed point)");
  return {{name, named, e}};
}

// ---- drag
std::vector<FieldDraft> drag(Reader& r) {
  Drag e{r.which(), r.number("linear", kinds::damping), r.number("quadratic", kinds::quadratic_drag)};
  if (!(e.linear > 0 || e.quadratic > 0))
    refuse(r.map.node().at, "found a drag that does nothing; expected linear, quadratic or both");
  return {{r.name_or("drag"), r.map.has("name"), e}};
}

// ---- field
std::array<Formula, 3> read_formulas(const YamlNode& node, const FormulaConstants& constants, FormulaUse use) {
  if (node.kind != YamlNode::Kind::list || node.items.size() != 3)
    refuse_value(node, "three formulas in a list, such as ['-k*x', '0', 'sin(2*pi*t)']");
  std::array<Formula, 3> f;
  for (std::size_t k = 0; k < 3; ++k) f[k] = read_formula(*node.items[k], constants, use);
  return f;
}

// Refuses a force that is not minus the gradient of the potential, at places about the size of where the links start.
void check_potential(const Field& e, const YamlNode& force, const Reader& r) {
  unsigned seed = 1;
  const auto random = [&] {  // between −1 and 1, the same in every run
    seed = 1664525u * seed + 1013904223u;
    return static_cast<double>(seed) / 2147483648.0 - 1;
  };
  int compared = 0;
  for (int trial = 0; trial < 400 && compared < 100; ++trial) {
    const std::size_t link = static_cast<std::size_t>(e.links[static_cast<std::size_t>(trial) % e.links.size()]);
    const Vec& p = r.start.X_WB[link].p;
    const double size = trial % 2 == 0 ? 1 : norm(p) + 0.1;
    FormulaInput<double> in{};
    for (std::size_t k = 0; k < 3; ++k) in[k] = p[static_cast<int>(k)] + size * random(), in[k + 3] = 3 * random();
    in[6] = 5 + 5 * random(), in[7] = r.model.params.links[link].I.m;
    const Vec g = evaluate_with_slopes(e.potential, in).gradient;
    const Vec f{evaluate(e.force[0], in), evaluate(e.force[1], in), evaluate(e.force[2], in)};
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

std::vector<FieldDraft> field(Reader& r) {
  const FormulaConstants constants = read_constants(r.map.get("constants"));
  Field e;
  e.links = r.which();
  const YamlNode *force = r.map.get("force"), *potential = r.map.get("potential");
  if (!force && !potential) refuse(r.map.node().at, "found neither force nor potential; expected one of them or both");
  if (force) e.force = read_formulas(*force, constants, FormulaUse::place_and_velocity);
  if (potential) e.potential = read_formula(*potential, constants, FormulaUse::place);
  if (force && potential) check_potential(e, *force, r);
  return {{r.name_or("field"), r.map.has("name"), e}};
}

// ---- frame
// Numbers with units, or quoted formulas of the time in SI units.
TimeVector read_over_time(const YamlNode& node, const QuantityKind& kind, const FormulaConstants& constants) {
  if (node.kind != YamlNode::Kind::list || node.items.size() != 3)
    refuse_value(node, fmt::format("three numbers in a list, each {}, such as [0, 0, {}], or formulas of t", kind.name,
                                   kind.example));
  TimeVector v;
  for (std::size_t k = 0; k < 3; ++k) {
    const YamlNode& item = *node.items[k];
    const bool number = item.kind != YamlNode::Kind::scalar || !item.quoted;
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

std::vector<FieldDraft> read_field(const std::string& key, const YamlNode& node, const LinkNames& links,
                                   const Model& model, const Kinematics<double>& start) {
  Reader r{MapReader(node, key), links, model, start};
  if (key == "spring") return spring(r);
  if (key == "attraction") return attraction(r);
  if (key == "drag") return drag(r);
  return field(r);
}

std::vector<FieldDraft> read_frame(const YamlNode& node) {
  MapReader map(node, "frame");
  const FormulaConstants constants = read_constants(map.get("constants"));
  const Formula zero = constant_formula(0);
  TimeVector turning{{zero, zero, zero}}, acceleration = turning;
  if (const YamlNode* w = map.get("angular_velocity")) turning = read_over_time(*w, kinds::angular_rate, constants);
  if (const YamlNode* a = map.get("angular_acceleration")) {
    const Vec alpha = read_vector(*a, kinds::angular_acceleration);
    using Op = Formula::Op;
    for (int k = 0; k < 3; ++k) {  // ω + α t
      auto& program = turning.of[static_cast<std::size_t>(k)].program;
      if (alpha[k] != 0)
        program.insert(program.end(), {{Op::number, 0, alpha[k]}, {Op::variable, 6}, {Op::multiply}, {Op::add}});
    }
  }
  if (const YamlNode* a = map.get("acceleration")) acceleration = read_over_time(*a, kinds::acceleration, constants);
  using Part = MovingFrame::Part;
  std::vector<FieldDraft> out;
  if (!is_zero(acceleration))
    out.push_back({"frame/acceleration", true, MovingFrame{Part::acceleration, acceleration}});
  if (!is_zero(turning)) {
    out.push_back({"frame/coriolis", true, MovingFrame{Part::coriolis, turning}});
    out.push_back({"frame/centrifugal", true, MovingFrame{Part::centrifugal, turning}});
    if (!is_constant(turning)) out.push_back({"frame/euler", true, MovingFrame{Part::euler, turning}});
  }
  if (out.empty())
    refuse(node.at,
           "found a frame that does not move; expected angular_velocity, angular_acceleration or acceleration");
  return out;
}

}  // namespace marey
