// Mass, centre and inertia of a homogeneous polyhedron from its faces.
//
// Source: H1, Hahn (3): I = ∫ ρ (r·r 1 − r rᵀ) dv. His products of inertia (A2) and their shift (A4) are printed with
// + as entries of the matrix; they are −∫ ρ x y dv there.
//
// For g homogeneous of degree k, div(r g) = (3 + k) g, so that by the divergence theorem an integral over the solid is one
// over its faces, on each of which r·n is constant:
//   ∫ g dv = 1/(3 + k) Σ_f (r·n)_f ∫_f g dA                                                                        (a)
// On a triangle a, b, c of area A, with s = a + b + c,
//   ∫ dA = A,   ∫ r dA = A s/3,   ∫ r rᵀ dA = A (s sᵀ + a aᵀ + b bᵀ + c cᵀ)/12,                                    (b)
// and 2 A (r·n) = a · (b × c) = w. Together:
//   ∫ dv = Σ w/6,   ∫ r dv = Σ w s/24,   ∫ r rᵀ dv = Σ w (s sᵀ + a aᵀ + b bᵀ + c cᵀ)/120.                          (c)
//
// Numbers: r is taken from the middle of the bounding box. A solid that is far away for its size has all its coordinates
// on a grid as coarse as the last digit of the distance; their differences are on that grid too, and exact. Sums are made
// of sums of halves, so that their error grows with log n. The inertia is given about the centre of mass: about a
// far origin m c² would drown it.
#include "marey/shape/mesh.h"
#include "shape/moments.h"

namespace marey {

namespace {

// 6 ∫ dv, 24 ∫ r dv, 120 ∫ r rᵀ dv
struct FaceSums {
  double volume = 0;
  Vec3<double> first;
  Sym3<double> second;
  FaceSums& operator+=(const FaceSums& b) {
    volume += b.volume, first += b.first, second += b.second;
    return *this;
  }
};

FaceSums face_sums(const Vec3<double>& a, const Vec3<double>& b, const Vec3<double>& c) {
  const double w = dot(a, cross(b, c));
  const Vec3<double> s = a + b + c;
  return {w, w * s, w * (square_of(s) + square_of(a) + square_of(b) + square_of(c))};
}

FaceSums face_sums(std::span<const Vec3<double>> vertices, std::span<const std::array<int, 3>> triangles,
                   const Vec3<double>& origin) {
  FaceSums sum;
  if (triangles.size() > 32) {
    const std::size_t half = triangles.size() / 2;
    sum = face_sums(vertices, triangles.first(half), origin);
    sum += face_sums(vertices, triangles.subspan(half), origin);
    return sum;
  }
  for (const auto& t : triangles)
    sum += face_sums(vertices[index(t[0])] - origin, vertices[index(t[1])] - origin, vertices[index(t[2])] - origin);
  return sum;
}

}  // namespace

SolidMass solid_mass(std::span<const Vec3<double>> vertices, std::span<const std::array<int, 3>> triangles,
                     double density) {
  Bounds box;
  for (const auto& t : triangles)
    for (const int v : t) box.add(vertices[index(v)]);
  if (box.empty()) return {};
  const Vec3<double> origin = box.center();
  const FaceSums sums = face_sums(vertices, triangles, origin);
  const double volume = sums.volume / 6, mass = density * volume;
  const Vec3<double> center = (1 / (24 * volume)) * sums.first;
  const Sym3<double> second = (density / 120) * sums.second - mass * square_of(center);  // about the centre of mass
  return {mass, origin + center, inertia_of_second_moments(second)};                     // (3)
}

SolidMass solid_mass(const Mesh& mesh, double density) { return solid_mass(mesh.vertices, mesh.triangles, density); }

Inertia<double> inertia_of(const SolidMass& m) { return inertia_about_origin(m.mass, m.center, m.central); }

}  // namespace marey
