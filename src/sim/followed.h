// What depends on the whole way of a link, and not on its state alone: the length of the path of its origin, and Euler angles
// that go on without jumps.
//
// Both are found on the curve of each step, after the step (World::at, as recorders read it), and not as rates that the method
// integrates along: the motion is the same to the last bit whether anybody asks for them or not, steps that are chosen
// included; every method serves, since every one has a curve; and where a point turns back and |v| has a corner, the
// quadrature halves its intervals, and not the method its steps. The price is that the order is that of the curve's velocities.
//
// Length, R (2.4): s = ∫ |v| dt, by Gauss's rule of 3 points and Kronrod's of 7 that contains it, halved where they differ.
#pragma once

#include "marey/closed_form/euler_angles.h"
#include "marey/sim.h"

namespace marey {

class World;

class Followed {
 public:
  static bool is_asked_for(const RecordOptions& o) { return !o.paths.empty() || !o.euler_zyz.empty(); }

  // At the start of a run.
  explicit Followed(const Scene&);

  // The world has taken a step.
  void follow(const World&);
  // At a time within its last step.
  void at(double t, const World&, std::vector<double>& values);
  // At the world's present time; all that a checkpoint needs: lengths of [paths], then three angles each of [euler_zyz].
  std::span<double> values() { return now_; }
  // Other values have been put there, as a checkpoint has them: no step led to them.
  void restored() { before_ = now_; }
  static std::size_t path(std::size_t i) { return i; }
  static std::size_t angles(const RecordOptions& o, std::size_t i) { return o.paths.size() + 3 * i; }

 private:
  struct Interval {
    double from, to;
    int halvings;
  };
  struct Attitude {
    Mat3<double> R;
    Vec3<double> w;
  };

  void go(const World&, double from, double to, std::span<double> values);
  const Kinematics<double>& kinematics_at(double t, const World&);
  const Kinematics<double>& kinematics_of(const State&);
  void add_lengths(const World&, double from, double to, std::span<double> lengths);
  void turn_on(const World&, int link, double from, const Attitude&, double to, const Attitude&, EulerZyz&);
  Attitude attitude(const Kinematics<double>& k, int link) const {
    return {k.X_WB[static_cast<std::size_t>(link)].R, k.V_WB[static_cast<std::size_t>(link)].w};
  }
  void look(const Kinematics<double>&, std::vector<Attitude>&) const;
  void put_angles(std::size_t i, const EulerZyz&, std::span<double> values) const;
  EulerZyz angles_in(std::size_t i, std::span<const double> values) const;

  const Model& model_;
  const RecordOptions& record_;
  std::vector<double> before_, now_;  // at the beginning and the end of the last step
  State state_;
  Kinematics<double> kinematics_;
  std::vector<double> gauss_, kronrod_;  // [paths] of one interval
  std::vector<Interval> open_;
  std::vector<Attitude> begin_, end_;  // [euler_zyz] of the interval that is gone through
  int looks_left_ = 0;
};

}  // namespace marey
