// Figures in the coordinates of their joints, some of which may be welded.
#pragma once

#include <memory>

#include "marey/plant/plant.h"
#include "marey/plant/solver.h"
#include "marey/plant/welds.h"

namespace marey {

class LooseBodies;
class Threads;

class ReducedPlant final : public Plant {
 public:
  ReducedPlant(const Model&, const SolverOptions&);
  ~ReducedPlant() override;

  Solver& solver() { return solver_; }
  // Where all there is is many loose bodies they are looked at as such from now on, by these threads.
  void look_at_loose_bodies(Threads*);
  // Which joints are held, from the next place() on; to stay alive. Null: none.
  void weld(Welds* welds) { welds_ = welds; }

  Instant<double> place(double t, std::span<const double> q, std::span<const double> v, std::span<const double> z,
                        const Past*) override;
  // The same where nobody is going to ask for the places of links: enough for what forces and impulses do and for
  // mass_moment(); of welded figures, for totals(), too.
  void place_without_links(std::span<const double> q, std::span<const double> v);
  // Likewise, and enough for totals() of any figure.
  void place_for_totals(std::span<const double> q, std::span<const double> v);
  void masses_changed() override;
  Totals<double> totals() const override;
  void mass_moment(double& mass, Vec3<double>& first_moment) override;
  void accelerate(const Forces<double>&, std::span<double> vdot) override;
  bool force_alone(const Forces<double>&, std::span<double> Q) override;
  void respond(std::span<const double> p, std::span<double> dv) override;
  bool half_respond(const RowSet&, HalfResponse&) override;
  bool half_respond_to(std::span<const double> p, std::span<double> u, std::span<double> D_inverse_u) override;
  bool half_respond_to_links(std::span<const ConstraintRow>, HalfResponse&) override;
  void respond_by_half(const HalfResponse&, std::span<const double> x, std::span<double> dv) override;
  void renew_factors() override { factor(); }
  bool link_accelerations(std::span<const int> links, std::span<Twist<double>> A_WB) const override;
  HeldResponse* with_held(std::span<const unsigned char> held) override;
  bool has_derivatives() const override { return welded() == nullptr; }

  Wrench<double> world_on_roots(const Forces<double>& all, std::span<const double> vdot) override;
  Wrench<double> world_on_roots_at_once(std::span<const Wrench<double>> P_Bo_W, std::span<const double> dv) override;

  void momentum(std::span<const double> q, std::span<const double> v, std::span<double> p) override;
  void velocity(std::span<const double> q, std::span<const double> p, std::span<double> v) override;
  void generalised_force(const Forces<double>&, std::span<const double> vdot, std::span<double> g) override;

  void begin_step(long long step, std::span<const double> q, std::span<const double> v) override {
    solver_.begin_step(step, q, v);
  }
  void happened() override { solver_.happened(); }
  std::span<std::byte> band_bytes(int which) override { return solver_.band_bytes(which); }
  std::vector<double> factors() const override { return solver_.memory(); }
  void recall_factors(std::span<const double> x) override { solver_.recall(x); }

 private:
  enum class Factors { none, of_solver, own };
  void factor();
  void weigh();
  void begin_instant(std::span<const double> q, std::span<const double> v);
  void keep_place(std::span<const double> q, std::span<const double> v);
  bool is_placed_at(std::span<const double> q, std::span<const double> v) const;
  ReducedFigure* welded() const { return welds_ != nullptr ? welds_->figure() : nullptr; }

  Wrench<double> reaction(const Params<double>&, std::span<const double> v, const Forces<double>&,
                          std::span<const double> vdot);

  double mass_ = 0;                    // of all links
  bool placed_ = false;                // whether the solver is anywhere that is known,
  bool links_placed_ = false;          // and kinematics_ are there
  mutable bool totals_known_ = false;  // of there
  mutable Totals<double> totals_;
  std::vector<double> placed_q_, placed_v_;   // where
  const ReducedFigure* placed_by_ = nullptr;  // whose groups they are of
  Params<double> weightless_;
  Solver solver_;
  Welds* welds_ = nullptr;
  Factors factors_ = Factors::none;  // of the articulated inertias, at the instant
  bool accelerated_ = false;         // whether the solver has the accelerations of links of the instant
  AbaWorkspace<double> aba_;
  TreeResponse response_;
  std::unique_ptr<HeldTreeResponse> held_response_;  // made when first asked for
  RneaWorkspace<double> rnea_;
  std::vector<double> tau_, zero_, unused_;
  std::unique_ptr<struct DualFlow> dual_;  // made when first asked for
  std::unique_ptr<LooseBodies> loose_;     // null: trees, or few
};

}  // namespace marey
