// Adaptive methods: the error at the end of a run follows the tolerance that was asked for.
#include <gtest/gtest.h>

#include <cstdio>

#include "support/integrators.h"
#include "unit/integrate/figure_flow.h"

namespace {

using marey::Integrator, marey::JointType;
using namespace tumbling;

class ErrorFollowsTolerance : public testing::TestWithParam<Integrator> {};

// The slope of log error over log tolerance, by least squares.
double slope(const std::vector<double>& x, const std::vector<double>& y) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const auto n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) sx += x[i], sy += y[i], sxx += x[i] * x[i], sxy += x[i] * y[i];
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

TEST_P(ErrorFollowsTolerance, proportionally) {
  const Integrator integrator = GetParam();
  const Model model = figure(JointType::free, true, true);
  FigureFlow flow(model, {0.1, 0.02, 5});
  const State start = tumble(model);
  const double duration = 3;
  const Outcome exact = reference(flow, start, duration);
  std::vector<double> x, q, v, integrals;
  for (double tolerance = 1e-4; tolerance > 0.5e-11; tolerance *= std::sqrt(0.1)) {
    const auto method = marey::make_method({integrator, tolerance, tolerance}, flow);
    const Difference d = between(model, run(*method, flow, start, duration, 0), exact);
    x.push_back(std::log(tolerance));
    q.push_back(std::log(d.q)), v.push_back(std::log(d.v)), integrals.push_back(std::log(d.integrals));
    std::printf("%-5s %.1e: q %.2e, v %.2e, integrals %.2e; %lld evaluations, %lld rejected, %lld Jacobians\n",
                name_of(integrator), tolerance, d.q, d.v, d.integrals, method->tally().evaluations,
                method->tally().rejected, method->tally().jacobians);
    EXPECT_LT(std::max({d.q, d.v, d.integrals}), 500 * tolerance);
    EXPECT_EQ(method->tally().jacobians > 0, integrator == Integrator::bdf);
  }
  std::printf("%-5s slopes: q %.3f, v %.3f, integrals %.3f\n", name_of(integrator), slope(x, q), slope(x, v),
              slope(x, integrals));
  for (const auto* y : {&q, &v, &integrals}) EXPECT_NEAR(slope(x, *y), 1, 0.2);
}

INSTANTIATE_TEST_SUITE_P(Adaptive, ErrorFollowsTolerance, testing::ValuesIn(integrators::adaptive()),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
