// Cylindrical joint: an angle about an axis, and a displacement along it.
#include "marey/model/joint_forms.h"

namespace marey {
namespace {

void read_cylindrical(JointReader& reader, LinkSpec& spec) { spec.axis = read_axis(reader.need("axis")); }

void freeze_cylindrical(const LinkSpec& link, FrozenJoint& out) {
  const JointWriter write{out};
  out.params.axes[0] = out.params.axes[3] = unit_axis(link, link.axis, "axis");
  write.linear(0, 0, 1), write.linear(3, 1, 1);
  out.coordinates = {{"angle"}, {"slide", true}};
}

}  // namespace

extern const JointForm cylindrical_joint{"cylindrical",
                                         JointType::cylindrical,
                                         "an axis too: {type: cylindrical, axis: y}",
                                         {axis_key()},
                                         read_cylindrical,
                                         freeze_cylindrical,
                                         {"{type: cylindrical, axis: z}"}};

}  // namespace marey
