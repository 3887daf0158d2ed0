#include "marey/scene/bvh.h"

#include <numbers>

#include "marey/core/index.h"

namespace marey {

std::vector<Transform<double>> BvhMotion::poses(int frame) const {
  std::vector<Transform<double>> X_W;
  for (const BvhJoint& joint : joints) {
    Transform<double> X{Mat3<double>::identity(), joint.offset};
    for (std::size_t k = 0; k < joint.channels.size(); ++k) {
      const double x = values[index(frame) * index(width) + index(joint.first) + k];
      const int axis = joint.channels[k].axis;
      Vec3<double> along;
      along[axis] = 1;
      if (joint.channels[k].turns)
        X.R = X.R * rotation_about(along, x * std::numbers::pi / 180);
      else
        X.p[axis] = x;
    }
    X_W.push_back(joint.parent < 0 ? X : X_W[index(joint.parent)] * X);
  }
  return X_W;
}

}  // namespace marey
