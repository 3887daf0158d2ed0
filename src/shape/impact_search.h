// The search for a time of impact, for whatever has a signed distance: its equations are in impact_time.cpp.
#pragma once

#include "marey/shape/cast.h"

namespace marey {

// Reaches are infinite where a plane is among the shapes.
std::optional<Impact> search_impact(
    double reach_a, const MotionOfShape& motion_a, double reach_b, const MotionOfShape& motion_b, double t0, double t1,
    double gap, FunctionRef<Distance(const Transform<double>& X_WA, const Transform<double>& X_WB)> distance);

}  // namespace marey
