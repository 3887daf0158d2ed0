// Joints for which the solvers have kernels of their own: weld, hinge, slider, ball, free, point.
#include "marey/model/joint_forms.h"

namespace marey {
namespace {

void no_keys(JointReader&, LinkSpec&) {}
void with_axis(JointReader& reader, LinkSpec& spec) { spec.axis = read_axis(reader.need("axis")); }

}  // namespace

extern const JointForm weld_joint{"weld", JointType::weld, "", {}, no_keys, nullptr, {"weld"}};
extern const JointForm hinge_joint{
    "hinge", JointType::hinge,          "an axis too: {type: hinge, axis: y}", {axis_key()}, with_axis,
    nullptr, {"{type: hinge, axis: y}"}};
extern const JointForm slider_joint{"slider",  JointType::slider, "an axis too: {type: slider, axis: y}", {axis_key()},
                                    with_axis, nullptr,           {"{type: slider, axis: [1, 0, 1]}"}};
extern const JointForm ball_joint{"ball", JointType::ball, "", {}, no_keys, nullptr, {"ball"}};
extern const JointForm free_joint{"free", JointType::free, "", {}, no_keys, nullptr, {"free"}};
extern const JointForm point_joint{"point", JointType::point, "", {}, no_keys, nullptr, {"point"}};

}  // namespace marey
