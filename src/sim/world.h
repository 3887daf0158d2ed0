// A world: model, elements, solver and stepper put together. It knows nothing of files or channels.
#pragma once

#include "marey/sim.h"
#include "sim/ledger.h"
#include "sim/solver.h"

namespace marey {

class World {
 public:
  explicit World(const Scene&);

  void step();  // one fixed step

  long long steps() const { return steps_; }
  double time() const { return static_cast<double>(steps_) * scene_.solver.step; }
  const State& state() const { return state_; }
  std::span<const double> integrals() const { return integrals_; }
  const RateLayout& layout() const { return layout_; }
  const LedgerState& ledger() const { return ledger_; }
  std::span<const double> modes() const { return modes_; }

  // Energy and momentum of any state at time t, potentials of elements included.
  Balance balance(double t, std::span<const double> q, std::span<const double> v);
  // The link that holds the first number that is not finite, or −1.
  int broken_link() const;

  // Everything that makes the future: state, switches, account, band coefficients.
  std::vector<std::byte> save();
  void restore(std::span<const std::byte>);

 private:
  void right_hand_side(double t, std::span<const double> q, std::span<const double> v, std::span<double> vdot,
                       std::span<double> rates);
  void sum_elements(const Instant<double>&, std::span<double> rates);
  void book_gravity(std::span<double> rates) const;
  void book_world(std::span<const double> q, std::span<const double> v, std::span<const double> vdot,
                  std::span<double> rates);
  void set_modes();
  template <class Archive>
  void exchange(Archive&);

  const Scene& scene_;
  State state_;
  long long steps_ = 0;
  RateLayout layout_;
  LedgerState ledger_;
  std::vector<double> integrals_, modes_;
  std::vector<std::size_t> mode_start_;  // [elements + 1]
  bool held_ = false;                    // some root is not free, so that the world pushes back
  Kinematics<double> kinematics_;
  ForceSum<double> forces_;
  Solver solver_;
  RneaWorkspace<double> rnea_;
  std::vector<double> rnea_tau_;
  Stepper<double> stepper_;
};

// The wrench the joint's own forces put on a link, about Bo in B.
Wrench<double> wrench_of_joint_force(const LinkTopology&, const LinkParams<double>&, const Mat3<double>& R_FB,
                                     const double* tau);

}  // namespace marey
