// Where links are in a motion: in its frames, and between them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "marey/io/motion.h"
#include "marey/spatial.h"

namespace marey {

struct LinkPoses {
  std::vector<double> times;                         // [frame] s, ascending
  std::vector<std::vector<Transform<double>>> X_WB;  // [frame][nlink], of link 0 the identity
};
// From the channels link/NAME/position and link/NAME/orientation; particles never turn. Where they are missing the error says
// what to record for `task` ("a picture").
LinkPoses link_poses(const Model&, const Motion&, const std::string& task);
// The patterns of the channels that link_poses reads; a motion of particles alone has no orientations.
std::vector<std::string> channels_of_poses(const MotionInfo&);

// On the way from a to b, s from 0 to 1: the point moves on a straight line, the rotation is about one axis.
Transform<double> pose_between(const Transform<double>& a, const Transform<double>& b, double s);
// At a time, which is cut to the motion. Between two frames each joint's pose X_PB is interpolated, so that joints stay closed.
// Throws Error(bad_input), with the link's name, where a place is not a number. `parents` come before their children.
std::vector<Transform<double>> poses_at(std::span<const double> times,
                                        std::span<const std::vector<Transform<double>>> X_WB,
                                        std::span<const int> parents, const std::function<std::string(int)>& name_of,
                                        double t);

// The planes that figures stand on, of contacts and of scenery, each once: where points rest that keep a clearance.
std::vector<Plane> floors_of(std::span<const FloorContact>, std::span<const SceneryPiece>);

}  // namespace marey
