// Where a function of the state first becomes negative within a step: on hand-made steps whose roots are known.
#include <gtest/gtest.h>

#include <cmath>

#include "integrate/parts.h"
#include "marey/integrate.h"

namespace marey {
namespace {

// One slider: q is a height. Its course within the step is a cubic in s.
class Locate : public ::testing::Test, protected Switches {
 protected:
  Locate() {
    ModelSpec spec;
    LinkSpec link;
    link.name = "block";
    link.joint = JointType::slider;
    link.inertia.m = 1;
    spec.links.push_back(link);
    model = freeze(spec);
  }

  // The height h(s) = a + b s + c s² + d s³ over a step of length h.
  Segment course(double a, double b, double c, double d, double h, double t_0 = 10) {
    Segment s;
    prepare(s, model, 0, 3, Segment::Coordinates::local);
    s.t_0 = t_0, s.h = h;
    s.q_0 = {a};
    s.x = {0, b * h, c * h * h, d * h * h * h};
    s.v = {b, 2 * c * h, 3 * d * h * h, 0};
    return s;
  }
  std::optional<Event> first(const Segment& s, int looks = 2) {
    EventLocator locator(model, *this);
    return locator.first(s, looks);
  }

  std::size_t switch_count() const override { return levels.size(); }
  void switch_values(double, std::span<const double> q, std::span<const double>, std::span<double> values) override {
    ++evaluations;
    for (std::size_t i = 0; i < levels.size(); ++i) values[i] = q[0] - levels[i];
  }

  Model model;
  std::vector<double> levels{0};
  int evaluations = 0;
};

TEST_F(Locate, ACrossingToRoundOff) {
  const auto event = first(course(1, -2, -3, 0, 0.5));  // 1 − 2s − 3s² = (1 − 3s)(1 + s)
  ASSERT_TRUE(event);
  EXPECT_NEAR(event->s, 1.0 / 3, 1e-15);
  EXPECT_LT(evaluations, 30);
}

TEST_F(Locate, NothingWhereNothingHappens) {
  EXPECT_FALSE(first(course(1, -2, 3, 0, 0.5)));
  EXPECT_FALSE(first(course(0, 1, 0, 0, 0.5)));  // starts at zero and rises
}

// A point that has just left the floor: zero at the start, up, and down again, over any part of the step.
TEST_F(Locate, AFlightThatBeginsWithTheStep) {
  for (double flight : {0.4, 0.1, 1e-3, 1e-6, 1e-9, 1e-11}) {
    const double g = 9.81;
    const auto event = first(course(0, g * flight / 2, -g / 2, 0, 0.5));
    ASSERT_TRUE(event) << flight;
    EXPECT_NEAR(event->s, flight, 1e-9 * flight + 1e-16) << flight;
  }
}

TEST_F(Locate, AtOnceWhenItOnlyFalls) {
  const auto event = first(course(0, -1, 0, 0, 0.5));
  ASSERT_TRUE(event);
  EXPECT_EQ(event->s, 0);
}

// It dips below zero between two looks, however briefly, and comes back.
TEST_F(Locate, Grazing) {
  for (double depth : {1e-2, 1e-4, 1e-8}) {
    const double m = 0.3;  // (s − m)² − depth
    const auto event = first(course(m * m - depth, -2 * m, 1, 0, 0.5), 4);
    ASSERT_TRUE(event) << depth;
    EXPECT_NEAR(event->s, m - std::sqrt(depth), 1e-9) << depth;
  }
  EXPECT_FALSE(first(course(0.09 + 1e-9, -0.6, 1, 0, 0.5), 4));  // and when it just misses
}

// A dip anywhere between the looks, left of one and right of it, in a step of few looks or many: it touches zero and returns
// within √depth on either side. What has to show is a look that is lower than its two neighbours.
TEST_F(Locate, GrazingLeftAndRightOfALook) {
  constexpr double h = 0.5;
  for (const int looks : {2, 3, 4, 8}) {
    int left = 0, right = 0;
    for (int i = 1; i < 60; ++i)
      for (const double depth : {1e-4, 1e-7}) {
        const double m = h * (i + 0.1) / 60, part = h / looks, width = std::sqrt(depth);
        if (m < 0.51 * part || m > h - 0.51 * part) continue;
        const double look = part * std::round(m / part);
        if (std::abs(look - m) <= width) continue;  // this look sees it
        (m < look ? left : right) += 1;
        const auto event = first(course(m * m - depth, -2 * m, 1, 0, h), looks);
        ASSERT_TRUE(event) << "dip at " << m << ", depth " << depth << ", looks " << looks;
        // Values of 1e-17, the rounding of 0.1, are 1e-17/(2 width) of s.
        EXPECT_NEAR(event->s, m - width, 1e-15 + 2e-17 / width) << "dip at " << m << ", looks " << looks;
        EXPECT_FALSE(first(course(m * m + depth, -2 * m, 1, 0, h), looks)) << m;
      }
    EXPECT_GT(left, 10);
    EXPECT_GT(right, 10);
  }
}

// The same for curves that are no parabolas: (s − m)² (1 + k (s − m)) − depth is steeper on one side.
TEST_F(Locate, GrazingOfALopsidedCurve) {
  constexpr double h = 0.5, depth = 1e-6;
  for (const double k : {-0.2, 0.2})
    for (const double m : {0.14, 0.17, 0.2, 0.22, 0.28, 0.3, 0.33, 0.36}) {
      const auto event = first(course(m * m * (1 - k * m) - depth, -2 * m + 3 * k * m * m, 1 - 3 * k * m, k, h), 8);
      ASSERT_TRUE(event) << m << ' ' << k;
      // (s − m)² (1 + k (s − m)) = depth, by Newton's rule from the parabola's root
      double x = -std::sqrt(depth);
      for (int n = 0; n < 20; ++n) x -= (x * x * (1 + k * x) - depth) / (2 * x + 3 * k * x * x);
      EXPECT_NEAR(event->s, m + x, 1e-13) << m << ' ' << k;
    }
}

TEST_F(Locate, TheFirstOfSeveral) {
  levels = {0, 0.5, 0.25};
  const auto event = first(course(1, -2, 0, 0, 1));
  ASSERT_TRUE(event);
  EXPECT_EQ(event->which, 1U);
  EXPECT_NEAR(event->s, 0.25, 1e-15);
}

TEST_F(Locate, TwoCrossingsInOneStepGiveTheFirst) {
  // (1 − 4s)(1 − 2s)(…) : down at 1/4, up at 1/2
  const auto event = first(course(1, -6, 8, 0, 0.6), 4);
  ASSERT_TRUE(event);
  EXPECT_NEAR(event->s, 0.25, 1e-14);
}

}  // namespace
}  // namespace marey
