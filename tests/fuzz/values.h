// Values for scenes, made from small grammars: numbers that are asked for trouble, units, formulas, and whatever the
// tables of keys (marey/spec/keys.h) say a key may hold.
#pragma once

#include <string>

#include "fuzz/random.h"
#include "marey/scene/keys.h"

namespace marey::fuzz {

inline std::string random_number(Random& r) {
  if (r.one_in(3))
    return r.of({"0",      "-0",         "-1",          "1e308",      "-1e308", "1e-308", "5e-324",
                 "nan",    "inf",        "-inf",        "1e200",      "1e-200", "1e100",  "1e30",
                 "-1e30",  "1e-30",      "1e15",        "2147483648", "1e9",    "1e999",  "1e-999",
                 "-2.5e7", "4294967296", "99999999999", "0x10",       "010",    "1e",     "1.7e308"});
  std::string text = r.one_in(4) ? "-" : "";
  text += std::to_string(r.below(r.one_in(2) ? 10 : 1000));
  if (r.one_in(2)) text += "." + std::to_string(r.below(1000));
  if (r.one_in(4)) text += "e" + std::to_string(static_cast<int>(r.below(40)) - 20);
  return text;
}

inline std::string random_unit(Random& r, int depth = 0) {
  std::string unit = depth < 3 && r.one_in(8)
                         ? "(" + random_unit(r, depth + 1) + ")"
                         : r.of({"m",  "cm", "mm", "km", "kg",  "g",   "s",   "ms",  "min",  "h",   "N",    "mN",
                                 "kN", "J",  "W",  "Pa", "Nm",  "rad", "deg", "°",   "turn", "%",   "rpm",  "rev",
                                 "µs", "t",  "Gm", "pg", "foo", "",    "1",   "m s", "^",    "m^9", "mm^-9"});
  if (r.one_in(5)) unit += r.of({"^2", "²", "³", "^-1", "⁻¹", "^9", "^-9", "^10", "^99999999999", "^", "⁻"});
  if (depth < 12 && r.one_in(3)) unit += r.of({"/", " ", "*", "·", " / "}) + random_unit(r, depth + 1);
  return unit;
}

inline std::string random_quantity(Random& r) {
  const std::string number = random_number(r);
  return r.one_in(2) ? number : number + (r.one_in(5) ? "" : " ") + random_unit(r);
}

inline std::string random_formula(Random& r, int depth = 0) {
  if (depth > 5 || r.one_in(3))
    return r.one_in(2) ? random_number(r) : r.of({"x", "y", "z", "vx", "vy", "vz", "t", "m", "pi", "k", "omega", "q"});
  switch (r.below(5)) {
    case 0:
      return std::string(r.of({"sqrt", "sin", "cos", "tan", "exp", "log", "abs"})) + "(" +
             random_formula(r, depth + 1) + ")";
    case 1:
      return std::string(r.of({"atan2", "min", "max"})) + "(" + random_formula(r, depth + 1) + ", " +
             random_formula(r, depth + 1) + ")";
    case 2:
      return r.of({"-", "+", "--", ""}) + random_formula(r, depth + 1);
    case 3:
      return "(" + random_formula(r, depth + 1) + (r.one_in(20) ? "" : ")");
    default:
      return random_formula(r, depth + 1) + r.of({"+", "-", "*", "/", "^", " ", ","}) + random_formula(r, depth + 1);
  }
}

// A unit that fits the kind ("length"), most of the time.
inline std::string quantity_of(Random& r, const std::string& kind) {
  struct Fitting {
    const char *kind, *unit;
  };
  static constexpr Fitting table[] = {{"length", " cm"},          {"mass", " g"},           {"time", " ms"},
                                      {"angle", " deg"},          {"speed", " m/s"},        {"angular_rate", " rad/s"},
                                      {"acceleration", " m/s^2"}, {"force", " N"},          {"torque", " N m"},
                                      {"stiffness", " N/m"},      {"damping", " N s/m"},    {"density", " kg/m^3"},
                                      {"inertia", " kg m^2"},     {"turning_stiffness", ""}};
  if (r.one_in(10)) return random_quantity(r);
  for (const Fitting& f : table)
    if (kind == f.kind && r.one_in(2)) return random_number(r) + f.unit;
  return random_number(r);
}

class ValueMaker {
 public:
  // `names`: words that may be names of links and figures.
  ValueMaker(Random& r, const std::vector<std::string>& names) : r_(r), names_(names) {}

  // Something in flow style that the form allows; see marey/spec/keys.h for the forms.
  std::string value(const std::string& forms, int depth = 0) {
    const std::string chosen = one_of(forms, " or "), form(without_range(chosen));
    const std::string kind = form.size() > 2 ? form.substr(2) : "";
    if (form.starts_with("q:")) return quantity_of(r_, kind);
    if (form.starts_with("v:")) return list(3, [&] { return quantity_of(r_, kind); });
    if (form.starts_with("m:")) return list(3, [&] { return value("v:" + kind); });
    if (form.starts_with("n:") || form.starts_with("l:"))
      return list(r_.below(5), [&] { return quantity_of(r_, kind); });
    if (form.starts_with("p:")) return list(r_.below(6), [&] { return value("v:" + kind); });
    if (form.starts_with("t:"))
      return list(r_.below(4), [&] { return "[" + quantity_of(r_, "time") + ", " + quantity_of(r_, kind) + "]"; });
    if (form.starts_with("w:"))
      return list(r_.below(4), [&] { return "[" + quantity_of(r_, "time") + ", " + value("v:" + kind) + "]"; });
    if (form.starts_with("=")) return one_of(form.substr(1), ",");
    if (form.starts_with("@")) return map(form.substr(1), depth);
    if (form.starts_with("[@"))
      return list(1 + r_.below(2), [&] { return map(form.substr(2, form.size() - 3), depth); });
    if (form.starts_with("{@")) return "{" + name() + ": " + map(form.substr(2, form.size() - 3), depth) + "}";
    return word(form);
  }
  std::string name() { return names_.empty() ? "a" : r_.of(names_); }
  // A map of the table: what it needs, and some of what it may have.
  std::string map(const std::string& table, int depth) {
    if (depth > 4) return "{}";
    std::string text = "{";
    const KeyTable* keys = find(table);
    if (keys == nullptr) return "{}";
    for (const KeyInfo& info : keys->keys) {
      if (!(info.required ? !r_.one_in(20) : r_.one_in(keys->keys.size() / 3 + 1))) continue;
      if (text.size() > 1) text += ", ";
      text += std::string(info.key) + ": " + value(info.form, depth + 1);
    }
    return text + "}";
  }

 private:
  std::string word(const std::string& form) {
    if (form == "text") return r_.of({"some text", "''", "\"ü\"", "1", "[]"});
    if (form == "name") return name();
    if (form == "names") return list(r_.below(4), [&] { return name(); });
    if (form == "pairs") return list(r_.below(4), [&] { return "[" + name() + ", " + name() + "]"; });
    if (form == "groups") return "{" + name() + ": " + name() + ", g: [" + name() + ", " + name() + "]}";
    if (form == "amount") return value(r_.of({"q:force", "q:length", "q:angle", "q:number"}));
    if (form == "amounts") return list(2, [&] { return value("q:length"); });
    if (form == "whole") return r_.of({"0", "1", "2", "10", "-1", "1000000000", "3.5"});
    if (form == "faces")
      return list(1 + r_.below(4), [&] { return list(3 + r_.below(2), [&] { return value("whole"); }); });
    if (form == "wholes") return list(1 + r_.below(3), [&] { return value("whole"); });
    if (form == "flag") return r_.of({"true", "false", "yes"});
    if (form == "axis") return r_.one_in(3) ? value("v:number") : r_.of({"x", "y", "z", "-x", "-z", "w"});
    if (form == "axes") return list(2, [&] { return value("axis"); });
    if (form == "rotation")
      return r_.one_in(2) ? value("v:angle") : "{axis: " + value("axis") + ", angle: " + value("q:angle") + "}";
    if (form == "rotations") return "{" + name() + ": " + value("rotation") + "}";
    if (form == "formula") return "'" + random_formula(r_) + "'";
    if (form == "formulas") return list(3, [&] { return value("formula"); });
    if (form == "lengths") return list(2, [&] { return value("q:length"); });
    if (form == "knots")
      return list(r_.below(5), [&] { return "[" + value("q:angle") + ", " + value("q:length") + "]"; });
    if (form == "waypoints")
      return list(r_.below(4), [&] { return "[" + value("q:time") + ", " + value("v:length") + "]"; });
    return "{" + name() + ": " + value("q:number") + "}";  // constants, coordinates, factors
  }
  template <class Make>
  std::string list(std::size_t n, Make make) {
    std::string text = "[";
    for (std::size_t i = 0; i < n; ++i) text += (i > 0 ? ", " : "") + make();
    return text + "]";
  }
  std::string one_of(const std::string& text, const std::string& between) {
    std::vector<std::string> parts;
    std::size_t from = 0;
    for (std::size_t at = 0; (at = text.find(between, from)) != std::string::npos; from = at + between.size())
      parts.push_back(text.substr(from, at - from));
    parts.push_back(text.substr(from));
    return r_.of(parts);
  }
  static const KeyTable* find(const std::string& name) {
    for (const KeyTable& table : scene_key_tables())
      if (name == table.name) return &table;
    return nullptr;
  }

  Random& r_;
  const std::vector<std::string>& names_;
};

}  // namespace marey::fuzz
