// An inverted double pendulum, held up only by a torque at its lower joint.
//
// Shows: exact derivatives of forward dynamics, a feedback law made from them, and a simulation assembled from parts,
// in which the torque follows the state within each step.
//
// About the upright position, x = (δq, v) obeys ẋ = A x + B τ to first order, with
//   A = [0 1; ∂v̇/∂q ∂v̇/∂v],  B = [0; column of ∂v̇/∂τ],
// and τ = −K x gives A − B K four poles at −p by Ackermann's formula
//   K = (0 0 0 1) C⁻¹ (A + p 1)⁴,  C = (B  A B  A² B  A³ B).
#include "marey/dynamics/derivatives.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "marey/integrate.h"

namespace {

constexpr int n = 4;
using Vector = std::array<double, n>;
using Matrix = std::array<Vector, n>;

// x A, for a row x.
Vector times(const Vector& x, const Matrix& A) {
  Vector y{};
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) y[k] += x[i] * A[i][k];
  return y;
}

// x with A x = b, by elimination.
Vector solve(Matrix A, Vector b) {
  for (int i = 0; i < n; ++i) {
    int best = i;
    for (int k = i + 1; k < n; ++k)
      if (std::abs(A[k][i]) > std::abs(A[best][i])) best = k;
    std::swap(A[i], A[best]), std::swap(b[i], b[best]);
    for (int k = i + 1; k < n; ++k) {
      const double f = A[k][i] / A[i][i];
      for (int j = i; j < n; ++j) A[k][j] -= f * A[i][j];
      b[k] -= f * b[i];
    }
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) b[i] -= A[i][k] * b[k];
    b[i] /= A[i][i];
  }
  return b;
}

// With y Cᵀ = (0 0 0 1): K = y (A + p 1)⁴.
Vector gain(const Matrix& A, const Vector& B, double pole) {
  Matrix C_transposed{};
  C_transposed[0] = B;
  for (int k = 1; k < n; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) C_transposed[k][i] += A[i][j] * C_transposed[k - 1][j];
  Vector K = solve(C_transposed, {0, 0, 0, 1});
  Matrix shifted = A;
  for (int i = 0; i < n; ++i) shifted[i][i] += pole;
  for (int power = 0; power < n; ++power) K = times(K, shifted);
  return K;
}

// Two rods of half a metre, one on the other, upright where both angles are zero.
marey::Model double_pendulum() {
  marey::Shape rod{marey::Capsule{0.01, 0.5}, {}};
  rod.X_BS.p = {0, 0, 0.25};
  marey::LinkSpec lower, upper;
  lower.name = "lower", upper.name = "upper", upper.parent = "lower";
  upper.X_PF.p = {0, 0, 0.5};
  marey::ModelSpec spec;
  for (marey::LinkSpec* link : {&lower, &upper}) {
    link->joint = marey::JointType::hinge;
    link->axis = {0, 1, 0};
    link->inertia = marey::shape_inertia(rod, 1.0);
    spec.links.push_back(*link);
  }
  return marey::freeze(spec);
}

// The deviation from upright at the end, or when it has fallen, with τ = −K x at the lower joint.
double off_after(const marey::Model& model, const Vector& K, double seconds) {
  marey::AbaWorkspace<double> workspace(model);
  marey::Stepper<double> stepper(model, marey::Integrator::rk4, 0);
  std::array<double, 2> q{0.02, -0.01}, v{};
  const double h = 1e-3;
  const auto off = [&] { return std::abs(q[0]) + std::abs(q[1]); };
  for (double t = 0; t < seconds && off() < 1; t += h)
    stepper.step(t, h, q, v, {},
                 [&](double, std::span<const double> at, std::span<const double> rate, std::span<double> vdot, auto) {
                   const double x[n] = {at[0], at[1], rate[0], rate[1]};
                   double tau[2] = {};
                   for (int i = 0; i < n; ++i) tau[0] -= K[i] * x[i];
                   marey::aba<double>(model, model.params, at, rate, {tau, {}}, workspace, vdot);
                 });
  return off();
}

}  // namespace

int main() {
  const marey::Model model = double_pendulum();
  const marey::State upright = marey::neutral_state(model);
  marey::DerivativesWorkspace workspace(model);
  const marey::ForwardDerivatives d = marey::aba_derivatives(model, model.params, upright.q, upright.v, {}, workspace);
  Matrix A{};
  Vector B{};
  for (int i = 0; i < 2; ++i) {
    A[i][2 + i] = 1;
    for (int k = 0; k < 2; ++k) A[2 + i][k] = d.q(i, k), A[2 + i][2 + k] = d.v(i, k);
    B[2 + i] = d.tau(i, 0);
  }
  const Vector K = gain(A, B, 6.0);
  const double held = off_after(model, K, 10), let_go = off_after(model, {}, 10);
  std::printf("gain %.3f %.3f %.3f %.3f\n", K[0], K[1], K[2], K[3]);
  std::printf("off upright after 10 s: %.1e rad held, %.1f rad let go\n", held, let_go);
  return held < 1e-9 && let_go > 1 ? 0 : 1;
}
