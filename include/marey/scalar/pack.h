// Pack<T, N>: N worlds in one register. The lanes never mix, and a comparison gives a PackMask that cannot become a bool,
// so code that branches on the state does not compile for packs; select(mask, a, b) chooses lane by lane.
//
// Built on the vector extension of gcc and clang: arithmetic compiles to the widest instructions the target has, and a
// pack wider than a register of the target is split by the compiler.
#pragma once

#include "marey/scalar/traits.h"

#define MAREY_INLINE inline __attribute__((always_inline))

namespace marey {

template <class T, int N>
class Pack;
template <class T, int N>
class PackMask;

namespace detail {
template <class T, int N>
Pack<T, N> pack_sqrt(const Pack<T, N>& x);
template <class T, int N>
void pack_sincos(const Pack<T, N>& x, Pack<T, N>& s, Pack<T, N>& c);
template <class T, int N>
Pack<T, N> pack_exp(const Pack<T, N>& x);
template <class T, int N>
Pack<T, N> pack_log(const Pack<T, N>& x);
template <class T, int N>
Pack<T, N> pack_atan2(const Pack<T, N>& y, const Pack<T, N>& x);
template <class T, int N>
bool all(const PackMask<T, N>& mask);
}  // namespace detail

template <class T, int N>
class PackMask {
 public:
  using Lanes = typename Pack<T, N>::Lanes;
  using Bits = decltype(Lanes{} < Lanes{});  // all ones or all zeros in each lane

  PackMask() = default;
  MAREY_INLINE PackMask(bool all) : bits(all ? ~Bits{} : Bits{}) {}  // NOLINT(google-explicit-constructor)
  MAREY_INLINE explicit PackMask(const Bits& b) : bits(b) {}

  MAREY_INLINE bool operator[](int i) const { return bits[i] != 0; }

  MAREY_INLINE friend PackMask operator&(const PackMask& a, const PackMask& b) { return PackMask(a.bits & b.bits); }
  MAREY_INLINE friend PackMask operator|(const PackMask& a, const PackMask& b) { return PackMask(a.bits | b.bits); }
  MAREY_INLINE friend PackMask operator!(const PackMask& a) { return PackMask(~a.bits); }
  MAREY_INLINE friend Pack<T, N> select(const PackMask& m, const Pack<T, N>& a, const Pack<T, N>& b) {
    return Pack<T, N>(m.bits ? a.lanes : b.lanes);
  }

  alignas(sizeof(Lanes)) Bits bits;
};

template <class T, int N>
struct ScalarTraits<Pack<T, N>> {
  using Mask = PackMask<T, N>;
  using Real = T;
  static constexpr int lanes = N;
};

template <class T, int N>
class Pack {
  static_assert(std::is_floating_point_v<T> && N > 1 && (N & (N - 1)) == 0, "2, 4, 8, 16 … floats or doubles");

 public:
  using Lanes __attribute__((vector_size(N * sizeof(T)))) = T;
  using Mask = PackMask<T, N>;

  Pack() = default;  // Pack{} is zero
  template <class U>
  // NOLINTNEXTLINE(google-explicit-constructor)
  requires std::is_arithmetic_v<U> MAREY_INLINE Pack(U all) : lanes(static_cast<T>(all) - Lanes{}) {}
  MAREY_INLINE explicit Pack(const Lanes& l) : lanes(l) {}

  // From and to N numbers in a row; no alignment needed.
  MAREY_INLINE static Pack load(const T* from) {
    Pack p;
    __builtin_memcpy(&p.lanes, from, sizeof(Lanes));
    return p;
  }
  MAREY_INLINE void store(T* to) const { __builtin_memcpy(to, &lanes, sizeof(Lanes)); }

  MAREY_INLINE T operator[](int i) const { return lanes[i]; }
  MAREY_INLINE void set(int i, T x) { lanes[i] = x; }

  MAREY_INLINE Pack& operator+=(const Pack& b) { return *this = *this + b; }
  MAREY_INLINE Pack& operator-=(const Pack& b) { return *this = *this - b; }
  MAREY_INLINE Pack& operator*=(const Pack& b) { return *this = *this * b; }
  MAREY_INLINE Pack& operator/=(const Pack& b) { return *this = *this / b; }

  MAREY_INLINE friend Pack operator+(const Pack& a) { return a; }
  MAREY_INLINE friend Pack operator-(const Pack& a) { return Pack(-a.lanes); }
  MAREY_INLINE friend Pack operator+(const Pack& a, const Pack& b) { return Pack(a.lanes + b.lanes); }
  MAREY_INLINE friend Pack operator-(const Pack& a, const Pack& b) { return Pack(a.lanes - b.lanes); }
  MAREY_INLINE friend Pack operator*(const Pack& a, const Pack& b) { return Pack(a.lanes * b.lanes); }
  MAREY_INLINE friend Pack operator/(const Pack& a, const Pack& b) { return Pack(a.lanes / b.lanes); }

  MAREY_INLINE friend Mask operator<(const Pack& a, const Pack& b) { return Mask(a.lanes < b.lanes); }
  MAREY_INLINE friend Mask operator<=(const Pack& a, const Pack& b) { return Mask(a.lanes <= b.lanes); }
  MAREY_INLINE friend Mask operator>(const Pack& a, const Pack& b) { return Mask(a.lanes > b.lanes); }
  MAREY_INLINE friend Mask operator>=(const Pack& a, const Pack& b) { return Mask(a.lanes >= b.lanes); }

  MAREY_INLINE friend Pack select(bool m, const Pack& a, const Pack& b) { return m ? a : b; }
  MAREY_INLINE friend Pack min(const Pack& a, const Pack& b) { return select(a < b, a, b); }
  MAREY_INLINE friend Pack max(const Pack& a, const Pack& b) { return select(a > b, a, b); }
  MAREY_INLINE friend Pack abs(const Pack& a) {
    using Bits = typename Mask::Bits;
    const Pack sign(T(-0.0));
    return Pack(Lanes(Bits(a.lanes) & ~Bits(sign.lanes)));
  }
  MAREY_INLINE friend Pack sqrt(const Pack& a) { return detail::pack_sqrt(a); }
  friend void sincos(const Pack& a, Pack& s, Pack& c) { detail::pack_sincos(a, s, c); }
  friend Pack sin(const Pack& a) {
    Pack s, c;
    detail::pack_sincos(a, s, c);
    return s;
  }
  friend Pack cos(const Pack& a) {
    Pack s, c;
    detail::pack_sincos(a, s, c);
    return c;
  }
  friend Pack exp(const Pack& a) { return detail::pack_exp(a); }
  friend Pack log(const Pack& a) { return detail::pack_log(a); }
  friend Pack atan2(const Pack& y, const Pack& x) { return detail::pack_atan2(y, x); }

  MAREY_INLINE friend double value_of(const Pack& a) { return a.lanes[0]; }
  MAREY_INLINE friend T lane(const Pack& a, int i) { return a.lanes[i]; }
  friend bool all_finite(const Pack& a) {
    const Pack difference = a - a;  // zero, or NaN for infinities and NaN
    return detail::all(difference <= Pack{});
  }

  // Without alignas a class of lanes wider than the target's registers would be aligned to those registers: a caller made
  // for another processor than the library would then see all types of packs in another layout.
  alignas(N * sizeof(T)) Lanes lanes;
};

}  // namespace marey

#include "marey/scalar/pack_math.h"
