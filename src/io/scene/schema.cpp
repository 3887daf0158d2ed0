// The JSON Schema of scenes, written from the tables of keys. Draft 07, which the YAML servers of editors take.
#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "marey/io/scene.h"
#include "marey/scene/keys.h"
#include "marey/spec/units.h"

namespace marey {

namespace {

std::string json_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string reference(std::string_view kind, std::string_view name) {
  return fmt::format(R"({{"$ref": "#/definitions/{}-{}"}})", kind, name);
}

std::string array_of(const std::string& items, int least, int most) {
  const std::string bounds = most > 0 ? fmt::format(R"(, "maxItems": {})", most) : "";
  return fmt::format(R"({{"type": "array", "items": {}, "minItems": {}{}}})", items, least, bounds);
}

std::vector<std::string> split(std::string_view text, std::string_view by) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(by, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + by.size();
  }
  return parts;
}

std::string words_schema(std::string_view list) {
  std::string words;
  for (const std::string& word : split(list, ",")) {
    const bool number = word.find_first_not_of("0123456789") == std::string::npos;
    words += (words.empty() ? "" : ", ") + (number ? word : json_quoted(word));
  }
  return fmt::format(R"({{"enum": [{}]}})", words);
}

// One alternative of a form; see KeyInfo.
std::string form_schema(std::string_view form_and_range) {
  const std::string_view form = without_range(form_and_range);
  if (form == "text") return R"({"type": ["string", "number"]})";
  if (form == "name") return R"({"type": "string"})";
  if (form == "names") return array_of(R"({"type": ["string", "integer"]})", 1, 0);
  if (form == "pairs") return array_of(array_of(R"({"type": ["string", "integer"]})", 2, 2), 1, 0);
  if (form == "wholes") return array_of(R"({"type": "integer", "minimum": 1})", 1, 3);
  if (form == "lengths") return array_of(reference("quantity", "length"), 2, 2);
  if (form == "waypoints") return array_of(array_of(R"({"type": ["string", "number"]})", 4, 4), 2, 0);
  if (form == "formula") return R"({"type": ["string", "number"]})";
  if (form == "formulas") return array_of(R"({"type": ["string", "number"]})", 3, 3);
  if (form == "constants") return R"({"type": "object", "additionalProperties": {"type": ["string", "number"]}})";
  if (form == "factors") {
    const std::string one = R"({"type": ["string", "number"]})";
    return fmt::format(R"({{"type": "object", "minProperties": 1, "additionalProperties": {{"anyOf": [{}, {}, {}]}}}})",
                       one, reference("map", "coupled"), form_schema("constants"));
  }
  if (form == "whole") return R"({"type": "integer", "minimum": 1})";
  if (form == "flag") return R"({"type": "boolean"})";
  if (form == "axis") return reference("value", "axis");
  if (form == "axes") return array_of(reference("value", "axis"), 2, 2);
  if (form == "knots") return array_of(array_of(R"({"type": ["number", "string"]})", 2, 2), 2, 0);
  if (form == "coordinates")
    return fmt::format(R"({{"type": "object", "additionalProperties": {}}})", words_schema("angle,length"));
  if (form == "rotation") return reference("value", "rotation");
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
      const std::string knot = fmt::format("[{}, {}]", reference("quantity", "time"), reference("quantity", rest));
      return array_of(array_of(knot, 2, 2), 1, 0);
    }
    case '=':
      return words_schema(rest);
    case '@':
      return reference("map", rest);
    case '{':
      return fmt::format(R"({{"type": "object", "additionalProperties": {}, "minProperties": 1}})",
                         reference("map", rest.substr(0, rest.size() - 1)));
    case '[':
      return array_of(reference("map", rest.substr(0, rest.size() - 1)), 0, 0);
    default:
      throw std::logic_error("no such form of a value: " + std::string(form));
  }
}

std::string key_schema(const KeyInfo& info) {
  std::string forms;
  for (const std::string& form : alternatives(info.form)) forms += (forms.empty() ? "" : ", ") + form_schema(form);
  return fmt::format(R"({}: {{"description": {}, "anyOf": [{}]}})", json_quoted(info.key), json_quoted(info.meaning),
                     forms);
}

std::string table_schema(const KeyTable& table, const std::string& indent) {
  std::string properties, required;
  for (const KeyInfo& info : table.keys) {
    properties += (properties.empty() ? "\n" : ",\n") + indent + "    " + key_schema(info);
    if (info.required) required += (required.empty() ? "" : ", ") + json_quoted(info.key);
  }
  std::string out =
      fmt::format("{}  \"type\": \"object\",\n{}  \"description\": {},\n", indent, indent, json_quoted(table.meaning));
  out += fmt::format("{}  \"additionalProperties\": false,\n", indent);
  if (!required.empty()) out += fmt::format("{}  \"required\": [{}],\n", indent, required);
  return out + fmt::format("{}  \"properties\": {{{}\n{}  }}", indent, properties, indent);
}

std::string value_definitions() {
  std::string out;
  for (const QuantityKind* kind : kinds::all)
    out += fmt::format(
        "    \"quantity-{}\": {{\"description\": \"{}, such as {}\", \"type\": [\"number\", \"string\"], "
        "\"pattern\": \"^[+-]?[.]?[0-9]\"}},\n",
        kind->key, kind->name, kind->example);
  out += fmt::format("    \"value-axis\": {{\"anyOf\": [{}, {}]}},\n", words_schema("x,y,z,-x,-y,-z"),
                     form_schema("v:number"));
  out += fmt::format("    \"value-rotation\": {{\"anyOf\": [{}, {}, {}]}}", form_schema("@rotation"),
                     form_schema("v:angle"), form_schema("l:number"));
  return out;
}

}  // namespace

std::string scene_schema() {
  std::string out =
      "{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n  \"title\": \"A scene of Marey\",\n";
  std::string definitions = value_definitions();
  for (const KeyTable& table : scene_key_tables()) {
    if (table.name == "scene")
      out += table_schema(table, "") + ",\n";
    else
      definitions += fmt::format(",\n    \"map-{}\": {{\n{}\n    }}", table.name, table_schema(table, "    "));
  }
  return out + "  \"definitions\": {\n" + definitions + "\n  }\n}\n";
}

}  // namespace marey
