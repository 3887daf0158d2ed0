// Points that touch as items of a motion: of each recorded frame as many as there are.
#pragma once

#include <string>
#include <vector>

#include "marey/sim.h"

namespace marey {

inline constexpr const char* touching_items_name = "touching";
// Fields t, a, b, point, normal, force, moment, gap, slip. `a` and `b` are numbers of names: the world, links, scenery, then the
// scene's points on floors, which stand for the floor of each.
ItemList touching_list(const Scene&);
// Whether the scene has anything of the kind; and its `record` leaves it in.
bool has_touching(const Scene&);
bool records_touching(const Scene&);
// Whether a pattern of `record: {channels: …}` asks for the list, or for some of what is made of it.
bool names_touching(const std::string& pattern);

}  // namespace marey
