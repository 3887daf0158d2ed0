// crba that reuses the factors of an earlier mass matrix until it has changed enough (R15).
#pragma once

#include "marey/dynamics.h"

namespace marey {

struct ReuseWorkspace {
  explicit ReuseWorkspace(const Model&);
  CrbaWorkspace<double> crba;      // crba.M: the factors in use
  std::vector<double> q_factored;  // [nq] where they were made
  std::vector<double> vdot;        // [nv] of the last call: the next one's first guess
  std::vector<double> correction;  // [nv]
  bool known = false;              // there are factors
  bool stale = false;              // the next call makes new ones
  long long factorisations = 0, rounds = 0;

  // What the next call's last bits depend on, for checkpoints; factors are made again from q_factored.
  std::vector<double> memory() const;
  void recall(const Model&, const Params<double>&, std::span<const double>);
};
// Forward dynamics by iterative refinement: the factors at hand correct what inverse dynamics leaves over, until that is
// round-off. They are made anew when a correction shrinks by less than the factor `limit`, 0 < limit < 1, from one round
// to the next; that factor is, relative to itself, how much the mass matrix has changed.
void crba_reuse(const Model&, const Params<double>&, std::span<const double> q, std::span<const double> v,
                const Forces<double>&, double limit, ReuseWorkspace&, std::span<double> vdot);

}  // namespace marey
