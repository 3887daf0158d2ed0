// Ellipsoid joint (marey/model/general_joint.h, (2)): an attitude of its own, the origin on an ellipsoid.
#include <cmath>

#include "marey/model/joint_forms.h"

namespace marey {
namespace {

void read_ellipsoid(JointReader& reader, LinkSpec& spec) {
  spec.radii = read_vector(reader.need("radii"), kinds::length, Range::positive);
}

void freeze_ellipsoid(const LinkSpec& link, FrozenJoint& out) {
  if (!finite(link.radii) || !(link.radii.x > 0 && link.radii.y > 0 && link.radii.z > 0))
    throw InvalidSpec(link.name, "the radii of its ellipsoid joint must be above 0");
  out.joint.ellipsoid = true;
  out.params.radii = link.radii;
  out.coordinates = {{"x"}, {"y"}, {"z"}};
}

}  // namespace

extern const JointForm ellipsoid_joint{
    "ellipsoid",
    JointType::ellipsoid,
    "radii too: {type: ellipsoid, radii: [3 cm, 3 cm, 4 cm]}",
    {{"radii", "v:length>0", "ellipsoid: half axes, along the axes of the joint's frame"}},
    read_ellipsoid,
    freeze_ellipsoid,
    {"{type: ellipsoid, radii: [3 cm, 3 cm, 4 cm]}"}};

}  // namespace marey
