// Planar joint: displacements along `axis_2` and along axis × axis_2 (in F), and an angle about `axis`, the plane's normal.
#include <cmath>

#include "marey/model/joint_forms.h"

namespace marey {
namespace {

// The direction that follows the largest part of the normal: z is followed by x, x by y, y by z.
Vec3<double> next_axis(const Vec3<double>& normal) {
  const double x = std::abs(normal.x), y = std::abs(normal.y), z = std::abs(normal.z);
  if (z >= x && z >= y) return {1, 0, 0};
  return x >= y ? Vec3<double>{0, 1, 0} : Vec3<double>{0, 0, 1};
}

void read_planar(JointReader& reader, LinkSpec& spec) {
  spec.axis = read_axis(reader.need("axis"));
  const Value* along = reader.map.get("along");
  spec.axis_2 = along ? read_axis(*along) : next_axis(spec.axis);
  if (norm(cross(spec.axis, spec.axis_2)) < 1e-6) refuse_value(*along, "a direction in the plane, across its axis");
}

void freeze_planar(const LinkSpec& link, FrozenJoint& out) {
  const JointWriter write{out};
  const Vec3<double> normal = unit_axis(link, link.axis, "axis");
  const Vec3<double> along = unit_axis(link, link.axis_2, "direction in the plane");
  const Vec3<double> x = along - dot(along, normal) * normal;
  if (norm(x) < 1e-6)
    throw InvalidSpec(link.name, "the direction in the plane of its planar joint is the normal itself");
  out.params.axes[0] = normal;
  out.params.axes[3] = (1 / norm(x)) * x;
  out.params.axes[4] = cross(normal, out.params.axes[3]);
  write.linear(3, 0, 1), write.linear(4, 1, 1), write.linear(0, 2, 1);
  out.coordinates = {{"along", true}, {"across", true}, {"angle"}};
}

}  // namespace

extern const JointForm planar_joint{
    "planar",
    JointType::planar,
    "an axis too: {type: planar, axis: y}",
    {axis_key(),
     {"along", "axis", "planar: its first direction; default: the axis that follows the normal in x, y, z, x"}},
    read_planar,
    freeze_planar,
    {"{type: planar, axis: z}", "{type: planar, axis: y, along: [1, 0, 1]}"}};

}  // namespace marey
