// Manifolds of every two kinds: the deepest point is the signed distance, every point lies on both surfaces up to half its
// gap, faces are spanned, names persist, and nothing depends on who is a or where the world's axes point.
#include "marey/shape/manifold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "support/convex_samples.h"
#include "support/sanitized.h"

namespace marey {
namespace {

using samples::Chance;
using samples::Placed;
using V = Vec3<double>;
using X = Transform<double>;

std::string pair_name(const Placed& p) { return std::string(name_of(p.a.kind)) + "–" + name_of(p.b.kind); }

double deepest_gap(const Manifold& m) {
  double least = 1e300;
  for (int k = 0; k < m.count; ++k) least = std::min(least, m.points[static_cast<size_t>(k)].gap);
  return least;
}

// The point on a (sign −1) or b (+1) that a point of the manifold stands for.
V end_of(const Manifold& m, int k, double sign) {
  const ManifoldPoint& p = m.points[static_cast<size_t>(k)];
  return p.point_W + (0.5 * sign * p.gap) * m.normal_W;
}

template <class Check>
void for_random_pairs(unsigned seed, int each, Check check) {
  Chance chance(seed);
  for (int i = 0; i < convex_kind_count; ++i)
    for (int j = 0; j < convex_kind_count; ++j) {
      if (i == 0 && j == 0) continue;
      for (int k = 0; k < each / every(10); ++k) {
        const Placed p = samples::random_pair(chance, samples::kind_number(i), samples::kind_number(j));
        check(chance, p);
      }
    }
}

TEST(ManifoldTest, ItsDeepestPointIsTheSignedDistance) {
  for_random_pairs(11, 100, [](Chance& chance, const Placed& p) {
    const double within = chance.number(0, 0.5) * p.size;
    const Distance d = distance_between(p.a, p.X_WA, p.b, p.X_WB);
    Manifold m;
    find_manifold(p.a, p.X_WA, p.b, p.X_WB, within, m);
    if (std::abs(d.distance - within) < 1e-9 * p.size) return;
    ASSERT_EQ(m.count > 0, d.distance <= within) << pair_name(p);
    if (m.count == 0) return;
    const bool round = d.distance + p.a.margin + p.b.margin < 0;  // deep: to 1e-9 where a core is round
    EXPECT_NEAR(deepest_gap(m) / p.size, d.distance / p.size, round ? 1e-9 : 2e-12) << pair_name(p);
    for (int k = 0; k < m.count; ++k) EXPECT_LE(m.points[static_cast<size_t>(k)].gap, within) << pair_name(p);
  });
}

TEST(ManifoldTest, EveryPointIsCommonToBothSurfaces) {
  for_random_pairs(12, 100, [](Chance&, const Placed& p) {
    Manifold m;
    find_manifold(p.a, p.X_WA, p.b, p.X_WB, 0.2 * p.size, m);
    for (int k = 0; k < m.count; ++k) {
      const V x = transpose_times(p.X_WA.R, end_of(m, k, -1) - p.a.margin * m.normal_W - p.X_WA.p);
      const V y = transpose_times(p.X_WB.R, end_of(m, k, 1) + p.b.margin * m.normal_W - p.X_WB.p);
      // A gap to ε of the size is a normal to √ε where a surface is round: apart 1e-6, deep 3e-5, times a few. Edges that
      // lie along each other are off by half of 0.01 where one of them ends.
      const ManifoldPoint& q = m.points[static_cast<size_t>(k)];
      const bool deep = distance_between(p.a, p.X_WA, p.b, p.X_WB).distance + p.a.margin + p.b.margin < 0;
      const bool face = q.a.kind == FeatureKind::face || q.b.kind == FeatureKind::face;
      const double bound = (!face ? 0.01 : deep ? 1e-3 : 1e-5) * p.size;
      EXPECT_LE(samples::outside_core(p.a, x), bound) << pair_name(p);
      EXPECT_LE(samples::outside_core(p.b, y), bound) << pair_name(p);
    }
  });
}

std::string told(const Manifold& m) {
  std::string out;
  for (int k = 0; k < m.count; ++k) {
    const ManifoldPoint& p = m.points[static_cast<size_t>(k)];
    out += " " + std::to_string(static_cast<int>(p.a.kind)) + ":" + std::to_string(p.a.index) + "–" +
           std::to_string(static_cast<int>(p.b.kind)) + ":" + std::to_string(p.b.index) + " " + std::to_string(p.gap);
  }
  return out;
}

enum class Names { count, do_not_count };
bool same_points(const Manifold& m, const Manifold& other, const X& to_other, bool swapped, double bound, Names kind) {
  if (m.count != other.count) return false;
  for (int k = 0; k < m.count; ++k) {
    const ManifoldPoint& p = m.points[static_cast<size_t>(k)];
    bool found = false;
    for (int l = 0; l < m.count; ++l) {
      const ManifoldPoint& q = other.points[static_cast<size_t>(l)];
      const bool names = kind == Names::do_not_count ? true
                         : swapped                   ? p.a == q.b && p.b == q.a
                                                     : p.a == q.a && p.b == q.b;
      found = found || (names && norm(to_other * p.point_W - q.point_W) <= bound && std::abs(p.gap - q.gap) <= bound);
    }
    if (!found) return false;
  }
  return true;
}

TEST(ManifoldTest, SwappingAndTurningChangeNothing) {
  int compared = 0, renamed = 0;
  for_random_pairs(13, 100, [&](Chance& chance, const Placed& drawn) {
    Placed p = drawn;
    if (p.a.kind >= ConvexKind::cylinder || p.b.kind >= ConvexKind::cylinder) {  // hulls too: prisms
      // Laid squarely on each other, round ones can touch anywhere on a line or at its end, as rounding has it.
      const V w = 1e-3 * chance.direction();
      p.X_WB = {rotation(Quaternion<double>{1, w.x, w.y, w.z}) * p.X_WB.R, p.X_WB.p + 1e-3 * chance.direction()};
    }
    Manifold m, back, turned;
    const double within = 0.3 * p.size;
    const Distance d = distance_between(p.a, p.X_WA, p.b, p.X_WB);
    if (d.distance + p.a.margin + p.b.margin <= 1e-3 * p.size) return;  // a unique normal, witnesses to 1e-9
    find_manifold(p.a, p.X_WA, p.b, p.X_WB, within, m);
    find_manifold(p.b, p.X_WB, p.a, p.X_WA, within, back);
    const X turn{chance.turn(), {chance.normal(), chance.normal(), chance.normal()}};
    find_manifold(p.a, turn * p.X_WA, p.b, turn * p.X_WB, within, turned);
    if (m.count == 0) return;
    ++compared;
    // Round: a gap to 1e-14 is a place to 1e-7, times what small angles make of it; next to the end of an edge it is
    // then a matter of rounding whether a contact is called by the edge or the vertex, which must be rare.
    const auto is_round = [](ConvexKind k) { return k >= ConvexKind::cylinder && k != ConvexKind::hull; };
    const Names names = is_round(p.a.kind) || is_round(p.b.kind) ? Names::do_not_count : Names::count;
    const double bound = 1e-4 * p.size;
    EXPECT_TRUE(same_points(m, back, X{}, true, bound, names)) << pair_name(p) << told(m) << " and" << told(back);
    EXPECT_TRUE(same_points(m, turned, turn, false, bound, names)) << pair_name(p) << told(m) << " and" << told(turned);
    renamed += same_points(m, back, X{}, true, bound, Names::count) ? 0 : 1;
    renamed += same_points(m, turned, turn, false, bound, Names::count) ? 0 : 1;
  });
  EXPECT_GT(compared, 1000 / every(10));
  EXPECT_LE(renamed, compared / 200);
}

double spanned_area(const Manifold& m) {
  double best = 0;
  for (int i = 0; i < m.count; ++i)
    for (int j = 0; j < m.count; ++j)
      for (int k = 0; k < m.count; ++k)
        for (int l = 0; l < m.count; ++l) {
          const auto at = [&](int n) { return m.points[static_cast<size_t>(n)].point_W; };
          best = std::max(best, 0.5 * dot(m.normal_W, cross(at(k) - at(i), at(l) - at(j))));
        }
  return best;
}

void expect_all(const Manifold& m, FeatureKind kind) {
  for (int k = 0; k < m.count; ++k) {
    EXPECT_EQ(m.points[static_cast<size_t>(k)].a.kind, kind);
    EXPECT_EQ(m.points[static_cast<size_t>(k)].b.kind, kind);
  }
}

TEST(ManifoldTest, FacesAreSpanned) {
  const Convex floor = convex_box({4, 4, 1}), cube = convex_box({1, 1, 1}), can = convex_cylinder(0.5, 1);
  const Convex top = convex_cone(0.5, 1), rod = convex_capsule(0.25, 1), block = convex_hull(samples::prism(6, 0.5, 1));
  const X X_WA;
  const auto over = [](double z, double turn = 0) { return X{rotation_about(V{0, 0, 1}, turn), V{0.3, 0.2, z}}; };
  Manifold m;
  find_manifold(floor, X_WA, cube, over(1 - 1e-4, 0.3), 0.01, m);  // four vertices on a face
  ASSERT_EQ(m.count, 4);
  EXPECT_NEAR(spanned_area(m), 1, 1e-12);
  for (const ManifoldPoint& p : m.points) {
    EXPECT_EQ(p.a, (Feature{FeatureKind::face, 4}));
    EXPECT_EQ(p.b.kind, FeatureKind::vertex);
    EXPECT_NEAR(p.gap, -1e-4, 1e-15);
    EXPECT_NEAR(p.point_W.z, 0.5 - 0.5e-4, 1e-15);  // half way
  }
  find_manifold(floor, X_WA, cube, {Mat3<double>::identity(), {2, 2, 1}}, 0.01, m);  // over a corner: a quarter
  ASSERT_EQ(m.count, 4);
  EXPECT_NEAR(spanned_area(m), 0.25, 1e-12);
  find_manifold(cube, X_WA, cube, {rotation_about(V{0, 0, 1}, 0.7), {0, 0, 1}}, 0.01, m);  // an octagon: edges cross
  ASSERT_EQ(m.count, 4);
  EXPECT_GT(spanned_area(m), 0.5);
  expect_all(m, FeatureKind::edge);
  find_manifold(cube, X_WA, cube, {Mat3<double>::identity(), {0, 0, 1}}, 0.01, m);  // face on equal face
  ASSERT_EQ(m.count, 4);
  EXPECT_NEAR(spanned_area(m), 1, 1e-12);
  expect_all(m, FeatureKind::vertex);

  for (const Convex& ground : {floor, convex_plane()}) {
    const double base = ground.kind == ConvexKind::plane ? 0 : 0.5;
    find_manifold(ground, X_WA, block, over(base + 0.5, 0.4), 0.01, m);
    ASSERT_EQ(m.count, 4);
    EXPECT_GT(spanned_area(m), 0.43);  // of a regular hexagon, 0.65, the largest quadrilateral has two thirds
    for (const Convex& round : {can, top}) {
      find_manifold(ground, X_WA, round, over(base + 0.5), 0.01, m);  // standing on a flat end
      ASSERT_EQ(m.count, 4);
      EXPECT_NEAR(spanned_area(m), 0.5, 1e-12);  // an inscribed square
      find_manifold(ground, X_WA, round, {rotation_about(V{1, 0, 0}, 0.05), {0, 0, base + 0.5}}, 1, m);  // tilted
      EXPECT_EQ(m.count, 4);
    }
    // A cone on its mantle, tip and rim: the mantle's normal is inclined by β = atan(r/2h), 0.5 sin β from the middle.
    const double beta = std::atan2(0.5, 1);
    const X on_mantle{rotation_about(V{1, 0, 0}, 1.5707963267948966 + beta), {0, 0, base + 0.5 * std::sin(beta)}};
    find_manifold(ground, X_WA, top, on_mantle, 0.01, m);
    EXPECT_EQ(m.count, 2);
    const X lies{rotation_about(V{1, 0, 0}, 1.5707963267948966), {0, 0, base + 0.5}};
    find_manifold(ground, X_WA, can, lies, 0.01, m);  // on its side: a line
    ASSERT_EQ(m.count, 2);
    EXPECT_NEAR(norm(m.points[0].point_W - m.points[1].point_W), 1, 1e-12);
    find_manifold(ground, X_WA, rod, {lies.R, {0, 0, base + 0.25}}, 0.01, m);
    ASSERT_EQ(m.count, 2);
    EXPECT_NEAR(norm(m.points[0].point_W - m.points[1].point_W), 1, 1e-12);
    EXPECT_NEAR(m.points[0].gap, 0, 1e-14);
  }
  find_manifold(rod, X_WA, rod, {Mat3<double>::identity(), {0.5, 0, 0.25}}, 0.01, m);  // side by side
  ASSERT_EQ(m.count, 2);
  EXPECT_NEAR(norm(m.points[0].point_W - m.points[1].point_W), 0.75, 1e-12);
}

// Flat ends are circles: where an edge or another rim crosses one, the contact is there, and what is inside is inside.
TEST(ManifoldTest, FlatEndsAreRound) {
  const double r = 0.5;
  const Convex can = convex_cylinder(r, 1), top = convex_cone(r, 1), slab = convex_box({4, 4, 1});
  const auto has = [](const Manifold& m, const V& p) {
    for (int k = 0; k < m.count; ++k)
      if (norm(m.points[static_cast<size_t>(k)].point_W - p) < 1e-9) return true;
    return false;
  };
  Manifold m;
  for (const Convex& round : {can, top})
    for (const double turn : {0.0, 0.2, 1.0}) {
      const Mat3<double> R = rotation_about(V{0, 0, 1}, turn);
      const double out = 0.3, half = std::sqrt(r * r - out * out);
      find_manifold(slab, {}, round, {R, {2 + out, 0.1, 1}}, 0.01, m);  // over the edge x = 2
      EXPECT_TRUE(has(m, {2, 0.1 - half, 0.5})) << turn;
      EXPECT_TRUE(has(m, {2, 0.1 + half, 0.5})) << turn;
      const double off = 0.4, lens = std::sqrt(r * r - off * off / 4);  // on another: the ends of the lens
      find_manifold(can, {}, round, {R, {off, 0, 1}}, 0.01, m);
      EXPECT_TRUE(has(m, {off / 2, lens, 0.5})) << turn;
      EXPECT_TRUE(has(m, {off / 2, -lens, 0.5})) << turn;
      // A corner of a box between the rim and the chord of 45°.
      const V corner = 0.97 * r * V{std::cos(turn + 0.39269908), std::sin(turn + 0.39269908), 0};
      find_manifold(round, {R, {0, 0, 0}}, convex_box({1, 1, 1}), {Mat3<double>::identity(), corner + V{0.5, 0.5, -1}},
                    0.01, m);
      EXPECT_TRUE(has(m, corner + V{0, 0, -0.5})) << turn;
    }
  // Every point of a flat contact is a point of both, wherever they lie.
  Chance chance(19);
  for (int k = 0; k < 500 / every(10); ++k) {
    const Convex a = k % 2 ? convex_box({1, 1.5, 1}) : convex_cylinder(chance.number(0.3, 1), 1);
    const Convex b = k % 3 ? convex_cylinder(chance.number(0.3, 1), 1) : convex_cone(chance.number(0.3, 1), 1);
    const X X_WB{rotation_about(V{0, 0, 1}, chance.number(0, 6)), {chance.number(-1, 1), chance.number(-1, 1), 1}};
    find_manifold(a, {}, b, X_WB, 0.01, m);
    for (int i = 0; i < m.count; ++i) {
      const V& p = m.points[static_cast<size_t>(i)].point_W;
      EXPECT_LE(samples::outside_core(a, p), 1e-9);
      EXPECT_LE(samples::outside_core(b, transpose_times(X_WB.R, p - X_WB.p)), 1e-9);
    }
  }
}

// A coin on a floor of 200 m: what is large does not blur what is small.
TEST(ManifoldTest, SmallOnLargeKeepsItsPoints) {
  const Convex coin = convex_cylinder(0.01, 0.002), chip = convex_box({0.02, 0.02, 0.002}),
               floor = convex_box({200, 200, 2});
  Manifold m;
  for (const Convex& small : {coin, chip}) {
    const double area = small.kind == ConvexKind::box ? 4e-4 : 2e-4;
    find_manifold(floor, {}, small, {rotation_about(V{0, 0, 1}, 0.3), {60, 40, 1.001}}, 1e-3, m);
    ASSERT_EQ(m.count, 4);
    EXPECT_NEAR(spanned_area(m), area, 1e-3 * area);
    const double tilt = 0.01;  // on its edge: the deepest point is among them
    find_manifold(floor, {}, small, {rotation_about(V{1, 0, 0}, tilt), {60, 40, 1.001}}, 1e-3, m);
    EXPECT_GE(m.count, 2);
    EXPECT_NEAR(deepest_gap(m), 0.001 - 0.01 * std::sin(tilt) - 0.001 * std::cos(tilt), 1e-10);
  }
}

// With the same middle many normals are as good as each other: swapping the two turns the chosen one round.
TEST(ManifoldTest, NormalsOfConcentricSolidsAreOpposite) {
  Chance chance(20);
  for (int i = 1; i < convex_kind_count; ++i)
    for (int j = 1; j < convex_kind_count; ++j)
      for (int k = 0; k < 10; ++k) {
        const Convex a = samples::random_convex(chance, samples::kind_number(i));
        const Convex b = i == j && k % 2 ? a : samples::random_convex(chance, samples::kind_number(j));
        const V middle = chance.direction();
        const X X_WA{chance.turn(), middle}, X_WB{k < 5 && i != j ? X_WA.R : chance.turn(), middle};
        const Distance d = distance_between(a, X_WA, b, X_WB), back = distance_between(b, X_WB, a, X_WA);
        EXPECT_LE(norm(d.normal_W + back.normal_W), 1e-12) << name_of(a.kind) << "–" << name_of(b.kind);
        EXPECT_NEAR(d.distance, back.distance, 1e-13);
        Manifold m, other;
        find_manifold(a, X_WA, b, X_WB, 0, m);
        find_manifold(b, X_WB, a, X_WA, 0, other);
        EXPECT_LE(norm(m.normal_W + other.normal_W), 1e-12) << name_of(a.kind) << "–" << name_of(b.kind);
        EXPECT_TRUE(same_points(m, other, X{}, true, 1e-9, Names::count));
      }
}

TEST(ManifoldTest, EdgesCrossByName) {
  // Two cubes, each turned to show an edge, one along y above one along x.
  const Convex cube = convex_box({1, 1, 1});
  const double quarter = 0.7853981633974483, height = std::sqrt(0.5);
  const X X_WA{rotation_about(V{1, 0, 0}, quarter), {}};
  const X X_WB{rotation_about(V{0, 1, 0}, quarter), {0.1, 0.2, 2 * height + 1e-3}};
  Manifold m;
  find_manifold(cube, X_WA, cube, X_WB, 0.01, m);
  ASSERT_EQ(m.count, 1);
  EXPECT_EQ(m.points[0].a.kind, FeatureKind::edge);
  EXPECT_EQ(m.points[0].b.kind, FeatureKind::edge);
  EXPECT_EQ(m.points[0].a.index / 4, 0);  // along x of a
  EXPECT_EQ(m.points[0].b.index / 4, 1);  // along y of b
  EXPECT_NEAR(m.points[0].gap, 1e-3, 1e-14);
  EXPECT_NEAR(norm(m.points[0].point_W - V{0.1, 0, height + 0.5e-3}), 0, 1e-14);
}

std::set<std::pair<int, int>> names_of(const Manifold& m) {
  std::set<std::pair<int, int>> names;
  for (int k = 0; k < m.count; ++k) {
    const ManifoldPoint& p = m.points[static_cast<size_t>(k)];
    names.insert({100 * static_cast<int>(p.a.kind) + p.a.index, 100 * static_cast<int>(p.b.kind) + p.b.index});
  }
  return names;
}

TEST(ManifoldTest, NamesPersistWhileFeaturesDo) {
  // Solids at rest on each other that tremble by 1e-6, with and without what was found before.
  Chance chance(14);
  const Convex floor = convex_box({4, 4, 1}), block = convex_hull(samples::prism(5, 0.5, 1));
  for (const Convex& solid : {convex_box({1, 0.8, 1}), convex_cylinder(0.5, 1), block, convex_cone(0.5, 1)}) {
    std::set<std::pair<int, int>> first;
    PairCache cache;
    for (int k = 0; k < 100; ++k) {
      const V w = 1e-6 * chance.direction();
      const X X_WB{rotation(Quaternion<double>{1, w.x, w.y, w.z + 0.2}), V{0.3, 0.2, 1} + 1e-6 * chance.direction()};
      Manifold m;
      find_manifold(floor, X{}, solid, X_WB, 0.01, m, k % 2 ? &cache : nullptr);
      ASSERT_GE(m.count, 4) << name_of(solid.kind);
      // Of the corners of a pentagon or octagon, trembling chooses four; every one keeps its own name.
      const std::set<std::pair<int, int>> names = names_of(m);
      ASSERT_EQ(names.size(), 4u) << name_of(solid.kind);
      if (solid.kind != ConvexKind::box) continue;
      if (k == 0) first = names;
      EXPECT_EQ(names, first);
    }
  }
}

TEST(ManifoldTest, WhatWasFoundBeforeChangesTimeOnly) {
  // Pairs that drift apart and together, each with a cache of its own, one passed from pair to pair, and none.
  PairCache passed_on;
  for_random_pairs(15, 20, [&](Chance& chance, const Placed& start) {
    Placed p = start;
    PairCache own;
    const V drift = 0.2 * p.size * chance.direction();
    for (int step = 0; step < 6; ++step) {
      const double within = 0.1 * p.size;
      const Distance d = distance_between(p.a, p.X_WA, p.b, p.X_WB);
      Manifold fresh, kept, strange;
      find_manifold(p.a, p.X_WA, p.b, p.X_WB, within, fresh);
      find_manifold(p.a, p.X_WA, p.b, p.X_WB, within, kept, &own);
      passed_on.count = 0;  // vertices of another pair mean nothing; its direction does
      find_manifold(p.a, p.X_WA, p.b, p.X_WB, within, strange, &passed_on);
      if (std::abs(d.distance - within) > 1e-9 * p.size) {
        EXPECT_EQ(fresh.count > 0, kept.count > 0) << pair_name(p);
        EXPECT_EQ(fresh.count > 0, strange.count > 0) << pair_name(p);
      }
      if (fresh.count > 0 && kept.count > 0) {
        EXPECT_NEAR(deepest_gap(fresh) / p.size, deepest_gap(kept) / p.size, 1e-9) << pair_name(p);
      }
      p.X_WB.p += (step < 3 ? 1.0 : -1.0) * drift;
    }
  });
}

// Boxes that overlap walk on in steps of all sizes; at each the axis that is kept must be the best of the fifteen. Half of them begin
// with their axes laid on each other, where many axes are nearly as good.
TEST(ManifoldTest, BoxesThatOverlapKeepTheBestAxis) {
  Chance chance(16);
  int kept = 0, steps = 0;
  for (int n = 0; n < 400; ++n) {
    const Convex a = convex_box({1, chance.number(0.2, 1), chance.number(0.2, 1)}),
                 b = convex_box({chance.number(0.2, 1), 1, n % 4 < 2 ? 1 : 0.3});
    X X_WB{n % 2 ? chance.turn() : chance.square_turn(), chance.number(0, 0.6) * chance.direction()};
    PairCache cache;
    const double step = std::pow(10.0, chance.number(-6, -1.5));
    const V way = step * chance.direction(), spin = step * chance.direction();
    for (int k = 0; k < 30; ++k) {
      X_WB.p += way, X_WB.R = rotation(Quaternion<double>{1, 0.5 * spin.x, 0.5 * spin.y, 0.5 * spin.z}) * X_WB.R;
      Manifold fresh, walked;
      const X before = cache.box_pose;
      find_manifold(a, X{}, b, X_WB, 0.01, fresh);
      find_manifold(a, X{}, b, X_WB, 0.01, walked, &cache);
      ASSERT_EQ(fresh.count > 0, walked.count > 0);
      if (fresh.count == 0) break;
      ++steps, kept += cache.box_room > 0 && before.p.x == cache.box_pose.p.x ? 1 : 0;
      ASSERT_NEAR(deepest_gap(walked), deepest_gap(fresh), 1e-12) << n << " " << k;
      ASSERT_EQ(names_of(walked), names_of(fresh)) << n << " " << k;
    }
  }
  EXPECT_GT(steps, 4000);
  EXPECT_GT(kept, steps / 8);  // the others begin, or move too far
}

}  // namespace
}  // namespace marey
