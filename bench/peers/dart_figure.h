// A figure as a Skeleton of DART, for the peers that have it as their engine.
//
// DART's ball and free joints take positions as rotation vectors (logarithms of R_FB). A ball's velocity is
// w_FB_B, as in the protocol. A free joint's velocity is the whole twist in B, so that with R = R_FB, w =
// w_FB_B and v_F = v_FBo_F
//   v_B = Rᵀ v_F,   dv_B/dt = Rᵀ dv_F/dt - w × v_B,   f_B = Rᵀ f_F.
#pragma once

#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/WeldJoint.hpp>

#include "protocol.h"

namespace marey::peers {

namespace dd = dart::dynamics;

class DartFigure {
 public:
  struct FreeLink {
    int at;  // its first velocity
    Matrix3d R_FB;
    Vector3d w_B, v_B;
  };
  struct Native {
    Eigen::VectorXd q, v, f, a;
    std::vector<FreeLink> free_links;
  };

  // DART sizes all its matrices anew for every link added: n³ of time.
  static constexpr size_t most_links = 512;

  void build(const PeerFigure& figure) {
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

  const dd::SkeletonPtr& skeleton() const { return skeleton_; }
  dd::BodyNode* body(size_t link) const { return bodies_[link]; }  // counted from 0

 private:
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

 protected:
  PeerFigure figure_;
  Offsets offsets_;
  dd::SkeletonPtr skeleton_;
  std::vector<dd::BodyNode*> bodies_;
  std::vector<int> v_of_;  // [our coordinate] DART's, positions and velocities alike
};

}  // namespace marey::peers
