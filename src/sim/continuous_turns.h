// Attitudes as they are recorded. q and −q are the same rotation; which of the two is recorded follows from the joints'
// coordinates, which never jump: so neither does it, whoever asks, however often, and wherever a run is resumed. At the start w ≥ 0.
//
//   q_WB = q_WP q_PF q_FB        q_FB of a turn by θ about u: (cos θ/2, u sin θ/2); of balls and free joints their own    (1)
//
// From frame to frame the nearer of the two is recorded, as long as links turn by less than half a turn in between.
#pragma once

#include <span>
#include <vector>

#include "marey/model.h"

namespace marey {

class ContinuousTurns {
 public:
  ContinuousTurns(const Model&, const State& start);

  void follow(const State&);
  // The unit quaternion of R_WB, by Shepperd's way, with the sign of (1) at the state followed to.
  Quaternion<double> of(std::size_t link, const Mat3<double>& R_WB) const;

 private:
  const Model& model_;
  std::vector<Quaternion<double>> q_PF_, q_WB_;  // [nlink]
  std::vector<double> sign_;                     // [nlink] with which w ≥ 0 at the start
};

}  // namespace marey
