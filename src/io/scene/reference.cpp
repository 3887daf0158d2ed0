// The reference of all keys, docs/guide/keys.md, written from the tables that the reader itself uses.
#include <fmt/core.h>

#include "marey/constraint/constraint_maker.h"
#include "marey/force/element_maker.h"
#include "marey/io/scene.h"
#include "marey/model/joint_forms.h"
#include "marey/scene/keys.h"

namespace marey {
namespace {

struct Words {
  const char *form, *meaning;
};
// Forms that are one word; see KeyInfo.
constexpr Words plain_forms[] = {
    {"text", "text"},
    {"name", "a name"},
    {"names", "names in a list"},
    {"pairs", "pairs of names: [[a, b], [b, c]]"},
    {"groups", "names to names or lists of names"},
    {"whole", "a whole number"},
    {"wholes", "one to three whole numbers"},
    {"faces", "lists of whole numbers, three or more in each"},
    {"flag", "true or false"},
    {"axis", "an axis: x, y, z, -x, -y, -z or [x, y, z]"},
    {"axes", "two axes"},
    {"rotations", "names to [rotations](#rotation)"},
    {"rotation", "a [rotation](#rotation), three Euler angles, or a quaternion [w, x, y, z]"},
    {"formula", "a formula in quotes"},
    {"formulas", "three formulas in quotes"},
    {"constants", "names to numbers"},
    {"coordinates", "names to angle or length"},
    {"knots", "pairs of coordinate and value"},
    {"lengths", "two lengths"},
    {"waypoints", "times and places: [[0 s, 0, 0, 1 m], …]"},
    {"factors", "joints to factors"},
    {"amount", "a number with its unit"},
    {"amounts", "two numbers of one kind with their units"},
};

std::string linked(std::string_view table) { return fmt::format("[{}](#{})", table, table); }

std::string quantity_words(const std::string& form) {
  const QuantityForm q = quantity_form(form, form[0]);
  const std::string range = q.range == Range::positive       ? " above zero"
                            : q.range == Range::not_negative ? ", 0 or more"
                                                             : "";
  const std::string one = fmt::format("{}{} (`{}`)", q.kind->name, range, q.kind->example);
  switch (form[0]) {
    case 'q':
      return one;
    case 'v':
      return "three, each " + one;
    case 'l':
      return "four, each " + one;
    case 'm':
      return "three rows of three, each " + one;
    case 'n':
      return "a list, each " + one;
    case 'p':
      return "a list of threes, each " + one;
    case 'w':
      return "times and vectors: a time and three, each " + one;
    default:
      return "times and values: a time and " + one;
  }
}

std::string words_of(const std::string& form) {
  for (const Words& words : plain_forms)
    if (form == words.form) return words.meaning;
  if (form[0] == '=') {
    std::string out = "`";
    for (const char c : form.substr(1)) out += c == ',' ? std::string("`, `") : std::string(1, c);
    return out + "`";
  }
  if (form[0] == '@') return linked(form.substr(1));
  if (form.starts_with("[@")) return "a list of " + linked(form.substr(2, form.size() - 3));
  if (form.starts_with("{@")) return "names, each with " + linked(form.substr(2, form.size() - 3));
  return quantity_words(form);
}

std::string table_text(const KeyTable& table) {
  std::string out = fmt::format("## {}\n{}\n\n| key | value | meaning |\n|---|---|---|\n", table.name, table.meaning);
  for (const KeyInfo& info : table.keys) {
    std::string forms;
    for (const std::string& form : alternatives(info.form)) forms += (forms.empty() ? "" : "; or ") + words_of(form);
    out += fmt::format("| `{}`{} | {} | {} |\n", info.key, info.required ? " (needed)" : "", forms, info.meaning);
  }
  return out + "\n";
}

std::string examples_of(const std::string& table) {
  for (const ElementForms* forms : {&torque_forms(), &force_forms()})
    for (const ElementForm* form : forms->all) {
      if (form->keys.name != table) continue;
      std::string out = "```yaml\n";
      for (const char* example : form->examples) out += fmt::format("- {}: {}\n", table, example);
      return out + "```\n\n";
    }
  std::string lines;
  for (const ConstraintForm* form : constraint_forms())
    if (form->keys.name == table)
      for (const char* example : form->examples) lines += fmt::format("- {}: {}\n", form->key, example);
  if (table == "joint")
    for (const JointForm* form : joint_forms())
      for (const char* example : form->examples) lines += fmt::format("joint: {}\n", example);
  return lines.empty() ? "" : "```yaml\n" + lines + "```\n\n";
}

}  // namespace

std::string scene_reference() {
  std::string out =
      "# Every key of a scene\n\nMade from the tables that the reader itself goes by (`marey check --reference`); what "
      "they "
      "are for is told in [scenes](scenes.md). A number\nwithout a unit is in SI units and radians.\n\n";
  for (const KeyTable& table : scene_key_tables()) out += table_text(table) + examples_of(table.name);
  out.pop_back();
  return out;
}

}  // namespace marey
