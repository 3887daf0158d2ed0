// How time goes on in fixed steps where things touch (SolverOptions::contact, stepping).
//
// A step of length h, in three parts (drift, kick, drift; Moreau 1988 and Jean 1999 for the kick with contacts):
//   q = q⁻ ⊕ ½h v⁻                                                                                                   (1)
//   v⁺ = v⁻ + h v̇(t + ½h, q, ½(v⁻ + v⁺)) + M⁻¹ Jᵀ P                                                                 (2)
//   q⁺ = q ⊕ ½h v⁺                                                                                                   (3)
// with the impulses P of marey/contact/stepped_contacts.h. In (2) ½(v⁻ + v⁺) is found by two rounds, so that free flight is of
// second order; at impacts and where friction turns round it is of first order. States of sources, ż = f, go by the same
// midpoint rule.
// Two rounds are Runge's method, by which what turns fast gains energy, since v̇ is quadratic in v: about (h ω)⁴/8 of it in a step. Loose bodies and figures that do
// so go their own way in (1) and (3), and v̇ is of all else (sim/tumbling.h). Of others that turn so fast, as on the world or under constraints, the run says so.
// Where something is struck, (2) has instead of v̇ at the mean velocity the mean of v̇ before and after,
//   ½(v̇(q, v⁻) + v̇(q, v⁺))                                                                                          (4)
// which is the same for forces that are linear in v. What M(q) v changes by along (1) and (3) is quadratic, half of it with v⁻ and half
// with v⁺, so that with (4) momenta are kept through impacts to second order. The impulse then acts between
// v⁻ + ½h v̇⁻ and v⁺ − ½h v̇⁺; its work by the mean of these is that by ½(v⁻ + v⁺) and
//   ¼h (v⁺ − v⁻) · (Q⁻ − Q⁺)      Q = M v̇ before and after                                                           (5)
// Works are those of the mean velocity: what M (v⁺ − v⁻) is made of, times ½(v⁻ + v⁺), adds up to the change of the kinetic energy
// without any error, and (1), (3) move all by h ½(v⁻ + v⁺). So what the books leave is the bending of the way within a step.
// Gravity and inertia are looked at in q instead of q̄ = q ⊕ ¼h (v⁺ − v⁻) where no velocity feels more of it than a third of what rounds leave.
// A step ends early where fast bodies meet (marey/contact/leaps.h), so that they are found in the middle of a step as they touch:
// Let them meet s after the start of a step, and σ be a time in which they come closer by an eighth of τ at most. Its length becomes
//   s − σ        where s > 1.5 σ: the next one has them before it                                                    (6)
//   2s           else, if 2s < h: they meet in its middle
//   2s − h       else: they do in the middle of what is left of h
//   ½h − ½s′     if something was struck in its middle already, and s = ½h + s′: the next one has that in its middle again, and ends
//                before they meet
// and, where that has been so too often on the way to its end, not early: the run then says so. It becomes half as long where Newton's method does
// not settle, or where stiff springs (sim/implicit_forces.h) would bring energy that nobody has given.
#pragma once

#include <memory>

#include "marey/contact/stepped_contacts.h"
#include "marey/integrate.h"
#include "marey/plant/plant.h"
#include "sim/implicit_forces.h"
#include "sim/tumbling.h"

namespace marey {

// What acts within joints, where nothing else does.
class TorquesInJoints {
 public:
  virtual ~TorquesInJoints() = default;
  // At q and v, and the rates of the account; links are where the plant has them, and move as V_WB says. False: something acts beside.
  virtual bool torques_alone(double t, std::span<const double> q, std::span<const double> v,
                             std::span<const Twist<double>> V_WB, std::span<double> tau, std::span<double> rates) = 0;
  // Whether there is nothing else.
  virtual bool act_in_joints_alone() const = 0;
};

// `flow`: everything but the contacts. All to stay alive.
// `stiff`: what is taken implicitly (sim/implicit_forces.h); null: nothing. The last: loose bodies that may turn fast (sim/tumbling.h).
std::unique_ptr<Method> make_stepping(Flow& flow, Surroundings&, TorquesInJoints&, SteppedContacts&, const RateLayout&,
                                      ImplicitForces* stiff, Tumbling);

}  // namespace marey
