// Mass properties of homogeneous solids.
//
// Source: W3. J = ∫ (r·r 1 − r rᵀ) dm about the centre, in the axes of S; a solid of these kinds has no
// products of inertia there. W (8) is the box; the others follow by the same integral. For a capsule of
// radius r and cylindrical length L, with the mass shared by volume between the cylinder (mc) and the two
// half balls (mb together), whose centres of mass lie at ±(L/2 + 3r/8) and whose inertia about their own
// centres of mass is (2/5 − 9/64) r² per mass,
//   J_zz = mc r²/2 + mb 2r²/5                                                                          (a)
//   J_xx = J_yy = mc (r²/4 + L²/12) + mb (2r²/5 + L²/4 + 3 r L/8)                                       (b)
// A cone of radius r and length L has its centre of mass at a quarter of its length from the base, z = −L/4 in S, and about
// that
//   J_zz = 3 m r²/10,  J_xx = J_yy = 3 m (r² + L²/4)/20                                                  (c)
// Hulls and polyhedra: from their faces (mesh_mass.cpp, hull_mass.cpp).
//
// Moving the solid to its place in the link is spatial.h's X_BS * Inertia: W (11)(12) for the shift, and (14)
// as it should read, I″ = Dᵀ I′ D with the new axes as columns of D (the print has the transpose): D is R_BSᵀ
// here, for the new frame is B.
#include <cmath>
#include <numbers>

#include "marey/shape.h"
#include "marey/shape/hull.h"
#include "marey/shape/mesh.h"

namespace marey {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

constexpr double pi = std::numbers::pi;
constexpr double square(double x) { return x * x; }

Sym3<double> box_inertia(const Vec3<double>& size, double m) {  // W (8)
  const double xx = square(size.x), yy = square(size.y), zz = square(size.z);
  return Sym3<double>::diagonal(m * (yy + zz) / 12, m * (xx + zz) / 12, m * (xx + yy) / 12);
}

Sym3<double> capsule_inertia(const Capsule& c, double m) {
  // Shares by volume, divided by π r² so that a capsule of no radius is a rod, and one of no size a point.
  const double whole = c.length + 4 * c.radius / 3;
  const double mc = whole > 0 ? m * (c.length / whole) : 0, mb = m - mc;
  const double rr = square(c.radius), ll = square(c.length);
  const double across = mc * (rr / 4 + ll / 12) + mb * (2 * rr / 5 + ll / 4 + 3 * c.radius * c.length / 8);  // (b)
  return Sym3<double>::diagonal(across, across, mc * rr / 2 + mb * 2 * rr / 5);                              // (a)
}

Inertia<double> cone_inertia(const Cone& c, double m) {  // (c)
  const double across = 3 * m * (square(c.radius) + square(c.length) / 4) / 20;
  return inertia_about_origin(m, {0, 0, -c.length / 4},
                              Sym3<double>::diagonal(across, across, 3 * m * square(c.radius) / 10));
}

// Of a solid whose density is chosen so that it has the given mass.
Inertia<double> with_mass(const SolidMass& of_density_one, double m) {
  const double density = m / of_density_one.mass;
  return inertia_of({m, of_density_one.center, density * of_density_one.central});
}

Bounds points_bounds(std::span<const Vec3<double>> points, double margin) {
  Bounds box;
  for (const Vec3<double>& p : points) box.add(p);
  const Vec3<double> all{margin, margin, margin};
  return {box.low - all, box.high + all};
}
Bounds bounds_of_points(const Hull& h) { return points_bounds(h.hull->vertices, h.rounding); }
Bounds bounds_of_points(const Polyhedron& p) { return points_bounds(p.mesh->vertices, 0); }

}  // namespace

double volume(const Solid& solid) {
  return std::visit(Overloaded{
                        [](const Box& b) { return b.size.x * b.size.y * b.size.z; },
                        [](const Sphere& s) { return 4 * pi / 3 * square(s.radius) * s.radius; },
                        [](const Capsule& c) { return pi * square(c.radius) * (c.length + 4 * c.radius / 3); },
                        [](const Cylinder& c) { return pi * square(c.radius) * c.length; },
                        [](const Ellipsoid& e) { return 4 * pi / 3 * e.radii.x * e.radii.y * e.radii.z; },
                        [](const Cone& c) { return pi / 3 * square(c.radius) * c.length; },
                        [](const Hull& h) { return solid_mass(*h.hull, 1, h.rounding).mass; },
                        [](const Polyhedron& p) { return solid_mass(*p.mesh, 1).mass; },
                    },
                    solid);
}

Vec3<double> bounding_box(const Solid& solid) {
  return std::visit(Overloaded{
                        [](const Box& b) { return b.size; },
                        [](const Sphere& s) {
                          return Vec3<double>{2 * s.radius, 2 * s.radius, 2 * s.radius};
                        },
                        [](const Capsule& c) {
                          return Vec3<double>{2 * c.radius, 2 * c.radius, c.length + 2 * c.radius};
                        },
                        [](const Cylinder& c) {
                          return Vec3<double>{2 * c.radius, 2 * c.radius, c.length};
                        },
                        [](const Ellipsoid& e) { return 2.0 * e.radii; },
                        [](const Cone& c) {
                          return Vec3<double>{2 * c.radius, 2 * c.radius, c.length};
                        },
                        [](const auto& points) {
                          const Bounds box = bounds_of_points(points);
                          return box.high - box.low;
                        },
                    },
                    solid);
}

Vec3<double> bounding_box_center(const Solid& solid) {
  const auto middle = [](const auto& points) {
    const Bounds box = bounds_of_points(points);
    return 0.5 * (box.low + box.high);
  };
  if (const Hull* h = std::get_if<Hull>(&solid)) return middle(*h);
  if (const Polyhedron* p = std::get_if<Polyhedron>(&solid)) return middle(*p);
  return {};
}

Inertia<double> solid_inertia(const Solid& solid, double m) {
  const auto centred = [m](const Sym3<double>& J) { return Inertia<double>{m, {}, J}; };
  return std::visit(
      Overloaded{
          [&](const Box& b) { return centred(box_inertia(b.size, m)); },
          [&](const Sphere& s) {
            const double j = 0.4 * m * square(s.radius);
            return centred(Sym3<double>::diagonal(j, j, j));
          },
          [&](const Capsule& c) { return centred(capsule_inertia(c, m)); },
          [&](const Cylinder& c) {
            const double across = m * (square(c.radius) / 4 + square(c.length) / 12);
            return centred(Sym3<double>::diagonal(across, across, m * square(c.radius) / 2));
          },
          [&](const Ellipsoid& e) {
            const double xx = square(e.radii.x), yy = square(e.radii.y), zz = square(e.radii.z);
            return centred(Sym3<double>::diagonal(m * (yy + zz) / 5, m * (xx + zz) / 5, m * (xx + yy) / 5));
          },
          [m](const Cone& c) { return cone_inertia(c, m); },
          [m](const Hull& h) { return with_mass(solid_mass(*h.hull, 1, h.rounding), m); },
          [m](const Polyhedron& p) { return with_mass(solid_mass(*p.mesh, 1), m); },
      },
      solid);
}

Inertia<double> shape_inertia(const Shape& shape, double mass) { return shape.X_BS * solid_inertia(shape.solid, mass); }

Inertia<double> shape_inertia_of_density(const Shape& shape, double density) {
  return shape_inertia(shape, density * volume(shape.solid));
}

Inertia<double> bounding_box_inertia(const Shape& shape, double density) {
  const Transform<double> to_middle{Mat3<double>::identity(), bounding_box_center(shape.solid)};
  return shape_inertia_of_density({Box{bounding_box(shape.solid)}, shape.X_BS * to_middle}, density);
}

Inertia<double> sum(std::span<const Inertia<double>> parts) {
  Inertia<double> whole;
  for (const Inertia<double>& part : parts) whole += part;
  return whole;
}

}  // namespace marey
