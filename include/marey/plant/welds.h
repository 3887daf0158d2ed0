// Welding on the fly (P6): joints that have been still for a while are held, and let go when that takes force.
//
// A joint is still while the size of its velocity is below a bound. What a weld carries is the joint's force that its rest needs
// beyond what acts in the joint,
//   c = (M v̇ + b)_joint − τ_joint,      v̇ of the figure with its welds                                            (1)
// which is what would set the joint in motion: the weld breaks when |c| exceeds a bound, whatever the speed, and none is made
// that would carry more than half of it.
#pragma once

#include <memory>

#include "marey/plant/part.h"
#include "marey/plant/reduced_figure.h"

namespace marey {

class Welds final : public Part {
 public:
  // `start`: of the joints. `never`: links whose joints are not to be welded, since others act in them.
  Welds(const Model&, const State& start, const SolverOptions&, std::span<const int> never);

  int count() const { return looks_back() ? count_before_ : count_; }
  int most() const { return static_cast<int>(most_); }
  long long made() const { return made_; }
  long long woken() const { return woken_; }
  bool welded(int link) const { return held_[link] != 0; }
  std::span<const char> held() const { return held_; }  // [nlink], at present
  // The figure with its welds; null where there are none.
  ReducedFigure* figure() { return looks_back() ? before_.get() : figure_.get(); }

  // Within the last step the welds were those with which it began.
  void begin_step(double) override;
  void begin_record(bool within_last_step) override { look_back_ = within_last_step; }
  void end_record() override { look_back_ = false; }
  // Joints are looked at between steps.
  double longest_step(const State&) const override { return options_.weld->lasts; }

  // ---- at the end of a step
  // (1) of all welded joints, of `needed` = M v̇ + b and the forces that act in the joints; of others 0.
  void carry(std::span<const double> needed, std::span<const double> tau);
  std::span<const double> carried() const { return carried_; }  // [nv]
  // Lets those go that carry too much, where there are any.
  bool any_overloaded() const;
  void wake(const State&);
  // Lets all go, as an impulse does, which is more than any weld carries.
  void wake_all(const State&);
  // Chooses the joints that have been still for long enough. True when there are any.
  bool choose(const State&);
  // Welds the chosen ones, with velocities as after the impulse; to be weighed by carry(), and taken back in part by drop().
  void weld(State&);
  // Takes chosen joints that would carry too much out of the choice. True when there were any.
  bool drop(double t);
  bool any_chosen() const;
  // The welds just tried are made.
  void keep();
  // Those that were there before the choice.
  void forget_choice();

  void exchange(const Archive& archive) override {
    archive(std::as_writable_bytes(std::span(held_)));
    archive(std::as_writable_bytes(std::span(since_)));
    archive(std::as_writable_bytes(std::span(q_held_)));
    archive(std::as_writable_bytes(std::span(&made_, 1)));
    archive(std::as_writable_bytes(std::span(&woken_, 1)));
    archive(std::as_writable_bytes(std::span(&most_, 1)));
  }
  void restored() override;

 private:
  bool looks_back() const { return look_back_ && changed_; }
  bool is_overloaded(int i) const;
  template <class Which>
  void let_go(const State&, Which which);
  double size_in(std::span<const double> x, int i) const;
  void remember();
  void rebuild();

  const Model& model_;
  SolverOptions options_;
  std::vector<char> held_, chosen_;  // [nlink]
  std::vector<char> may_be_held_;    // [nlink] not what is free in the world, and not what a drive or coupling moves
  std::vector<double> since_;        // [nlink] when the joint was last seen moving
  std::vector<double> q_held_;       // [nq] of welded joints: where they are held
  std::vector<double> carried_;      // [nv]
  std::unique_ptr<ReducedFigure> figure_, before_;
  int count_ = 0, count_before_ = 0;
  bool changed_ = false, look_back_ = false;  // changed: since the step began
  long long made_ = 0, woken_ = 0, most_ = 0;
};

}  // namespace marey
