// From the description of a general joint to what a model keeps of it. The individual kinds: src/model/joints.
#include "marey/model/joint_forms.h"

namespace marey {

FrozenJoint freeze_general(const LinkSpec& link) {
  FrozenJoint out;
  for (std::size_t j = 0; j < 6; ++j)
    out.params.axes[j] = {j % 3 == 0 ? 1.0 : 0, j % 3 == 1 ? 1.0 : 0, j % 3 == 2 ? 1.0 : 0};
  form_of(link.joint).freeze(link, out);
  out.joint.freedoms = static_cast<int>(out.coordinates.size());
  return out;
}

double generic_coordinate(const GeneralJoint& joint, const GeneralParams<double>& params, int coordinate,
                          double generic) {
  for (const GeneralJoint::Function& f : joint.functions) {
    if (f.coordinate != coordinate || f.pieces < 3) continue;
    const double* pieces = params.coefficients.data() + f.first;
    const int stride = f.degree + 3;
    const double from = pieces[stride], to = pieces[(f.pieces - 1) * stride];
    return from + (to - from) * (generic - 0.4);
  }
  return generic;
}

std::vector<JointCoordinate> freedoms_of(const Model& model, int link) {
  const LinkTopology& topology = model.links[static_cast<std::size_t>(link)];
  if (topology.general >= 0) return model.coordinates[static_cast<std::size_t>(topology.general)];
  switch (topology.joint) {
    case JointType::hinge:
      return {{"angle"}};
    case JointType::slider:
      return {{"slide", true}};
    case JointType::ball:
      return {{"x"}, {"y"}, {"z"}};
    case JointType::free:
      return {{"wx"}, {"wy"}, {"wz"}, {"vx", true}, {"vy", true}, {"vz", true}};
    case JointType::point:
      return {{"x", true}, {"y", true}, {"z", true}};
    default:
      return {};
  }
}

}  // namespace marey
