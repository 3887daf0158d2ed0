// The recursion that steps the scene gives the force in a hinge a second time, without Newton's law for the links beyond it:
//   f^r = M^r a^r + f′^r                                                                               A (31)
// With both bands in every step this is the force that Newton and Euler find from the accelerations, to round-off, or the
// recursion is wrong. With a slow band of ν > 1 the coefficients are those in use, of another instant: the difference is what the slow
// band costs, in N.
//
// The recursion does not know what constraints do in the joints themselves (drives, couplings, welds): there it is given the
// torques that Newton and Euler ask of the joints, and only its coefficients are checked.
#include "sim/hinge_forces.h"

#include <algorithm>

namespace marey {

HingeForces::HingeForces(const Scene& scene)
    : scene_(scene),
      held_in_joints_(scene.solver.weld ||
                      std::ranges::any_of(scene.constraints, [](const Constraint& c) { return acts_in_joints(c); })),
      ws_(scene.model),
      vdot_(static_cast<std::size_t>(scene.model.nv)) {}

bool HingeForces::has(const Model& model, int link) {
  return model.links[static_cast<std::size_t>(link)].joint == JointType::ball;
}

void HingeForces::solve(const World& world, const State& now, const ForceSum<double>& acting,
                        std::span<const double> of_rnea) {
  const Model& model = scene_.model;
  const ArmstrongWorkspace<double>* band = world.solver()->band();
  if (band != nullptr && world.steps() > 0) {  // before the first step there is none yet
    ws_.links = band->links;
  } else {
    armstrong_kinematics<double>(model, model.params, now.q, now.v, ws_);
    armstrong_slow_band<double>(model, model.params, model.nlink() - 1, 1, ws_);
  }
  armstrong_fast_band<double>(model, model.params, {held_in_joints_ ? of_rnea : acting.tau, acting.F_Bo_W}, ws_, vdot_);
}

Vec3<double> HingeForces::on_link(int link) const {
  return -(ws_.links[static_cast<std::size_t>(link)].R_I * armstrong_hinge_force(ws_, link));
}

}  // namespace marey
