// Rows of a point of a link against a fixed plane.
//
// With r = p_BoC_W from a joint's origin to the point C, the point's velocity per unit of the joint's velocities is
//   S_v + S_w × r                                                                                                  (1)
// with the joint's motions S in W (joint_motions), for each joint between the point and the world.
// For v̇ = 0 the links have the accelerations α_B, a_B of bias_motion, and with the point that is at C at each instant (surface.h)
//   a_B + α_B × r + ω_B × ṙ = J̇ v,   ṙ = ω_B × r for a point that stays the same.                                   (2)
#include <cmath>

#include "marey/contact.h"
#include "marey/contact/surface.h"

namespace marey {

namespace {
using Vec = Vec3<double>;

// (1) for one joint: entry k of the three rows.
struct RowsOfPoint {
  std::array<Vec, 3> axes;
  std::array<std::span<double>, 3> J;
  void set(int k, const Vec& velocity) {
    for (std::size_t i = 0; i < 3; ++i) J[i][static_cast<std::size_t>(k)] = dot(axes[i], velocity);
  }
};
}  // namespace

std::array<Vec, 3> axes_of(const Plane& plane) {
  const Vec& n = plane.normal_W;
  const Vec along = std::abs(n.x) < 0.9 ? Vec{1, 0, 0} : Vec{0, 1, 0};
  Vec t = along - dot(along, n) * n;
  t = (1 / norm(t)) * t;
  return {n, t, cross(n, t)};
}

ContactMotion contact_motion(const FloorContact& contact, const Kinematics<double>& k, const BiasMotion& bias) {
  const std::array<Vec, 3> axes = axes_of(contact.plane);
  const Transform<double>& X = k.X_WB[contact.link];
  const Twist<double>&V = k.V_WB[contact.link], &A = bias.A_WB[contact.link];
  const Vec r = offset_of_contact(contact, X.R);
  const Vec velocity = V.v + cross(V.w, r);
  const bool stays = contact.surface.kind == ContactSurface::Kind::point;
  const Vec moves = stays ? cross(V.w, r) : rate_of_offset(contact, X.R, V.w);
  const Vec acceleration = A.v + cross(A.w, r) + cross(V.w, moves);  // (2)
  ContactMotion m;
  m.p_WoC_W = X.p + r;
  m.gap = dot(axes[0], m.p_WoC_W) - contact.plane.offset;
  for (std::size_t i = 0; i < 3; ++i) m.velocity[i] = dot(axes[i], velocity), m.bias[i] = dot(axes[i], acceleration);
  return m;
}

void add_rows(const Model& model, const Params<double>& params, const FloorContact& contact,
              const Kinematics<double>& k, const ContactMotion& motion, RowSet& rows) {
  RowsOfPoint J{axes_of(contact.plane), {}};
  for (std::size_t i = 0; i < 3; ++i) {
    Row row;
    row.bias = motion.bias[i];
    J.J[i] = rows.add(row);
  }
  for (int i = contact.link; i != 0; i = model.links[i].parent) {
    const Vec r = motion.p_WoC_W - k.X_WB[i].p;
    JointMotions<double> S;
    const int n = joint_motions(model, params, k, i, S);
    for (int c = 0; c < n; ++c) J.set(model.links[i].v + c, S[c].v + cross(S[c].w, r));  // (1)
  }
}

Wrench<double> external_wrench(const Plane& plane, const Vec& p_WoC_W, std::span<const double, 3> lambda) {
  const std::array<Vec, 3> axes = axes_of(plane);
  const Vec f = lambda[0] * axes[0] + lambda[1] * axes[1] + lambda[2] * axes[2];
  return {cross(p_WoC_W, f), f};
}

}  // namespace marey
