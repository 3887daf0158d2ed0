// The named angles of an attitude by itself, without any joint.
#pragma once

#include "marey/force.h"

namespace marey {

// As named_angle() for the joint of an attitude; the quaternion may be of any length.
template <class T>
AngleAndGradient<T> angle_of_attitude(const NamedAngle&, const Quaternion<T>&);

}  // namespace marey
