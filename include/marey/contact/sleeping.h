// Islands of loose bodies and figures that have come to rest and are left alone until something happens to them.
//
// A loose body (a free link without others, in no constraint) is quiet while no point of its shapes is faster than `below`. Bodies that contacts join, whose weight contacts carry, and on which nothing but gravity acts fall asleep together,
// with the first step after all of them have been quiet for `lasts`, unless something is struck in it: their velocities become zero, and what
// that takes of energy and momenta is booked under `sleep`. While they sleep they keep their places to the bit; what holds them up, h m g
// in a step, is booked there as well, since nobody solves for it. An island wakes as a whole
//   by contact   something awake comes down on one of its bodies within the step
//   by force     anything but gravity acts on one: v̇ is another than that of a body at rest
//   by motion    somebody has given one a velocity
// and goes on in the same step from rest, with the impulses its contacts had when it fell asleep as a guess.
// A figure (a tree on a free root, in no constraint) sleeps as a whole, when all of its links are quiet and contacts carry its weight. What acts in its
// joints may hold it; from outside only gravity may, which the first step of its sleep makes sure of by what its links would do at rest:
//   Σ I_i A_i = Σ m_i g about Wo,   A_i: accelerations of all else that acts, with v = 0                             (1)
// It wakes by force when v̇ of all else that acts is not that of this first step any more, which is State.
// Who sleeps, and for how long the others have been quiet, is State. A step may be taken again: what happens in an attempt counts once the
// step is accepted.
#pragma once

#include <optional>
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

  // What sleeps as one with a link is known by its root. Its mass.
  int whole(int link) const { return roots_[static_cast<std::size_t>(link)]; }
  double mass(int whole) const { return bodies_[static_cast<std::size_t>(whole)].m; }
  bool is_asleep(int link) const { return now_[static_cast<std::size_t>(link)] > 0; }
  int count() const { return count_; }  // bodies and figures asleep, in this step

  // ---- a step
  // What it takes from a world: energy, and momenta about Wo.
  struct Taken {
    double energy = 0;
    Wrench<double> momentum;
  };
  // Begins, perhaps once more, at (q, v): those whose turn it is stop, and what moves although it was asleep is awake.
  Taken begin_attempt(std::span<const double> q, std::span<double> v);
  // The accelerations of all else that acts, at q: what more than gravity acts on wakes.
  void notice_forces(std::span<const double> q, std::span<const double> vdot);
  void wake_with(int link);  // its island
  // Those asleep have no acceleration; those who have woken since they were held have what they had.
  void hold(std::span<double> vdot);
  void release(std::span<double> vdot);
  void keep(std::span<const double> q_before, std::span<double> q) const;
  // The step has been found, over h, to end with v, by accelerations of all else that acts; what it takes to hold those who sleep.
  Wrench<double> finish(double h, std::span<const double> q, std::span<double> v, std::span<const double> vdot);
  // The step counts.
  void accept();
  // Bodies of one island: whether all have been quiet for long enough. Then they are to fall asleep together.
  bool is_quiet(int link) const;
  void let_sleep(int link, int island);

  void exchange(const Part::Archive&);

 private:
  static constexpr double felt = 1e-6;  // of gravity: a push, or a change of what acts, that is less does not wake
  static constexpr double felt_alone = 1e-9;  // m/s², rad/s², where there is no gravity

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
  struct Figure {
    std::size_t root = 0;
    std::vector<std::size_t> links;  // the root first
  };
  // Of loose bodies.
  template <class F>
  void for_sleepers(F&& f) const {
    for (std::size_t i = 1; count_ > 0 && i < now_.size(); ++i)
      if (now_[i] > 0 && bodies_[i].may_sleep) f(i, bodies_[i]);
  }
  // f(figure), and f(first number of v, how many) of its joints.
  template <class F>
  void for_sleeping_figures(F&& f) const {
    for (const Figure& figure : figures_)
      if (count_ > 0 && now_[figure.root] > 0) f(figure);
  }
  template <class F>
  void for_velocities(const Figure& figure, F&& f) const {
    for (const std::size_t i : figure.links)
      f(static_cast<std::size_t>(model_.links[i].v), static_cast<std::size_t>(freedom_count(model_.links[i])));
  }
  void find_figures(std::span<const char> alone);
  void begin_figures(std::span<const double> q, std::span<double> v, Taken&);
  void notice_forces_on_figures(std::span<const double> q, std::span<const double> vdot);
  bool only_gravity_acts_on(const Figure&) const;
  bool acts_otherwise(const Figure&, std::span<const double> vdot) const;
  bool may_be_slow(const Figure&, std::span<const double> v) const;
  bool is_slow(const Figure&) const;
  void finish_figures(double h, std::span<const double> q, std::span<double> v, Wrench<double>& held);
  bool is_pushed(const Body&, std::span<const double> vdot, double by_turning) const;
  static Vec3<double> centre(const Body&, std::span<const double> q);
  void wake(int island);

  const Model& model_;
  SleepOptions options_;
  Vec3<double> gravity_;
  std::vector<Body> bodies_;        // [nlink]
  std::vector<int> islands_, now_;  // [nlink] 0: awake; a number: asleep; its negative: falls asleep with the next step
  std::vector<double> quiet_, quiet_now_;  // [nlink] s: for how long
  std::vector<int> woken_;                 // links, in this step
  int count_ = 0;
  std::vector<int> roots_;  // [nlink] what a link sleeps with; itself where it is loose or never sleeps
  std::vector<double> reach_;
  std::vector<Figure> figures_;
  Kinematics<double> kinematics_;           // scratch, of figures
  std::vector<double> vdot_asleep_, held_;  // [nv] v̇ in the first step of a figure's sleep; before hold()
};

}  // namespace marey
