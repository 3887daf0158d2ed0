#include "scene/shapes.h"

#include <fmt/core.h>

#include <cmath>

#include "marey/core/text.h"
#include "marey/scene/keys.h"

namespace marey {

namespace {

using Vec = Vec3<double>;

const std::vector<std::string>& solid_names() {
  static const std::vector<std::string> names{"box", "sphere", "capsule", "cylinder", "ellipsoid"};
  return names;
}

// The shortest turn that takes z to the unit vector u.
Mat3<double> turn_z_to(const Vec& u) {
  if (u.z < -1 + 1e-12) return Mat3<double>::diagonal(1, -1, -1);
  return rotation(Quaternion<double>{1 + u.z, -u.y, u.x, 0});
}

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

// Capsule and cylinder: between two points, or beginning at a point along an axis, or centred.
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

Shape read_solid(const std::string& name, const Value& node) {
  if (name == "box") return read_box(node);
  if (name == "sphere") return read_sphere(node);
  if (name == "ellipsoid") return read_ellipsoid(node);
  if (name == "capsule") {
    const LongSolid s = read_long(node, "capsule", Range::not_negative);
    return {Capsule{s.radius, s.length}, s.X_BS};
  }
  const LongSolid s = read_long(node, "cylinder", Range::positive);
  return {Cylinder{s.radius, s.length}, s.X_BS};
}

ShapeDraft read_shape(const Value& node) {
  MapReader map(node, key_table("shape"));
  const std::string name = map.one_of({"box", "sphere", "capsule", "cylinder", "ellipsoid"});
  if (name.empty()) refuse(node.at, "found a shape without a solid; expected " + either(solid_names()));
  ShapeDraft draft{read_solid(name, map.need(name)), {}, {}};
  map.one_of({"mass", "density"});
  if (const Value* mass = map.get("mass")) draft.mass = read_number(*mass, kinds::mass, Range::not_negative);
  if (const Value* density = map.get("density"))
    draft.density = read_number(*density, kinds::density, Range::not_negative);
  return draft;
}

// ----------------------------------------------------------------------------------------------------------
// mass
struct LinkMass {
  std::optional<double> mass, density;  // as given for the whole link
};

double volume_of(const std::vector<ShapeDraft>& shapes) {
  double sum = 0;
  for (const ShapeDraft& s : shapes) sum += volume(s.shape.solid);
  return sum;
}

// The shapes' own mass properties.
MassDraft mass_of_shapes(const MapReader& link, const std::vector<ShapeDraft>& shapes, const LinkMass& given) {
  MassDraft sum;
  const bool whole = given.mass || given.density;
  const double density = given.density ? *given.density
                         : given.mass  ? *given.mass / volume_of(shapes)
                                       : default_density;
  for (const ShapeDraft& s : shapes) {
    const bool own = s.mass || s.density;
    if (whole && own)
      refuse(link.node().at, "found the mass or density of a shape beside that of its link; expected one of them");
    sum.by_default = sum.by_default || !(whole || own);
    sum.inertia +=
        s.mass ? shape_inertia(s.shape, *s.mass) : shape_inertia_of_density(s.shape, s.density ? *s.density : density);
  }
  return sum;
}

// The centre of all shapes, as if they were of one density.
Vec centre_of(const std::vector<ShapeDraft>& shapes) {
  Inertia<double> sum;
  for (const ShapeDraft& s : shapes) sum += shape_inertia_of_density(s.shape, 1.0);
  return (1 / sum.m) * sum.h;
}

double need_mass(const MapReader& link, const std::vector<ShapeDraft>& shapes, const LinkMass& given) {
  if (given.mass) return *given.mass;
  if (shapes.empty()) refuse(link.node().at, "found a link that does not say how heavy it is; expected mass");
  const MassDraft own = mass_of_shapes(link, shapes, given);
  if (own.by_default)
    refuse(link.node().at, "found a link that does not say how heavy it is; expected mass or density");
  return own.inertia.m;
}

Inertia<double> bounding_boxes(const MapReader& link, double density, const std::vector<ShapeDraft>& shapes,
                               const LinkMass& given) {
  if (shapes.empty()) refuse(link.node().at, "found a bounding box of nothing; expected a shape");
  if (given.mass || given.density)
    refuse(link.node().at, "found mass or density beside inertia: bounding_box, which gives them; expected one");
  Inertia<double> sum;
  for (const ShapeDraft& s : shapes) sum += bounding_box_inertia(s.shape, density);
  return sum;
}

// Given moments of inertia about the centre of mass.
MassDraft explicit_inertia(MapReader& link, const Value& node, const std::vector<ShapeDraft>& shapes,
                           const LinkMass& given) {
  Vec centre = shapes.empty() ? Vec{} : centre_of(shapes);
  Sym3<double> central;
  if (node.kind == Value::Kind::scalar) {
    const bool boxes = read_choice(node, {"point", "bounding_box"}) == 1;
    if (boxes) return {bounding_boxes(link, default_density, shapes, given), true};
  } else {
    MapReader map(node, key_table("inertia"));
    const std::string form =
        map.one_of({"box", "sphere", "capsule", "cylinder", "ellipsoid", "diagonal", "matrix", "bounding_box"});
    if (form.empty()) refuse(node.at, "found no inertia; expected a solid, diagonal, matrix or bounding_box");
    if (form == "bounding_box") {
      const double density = read_number(map.need(form), kinds::density, Range::positive);
      return {bounding_boxes(link, density, shapes, given), false};
    }
    if (form == "diagonal") {
      const Vec d = read_vector(map.need(form), kinds::inertia, Range::not_negative);
      central = Sym3<double>::diagonal(d.x, d.y, d.z);
    } else if (form == "matrix") {
      central = read_symmetric(map.need(form), kinds::inertia);
    } else {
      const Shape solid = read_solid(form, map.need(form));
      central = congruence(solid.X_BS.R, solid_inertia(solid.solid, need_mass(link, shapes, given)).J);
      if (shapes.empty()) centre = solid.X_BS.p;
    }
  }
  if (const Value* at = link.get("center_of_mass")) centre = read_vector(*at, kinds::length);
  return {inertia_about_origin(need_mass(link, shapes, given), centre, central), false};
}

Inertia<double> enlarged(const Value& node, const Inertia<double>& inertia) {
  MapReader map(node, key_table("enlarge"));
  const Vec axis = read_axis(map.need("axis"));
  const Value& factor = map.need("factor");
  const double by = read_number(factor, kinds::number);
  if (!(by >= 1)) refuse_value(factor, "a factor of 1 or more");
  return enlarged_about_axis(inertia, axis, by);
}

}  // namespace

std::vector<ShapeDraft> read_shapes(const Value& node) {
  std::vector<ShapeDraft> shapes;
  if (node.kind != Value::Kind::list) return {read_shape(node)};
  for (const ValuePtr& item : node.items) shapes.push_back(read_shape(*item));
  return shapes;
}

MassDraft read_mass(MapReader& link, const std::vector<ShapeDraft>& shapes, bool point_joint) {
  link.one_of({"mass", "density"});
  LinkMass given;
  if (const Value* mass = link.get("mass")) given.mass = read_number(*mass, kinds::mass, Range::not_negative);
  if (const Value* density = link.get("density")) {
    given.density = read_number(*density, kinds::density, Range::positive);
    if (shapes.empty()) refuse_value(*density, "a shape beside the density, or a mass");
  }
  MassDraft draft;
  if (const Value* node = link.get("inertia"))
    draft = explicit_inertia(link, *node, shapes, given);
  else if (!shapes.empty())
    draft = mass_of_shapes(link, shapes, given);
  else if (given.mass && point_joint)
    draft.inertia = {*given.mass, {}, {}};  // a particle
  else if (given.mass)
    refuse(link.node().at, "found a mass without extent; expected a shape, an inertia, or inertia: point");
  else
    refuse(link.node().at, "found a link that does not say how heavy it is; expected mass, or density and shape");
  if (const Value* node = link.get("enlarge")) draft.inertia = enlarged(*node, draft.inertia);
  return draft;
}

}  // namespace marey
