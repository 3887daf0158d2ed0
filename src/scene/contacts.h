// Contacts of a scene: points of links against floors.
#pragma once

#include <vector>

#include "marey/contact.h"
#include "marey/force.h"
#include "marey/spec/values.h"

namespace marey {

// A height, or a map of the table "floor".
Plane read_plane(const Value&);

// `contacts` may be null. `may_be_below`: points may start below their floors. Names are unique among the elements, too: figure.link/floor, or as the scene names them.
std::vector<FloorContact> read_contacts(const Model&, const State& start, std::span<const Element>,
                                        const Value* contacts, bool may_be_below);

}  // namespace marey
