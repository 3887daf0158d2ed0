// Elements of a scene: friction and supports of links, springs of particles, torques, forces.
#pragma once

#include <vector>

#include "marey/force/element_maker.h"
#include "scene/figures.h"

namespace marey {

// `torques`, `forces` and `frame` may be null. Element names are unique: figure.link/what, or as the scene names them.
std::vector<Element> read_elements(const FiguresDraft&, const Model&, const State& start, const Value* torques,
                                   const Value* forces, const Value* frame);

}  // namespace marey
