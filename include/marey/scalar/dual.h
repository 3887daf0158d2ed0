// Forward derivatives: a value with its derivatives along N directions, carried through every operation.
//
// With f(x) the value and f'(x) its slope, f(Dual{x, d}) = {f(x), f'(x) d}. What holds at the corners:
//   - A direction along which an argument does not move (d = 0) gets derivative 0 from sqrt, log and atan2 wherever they
//     are evaluated, so that a constant never turns into 0 * inf = NaN.
//   - sqrt at 0: the slope is infinite, and so is the derivative along every direction that moves.
//   - atan2 at the origin: no derivative exists; NaN along every direction that moves.
//   - abs at 0: the right-hand slope, +1. min, max and select carry the derivative of the branch they take.
// Comparisons look at the values only.
#pragma once

#include "marey/scalar/traits.h"

namespace marey {

template <int N, class T = double>
struct Dual;

namespace detail {
template <class U, class T>
concept ConstantBeside = std::is_arithmetic_v<U> || std::is_same_v<U, T>;
}

template <int N, class T>
struct ScalarTraits<Dual<N, T>> {
  using Mask = typename ScalarTraits<T>::Mask;
  using Real = typename ScalarTraits<T>::Real;
  static constexpr int lanes = ScalarTraits<T>::lanes;
};

template <int N, class T>
struct Dual {
  static_assert(N > 0);
  using Mask = typename ScalarTraits<T>::Mask;

  T value;
  T d[N];  // derivative of value along direction i

  Dual() = default;  // Dual{} is zero

  template <class U>
  // NOLINTNEXTLINE(google-explicit-constructor)
  requires detail::ConstantBeside<U, T> MAREY_HD constexpr Dual(const U& constant) : value(T(constant)), d{} {}

  // The variable whose derivative along `direction` is one.
  template <class U>
  requires detail::ConstantBeside<U, T> MAREY_HD static constexpr Dual variable(const U& value, int direction) {
    Dual x(value);
    x.d[direction] = T(1.0);
    return x;
  }

  MAREY_HD friend Dual operator+(const Dual& a) { return a; }
  MAREY_HD friend Dual operator-(const Dual& a) {
    Dual r;
    r.value = -a.value;
    for (int i = 0; i < N; ++i) r.d[i] = -a.d[i];
    return r;
  }
  MAREY_HD friend Dual operator+(const Dual& a, const Dual& b) {
    Dual r;
    r.value = a.value + b.value;
    for (int i = 0; i < N; ++i) r.d[i] = a.d[i] + b.d[i];
    return r;
  }
  MAREY_HD friend Dual operator-(const Dual& a, const Dual& b) {
    Dual r;
    r.value = a.value - b.value;
    for (int i = 0; i < N; ++i) r.d[i] = a.d[i] - b.d[i];
    return r;
  }
  MAREY_HD friend Dual operator*(const Dual& a, const Dual& b) {
    Dual r;
    r.value = a.value * b.value;
    for (int i = 0; i < N; ++i) r.d[i] = a.d[i] * b.value + a.value * b.d[i];
    return r;
  }
  MAREY_HD friend Dual operator/(const Dual& a, const Dual& b) {
    Dual r;
    const T inverse = T(1.0) / b.value;
    r.value = a.value / b.value;
    for (int i = 0; i < N; ++i) r.d[i] = (a.d[i] - r.value * b.d[i]) * inverse;
    return r;
  }

  // Beside a constant, so that no work is spent on its zero derivatives.
  template <class U>
  requires detail::ConstantBeside<U, T> MAREY_HD friend Dual operator+(Dual a, const U& b) {
    a.value = a.value + T(b);
    return a;
  }
  template <class U>
  requires detail::ConstantBeside<U, T> MAREY_HD friend Dual operator+(const U& a, Dual b) {
    b.value = T(a) + b.value;
    return b;
  }
  template <class U>
  requires detail::ConstantBeside<U, T> MAREY_HD friend Dual operator-(Dual a, const U& b) {
    a.value = a.value - T(b);
    return a;
  }
  template <class U>
  requires detail::ConstantBeside<U, T> MAREY_HD friend Dual operator-(const U& a, const Dual& b) {
    Dual r = -b;
    r.value = T(a) - b.value;
    return r;
  }
  template <class U>
  requires detail::ConstantBeside<U, T> MAREY_HD friend Dual operator*(const Dual& a, const U& b) {
    return scaled(a.value * T(b), T(b), a);
  }
  template <class U>
  requires detail::ConstantBeside<U, T> MAREY_HD friend Dual operator*(const U& a, const Dual& b) {
    return scaled(T(a) * b.value, T(a), b);
  }
  template <class U>
  requires detail::ConstantBeside<U, T> MAREY_HD friend Dual operator/(const Dual& a, const U& b) {
    return scaled(a.value / T(b), T(1.0) / T(b), a);
  }
  template <class U>
  requires detail::ConstantBeside<U, T> MAREY_HD friend Dual operator/(const U& a, const Dual& b) {
    const T quotient = T(a) / b.value;
    return scaled(quotient, -(quotient / b.value), b);
  }

  template <class U>
  MAREY_HD Dual& operator+=(const U& b) {
    return *this = *this + b;
  }
  template <class U>
  MAREY_HD Dual& operator-=(const U& b) {
    return *this = *this - b;
  }
  template <class U>
  MAREY_HD Dual& operator*=(const U& b) {
    return *this = *this * b;
  }
  template <class U>
  MAREY_HD Dual& operator/=(const U& b) {
    return *this = *this / b;
  }

  MAREY_HD friend Mask operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  MAREY_HD friend Mask operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
  MAREY_HD friend Mask operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
  MAREY_HD friend Mask operator>=(const Dual& a, const Dual& b) { return a.value >= b.value; }

  MAREY_HD friend Dual select(const Mask& mask, const Dual& a, const Dual& b) {
    Dual r;
    r.value = select(mask, a.value, b.value);
    for (int i = 0; i < N; ++i) r.d[i] = select(mask, a.d[i], b.d[i]);
    return r;
  }
  MAREY_HD friend Dual min(const Dual& a, const Dual& b) { return select(a.value < b.value, a, b); }
  MAREY_HD friend Dual max(const Dual& a, const Dual& b) { return select(a.value > b.value, a, b); }
  MAREY_HD friend Dual abs(const Dual& a) {
    const T sign = select(a.value < T(0.0), T(-1.0), T(1.0));
    return scaled(abs(a.value), sign, a);
  }

  MAREY_HD friend Dual sqrt(const Dual& a) {
    const T root = sqrt(a.value);
    return steep(root, T(0.5) / abs(root), a);  // the slope at -0 is +infinity too
  }
  MAREY_HD friend Dual log(const Dual& a) { return steep(log(a.value), T(1.0) / a.value, a); }
  MAREY_HD friend Dual exp(const Dual& a) {
    const T e = exp(a.value);
    return scaled(e, e, a);
  }
  MAREY_HD friend void sincos(const Dual& a, Dual& s, Dual& c) {
    T sine, cosine;
    sincos(a.value, sine, cosine);
    const Dual argument = a;  // s or c may be a itself
    s = scaled(sine, cosine, argument);
    c = scaled(cosine, -sine, argument);
  }
  MAREY_HD friend Dual sin(const Dual& a) { return scaled(sin(a.value), cos(a.value), a); }
  MAREY_HD friend Dual cos(const Dual& a) { return scaled(cos(a.value), -sin(a.value), a); }
  MAREY_HD friend Dual atan2(const Dual& y, const Dual& x) {
    Dual r;
    r.value = atan2(y.value, x.value);
    const T inverse = T(1.0) / (x.value * x.value + y.value * y.value);
    const T along_y = x.value * inverse, along_x = -(y.value * inverse);
    for (int i = 0; i < N; ++i) r.d[i] = moved(along_y, y.d[i]) + moved(along_x, x.d[i]);
    return r;
  }

  MAREY_HD friend double value_of(const Dual& a) { return value_of(a.value); }
  MAREY_HD friend auto lane(const Dual& a, int i) { return lane(a.value, i); }
  MAREY_HD friend bool all_finite(const Dual& a) {
    bool finite = all_finite(a.value);
    for (int i = 0; i < N; ++i) finite = finite && all_finite(a.d[i]);
    return finite;
  }

 private:
  MAREY_HD static Dual scaled(const T& value, const T& slope, const Dual& a) {
    Dual r;
    r.value = value;
    for (int i = 0; i < N; ++i) r.d[i] = slope * a.d[i];
    return r;
  }
  // slope * d where the slope may be infinite or undefined: zero where nothing moves.
  MAREY_HD static T moved(const T& slope, const T& d) {
    return select((d <= T(0.0)) & (d >= T(0.0)), T(0.0), slope * d);
  }
  MAREY_HD static Dual steep(const T& value, const T& slope, const Dual& a) {
    Dual r;
    r.value = value;
    for (int i = 0; i < N; ++i) r.d[i] = moved(slope, a.d[i]);
    return r;
  }
};

}  // namespace marey
