// What is read from mesh files, and what is refused, with the words of the message.
#include "unit/io/mesh_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "marey/io/mesh.h"

namespace marey::mesh_files_test {
namespace {

using namespace mesh_files;

SolidMass weighed(const std::string& name, const std::string& bytes) {
  return solid_mass(closed_mesh(mesh_files::read(name, bytes)), 1);
}
std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}
void expect_near(const Vec3<double>& a, const Vec3<double>& b, double tolerance = 1e-7) {
  EXPECT_LE(norm(a - b), tolerance) << a.x << " " << a.y << " " << a.z;
}

TEST(MeshFiles, Obj) {
  const Polygons p = mesh_files::read("cube.obj", obj_cube);
  EXPECT_EQ(p.face_count(), 6);
  EXPECT_EQ(p.points.size(), 8U);
  EXPECT_EQ(p.face_lines, (std::vector{16, 17, 18, 19, 21, 23}));
  const SolidMass m = weighed("cube.OBJ", obj_cube);
  EXPECT_NEAR(m.mass, 8, 1e-14);
  expect_near(m.center, {0, 0, 0}, 1e-15);
  std::string with_returns = obj_cube;
  for (std::size_t i = 0; (i = with_returns.find('\n', i)) != std::string::npos; i += 2) with_returns.insert(i, "\r");
  EXPECT_NEAR(weighed("cube.obj", with_returns).mass, 8, 1e-14);
  EXPECT_NEAR(weighed("cube.obj", "\xef\xbb\xbf" + std::string(obj_cube)).mass, 8, 1e-14);
}

TEST(MeshFiles, Stl) {
  for (const std::string& bytes : {stl_text(), stl_binary(), stl_binary("solid but binary")}) {
    const SolidMass m = weighed("t.stl", bytes);
    EXPECT_NEAR(m.mass, 1.0 / 6, 1e-15);
    expect_near(m.center, {0.25, 0.25, 0.25}, 1e-15);
  }
  std::string loud = stl_text();
  for (char& c : loud) c = static_cast<char>(std::toupper(c));
  EXPECT_NEAR(weighed("t.STL", loud).mass, 1.0 / 6, 1e-15);
  // two solids in one file, names missing
  std::string twice = "solid\n" + stl_text().substr(stl_text().find('\n') + 1) + "\nsolid other\n";
  std::string moved = stl_text().substr(stl_text().find('\n') + 1);
  for (std::size_t i = 0; (i = moved.find("vertex ", i)) != std::string::npos; i += 8) moved.insert(i + 7, "5");
  EXPECT_NEAR(weighed("t.stl", twice + moved).mass, 2.0 / 6, 1e-6);
}

// y up becomes z up; so the tetrahedron of x, y, z becomes one of x, z, −y.
TEST(MeshFiles, Gltf) {
  for (const auto& [name, bytes] : {std::pair{std::string("t.gltf"), gltf_text()}, {std::string("t.glb"), glb()}}) {
    const SolidMass m = weighed(name, bytes);
    EXPECT_NEAR(m.mass, 1.0 / 6, 1e-7);
    expect_near(m.center, {0.25, -0.25, 0.25});
  }
}

TEST(MeshFiles, GltfPlacesNodes) {
  const auto center = [](const std::string& node) { return weighed("t.gltf", gltf_text(node)).center; };
  expect_near(center(R"(, "translation": [1, 2, 3])"), {1.25, -3.25, 2.25});
  expect_near(center(R"(, "matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 1,2,3,1])"), {1.25, -3.25, 2.25});
  expect_near(center(R"(, "matrix": [0,2,0,0, -3,0,0,0, 0,0,4,0, 0,0,0,1])"),
              {-0.75, -1, 0.5});  // x → 2y, y → −3x, z → 4z
  expect_near(center(R"(, "scale": [2, 4, 8])"), {0.5, -2, 1});
  // A quarter turn about x turns y to z and z to −y, then scale comes first: (0.5, −2, 1) before turning up.
  expect_near(center(R"(, "scale": [2, 4, 8], "rotation": [0.70710678118654757, 0, 0, 0.70710678118654757])"),
              {0.5, -1, -2});
  // Mirrors do not turn it inside out.
  const SolidMass mirrored = weighed("t.gltf", gltf_text(R"(, "scale": [-1, 1, 1])"));
  EXPECT_NEAR(mirrored.mass, 1.0 / 6, 1e-7);
  expect_near(mirrored.center, {-0.25, -0.25, 0.25});
  // A child is placed by its parents.
  const std::string family =
      replaced(replaced(gltf_text(R"(, "translation": [1, 0, 0])"), R"("nodes": [0])", R"("nodes": [1])"),
               R"([1, 0, 0]}],)", R"([1, 0, 0]}, {"scale": [2, 2, 2], "children": [0]}],)");
  expect_near(weighed("t.gltf", family).center, {2.5, -0.5, 0.5});
  // Without scenes: what is nobody's child.
  const std::string no_scene = replaced(family, R"("scene": 0, "scenes": [{"nodes": [1]}],)", "");
  expect_near(weighed("t.gltf", no_scene).center, {2.5, -0.5, 0.5});
}

TEST(MeshFiles, GltfStripsFansAndSparseAccessors) {
  // A strip over the tetrahedron: 0 2 1 3 0 2 gives 0 2 1, 1 2 3 turned, ….
  const auto with_corners = [](const std::vector<int>& corners, int mode, int type) {
    std::string buffer;
    for (const Corner& p : tetrahedron_points) append(buffer, p);
    for (const int c : corners) {
      if (type == 5121) append(buffer, static_cast<std::uint8_t>(c));
      if (type == 5123) append(buffer, static_cast<std::uint16_t>(c));
      if (type == 5125) append(buffer, static_cast<std::uint32_t>(c));
    }
    std::string text =
        gltf_json(R"(, "uri": "data:;base64,)" + base64(buffer) + "\"", "", ", \"mode\": " + std::to_string(mode));
    text = replaced(text, "\"componentType\": 5123, \"count\": 12",
                    "\"componentType\": " + std::to_string(type) + ", \"count\": " + std::to_string(corners.size()));
    text = replaced(text, "\"byteLength\": 24", "\"byteLength\": " + std::to_string(buffer.size() - 48));
    return replaced(text, "{\"byteLength\": 72", "{\"byteLength\": " + std::to_string(buffer.size()));
  };
  for (const int type : {5121, 5123, 5125}) {
    EXPECT_NEAR(weighed("t.gltf", with_corners({0, 2, 1, 3, 0, 2}, 5, type)).mass, 1.0 / 6, 1e-7);
    EXPECT_NEAR(weighed("t.gltf", with_corners({0, 2, 1, 3, 0, 0, 0, 3, 2}, 5, type)).mass, 1.0 / 6, 1e-7)
        << "stitched";
    EXPECT_NEAR(weighed("t.gltf", with_corners({0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2}, 4, type)).mass, 1.0 / 6, 1e-7);
    const Polygons fan = mesh_files::read("t.gltf", with_corners({0, 1, 2, 3}, 6, type));
    EXPECT_EQ(fan.corners, (std::vector{1, 2, 0, 2, 3, 0}));
  }
  // Sparse: point 3 is moved to twice its height, by 12 bytes behind the others.
  std::string buffer = gltf_buffer();
  append(buffer, std::uint32_t{3});
  append(buffer, Corner{0, 0, 2});
  std::string text = gltf_json(R"(, "uri": "data:;base64,)" + base64(buffer) + "\"");
  text = replaced(text, "{\"byteLength\": 72", "{\"byteLength\": 88");
  text = replaced(text, "\"byteLength\": 24}]",
                  "\"byteLength\": 24}, {\"buffer\": 0, \"byteOffset\": 72, \"byteLength\": 16}]");
  text = replaced(
      text, "\"min\": [0, 0, 0]",
      R"("sparse": {"count": 1, "indices": {"bufferView": 2, "componentType": 5125}, "values": {"bufferView": 2, "byteOffset": 4}})");
  EXPECT_NEAR(weighed("t.gltf", text).mass, 2.0 / 6, 1e-7);
  // Points that are interleaved with something else.
  std::string wide;
  for (const Corner& p : tetrahedron_points) append(wide, p), append(wide, Corner{9, 9, 9});
  wide += gltf_buffer().substr(48);
  std::string strided = gltf_json(R"(, "uri": "data:;base64,)" + base64(wide) + "\"");
  strided = replaced(strided, "\"byteLength\": 48}", "\"byteLength\": 96, \"byteStride\": 24}");
  strided = replaced(strided, "\"byteOffset\": 48", "\"byteOffset\": 96");
  strided = replaced(strided, "{\"byteLength\": 72", "{\"byteLength\": 120");
  EXPECT_NEAR(weighed("t.gltf", strided).mass, 1.0 / 6, 1e-7);
}

struct TemporaryFolder {
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "marey-mesh-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path = pattern;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories((path / name).parent_path());
    std::ofstream(path / name, std::ios::binary) << bytes;
    return (path / name).string();
  }
  std::filesystem::path path;
};

std::string message_of(const std::string& file, double unit = 1) {
  try {
    load_mesh(file, unit);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::bad_input) << e.what();
    return e.what();
  }
  return "was taken";
}

TEST(MeshFiles, FromTheDisk) {
  const TemporaryFolder folder;
  EXPECT_NEAR(solid_mass(load_mesh(folder.write("cube.obj", obj_cube)), 1).mass, 8, 1e-14);
  EXPECT_NEAR(solid_mass(load_mesh(folder.write("cube.obj", obj_cube), 0.01), 1).mass, 8e-6, 1e-20);
  EXPECT_NEAR(solid_mass(load_mesh(folder.write("t.stl", stl_binary())), 1).mass, 1.0 / 6, 1e-14);
  EXPECT_NEAR(solid_mass(load_mesh(folder.write("t.glb", glb())), 1).mass, 1.0 / 6, 1e-7);
  EXPECT_NE(
      message_of(folder.write("t.ply", "ply")).find("found the extension '.ply'; expected .obj, .stl, .gltf or .glb"),
      std::string::npos);
  EXPECT_NE(message_of((folder.path / "gone.obj").string()).find("there is no such file"), std::string::npos);
  EXPECT_NE(message_of(folder.path.string() + "/cube.obj", -1).find("expected a positive length"), std::string::npos);
  std::filesystem::create_directory(folder.path / "folder.obj");
  EXPECT_NE(message_of((folder.path / "folder.obj").string()).find("is a folder; expected a mesh"), std::string::npos);
}

// Buffers lie beside the document or below it, and nowhere else.
TEST(MeshFiles, BuffersBeside) {
  const TemporaryFolder folder;
  folder.write("in/points.bin", gltf_buffer());
  folder.write("in/deeper/some points.bin", gltf_buffer());
  folder.write("outside.bin", gltf_buffer());
  std::filesystem::create_symlink(folder.path / "outside.bin", folder.path / "in/link.bin");
  std::filesystem::create_directory_symlink(folder.path, folder.path / "in/up");
  const auto said = [&](const std::string& uri) {
    return message_of(folder.write("in/t.gltf", gltf_json(", \"uri\": \"" + uri + "\"")));
  };
  EXPECT_EQ(said("points.bin"), "was taken");
  EXPECT_EQ(said("deeper/some%20points.bin"), "was taken");
  for (const char* uri : {"../outside.bin", "deeper/../../outside.bin", "%2e%2e/outside.bin", "..%2foutside.bin",
                          "/etc/passwd", "%2Fetc/passwd", "file:///etc/passwd", "http://example.org/x.bin", "C:/x.bin",
                          "..\\\\outside.bin", "", "./points.bin", "deeper//x.bin", "points.bin%00", "points.bin%",
                          "points.bin%2", "a/", "link.bin", "up/outside.bin"})
    EXPECT_NE(said(uri).find("in the same folder or below"), std::string::npos) << uri << ": " << said(uri);
  EXPECT_NE(said("gone.bin").find("there is no such file"), std::string::npos);
  EXPECT_NE(said("deeper").find("is a folder"), std::string::npos);
  folder.write("in/short.bin", gltf_buffer().substr(1));
  EXPECT_NE(said("short.bin").find("found 71 bytes; expected the 72 that byteLength says"), std::string::npos);
  EXPECT_EQ(message_of(folder.write("in/t.gltf", gltf_json(", \"uri\": \"points.bin\""))), "was taken");
}

// ---- the zoo of bad files
struct BadFile {
  std::string name, bytes, message;  // the message begins with it, or holds it where it begins with "…"
};

void expect_refused(const std::vector<BadFile>& zoo) {
  for (const BadFile& bad : zoo) {
    SCOPED_TRACE(bad.message);
    try {
      closed_mesh(mesh_files::read(bad.name, bad.bytes));
      ADD_FAILURE() << "was taken";
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::bad_input);
      EXPECT_EQ(std::string(e.what()).substr(0, bad.message.size()), bad.message);
    }
  }
  std::printf("%zu bad files refused\n", zoo.size());
}

TEST(MeshFilesZoo, Obj) {
  const auto cube = [](const std::string& what, const std::string& by) { return replaced(obj_cube, what, by); };
  const std::string numbers = "the number of a vertex, or vertex/texture/normal";
  expect_refused({
      {"c.obj", "", "c.obj: has no faces; expected a closed surface"},
      {"c.obj", "# nothing\n", "c.obj: has no faces"},
      {"c.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", "c.obj: has no faces"},
      {"c.obj", std::string("\0\0\0\0", 4), "c.obj:1:1: found '\\x00\\x00\\x00\\x00'; expected a keyword of OBJ"},
      {"c.obj", "solid x\n", "c.obj:1:1: found 'solid'; expected a keyword of OBJ"},
      {"c.obj", cube("v 1 1 1", "v 1 1"), "c.obj:11:6: found the end of the line; expected three coordinates"},
      {"c.obj", cube("v 1 1 1", "v 1 1 one"), "c.obj:11:7: found 'one'; expected a coordinate"},
      {"c.obj", cube("v 1 1 1", "v 1 1 nan"), "c.obj:11:7: found 'nan'; expected a coordinate"},
      {"c.obj", cube("v 1 1 1", "v 1 inf 1"), "c.obj:11:5: found 'inf'; expected a coordinate"},
      {"c.obj", cube("v 1 1 1", "v 1 1e999 1"), "c.obj:11:5: found '1e999'; expected a coordinate"},
      {"c.obj", cube("v 1 1 1", "v 1 0x1p3 1"), "c.obj:11:5: found '0x1p3'; expected a coordinate"},
      {"c.obj", cube("v 1 1 1", "v 1 1,5 1"), "c.obj:11:5: found '1,5'; expected a coordinate"},
      {"c.obj", cube("v 1 1 1", "v 1 1 1 2"), "c.obj:11:10: found the end of the line; expected x y z"},
      {"c.obj", cube("v 1 1 1", "v 1 1 1 1 1"), "c.obj:11:12: found the end of the line; expected x y z"},
      {"c.obj", cube("v 1 1 1", "v 1 1 1 1 1 1 1 1"), "c.obj:11:17: found '1'; expected the end of the line"},
      {"c.obj", cube("f 2 4 8 6", "f 2 4 9 6"),
       "c.obj:23:7: found '9'; expected one of the 8 vertices before this line"},
      {"c.obj", cube("f 2 4 8 6", "f 2 4 0 6"), "c.obj:23:7: found '0'; expected " + numbers},
      {"c.obj", cube("f 2 4 8 6", "f 2 4 -9 6"), "c.obj:23:7: found '-9'; expected one of the 8"},
      {"c.obj", cube("f 2 4 8 6", "f 2 4 99999999999999999999 6"),
       "c.obj:23:7: found '99999999999999999999'; expected " + numbers},
      {"c.obj", cube("f 2 4 8 6", "f 2 4 8/ 6"), "c.obj:23:7: found '8/'; expected " + numbers},
      {"c.obj", cube("f 2 4 8 6", "f 2 4 8/1/1/1 6"), "c.obj:23:7: found '8/1/1/1'; expected " + numbers},
      {"c.obj", cube("f 2 4 8 6", "f 2 4 8/x 6"), "c.obj:23:7: found '8/x'; expected " + numbers},
      {"c.obj", cube("f 2 4 8 6", "f 2 4 eight 6"), "c.obj:23:7: found 'eight'; expected " + numbers},
      {"c.obj", cube("f 2 4 8 6", "f 2 4 8.0 6"), "c.obj:23:7: found '8.0'; expected " + numbers},
      {"c.obj", cube("f 2 4 8 6", "f 2 4"), "c.obj:23:6: found the end of the line; expected at least three corners"},
      {"c.obj", cube("f 2 4 8 6", "f"), "c.obj:23:2: found the end of the line; expected at least three corners"},
      {"c.obj", cube("f 2 4 8 6", "face 2 4 8 6"), "c.obj:23:1: found 'face'; expected a keyword of OBJ"},
      {"c.obj", cube("f 2 4 8 6", "usemtk red"),
       "c.obj:23:1: found 'usemtk'; expected a keyword of OBJ (do you mean 'usemtl'?)"},
      {"c.obj", cube("f 2 4 8 6", "cstype bezier"), "c.obj:23:1: found 'cstype'; expected faces: free-form"},
      {"c.obj", cube("f 2 4 8 6", "surf 0 1 0 1 1 2 3"), "c.obj:23:1: found 'surf'; expected faces: free-form"},
      {"c.obj", cube("f 2 4 8 6", "call other.obj"), "c.obj:23:1: found 'call'; expected a keyword of OBJ"},
      {"c.obj", cube("f 2 4 8 6\n", ""),
       "c.obj:16: face 1 has nothing beyond its edge from (1, 1, -1) (line 7) to (1, -1, -1) (line 5), the first of 4"},
      {"c.obj", cube("f 2 4 8 6", "f 6 8 4 2"), "c.obj:16: face 1 and face 6 (line 23) pass its edge"},
      {"c.obj", cube("f 2 4 8 6", "f 2 8 4 6"), "c.obj:23: face 6 crosses or touches itself"},
      {"c.obj", cube("f 2 4 8 6", "f 2 4 4 6"), "c.obj:23: face 6 comes to (1, 1, -1) (line 7) twice"},
      {"c.obj", cube("v 1 1 1\n", "v 1e12 1 1\n"),
       "c.obj:17: face 2 has a corner at (1e+12, 1, 1) (line 11); expected coordinates up to 1e+09 m"},
      {"c.obj", cube("v 1 1 1\n", "v -3 -3 -3\n"), "c.obj:17: face 2 crosses or touches itself"},
      {"c.obj", std::string(obj_cube) + obj_cube, "c.obj:39: face 7 has the same corners as face 1 (line 16)"},
  });
}

TEST(MeshFilesZoo, Stl) {
  const auto with = [](const std::string& what, const std::string& by) { return replaced(stl_text(), what, by); };
  std::string promise = stl_binary(), none = stl_binary().substr(0, 84), no_number = stl_binary();
  promise[80] = 5, none[80] = 0;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(no_number.data() + 84 + 12, &nan, 4);
  expect_refused({
      {"t.stl", "", "t.stl: found 0 bytes that begin with ''; expected STL"},
      {"t.stl", "hello", "t.stl: found 5 bytes that begin with 'hello'; expected STL"},
      {"t.stl", std::string(1000, 'x'), "t.stl: found 1000 bytes; expected 101058054"},
      {"t.stl", stl_binary().substr(0, 83), "t.stl: found 83 bytes that begin with 'binary"},
      {"t.stl", stl_binary().substr(0, 283), "t.stl: found 283 bytes; expected 284, for the 4 triangles"},
      {"t.stl", stl_binary() + "x", "t.stl: found 285 bytes; expected 284"},
      {"t.stl", promise, "t.stl: found 284 bytes; expected 334"},
      {"t.stl", none, "t.stl: has no faces"},
      {"t.stl", no_number, "t.stl: face 1 has a corner at (nan, 0, 0); expected finite numbers"},
      {"t.stl", "solid", "t.stl:1:6: found the end of the file; expected facet or endsolid"},
      {"t.stl", "solid x\nendsolid x\n", "t.stl: has no faces"},
      {"t.stl", "solid x\nfacet normal 0 0", "t.stl:2:17: found the end of the file; expected a number"},
      {"t.stl", with("facet normal", "facet"), "t.stl:2:9: found '0'; expected normal"},
      {"t.stl", with("outer loop", "loop"), "t.stl:3:5: found 'loop'; expected outer"},
      {"t.stl", with("vertex 0.000000", "vertex zero"), "t.stl:4:14: found 'zero'; expected a number"},
      {"t.stl", with("vertex 0.000000", "vertex nan"), "t.stl:4:14: found 'nan'; expected a number"},
      {"t.stl", with("vertex 0.000000", "vertex 1e400"), "t.stl:4:14: found '1e400'; expected a number"},
      {"t.stl", with("    endloop", "    vertex 1 1 1\n    endloop"), "t.stl:7:5: found 'vertex'; expected endloop"},
      {"t.stl", with("endfacet", ""), "t.stl:9:3: found 'facet'; expected endfacet"},
      {"t.stl", with("endsolid a tetrahedron\n", ""),
       "t.stl:30:1: found the end of the file; expected facet or endsolid"},
      {"t.stl", stl_text() + "nonsense", "t.stl:31:1: found 'nonsense'; expected solid, or the end of the file"},
      {"t.stl", with("vertex 1.000000 0.000000 0.000000", "vertex 0.000000 1.000000 0.000000"),
       "t.stl:2: face 1 comes to (0, 1, 0) (line 5) twice"},
      {"t.stl", with("vertex 1.000000 0.000000 0.000000", "vertex 1.000001 0.000000 0.000000"),
       "t.stl:2: face 1 has nothing beyond its edge"},
  });
}

TEST(MeshFilesZoo, Gltf) {
  const auto with = [](const std::string& what, const std::string& by) { return replaced(gltf_text(), what, by); };
  std::string short_glb = glb(), version_1 = glb(), long_chunk = glb(), no_json = glb();
  short_glb.pop_back();
  version_1[4] = 1, long_chunk[13] = 127, no_json[16] = 'X';
  std::string deep = "{\"asset\": ";
  for (int i = 0; i < 100000; ++i) deep += "[";
  expect_refused({
      {"t.gltf", "", "t.gltf:1:1: found no JSON here"},
      {"t.gltf", "{", "t.gltf:1:2: found no JSON here"},
      {"t.gltf", "{\n \"asset\": nothing}", "t.gltf:2:"},
      {"t.gltf", "[1, 2]", "t.gltf: found a list; expected a mapping"},
      {"t.gltf", deep, "t.gltf: found brackets more than 64 deep"},
      {"t.gltf", "{}", "t.gltf: asset: is missing"},
      {"t.gltf", "{\"asset\": 7}", "t.gltf: asset: found 7; expected a mapping"},
      {"t.gltf", "{\"asset\": {}}", "t.gltf: asset.version: is missing"},
      {"t.gltf", "{\"asset\": {\"version\": 2}}", "t.gltf: asset.version: found 2; expected a text"},
      {"t.gltf", "{\"asset\": {\"version\": \"1.0\"}}", "t.gltf: asset.version: found '1.0'; expected 2.0"},
      {"t.gltf", "{\"asset\": {\"version\": \"2.0\"}}", "t.gltf: has no faces"},
      {"t.gltf", "{\"asset\": {\"version\": 1e999}}", "t.gltf: found JSON that cannot be read"},
      {"t.glb", short_glb, "t.glb: found "},
      {"t.glb", version_1, "t.glb: found glTF version 1; expected 2"},
      {"t.glb", long_chunk, "t.glb: found a chunk of "},
      {"t.glb", no_json, "t.glb: found no JSON in the first chunk"},
      {"t.glb", glb().substr(0, 12), "t.glb: found 12 bytes; expected a .glb of at least 20"},
      {"t.gltf", with("\"asset\"", "\"extensionsRequired\": [\"KHR_draco_mesh_compression\"], \"asset\""),
       "t.gltf: extensionsRequired[0]: found 'KHR_draco_mesh_compression', which is not read"},
      {"t.gltf", with("\"scene\": 0", "\"scene\": 1"),
       "t.gltf: scene: found 1; expected the number of one of the 1 scenes, from 0"},
      {"t.gltf", with("\"scene\": 0", "\"scene\": -1"), "t.gltf: scene: found -1; expected a whole number"},
      {"t.gltf", with("\"nodes\": [0]", "\"nodes\": [1]"),
       "t.gltf: scenes[0].nodes[0]: expected the number of one of the 1 nodes"},
      {"t.gltf", with("\"nodes\": [0]", "\"nodes\": [0, 0]"), "t.gltf: nodes[0]: has two parents, or is its own"},
      {"t.gltf", with("{\"mesh\": 0", "{\"children\": [0], \"mesh\": 0"),
       "t.gltf: nodes[0]: has two parents, or is its own"},
      {"t.gltf", with("{\"mesh\": 0", "{\"mesh\": 7"),
       "t.gltf: nodes[0].mesh: found 7; expected the number of one of the 1 meshes"},
      {"t.gltf", with("{\"mesh\": 0", "{\"mesh\": 0.5"), "t.gltf: nodes[0].mesh: found 0.5; expected a whole number"},
      {"t.gltf", with("{\"mesh\": 0", "{\"mesh\": 0, \"skin\": 0"),
       "t.gltf: nodes[0].skin: found a mesh that a skeleton bends"},
      {"t.gltf", with("{\"mesh\": 0", "{\"mesh\": 0, \"weights\": [0.5]"),
       "t.gltf: nodes[0].weights: found a morph target"},
      {"t.gltf", with("{\"mesh\": 0", "{\"mesh\": 0, \"scale\": [1, 0, 1]"),
       "t.gltf: nodes[0]: scales a mesh to no volume"},
      {"t.gltf", with("{\"mesh\": 0", "{\"mesh\": 0, \"scale\": [1, 1]"),
       "t.gltf: nodes[0].scale: expected a list of 3 finite numbers"},
      {"t.gltf", with("{\"mesh\": 0", "{\"mesh\": 0, \"rotation\": [0, 0, 0, 0]"),
       "t.gltf: nodes[0].rotation: expected a quaternion of length 1"},
      {"t.gltf", with("{\"mesh\": 0", "{\"mesh\": 0, \"matrix\": [1,0,0,1, 0,1,0,0, 0,0,1,0, 0,0,0,1]"),
       "t.gltf: nodes[0].matrix: expected 0, 0, 0, 1"},
      {"t.gltf", with("\"indices\": 1", "\"indices\": 0"),
       "t.gltf: accessors[0].componentType: found 5126; expected 5121, 5123 or 5125"},
      {"t.gltf", with("\"indices\": 1", "\"indices\": 2"),
       "t.gltf: meshes[0].primitives[0].indices: found 2; expected the number of one of the 2 accessors"},
      {"t.gltf", with("\"indices\": 1", "\"indices\": 1, \"mode\": 1"),
       "t.gltf: meshes[0].primitives[0].mode: found 1, points or lines"},
      {"t.gltf", with("\"indices\": 1", "\"indices\": 1, \"mode\": 7"),
       "t.gltf: meshes[0].primitives[0].mode: found 7; expected a whole number from 0 to 6"},
      {"t.gltf", with("\"POSITION\": 0", "\"NORMAL\": 0"),
       "t.gltf: meshes[0].primitives[0].attributes.POSITION: is missing"},
      {"t.gltf", with("\"VEC3\"", "\"VEC2\""), "t.gltf: accessors[0].type: found 'VEC2'; expected VEC3"},
      {"t.gltf", with("\"count\": 4", "\"count\": 5"),
       "t.gltf: accessors[0]: found 5 elements up to byte 60; expected them within the 48 of their view"},
      {"t.gltf", with("\"count\": 4", "\"count\": 3"),
       "t.gltf: meshes[0].primitives[0].indices: found 3; expected one of the 3 points, from 0"},
      {"t.gltf", with("\"count\": 4", "\"count\": 4000000000"),
       "t.gltf: accessors[0].count: found 4000000000; expected a whole number from 0 to 6000000"},
      {"t.gltf", with("\"count\": 12", "\"count\": 11"),
       "t.gltf: meshes[0].primitives[0]: has 11 corners; expected three for each"},
      {"t.gltf", with("\"count\": 12", "\"count\": 9"),
       "t.gltf: face 1 of meshes[0].primitives[0] has nothing beyond its edge"},
      {"t.gltf", with("5123", "5122"), "t.gltf: accessors[1].componentType: found 5122"},
      {"t.gltf", with("5126", "5123"), "t.gltf: accessors[0].componentType: found 5123; expected 5126"},
      {"t.gltf", with("\"byteLength\": 48", "\"byteLength\": 480"),
       "t.gltf: bufferViews[0]: found bytes 0 to 480; expected them within the 72"},
      {"t.gltf", with("\"byteLength\": 48", "\"byteLength\": 48, \"byteStride\": 4"),
       "t.gltf: bufferViews[0].byteStride: found 4; expected at least 12"},
      {"t.gltf", with("{\"byteLength\": 72", "{\"byteLength\": 73"),
       "t.gltf: buffers[0]: found 72 bytes; expected the 73"},
      {"t.gltf", with("base64,", "base64,*"),
       "t.gltf: buffers[0].uri: found '*' as character 1 of its data; expected base64"},
      {"t.gltf", with(";base64", ";base32"), "t.gltf: buffers[0].uri: found 'data:"},
      {"t.gltf", gltf_json(", \"uri\": \"beside.bin\""), "beside.bin: there is no such file"},
      {"t.gltf", gltf_json(""), "t.gltf: buffers[0]: found 0 bytes; expected the 72"},
      {"t.gltf", with("\"buffers\": [{", "\"buffers\": [7, {"), "t.gltf: buffers[0]: found 7; expected a mapping"},
  });
}

}  // namespace
}  // namespace marey::mesh_files_test
