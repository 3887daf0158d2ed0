// Universal joint: an angle about `axis` (fixed in F), then one about `axis_2` (fixed in B).
#include "marey/model/joint_forms.h"

namespace marey {
namespace {

void read_universal(JointReader& reader, LinkSpec& spec) {
  const Value& axes = reader.need("axes");
  if (axes.kind != Value::Kind::list || axes.items.size() != 2) refuse_value(axes, "two axes: [x, y]");
  spec.axis = read_axis(*axes.items[0]);
  spec.axis_2 = read_axis(*axes.items[1]);
  if (norm(cross(spec.axis, spec.axis_2)) < 1e-6) refuse_value(axes, "two axes that are not parallel");
}

void freeze_universal(const LinkSpec& link, FrozenJoint& out) {
  const JointWriter write{out};
  out.params.axes[0] = unit_axis(link, link.axis, "axis");
  out.params.axes[1] = unit_axis(link, link.axis_2, "second axis");
  if (norm(cross(out.params.axes[0], out.params.axes[1])) < 1e-6)
    throw InvalidSpec(link.name, "the two axes of its universal joint are parallel");
  write.linear(0, 0, 1), write.linear(1, 1, 1);
  out.coordinates = {{"first"}, {"second"}};
}

}  // namespace

extern const JointForm universal_joint{
    "universal",
    JointType::universal,
    "two axes too: {type: universal, axes: [x, y]}",
    {{"axes", "axes", "universal: the axis fixed in the joint's frame, and the one fixed in the link"}},
    read_universal,
    freeze_universal,
    {"{type: universal, axes: [x, y]}"}};

}  // namespace marey
