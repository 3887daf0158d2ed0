#include "sim/continuous_turns.h"

#include "marey/model/general_motion.inl"

namespace marey {
namespace {

// The sign of w, where it is zero that of the first number that is not.
double sign_of(const Quaternion<double>& q) {
  for (const double x : {q.w, q.x, q.y, q.z})
    if (x != 0) return x < 0 ? -1 : 1;
  return 1;
}

// The three turns of a general joint, one after the other (marey/model/general_joint.h).
Quaternion<double> turn_of_general(const GeneralJoint& joint, const GeneralParams<double>& params, const double* q,
                                   const double* v) {
  general::Channels<double> c;
  general::evaluate(joint, params, q, v, c);
  Quaternion<double> turn;
  for (std::size_t j = 0; j < 3; ++j)
    if (joint.used[j]) turn = turn * quaternion_about(params.axes[j], c.value[j]);
  return turn;
}

Quaternion<double> turn_of_joint(const Model& model, std::size_t i, const State& s) {
  const LinkTopology& link = model.links[i];
  const double* q = s.q.data() + link.q;
  if (has_attitude(link.joint)) return {q[0], q[1], q[2], q[3]};
  if (link.joint == JointType::hinge) return quaternion_about(model.params.links[i].axis, q[0]);
  if (!is_general(link.joint)) return {};  // it does not turn
  const auto general = static_cast<std::size_t>(link.general);
  return turn_of_general(model.general[general], model.params.general[general], q, s.v.data() + link.v);
}

}  // namespace

ContinuousTurns::ContinuousTurns(const Model& model, const State& start)
    : model_(model), q_PF_(model.links.size()), q_WB_(model.links.size()), sign_(model.links.size(), 1) {
  for (std::size_t i = 1; i < q_PF_.size(); ++i) q_PF_[i] = quaternion_of(model.params.links[i].R_PF);
  follow(start);
  for (std::size_t i = 1; i < q_PF_.size(); ++i) sign_[i] = sign_of(q_WB_[i]);
}

// (1)
void ContinuousTurns::follow(const State& s) {
  for (std::size_t i = 1; i < q_WB_.size(); ++i)
    q_WB_[i] = q_WB_[static_cast<std::size_t>(model_.links[i].parent)] * q_PF_[i] * turn_of_joint(model_, i, s);
}

Quaternion<double> ContinuousTurns::of(std::size_t link, const Mat3<double>& R_WB) const {
  const Quaternion<double> q = quaternion_of(R_WB), &along = q_WB_[link];
  const double s = sign_[link] * (q.w * along.w + q.x * along.x + q.y * along.y + q.z * along.z) < 0 ? -1 : 1;
  return {s * q.w, s * q.x, s * q.y, s * q.z};
}

}  // namespace marey
