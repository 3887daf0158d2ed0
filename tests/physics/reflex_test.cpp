// A reflex with a reaction time, against the solution of its delay equation by the method of steps.
//
// A wheel of inertia J on a hinge, without gravity:  J φ̈(t) = −k φ(t − T) − d φ̇(t − T),  φ = φ₀, φ̇ = w₀ for t ≤ 0. In each
// interval [n T, (n+1) T] the right-hand side is the polynomial found in the interval before; integrated twice it gives the
// next polynomial, two degrees higher. No step is ever made: the answer is exact to round-off.                       (1)
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "sim/world.h"
#include "support/recorded.h"

namespace marey {
namespace {

constexpr double J = 0.3, k = 2.0, d = 0.15, T = 0.1, phi_0 = 0.5, w_0 = 0.8;

// (1), as coefficients in powers of (t − n T).
class MethodOfSteps {
 public:
  // The past of the first interval: φ and φ̇ as an element reads them, each constant.
  explicit MethodOfSteps(int intervals) {
    std::vector<double> angle{phi_0}, rate{w_0};
    double phi = phi_0, w = w_0;
    for (int n = 0; n < intervals; ++n) {
      const std::size_t degree = std::max(angle.size(), rate.size());
      std::vector<double> acceleration(degree, 0.0), new_rate(degree + 1, w), new_angle(degree + 2, phi);
      for (std::size_t i = 0; i < degree; ++i)
        acceleration[i] = (-k * (i < angle.size() ? angle[i] : 0) - d * (i < rate.size() ? rate[i] : 0)) / J;
      for (std::size_t i = 0; i < degree; ++i) new_rate[i + 1] = acceleration[i] / static_cast<double>(i + 1);
      for (std::size_t i = 0; i <= degree; ++i) new_angle[i + 1] = new_rate[i] / static_cast<double>(i + 1);
      angle = new_angle, rate = new_rate;
      phi = value(angle, T), w = value(rate, T);
      pieces_.push_back(angle);
    }
  }
  double at(double t) const {
    const auto n = std::min(static_cast<std::size_t>(t / T), pieces_.size() - 1);
    return value(pieces_[n], t - T * static_cast<double>(n));
  }

 private:
  static double value(const std::vector<double>& c, double s) {
    double sum = 0;
    for (std::size_t i = c.size(); i-- > 0;) sum = sum * s + c[i];
    return sum;
  }
  std::vector<std::vector<double>> pieces_;
};

Scene wheel(const std::string& solver, double duration = 1.5) {
  return parse_scene(
      fmt::format("marey: 1\nduration: {}\ngravity: 0\nsolver: {}\nfigures: {{f: {{links: {{wheel: {{joint: {{type: "
                  "hinge, axis: z}}, mass: 1 kg, inertia: {{diagonal: [{}, {}, {}]}}, start: {{angle: {}, rate: "
                  "{}}}}}}}}}}}\ntorques: [{{reflex: {{joint: f.wheel, target: 0, stiffness: {}, damping: {}, delay: "
                  "{}}}}}]\nrecord: {{every: 0.037}}\n",
                  duration, solver, J, J, J, phi_0, w_0, k, d, T),
      "wheel.yaml");
}

struct Outcome {
  double error = 0;
  RunSummary summary;
};
Outcome error_of(const std::string& solver) {
  static const MethodOfSteps exact(16);
  recorded::Memory m;
  Outcome out;
  out.summary = run(wheel(solver), m);
  EXPECT_LE(out.summary.ledger.energy_residual_relative, solver.find("semi") == std::string::npos ? 1e-4 : 1e-2)
      << solver;
  for (std::size_t i = 0; i < m.rows.size(); ++i)
    out.error = std::max(out.error, std::abs(m.number("joint/f.wheel/angle", i) - exact.at(m.time(i))));
  return out;
}

// Steps that divide the delay and steps that do not: kinks end them, wherever they are.
TEST(Reflexes, KeepTheOrderOfTheMethod) {
  for (const auto& [method, step] : {std::pair{Integrator::semi_implicit, 0.001},
                                     {Integrator::semi_implicit, 0.0013},
                                     {Integrator::midpoint, 0.005},
                                     {Integrator::rk4, 0.01},
                                     {Integrator::rk4, 0.0136}}) {
    const auto error = [&, m = method](double h) {
      return error_of(fmt::format("{{integrator: {}, step: {:.17g}}}", name_of(m), h)).error;
    };
    const double coarse = error(step), fine = error(step / 2), order = std::log2(coarse / fine);
    std::printf("%-13s steps of %.5f s: error %.1e, order %.2f\n", name_of(method), step / 2, fine, order);
    EXPECT_NEAR(order, order_of(method), 0.25) << name_of(method) << ' ' << step;
  }
}

TEST(Reflexes, MeetTheToleranceOfChosenSteps) {
  for (const char* method : {"rk45", "adams", "bdf"}) {
    const Outcome loose = error_of(fmt::format("{{integrator: {}, tolerance: 1e-6}}", method)),
                  fine = error_of(fmt::format("{{integrator: {}, tolerance: 1e-9}}", method));
    std::printf("%-6s error %.1e and %.1e, %lld and %lld steps\n", method, loose.error, fine.error, loose.summary.steps,
                fine.summary.steps);
    EXPECT_LT(loose.error, 1e-4) << method;
    EXPECT_LT(fine.error, 1e-7) << method;
  }
}

// Events at which nothing happens: a push of no force goes on and off whenever the wheel passes certain angles. The motion
// is that of (1) all the same, and what the reflex reads are steps cut short by these events. Methods of many steps cannot
// take a step again: what they remember of it is its dense output, cut.
TEST(Reflexes, ReadStepsThatEventsHaveCutShort) {
  static const MethodOfSteps exact(16);
  for (const char* method : {"rk45", "adams", "bdf"})
    for (const double tolerance : {1e-6, 1e-9}) {
      Scene scene = wheel(fmt::format("{{integrator: {}, tolerance: {}}}", method, tolerance));
      constexpr int angles = 9;
      for (int i = 0; i < angles; ++i) {
        Push idle;
        idle.link = 1;
        idle.schedule.conditions.push_back({});
        idle.schedule.conditions[0].quantity = Condition::Quantity::angle;
        idle.schedule.conditions[0].link = 1;
        idle.schedule.conditions[0].above = i % 2 == 0;
        idle.schedule.conditions[0].threshold = -0.4 + 0.1 * i + 0.00123;
        scene.elements.push_back({fmt::format("idle {}", i), idle});
      }
      recorded::Memory m;
      const RunSummary summary = run(scene, m);
      double error = 0;
      for (std::size_t i = 0; i < m.rows.size(); ++i)
        error = std::max(error, std::abs(m.number("joint/f.wheel/angle", i) - exact.at(m.time(i))));
      std::printf("%-6s tolerance %.0e, %lld events: error %.1e\n", method, tolerance, summary.events, error);
      EXPECT_GT(summary.events, angles);
      EXPECT_LT(error, 100 * tolerance) << method;  // the bounds of MeetTheToleranceOfChosenSteps
      EXPECT_EQ(summary.ledger.work_in.at(1).second, 0);
    }
}

// Too long a reaction time and the wheel swings itself up; the same gains without delay would calm it.
TEST(Reflexes, ComeTooLateToCalm) {
  const MethodOfSteps exact(60);
  double early = 0, late = 0;
  for (double t = 0; t < 2; t += 0.01) early = std::max(early, std::abs(exact.at(t)));
  for (double t = 4; t < 6; t += 0.01) late = std::max(late, std::abs(exact.at(t)));
  EXPECT_GT(late, early);
  recorded::Memory m;
  const RunSummary s = run(wheel("{integrator: rk4, step: 5 ms}", 6), m);
  EXPECT_GT(s.ledger.work_in.at(0).second, 0);  // it has put energy in
  EXPECT_NEAR(m.number("joint/f.wheel/angle", m.rows.size() - 1), exact.at(m.time(m.rows.size() - 1)), 1e-5);
}

// A spike in the middle of a step: the kink it makes comes back a delay later, again in the middle of a step.
TEST(Reflexes, KeepTheirOrderAfterEvents) {
  const auto angle = [](double step) {
    Scene scene = wheel(fmt::format("{{integrator: rk4, step: {:.17g}}}", step), 0.6);
    Push spike;
    spike.link = 1, spike.torque = {0, 0, 5};
    spike.schedule.from = 0.12345, spike.schedule.lasts = 0.05432;
    scene.elements.push_back({"spike", spike});
    World world(scene);
    while (world.time() < 0.6) world.step(0.6);
    return world.state().q[0];
  };
  const double exact = angle(0.0005), coarse = std::abs(angle(0.02) - exact), fine = std::abs(angle(0.01) - exact);
  std::printf("after a spike: error %.1e, order %.2f\n", fine, std::log2(coarse / fine));
  EXPECT_GT(std::log2(coarse / fine), 3.7);
}

// On a ball joint: a reflex on the twist about an axis keeps the whole delayed motion of a hinge about it.
TEST(Reflexes, ActOnNamedAnglesOfBallJoints) {
  Scene scene = wheel("{integrator: rk4, step: 5 ms}", 0.5);
  Scene ball = parse_scene(
      fmt::format(
          "marey: 1\nduration: 0.5\ngravity: 0\nsolver: {{integrator: rk4, step: 5 ms}}\nfigures: {{f: {{links: "
          "{{wheel: {{joint: ball, mass: 1 kg, inertia: {{diagonal: [{}, {}, {}]}}, start: {{turned: {{axis: z, "
          "angle: {}}}, spin: [0, 0, {}]}}}}}}}}}}\ntorques: [{{reflex: {{joint: f.wheel, angle: {{twist: z}}, "
          "target: 0, stiffness: {}, damping: {}, delay: {}}}}}]\n",
          J, J, J, phi_0, w_0, k, d, T),
      "ball.yaml");
  World a(scene), b(ball);
  while (a.time() < 0.5) a.step(0.5);
  while (b.time() < 0.5) b.step(0.5);
  EXPECT_NEAR(2 * std::atan2(b.state().q[3], b.state().q[0]), a.state().q[0], 1e-9);
}

class ReflexCheckpoints : public ::testing::TestWithParam<const char*> {};

TEST_P(ReflexCheckpoints, GoOnBitForBit) {
  Scene scene = wheel(GetParam());
  Push spike;
  spike.link = 1, spike.torque = {0, 0, 5};
  spike.schedule.from = 0.12345, spike.schedule.lasts = 0.05432;
  scene.elements.push_back({"spike", spike});
  World whole(scene), resumed(scene);
  while (whole.time() < 0.4) whole.step(1.5);
  for (int i = 0; i < 2000 && !whole.may_save(); ++i) whole.step(1.5);
  ASSERT_TRUE(whole.may_save());
  const std::vector<std::byte> saved = whole.save();
  while (whole.time() < 1.5) whole.step(1.5);
  resumed.restore(saved);
  EXPECT_EQ(resumed.save(), saved);
  while (resumed.time() < 1.5) resumed.step(1.5);
  EXPECT_EQ(whole.save(), resumed.save());
  EXPECT_EQ(whole.state().q[0], resumed.state().q[0]);
}
INSTANTIATE_TEST_SUITE_P(Every, ReflexCheckpoints,
                         ::testing::Values("{integrator: semi_implicit, step: 3 ms}", "{integrator: rk4, step: 3 ms}",
                                           "{integrator: midpoint, step: 3 ms}", "{integrator: rk45, tolerance: 1e-7}",
                                           "{integrator: adams, tolerance: 1e-7}",
                                           "{integrator: bdf, tolerance: 1e-6}"));

TEST(Reflexes, RefuseStepsLongerThanTheirDelay) {
  EXPECT_THROW(wheel("{integrator: rk4, step: 0.11}"), Error);
  Scene scene = wheel("{integrator: rk4, step: 0.1}");
  scene.solver.step = 0.2;
  recorded::Memory m;
  EXPECT_THROW(run(scene, m), Error);
}

}  // namespace
}  // namespace marey
