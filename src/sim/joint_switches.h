// Switches of elements that act in one joint alone: how far the joint may go before one of them can come to zero.
//
// A step asks whether any switch may have been at zero within it (Sources::nothing_switched). Let f be the least of a joint's switches where
// it was looked at last, at q₀, and L(φ) the fastest that any changes within φ of it, per turn (way) of the joint. Then f > 0 within
//   φ < φ₀,   L(φ₀) φ < f                                                                                             (1)
// and a step that ends φ₁ from q₀, with speeds of at most w at its ends, has stayed there if φ₁ + 2 h w is less. That says of no step more than
// looking at all angles would; so what is kept here is a matter of time alone, and of no checkpoint.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "marey/force.h"

namespace marey {

class JointSwitches {
 public:
  explicit JointSwitches(const Model&);
  // One whose switches are functions of the joint of this link alone, at all times.
  void add(std::size_t element, int link);
  bool empty() const { return joints_.empty(); }
  // Something else has changed than where joints are.
  void forget();

  // Whether none was at zero in a step over h that ends here. look(element, f): its least switch; false where that may have been. rate(element, at, h):
  // a bound of the rates of its switches, as fastest_switch() has it.
  template <class Look, class Rate>
  bool all_kept(const Instant<double>& end, std::span<const double> v_start, double h, Look look, Rate rate);

 private:
  struct Joint {
    LinkTopology link;
    std::vector<std::size_t> elements;
    std::vector<double> q;  // q₀
    double room = 0;        // (1); 0: not known
  };
  static double way_from(const Joint&, std::span<const double> q);
  static double speed(const Joint&, std::span<const double> v);
  static constexpr double farthest = 0.01;  // φ₀, rad or m

  std::vector<Joint> joints_;
  std::vector<double> unit_;  // [nv] velocities of 1 in one joint
  const Model& model_;
};

template <class Look, class Rate>
bool JointSwitches::all_kept(const Instant<double>& end, std::span<const double> v_start, double h, Look look,
                             Rate rate) {
  for (Joint& joint : joints_) {
    const double moved = 2 * h * std::max(speed(joint, v_start), speed(joint, end.v));
    if (joint.room > 0 && way_from(joint, end.q) + moved < joint.room) continue;
    joint.room = 0;
    double room = farthest;
    const auto first = static_cast<std::size_t>(joint.link.v),
               count = static_cast<std::size_t>(freedom_count(joint.link));
    const std::span<double> own = std::span(unit_).subspan(first, count);
    own[0] = 1;
    if (!has_attitude(joint.link.joint)) std::ranges::fill(own, 1.0);
    Instant<double> at_one = end;
    at_one.v = unit_;
    bool kept = true;
    for (const std::size_t element : joint.elements) {
      double least = 0;
      kept = kept && look(element, least);
      if (!kept) break;
      const double fastest = rate(element, at_one, std::span<const double>(unit_), farthest);
      room = std::min(room, fastest > 0 ? least / fastest : farthest);
    }
    std::ranges::fill(own, 0.0);
    if (!kept) return false;
    joint.room = room;
    std::copy_n(end.q.begin() + joint.link.q, joint.q.size(), joint.q.begin());
  }
  return true;
}

}  // namespace marey
