// sqrt, sin, cos, exp, log and atan2 of a Pack, all lanes at once. Included by pack.h.
//
// Each function is reduced to a small interval, where a minimax polynomial (fitted for this file by Remez exchange in 60
// digits) leaves an error well below the rounding:
//   sin, cos   x = k π/2 + r,  |r| ≤ π/4:   sin r = r + r³ S(r²),   cos r = 1 - r²/2 + r⁴ C(r²)
//   exp        x = k ln2 + r,  |r| ≤ ln2 / 2:   exp r = 1 + r + r² E(r)
//   log        x = 2^e m,  m in [√½, √2),  f = m - 1,  s = f / (2 + f):   log m = f - s (f - s² L(s²))
//   atan2      t = the smaller of |x|, |y| over the larger, turned by 45° where t > tan 22.5°:   atan t = t + t³ A(t²)
// π/2 and ln2 are split so that k times each leading part is exact (Cody and Waite); for sin and cos, what the last
// subtraction rounds away is kept and added at the end.
//
// Special values are those of the C library, except that sin(-0) is +0. Angles beyond `reach` take the C library's
// functions lane by lane. Largest errors, in units in the last place, float or double, with or without fused
// multiply-add: sin and cos 0.95, exp 1.05, log 1.0, atan2 2.0 (tests/unit/scalar/pack_math_test.cpp).
#pragma once

#include "marey/scalar/pack.h"

namespace marey::detail {

template <class T>
struct Fit;

template <>
struct Fit<float> {
  static constexpr int mantissa = 23;
  static constexpr float half_pi[4] = {1.5703125f, 4.837512969970703125e-4f, 7.5495336204767227e-8f,
                                       2.5633440682570896e-12f};  // 11, 11, 11 and 24 bits
  static constexpr float reach = 12800.0f;                        // k < 2¹³
  static constexpr float sin[3] = {-0.16666654937f, 0.0083321776956f, -0.00019517235717f};
  static constexpr float cos[3] = {0.041666646854f, -0.0013887366902f, 2.4438378553e-5f};
  static constexpr float ln2[2] = {0.693145751953125f, 1.4286067653301870e-6f};  // 15 and 24 bits
  static constexpr float exp_least = -104.0f, exp_most = 89.0f;
  static constexpr float exp[5] = {0.50000000952f, 0.16666518677f, 0.041666205715f, 0.0083689110788f, 0.0013950498204f};
  static constexpr float log[3] = {0.66666776722f, 0.3997749511f, 0.29873084179f};
  static constexpr float least_normal = 1.17549435e-38f;
  static constexpr float atan[5] = {-0.33333315424f, 0.19998484006f, -0.14243738746f, 0.10595138864f, -0.060811525443f};
  static constexpr float pi[2] = {3.14159274101257324f, -8.74227765734758577e-8f};
};

template <>
struct Fit<double> {
  static constexpr int mantissa = 52;
  static constexpr double half_pi[3] = {1.57079632673412561416626, 6.077100506303965976595549e-11,
                                        2.022266248795950631541144e-21};  // 33, 33 and 53 bits
  static constexpr double reach = 1.6e6;                                  // k < 2²⁰
  static constexpr double sin[6] = {-0.16666666666666632028,  0.0083333333333224138307,  -0.00019841269829807941838,
                                    2.7557313691957929502e-6, -2.5050758120640313616e-8, 1.5896795923100663628e-10};
  static constexpr double cos[6] = {0.041666666666666599473,   -0.0013888888888874123364, 0.000024801587289481787267,
                                    -2.7557314352210574694e-7, 2.0875723256026152743e-9,  -1.1359646895765244413e-11};
  static constexpr double ln2[2] = {0.693147180559890330187045, 5.497923018708371155242021e-14};  // 42 and 53 bits
  static constexpr double exp_least = -746.0, exp_most = 710.0;
  static constexpr double exp[11] = {0.49999999999999999966,     0.1666666666666668385,    0.041666666666666724268,
                                     0.0083333333333167226833,   0.0013888888888858530822, 0.00019841269897116657309,
                                     0.000024801587373596438537, 2.7557234165996783376e-6, 2.755723346689574699e-7,
                                     2.5112268028513618039e-8,   2.0926913668380064721e-9};
  static constexpr double log[7] = {0.66666666666667348956, 0.39999999999411090522, 0.28571428743262918484,
                                    0.22222198475979710235, 0.18183569739534003556, 0.15313903260877997446,
                                    0.14797507563130489464};
  static constexpr double least_normal = 2.2250738585072014e-308;
  static constexpr double atan[12] = {-0.33333333333333327525,  0.19999999999997670192,   -0.1428571428538813044,
                                      0.11111111088184851724,   -0.090909081447663293082, 0.076922827637036320792,
                                      -0.066662268273202878424, 0.058770224412736419133,  -0.052184082697247767092,
                                      0.04503564170374130169,   -0.033474776267333422803, 0.015195453504957114527};
  static constexpr double pi[2] = {3.141592653589793115997963, 1.224646799147353207173764e-16};
};

// c[0] + c[1] z + … + c[n-1] z^(n-1)
template <class T, int N, int n>
MAREY_INLINE Pack<T, N> polynomial(const T (&c)[n], const Pack<T, N>& z) {
  Pack<T, N> sum(c[n - 1]);
  for (int i = n - 2; i >= 0; --i) sum = sum * z + c[i];
  return sum;
}

// The lanes of a pack as integers of the same width; sums wrap around. A class, because a function that returns a bare
// vector wider than the target's registers draws a warning.
template <class T, int N>
struct PackBits {
  using Word = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
  using Words __attribute__((vector_size(N * sizeof(T)))) = Word;
  using Signed = typename PackMask<T, N>::Bits;
  Words bits;

  MAREY_INLINE PackBits(const Words& b) : bits(b) {}                    // NOLINT(google-explicit-constructor)
  MAREY_INLINE PackBits(const Pack<T, N>& x) : bits(Words(x.lanes)) {}  // NOLINT(google-explicit-constructor)
  MAREY_INLINE static PackBits broadcast(Word w) { return Words{} + w; }

  MAREY_INLINE Pack<T, N> number() const { return Pack<T, N>(typename Pack<T, N>::Lanes(bits)); }
  MAREY_INLINE PackMask<T, N> odd() const { return PackMask<T, N>((bits & 1) != 0); }
  MAREY_INLINE PackMask<T, N> negative() const { return PackMask<T, N>(Signed(bits) < 0); }
  MAREY_INLINE PackBits halved(int times) const { return Words(Signed(bits) >> times); }  // keeps the sign

  MAREY_INLINE friend PackBits operator+(const PackBits& a, const PackBits& b) { return a.bits + b.bits; }
  MAREY_INLINE friend PackBits operator-(const PackBits& a, const PackBits& b) { return a.bits - b.bits; }
  MAREY_INLINE friend PackBits operator&(const PackBits& a, const PackBits& b) { return a.bits & b.bits; }
  MAREY_INLINE friend PackBits operator^(const PackBits& a, const PackBits& b) { return a.bits ^ b.bits; }
  MAREY_INLINE friend PackBits operator<<(const PackBits& a, int b) { return a.bits << b; }
};

template <class T, int N>
MAREY_INLINE PackMask<T, N> is_nan(const Pack<T, N>& x) {
  return PackMask<T, N>(x.lanes != x.lanes);
}

template <int n>
MAREY_INLINE long long bitwise_and(const long long* word) {
  if constexpr (n == 1)
    return word[0];
  else
    return bitwise_and<n / 2>(word) & bitwise_and<n / 2>(word + n / 2);
}

template <class T, int N>
MAREY_INLINE bool all(const PackMask<T, N>& m) {
  constexpr int bytes = N * sizeof(T);
#if defined(__AVX512F__) && !defined(__clang__)  // gcc does not find this instruction by itself
  if constexpr (bytes == 64) {
    using Words __attribute__((vector_size(64))) = int;
    return static_cast<unsigned short>(__builtin_ia32_ptestmd512(Words(m.bits), Words(m.bits), 0xffff)) == 0xffff;
  }
#endif
  long long word[bytes / 8];
  __builtin_memcpy(word, &m.bits, bytes);
  return bitwise_and<bytes / 8>(word) == -1;
}

// Added to a small number, this leaves the nearest integer in the low bits of the sum.
template <class T>
inline constexpr T round_by = T(3ll << (Fit<T>::mantissa - 1));

// ---- sqrt: no vector extension for it, so the instructions by name ----

#if defined(__SSE2__)
template <class T, int bytes>
struct Register {
  using Type __attribute__((vector_size(bytes))) = T;
};
MAREY_INLINE auto root(Register<float, 16>::Type x) { return __builtin_ia32_sqrtps(x); }
MAREY_INLINE auto root(Register<double, 16>::Type x) { return __builtin_ia32_sqrtpd(x); }
inline constexpr int sse_bytes = 16;
#if defined(__AVX__)
MAREY_INLINE auto root(Register<float, 32>::Type x) { return __builtin_ia32_sqrtps256(x); }
MAREY_INLINE auto root(Register<double, 32>::Type x) { return __builtin_ia32_sqrtpd256(x); }
inline constexpr int avx_bytes = 32;
#else
inline constexpr int avx_bytes = sse_bytes;
#endif
#if defined(__AVX512F__) && defined(__clang__)
MAREY_INLINE auto root(Register<float, 64>::Type x) { return __builtin_ia32_sqrtps512(x, 4); }
MAREY_INLINE auto root(Register<double, 64>::Type x) { return __builtin_ia32_sqrtpd512(x, 4); }
inline constexpr int widest_bytes = 64;
#elif defined(__AVX512F__)
MAREY_INLINE auto root(Register<float, 64>::Type x) { return __builtin_ia32_sqrtps512_mask(x, x, 0xffff, 4); }
MAREY_INLINE auto root(Register<double, 64>::Type x) { return __builtin_ia32_sqrtpd512_mask(x, x, 0xff, 4); }
inline constexpr int widest_bytes = 64;
#else
inline constexpr int widest_bytes = avx_bytes;
#endif
#endif

template <class T, int N>
MAREY_INLINE Pack<T, N> pack_sqrt(const Pack<T, N>& x) {
  Pack<T, N> r;
  constexpr int bytes = N * sizeof(T);
#if defined(__SSE2__)
  if constexpr (bytes >= sse_bytes) {
    constexpr int chunk = bytes < widest_bytes ? bytes : widest_bytes;
    typename Register<T, chunk>::Type part[bytes / chunk];
    __builtin_memcpy(&part, &x.lanes, bytes);
    for (auto& p : part) p = root(p);
    __builtin_memcpy(&r.lanes, &part, bytes);
    return r;
  }
#endif
  for (int i = 0; i < N; ++i) r.lanes[i] = marey::sqrt(x.lanes[i]);
  return r;
}

// ---- sin and cos ----

// x = k π/2 + r + rest; returns the bits of k, of which the lowest two say the quadrant.
template <class T, int N>
MAREY_INLINE PackBits<T, N> reduce_angle(const Pack<T, N>& x, Pack<T, N>& r, Pack<T, N>& rest) {
  constexpr auto& part = Fit<T>::half_pi;
  constexpr int parts = sizeof(part) / sizeof(T);
  using P = Pack<T, N>;
  const P shifted = x * T(0.636619772367581343) + round_by<T>;
  const P k = shifted - round_by<T>;
  P before = x;
  for (int i = 0; i < parts - 2; ++i) before = before - k * part[i];  // exact
  const P first = before - k * part[parts - 2];
  const P lost = ((before - first) - k * part[parts - 2]) - k * part[parts - 1];
  r = first + lost;
  rest = (first - r) + lost;
  return shifted;
}

template <class T, int N>
inline void pack_sincos(const Pack<T, N>& x, Pack<T, N>& s, Pack<T, N>& c) {
  using P = Pack<T, N>;
  if (!all(abs(x) <= P(Fit<T>::reach))) {
    const P angle = x;  // s or c may be x itself
    for (int i = 0; i < N; ++i) {
      s.lanes[i] = marey::sin(angle.lanes[i]);
      c.lanes[i] = marey::cos(angle.lanes[i]);
    }
    return;
  }
  P r, rest;
  const PackBits<T, N> k = reduce_angle(x, r, rest);
  const P z = r * r;
  const P sine = r + (r * z * polynomial(Fit<T>::sin, z) + rest);
  const P half = T(0.5) * z, near = T(1) - half;
  const P cosine = near + (((T(1) - near) - half) + (z * z * polynomial(Fit<T>::cos, z) - r * rest));
  const auto one = PackBits<T, N>::broadcast(1), two = PackBits<T, N>::broadcast(2);
  constexpr int to_sign = 8 * sizeof(T) - 2;  // moves bit 1 of the quadrant to the sign
  const P swapped_sine = select(k.odd(), cosine, sine), swapped_cosine = select(k.odd(), sine, cosine);
  s = (((k & two) << to_sign) ^ swapped_sine).number();
  c = ((((k + one) & two) << to_sign) ^ swapped_cosine).number();
}

// ---- exp and log ----

template <class T, int N>
MAREY_INLINE Pack<T, N> two_to_the(const PackBits<T, N>& k) {
  return ((k << Fit<T>::mantissa) + Pack<T, N>(1)).number();
}

template <class T, int N>
inline Pack<T, N> pack_exp(const Pack<T, N>& x) {
  using P = Pack<T, N>;
  using Bits = PackBits<T, N>;
  const P bounded = max(P(Fit<T>::exp_least), min(P(Fit<T>::exp_most), x));  // a NaN stays one
  const P shifted = bounded * T(1.442695040888963407) + round_by<T>;
  const P k = shifted - round_by<T>;
  const P r = (bounded - k * Fit<T>::ln2[0]) - k * Fit<T>::ln2[1];
  const P e = T(1) + (r + r * r * polynomial(Fit<T>::exp, r));
  const Bits n = Bits(shifted) - P(round_by<T>);
  const Bits half = n.halved(1);  // twice, since 2^n alone may be out of range where the result is not
  return e * two_to_the(half) * two_to_the(n - half);
}

template <class T, int N>
inline Pack<T, N> pack_log(const Pack<T, N>& x) {
  using P = Pack<T, N>;
  using Bits = PackBits<T, N>;
  using Mask = PackMask<T, N>;
  constexpr int m = Fit<T>::mantissa;
  const T raise = T(1ll << m);  // makes subnormal numbers normal
  const Mask tiny = x < P(Fit<T>::least_normal);
  const Bits low = P(T(0.707106781186547524));
  const Bits from_low = Bits(select(tiny, x * raise, x)) - low;
  const Bits fraction_bits = Bits::broadcast((1ull << m) - 1);
  const P f = ((from_low & fraction_bits) + low).number() - T(1);
  const P e = (from_low.halved(m) + P(round_by<T>)).number() - round_by<T> - select(tiny, P(T(m)), P{});
  const P s = f / (T(2) + f), z = s * s;
  const P fraction = f - (s * (f - z * polynomial(Fit<T>::log, z)) - e * Fit<T>::ln2[1]);
  const P result = e * Fit<T>::ln2[0] + fraction;
  const T infinity = T(__builtin_inf()), nan = T(__builtin_nan(""));
  const P special = select(x < P{}, P(nan), select(x <= P{}, P(-infinity), x));  // x itself: +infinity or NaN
  return select((x > P{}) & (x < P(infinity)), result, special);
}

// ---- atan2 ----

// The angle of a vector in the first octant, 0 ≤ rise ≤ run, as start + more, start being 0 or 45°.
template <class T, int N>
MAREY_INLINE void octant_angle(const Pack<T, N>& rise, const Pack<T, N>& run, Pack<T, N>& start, Pack<T, N>& more) {
  using P = Pack<T, N>;
  const PackMask<T, N> turned = rise > run * T(0.414213562373095049);
  const P top = select(turned, rise - run, rise), bottom = select(turned, rise + run, run);
  const P t = top / select(bottom > P{}, bottom, P(1)), z = t * t;
  start = select(turned, P(T(0.25) * Fit<T>::pi[0]), P{});
  more = t + (t * z * polynomial(Fit<T>::atan, z) + select(turned, P(T(0.25) * Fit<T>::pi[1]), P{}));
}

// The angle is 0 + a, 90° - a, 90° + a or 180° - a, from the axis x, y, y or -x that is nearest.
template <class T, int N>
inline Pack<T, N> pack_atan2(const Pack<T, N>& y, const Pack<T, N>& x) {
  using P = Pack<T, N>;
  using Bits = PackBits<T, N>;
  using Mask = PackMask<T, N>;
  const P infinity = T(__builtin_inf()), width = abs(x), height = abs(y), run = max(width, height);
  const P scale = select(run > P(1), P(T(0.5)), P(1));                          // the sum of the two must not overflow
  const Mask steep = height > width, endless = min(width, height) >= infinity;  // endless: both are infinite
  P start, more;
  octant_angle(select(endless, P(1), min(width, height) * scale), select(endless, P(1), run * scale), start, more);

  const Mask left = Bits(x).negative();  // minus zero too
  const Mask back = (steep & !left) | (left & !steep);
  const P axis = select(steep, P(T(0.5)), select(left, P(1), P{}));  // of 180°
  start = axis * Fit<T>::pi[0] + select(back, -start, start);
  const P half = start + (select(back, -more, more) + axis * Fit<T>::pi[1]);
  const P result = (Bits(half) ^ (Bits(y) & P(T(-0.0)))).number();
  return select(is_nan(x), x, result);  // a NaN in y comes through by itself
}

}  // namespace marey::detail
