// Specs made and changed in code. The tree is shared and never changed in place: a change copies the maps and lists
// along its path. Values of a changed spec are numbered, so that errors find their path.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "marey/core/text.h"
#include "marey/spec/value.h"
#include "marey/spec/yaml_words.h"

namespace marey {

// ------------------------------------------------------------------------------------------------------ values
namespace {

// As readers of texts do.
std::string checked(std::string words) {
  for (std::size_t i = 0; i < words.size();) {
    const char c = words[i];
    const std::size_t n = utf8_length(words, i);
    if (n == 0)
      throw Error(ErrorKind::bad_input, fmt::format("found the byte \\x{:02x}, which is not UTF-8; expected text",
                                                    static_cast<unsigned char>(c)));
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7F)
      throw Error(ErrorKind::bad_input,
                  fmt::format("found the control character \\x{:02x}; expected text", static_cast<unsigned char>(c)));
    i += n;
  }
  return words;
}

}  // namespace

Value::Value(std::string words)
    : kind(Kind::scalar), text(checked(std::move(words))), quoted(!can_stand_plain(text, /*in_flow=*/false)) {}
Value::Value(double x) : kind(Kind::scalar), text(fmt::format("{}", x)) {}
Value::Value(int x) : kind(Kind::scalar), text(fmt::format("{}", x)) {}
Value::Value(bool x) : kind(Kind::scalar), text(x ? "true" : "false") {}

Value Value::formula(std::string words) {
  Value value;
  value.kind = Kind::scalar, value.text = checked(std::move(words)), value.quoted = true;
  return value;
}

namespace {

// Recounts what is in a value.
void measure(Value& value) {
  value.size = 1, value.height = 1;
  const auto count = [&](const Value& child) {
    value.size += child.size, value.height = std::max(value.height, child.height + 1);
  };
  for (const ValueEntry& entry : value.entries) count(*entry.value);
  for (const ValuePtr& item : value.items) count(*item);
  if (value.height > deepest)
    throw Error(ErrorKind::bad_input, fmt::format("found more than {} levels of nesting; expected fewer", deepest));
  if (value.size > most_nodes)
    throw Error(ErrorKind::bad_input, fmt::format("found more than {} values; expected fewer", most_nodes));
}

}  // namespace

Value Value::list(std::vector<Value> items) {
  Value value;
  value.kind = Kind::list;
  for (Value& item : items) value.items.push_back(std::make_shared<const Value>(std::move(item)));
  measure(value);
  return value;
}

Value Value::map(const std::vector<std::pair<std::string, Value>>& entries) {
  Value value;
  value.kind = Kind::map;
  for (const auto& [key, item] : entries) {
    if (value.find(key) != nullptr)
      throw Error(ErrorKind::bad_input, "found the key '" + key + "' a second time; expected each key once");
    value.entries.push_back({checked(key), {}, std::make_shared<const Value>(item)});
  }
  measure(value);
  return value;
}

namespace {

// ------------------------------------------------------------------------------------------------------- paths
struct Path {
  std::string first;
  std::string_view rest;  // empty: nothing comes after
};
Path split(std::string_view path) {
  const std::size_t end = std::min(path.find('/'), path.size());
  return {std::string(path.substr(0, end)), end < path.size() ? path.substr(end + 1) : std::string_view{}};
}

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
// Which entry or item the word names; `none` where there is none.
std::size_t index_of(const Value& in, const std::string& word) {
  if (in.kind == Value::Kind::map) {
    for (std::size_t i = 0; i < in.entries.size(); ++i)
      if (in.entries[i].key == word) return i;
    return none;
  }
  std::size_t i = none;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), i);
  return error == std::errc{} && end == word.data() + word.size() && i < in.items.size() ? i : none;
}

[[noreturn]] void refuse_path(std::string_view path, const std::string& why) {
  throw Error(ErrorKind::bad_input, fmt::format("found the path '{}': {}", path, why));
}

const ValuePtr& child(const Value& in, std::size_t i) {
  return in.kind == Value::Kind::map ? in.entries[i].value : in.items[i];
}
void set_child(Value& in, std::size_t i, Value child) {
  ValuePtr made = std::make_shared<const Value>(std::move(child));
  (in.kind == Value::Kind::map ? in.entries[i].value : in.items[i]) = std::move(made);
}

// A copy of `in` with the value put at the path.
Value with(const Value& in, std::string_view path, std::string_view whole, Value value) {
  const auto [word, rest] = split(path);
  if (word.empty()) refuse_path(whole, "expected keys with / between them");
  Value out = in;
  if (out.kind == Value::Kind::nothing) out.kind = Value::Kind::map;
  if (out.kind == Value::Kind::scalar)
    refuse_path(whole, fmt::format("'{}' would be in {}; expected a list or a map there", word, describe(in)));
  std::size_t i = index_of(out, word);
  if (i == none && out.kind == Value::Kind::list)
    refuse_path(whole, fmt::format("there is no item {} in a list of {}; expected one that is there, or add()", word,
                                   out.items.size()));
  if (i == none) {
    i = out.entries.size();
    out.entries.push_back({checked(word), {}, std::make_shared<const Value>()});
  }
  set_child(out, i, rest.empty() ? std::move(value) : with(*child(out, i), rest, whole, std::move(value)));
  measure(out);
  return out;
}

Value without(const Value& in, std::string_view path) {
  const auto [word, rest] = split(path);
  const std::size_t i = index_of(in, word);
  if (i == none) return in;
  Value out = in;
  const auto at = static_cast<std::ptrdiff_t>(i);
  if (!rest.empty())
    set_child(out, i, without(*child(in, i), rest));
  else if (out.kind == Value::Kind::map)
    out.entries.erase(out.entries.begin() + at);
  else
    out.items.erase(out.items.begin() + at);
  measure(out);
  return out;
}

// ------------------------------------------------------------------------------------------------------ places
// Every key and value gets a number; sizes and heights are recounted.
Value with_numbers(const Value& in, int& next, int depth) {
  if (depth > deepest)
    throw Error(ErrorKind::bad_input, fmt::format("found more than {} levels of nesting; expected fewer", deepest));
  Value out = in;
  out.at = {nullptr, next++, 1};
  out.size = 1, out.height = 1;
  const auto take = [&](ValuePtr& child) {
    child = std::make_shared<const Value>(with_numbers(*child, next, depth + 1));
    out.size += child->size, out.height = std::max(out.height, child->height + 1);
    if (out.size > most_nodes)
      throw Error(ErrorKind::bad_input, fmt::format("found more than {} values; expected fewer", most_nodes));
  };
  for (ValueEntry& entry : out.entries) {
    entry.key_at = {nullptr, next++, 1};
    take(entry.value);
  }
  for (ValuePtr& item : out.items) take(item);
  return out;
}

bool same(const Place& a, const Place& b) { return a.file == b.file && a.line == b.line && a.column == b.column; }

bool find_path(const Value& in, const Place& at, std::string& path) {
  if (same(in.at, at)) return true;
  const std::size_t length = path.size(), count = std::max(in.entries.size(), in.items.size());
  for (std::size_t i = 0; i < count; ++i) {
    const bool map = in.kind == Value::Kind::map;
    path += (path.empty() ? "" : "/") + (map ? in.entries[i].key : fmt::format("{}", i));
    if ((map && same(in.entries[i].key_at, at)) || find_path(*child(in, i), at, path)) return true;
    path.resize(length);
  }
  return false;
}

}  // namespace

// -------------------------------------------------------------------------------------------------------- specs
SceneSpec::SceneSpec() : file_(std::make_shared<const std::string>()) { change_to(Value::map({{"marey", 1}})); }

SceneSpec::SceneSpec(ValuePtr root, std::shared_ptr<const std::string> file, std::string text)
    : root_(std::move(root)), file_(std::move(file)), text_(std::move(text)) {}

const Value* SceneSpec::find(std::string_view path) const {
  const Value* at = root_.get();
  while (!path.empty()) {
    const auto [word, rest] = split(path);
    const std::size_t i = index_of(*at, word);
    if (i == none) return nullptr;
    at = child(*at, i).get();
    path = rest;
  }
  return at;
}

void SceneSpec::change_to(Value root) {
  root_ = std::make_shared<const Value>(std::move(root));
  text_.clear();
  changed_ = true;
}

void SceneSpec::set(std::string_view path, Value value) {
  if (std::count(path.begin(), path.end(), '/') >= deepest)
    refuse_path(path.substr(0, 40), fmt::format("it leads through more than {} levels", deepest));
  change_to(with(*root_, path, path, std::move(value)));
}

void SceneSpec::add(std::string_view path, Value value) {
  const Value* there = find(path);
  Value list = there != nullptr && there->kind != Value::Kind::nothing ? *there : Value::list({});
  if (list.kind != Value::Kind::list) refuse_path(path, "found " + describe(list) + "; expected a list to add to");
  list.items.push_back(std::make_shared<const Value>(std::move(value)));
  measure(list);
  set(path, std::move(list));
}

void SceneSpec::erase(std::string_view path) {
  if (find(path) != nullptr && !path.empty()) change_to(without(*root_, path));
}

SceneSpec SceneSpec::numbered() const {
  SceneSpec out = *this;
  int next = 1;
  out.root_ = std::make_shared<const Value>(with_numbers(*root_, next, 1));
  return out;
}

std::string SceneSpec::text() const { return changed_ ? to_yaml(*root_) : text_; }

std::string SceneSpec::path_of(const Place& at) const {
  std::string path;
  return find_path(*root_, at, path) ? path : "";
}

}  // namespace marey
