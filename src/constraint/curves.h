// Curves that constraints follow, with their derivatives.
#pragma once

#include "marey/constraint.h"

namespace marey {

struct CurvePoint {
  Vec3<double> C, d1, d2, d3;  // and its derivatives by the length of chords
};
CurvePoint curve_at(const SplinePath&, double s);
// The parameter of the point nearest to x.
double nearest_on(const SplinePath&, const Vec3<double>& x);

}  // namespace marey
