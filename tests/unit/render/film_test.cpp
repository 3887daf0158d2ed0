// Films: which instants they show, a camera and a ground that stand still, a camera that follows, transparent pictures.
#include "marey/render/film.h"

#include <gtest/gtest.h>
#include <png.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <numbers>

#include "render/film_stage.h"
#include "support/trouble.h"
#include "unit/render/pictures.h"

namespace marey::film_test {
namespace {

namespace fs = std::filesystem;
using pictures::Folder;
using Vec = Vec3<double>;

// A ball that flies along x, and one that stays, for two seconds.
PictureScene flight() {
  PictureScene scene;
  scene.title = "A flight";
  scene.links = {
      {"world", 0, {}, {}}, {"ball", 0, {{Sphere{0.1}, {}}}, {}}, {"post", 0, {{Box{{0.1, 0.1, 1}}, {}}}, {}}};
  for (int i = 0; i <= 20; ++i) {
    const double t = 0.1 * i;
    scene.times.push_back(t);
    scene.X_WB.push_back(
        {{}, {Mat3<double>::identity(), {3 * t, 0, 0.5 + 2 * t - t * t}}, {Mat3<double>::identity(), {1, 0.5, 0.5}}});
  }
  return scene;
}
FilmOptions small() {
  FilmOptions o;
  o.look.width = 160, o.look.height = 90, o.look.samples = 1;
  return o;
}

TEST(FilmTimes, ArePicturesPerSecondOfTheFilm) {
  const PictureScene scene = flight();
  FilmOptions o = small();
  o.per_second = 25;
  EXPECT_EQ(film_times(scene, o).size(), 51u);
  EXPECT_NEAR(film_times(scene, o)[7], 0.28, 1e-12);
  o.speed = 0.25;  // four times slower
  EXPECT_EQ(film_times(scene, o).size(), 201u);
  o.look.begin = 0.5, o.look.end = 1;
  EXPECT_EQ(film_times(scene, o).size(), 51u);
  EXPECT_EQ(film_times(scene, o).front(), 0.5);
  EXPECT_EQ(film_times(scene, o).back(), 1);
  o.per_second = 1e9;
  EXPECT_NE(::trouble::of(ErrorKind::bad_input, [&] { (void)film_times(scene, o); }), "");
}

// Instants that stay are where the figure was, in colours that stay, and only up to the present.
TEST(FilmStage, InstantsStayBehind) {
  const PictureScene scene = flight();
  FilmOptions o = small();
  o.leaves_every = 0.5;
  const render::FilmStage film(scene, o);
  EXPECT_EQ(film.at(0).instants.size(), 1u);
  const render::Stage early = film.at(0.7), late = film.at(1.9);
  ASSERT_EQ(early.instants.size(), 3u);
  ASSERT_EQ(late.instants.size(), 5u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(early.instants[i].prims.at(0).X_WS.p.x, 3 * 0.5 * static_cast<double>(i), 1e-9);
    EXPECT_EQ(norm(early.instants[i].colour - late.instants[i].colour), 0);
  }
  EXPECT_NEAR(late.instants.back().prims.at(0).X_WS.p.x, 3 * 1.9, 1e-9);
  o.leaves_every = 1e-6;
  const render::FilmStage too_many(scene, o);
  EXPECT_NE(::trouble::of(ErrorKind::bad_input, [&] { (void)too_many.at(1); }), "");
}

// A blur spreads what moves along its way, and leaves what stands as it was.
TEST(Film, BlurIsOfWhatMoves) {
  const Folder folder;
  const PictureScene scene = flight();
  FilmOptions o = small();
  o.per_second = 4, o.look.labels = o.look.ground = false, o.look.samples = 2;
  o.look.begin = 0.5, o.look.end = 0.75;
  render_film(scene, o, folder / "sharp-%d.png");
  o.blur = 1;
  render_film(scene, o, folder / "soft-%d.png");
  const pictures::Pixels sharp = pictures::read_png(folder / "sharp-0.png"),
                         soft = pictures::read_png(folder / "soft-0.png");
  const pictures::Pixels end = pictures::read_png(folder / "sharp-1.png"),
                         stands = pictures::read_png(folder / "soft-1.png");
  ASSERT_EQ(soft.rgb.size(), sharp.rgb.size());
  int changed = 0, lit_sharp = 0, lit_soft = 0;
  for (int y = 0; y < sharp.height; ++y)
    for (int x = 0; x < sharp.width; ++x) {
      changed += std::abs(soft.brightness(x, y) - sharp.brightness(x, y)) > 30;
      lit_sharp += sharp.brightness(x, y) > 80, lit_soft += soft.brightness(x, y) > 80;
    }
  EXPECT_GT(changed, 20);
  EXPECT_GT(lit_soft, lit_sharp) << "the ball is longer";
  // The motion is over in the last picture: nothing moves while its shutter is open.
  for (std::size_t i = 0; i < end.rgb.size(); ++i) ASSERT_NEAR(end.rgb[i], stands.rgb[i], 1);
  o.blur = 2;
  EXPECT_NE(::trouble::of(ErrorKind::bad_input, [&] { (void)film_times(scene, o); }), "");
}

// What stands still in the world is at the same pixel in every picture.
TEST(FilmStage, CameraAndGroundStandStill) {
  const PictureScene scene = flight();
  const FilmOptions o = small();
  const render::FilmStage film(scene, o);
  const render::Stage first = film.at(0);
  const render::Point2 post = render::project(first.camera, {1, 0.5, 0.5});
  for (const double t : {0.3, 1.0, 2.0}) {
    const render::Stage stage = film.at(t);
    const render::Point2 now = render::project(stage.camera, {1, 0.5, 0.5});
    EXPECT_EQ(now.x, post.x);
    EXPECT_EQ(now.y, post.y);
    EXPECT_EQ(stage.ground.level, first.ground.level);
    EXPECT_EQ(stage.ground.spacing, first.ground.spacing);
    EXPECT_EQ(stage.size, first.size);
    // The ball is where it is, and within the picture.
    ASSERT_EQ(stage.instants.size(), 1u);
    ASSERT_EQ(stage.instants[0].prims.size(), 1u) << "the post does not move";
    const Vec p = stage.instants[0].prims[0].X_WS.p;
    EXPECT_LT(norm(p - Vec{3 * t, 0, 0.5 + 2 * t - t * t}), 0.01);
    const render::Box2 seen = render::bounds(stage.camera, stage.instants[0].prims[0]);
    EXPECT_TRUE(seen.x0 > 0 && seen.y0 > 0 && seen.x1 < 160 && seen.y1 < 90) << t;
  }
}

// A figure does not fall apart into what moves and what does not.
TEST(FilmStage, FiguresAreOfOneColour) {
  PictureScene scene = flight();
  scene.links[1].name = "man.arm", scene.links[2].name = "man.trunk";
  const FilmOptions o = small();
  EXPECT_EQ(render::FilmStage(scene, o).at(1).instants[0].prims.size(), 2u);
  scene.links[2].name = "post.trunk";
  EXPECT_EQ(render::FilmStage(scene, o).at(1).instants[0].prims.size(), 1u);
}

TEST(FilmStage, TheCameraFollowsALink) {
  const PictureScene scene = flight();
  FilmOptions o = small();
  o.follow = "ball";
  const render::FilmStage film(scene, o);
  const render::Stage first = film.at(0);
  const auto place = [](const render::Stage& s) { return render::project(s.camera, s.instants[0].prims[0].X_WS.p); };
  for (const double t : {0.3, 1.0, 2.0}) {
    const render::Stage stage = film.at(t);
    EXPECT_NEAR(place(stage).x, place(first).x, 1e-9);
    EXPECT_NEAR(place(stage).y, place(first).y, 1e-9);
    EXPECT_NE(render::project(stage.camera, {1, 0.5, 0.5}).x, render::project(first.camera, {1, 0.5, 0.5}).x);
  }
  o.follow = "bal";
  EXPECT_NE(::trouble::of(ErrorKind::bad_input, [&] { render::FilmStage(scene, o); }).find("'ball'"),
            std::string::npos);
}

TEST(FilmStage, TheCameraGoesRound) {
  const PictureScene scene = flight();
  FilmOptions o = small();
  const auto seconds = [](const std::string& t) { return std::stod(t); };
  o.camera = parse_camera("0 s: 30,15; 2 s: 90,20", seconds);
  ASSERT_EQ(o.camera.size(), 2u);
  const render::FilmStage film(scene, o);
  const auto azimuth = [&](double t) {
    const Vec f = film.at(t).camera.forward;
    return std::atan2(-f.y, -f.x) * 180 / std::numbers::pi;
  };
  EXPECT_NEAR(azimuth(0), 30, 1e-9);
  EXPECT_NEAR(azimuth(1), 60, 1e-9);
  EXPECT_NEAR(azimuth(2), 90, 1e-9);
  for (const char* bad : {"", "30,15", "0 s: x", "1 s: 30; 0 s: 40", "0 s: 30,99"})
    EXPECT_NE(::trouble::of(ErrorKind::bad_input, [&] { (void)parse_camera(bad, seconds); }), "") << bad;
}

// Width, and the pixels as red, green, blue, opacity.
std::vector<png_byte> pixels_of(const std::string& file, png_image& image) {
  image = {};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_TRUE(png_image_begin_read_from_file(&image, file.c_str())) << file;
  image.format = PNG_FORMAT_RGBA;
  std::vector<png_byte> bytes(PNG_IMAGE_SIZE(image));
  EXPECT_TRUE(png_image_finish_read(&image, nullptr, bytes.data(), 0, nullptr));
  return bytes;
}

TEST(Film, IsASequenceOfPictures) {
  const Folder folder;
  FilmOptions o = small();
  o.per_second = 2;
  int last = 0, all = 0;
  render_film(flight(), o, folder / "f-%03d.png", [&](int done, int of) {
    EXPECT_EQ(done, last + 1);
    last = done, all = of;
  });
  EXPECT_EQ(last, 5);
  EXPECT_EQ(all, 5);
  for (const char* name : {"f-000.png", "f-004.png"}) {
    png_image image;
    const auto bytes = pixels_of(folder / name, image);
    EXPECT_EQ(image.width, 160u);
    EXPECT_EQ(image.height, 90u);
    EXPECT_EQ(bytes[3], 255);
  }
  EXPECT_FALSE(fs::exists(folder / "f-005.png"));
  for (const char* bad : {"f.png", "f-%d-%d.png", "f-%s.png", "f.avi", "f"})
    EXPECT_NE(::trouble::of(ErrorKind::bad_input, [&] { render_film(flight(), o, folder / bad); }), "") << bad;
}

// The picture over black and the picture on the plate differ by nothing where it is opaque.
TEST(Film, TransparentPicturesHoldWhatMovesAlone) {
  const Folder folder;
  FilmOptions o = small();
  o.per_second = 1, o.look.labels = false, o.look.samples = 2;
  o.transparent = true;
  render_film(flight(), o, folder / "t-%d.png");
  png_image image;
  const auto bytes = pixels_of(folder / "t-0.png", image);
  std::size_t clear = 0, full = 0, between = 0;
  for (std::size_t i = 3; i < bytes.size(); i += 4) (bytes[i] == 0 ? clear : bytes[i] == 255 ? full : between) += 1;
  EXPECT_GT(clear, 10'000u);
  EXPECT_GT(full, 50u);
  EXPECT_GT(between, 5u);
  EXPECT_LT(between, full);
  EXPECT_NE(::trouble::of(ErrorKind::bad_input, [&] { render_film(flight(), o, folder / "t.mp4"); }), "");
}

TEST(Film, IsMadeByFfmpeg) {
  if (std::system("command -v ffmpeg >/dev/null") != 0) GTEST_SKIP() << "there is no ffmpeg";
  const Folder folder;
  FilmOptions o = small();
  o.per_second = 3;
  for (const char* name : {"f.mp4", "f.gif", "f.apng", "f.webm"}) {
    render_film(flight(), o, folder / name);
    if (std::string(name) == "f.gif") render_film(flight(), o, folder / name);  // its own is replaced
    const std::string count = "ffprobe -v error -count_frames -show_entries stream=nb_read_frames -of csv=p=0 '" +
                              (folder / name) + "' | grep -q '^7'";
    EXPECT_EQ(std::system(count.c_str()), 0) << name;
  }
  std::ofstream(folder / "g.gif") << "somebody's data";
  EXPECT_NE(::trouble::of(ErrorKind::file_trouble, [&] { render_film(flight(), o, folder / "g.gif"); }), "");
  EXPECT_EQ(::trouble::contents(folder / "g.gif"), "somebody's data");
  for (const char* name : {"f.mp4", "f.gif"}) EXPECT_FALSE(fs::exists(folder / (std::string(name) + ".unfinished")));
}

// Whoever watches may end it, and finds neither a film nor a part of one.
TEST(Film, LeavesNothingWhereItIsStopped) {
  if (std::system("command -v ffmpeg >/dev/null") != 0) GTEST_SKIP() << "there is no ffmpeg";
  const Folder folder;
  const auto stop = [](int done, int) {
    if (done == 3) throw 3;
  };
  EXPECT_THROW(render_film(flight(), small(), folder / "f.mp4", stop), int);
  EXPECT_TRUE(fs::is_empty(folder / ""));
}

}  // namespace
}  // namespace marey::film_test
