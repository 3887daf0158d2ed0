#include "marey/spec/units.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "marey/core/look_alikes.h"
#include "marey/core/text.h"

namespace marey {

namespace {

struct Symbol {
  const char* name;
  double factor;
  Dimension dimension;
  bool prefixed;  // takes SI prefixes
};
constexpr double pi = std::numbers::pi;
constexpr Symbol symbols[] = {
    {"m", 1, {1, 0, 0, 0}, true},
    {"g", 1e-3, {0, 1, 0, 0}, true},
    {"s", 1, {0, 0, 1, 0}, true},
    {"rad", 1, {0, 0, 0, 1}, true},
    {"N", 1, {1, 1, -2, 0}, true},
    {"Nm", 1, {2, 1, -2, 0}, true},
    {"J", 1, {2, 1, -2, 0}, true},
    {"W", 1, {2, 1, -3, 0}, true},
    {"Pa", 1, {-1, 1, -2, 0}, true},
    {"min", 60, {0, 0, 1, 0}, false},
    {"h", 3600, {0, 0, 1, 0}, false},
    {"t", 1000, {0, 1, 0, 0}, false},
    {"deg", pi / 180, {0, 0, 0, 1}, false},
    {"°", pi / 180, {0, 0, 0, 1}, false},
    {"turn", 2 * pi, {0, 0, 0, 1}, false},
    {"rev", 2 * pi, {0, 0, 0, 1}, false},
    {"rpm", 2 * pi / 60, {0, 0, -1, 1}, false},
    {"%", 0.01, {}, false},
};
struct Prefix {
  const char* name;
  double factor;
};
constexpr Prefix prefixes[] = {{"p", 1e-12}, {"n", 1e-9}, {"µ", 1e-6}, {"μ", 1e-6}, {"u", 1e-6}, {"m", 1e-3},
                               {"c", 1e-2},  {"d", 1e-1}, {"k", 1e3},  {"M", 1e6},  {"G", 1e9}};

struct Unit {
  double factor = 1;
  Dimension dimension;
};

Unit power(const Unit& u, int n) {
  const Dimension& d = u.dimension;
  return {std::pow(u.factor, n), {d.length * n, d.mass * n, d.time * n, d.angle * n}};
}
Unit product(const Unit& a, const Unit& b) {
  const Dimension &p = a.dimension, &q = b.dimension;
  return {a.factor * b.factor, {p.length + q.length, p.mass + q.mass, p.time + q.time, p.angle + q.angle}};
}

std::optional<Unit> find_symbol(std::string_view word) {
  for (const Symbol& s : symbols)
    if (word == s.name) return Unit{s.factor, s.dimension};
  for (const Prefix& p : prefixes) {
    if (!word.starts_with(p.name)) continue;
    const std::string_view rest = word.substr(std::string_view(p.name).size());
    for (const Symbol& s : symbols)
      if (s.prefixed && rest == s.name) return Unit{p.factor * s.factor, s.dimension};
  }
  return std::nullopt;
}

// What people write who grew up with other units, or with other names of these; in exact figures where there are (NIST SP 811,
// appendix B).
struct Foreign {
  const char *names, *is;  // names between spaces
};
constexpr Foreign foreign[] = {
    {" in inch inches \" ″ ", "2.54 cm"},
    {" ft foot feet ′ ", "30.48 cm"},
    {" yd yard yards ", "0.9144 m"},
    {" mi mile miles ", "1.609344 km"},
    {" nmi ", "1.852 km"},
    {" au AU ", "1.495978707e11 m"},
    {" ly ", "9.4607304725808e15 m"},
    {" metre metres meter meters M ", "1 m"},
    {" centimetre centimetres centimeter centimeters ", "1 cm"},
    {" millimetre millimetres millimeter millimeters ", "1 mm"},
    {" kilometre kilometres kilometer kilometers ", "1 km"},
    {" micron microns ", "1 µm"},
    {" lb lbs lbm pound pounds ", "0.45359237 kg"},
    {" oz ounce ounces ", "28.349523125 g"},
    {" st stone stones ", "6.35029318 kg"},
    {" slug slugs ", "14.593903 kg"},
    {" kilo kilos kgs kilogram kilograms Kg KG ", "1 kg"},
    {" gram grams gr ", "1 g"},
    {" ton tons tonne tonnes ", "1 t"},
    {" sec secs second seconds S ", "1 s"},
    {" msec msecs millisecond milliseconds ", "1 ms"},
    {" usec usecs microsecond microseconds ", "1 µs"},
    {" minute minutes mins ", "1 min"},
    {" hr hrs hour hours H ", "1 h"},
    {" d day days ", "24 h"},
    {" yr year years a ", "8766 h"},
    {" degree degrees degs Deg ", "1 deg"},
    {" radian radians rads Rad ", "1 rad"},
    {" grad gon ", "0.9 deg"},
    {" arcmin ", "0.0166667 deg"},
    {" turns revs revolution revolutions cycle cycles ", "1 rev"},
    {" Hz hz hertz ", "1 rev/s as an angular rate, and 1/s otherwise"},
    {" kHz ", "1000 rev/s as an angular rate, and 1000/s otherwise"},
    {" RPM Rpm ", "1 rpm"},
    {" mph ", "0.44704 m/s"},
    {" kph kmh kmph ", "1 km/h"},
    {" mps ", "1 m/s"},
    {" kn kt kts knot knots ", "0.514444 m/s"},
    {" fps ", "0.3048 m/s"},
    {" n newton newtons Newton ", "1 N"},
    {" lbf ", "4.4482216 N"},
    {" kgf kp ", "9.80665 N"},
    {" dyn dyne dynes ", "10 µN"},
    {" ftlb ft-lb lbft ftlbf ", "1.3558179 N m"},
    {" nm NM nM ", "1 N m as a torque"},
    {" psi ", "6.894757 kPa"},
    {" bar bars ", "100 kPa"},
    {" atm ", "101.325 kPa"},
    {" joule joules j ", "1 J"},
    {" erg ergs ", "0.1 µJ"},
    {" cal ", "4.184 J"},
    {" kcal ", "4.184 kJ"},
    {" Wh ", "3.6 kJ"},
    {" kWh ", "3.6 MJ"},
    {" watt watts ", "1 W"},
    {" hp HP ", "745.69987 W"},
    {" PS ", "735.49875 W"},
    {" l L litre litres liter liters ", "1e-3 m^3"},
    {" percent pct ", "1 %"},
};
std::string in_known_units(std::string_view word) {
  if (word.find(' ') != std::string_view::npos) return {};
  const std::string between_spaces = fmt::format(" {} ", word);
  for (const Foreign& f : foreign)
    if (std::string_view(f.names).find(between_spaces) != std::string_view::npos)
      return fmt::format("1 {} is {}", word, f.is);
  return {};
}

// Those in which a kind is most often given: of what has no units of its own, those it is made of.
std::string units_for(const QuantityKind& kind) {
  struct Usual {
    const QuantityKind* kind;
    const char* units;
  };
  static constexpr Usual usual[] = {
      {&kinds::length, "m, km, cm, mm, µm"}, {&kinds::mass, "kg, g, mg, t"},
      {&kinds::time, "s, ms, µs, min, h"},   {&kinds::angle, "rad, deg, °, rev"},
      {&kinds::speed, "m/s, cm/s, km/h"},    {&kinds::angular_rate, "rad/s, deg/s, rev/s, rpm"},
      {&kinds::force, "N, kN, mN"},          {&kinds::torque, "N m, mN m, kN m"}};
  for (const Usual& u : usual)
    if (u.kind->dimension == kind.dimension) return fmt::format("{} is in {}", kind.name, u.units);
  if (kind.dimension == Dimension{}) return fmt::format("{} has no unit but %", kind.name);
  return fmt::format("{} is in {}, of m, g, s, min, h, N, J, W, Pa, rad, deg, rev with prefixes", kind.name, kind.unit);
}

// What to write instead of an unknown unit.
std::string advice_for(std::string_view word, const QuantityKind& kind) {
  if (const std::string known = in_known_units(word); !known.empty())
    return fmt::format("{}; {}", known, units_for(kind));
  for (std::size_t i = 1; i < word.size(); ++i)
    if (find_symbol(word.substr(0, i)) && find_symbol(word.substr(i)))
      return fmt::format("did you mean '{} {}'?", word.substr(0, i), word.substr(i));
  static const std::vector<std::string> common{"m", "cm", "mm", "km", "kg",  "g",   "mg",  "s",   "ms",  "µs",
                                               "N", "mN", "kN", "J",  "deg", "rad", "rpm", "min", "rev", "turn"};
  const std::string near = closest(word, common);
  return (!near.empty() && word.size() > 1 ? fmt::format("did you mean '{}'? ", near) : "") + units_for(kind);
}

constexpr int largest_exponent = 9;
constexpr int deepest_brackets = 8;

class UnitParser {
 public:
  // `kind`: which they are to be units of.
  UnitParser(std::string_view text, const QuantityKind& kind) : text_(text), kind_(kind) {}

  // Throws the problem as a std::string; caught in read_quantity.
  Unit parse() {
    const Unit unit = expression(0);
    if (i_ < text_.size()) throw fmt::format("'{}' cannot follow in a unit", printable(text_.substr(i_)));
    return unit;
  }

 private:
  Unit expression(int depth) {
    if (depth > deepest_brackets) throw std::string("too many brackets in a unit");
    Unit unit;
    skip_spaces();
    if (take("1")) {
      skip_spaces();
      if (peek() != '/') throw std::string("'1' in a unit must be followed by '/'");
    } else if (peek() != '/') {
      unit = factor(depth);
      while (another_factor()) unit = product(unit, factor(depth));
    }
    while (take("/")) {
      skip_spaces();
      unit = product(unit, power(factor(depth), -1));
      if (another_factor())
        throw std::string("a product after '/' is ambiguous; write it before the '/' or in brackets");
    }
    return unit;
  }

  // Skips a product sign; false at the end, a '/', or a ')'.
  bool another_factor() {
    skip_spaces();
    const bool sign = take("*") || take("·") || take("⋅");
    skip_spaces();
    if (sign) return true;
    return i_ < text_.size() && peek() != '/' && peek() != ')';
  }

  Unit factor(int depth) {
    Unit unit;
    if (take("(")) {
      unit = expression(depth + 1);
      skip_spaces();
      if (!take(")")) throw std::string("a '(' in the unit is never closed");
    } else {
      unit = symbol();
    }
    return power(unit, exponent());
  }

  Unit symbol() {
    const std::size_t begin = i_;
    while (i_ < text_.size() && !at_mark()) ++i_;
    const std::string_view word = text_.substr(begin, i_ - begin);
    if (word.empty()) throw std::string("a unit is missing");
    if (const auto unit = find_symbol(word)) return *unit;
    throw fmt::format("unknown unit '{}'; {}", printable(word), advice_for(word, kind_));
  }

  // A character (or the start of one) that ends a symbol.
  bool at_mark() const {
    const std::string_view rest = text_.substr(i_);
    for (const char* mark : {" ", "\t", "*", "·", "⋅", "/", "(", ")", "^", "¹", "²", "³", "⁻"})
      if (rest.starts_with(mark)) return true;
    return false;
  }

  int exponent() {
    if (take("²")) return 2;
    if (take("³")) return 3;
    if (take("⁻")) {
      if (take("¹")) return -1;
      if (take("²")) return -2;
      if (take("³")) return -3;
      throw std::string("an exponent in the unit is not a whole number");
    }
    if (!take("^")) return 1;
    int n = 0;
    const char* const first = text_.data() + i_;
    const auto [last, error] = std::from_chars(first, text_.data() + text_.size(), n);
    if (error != std::errc{}) throw std::string("an exponent in the unit is not a whole number");
    if (std::abs(n) > largest_exponent) throw fmt::format("the exponent {} in the unit is too large", n);
    i_ += static_cast<std::size_t>(last - first);
    return n;
  }

  void skip_spaces() {
    while (i_ < text_.size() && (text_[i_] == ' ' || text_[i_] == '\t')) ++i_;
  }
  char peek() const { return i_ < text_.size() ? text_[i_] : '\0'; }
  bool take(std::string_view token) {
    if (!text_.substr(i_).starts_with(token)) return false;
    i_ += token.size();
    return true;
  }

  std::string_view text_;
  const QuantityKind& kind_;
  std::size_t i_ = 0;
};

bool digit(char c) { return c >= '0' && c <= '9'; }

// The length of the decimal number the text begins with; 0 for none.
std::size_t number_length(std::string_view s) {
  std::size_t i = 0, digits = 0;
  if (i < s.size() && (s[i] == '+' || s[i] == '-')) ++i;
  for (; i < s.size() && digit(s[i]); ++i) ++digits;
  if (i < s.size() && s[i] == '.')
    for (++i; i < s.size() && digit(s[i]); ++i) ++digits;
  if (digits == 0) return 0;
  if (i < s.size() && (s[i] == 'e' || s[i] == 'E')) {
    std::size_t k = i + 1;
    if (k < s.size() && (s[k] == '+' || s[k] == '-')) ++k;
    if (k < s.size() && digit(s[k])) {
      while (k < s.size() && digit(s[k])) ++k;
      i = k;
    }
  }
  return i;
}

// The number at the start of the text; throws what is wrong with it as a std::string.
double parse_number(std::string_view text, std::size_t length) {
  std::string_view s = text.substr(0, length);
  const std::string_view rest = text.substr(length);
  if (s.front() == '+') s.remove_prefix(1);
  const std::string_view body = s.starts_with('-') ? s.substr(1) : s;
  if (body.size() > 1 && body[0] == '0' && digit(body[1]))
    throw std::string("which begins with 0 and some would read as octal");
  if (body == "0" && !rest.empty() && (rest[0] == 'x' || rest[0] == 'o' || rest[0] == 'b'))
    throw std::string("which is not a decimal number");
  if (!rest.empty() && (rest[0] == ',' || rest[0] == '_' || rest[0] == ':' || rest[0] == '.'))
    throw fmt::format("with '{}' inside a number", rest[0]);
  double value = 0;  // number_length() has checked that it is a number; it can only be too large or too small
  if (std::from_chars(s.data(), s.data() + s.size(), value).ec != std::errc{})
    throw std::string("which no double can hold");
  return value;
}

// The same dimension, or the expected one with its angle omitted.
bool fits(const Dimension& found, const Dimension& expected) {
  Dimension without_angle = expected;
  without_angle.angle = 0;
  return found == expected || found == without_angle;
}

std::string in_units(double x, const QuantityKind& kind) {
  return *kind.unit == '\0' ? fmt::format("{:g}", x) : fmt::format("{:g} {}", x, kind.unit);
}

}  // namespace

std::string problem_of_size(double x, std::string_view found, const QuantityKind& kind, bool above_zero) {
  if (!(std::abs(x) <= kind.most))
    return fmt::format("found {}, which is beyond all measure; expected {} of at most {}", found, kind.name,
                       in_units(kind.most, kind));
  if (above_zero && x > 0 && x < kind.least)
    return fmt::format("found {}, which is next to nothing; expected {} of at least {}", found, kind.name,
                       in_units(kind.least, kind));
  return {};
}

std::string name_of(const Dimension& d) {
  for (const QuantityKind* kind : kinds::all)
    if (kind->dimension == d) return kind->name;
  std::string units;
  const auto add = [&](const char* name, int n) {
    if (n == 0) return;
    if (!units.empty()) units += ' ';
    units += name;
    if (n != 1) units += fmt::format("^{}", n);
  };
  add("kg", d.mass), add("m", d.length), add("s", d.time), add("rad", d.angle);
  return "a quantity in " + units;
}

QuantityReading read_quantity(std::string_view text, const QuantityKind& expected) {
  const std::string wanted = fmt::format("expected {}, such as {}", expected.name, expected.example);
  const auto problem = [&](const std::string& found) { return QuantityReading{{}, "found " + found + "; " + wanted}; };
  // Whatever else is wrong with it: nobody sees which of two minus signs it is.
  const std::size_t length = number_length(text);
  const bool deceives = find_look_alike(text).has_value();
  if (length == 0) return problem(found_text(text));
  QuantityReading reading;
  Quantity& q = reading.quantity;
  try {
    q.value = parse_number(text, length);
  } catch (const std::string& why) {
    return problem(deceives ? found_text(text) : fmt::format("'{}', {}", printable(text), why));
  }
  std::string_view unit = text.substr(length);
  while (!unit.empty() && (unit.front() == ' ' || unit.front() == '\t')) unit.remove_prefix(1);
  while (!unit.empty() && (unit.back() == ' ' || unit.back() == '\t')) unit.remove_suffix(1);
  if (unit.empty()) {
    q.dimension = expected.dimension;
    return reading;
  }
  q.unit = std::string(unit);
  try {
    const Unit u = UnitParser(unit, expected).parse();
    q.value *= u.factor, q.dimension = u.dimension;
  } catch (const std::string& why) {
    return problem(deceives ? found_text(text) : fmt::format("'{}' ({})", printable(text), why));
  }
  if (!fits(q.dimension, expected.dimension)) return problem(name_of(q.dimension) + " (" + printable(unit) + ")");
  if (!std::isfinite(q.value)) return problem(fmt::format("'{}', which no double can hold", printable(text)));
  return reading;
}

}  // namespace marey
