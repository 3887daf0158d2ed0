// Where a path meets itself, against straight pieces so short that what they say is beyond doubt, or not asked.
#include "constraint/path_crossing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "constraint/curves.h"
#include "marey/spatial.h"

namespace marey {
namespace {

using Vec = Vec3<double>;

struct Polygon {
  std::vector<Vec> at;
  bool closed;
  // How many pieces lie between two of them, the shorter way round.
  std::size_t between(std::size_t i, std::size_t j) const {
    const std::size_t way = i < j ? j - i : i - j;
    return closed ? std::min(way, at.size() - 1 - way) : way;
  }
};

Polygon pieces_of(const SplinePath& path, int count) {
  Polygon p{{}, path.closed};
  for (int i = 0; i <= count; ++i) p.at.push_back(curve_at(path, path.knots.back() * i / count).C);
  return p;
}

// Twice the signed area of the triangle, in the plane z = 0.
double area(const Vec& a, const Vec& b, const Vec& c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

// In the plane z = 0: the points in which pieces that are no neighbours cross.
std::vector<Vec> crossings(const Polygon& p) {
  std::vector<Vec> found;
  for (std::size_t i = 0; i + 1 < p.at.size(); ++i)
    for (std::size_t j = i + 2; j + 1 < p.at.size(); ++j) {
      if (p.between(i, j) < 2) continue;
      const Vec &a = p.at[i], &b = p.at[i + 1], &c = p.at[j], &d = p.at[j + 1];
      const double ca = area(c, d, a), cb = area(c, d, b);
      if (ca * cb < 0 && area(a, b, c) * area(a, b, d) < 0) found.push_back(a + (ca / (ca - cb)) * (b - a));
    }
  return found;
}

// The least distance of two points at least `apart` pieces from each other.
double nearest_approach(const Polygon& p, std::size_t apart) {
  double least = forever;
  for (std::size_t i = 0; i < p.at.size(); ++i)
    for (std::size_t j = i + apart; j < p.at.size(); ++j)
      if (p.between(i, j) >= apart) least = std::min(least, norm(p.at[i] - p.at[j]));
  return least;
}

std::vector<Vec> random_points(std::mt19937& random, double height) {
  std::uniform_real_distribution<double> place(-1, 1);
  std::vector<Vec> points(static_cast<std::size_t>(std::uniform_int_distribution(4, 9)(random)));
  for (Vec& p : points) p = {place(random), place(random), height * place(random)};
  return points;
}

// Turned into an attitude of its own, so that no side of its box is special.
SplinePath turned_path(std::vector<Vec> points, const Mat3<double>& R, bool closed) {
  for (Vec& p : points) p = R * p;
  return spline_path(points, closed);
}

TEST(PathCrossing, InAPlaneAsTheStraightPiecesCross) {
  std::mt19937 random(3);
  int crossing = 0, plain = 0;
  for (int k = 0; k < 120; ++k) {
    SCOPED_TRACE(k);
    const bool closed = k % 2;
    const std::vector<Vec> points = random_points(random, 0);
    const Polygon flat = pieces_of(spline_path(points, closed), 600);
    const std::vector<Vec> expected = crossings(flat);
    const Mat3<double> R = rotation_about(Vec{1, 2, 3} * (1 / std::sqrt(14.0)), 0.7 * k);
    const SplinePath path = turned_path(points, R, closed);
    const double piece = path.knots.back() / 600;
    const auto found = where_it_crosses(path);
    // Stretches that nearly touch, or a loop no larger than the pieces, are left to themselves.
    if (expected.empty() && nearest_approach(flat, 40) < 4 * piece) continue;
    ASSERT_EQ(found.has_value(), !expected.empty());
    (found ? crossing : plain) += 1;
    if (!found) continue;
    double off = forever;
    for (const Vec& at : expected) off = std::min(off, norm(R * at - *found));
    EXPECT_LT(off, 2 * piece);
  }
  EXPECT_GT(crossing, 40);
  EXPECT_GT(plain, 10);
}

// In space two stretches hardly ever meet.
TEST(PathCrossing, InSpaceItIsFreeOfThem) {
  std::mt19937 random(4);
  for (int k = 0; k < 60; ++k) {
    const SplinePath path = spline_path(random_points(random, 1), k % 2);
    if (nearest_approach(pieces_of(path, 300), 20) < 1e-3 * path.knots.back()) continue;
    EXPECT_FALSE(where_it_crosses(path)) << k;
  }
}

// A crossing is found whichever two spans it lies on, and wherever on them.
TEST(PathCrossing, AnywhereOnALongPath) {
  for (int bend = 0; bend < 9; ++bend)
    for (const double beside : {0.31, 0.5, 0.77}) {
      std::vector<Vec> points;
      for (int i = -3; i < 10; ++i) points.push_back({1.0 * i, 0.2 * (i % 2), 0});
      points.push_back({11, 3, 0}), points.push_back({bend + beside, 3, 0}), points.push_back({bend + beside, -3, 0});
      const SplinePath path = spline_path(points, false);
      const std::vector<Vec> expected = crossings(pieces_of(path, 900));
      ASSERT_EQ(expected.size(), 1U) << bend << ' ' << beside;
      const auto found = where_it_crosses(path);
      ASSERT_TRUE(found) << bend << ' ' << beside;
      EXPECT_LT(norm(*found - expected[0]), 0.01);
    }
}

// Out and back: where it stops and turns, which may be anywhere between two points.
TEST(PathCrossing, WhereItTurnsBack) {
  for (int turn = 2; turn < 7; ++turn)
    for (const double back : {0.9, 0.5, 0.1, 0.01, 1e-3}) {
      std::vector<Vec> points;
      for (int i = 0; i <= turn; ++i) points.push_back({0, 0.3 * i, 0.4 * i});
      points.push_back({0, 0.3 * (turn - back), 0.4 * (turn - back)});
      const auto found = where_it_crosses(spline_path(points, false));
      ASSERT_TRUE(found) << turn << ' ' << back;
      EXPECT_LT(norm(cross(*found, Vec{0, 0.6, 0.8})), 1e-9);
      EXPECT_GT(norm(*found), 0.5 * (turn - back) - 1e-3);  // where it comes back, or beyond
    }
}

// One stretch along another, without crossing it at an angle.
TEST(PathCrossing, AlongItsOwnWay) {
  std::vector<Vec> points;
  for (int i = 0; i <= 36; ++i) points.push_back({std::cos(M_PI / 12 * i), 2, std::sin(M_PI / 12 * i)});
  const auto found = where_it_crosses(spline_path(points, false));
  ASSERT_TRUE(found);
  EXPECT_NEAR(norm(*found - Vec{0, 2, 0}), 1, 1e-3);
}

// A second pass along a straight line, point for point between those of the first: it leaves the line to another side, so
// that the two cross nowhere at an angle.
TEST(PathCrossing, AlongALine) {
  std::vector<Vec> points;
  for (int i = 0; i <= 20; ++i) points.push_back({1.0 * i, 0, 0});
  for (const Vec& way : {Vec{22, 3, 0}, {10, 8, 4}, {-2, 3, 8}, {-3, 0, 4}}) points.push_back(way);
  for (int i = 0; i < 20; ++i) points.push_back({i + 0.5, 0, 0});
  const auto found = where_it_crosses(spline_path(points, false));
  ASSERT_TRUE(found);
  EXPECT_LT(std::hypot(found->y, found->z), 1e-4);
}

}  // namespace
}  // namespace marey
