// Solids of points in scenes: weighed, shared, kept in the motion with the files they came from.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>

#include "marey/io/motion.h"
#include "marey/io/recorded.h"
#include "marey/io/scene.h"
#include "marey/shape/mesh.h"

namespace marey {
namespace {

namespace fs = std::filesystem;

// A folder of its own with a wedge in it: the corner of a cube, x + y + z ≤ 1, in units of the file.
class SceneMeshes : public testing::Test {
 protected:
  void SetUp() override {
    folder = fs::temp_directory_path() / fmt_name();
    fs::create_directories(folder / "meshes");
    write_wedge(1);
  }
  void TearDown() override { fs::remove_all(folder); }
  static std::string fmt_name() {
    return std::string("marey-meshes-") + testing::UnitTest::GetInstance()->current_test_info()->name() + "-" +
           std::to_string(::getpid());
  }
  void write_wedge(double edge) const {
    std::ofstream out(folder / "meshes/wedge.obj");
    out << "v 0 0 0\nv " << edge << " 0 0\nv 0 " << edge << " 0\nv 0 0 " << edge
        << "\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
  }
  std::string scene(const std::string& shape) const {
    const std::string file = (folder / "s.yaml").string();
    std::ofstream(file) << "marey: 1\nduration: 10 ms\ngravity: 0\nfigures:\n  a: {links: {b: {shape: " << shape
                        << ", density: 600 kg/m^3, start: {spin: [1 rad/s, 2 rad/s, 3 rad/s]}}}}\n";
    return file;
  }
  fs::path folder;
};

TEST_F(SceneMeshes, AreWeighedInTheirUnits) {
  const Scene s = load_scene(scene("{mesh: {file: meshes/wedge.obj, unit: 10 cm}}"));
  const Inertia<double>& I = s.model.params.links[1].I;
  EXPECT_NEAR(I.m, 600 * 1e-3 / 6, 1e-15);
  EXPECT_NEAR(I.h.x / I.m, 0.025, 1e-15);
  // Σ x² = 1/10 of the edge squared
  EXPECT_NEAR(I.J.zz, I.m * 2 * 0.01 / 10, 1e-16);
  ASSERT_EQ(s.files.size(), 1u);
  EXPECT_EQ(s.files[0].name, "meshes/wedge.obj");
}

TEST_F(SceneMeshes, AreTheSameByPointsAndFacesAndAsAHull) {
  const Scene file = load_scene(scene("{mesh: meshes/wedge.obj}"));
  const Scene points = load_scene(
      scene("{mesh: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], faces: [[1, 3, 2], [1, 2, 4], [2, 3, 4], "
            "[1, 4, 3]]}}"));
  const Scene hull = load_scene(scene("{hull: {file: meshes/wedge.obj}}"));
  for (const Scene* s : {&points, &hull}) {
    EXPECT_NEAR(s->model.params.links[1].I.m, file.model.params.links[1].I.m, 1e-13);
    EXPECT_NEAR(s->model.params.links[1].I.J.xy, file.model.params.links[1].I.J.xy, 1e-13);
  }
}

TEST_F(SceneMeshes, CenterIsTheCentreOfMassAlsoWhereTurned) {
  const Scene s = load_scene(
      scene("{mesh: {file: meshes/wedge.obj, center: [1, 2, 3], turned: {axis: [1, 2, 0], angle: 70 deg}}}"));
  const Inertia<double>& I = s.model.params.links[1].I;
  EXPECT_LT(norm((1 / I.m) * I.h - Vec3<double>{1, 2, 3}), 1e-14);
  const Scene at = load_scene(scene("{mesh: {file: meshes/wedge.obj, at: [1, 2, 3]}}"));
  const Inertia<double>& J = at.model.params.links[1].I;
  EXPECT_LT(norm((1 / J.m) * J.h - Vec3<double>{1.25, 2.25, 3.25}), 1e-14);
}

// Copies of a figure share one mesh.
TEST_F(SceneMeshes, AreReadOnce) {
  const std::string file = (folder / "s.yaml").string();
  std::ofstream(file)
      << "marey: 1\nduration: 10 ms\nfigures:\n  a: {copies: {count: 3, spacing: [2, 0, 0]}, links: {b: "
         "{shape: {mesh: meshes/wedge.obj}}}}\n";
  const Scene s = load_scene(file);
  const auto mesh = [&](std::size_t link) { return std::get<Polyhedron>(s.model.shapes[link][0].solid).mesh; };
  EXPECT_EQ(mesh(1), mesh(2));
  EXPECT_EQ(mesh(1), mesh(3));
}

TEST_F(SceneMeshes, AreKeptInTheMotion) {
  const Scene s = load_scene(scene("{mesh: meshes/wedge.obj}"));
  const std::string motion = (folder / "m.h5").string();
  {
    MotionFile out(motion);
    run(s, out);
  }
  fs::remove_all(folder / "meshes");
  const MotionInfo info = read_motion_info(motion);
  ASSERT_EQ(info.scene_files.size(), 1u);
  EXPECT_EQ(*info.scene_files[0].bytes, *s.files[0].bytes);
  const Scene kept = scene_of(info);
  EXPECT_EQ(kept.model.params.links[1].I.m, s.model.params.links[1].I.m);
  EXPECT_EQ(std::get<Polyhedron>(kept.model.shapes[1][0].solid).mesh->triangles.size(), 4u);
  EXPECT_EQ(difference(info, scene_to_repeat(info, options_of(info))), "");
  // A run is not resumed with another mesh.
  fs::create_directories(folder / "meshes");
  write_wedge(2);
  EXPECT_NE(difference(info, load_scene((folder / "s.yaml").string())).find("meshes/wedge.obj"), std::string::npos);
}

// A scene made in code, with nobody to read its files, says so; with files it is built.
TEST_F(SceneMeshes, OfASceneMadeInCode) {
  SceneSpec spec;
  spec.set("duration", "1 s");
  spec.set("figures/a/links/b/shape/mesh", "meshes/wedge.obj");
  try {
    build(spec);
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("figures/a/links/b/shape/mesh: found the file"), std::string::npos)
        << e.what();
  }
  const auto files = files_beside((folder / "any.yaml").string());
  EXPECT_NEAR(build(spec, {}, files.get()).model.params.links[1].I.m, 1000.0 / 6, 1e-12);
}

// A glTF's buffer is beside it, and kept too.
TEST_F(SceneMeshes, BuffersBesideAreKeptToo) {
  const float points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  const std::uint16_t corners[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
  std::ofstream bin(folder / "meshes/w.bin", std::ios::binary);
  bin.write(reinterpret_cast<const char*>(points), sizeof points);
  bin.write(reinterpret_cast<const char*>(corners), sizeof corners);
  bin.close();
  std::ofstream(folder / "meshes/w.gltf") << R"({"asset": {"version": "2.0"},
 "buffers": [{"uri": "w.bin", "byteLength": 72}],
 "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 24}],
 "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0,0,0], "max": [1,1,1]},
               {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"}],
 "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
 "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}], "scene": 0})";
  const Scene s = load_scene(scene("{mesh: meshes/w.gltf}"));
  ASSERT_EQ(s.files.size(), 2u);
  EXPECT_EQ(s.files[0].name, "meshes/w.bin");
  fs::remove_all(folder / "meshes");
  const Scene again = build(parse_spec(s.text, s.file), {}, files_within(s.files).get());
  EXPECT_EQ(again.model.params.links[1].I.m, s.model.params.links[1].I.m);
}

}  // namespace
}  // namespace marey
