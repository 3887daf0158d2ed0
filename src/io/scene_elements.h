// Elements of a scene: friction and supports of links, torques, forces.
#pragma once

#include <vector>

#include "io/scene_figures.h"
#include "marey/force.h"

namespace marey {

// `torques`, `forces` and `frame` may be null. Element names are unique: figure.link/what, or as the scene names them.
std::vector<Element> read_elements(const FiguresDraft&, const Model&, const State& start, const YamlNode* torques,
                                   const YamlNode* forces, const YamlNode* frame);

// {twist: x}, {swing: x} or {euler: x}.
NamedAngle read_named_angle(const YamlNode&);
// What a `when` says.
Condition read_condition(const Model&, const State& start, const YamlNode&);

}  // namespace marey
