// The scene's choice of forward dynamics behind one call, with the memory that a slow band and reused factors need.
#pragma once

#include <optional>

#include "marey/dynamics/aba_halves.h"
#include "marey/dynamics/crba_reuse.h"
#include "marey/solver.h"

namespace marey {

class Solver {
 public:
  Solver(const Model&, const SolverOptions&);

  // Forward dynamics at the given instant. With a slow band of ν > 1 the coefficients of the last snapshot are used;
  // begin_step() renews them.
  void solve(std::span<const double> q, std::span<const double> v, const Forces<double>&, std::span<double> vdot);
  // The factored articulated inertias of the last solve() or factor_placed(), where the algorithm has them.
  const AbaWorkspace<double>* factored() const { return aba_ ? &*aba_ : nullptr; }
  // In two parts: places and twists of links; and forward dynamics at that q and v, which are to be the same, with what was
  // found on the way. Or those inertias alone; false: the algorithm has none.
  void place(std::span<const double> q, std::span<const double> v, Kinematics<double>&);
  // Masses of the model are others than they were.
  void masses_changed();
  void solve_placed(std::span<const double> q, std::span<const double> v, const Forces<double>&,
                    std::span<double> vdot);
  bool factor_placed();
  // The first part without places and twists of links, and, after either, Σ m p_WoBcm_W. False: not known to the algorithm.
  bool place_without_links(std::span<const double> q, std::span<const double> v);
  bool add_first_moment(Vec3<double>& sum);
  // The first part with energy and momentum in the place of places and twists; and these. False: not known to the algorithm.
  bool place_with_momenta(std::span<const double> q, std::span<const double> v);
  Totals<double> totals();
  // Slow band: called once at the start of every step, with the number of the step.
  void begin_step(long long step, std::span<const double> q, std::span<const double> v);
  // Something has happened at once: velocities and forces may no longer be near those before.
  void happened();

  // What outlives a step, as bytes, for checkpoints: the coefficients in use (0), those in the making (1), and where the
  // motion was going (2).
  std::span<std::byte> band_bytes(int which);
  // The coefficients in use, where they outlive a step; else null.
  const ArmstrongWorkspace<double>* band() const { return banded() ? &*armstrong_ : nullptr; }
  // What reused factors need to go on bit for bit; to be recalled before the next solve().
  std::vector<double> memory() const;
  void recall(std::span<const double>);
  // How often a mass matrix was factored for reuse, and how many rounds of refinement went with the factors.
  long long factorisations() const { return reuse_ ? reuse_->factorisations : 0; }
  long long rounds() const { return reuse_ ? reuse_->rounds : 0; }

 private:
  bool banded() const { return options_.slow_band > 1; }
  // Kinematics of where the motion will be so many steps from now; and the whole slow band there.
  void look_ahead(double steps, std::span<const double> q, std::span<const double> v, ArmstrongWorkspace<double>&);
  void follow_way(std::span<const double> q);
  void whole_slow_band(double steps_ahead, std::span<const double> q, std::span<const double> v);
  void spread_step(int share, bool anew, std::span<const double> q, std::span<const double> v);

  const Model& model_;
  SolverOptions options_;
  std::optional<ArmstrongWorkspace<double>> armstrong_;  // in use
  std::optional<ArmstrongWorkspace<double>> next_;       // in the making, when the slow band is spread
  // Of a slow band: v at the start of the last step, and behind it whether that tells where the motion is going (0:
  // something has happened since, and the coefficients are to be made anew).
  std::vector<double> trend_;
  std::vector<double> q_ahead_, v_ahead_, way_;  // scratch of look_ahead()
  std::optional<AbaWorkspace<double>> aba_;
  std::optional<FirstMoment> first_moment_;  // beside it
  bool moment_found_ = false;                // whether it is that of the instant
  std::optional<LinkMomenta> momenta_;       // likewise
  std::optional<CrbaWorkspace<double>> crba_;
  std::optional<ReuseWorkspace> reuse_;
  std::optional<MultiplierWorkspace<double>> multipliers_;
};

}  // namespace marey
