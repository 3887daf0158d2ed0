// Accelerations prescribed by test forces (P4).
#include <algorithm>
#include <cmath>

#include "marey/rows.h"
#include "marey/rows/row_system.h"

namespace marey {

TestForces::TestForces(const Model& model, int capacity)
    : delassus_(model, capacity),
      system_(std::make_unique<RowSystem>(capacity)),
      rhs_(static_cast<std::size_t>(capacity)),
      lambda_(rhs_.size()) {}
TestForces::~TestForces() = default;

int TestForces::prescribe(const Model& model, const Params<double>& params, const AbaWorkspace<double>& factored,
                          const RowSet& rows, std::span<double> vdot) {
  delassus_.compute_matrix(model, params, factored, rows);
  const std::size_t n = static_cast<std::size_t>(rows.size());
  const auto missing = [&](std::size_t i) {
    const Row& row = rows[static_cast<int>(i)];
    double s = row.target - row.bias;
    for (std::size_t k = 0; k < vdot.size(); ++k) s -= row.J[k] * vdot[k];
    return s;
  };
  for (std::size_t i = 0; i < n; ++i) rhs_[i] = missing(i);
  const int rank = system_->factor(rows.size(), delassus_.A(), [&](int i) { return row_weight(rows[i]); });
  system_->solve(std::span(rhs_).first(n), std::span(lambda_).first(n));
  delassus_.add_response(lambda(), vdot);
  left_over_ = 0;
  for (std::size_t i = 0; i < n; ++i)
    left_over_ = std::max(left_over_, std::abs(missing(i) - rows[static_cast<int>(i)].compliance * lambda_[i]));
  return rank;
}

}  // namespace marey
