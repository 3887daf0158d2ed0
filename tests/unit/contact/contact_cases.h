// Bodies in contact, in plain numbers: what the tests of the contact layer are given.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "marey/contact.h"
#include "support/random_figure.h"

namespace cases {

using figures::Random;
using marey::Vec3;

// A of points r_i (from the centre of mass) of one free body with mass m and inertia matrix J about its centre of mass,
// against level floors: the velocity of point i changes by (1/m + r̃_iᵀ J⁻¹ r̃_j …) P_j. Axes n, t₁, t₂ = z, x, y.
inline std::vector<double> free_body(double m, const marey::Sym3<double>& J, const std::vector<Vec3<double>>& points) {
  const marey::Sym3<double> J_inverse = marey::inverse(J);
  const std::array<Vec3<double>, 3> axes{{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}};
  const std::size_t n = 3 * points.size();
  std::vector<double> A(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const Vec3<double> spin = J_inverse * cross(points[j / 3], axes[j % 3]);
      A[i * n + j] = dot(axes[i % 3], (1 / m) * axes[j % 3] + cross(spin, points[i / 3]));
    }
  return A;
}
inline marey::Sym3<double> random_inertia(Random& random, double m) {
  const double a = random.between(0.05, 1), b = random.between(0.05, 1), c = random.between(0.05, 1);
  const auto R = figures::matrix_of(random.turn());
  return marey::congruence(
      R, marey::Sym3<double>::diagonal(m / 5 * (b * b + c * c), m / 5 * (a * a + c * c), m / 5 * (a * a + b * b)));
}
// One body touching with `count` points in general position.
inline std::vector<double> random_body(Random& random, int count) {
  const double m = random.between(0.2, 5);
  std::vector<Vec3<double>> points;
  for (int i = 0; i < count; ++i)
    points.push_back({random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)});
  return free_body(m, random_inertia(random, m), points);
}
// J = G Gᵀ of a system with few freedoms: as random as A can be, and redundant when freedoms < 3 count.
inline std::vector<double> random_matrix(Random& random, int count, int freedoms) {
  const std::size_t n = 3 * static_cast<std::size_t>(count), k = static_cast<std::size_t>(freedoms);
  std::vector<double> G(n * k), A(n * n, 0.0);
  for (double& g : G) g = random.normal();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t f = 0; f < k; ++f) A[i * n + j] += G[i * k + f] * G[j * k + f];
  return A;
}
// Velocities that the system can have: A times something, so that redundant rows agree.
inline std::vector<double> in_range(const std::vector<double>& A, const std::vector<double>& x) {
  std::vector<double> y(x.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j) y[i] += A[i * x.size() + j] * x[j];
  return y;
}
inline std::vector<double> random_vector(Random& random, std::size_t n) {
  std::vector<double> x(n);
  for (double& v : x) v = random.normal();
  return x;
}

// The thin rod of R 3.3 touching with its end, at angle φ: A in the axes z, x, y.
struct Rod {
  double mass = 1, length = 1, angle = 0.5;
  double inertia() const { return mass * length * length / 12; }
  double r_x() const { return -0.5 * length * std::cos(angle); }
  double r_z() const { return -0.5 * length * std::sin(angle); }
  std::array<double, 9> A() const {
    const double n = 1 / mass + r_x() * r_x() / inertia(), t = 1 / mass + r_z() * r_z() / inertia();
    const double nt = -r_x() * r_z() / inertia(), y = 1 / mass + 0.25 * length * length / inertia();
    return {n, nt, 0, nt, t, 0, 0, 0, y};
  }
};

struct Impacted {
  std::vector<double> P, u;
  std::vector<marey::ImpactOfContact> reports;
  bool solved = false;
  double work() const {
    double sum = 0;
    for (const auto& r : reports) sum += r.work;
    return sum;
  }
};
inline Impacted strike(std::span<const double> A, std::span<const double> u_minus,
                       const std::vector<marey::ImpulseLaw>& laws) {
  marey::ContactWorkspace ws(static_cast<int>(laws.size()));
  Impacted r{std::vector<double>(u_minus.size()), std::vector<double>(u_minus.size()), {}, false};
  r.reports.resize(laws.size());
  r.solved = marey::impact(A, u_minus, laws, ws, r.P, r.u, r.reports);
  return r;
}
inline marey::ImpulseLaw law(marey::ImpactKind kind, double e, double mu,
                             marey::Hypothesis hypothesis = marey::Hypothesis::stronge) {
  return {kind, hypothesis, e, mu};
}

}  // namespace cases
