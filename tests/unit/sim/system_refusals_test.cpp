// Scenes, sources and states made in code, wrongly: each is refused with a reason, and nothing runs.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "marey/simulation.h"
#include "support/recorded.h"

namespace system_refusals_test {

using namespace marey;

Scene pendulums() {
  return parse_scene(R"(marey: 1
duration: 1 s
solver: {step: 1 ms}
figures:
  arm:
    links:
      upper: {joint: {type: hinge, axis: y}, mass: 1 kg, inertia: {diagonal: [0.1, 0.2, 0.3]}}
      lower: {parent: upper, at: [0, 0, -30 cm], joint: ball, mass: 1 kg, inertia: {diagonal: [0.1, 0.2, 0.3]}}
)",
                     "pendulums.yaml");
}

template <class Do>
std::string said(const Do& what, ErrorKind kind = ErrorKind::bad_input) {
  try {
    what();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  return "nothing";
}

template <class Change>
void refused(const Change& change, const std::string& because) {
  Scene scene = pendulums();
  change(scene);
  const std::string why = said([&] { Simulation{scene}; });
  EXPECT_NE(why.find(because), std::string::npos) << why << "\n  expected: " << because;
}

TEST(SystemRefusals, StartsOfTheWrongSize) {
  EXPECT_NE(said([] { Simulation{Scene{}}; }).find("without a model"), std::string::npos);
  refused([](Scene& s) { s.start = State{}; }, "found 0 numbers in start.q; expected the 5");
  refused([](Scene& s) { s.start.q = {0.5}; }, "found 1 numbers in start.q; expected the 5");
  refused([](Scene& s) { s.start.v.resize(20); }, "found 20 numbers in start.v; expected the 4");
  refused([](Scene& s) { s.start.q[0] = NAN; }, "found nan in start.q");
  refused([](Scene& s) { s.start.v[3] = INFINITY; }, "found inf in start.v");
}

TEST(SystemRefusals, NumbersOfTheSolver) {
  for (const double step : {-1e-3, -1.0, 0.0, double{NAN}, double{INFINITY}})
    refused([&](Scene& s) { s.solver.step = step; }, "solver.step");
  for (const double tolerance : {-1.0, 0.0, double{NAN}})
    refused([&](Scene& s) { s.solver.integrator = Integrator::bdf, s.solver.tolerance = tolerance; },
            "solver.tolerance");
  refused([](Scene& s) { s.solver.integrator = Integrator::rk45, s.solver.absolute_tolerance = -1; },
          "solver.absolute_tolerance");
  refused(
      [](Scene& s) {
        s.solver.dynamics = Dynamics::multipliers, s.solver.stabilisation = Stabilisation::baumgarte;
        s.solver.stabilisation_time = 0;
      },
      "solver.stabilisation_time");
  refused([](Scene& s) { s.model.params.gravity.z = NAN; }, "gravity");
  refused([](Scene& s) { s.contacts.emplace_back().link = 99; }, "'contact 1': there is no such link");
  for (const double duration : {-1.0, double{NAN}, double{INFINITY}}) {
    Scene scene = pendulums();
    scene.duration = duration;
    recorded::Memory memory;
    EXPECT_NE(said([&] { run(scene, memory); }).find(duration < 0 ? "a duration of -1 s" : "frames to record"),
              std::string::npos);
  }
}

// A source that does as it is told.
struct Odd final : Source {
  std::string called = "odd";
  std::vector<std::string> z;
  double back = 0, next = forever, value = 1;
  int modes = 0, switches = 0;
  std::function<void(const Instant<double>&, ForceSum<double>&)> does = [](auto&, auto&) {};

  std::string name() const override { return called; }
  double delay() const override { return back; }
  std::vector<std::string> states() const override { return z; }
  int mode_count() const override { return modes; }
  int switch_count() const override { return switches; }
  using Source::act;
  void act(const Instant<double>& now, const Kept<double>&, ForceSum<double>& sum,
           std::span<double> rate) const override {
    std::fill(rate.begin(), rate.end(), 0.0);
    does(now, sum);
  }
  void switch_values(const Instant<double>&, const Kept<double>&, std::span<double> values) const override {
    std::fill(values.begin(), values.end(), value);
  }
  double next_instant(double, const Kept<double>&) const override { return next; }
};

template <class Change>
Scene with_odd(const Change& change) {
  Scene scene = pendulums();
  auto odd = std::make_shared<Odd>();
  change(*odd);
  scene.sources.push_back(odd);
  return scene;
}
template <class Change>
void odd_is_refused(const Change& change, const std::string& because) {
  refused([&](Scene& s) { s = with_odd(change); }, because);
}

TEST(SystemRefusals, SourcesThatSayWhatCannotBe) {
  odd_is_refused([](Odd& o) { o.back = -1; }, "'odd': found a delay of -1 s");
  odd_is_refused([](Odd& o) { o.back = NAN; }, "'odd': found a delay of nan s");
  odd_is_refused([](Odd& o) { o.modes = -1; }, "'odd': found -1 modes");
  odd_is_refused([](Odd& o) { o.switches = -2; }, "-2 switches");
  odd_is_refused([](Odd& o) { o.z = {"a", "a"}; }, "found two channels named");
  Scene welded = with_odd([](Odd& o) { o.called = "welds"; });
  welded.solver.weld.emplace();
  EXPECT_NE(said([&] { Simulation{welded}; }).find("two things named 'welds'"), std::string::npos);
}

TEST(SystemRefusals, SourcesThatActOnLinksThatAreNot) {
  const auto acts = [](std::function<void(const Instant<double>&, ForceSum<double>&)> does) {
    return said([&] {
      Simulation simulation(with_odd([&](Odd& o) { o.does = does; }));
      simulation.step();
    });
  };
  const double two[] = {1, 2}, three[] = {1, 2, 3};
  EXPECT_NE(acts([](auto& now, auto& sum) { sum.wrench(now, -1, {}); }).find("link -1; expected 0 to 2"),
            std::string::npos);
  EXPECT_NE(acts([](auto& now, auto& sum) { sum.wrench(now, 99, {}); }).find("link 99"), std::string::npos);
  EXPECT_NE(acts([](auto& now, auto& sum) { sum.pair(now, 1, {}, 3, {}, {}); }).find("link 3"), std::string::npos);
  EXPECT_NE(acts([&](auto& now, auto& sum) { sum.joint(now, now.model.find("lowr"), two); }).find("link -1"),
            std::string::npos);
  EXPECT_NE(acts([&](auto& now, auto& sum) {
              sum.joint(now, 2, two);
            }).find("2 forces in the joint of 'arm.lower'; expected 3"),
            std::string::npos);
  EXPECT_NE(acts([&](auto& now, auto& sum) { sum.joint(now, 1, {}); }).find("0 forces"), std::string::npos);
  EXPECT_EQ(acts([&](auto& now, auto& sum) { sum.joint(now, 2, three); }), "nothing");
}

TEST(SystemRefusals, SourcesThatSwitchInThePastOrNowhere) {
  const auto steps = [](const auto& change) {
    Simulation simulation(with_odd(change));
    return said([&] { simulation.run_until(0.1); }, ErrorKind::cannot_go_on);
  };
  for (const double next : {-1.0, 0.0, double{NAN}})
    EXPECT_NE(steps([&](Odd& o) { o.next = next; }).find("the source 'odd' names"), std::string::npos) << next;
  EXPECT_NE(steps([](Odd& o) { o.switches = 1, o.value = NAN; }).find("the source 'odd' gives no number"),
            std::string::npos);
}

TEST(SystemRefusals, WhoseForceIsNoNumberIsNamed) {
  for (const Integrator integrator :
       {Integrator::semi_implicit, Integrator::rk4, Integrator::rk45, Integrator::midpoint}) {
    Scene scene = with_odd([](Odd& o) {
      o.does = [](auto& now, auto& sum) {
        const double tau[] = {now.t > 0.05 ? NAN : 0.0};
        sum.joint(now, 1, tau);
      };
    });
    scene.solver.integrator = integrator;
    Simulation simulation(scene);
    const std::string why = said([&] { simulation.run_until(0.1); }, ErrorKind::cannot_go_on);
    EXPECT_NE(why.find("the force of 'odd' on link 'arm.upper' is not finite"), std::string::npos) << why;
  }
}

// What was recorded is kept when a source throws, and the exception is the caller's.
TEST(SystemRefusals, WhatASourceThrowsIsPassedOn) {
  const Scene scene = with_odd([](Odd& o) {
    o.does = [](auto& now, auto&) {
      if (now.t > 0.5) throw std::runtime_error("out of air");
    };
  });
  recorded::Memory memory;
  EXPECT_THROW(run(scene, memory), std::runtime_error);
  EXPECT_GE(memory.rows.size(), 30u);
  EXPECT_NE(memory.finished.find("out of air"), std::string::npos);
  Simulation simulation(scene);
  const SavedState start = simulation.save();
  EXPECT_THROW(simulation.run_until(1), std::runtime_error);
  simulation.restore(start);
  simulation.run_until(0.4);
  EXPECT_NEAR(simulation.time(), 0.4, 1e-12);
}

TEST(SystemRefusals, StatesOfOtherSystems) {
  const SavedState saved = Simulation(pendulums()).save();
  const auto restored = [&](const auto& change) {
    Scene scene = pendulums();
    change(scene);
    Simulation other(scene);
    return said([&] { other.restore(saved); });
  };
  EXPECT_EQ(restored([](Scene&) {}), "nothing");
  EXPECT_NE(restored([](Scene& s) { s.model.params.gravity.z = -1; }).find("of another system"), std::string::npos);
  EXPECT_NE(restored([](Scene& s) { s.solver.step = 2e-3; }).find("of another system"), std::string::npos);
  EXPECT_NE(restored([](Scene& s) { s.model.params.links[1].I.m = 2; }).find("of another system"), std::string::npos);
}

TEST(SystemRefusals, AChannelThatIsNotThereHasANeighbour) {
  const Simulation simulation(pendulums());
  EXPECT_NE(said([&] { simulation.values("link/arm.upper/positon"); }).find("did you mean 'link/arm.upper/position'?"),
            std::string::npos);
}

}  // namespace system_refusals_test
