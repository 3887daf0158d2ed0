#include "contact/thickness.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace marey {

namespace {

double least(const Vec3<double>& a) { return std::min({a.x, a.y, a.z}); }

double thickness_of_core(const Convex& c) {
  switch (c.kind) {
    case ConvexKind::plane:
      return std::numeric_limits<double>::infinity();
    case ConvexKind::box:
    case ConvexKind::ellipsoid:
    case ConvexKind::cylinder:
      return 2 * least(c.half);
    case ConvexKind::cone: {  // the least height of the triangle that it is from the side
      const double length = 2 * c.half.z;
      return std::min(length, 2 * c.half.x * length / std::hypot(c.half.x, length));
    }
    case ConvexKind::hull: {
      double thinnest = std::numeric_limits<double>::infinity();
      for (const ConvexHull::Face& face : c.hull->faces)
        thinnest =
            std::min(thinnest, face.offset + support_value(Convex{ConvexKind::hull, {}, 0, c.hull}, -face.normal));
      return thinnest;
    }
    default:  // a point, a segment
      return 0;
  }
}
double thickness_of(const Convex& c) { return thickness_of_core(c) + 2 * c.margin; }

double thickness_of(const MeshSolid& solid) {
  if (solid.hull) return thickness_of(solid.hull->convex);
  double volume = 0, area = 0;
  Bounds box;
  for (const Vec3<double>& p : solid.mesh.vertices) box.add(p);
  for (const std::array<int, 3>& t : solid.mesh.triangles) {
    const auto corner = [&](std::size_t k) { return solid.mesh.vertices[static_cast<std::size_t>(t[k])] - box.low; };
    const Vec3<double> twice = cross(corner(1) - corner(0), corner(2) - corner(0));
    area += 0.5 * norm(twice), volume += dot(corner(0), twice) / 6;
  }
  return std::min(least(box.high - box.low), 2 * volume / area);
}

}  // namespace

double thickness_of(const Collider& c) {
  double thinnest = std::numeric_limits<double>::infinity();
  for (const ColliderPart& part : c.parts) {
    const auto* convex = std::get_if<Convex>(&part.geometry);
    thinnest = std::min(thinnest, convex != nullptr
                                      ? thickness_of(*convex)
                                      : thickness_of(*std::get<std::shared_ptr<const MeshSolid>>(part.geometry)));
  }
  return thinnest;
}

}  // namespace marey
