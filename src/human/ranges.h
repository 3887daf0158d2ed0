#pragma once

#include <span>

#include "marey/human.h"

namespace marey {

std::span<const JointRange> joint_ranges_of(BodySource);

struct JointFriction {
  const char* joint;
  double friction;  // N m s/rad, of a person of 75 kg and 1.75 m
};
std::span<const JointFriction> joint_frictions();

}  // namespace marey
