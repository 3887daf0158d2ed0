#include "sim/particle_channels.h"

namespace marey {

bool is_particle(const LinkTopology& link) { return link.joint == JointType::point && link.parent == 0; }

PathAcceleration along_path(const Vec3<double>& v, const Vec3<double>& a) {
  const double speed = norm(v);
  if (!(speed > 0)) return {norm(a), 0};
  const Vec3<double> u = (1 / speed) * v;
  return {dot(a, u), norm(cross(u, a))};
}

}  // namespace marey
