// Forward dynamics with the factors of an earlier mass matrix (R15: the matrix is inverted anew only when it has changed
// enough).
//
// Source: iterative refinement, J. H. Wilkinson, Rounding Errors in Algebraic Processes (1963), ch. 3. M(q) v̇ = τ − b is
// solved with M₀ = M(q₀), factored at an earlier q₀:
//   (1)  r_k = τ − rnea(q, v, v̇_k)            what is left over, exact to round-off for any v̇_k
//   (2)  d_k = M₀⁻¹ r_k,  v̇_(k+1) = v̇_k + d_k
//   (3)  e_(k+1) = (1 − M₀⁻¹ M) e_k           the error of v̇, so that ρ = |d_(k+1)|/|d_k| ≈ |1 − M₀⁻¹ M|
// v̇_0 is the answer to the call before. It ends when what the corrections to come add up to, ρ/(1 − ρ) |d_k|, is round-off
// of v̇, when r_k is round-off of the wrenches it is made of, or when a correction that has become small shrinks no further.
// A ρ above the limit asks for new factors at the next call; above a half, at once.
//
// Cost of a round: one rnea and one solution with the factors, O(n d) for n freedoms with d ancestors each, against O(n d²)
// for new factors.
#include "marey/dynamics/crba_reuse.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace marey {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double hopeless = 0.5;  // the ρ at which new factors are cheaper than going on
constexpr double quick = 0.1;     // a ρ after which a stop is a matter of round-off …
constexpr double small = 1e-9;  // … of a badly conditioned matrix, if the correction is no more than this part of v̇
constexpr double too_small_to_tell = 1e-13;
constexpr int most_rounds = 50;

double sum(const Vec3<double>& a) { return std::abs(a.x) + std::abs(a.y) + std::abs(a.z); }
double largest(std::span<const double> a) {
  double most = 0;
  for (const double x : a)
    most = std::isfinite(x) ? std::max(most, std::abs(x)) : std::numeric_limits<double>::infinity();
  return most;
}

// Whether r is what rounding leaves of the wrenches through the joints; a force has its lever at the centre of mass.
bool is_round_off(const Model& model, const Params<double>& params, const RneaWorkspace<double>& rnea,
                  std::span<const double> r) {
  for (int i = 1; i < model.nlink(); ++i) {
    const LinkTopology& link = model.links[i];
    const Wrench<double>& F = rnea.links[i].F;
    const Inertia<double>& I = params.links[i].I;
    const double force = sum(F.f), moment = sum(F.n) + (I.m > 0 ? sum(I.h) / I.m * force : 0);
    const int turning = link.joint == JointType::hinge                                   ? 1
                        : link.joint == JointType::ball || link.joint == JointType::free ? 3
                                                                                         : 0;
    for (int k = 0; k < freedom_count(link); ++k) {
      double size = k < turning ? moment : force;
      if (link.general >= 0) {
        const Twist<double>& s = rnea.general[link.general][k];
        size = sum(s.w) * moment + sum(s.v) * force;
      }
      if (!(std::abs(r[link.v + k]) <= 2 * epsilon * size)) return false;
    }
  }
  return true;
}

void factor(const Model& model, const Params<double>& params, std::span<const double> q, ReuseWorkspace& ws) {
  mass_matrix<double>(model, params, q, ws.crba);
  ltdl_factor<double>(model, ws.crba);
}

// New factors, and v̇ from them as crba has it.
void solve_anew(const Model& model, const Params<double>& params, std::span<const double> q, std::span<const double> v,
                const Forces<double>& forces, ReuseWorkspace& ws, std::span<double> vdot) {
  crba<double>(model, params, q, v, forces, ws.crba, vdot);
  std::copy(q.begin(), q.end(), ws.q_factored.begin());
  ws.known = true, ws.stale = false;
  ++ws.factorisations;
}

// False: the factors are too old. ws.vdot is corrected in place.
bool refine(const Model& model, const Params<double>& params, std::span<const double> q, std::span<const double> v,
            const Forces<double>& forces, double limit, ReuseWorkspace& ws) {
  double before = 0, best = 1;  // the last correction, the smallest ρ
  for (int k = 0; k < most_rounds; ++k) {
    rnea<double>(model, params, q, v, ws.vdot, forces.F_Bo_W, ws.crba.rnea, ws.crba.bias);  // (1)
    for (int i = 0; i < model.nv; ++i) ws.correction[i] = (forces.tau.empty() ? 0 : forces.tau[i]) - ws.crba.bias[i];
    ++ws.rounds;
    if (is_round_off(model, params, ws.crba.rnea, ws.correction)) return true;
    ltdl_solve<double>(model, ws.crba, ws.correction);  // (2)
    for (int i = 0; i < model.nv; ++i) ws.vdot[i] += ws.correction[i];
    const double now = largest(ws.correction), size = largest(ws.vdot);
    if (!std::isfinite(now)) return false;
    if (now == 0) return true;
    if (k > 0) {
      const double rho = now / before;  // (3)
      if (rho < hopeless && rho / (1 - rho) * now <= epsilon * size) return true;
      if (rho >= hopeless) return now <= (best < quick ? small : too_small_to_tell) * size;
      if (rho > limit && now > too_small_to_tell * size) ws.stale = true;
      best = std::min(best, rho);
    }
    before = now;
  }
  return false;
}

}  // namespace

ReuseWorkspace::ReuseWorkspace(const Model& model)
    : crba(model),
      q_factored(static_cast<std::size_t>(model.nq)),
      vdot(static_cast<std::size_t>(model.nv)),
      correction(static_cast<std::size_t>(model.nv)) {}

std::vector<double> ReuseWorkspace::memory() const {
  std::vector<double> x{known ? 1.0 : 0.0, stale ? 1.0 : 0.0};
  x.insert(x.end(), q_factored.begin(), q_factored.end());
  x.insert(x.end(), vdot.begin(), vdot.end());
  return x;
}

void ReuseWorkspace::recall(const Model& model, const Params<double>& params, std::span<const double> x) {
  known = x[0] != 0, stale = x[1] != 0;
  std::copy_n(x.begin() + 2, q_factored.size(), q_factored.begin());
  std::copy_n(x.begin() + 2 + static_cast<std::ptrdiff_t>(q_factored.size()), vdot.size(), vdot.begin());
  if (known) factor(model, params, q_factored, *this);
}

void crba_reuse(const Model& model, const Params<double>& params, std::span<const double> q, std::span<const double> v,
                const Forces<double>& forces, double limit, ReuseWorkspace& ws, std::span<double> vdot) {
  if (!ws.known || ws.stale || !refine(model, params, q, v, forces, limit, ws))
    solve_anew(model, params, q, v, forces, ws, ws.vdot);
  std::copy(ws.vdot.begin(), ws.vdot.end(), vdot.begin());
}

}  // namespace marey
