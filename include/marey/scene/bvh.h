// A skeleton and its motion as BVH files hold them: joints by their parents, offsets at rest, and for every frame the numbers of
// each joint's channels. Axes, units of length and names are those of the file; angles are in degrees, as they are there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "marey/spatial.h"

namespace marey {

struct BvhChannel {
  bool turns = false;  // a rotation about the axis; otherwise a displacement along it
  int axis = 0;        // 0, 1, 2: x, y, z
};
struct BvhJoint {
  std::string name;
  int parent = -1;      // −1 of roots; before its children
  Vec3<double> offset;  // from the parent, at rest
  std::vector<BvhChannel> channels;
  std::optional<Vec3<double>> end;  // of a joint without children: where it ends
  int first = 0;                    // of its channels among those of a frame
};
struct BvhMotion {
  std::vector<BvhJoint> joints;
  double frame_time = 0;  // s
  int frames = 0, width = 0;
  std::vector<double> values;  // [frame × width + channel]

  // Where joints are in a frame: R(first channel) R(second) R(third) each in its parent, whose axes it has at rest. Displacements
  // stand in the place of the offset, as most programs have it.
  std::vector<Transform<double>> poses(int frame) const;  // [joint] in the axes and units of the file
};

}  // namespace marey
