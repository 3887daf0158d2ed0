// Solids placed in the world: where a ray meets them, how far they reach, which balls contain them.
#pragma once

#include <memory>
#include <vector>

#include "marey/shape.h"
#include "marey/shape/bounds.h"
#include "marey/spatial.h"

namespace marey::render {

using Vec = Vec3<double>;
struct Surface;

enum class Kind { box, ellipsoid, capsule, cylinder, cone, surface };

// One solid in its place, around So. `half`: half edges of a box; radii of an ellipsoid (a sphere is one); for capsule,
// cylinder and cone x is the radius and z half the length of the straight part; for a surface of triangles x is by how much
// it is enlarged.
struct Prim {
  Kind kind = Kind::ellipsoid;
  Transform<double> X_WS;
  Vec half;
  std::shared_ptr<const Surface> surface{};  // of that kind
};
Prim placed(const Shape&, const Transform<double>& X_WB);
// A capsule between two points.
Prim stick(const Vec& from, const Vec& to, double radius);
Prim ball(const Vec& centre, double radius);

// First t > 0 at which o + t d (in S, d of any length) enters the solid, or a negative number. Rays from inside miss.
double hit(const Prim&, const Vec& o_S, const Vec& d_S);
// Outward unit normal in S at a point of the surface in S, met by a ray in the direction d_S.
Vec normal_at(const Prim&, const Vec& p_S, const Vec& d_S);

// Largest n · x over the points x of the solid, in W; n of any length.
double reach(const Prim&, const Vec& n);
struct Ball {
  Vec centre;
  double radius = 0;
};
// Balls whose convex hull contains the solid.
void append_balls(const Prim&, std::vector<Ball>&);
// The ball around its centre that contains it.
Ball bounding_ball(const Prim&);

// The box along the axes of W that contains it.
Bounds bounds_in_W(const Prim&);

// Where the line from Bo through the middle of the shapes leaves them; Bo where they lie around it; the
// centre of mass where there are none.
Vec far_end(const std::vector<Shape>&, const Vec& p_BoBcm_B);

}  // namespace marey::render
