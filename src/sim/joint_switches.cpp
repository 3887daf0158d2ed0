#include "sim/joint_switches.h"

#include <algorithm>
#include <cmath>

namespace marey {

JointSwitches::JointSwitches(const Model& model) : unit_(static_cast<std::size_t>(model.nv)), model_(model) {}

void JointSwitches::add(std::size_t element, int link) {
  const LinkTopology& own = model_.links[static_cast<std::size_t>(link)];
  auto joint = std::ranges::find_if(joints_, [&](const Joint& j) { return j.link.v == own.v; });
  if (joint == joints_.end())
    joint = joints_.insert(joint, {own, {}, std::vector<double>(static_cast<std::size_t>(coordinate_count(own))), 0});
  joint->elements.push_back(element);
}

void JointSwitches::forget() {
  for (Joint& joint : joints_) joint.room = 0;
}

// Of the attitude, or of the coordinate that has gone farthest. Between quaternions d apart there is an angle of 4 asin ½d.
double JointSwitches::way_from(const Joint& joint, std::span<const double> q) {
  constexpr double angle_of_chord = 2.1, most_chord = 0.2;
  const double* now = q.data() + joint.link.q;
  const std::size_t turning = has_attitude(joint.link.joint) ? 4 : 0;
  double chord = 0, way = 0;
  for (std::size_t k = 0; k < turning; ++k) chord += (now[k] - joint.q[k]) * (now[k] - joint.q[k]);
  for (std::size_t k = turning; k < joint.q.size(); ++k) way = std::max(way, std::abs(now[k] - joint.q[k]));
  chord = std::sqrt(chord);
  return chord < most_chord ? std::max(way, angle_of_chord * chord) : forever;
}

double JointSwitches::speed(const Joint& joint, std::span<const double> v) {
  const double* own = v.data() + joint.link.v;
  double fastest = 0;
  std::size_t k = 0;
  if (has_attitude(joint.link.joint)) fastest = std::sqrt(own[0] * own[0] + own[1] * own[1] + own[2] * own[2]), k = 3;
  for (; k < static_cast<std::size_t>(freedom_count(joint.link)); ++k) fastest = std::max(fastest, std::abs(own[k]));
  return fastest;
}

}  // namespace marey
