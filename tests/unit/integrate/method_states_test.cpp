// What methods integrate beside the motion: states z and the rates of the ledger, both of which a new method could leave
// alone without the figure showing it. All methods that there are.
//
// Oracles. A filter τ ż = sin ωt − z from z₀, with a = ωτ:
//   z = (sin ωt − a cos ωt)/(1 + a²) + (z₀ + a/(1 + a²)) e^(−t/τ)                                                      (1)
// A rate ω sin ωt adds up to 1 − cos ωt.                                                                               (2)
// Where the figure is at rest, and no force acts, nothing else has an error: who chooses steps must choose them by these.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "support/integrators.h"
#include "unit/integrate/figure_flow.h"

namespace marey {
namespace method_states_test {

constexpr double tau = 0.2, omega = 3, quick = 40, duration = 1.28;

// The tumbling figure with the filter behind its velocities, and the rate of (2) in the place of its third.
class Filtered final : public tumbling::FigureFlow {
 public:
  using FigureFlow::FigureFlow;
  std::size_t state_count() const override { return 1; }
  void evaluate(double t, std::span<const double> q, std::span<const double> v, std::span<double> vdot,
                std::span<double> rates) override {
    const std::size_t n = v.size() - 1;
    FigureFlow::evaluate(t, q, v.first(n), vdot.first(n), rates);
    vdot[n] = filtered(t, v[n]);
    rates[2] = quick * std::sin(quick * t);
  }
  void force(double t, std::span<const double> q, std::span<const double> v, std::span<double> g,
             std::span<double> rates) override {
    const std::size_t n = v.size() - 1;
    FigureFlow::force(t, q, v.first(n), g.first(n), rates);
    g[n] = filtered(t, v[n]);
    rates[2] = quick * std::sin(quick * t);
  }
  void jacobian(double t, std::span<const double> q, std::span<const double> v, std::span<double> rows) override {
    const std::size_t n = v.size() - 1, few = q.size() + n, all = few + 1;
    std::vector<double> of_figure(n * few);
    FigureFlow::jacobian(t, q, v.first(n), of_figure);
    std::fill(rows.begin(), rows.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < few; ++j) rows[i * all + j] = of_figure[i * few + j];
    rows[n * all + few] = -1 / tau;
  }

 private:
  static double filtered(double t, double z) { return (std::sin(omega * t) - z) / tau; }
};

constexpr double z_0 = 0.4;
double exact_z(double t) {  // (1)
  const double a = omega * tau, n = 1 + a * a;
  return (std::sin(omega * t) - a * std::cos(omega * t)) / n + (z_0 + a / n) * std::exp(-t / tau);
}

struct Errors {
  double z_at_ends = 0, z_between = 0, rates = 0;
  int steps = 0;
};

class Beside : public ::testing::TestWithParam<Integrator> {
 protected:
  // `steps` 0: as the method chooses.
  Errors run(bool tumbles, int steps, double tolerance) const {
    const Model model = tumbling::figure(JointType::free, tumbles);
    Filtered flow(model, tumbles ? tumbling::Drive{0.1, 0.02, 5} : tumbling::Drive{});
    State start = tumbles ? tumbling::tumble(model) : neutral_state(model);
    start.v.push_back(z_0);
    const auto method = make_method({GetParam(), tolerance, tolerance}, flow);
    method->restart(0, start.q, start.v);
    Errors worst;
    std::vector<double> v(start.v.size()), part(3);
    double sum = 0;
    while (method->t() < duration) {
      ++worst.steps;
      method->step(steps == 0 || worst.steps == steps ? duration : duration * worst.steps / steps);
      worst.z_at_ends = std::max(worst.z_at_ends, std::abs(method->v().back() - exact_z(method->t())));
      const Segment& s = method->segment();
      s.at(model, 0.4 * s.h, {}, v, {});
      worst.z_between = std::max(worst.z_between, std::abs(v.back() - exact_z(s.t_0 + 0.4 * s.h)));
      method->step_integrals(part);
      sum += part[2];
      worst.rates = std::max(worst.rates, std::abs(sum - (1 - std::cos(quick * method->t()))));  // (2)
    }
    return worst;
  }
};

using BesideFixedSteps = Beside;
TEST_P(BesideFixedSteps, StatesAndRatesFollowAtTheOrder) {
  const int order = std::min(order_of(GetParam()), 4), steps = order == 1 ? 2048 : 256;
  const Errors coarse = run(true, steps, 0), fine = run(true, 2 * steps, 0);
  const auto falls = [&](const char* what, double a, double b, double most) {
    std::printf("%-13s %-14s error %.2e, order %.3f\n", name_of(GetParam()), what, b, std::log2(a / b));
    EXPECT_GT(std::log2(a / b), order - 0.15) << what;
    EXPECT_LT(std::log2(a / b), order + most) << what;
  };
  falls("z", coarse.z_at_ends, fine.z_at_ends, 0.15);
  falls("z between", coarse.z_between, fine.z_between, 1.15);  // a curve may be better than what it is asked for
  falls("rates", coarse.rates, fine.rates, 0.15);
}

// The error allowed per step is the tolerance, absolute and relative, of numbers below 2, and thirty times as much for rates
// (src/integrate/parts.h); the filter forgets, so that at most as much as that of all steps is left of either. Between ends a
// curve may be ten times as far off.
using BesideChosenSteps = Beside;
TEST_P(BesideChosenSteps, StatesAndRatesAreWhatTheyAreChosenBy) {
  int before = 0;
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    const Errors e = run(false, 0, tolerance);
    std::printf("%-5s %.0e: z %.2e, between %.2e, rates %.2e; %d steps\n", name_of(GetParam()), tolerance, e.z_at_ends,
                e.z_between, e.rates, e.steps);
    EXPECT_LE(e.z_at_ends, 3 * tolerance * e.steps);
    EXPECT_LE(e.z_between, 30 * tolerance * e.steps);
    EXPECT_LE(e.rates, 30 * 3 * tolerance * e.steps);
    EXPECT_GT(e.steps, before) << "it takes its steps by something else";
    before = e.steps;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, BesideFixedSteps, ::testing::ValuesIn(integrators::of_fixed_step()),
                         [](const auto& i) { return std::string(name_of(i.param)); });
INSTANTIATE_TEST_SUITE_P(Every, BesideChosenSteps, ::testing::ValuesIn(integrators::adaptive()),
                         [](const auto& i) { return std::string(name_of(i.param)); });

}  // namespace method_states_test
}  // namespace marey
