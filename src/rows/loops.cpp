#include "marey/rows/loops.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "marey/rows/parts.h"
#include "marey/rows/row_sweep.h"
#include "marey/rows/row_system.h"

namespace marey {
namespace {

constexpr double enough = 1e-15;  // of the right-hand side, for conjugate gradients

double dot(std::span<const double> a, std::span<const double> b) {
  double s = 0;
  for (std::size_t i = 0; i < a.size(); ++i) s += a[i] * b[i];
  return s;
}

double acceleration_of(const ConstraintRow& row, const MultiplierWorkspace<double>& ws) {
  double s = 0;
  for (int k = 0; k < row.part_count; ++k)
    if (row.parts[k].link != 0) s += power(row.parts[k].F_Bo_W, ws.links[row.parts[k].link].A);
  return s;
}

}  // namespace

LoopSolver::LoopSolver(const Model& model, int capacity, Way way)
    : way_(way), J_(static_cast<std::size_t>(model.nv)), F_(model.links.size()) {
  for (std::vector<double>* x : {&lambda_, &b_, &r_, &p_, &Cp_, &Cr_, &wanted_})
    x->resize(static_cast<std::size_t>(capacity));
  const int square = way == Way::iterative ? 0 : way == Way::direct ? capacity : std::min(capacity, few);
  C_.resize(static_cast<std::size_t>(square) * static_cast<std::size_t>(square));
  system_ = std::make_unique<RowSystem>(square);
}
LoopSolver::~LoopSolver() = default;
LoopSolver::LoopSolver(LoopSolver&&) noexcept = default;

void LoopSolver::solve(const Model& model, const MultiplierLoad<double>& load, std::span<const ConstraintRow> rows,
                       MultiplierWorkspace<double>& ws) {
  assert(rows.size() <= wanted_.size());
  for (std::size_t i = 0; i < rows.size(); ++i) wanted_[i] = -rows[i].bias;
  solve(model, load, rows, std::span(wanted_).first(rows.size()), ws);
}

void LoopSolver::solve(const Model& model, const MultiplierLoad<double>& load, std::span<const ConstraintRow> rows,
                       std::span<const double> wanted, MultiplierWorkspace<double>& ws) {
  assert(rows.size() <= lambda_.size());
  size_ = static_cast<int>(rows.size());
  rank_ = -1, rounds_ = 0, residual_ = 0;
  multiplier_solve<double>(model, load, ws);
  if (rows.empty()) return;
  for (std::size_t i = 0; i < rows.size(); ++i) b_[i] = wanted[i] - acceleration_of(rows[i], ws);
  const bool by_factors = way_ == Way::direct || (way_ == Way::automatic && size_ <= few);
  if (by_factors)
    direct(model, rows, ws);
  else
    iterate(model, rows, ws);
  if (load.F_Bo_W.empty())
    std::fill(F_.begin(), F_.end(), Wrench<double>{});
  else
    std::copy(load.F_Bo_W.begin(), load.F_Bo_W.end(), F_.begin());
  for (std::size_t i = 0; i < rows.size(); ++i) add_force(rows[i], lambda_[i], F_);
  MultiplierLoad<double> all = load;
  all.F_Bo_W = F_;
  multiplier_solve<double>(model, all, ws);
}

// C x: what the rows' forces do to the rows.
void LoopSolver::apply(const Model& model, std::span<const ConstraintRow> rows, std::span<const double> x,
                       MultiplierWorkspace<double>& ws, std::span<double> Cx) {
  std::fill(F_.begin(), F_.end(), Wrench<double>{});
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (x[i] != 0) add_force(rows[i], x[i], F_);
  multiplier_solve<double>(model, {{}, F_, false, {}}, ws);
  for (std::size_t i = 0; i < rows.size(); ++i) Cx[i] = acceleration_of(rows[i], ws) + rows[i].compliance * x[i];
}

void LoopSolver::direct(const Model& model, std::span<const ConstraintRow> rows, MultiplierWorkspace<double>& ws) {
  const std::size_t m = rows.size();
  assert(m * m <= C_.size());
  const std::span<double> x = std::span(p_).first(m), column = std::span(Cp_).first(m);
  for (std::size_t j = 0; j < m; ++j) {
    std::fill(x.begin(), x.end(), 0.0);
    x[j] = 1;
    apply(model, rows, x, ws, column);
    for (std::size_t i = 0; i < m; ++i) C_[i * m + j] = column[i];
  }
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < i; ++j) C_[i * m + j] = C_[j * m + i] = 0.5 * (C_[i * m + j] + C_[j * m + i]);
  rank_ = system_->factor(static_cast<int>(m), std::span(C_).first(m * m),
                          [&](int i) { return weight(model, rows[static_cast<std::size_t>(i)], ws); });
  system_->solve(std::span(b_).first(m), std::span(lambda_).first(m));
}

// How much of a row the joints leave it.
double LoopSolver::weight(const Model& model, const ConstraintRow& row, const MultiplierWorkspace<double>& ws) {
  std::fill(J_.begin(), J_.end(), 0.0);
  Row reduced;
  reduced.J = J_;
  const auto lever = [&](int i) { return ws.links[i].r; };
  const auto axis = [&](int i, int k) { return ws.links[i].S[k]; };
  sweep_row(model, row, WaysOf{model, lever, axis}, J_, reduced);
  return row_weight(reduced);
}

// Conjugate gradients in the variant that lowers ‖r‖ in every round (conjugate residuals, Stiefel 1955), from λ = 0, so that
// all stays in the range of C: with redundant rows the least λ comes out, and of rows that contradict each other the least
// residual. One application of C a round:
//   α = r·Cr / Cp·Cp,  λ += α p,  r −= α Cp,  β = r·Cr (new over old),  p ← r + β p,  Cp ← Cr + β Cp
void LoopSolver::iterate(const Model& model, std::span<const ConstraintRow> rows, MultiplierWorkspace<double>& ws) {
  const std::size_t m = rows.size();
  const std::span<double> x = std::span(lambda_).first(m), r = std::span(r_).first(m), p = std::span(p_).first(m),
                          Cp = std::span(Cp_).first(m), Cr = std::span(Cr_).first(m);
  std::fill(x.begin(), x.end(), 0.0);
  std::copy_n(b_.begin(), m, r.begin());
  const double size = std::sqrt(dot(r, r));
  apply(model, rows, r, ws, Cr);
  std::copy(r.begin(), r.end(), p.begin());
  std::copy(Cr.begin(), Cr.end(), Cp.begin());
  double rCr = dot(r, Cr);
  const double first = rCr;
  const int most = 6 * size_ + 200;
  while (rounds_ < most && rCr > enough * enough * first) {
    const double square = dot(Cp, Cp);
    if (!(square > 0)) break;
    const double step = rCr / square;
    for (std::size_t i = 0; i < m; ++i) x[i] += step * p[i], r[i] -= step * Cp[i];
    ++rounds_;
    if (!(std::sqrt(dot(r, r)) > enough * size)) break;
    apply(model, rows, r, ws, Cr);
    const double next = dot(r, Cr), beta = next / rCr;
    rCr = next;
    for (std::size_t i = 0; i < m; ++i) p[i] = r[i] + beta * p[i], Cp[i] = Cr[i] + beta * Cp[i];
  }
  residual_ = size > 0 ? std::sqrt(dot(r, r)) / size : 0;
}

}  // namespace marey
