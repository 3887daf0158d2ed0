// Which quantities a run records, and their values at an instant.
#pragma once

#include "sim/world.h"

namespace marey {

std::vector<Channel> channels_of(const Scene&);

class Recorder {
 public:
  explicit Recorder(const Scene&);

  // Before a step: what dense output needs of its start.
  void before_step(const World&);
  // Fills a row at time t, which lies within the step just done (or at the state the world is in, before any step).
  std::span<const double> row_at(double t, World&);

 private:
  void state_at(double t, const World&);
  void fill(World&);
  void put(double x) { row_[at_++] = x; }
  void put(const Vec3<double>& a) { put(a.x), put(a.y), put(a.z); }
  void put_energy_and_momentum(World&, const Totals<double>&);
  void put_links();
  void put_joints();
  void put_elements();

  const Scene& scene_;
  RateLayout layout_;
  State start_, now_;                                // start of the last step; the asked instant
  std::vector<double> start_integrals_, integrals_;  // likewise
  bool stepped_ = false;
  std::vector<double> xi_end_, rate_end_, xi_, xi_rate_;
  Kinematics<double> kinematics_;
  ForceSum<double> forces_;
  AbaWorkspace<double> aba_;
  RneaWorkspace<double> rnea_;
  std::vector<double> vdot_, tau_, powers_;
  std::vector<double> row_;
  std::size_t at_ = 0;
};

}  // namespace marey
