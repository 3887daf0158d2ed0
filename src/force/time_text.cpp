#include "marey/force/time_text.h"

#include <fmt/core.h>

#include <algorithm>

#include "marey/core/look_alikes.h"
#include "marey/core/text.h"

namespace marey {
namespace {

std::string table_expected(const QuantityKind& kind) {
  return fmt::format("{}, or times and values: [[0 s, {}], [2 s, {}]]", kind.name, kind.example, kind.example);
}

double read_knot(const Value& node, const std::vector<double>& before) {
  const double t = read_number(node, kinds::time);
  if (!before.empty() && !(t > before.back())) refuse_value(node, fmt::format("a time after {} s", before.back()));
  return t;
}

std::vector<std::string> names_of(std::span<const Join> joins) {
  std::vector<std::string> names;
  for (const Join join : joins) names.emplace_back(join_names[static_cast<std::size_t>(join)]);
  return names;
}

// No number, but with brackets, operators or the time in it. One in curly quotes is told so first.
bool looks_like_a_formula(const Value& node, const QuantityKind& kind) {
  if (read_quantity(node.text, kind).problem.empty() || find_look_alike(node.text)) return false;
  return node.text.find_first_of("(*^") != std::string::npos || node.text == "t";
}

// A list of knots, and not of three numbers or formulas.
bool is_table(const Value& node) {
  return node.kind == Value::Kind::list && !node.items.empty() && node.items[0]->kind == Value::Kind::list;
}

}  // namespace

TimeTable read_table(const Value& node, const QuantityKind& kind, Range range) {
  if (node.kind != Value::Kind::list) return {{0}, {read_number(node, kind, range)}};
  if (node.items.empty()) refuse_value(node, table_expected(kind));
  TimeTable table;
  for (const ValuePtr& item : node.items) {
    check_count(*item, 2, table_expected(kind));
    table.t.push_back(read_knot(*item->items[0], table.t));
    table.value.push_back(read_number(*item->items[1], kind, range));
  }
  return table;
}

TimeFunction read_time_function(const Value& node, const QuantityKind& kind, const FormulaConstants& constants,
                                Join join) {
  if (node.kind == Value::Kind::scalar) {
    TimeFunction f;
    if (!node.quoted && looks_like_a_formula(node, kind))
      refuse(culprit_place(node), fmt::format("found {}; expected {}, such as {}, or a formula of t in quotes: '{}'",
                                              describe(node), kind.name, kind.example, printable(node.text)));
    f.formula = node.quoted ? read_time_formula(node, constants, kind) : constant_formula(read_number(node, kind));
    return f;
  }
  TimeTable table = read_table(node, kind);
  if (table.t.size() < 2)
    refuse_value(node, fmt::format("two knots or more: [[0 s, {}], [1 s, {}]]", kind.example, kind.example));
  return curve_in_time(join, std::move(table.t), std::move(table.value));
}

std::array<TimeFunction, 3> read_time_vector(const Value& node, const QuantityKind& kind,
                                             const FormulaConstants& constants, Join join) {
  const std::string expected = fmt::format(
      "three numbers or quoted formulas of t, such as [0, 0, {}], or times and vectors: [[0 s, [0, 0, {}]], [1 s, "
      "[0, 0, 0]]]",
      kind.example, kind.example);
  std::array<TimeFunction, 3> f;
  if (!is_table(node)) {
    check_count(node, 3, expected);
    for (std::size_t k = 0; k < 3; ++k) f[k] = read_time_function(*node.items[k], kind, constants, join);
    return f;
  }
  std::vector<double> t;
  std::array<std::vector<double>, 3> x;
  for (const ValuePtr& item : node.items) {
    check_count(*item, 2, expected);
    t.push_back(read_knot(*item->items[0], t));
    const Vec3<double> at = read_vector(*item->items[1], kind);
    for (int k = 0; k < 3; ++k) x[static_cast<std::size_t>(k)].push_back(at[k]);
  }
  if (t.size() < 2) refuse_value(node, "two knots or more");
  for (std::size_t k = 0; k < 3; ++k) f[k] = curve_in_time(join, t, x[k]);
  return f;
}

// ---- curves
Join read_curve(MapReader& map, std::span<const Join> offered, std::initializer_list<const Value*> functions) {
  const Value* node = map.get("curve");
  if (node == nullptr) return offered.front();
  const Join join = offered[read_choice(*node, names_of(offered))];
  if (std::none_of(functions.begin(), functions.end(), [](const Value* f) { return f != nullptr && is_table(*f); }))
    refuse(map.key_place("curve"),
           "found a curve, but no table whose knots it could join; expected a table, or no curve");
  return join;
}

KeyInfo curve_key(std::span<const Join> offered) {
  std::string words;
  for (const std::string& name : names_of(offered)) words += (words.empty() ? "=" : ",") + name;
  return {"curve", words, fmt::format("of a table: how its knots are joined; default: {}", names_of(offered).front())};
}

}  // namespace marey
