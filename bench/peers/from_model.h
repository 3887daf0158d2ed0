// Marey's models and states as figures and states a peer can be told. Coordinates and frames are the same on both sides.
#pragma once

#include <span>
#include <stdexcept>
#include <vector>

#include "figure.h"
#include "marey/model.h"

namespace marey::peers {

inline PeerFigure peer_figure(const Model& model) {
  const auto array = [](const Vec3<double>& v) { return std::array<double, 3>{v.x, v.y, v.z}; };
  PeerFigure figure;
  figure.gravity = array(model.params.gravity);
  for (size_t i = 1; i < model.links.size(); ++i) {
    const LinkParams<double>& params = model.params.links[i];
    const Quaternion<double> quat_PF = quaternion_of(params.R_PF);
    const Inertia<double>& I = params.I;
    PeerLink link;
    link.parent = model.links[i].parent;
    if (model.links[i].joint > JointType::free) throw std::invalid_argument("peers do not know this joint");
    link.joint = static_cast<PeerJoint>(model.links[i].joint);  // listed in the same order
    link.quat_PF = {quat_PF.w, quat_PF.x, quat_PF.y, quat_PF.z};
    link.p_PoFo_P = array(params.l);
    link.axis_F = array(params.axis);
    link.mass = I.m;
    if (I.m > 0) link.p_BoBcm_B = {I.h.x / I.m, I.h.y / I.m, I.h.z / I.m};
    link.J_BBo_B = {I.J.xx, I.J.yy, I.J.zz, I.J.xy, I.J.xz, I.J.yz};
    figure.links.push_back(link);
  }
  return figure;
}

inline PeerState peer_state(std::span<const double> q, std::span<const double> v, std::span<const double> tau,
                            std::span<const double> vdot) {
  const auto copy = [](std::span<const double> a) { return std::vector<double>(a.begin(), a.end()); };
  return {copy(q), copy(v), copy(tau), copy(vdot)};
}

}  // namespace marey::peers
