// Mass properties from faces against sums over tetrahedra, of solids that are made of them: concave, with tunnels and
// cavities, in several pieces, far from the origin. The sums know nothing of faces, and are made in long double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "marey/shape.h"
#include "marey/shape/mesh.h"
#include "unit/shape/solids.h"

namespace marey::polyhedra_mass_test {
namespace {

using solids::V;
using Long = Vec3<long double>;

Long to_long(const V& a) { return {a.x, a.y, a.z}; }

struct TetrahedraSums {
  long double volume = 0;
  Long center;
  std::array<long double, 6> central{};  // xx, yy, zz, xy, xz, yz of the inertia matrix, for a density of one
};
// Each tetrahedron weighs V, has its centre in the mean of its corners, and ∫ r rᵀ dv = V/20 (Σ vᵢ vᵢᵀ + Σvᵢ Σvᵢᵀ).
TetrahedraSums sums_over(const solids::TetrahedralSolid& solid) {
  TetrahedraSums sums;
  const auto each = [&](auto use) {
    for (const auto& t : solid.tetrahedra) {
      std::array<Long, 4> v;
      for (std::size_t i = 0; i < 4; ++i) v[i] = to_long(solid.vertices[static_cast<std::size_t>(t[i])]);
      use(v, dot(v[1] - v[0], cross(v[2] - v[0], v[3] - v[0])) / 6);
    }
  };
  each([&](const auto& v, long double volume) {
    EXPECT_GT(volume, 0);
    sums.volume += volume;
    sums.center += (volume / 4) * (v[0] + v[1] + v[2] + v[3]);
  });
  sums.center = (1 / sums.volume) * sums.center;
  each([&](const auto& v, long double volume) {
    Long s;
    std::array<long double, 6> m{};
    const auto add = [&m](const Long& a) {
      m[0] += a.x * a.x, m[1] += a.y * a.y, m[2] += a.z * a.z, m[3] += a.x * a.y, m[4] += a.x * a.z, m[5] += a.y * a.z;
    };
    for (const Long& corner : v) add(corner - sums.center), s += corner - sums.center;
    add(s);
    for (long double& x : m) x *= volume / 20;
    const std::array<long double, 6> inertia{m[1] + m[2], m[0] + m[2], m[0] + m[1], -m[3], -m[4], -m[5]};
    for (std::size_t i = 0; i < 6; ++i) sums.central[i] += inertia[i];
  });
  return sums;
}

// 1,000 solids of up to 64 cells. Faces are at most 800, each with errors of a few ε of the cube of the solid's size L, while
// the volume is at least one shaken cell of 64, L³/64 · 1/2: 1e-12 leaves a factor of a few for errors that add up.
TEST(PolyhedraMass, AgreesWithSumsOverTetrahedra) {
  solids::Chance chance(1);
  double worst = 0;
  int shells_with_holes = 0;
  for (int n = 0; n < 1000; ++n) {
    solids::TetrahedralSolid solid = solids::random_solid(chance);
    const double size = std::exp(chance(-5, 5)), distance = n % 2 == 0 ? 0 : size * std::exp(chance(0, std::log(1e6)));
    const Transform<double> X{chance.turn(), distance * chance.vec()};
    for (V& v : solid.vertices) v = X * (size * v);
    const Mesh mesh = n % 5 == 0 ? closed_mesh(solid.surface()) : solid.surface();
    const int euler = static_cast<int>(mesh.vertices.size()) - static_cast<int>(mesh.triangles.size()) / 2;
    if (n % 5 == 0 && euler != 2) ++shells_with_holes;
    const double density = chance(100, 8000);
    const SolidMass m = solid_mass(mesh, density);
    const TetrahedraSums s = sums_over(solid);
    const double mass = density * static_cast<double>(s.volume);
    const double error_of_mass = std::abs(m.mass - mass) / mass;
    const double reach = std::cbrt(static_cast<double>(s.volume));
    // The centre of something far away is a number as coarse as its coordinates.
    const double grid = 4 * std::numeric_limits<double>::epsilon() * norm(m.center);
    const Long off = to_long(m.center) - s.center;
    const double error_of_center = std::max(0.0, static_cast<double>(norm(off)) - grid) / reach;
    double error_of_inertia = 0, largest = 0;
    const std::array<double, 6> J{m.central.xx, m.central.yy, m.central.zz, m.central.xy, m.central.xz, m.central.yz};
    for (std::size_t i = 0; i < 6; ++i) {
      largest = std::max(largest, std::abs(density * static_cast<double>(s.central[i])));
      error_of_inertia = std::max(error_of_inertia, std::abs(J[i] - density * static_cast<double>(s.central[i])));
    }
    const double error = std::max({error_of_mass, error_of_center, error_of_inertia / largest});
    worst = std::max(worst, error);
    ASSERT_LE(error, 1e-12) << "solid " << n << ": mass " << error_of_mass << ", centre " << error_of_center
                            << ", inertia " << error_of_inertia / largest << ", at a distance of " << distance / size;
  }
  std::printf("1000 solids: largest relative error %.2e (bound 1e-12); %d of 200 looked at have holes or pieces\n",
              worst, shells_with_holes);
  EXPECT_GT(shells_with_holes, 40);
}

// The Inertia about So is what the engine uses; principal axes are those of the centre.
TEST(PolyhedraMass, OfABoxIsThatOfABox) {
  const V size{0.3, 0.5, 0.8}, p{3, -4, 5};
  const Mesh mesh = closed_mesh(solids::box(p - 0.5 * size, p + 0.5 * size));
  EXPECT_EQ(mesh.triangles.size(), 12U);
  const SolidMass m = solid_mass(mesh, 700);
  const Inertia<double> whole = inertia_of(m),
                        known = shape_inertia_of_density({Box{size}, {Mat3<double>::identity(), p}}, 700);
  EXPECT_NEAR(whole.m, known.m, 1e-13 * known.m);
  EXPECT_LE(norm(whole.h - known.h), 1e-13 * norm(known.h));
  for (const auto& [a, b] : {std::pair{whole.J.xx, known.J.xx},
                             {whole.J.yy, known.J.yy},
                             {whole.J.zz, known.J.zz},
                             {whole.J.xy, known.J.xy},
                             {whole.J.xz, known.J.xz},
                             {whole.J.yz, known.J.yz}})
    EXPECT_NEAR(a, b, 1e-13 * known.J.xx);
  const PrincipalAxes axes = principal_axes(m.central);
  EXPECT_NEAR(axes.moments.x, known.m * (0.3 * 0.3 + 0.5 * 0.5) / 12, 1e-12);
  EXPECT_NEAR(std::abs(axes.R_BP.zx), 1, 1e-12);  // the least moment is about the longest edge, z
}

// A cavity weighs what a box of its size would, taken away.
TEST(PolyhedraMass, CavitiesAreTakenAway) {
  Polygons polygons = solids::box({-1, -1, -1}, {2, 1, 1});
  solids::add_box(polygons, {0, -0.5, -0.5}, {1, 0.5, 0.5}, true);
  const SolidMass m = solid_mass(closed_mesh(polygons), 1);
  EXPECT_NEAR(m.mass, 3 * 2 * 2 - 1, 1e-13);
  EXPECT_NEAR(m.center.x, (12 * 0.5 - 1 * 0.5) / 11, 1e-13);
}

}  // namespace
}  // namespace marey::polyhedra_mass_test
