// Mass properties of a rounded hull: a convex polyhedron K and all within r of it.
//
// What the rounding adds comes in three sorts of pieces (Steiner), all integrated in closed form. Places are taken from an
// origin o in the middle; n are unit normals, y is measured from the face, edge or corner.
//   faces    prisms over a face of area A, ∫ r dA = f, ∫ r rᵀ dA = F:
//              ∫ dv = A r,  ∫ r dv = r f + r²/2 A n,  ∫ r rᵀ dv = r F + r²/2 (f nᵀ + n fᵀ) + r³/3 A n nᵀ                (a)
//   edges    sectors of cylinders, between the normals n₁, n₂ of its faces, at the angle θ; m the unit vector midway,
//            u along the edge, s = u × m. For the sector, of area A = θ r²/2,
//              ∫ y dA = 2/3 r³ sin(θ/2) m,   ∫ y yᵀ dA = r⁴/8 ((θ + sin θ) m mᵀ + (θ − sin θ) s sᵀ)                   (b)
//            and along the edge a … b, of length L,
//              ∫ dl = L,  ∫ r dl = L (a + b)/2,  ∫ r rᵀ dl = L ((a + b)(a + b)ᵀ + a aᵀ + b bᵀ)/6                       (c)
//   corners  sectors of balls, between the normals of the faces around, which are the corners of a polygon on the unit
//            sphere with the solid angle Ω; an arc of it has the angle θ and goes round w. By Stokes' theorem, ∫ n dΩ =
//            ½ ∮ r × dr, so that
//              ∫ n dΩ = ½ Σ θ w,   ∫ dv = r³/3 Ω,   ∫ y dv = r⁴/4 ∫ n dΩ                                               (d)
//            All corners together are a whole ball, in pieces: their ∫ y yᵀ dv is r⁵/5 · 4π/3 1.                       (e)
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "marey/shape/hull.h"
#include "shape/moments.h"

namespace marey {

namespace {

// a bᵀ + b aᵀ
Sym3<double> both_ways(const Vec3<double>& a, const Vec3<double>& b) {
  return {2 * a.x * b.x,         2 * a.y * b.y,         2 * a.z * b.z,
          a.x * b.y + a.y * b.x, a.x * b.z + a.z * b.x, a.y * b.z + a.z * b.y};
}

// ∫ dv, ∫ r dv, ∫ r rᵀ dv
struct Moments3 {
  double volume = 0;
  Vec3<double> first;
  Sym3<double> second;
  void add(double v, const Vec3<double>& f, const Sym3<double>& s) { volume += v, first += f, second += s; }
};

// The angle between unit vectors, and the unit vector midway.
struct Arc {
  double angle;
  Vec3<double> middle;
  Arc(const Vec3<double>& a, const Vec3<double>& b)
      : angle(2 * std::atan2(norm(b - a), norm(a + b))), middle((1 / norm(a + b)) * (a + b)) {}
};

class Rounding {
 public:
  Rounding(const ConvexHull& hull, const Vec3<double>& origin, double radius)
      : hull_(hull), origin_(origin), r_(radius) {}

  Moments3 moments() const {
    Moments3 sum;
    for (const ConvexHull::Face& face : hull_.faces) add_prism(face, sum);
    for (const ConvexHull::Edge& edge : hull_.edges) add_wedge(edge, sum);
    for (int v = 0; v < static_cast<int>(hull_.vertices.size()); ++v) add_cap(v, sum);
    const double ball = 4 * std::numbers::pi / 15 * r_ * r_ * r_ * r_ * r_;  // (e)
    sum.second += Sym3<double>::diagonal(ball, ball, ball);
    return sum;
  }

 private:
  Vec3<double> at(int vertex) const { return hull_.vertices[index(vertex)] - origin_; }
  const Vec3<double>& normal(int face) const { return hull_.faces[index(face)].normal; }

  void add_prism(const ConvexHull::Face& face, Moments3& sum) const {  // (a)
    const auto corners = hull_.loop(face);
    const Vec3<double>& n = face.normal;
    const Vec3<double> a = at(corners[0]);
    for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
      const Vec3<double> b = at(corners[i]), c = at(corners[i + 1]), s = a + b + c;
      const double area = 0.5 * dot(n, cross(b - a, c - a));
      const Vec3<double> f = (area / 3) * s;
      const Sym3<double> F = (area / 12) * (square_of(s) + square_of(a) + square_of(b) + square_of(c));
      sum.add(r_ * area, r_ * f + (r_ * r_ / 2 * area) * n,
              r_ * F + (r_ * r_ / 2) * both_ways(f, n) + (r_ * r_ * r_ / 3 * area) * square_of(n));
    }
  }

  void add_wedge(const ConvexHull::Edge& edge, Moments3& sum) const {
    const Arc arc(normal(edge.left), normal(edge.right));
    const Vec3<double> a = at(edge.from), b = at(edge.to), ab = a + b;
    const double length = norm(b - a);
    const Vec3<double>&m = arc.middle, s = cross((1 / length) * (b - a), m);
    const double area = arc.angle * r_ * r_ / 2, quarter = r_ * r_ * r_ * r_ / 8;
    const Vec3<double> y = (2.0 / 3 * r_ * r_ * r_ * std::sin(arc.angle / 2)) * m;  // (b)
    const Sym3<double> yy = (quarter * (arc.angle + std::sin(arc.angle))) * square_of(m) +
                            (quarter * (arc.angle - std::sin(arc.angle))) * square_of(s);
    const Sym3<double> along = (length / 6) * (square_of(ab) + square_of(a) + square_of(b));  // (c)
    sum.add(length * area, (length * area / 2) * ab + length * y,
            area * along + (length / 2) * both_ways(ab, y) + length * yy);
  }

  // The faces around it are counter-clockwise seen from outside.
  void add_cap(int vertex, Moments3& sum) const {
    double omega = 0;
    Vec3<double> n1;
    const int from = hull_.neighbor_first[index(vertex)], to = hull_.neighbor_first[index(vertex) + 1];
    const Vec3<double>& apex = normal(hull_.ring_faces[index(from)]);
    for (int k = from; k < to; ++k) {
      const Vec3<double>&p = normal(hull_.ring_faces[index(k)]),
            &q = normal(hull_.ring_faces[index(k + 1 == to ? from : k + 1)]);
      const Arc arc(p, q);
      const Vec3<double> pq = cross(p, q);
      const double sine = norm(pq);
      if (!(sine > 0)) continue;
      const Vec3<double> w = (1 / sine) * pq;
      n1 += (arc.angle / 2) * w;                                                            // (d)
      omega += 2 * std::atan2(dot(apex, pq), 1 + dot(apex, p) + dot(p, q) + dot(q, apex));  // Van Oosterom & Strackee
    }
    const Vec3<double> c = at(vertex);
    const double r3 = r_ * r_ * r_ / 3, r4 = r_ * r_ * r_ * r_ / 4;
    sum.add(r3 * omega, (r3 * omega) * c + r4 * n1, (r3 * omega) * square_of(c) + r4 * both_ways(c, n1));
  }

  const ConvexHull& hull_;
  Vec3<double> origin_;
  double r_;
};

}  // namespace

SolidMass solid_mass(const ConvexHull& hull, double density, double rounding) {
  if (!(rounding >= 0) || rounding > largest_coordinate)
    throw InvalidHull(HullReason::bad_rounding,
                      fmt::format("found a rounding of {} m; expected a radius of 0 or more", rounding));
  const Mesh core = mesh_of(hull);
  SolidMass whole = solid_mass(core, density);
  if (rounding == 0) return whole;
  const Vec3<double> origin = whole.center;
  const Moments3 shell = Rounding(hull, origin, rounding).moments();
  const double mass = whole.mass + density * shell.volume;
  const Vec3<double> center = (density / mass) * shell.first;  // of the core: zero
  const Sym3<double> second = density * shell.second - mass * square_of(center);
  whole.mass = mass;
  whole.center = origin + center;
  whole.central += inertia_of_second_moments(second);
  return whole;
}

}  // namespace marey
