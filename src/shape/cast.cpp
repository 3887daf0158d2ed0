// Rays and solids that move along a line.
//
// Along x(t) = x₀ + t w the distance d(t) of two convex sets is a convex function with the slope d′ = −n · w, n the normal
// from the moving one to the other (the separating plane is a support of both). Newton's steps
//
//   t ← t + (d − gap)/(n · w)
//
// therefore never pass the first root, and reach it quadratically, for polyhedra after finitely many steps. Where n · w ≤ 0
// the distance grows from here on: nothing is met. A ray is a point that moves. This is van den Bergen's ray cast (J.
// Graphics Tools 2004), with the distance as it is instead of one simplex shared by all steps.
#include "marey/shape/cast.h"

#include <cmath>

#include "shape/minkowski.h"

namespace marey {
namespace {

constexpr int cast_steps = 200;

std::optional<Hit> cast_along(const Convex& a, Transform<double> X_WA, const Vec3<double>& way, const Convex& b,
                              const Transform<double>& X_WB, double longest, double gap) {
  const Vec3<double> start = X_WA.p;
  double size = norm(X_WA.p - X_WB.p), t = 0;
  for (const Convex* c : {&a, &b})
    if (c->kind != ConvexKind::plane) size = std::max(size, reach(*c));
  PairCache cache;
  for (int step = 0; step < cast_steps; ++step) {
    const Distance d = distance_between(a, X_WA, b, X_WB, &cache);
    const double left = d.distance - gap;
    if (left <= 1e-13 * size) {
      if (step == 0) return Hit{0, 0.5 * (d.point_a_W + d.point_b_W), left < 0 ? Vec3<double>{} : -d.normal_W};
      return Hit{t, d.point_b_W, -d.normal_W};
    }
    const double closing = dot(d.normal_W, way);
    if (!(closing > 0)) return {};
    t += left / closing;
    if (!(t <= longest)) return {};
    X_WA.p = start + t * way;
  }
  return {};
}

}  // namespace

std::optional<Hit> ray_cast(const Convex& b, const Transform<double>& X_WB, const Vec3<double>& origin,
                            const Vec3<double>& direction, double longest) {
  const Convex point{ConvexKind::sphere, {}, 0, nullptr, nullptr};
  return cast_along(point, {Mat3<double>::identity(), origin}, direction, b, X_WB, longest, 0);
}

std::optional<Hit> shape_cast(const Convex& a, const Transform<double>& X_WA, const Vec3<double>& way, const Convex& b,
                              const Transform<double>& X_WB, double gap) {
  return cast_along(a, X_WA, way, b, X_WB, 1, gap);
}

}  // namespace marey
