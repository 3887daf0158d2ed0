// Markers: named points of links, where they are and how they move in the world, and how far they have come from where they were in the
// frame of another link, as markers on skin do from the bone beneath.
#include "marey/core/index.h"
#include "sim/particle_channels.h"
#include "sim/recorder.h"

namespace marey {
namespace {

// Of a link's point P, in W; a is of Bo less gravity, in B: a_P = a + ẇ × r + w × (w × r).
Vec3<double> acceleration_of_point(const Observed& o, std::size_t i, const Vec3<double>& r) {
  const RneaLink<double>& link = o.joints.links[i];
  const Vec3<double> a_B = link.a + cross(link.w_dot, r) + cross(link.w, cross(link.w, r));
  return o.kinematics.X_WB[i].R * a_B + o.scene.model.params.gravity;
}

// p_AoP_A of a marker's point, A the link against which it is measured.
Vec3<double> place_against(const Kinematics<double>& k, const Marker& m) {
  const Transform<double>& X_WA = k.X_WB[index(m.against)];
  return transpose(X_WA.R) * (k.X_WB[index(m.link)] * m.point - X_WA.p);
}

void add_marker(const Marker& m, const Vec3<double>& at_start, const std::string& against,
                std::vector<RecordedChannel>& c) {
  const std::string base = "marker/" + m.name + "/";
  const std::vector<std::string> xyz{"x", "y", "z"};
  const std::size_t first = c.size(), i = index(m.link);
  add_channel(c, base + "position", "m", xyz, "the marker in the world",
              [=](const Observed& o) { return o.kinematics.X_WB[i] * m.point; });
  add_channel(c, base + "velocity", "m/s", xyz, "velocity of the marker, in world axes", [=](const Observed& o) {
    const Twist<double>& V = o.kinematics.V_WB[i];
    return V.v + cross(V.w, o.kinematics.X_WB[i].R * m.point);
  });
  add_channel(c, base + "displacement", "m", xyz,
              "how far the marker is from where it was at the start, in the frame of " + against,
              [=](const Observed& o) { return place_against(o.kinematics, m) - at_start; });
  for (std::size_t k = first; k < c.size(); ++k) c[k].needs = needs_no_more;
  add_channel(c, base + "acceleration", "m/s^2", xyz, "acceleration of the marker, in world axes",
              [=](const Observed& o) { return acceleration_of_point(o, i, m.point); });
  c.back().needs = {true, true, false, false};
}

}  // namespace

void add_marker_channels(const Scene& scene, std::vector<RecordedChannel>& c) {
  if (scene.markers.empty()) return;
  const Model& model = scene.model;
  Kinematics<double> start(model);
  forward_kinematics<double>(model, model.params, scene.start.q, scene.start.v, start);
  for (const Marker& m : scene.markers)
    add_marker(m, place_against(start, m),
               m.against == 0 ? std::string("the world") : "'" + model.names[index(m.against)] + "'", c);
}

// Accelerations of links, of which runs with forces have those of particles alone.
void add_link_accelerations(const Scene& scene, std::vector<RecordedChannel>& c) {
  const std::vector<std::string> xyz{"x", "y", "z"};
  for (int n = 1; n < scene.model.nlink(); ++n) {
    const std::size_t i = index(n);
    const std::string base = "link/" + scene.model.names[i] + "/";
    if (scene.model.links[i].joint != JointType::point)
      add_channel(c, base + "acceleration", "m/s^2", xyz, "acceleration of the link's origin, in world axes",
                  [i](const Observed& o) { return acceleration_of_point(o, i, {}); });
    if (!is_particle(scene.model.links[i]))
      add_channel(c, base + "angular_acceleration", "rad/s^2", xyz, "angular acceleration of the link, in world axes",
                  [i](const Observed& o) { return o.kinematics.X_WB[i].R * o.joints.links[i].w_dot; });
  }
}

// Without dynamics there are no forces, and no account of what they do.
void keep_what_has_no_forces(std::vector<RecordedChannel>& c) {
  std::erase_if(c, [](const RecordedChannel& r) {
    const std::string& name = r.channel.name;
    if (name == "time" || name == "center_of_mass/position" || name == "energy/kinetic" || name == "momentum/linear" ||
        name == "momentum/angular" || name.starts_with("link/") || name.starts_with("marker/"))
      return false;
    if (!name.starts_with("joint/")) return true;
    return name.ends_with("/applied") || name.ends_with("/force") || name.ends_with("/moment") ||
           name.ends_with("/force_31");
  });
}

}  // namespace marey
