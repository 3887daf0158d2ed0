// The scene's choice of forward dynamics behind one call, with the memory a slow band needs.
#pragma once

#include <optional>

#include "marey/dynamics.h"
#include "marey/sim.h"

namespace marey {

class Solver {
 public:
  Solver(const Model&, const SolverOptions&);

  // Forward dynamics at the given instant. With a slow band of ν > 1 the coefficients of the last snapshot are used;
  // begin_step() renews them.
  void solve(std::span<const double> q, std::span<const double> v, const Forces<double>&, std::span<double> vdot);
  // The factored articulated inertias of the last solve(), where the algorithm has them.
  const AbaWorkspace<double>* factored() const { return aba_ ? &*aba_ : nullptr; }
  // Slow band: called once at the start of every step, with the number of the step.
  void begin_step(long long step, std::span<const double> q, std::span<const double> v);

  // The coefficients that outlive a step, as bytes, for checkpoints: those in use (0) and those in the making (1).
  std::span<std::byte> band_bytes(int which);

 private:
  bool banded() const { return options_.slow_band > 1; }
  void spread_step(long long step, std::span<const double> q, std::span<const double> v);
  void whole_slow_band(std::span<const double> q, std::span<const double> v, ArmstrongWorkspace<double>&);

  const Model& model_;
  SolverOptions options_;
  std::optional<ArmstrongWorkspace<double>> armstrong_;  // in use
  std::optional<ArmstrongWorkspace<double>> next_;       // in the making, when the slow band is spread
  std::optional<AbaWorkspace<double>> aba_;
  std::optional<CrbaWorkspace<double>> crba_;
};

}  // namespace marey
