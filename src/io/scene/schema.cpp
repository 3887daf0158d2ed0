// The JSON Schema of scenes, written from the tables of keys. Draft 07, which editors' YAML language servers accept.
#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "marey/io/scene.h"
#include "marey/scene/keys.h"
#include "marey/spec/units.h"

namespace marey {

using Json = nlohmann::ordered_json;

namespace {

Json of_type(const char* type) { return {{"type", type}}; }
// Since YAML readers take unquoted digits for a number.
Json text_or_number() { return {{"type", {"string", "number"}}}; }
Json name_or_number() { return {{"type", {"string", "integer"}}}; }

Json reference(std::string_view kind, std::string_view name) {
  return {{"$ref", fmt::format("#/definitions/{}-{}", kind, name)}};
}

Json array_of(const Json& items, int least, int most) {
  Json array{{"type", "array"}, {"items", items}, {"minItems", least}};
  if (most > 0) array["maxItems"] = most;
  return array;
}

Json map_of(const Json& values) { return {{"type", "object"}, {"additionalProperties", values}}; }

Json any_of(std::initializer_list<Json> forms) {
  Json list = Json::array();
  for (const Json& form : forms) list.push_back(form);
  return {{"anyOf", std::move(list)}};
}

Json words_schema(std::string_view list) {
  Json words = Json::array();
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string word(list.substr(begin, end - begin));
    if (word.find_first_not_of("0123456789") == std::string::npos)
      words.push_back(std::stoi(word));
    else
      words.push_back(word);
    begin = end + 1;
  }
  return {{"enum", std::move(words)}};
}

// One alternative of a form; see KeyInfo.
Json form_schema(std::string_view form_and_range) {
  const std::string_view form = without_range(form_and_range);
  if (form == "text" || form == "formula" || form == "amount") return text_or_number();
  if (form == "amounts") return array_of(text_or_number(), 2, 2);
  if (form == "name") return of_type("string");
  if (form == "names") return array_of(name_or_number(), 1, 0);
  if (form == "pairs") return array_of(array_of(name_or_number(), 2, 2), 1, 0);
  if (form == "groups") return map_of(any_of({form_schema("name"), form_schema("names")}));
  if (form == "whole") return {{"type", "integer"}, {"minimum", 1}};
  if (form == "wholes") return array_of(form_schema("whole"), 1, 3);
  if (form == "faces") return array_of(array_of(form_schema("whole"), 3, 0), 1, 0);
  if (form == "lengths") return array_of(reference("quantity", "length"), 2, 2);
  if (form == "waypoints") return array_of(array_of(text_or_number(), 4, 4), 2, 0);
  if (form == "formulas") return array_of(text_or_number(), 3, 3);
  if (form == "constants") return map_of(text_or_number());
  if (form == "factors") {
    Json factors = map_of(any_of({text_or_number(), reference("map", "coupled"), form_schema("constants")}));
    factors["minProperties"] = 1;
    return factors;
  }
  if (form == "flag") return of_type("boolean");
  if (form == "axis") return reference("value", "axis");
  if (form == "axes") return array_of(reference("value", "axis"), 2, 2);
  if (form == "knots") return array_of(array_of(text_or_number(), 2, 2), 2, 0);
  if (form == "coordinates") return map_of(words_schema("angle,length"));
  if (form == "rotation") return reference("value", "rotation");
  if (form == "rotations") return map_of(reference("value", "rotation"));
  const std::string_view rest = form.substr(form.find_first_of(":=@") + 1);
  switch (form[0]) {
    case 'q':
      return reference("quantity", rest);
    case 'v':
      return array_of(reference("quantity", rest), 3, 3);
    case 'l':
      return array_of(reference("quantity", rest), 4, 4);
    case 'n':
      return array_of(reference("quantity", rest), 1, 0);
    case 'm':
      return array_of(array_of(reference("quantity", rest), 3, 3), 3, 3);
    case 'p':
      return array_of(array_of(reference("quantity", rest), 3, 3), 1, 0);
    case 't': {
      Json knot = Json::array();
      knot.push_back(reference("quantity", "time")), knot.push_back(reference("quantity", rest));
      return array_of(array_of(knot, 2, 2), 1, 0);
    }
    case 'w': {
      Json knot = Json::array();
      knot.push_back(reference("quantity", "time")), knot.push_back(array_of(reference("quantity", rest), 3, 3));
      return array_of(array_of(knot, 2, 2), 2, 0);
    }
    case '=':
      return words_schema(rest);
    case '@':
      return reference("map", rest);
    case '{': {
      Json map = map_of(reference("map", rest.substr(0, rest.size() - 1)));
      map["minProperties"] = 1;
      return map;
    }
    case '[':
      return array_of(reference("map", rest.substr(0, rest.size() - 1)), 0, 0);
    default:
      throw std::logic_error("no such form of a value: " + std::string(form));
  }
}

Json key_schema(const KeyInfo& info) {
  Json forms = Json::array();
  for (const std::string& form : alternatives(info.form)) forms.push_back(form_schema(form));
  return {{"description", info.meaning}, {"anyOf", std::move(forms)}};
}

// Adds the schema of a map with these keys.
void add_table(const KeyTable& table, Json& out) {
  Json properties = Json::object(), required = Json::array();
  for (const KeyInfo& info : table.keys) {
    properties[std::string(info.key)] = key_schema(info);
    if (info.required) required.push_back(info.key);
  }
  out["type"] = "object";
  out["description"] = table.meaning;
  out["additionalProperties"] = false;
  if (!required.empty()) out["required"] = std::move(required);
  out["properties"] = std::move(properties);
}

Json value_definitions() {
  Json out = Json::object();
  for (const QuantityKind* kind : kinds::all)
    out[fmt::format("quantity-{}", kind->key)] = {
        {"description", fmt::format("{}, such as {}", kind->name, kind->example)},
        {"anyOf", {{{"type", {"number", "string"}}, {"pattern", "^[+-]?[.]?[0-9]"}}, reference("map", "mark")}}};
  out["value-axis"] = any_of({words_schema("x,y,z,-x,-y,-z"), form_schema("v:number")});
  out["value-rotation"] = any_of({form_schema("@rotation"), form_schema("v:angle"), form_schema("l:number")});
  return out;
}

}  // namespace

std::string scene_schema() {
  Json out{{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", "A scene of Marey"}};
  Json definitions = value_definitions();
  for (const KeyTable& table : scene_key_tables())
    add_table(table, table.name == "scene" ? out : definitions[fmt::format("map-{}", table.name)]);
  out["definitions"] = std::move(definitions);
  return out.dump(1) + "\n";
}

}  // namespace marey
