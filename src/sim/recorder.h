// Which quantities a run records, and their values at an instant.
#pragma once

#include "sim/world.h"

namespace marey {

std::vector<Channel> channels_of(const Scene&);

class Recorder {
 public:
  explicit Recorder(const Scene&);

  // Fills a row at time t, which lies within the step just done, or at the state the world is in.
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
  void put_contacts(FloorContacts&);
  void put_group(const FloorContacts&, std::span<const std::size_t> group);
  void put_constraints(HeldConstraints&);

  const Scene& scene_;
  RateLayout layout_;
  State now_;  // the asked instant
  bool within_step_ = false;
  std::vector<double> integrals_;
  Kinematics<double> kinematics_;
  ForceSum<double> forces_;
  AbaWorkspace<double> aba_;
  RneaWorkspace<double> rnea_;
  std::vector<double> vdot_, tau_, powers_;
  std::vector<std::vector<std::size_t>> groups_;  // contacts whose sums are recorded
  std::vector<double> row_;
  std::size_t at_ = 0;
};

}  // namespace marey
