// Bo on an ellipsoid of A; a plane is a LoopJoint.
#include <cmath>

#include "constraint/descriptor.h"
#include "marey/constraint/constraint_maker.h"

namespace marey {

template <>
struct ConstraintDescriptor<OnSurface> {
  static constexpr const char* word = "surface";
  static int row_count(const OnSurface&) { return 1; }
  static void rows(const OnSurface& surface, const Ends& e, std::span<ConstraintRow> rows) {
    put_place(e, ellipse(e, surface.radii), rows[0]);
  }
  static std::string refusal(const Model&, const OnSurface& s) {
    return finite(s.radii) && s.radii.x > 0 && s.radii.y > 0 && s.radii.z > 0 ? "" : "radii are above zero";
  }
  static constexpr NothingToTake take_as_is{};
};
MAREY_CONSTRAINT(OnSurface)

// ---- in scenes
static void make_surface(MapReader& map, const ConstraintMaker& maker, Constraint& c) {
  maker.ends(map, c);
  c.b.X_LC.p = map.vector_or("at_b");
  if (const Value* n = map.get("turned")) c.a.X_LC.R = rotation(read_rotation(*n));
  const std::string form = map.one_of({"sphere", "ellipsoid", "plane"});
  if (form.empty()) refuse(map.node().at, "found a surface without a shape; expected sphere, ellipsoid or plane");
  const Value& node = map.need(form);
  if (form == "plane") {
    c.a.X_LC.R = axes_with_z(read_axis(node));
    c.kind = LoopJoint{LoopJoint::Kind::on_plane};
  } else if (form == "sphere") {
    const double r = map.number(form);
    c.kind = OnSurface{{r, r, r}};
  } else {
    c.kind = OnSurface{map.vector(form)};
  }
}
extern const ConstraintForm surface_form{
    "surface",
    "a point of b stays on a surface of a",
    {"surface", "A point on a surface.",
     two_link_keys_with({{"at", "v:length", "the centre, or a point of the plane, in a's frame; default: its origin"},
                         {"at_b", "v:length", "the point, in b's frame; default: its origin"},
                         {"turned", "rotation", "how the axes of an ellipsoid are turned in a; default: not at all"},
                         {"sphere", "q:length>0", "its radius"},
                         {"ellipsoid", "v:length>0", "its half axes"},
                         {"plane", "axis", "its normal, in a's frame"}})},
    make_surface,
    {"{b: figure.hand, at: [0, 0, 1 m], sphere: 80 cm}",
     "{b: figure.hand, at_b: [0, 0, -10 cm], ellipsoid: [1 m, 2 m, 1.5 m], turned: {axis: z, angle: 30 deg}}",
     "{b: figure.hand, plane: [0, 1, 2]}"}};

}  // namespace marey
