// Dense output: between the ends of its steps a method is as good as its order says, and at the ends it is the state.
#include <gtest/gtest.h>

#include <cstdio>
#include <limits>

#include "support/integrators.h"
#include "unit/integrate/figure_flow.h"

namespace method_dense_test {

using marey::Integrator, marey::JointType, marey::Segment;
using namespace tumbling;

struct Scene {
  Model model = figure(JointType::free, true, true);
  FigureFlow flow{model, {0.1, 0.02, 5}};
  State start = tumble(model);
};

// Instants that are no ends of steps.
constexpr double duration = 1.3;
std::vector<double> instants() {
  std::vector<double> t;
  for (int i = 0; i < 23; ++i) t.push_back(duration * (i + 0.5 * std::sqrt(2.0)) / 23);
  return t;
}

std::vector<Outcome> exact_at_instants(Scene& scene) {
  std::vector<Outcome> out;
  const auto method = marey::make_method({Integrator::rk45, 1e-13, 1e-13}, scene.flow);
  method->restart(0, scene.start.q, scene.start.v);
  std::vector<double> sum(3), part(3);
  for (const double t : instants()) {
    while (method->t() < t) {
      method->step(t);
      method->segment().at(scene.model, method->segment().h, {}, {}, part);
      for (int k = 0; k < 3; ++k) sum[k] += part[k];
    }
    out.push_back({{method->q().begin(), method->q().end()}, {method->v().begin(), method->v().end()}, sum});
  }
  return out;
}

// The largest errors at all instants. `steps` 0: as the method chooses.
Difference errors(Scene& scene, const std::vector<Outcome>& exact, marey::Method& method, int steps) {
  std::vector<double> sum(3), part(3);
  Difference worst;
  const std::vector<double> times = instants();
  std::size_t next = 0;
  for (int i = 1; next < times.size(); ++i) {
    method.step(steps == 0 ? duration : duration * i / steps);
    const Segment& s = method.segment();
    for (; next < times.size() && times[next] <= s.end(); ++next) {
      Outcome got{std::vector<double>(scene.model.nq), std::vector<double>(scene.model.nv), std::vector<double>(3)};
      s.at(scene.model, times[next] - s.t_0, got.q, got.v, got.integrals);
      for (int k = 0; k < 3; ++k) got.integrals[k] += sum[k];
      const Difference d = between(scene.model, got, exact[next]);
      worst = {std::max(worst.q, d.q), std::max(worst.v, d.v), std::max(worst.integrals, d.integrals)};
    }
    s.at(scene.model, s.h, {}, {}, part);
    for (int k = 0; k < 3; ++k) sum[k] += part[k];
  }
  return worst;
}

struct Measured {
  Integrator method;
  int steps;
  double order;
};
class DenseOrder : public testing::TestWithParam<Measured> {};

TEST_P(DenseOrder, is_that_of_the_method) {
  const Integrator method = GetParam().method;
  const int steps = GetParam().steps;
  const double order = GetParam().order;
  Scene scene;
  const std::vector<Outcome> exact = exact_at_instants(scene);
  const auto error = [&](int n) {
    // With so wide a tolerance, and a long step hoped for, the adaptive method takes just the steps it is asked for.
    const auto m = marey::make_method({method, 1e9, 1e9}, scene.flow);
    m->restart(0, scene.start.q, scene.start.v);
    if (method == Integrator::rk45) hope_for(*m, duration);
    return errors(scene, exact, *m, n);
  };
  const Difference coarse = error(steps), fine = error(2 * steps);
  const auto falls = [&](const char* what, double a, double b) {
    const double measured = std::log2(a / b);
    std::printf("%-13s %-10s error %.2e, order %.3f\n", name_of(method), what, b, measured);
    EXPECT_GT(measured, order - 0.1) << what;
    EXPECT_LT(measured, order + 1.1) << what;  // a quantity may be better than the worst of its kind
  };
  falls("q", coarse.q, fine.q);
  falls("v", coarse.v, fine.v);
  falls("integrals", coarse.integrals, fine.integrals);
}

// All methods of fixed step, and rk45 with the steps it is told to take.
std::vector<Measured> methods() {
  constexpr int steps[] = {4000, 400, 360, 320};
  std::vector<Measured> all{{Integrator::rk45, 200, 4}};
  for (const Integrator i : marey::all_integrators()) {
    const int order =
        std::min(marey::order_of(i), 4);  // of cubics through the ends of steps, and of what they are made of
    if (marey::has_fixed_step(i)) all.push_back({i, steps[order - 1], static_cast<double>(order)});
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Fixed, DenseOrder, testing::ValuesIn(methods()),
                         [](const auto& info) { return std::string(name_of(info.param.method)); });

// Between the steps that a method chose for itself the error is not of another size than at their ends.
TEST(Dense, OutputOfAdaptiveMethodsKeepsTheTolerance) {
  Scene scene;
  const std::vector<Outcome> exact = exact_at_instants(scene);
  for (const Integrator method : integrators::adaptive()) {
    for (const double tolerance : {1e-5, 1e-8}) {
      const auto m = marey::make_method({method, tolerance, tolerance}, scene.flow);
      m->restart(0, scene.start.q, scene.start.v);
      const Difference d = errors(scene, exact, *m, 0);
      std::printf("%-5s tolerance %.0e: q %.2e, v %.2e, integrals %.2e\n", name_of(method), tolerance, d.q, d.v,
                  d.integrals);
      EXPECT_LT(std::max({d.q, d.v, d.integrals}), 1000 * tolerance) << name_of(method);
    }
  }
}

TEST(Dense, OutputMeetsBothEndsOfEachStep) {
  Scene scene;
  for (const Integrator method : marey::all_integrators()) {
    const auto m = marey::make_method({method, 1e-6, 1e-6}, scene.flow);
    m->restart(0, scene.start.q, scene.start.v);
    Outcome before{scene.start.q, scene.start.v, {0, 0, 0}}, got = before;
    const double round_off = 1e-12;
    for (int i = 1; i <= 60; ++i) {
      m->step(0.01 * i);
      const Segment& s = m->segment();
      s.at(scene.model, 0, got.q, got.v, got.integrals);
      const Difference start = between(scene.model, got, before);
      EXPECT_LT(start.q, round_off) << name_of(method) << i;
      EXPECT_LT(start.v, round_off) << name_of(method) << i;
      EXPECT_EQ(start.integrals, 0) << name_of(method) << i;
      before.q.assign(m->q().begin(), m->q().end()), before.v.assign(m->v().begin(), m->v().end());
      s.at(scene.model, s.h, got.q, got.v, {});
      const Difference end = between(scene.model, got, before);
      EXPECT_LT(end.q, round_off) << name_of(method) << i;
      EXPECT_LT(end.v, round_off) << name_of(method) << i;
      EXPECT_LE(s.end(), 0.01 * i + 1e-15);
    }
  }
}

}  // namespace method_dense_test
