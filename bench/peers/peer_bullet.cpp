// Bullet as a peer, double precision: btMultiBody for forward dynamics, in a btMultiBodyDynamicsWorld for
// motions, MultiBodyTree of the extras for inverse dynamics and the mass matrix.
//
// btMultiBody: link frames A lie in the mass centre along the principal axes, so with R_BA constant every
// vector in B turns into A. Rotations are given from parent to child. Ball velocities are in the child. The
// base is either the world or the figure's only root on a free joint; its velocity and the forces on it are
// those of the mass centre, in the world.
//
// MultiBodyTree: link frames as in the protocol. It drops the offset of a spherical joint, so a fixed link
// without mass carries it.
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <btBulletCollisionCommon.h>

#include <memory>

#include "bullet_inverse_dynamics.h"
#include "protocol.h"

namespace marey::peers {
namespace {

btVector3 bt(const Vector3d& v) { return {v.x(), v.y(), v.z()}; }
btQuaternion bt(const Quaterniond& q) { return {q.x(), q.y(), q.z(), q.w()}; }
btMatrix3x3 bt(const Matrix3d& m) {
  return {m(0, 0), m(0, 1), m(0, 2), m(1, 0), m(1, 1), m(1, 2), m(2, 0), m(2, 1), m(2, 2)};
}
Vector3d from_bt(const double* v) { return {v[0], v[1], v[2]}; }
Quaterniond from_bt(const btQuaternion& q) { return {q.w(), q.x(), q.y(), q.z()}; }

bool floats(const PeerFigure& figure) { return figure.links[0].joint == PeerJoint::free; }

// Free joints: only where the first link carries the whole figure.
void refuse_what_bullet_lacks(const PeerFigure& figure) {
  for (size_t i = 0; i < figure.links.size(); ++i) {
    if (figure.links[i].joint == PeerJoint::free && i > 0)
      throw Refused("Bullet has no free joint but that of the only root");
    if (floats(figure) && i > 0 && figure.links[i].parent == 0)
      throw Refused("Bullet has no second root beside a free one");
  }
}

// Bullet's workspaces grow with the square of the links.
void refuse_what_does_not_fit(double doubles, const char* what) {
  const double bytes = doubles * sizeof(double);
  const double available = static_cast<double>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (bytes > std::min(2e9, 0.5 * available))
    throw Refused("Bullet would need " + std::to_string(static_cast<long>(bytes / 1e6)) + " MB for " + what);
}

// ---- forward dynamics
// -------------------------------------------------------------------------------------------------

class Forward {
 public:
  explicit Forward(const PeerFigure& figure) : figure_(figure), offsets_(figure), floats_(floats(figure)) {
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

// ---- motions
// ----------------------------------------------------------------------------------------------------------

// The body in a world as its users have it, but for what would change the motion: no damping (Forward), no sleep (Forward),
// no clamp on velocities, and nothing to collide with. A step is semi-implicit Euler, or what Bullet calls RK4: its stages all
// have the rotation the base had at the beginning of the step, and so it is of first order for a base that turns.
class Motion {
 public:
  explicit Motion(const PeerFigure& figure) : chain_(figure) {
    chain_.body().setMaxCoordinateVelocity(BT_LARGE_FLOAT);
    world_.setGravity(bt(vector_of(figure.gravity)));
    world_.addMultiBody(&chain_.body());
  }
  Motion(const Motion&) = delete;
  Motion& operator=(const Motion&) = delete;

  Integration run(const std::vector<PeerState>& states, int i, const EqualSteps& steps, bool rk4) {
    btMultiBody& body = chain_.body();
    chain_.set_states(states);
    chain_.place(i);
    chain_.place_base(i);
    body.clearForcesAndTorques();  // the world adds the weights itself, step by step
    body.useRK4Integration(rk4);
    Integration done;
    const double start = thread_seconds();
    for (long long k = 0; k < steps.count; ++k) world_.stepSimulation(steps.length, 0);
    done.seconds = thread_seconds() - start;
    done.evaluations = static_cast<double>(rk4 ? 5 * steps.count : steps.count);  // RK4: once more for its constraints
    chain_.to_ours(done);
    return done;
  }

 private:
  Forward chain_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btMultiBodyConstraintSolver solver_;
  btMultiBodyDynamicsWorld world_{&dispatcher_, &broadphase_, &solver_, &configuration_};
};

// ---- inverse dynamics and the mass matrix
// -----------------------------------------------------------------------------

class Inverse {
 public:
  explicit Inverse(const PeerFigure& figure) : figure_(figure), offsets_(figure), floats_(floats(figure)) {
    const double n = static_cast<double>(figure_.links.size());
    refuse_what_does_not_fit(2 * 2 * 3 * n * offsets_.nv, "two Jacobians per link");
    tree_.setAcceptInvalidMassParameters(true);
    const Matrix3d R_WF = quaternion_of(figure_.links[0].quat_PF).toRotationMatrix();
    const Vector3d gravity = vector_of(figure_.gravity);
    // A floating root lives in F; any other stands, with its siblings, on a fixed link that is the world.
    if (floats_)
      add_body(-1, Id::FLOATING, Matrix3d::Identity(), Vector3d::Zero(), figure_.links[0]);
    else
      add_body(-1, Id::FIXED, Matrix3d::Identity(), Vector3d::Zero(), PeerLink{});
    body_of_.push_back(0);
    if (floats_) body_of_.push_back(0);
    for (size_t i = floats_ ? 1 : 0; i < figure_.links.size(); ++i) add(figure_.links[i]);
    if (tree_.finalize() != 0) throw Refused("Bullet's inverse dynamics does not accept the figure");
    tree_.setGravityInWorldFrame(Id::vec3(bt(floats_ ? Vector3d(R_WF.transpose() * gravity) : gravity)));
    forces_.resize(offsets_.nv);
  }

  void set_states(const std::vector<PeerState>& states) {
    states_.clear();
    for (const PeerState& state : states) states_.push_back(to_native(state));
  }

  void run_inverse(int i) {
    const Native& native = states_[static_cast<size_t>(i)];
    tree_.calculateInverseDynamics(native.q, native.u, native.dot_u, &forces_);
  }
  void run_mass_matrix(int i) {
    if (M_.rows() != offsets_.nv) M_.resize(offsets_.nv, offsets_.nv);
    tree_.calculateMassMatrix(states_[static_cast<size_t>(i)].q, &M_);
  }

  std::vector<double> forces(int i) const {
    std::vector<double> tau(static_cast<size_t>(offsets_.nv));
    for (int k = 0; k < offsets_.nv; ++k) tau[static_cast<size_t>(k)] = forces_[k];
    if (floats_) put(tau, 3, states_[static_cast<size_t>(i)].R_FB * vector_at(tau, 3));
    return tau;
  }

  std::vector<double> mass_matrix(int i) const {
    const int n = offsets_.nv;
    Eigen::Matrix<double, -1, -1, Eigen::RowMajor> M(n, n);
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) M(r, c) = M_(r, c);
    if (floats_) {
      const Matrix3d& R_FB = states_[static_cast<size_t>(i)].R_FB;
      M.middleRows<3>(3) = (R_FB * M.middleRows<3>(3)).eval();
      M.middleCols<3>(3) = (M.middleCols<3>(3) * R_FB.transpose()).eval();
    }
    return {M.data(), M.data() + M.size()};
  }

 private:
  struct Id {
    using vec3 = btInverseDynamicsBullet3::vec3;
    using mat33 = btInverseDynamicsBullet3::mat33;
    using vecx = btInverseDynamicsBullet3::vecx;
    using JointType = btInverseDynamicsBullet3::JointType;
    static constexpr JointType FIXED = btInverseDynamicsBullet3::FIXED;
    static constexpr JointType REVOLUTE = btInverseDynamicsBullet3::REVOLUTE;
    static constexpr JointType PRISMATIC = btInverseDynamicsBullet3::PRISMATIC;
    static constexpr JointType FLOATING = btInverseDynamicsBullet3::FLOATING;
    static constexpr JointType SPHERICAL = btInverseDynamicsBullet3::SPHERICAL;
  };
  struct Native {
    Id::vecx q, u, dot_u;
    Matrix3d R_FB;  // of a floating root
  };

  void add(const PeerLink& link) {
    const Matrix3d R_FP = quaternion_of(link.quat_PF).toRotationMatrix().transpose();
    const Vector3d offset = vector_of(link.p_PoFo_P);
    const int parent = body_of_[static_cast<size_t>(link.parent)];
    switch (link.joint) {
      case PeerJoint::weld:
        add_body(parent, Id::FIXED, R_FP, offset, link);
        break;
      case PeerJoint::hinge:
        add_body(parent, Id::REVOLUTE, R_FP, offset, link);
        break;
      case PeerJoint::slider:
        add_body(parent, Id::PRISMATIC, R_FP, offset, link);
        break;
      case PeerJoint::ball:
        if (offset.isZero(0)) {
          add_body(parent, Id::SPHERICAL, R_FP, offset, link);
        } else {
          add_body(parent, Id::FIXED, R_FP, offset, PeerLink{});
          add_body(bodies_ - 1, Id::SPHERICAL, Matrix3d::Identity(), Vector3d::Zero(), link);
        }
        break;
      case PeerJoint::free:
        break;
    }
    body_of_.push_back(bodies_ - 1);
  }

  void add_body(int parent, Id::JointType joint, const Matrix3d& R_FP, const Vector3d& offset, const PeerLink& link) {
    const int failed = tree_.addBody(
        bodies_++, parent, joint, Id::vec3(bt(offset)), Id::mat33(bt(R_FP)), Id::vec3(bt(vector_of(link.axis_F))),
        link.mass, Id::vec3(bt(vector_of(link.p_BoBcm_B))), Id::mat33(bt(inertia_about_origin(link))), 0, nullptr);
    if (failed) throw Refused("Bullet's inverse dynamics does not accept a link");
  }

  Native to_native(const PeerState& state) const {
    const int nv = offsets_.nv;
    Native native{Id::vecx(nv), Id::vecx(nv), Id::vecx(nv), Matrix3d::Identity()};
    for (int k = 0; k < nv; ++k) {
      native.u[k] = state.v[static_cast<size_t>(k)];
      native.dot_u[k] = state.vdot[static_cast<size_t>(k)];
    }
    for (size_t i = 0; i < figure_.links.size(); ++i) {
      const int q = offsets_.q[i], v = offsets_.v[i];
      const PeerJoint joint = figure_.links[i].joint;
      if (joint == PeerJoint::hinge || joint == PeerJoint::slider) native.q[v] = state.q[static_cast<size_t>(q)];
      if (joint_nv(joint) < 3) continue;
      const Matrix3d R = quaternion_at(state.q, q).toRotationMatrix();
      if (joint == PeerJoint::ball) set(native.q, v, angles_zyx(R));
      if (joint == PeerJoint::free) floating_to_native(state, R, native);
    }
    return native;
  }

  void floating_to_native(const PeerState& state, const Matrix3d& R_FB, Native& native) const {
    native.R_FB = R_FB;
    // R_FB = Rx Ry Rz has the transpose R_BF = Rz(-q2) Ry(-q1) Rx(-q0).
    set(native.q, 0, -angles_zyx(R_FB.transpose()));
    set(native.q, 3, vector_at(state.q, 4));
    set(native.u, 3, R_FB.transpose() * vector_at(state.v, 3));
    set(native.dot_u, 3, R_FB.transpose() * vector_at(state.vdot, 3));
  }

  // (x, y, z) with R = Rz(z) Ry(y) Rx(x).
  static Vector3d angles_zyx(const Matrix3d& R) {
    const double y = std::atan2(-R(2, 0), std::hypot(R(0, 0), R(1, 0)));
    const double z = std::atan2(R(1, 0), R(0, 0));
    // x from what is left when z is taken off, so that it stays accurate near y = ±90°.
    const double s = std::sin(z), c = std::cos(z);
    const double x = std::atan2(s * R(0, 2) - c * R(1, 2), c * R(1, 1) - s * R(0, 1));
    return {x, y, z};
  }

  static void set(Id::vecx& to, int at, const Vector3d& v) {
    for (int k = 0; k < 3; ++k) to[at + k] = v[k];
  }

  const PeerFigure& figure_;
  Offsets offsets_;
  bool floats_;
  btInverseDynamicsBullet3::MultiBodyTree tree_;
  int bodies_ = 0;
  std::vector<int> body_of_;  // [link, the world included] its body in the tree
  std::vector<Native> states_;
  Id::vecx forces_{0};
  btMatrixX<double> M_;
};

class Bullet final : public Rival {
 public:
  std::string name_and_version() const override {
    const int version = btGetVersion();
    return "Bullet " + std::to_string(version / 100) + "." + std::to_string(version % 100);
  }

  void load(const PeerFigure& figure) override {
    forward_.reset();
    inverse_.reset();
    motion_.reset();
    figure_ = figure;
    refuse_what_bullet_lacks(figure_);
    forward_ = std::make_unique<Forward>(figure_);
  }

  void set_states(const std::vector<PeerState>& states) override {
    states_ = states;
    forward_->set_states(states);
    if (inverse_) inverse_->set_states(states);
  }

  void run(PeerTask task, int i) override {
    switch (task) {
      case PeerTask::forward:
        return forward_->run(i);
      case PeerTask::inverse:
        return inverse().run_inverse(i);
      case PeerTask::massmatrix:
        return inverse().run_mass_matrix(i);
      default:
        throw Refused("Bullet has no other entry point for this");
    }
  }

  std::vector<double> result(PeerTask task, int i) override {
    if (task == PeerTask::forward) return forward_->result(i);
    return task == PeerTask::inverse ? inverse().forces(i) : inverse().mass_matrix(i);
  }

  std::vector<IntegratorName> integrators() const override { return {{"semi_implicit", false}, {"rk4", false}}; }

  Integration integrate(const std::string& name, double setting, double duration, int i) override {
    if (name != "semi_implicit" && name != "rk4") return Rival::integrate(name, setting, duration, i);
    if (!motion_) motion_ = std::make_unique<Motion>(figure_);
    return motion_->run(states_, i, EqualSteps(setting, duration), name == "rk4");
  }

 private:
  // Made when first asked for: its memory grows with the square of the links.
  Inverse& inverse() {
    if (!inverse_) {
      inverse_ = std::make_unique<Inverse>(figure_);
      inverse_->set_states(states_);
    }
    return *inverse_;
  }

  PeerFigure figure_;
  std::vector<PeerState> states_;
  std::unique_ptr<Forward> forward_;
  std::unique_ptr<Inverse> inverse_;
  std::unique_ptr<Motion> motion_;  // made when a motion is first asked for
};

}  // namespace
}  // namespace marey::peers

int main() {
  marey::peers::answers();
  marey::peers::Bullet bullet;
  return marey::peers::serve(bullet);
}
