// The memory of a run: the state of a while ago, at the order of the method; saved and brought back.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "support/integrators.h"
#include "unit/integrate/figure_flow.h"

namespace {

using marey::History, marey::Integrator, marey::JointType;
using namespace tumbling;

struct Scene {
  Model model = figure(JointType::free, true, true);
  FigureFlow flow{model, {0.1, 0.02, 5}};
  State start = tumble(model);
};

constexpr double duration = 1, reach = 0.1;

// Runs to the end and remembers. `steps` 0: as the method chooses.
History remember(Scene& scene, Integrator integrator, int steps, double tolerance = 1e-7) {
  History history(scene.model, reach);
  const auto method = marey::make_method({integrator, tolerance, tolerance}, scene.flow);
  method->restart(0, scene.start.q, scene.start.v);
  for (int i = 1; method->t() < duration; ++i) {
    method->step(steps == 0 ? duration : i == steps ? duration : duration * i / steps);
    history.add(method->segment());
  }
  return history;
}

Outcome recall(const Scene& scene, const History& history, double t) {
  Outcome out{std::vector<double>(scene.model.nq), std::vector<double>(scene.model.nv), {}};
  history.at(t, out.q, out.v);
  return out;
}

// Up to 0.1 s before the end.
double instant(int i) { return duration - reach + 0.012345 * i; }
std::vector<Outcome> exact_at_instants(Scene& scene) {
  std::vector<Outcome> out;
  for (int i = 0; i < 8; ++i) {
    out.push_back(reference(scene.flow, scene.start, instant(i)));
    out.back().integrals.clear();
  }
  return out;
}

// The largest error over these delays.
Difference error(const Scene& scene, const std::vector<Outcome>& exact, const History& history) {
  Difference worst;
  for (int i = 0; i < 8; ++i) {
    const Difference d = between(scene.model, recall(scene, history, instant(i)), exact[i]);
    worst = {std::max(worst.q, d.q), std::max(worst.v, d.v), 0};
  }
  return worst;
}

TEST(History, RemembersAtTheOrderOfTheMethod) {
  Scene scene;
  const std::vector<Outcome> exact = exact_at_instants(scene);
  constexpr int steps_by_order[] = {2000, 300, 270, 240};
  for (const Integrator method : integrators::of_fixed_step()) {
    const int steps = steps_by_order[std::clamp(order_of(method), 1, 4) - 1];
    const Difference coarse = error(scene, exact, remember(scene, method, steps)),
                     fine = error(scene, exact, remember(scene, method, 2 * steps));
    const double order_q = std::log2(coarse.q / fine.q), order_v = std::log2(coarse.v / fine.v);
    std::printf("%-13s 0.1 s ago: error %.1e, %.1e, order %.2f, %.2f\n", name_of(method), fine.q, fine.v, order_q,
                order_v);
    EXPECT_NEAR(order_q, order_of(method), 0.25) << name_of(method);
    EXPECT_NEAR(order_v, order_of(method), 0.25) << name_of(method);
  }
  for (const Integrator method : integrators::adaptive()) {
    const Difference d = error(scene, exact, remember(scene, method, 0));
    std::printf("%-13s 0.1 s ago: error %.1e, %.1e\n", name_of(method), d.q, d.v);
    EXPECT_LT(std::max(d.q, d.v), 1e-4) << name_of(method);
  }
}

TEST(History, ForgetsWhatIsFurtherBackThanItsReach) {
  Scene scene;
  const History history = remember(scene, Integrator::rk4, 200);
  EXPECT_EQ(history.end(), duration);
  EXPECT_LE(history.begin(), duration - reach);
  EXPECT_GT(history.begin(), duration - reach - 2 * duration / 200);
}

TEST(History, BeforeItsBeginningStaysAtTheEarliestState) {
  Scene scene;
  History history(scene.model, reach);
  const auto method = marey::make_method({Integrator::rk4}, scene.flow);
  method->restart(0, scene.start.q, scene.start.v);
  method->step(0.05);
  history.add(method->segment());
  const Difference d = between(scene.model, recall(scene, history, -0.05), {scene.start.q, scene.start.v, {}});
  EXPECT_LT(d.q, 1e-15);
  EXPECT_EQ(d.v, 0);
}

// Of a step that an event has cut short the first part is kept: the same curve, at the same times, and not a moment more.
// The methods with a memory of their own cannot take such a step again.
TEST(History, KeepsTheFirstPartOfAStepAsItWas) {
  Scene scene;
  for (const Integrator integrator : marey::all_integrators()) {
    const auto method = marey::make_method({integrator, 1e-7, 1e-7}, scene.flow);
    method->restart(0, scene.start.q, scene.start.v);
    for (int i = 1; i <= 30; ++i) method->step(method->t() + 0.01);
    for (const double part : {0.9, 0.5, 0.37, 1e-3, 0.0}) {
      const marey::Segment& whole = method->segment();
      ASSERT_GT(whole.h, 0);
      const double length = part * whole.h;
      History cut(scene.model, 10), uncut(scene.model, 10);
      cut.add(whole, length), uncut.add(whole);
      EXPECT_EQ(cut.begin(), whole.t_0);
      EXPECT_EQ(cut.end(), whole.t_0 + length);
      for (const double where : {0.0, 0.25, 0.6, 1.0}) {
        const double t = whole.t_0 + where * length;
        Outcome exact{std::vector<double>(scene.model.nq), std::vector<double>(scene.model.nv), {}};
        whole.at(scene.model, t - whole.t_0, exact.q, exact.v, {});
        const Difference d = between(scene.model, recall(scene, cut, t), exact),
                         e = between(scene.model, recall(scene, uncut, t), exact);
        EXPECT_LT(std::max(d.q, d.v), 1e-13) << name_of(integrator) << ' ' << part << ' ' << where;
        EXPECT_LT(std::max(e.q, e.v), 1e-13) << name_of(integrator) << ' ' << part << ' ' << where;
      }
      // Beyond its end it stays where the event was.
      const Difference d = between(scene.model, recall(scene, cut, whole.end()), recall(scene, cut, cut.end()));
      EXPECT_LT(std::max(d.q, d.v), 1e-14) << name_of(integrator);  // t − t_0 is the length but for rounding
    }
  }
}

// Methods whose degree changes from step to step too.
TEST(History, ComesBackFromACheckpointToTheBit) {
  Scene scene;
  for (const Integrator method : marey::all_integrators()) {
    const History history = remember(scene, method, has_fixed_step(method) ? 200 : 0);
    const std::vector<std::byte> saved = history.save();
    History other(scene.model, reach);
    other.restore(saved);
    EXPECT_EQ(other.begin(), history.begin());
    EXPECT_EQ(other.end(), history.end());
    EXPECT_EQ(other.save(), saved);
    for (double t = duration - reach; t <= duration; t += 0.0071) {
      const Outcome a = recall(scene, history, t), b = recall(scene, other, t);
      EXPECT_EQ(a.q, b.q) << name_of(method);
      EXPECT_EQ(a.v, b.v) << name_of(method);
    }
  }
}

TEST(History, RefusesACheckpointThatIsNotItsOwn) {
  Scene scene;
  std::vector<std::byte> saved = remember(scene, Integrator::rk4, 200).save();
  History other(scene.model, reach);
  std::vector<std::byte> cut(saved.begin(), saved.end() - 1);
  EXPECT_THROW(other.restore(cut), marey::Error);
  // A degree of two thousand million, one below zero; coordinates of a third kind, and of none.
  for (const auto& [at, bad] : {std::pair{3, 0x7f}, {3, 0xff}, {4, 2}, {7, 0xff}}) {
    std::vector<std::byte> spoilt = saved;
    spoilt[static_cast<std::size_t>(at)] = std::byte(bad);
    EXPECT_THROW(other.restore(spoilt), marey::Error) << at;
  }
  EXPECT_NO_THROW(other.restore(saved));
}

}  // namespace
