// Bullet as a peer, double precision: btMultiBody for forward dynamics, in a btMultiBodyDynamicsWorld for
// motions, MultiBodyTree of the extras for inverse dynamics and the mass matrix.
//
// btMultiBody: bullet_chain.h.
//
// MultiBodyTree: link frames as in the protocol. It drops the offset of a spherical joint, so a fixed link
// without mass carries it.
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <btBulletCollisionCommon.h>

#include <memory>

#include "bullet_chain.h"
#include "bullet_inverse_dynamics.h"
#include "protocol.h"

namespace marey::peers {
namespace {

// ---- motions
// ----------------------------------------------------------------------------------------------------------

// The body in a world as its users have it, but for what would change the motion: no damping and no sleep (BulletChain),
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
  BulletChain chain_;
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
    forward_ = std::make_unique<BulletChain>(figure_);
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
  std::unique_ptr<BulletChain> forward_;
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
