// What is recorded of links on point joints: fewer numbers than of a body, since a net has hundreds of them, and what
// bends and what speeds up their paths.
#pragma once

#include <string>
#include <vector>

#include "marey/sim.h"

namespace marey {

// A link on a point joint to the world: it never turns, and its joint transmits nothing.
bool is_particle(const LinkTopology&);

struct PathAcceleration {
  double tangential = 0, normal = 0;
};
// Of a point with velocity v and acceleration a: a = tangential v/|v| + normal (towards the centre of curvature). A
// point at rest is about to leave along a, so that all of it is tangential.
PathAcceleration along_path(const Vec3<double>& v, const Vec3<double>& a);

}  // namespace marey
