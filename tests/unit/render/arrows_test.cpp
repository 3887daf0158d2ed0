// Forces, momentum and centre of mass over pictures: arrows of the right length at the right place, in one scale throughout.
#include "render/arrows.h"

#include <gtest/gtest.h>

#include <cmath>

#include "marey/io/motion.h"
#include "render/film_stage.h"
#include "render/overlay.h"
#include "support/trouble.h"
#include "unit/render/pictures.h"

namespace marey::arrows_test {
namespace {

using pictures::Folder;
using render::Arrow, render::ArrowKind, render::Point2, render::Stage;
using Vec = Vec3<double>;

// A ball rolls along x for two seconds, on a floor that carries it: with 10 N, and with 20 N from the middle on.
PictureScene rolling() {
  PictureScene scene;
  scene.title = "A ball rolls";
  scene.links = {{"world", 0, {}, {}}, {"ball", 0, {{Sphere{0.1}, {}}}, {}}};
  for (int i = 0; i <= 20; ++i) {
    const double t = 0.1 * i;
    scene.times.push_back(t);
    scene.X_WB.push_back({{}, {Mat3<double>::identity(), {t, 0, 0.1}}});
    scene.forces.push_back({{{t, 0, 0}, {0, 0, i < 10 ? 10.0 : 20.0}}});
    scene.centers_of_mass.push_back({t, 0, 0.1});
    scene.momenta.push_back({3, 0, 0});
  }
  scene.marks_center = true;
  return scene;
}
StrobeOptions five() {
  StrobeOptions o;
  o.at = {0, 0.52, 1, 1.56, 2};
  o.width = 400, o.height = 250, o.samples = 1;
  return o;
}
std::vector<Arrow> of_kind(const render::Exposure& e, ArrowKind kind) {
  std::vector<Arrow> all;
  for (const Arrow& a : e.arrows)
    if (a.kind == kind) all.push_back(a);
  return all;
}
void expect_near(const Vec& a, const Vec& b) { EXPECT_NEAR(norm(a - b), 0, 1e-12) << a.x << ' ' << a.y << ' ' << a.z; }

TEST(Arrows, AreAsLongAsTheForceInTheScaleSaid) {
  const PictureScene scene = rolling();
  const Stage stage = render::set_stage(scene, five());
  const double scale = stage.arrow_scale.force, of_momentum = stage.arrow_scale.momentum;
  const double digit = scale / std::pow(10, std::floor(std::log10(scale * (1 + 1e-9))));
  EXPECT_TRUE(std::abs(digit - 1) < 1e-9 || std::abs(digit - 2) < 1e-9 || std::abs(digit - 5) < 1e-9) << scale;
  const double figure = 20 / scale / stage.size;
  EXPECT_TRUE(figure > 0.1 && figure < 0.8) << figure << " of the figure";
  const double at[] = {0, 0.5, 1, 1.6, 2};  // the nearest frames
  for (std::size_t i = 0; i < 5; ++i) {
    const auto forces = of_kind(stage.instants[i], ArrowKind::force);
    ASSERT_EQ(forces.size(), 1u);
    expect_near(forces[0].from, {at[i], 0, 0});
    expect_near(forces[0].to, {at[i], 0, (i < 2 ? 10 : 20) / scale});
    const auto momenta = of_kind(stage.instants[i], ArrowKind::momentum);
    ASSERT_EQ(momenta.size(), 1u);
    expect_near(momenta[0].from, {stage.instants[i].t, 0, 0.1});  // between frames, too
    expect_near(momenta[0].to, {stage.instants[i].t + 3 / of_momentum, 0, 0.1});
    EXPECT_LE(3 / of_momentum, 0.6 * stage.size * (1 + 1e-9));
    ASSERT_EQ(stage.instants[i].centers.size(), 1u);
    expect_near(stage.instants[i].centers[0], momenta[0].from);
  }
  const auto words = render::words_for_arrows(stage);
  ASSERT_EQ(words.size(), 2u);
  double said = 0;
  ASSERT_EQ(std::sscanf(words[0].first.c_str(), "1 m = %lf N", &said), 1) << words[0].first;
  EXPECT_DOUBLE_EQ(said, scale);
}

// A blow that is over at once makes no other arrow shorter, and is drawn as broken off.
TEST(Arrows, ABlowMakesNoOtherShort) {
  PictureScene scene = rolling();
  const double scale = render::set_stage(scene, five()).arrow_scale.force;
  scene.forces[10][0].f_W = {0, 0, 1e7};
  const Stage stage = render::set_stage(scene, five());
  EXPECT_EQ(stage.arrow_scale.force, scale);
  const Arrow blow = of_kind(stage.instants[2], ArrowKind::force).at(0);
  EXPECT_TRUE(blow.broken);
  EXPECT_NEAR(norm(blow.to - blow.from), 1.1 * stage.size, 1e-12);
  EXPECT_FALSE(of_kind(stage.instants[1], ArrowKind::force).at(0).broken);
}

TEST(Arrows, AreSeenWhole) {
  for (const double spread : {0.0, 0.5}) {
    StrobeOptions o = five();
    o.spread = spread;
    const Stage stage = render::set_stage(rolling(), o);
    for (const render::Stroke& s : render::arrow_strokes(stage))
      for (const Point2& p : s.points)
        EXPECT_TRUE(p.x > 0 && p.x < stage.width && p.y > 0 && p.y < stage.height) << p.x << ", " << p.y;
    // Moved aside with their instants.
    const Vec ball = stage.instants[4].prims[0].X_WS.p;
    expect_near(stage.instants[4].centers[0], ball);
  }
}

TEST(Arrows, OneScaleInAFilm) {
  const PictureScene scene = rolling();
  FilmOptions o;
  o.look = five();
  o.look.at.clear();
  const render::FilmStage film(scene, o);
  const Stage early = film.at(0.2), late = film.at(1.8);
  EXPECT_GT(early.arrow_scale.force, 0);
  EXPECT_EQ(early.arrow_scale.force, late.arrow_scale.force);
  EXPECT_NEAR(2 * norm(early.instants[0].arrows[0].to - early.instants[0].arrows[0].from),
              norm(late.instants[0].arrows[0].to - late.instants[0].arrows[0].from), 1e-12);
  // The path of the centre of mass, as far as it has come, is not hidden by the ball around it.
  ASSERT_EQ(late.trails.size(), 1u);
  expect_near(late.trails[0].points.back(), {late.trails[0].t.back(), 0, 0.1});
  EXPECT_NEAR(late.trails[0].t.back(), 1.8, 0.01);
  EXPECT_FALSE(render::trail_strokes(late).empty());
}

TEST(Arrows, NothingWhereNothingWasAskedFor) {
  PictureScene scene = rolling();
  scene.forces.clear(), scene.momenta.clear(), scene.centers_of_mass.clear(), scene.marks_center = false;
  const Stage stage = render::set_stage(scene, five());
  EXPECT_TRUE(render::arrow_strokes(stage).empty());
  EXPECT_TRUE(render::words_for_arrows(stage).empty());
  EXPECT_TRUE(stage.trails.empty());
  scene = rolling();
  for (auto& forces : scene.forces) forces.clear();  // nothing touches
  EXPECT_EQ(render::set_stage(scene, five()).arrow_scale.force, 0);
}

TEST(Arrows, InBothKindsOfPictures) {
  const Folder folder;
  render_strobe(rolling(), five(), folder / "p.svg");
  const std::string svg = pictures::read_text(folder / "p.svg");
  EXPECT_EQ(pictures::xml_fault(svg), "");
  EXPECT_EQ(pictures::count(svg, "#ffb000"), 5u * 2u + 1u) << "a shaft and a head each, and the scale";
  render_strobe(rolling(), five(), folder / "p.png");
  const pictures::Pixels image = pictures::read_png(folder / "p.png");
  int amber = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x)
      amber += image.at(x, y)[0] > 180 && image.at(x, y)[1] > 120 && image.at(x, y)[2] < 60;
  EXPECT_GT(amber, 50);
}

// The points that touch, frame by frame.
TEST(Arrows, ForcesOfTheFramesInWhichTheyWere) {
  MotionItems items;
  items.list.fields = {{"t", "s", {""}, ""}, {"force", "N", {"x", "y", "z"}, ""}, {"point", "m", {"x", "y", "z"}, ""}};
  items.numbers = {0.1, 1, 2, 3, 4, 5, 6, 0.1, 7, 8, 9, 10, 11, 12, 0.3, 13, 14, 15, 16, 17, 18};
  items.ends = {0, 2, 2, 3};
  PictureScene scene;
  scene.times = {0, 0.1, 0.2, 0.3};
  add_forces(scene, items);
  ASSERT_EQ(scene.forces.size(), 4u);
  EXPECT_EQ(scene.forces[0].size(), 0u);
  ASSERT_EQ(scene.forces[1].size(), 2u);
  EXPECT_EQ(scene.forces[2].size(), 0u);
  ASSERT_EQ(scene.forces[3].size(), 1u);
  expect_near(scene.forces[1][1].f_W, {7, 8, 9});
  expect_near(scene.forces[3][0].p_WoQ_W, {16, 17, 18});
  items.list.fields[1].name = "strength";
  EXPECT_NE(::trouble::of(ErrorKind::bad_input, [&] { add_forces(scene, items); }), "");
}

}  // namespace
}  // namespace marey::arrows_test
