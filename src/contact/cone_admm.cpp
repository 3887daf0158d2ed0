#include "contact/cone_admm.h"

#include <algorithm>
#include <cmath>

namespace marey {
namespace {

constexpr double rho_at_first = 0.1, rho_of_equalities = 1e-8;
constexpr double least_rho = 1e-7, most_rho = 1e3;
constexpr int adapt_every = 20;

}  // namespace

double ConeAdmm::row_rho(const ScaledBlock& b) const {
  return b.kind == RowBlock::Kind::equality ? rho_of_equalities : rho_;
}

bool ConeAdmm::factor(const ScaledCones& cones) {
  matrix_.resize(cones.size());
  for (int i = 0; i < cones.size(); ++i) std::copy(cones.B.row(i), cones.B.row(i) + cones.size(), matrix_.row(i));
  for (const ScaledBlock& b : cones.blocks)
    for (int r = b.first; r < b.first + b.rows; ++r) matrix_.row(r)[r] += row_rho(b);
  ++factorisations;
  return factored_ = cholesky_.factor(matrix_);
}

void ConeAdmm::start(const ScaledCones& cones, const double* y, const double* v) {
  const auto n = static_cast<std::size_t>(cones.size());
  y_.resize(n), z_.resize(n), w_.assign(v, v + n), p_.resize(n), before_.resize(n);
  cones.project(y, y_.data());
  for (const ScaledBlock& b : cones.blocks) {
    if (b.kind != RowBlock::Kind::contact) continue;
    // A multiplier that the law allows: w in K*, and none where the contact holds.
    double* w = w_.data() + b.first;
    w[0] = std::max(0.0, w[0]) + slip_term(b.cone, w);
  }
  rho_ = rho_at_first, factored_ = false;
}

void ConeAdmm::adapt(const ScaledCones& cones, double primal, double dual) {
  const double ratio = std::sqrt(primal / std::max(dual, 1e-300));
  if (ratio < 2 && ratio > 0.5) return;
  const double wanted = std::clamp(rho_ * std::clamp(ratio, 0.1, 10.0), least_rho, most_rho);
  if (wanted == rho_) return;
  rho_ = wanted;
  factor(cones);
}

void ConeAdmm::run(const ScaledCones& cones, int count) {
  if (!factored_ && !factor(cones)) return;
  for (int k = 1; k <= count; ++k) {
    ++iterations;
    for (const ScaledBlock& b : cones.blocks) {  // (1)
      const double rho = row_rho(b);
      for (auto r = static_cast<std::size_t>(b.first); r < static_cast<std::size_t>(b.first + b.rows); ++r)
        z_[r] = rho * y_[r] + w_[r] - cones.v_free[r];
      if (b.kind == RowBlock::Kind::contact)
        z_[static_cast<std::size_t>(b.first)] -= slip_term(b.cone, w_.data() + b.first);
    }
    cholesky_.solve(matrix_, z_.data());
    before_ = y_;
    for (const ScaledBlock& b : cones.blocks)
      for (auto r = static_cast<std::size_t>(b.first); r < static_cast<std::size_t>(b.first + b.rows); ++r)
        p_[r] = z_[r] - w_[r] / row_rho(b);
    cones.project(p_.data(), y_.data());  // (2)
    double primal = 0, dual = 0;
    for (const ScaledBlock& b : cones.blocks) {
      const double rho = row_rho(b);
      for (auto r = static_cast<std::size_t>(b.first); r < static_cast<std::size_t>(b.first + b.rows); ++r) {
        w_[r] -= rho * (z_[r] - y_[r]);  // (3)
        primal += (z_[r] - y_[r]) * (z_[r] - y_[r]);
        dual += rho * rho * (y_[r] - before_[r]) * (y_[r] - before_[r]);
      }
    }
    if (k % adapt_every == 0) adapt(cones, std::sqrt(primal), std::sqrt(dual));
  }
}

}  // namespace marey
