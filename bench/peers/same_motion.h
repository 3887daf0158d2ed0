// Whether a peer's steps make Marey's motion: asked before a peer's time counts, and as a test of both.
//
// After the same steps, methods of one order agree to no more than their own error, as they step different coordinates (DART's
// free link goes along a screw, Simbody steps quaternions). What must be the same is the limit, and how it is come by. With
// ξ(h) what a method of order p with steps h ends away from the accurate motion, in each coordinate, and e(h) its largest number,
//   e(h) / e(h/2) = 2^p (1 + O(h)),    (2^p ξ(h/2) − ξ(h)) / (2^p − 1) = O(h^(p+1)):    (1)
// the second is how far off the limit is, by Richardson's extrapolation, and holds for the small coordinates too. What (1) leaves
// out is h times the rate at which things change: some 10 /s for a human that turns at some rad/s, so 1 % for steps of 1 ms.
// The same motion is asked for with some times that, and room for 10⁴ roundings of 10 rad/s in the limit:
//   |log2(e(h) / e(h/2)) − p| ≤ 1/10   and   limit ≤ e(h/2) / 20 + 1e-11.    (2)
// A lost term, a default damping or a clamp moves the limit by a part of the motion itself, which is far above that.
// The accurate motion is Marey's rk4 with steps of h/16: its error is 2⁻¹⁶ of its e(h).
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "from_model.h"
#include "marey/integrate.h"
#include "marey/simulation.h"
#include "peer.h"

namespace marey::peers {

// A peer's method with steps of a given length, and the method of Marey's that it stands beside.
struct SteppedRival {
  const char* engine;
  const char* method;
  int order;  // on a figure that turns, whatever the method's name
  Integrator ours;
};

// MuJoCo's and Bullet's RK4 add up the stages' angular velocities as if turns commuted: second order. Bullet's stages moreover
// all have the rotation that the base had when the step began: first order. Simbody's one method of fourth order with four or
// five evaluations is Merson's; it has no classic RK4.
inline constexpr SteppedRival stepped_rivals[] = {
    {"mujoco", "euler", 1, Integrator::semi_implicit},
    {"mujoco", "rk4", 2, Integrator::rk4},
    {"bullet", "semi_implicit", 1, Integrator::semi_implicit},
    {"bullet", "rk4", 1, Integrator::rk4},
    {"dart", "semi_implicit", 1, Integrator::semi_implicit},
    {"simbody", "semi_explicit", 1, Integrator::semi_implicit},
    {"simbody", "merson_steps", 4, Integrator::rk4},
};

// How a method comes to the accurate motion, with a step and with half of it. rad, m, rad/s, m/s: the largest of all.
struct Convergence {
  double coarse = 0, fine = 0;  // e(h), e(h/2)
  double limit = 0;             // (1), for the order that was asked for
  double order() const { return std::log2(coarse / fine); }
  // (2)
  bool same_motion(int asked) const { return std::abs(order() - asked) <= 0.1 && limit <= fine / 20 + 1e-11; }
};

class AccurateMotion {
 public:
  AccurateMotion(const Scene& scene, double step, double duration) : AccurateMotion(scene, step, duration, step / 16) {}
  // With other steps of Marey's, where a longer one is accurate enough.
  AccurateMotion(const Scene& scene, double step, double duration, double accurate_step)
      : scene_(scene), step_(step), duration_(duration), end_(by_marey(Integrator::rk4, accurate_step)) {}

  Convergence of_marey(Integrator integrator, int order) const {
    return convergence(away(by_marey(integrator, step_)), away(by_marey(integrator, step_ / 2)), order);
  }

  // Of a peer that holds the scene's figure, from its state i, which is the scene's start. None: the peer says why.
  std::optional<Convergence> of_peer(Peer& peer, const SteppedRival& rival, int i) const {
    const auto coarse = peer.integrate(rival.method, step_, duration_, i, end_.q.size());
    const auto fine = peer.integrate(rival.method, step_ / 2, duration_, i, end_.q.size());
    if (!coarse || !fine) return std::nullopt;
    return convergence(away(*coarse), away(*fine), rival.order);
  }

 private:
  State by_marey(Integrator integrator, double step) const {
    Scene scene = scene_;
    scene.solver.integrator = integrator, scene.solver.step = step;
    Simulation simulation(scene);
    simulation.run_until(duration_);
    return simulation.state();
  }

  // ξ: of the coordinates, then of the velocities.
  template <class Motion>
  std::vector<double> away(const Motion& found) const {
    std::vector<double> xi(end_.v.size());
    difference<double>(scene_.model, end_.q, found.q, xi);
    for (std::size_t k = 0; k < end_.v.size(); ++k) xi.push_back(found.v[k] - end_.v[k]);
    return xi;
  }

  static double largest(const std::vector<double>& xi) {
    double most = 0;
    for (const double x : xi) most = std::isfinite(x) ? std::max(most, std::abs(x)) : HUGE_VAL;
    return most;
  }

  static Convergence convergence(const std::vector<double>& coarse, const std::vector<double>& fine, int order) {
    const double power = std::exp2(order);
    std::vector<double> limit;
    for (std::size_t k = 0; k < fine.size(); ++k) limit.push_back((power * fine[k] - coarse[k]) / (power - 1));
    return {largest(coarse), largest(fine), largest(limit)};
  }

  Scene scene_;
  double step_, duration_;
  State end_;
};

}  // namespace marey::peers
