// Inverse dynamics of a motion: the joint forces that its frames require.
#pragma once

#include "marey/io/motion.h"

namespace marey {

struct InverseOptions {
  // From only the links' poses, differentiated twice over five frames, as in film analysis; the first and the last two
  // frames have no answer. Otherwise the recorded velocities and accelerations of the joints are used.
  bool differentiate = false;
  bool contacts = true;  // recorded contact forces are external forces; otherwise the roots have to provide them
  // Recorded forces of loops, rods, paths, surfaces, rolling and driven places are external forces, too; otherwise they
  // are found at the joints between their ends and the world. Drives, couplings and locks of joints act in their
  // joints, and are always part of what is found there.
  bool constraints = true;
  bool pushes =
      true;  // recorded pushes and spikes, likewise; otherwise they are found where a joint could have done the same
};
// Whether the motion has constraint forces that can be external forces; in older files their points are not known.
enum class ConstraintForces { none, known, points_missing };
ConstraintForces constraint_forces_of(const Motion&);

// The motion's own frames with these channels:
//   joint/NAME/torque         forces in the joint's degrees of freedom, as tau of model.h
//   joint/NAME/force, moment  through the joint on the link by its parent, about Bo, in the axes of W
//   root/NAME/force, moment   on a root by the world about its Bo, in the axes of W: what no joint of the figure provides
// Elements are not evaluated: what springs, muscles and supports did is part of what is found. Throws Error when the
// motion does not hold what is needed.
Motion inverse_dynamics(const Motion&, const InverseOptions& = {});

}  // namespace marey
