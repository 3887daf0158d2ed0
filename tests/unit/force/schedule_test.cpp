// Pushes by schedule: the impulse of every window, edges on the steps, conditions that latch, and memory that can be saved.
#include <gtest/gtest.h>

#include <cmath>

#include "unit/force/trees.h"

namespace marey::test {
namespace {

// A block on a vertical slider that is moved by hand.
class ScheduleTest : public testing::Test {
 protected:
  Random random{5};
  Model model = [] {
    Model m = world();
    add_link(m, 0, JointType::slider, {}, {0, 0, 1}, {});
    return m;
  }();
  static Element push(const Schedule& schedule) {
    Push p;
    p.link = 1, p.force = {0, 0, 7}, p.schedule = schedule;
    return {"push", p};
  }
  static std::vector<double> memory(const Element& e) {
    return std::vector<double>(static_cast<std::size_t>(mode_count(e)));
  }
  // The share of the step from t on, with the block at z.
  double step(const Element& e, std::vector<double>& modes, double t, double dt, double z = 0, double rate = 0) const {
    const Placed<double> placed(model, t, {z}, {rate});
    update_modes(e, placed.instant(), dt, modes);
    ForceSum<double> sum(model);
    evaluate(e, placed.instant(), modes, sum);
    EXPECT_EQ(sum.F_Bo_W[1].f.z, modes[0] * 7);
    EXPECT_GE(modes[0], 0);
    EXPECT_LE(modes[0], 1);
    return modes[0];
  }
  // ∫ share dt over n steps of dt from 0.
  double acted(const Element& e, double dt, int n) const {
    std::vector<double> modes = memory(e);
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += step(e, modes, i * dt, dt) * dt;
    return sum;
  }
};

// The time covered by [from + n every, from + n every + lasts) before `until` and before the end, window by window.
double covered(const Schedule& s, double end) {
  end = std::min(end, s.until);
  double sum = 0, last_end = -1e300;
  for (int n = 0; n == 0 || s.every > 0; ++n) {
    const double a = std::max(s.from + n * s.every, last_end), b = std::min(s.from + n * s.every + s.lasts, end);
    if (s.from + n * s.every >= end) break;
    sum += std::max(0.0, b - std::max(a, 0.0));
    last_end = std::max(last_end, b);
  }
  return sum;
}

TEST_F(ScheduleTest, ImpulseIsExactForAnyWindowAndAnyStep) {
  for (int i = 0; i < 500; ++i) {
    Schedule s;
    s.from = random.uniform(-1, 3), s.lasts = random.uniform(0.001, 1);
    if (i % 2) s.every = random.uniform(0.002, 2);
    if (i % 3 == 0) s.until = random.uniform(0, 8);
    if (i % 7 == 0) s.lasts = forever;
    const double dt = random.uniform(0.002, 0.3);
    const int n = static_cast<int>(8 / dt);
    EXPECT_NEAR(acted(push(s), dt, n), covered(s, n * dt), 1e-8) << i;
  }
}

// The finger's spike (A7): 0.11 s every 2 s after 2 s, with a step of 0.01 s, none of them a binary fraction.
TEST_F(ScheduleTest, EdgesOnStepsAreOnSteps) {
  for (double dt : {0.01, 0.001, 1e-4}) {
    const Element e = push({2, 0.11, 2, forever, {}});
    std::vector<double> modes = memory(e);
    const int per_second = static_cast<int>(std::round(1 / dt));
    for (int i = 0; i < 8 * per_second; ++i) {
      const int phase = i % (2 * per_second);
      const bool on = i >= 2 * per_second && phase < per_second * 11 / 100;
      EXPECT_EQ(step(e, modes, i * dt, dt), on ? 1 : 0) << dt << " " << i;
    }
  }
}

TEST_F(ScheduleTest, AnEdgeInsideAStepTakesItsShare) {
  const Element e = push({0.025, 0.02, 0, forever, {}});
  std::vector<double> modes = memory(e);
  EXPECT_EQ(step(e, modes, 0.01, 0.01), 0);
  EXPECT_NEAR(step(e, modes, 0.02, 0.01), 0.5, 1e-12);
  EXPECT_EQ(step(e, modes, 0.03, 0.01), 1);
  EXPECT_NEAR(step(e, modes, 0.04, 0.01), 0.5, 1e-12);
  EXPECT_EQ(step(e, modes, 0.05, 0.01), 0);
  EXPECT_NEAR(step(e, modes, 0, 0.1), 0.2, 1e-12);  // a whole window inside one step
}

TEST_F(ScheduleTest, ActsAlwaysByDefault) {
  EXPECT_EQ(mode_count(push({})), 1);
  EXPECT_NEAR(acted(push({}), 0.1, 50), 5, 1e-12);
  EXPECT_EQ(mode_count({"friction", JointFriction{1, 1}}), 0);
}

Condition below(double z) {
  Condition c;
  c.quantity = Condition::Quantity::height, c.link = 1, c.threshold = z;
  return c;
}

TEST_F(ScheduleTest, AConditionStartsItAndItLastsWhateverTheConditionDoes) {
  const Element e = push({0, 0.25, 0, forever, {below(0.5)}});
  std::vector<double> modes = memory(e);
  EXPECT_EQ(step(e, modes, 0.0, 0.1, 1), 0);
  EXPECT_EQ(step(e, modes, 0.1, 0.1, 0.4), 1);
  EXPECT_EQ(step(e, modes, 0.2, 0.1, 1), 1);
  EXPECT_NEAR(step(e, modes, 0.3, 0.1, 1), 0.5, 1e-12);
  EXPECT_EQ(step(e, modes, 0.4, 0.1, 1), 0);
  EXPECT_EQ(step(e, modes, 0.5, 0.1, 0.4), 0);  // once
}

TEST_F(ScheduleTest, WithEveryItStartsAgainWhenTheConditionHoldsAfterThatLong) {
  const Element e = push({0, 0.1, 0.3, 1.0, {below(0.5)}});
  std::vector<double> modes = memory(e);
  const double expected[] = {1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0};  // the block is away at 0.6 and 0.7, and 1.0 ends it
  for (int i = 0; i < 11; ++i) {
    const bool away = i == 6 || i == 7;
    EXPECT_EQ(step(e, modes, i * 0.1, 0.1, away ? 1 : 0), expected[i]) << i;
  }
}

TEST_F(ScheduleTest, StartsAgainOnTimeWhateverTheRoundOff) {
  const Element e = push({0, 0.01, 0.07, forever, {below(0.5)}});
  std::vector<double> modes = memory(e);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(step(e, modes, i * 0.01, 0.01), i % 7 == 0 ? 1 : 0) << i;
}

TEST_F(ScheduleTest, WithoutEndItActsWhileTheConditionHolds) {
  const Element e = push({0.2, forever, 0, 0.75, {below(0.5)}});
  std::vector<double> modes = memory(e);
  const double expected[] = {0, 0, 1, 0, 1, 1, 1, 0.5, 0};
  for (int i = 0; i < 9; ++i) EXPECT_NEAR(step(e, modes, i * 0.1, 0.1, i == 3 ? 1 : 0), expected[i], 1e-12) << i;
}

TEST_F(ScheduleTest, AllConditionsMustHold) {
  Condition fast;
  fast.quantity = Condition::Quantity::speed, fast.link = 1, fast.above = true, fast.threshold = 2;
  Condition far;
  far.quantity = Condition::Quantity::distance_from_start, far.link = 1, far.above = true, far.threshold = 0.3;
  Condition placed;
  placed.quantity = Condition::Quantity::angle, placed.link = 1, placed.threshold = 1;
  const Element e = push({0, forever, 0, forever, {fast, far, placed}});
  std::vector<double> modes = memory(e);
  EXPECT_EQ(step(e, modes, 0.0, 0.1, 0.2, 3), 0);  // starts at 0.2
  EXPECT_EQ(step(e, modes, 0.1, 0.1, 0.4, 3), 0);
  EXPECT_EQ(step(e, modes, 0.2, 0.1, 0.6, -3), 1);
  EXPECT_EQ(step(e, modes, 0.3, 0.1, 0.6, -1), 0);
  EXPECT_EQ(step(e, modes, 0.4, 0.1, 1.6, 3), 0);
  EXPECT_EQ(step(e, modes, 0.5, 0.1, -0.2, 3), 1);
}

// A run stopped at any step and taken up from a copy of the modes goes on alike.
TEST_F(ScheduleTest, ResumesFromItsModes) {
  Condition far;
  far.quantity = Condition::Quantity::distance_from_start, far.link = 1, far.above = true, far.threshold = 0.8;
  const Element e = push({0.3, 0.17, 0.4, 8, {far, below(1.5)}});
  const auto height = [](double t) { return std::sin(1.7 * t) + 0.3 * t; };
  std::vector<double> modes = memory(e), shares;
  std::vector<std::vector<double>> saved;
  for (int i = 0; i < 200; ++i) {
    saved.push_back(modes);
    shares.push_back(step(e, modes, i * 0.05, 0.05, height(i * 0.05)));
  }
  EXPECT_GT(std::count_if(shares.begin(), shares.end(), [](double s) { return s > 0 && s < 1; }), 3);
  for (int from = 0; from < 200; from += 7) {
    std::vector<double> resumed = saved[static_cast<std::size_t>(from)];
    for (int i = from; i < 200; ++i) {
      EXPECT_EQ(step(e, resumed, i * 0.05, 0.05, height(i * 0.05)), shares[static_cast<std::size_t>(i)]);
    }
    EXPECT_EQ(resumed, modes);
  }
}

}  // namespace
}  // namespace marey::test
