// Signs of determinants against arithmetic in whole numbers, where nearly all of them are zero or as good as zero.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "shape/predicates.h"
#include "unit/shape/solids.h"

namespace marey::mesh_predicates_test {
namespace {

using solids::Chance;
using solids::V;

int sign(__int128 x) { return (x > 0) - (x < 0); }

// Coordinates are whole numbers times a power of two: near one plane, in it, or anywhere. 40 bits cubed are 120.
TEST(MeshPredicates, SideOfPlaneIsExact) {
  Chance chance(7);
  int zeros = 0, close = 0;
  for (int n = 0; n < 20000; ++n) {
    const std::int64_t range = n % 2 == 0 ? 8 : (std::int64_t{1} << 38);
    std::array<std::array<std::int64_t, 3>, 4> p{};
    for (auto& point : p)
      for (std::int64_t& x : point)
        x = static_cast<std::int64_t>(chance.engine() % static_cast<std::uint64_t>(range)) - range / 2;
    if (n % 4 != 0) {  // the last: on the middle of two others, but for one unit or none
      for (std::size_t i = 0; i < 3; ++i) p[0][i] *= 2, p[1][i] *= 2, p[3][i] = (p[0][i] + p[1][i]) / 2;
      if (n % 8 < 4) p[3][static_cast<std::size_t>(chance.below(3))] += chance.below(3) - 1;
    }
    std::array<std::array<__int128, 3>, 3> d{};
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t i = 0; i < 3; ++i) d[r][i] = p[r + 1][i] - p[0][i];
    const __int128 value = d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) -
                           d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
                           d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
    std::array<V, 4> v;
    const double unit = std::ldexp(1.0, -20);
    for (std::size_t r = 0; r < 4; ++r)
      v[r] = {unit * static_cast<double>(p[r][0]), unit * static_cast<double>(p[r][1]),
              unit * static_cast<double>(p[r][2])};
    ASSERT_EQ(side_of_plane(v[0], v[1], v[2], v[3]), sign(value)) << n;
    zeros += value == 0;
    close += value != 0 && n % 4 != 0 && range > 8;
  }
  EXPECT_GT(zeros, 5000);
  EXPECT_GT(close, 2000);
}

// Far from the origin differences are not exact either: 1 + tiny, with an exact answer known by construction.
TEST(MeshPredicates, SideOfPlaneSeesTheLastDigit) {
  const double e = 0x1p-52;
  const V a{1, 1, 1}, b{2, 1, 1 + e}, c{1, 2, 1 + e};  // the plane z = 1 + e (x − 1 + y − 1)
  for (const double x : {1.25, 1.5, 1 + e})
    for (const double y : {1.5, 1.75}) {
      const V on{x, y, 1};
      EXPECT_EQ(side_of_plane(a, b, c, on), -1) << x << " " << y;
      EXPECT_EQ(side_of_plane(a, b, c, {x, y, 1 + 2 * e}), 1) << x << " " << y;
    }
  EXPECT_EQ(side_of_plane(a, b, c, {1.5, 1.5, 1 + e}), 0);
}

// Terms of very different size: of the exact sum only the smallest parts are left.
TEST(MeshPredicates, SideOfPlaneAddsSmallToLarge) {
  const double t = 0x1p-100;
  EXPECT_EQ(side_of_plane({0, 0, 0}, {1e6, 0, 0}, {0, 1e6, 0}, {3, 5, t}), 1);
  EXPECT_EQ(side_of_plane({0, 0, t}, {1e6, 0, 0}, {0, 1e6, 0}, {5e5, 5e5, 0}), 0);
  EXPECT_EQ(side_of_plane({0, 0, t}, {1e6, 0, 0}, {0, 1e6, 0}, {5e5, 5e5, t * t}), 1);
  EXPECT_EQ(side_of_plane({1, 1, 1}, {1 + t, 1, 1}, {1, 2, 1}, {1, 1, 2}), 0);  // 1 + t is 1
  EXPECT_EQ(side_of_plane({0, 1, 1}, {t, 1, 1}, {0, 2, 1}, {0, 1, 2}), 1);
}

TEST(MeshPredicates, TurnIsExact) {
  Chance chance(8);
  for (int n = 0; n < 20000; ++n) {
    std::array<std::int64_t, 6> p{};
    for (auto& x : p) x = static_cast<std::int64_t>(chance.engine() >> 14) - (std::int64_t{1} << 49);
    if (n % 2 == 0) p[4] = (p[0] + p[2]) / 2, p[5] = (p[1] + p[3]) / 2;
    const __int128 value =
        static_cast<__int128>(p[2] - p[0]) * (p[5] - p[1]) - static_cast<__int128>(p[3] - p[1]) * (p[4] - p[0]);
    const auto d = [&](std::size_t i) { return static_cast<double>(p[i]); };
    ASSERT_EQ(turn_of({d(0), d(1)}, {d(2), d(3)}, {d(4), d(5)}), sign(value)) << n;
    ASSERT_EQ(sign_of_difference(d(0), d(1), d(2), d(3)),
              sign(static_cast<__int128>(p[0]) * p[1] - static_cast<__int128>(p[2]) * p[3]));
  }
}

TEST(MeshPredicates, SegmentMeetsTriangle) {
  const V a{0, 0, 0}, b{4, 0, 0}, c{0, 4, 0};
  const auto meets = [&](const V& p, const V& q) {
    const bool found = segment_meets_triangle(p, q, a, b, c);
    EXPECT_EQ(found, segment_meets_triangle(q, p, b, a, c));
    return found;
  };
  EXPECT_TRUE(meets({1, 1, -1}, {1, 1, 1}));   // through the middle
  EXPECT_TRUE(meets({1, 1, 0}, {1, 1, 1}));    // ends in it
  EXPECT_TRUE(meets({2, 2, -1}, {2, 2, 1}));   // through an edge
  EXPECT_TRUE(meets({4, 0, -1}, {4, 0, 1}));   // through a corner
  EXPECT_FALSE(meets({3, 3, -1}, {3, 3, 1}));  // beside it
  EXPECT_FALSE(meets({1, 1, 1}, {1, 1, 2}));   // above
  EXPECT_TRUE(meets({-1, 1, 0}, {5, 1, 0}));   // in its plane, across
  EXPECT_TRUE(meets({1, 1, 0}, {1, 2, 0}));    // in its plane, within
  EXPECT_TRUE(meets({4, 0, 0}, {9, 0, 0}));    // in its plane, from a corner on
  EXPECT_FALSE(meets({5, 0, 0}, {9, 0, 0}));   // in line with an edge, beyond it
  EXPECT_FALSE(meets({3, 2, 0}, {2, 3, 0}));   // in its plane, beside
}

}  // namespace
}  // namespace marey::mesh_predicates_test
