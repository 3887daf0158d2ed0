// What is exported to glTF and BVH, read by readers of its own that know nothing of how it was written: places of links, computed
// from the hierarchy of nodes or joints, are those of the motion.
#include "marey/io/animation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "marey/core/index.h"
#include "marey/io/bvh.h"
#include "marey/io/mesh.h"
#include "marey/io/scene.h"
#include "motion_fake.h"
#include "support/trouble.h"

namespace marey::animation_test {
namespace {

using nlohmann::json;
using ::trouble::contents;
using Vec = Vec3<double>;

std::string gallery(const std::string& name) { return MAREY_SOURCE_DIR "/gallery/" + name + ".yaml"; }

std::string run_of(const fake::Folder& folder, Scene scene, double duration) {
  scene.duration = duration;
  const std::string name = folder / "run.h5";
  MotionFile file(name);
  run(scene, file);
  return name;
}

// ----------------------------------------------------------------------------------------------- a reader of .glb
struct Glb {
  json document;
  std::string binary;

  static std::uint32_t word(const std::string& bytes, std::size_t at) {
    std::uint32_t w = 0;
    std::memcpy(&w, bytes.data() + at, 4);
    return w;
  }
  explicit Glb(const std::string& bytes) {
    EXPECT_EQ(bytes.substr(0, 4), "glTF");
    EXPECT_EQ(word(bytes, 4), 2u);
    EXPECT_EQ(word(bytes, 8), bytes.size());
    const std::size_t text = word(bytes, 12);
    EXPECT_EQ(bytes.substr(16, 4), "JSON");
    document = json::parse(bytes.substr(20, text));
    EXPECT_EQ(bytes.substr(20 + text + 4, 4), std::string("BIN\0", 4));
    binary = bytes.substr(20 + text + 8, word(bytes, 20 + text));
  }
  std::vector<double> numbers(int accessor) const {
    const json& a = document["accessors"][index(accessor)];
    const json& view = document["bufferViews"][a["bufferView"].get<std::size_t>()];
    const std::string type = a["type"];
    const std::size_t width = type == "SCALAR" ? 1
                              : type == "VEC3" ? 3
                              : type == "VEC4" ? 4
                                               : 16,
                      n = width * a["count"].get<std::size_t>(), at = view["byteOffset"].get<std::size_t>();
    std::vector<double> out(n);
    for (std::size_t i = 0; i < n; ++i) {
      if (a["componentType"] == 5126) {
        float x = 0;
        std::memcpy(&x, binary.data() + at + 4 * i, 4);
        out[i] = static_cast<double>(x);
      } else {
        std::uint16_t x = 0;
        EXPECT_EQ(a["componentType"], 5123);
        std::memcpy(&x, binary.data() + at + 2 * i, 2);
        out[i] = x;
      }
    }
    return out;
  }

  // ---- the animation
  struct Track {
    std::vector<double> times, values;
  };
  std::map<std::pair<int, std::string>, Track> tracks() const {
    std::map<std::pair<int, std::string>, Track> all;
    const json& animation = document["animations"][0];
    for (const json& channel : animation["channels"]) {
      const json& sampler = animation["samplers"][channel["sampler"].get<std::size_t>()];
      EXPECT_EQ(sampler["interpolation"], "LINEAR");
      all[{channel["target"]["node"].get<int>(), channel["target"]["path"].get<std::string>()}] = {
          numbers(sampler["input"].get<int>()), numbers(sampler["output"].get<int>())};
    }
    return all;
  }
  // Column-major, as glTF has them: of every node in the frame, or at rest.
  using Matrix = std::array<double, 16>;
  static Matrix times(const Matrix& a, const Matrix& b) {
    Matrix c{};
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4; ++j)
        for (std::size_t k = 0; k < 4; ++k) c[4 * j + i] += a[4 * k + i] * b[4 * j + k];
    return c;
  }
  static Matrix matrix(const std::vector<double>& p, const std::vector<double>& q) {
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    return {1 - 2 * (y * y + z * z),
            2 * (x * y + w * z),
            2 * (x * z - w * y),
            0,
            2 * (x * y - w * z),
            1 - 2 * (x * x + z * z),
            2 * (y * z + w * x),
            0,
            2 * (x * z + w * y),
            2 * (y * z - w * x),
            1 - 2 * (x * x + y * y),
            0,
            p[0],
            p[1],
            p[2],
            1};
  }
  std::vector<Matrix> places(std::optional<std::size_t> frame) const {
    const auto all = tracks();
    std::vector<Matrix> local, world(document["nodes"].size());
    for (std::size_t i = 0; i < document["nodes"].size(); ++i) {
      const json& node = document["nodes"][i];
      std::vector<double> p = node.value("translation", std::vector<double>{0, 0, 0}),
                          q = node.value("rotation", std::vector<double>{0, 0, 0, 1});
      const auto put = [&](const char* path, std::vector<double>& x) {
        const auto track = all.find({static_cast<int>(i), path});
        if (!frame || track == all.end()) return;
        for (std::size_t k = 0; k < x.size(); ++k) x[k] = track->second.values.at(*frame * x.size() + k);
      };
      put("translation", p), put("rotation", q);
      local.push_back(matrix(p, q));
    }
    std::vector<char> placed(local.size(), 0);
    std::vector<std::pair<std::size_t, Matrix>> waiting;
    for (const json& root : document["scenes"][0]["nodes"])
      waiting.emplace_back(root.get<std::size_t>(), matrix({0, 0, 0}, {0, 0, 0, 1}));
    while (!waiting.empty()) {
      const auto [i, above] = waiting.back();
      waiting.pop_back();
      EXPECT_FALSE(std::exchange(placed[i], 1)) << "a node with two parents";
      world[i] = times(above, local[i]);
      for (const json& child : document["nodes"][i].value("children", json::array()))
        waiting.emplace_back(child.get<std::size_t>(), world[i]);
    }
    EXPECT_EQ(std::count(placed.begin(), placed.end(), 1), static_cast<long>(local.size()))
        << "nodes that are not shown";
    return world;
  }
  int node(const std::string& name) const {
    for (std::size_t i = 0; i < document["nodes"].size(); ++i)
      if (document["nodes"][i]["name"] == name) return static_cast<int>(i);
    return -1;
  }
};

// y up, z towards the viewer.
Vec y_up(std::span<const double> p) { return {p[0], p[2], -p[1]}; }

void expect_places(const Glb& glb, const Motion& motion, double close) {
  for (std::size_t frame = 0; frame < motion.frames; frame += 7) {
    const std::vector<Glb::Matrix> places = glb.places(frame);
    for (std::size_t c = 0; c < motion.channels.size(); ++c) {
      const std::string& channel = motion.channels[c].name;
      if (!channel.starts_with("link/") || !channel.ends_with("/position")) continue;
      const std::string name = channel.substr(5, channel.size() - 5 - 9);
      const int node = glb.node(name);
      ASSERT_GE(node, 0) << name;
      const Glb::Matrix& X = places[index(node)];
      EXPECT_LT(norm(Vec{X[12], X[13], X[14]} - y_up(motion.at(c, frame))), close) << name << " in frame " << frame;
    }
  }
}

TEST(AnimationGlb, LinksAreWhereTheMotionHasThem) {
  for (const char* scene : {"tumbling-human", "knee", "slider-crank", "joints-take-turns", "rocket"}) {
    SCOPED_TRACE(scene);
    const fake::Folder folder;
    const Scene read = load_scene(gallery(scene));
    const Motion motion = read_motion(run_of(folder, read, std::min(read.duration, 1.0)));
    AnimationRequest r{folder / "m.glb"};
    r.per_second = 1 / read.record.every;
    export_animation(motion.file, r);
    const Glb glb(contents(folder / "m.glb"));
    EXPECT_EQ(glb.tracks().begin()->second.times.size(), motion.frames);
    expect_places(glb, motion, 1e-6);
  }
}

TEST(AnimationGlb, FramesPerSecondAndTheSpanAreChosen) {
  const fake::Folder folder;
  const Motion motion = read_motion(run_of(folder, load_scene(gallery("tumbling-human")), 1));
  AnimationRequest r{folder / "m.glb"};
  r.per_second = 20, r.begin = 0.25, r.end = 0.75, r.up = UpAxis::z;
  export_animation(motion.file, r);
  const Glb glb(contents(folder / "m.glb"));
  const std::vector<double> times = glb.tracks().begin()->second.times;
  ASSERT_EQ(times.size(), 11u);
  EXPECT_EQ(times.front(), 0);
  EXPECT_FLOAT_EQ(static_cast<float>(times.back()), 0.5f);
  const std::vector<double> x = motion.column("link/human.pelvis/position.x"),
                            z = motion.column("link/human.pelvis/position.z");
  const std::size_t frame = motion.frame_near(0.25);
  ASSERT_NEAR(motion.time()[frame], 0.25, 1e-9);
  const Glb::Matrix X = glb.places(0)[index(glb.node("human.pelvis"))];
  EXPECT_NEAR(X[12], x[frame], 1e-6);
  EXPECT_NEAR(X[14], z[frame], 1e-6) << "z stays up where that is asked for";
}

// With all coordinates zero, but for the roots.
TEST(AnimationGlb, RestsWithAllCoordinatesZero) {
  const fake::Folder folder;
  const Scene scene = load_scene(gallery("tumbling-human"));
  const Motion motion = read_motion(run_of(folder, scene, 0.2));
  export_animation(motion.file, {folder / "m.glb"});
  const Glb glb(contents(folder / "m.glb"));
  for (int b = 2; b < scene.model.nlink(); ++b) {
    const json& node = glb.document["nodes"][index(glb.node(scene.model.names[index(b)]))];
    const Vec l = scene.model.params.links[index(b)].l;  // on balls the joint is where it is
    const std::vector<double> p = node.value("translation", std::vector<double>{0, 0, 0});
    EXPECT_LT(norm(Vec{p[0], p[1], p[2]} - l), 1e-7) << scene.model.names[index(b)];
    EXPECT_FALSE(node.contains("rotation")) << scene.model.names[index(b)];
  }
}

TEST(AnimationGlb, MeshesAreTheSolidsOfTheLinks) {
  const fake::Folder folder;
  const std::string text = R"(marey: 1
duration: 0.1 s
gravity: 0
bodies:
  crate: {shape: {box: [10 cm, 20 cm, 30 cm]}, mass: 1 kg, at: [1, 2, 3]}
)";
  const Motion motion = read_motion(run_of(folder, parse_scene(text, "crate.yaml"), 0.1));
  export_animation(motion.file, {folder / "m.glb"});
  // By the reader of meshes, which turns y up into z up: node, place and all.
  const Mesh mesh = closed_mesh(load_polygons(folder / "m.glb", 1));
  const SolidMass m = solid_mass(mesh, 1);
  EXPECT_NEAR(m.mass, 0.006, 1e-8);
  EXPECT_LT(norm(m.center - Vec{1, 2, 3}), 1e-6);
}

// Each vertex is bound to a particle's node: Σ weight · node · binding · vertex, glTF 3.7.3.3.
TEST(AnimationGlb, ClothHasAFormInEveryFrame) {
  const fake::Folder folder;
  const Motion motion = read_motion(run_of(folder, load_scene(gallery("cloth")), 0.5));
  AnimationRequest r{folder / "m.glb"};
  r.per_second = 60;
  export_animation(motion.file, r);
  const Glb glb(contents(folder / "m.glb"));
  const json& cloth = glb.document["nodes"][index(glb.node("cloth"))];
  const json& primitive = glb.document["meshes"][cloth["mesh"].get<std::size_t>()]["primitives"][0];
  const json& skin = glb.document["skins"][cloth["skin"].get<std::size_t>()];
  const std::vector<double> vertices = glb.numbers(primitive["attributes"]["POSITION"].get<int>()),
                            joints = glb.numbers(primitive["attributes"]["JOINTS_0"].get<int>()),
                            weights = glb.numbers(primitive["attributes"]["WEIGHTS_0"].get<int>()),
                            bindings = glb.numbers(skin["inverseBindMatrices"].get<int>());
  ASSERT_EQ(vertices.size(), 1200u);
  EXPECT_EQ(glb.numbers(primitive["indices"].get<int>()).size(), 3u * 2 * 19 * 19);
  double moved = 0;
  for (const std::size_t frame : {std::size_t{0}, motion.frames - 1}) {
    const std::vector<Glb::Matrix> places = glb.places(frame);
    for (std::size_t v = 0; v < 400; ++v) {
      Vec at;
      for (std::size_t k = 0; k < 4; ++k) {
        if (weights[4 * v + k] == 0) continue;
        const auto joint = static_cast<std::size_t>(joints[4 * v + k]);
        Glb::Matrix bind{};
        std::copy_n(bindings.begin() + static_cast<long>(16 * joint), 16, bind.begin());
        const Glb::Matrix M = Glb::times(places[skin["joints"][joint].get<std::size_t>()], bind);
        for (std::size_t i = 0; i < 3; ++i)
          at[static_cast<int>(i)] += weights[4 * v + k] * (M[i] * vertices[3 * v] + M[4 + i] * vertices[3 * v + 1] +
                                                           M[8 + i] * vertices[3 * v + 2] + M[12 + i]);
      }
      const std::string name =
          "link/cloth." + std::to_string(v / 20 + 1) + "-" + std::to_string(v % 20 + 1) + "/position";
      const Vec there = y_up(motion.at(motion.find(name), frame));
      EXPECT_LT(norm(at - there), 2e-6) << name;
      moved = std::max(moved, norm(there - Vec{vertices[3 * v], vertices[3 * v + 1], vertices[3 * v + 2]}));
    }
  }
  EXPECT_GT(moved, 0.2);
}

TEST(AnimationGlb, ReplacesNothingButItsOwn) {
  const fake::Folder folder;
  const std::string motion = run_of(folder, load_scene(gallery("flip")), 0.1);
  AnimationRequest r{folder / "m.glb"};
  export_animation(motion, r);
  EXPECT_NE(::trouble::of(ErrorKind::file_trouble, [&] { export_animation(motion, r); }), "");
  r.existing = Existing::replace;
  EXPECT_EQ(::trouble::of(ErrorKind::file_trouble, [&] { export_animation(motion, r); }), "");
  std::ofstream(r.output) << "somebody's data";
  EXPECT_NE(::trouble::of(ErrorKind::file_trouble, [&] { export_animation(motion, r); }), "");
  EXPECT_EQ(contents(r.output), "somebody's data");
}

// ----------------------------------------------------------------------------------------------- BVH out
std::string figure_name(const Scene& scene) { return scene.model.names[1].substr(0, scene.model.names[1].find('.')); }

TEST(AnimationBvh, LinksAreWhereTheMotionHasThem) {
  for (const auto& [scene, scale] :
       {std::pair{"tumbling-human", 100.0}, {"knee", 1.0}, {"oblivion", 1.0}, {"slider-crank", 1.0}}) {
    SCOPED_TRACE(scene);
    const fake::Folder folder;
    const Scene read = load_scene(gallery(scene));
    const Motion motion = read_motion(run_of(folder, read, std::min(read.duration, 1.0)));
    AnimationRequest r{folder / "m.bvh"};
    r.per_second = 1 / read.record.every, r.scale = scale;
    try {
      export_animation(motion.file, r);
    } catch (const Error& e) {  // several figures: the first will do
      const std::string what = e.what();
      ASSERT_NE(what.find("--figure: "), std::string::npos) << what;
      r.figure = what.substr(what.find("--figure: ") + 10);
      r.figure = r.figure.substr(0, r.figure.find_first_of(", "));
      export_animation(motion.file, r);
    }
    const std::string text = contents(folder / "m.bvh");
    const BvhMotion back = parse_bvh(text, "m.bvh");
    EXPECT_EQ(text_of(back), text) << "nothing is lost but what was not printed";
    ASSERT_EQ(index(back.frames), motion.frames);
    for (std::size_t frame = 0; frame < motion.frames; frame += 5) {
      const std::vector<Transform<double>> X = back.poses(static_cast<int>(frame));
      for (std::size_t j = 0; j < back.joints.size(); ++j) {
        const std::string figure = r.figure.empty() ? figure_name(read) : r.figure;
        const std::size_t c = motion.find("link/" + figure + "." + back.joints[j].name + "/position");
        EXPECT_LT(norm((1 / scale) * X[j].p - y_up(motion.at(c, frame))), 1e-8) << back.joints[j].name;
      }
    }
  }
}

// A limb that turns about x, through the right angle at which the angles of ZXY are singular, and on.
TEST(AnimationBvh, AnglesGoOnWithoutJumps) {
  const fake::Folder folder;
  const std::string text = R"(marey: 1
duration: 2 s
gravity: 0
figures:
  f:
    links:
      a: {joint: ball, shape: {sphere: 10 cm}, mass: 1 kg, start: {turned: {axis: x, angle: 30 deg}, spin: [6, 0, 0]}}
record: {per_second: 60}
)";
  const Motion motion = read_motion(run_of(folder, parse_scene(text, "f.yaml"), 2));
  AnimationRequest r{folder / "m.bvh"};
  r.per_second = 60;
  export_animation(motion.file, r);
  const BvhMotion m = parse_bvh(contents(folder / "m.bvh"), "m.bvh");
  double most = 0, farthest = 0;
  for (int f = 1; f < m.frames; ++f)
    for (int k = 3; k < m.width; ++k) {
      const double now = m.values[index(f * m.width + k)], before = m.values[index((f - 1) * m.width + k)];
      most = std::max(most, std::abs(now - before)), farthest = std::max(farthest, std::abs(now));
    }
  EXPECT_LT(most, 60) << "none jumps by 180";
  EXPECT_GT(farthest, 360);
}

}  // namespace
}  // namespace marey::animation_test
