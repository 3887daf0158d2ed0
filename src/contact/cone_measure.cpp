#include "contact/cone_measure.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace marey {
namespace {

// The rotation in the plane of rows p and q that makes a_pq zero (Jacobi 1846).
void rotate(double* a, int n, int p, int q) {
  const double a_pq = a[p * n + q];
  if (a_pq == 0) return;
  const double theta = (a[q * n + q] - a[p * n + p]) / (2 * a_pq);
  const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
  const double c = 1 / std::sqrt(t * t + 1), s = t * c;
  for (int k = 0; k < n; ++k) {
    const double x = a[k * n + p], y = a[k * n + q];
    a[k * n + p] = c * x - s * y, a[k * n + q] = s * x + c * y;
  }
  for (int k = 0; k < n; ++k) {
    const double x = a[p * n + k], y = a[q * n + k];
    a[p * n + k] = c * x - s * y, a[q * n + k] = s * x + c * y;
  }
}

// Of three rows, a = q 1 + p b with b of no trace and tr b² = 6: its largest eigenvalue is q + p x, 1 ≤ x ≤ 2 being the largest root of
// x³ − 3x − det b, which Newton's method finds from above. Where it is nearly double, half of the digits are lost; it only is
// a scale.
double largest_of_three(const double* a) {
  const double q = (a[0] + a[4] + a[8]) / 3, xx = a[0] - q, yy = a[4] - q, zz = a[8] - q;
  const double xy = a[1], xz = a[2], yz = a[5];
  const double p2 = (xx * xx + yy * yy + zz * zz + 2 * (xy * xy + xz * xz + yz * yz)) / 6;
  if (!(p2 > 1e-32 * q * q)) return q;
  const double p = std::sqrt(p2);
  const double det = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
  const double two_r = std::clamp(det / (p * p2), -2.0, 2.0);
  const double root = std::sqrt((2 + two_r) / 3);
  double x = 1 + root - 0.116 * root * root;  // within 1e-2
  for (int k = 0; k < 4; ++k) {
    const double slope = 3 * (x * x - 1);
    if (!(slope > 1e-7)) break;
    x -= (x * (x * x - 3) - two_r) / slope;
  }
  return q + p * x;
}

double mean_of_diagonal(const double* W, int size, int from, int to) {
  double sum = 0;
  for (int i = from; i < to; ++i) sum += W[i * size + i];
  return sum / (to - from);
}

}  // namespace

double largest_eigenvalue(double* a, int size) {
  if (size == 1) return a[0];
  if (size == 3) return largest_of_three(a);
  double whole = 0;
  for (int i = 0; i < size * size; ++i) whole += a[i] * a[i];
  for (int sweep = 0; sweep < 12; ++sweep) {
    double off = 0;
    for (int p = 0; p < size; ++p)
      for (int q = p + 1; q < size; ++q) off += a[p * size + q] * a[p * size + q];
    if (off <= 1e-32 * whole) break;
    for (int p = 0; p < size; ++p)
      for (int q = p + 1; q < size; ++q) rotate(a, size, p, q);
  }
  double most = a[0];
  for (int i = 1; i < size; ++i) most = std::max(most, a[i * size + i]);
  return most;
}

BlockMeasure measure_of(const ConeProblem& problem, const RowBlock& block) {
  const std::size_t n = problem.u_free.size(), first = static_cast<std::size_t>(block.first);
  const int size = block.rows();
  std::array<double, 36> W{};
  for (int i = 0; i < size; ++i) {
    const std::size_t r = first + static_cast<std::size_t>(i);
    for (int j = 0; j < size; ++j) W[static_cast<std::size_t>(i * size + j)] = problem.A[r * n + first + j];
    if (!problem.compliance.empty()) W[static_cast<std::size_t>(i * size + i)] += problem.compliance[r];
  }
  BlockMeasure out;
  if (size > 3) {
    const double straight = mean_of_diagonal(W.data(), size, 0, 3), turning = mean_of_diagonal(W.data(), size, 3, size);
    if (straight > 0 && turning > 0) out.length = std::sqrt(straight / turning);
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j)
        W[static_cast<std::size_t>(i * size + j)] *= (i < 3 ? 1 : out.length) * (j < 3 ? 1 : out.length);
  }
  const double most = largest_eigenvalue(W.data(), size);
  if (most > 0) out.rho = 1 / most;
  return out;
}

}  // namespace marey
