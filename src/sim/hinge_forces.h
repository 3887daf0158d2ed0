// Forces in the hinges by Armstrong's recursion, as a check of its solution (A3).
#pragma once

#include "sim/world.h"

namespace marey {

class HingeForces {
 public:
  explicit HingeForces(const Scene&);

  // At an instant: the state, and what acts on the figure, the wrenches of constraints and contacts included. `of_rnea`: what
  // Newton and Euler ask of the joints there.
  void solve(const World&, const State&, const ForceSum<double>& acting, std::span<const double> of_rnea);

  // Which links have one: those on ball joints.
  static bool has(const Model&, int link);
  // On the link by its parent, in W; the opposite of the print's f^r.
  Vec3<double> on_link(int link) const;

 private:
  const Scene& scene_;
  bool held_in_joints_ = false;
  ArmstrongWorkspace<double> ws_;
  std::vector<double> vdot_;  // not used
};

}  // namespace marey
