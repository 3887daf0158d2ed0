// Pack<T, N>: N worlds in one register. The lanes never mix, and a comparison gives a PackMask that cannot
// become a bool, so code that branches on the state does not compile for packs; select(mask, a, b) chooses
// lane by lane.
//
// Built on the vector extension of gcc and clang: arithmetic compiles to the widest instructions the target
// has, and a pack wider than a register of the target is split by the compiler.
#pragma once

#include "marey/scalar/traits.h"

// A pack wider than a register is handed over in memory; gcc remarks that other compilers may do it
// differently.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

#define MAREY_INLINE inline __attribute__((always_inline))

namespace marey {

template <class T, int N>
class Pack;

template <class T, int N>
class PackMask {
 public:
  using Lanes = typename Pack<T, N>::Lanes;
  using Bits = decltype(Lanes{} < Lanes{});  // all ones or all zeros in each lane

  PackMask() = default;
  MAREY_INLINE PackMask(bool all) : bits(all ? ~Bits{} : Bits{}) {}
  MAREY_INLINE explicit PackMask(const Bits& b) : bits(b) {}

  MAREY_INLINE bool operator[](int i) const { return bits[i] != 0; }

  MAREY_INLINE friend PackMask operator&(const PackMask& a, const PackMask& b) {
    return PackMask(a.bits & b.bits);
  }
  MAREY_INLINE friend PackMask operator|(const PackMask& a, const PackMask& b) {
    return PackMask(a.bits | b.bits);
  }
  MAREY_INLINE friend PackMask operator!(const PackMask& a) { return PackMask(~a.bits); }

  Bits bits;
};

template <class T, int N>
struct ScalarTraits<Pack<T, N>> {
  using Mask = PackMask<T, N>;
  using Real = T;
  static constexpr int lanes = N;
};

template <class T, int N>
class Pack {
  static_assert(std::is_floating_point_v<T> && N > 1 && (N & (N - 1)) == 0,
                "2, 4, 8, 16 … floats or doubles");

 public:
  typedef T Lanes __attribute__((vector_size(N * sizeof(T))));
  using Mask = PackMask<T, N>;

  Pack() = default;  // Pack{} is zero
  template <class U>
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

  MAREY_INLINE friend Pack select(const Mask& m, const Pack& a, const Pack& b) {
    return Pack(m.bits ? a.lanes : b.lanes);
  }
  MAREY_INLINE friend Pack min(const Pack& a, const Pack& b) { return select(a < b, a, b); }
  MAREY_INLINE friend Pack max(const Pack& a, const Pack& b) { return select(a > b, a, b); }
  MAREY_INLINE friend Pack abs(const Pack& a) {
    using Bits = typename Mask::Bits;
    const Pack sign(T(-0.0));
    return Pack(Lanes(Bits(a.lanes) & ~Bits(sign.lanes)));
  }
  friend Pack sqrt(const Pack& a) {
    return each([](T x) { return marey::sqrt(x); }, a);
  }
  friend Pack sin(const Pack& a) {
    return each([](T x) { return marey::sin(x); }, a);
  }
  friend Pack cos(const Pack& a) {
    return each([](T x) { return marey::cos(x); }, a);
  }
  friend void sincos(const Pack& a, Pack& s, Pack& c) {
    const Pack angle = a;  // s or c may be a itself
    s = sin(angle);
    c = cos(angle);
  }
  friend Pack exp(const Pack& a) {
    return each([](T x) { return marey::exp(x); }, a);
  }
  friend Pack log(const Pack& a) {
    return each([](T x) { return marey::log(x); }, a);
  }
  friend Pack atan2(const Pack& y, const Pack& x) {
    Pack r;
    for (int i = 0; i < N; ++i) r.lanes[i] = marey::atan2(y.lanes[i], x.lanes[i]);
    return r;
  }

  MAREY_INLINE friend double value_of(const Pack& a) { return a.lanes[0]; }
  MAREY_INLINE friend T lane(const Pack& a, int i) { return a.lanes[i]; }
  friend bool all_finite(const Pack& a) {
    bool finite = true;
    for (int i = 0; i < N; ++i) finite = finite && isfinite(a.lanes[i]);
    return finite;
  }

  Lanes lanes;

 private:
  template <class F>
  MAREY_INLINE static Pack each(F f, const Pack& a) {
    Pack r;
    for (int i = 0; i < N; ++i) r.lanes[i] = f(a.lanes[i]);
    return r;
  }
};

}  // namespace marey

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
