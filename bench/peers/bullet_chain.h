// A figure as a btMultiBody, for the peers that have Bullet as their engine.
//
// Link frames A lie in the mass centre along the principal axes, so with R_BA constant every vector in B turns into A. Rotations
// are given from parent to child. Ball velocities are in the child. The base is either the world or the figure's only root on a
// free joint; its velocity and the forces on it are those of the mass centre, in the world.
#pragma once

#include <BulletDynamics/Featherstone/btMultiBody.h>

#include <memory>

#include "protocol.h"

namespace marey::peers {

inline btVector3 bt(const Vector3d& v) { return {v.x(), v.y(), v.z()}; }
inline btQuaternion bt(const Quaterniond& q) { return {q.x(), q.y(), q.z(), q.w()}; }
inline btMatrix3x3 bt(const Matrix3d& m) {
  return {m(0, 0), m(0, 1), m(0, 2), m(1, 0), m(1, 1), m(1, 2), m(2, 0), m(2, 1), m(2, 2)};
}
inline Vector3d from_bt(const double* v) { return {v[0], v[1], v[2]}; }
inline Quaterniond from_bt(const btQuaternion& q) { return {q.w(), q.x(), q.y(), q.z()}; }

inline bool floats(const PeerFigure& figure) { return figure.links[0].joint == PeerJoint::free; }

// Free joints: only where the first link carries the whole figure.
inline void refuse_what_bullet_lacks(const PeerFigure& figure) {
  for (size_t i = 0; i < figure.links.size(); ++i) {
    if (figure.links[i].joint == PeerJoint::free && i > 0)
      throw Refused("Bullet has no free joint but that of the only root");
    if (floats(figure) && i > 0 && figure.links[i].parent == 0)
      throw Refused("Bullet has no second root beside a free one");
  }
}

// Bullet's workspaces grow with the square of the links.
inline void refuse_what_does_not_fit(double doubles, const char* what) {
  const double bytes = doubles * sizeof(double);
  const double available = static_cast<double>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (bytes > std::min(2e9, 0.5 * available))
    throw Refused("Bullet would need " + std::to_string(static_cast<long>(bytes / 1e6)) + " MB for " + what);
}

// Its forward dynamics, and where it is.
class BulletChain {
 public:
  explicit BulletChain(const PeerFigure& figure) : figure_(figure), offsets_(figure), floats_(floats(figure)) {
    refuse_what_does_not_fit(static_cast<double>(offsets_.nv) * offsets_.nv, "its workspace");
    for (const PeerLink& link : figure_.links) axes_.push_back(principal_axes(link));
    const int n = static_cast<int>(figure_.links.size()) - first();
    body_ = floats_ ? std::make_unique<btMultiBody>(n, figure_.links[0].mass, bt(axes_[0].moments), false, false)
                    : std::make_unique<btMultiBody>(n, 0, btVector3(0, 0, 0), true, false);
    body_->setLinearDamping(0);
    body_->setAngularDamping(0);
    for (int i = 0; i < n; ++i) add(i);
    body_->finalizeMultiDof();
    body_->setBasePos(btVector3(0, 0, 0));
    body_->setWorldToBaseRot(btQuaternion(0, 0, 0, 1));
    body_->setBaseOmega(btVector3(0, 0, 0));
    body_->setBaseVel(btVector3(0, 0, 0));
    const btVector3 gravity = bt(vector_of(figure_.gravity));
    for (int i = 0; i < n; ++i) body_->addLinkForce(i, gravity * link(i).mass);
  }

  void set_states(const std::vector<PeerState>& states) {
    states_.clear();
    for (const PeerState& state : states) states_.push_back(to_native(state));
  }

  void run(int i) {
    place(i);
    body_->computeAccelerationsArticulatedBodyAlgorithmMultiDof(0, reals_, vectors_, matrices_, false, false, false);
  }

  // Where the base is does not matter to accelerations: place_base() says it for motions.
  void place(int i) {
    const Native& native = states_[static_cast<size_t>(i)];
    if (floats_) {
      body_->setWorldToBaseRot(native.base_rotation);
      body_->setBaseOmega(native.base_omega);
      body_->setBaseVel(native.base_velocity);
      body_->addBaseForce(native.base_force - body_->getBaseForce());
      body_->addBaseTorque(native.base_torque - body_->getBaseTorque());
    }
    const double *q = native.q.data(), *v = native.v.data(), *tau = native.tau.data();
    for (int k = 0; k < body_->getNumLinks(); ++k) {
      const btMultibodyLink& link = body_->getLink(k);
      body_->setJointPosMultiDof(k, q);
      body_->setJointVelMultiDof(k, v);
      body_->addJointTorqueMultiDof(k, tau);  // sets, despite its name
      q += link.m_posVarCount;
      v += link.m_dofCount;
      tau += link.m_dofCount;
    }
  }
  void place_base(int i) {
    if (floats_) body_->setBasePos(states_[static_cast<size_t>(i)].base_position);
  }

  btMultiBody& body() { return *body_; }
  // Of a link of the figure, counted from 0: Bullet's number for it, −1 the base; and its frame A in B.
  int number_of(size_t link) const { return static_cast<int>(link) - first(); }
  const PrincipalAxes& axes_of(size_t link) const { return axes_[link]; }

  // The reverse of to_native, of where the body is.
  void to_ours(Integration& out) const {
    out.q.resize(static_cast<size_t>(offsets_.nq));
    out.v.resize(static_cast<size_t>(offsets_.nv));
    if (floats_) base_to_ours(out);
    for (int k = 0; k < body_->getNumLinks(); ++k) {
      const auto i = static_cast<size_t>(k + first());
      const int q = offsets_.q[i], v = offsets_.v[i];
      const double *position = body_->getJointPosMultiDof(k), *velocity = body_->getJointVelMultiDof(k);
      if (link(k).joint == PeerJoint::ball) {
        const Vector3d part = axes(k).R_BA * from_bt(position);
        put(out.q, q, Quaterniond(position[3], part.x(), part.y(), part.z()));
        put(out.v, v, axes(k).R_BA * from_bt(velocity));
      } else if (link(k).joint != PeerJoint::weld) {
        out.q[static_cast<size_t>(q)] = position[0];
        out.v[static_cast<size_t>(v)] = velocity[0];
      }
    }
  }

  std::vector<double> result(int i) const {
    // Bullet leaves its answer in the scratch numbers: angular and linear acceleration of the base, then the
    // joints.
    const double* base = &reals_[body_->getNumDofs()];
    const double* joint = base + 6;
    std::vector<double> vdot(static_cast<size_t>(offsets_.nv));
    if (floats_) base_result(states_[static_cast<size_t>(i)], base, vdot);
    for (int k = 0; k < body_->getNumLinks(); ++k) {
      const auto at = static_cast<size_t>(offsets_.v[static_cast<size_t>(k + first())]);
      const int nv = body_->getLink(k).m_dofCount;
      if (nv == 1) vdot[at] = joint[0];
      if (nv == 3) put(vdot, static_cast<int>(at), axes(k).R_BA * from_bt(joint));
      joint += nv;
    }
    return vdot;
  }

 private:
  struct Native {
    std::vector<double> q, v, tau;
    btQuaternion base_rotation;
    btVector3 base_position, base_omega, base_velocity, base_force, base_torque;
    Matrix3d R_WB, R_WF;
    Vector3d w_W;
  };

  // Bullet's link k is our links[k + first()].
  int first() const { return floats_ ? 1 : 0; }
  const PeerLink& link(int k) const { return figure_.links[static_cast<size_t>(k + first())]; }
  const PrincipalAxes& axes(int k) const { return axes_[static_cast<size_t>(k + first())]; }

  void add(int k) {
    const PeerLink& link = this->link(k);
    const Matrix3d& R_BA = axes(k).R_BA;
    const int parent = link.parent - 1 - first();  // -1: the base
    const bool on_world = link.parent == 0;
    const Matrix3d R_PAp = on_world ? Matrix3d(Matrix3d::Identity()) : axes(parent).R_BA;
    const Vector3d p_PoPcm = on_world ? Vector3d(Vector3d::Zero()) : com_of(link.parent);
    // At q = 0, B = F: R_A_Ap = R_AB R_FP R_PAp.
    const Matrix3d R_PF = quaternion_of(link.quat_PF).toRotationMatrix();
    const Quaterniond turn(Matrix3d(R_BA.transpose() * R_PF.transpose() * R_PAp));
    const btQuaternion rotation = bt(turn.normalized());
    const btVector3 to_pivot = bt(Vector3d(R_PAp.transpose() * (vector_of(link.p_PoFo_P) - p_PoPcm)));
    const btVector3 to_com = bt(Vector3d(R_BA.transpose() * vector_of(link.p_BoBcm_B)));
    const btVector3 axis = bt(Vector3d(R_BA.transpose() * vector_of(link.axis_F)));
    const btVector3 inertia = bt(axes(k).moments);
    switch (link.joint) {
      case PeerJoint::weld:
        body_->setupFixed(k, link.mass, inertia, parent, rotation, to_pivot, to_com);
        break;
      case PeerJoint::hinge:
        body_->setupRevolute(k, link.mass, inertia, parent, rotation, axis, to_pivot, to_com, true);
        break;
      case PeerJoint::slider:
        body_->setupPrismatic(k, link.mass, inertia, parent, rotation, axis, to_pivot, to_com, true);
        break;
      case PeerJoint::ball:
        body_->setupSpherical(k, link.mass, inertia, parent, rotation, to_pivot, to_com, true);
        break;
      case PeerJoint::free:
        break;
    }
  }

  Vector3d com_of(int index) const { return vector_of(figure_.links[static_cast<size_t>(index - 1)].p_BoBcm_B); }

  Native to_native(const PeerState& state) const {
    Native native;
    if (floats_) base_to_native(state, native);
    for (int k = 0; k < body_->getNumLinks(); ++k) {
      const auto i = static_cast<size_t>(k + first());
      const int q = offsets_.q[i], v = offsets_.v[i];
      if (link(k).joint == PeerJoint::ball) {
        ball_to_native(state, q, v, axes(k).R_BA, native);
      } else if (link(k).joint != PeerJoint::weld) {
        native.q.push_back(state.q[static_cast<size_t>(q)]);
        native.v.push_back(state.v[static_cast<size_t>(v)]);
        native.tau.push_back(state.tau[static_cast<size_t>(v)]);
      }
    }
    return native;
  }

  // With Q = R_AB R_FB R_BA, R_A_Ap(q) = Qᵀ R_A_Ap(0): Bullet stores Q (x, y, z, w) and applies its inverse
  // after the constant rotation. Q is the joint's quaternion with its vector part turned into A.
  void ball_to_native(const PeerState& state, int q, int v, const Matrix3d& R_BA, Native& native) const {
    const Quaterniond q_FB = quaternion_at(state.q, q);
    const Vector3d part = R_BA.transpose() * q_FB.vec();
    native.q.insert(native.q.end(), {part.x(), part.y(), part.z(), q_FB.w()});
    const Vector3d w = R_BA.transpose() * vector_at(state.v, v);
    const Vector3d moment = R_BA.transpose() * vector_at(state.tau, v);
    native.v.insert(native.v.end(), w.data(), w.data() + 3);
    native.tau.insert(native.tau.end(), moment.data(), moment.data() + 3);
  }

  // v_cm = v_Bo + w × c; the moment about the mass centre is that about Bo minus c × f.
  void base_to_native(const PeerState& state, Native& native) const {
    const PeerLink& root = figure_.links[0];
    native.R_WF = quaternion_of(root.quat_PF).toRotationMatrix();
    native.R_WB = native.R_WF * quaternion_at(state.q, 0).toRotationMatrix();
    native.w_W = native.R_WB * vector_at(state.v, 0);
    const Vector3d c_W = native.R_WB * vector_of(root.p_BoBcm_B);
    const Vector3d force = native.R_WF * vector_at(state.tau, 3);
    native.base_rotation = bt(Quaterniond(Matrix3d((native.R_WB * axes_[0].R_BA).transpose())).normalized());
    native.base_position = bt(Vector3d(vector_of(root.p_PoFo_P) + native.R_WF * vector_at(state.q, 4) + c_W));
    native.base_omega = bt(native.w_W);
    native.base_velocity = bt(Vector3d(native.R_WF * vector_at(state.v, 3) + native.w_W.cross(c_W)));
    native.base_force = bt(Vector3d(force + root.mass * vector_of(figure_.gravity)));
    native.base_torque = bt(Vector3d(native.R_WB * vector_at(state.tau, 0) - c_W.cross(force)));
  }

  void base_to_ours(Integration& out) const {
    const PeerLink& root = figure_.links[0];
    const Quaterniond q_WF = quaternion_of(root.quat_PF);
    const Quaterniond q_WB = from_bt(body_->getWorldToBaseRot()).conjugate() * Quaterniond(axes_[0].R_BA).conjugate();
    const Vector3d c_W = q_WB * vector_of(root.p_BoBcm_B), w_W = from_bt(body_->getBaseOmega());
    put(out.q, 0, (q_WF.conjugate() * q_WB).normalized());
    put(out.q, 4, q_WF.conjugate() * (from_bt(body_->getBasePos()) - c_W - vector_of(root.p_PoFo_P)));
    put(out.v, 0, q_WB.conjugate() * w_W);
    put(out.v, 3, q_WF.conjugate() * (from_bt(body_->getBaseVel()) - w_W.cross(c_W)));
  }

  // a_Bo = a_cm - alpha × c - w × (w × c).
  void base_result(const Native& native, const double* base, std::vector<double>& vdot) const {
    const Vector3d alpha = from_bt(base), a_cm = from_bt(base + 3);
    const Vector3d c = native.R_WB * vector_of(figure_.links[0].p_BoBcm_B);
    const Vector3d a_Bo = a_cm - alpha.cross(c) - native.w_W.cross(native.w_W.cross(c));
    put(vdot, 0, native.R_WB.transpose() * alpha);
    put(vdot, 3, native.R_WF.transpose() * a_Bo);
  }

  const PeerFigure& figure_;
  Offsets offsets_;
  bool floats_;
  std::vector<PrincipalAxes> axes_;
  std::unique_ptr<btMultiBody> body_;
  std::vector<Native> states_;
  btAlignedObjectArray<btScalar> reals_;
  btAlignedObjectArray<btVector3> vectors_;
  btAlignedObjectArray<btMatrix3x3> matrices_;
};

}  // namespace marey::peers
