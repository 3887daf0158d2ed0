// A figure in maximal coordinates within a world: what integrates are the links' own poses and twists, what elements and
// recordings see are the joints' coordinates nearest to them.
#pragma once

#include "marey/constraint/kinds.h"
#include "marey/constraint/loops.h"
#include "marey/force.h"
#include "marey/sim.h"
#include "sim/held_constraints.h"
#include "sim/ledger.h"

namespace marey {

class MaximalMotion {
 public:
  explicit MaximalMotion(const Scene&);

  const Model& bodies() const { return bodies_; }
  // The joints' coordinates of the last state that was kept.
  // z: the states of sources, which are the same in all coordinates.
  const State& reduced(const std::vector<double>& z) {
    reduced_.z = z;
    return reduced_;
  }
  // How far that state is from its joints.
  const JointError& drift() const { return drift_; }

  // Poses and twists of a maximal state, and what elements are to see of it.
  Instant<double> look(double t, std::span<const double> q, std::span<const double> v, Kinematics<double>&,
                       const Past*);
  // Accelerations of all bodies, after look(). The joints' wrenches are in joint_wrench() afterwards.
  void solve(const Instant<double>&, const Kinematics<double>&, const Forces<double>&, std::span<double> vdot);
  const Wrench<double>& joint_wrench(int link) const { return ws_.links[static_cast<std::size_t>(link)].F; }

  // v̇ of the joints, after solve().
  void joint_accelerations(std::span<double> vdot) const;
  // The wrench of a general joint's own forces, about Bo in W.
  Wrench<double> wrench_of_general_joint(int link, std::span<const double> tau) const;

  // ---- constraints beside the joints, which hold from now on
  void hold(const HeldConstraints*);
  double largest_error(const Instant<double>&);  // |g|
  // What they do to links, and their books; after solve().
  void add_wrenches(std::span<Wrench<double>> F_Bo_W) const;
  void book(const RateLayout&, const Kinematics<double>&, std::span<double> rates) const;

  // Takes a state as the run's own, after putting the links back on their joints where the scene asks for it and they are
  // further off than `tolerance`; throws when they cannot be. True: the state was changed.
  bool keep(State&, double tolerance);
  // The joints' coordinates of a state within the last step.
  JointError reduce(std::span<const double> q, std::span<const double> v, std::span<double> q_joints,
                    std::span<double> v_joints) const;

  // Which turn hinges are in, for checkpoints; and the state they belong to, afterwards.
  std::span<double> turns() { return reduced_.q; }
  void recall(const State&);

 private:
  void look_at_rows(const Instant<double>&);
  void solve_rows(const MultiplierLoad<double>&, double part);
  JointError errors_of(const State&);
  void project(State&);
  std::string worst() const;
  void take(double t);

  const Scene& scene_;
  Model bodies_;
  State reduced_;
  JointError drift_;
  double beta_;
  MultiplierWorkspace<double> ws_;
  std::vector<Wrench<double>> outside_;  // [nlink] all that acts on links, constraints included
  bool in_halves_;
  std::vector<Twist<double>> half_;  // [nlink] ½ k
  const HeldConstraints* constraints_ = nullptr;
  std::vector<ConstraintRow> rows_;
  std::vector<std::size_t> source_;  // [rows] the constraint
  std::vector<double> wanted_;       // [rows]
  std::optional<LoopSolver> loop_solver_;
  mutable Kinematics<double> kinematics_;
  mutable std::vector<Twist<double>> error_, error_rate_;
};

}  // namespace marey
