// Numbers that carry derivatives, for the oracles alone: written apart from the engine's own Dual, so that
// the referee shares no errors with the player.
//
//   Jet<N>    a + b ε₁ + Σₖ (cₖ + dₖ ε₁) ε₂ₖ,   ε₁² = 0, ε₂ᵢ ε₂ⱼ = 0: exact mixed second derivatives, one
//             common direction ε₁ (time) against N others at once.
//   Rate<S>   x + ẋ ε,   ε² = 0: a value and its rate of change, over any of these numbers.
//
// Nothing here is rounded beyond double arithmetic: there is no step length.
#pragma once

#include <array>
#include <utility>

namespace oracle {

// N numbers, a power of two of them, that are added and multiplied at once: in tests, which are hardly optimised, the
// compiler would make loops of them.
template <int N>
using Row [[gnu::vector_size(N * sizeof(double)), gnu::aligned(alignof(double))]] = double;

template <int N>
struct Jet {
  Row<N> c{}, d{};
  double a = 0, b = 0;

  Jet() = default;
  Jet(double value) : a(value) {}  // NOLINT: constants mix freely with jets
  Jet& operator+=(const Jet& o) {
    a += o.a, b += o.b;
    c += o.c, d += o.d;
    return *this;
  }
  Jet& operator-=(const Jet& o) {
    a -= o.a, b -= o.b;
    c -= o.c, d -= o.d;
    return *this;
  }
};
template <int N>
Jet<N> operator+(Jet<N> x, const Jet<N>& y) {
  return x += y;
}
template <int N>
Jet<N> operator-(Jet<N> x, const Jet<N>& y) {
  return x -= y;
}
template <int N>
Jet<N> operator*(const Jet<N>& x, const Jet<N>& y) {
  Jet<N> z(x.a * y.a);
  z.b = x.a * y.b + x.b * y.a;
  z.c = x.a * y.c + x.c * y.a;
  z.d = x.a * y.d + x.b * y.c + x.c * y.b + x.d * y.a;
  return z;
}
template <int N>
Jet<N> operator*(double s, Jet<N> x) {
  x.a *= s, x.b *= s;
  x.c *= s, x.d *= s;
  return x;
}

template <int N>
Jet<N> operator*(const Jet<N>& x, double s) {
  return s * x;
}

template <class S>
struct Rate {
  S x{}, dx{};

  Rate() = default;
  Rate(double value) : x(value) {}  // NOLINT: constants mix freely with rates
  Rate(const S& value, const S& rate) : x(value), dx(rate) {}
  Rate& operator+=(const Rate& o) {
    x += o.x, dx += o.dx;
    return *this;
  }
  Rate& operator-=(const Rate& o) {
    x -= o.x, dx -= o.dx;
    return *this;
  }
};
template <class S>
Rate<S> operator+(Rate<S> x, const Rate<S>& y) {
  return x += y;
}
template <class S>
Rate<S> operator-(Rate<S> x, const Rate<S>& y) {
  return x -= y;
}
template <class S>
Rate<S> operator*(const Rate<S>& x, const Rate<S>& y) {
  return {x.x * y.x, x.x * y.dx + x.dx * y.x};
}
template <class S>
Rate<S> operator*(double s, const Rate<S>& x) {
  return {s * x.x, s * x.dx};
}
template <class S>
Rate<S> operator*(const Rate<S>& x, double s) {
  return s * x;
}

// ---------------------------------------------------------------------------- plain vectors and matrices
template <class S>
using Vector = std::array<S, 3>;
template <class S>
using Matrix = std::array<std::array<S, 3>, 3>;  // rows
using V3 = Vector<double>;
using M3 = Matrix<double>;

// The product of an entry of one matrix with one of another, where either may be a plain double.
template <class A, class B>
using Product = decltype(std::declval<A>() * std::declval<B>());

template <class A, class B>
Matrix<Product<A, B>> times(const Matrix<A>& x, const Matrix<B>& y) {
  Matrix<Product<A, B>> z;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      z[i][j] = x[i][0] * y[0][j];
      for (int k = 1; k < 3; ++k) z[i][j] += x[i][k] * y[k][j];
    }
  return z;
}
template <class A, class B>
Vector<Product<A, B>> times(const Matrix<A>& x, const Vector<B>& y) {
  Vector<Product<A, B>> z;
  for (int i = 0; i < 3; ++i) {
    z[i] = x[i][0] * y[0];
    for (int k = 1; k < 3; ++k) z[i] += x[i][k] * y[k];
  }
  return z;
}
template <class S>
Matrix<S> transposed(const Matrix<S>& x) {
  Matrix<S> z;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) z[i][j] = x[j][i];
  return z;
}
template <class S>
Vector<S> plus(Vector<S> x, const Vector<S>& y) {
  for (int i = 0; i < 3; ++i) x[i] += y[i];
  return x;
}
template <class S>
Vector<S> minus(Vector<S> x, const Vector<S>& y) {
  for (int i = 0; i < 3; ++i) x[i] -= y[i];
  return x;
}
template <class A, class B>
Product<A, B> inner(const Vector<A>& x, const Vector<B>& y) {
  Product<A, B> s = x[0] * y[0];
  for (int i = 1; i < 3; ++i) s += x[i] * y[i];
  return s;
}
template <class A, class B>
Vector<Product<A, B>> crossed(const Vector<A>& x, const Vector<B>& y) {
  return {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]};
}
template <class S>
Vector<S> scaled(double s, const Vector<S>& x) {
  return {s * x[0], s * x[1], s * x[2]};
}

}  // namespace oracle
