// Motions as glTF 2.0 in one binary file: links as nodes, their solids as meshes, one animation.
//
// Source: Khronos Group, glTF 2.0 Specification, version 2.0.1 (2021): 3.5 (nodes), 3.6 (accessors), 3.7 (meshes, skins), 3.11
// (animations), 4.4 (the binary file).
//
//   world                       turns Marey's axes (z up) into those of glTF (y up)
//   └ figure.root               at rest where the root is in the first frame
//     └ figure.link             at rest as the joint is with all coordinates zero
//   scenery, floors             do not move
//
// A node holds what X_PB(t) is: translation p_PoBo_P and rotation R_PB. Numbers are single precision, as glTF has them: within a chain
// of n links a place is right to about n · 6e-8 of its distances. Sampled poses are joined by straight lines and slerp, as the motion
// itself is between its frames. What does not move has no track.
//
// A cloth (particles named i-j, held together by springs) is one mesh whose vertices are the particles: a skin whose joints are the
// particles' nodes, each vertex bound to its own. So it has a form in every frame, at the price of the particles' tracks.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>
#include <utility>

#include "io/exchange/animation.h"
#include "marey/core/index.h"
#include "marey/force.h"
#include "marey/shape/triangles.h"

namespace marey {

namespace {

using nlohmann::json;
using Vec = Vec3<double>;
using Poses = std::vector<Transform<double>>;

constexpr int vertex_data = 34962, index_data = 34963;             // ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER
constexpr int of_floats = 5126, of_shorts = 5123, of_ints = 5125;  // FLOAT, UNSIGNED_SHORT, UNSIGNED_INT

// ---- the binary part: accessors, each with a view of its own
class Buffer {
 public:
  template <class Number>
  int add(const std::vector<Number>& numbers, const char* type, int width, int component, std::optional<int> target) {
    while (bytes_.size() % 4 != 0) bytes_.push_back('\0');
    json view{{"buffer", 0}, {"byteOffset", bytes_.size()}, {"byteLength", numbers.size() * sizeof(Number)}};
    if (target) view["target"] = *target;
    bytes_.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number));
    views_.push_back(view);
    accessors_.push_back({{"bufferView", views_.size() - 1},
                          {"componentType", component},
                          {"count", numbers.size() / static_cast<std::size_t>(width)},
                          {"type", type}});
    return static_cast<int>(accessors_.size()) - 1;
  }
  int floats(const std::vector<float>& numbers, const char* type, int width, std::optional<int> target = {}) {
    return add(numbers, type, width, of_floats, target);
  }
  // With the least and the largest of each column, which positions and times have to have.
  int bounded(const std::vector<float>& numbers, const char* type, int width, std::optional<int> target = {}) {
    const int accessor = floats(numbers, type, width, target);
    std::vector<float> least(numbers.begin(), numbers.begin() + width), most = least;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::size_t k = i % static_cast<std::size_t>(width);
      least[k] = std::min(least[k], numbers[i]), most[k] = std::max(most[k], numbers[i]);
    }
    accessors_.back()["min"] = least, accessors_.back()["max"] = most;
    return accessor;
  }
  void finish(json& document) {
    while (bytes_.size() % 4 != 0) bytes_.push_back('\0');
    if (bytes_.empty()) return;
    document["bufferViews"] = views_, document["accessors"] = accessors_;
    document["buffers"] = json::array({{{"byteLength", bytes_.size()}}});
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  json views_ = json::array(), accessors_ = json::array();
};

void append(std::vector<float>& out, const Vec& p) {
  for (int k = 0; k < 3; ++k) out.push_back(static_cast<float>(p[k]));
}
std::vector<float> floats_of(const std::vector<Vec>& points) {
  std::vector<float> out;
  for (const Vec& p : points) append(out, p);
  return out;
}
// glTF has (x, y, z, w).
std::array<float, 4> turn_of(const Quaternion<double>& q) {
  return {static_cast<float>(q.x), static_cast<float>(q.y), static_cast<float>(q.z), static_cast<float>(q.w)};
}

// ---- materials
struct Paint {
  const char* name;
  std::array<double, 3> colour;  // linear
  double metallic, rough;
};
// Of figures in turn, then of what stands still.
constexpr std::array<Paint, 7> paints{{{"clay", {0.60, 0.30, 0.17}, 0, 0.7},
                                       {"steel", {0.24, 0.33, 0.44}, 0.3, 0.5},
                                       {"sand", {0.66, 0.52, 0.30}, 0, 0.8},
                                       {"moss", {0.20, 0.34, 0.19}, 0, 0.8},
                                       {"plum", {0.33, 0.17, 0.30}, 0, 0.7},
                                       {"scenery", {0.32, 0.32, 0.33}, 0, 0.9},
                                       {"floor", {0.42, 0.42, 0.42}, 0, 1}}};
constexpr int paint_of_scenery = 5, paint_of_floors = 6, paints_of_figures = 5;

// ---- cloth
struct Cloth {
  std::string figure;
  int rows = 0, columns = 0;
  std::vector<int> links;  // [row × columns + column]
};

// The row and the column in "cloth.3-12".
std::optional<std::pair<int, int>> cell_of(const std::string& link) {
  const std::size_t dot = link.find('.'), dash = link.find('-', dot + 1);
  if (dot == std::string::npos || dash == std::string::npos) return {};
  const auto number = [&](std::size_t from, std::size_t to) {
    int n = 0;
    const auto [end, error] = std::from_chars(link.data() + from, link.data() + to, n);
    return error == std::errc{} && end == link.data() + to ? n : 0;
  };
  const int i = number(dot + 1, dash), j = number(dash + 1, link.size());
  if (i < 1 || j < 1) return {};
  return std::pair{i, j};
}

bool springs_join(const Scene& scene, int a, int b) {
  for (const Element& e : scene.elements)
    if (const SpringNet* net = e.kind.get_if<SpringNet>())
      for (const SpringNet::Spring& s : net->springs)
        if ((s.a.link == a && s.b.link == b) || (s.a.link == b && s.b.link == a)) return true;
  return false;
}

std::vector<Cloth> cloths_of(const Scene& scene) {
  const Model& model = scene.model;
  std::map<std::string, std::map<std::pair<int, int>, int>> cells;
  std::map<std::string, int> links_of;
  for (int b = 1; b < model.nlink(); ++b) {
    const std::string figure = figure_of(model.names[index(b)]);
    ++links_of[figure];
    const auto cell = cell_of(model.names[index(b)]);
    const bool particle = model.links[index(b)].parent == 0 && (model.links[index(b)].joint == JointType::point ||
                                                                model.links[index(b)].joint == JointType::weld);
    if (cell && particle) cells[figure][*cell] = b;
  }
  std::vector<Cloth> all;
  for (const auto& [figure, grid] : cells) {
    Cloth cloth{figure, 0, 0, {}};
    for (const auto& [cell, link] : grid) {
      cloth.rows = std::max(cloth.rows, cell.first), cloth.columns = std::max(cloth.columns, cell.second);
      cloth.links.push_back(link);
    }
    const std::size_t whole = index(cloth.rows) * index(cloth.columns);
    if (grid.size() != whole || index(links_of[figure]) != whole || cloth.rows < 2 || cloth.columns < 2) continue;
    if (springs_join(scene, cloth.links[0], cloth.links[1])) all.push_back(std::move(cloth));
  }
  return all;
}

// ---- the document
class Glb {
 public:
  Glb(const Scene& scene, const Motion& motion, const AnimationRequest& request)
      : scene_(scene),
        model_(scene.model),
        title_(motion.title),
        samples_(sample_motion(model_, motion, request)),
        R_(turned_up(request.up)),
        cloths_(cloths_of(scene)) {
    rest_of_links();
    size_ = size_of_motion();
  }

  std::string write() {
    add_nodes();
    for (const Cloth& cloth : cloths_) add_cloth(cloth);
    add_floors();
    add_animation();
    add_materials();
    std::vector<int> shown{0};  // skinned meshes stand beside the world: their places are those of their joints
    shown.insert(shown.end(), beside_.begin(), beside_.end());
    json document{{"asset", {{"version", "2.0"}, {"generator", "marey"}}},
                  {"scene", 0},
                  {"scenes", json::array({{{"nodes", shown}}})},
                  {"nodes", nodes_}};
    if (!title_.empty()) document["scenes"][0]["name"] = title_;
    if (!meshes_.empty()) document["meshes"] = meshes_, document["materials"] = materials_;
    if (!skins_.empty()) document["skins"] = skins_;
    if (!tracks_.empty())
      document["animations"] =
          json::array({{{"name", title_.empty() ? "motion" : title_}, {"channels", tracks_}, {"samplers", samplers_}}});
    buffer_.finish(document);
    return packed(document.dump(-1, ' ', false, json::error_handler_t::replace), buffer_.bytes());
  }

 private:
  // X_PB, with the joint's coordinates zero; of roots as they are at first.
  void rest_of_links() {
    const Poses X_WB = rest_poses(model_);
    for (int b = 0; b < model_.nlink(); ++b) {
      const int P = model_.links[index(b)].parent;
      rest_.push_back(b == 0   ? Transform<double>{}
                      : P == 0 ? samples_.X_WB[0][index(b)]
                               : inverse(X_WB[index(P)]) * X_WB[index(b)]);
      rest_W_.push_back(b == 0 ? rest_.back() : rest_W_[index(P)] * rest_.back());
    }
  }
  double size_of_motion() const {
    Bounds box;
    for (int b = 1; b < model_.nlink(); ++b) {
      box.add(rest_W_[index(b)].p);
      for (const Shape& s : model_.shapes[index(b)]) {
        const Vec half = 0.5 * bounding_box(s.solid),
                  middle = (rest_W_[index(b)] * s.X_BS) * bounding_box_center(s.solid);
        box.add(middle + Vec{norm(half), norm(half), norm(half)}),
            box.add(middle - Vec{norm(half), norm(half), norm(half)});
      }
    }
    const double size = norm(box.high - box.low);
    return std::isfinite(size) && size > 0 ? size : 1;
  }

  // Those that are used, in the order of their first use.
  void add_materials() {
    std::map<int, int> number;
    for (json& mesh : meshes_) {
      json& material = mesh["primitives"][0]["material"];
      const int paint = material.get<int>();
      const auto [at, is_new] = number.try_emplace(paint, static_cast<int>(number.size()));
      material = at->second;
      if (!is_new) continue;
      const Paint& p = paints[index(paint)];
      materials_.push_back({{"name", p.name},
                            {"doubleSided", true},
                            {"pbrMetallicRoughness",
                             {{"baseColorFactor", {p.colour[0], p.colour[1], p.colour[2], 1.0}},
                              {"metallicFactor", p.metallic},
                              {"roughnessFactor", p.rough}}}});
    }
  }

  // ---- nodes: number b is link b
  void add_nodes() {
    std::vector<std::vector<int>> children(model_.links.size());
    for (int b = 1; b < model_.nlink(); ++b) children[index(model_.links[index(b)].parent)].push_back(b);
    std::vector<Shape> scenery;
    for (std::size_t i = 0; i < scene_.scenery.size(); ++i)
      if (!is_sensor(model_.links.size() + i))
        scenery.insert(scenery.end(), scene_.scenery[i].shapes.begin(), scene_.scenery[i].shapes.end());
    for (int b = 0; b < model_.nlink(); ++b) {
      json node{{"name", model_.names[index(b)]}};
      const Transform<double> X = b == 0 ? Transform<double>{R_, {}} : rest_[index(b)];
      put_pose(node, X);
      if (!children[index(b)].empty()) node["children"] = children[index(b)];
      if (const int mesh = mesh_of_link(b, children[index(b)], scenery); mesh >= 0) node["mesh"] = mesh;
      nodes_.push_back(std::move(node));
    }
  }
  static void put_pose(json& node, const Transform<double>& X) {
    const Quaternion<double> q = quaternion_of(X.R);
    if (norm(X.p) > 0)
      node["translation"] = {static_cast<float>(X.p.x), static_cast<float>(X.p.y), static_cast<float>(X.p.z)};
    if (std::abs(q.x) + std::abs(q.y) + std::abs(q.z) > 0) node["rotation"] = turn_of(q);
  }
  bool is_sensor(std::size_t body) const {
    return scene_.collide && body < scene_.collide->bodies.size() && scene_.collide->bodies[body].sensor;
  }
  bool in_cloth(int link) const {
    return std::ranges::any_of(cloths_, [&](const Cloth& c) { return std::ranges::count(c.links, link) > 0; });
  }

  int mesh_of_link(int b, const std::vector<int>& children, const std::vector<Shape>& scenery) {
    if (is_sensor(index(b)) || in_cloth(b)) return -1;
    std::vector<Shape> shapes = b == 0 ? scenery : model_.shapes[index(b)];
    if (b == 0) shapes.insert(shapes.end(), model_.shapes[0].begin(), model_.shapes[0].end());
    if (b != 0 && shapes.empty()) shapes = sticks_of(b, children);
    if (shapes.empty()) return -1;
    Triangles all;
    for (const Shape& s : shapes) {
      const Triangles t = triangles_of(s.solid, model_.nlink() > 200 ? 16 : 24);
      const int first = static_cast<int>(all.vertices.size());
      for (const Vec& p : t.vertices) all.vertices.push_back(s.X_BS * p);
      for (const Vec& n : t.normals) all.normals.push_back(s.X_BS.R * n);
      for (const auto& c : t.corners) all.corners.push_back({first + c[0], first + c[1], first + c[2]});
    }
    return add_mesh(all, b == 0 ? "scenery" : figure_of(model_.names[index(b)]),
                    b == 0 ? paint_of_scenery : paint_of_figure(figure_of(model_.names[index(b)])));
  }
  // A link without shapes: from its joint to those of its children, or to its centre of mass.
  std::vector<Shape> sticks_of(int b, const std::vector<int>& children) const {
    const double radius = 0.008 * size_;
    std::vector<Shape> sticks{{Sphere{1.6 * radius}, {}}};
    const auto add = [&](const Vec& to) {
      const double length = norm(to);
      if (!(length > radius)) return;
      const Vec z = (1 / length) * to, x = any_across(z), y = cross(z, x);
      sticks.push_back(
          {Capsule{radius, length}, {Mat3<double>{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}, 0.5 * to}});
    };
    for (const int child : children) add(rest_[index(child)].p);
    const Inertia<double>& I = model_.params.links[index(b)].I;
    if (children.empty() && I.m > 0) add((1 / I.m) * I.h);
    return sticks;
  }
  static Vec any_across(const Vec& z) {
    const Vec x = cross(z, std::abs(z.z) < 0.7 ? Vec{0, 0, 1} : Vec{1, 0, 0});
    return (1 / norm(x)) * x;
  }
  int paint_of_figure(const std::string& figure) {
    return paint_of_.try_emplace(figure, static_cast<int>(paint_of_.size()) % paints_of_figures).first->second;
  }

  // Equal ones are there once.
  int add_mesh(const Triangles& t, const std::string& name, int paint) {
    const std::vector<float> positions = floats_of(t.vertices), normals = floats_of(t.normals);
    std::string key(reinterpret_cast<const char*>(positions.data()), positions.size() * sizeof(float));
    key += static_cast<char>(paint);
    const auto [known, is_new] = meshes_by_form_.try_emplace(std::move(key), static_cast<int>(meshes_.size()));
    if (!is_new) return known->second;
    json primitive{{"attributes",
                    {{"POSITION", buffer_.bounded(positions, "VEC3", 3, vertex_data)},
                     {"NORMAL", buffer_.floats(normals, "VEC3", 3, vertex_data)}}},
                   {"indices", add_corners(t.corners, t.vertices.size())},
                   {"material", paint}};
    meshes_.push_back({{"name", name}, {"primitives", json::array({primitive})}});
    return known->second;
  }
  int add_corners(const std::vector<std::array<int, 3>>& corners, std::size_t vertices) {
    std::vector<std::uint16_t> few;
    std::vector<std::uint32_t> many;
    const bool short_ones = vertices < 65535;
    for (const auto& c : corners)
      for (const int v : c)
        short_ones ? few.push_back(static_cast<std::uint16_t>(v)) : many.push_back(static_cast<std::uint32_t>(v));
    return short_ones ? buffer_.add(few, "SCALAR", 1, of_shorts, index_data)
                      : buffer_.add(many, "SCALAR", 1, of_ints, index_data);
  }

  // ---- cloth
  void add_cloth(const Cloth& cloth) {
    std::vector<std::array<int, 3>> corners;
    for (int i = 0; i + 1 < cloth.rows; ++i)
      for (int j = 0; j + 1 < cloth.columns; ++j) {
        const int a = i * cloth.columns + j, b = a + cloth.columns;
        corners.push_back({a, b, b + 1}), corners.push_back({a, b + 1, a + 1});
      }
    std::vector<Vec> places;
    std::vector<std::uint16_t> joints;
    std::vector<float> weights, bindings;
    for (std::size_t i = 0; i < cloth.links.size(); ++i) {
      const Transform<double> X = Transform<double>{R_, {}} * rest_W_[index(cloth.links[i])], X_inverse = inverse(X);
      places.push_back(X.p);
      joints.insert(joints.end(), {static_cast<std::uint16_t>(i), 0, 0, 0}),
          weights.insert(weights.end(), {1, 0, 0, 0});
      for (int column = 0; column < 4; ++column)
        for (int row = 0; row < 4; ++row)
          bindings.push_back(static_cast<float>(row == 3      ? (column == 3 ? 1.0 : 0.0)
                                                : column == 3 ? X_inverse.p[row]
                                                              : X_inverse.R(row, column)));
    }
    // Without normals: they are to be made from the form as it is.
    json primitive{{"attributes",
                    {{"POSITION", buffer_.bounded(floats_of(places), "VEC3", 3, vertex_data)},
                     {"JOINTS_0", buffer_.add(joints, "VEC4", 4, of_shorts, vertex_data)},
                     {"WEIGHTS_0", buffer_.floats(weights, "VEC4", 4, vertex_data)}}},
                   {"indices", add_corners(corners, places.size())},
                   {"material", paint_of_figure(cloth.figure)}};
    meshes_.push_back({{"name", cloth.figure}, {"primitives", json::array({primitive})}});
    skins_.push_back({{"name", cloth.figure},
                      {"skeleton", 0},
                      {"joints", cloth.links},
                      {"inverseBindMatrices", buffer_.floats(bindings, "MAT4", 16)}});
    beside_.push_back(static_cast<int>(nodes_.size()));
    nodes_.push_back({{"name", cloth.figure}, {"mesh", meshes_.size() - 1}, {"skin", skins_.size() - 1}});
  }

  // ---- floors: a square below all that moves
  void add_floors() {
    Bounds box;
    for (const Poses& X_WB : samples_.X_WB)
      for (std::size_t b = 1; b < X_WB.size(); ++b) box.add(X_WB[b].p);
    if (model_.nlink() < 2) box.add(Vec{});
    const double half = 0.5 * norm(box.high - box.low) + size_;
    int number = 0;
    for (const Plane& floor : floors_of(scene_.contacts, scene_.scenery)) {
      const auto [n, t_1, t_2] = axes_of(floor);
      const Vec middle = box.center() - (dot(n, box.center()) - floor.offset) * n;
      Triangles t;
      for (const auto& [u, v] :
           {std::array{-half, -half}, std::array{half, -half}, std::array{half, half}, std::array{-half, half}})
        t.vertices.push_back(u * t_1 + v * t_2), t.normals.push_back(n);
      t.corners = {{0, 1, 2}, {0, 2, 3}};
      const std::string name = ++number == 1 ? "floor" : fmt::format("floor {}", number);
      json node{{"name", name}, {"mesh", add_mesh(t, name, paint_of_floors)}};
      put_pose(node, {Mat3<double>::identity(), middle});
      nodes_[0]["children"].push_back(nodes_.size());
      nodes_.push_back(std::move(node));
    }
  }

  // ---- animation
  void add_animation() {
    std::vector<float> times;
    for (const double t : samples_.times) times.push_back(static_cast<float>(t));
    std::optional<int> input;
    const auto add_track = [&](int b, const char* path, const std::vector<float>& values, const char* type, int width) {
      if (!input) input = buffer_.bounded(times, "SCALAR", 1);
      samplers_.push_back(
          {{"input", *input}, {"output", buffer_.floats(values, type, width)}, {"interpolation", "LINEAR"}});
      tracks_.push_back({{"sampler", samplers_.size() - 1}, {"target", {{"node", b}, {"path", path}}}});
    };
    for (int b = 1; b < model_.nlink(); ++b) {
      std::vector<float> places, turns;
      bool moves = false, rotates = false;
      const Mat3<double> R_rest = rest_[index(b)].R;
      Quaternion<double> before = quaternion_of(rest_[index(b)].R);
      for (const Poses& X_WB : samples_.X_WB) {
        const Transform<double> X = inverse(X_WB[index(model_.links[index(b)].parent)]) * X_WB[index(b)];
        append(places, X.p);
        moves = moves || norm(X.p - rest_[index(b)].p) > 1e-9 * size_;
        Quaternion<double> q = quaternion_of(X.R);
        const double along = q.w * before.w + q.x * before.x + q.y * before.y + q.z * before.z;
        if (along < 0) q = {-q.w, -q.x, -q.y, -q.z};  // the short way round
        for (int k = 0; k < 9; ++k) rotates = rotates || std::abs(X.R(k / 3, k % 3) - R_rest(k / 3, k % 3)) > 1e-9;
        const auto f = turn_of(q);
        turns.insert(turns.end(), f.begin(), f.end());
        before = q;
      }
      if (moves) add_track(b, "translation", places, "VEC3", 3);
      if (rotates) add_track(b, "rotation", turns, "VEC4", 4);
    }
  }

  // ---- the file
  static void append_word(std::string& out, std::uint32_t word) {
    for (int k = 0; k < 4; ++k) out += static_cast<char>(word >> (8 * k) & 255);
  }
  static std::string packed(std::string text, const std::string& binary) {
    while (text.size() % 4 != 0) text += ' ';
    const std::size_t total = 12 + 8 + text.size() + (binary.empty() ? 0 : 8 + (binary.size() + 3) / 4 * 4);
    if (total > 0xFFFF'FFFFu)
      throw Error(ErrorKind::bad_input,
                  "the file would be larger than the 4 GiB that glTF allows; choose fewer frames "
                  "per second, or a shorter span");
    std::string out = "glTF";
    append_word(out, 2), append_word(out, static_cast<std::uint32_t>(total));
    append_word(out, static_cast<std::uint32_t>(text.size())), out += "JSON" + text;
    if (binary.empty()) return out;
    append_word(out, static_cast<std::uint32_t>((binary.size() + 3) / 4 * 4)), out += std::string("BIN\0", 4) + binary;
    while (out.size() < total) out += '\0';
    return out;
  }

  const Scene& scene_;
  const Model& model_;
  std::string title_;
  SampledMotion samples_;
  Mat3<double> R_;  // from Marey's axes to those of the file
  std::vector<Cloth> cloths_;
  Poses rest_, rest_W_;  // [nlink] X_PB, X_WB
  double size_ = 1;      // m
  Buffer buffer_;
  json nodes_ = json::array(), meshes_ = json::array(), materials_ = json::array(), skins_ = json::array(),
       tracks_ = json::array(), samplers_ = json::array();
  std::vector<int> beside_;
  std::unordered_map<std::string, int> meshes_by_form_;
  std::map<std::string, int> paint_of_;
};

std::string write_glb(const Scene& scene, const Motion& motion, const AnimationRequest& request) {
  return Glb(scene, motion, request).write();
}

}  // namespace

extern const AnimationFormat glb_format{"glb", "glTF 2.0: links as nodes, solids as meshes, one animation", "glTF",
                                        write_glb};

}  // namespace marey
