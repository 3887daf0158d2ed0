// The named angles of an attitude by itself, without any joint.
#pragma once

#include "marey/force.h"

namespace marey {

// As named_angle() for the joint of an attitude; the quaternion may be of any length.
template <class T>
AngleAndGradient<T> angle_of_attitude(const NamedAngle&, const Quaternion<T>&);
// Second derivatives of twist and swing with this gradient, d²(angle)/dt² = w · H w while w stays: (5), (6) of
// src/force/named_angle.cpp. False for other angles, and where there is no gradient.
bool curvature_of_attitude(const NamedAngle&, const Quaternion<double>&, const Vec3<double>& gradient, Sym3<double>& H);

}  // namespace marey
