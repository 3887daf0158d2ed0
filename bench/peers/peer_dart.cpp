// DART as a peer.
//
// DART's ball and free joints take positions as rotation vectors (logarithms of R_FB). A ball's velocity is
// w_FB_B, as in the protocol. A free joint's velocity is the whole twist in B, so that with R = R_FB, w =
// w_FB_B and v_F = v_FBo_F
//   v_B = Rᵀ v_F,   dv_B/dt = Rᵀ dv_F/dt - w × v_B,   f_B = Rᵀ f_F.
// A world's step is semi-implicit Euler in these velocities: a free link goes along a screw.
#include <dart/config.hpp>
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <dart/simulation/World.hpp>

#include "protocol.h"

namespace marey::peers {
namespace {

namespace dd = dart::dynamics;

class Dart final : public Rival {
 public:
  std::string name_and_version() const override { return std::string("DART ") + DART_VERSION; }

  // DART sizes all its matrices anew for every link added: n³ of time.
  static constexpr size_t most_links = 512;

  void load(const PeerFigure& figure) override {
    skeleton_.reset();
    if (figure.links.size() > most_links)
      throw Refused("DART takes minutes to build a skeleton of " + std::to_string(figure.links.size()) + " links");
    figure_ = figure;
    offsets_ = Offsets(figure);
    skeleton_ = dd::Skeleton::create("figure");
    skeleton_->setGravity(vector_of(figure.gravity));
    skeleton_->disableSelfCollisionCheck();
    bodies_.clear();
    for (size_t i = 0; i < figure.links.size(); ++i) add(i);
    v_of_.assign(static_cast<size_t>(offsets_.nv), 0);
    for (size_t i = 0; i < figure.links.size(); ++i)
      for (int k = 0; k < joint_nv(figure.links[i].joint); ++k)
        v_of_[static_cast<size_t>(offsets_.v[i] + k)] =
            static_cast<int>(bodies_[i]->getParentJoint()->getIndexInSkeleton(static_cast<size_t>(k)));
  }

  void set_states(const std::vector<PeerState>& states) override {
    states_.clear();
    for (const PeerState& state : states) states_.push_back(to_native(state));
  }

  void run(PeerTask task, int i) override {
    const Native& native = states_[static_cast<size_t>(i)];
    skeleton_->setPositions(native.q);
    switch (task) {
      case PeerTask::forward:
        skeleton_->setVelocities(native.v);
        skeleton_->setForces(native.f);
        skeleton_->computeForwardDynamics();
        return;
      case PeerTask::inverse:
        skeleton_->setVelocities(native.v);
        skeleton_->setAccelerations(native.a);
        skeleton_->computeInverseDynamics();
        return;
      case PeerTask::massmatrix:
        skeleton_->getMassMatrix();
        return;
      default:
        throw Refused("DART has no other entry point for this");
    }
  }

  std::vector<IntegratorName> integrators() const override { return {{"semi_implicit", false}}; }

  Integration integrate(const std::string& name, double setting, double duration, int i) override {
    if (name != "semi_implicit") return Rival::integrate(name, setting, duration, i);
    const EqualSteps steps(setting, duration);
    const auto world = dart::simulation::World::create("world");
    world->setGravity(vector_of(figure_.gravity));
    world->setTimeStep(steps.length);
    world->addSkeleton(skeleton_);
    skeleton_->setPositions(states_[static_cast<size_t>(i)].q);
    skeleton_->setVelocities(states_[static_cast<size_t>(i)].v);
    skeleton_->resetGeneralizedForces();
    Integration done;
    const double start = thread_seconds();
    for (long long k = 0; k < steps.count; ++k) world->step();
    done.seconds = thread_seconds() - start;
    done.evaluations = static_cast<double>(steps.count);
    to_ours(done);
    world->removeSkeleton(skeleton_);
    return done;
  }

  std::vector<double> result(PeerTask task, int i) override {
    const Native& native = states_[static_cast<size_t>(i)];
    if (task == PeerTask::massmatrix) return mass_matrix(native);
    const bool forces = task == PeerTask::inverse;
    const Eigen::VectorXd theirs = forces ? skeleton_->getForces() : skeleton_->getAccelerations();
    std::vector<double> out(static_cast<size_t>(offsets_.nv));
    for (size_t k = 0; k < out.size(); ++k) out[k] = theirs[v_of_[k]];
    for (const FreeLink& link : native.free_links) {
      const Vector3d linear = vector_at(out, link.at + 3);
      put(out, link.at + 3, link.R_FB * (forces ? linear : linear + link.w_B.cross(link.v_B)));
    }
    return out;
  }

 private:
  struct FreeLink {
    int at;  // its first velocity
    Matrix3d R_FB;
    Vector3d w_B, v_B;
  };
  struct Native {
    Eigen::VectorXd q, v, f, a;
    std::vector<FreeLink> free_links;
  };

  template <class Joint>
  dd::BodyNode* make(dd::BodyNode* parent, typename Joint::Properties joint, const PeerLink& link, size_t i) const {
    Eigen::Isometry3d X_PF = Eigen::Isometry3d::Identity();
    X_PF.linear() = quaternion_of(link.quat_PF).toRotationMatrix();
    X_PF.translation() = vector_of(link.p_PoFo_P);
    joint.mName = "joint" + std::to_string(i);
    joint.mT_ParentBodyToJoint = X_PF;
    dd::BodyNode::Properties body;
    body.mName = "link" + std::to_string(i);
    body.mInertia = dd::Inertia(link.mass, vector_of(link.p_BoBcm_B), inertia_about_com(link));
    body.mGravityMode = true;
    return skeleton_->createJointAndBodyNodePair<Joint>(parent, joint, body).second;
  }

  void add(size_t i) {
    const PeerLink& link = figure_.links[i];
    dd::BodyNode* parent = link.parent == 0 ? nullptr : bodies_[static_cast<size_t>(link.parent - 1)];
    switch (link.joint) {
      case PeerJoint::weld:
        bodies_.push_back(make<dd::WeldJoint>(parent, {}, link, i));
        break;
      case PeerJoint::hinge: {
        dd::RevoluteJoint::Properties joint;
        joint.mAxis = vector_of(link.axis_F);
        bodies_.push_back(make<dd::RevoluteJoint>(parent, joint, link, i));
        break;
      }
      case PeerJoint::slider: {
        dd::PrismaticJoint::Properties joint;
        joint.mAxis = vector_of(link.axis_F);
        bodies_.push_back(make<dd::PrismaticJoint>(parent, joint, link, i));
        break;
      }
      case PeerJoint::ball:
        bodies_.push_back(make<dd::BallJoint>(parent, {}, link, i));
        break;
      case PeerJoint::free:
        bodies_.push_back(make<dd::FreeJoint>(parent, {}, link, i));
        break;
    }
  }

  Native to_native(const PeerState& state) const {
    Native native;
    std::vector<double> q(static_cast<size_t>(offsets_.nv)), v = state.v, f = state.tau, a = state.vdot;
    for (size_t i = 0; i < figure_.links.size(); ++i) {
      const PeerJoint joint = figure_.links[i].joint;
      const int at_q = offsets_.q[i], at = offsets_.v[i];
      if (joint == PeerJoint::hinge || joint == PeerJoint::slider)
        q[static_cast<size_t>(at)] = state.q[static_cast<size_t>(at_q)];
      if (joint_nv(joint) < 3) continue;
      const Eigen::AngleAxisd turn(quaternion_at(state.q, at_q));
      put(q, at, turn.angle() * turn.axis());
      if (joint != PeerJoint::free) continue;
      put(q, at + 3, vector_at(state.q, at_q + 4));
      const Matrix3d R = turn.toRotationMatrix();
      const FreeLink link{at, R, vector_at(v, at), R.transpose() * vector_at(v, at + 3)};
      put(v, at + 3, link.v_B);
      put(f, at + 3, R.transpose() * vector_at(f, at + 3));
      put(a, at + 3, R.transpose() * vector_at(a, at + 3) - link.w_B.cross(link.v_B));
      native.free_links.push_back(link);
    }
    const auto order = [this](const std::vector<double>& ours) {
      Eigen::VectorXd theirs(offsets_.nv);
      for (size_t k = 0; k < ours.size(); ++k) theirs[v_of_[k]] = ours[k];
      return theirs;
    };
    native.q = order(q);
    native.v = order(v);
    native.f = order(f);
    native.a = order(a);
    return native;
  }

  // The reverse of to_native, of where the skeleton is.
  void to_ours(Integration& out) const {
    const Eigen::VectorXd positions = skeleton_->getPositions(), velocities = skeleton_->getVelocities();
    std::vector<double> ours;
    for (const int k : v_of_) ours.push_back(positions[k]), out.v.push_back(velocities[k]);
    out.q.resize(static_cast<size_t>(offsets_.nq));
    for (size_t i = 0; i < figure_.links.size(); ++i) {
      const PeerJoint joint = figure_.links[i].joint;
      const int at_q = offsets_.q[i], at = offsets_.v[i];
      if (joint == PeerJoint::hinge || joint == PeerJoint::slider)
        out.q[static_cast<size_t>(at_q)] = ours[static_cast<size_t>(at)];
      if (joint_nv(joint) < 3) continue;
      const Vector3d turn = vector_at(ours, at);
      const Quaterniond q_FB(Eigen::AngleAxisd(turn.norm(), turn.stableNormalized()));
      put(out.q, at_q, q_FB);
      if (joint != PeerJoint::free) continue;
      put(out.q, at_q + 4, vector_at(ours, at + 3));
      put(out.v, at + 3, q_FB * vector_at(out.v, at + 3));
    }
  }

  std::vector<double> mass_matrix(const Native& native) const {
    const int n = offsets_.nv;
    const Eigen::MatrixXd& theirs = skeleton_->getMassMatrix();
    Eigen::Matrix<double, -1, -1, Eigen::RowMajor> ours(n, n);
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) ours(r, c) = theirs(v_of_[static_cast<size_t>(r)], v_of_[static_cast<size_t>(c)]);
    for (const FreeLink& link : native.free_links) {
      ours.middleRows<3>(link.at + 3) = (link.R_FB * ours.middleRows<3>(link.at + 3)).eval();
      ours.middleCols<3>(link.at + 3) = (ours.middleCols<3>(link.at + 3) * link.R_FB.transpose()).eval();
    }
    return {ours.data(), ours.data() + ours.size()};
  }

  PeerFigure figure_;
  Offsets offsets_;
  dd::SkeletonPtr skeleton_;
  std::vector<dd::BodyNode*> bodies_;
  std::vector<int> v_of_;  // [our coordinate] DART's, positions and velocities alike
  std::vector<Native> states_;
};

}  // namespace
}  // namespace marey::peers

int main() {
  marey::peers::answers();
  marey::peers::Dart dart;
  return marey::peers::serve(dart);
}
