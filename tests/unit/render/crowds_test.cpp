// Many solids at once: trees and orders that spare work show the same as looking at every solid.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "render/lighting.h"
#include "render/raster.h"
#include "render/shadow.h"

namespace marey::render {
namespace {

Vec somewhere(std::mt19937& random, double far) {
  std::uniform_real_distribution<double> u(-far, far);
  return {u(random), u(random), u(random)};
}
Vec direction(std::mt19937& random) {
  const Vec v = somewhere(random, 1);
  return (1 / norm(v)) * v;
}

// Balls and sticks; all of a kind that needs no mesh.
std::vector<Prim> crowd(std::mt19937& random, int n, double size) {
  std::vector<Prim> prims;
  for (int i = 0; i < n; ++i) {
    const Vec p = somewhere(random, 1);
    prims.push_back(i % 2 == 0 ? ball(p, size) : stick(p, p + somewhere(random, 4 * size), 0.6 * size));
  }
  return prims;
}

// What stands in the light, or in the way to the sky, is at least one solid of all: a crowd is as dark as the darkest of its members alone.
TEST(Crowds, ShadeAsTheirMembersDo) {
  std::mt19937 random(7);
  const std::vector<Prim> all = crowd(random, 200, 0.1);
  const Crowd together = crowd_of(all);
  std::vector<std::vector<Prim>> lone;
  for (const Prim& p : all) lone.push_back({p});
  std::vector<Crowd> single;
  for (const auto& one : lone) single.push_back(crowd_of(one));
  const Lights lights = set_lights(looking_from(0.5, 0.3, 100, 100), 9);
  int dark = 0, bright = 0;
  for (int k = 0; k < 300; ++k) {
    const Vec at = somewhere(random, 1.2);
    Vec n = direction(random);
    const bool key_alone = k % 2 == 0;  // the way to the sky is too short for anything; or the key light is behind
    if ((dot(n, lights.key) > 0) != key_alone) n = -n;
    const double scale = key_alone ? 1e-6 : 3;
    const auto light = [&](const Crowd& c) { return lit(lights, c, {1, 1, 1}, at, n, 1, scale, k % 9).x; };
    double least = light({});
    const double open = least;
    for (const Crowd& c : single) least = std::min(least, light(c));
    EXPECT_EQ(light(together), least) << k;
    (least < open ? dark : bright) += 1;
  }
  EXPECT_GT(dark, 60);
  EXPECT_GT(bright, 60);
}

Stage stage_of(const std::vector<Prim>& prims) {
  Stage stage;
  stage.width = 96, stage.height = 64;
  stage.theme = &dark_theme();
  stage.camera = looking_from(0.4, 0.2, 96, 64);
  stage.camera.eye = -8.0 * stage.camera.forward;
  stage.size = 2;
  Exposure instant;
  instant.colour = {1, 1, 1};
  instant.prims = prims;
  stage.instants.push_back(instant);
  return stage;
}
std::vector<float> pixels(const Stage& stage) {
  std::vector<float> out;
  for (const auto& c : paint(stage, {2, 1, true}).pixels) out.insert(out.end(), {c.x, c.y, c.z});
  return out;
}

// A long box along the line of sight with a ball within it, nearer to the eye than the middle of the box: nobody sees the ball.
TEST(Crowds, WhatIsWithinAnotherIsNotSeen) {
  Stage alone = stage_of({});
  const Vec &x = alone.camera.forward, &y = alone.camera.right, &z = alone.camera.up;
  const Mat3<double> R{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
  const Prim box{Kind::box, {R, {}}, {2, 0.3, 0.3}};
  alone.instants[0].prims = {box};
  for (const double along : {-1.5, 0.0, 1.5})
    EXPECT_EQ(pixels(alone), pixels(stage_of({box, ball(along * x, 0.2)}))) << along;
}

// Nor does the order matter in which a crowd is given.
TEST(Crowds, AnyOrderGivesTheSamePicture) {
  std::mt19937 random(11);
  std::vector<Prim> prims = crowd(random, 150, 0.05);
  const std::vector<float> first = pixels(stage_of(prims));
  std::ranges::reverse(prims);
  EXPECT_EQ(first, pixels(stage_of(prims)));
}

// A shadow is that of what is nearest to the ground: a wide roof far above a ball leaves the ball's own shadow under it, as
// dark as without the roof.
TEST(Crowds, TheLowestCastsTheShadow) {
  const auto shadow = [](const std::vector<Prim>& prims) {
    Stage stage = stage_of(prims);
    stage.ground.shown = true, stage.ground.radius = 8;
    return ShadowMap(stage, {0, 0, 1}, 1).at(0, 0);
  };
  const Prim low = ball({0, 0, 0.3}, 0.3), roof{Kind::box, {Mat3<double>::identity(), {0, 0, 1}}, {1, 1, 0.01}};
  const double of_ball = shadow({low}), of_roof = shadow({roof});
  EXPECT_GT(of_ball, of_roof);
  EXPECT_GT(of_roof, 0.1);
  EXPECT_GE(shadow({low, roof}), of_ball);
  EXPECT_EQ(shadow({low, roof}), shadow({roof, low}));
  EXPECT_NEAR(shadow({low, roof}), of_ball, 0.02);  // beside the ball the roof counts
}

}  // namespace
}  // namespace marey::render
