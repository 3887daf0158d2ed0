// Nelder and Mead's simplex: the lowest value of a function that need not be smooth.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

namespace marey::bench {

struct Lowest {
  std::vector<double> x;
  double value = 0;
  int evaluations = 0;
};

inline Lowest lowest_by_simplex(const std::function<double(const std::vector<double>&)>& f,
                                const std::vector<double>& start, double size, double enough, int most_evaluations) {
  const std::size_t n = start.size();
  std::vector<std::vector<double>> at(n + 1, start);
  std::vector<double> value(n + 1);
  Lowest out;
  const auto ask = [&](const std::vector<double>& x) { return ++out.evaluations, f(x); };
  for (std::size_t i = 0; i < n; ++i) at[i + 1][i] += size;
  for (std::size_t i = 0; i <= n; ++i) value[i] = ask(at[i]);
  std::vector<std::size_t> order(n + 1);
  std::iota(order.begin(), order.end(), 0u);
  while (out.evaluations < most_evaluations) {
    std::ranges::sort(order, {}, [&](std::size_t i) { return value[i]; });
    const std::size_t best = order.front(), worst = order.back(), second = order[n - 1];
    if (value[best] < enough) break;
    std::vector<double> middle(n, 0.0);
    for (std::size_t i = 0; i <= n; ++i)
      for (std::size_t k = 0; i != worst && k < n; ++k) middle[k] += at[i][k] / static_cast<double>(n);
    const auto along = [&](double by) {
      std::vector<double> x(n);
      for (std::size_t k = 0; k < n; ++k) x[k] = middle[k] + by * (at[worst][k] - middle[k]);
      return x;
    };
    const auto take = [&](std::vector<double> x, double v) { at[worst] = std::move(x), value[worst] = v; };
    const std::vector<double> mirrored = along(-1);
    const double v = ask(mirrored);
    if (v < value[best]) {
      const std::vector<double> farther = along(-2);
      const double w = ask(farther);
      w < v ? take(farther, w) : take(mirrored, v);
    } else if (v < value[second]) {
      take(mirrored, v);
    } else {
      const std::vector<double> nearer = along(v < value[worst] ? -0.5 : 0.5);
      const double w = ask(nearer);
      if (w < std::min(v, value[worst])) {
        take(nearer, w);
        continue;
      }
      for (std::size_t i = 0; i <= n; ++i) {
        if (i == best) continue;
        for (std::size_t k = 0; k < n; ++k) at[i][k] = 0.5 * (at[i][k] + at[best][k]);
        value[i] = ask(at[i]);
      }
    }
  }
  const std::size_t best = static_cast<std::size_t>(std::ranges::min_element(value) - value.begin());
  out.x = at[best], out.value = value[best];
  return out;
}

}  // namespace marey::bench
