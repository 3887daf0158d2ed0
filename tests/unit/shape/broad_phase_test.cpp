// The broad phase against all pairs tried, through random histories; filters; restarts; growth is measured by the bench.
#include "marey/shape/broad_phase.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "marey/core.h"
#include "support/convex_samples.h"
#include "support/sanitized.h"

namespace marey {
namespace {

using samples::Chance;
using V = Vec3<double>;
using Pairs = std::vector<BroadPhase::Pair>;

Bounds random_bounds(Chance& chance, double spread) {
  const V c{chance.number(-spread, spread), chance.number(-spread, spread), chance.number(-spread, spread)};
  const double r = chance.below(20) == 0 ? chance.number(1, 20) : chance.number(0.1, 1);
  Bounds b = widened({c, c}, r);
  if (chance.below(10) == 0) b.high = hull_of(b, widened({c + V{3, 0, 0}, c + V{3, 0, 0}}, r)).high;  // swept
  if (chance.below(100) == 0) b.low.x = -HUGE_VAL, b.high.y = HUGE_VAL;
  if (chance.below(10) == 0)  // on a grid, so that sides fall together
    for (int i = 0; i < 3; ++i) b.low[i] = std::floor(b.low[i]), b.high[i] = std::ceil(b.high[i]);
  return b;
}

Pairs all_pairs(const std::vector<Bounds>& boxes, const std::vector<bool>& used) {
  Pairs out;
  for (size_t i = 0; i < boxes.size(); ++i)
    for (size_t j = i + 1; j < boxes.size(); ++j)
      if (used[i] && used[j] && overlap(boxes[i], boxes[j])) out.push_back({static_cast<int>(i), static_cast<int>(j)});
  return out;
}
Pairs copy_of(std::span<const BroadPhase::Pair> pairs) { return {pairs.begin(), pairs.end()}; }

// More in a cell than are compared all with all: those are swept. One far away shares its place in the grid with them.
TEST(BroadPhaseTest, FindsAllPairsInACrowd) {
  Chance chance(37);
  BroadPhase broad;
  std::vector<Bounds> boxes;
  for (int k = 0; k < 400; ++k) {
    const V c = V{chance.number(0, 3), chance.number(0, 3), chance.number(0, 3)} + (k % 40 == 0 ? 1e3 : 0) * V{1, 2, 3};
    boxes.push_back(widened({c, c}, chance.number(0.05, 0.5)));
    broad.add(boxes.back());
  }
  const Pairs expected = all_pairs(boxes, std::vector<bool>(boxes.size(), true));
  ASSERT_GT(expected.size(), 2000u);
  for (int round = 0; round < 2; ++round) EXPECT_EQ(copy_of(broad.pairs()), expected);
}

TEST(BroadPhaseTest, FindsWhatTryingAllPairsFindsWhateverTheHistory) {
  Chance chance(31);
  for (int world = 0; world < 10 / every(5); ++world) {
    BroadPhase broad;
    std::vector<Bounds> boxes;
    std::vector<bool> used;
    for (int step = 0; step < 60; ++step) {
      for (int k = 0; k < 10; ++k) {
        const Bounds b = random_bounds(chance, 10);
        const size_t i = static_cast<size_t>(broad.add(b));
        if (i == boxes.size()) boxes.push_back(b), used.push_back(true);
        ASSERT_TRUE(step == 0 || i < boxes.size());
        boxes[i] = b, used[i] = true;
      }
      for (size_t i = 0; i < boxes.size(); ++i) {
        if (!used[i]) continue;
        if (chance.below(20) == 0) broad.remove(static_cast<int>(i)), used[i] = false;
        if (!used[i] || chance.below(2)) continue;
        const V shift = 0.2 * chance.direction();
        boxes[i].low += shift, boxes[i].high += shift;
        if (chance.below(30) == 0) boxes[i] = random_bounds(chance, 10);
        broad.move(static_cast<int>(i), boxes[i]);
      }
      ASSERT_EQ(copy_of(broad.pairs()), all_pairs(boxes, used)) << world << " " << step;
    }
    BroadPhase fresh;  // after a restart
    for (const Bounds& b : boxes) fresh.add(b);
    for (size_t i = 0; i < boxes.size(); ++i)
      if (!used[i]) fresh.remove(static_cast<int>(i));
    EXPECT_EQ(copy_of(fresh.pairs()), copy_of(broad.pairs()));
  }
}

TEST(BroadPhaseTest, GroupsAndPairsAreLeftOut) {
  BroadPhase broad;
  const Bounds unit{{0, 0, 0}, {1, 1, 1}};
  const int floor = broad.add(unit, {1, 6}), arm = broad.add(unit, {2, 1}), leg = broad.add(unit, {2, 1}),
            ball = broad.add(unit, {4, 1});
  EXPECT_EQ(copy_of(broad.pairs()), (Pairs{{floor, arm}, {floor, leg}, {floor, ball}}));
  broad.set_filter(ball, {4, 3});  // the limbs do not ask for it
  EXPECT_EQ(broad.pairs().size(), 3u);
  broad.set_filter(arm, {2, 5});
  EXPECT_EQ(copy_of(broad.pairs()), (Pairs{{floor, arm}, {floor, leg}, {floor, ball}, {arm, ball}}));
  broad.leave_out(ball, arm);
  broad.leave_out(floor, leg);
  EXPECT_EQ(copy_of(broad.pairs()), (Pairs{{floor, arm}, {floor, ball}}));
  broad.admit(arm, ball);
  EXPECT_EQ(broad.pairs().size(), 3u);
  broad.remove(leg);  // what was left out goes with it
  EXPECT_EQ(broad.add(unit, {2, 1}), leg);
  EXPECT_EQ(broad.pairs().size(), 4u);
}

TEST(BroadPhaseTest, FiguresMeetThemselvesOnRequestAndSensorsOnlyWatch) {
  BroadPhase broad;
  const Bounds unit{{0, 0, 0}, {1, 1, 1}};
  BroadPhase::Filter of_figure;
  of_figure.figure = 7;
  const int floor = broad.add(unit), arm = broad.add(unit, of_figure), leg = broad.add(unit, of_figure);
  EXPECT_EQ(copy_of(broad.pairs()), (Pairs{{floor, arm}, {floor, leg}}));
  of_figure.self = true;
  broad.set_filter(arm, of_figure);
  EXPECT_EQ(broad.pairs().size(), 2u);  // both must ask
  broad.set_filter(leg, of_figure);
  EXPECT_EQ(copy_of(broad.pairs()), (Pairs{{floor, arm}, {floor, leg}, {arm, leg}}));
  of_figure.figure = 8;
  of_figure.self = false;
  broad.set_filter(leg, of_figure);
  EXPECT_EQ(broad.pairs().size(), 3u);  // another figure
  BroadPhase::Filter eye;
  eye.sensor = true;
  const int gate = broad.add(unit, eye);
  broad.add(unit, eye);
  const Pairs found = copy_of(broad.pairs());
  EXPECT_EQ(found.size(), 9u);  // two sensors watch three, not each other
  for (const BroadPhase::Pair& p : found) EXPECT_EQ(p.sensor, p.b >= gate);
}

TEST(BroadPhaseTest, TouchingCountsAndNonsenseIsRefused) {
  BroadPhase broad;
  broad.add({{0, 0, 0}, {1, 1, 1}});
  broad.add({{1, 1, 1}, {2, 2, 2}});
  broad.add({{1 + 1e-12, 0, 0}, {2, 1, 0.5}});
  EXPECT_EQ(copy_of(broad.pairs()), (Pairs{{0, 1}}));
  EXPECT_THROW(broad.add({{0, 0, 0}, {1, std::nan(""), 1}}), Error);
  EXPECT_THROW(broad.move(0, {{2, 0, 0}, {1, 1, 1}}), Error);
}

}  // namespace
}  // namespace marey
