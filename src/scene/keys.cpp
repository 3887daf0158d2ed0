#include "marey/scene/keys.h"

#include <algorithm>
#include <stdexcept>

#include "marey/constraint/constraint_maker.h"
#include "marey/force/element_maker.h"
#include "marey/force/footing.h"
#include "marey/force/joint_limit.h"
#include "marey/scene/marks.h"
#include "scene/key_tables.h"

namespace marey {

namespace {

std::vector<KeyTable> gathered() {
  std::vector<KeyTable> all = keys_of_runs();
  for (const std::vector<KeyTable>& more : {keys_of_figures(), keys_of_things()})
    all.insert(all.end(), more.begin(), more.end());
  for (const KeyTable* table :
       {&joint_keys(), &joint_angles_keys(), &joint_displacements_keys(), &joint_function_keys(), &rotation_keys(),
        &support_keys(), &frame_keys(), &angle_keys(), &power_limit_keys(), &exponential_limit_keys(),
        &condition_keys(), &pad_keys(), &plank_keys(), &foot_torque_keys(), &constraint_keys(), &coupled_keys(),
        &joint_drive_keys(), &mark_keys()})
    all.push_back(*table);
  for (const ElementForms* forms : {&torque_forms(), &force_forms()}) {
    all.push_back(forms->table);
    for (const ElementForm* form : forms->all) all.push_back(form->keys);
  }
  for (const ConstraintForm* form : constraint_forms())
    if (std::ranges::find(all, form->keys.name, &KeyTable::name) == all.end()) all.push_back(form->keys);
  return all;
}

const std::vector<KeyTable>& tables() {
  static const std::vector<KeyTable> all = gathered();
  return all;
}

}  // namespace

std::span<const KeyTable> scene_key_tables() { return tables(); }

const KeyTable& key_table(std::string_view name) {
  for (const KeyTable& table : tables())
    if (name == table.name) return table;
  throw std::logic_error("no table of keys called " + std::string(name));
}

}  // namespace marey
