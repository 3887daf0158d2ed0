// What all formats of animations are made from: poses at equal times, and the pose at rest.
#pragma once

#include <string>
#include <vector>

#include "marey/io/animation.h"
#include "marey/io/poses.h"

namespace marey {

struct SampledMotion {
  std::vector<double> times;                         // [sample] s, from the beginning of the span
  std::vector<std::vector<Transform<double>>> X_WB;  // [sample][nlink]
};
SampledMotion sample_motion(const Model&, const Motion&, const AnimationRequest&);

// All coordinates zero: links by their parents.
std::vector<Transform<double>> rest_poses(const Model&);

// "human" of "human.left_shank".
std::string figure_of(const std::string& link);

// Turns Marey's axes into those of the file: y up, z towards the viewer; or as they are.
Mat3<double> turned_up(UpAxis);

}  // namespace marey
