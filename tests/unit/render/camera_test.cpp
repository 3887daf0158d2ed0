#include "render/camera.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "render/outline.h"

namespace marey::render {
namespace {

TEST(Camera, LooksAtTheOriginFromWhereItStands) {
  Camera c = looking_from(0.6, 0.3, 800, 600);
  EXPECT_NEAR(dot(c.right, c.up), 0, 1e-14);
  EXPECT_NEAR(dot(c.right, c.forward), 0, 1e-14);
  EXPECT_GT(c.up.z, 0);
  c.eye = -5.0 * c.forward;
  EXPECT_NEAR(std::atan2(c.eye.y, c.eye.x), 0.6, 1e-12);
  EXPECT_NEAR(std::asin(c.eye.z / 5), 0.3, 1e-12);
  const Point2 p = project(c, {0, 0, 0});
  EXPECT_NEAR(p.x, 400, 1e-9);
  EXPECT_NEAR(p.y, 300, 1e-9);
  EXPECT_LT(project(c, {0, 0, 0.1}).y, 300) << "up in the world is up in the picture";
  // From azimuth 0 (on +x, looking back) +y lies to the right.
  Camera front = looking_from(0, 0, 800, 600);
  front.eye = {5, 0, 0};
  EXPECT_GT(project(front, {0, 1, 0}).x, 400);
}

TEST(Camera, RaysGoWhereProjectionSays) {
  Camera c = looking_from(1.1, 0.2, 640, 480);
  c.eye = {3, 2, 1};
  const Vec p = c.eye + 2.5 * ray_through(c, 123.0, 321.0);
  EXPECT_NEAR(depth(c, p), 2.5, 1e-12);
  EXPECT_NEAR(project(c, p).x, 123, 1e-9);
  EXPECT_NEAR(project(c, p).y, 321, 1e-9);
}

// The bounds of a ball are those of its outline, which is found another way.
TEST(Camera, BoundsOfABallAreExact) {
  Camera c = looking_from(0.4, 0.5, 640, 480);
  c.eye = {3, 2, 2};
  const Ball ball{{0.3, -0.4, 0.2}, 0.6};
  const Box2 box = bounds(c, ball);
  Box2 seen;
  Prim prim = render::ball(ball.centre, ball.radius);
  for (const Vec& p : outline_points(prim, c.eye, 2000)) {
    const Point2 q = project(c, p);
    seen.add({q.x, q.y, q.x, q.y});
  }
  EXPECT_NEAR(box.x0, seen.x0, 0.01);
  EXPECT_NEAR(box.x1, seen.x1, 0.01);
  EXPECT_NEAR(box.y0, seen.y0, 0.01);
  EXPECT_NEAR(box.y1, seen.y1, 0.01);
}

// Everything lies within the margins, and the tighter pair of margins is touched on both sides.
TEST(Camera, FitsEverythingTightly) {
  std::mt19937 engine(3);
  std::uniform_real_distribution<> unit(-1, 1);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<Ball> balls;
    for (int i = 0; i < 8; ++i)
      balls.push_back({{2 * unit(engine), unit(engine), 0.5 * unit(engine)}, 0.1 + 0.05 * unit(engine)});
    Camera c = looking_from(3 * unit(engine), 0.4 * unit(engine), 800, 500);
    const Margins m{40, 50, 30, 90};
    fit(c, 800, 500, m, [&](const Vec& n) {
      double most = -1e300;
      for (const Ball& b : balls) most = std::max(most, dot(n, b.centre) + b.radius * norm(n));
      return most;
    });
    Box2 box;
    for (const Ball& b : balls) box.add(bounds(c, b));
    EXPECT_GT(box.x0, 40 - 1e-6);
    EXPECT_LT(box.x1, 750 + 1e-6);
    EXPECT_GT(box.y0, 30 - 1e-6);
    EXPECT_LT(box.y1, 410 + 1e-6);
    const double slack_x = std::max(box.x0 - 40, 750 - box.x1), slack_y = std::max(box.y0 - 30, 410 - box.y1);
    EXPECT_NEAR(std::min(slack_x, slack_y), 0, 1e-6);
  }
}

TEST(Outline, HullLeavesOutWhatIsInside) {
  const Polygon hull = convex_hull({{0, 0}, {4, 0}, {4, 3}, {0, 3}, {2, 1}, {2, 0}, {1, 2}});
  EXPECT_EQ(hull.size(), 4u);
}

// The outline of an ellipsoid is where lines of sight graze it: a little outside they miss, a little inside they hit.
TEST(Outline, SightGrazesTheOutline) {
  const Vec eye{4, 1, 2};
  Prim prim = placed({Ellipsoid{{0.3, 0.6, 0.9}}, {}}, {rotation_about(Vec{0, 0.6, 0.8}, 0.7), {0.2, 0.1, 0}});
  for (const Vec& p : outline_points(prim, eye, 40)) {
    const Vec away = p - prim.X_WS.p;
    const auto hits = [&](const Vec& target) {
      return hit(prim, transpose_times(prim.X_WS.R, eye - prim.X_WS.p), transpose_times(prim.X_WS.R, target - eye)) > 0;
    };
    EXPECT_TRUE(hits(p - 0.001 * away));
    EXPECT_FALSE(hits(p + 0.001 * away));
  }
}

}  // namespace
}  // namespace marey::render
