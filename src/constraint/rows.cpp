// Rows, and the acceleration that velocities alone give.
//
// For v̇ = 0 the accelerations of the links are, outward (dynamics/joint.h, here in the axes of W),
//   α_B = α_P + ω_P × w_J      a_B = a_P + α_P × r + ω_P × (ω_P × r) + 2 ω_P × v_J                                  (1)
// and on a general joint the biases of its own motion beside.
#include <cassert>

#include "dynamics/joint.h"
#include "marey/constraint.h"

namespace marey {

using Vec = Vec3<double>;

const char* name_of(ImpactKind kind) {
  constexpr const char* names[] = {"coulomb", "smooth", "rough", "stick"};
  return names[static_cast<int>(kind)];
}
const char* name_of(Hypothesis hypothesis) {
  constexpr const char* names[] = {"stronge", "poisson", "newton"};
  return names[static_cast<int>(hypothesis)];
}

RowSet::RowSet(const Model& model, int capacity)
    : nv_(static_cast<std::size_t>(model.nv)),
      J_(nv_ * static_cast<std::size_t>(capacity)),
      rows_(static_cast<std::size_t>(capacity)) {}

std::span<double> RowSet::add(const Row& row) {
  assert(size_ < capacity());
  const std::size_t i = static_cast<std::size_t>(size_++);
  const std::span<double> J(J_.data() + i * nv_, nv_);
  for (double& x : J) x = 0;
  rows_[i] = row;
  rows_[i].J = J;
  return J;
}

BiasMotion::BiasMotion(const Model& model) : A_WB(model.links.size()) {}

void bias_motion(const Model& model, const Params<double>& params, std::span<const double> q, std::span<const double> v,
                 const Kinematics<double>& k, BiasMotion& bias) {
  bias.A_WB[0] = {};
  for (int i = 1; i < model.nlink(); ++i) {
    const LinkTopology& link = model.links[i];
    with_joint(link.joint, [&](auto joint) {
      GeneralMotion<double> g;
      const JointMotion<double> m = [&] {
        if constexpr (joint.general)
          return general_joint_motion(model, params, i, q.data(), v.data(), g);
        else
          return joint_motion(joint, link, params.links[i], q.data(), v.data());
      }();
      const Mat3<double>& R_WP = k.X_WB[link.parent].R;
      const Vec& w_P = k.V_WB[link.parent].w;
      const Twist<double>& A_P = bias.A_WB[link.parent];
      const Vec r = R_WP * m.r;
      bias.A_WB[i] = {A_P.w + cross(w_P, k.X_WB[i].R * m.w_J),
                      A_P.v + cross(A_P.w, r) + cross(w_P, cross(w_P, r) + 2.0 * (R_WP * m.v_J))};  // (1)
      if constexpr (joint.general)
        bias.A_WB[i] += Twist<double>{k.X_WB[i].R * g.w_bias, R_WP * in_parent(link, params.links[i], g.v_bias)};
    });
  }
}

}  // namespace marey
