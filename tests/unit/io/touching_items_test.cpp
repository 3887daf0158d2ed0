// Points that touch, frame by frame, in a motion: the list itself, what is made of it for every two, and its table.
#include "marey/sim/touching_items.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "marey/io/motion.h"
#include "marey/io/scene.h"
#include "unit/io/motion_fake.h"

namespace marey {
namespace touching_items_test {

constexpr double g = 9.81;

// Recorded in a folder of its own.
struct Recorded {
  explicit Recorded(const Scene& scene) : name(folder / "run.h5") {
    MotionFile file(name);
    run(scene, file);
  }
  MotionItems items() const { return read_items(name, "touching"); }
  Motion motion(const std::string& pattern) const { return read_motion(name, std::vector<std::string>{pattern}); }
  fake::Folder folder;
  std::string name;
};
Scene scene_of(const std::string& text) { return parse_scene(text, "test.yaml"); }

std::string box_on_floor(const std::string& more = "", const std::string& velocity = "[0, 0, 0]") {
  return "marey: 1\nduration: 0.1 s\nsolver: {step: 1 ms}\nrecord: {every: 10 ms" + more +
         "}\nmaterials: {default: {friction: 0.4}}\nscenery: {floor: {plane: 0}}\ncollide: all\n"
         "figures: {box: {links: {b: {shape: {box: [20 cm, 40 cm, 10 cm]}, mass: 2 kg, start: {position: [0, 0, 5 cm], "
         "velocity: " +
         velocity + "}}}}}\n";
}

// The numbers of an item by the names of its fields.
struct Point {
  Point(const MotionItems& items, std::size_t i) {
    std::size_t at = 0;
    const std::span<const double> x = items.at(i);
    for (const Channel& f : items.list.fields) {
      const Vec3<double> v = f.columns.size() == 3 ? Vec3<double>{x[at], x[at + 1], x[at + 2]} : Vec3<double>{};
      if (f.name == "t") t = x[at];
      if (f.name == "a") a = name_in(items.list, x[at]);
      if (f.name == "b") b = name_in(items.list, x[at]);
      if (f.name == "point") point = v;
      if (f.name == "normal") normal = v;
      if (f.name == "force") force = v;
      if (f.name == "gap") gap = x[at];
      if (f.name == "slip") slip = x[at];
      at += f.columns.size();
    }
  }
  double t = 0, gap = 0, slip = 0;
  std::string a, b;
  Vec3<double> point, normal, force;
};

// From the first frame on: four corners, a quarter of the weight each.
TEST(TouchingItems, ABoxAtRestStandsOnItsCorners) {
  const Recorded recorded(scene_of(box_on_floor()));
  const MotionItems items = recorded.items();
  ASSERT_EQ(items.count(), 4 * items.ends.size());
  for (std::size_t frame = 0; frame < items.ends.size(); ++frame) {
    ASSERT_EQ(items.ends[frame], 4 * (frame + 1));
    Vec3<double> sum;
    for (std::size_t i = 4 * frame; i < 4 * frame + 4; ++i) {
      const Point p(items, i);
      EXPECT_NEAR(p.t, 0.01 * static_cast<double>(frame), 1e-12);
      EXPECT_EQ(p.a, "box.b");
      EXPECT_EQ(p.b, "floor");
      EXPECT_NEAR(std::abs(p.point.x), 0.1, 1e-12);
      EXPECT_NEAR(std::abs(p.point.y), 0.2, 1e-12);
      EXPECT_NEAR(p.point.z, 0, 1e-12);
      EXPECT_NEAR(p.normal.z, 1, 1e-12);
      EXPECT_NEAR(p.force.z, 2 * g / 4, 1e-9);
      EXPECT_NEAR(p.gap, 0, 1e-12);
      EXPECT_NEAR(p.slip, 0, 1e-12);
      sum += p.force;
    }
    EXPECT_NEAR(norm(sum - Vec3<double>{0, 0, 2 * g}), 0, 1e-10);
  }
}

// On an incline: slip grows by g (sin θ − μ cos θ), friction is μ times the normal force and points against it.
TEST(TouchingItems, ASlidingBoxTellsOfSlipAndFriction) {
  const double angle = 0.5, mu = 0.4;
  Scene scene = scene_of(box_on_floor());
  scene.model.params.gravity = {g * std::sin(angle), 0, -g * std::cos(angle)};
  const Recorded recorded(scene);
  const Motion motion = recorded.motion("touching");
  const std::vector<double> slip = motion.column("touching/box.b+floor/slip"),
                            along = motion.column("touching/box.b+floor/force.x"),
                            across = motion.column("touching/box.b+floor/force.z"),
                            points = motion.column("touching/box.b+floor/points");
  for (std::size_t k = 0; k < motion.frames; ++k) {
    // At the end of the step; before the first, of the step to come.
    const double t = std::max(motion.time()[k], 1e-3);
    EXPECT_NEAR(slip[k], g * (std::sin(angle) - mu * std::cos(angle)) * t, 1e-11);
    EXPECT_NEAR(across[k], 2 * g * std::cos(angle), 1e-9);
    EXPECT_NEAR(along[k], -mu * across[k], 1e-9);
    EXPECT_EQ(points[k], 4);
  }
}

// In the air nothing is recorded, and what is made of nothing is no number.
TEST(TouchingItems, AThrownBoxTouchesLater) {
  const Recorded recorded(scene_of(box_on_floor("", "[0, 0, 0.2 m/s]")));
  const Motion motion = recorded.motion("touching/*/gap");
  const std::vector<double> gap = motion.column("touching/box.b+floor/gap");
  const double lands = 2 * 0.2 / g;
  for (std::size_t k = 1; k < motion.frames; ++k)
    EXPECT_EQ(std::isnan(gap[k]), motion.time()[k] < lands) << motion.time()[k];
}

TEST(TouchingItems, PointsOnFloorsAreAmongThem) {
  for (const char* driver : {"events", "stepping"}) {
    SCOPED_TRACE(driver);
    const Recorded recorded(scene_of(std::string("marey: 1\nduration: 0.1 s\nsolver: {step: 1 ms, contact: ") + driver +
                                     "}\nrecord: {every: 10 ms, channels: [touching]}\n"
                                     "contacts: [{link: box.b, at: corners, friction: 0.5, name: sole}]\n"
                                     "figures: {box: {links: {b: {shape: {box: [20 cm, 40 cm, 10 cm]}, mass: 2 kg, "
                                     "start: {position: [0, 0, 5 cm]}}}}}\n"));
    const MotionItems items = recorded.items();
    EXPECT_EQ(read_motion(recorded.name).channels.size(), 1u);  // time
    std::size_t first = 0;
    for (const std::size_t end : items.ends) {
      double sum = 0;
      for (; first < end; ++first) {
        const Point p(items, first);
        EXPECT_EQ(p.a, "box.b");
        EXPECT_TRUE(p.b.starts_with("sole")) << p.b;
        EXPECT_NEAR(p.point.z, 0, 1e-9);
        sum += p.force.z;
      }
      EXPECT_NEAR(sum, 2 * g, 1e-8);
    }
  }
}

TEST(TouchingItems, AreLeftOutWhereNobodyAsks) {
  const Recorded recorded(scene_of(box_on_floor(", channels: [energy]")));
  EXPECT_FALSE(has_touching(read_motion_info(recorded.name)));
  EXPECT_THROW(recorded.items(), Error);
  EXPECT_THROW(recorded.motion("touching/*/force"), Error);
}

TEST(TouchingItems, ATableHasALineForEach) {
  const Recorded recorded(scene_of(box_on_floor()));
  const auto lines = [&](const std::string& items) {
    const std::string csv = recorded.folder / "items.csv";
    export_motion(recorded.name, {.output = csv, .existing = Existing::replace, .items = items});
    std::ifstream in(csv);
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);) all.push_back(line);
    return all;
  };
  const std::vector<std::string> all = lines("touching");
  ASSERT_EQ(all.size(), 1 + recorded.items().count());
  EXPECT_TRUE(all[0].starts_with("time [s],a,b,point.x [m],")) << all[0];
  EXPECT_TRUE(all[1].starts_with("0,box.b,floor,")) << all[1];
  EXPECT_EQ(lines("touching/*box*").size(), all.size());
  EXPECT_EQ(lines("touching/*ball*").size(), 1u);
  EXPECT_THROW(lines("pushes"), Error);
}

// Broken off at any frame and gone on with, the list is the same.
TEST(TouchingItems, AreTheSameInAResumedRun) {
  const Scene scene = scene_of(box_on_floor("", "[1 m/s, 0, 0.1 m/s]"));
  const Recorded whole(scene);
  const fake::Folder folder;
  const std::string name = folder / "run.h5";
  {
    MotionFile file(name);
    int looks = 0;
    RunHooks hooks;
    hooks.stop = [&] { return ++looks > 50; };
    run(scene, file, hooks);
  }
  MotionFile file = MotionFile::resume(name);
  const Checkpoint from = file.from().value();
  run(scene, file, {}, &from);
  EXPECT_EQ(read_items(name, "touching").numbers, whole.items().numbers);
  EXPECT_EQ(read_items(name, "touching").ends, whole.items().ends);
}

}  // namespace touching_items_test
}  // namespace marey
