// What switches: pushes by the clock and by conditions, zones of free play, and memory that can be saved.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "support/sanitized.h"
#include "unit/force/trees.h"

namespace marey::test {
namespace {

using Course = std::function<double(double)>;

// A block on a vertical slider that is moved by hand; a run from event to event, without any integrator.
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
  Placed<double> placed(double t, const Course& height) const {
    return {model, t, {height(t)}, {(height(t + 1e-6) - height(t - 1e-6)) / 2e-6}};
  }

  struct Window {
    double from, to;
  };
  // The windows in which the push acts, from `begin`, where the modes are as given, to `end`.
  std::vector<Window> follow(const Element& e, std::vector<double>& modes, double begin, double end,
                             const Course& height) const {
    std::vector<Window> windows;
    std::vector<double> values(static_cast<std::size_t>(switch_count(e)));
    for (double t = begin; t < end;) {
      const double clock = next_instant(e, t, modes);
      EXPECT_GT(clock, t);
      double stop = std::min(end, clock);
      int which = clock <= end ? by_clock : -2;
      // The first of the functions to become negative, by small steps and then by halves.
      for (double a = t; a < stop; a += 1e-3) {
        const double b = std::min(a + 1e-3, stop);
        const int found = negative(e, modes, b, height);
        if (found < 0) continue;
        double low = a, high = b;
        for (int k = 0; k < 60; ++k) (negative(e, modes, (low + high) / 2, height) < 0 ? low : high) = (low + high) / 2;
        stop = high, which = negative(e, modes, high, height);
        break;
      }
      if (modes[0] != 0) windows.push_back({t, stop});
      t = stop;
      if (which >= by_clock) switch_modes(e, placed(t, height).instant(), which, modes);
    }
    return joined(windows);
  }
  std::vector<Window> follow(
      const Element& e, double end, const Course& height = [](double) { return 0.0; }) const {
    std::vector<double> modes = memory(e);
    start_modes(e, placed(0, height).instant(), true, modes);
    return follow(e, modes, 0, end, height);
  }
  int negative(const Element& e, const std::vector<double>& modes, double t, const Course& height) const {
    std::vector<double> values(static_cast<std::size_t>(switch_count(e)));
    switch_values(e, placed(t, height).instant(), modes, values);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] < 0) return static_cast<int>(i);
    return -2;
  }
  static std::vector<Window> joined(const std::vector<Window>& windows) {
    std::vector<Window> out;
    for (const Window& w : windows) {
      if (!out.empty() && out.back().to == w.from)
        out.back().to = w.to;
      else if (w.to > w.from)
        out.push_back(w);
    }
    return out;
  }
  static double length(const std::vector<Window>& windows) {
    double sum = 0;
    for (const Window& w : windows) sum += w.to - w.from;
    return sum;
  }
  static void expect(const std::vector<Window>& found, const std::vector<Window>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i].from, expected[i].from, 1e-12) << i;
      EXPECT_NEAR(found[i].to, expected[i].to, 1e-12) << i;
    }
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

TEST_F(ScheduleTest, WindowsAreMetExactly) {
  for (int i = 0; i < 500; i += every(5)) {
    Schedule s;
    s.from = random.uniform(-1, 3), s.lasts = random.uniform(0.001, 1);
    if (i % 2) s.every = random.uniform(0.002, 2);
    if (i % 3 == 0) s.until = random.uniform(0, 8);
    if (i % 7 == 0) s.lasts = forever;
    EXPECT_NEAR(length(follow(push(s), 8)), covered(s, 8), 1e-11) << i;
  }
}

// The finger's spike (A7): 0.11 s every 2 s after 2 s, none of them a binary fraction.
TEST_F(ScheduleTest, TheSpikeOfTheFinger) {
  expect(follow(push({2, 0.11, 2, forever, {}}), 8), {{2, 2.11}, {4, 4.11}, {6, 6.11}});
}

TEST_F(ScheduleTest, ActsWithItsForceWhileItActs) {
  const Element e = push({0.5, 1, 0, forever, {}});
  std::vector<double> modes = memory(e);
  const auto still = [](double) { return 0.0; };
  start_modes(e, placed(0, still).instant(), true, modes);
  ForceSum<double> sum(model);
  evaluate(e, placed(0, still).instant(), modes, sum);
  EXPECT_EQ(sum.F_Bo_W[1].f.z, 0);
  switch_modes(e, placed(0.5, still).instant(), by_clock, modes);
  sum.clear();
  evaluate(e, placed(0.5, still).instant(), modes, sum);
  EXPECT_EQ(sum.F_Bo_W[1].f.z, 7);
}

TEST_F(ScheduleTest, ActsAlwaysByDefault) {
  EXPECT_EQ(mode_count(push({})), 1);
  expect(follow(push({}), 5), {{0, 5}});
  EXPECT_EQ(mode_count({"friction", JointFriction{1, 1}}), 0);
  EXPECT_EQ(next_instant({"friction", JointFriction{1, 1}}, 0, {}), forever);
}

Condition below(double z) {
  Condition c;
  c.quantity = Condition::Quantity::height, c.link = 1, c.threshold = z;
  return c;
}

TEST_F(ScheduleTest, AConditionStartsItAndItLastsWhateverTheConditionDoes) {
  // Below 0.5 from asin(0.5)/2 … : the block swings as cos 2t; it is first below at t = π/6, and again later, in vain.
  expect(follow(push({0, 0.25, 0, forever, {below(0.5)}}), 8, [](double t) { return std::cos(2 * t); }),
         {{std::numbers::pi / 6, std::numbers::pi / 6 + 0.25}});
}

TEST_F(ScheduleTest, WithEveryItStartsAgainWhenTheConditionHoldsAfterThatLong) {
  // The block is away (at 1) between 0.55 and 0.75.
  const auto height = [](double t) { return t > 0.55 && t < 0.75 ? 1.0 : 0.0; };
  expect(follow(push({0, 0.1, 0.3, 0.9, {below(0.5)}}), 2, height), {{0, 0.1}, {0.3, 0.4}, {0.75, 0.85}});
  // `until` cuts the last one short.
  expect(follow(push({0, 0.1, 0.3, 0.8, {below(0.5)}}), 2, height), {{0, 0.1}, {0.3, 0.4}, {0.75, 0.8}});
}

TEST_F(ScheduleTest, StartsAgainOnTimeWhateverTheRoundOff) {
  const std::vector<Window> windows = follow(push({0, 0.01, 0.07, forever, {below(0.5)}}), 7);
  ASSERT_EQ(windows.size(), 100U);
  for (std::size_t i = 0; i < windows.size(); ++i) EXPECT_NEAR(windows[i].from, 0.07 * static_cast<double>(i), 1e-12);
}

TEST_F(ScheduleTest, WithoutEndItActsWhileTheConditionHolds) {
  const auto height = [](double t) { return std::cos(10 * t); };  // below 0.5 in (π/3, 5π/3)/10 + n π/5
  const double first = std::numbers::pi / 30, last = 5 * first, turn = 6 * first;
  expect(follow(push({0.2, forever, 0, 1.5, {below(0.5)}}), 3, height),
         {{0.2, last}, {first + turn, last + turn}, {first + 2 * turn, 1.5}});
}

TEST_F(ScheduleTest, AllConditionsMustHold) {
  Condition fast;
  fast.quantity = Condition::Quantity::speed, fast.link = 1, fast.above = true, fast.threshold = 2;
  Condition far;
  far.quantity = Condition::Quantity::distance_from_start, far.link = 1, far.above = true, far.threshold = 0.3;
  Condition placed_low;
  placed_low.quantity = Condition::Quantity::angle, placed_low.link = 1, placed_low.threshold = 1;
  // z = 0.2 + t²: fast from t = 1 on, far from √0.3 on, below 1 until √0.8; then the same path three times as fast.
  const Element e = push({0, forever, 0, forever, {fast, far, placed_low}});
  expect(follow(e, 3, [](double t) { return 0.2 + t * t; }), {});
  const std::vector<Window> found = follow(e, 3, [](double t) { return 0.2 + 9 * t * t; });
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].from, std::sqrt(0.3) / 3, 1e-5);  // speeds are differences here; 18 t > 2 holds before
  EXPECT_NEAR(found[0].to, std::sqrt(0.8) / 3, 1e-9);
}

// A torque function's zones are switches for methods whose order its corners would spoil, and the torque is the same.
TEST_F(ScheduleTest, ZonesOfFreePlaySwitchAtTheirEnds) {
  FreePlay play;
  play.link = 1;
  play.from = {{0, 2}, {-0.3, -0.1}}, play.to = {{0}, {0.4}};
  play.slope_below = {{0}, {50}}, play.slope_above = {{0}, {70}};
  const Element e{"play", play};
  const auto height = [](double t) { return std::sin(t); };
  std::vector<double> modes = memory(e), loose = memory(e);
  start_modes(e, placed(0, height).instant(), true, modes);
  start_modes(e, placed(0, height).instant(), false, loose);
  EXPECT_EQ(next_instant(e, 0, modes), 2);
  for (double t = 0; t < 6.2; t += 0.01) {
    const Placed<double> now = placed(t, height);
    for (int which = negative(e, modes, t, height); which >= 0; which = negative(e, modes, t, height))
      switch_modes(e, now.instant(), which, modes);
    EXPECT_LT(negative(e, loose, t, height), 0);
    ForceSum<double> frozen(model), plain(model);
    evaluate(e, now.instant(), modes, frozen);
    evaluate(e, now.instant(), loose, plain);
    EXPECT_EQ(frozen.tau[0], plain.tau[0]) << t;
  }
}

// A run stopped at any instant and taken up from a copy of the modes goes on alike.
TEST_F(ScheduleTest, ResumesFromItsModes) {
  Condition far;
  far.quantity = Condition::Quantity::distance_from_start, far.link = 1, far.above = true, far.threshold = 0.8;
  const Element e = push({0.3, 0.17, 0.4, 8, {far, below(1.5)}});
  const auto height = [](double t) { return std::sin(1.7 * t) + 0.3 * t; };
  const std::vector<Window> whole = follow(e, 9, height);
  EXPECT_GT(whole.size(), 5U);
  for (double stop : {0.2, 0.9, 1.05, 3.3, 7.9}) {
    std::vector<double> modes = memory(e);
    start_modes(e, placed(0, height).instant(), true, modes);
    std::vector<Window> parts = follow(e, modes, 0, stop, height);
    std::vector<double> copy = modes;
    for (const Window& w : follow(e, copy, stop, 9, height)) parts.push_back(w);
    expect(joined(parts), whole);
  }
}

}  // namespace
}  // namespace marey::test
