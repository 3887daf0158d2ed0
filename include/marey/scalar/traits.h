// What a templated algorithm may ask of its scalar T, and the answers for double and float.
//
// Every scalar (double, float, Dual, Pack, Expr) has
//   ScalarTraits<T>::Mask   what a comparison yields; good for select(mask, a, b) and for & | ! only
//   ScalarTraits<T>::Real   the floating point type underneath
//   ScalarTraits<T>::lanes  how many worlds one T carries
// and in namespace marey the functions sqrt sin cos sincos atan2 exp log abs min max select value_of lane all_finite.
// T{} is zero (`T x;` may be uninitialised, as for double), T(2.0) is a constant, and constants may stand beside a T in
// arithmetic, comparisons, min, max and select.
//
// Write templated code inside namespace marey (or call marey::sqrt): in the global namespace, after `using namespace
// marey`, sqrt(2.0) would be ambiguous with the one of the C library.
//
// Name masks before joining them (`const auto low = x < a, high = x > b; select(low | high, …)`): clang takes (x < a) |
// (x > b) for a slip where the mask is a bool.
//
// With T = float, 2.0 * x is computed in double, as the language has it: write T(2.0) where that costs (on a
// GPU it does).
//
// min(a, b) is a < b ? a : b and max(a, b) is a > b ? a : b for every scalar: the second argument wins a tie, and when
// one of them is not a number.
#pragma once

#include <type_traits>

#include "marey/core/hd.h"

// The built-in functions of the host compiler, and libm's own names on the device: <cmath> would be nine tenths of this
// header's compile time.
#if defined(__CUDACC__)
#define MAREY_LIBM(name) ::name
#else
#define MAREY_LIBM(name) __builtin_##name
#endif

namespace marey {

template <class T>
struct ScalarTraits;

template <>
struct ScalarTraits<double> {
  using Mask = bool;
  using Real = double;
  static constexpr int lanes = 1;
};

template <>
struct ScalarTraits<float> {
  using Mask = bool;
  using Real = float;
  static constexpr int lanes = 1;
};

template <class T>
concept Scalar = requires {
  typename ScalarTraits<T>::Mask;
};

MAREY_HD inline double sqrt(double x) { return MAREY_LIBM(sqrt)(x); }
MAREY_HD inline float sqrt(float x) { return MAREY_LIBM(sqrtf)(x); }
MAREY_HD inline double sin(double x) { return MAREY_LIBM(sin)(x); }
MAREY_HD inline float sin(float x) { return MAREY_LIBM(sinf)(x); }
MAREY_HD inline double cos(double x) { return MAREY_LIBM(cos)(x); }
MAREY_HD inline float cos(float x) { return MAREY_LIBM(cosf)(x); }
MAREY_HD inline double exp(double x) { return MAREY_LIBM(exp)(x); }
MAREY_HD inline float exp(float x) { return MAREY_LIBM(expf)(x); }
MAREY_HD inline double log(double x) { return MAREY_LIBM(log)(x); }
MAREY_HD inline float log(float x) { return MAREY_LIBM(logf)(x); }
MAREY_HD inline double abs(double x) { return MAREY_LIBM(fabs)(x); }
MAREY_HD inline float abs(float x) { return MAREY_LIBM(fabsf)(x); }
MAREY_HD inline double atan2(double y, double x) { return MAREY_LIBM(atan2)(y, x); }
MAREY_HD inline float atan2(float y, float x) { return MAREY_LIBM(atan2f)(y, x); }

MAREY_HD inline void sincos(double x, double& s, double& c) {
  s = sin(x);
  c = cos(x);
}
MAREY_HD inline void sincos(float x, float& s, float& c) {
  s = sin(x);
  c = cos(x);
}

// x - x is zero for every number and not a number for infinities and NaN.
MAREY_HD inline bool isfinite(double x) { return x - x == 0.0; }
MAREY_HD inline bool isfinite(float x) { return x - x == 0.0f; }
MAREY_HD inline bool all_finite(double x) { return isfinite(x); }
MAREY_HD inline bool all_finite(float x) { return isfinite(x); }

#undef MAREY_LIBM

// value_of: one double to print or to log. lane(x, i): the number of world i; a scalar of one lane is the same in all.
MAREY_HD inline double value_of(double x) { return x; }
MAREY_HD inline double value_of(float x) { return x; }
MAREY_HD inline double lane(double x, int) { return x; }
MAREY_HD inline float lane(float x, int) { return x; }

namespace detail {

// The type of min, max and select over two built-in numbers. Unlike in arithmetic, a double constant beside a
// float is a float, so that max(x, 0.0) has the type of x for every scalar.
template <class A, class B>
struct Joint {
  static_assert(std::is_floating_point_v<A> || std::is_floating_point_v<B>, "two different integer types");
  using Type = std::conditional_t<std::is_same_v<A, float> || std::is_same_v<B, float>, float, double>;
};
template <class A>
struct Joint<A, A> {
  using Type = A;
};

}  // namespace detail

template <class A, class B>
requires std::is_arithmetic_v<A> && std::is_arithmetic_v<B> MAREY_HD constexpr typename detail::Joint<A, B>::Type
select(bool mask, A a, B b) {
  using R = typename detail::Joint<A, B>::Type;
  return mask ? static_cast<R>(a) : static_cast<R>(b);
}

template <class A, class B>
requires std::is_arithmetic_v<A> && std::is_arithmetic_v<B> MAREY_HD constexpr typename detail::Joint<A, B>::Type min(
    A a, B b) {
  using R = typename detail::Joint<A, B>::Type;
  return static_cast<R>(a) < static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b);
}

template <class A, class B>
requires std::is_arithmetic_v<A> && std::is_arithmetic_v<B> MAREY_HD constexpr typename detail::Joint<A, B>::Type max(
    A a, B b) {
  using R = typename detail::Joint<A, B>::Type;
  return static_cast<R>(a) > static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b);
}

}  // namespace marey
