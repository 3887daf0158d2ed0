#include <gtest/gtest.h>

#include <numbers>

#include "pictures.h"
#include "render/colour.h"
#include "render/stage.h"

namespace marey {
namespace {

using pictures::Folder, pictures::count, pictures::moving_body, pictures::read_text, pictures::shape_at,
    pictures::xml_fault;

PictureScene all_shapes() {
  return moving_body({shape_at(Box{{0.2, 0.3, 0.4}}, {0, 0, 0}), shape_at(Sphere{0.2}, {0.4, 0, 0}),
                      shape_at(Capsule{0.1, 0.4}, {0.8, 0, 0}), shape_at(Cylinder{0.1, 0.4}, {1.2, 0, 0}),
                      shape_at(Ellipsoid{{0.1, 0.2, 0.3}}, {1.6, 0, 0})},
                     {{0, 0, 0.6}, {0, 0.5, 1.2}, {0.2, 1, 2}});
}

std::string drawn(const StrobeOptions& options, const std::string& title = "All shapes") {
  const Folder folder;
  PictureScene scene = all_shapes();
  scene.title = title;
  render_strobe(scene, options, folder / "p.svg");
  return read_text(folder / "p.svg");
}

TEST(Svg, IsWellFormedInEveryManner) {
  EXPECT_EQ(xml_fault("<a><b c='1'/></a>"), "");
  EXPECT_NE(xml_fault("<a><b></a>"), "") << "the checker itself";
  for (int manner = 0; manner < 16; ++manner) {
    StrobeOptions o;
    o.count = 4;
    o.light = manner & 1, o.wire = manner & 2, o.labels = manner & 4, o.ground = manner & 8;
    o.trails = {"thing.body@0.1,0,0"};
    EXPECT_EQ(xml_fault(drawn(o)), "") << manner;
  }
}

TEST(Svg, TitlesAreEscaped) {
  const std::string text = drawn({}, "Fast & <slow>");
  EXPECT_EQ(xml_fault(text), "");
  EXPECT_NE(text.find("Fast &amp; &lt;slow&gt;"), std::string::npos);
}

TEST(Svg, OneGroupForEachInstant) {
  StrobeOptions o;
  o.count = 7;
  const std::string text = drawn(o);
  EXPECT_EQ(count(text, "<g id=\"t"), 7u);
  // Four round solids take a gradient each.
  EXPECT_EQ(count(text, "<linearGradient"), 7u * 4u);
}

// A ball's outline in the file lies at the place and of the size that the camera gives it.
TEST(Svg, OutlinesLieWhereTheCameraPutsThem) {
  const PictureScene scene = moving_body({shape_at(Sphere{0.3}, {}), shape_at(Sphere{0.02}, {1, 0, 0})}, {{0, 0, 1}});
  StrobeOptions o;
  o.ground = o.labels = false;
  const render::Camera camera = render::set_stage(scene, o).camera;
  const render::Box2 expected = render::bounds(camera, render::Ball{{0, 0, 1}, 0.3});
  const Folder folder;
  render_strobe(scene, o, folder / "p.svg");
  const std::string text = read_text(folder / "p.svg");
  render::Box2 found;
  for (std::size_t at = text.find("fill=\"url("); at != std::string::npos; at = text.find("fill=\"url(", at + 1)) {
    const std::size_t d = text.rfind("d=\"M", at) + 4;
    std::istringstream points(text.substr(d, at - d));
    render::Box2 box;
    double x, y;
    char comma;
    while (points >> x >> comma >> y) {
      box.add({x, y, x, y});
      while (points.peek() == 'L' || points.peek() == ' ') points.get();
    }
    if (box.x1 - box.x0 > found.x1 - found.x0) found = box;
  }
  EXPECT_NEAR(found.x0, expected.x0, 0.5);
  EXPECT_NEAR(found.x1, expected.x1, 0.5);
  EXPECT_NEAR(found.y0, expected.y0, 0.5);
  EXPECT_NEAR(found.y1, expected.y1, 0.5);
}

// A sensor is drawn as wires: no outline is filled for it, and what is in it is seen.
TEST(Svg, SensorsAreWires) {
  PictureScene scene = moving_body({shape_at(Sphere{0.3}, {})}, {{0, 0, 1}});
  StrobeOptions o;
  o.ground = o.labels = false;
  const auto text_of = [&] {
    const Folder folder;
    render_strobe(scene, o, folder / "p.svg");
    return read_text(folder / "p.svg");
  };
  const std::string alone = text_of();
  scene.links[1].felt = {shape_at(Box{{1, 1, 1}}, {})};
  scene.links[0].felt = {shape_at(Box{{0.2, 0.2, 0.2}}, {0, 0, 2})};
  const std::string both = text_of();
  EXPECT_EQ(count(both, "<g id="), count(alone, "<g id="));
  EXPECT_EQ(count(both, "fill=\"url("), count(alone, "fill=\"url("));
  EXPECT_EQ(count(alone, "stroke-linecap"), 0u);
  EXPECT_EQ(count(both, "stroke-linecap"), 1u);
  scene.links[1].shapes.clear();  // of a link that is nothing but a sensor: no stick either
  EXPECT_EQ(count(text_of(), "<g id="), 0u);
}

// Along the ramp lightness goes one way only, so that age can be read without colour.
TEST(Colours, TheRampIsOrdered) {
  for (const render::Theme* theme : {&render::dark_theme(), &render::light_theme()}) {
    double before = -1;
    for (int i = 0; i <= 40; ++i) {
      const render::Colour c = render::ramp_colour(*theme, i / 40.0);
      const double luminance = 0.2126 * c.x + 0.7152 * c.y + 0.0722 * c.z;
      const double contrast = theme->dark ? luminance : 1 - luminance;
      EXPECT_GT(contrast, before);
      before = contrast;
    }
  }
}

TEST(Colours, OklchOfWhiteAndGrey) {
  const render::Colour white = render::from_oklch(1, 0, 0);
  EXPECT_NEAR(white.x, 1, 1e-6);
  EXPECT_NEAR(white.z, 1, 1e-6);
  EXPECT_EQ(render::to_hex(render::from_hex(0x12ab9f)), "#12ab9f");
  EXPECT_NEAR(render::from_oklch(0.5, 0, 0).y, 0.125, 1e-4) << "lightness is the cube root of light";
}

}  // namespace
}  // namespace marey
