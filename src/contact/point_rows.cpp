// Rows of a point of a link against a fixed plane.
//
// With r = p_BoC_W from a joint's origin to the point C, the point's velocity per unit of the joint's velocities is
//   hinge   â × r        slider  â        ball   b̂_k × r      free   b̂_k × r, f̂_k                                (1)
// (â the axis, b̂_k the axes of B, f̂_k those of F, all in W), for each joint between the point and the world.
// For v̇ = 0 the links have the accelerations α_B, a_B of bias_motion, and the point has
//   a_B + α_B × r + ω_B × (ω_B × r) = J̇ v.                                                                          (2)
#include <cmath>

#include "marey/contact.h"

namespace marey {

namespace {
using Vec = Vec3<double>;

Vec column(const Mat3<double>& R, int k) { return {R(0, k), R(1, k), R(2, k)}; }

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
  const Vec r = X.R * contact.point_B;
  const Vec velocity = V.v + cross(V.w, r);
  const Vec acceleration = A.v + cross(A.w, r) + cross(V.w, cross(V.w, r));  // (2)
  ContactMotion m;
  m.p_WoC_W = X.p + r;
  m.gap = dot(axes[0], m.p_WoC_W) - contact.plane.offset;
  for (std::size_t i = 0; i < 3; ++i) m.velocity[i] = dot(axes[i], velocity), m.bias[i] = dot(axes[i], acceleration);
  return m;
}

void add_rows(const Model& model, const Params<double>& params, const FloorContact& contact,
              const Kinematics<double>& k, const ContactMotion& motion, RowSet& rows) {
  Row normal, tangent;
  normal.lower = 0;
  normal.law = tangent.law = contact.law;
  tangent.cone = rows.size();
  tangent.friction_static = contact.friction_static;
  tangent.friction_kinetic = contact.friction_kinetic;
  normal.bias = motion.bias[0];
  RowsOfPoint J{axes_of(contact.plane), {}};
  J.J[0] = rows.add(normal);
  for (std::size_t i = 1; i < 3; ++i) {
    tangent.bias = motion.bias[i];
    J.J[i] = rows.add(tangent);
  }
  for (int i = contact.link; i != 0; i = model.links[i].parent) {
    const LinkTopology& link = model.links[i];
    const LinkParams<double>& p = params.links[i];
    const Transform<double>& X = k.X_WB[i];
    const Mat3<double> R_WF = k.X_WB[link.parent].R * p.R_PF;
    const Vec r = motion.p_WoC_W - X.p;
    switch (link.joint) {  // (1)
      case JointType::weld:
        break;
      case JointType::hinge:
        J.set(link.v, cross(X.R * p.axis, r));
        break;
      case JointType::slider:
        J.set(link.v, R_WF * p.axis);
        break;
      case JointType::ball:
      case JointType::free:
        for (int c = 0; c < 3; ++c) J.set(link.v + c, cross(column(X.R, c), r));
        if (link.joint == JointType::free)
          for (int c = 0; c < 3; ++c) J.set(link.v + 3 + c, column(R_WF, c));
        break;
      case JointType::point:
        for (int c = 0; c < 3; ++c) J.set(link.v + c, column(R_WF, c));
        break;
    }
  }
}

Wrench<double> external_wrench(const Plane& plane, const Vec& p_WoC_W, std::span<const double, 3> lambda) {
  const std::array<Vec, 3> axes = axes_of(plane);
  const Vec f = lambda[0] * axes[0] + lambda[1] * axes[1] + lambda[2] * axes[2];
  return {cross(p_WoC_W, f), f};
}

}  // namespace marey
