// The kinds of forces and torques that scenes know, one line each.
#include <fmt/core.h>

#include "marey/core/text.h"
#include "marey/force/element_maker.h"

namespace marey {

#define MAREY_FORCES(X) X(spike) X(push) X(hold) X(spring) X(attraction) X(drag) X(field) X(mass_flow) X(footing)
#define MAREY_TORQUES(X) X(free_play) X(friction) X(reflex) X(torque) X(stop) X(motor) X(limit) X(muscle)

#define MAREY_DECLARE(name) extern const ElementForm name##_form;
MAREY_FORCES(MAREY_DECLARE)
MAREY_TORQUES(MAREY_DECLARE)
#undef MAREY_DECLARE

namespace {

ElementForms gathered(const char* what, const char* meaning, std::vector<const ElementForm*> all) {
  ElementForms forms{what, {what, meaning, {}}, std::move(all)};
  for (const ElementForm* form : forms.all)
    forms.table.keys.push_back({form->keys.name, "@" + form->keys.name, form->summary});
  return forms;
}

}  // namespace

#define MAREY_ADDRESS(name) &name##_form,
const ElementForms& force_forms() {
  static const ElementForms forms = gathered("force", "A force or torque from outside.", {MAREY_FORCES(MAREY_ADDRESS)});
  return forms;
}
const ElementForms& torque_forms() {
  static const ElementForms forms = gathered("torque", "A torque in joints.", {MAREY_TORQUES(MAREY_ADDRESS)});
  return forms;
}
#undef MAREY_ADDRESS

void ElementForms::make(const Value& entry, ElementMaker& maker) const {
  for (const ElementForms* others : {&force_forms(), &torque_forms()})
    for (const ValueEntry& e : entry.entries)
      if (table.find(e.key) == nullptr && others->table.find(e.key) != nullptr)
        refuse(e.key_at, fmt::format("found '{}' among the {}s; expected it in '{}s', where it belongs", e.key, what,
                                     others->what));
  for (const ElementForm* form : all)
    for (const ValueEntry& e : entry.entries)
      if (table.find(e.key) == nullptr && form->keys.find(e.key) != nullptr && entry.find(form->keys.name) != nullptr)
        refuse(e.key_at, fmt::format("found '{}' beside '{}'; expected it within: indented further, or in its braces",
                                     e.key, form->keys.name));
  MapReader outer(entry, table);
  const std::vector<std::string> words = table.words();
  const std::string key = outer.one_of(words);
  if (key.empty()) refuse(entry.at, fmt::format("found an empty {}; expected {}", what, either(words)));
  for (const ElementForm* form : all) {
    if (form->keys.name != key) continue;
    MapReader map(outer.need(key), form->keys);
    map.belongs_to(entry);
    form->make(map, maker);
  }
}

}  // namespace marey
