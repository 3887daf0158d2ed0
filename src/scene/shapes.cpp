#include "scene/shapes.h"

#include <fmt/core.h>

#include <cmath>

#include "marey/core/text.h"
#include "marey/scene/keys.h"

namespace marey {

namespace {

using Vec = Vec3<double>;

ShapeDraft read_shape(const Value& node, SolidReader& solids) {
  MapReader map(node, key_table("shape"));
  const std::string name = map.one_of(solid_names());
  if (name.empty()) refuse(node.at, "found a shape without a solid; expected " + either(solid_names()));
  ShapeDraft draft{solids.read(name, map.need(name)), {}, {}};
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
                           const LinkMass& given, SolidReader& solids) {
  Vec centre = shapes.empty() ? Vec{} : centre_of(shapes);
  Sym3<double> central;
  if (node.kind == Value::Kind::scalar) {
    const bool boxes = read_choice(node, {"point", "bounding_box"}) == 1;
    if (boxes) return {bounding_boxes(link, default_density, shapes, given), true};
  } else {
    MapReader map(node, key_table("inertia"));
    std::vector<std::string> forms = solid_names();
    forms.insert(forms.end(), {"diagonal", "matrix", "bounding_box"});
    const std::string form = map.one_of(forms);
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
      const Shape solid = solids.read(form, map.need(form));
      const Inertia<double> own = solid_inertia(solid.solid, need_mass(link, shapes, given));
      central = congruence(solid.X_BS.R, central_inertia(own));
      if (shapes.empty()) centre = own.m > 0 ? solid.X_BS * ((1 / own.m) * own.h) : solid.X_BS.p;
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

std::vector<ShapeDraft> read_shapes(const Value& node, SolidReader& solids) {
  std::vector<ShapeDraft> shapes;
  if (node.kind != Value::Kind::list) return {read_shape(node, solids)};
  for (const ValuePtr& item : node.items) shapes.push_back(read_shape(*item, solids));
  return shapes;
}

MassDraft read_mass(MapReader& link, const std::vector<ShapeDraft>& shapes, bool point_joint, SolidReader& solids) {
  link.one_of({"mass", "density"});
  LinkMass given;
  if (const Value* mass = link.get("mass")) given.mass = read_number(*mass, kinds::mass, Range::not_negative);
  if (const Value* density = link.get("density")) {
    given.density = read_number(*density, kinds::density, Range::positive);
    if (shapes.empty()) refuse_value(*density, "a shape beside the density, or a mass");
  }
  MassDraft draft;
  if (const Value* node = link.get("inertia"))
    draft = explicit_inertia(link, *node, shapes, given, solids);
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
