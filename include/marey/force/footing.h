// Ground for feet: heels and toes that give way, friction, and a plank that bends (R 4.4.2.1).
#pragma once

#include <optional>
#include <vector>

#include "marey/force.h"
#include "marey/spec/keys.h"

namespace marey {

// The force of what gives way by z ≥ 0 at the rate ż: static(z) + damping(z) ż, never below 0. Either (4.7), a z^b + d ż; or, from
// two measured curves, at rest and at a speed v: the first, and their difference over v as the damping.
struct Pad {
  double stiffness = 0, exponent = 1, damping = 0;  // a (N/m^b), b, d; where there are no curves
  // Curves: at ascending depths from 0 on, forces from 0 on; cubic in between, without swinging beyond, and straight on at the end.
  struct Curve {
    std::vector<double> depth, force, slope;
  };
  Curve at_rest, in_motion;
  double speed = 0;  // of the second
};
Pad::Curve pad_curve(std::vector<double> depth, std::vector<double> force);

// A beam by its first modes; its deflection is counted from how it lies under its own weight.
struct Plank {
  enum class Held { both_ends, one_end };  // hinged at both, or clamped at the first
  Held held = Held::both_ends;
  Vec3<double> middle;          // in W, of its upper side
  Vec3<double> along{1, 0, 0};  // in W, unit, level; from the first end on
  double length = 0, mass = 0;
  double stiffness = 0;  // N/m, of a load at rest in the middle, or at the free end
  double damping = 0;    // of each mode, as a part of the critical one
  int modes = 3;
};

// Points of feet on it. All heels are alike, and so are all toes.
struct Footing {
  std::vector<int> links;
  Vec3<double> heel_B;
  std::optional<Vec3<double>> toes_B;
  double height = 0;  // of the ground; where there is a plank, that has it
  Pad pad;
  double friction = 0;  // while it does not slide
  double sliding = 0;   // while it does, fast
  double slow = 0.1;    // m/s: what is slow
  double give = 1e-3;   // m, by which a sole gives way to the side before it slides
  // T_G: a torque that holds each foot at the angle at which it started, about a level axis. What acts below a foot can do no more than
  // the load times a lever.
  double lever = 0;  // m; 0: none
  double turning_stiffness = 0, turning_damping = 0;
  Vec3<double> about{1, 0, 0};          // in W, unit
  std::vector<Vec3<double>> upright_B;  // [links] across that axis, and `upright_W` at the start
  Vec3<double> upright_W{0, 0, 1};
  std::optional<Plank> plank;
};
const ElementLaw& law_of(const Footing*);

// ---- what scenes say
const KeyTable& pad_keys();
const KeyTable& plank_keys();
const KeyTable& foot_torque_keys();

// ---- modes of beams, for tests and for those who choose constants
struct BeamMode {
  double beta = 0;       // wave number times length
  double frequency = 0;  // rad/s
  Plank::Held held = Plank::Held::both_ends;
  double shape(double xi) const;  // at ξ = x/length; ∫₀¹ shape² dξ = 1
  double slope(double xi) const;  // d shape/dξ
};
std::vector<BeamMode> modes_of(const Plank&);

}  // namespace marey
