// Mass properties of homogeneous solids.
//
// Source: W3. J = ∫ (r·r 1 − r rᵀ) dm about the centre, in the axes of S; a solid of these kinds has no
// products of inertia there. W (8) is the box; the others follow by the same integral. For a capsule of
// radius r and cylindrical length L, with the mass shared by volume between the cylinder (mc) and the two
// half balls (mb together), whose centres of mass lie at ±(L/2 + 3r/8) and whose inertia about their own
// centres of mass is (2/5 − 9/64) r² per mass,
//   J_zz = mc r²/2 + mb 2r²/5                                                                          (a)
//   J_xx = J_yy = mc (r²/4 + L²/12) + mb (2r²/5 + L²/4 + 3 r L/8)                                       (b)
//
// Moving the solid to its place in the link is spatial.h's X_BS * Inertia: W (11)(12) for the shift, and (14)
// as it should read, I″ = Dᵀ I′ D with the new axes as columns of D (the print has the transpose): D is R_BSᵀ
// here, for the new frame is B.
#include <cmath>
#include <numbers>

#include "marey/shape.h"

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

Sym3<double> central_inertia_of(const Solid& solid, double m) {
  return std::visit(Overloaded{
                        [m](const Box& b) { return box_inertia(b.size, m); },
                        [m](const Sphere& s) {
                          const double j = 0.4 * m * square(s.radius);
                          return Sym3<double>::diagonal(j, j, j);
                        },
                        [m](const Capsule& c) { return capsule_inertia(c, m); },
                        [m](const Cylinder& c) {
                          const double across = m * (square(c.radius) / 4 + square(c.length) / 12);
                          return Sym3<double>::diagonal(across, across, m * square(c.radius) / 2);
                        },
                        [m](const Ellipsoid& e) {
                          const double xx = square(e.radii.x), yy = square(e.radii.y), zz = square(e.radii.z);
                          return Sym3<double>::diagonal(m * (yy + zz) / 5, m * (xx + zz) / 5, m * (xx + yy) / 5);
                        },
                    },
                    solid);
}

}  // namespace

double volume(const Solid& solid) {
  return std::visit(Overloaded{
                        [](const Box& b) { return b.size.x * b.size.y * b.size.z; },
                        [](const Sphere& s) { return 4 * pi / 3 * square(s.radius) * s.radius; },
                        [](const Capsule& c) { return pi * square(c.radius) * (c.length + 4 * c.radius / 3); },
                        [](const Cylinder& c) { return pi * square(c.radius) * c.length; },
                        [](const Ellipsoid& e) { return 4 * pi / 3 * e.radii.x * e.radii.y * e.radii.z; },
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
                    },
                    solid);
}

Inertia<double> solid_inertia(const Solid& solid, double mass) { return {mass, {}, central_inertia_of(solid, mass)}; }

Inertia<double> shape_inertia(const Shape& shape, double mass) { return shape.X_BS * solid_inertia(shape.solid, mass); }

Inertia<double> shape_inertia_of_density(const Shape& shape, double density) {
  return shape_inertia(shape, density * volume(shape.solid));
}

Inertia<double> bounding_box_inertia(const Shape& shape, double density) {
  return shape_inertia_of_density({Box{bounding_box(shape.solid)}, shape.X_BS}, density);
}

Inertia<double> sum(std::span<const Inertia<double>> parts) {
  Inertia<double> whole;
  for (const Inertia<double>& part : parts) whole += part;
  return whole;
}

}  // namespace marey
