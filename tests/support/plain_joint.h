// Where the general joints put their link, in the oracle's own words: elementary turns and shifts after each other, of
// angles and displacements that are sums of functions. Splines are worked out anew, by their slopes instead of their
// second derivatives: on each piece
//   y = h₀₀ y₀ + h₁₀ h k₀ + h₀₁ y₁ + h₁₁ h k₁                                              (Hermite)              (1)
// with continuous second derivatives, which all slopes k have to fulfil at once; one full linear system.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "marey/model.h"
#include "support/jets.h"

namespace oracle {

// The plain number that is left when every small part is taken away.
inline double base(double x) { return x; }
template <int N>
double base(const Jet<N>& x) {
  return x.a;
}
template <class S>
double base(const Rate<S>& x) {
  return base(x.x);
}

// 1/√x for x > 0: the small part is nilpotent of order four.
template <class S>
S inverse_root(const S& x) {
  const double x_0 = base(x);
  const S u = (1 / x_0) * (x - S(x_0));
  const S u2 = u * u;
  return (1 / std::sqrt(x_0)) * (S(1.0) - 0.5 * u + 0.375 * u2 - 0.3125 * (u2 * u));
}

// ------------------------------------------------------------------------------------------------- functions
// Gauss with row exchanges.
inline std::vector<double> solved(std::vector<std::vector<double>> A, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k; i < n; ++i)
      if (std::abs(A[i][k]) > std::abs(A[best][k])) best = i;
    std::swap(A[k], A[best]), std::swap(b[k], b[best]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double r = A[i][k] / A[k][k];
      for (std::size_t j = k; j < n; ++j) A[i][j] -= r * A[k][j];
      b[i] -= r * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= A[k][j] * b[j];
    b[k] /= A[k][k];
  }
  return b;
}

inline std::vector<double> knot_slopes(const marey::JointFunction& f) {
  const std::size_t n = f.x.size();
  std::vector<std::vector<double>> A(n, std::vector<double>(n, 0.0));
  std::vector<double> b(n, 0.0);
  const auto h = [&](std::size_t i) { return f.x[i + 1] - f.x[i]; };
  const auto rise = [&](std::size_t i) { return f.y[i + 1] - f.y[i]; };
  // y″ at the left end of a piece is (6 rise/h − 4 k₀ − 2 k₁)/h, at its right end (−6 rise/h + 2 k₀ + 4 k₁)/h.
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0) A[i][i - 1] += 2 / h(i - 1), A[i][i] += 4 / h(i - 1), b[i] += 6 * rise(i - 1) / (h(i - 1) * h(i - 1));
    if (i + 1 < n) A[i][i + 1] += 2 / h(i), A[i][i] += 4 / h(i), b[i] += 6 * rise(i) / (h(i) * h(i));
  }
  if (f.end_slopes) {
    A.front().assign(n, 0.0), A.back().assign(n, 0.0);
    A.front().front() = A.back().back() = 1;
    b.front() = (*f.end_slopes)[0], b.back() = (*f.end_slopes)[1];
  }
  return solved(A, b);
}

// `k`: the slopes at the knots.
template <class S>
S table_at(const marey::JointFunction& f, const std::vector<double>& k, const S& x) {
  if (base(x) < f.x.front()) return S(f.y.front()) + k.front() * (x - S(f.x.front()));
  if (base(x) >= f.x.back()) return S(f.y.back()) + k.back() * (x - S(f.x.back()));
  std::size_t i = 0;
  while (base(x) >= f.x[i + 1]) ++i;
  const double h = f.x[i + 1] - f.x[i];
  const S t = (1 / h) * (x - S(f.x[i])), one(1.0), s = one - t;
  return f.y[i] * (s * s * (one + 2.0 * t)) + (h * k[i]) * (t * s * s) + f.y[i + 1] * (t * t * (one + 2.0 * s)) -
         (h * k[i + 1]) * (t * t * s);  // (1)
}

template <class S>
S function_at(const marey::JointFunction& f, const std::vector<double>& slopes, const S& x) {
  if (f.polynomial.empty()) return table_at(f, slopes, x);
  S sum(0.0), power(1.0);
  for (const double c : f.polynomial) sum += c * power, power = power * x;
  return sum;
}

// ----------------------------------------------------------------------------------------------------- poses
template <class S>
struct Pose {
  Matrix<S> R;  // R_WB
  Vector<S> p;  // p_WoBo_W
};

inline M3 rotation_of(double w, double x, double y, double z) {
  const double n = 1 / std::sqrt(w * w + x * x + y * y + z * z);
  w *= n, x *= n, y *= n, z *= n;
  return {{{w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)},
           {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)},
           {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z}}};
}
inline M3 rotation_of(const V3& axis, double angle) {
  const double s = std::sin(angle / 2);
  return rotation_of(std::cos(angle / 2), s * axis[0], s * axis[1], s * axis[2]);
}

// R0 exp(ξ̃) for a small ξ in the sense of plain_figure.h.
template <class S>
Matrix<S> turned(const M3& R0, const Vector<S>& xi) {
  const S zero(0.0);
  const Matrix<S> K{{{zero, zero - xi[2], xi[1]}, {xi[2], zero, zero - xi[0]}, {zero - xi[1], xi[0], zero}}};
  const Matrix<S> K2 = times(K, K);
  const S square = inner(xi, xi);  // K³ = −|ξ|² K
  Matrix<S> E;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      E[i][j] = K[i][j] + 0.5 * K2[i][j] - (1.0 / 6) * (square * K[i][j]);
      if (i == j) E[i][j] += S(1.0);
    }
  return times(R0, E);
}
// The turn by an angle about a unit axis.
template <class S>
Matrix<S> turn_about(const V3& axis, const S& angle) {
  const S small = angle - S(base(angle));
  return turned(rotation_of(axis, base(angle)), Vector<S>{axis[0] * small, axis[1] * small, axis[2] * small});
}

inline V3 unit(const marey::Vec3<double>& a) {
  const double n = 1 / std::sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
  return {n * a.x, n * a.y, n * a.z};
}

// Bo on the ellipsoid where its outward normal is the third column of R.
template <class S>
Vector<S> on_ellipsoid(const marey::Vec3<double>& radii, const Matrix<S>& R) {
  const double a[3] = {radii.x, radii.y, radii.z};
  S square(0.0);
  for (int i = 0; i < 3; ++i) square += (a[i] * a[i]) * (R[i][2] * R[i][2]);
  const S scale = inverse_root(square);
  return {(a[0] * a[0]) * (R[0][2] * scale), (a[1] * a[1]) * (R[1][2] * scale), (a[2] * a[2]) * (R[2][2] * scale)};
}

// The slopes at the knots of every table, worked out once.
using TableSlopes = std::array<std::vector<std::vector<double>>, 6>;
inline TableSlopes table_slopes(const marey::CustomJoint& joint) {
  TableSlopes slopes;
  for (std::size_t c = 0; c < 6; ++c)
    for (const marey::JointFunction& f : joint.functions[c])
      slopes[c].push_back(f.polynomial.empty() ? knot_slopes(f) : std::vector<double>{});
  return slopes;
}

// X starts as the identity.
template <class S>
void custom_pose(const marey::CustomJoint& joint, const TableSlopes& slopes, const std::vector<S>& x, Pose<S>& X) {
  const V3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (std::size_t c = 0; c < 6; ++c) {
    S sum(joint.constants[c]);
    for (std::size_t i = 0; i < joint.functions[c].size(); ++i) {
      const marey::JointFunction& f = joint.functions[c][i];
      sum += function_at(f, slopes[c][i], x[static_cast<std::size_t>(f.coordinate)]);
    }
    if (c < 3)
      X.R = times(X.R, turn_about(axes[c], sum));
    else
      X.p[c - 3] = sum;
  }
}

template <class S>
void general_pose(const marey::LinkSpec& spec, const TableSlopes& slopes, int nv, const double* q, const S* xi,
                  Pose<S>& X) {
  using marey::JointType;
  std::vector<S> x;
  for (int k = 0; k < nv; ++k) x.push_back(S(q[k]) + xi[k]);
  const V3 u = unit(spec.axis);
  const auto shift = [&](const V3& along, const S& by) {
    for (int i = 0; i < 3; ++i) X.p[i] += along[i] * by;
  };
  switch (spec.joint) {
    case JointType::universal:
      X.R = times(turn_about(u, x[0]), turn_about(unit(spec.axis_2), x[1]));
      break;
    case JointType::cylindrical:
      shift(u, x[1]);
      X.R = turn_about(u, x[0]);
      break;
    case JointType::planar: {
      const V3 y = unit(marey::cross(spec.axis, spec.axis_2));
      shift(crossed(y, u), x[0]), shift(y, x[1]);
      X.R = turn_about(u, x[2]);
      break;
    }
    case JointType::screw:
      shift(u, (spec.pitch / (2 * M_PI)) * x[0]);
      X.R = turn_about(u, x[0]);
      break;
    case JointType::ellipsoid:
      X.R = turned(rotation_of(q[0], q[1], q[2], q[3]), Vector<S>{xi[0], xi[1], xi[2]});
      X.p = on_ellipsoid(spec.radii, X.R);
      break;
    default:
      custom_pose(spec.custom, slopes, x, X);
  }
}

}  // namespace oracle
