// What the forms of all kinds are asked.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "marey/io/scene.h"
#include "marey/spec/keys.h"
#include "support/trouble.h"
#include "unit/io/scene_numbers.h"

namespace forms {

// The map at the path has the keys of the table: one too many and one too few are refused, where they are.
inline void expect_keys_are_minded(const marey::SceneSpec& spec, const std::string& path,
                                   const marey::KeyTable& table) {
  const auto refused = [](const marey::SceneSpec& s) {
    return trouble::of(marey::ErrorKind::bad_input, [&] { marey::build(s); });
  };
  marey::SceneSpec more = spec;
  more.set(path + "/nonsense", 1);
  EXPECT_TRUE(refused(more).starts_with(path + "/nonsense: found the unknown key")) << refused(more);
  for (const marey::KeyInfo& info : table.keys) {
    if (!info.required) continue;
    marey::SceneSpec less = spec;
    less.erase(path + "/" + info.key);
    EXPECT_TRUE(refused(less).starts_with(fmt::format("{}: found no '{}'", path, info.key))) << refused(less);
  }
}

// Other values of the same kind: a quarter more, other axes, the other flag; of a list with its first or second item so changed
// (of an axis across another only a part may count). None for names, words and formulas.
inline std::vector<marey::Value> other_values(const marey::Value& value) {
  using Kind = marey::Value::Kind;
  std::vector<marey::Value> others;
  if (value.kind == Kind::list) {
    for (std::size_t i = 0; i < std::min<std::size_t>(2, value.items.size()); ++i)
      for (const marey::Value& other : other_values(*value.items[i])) {
        std::vector<marey::Value> items;
        for (const marey::ValuePtr& item : value.items) items.push_back(*item);
        items[i] = other;
        others.push_back(marey::Value::list(std::move(items)));
      }
    return others;
  }
  if (value.kind != Kind::scalar || value.quoted) return {};
  const std::string& text = value.text;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"x", "y", "z", "-x", "-y", "-z"}, std::vector<std::string>{"true", "false"}}) {
    if (std::ranges::find(words, text) == words.end()) continue;
    for (const std::string& word : words)
      if (word != text) others.emplace_back(word);
    return others;
  }
  std::size_t end = 0;
  try {
    const double number = std::stod(text, &end);
    const bool whole = number == std::round(number) && end == text.size();
    const double other = number == 0 ? 1 : whole ? number + 1 : 1.25 * number;
    return {marey::Value(fmt::format("{}{}", other, text.substr(end)))};
  } catch (const std::exception&) {
    return {};
  }
}

// Each key of the map at the path does something: without it, and with another value, another scene is built, or none, or it is
// remarked on.
inline void expect_keys_matter(const marey::SceneSpec& spec, const std::string& path) {
  marey::SceneSpec same = spec;
  same.set("title", "the same");  // made in code, as those below
  // Whether a run can begin is not asked.
  const auto built = [](const marey::SceneSpec& s) {
    std::string text;
    const std::string refused = trouble::of(marey::ErrorKind::bad_input,
                                            [&] { text = marey::scene_numbers::text_of(marey::build_recorded(s)); });
    return text + refused;
  };
  const auto remarked = [&](const std::string& key) {
    try {
      for (const std::string& r : marey::build(same).remarks)
        if (r.starts_with(key + ":") || r.starts_with(key + "/")) return true;
    } catch (const marey::Error&) {  // it cannot begin
    }
    return false;
  };
  for (const marey::ValueEntry& entry : spec.find(path)->entries) {
    const std::string key = path + "/" + entry.key;
    marey::SceneSpec less = same;
    less.erase(key);
    EXPECT_TRUE(built(less) != built(same) || remarked(key)) << key << " does nothing, and nothing is said of it";
    // What is refused may be so for other reasons.
    bool any = false, matters = false;
    for (const marey::Value& value : other_values(*entry.value)) {
      marey::SceneSpec other = same;
      other.set(key, value);
      const std::string text = built(other);
      if (!text.starts_with("title")) continue;
      any = true, matters = matters || text != built(same);
    }
    EXPECT_TRUE(!any || matters || remarked(key)) << key << ": its value does nothing, and nothing is said of it";
  }
}

// The same of the maps within it, however deep.
inline void expect_all_keys_matter(const marey::SceneSpec& spec, const std::string& path) {
  const marey::Value& value = *spec.find(path);
  if (value.kind == marey::Value::Kind::map) expect_keys_matter(spec, path);
  for (const marey::ValueEntry& entry : value.entries) expect_all_keys_matter(spec, path + "/" + entry.key);
  for (std::size_t i = 0; i < value.items.size(); ++i) expect_all_keys_matter(spec, fmt::format("{}/{}", path, i));
}

}  // namespace forms
