// The parts of a standing body, each segment of each side in its place.
#pragma once

#include <vector>

#include "marey/human.h"

namespace marey {

enum class Side { middle, left, right };

// Something to see and to touch, in the axes of the standing body.
struct HumanPart {
  BodyPart segment;
  Side side;
  Vec3<double> joint, center;  // p from the middle between the soles
  double mass;
  Vec3<double> moments;  // about the centre
};
std::vector<HumanPart> standing_parts(const Body&);

// What a part looks like: solids whose volume is that of its mass, as scenes write them, in a frame whose origin is `origin`
// and whose axes are those of the standing body. `open`: its lower end is one of the figure's, which nothing hangs on.
std::vector<Value> shapes_of(const Body&, const HumanPart&, const Vec3<double>& origin);

}  // namespace marey
