// The human of 39 degrees of freedom, floating and turning as a whole: what can be welded is still.
#pragma once

#include "marey/sim.h"
#include "support/figures.h"

namespace marey::bench {

inline Scene floating_human(bool friction_in_joints) {
  Scene scene;
  ModelSpec spec = figures::human39();
  spec.gravity = {};
  scene.model = freeze(spec);
  scene.start = neutral_state(scene.model);
  scene.start.v[0] = 0.5, scene.start.v[1] = 0.3, scene.start.v[2] = 0.2;
  for (int i = 2; friction_in_joints && i < scene.model.nlink(); ++i)
    scene.elements.push_back({"friction of " + scene.model.names[static_cast<std::size_t>(i)], JointFriction{i, 0.01}});
  return scene;
}

}  // namespace marey::bench
