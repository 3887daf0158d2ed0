// The curve of a step may be made when it is asked for: whether, when and how often that is changes nothing; and every
// evaluation is counted. All methods that there are.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "figure_flow.h"
#include "support/integrators.h"

namespace marey {
namespace {

constexpr double h = 5e-3;
constexpr int steps = 12;

class Counting final : public tumbling::FigureFlow {
 public:
  using FigureFlow::FigureFlow;
  void evaluate(double t, std::span<const double> q, std::span<const double> v, std::span<double> vdot,
                std::span<double> rates) override {
    ++calls;
    FigureFlow::evaluate(t, q, v, vdot, rates);
  }
  void force(double t, std::span<const double> q, std::span<const double> v, std::span<double> g,
             std::span<double> rates) override {
    ++calls;
    FigureFlow::force(t, q, v, g, rates);
  }
  int calls = 0;
};

class Curves : public ::testing::TestWithParam<Integrator> {
 protected:
  Curves() : figure_(figures::with_random_state(figures::human39(), 7)) {}
  // Of the explicit methods of Stepper, whose curves come later; of others it is not known.
  int stages() const {
    switch (GetParam()) {
      case Integrator::euler:
      case Integrator::euler_second:
      case Integrator::semi_implicit:
        return 1;
      case Integrator::rk4:
        return 4;
      default:
        return 0;
    }
  }
  std::unique_ptr<Method> start(Flow& flow) const {
    auto method = make_method({GetParam(), 1e-7, 1e-7}, flow);
    method->restart(0, figure_.state.q, figure_.state.v);
    return method;
  }
  // State and integrals within the last step.
  static std::vector<double> within(Method& method, const Model& model, double s) {
    std::vector<double> q(method.q().size()), v(method.v().size()), integrals(3);
    method.segment().at(model, s, q, v, integrals);
    q.insert(q.end(), v.begin(), v.end());
    q.insert(q.end(), integrals.begin(), integrals.end());
    return q;
  }
  figures::Figure figure_;
};

TEST_P(Curves, AreTheSameWheneverTheyAreAskedFor) {
  Counting often_flow(figure_.model, {1, 0.1, 2, 2}), seldom_flow(figure_.model, {1, 0.1, 2, 2});
  const auto often = start(often_flow), seldom = start(seldom_flow);
  for (int k = 1; k <= steps; ++k) {
    often->step(k * h), seldom->step(k * h);
    ASSERT_EQ(often->step_length(), seldom->step_length());
    const double s = 0.3 * often->step_length();
    const std::vector<double> early = within(*often, figure_.model, s);
    EXPECT_FALSE(often->curve_is_due());
    EXPECT_EQ(early, within(*often, figure_.model, s));
    if (k % 5 == 0) {
      EXPECT_EQ(early, within(*seldom, figure_.model, s)) << k;
    }
    EXPECT_EQ(std::vector<double>(often->q().begin(), often->q().end()),
              std::vector<double>(seldom->q().begin(), seldom->q().end()));
    EXPECT_EQ(often->step_began(), often->segment().t_0);
    EXPECT_EQ(often->tally().evaluations, seldom->tally().evaluations);
    if (stages() > 0) {
      EXPECT_EQ(often->tally().evaluations, stages() * k);
    }
  }
  EXPECT_EQ(seldom_flow.calls, seldom->tally().evaluations);
  EXPECT_GE(seldom->tally().evaluations, steps);
  // The end of the last step may have been evaluated for its curve, and counts when the next one begins with it.
  EXPECT_GE(often_flow.calls, often->tally().evaluations);
  EXPECT_LE(often_flow.calls, often->tally().evaluations + 1);
  if (stages() > 0) {
    EXPECT_EQ(often_flow.calls, stages() * steps + (stages() > 1 ? 1 : 0));
  }
}

// A curve that is still to be made belongs to the step before it: what begins anew has none, and owes none.
TEST_P(Curves, AreForgottenWhereItBeginsAnew) {
  Counting flow(figure_.model, {1, 0.1, 2, 2});
  const auto method = start(flow);
  EXPECT_FALSE(method->curve_is_due());
  method->step(h);
  const std::vector<double> q(method->q().begin(), method->q().end()), v(method->v().begin(), method->v().end());
  method->restart(method->t(), q, v);
  EXPECT_FALSE(method->curve_is_due());
}

// Where each step begins anew, as after a projection, nothing is evaluated that nobody asks for.
TEST_P(Curves, ThatNobodyAsksForCostNothing) {
  Counting flow(figure_.model);
  const auto method = start(flow);
  std::vector<double> q(method->q().begin(), method->q().end()), v(method->v().begin(), method->v().end());
  for (int k = 1; k <= steps; ++k) {
    method->restart(method->t(), q, v);
    EXPECT_FALSE(method->curve_is_due());
    const int before = flow.calls;
    const long long counted = method->tally().evaluations;
    method->step(k * h);
    EXPECT_EQ(flow.calls - before, method->tally().evaluations - counted);
    EXPECT_TRUE(method->curve_is_due() || stages() == 0);
    q.assign(method->q().begin(), method->q().end()), v.assign(method->v().begin(), method->v().end());
    v[0] += 1e-12;
  }
  if (stages() > 0) {
    EXPECT_EQ(flow.calls, stages() * steps);
  }
}

// What the rates have brought is where the curve ends, and known without it.
TEST_P(Curves, EndWhereTheIntegralsAre) {
  Counting flow(figure_.model, {1, 0.1, 2, 2});
  const auto method = start(flow);
  for (int k = 1; k <= steps; ++k) {
    method->step(k * h);
    std::vector<double> known(3), end(3);
    method->step_integrals(known);
    EXPECT_TRUE(method->curve_is_due() || stages() == 0);
    method->segment().at(figure_.model, method->step_length(), {}, {}, end);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(known[i], end[i], 1e-14 * (1e-3 + std::abs(end[i])));
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Curves, ::testing::ValuesIn(integrators::all()),
                         [](const auto& i) { return std::string(name_of(i.param)); });

}  // namespace
}  // namespace marey
