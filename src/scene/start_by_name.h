// Starts that are found: at rest in the equilibrium near the given poses, put where floors and constraints allow, or moved by scripts.
#pragma once

#include <vector>

#include "marey/scene.h"
#include "scene/constraints.h"
#include "scene/start.h"

namespace marey {

StartPlaces read_contacts_and_start(const Value* contacts, const Value* constraints, const Value* drives,
                                    std::vector<ScriptedJoint> scripts, const Value* start, const Place& otherwise,
                                    bool recorded, Scene& scene);

// By scripts alone (solver: {dynamics: none}); `at`: where that is said.
void start_by_scripts(const Place& at, const Value& root, Scene&);

}  // namespace marey
