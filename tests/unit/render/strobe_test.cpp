// What a picture shows, pixel by pixel.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "pictures.h"
#include "render/raster.h"
#include "render/stage.h"

namespace marey {
namespace {

using pictures::Ending, pictures::ending_of, pictures::Folder, pictures::Pixels, pictures::moving_body,
    pictures::read_png, pictures::shape_at;

StrobeOptions plain() {
  StrobeOptions o;
  o.width = 320, o.height = 200;
  o.ground = o.labels = false;
  o.azimuth = -std::numbers::pi / 2;  // from −y: x to the right, z up
  o.elevation = 0;
  return o;
}

Pixels drawn(const PictureScene& scene, const StrobeOptions& options) {
  const Folder folder;
  render_strobe(scene, options, folder / "p.png");
  return read_png(folder / "p.png");
}

bool differs(const Pixels& a, int x, int y, const std::vector<int>& colour) {
  int sum = 0;
  for (int k = 0; k < 3; ++k) sum += std::abs(a.at(x, y)[k] - colour[k]);
  return sum > 6;
}

// A row of instants is flat, and so is its picture where the height is left open; one instant has the usual shape.
TEST(Strobe, ARowIsAsFlatAsItNeeds) {
  PictureScene scene = moving_body({shape_at(Sphere{0.5}, {})}, {{0, 0, 3}, {0, 0, 3.1}});
  StrobeOptions options = plain();
  options.height = 0, options.spread = -1, options.count = 9;
  const Pixels row = drawn(scene, options);
  EXPECT_EQ(row.width, 320);
  EXPECT_LT(row.height, 0.35 * row.width);
  int lines = 0;
  for (int y = 0; y < row.height; ++y) {
    bool any = false;
    for (int x = 0; x < row.width; ++x) any = any || differs(row, x, y, row.at(0, 0));
    lines += any;
  }
  EXPECT_GT(lines, row.height / 3) << "balls in a third of it, at least";
  options.spread = 0, options.count = 1;
  EXPECT_EQ(drawn(scene, options).height, 200);
}

TEST(Strobe, ASphereIsWhereTheCameraPutsIt) {
  // A small ball beside a large one that sets the frame.
  const PictureScene scene =
      moving_body({shape_at(Sphere{0.1}, {-1.0, 0, 0.5}), shape_at(Sphere{0.02}, {1, 0, -0.5})}, {{0, 0, 3}});
  const StrobeOptions options = plain();
  const render::Camera camera = render::set_stage(scene, options).camera;
  const Pixels image = drawn(scene, options);
  ASSERT_EQ(image.width, 320);
  ASSERT_EQ(image.height, 200);
  const Vec3<double> centre{-1.0, 0, 3.5};
  const auto middle = render::project(camera, centre);
  const double z = render::depth(camera, centre);
  const double radius = camera.focal * 0.1 / std::sqrt(z * z - 0.01);
  double area = 0, x_sum = 0, y_sum = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width / 2; ++x)
      if (differs(image, x, y, image.at(0, 0))) area += 1, x_sum += x + 0.5, y_sum += y + 0.5;
  EXPECT_GT(radius, 5);
  EXPECT_NEAR(x_sum / area, middle.x, 0.3);
  EXPECT_NEAR(y_sum / area, middle.y, 0.3);
  EXPECT_NEAR(std::sqrt(area / std::numbers::pi), radius, 0.7);
}

// Two bars cross; at the crossing the picture is that of the nearer bar alone, whichever that is.
TEST(Strobe, TheNearerOfTwoCapsulesHidesTheOther) {
  for (const double y_of_level : {-0.3, 0.3}) {
    Shape level{Capsule{0.08, 1.2}, {rotation_about(Vec3<double>{0, 1, 0}, std::numbers::pi / 2), {0, y_of_level, 0}}};
    const Shape upright = shape_at(Capsule{0.08, 1.2}, {0, -y_of_level, 0});
    const render::Stage both = render::set_stage(moving_body({level, upright}, {{0, 0, 0}}), plain());
    render::Stage near = both, far = both;
    const std::size_t nearer = y_of_level < 0 ? 0 : 1;  // the camera looks from −y
    near.instants[0].prims = {both.instants[0].prims[nearer]};
    far.instants[0].prims = {both.instants[0].prims[1 - nearer]};
    const auto p = render::project(both.camera, {0.05, 0, 0.02});
    const auto look = [&](const render::Stage& s) { return render::paint(s, {4, 1, true}).at(int(p.x), int(p.y)); };
    EXPECT_NEAR(norm(look(both) - look(near)), 0, 1e-6);
    EXPECT_GT(norm(look(both) - look(far)), 0.02);
  }
}

TEST(Strobe, NewerInstantsLieOverOlderOnes) {
  // The second, newer place overlaps the first in the picture and lies behind it.
  const PictureScene scene = moving_body({shape_at(Sphere{0.3}, {})}, {{0, 0, 1}, {0.3, 0.6, 1}});
  StrobeOptions options = plain();
  options.count = 2;
  const render::Stage both = render::set_stage(scene, options);
  render::Stage newer = both;
  newer.instants.erase(newer.instants.begin());
  const auto p = render::project(both.camera, {0.2, 0.2, 1});
  const auto look = [&](const render::Stage& s) { return render::paint(s, {4, 1, true}).at(int(p.x), int(p.y)); };
  EXPECT_NEAR(norm(look(both) - look(newer)), 0, 1e-6);
}

TEST(Strobe, OlderInstantsAreFainter) {
  const PictureScene scene = moving_body({shape_at(Sphere{0.2}, {})}, {{0, 0, 1}, {1, 0, 1}, {2, 0, 1}, {3, 0, 1}});
  for (const bool light : {false, true}) {
    StrobeOptions options = plain();
    options.light = light, options.count = 4;
    const Pixels image = drawn(scene, options);
    const render::Stage stage = render::set_stage(scene, options);
    int before = 0;
    for (int i = 0; i < 4; ++i) {
      const auto p = render::project(stage.camera, {double(i), 0, 1});
      const int contrast = std::abs(image.brightness(int(p.x), int(p.y)) - image.brightness(0, 0));
      EXPECT_GT(contrast, before + 20) << i << (light ? " light" : " dark");
      before = contrast;
    }
  }
}

TEST(Strobe, AutomaticFramingHoldsTheWholeMotion) {
  for (const double lean : {0.0, 0.7, 2.5}) {
    std::vector<Vec3<double>> places;
    for (int i = 0; i < 20; ++i) {
      const double s = 0.2 * i;
      places.push_back({s * std::cos(lean), s * std::sin(lean), 2 + s - 0.3 * s * s});
    }
    const PictureScene scene = moving_body({shape_at(Box{{0.3, 0.2, 0.6}}, {0.1, 0, 0.2})}, places);
    StrobeOptions options = plain();
    options.azimuth.reset(), options.elevation.reset();
    options.light = lean > 1;
    const Pixels image = drawn(scene, options);
    const auto back = image.at(0, 0);
    int inside = 0, edge = 0;
    for (int y = 0; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x)
        if (differs(image, x, y, back)) {
          ++inside;
          edge += x < 10 || y < 10 || x >= image.width - 10 || y >= image.height - 10;
        }
    EXPECT_EQ(edge, 0);
    EXPECT_GT(inside, 1500);
    // Time runs to the right.
    const render::Stage stage = render::set_stage(scene, options);
    EXPECT_LT(render::project(stage.camera, places.front()).x, render::project(stage.camera, places.back()).x);
  }
}

TEST(Strobe, SpreadInstantsStandClear) {
  const PictureScene scene = moving_body({shape_at(Sphere{0.25}, {})}, {{0, 0, 1}, {0, 0, 1.01}, {0, 0, 1}});
  StrobeOptions options = plain();
  options.count = 3, options.spread = -1;
  const Pixels image = drawn(scene, options);
  int runs = 0;
  for (int x = 1; x < image.width; ++x) {
    const auto column = [&](int at) {
      for (int y = 0; y < image.height; ++y)
        if (differs(image, at, y, image.at(0, 0))) return true;
      return false;
    };
    runs += column(x) && !column(x - 1);
  }
  EXPECT_EQ(runs, 3);
}

TEST(Strobe, ShadowsFallOnTheGround) {
  const PictureScene scene = moving_body({shape_at(Box{{1, 1, 0.1}}, {0, 0, 0.3})}, {{0, 0, 0}});
  StrobeOptions options = plain();
  options.light = options.ground = true;
  options.elevation = 0.25;
  const render::Stage stage = render::set_stage(scene, options);
  EXPECT_EQ(stage.ground.level, 0);
  const Pixels image = drawn(scene, options);
  const auto under = render::project(stage.camera, {0.13, -0.08, 0});
  EXPECT_LT(image.brightness(int(under.x), int(under.y)), image.brightness(1, 1) - 60);
}

// Beads whose middles move at z = 0 are not sunk in the ground; a body that stands on z = 0 stands on it.
TEST(Strobe, TheGroundLiesBelowWhatGoesUnderZero) {
  StrobeOptions options = plain();
  options.ground = true;
  const auto level_under = [&](double z) {
    const PictureScene scene = moving_body({shape_at(Sphere{0.02}, {})}, {{-1, 0, z}, {1, 0, z}, {0, 1, z}});
    return render::set_stage(scene, options).ground.level;
  };
  EXPECT_LT(level_under(0), -0.02);
  EXPECT_EQ(level_under(0.02), 0);
}

TEST(Strobe, FloorsOfContactsAreDrawn) {
  const double angle = 0.35;
  const Vec3<double> downhill{std::cos(angle), 0, -std::sin(angle)}, normal{std::sin(angle), 0, std::cos(angle)};
  PictureScene scene = moving_body({shape_at(Sphere{0.1}, {})}, {{0, 0, 0}, 2.0 * downhill});
  for (auto& X_WB : scene.X_WB) X_WB[1].p += 0.1 * normal;
  StrobeOptions options = plain();
  options.ground = true, options.elevation = 0.2;
  scene.floors = {{normal, 0}};
  const render::Stage slanted = render::set_stage(scene, options);
  ASSERT_EQ(slanted.fixed.size(), 1u);
  const render::Prim& slab = slanted.fixed[0];
  EXPECT_NEAR(render::reach(slab, normal), 0, 1e-12);
  EXPECT_GT(render::reach(slab, downhill), 2.1);
  EXPECT_LT(-render::reach(slab, -downhill), -0.1);
  EXPECT_LE(slanted.ground.level, -render::reach(slab, {0, 0, -1}));

  options.ground = false;
  EXPECT_TRUE(render::set_stage(scene, options).fixed.empty());
  options.ground = true;
  scene.floors = {{{0, -1, 0}, -0.1}};  // a wall, seen from its front …
  EXPECT_EQ(render::set_stage(scene, options).fixed.size(), 1u);
  scene.floors = {{{0, 1, 0}, -0.1}};  // … and from behind
  EXPECT_TRUE(render::set_stage(scene, options).fixed.empty());
}

TEST(Strobe, TheGroundIsTheLevelFloorOfTheScene) {
  PictureScene scene = moving_body({shape_at(Sphere{0.1}, {})}, {{0, 0, 0.6}, {1, 0, 0.6}});
  StrobeOptions options = plain();
  options.ground = true, options.elevation = 0.2;
  scene.floors = {{{0, 0, 1}, 0.5}};
  EXPECT_EQ(render::set_stage(scene, options).ground.level, 0.5);
  EXPECT_TRUE(render::set_stage(scene, options).fixed.empty());
  scene.floors.push_back({{0, 0, 1}, 0.4});  // another, lower one
  const render::Stage two = render::set_stage(scene, options);
  ASSERT_EQ(two.fixed.size(), 1u);
  EXPECT_NEAR(render::reach(two.fixed[0], {0, 0, 1}), 0.4, 1e-12);
}

TEST(Strobe, LinksThatStayBelongToTheSet) {
  PictureScene scene = moving_body({shape_at(Sphere{0.2}, {})}, {{0, 0, 1}, {1, 0, 1}});
  scene.links.push_back({"thing.stand", 0, {shape_at(Box{{1, 1, 0.1}}, {})}, {}});
  for (auto& X_WB : scene.X_WB) X_WB.push_back({});
  const render::Stage stage = render::set_stage(scene, plain());
  EXPECT_EQ(stage.fixed.size(), 1u);
  for (const auto& e : stage.instants) EXPECT_EQ(e.prims.size(), 1u);
}

TEST(Strobe, LinksWithoutShapesAreSticks) {
  PictureScene scene = moving_body({}, {{0, 0, 1}});
  scene.links.push_back({"thing.end", 1, {}, {0, 0, -0.2}});
  scene.X_WB[0].push_back({Mat3<double>::identity(), {0.6, 0, 1}});
  const render::Stage stage = render::set_stage(scene, plain());
  const auto& prims = stage.instants[0].prims;
  double left = 1e9, right = -1e9, low = 1e9;
  for (const auto& p : prims) {
    left = std::min(left, -render::reach(p, {-1, 0, 0})), right = std::max(right, render::reach(p, {1, 0, 0}));
    low = std::min(low, -render::reach(p, {0, 0, -1}));
  }
  EXPECT_NEAR(left, 0, 0.02);
  EXPECT_NEAR(right, 0.6, 0.02);
  EXPECT_NEAR(low, 0.8, 0.02);
}

TEST(Strobe, ThreadsDoNotChangeThePicture) {
  const PictureScene scene = moving_body({shape_at(Capsule{0.1, 0.5}, {})}, {{0, 0, 1}, {1, 0, 1}});
  StrobeOptions options = plain();
  options.ground = options.labels = true, options.count = 3;
  options.threads = 1;
  const Pixels one = drawn(scene, options);
  options.threads = 3;
  EXPECT_EQ(one.rgb, drawn(scene, options).rgb);
}

TEST(Strobe, RefusesWhatItCannotDraw) {
  const PictureScene scene = moving_body({shape_at(Sphere{0.2}, {})}, {{0, 0, 1}, {1, 0, 1}});
  const Folder folder;
  PictureScene empty = scene;
  empty.times.clear(), empty.X_WB.clear();
  EXPECT_EQ(ending_of([&] { render_strobe(empty, plain(), folder / "a.png"); }).kind, ErrorKind::bad_input);
  EXPECT_EQ(ending_of([&] { render_strobe(scene, plain(), folder / "a.gif"); }).kind, ErrorKind::bad_input);
  PictureScene broken = scene;
  broken.X_WB[1][1].p.z = NAN;
  EXPECT_NE(ending_of([&] { render_strobe(broken, plain(), folder / "a.png"); }).says.find("'thing.body'"),
            std::string::npos);
  for (const char* name : {"no/such/folder/a.png", "no/such/folder/a.svg"}) {
    const Ending e = ending_of([&] { render_strobe(scene, plain(), folder / name); });
    EXPECT_EQ(e.kind, ErrorKind::file_trouble);
    EXPECT_NE(e.says.find("No such file"), std::string::npos) << e.says;
  }
  StrobeOptions trail = plain();
  trail.trails = {"thing.bodi"};
  const Ending e = ending_of([&] { render_strobe(scene, trail, folder / "a.png"); });
  EXPECT_EQ(e.kind, ErrorKind::bad_input);
  EXPECT_NE(e.says.find("did you mean 'thing.body'"), std::string::npos) << e.says;
  EXPECT_FALSE(std::filesystem::exists(folder / "a.png"));
}

TEST(Strobe, AnExistingPictureIsReplaced) {
  const PictureScene scene = moving_body({shape_at(Sphere{0.2}, {})}, {{0, 0, 1}});
  const Folder folder;
  StrobeOptions options = plain();
  render_strobe(scene, options, folder / "a.png");
  options.width = 100;
  render_strobe(scene, options, folder / "a.png");
  EXPECT_EQ(read_png(folder / "a.png").width, 100);
}

}  // namespace
}  // namespace marey
