// A run's instants through every solver that applies: do they agree?
#pragma once

#include <optional>

#include "marey/dynamics/baraff.h"
#include "sim/world.h"

namespace marey {

class Verifier {
 public:
  explicit Verifier(const Scene&);
  // The world's present state, with all that acts on it then.
  void compare(World&);
  const Verification& result() const { return result_; }

 private:
  struct Candidate {
    Dynamics dynamics;
    Solver solver;
  };
  struct Lengths {
    double angular = 0, linear = 0;
  };
  void measure_inertia(const State&);
  double through_joints() const;
  double through_joints_summed();
  double size_of_wrenches();
  double size_of_gyration();
  double size_of_inertia(const State&, std::span<const double> vdot);
  void measure_forces(const State&, const Forces<double>&);
  double residual(const State&, const Forces<double>&, std::span<const double> vdot);
  // What a solver has left in vdot_.
  void judge(const State&, const Forces<double>&, Verification::Entry&);

  const Model& model_;
  bool maximal_;
  AbaWorkspace<double> aba_;
  std::vector<Candidate> candidates_;
  std::optional<BaraffWorkspace> baraff_;
  CrbaWorkspace<double> crba_;
  Params<double> weightless_;
  Kinematics<double> kinematics_;
  MotionAxes axes_;
  RneaWorkspace<double> rnea_;
  std::vector<double> reference_, vdot_, tau_, zero_;
  std::vector<Lengths> sizes_;   // [nlink] of wrenches
  double norm_ = 0, kappa_ = 1;  // of the mass matrix, in the 2-norm; 0 where it is too large to be decomposed
  double size_ = 0;              // of all that acts
  Verification result_;
};

}  // namespace marey
