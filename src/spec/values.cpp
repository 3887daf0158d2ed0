#include "marey/spec/values.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <exception>
#include <stdexcept>

#include "marey/core/look_alikes.h"
#include "marey/core/text.h"

namespace marey {

void refuse_value(const Value& node, const std::string& expected) {
  refuse(culprit_place(node), "found " + describe(node) + "; expected " + expected);
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string near = closest(word, candidates);
  return near.empty() ? "" : " did you mean '" + near + "'?";
}

// ----------------------------------------------------------------------------------------------------------
// maps
MapReader::MapReader(const Value& node, const KeyTable& table, const std::string& called)
    : node_(node),
      table_(table),
      called_(called.empty() ? table_.name : called),
      entry_at_(node.at),
      asked_(node.entries.size(), false),
      exceptions_(std::uncaught_exceptions()) {
  if (node.kind != Value::Kind::map) refuse_value(node, "a map with " + either(table_.words()));
  for (const ValueEntry& entry : node.entries)
    if (!table_.find(entry.key)) refuse_key(entry);
  for (const KeyInfo& info : table_.keys)
    if (info.required && !node.find(info.key))
      refuse(node.at, fmt::format("found no '{}' in {}; expected it: {}", info.key, called_, info.meaning));
}

void MapReader::refuse_key(const ValueEntry& entry) const {
  for (const auto& [word, key] : table_.other_words)
    if (entry.key == word)
      refuse(entry.key_at, fmt::format("found '{}', which is called '{}' in {}; expected {}", word, key, called_,
                                       either(table_.words())));
  const std::size_t colon = entry.key.find(':');
  const bool glued = colon != std::string::npos && table_.find(entry.key.substr(0, colon));
  const bool digits = !entry.key.empty() && entry.key[0] >= '0' && entry.key[0] <= '9';
  const std::string hint = glued    ? " is a space missing after ':'?"
                           : digits ? " was a decimal point meant by the ',' before it?"
                                    : did_you_mean(entry.key, table_.words());
  refuse(entry.key_at, fmt::format("found the unknown key {} in {};{} expected {}", found_text(entry.key), called_,
                                   hint, either(table_.words())));
}

const Value* MapReader::get(std::string_view key) {
  if (!table_.find(key)) throw std::logic_error("the table of keys lacks " + std::string(key));
  for (std::size_t i = 0; i < node_.entries.size(); ++i) {
    if (node_.entries[i].key != key) continue;
    asked_[i] = true;
    return node_.entries[i].value.get();
  }
  return nullptr;
}

const Value& MapReader::need(std::string_view key) {
  if (const Value* value = get(key)) return *value;
  refuse(node_.at, fmt::format("found no '{}' in {}; expected it: {}", key, called_, table_.find(key)->meaning));
}

std::string MapReader::text_or(std::string_view key, const std::string& usual) {
  const Value* value = get(key);
  return value != nullptr ? read_text(*value) : usual;
}

double MapReader::number(std::string_view key) {
  need(key);
  return *number_if(key);
}

std::optional<double> MapReader::number_if(std::string_view key) {
  const Value* value = get(key);
  if (value == nullptr) return std::nullopt;
  const QuantityForm form = quantity_form(table_.find(key)->form, 'q');
  return read_number(*value, *form.kind, form.range);
}

Vec3<double> MapReader::vector(std::string_view key) {
  need(key);
  return *vector_if(key);
}

std::optional<Vec3<double>> MapReader::vector_if(std::string_view key) {
  const Value* value = get(key);
  if (value == nullptr) return std::nullopt;
  const QuantityForm form = quantity_form(table_.find(key)->form, 'v');
  return read_vector(*value, *form.kind, form.range);
}

std::string MapReader::one_of(const std::vector<std::string>& keys) const {
  std::string found;
  for (const ValueEntry& entry : node_.entries) {
    for (const std::string& key : keys) {
      if (entry.key != key) continue;
      if (!found.empty()) refuse(entry.key_at, fmt::format("found '{}' beside '{}'; expected one of them", key, found));
      found = key;
    }
  }
  return found;
}

MapReader::~MapReader() {
  if (done_ || std::uncaught_exceptions() > exceptions_) return;
  for (std::size_t i = 0; i < asked_.size(); ++i)
    if (!asked_[i])
      remark(node_.entries[i].key_at, fmt::format("'{}' has no effect in {} here", node_.entries[i].key, called_));
}

void MapReader::done(const std::string& here) {
  done_ = true;
  for (std::size_t i = 0; i < asked_.size(); ++i)
    if (!asked_[i])
      refuse(node_.entries[i].key_at,
             fmt::format("found '{}', which means nothing {}; expected it left out", node_.entries[i].key, here));
}

// -------------------------------------------------------------------------------------------------------
// scalars
double read_number(const Value& node, const QuantityKind& kind, Range range) {
  if (node.kind != Value::Kind::scalar) refuse_value(node, fmt::format("{}, such as {}", kind.name, kind.example));
  const QuantityReading reading = read_quantity(node.text, kind);
  if (!reading.problem.empty()) refuse(culprit_place(node), reading.problem);
  const double value = reading.quantity.value;
  if (range == Range::positive && !(value > 0))
    refuse_value(node, fmt::format("{} above zero, such as {}", kind.name, kind.example));
  if (range == Range::not_negative && value < 0)
    refuse_value(node, fmt::format("{} of zero or more, such as {}", kind.name, kind.example));
  const std::string problem = problem_of_size(value, describe(node), kind, range == Range::positive);
  if (!problem.empty()) refuse(node.at, problem);
  return value;
}

long read_whole(const Value& node, long least, long most) {
  const std::string expected =
      least == most ? fmt::format("{}", least) : fmt::format("a whole number from {} to {}", least, most);
  if (node.kind != Value::Kind::scalar) refuse_value(node, expected);
  const std::string& s = node.text;
  long value = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  const bool octal = s.size() > 1 && s[0] == '0';
  if (error != std::errc{} || end != s.data() + s.size() || octal || value < least || value > most)
    refuse_value(node, expected);
  return value;
}

bool read_flag(const Value& node) {
  if (node.kind == Value::Kind::scalar && !node.quoted) {
    if (node.text == "true") return true;
    if (node.text == "false") return false;
  }
  refuse_value(node, "true or false");
}

std::string read_text(const Value& node) {
  if (node.kind != Value::Kind::scalar || node.text.empty()) refuse_value(node, "text");
  return node.text;
}

std::size_t read_choice(const Value& node, const std::vector<std::string>& words) {
  if (node.kind != Value::Kind::scalar) refuse_value(node, either(words));
  for (std::size_t i = 0; i < words.size(); ++i)
    if (node.text == words[i]) return i;
  refuse(culprit_place(node),
         "found " + describe(node) + ";" + did_you_mean(node.text, words) + " expected " + either(words));
}

// -------------------------------------------------------------------------------------------------------
// vectors
void check_count(const Value& node, std::size_t n, const std::string& expected) {
  if (node.kind != Value::Kind::list || node.items.size() != n) refuse_value(node, expected);
}

namespace {

Quaternion<double> read_quaternion(const Value& node) {
  check_count(node, 4, "a quaternion: [w, x, y, z]");
  double c[4];
  for (std::size_t i = 0; i < 4; ++i) c[i] = read_number(*node.items[i], kinds::number);
  const Quaternion<double> q{c[0], c[1], c[2], c[3]};
  const double length = std::sqrt(norm_squared(q));
  // A small deviation is rounding by whoever wrote it; a large one means it is not a rotation.
  if (!(std::abs(length - 1) < 0.01))
    refuse(node.at, fmt::format("found a quaternion of length {:.4g}; expected length 1", length));
  return normalized(q);
}

Quaternion<double> read_euler(const Value& node) {
  const Vec3<double> a = read_vector(node, kinds::angle);
  return quaternion_about({1, 0, 0}, a.x) * quaternion_about({0, 1, 0}, a.y) * quaternion_about({0, 0, 1}, a.z);
}

}  // namespace

Vec3<double> read_vector(const Value& node, const QuantityKind& kind, Range range) {
  check_count(node, 3, fmt::format("three numbers in a list, each {}, such as [0, 0, {}]", kind.name, kind.example));
  return {read_number(*node.items[0], kind, range), read_number(*node.items[1], kind, range),
          read_number(*node.items[2], kind, range)};
}

Sym3<double> read_symmetric(const Value& node, const QuantityKind& kind) {
  check_count(node, 3, "a matrix: a list of three rows of three numbers");
  const Vec3<double> r0 = read_vector(*node.items[0], kind), r1 = read_vector(*node.items[1], kind),
                     r2 = read_vector(*node.items[2], kind);
  const double size = std::abs(r0.x) + std::abs(r1.y) + std::abs(r2.z);
  const double skew = std::abs(r0.y - r1.x) + std::abs(r0.z - r2.x) + std::abs(r1.z - r2.y);
  if (!(skew <= 1e-9 * size)) refuse(node.at, "found a matrix that is not symmetric; expected a symmetric one");
  return {r0.x, r1.y, r2.z, r0.y, r0.z, r1.z};
}

Vec3<double> read_axis(const Value& node) {
  const std::string expected = "an axis: x, y, z, -x, -y, -z or [x, y, z]";
  if (node.kind == Value::Kind::list) {
    check_count(node, 3, expected);
    const Vec3<double> a = read_vector(node, kinds::number);
    const double length = norm(a);
    if (!(length > 1e-12) || !std::isfinite(length))
      refuse(node.at, fmt::format("found an axis of length {:g}; expected an axis of some length", length));
    return (1 / length) * a;
  }
  if (node.kind != Value::Kind::scalar) refuse_value(node, expected);
  std::string_view s = node.text;
  double sign = 1;
  if (s.size() == 2 && (s[0] == '-' || s[0] == '+')) sign = s[0] == '-' ? -1 : 1, s.remove_prefix(1);
  if (s == "x") return {sign, 0, 0};
  if (s == "y") return {0, sign, 0};
  if (s == "z") return {0, 0, sign};
  refuse_value(node, expected);
}

const KeyTable& rotation_keys() {
  static const KeyTable table{
      "rotation",
      "A rotation: about an axis, by Euler angles Rx Ry Rz, or by a unit quaternion (w, x, y, z).",
      {{"axis", "axis", "the axis to turn about"},
       {"angle", "q:angle", "the angle to turn by"},
       {"euler", "v:angle", "angles about x, then the new y, then the new z"},
       {"quaternion", "l:number", "w, x, y, z"}}};
  return table;
}

Quaternion<double> read_rotation(const Value& node) {
  if (node.kind == Value::Kind::list) {
    if (node.items.size() == 4) return read_quaternion(node);
    if (node.items.size() == 3) return read_euler(node);
  }
  if (node.kind != Value::Kind::map)
    refuse_value(node, "a rotation: {axis: z, angle: 30 deg}, three Euler angles, or a quaternion [w, x, y, z]");
  MapReader map(node, rotation_keys());
  const std::string form = map.one_of({"axis", "euler", "quaternion"});
  Quaternion<double> q;
  if (form == "euler")
    q = read_euler(map.need("euler"));
  else if (form == "quaternion")
    q = read_quaternion(map.need("quaternion"));
  else
    q = quaternion_about(read_axis(map.need("axis")), read_number(map.need("angle"), kinds::angle));
  map.done("beside '" + form + "'");
  return q;
}

}  // namespace marey
