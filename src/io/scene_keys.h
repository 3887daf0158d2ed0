// Every key a scene may have, in tables: the reader refuses any other, and the JSON Schema is written from them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace marey {

struct KeyInfo {
  const char* key;
  // What the value looks like; alternatives are separated by " or ":
  //   lengths two, waypoints times and places,
  //   wholes one to three, formula, formulas three, constants names to numbers, pairs of names,
  //   factors names to numbers or to maps of them
  //   text, name, names, whole, flag, axis, rotation   q:KIND a quantity   v:KIND three   m:KIND three by three
  //   axes two of them, coordinates names to angle or length, knots pairs of quantities   n:KIND a list of any length
  //   p:KIND a list of threes   t:KIND a time table   =a,b one of these words   @TABLE a map   {@TABLE} names to maps
  //   [@TABLE] a list
  const char* form;
  const char* meaning;
  bool required = false;
};
struct KeyTable {
  const char* name;     // what errors call it
  const char* meaning;  // for the schema
  std::vector<KeyInfo> keys;

  const KeyInfo* find(std::string_view key) const;
  std::vector<std::string> words() const;  // the keys alone
};

std::span<const KeyTable> scene_key_tables();
const KeyTable& key_table(std::string_view name);

}  // namespace marey
