// How figures answer to what acts on them, in the coordinates that are integrated.
//
// Whatever restricts (constraints, contacts) is rows J of these coordinates, and asks two things of a plant, whichever it is:
//   v̇ = M⁻¹ (f − b)      of forces          accelerate()
//   Δv = M⁻¹ p           of an impulse       respond()
// so that A = J M⁻¹ Jᵀ and all that follows from it is the same code for joints' coordinates (marey/plant/reduced_plant.h), joints of
// which some are welded, and bodies whose joints are rows themselves (marey/plant/maximal_plant.h). M is what the plant's own joints
// leave.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "marey/force.h"
#include "marey/plant/books.h"
#include "marey/rows.h"
#include "marey/rows/held_response.h"
#include "marey/solver.h"

namespace marey {

class Part;

class Plant : public Response {
 public:
  // `figure`: what sources and recordings see. `coordinates`: whose q and v are integrated.
  Plant(const Model& figure, const Model& coordinates);

  const Model& figure() const { return figure_; }
  const Model& coordinates() const { return coordinates_; }
  // A state of the figure in these coordinates, put where the joints hold.
  virtual State from_joints(const State& s) { return s; }

  // ---- an instant; everything below is about the last one. q and v are to stay alive, and are those of coordinates().
  // Sources see it in the coordinates of the joints.
  virtual Instant<double> place(double t, std::span<const double> q, std::span<const double> v,
                                std::span<const double> z, const Past*) = 0;
  const Kinematics<double>& kinematics() const { return kinematics_; }
  std::span<const double> q() const { return q_; }
  std::span<const double> v() const { return v_; }

  // Masses in figure() are others than they were: what was made of them is to be made anew at the next instant.
  virtual void masses_changed() {}

  // ---- what forces and impulses do
  // Before forces are summed; and when sources have added theirs, those that the plant itself has kept for them (Instant::particles).
  virtual void clear(ForceSum<double>& sum) const { sum.clear(); }
  virtual void collect(ForceSum<double>&) const {}
  // v̇ of the forces, without any rows. To be called before respond() of the same instant, where both are.
  virtual void accelerate(const Forces<double>&, std::span<double> vdot) = 0;
  // Before respond_by_half() by what was found at an earlier visit to this place.
  virtual void renew_factors() {}
  // Of these links, as the v̇ that accelerate() has just found moves them: angular acceleration and acceleration of Bo, in W. False:
  // not known. A_WB: [nlink].
  virtual bool link_accelerations(std::span<const int> /*links*/, std::span<Twist<double>> /*A_WB*/) const {
    return false;
  }
  // What impulses do while freedoms are held, `held` [nv]: of this instant, until it is asked again. Null: not known.
  virtual HeldResponse* with_held(std::span<const unsigned char> /*held*/) { return nullptr; }
  // M v̇ of what accelerate() would find. False: not known.
  virtual bool force_alone(const Forces<double>&, std::span<double> /*Q*/) { return false; }
  // After rows have added what they do to v̇, and their wrenches to the forces: where the plant has to know of all that acts,
  virtual bool asks_for_all_that_acts() const { return holds_roots_; }
  virtual void finish(const Forces<double>&, std::span<double> /*vdot*/) {}
  // v̇ of the joints, for v̇ of the coordinates; after finish().
  virtual void joint_accelerations(std::span<const double> vdot, std::span<double> of_joints) const;
  // For semi-implicit steps: what accelerate() would give with half of what the velocities ask of the joints; empty where
  // the coordinates have no joints to hold. See plant/maximal_plant.cpp.
  virtual std::span<const double> half_answered() const { return {}; }
  // Whether v̇ is aba()'s, which has exact derivatives.
  virtual bool has_derivatives() const { return false; }

  // ---- what the world does to roots that are not free: a wrench about Wo, less the joints' own forces (tau)
  bool holds_roots() const { return holds_roots_; }
  virtual Wrench<double> world_on_roots(const Forces<double>& all, std::span<const double> vdot) = 0;
  // The same at once: impulses on links, and the change of v they have brought.
  virtual Wrench<double> world_on_roots_at_once(std::span<const Wrench<double>> P_Bo_W, std::span<const double> dv) = 0;

  // ---- sums over all links of the figure
  virtual Totals<double> totals() const { return marey::totals(figure_, figure_.params, kinematics_); }
  // Added to: all mass, and Σ m p_WoBcm_W.
  virtual void mass_moment(double& mass, Vec3<double>& first_moment);

  // ---- for the variational method (marey/integrate.h)
  virtual void momentum(std::span<const double> q, std::span<const double> v, std::span<double> p) = 0;
  virtual void velocity(std::span<const double> q, std::span<const double> p, std::span<double> v) = 0;
  virtual void generalised_force(const Forces<double>&, std::span<const double> vdot, std::span<double> g) = 0;

  // ---- states
  // q ⊕ x, and whatever the plant's own joints then need.
  virtual void shift(State&, std::span<const double> x);
  // After a step: takes out what the plant's own joints have drifted by, where that is more than `tolerance`. True when the
  // state was changed.
  virtual bool remove_drift(State&, double /*tolerance*/) { return false; }
  virtual bool has_joint_drift() const { return false; }  // whether there may ever be any
  // The state is the run's own from now on.
  virtual void accept(const State&) {}
  // In the joints' coordinates: the state last accepted; and any other, z and all, where `turns` is what turns() was at a state
  // accepted near by, from which the way of all between is known.
  virtual const State& in_joints(const State& accepted) { return accepted; }
  virtual JointError to_joints(std::span<const double> q, std::span<const double> v, std::span<const double> z,
                               std::span<const double> turns, std::span<double> q_joints,
                               std::span<double> v_joints) const;
  // Where the coordinates do not say how many turns a joint has made, ways of its own are integrated along: so many numbers stand
  // behind the states z of sources, and these are their rates at the instant.
  virtual std::size_t way_count() const { return 0; }
  virtual void way_rates(std::span<double> /*rates*/) const {}
  // How far the state last accepted is from its joints.
  virtual JointError drift() const { return {}; }
  // ---- what it remembers beside the state
  // Called once at the start of every step, with the number of the step.
  virtual void begin_step(long long /*step*/, std::span<const double> /*q*/, std::span<const double> /*v*/) {}
  // Velocities or forces may have changed at once.
  virtual void happened() {}
  // For checkpoints: in which turn joints are (accept() is called after it was read); coefficients that outlive a step, in
  // use (0) and in the making (1), and where the motion was going (2); what reused factors need to go on bit for bit, to be
  // recalled before the next step.
  virtual std::span<double> turns() { return {}; }
  virtual std::span<std::byte> band_bytes(int /*which*/) { return {}; }
  virtual std::vector<double> factors() const { return {}; }
  virtual void recall_factors(std::span<const double>) {}

  // ---- what rows are made of, at the instant
  void bias(BiasMotion& out) const { bias_motion(coordinates_, coordinates_.params, q_, v_, kinematics_, out); }
  void axes(MotionAxes& out) const { motion_axes(coordinates_, coordinates_.params, kinematics_, out); }
  // How much of a row the joints leave it (w of marey/rows/row_system.h); `row` is the same in terms of v.
  virtual double row_weight(const ConstraintRow& of_links, const Row& row) const;

 protected:
  const Model& figure_;
  const Model& coordinates_;
  Kinematics<double> kinematics_;
  std::span<const double> q_, v_;

 private:
  bool holds_roots_ = false;
};

// What parts ask of the world they are in, at events.
class Surroundings {
 public:
  virtual ~Surroundings() = default;
  virtual Plant& plant() = 0;
  // Puts the plant there.
  virtual Instant<double> place(const State&) = 0;
  // And gives v̇ of all that acts and of the rows of the parts behind this one (marey/plant/part.h).
  virtual void free_motion(const Part*, const State&, std::span<double> vdot) = 0;
  // Of a state; and the largest energy there has been.
  virtual Balance energies(const State&) = 0;
  virtual double largest_energy() const = 0;
  // At this place, instead of v̇: Q = M v̇, of all that acts, and the rates of the account, where nothing has rows. False: not known.
  virtual bool force_alone(double /*t*/, std::span<const double> /*q*/, std::span<const double> /*v*/,
                           std::span<double> /*Q*/, std::span<double> /*rates*/) {
    return false;
  }
  // Whether constraints hold, at present.
  virtual bool holds_constraints() const { return false; }
  // Velocities are about to change at once.
  virtual void expect_impulse() {}
};

// Whether drift is put right by moving the state, and not by Baumgarte's terms or not at all.
bool projects(const SolverOptions&);
// Whether joints and constraints are answered by the two halves of plant/maximal_plant.cpp.
inline bool steps_in_halves(const SolverOptions& o) { return o.integrator == Integrator::semi_implicit && projects(o); }
// m, rad, m/s, rad/s: drift that is put right. `after_a_step`: of methods that lose nothing by it.
double drift_bound(const SolverOptions&, double after_a_step);
inline constexpr double row_drift = 1e-12, joint_drift = 1e-13;  // after a step

// Throws where the |g| that a projection has left is more than a run may go on with; `what` is off by it.
void check_held(double left, const std::function<std::string()>& what, const std::function<std::string()>& why = {});

// The wrench the joint's own forces put on a link, about Bo in B.
Wrench<double> wrench_of_joint_force(const LinkTopology&, const LinkParams<double>&, const Mat3<double>& R_FB,
                                     const double* tau);

}  // namespace marey
