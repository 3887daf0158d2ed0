// What the forms of all kinds are asked.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "marey/io/scene.h"
#include "marey/spec/keys.h"
#include "support/trouble.h"

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

}  // namespace forms
