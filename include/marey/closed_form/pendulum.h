// The compound pendulum, of any swing, in closed form: θ̈ = −κ sin θ.
#pragma once

#include <memory>

namespace marey {

// It swings to and fro, or round and round, or (exactly between the two) up to the top for ever. θ from the lowest place;
// whole turns are kept. κ = m g l/I ≥ 0, 1/s². Throws Error where a number is not finite or κ is negative.
class Pendulum {
 public:
  Pendulum(double kappa, double theta0, double rate0);

  double angle(double t) const;
  double rate(double t) const;
  double period() const;  // of the swing, or of one turn; infinite between the two, where it hangs at rest 2π/√κ

 private:
  struct Solution;
  std::shared_ptr<const Solution> solution_;
};

}  // namespace marey
