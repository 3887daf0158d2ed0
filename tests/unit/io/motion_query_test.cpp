// What a motion tells of its run, what it was begun with, and how its columns are found.
#include <gtest/gtest.h>

#include <functional>

#include "marey/io/recorded.h"
#include "motion_fake.h"
#include "support/trouble.h"

namespace marey {
namespace motion_query_test {
namespace {

std::string refused(const std::function<void()>& work) { return trouble::of(ErrorKind::bad_input, work); }

MotionInfo ended(MotionEnd end, const std::string& summary) {
  MotionInfo info;
  info.end = end, info.summary = summary;
  return info;
}

TEST(MotionTells, WhyItBrokeDown) {
  const std::string why = R"({"breakdown": "at t = 1 s: the \"tip\" broke"})";
  EXPECT_EQ(ended(MotionEnd::broke_down, why).breakdown(), "at t = 1 s: the \"tip\" broke");
  for (const MotionEnd end : {MotionEnd::open, MotionEnd::interrupted, MotionEnd::done})
    EXPECT_EQ(ended(end, why).breakdown(), "");
  for (const char* summary : {"", "{}", "[1", R"({"breakdown": ["a"]})"})
    EXPECT_EQ(ended(MotionEnd::broke_down, summary).breakdown(), "its summary does not say why") << summary;
}

TEST(MotionTells, WhetherItsAccountWasClosed) {
  const auto closed = [](const std::string& s) { return was_closed(ended(MotionEnd::done, s)); };
  const auto agreed = [](const std::string& s) { return solvers_agreed(ended(MotionEnd::done, s)); };
  const std::string both = R"({"ledger": {"closed": true}, "verification": {"agree": false}})",
                    reverse = R"({"ledger": {"closed": false}, "verification": {"agree": true}})";
  EXPECT_EQ(closed(both), std::optional(true));
  EXPECT_EQ(agreed(both), std::optional(false));
  EXPECT_EQ(closed(reverse), std::optional(false));
  EXPECT_EQ(agreed(reverse), std::optional(true));
  for (const char* s :
       {"", "{}", "[1", R"({"ledger": null, "verification": null})", R"({"ledger": {}, "verification": {}})",
        R"({"ledger": {"closed": "perhaps"}, "verification": {"agree": null}})"}) {
    EXPECT_EQ(closed(s), std::nullopt) << s;
    EXPECT_EQ(agreed(s), std::nullopt) << s;
  }
}

// ---- what it was begun with
struct Begun {
  MotionInfo info;
  Scene scene;
};
Begun begun() {
  Begun b;
  b.scene.text = b.info.scene_text = "marey: 1\ntitle: A\n";
  b.scene.duration = b.info.duration = 10;
  b.scene.solver.integrator = b.info.solver.integrator = Integrator::rk45;
  b.scene.solver.weld = b.info.solver.weld = WeldOptions{};
  return b;
}
std::string after(const std::function<void(Begun&)>& change) {
  Begun b = begun();
  change(b);
  return difference(b.info, b.scene);
}

TEST(MotionDifference, IsNoneOfTheSame) {
  EXPECT_EQ(after([](Begun&) {}), "");
  // Left away, the absolute tolerance is the relative one.
  EXPECT_EQ(after([](Begun& b) { b.scene.solver.absolute_tolerance = 1e-6; }), "");
  EXPECT_EQ(after([](Begun& b) { b.info.solver.absolute_tolerance = 1e-6; }), "");
  EXPECT_EQ(after([](Begun& b) { b.scene.solver.weld.reset(), b.info.solver.weld.reset(); }), "");
}

TEST(MotionDifference, IsToldInNumbers) {
  const std::string begun_with = "it was begun with ";
  const auto solver = [](const std::function<void(SolverOptions&)>& change) {
    return after([&](Begun& b) { change(b.scene.solver); });
  };
  EXPECT_EQ(after([](Begun& b) { b.scene.duration = 11; }), begun_with + "a duration of 10 s, now it is 11 s");
  EXPECT_EQ(after([](Begun& b) { b.scene.record.every = 2, b.info.record.every = 0.5; }),
            begun_with + "a frame every 0.5 s, now it is 2 s");
  EXPECT_EQ(solver([](SolverOptions& s) { s.dynamics = Dynamics::crba; }),
            begun_with + "the solver aba, now it is crba");
  EXPECT_EQ(solver([](SolverOptions& s) { s.integrator = Integrator::bdf; }),
            begun_with + "the integrator rk45, now it is bdf");
  EXPECT_EQ(solver([](SolverOptions& s) { s.step = 0.5; }), begun_with + "a step of 0.001 s, now it is 0.5 s");
  EXPECT_EQ(solver([](SolverOptions& s) { s.tolerance = 1e-3; }), begun_with + "a tolerance of 1e-06, now it is 0.001");
  EXPECT_EQ(solver([](SolverOptions& s) { s.absolute_tolerance = 1e-3; }),
            begun_with + "an absolute tolerance of 1e-06, now it is 0.001");
  EXPECT_EQ(after([](Begun& b) { b.info.solver.absolute_tolerance = 1e-3; }),
            begun_with + "an absolute tolerance of 0.001, now it is 1e-06");
  EXPECT_EQ(solver([](SolverOptions& s) { s.slow_band = 3; }),
            begun_with + "a slow band every … steps: 1, now it is 3");
  EXPECT_EQ(solver([](SolverOptions& s) { s.spread = true; }),
            begun_with + "a spread slow band: false, now it is true");
  EXPECT_EQ(solver([](SolverOptions& s) { s.weld.reset(); }),
            begun_with + "joints welded on the fly: true, now it is false");
  EXPECT_EQ(after([](Begun& b) { b.info.solver.weld.reset(); }),
            begun_with + "joints welded on the fly: false, now it is true");
  EXPECT_EQ(solver([](SolverOptions& s) { s.weld->below = 2; }),
            begun_with + "joints welded below 0.01 rad/s, now it is 2 rad/s");
  EXPECT_EQ(solver([](SolverOptions& s) { s.weld->lasts = 2; }),
            begun_with + "joints welded when still for 0.5 s, now it is 2 s");
  EXPECT_EQ(solver([](SolverOptions& s) { s.weld->wake = 2; }),
            begun_with + "joints woken above 0.1 N m, now it is 2 N m");
  EXPECT_EQ(solver([](SolverOptions& s) { s.reuse = 0.25; }),
            begun_with + "reuse of factors until a change of 0, now it is 0.25");
}

TEST(MotionDifference, OfTextIsItsFirstLine) {
  const auto text = [](const std::string& now) { return after([&](Begun& b) { b.scene.text = now; }); };
  const std::string changed = "the scene has changed since it was begun, first ";
  EXPECT_EQ(text("marey: 2\ntitle: B\n"), changed + "in line 1: 'marey: 2' was 'marey: 1'");
  EXPECT_EQ(text("marey: 1\ntitle: B\n"), changed + "in line 2: 'title: B' was 'title: A'");
  EXPECT_EQ(text("marey: 1\ntitle: A\nmore\n"), changed + "in line 3: 'more' was ''");
  EXPECT_EQ(text("marey: 1\ntitle: A\n\n"), changed + "in line 3: '' was ''");
  EXPECT_EQ(text("marey: 1\n"), changed + "in line 2: '' was 'title: A'");
  EXPECT_EQ(text("marey: 1\ntitle: A"), changed + "at its end");
}

TEST(MotionOptions, AreThoseOfTheRun) {
  MotionInfo info;
  info.duration = 3, info.record.every = 0.5;
  info.solver = {Dynamics::armstrong, Integrator::semi_implicit, 0.25, 4, true};
  info.solver.tolerance = 1e-3, info.solver.absolute_tolerance = 1e-4;
  SceneOverrides o = options_of(info);
  EXPECT_EQ(o.duration, 3);
  EXPECT_EQ(o.record_every, 0.5);
  EXPECT_EQ(o.dynamics, Dynamics::armstrong);
  EXPECT_EQ(o.integrator, Integrator::semi_implicit);
  EXPECT_EQ(o.step, 0.25);
  EXPECT_EQ(o.slow_band, 4);
  EXPECT_EQ(o.spread, true);
  EXPECT_FALSE(o.tolerance);  // of fixed steps there is none
  EXPECT_FALSE(o.absolute_tolerance);
  info.solver.integrator = Integrator::bdf;
  o = options_of(info);
  EXPECT_EQ(o.tolerance, 1e-3);
  EXPECT_EQ(o.absolute_tolerance, 1e-4);
}

// ---- columns
MotionInfo described() {
  MotionInfo info;
  info.file = "run.h5";
  info.channels = fake::header().channels;
  return info;
}

TEST(MotionColumns, AreFoundByChannelAndPart) {
  const MotionInfo info = described();
  const auto found = [&](const char* name) {
    const ColumnIndex c = find_column(info, name);
    return std::pair{c.channel, c.column};
  };
  using Pair = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(found("time"), (Pair{0, 0}));
  EXPECT_EQ(found("link/finger.tip/position.x"), (Pair{2, 0}));
  EXPECT_EQ(found("link/finger.tip/orientation.z"), (Pair{3, 3}));
  EXPECT_EQ(refused([&] { find_column(info, "link/finger.tip/position.w"); }),
            "'run.h5' records no quantity 'link/finger.tip/position.w'; did you mean 'link/finger.tip/position.x'?");
  EXPECT_EQ(refused([&] { find_column(info, "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq"); }),
            "'run.h5' records no quantity 'qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq'");
  EXPECT_EQ(refused([&] { find_column(info, "link/finger.tip/position"); }),
            "'link/finger.tip/position' has 3 columns; choose one: link/finger.tip/position.x, .y, .z");
  EXPECT_EQ(info.find("energy/kinetic"), 1u);
  EXPECT_TRUE(info.has("energy/kinetic"));
  EXPECT_FALSE(info.has("energy"));
  EXPECT_EQ(refused([&] { (void)info.find("energy/kinetik"); }),
            "'run.h5' records no channel 'energy/kinetik'; did you mean 'energy/kinetic'?");
}

TEST(MotionColumns, HaveNamesAndUnits) {
  EXPECT_EQ(column_name({"a/b", "m", {"x"}, ""}, 0), "a/b");
  EXPECT_EQ(column_name({"a/b", "m", {"x", "y"}, ""}, 1), "a/b.y");
  EXPECT_EQ(column_name({"a/b", "m", {"x", ""}, ""}, 1), "a/b");
  const Channel mixed{"v", "rad/s, m/s", {"a", "b", "c", "d", "e", "f"}, ""};
  EXPECT_EQ(unit_of(mixed, 2), "rad/s");
  EXPECT_EQ(unit_of(mixed, 3), "m/s");
  EXPECT_EQ(unit_of({"v", "a, b, c", {"x", "y", "z"}, ""}, 2), "c");
  EXPECT_EQ(unit_of({"v", "a, b, c", {"x"}, ""}, 0), "a or b or c");
  EXPECT_EQ(unit_of({"v", "", {"x"}, ""}, 0), "");
}

TEST(MotionColumns, FrameNearATimeIsTheNearest) {
  Motion m;
  m.file = "run.h5";
  m.values = {{}};
  EXPECT_EQ(refused([&] { (void)m.frame_near(0); }), "'run.h5' holds no frames");
  m.values = {{1, 2, 4}};
  const std::pair<double, std::size_t> cases[] = {{0, 0}, {1, 0},   {1.5, 0}, {1.6, 1}, {2, 1},
                                                  {3, 1}, {3.1, 2}, {4, 2},   {9, 2}};
  for (const auto& [t, frame] : cases) EXPECT_EQ(m.frame_near(t), frame) << t;
}

}  // namespace
}  // namespace motion_query_test
}  // namespace marey
