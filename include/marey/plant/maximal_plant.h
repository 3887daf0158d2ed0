// Figures in maximal coordinates: what is integrated are the links' own poses and twists, what sources and recordings see
// are the joints' coordinates nearest to them.
#pragma once

#include <string>

#include "marey/dynamics/multipliers.h"
#include "marey/plant/plant.h"

namespace marey {

// The bodies of a figure; a base, so that they are there before the plant that is made of them.
struct MaximalBodies {
  explicit MaximalBodies(const Model& figure) : bodies(maximal(figure)) {}
  Model bodies;
};

class MaximalPlant final : private MaximalBodies, public Plant {
 public:
  // `start`: of the joints. The options are to stay alive.
  MaximalPlant(const Model&, const State& start, const SolverOptions&);

  State from_joints(const State&) override;

  Instant<double> place(double t, std::span<const double> q, std::span<const double> v, std::span<const double> z,
                        const Past*) override;
  void accelerate(const Forces<double>&, std::span<double> vdot) override;
  void respond(std::span<const double> p, std::span<double> dv) override;
  bool asks_for_all_that_acts() const override { return true; }
  void finish(const Forces<double>&, std::span<double> vdot) override;
  void joint_accelerations(std::span<const double> vdot, std::span<double> of_joints) const override;
  std::span<const double> half_answered() const override { return half_vdot_; }

  Wrench<double> world_on_roots(const Forces<double>& all, std::span<const double> vdot) override;
  Wrench<double> world_on_roots_at_once(std::span<const Wrench<double>> P_Bo_W, std::span<const double> dv) override;

  void momentum(std::span<const double> q, std::span<const double> v, std::span<double> p) override;
  void velocity(std::span<const double> q, std::span<const double> p, std::span<double> v) override;
  void generalised_force(const Forces<double>&, std::span<const double> vdot, std::span<double> g) override;

  double row_weight(const ConstraintRow& of_links, const Row&) const override;

  void shift(State&, std::span<const double> x) override;
  bool remove_drift(State&, double tolerance) override;
  bool has_joint_drift() const override { return true; }
  void accept(const State&) override;
  const State& in_joints(const State& accepted) override;
  JointError to_joints(std::span<const double> q, std::span<const double> v, std::span<const double> z,
                       std::span<const double> turns, std::span<double> q_joints,
                       std::span<double> v_joints) const override;
  std::size_t way_count() const override { return ways_.size(); }
  void way_rates(std::span<double> rates) const override;
  JointError drift() const override { return drift_; }
  std::span<double> turns() override { return turns_; }

 private:
  const Wrench<double>& joint_wrench(int link) const { return ws_.links[static_cast<std::size_t>(link)].F; }
  void solve(const Forces<double>&, std::span<double> vdot);
  void solve_impulses(std::span<const Wrench<double>> P_Bo_W);
  Wrench<double> through_roots(std::span<const double> tau) const;
  Wrench<double> wrench_of_general_joint(int link, std::span<const double> tau) const;
  // How many numbers at the end of z are ways: all, or none where who asks has no z.
  std::size_t ways_in(std::span<const double> z) const { return z.size() < ways_.size() ? 0 : ways_.size(); }
  void guess_joints(std::span<const double> z, std::span<const double> turns, std::span<double> q_joints) const;
  void guess_joints(std::span<const double> z) { guess_joints(z, turns_, ws_.q); }
  JointError errors_of(const State&);
  void check_turns(const State&) const;
  void keep(const State&);

  // A coordinate of a joint that may come to the same pose again, and its velocity.
  struct Way {
    int link, q, v;
  };

  const SolverOptions& options_;
  State reduced_;          // the state last accepted
  std::vector<Way> ways_;  // of all joints
  // Of that state, [nq of the joints + ways]: the joints' coordinates, and how far the ways were.
  std::vector<double> turns_;
  JointError drift_;  // of it
  double beta_;
  MultiplierWorkspace<double> ws_;
  bool factored_ = false;               // at the instant
  bool answers_all_ = true;             // the workspace holds the answer to all forces, and not to a single impulse
  std::vector<Wrench<double>> P_Bo_W_;  // [nlink] of respond()
  bool in_halves_;
  std::vector<Twist<double>> half_k_;  // [nlink] ½ k
  std::vector<double> half_vdot_;      // empty where steps are whole
  mutable Kinematics<double> seen_;    // of to_joints()
  mutable std::vector<Twist<double>> error_, error_rate_;
  mutable std::vector<double> guess_;  // [nq of the joints] of check_turns()
  mutable std::vector<double> J_;      // [velocities of the joints] of row_weight()
};

}  // namespace marey
