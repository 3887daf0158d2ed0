// The order of the methods of fixed step, measured on a figure whose parts turn, slide and pull at each other: the
// error at the end of a run falls by 2^p when the step is halved, in coordinates, velocities and integrals alike.
#include <gtest/gtest.h>

#include <cstdio>

#include "unit/integrate/figure_flow.h"

namespace method_order_test {

using marey::Integrator, marey::JointType;
using namespace tumbling;

struct Measured {
  Integrator method;
  int steps;
};

class MethodOrder : public testing::TestWithParam<Measured> {};

TEST_P(MethodOrder, is_that_of_theory) {
  const Integrator method = GetParam().method;
  const int steps = GetParam().steps;
  const Model model = figure(JointType::free, true, true);
  FigureFlow flow(model, {0.1, 0.02, 5});
  const State start = tumble(model, 6);
  const double duration = 0.8;
  const Outcome exact = reference(flow, start, duration);
  const Difference coarse = between(model, run(method, flow, start, duration, steps), exact);
  const Difference fine = between(model, run(method, flow, start, duration, 2 * steps), exact);
  const double p = marey::order_of(method);
  const auto falls = [&](const char* what, double a, double b) {
    std::printf("%-13s %-10s error %.2e, order %.3f\n", name_of(method), what, b, std::log2(a / b));
    EXPECT_NEAR(std::log2(a / b), p, 0.1) << what;
  };
  falls("q", coarse.q, fine.q);
  falls("v", coarse.v, fine.v);
  falls("integrals", coarse.integrals, fine.integrals);
}

// All methods of fixed step that there are.
std::vector<Measured> fixed_methods() {
  constexpr int steps[] = {4000, 400, 240, 160};
  std::vector<Measured> all;
  for (const Integrator i : marey::all_integrators())
    if (marey::has_fixed_step(i)) all.push_back({i, steps[std::clamp(marey::order_of(i), 1, 4) - 1]});
  return all;
}
INSTANTIATE_TEST_SUITE_P(Fixed, MethodOrder, testing::ValuesIn(fixed_methods()),
                         [](const auto& info) { return std::string(name_of(info.param.method)); });

}  // namespace method_order_test
