// Limits of joints that give way (R8, W4): a torque that grows as an angle comes near its limit.
#pragma once

#include "marey/force.h"
#include "marey/spec/keys.h"

namespace marey {

// Along an angle of a joint, away from either limit. With δ the distance to the limit, positive before it, the torque is
//   spring       stiffness (begins − δ),                             where δ < begins
//   power        1/(a δ^b + c) − 1/(a begins^b + c),  δ < begins;     beyond the limit what it is there
//   exponential  torque e^(−δ/over)
struct LimitLaw {
  enum class Kind { spring, power, exponential };
  Kind kind = Kind::spring;
  double begins = 0;               // rad; before the limit
  double stiffness = 0;            // N m/rad
  double a = 0, b = 1, c = 1;      // 1/(N m rad^b), –, 1/(N m)
  double torque = 0, over = 0.01;  // N m, rad
};
struct JointLimit {
  int link = 0;
  NamedAngle angle;
  double from = -forever, to = forever;  // rad
  LimitLaw law;
};
// The factor 1 + damping × the rate of approach, never below zero, less the 1: it acts beside a limit of the same numbers.
struct JointLimitDamper {
  JointLimit limit;
  double damping = 0;  // s/rad
  int link = 0;        // that of the limit
};
const ElementLaw& law_of(const JointLimit*);
const ElementLaw& law_of(const JointLimitDamper*);

// Of the laws in a scene.
const KeyTable& power_limit_keys();
const KeyTable& exponential_limit_keys();

}  // namespace marey
