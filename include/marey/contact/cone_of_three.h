// Coulomb's cone of three rows n, t₁, t₂, which most contacts have: |y_t| ≤ μ y_n.
#pragma once

#include <algorithm>
#include <cmath>

namespace marey {

// The nearest y of the cone to p: y_t = p_t shortened to μ y_n, with y_n − p_n = μ (|p_t| − μ y_n)₊.
inline void project_three(double mu, const double* p, double* y) {
  const double length = std::sqrt(p[1] * p[1] + p[2] * p[2]);
  if (mu > 0 && mu * p[0] >= length) {
    y[0] = p[0], y[1] = p[1], y[2] = p[2];
    return;
  }
  y[0] = std::max(0.0, (p[0] + mu * length) / (1 + mu * mu));
  const double part = length > 0 ? mu * y[0] / length : 0;
  y[1] = part * p[1], y[2] = part * p[2];
}

}  // namespace marey
