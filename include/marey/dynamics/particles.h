// Particles as arrays. A particle is a link on a point joint on the world, whose axes are the world's, with its centre of mass
// at Bo and nothing hanging on it: it never turns, and nobody's motion but its own depends on its coordinates,
//   p_WoBo = l + q     v_WBo = v     m v̇ = m g + f + τ                                                        (1)
// so that there is nothing to recur over. What elements ask of many of them at once stands here in one array for each
// component, in the order of the links; links that are welded to the world at a frame of its axes have a place between them
// (springs end there), and no mass.
#pragma once

#include <span>
#include <vector>

#include "marey/core/aligned.h"
#include "marey/dynamics.h"

namespace marey {

bool is_particle(const Model&, int i);
int count_particles(const Model&);

class ParticleStore {
 public:
  static constexpr int lanes = 8;  // arrays may be read and written this far beyond their end

  explicit ParticleStore(const Model&);

  int size() const { return static_cast<int>(link_.size()); }                         // places
  int place_of(int link) const { return place_of_[static_cast<std::size_t>(link)]; }  // −1: none
  int link_at(int place) const { return link_[static_cast<std::size_t>(place)]; }

  // Particles whose links, coordinates and velocities follow one another.
  struct Run {
    int place, link, q, v, count;
  };
  std::span<const Run> runs() const { return runs_; }

  // What they weigh in the model, which has the same particles as before.
  void take_masses(const Model&);
  // Where they are, and how fast.
  void put(std::span<const double> q, std::span<const double> v);
  bool are_at(std::span<const double> q, std::span<const double> v) const;
  long long puts() const { return puts_; }  // how often
  // As links.
  void show(Kinematics<double>&) const;

  // Forces that are kept here until they are handed over to the links: to all of them, or to those alone that are held.
  void clear_forces();
  void hand_over(std::span<Wrench<double>> F_Bo_W) const;
  void hand_over_to_held(std::span<Wrench<double>> F_Bo_W) const;

  // v̇ (1): of forces on links; and of those that are kept here, where there are no others.
  void accelerate(const Vec3<double>& gravity, const Forces<double>&, std::span<double> vdot) const;
  void accelerate(const Vec3<double>& gravity, std::span<double> vdot) const;
  // Δv of p, and p of v.
  void divide_by_mass(std::span<const double> p, std::span<double> v) const;
  void multiply_by_mass(std::span<const double> v, std::span<double> p) const;
  // Adds what they have to the sums of all links.
  void add_to(Totals<double>&) const;
  void add_mass_moment(double& all, Vec3<double>& first_moment) const;

  AlignedDoubles x, y, z, vx, vy, vz;  // [size + lanes] by put()
  AlignedDoubles mass;                 // [size + lanes] 0: held
  AlignedDoubles fx, fy, fz;           // [size + lanes] forces

 private:
  std::vector<int> link_, place_of_, held_;
  std::vector<Run> runs_;
  AlignedDoubles l_x_, l_y_, l_z_, inverse_mass_;
  double whole_mass_ = 0;
  long long puts_ = 0;
};

}  // namespace marey
