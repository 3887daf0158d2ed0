// Screw: an angle about an axis, along which it moves by `pitch` per turn.
#include <cmath>
#include <numbers>

#include "marey/model/joint_forms.h"

namespace marey {
namespace {

void read_screw(JointReader& reader, LinkSpec& spec) {
  spec.axis = read_axis(reader.need("axis"));
  spec.pitch = read_number(reader.need("pitch"), kinds::length);
}

void freeze_screw(const LinkSpec& link, FrozenJoint& out) {
  const JointWriter write{out};
  out.params.axes[0] = out.params.axes[3] = unit_axis(link, link.axis, "axis");
  out.coordinates = {{"angle"}};
  if (!std::isfinite(link.pitch)) throw InvalidSpec(link.name, "the pitch of its screw is not a finite number");
  write.linear(0, 0, 1), write.linear(3, 0, link.pitch / (2 * std::numbers::pi));
}

}  // namespace

extern const JointForm screw_joint{
    "screw",
    JointType::screw,
    "axis and pitch too: {type: screw, axis: z, pitch: 5 mm}",
    {axis_key(), {"pitch", "q:length", "screw: how far it moves along its axis in a turn"}},
    read_screw,
    freeze_screw,
    {"{type: screw, axis: z, pitch: 5 mm}"}};

}  // namespace marey
