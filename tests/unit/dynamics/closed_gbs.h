// An integrator for oracles: Gragg's modified midpoint rule, extrapolated (Bulirsch & Stoer), in extended precision.
//
// One step H with 2, 4, 6, 8, 12, 16, 24 substeps, extrapolated in h² to order 14. The caller chooses H so
// small that halving it changes nothing that a test looks at; tests say how they know.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace marey {

template <std::size_t N>
using Reals = std::array<long double, N>;

template <std::size_t N>
Reals<N> plus(const Reals<N>& a, const Reals<N>& b) {
  Reals<N> c;
  for (std::size_t i = 0; i < N; ++i) c[i] = a[i] + b[i];
  return c;
}

// The change over H in n substeps; changes, and not values, so that round-off is that of the change.
template <std::size_t N, class F>
Reals<N> midpoint_rule(const F& f, long double t, const Reals<N>& y, long double H, int n) {
  const long double h = H / n;
  Reals<N> before{}, now, slope = f(t, y);
  for (std::size_t i = 0; i < N; ++i) now[i] = h * slope[i];
  for (int j = 1; j < n; ++j) {
    slope = f(t + j * h, plus(y, now));
    for (std::size_t i = 0; i < N; ++i) {
      const long double next = before[i] + 2 * h * slope[i];
      before[i] = now[i], now[i] = next;
    }
  }
  slope = f(t + H, plus(y, now));
  for (std::size_t i = 0; i < N; ++i) now[i] = (now[i] + before[i] + h * slope[i]) / 2;
  return now;
}

template <std::size_t N, class F>
Reals<N> gbs_step(const F& f, long double t, const Reals<N>& y, long double H) {
  constexpr int columns = 7, substeps[columns] = {2, 4, 6, 8, 12, 16, 24};
  std::array<Reals<N>, columns> row;
  for (int k = 0; k < columns; ++k) {
    Reals<N> value = midpoint_rule(f, t, y, H, substeps[k]);
    for (int j = 1; j <= k; ++j) {  // Neville, in powers of h²
      const long double ratio = static_cast<long double>(substeps[k]) / substeps[k - j];
      const Reals<N> lower = row[j - 1];
      row[j - 1] = value;
      for (std::size_t i = 0; i < N; ++i) value[i] += (value[i] - lower[i]) / (ratio * ratio - 1);
    }
    row[k] = value;
  }
  return plus(y, row[columns - 1]);
}

// From t to t_end in steps of at most H.
template <std::size_t N, class F>
Reals<N> gbs(const F& f, long double t, Reals<N> y, long double t_end, long double H) {
  const long double steps = std::max(1.0L, std::ceil(std::abs(t_end - t) / H)), h = (t_end - t) / steps;
  for (long double j = 0; j < steps; ++j) y = gbs_step(f, t + j * h, y, h);
  return y;
}

}  // namespace marey
