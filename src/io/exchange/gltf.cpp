// glTF 2.0: the triangles of a scene, each mesh at its node's place.
//
// Source: Khronos Group, glTF 2.0 Specification, version 2.0.1 (2021): 3.5 (scenes, nodes), 3.7 (meshes). What belongs to
// pictures (materials, cameras, animations) is passed over. What would change the form and is not computed is refused:
// skins, morph targets that are not at rest, extensions that a reader must know. glTF has y up and z towards the viewer: (x,
// y, z) there is (x, −z, y) here. A node that mirrors turns the order of corners round, so that outside stays outside.
#include "io/exchange/gltf.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "marey/core/text.h"

namespace marey {

namespace {

double determinant(const Mat3<double>& m) {
  return m.xx * (m.yy * m.zz - m.yz * m.zy) - m.xy * (m.yx * m.zz - m.yz * m.zx) + m.xz * (m.yx * m.zy - m.yy * m.zx);
}

class GltfScene {
 public:
  GltfScene(const GltfDocument& document, const std::string& file) : document_(document) { polygons_.file = file; }

  Polygons read() {
    check_version();
    check_extensions();
    std::vector<Placed> waiting = roots();
    std::vector<char> seen(document_.has(document_.root(), "nodes") ? document_.size(nodes()) : 0, 0);
    while (!waiting.empty()) {  // in any depth, without recursion
      const Placed at = std::move(waiting.back());
      waiting.pop_back();
      if (std::exchange(seen[at.number], 1))
        document_.refuse(at.node.path, "has two parents, or is its own; expected a tree");
      const Transform<double> X = at.X * pose_of(at.node);
      if (document_.has(at.node, "mesh")) add_mesh(at.node, X);
      if (!document_.has(at.node, "children")) continue;
      const GltfValue children = document_.need_list(at.node, "children");
      for (std::size_t i = document_.size(children); i-- > 0;) waiting.push_back(placed(children, i, X));
    }
    return std::move(polygons_);
  }

 private:
  // The linear part of X is not only a rotation here: nodes also scale.
  struct Placed {
    GltfValue node;
    std::size_t number;
    Transform<double> X;
  };
  GltfValue nodes() const { return document_.need_list(document_.root(), "nodes"); }

  // The node that an item of a list names.
  Placed placed(const GltfValue& list, std::size_t i, const Transform<double>& X) const {
    const GltfValue reference = document_.item(list, i);
    const std::size_t count = document_.has(document_.root(), "nodes") ? document_.size(nodes()) : 0;
    if (!reference.json->is_number_unsigned() || reference.json->get<std::uint64_t>() >= count)
      document_.refuse(reference.path, fmt::format("expected the number of one of the {} nodes, from 0", count));
    const auto number = static_cast<std::size_t>(reference.json->get<std::uint64_t>());
    GltfValue node = document_.item(nodes(), number);
    if (!node.json->is_object()) document_.refuse(node.path, "expected a mapping");
    return {node, number, X};
  }

  void check_version() const {
    const std::string version = document_.need_text(document_.need_object(document_.root(), "asset"), "version");
    if (!version.starts_with("2."))
      document_.refuse("asset.version", "found '" + printable(version) + "'; expected 2.0");
  }
  void check_extensions() const {
    if (!document_.has(document_.root(), "extensionsRequired")) return;
    const GltfValue list = document_.need_list(document_.root(), "extensionsRequired");
    for (std::size_t i = 0; i < document_.size(list); ++i) {
      const GltfValue item = document_.item(list, i);
      const std::string name = item.json->is_string() ? item.json->get<std::string>() : "";
      const bool of_pictures = name.starts_with("KHR_materials_") || name.starts_with("KHR_texture_") ||
                               name.starts_with("EXT_texture_") || name.starts_with("KHR_lights_");
      if (!of_pictures && name != "KHR_mesh_quantization")
        document_.refuse(item.path,
                         "found '" + printable(name) + "', which is not read; expected a mesh that does without");
    }
  }

  // Of the scene that is shown; without scenes, all nodes that are nobody's child.
  std::vector<Placed> roots() const {
    const GltfValue root = document_.root();
    std::vector<Placed> found;
    if (document_.has(root, "scenes") && document_.size(document_.need_list(root, "scenes")) > 0) {
      const GltfValue scene = document_.has(root, "scene") ? document_.referred(root, "scene", "scenes")
                                                           : document_.item(document_.need_list(root, "scenes"), 0);
      if (!scene.json->is_object()) document_.refuse(scene.path, "expected a mapping");
      if (!document_.has(scene, "nodes")) return found;
      const GltfValue list = document_.need_list(scene, "nodes");
      for (std::size_t i = document_.size(list); i-- > 0;) found.push_back(placed(list, i, {}));
      return found;
    }
    if (!document_.has(root, "nodes")) return found;
    std::vector<char> is_child(document_.size(nodes()), 0);
    for (std::size_t n = 0; n < is_child.size(); ++n) {
      const GltfValue node = document_.item(nodes(), n);
      if (!node.json->is_object()) document_.refuse(node.path, "expected a mapping");
      if (!document_.has(node, "children")) continue;
      const GltfValue list = document_.need_list(node, "children");
      for (std::size_t i = 0; i < document_.size(list); ++i) is_child[placed(list, i, {}).number] = 1;
    }
    for (std::size_t n = is_child.size(); n-- > 0;)
      if (!is_child[n]) found.push_back({document_.item(nodes(), n), n, {}});
    return found;
  }

  Transform<double> pose_of(const GltfValue& node) const {
    Transform<double> X;
    if (document_.has(node, "matrix")) {  // by columns
      const std::vector<double> m = document_.numbers(node, "matrix", 16);
      if (m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1)
        document_.refuse(node.path + ".matrix", "expected 0, 0, 0, 1 in its last row");
      X = {{m[0], m[4], m[8], m[1], m[5], m[9], m[2], m[6], m[10]}, {m[12], m[13], m[14]}};
    }
    if (document_.has(node, "translation")) {
      const std::vector<double> t = document_.numbers(node, "translation", 3);
      X.p = {t[0], t[1], t[2]};
    }
    if (document_.has(node, "rotation")) {
      const std::vector<double> q = document_.numbers(node, "rotation", 4);
      const Quaternion<double> turn{q[3], q[0], q[1], q[2]};
      if (!(std::abs(norm_squared(turn) - 1) < 1e-3))
        document_.refuse(node.path + ".rotation", "expected a quaternion of length 1");
      X.R = rotation(turn);
    }
    if (document_.has(node, "scale")) {
      const std::vector<double> s = document_.numbers(node, "scale", 3);
      X.R = X.R * Mat3<double>::diagonal(s[0], s[1], s[2]);
    }
    return X;
  }

  void refuse_morphs(const GltfValue& object) const {
    if (!document_.has(object, "weights")) return;
    const GltfValue weights = document_.need_list(object, "weights");
    for (const auto& w : *weights.json)
      if (!w.is_number() || w.get<double>() != 0)
        document_.refuse(weights.path, "found a morph target that is not at rest; expected a mesh of fixed form");
  }

  void add_mesh(const GltfValue& node, const Transform<double>& X) {
    if (document_.has(node, "skin"))
      document_.refuse(node.path + ".skin", "found a mesh that a skeleton bends; expected one of fixed form");
    refuse_morphs(node);
    const GltfValue mesh = document_.referred(node, "mesh", "meshes");
    refuse_morphs(mesh);
    const double size = determinant(X.R);
    if (!(std::abs(size) > 0) || !std::isfinite(size))
      document_.refuse(node.path,
                       "scales a mesh to no volume or beyond all bounds; expected a scale that can be undone");
    const GltfValue primitives = document_.need_list(mesh, "primitives");
    for (std::size_t i = 0; i < document_.size(primitives); ++i) {
      const GltfValue primitive = document_.item(primitives, i);
      if (!primitive.json->is_object()) document_.refuse(primitive.path, "expected a mapping");
      add_primitive(primitive, X, size < 0);
    }
  }

  void add_primitive(const GltfValue& primitive, const Transform<double>& X, bool mirrored) {
    const std::int64_t mode = document_.whole_or(primitive, "mode", 4, 6);
    if (mode < 4)
      document_.refuse(
          primitive.path + ".mode",
          fmt::format("found {}, points or lines; expected triangles (4), a strip (5) or a fan (6)", mode));
    const GltfValue attributes = document_.need_object(primitive, "attributes");
    const std::vector<double> places = document_.positions(document_.referred(attributes, "POSITION", "accessors"));
    const std::size_t points = places.size() / 3;
    std::vector<std::uint32_t> corners;
    if (document_.has(primitive, "indices")) {
      corners = document_.indices(document_.referred(primitive, "indices", "accessors"));
    } else {
      for (std::size_t i = 0; i < points; ++i) corners.push_back(static_cast<std::uint32_t>(i));
    }
    if (polygons_.points.size() + points > std::size_t{most_points} ||
        static_cast<std::size_t>(polygons_.face_count()) + corners.size() > std::size_t{3} * most_faces)
      document_.refuse(primitive.path, fmt::format("makes it more than {} points or {} triangles; expected fewer",
                                                   most_points, most_faces));
    for (const std::uint32_t c : corners)
      if (c >= points)
        document_.refuse(primitive.path + ".indices",
                         fmt::format("found {}; expected one of the {} points, from 0", c, points));
    const int base = static_cast<int>(polygons_.points.size());
    for (std::size_t i = 0; i < points; ++i) {
      const Vec3<double> p = X * Vec3<double>{places[3 * i], places[3 * i + 1], places[3 * i + 2]};
      polygons_.points.push_back({p.x, 0 - p.z, p.y});  // no −0
    }
    polygons_.parts.push_back({polygons_.face_count(), primitive.path});
    add_faces(primitive, corners, mode, base, mirrored);
  }

  void add_faces(const GltfValue& primitive, const std::vector<std::uint32_t>& corners, std::int64_t mode, int base,
                 bool mirrored) {
    const auto add = [&](std::size_t a, std::size_t b, std::size_t c) {
      const bool stitch =
          mode == 5 && (corners[a] == corners[b] || corners[b] == corners[c] || corners[c] == corners[a]);
      if (stitch) return;  // strips come to a place twice in order to go on elsewhere
      std::array<int, 3> face{base + static_cast<int>(corners[a]), base + static_cast<int>(corners[b]),
                              base + static_cast<int>(corners[c])};
      if (mirrored) std::swap(face[1], face[2]);
      polygons_.add_face(face);
    };
    if (mode == 4 && corners.size() % 3 != 0)
      document_.refuse(primitive.path, fmt::format("has {} corners; expected three for each triangle", corners.size()));
    if (mode == 4)
      for (std::size_t i = 0; i < corners.size(); i += 3) add(i, i + 1, i + 2);
    else if (mode == 5)
      for (std::size_t i = 0; i + 2 < corners.size(); ++i) add(i, i + 1 + i % 2, i + 2 - i % 2);
    else
      for (std::size_t i = 1; i + 1 < corners.size(); ++i) add(i, i + 1, 0);
  }

  const GltfDocument& document_;
  Polygons polygons_;
};

Polygons read_gltf(std::string_view bytes, const std::string& file_name, const FileBeside& beside) {
  const GltfDocument document(bytes, file_name, beside);
  return GltfScene(document, file_name).read();
}

}  // namespace

extern const MeshReader gltf_reader{".gltf .glb", "glTF 2.0", read_gltf};

}  // namespace marey
