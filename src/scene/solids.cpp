#include "scene/solids.h"

#include <fmt/core.h>

#include <cmath>

#include "marey/core/text.h"
#include "marey/scene/keys.h"
#include "marey/shape/hull.h"
#include "marey/shape/mesh.h"

namespace marey {

Mat3<double> turn_z_to(const Vec3<double>& u) {
  if (u.z < -1 + 1e-12) return Mat3<double>::diagonal(1, -1, -1);
  return rotation(Quaternion<double>{1 + u.z, -u.y, u.x, 0});
}

namespace {

using Vec = Vec3<double>;

Vec vector_or_zero(const Value* node) { return node ? read_vector(*node, kinds::length) : Vec{}; }
Mat3<double> turn_or_none(const Value* node) {
  return node ? rotation(read_rotation(*node)) : Mat3<double>::identity();
}

// Box and ellipsoid: centred, or beginning at the joint along one of the link's axes. `half`: half its extents.
Transform<double> place_block(MapReader& map, const Vec& half) {
  const Value* along = map.get("along");
  Transform<double> X_BS;
  if (along) {
    const Vec u = read_axis(*along);
    if (std::abs(u.x) + std::abs(u.y) + std::abs(u.z) > 1 + 1e-9) refuse_value(*along, "x, y, z, -x, -y or -z");
    X_BS.p = {u.x * half.x, u.y * half.y, u.z * half.z};
  } else {
    X_BS = {turn_or_none(map.get("turned")), vector_or_zero(map.get("center"))};
  }
  map.done("beside 'along'");
  return X_BS;
}

struct LongSolid {
  double radius = 0, length = 0;
  Transform<double> X_BS;
};

// Capsule, cylinder and cone: between two points, or beginning at a point along an axis, or centred.
LongSolid read_long(const Value& node, const char* table, Range length_range) {
  MapReader map(node, key_table(table));
  LongSolid s;
  s.radius = read_number(map.need("radius"), kinds::length, Range::positive);
  if (const Value* to = map.get("to")) {
    const Vec from = vector_or_zero(map.get("from")), span = read_vector(*to, kinds::length) - from;
    s.length = norm(span);
    if (!(s.length > 0)) refuse_value(*to, "another point than the one it begins at");
    s.X_BS = {turn_z_to((1 / s.length) * span), from + 0.5 * span};
    map.done("beside 'to'");
    return s;
  }
  s.length = read_number(map.need("length"), kinds::length, length_range);
  if (const Value* along = map.get("along")) {
    const Vec u = read_axis(*along);
    const bool centred = map.one_of({"center", "from"}) == "center";
    s.X_BS.R = turn_z_to(u);
    s.X_BS.p = centred ? vector_or_zero(map.get("center")) : vector_or_zero(map.get("from")) + (0.5 * s.length) * u;
    map.done("beside 'along'");
  } else {
    s.X_BS = {turn_or_none(map.get("turned")), vector_or_zero(map.get("center"))};
    map.done("without 'along' or 'to'");
  }
  return s;
}

Shape read_box(const Value& node) {
  if (node.kind == Value::Kind::list) return {Box{read_vector(node, kinds::length, Range::positive)}, {}};
  MapReader map(node, key_table("box"));
  const Vec size = read_vector(map.need("size"), kinds::length, Range::positive);
  return {Box{size}, place_block(map, 0.5 * size)};
}

Shape read_sphere(const Value& node) {
  if (node.kind == Value::Kind::scalar) return {Sphere{read_number(node, kinds::length, Range::positive)}, {}};
  MapReader map(node, key_table("sphere"));
  const double radius = read_number(map.need("radius"), kinds::length, Range::positive);
  return {Sphere{radius}, {Mat3<double>::identity(), vector_or_zero(map.get("center"))}};
}

Shape read_ellipsoid(const Value& node) {
  if (node.kind == Value::Kind::list) return {Ellipsoid{read_vector(node, kinds::length, Range::positive)}, {}};
  MapReader map(node, key_table("ellipsoid"));
  const Vec radii = read_vector(map.need("radii"), kinds::length, Range::positive);
  return {Ellipsoid{radii}, place_block(map, radii)};
}

// ---- solids of points
constexpr std::size_t most_points_in_text = 10'000;

std::vector<Vec> read_points(const Value& node) {
  if (node.kind != Value::Kind::list || node.items.empty()) refuse_value(node, "a list of points: [[0, 0, 4 cm], …]");
  if (node.items.size() > most_points_in_text)
    refuse(node.at, fmt::format("found {} points; expected at most {}, and more of them in a file", node.items.size(),
                                most_points_in_text));
  std::vector<Vec> points;
  for (const ValuePtr& item : node.items) points.push_back(read_vector(*item, kinds::length));
  return points;
}

// Corners by the numbers of their points, from 1.
Polygons read_faces(const Value& node, std::vector<Vec> points) {
  if (node.kind != Value::Kind::list || node.items.empty())
    refuse_value(node, "a list of faces, each a list of the numbers of its points: [[1, 2, 3], …]");
  Polygons polygons;
  polygons.points = std::move(points);
  std::vector<int> face;
  for (const ValuePtr& item : node.items) {
    if (item->kind != Value::Kind::list || item->items.size() < 3)
      refuse_value(*item, "three or more numbers of points, counterclockwise seen from outside");
    face.clear();
    for (const ValuePtr& corner : item->items)
      face.push_back(static_cast<int>(read_whole(*corner, 1, static_cast<long>(polygons.points.size()))) - 1);
    polygons.add_face(face);
  }
  return polygons;
}

// Where a solid of points goes: its own origin on the joint, or elsewhere, or its centre of mass.
Transform<double> place_points(MapReader& map, const Vec& center_S) {
  Transform<double> X_BS{turn_or_none(map.get("turned")), vector_or_zero(map.get("at"))};
  if (const Value* center = map.get("center")) {
    map.one_of({"at", "center"});
    X_BS.p = read_vector(*center, kinds::length) - X_BS.R * center_S;
  }
  return X_BS;
}

[[noreturn]] void refuse_solid(const Place& at, const char* what, const Error& e) {
  refuse(at, fmt::format("found {} that cannot be used: {}", what, e.what()));
}

std::shared_ptr<const ConvexHull> hull_of(const std::vector<Vec>& points, const Place& at) {
  try {
    return std::make_shared<const ConvexHull>(hull_of_points(points));
  } catch (const InvalidHull& e) {
    refuse_solid(at, "a hull", e);
  }
}

double read_unit(MapReader& map) {
  const Value* unit = map.get("unit");
  return unit ? read_number(*unit, kinds::length, Range::positive) : 1;
}

}  // namespace

const std::vector<std::string>& solid_names() {
  static const std::vector<std::string> names{"box",       "sphere", "capsule", "cylinder",
                                              "ellipsoid", "cone",   "hull",    "mesh"};
  return names;
}

Polygons SolidReader::polygons_from(const Value& file, double unit) {
  const std::string name = read_text(file);
  if (name.empty()) refuse_value(file, "the name of a file: rock.obj");
  if (!files_)
    refuse(file.at, fmt::format("found the file '{}', with nobody to read it; expected a scene from a file, or build() "
                                "with SceneFiles",
                                printable(name)));
  try {
    return files_->mesh(name, unit);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::bad_input) throw;
    refuse_solid(file.at, "a mesh", e);
  }
}

std::shared_ptr<const Mesh> SolidReader::mesh_from(const Value& file, double unit) {
  const std::pair key{read_text(file), unit};
  if (const auto known = meshes_.find(key); known != meshes_.end()) return known->second;
  const Polygons polygons = polygons_from(file, unit);
  try {
    return meshes_[key] = std::make_shared<const Mesh>(closed_mesh(polygons));
  } catch (const InvalidMesh& e) {
    meshes_.erase(key);
    refuse_solid(file.at, "a mesh", e);
  }
}

// Of a hull the surface need not be closed.
std::shared_ptr<const ConvexHull> SolidReader::hull_from(const Value& file, double unit) {
  const std::pair key{read_text(file), unit};
  if (const auto known = hulls_.find(key); known != hulls_.end()) return known->second;
  return hulls_[key] = hull_of(polygons_from(file, unit).points, file.at);
}

Shape SolidReader::read_mesh(const Value& node) {
  if (node.kind == Value::Kind::scalar) return {Polyhedron{mesh_from(node, 1)}, {}};
  MapReader map(node, key_table("mesh"));
  if (map.one_of({"file", "points"}).empty())
    refuse(node.at, "found a mesh of nothing; expected 'file', or 'points' and 'faces'");
  std::shared_ptr<const Mesh> mesh;
  if (const Value* file = map.get("file")) {
    map.one_of({"file", "faces"});
    mesh = mesh_from(*file, read_unit(map));
  } else {
    std::vector<Vec> points = read_points(map.need("points"));
    const Value& faces = map.need("faces");
    const Polygons polygons = read_faces(faces, std::move(points));
    try {
      mesh = std::make_shared<const Mesh>(closed_mesh(polygons));
    } catch (const InvalidMesh& e) {
      refuse_solid(e.face() >= 0 ? faces.items[static_cast<std::size_t>(e.face())]->at : node.at, "a mesh", e);
    }
  }
  const Transform<double> X_BS = place_points(map, solid_mass(*mesh, 1).center);
  map.done("in such a mesh");
  return {Polyhedron{std::move(mesh)}, X_BS};
}

Shape SolidReader::read_hull(const Value& node) {
  const bool in_short = node.kind == Value::Kind::scalar;
  std::optional<MapReader> map;
  if (!in_short) map.emplace(node, key_table("hull"));
  if (!in_short && map->one_of({"file", "points"}).empty())
    refuse(node.at, "found a hull of nothing; expected 'points' or 'file'");
  const Value* rounding = in_short ? nullptr : map->get("rounding");
  const double radius = rounding ? read_number(*rounding, kinds::length, Range::not_negative) : 0;
  std::shared_ptr<const ConvexHull> hull;
  if (const Value* file = in_short ? &node : map->get("file")) {
    hull = hull_from(*file, in_short ? 1 : read_unit(*map));
  } else {
    hull = hull_of(read_points(map->need("points")), node.at);
  }
  if (in_short) return {Hull{std::move(hull), 0}, {}};
  const Transform<double> X_BS = place_points(*map, solid_mass(*hull, 1, radius).center);
  map->done("in such a hull");
  return {Hull{std::move(hull), radius}, X_BS};
}

Shape SolidReader::read(const std::string& name, const Value& node) {
  if (name == "box") return read_box(node);
  if (name == "sphere") return read_sphere(node);
  if (name == "ellipsoid") return read_ellipsoid(node);
  if (name == "hull") return read_hull(node);
  if (name == "mesh") return read_mesh(node);
  const bool capsule = name == "capsule";
  const LongSolid s = read_long(node, name.c_str(), capsule ? Range::not_negative : Range::positive);
  if (capsule) return {Capsule{s.radius, s.length}, s.X_BS};
  if (name == "cone") return {Cone{s.radius, s.length}, s.X_BS};
  return {Cylinder{s.radius, s.length}, s.X_BS};
}

}  // namespace marey
