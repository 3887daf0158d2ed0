// The kinds of constraints that scenes know, one line each.
#include <fmt/core.h>

#include "marey/constraint/constraint_maker.h"

namespace marey {

#define MAREY_CONSTRAINTS(X) \
  X(ball_loop)               \
  X(hinge_loop)              \
  X(slider_loop)             \
  X(weld_loop)               \
  X(universal_loop)          \
  X(cylindrical_loop)        \
  X(planar_loop)             \
  X(on_line_loop)            \
  X(on_plane_loop)           \
  X(rod)                     \
  X(path)                    \
  X(surface)                 \
  X(couple)                  \
  X(gears)                   \
  X(drive)                   \
  X(follow)                  \
  X(roll)

#define MAREY_DECLARE(name) extern const ConstraintForm name##_form;
MAREY_CONSTRAINTS(MAREY_DECLARE)
#undef MAREY_DECLARE

const std::vector<const ConstraintForm*>& constraint_forms() {
#define MAREY_ADDRESS(name) &name##_form,
  static const std::vector<const ConstraintForm*> all{MAREY_CONSTRAINTS(MAREY_ADDRESS)};
#undef MAREY_ADDRESS
  return all;
}

const KeyTable& constraint_keys() {
  static const KeyTable table = [] {
    KeyTable made{"constraint", "What restricts the motion of links: one of these.", {}};
    for (const ConstraintForm* form : constraint_forms())
      made.keys.push_back({form->key, "@" + form->keys.name, form->summary});
    return made;
  }();
  return table;
}

void make_constraint(MapReader& map, const ConstraintForm& form, const ConstraintMaker& maker, Constraint& c) {
  form.make(map, maker, c);
  maker.when(map, c);
}

}  // namespace marey
