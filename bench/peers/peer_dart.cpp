// DART as a peer.
//
// Its coordinates: dart_figure.h. A world's step is semi-implicit Euler in these velocities: a free link goes along a screw.
#include <dart/config.hpp>
#include <dart/simulation/World.hpp>

#include "dart_figure.h"
#include "protocol.h"

namespace marey::peers {
namespace {

class Dart final : public Rival, private DartFigure {
 public:
  std::string name_and_version() const override { return std::string("DART ") + DART_VERSION; }

  void load(const PeerFigure& figure) override { build(figure); }

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

  std::vector<Native> states_;
};

}  // namespace
}  // namespace marey::peers

int main() {
  marey::peers::answers();
  marey::peers::Dart dart;
  return marey::peers::serve(dart);
}
