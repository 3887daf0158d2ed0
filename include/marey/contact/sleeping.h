// Islands of loose bodies that have come to rest and are left alone until something happens to them.
//
// A loose body (a free link without others, in no constraint) is quiet while no point of its shapes is faster than `below`. Bodies that contacts join, whose weight contacts carry, and on which nothing but gravity acts fall asleep together,
// with the first step after all of them have been quiet for `lasts`, unless something is struck in it: their velocities become zero, and what
// that takes of energy and momenta is booked under `sleep`. While they sleep they keep their places to the bit; what holds them up, h m g
// in a step, is booked there as well, since nobody solves for it. An island wakes as a whole
//   by contact   something awake comes down on one of its bodies within the step
//   by force     anything but gravity acts on one: v̇ is another than that of a body at rest
//   by motion    somebody has given one a velocity
// and goes on in the same step from rest, with the impulses its contacts had when it fell asleep as a guess.
// Who sleeps, and for how long the others have been quiet, is State. A step may be taken again: what happens in an attempt counts once the
// step is accepted.
#pragma once

#include <span>
#include <vector>

#include "marey/dynamics.h"
#include "marey/plant/part.h"
#include "marey/solver.h"

namespace marey {

class Sleeping {
 public:
  // `alone`: [nlink] what has no part in constraints; `reach`: [nlink] how far shapes and points go from Bo, m. The model is to stay alive.
  Sleeping(const Model& figure, const SleepOptions&, std::span<const char> alone, std::span<const double> reach);

  double mass(int link) const { return bodies_[static_cast<std::size_t>(link)].m; }
  bool may_sleep(int link) const { return bodies_[static_cast<std::size_t>(link)].may_sleep; }
  bool is_asleep(int link) const { return now_[static_cast<std::size_t>(link)] > 0; }
  int count() const { return count_; }  // asleep, in this step

  // ---- a step
  // What it takes from a world: energy, and momenta about Wo.
  struct Taken {
    double energy = 0;
    Wrench<double> momentum;
  };
  // Begins, perhaps once more, at (q, v): those whose turn it is stop, and what moves although it was asleep is awake.
  Taken begin_attempt(std::span<const double> q, std::span<double> v);
  // The accelerations of all else that acts: what more than gravity acts on wakes.
  void notice_forces(std::span<const double> vdot);
  void wake_with(int link);  // its island
  // Those asleep have no acceleration; those who have woken since they were held have that of gravity.
  void hold(std::span<double> vdot) const;
  void release(std::span<double> vdot);
  void keep(std::span<const double> q_before, std::span<double> q) const;
  // The step has been found, over h, to end with v, by accelerations of all else that acts; what it takes to hold those who sleep.
  Wrench<double> finish(double h, std::span<const double> q, std::span<double> v, std::span<const double> vdot);
  // The step counts.
  void accept();
  // Bodies of one island: whether all have been quiet for long enough. Then they are to fall asleep together.
  bool is_quiet(int link) const;
  void let_sleep(int link, int island) { islands_[static_cast<std::size_t>(link)] = -island; }

  void exchange(const Part::Archive&);

 private:
  struct Body {
    bool may_sleep = false;
    std::size_t q = 0, v = 0;  // where its coordinates begin
    double m = 0, reach = 0, turning_reach = 0;
    Mat3<double> R;        // R_PF, with P the world: q and v are in F
    Vec3<double> l;        // p_WoFo_W
    Vec3<double> gravity;  // in F
    Vec3<double> c;        // p_BoC_B
    Sym3<double> J;        // about C
  };
  template <class F>
  void for_sleepers(F&& f) const {
    for (std::size_t i = 1; count_ > 0 && i < now_.size(); ++i)
      if (now_[i] > 0) f(i, bodies_[i]);
  }
  bool is_pushed(const Body&, std::span<const double> vdot, double by_turning) const;
  static Vec3<double> centre(const Body&, std::span<const double> q);
  void wake(int island);

  SleepOptions options_;
  Vec3<double> gravity_;
  std::vector<Body> bodies_;        // [nlink]
  std::vector<int> islands_, now_;  // [nlink] 0: awake; a number: asleep; its negative: falls asleep with the next step
  std::vector<double> quiet_, quiet_now_;  // [nlink] s: for how long
  std::vector<int> woken_;                 // links, in this step
  int count_ = 0;
};

}  // namespace marey
