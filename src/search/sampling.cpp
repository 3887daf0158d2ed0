#include "search/sampling.h"

#include <nlopt.h>

#include <algorithm>
#include <exception>
#include <numeric>
#include <random>

namespace marey {

std::vector<Trial> sample(Trials& trials, int points, std::uint64_t seed) {
  const std::size_t n = trials.dimensions();
  std::mt19937_64 random(seed);
  // Of our own, since the standard's distributions differ from library to library.
  const auto unit = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  std::vector<std::vector<int>> cells(n, std::vector<int>(static_cast<std::size_t>(points)));
  for (std::vector<int>& column : cells) {
    std::iota(column.begin(), column.end(), 0);
    for (std::size_t i = column.size(); i-- > 1;) std::swap(column[i], column[random() % (i + 1)]);
  }
  std::vector<Trial> all;
  for (std::size_t p = 0; p < static_cast<std::size_t>(points); ++p) {
    std::vector<double> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = (cells[i][p] + unit()) / points;
    all.push_back(trials.run(x));
    if (all.back().holds) break;
  }
  std::ranges::stable_sort(all, {}, [](const Trial& t) { return std::pair(!t.holds, t.badness); });
  return all;
}

namespace {

// What NLopt calls must not throw through it: what was thrown waits until it has returned.
struct Call {
  Trials& trials;
  nlopt_opt method;
  std::exception_ptr thrown{};
  bool ended = false;
  SearchEnd end{};
};

double badness_at(unsigned n, const double* x, double*, void* data) {
  Call& call = *static_cast<Call*>(data);
  try {
    const Trial trial = call.trials.run({x, n});
    if (trial.holds) nlopt_force_stop(call.method);
    return trial.badness;
  } catch (const SearchEnd& end) {
    call.ended = true, call.end = end;
  } catch (...) {
    call.thrown = std::current_exception();
  }
  nlopt_force_stop(call.method);
  return 1e300;
}

void optimize(Trials& trials, nlopt_algorithm algorithm, std::vector<double> x, double radius, int runs) {
  for (double& number : x) number = std::clamp(number, 0.0, 1.0);
  const nlopt_opt method = nlopt_create(algorithm, static_cast<unsigned>(x.size()));
  Call call{trials, method};
  nlopt_set_min_objective(method, badness_at, &call);
  nlopt_set_lower_bounds1(method, 0);
  nlopt_set_upper_bounds1(method, 1);
  nlopt_set_maxeval(method, runs);
  nlopt_set_xtol_rel(method, 1e-9);
  if (radius > 0) nlopt_set_initial_step1(method, radius);
  double least = 0;
  nlopt_optimize(method, x.data(), &least);
  nlopt_destroy(method);
  if (call.thrown) std::rethrow_exception(call.thrown);
  if (call.ended) throw call.end;
}

}  // namespace

void search_everywhere(Trials& trials, int runs, std::uint64_t seed) {
  nlopt_srand(static_cast<unsigned long>(seed));
  optimize(trials, NLOPT_GN_CRS2_LM, trials.best().x, 0, runs);
}

void search_around(Trials& trials, const Trial& from, double radius, int runs) {
  optimize(trials, NLOPT_LN_SBPLX, from.x, radius, runs);
}

}  // namespace marey
