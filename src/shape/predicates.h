// On which side? Signs that are right whatever the rounding: of the determinants that say on which side of a plane, or of
// a line, a point lies.
//
// Source: J. R. Shewchuk, Adaptive precision floating-point arithmetic and fast robust geometric predicates, Discrete &
// Computational Geometry 18 (1997). A determinant larger than the bound of its own rounding error has its sign; else it is
// computed without any, as a sum of numbers that do not overlap ("expansion"). Right as long as nothing underflows: numbers
// are zero or between 1e-60 and 1e60 in absolute value, and differences of them (closed_mesh() sees to it for meshes).
#pragma once

#include "marey/spatial.h"

namespace marey {

struct Vec2 {
  double x = 0, y = 0;
};

// The sign, −1, 0 or 1, of (b − a) × (c − a) · (p − a): 1 where a, b, c are counterclockwise seen from p.
int side_of_plane(const Vec3<double>& a, const Vec3<double>& b, const Vec3<double>& c, const Vec3<double>& p);
// The sign of (b − a) × (c − a): 1 where a, b, c are counterclockwise.
int turn_of(const Vec2& a, const Vec2& b, const Vec2& c);
// The sign of a b − c d.
int sign_of_difference(double a, double b, double c, double d);

// Seen along an axis, with the other two in cyclic order, so that what is counterclockwise seen from +axis stays so.
inline Vec2 seen_along(int axis, const Vec3<double>& p) {
  return axis == 0 ? Vec2{p.y, p.z} : axis == 1 ? Vec2{p.z, p.x} : Vec2{p.x, p.y};
}
// An axis along which the triangle is seen with an area, −1 where there is none: its corners are in a line.
int axis_of_view(const Vec3<double>& a, const Vec3<double>& b, const Vec3<double>& c);

// Whether the closed segment pq has a point in common with the closed triangle abc, whose corners are not in a line.
bool segment_meets_triangle(const Vec3<double>& p, const Vec3<double>& q, const Vec3<double>& a, const Vec3<double>& b,
                            const Vec3<double>& c);

}  // namespace marey
