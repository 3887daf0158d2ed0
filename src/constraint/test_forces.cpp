// Accelerations prescribed by test forces (P4).
//
// Rows are scaled to A_ii = 1 before their rank is found, so that it does not depend on units; a row that moves nothing
// (A_ii = 0) keeps λ = 0.
#include <algorithm>
#include <cmath>

#include "constraint/least_norm.h"
#include "marey/constraint.h"

namespace marey {

namespace {
constexpr double same_row = 1e-10;  // pivots below this part of the largest count as zero
}

TestForces::TestForces(const Model& model, int capacity)
    : delassus_(model, capacity),
      system_(std::make_unique<LeastNorm>(capacity)),
      scale_(static_cast<std::size_t>(capacity)),
      scaled_(scale_.size() * scale_.size()),
      rhs_(scale_.size()),
      lambda_(scale_.size()) {}
TestForces::~TestForces() = default;

int TestForces::prescribe(const Model& model, const Params<double>& params, const AbaWorkspace<double>& factored,
                          const RowSet& rows, std::span<double> vdot) {
  delassus_.compute(model, params, factored, rows);
  const std::size_t n = static_cast<std::size_t>(rows.size());
  const std::span<const double> A = delassus_.A();
  const auto missing = [&](std::size_t i) {
    const Row& row = rows[static_cast<int>(i)];
    double s = row.target - row.bias;
    for (std::size_t k = 0; k < vdot.size(); ++k) s -= row.J[k] * vdot[k];
    return s;
  };
  for (std::size_t i = 0; i < n; ++i) {
    scale_[i] = A[i * n + i] > 0 ? 1 / std::sqrt(A[i * n + i]) : 0;
    rhs_[i] = scale_[i] * missing(i);
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k) scaled_[i * n + k] = scale_[i] * scale_[k] * A[i * n + k];
  const int rank = system_->factor(static_cast<int>(n), std::span(scaled_).first(n * n), same_row);
  system_->solve(std::span(rhs_).first(n), std::span(lambda_).first(n));
  for (std::size_t i = 0; i < n; ++i) lambda_[i] *= scale_[i];
  delassus_.add_response(lambda(), vdot);
  left_over_ = 0;
  for (std::size_t i = 0; i < n; ++i)
    left_over_ = std::max(left_over_, std::abs(missing(i) - rows[static_cast<int>(i)].compliance * lambda_[i]));
  return rank;
}

}  // namespace marey
