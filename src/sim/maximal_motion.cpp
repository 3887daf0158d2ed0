#include "sim/maximal_motion.h"

#include <algorithm>

namespace marey {

MaximalMotion::MaximalMotion(const Scene& scene)
    : scene_(scene),
      bodies_(maximal(scene.model)),
      reduced_(scene.start),
      beta_(scene.solver.stabilisation == Stabilisation::baumgarte ? 1 / scene.solver.stabilisation_time : 0),
      ws_(scene.model),
      kinematics_(scene.model),
      error_(scene.model.links.size()),
      error_rate_(error_) {}

Instant<double> MaximalMotion::look(double t, std::span<const double> q, std::span<const double> v,
                                    Kinematics<double>& kinematics, const Past* past) {
  const Model& model = scene_.model;
  maximal_kinematics(q, v, kinematics);
  std::copy(reduced_.q.begin(), reduced_.q.end(), ws_.q.begin());
  joint_errors(model, model.params, kinematics, ws_.q, ws_.v, ws_.error, ws_.error_rate);
  return {model, t, ws_.q, ws_.v, kinematics.X_WB, kinematics.V_WB, past};
}

void MaximalMotion::solve(const Kinematics<double>& kinematics, const Forces<double>& forces, std::span<double> vdot) {
  multipliers_maximal(scene_.model, scene_.model.params, kinematics, forces, beta_, ws_, vdot);
}

bool MaximalMotion::keep(State& s, double tolerance) {
  reduced_.t = s.t;
  drift_ = reduce(s.q, s.v, reduced_.q, reduced_.v);
  const bool put_back = scene_.solver.stabilisation == Stabilisation::projection &&
                        !(drift_.position <= tolerance && drift_.rate <= tolerance);
  if (!put_back) return false;
  std::copy(reduced_.q.begin(), reduced_.q.end(), ws_.q.begin());
  project_on_joints(scene_.model, scene_.model.params, s, ws_);
  drift_ = reduce(s.q, s.v, reduced_.q, reduced_.v);
  return true;
}

void MaximalMotion::recall(const State& s) {
  reduced_.t = s.t;
  drift_ = reduce(s.q, s.v, reduced_.q, reduced_.v);
}

JointError MaximalMotion::reduce(std::span<const double> q, std::span<const double> v, std::span<double> q_joints,
                                 std::span<double> v_joints) const {
  maximal_kinematics(q, v, kinematics_);
  if (q_joints.data() != reduced_.q.data()) std::copy(reduced_.q.begin(), reduced_.q.end(), q_joints.begin());
  return joint_errors(scene_.model, scene_.model.params, kinematics_, q_joints, v_joints, error_, error_rate_);
}

}  // namespace marey
