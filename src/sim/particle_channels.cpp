#include "sim/particle_channels.h"

namespace marey {

bool is_particle(const LinkTopology& link) { return link.joint == JointType::point && link.parent == 0; }

void add_path_channels(std::vector<Channel>& c, const std::string& link_name) {
  const std::string base = "link/" + link_name + "/";
  c.push_back({base + "acceleration", "m/s^2", {"x", "y", "z"}, "acceleration of the link's origin, in world axes"});
  c.push_back({base + "tangential_acceleration", "m/s^2", {""}, "its part along the path: the rate of the speed"});
  c.push_back({base + "normal_acceleration", "m/s^2", {""}, "its part across the path: speed squared over radius"});
}

PathAcceleration along_path(const Vec3<double>& v, const Vec3<double>& a) {
  const double speed = norm(v);
  if (!(speed > 0)) return {norm(a), 0};
  const Vec3<double> u = (1 / speed) * v;
  return {dot(a, u), norm(cross(u, a))};
}

}  // namespace marey
