// Figures with names: the human of 12 links and 39 degrees of freedom, chains and trees of ball-jointed rods.
#pragma once

#include <string>

#include "support/random_figure.h"

namespace figures {

// A homogeneous rod of the given length and radius that hangs from its joint along −z.
inline marey::Inertia<double> hanging_rod(double m, double length, double radius) {
  const double across = m * (length * length / 12 + radius * radius / 4), along = m * radius * radius / 2;
  return body(m, {0, 0, -length / 2}, {across, across, along}, marey::Mat3<double>::identity());
}

inline marey::LinkSpec rod_link(const std::string& name, const std::string& parent, marey::JointType joint,
                                const marey::Vec3<double>& at, double m, double length, double radius) {
  marey::LinkSpec link;
  link.name = name, link.parent = parent, link.joint = joint;
  link.X_PF.p = at;
  link.inertia = hanging_rod(m, length, radius);
  return link;
}

// n rods, each hanging from the end of the one before it.
inline marey::ModelSpec chain(int n, marey::JointType root = marey::JointType::ball) {
  marey::ModelSpec spec;
  for (int i = 0; i < n; ++i)
    spec.links.push_back(rod_link(std::to_string(i), i == 0 ? "world" : std::to_string(i - 1),
                                  i == 0 ? root : marey::JointType::ball, {0, 0, i == 0 ? 0.0 : -0.2}, 0.5, 0.2, 0.02));
  return spec;
}
// n rods, two hanging from the end of each.
inline marey::ModelSpec tree(int n, marey::JointType root = marey::JointType::ball) {
  marey::ModelSpec spec;
  for (int i = 0; i < n; ++i)
    spec.links.push_back(rod_link(std::to_string(i), i == 0 ? "world" : std::to_string((i - 1) / 2),
                                  i == 0 ? root : marey::JointType::ball,
                                  {i == 0       ? 0.0
                                   : i % 2 == 0 ? 0.05
                                                : -0.05,
                                   0, i == 0 ? 0.0 : -0.2},
                                  0.5, 0.2, 0.02));
  return spec;
}

// Pelvis, abdomen, thorax, head, arms and legs: 75 kg, about 1.75 m; plausible, not measured.
inline marey::ModelSpec human39() {
  using marey::JointType;
  marey::ModelSpec spec;
  auto up = [&](const char* name, const char* parent, JointType joint, double at, double m, double length,
                double radius) {  // a rod that stands on its joint
    marey::LinkSpec link = rod_link(name, parent, joint, {0, 0, at}, m, length, radius);
    link.inertia.h.z = -link.inertia.h.z;
    spec.links.push_back(link);
  };
  up("pelvis", "world", JointType::free, 0, 10.5, 0.16, 0.14);
  up("abdomen", "pelvis", JointType::ball, 0.10, 10.4, 0.2, 0.13);
  up("thorax", "abdomen", JointType::ball, 0.20, 16.2, 0.3, 0.15);
  up("head", "thorax", JointType::ball, 0.30, 6.0, 0.26, 0.09);
  for (const double side : {1.0, -1.0}) {
    const std::string s = side > 0 ? "left " : "right ";
    auto down = [&](const char* name, const std::string& parent, double y, double z, double m, double length,
                    double radius) {
      spec.links.push_back(rod_link(s + name, parent, JointType::ball, {0, side * y, z}, m, length, radius));
    };
    down("upper arm", "thorax", 0.19, 0.26, 2.1, 0.30, 0.045);
    down("forearm", s + "upper arm", 0, -0.30, 1.65, 0.38, 0.035);
    down("thigh", "pelvis", 0.09, 0.0, 7.6, 0.43, 0.075);
    down("shank", s + "thigh", 0, -0.43, 4.6, 0.45, 0.05);
  }
  return spec;
}

}  // namespace figures
