// A run that is interrupted and resumed records what an undisturbed one does, and what its hooks are told is so.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "support/floors.h"
#include "support/recorded.h"

namespace run_resumed_test {

using namespace marey;
using Clock = std::chrono::steady_clock;

struct Kept : recorded::Memory {
  std::string json;
  int begun = 0;
  std::vector<Clock::time_point> kept_at;
  void begin(const MotionHeader& h) override { Memory::begin(h), ++begun; }
  void checkpoint(const Checkpoint& c) override { Memory::checkpoint(c), kept_at.push_back(Clock::now()); }
  void finish(const std::string& text) override { json = text; }
};

// A ball that bounces three times or so within half a second, by steps of a millisecond.
Scene bouncing() {
  Scene scene = floors::ball(0.05, 0, 0.5);
  scene.title = "a ball";
  scene.duration = 0.5;
  scene.solver = floors::fixed(Integrator::rk4, 1e-3);
  scene.record.every = 0.01;
  return scene;
}

RunHooks stop_at_call(int which) {
  RunHooks hooks;
  hooks.stop = [which, n = 0]() mutable { return ++n == which; };
  return hooks;
}

void expect_same_end(const RunSummary& a, const RunSummary& b) {
  EXPECT_EQ(a.simulated, b.simulated);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.events, b.events);
  EXPECT_EQ(a.impacts, b.impacts);
  EXPECT_EQ(a.notes, b.notes);
  EXPECT_EQ(a.warnings, b.warnings);
  EXPECT_EQ(a.ledger.energy_start, b.ledger.energy_start);
  EXPECT_EQ(a.ledger.energy_end, b.ledger.energy_end);
  EXPECT_EQ(a.ledger.energy_residual, b.ledger.energy_residual);
  EXPECT_EQ(a.interrupted, b.interrupted);
}

TEST(RunResumed, AfterAnInterruptRowsAreThoseOfAnUndisturbedRun) {
  const Scene scene = bouncing();
  Kept whole;
  const RunSummary all = run(scene, whole);
  ASSERT_EQ(whole.rows.size(), 51u);
  EXPECT_EQ(whole.json, to_json(all));
  EXPECT_GE(all.impacts, 2);
  EXPECT_FALSE(all.interrupted);
  ASSERT_FALSE(whole.checkpoints.empty());
  EXPECT_EQ(whole.checkpoints.back().t, 0.5);
  EXPECT_EQ(whole.checkpoints.back().frames, 51u);
  for (const int call : {1, 10, 104, 137, 333}) {
    SCOPED_TRACE(call);
    Kept first, second;
    const RunSummary stopped = run(scene, first, stop_at_call(call));
    EXPECT_TRUE(stopped.interrupted);
    EXPECT_EQ(stopped.steps, call);
    EXPECT_EQ(stopped.steps_this_time, call);
    ASSERT_FALSE(first.checkpoints.empty());
    EXPECT_EQ(first.checkpoints.back().t, stopped.simulated);
    EXPECT_EQ(first.checkpoints.back().frames, first.rows.size());
    EXPECT_NE(first.json.find("\"interrupted\":true"), std::string::npos);
    const RunSummary resumed = run(scene, second, {}, &first.checkpoints.back());
    EXPECT_EQ(second.begun, 1);
    EXPECT_EQ(second.header.channels.size(), whole.header.channels.size());
    expect_same_end(resumed, all);
    EXPECT_EQ(resumed.steps_this_time, all.steps - call);
    EXPECT_NEAR(resumed.realtime_factor * resumed.wall, 0.5 - stopped.simulated, 1e-12);
    std::vector<std::vector<double>> rows = first.rows;
    rows.insert(rows.end(), second.rows.begin(), second.rows.end());
    EXPECT_EQ(rows, whole.rows);
  }
}

// A hundred frames within a step: an interrupt comes after the sixty-fourth. The last checkpoint is not ahead of the frames.
TEST(RunResumed, AnInterruptBetweenFramesLeavesNoCheckpointAheadOfThem) {
  Scene scene = bouncing();
  scene.duration = 4e-3;
  scene.record.every = 1e-5;
  Kept memory, whole;
  const RunSummary stopped = run(scene, memory, stop_at_call(1));
  EXPECT_TRUE(stopped.interrupted);
  EXPECT_EQ(stopped.steps, 1);
  EXPECT_EQ(memory.rows.size(), 64u);
  EXPECT_TRUE(memory.checkpoints.empty());
  run(scene, whole);
  ASSERT_EQ(whole.rows.size(), 401u);
  for (std::size_t k = 0; k < memory.rows.size(); ++k) EXPECT_EQ(memory.rows[k], whole.rows[k]) << k;
  // The second call is at the end of the first step, where all frames are on record.
  Kept first, second;
  run(scene, first, stop_at_call(2));
  ASSERT_EQ(first.rows.size(), 101u);
  ASSERT_FALSE(first.checkpoints.empty());
  run(scene, second, {}, &first.checkpoints.back());
  ASSERT_EQ(second.rows.size(), 300u);
  EXPECT_EQ(second.rows.front(), whole.rows[101]);
  EXPECT_EQ(second.rows.back(), whole.rows[400]);
}

// Nothing is left to do: no step, no frame, the same account.
TEST(RunResumed, FromItsEnd) {
  const Scene scene = bouncing();
  Kept whole, after;
  const RunSummary all = run(scene, whole);
  const RunSummary none = run(scene, after, {}, &whole.checkpoints.back());
  EXPECT_TRUE(after.rows.empty());
  EXPECT_EQ(none.steps_this_time, 0);
  expect_same_end(none, all);
}

// A checkpoint of the very start, with its one frame on record.
TEST(RunResumed, FromItsStart) {
  const Scene scene = bouncing();
  Kept whole, after;
  const RunSummary all = run(scene, whole);
  World world(scene);
  const Checkpoint start{0, 1, world.save()};
  expect_same_end(run(scene, after, {}, &start), all);
  EXPECT_EQ(std::vector(whole.rows.begin() + 1, whole.rows.end()), after.rows);
}

std::string refused(const Scene& scene, const Checkpoint& from) {
  Kept sink;
  try {
    run(scene, sink, {}, &from);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::bad_input);
    EXPECT_EQ(sink.begun, 0) << "nothing is written for a checkpoint that will not do";
    return e.what();
  }
  return {};
}
void put(Checkpoint& c, std::size_t number, double x) { std::memcpy(c.bytes.data() + 8 * number, &x, sizeof x); }

TEST(RunResumed, RefusesADamagedCheckpoint) {
  Scene scene = bouncing();
  Kept memory;
  run(scene, memory, stop_at_call(200));
  const Checkpoint good = memory.checkpoints.back();
  ASSERT_EQ(refused(scene, good), "");
  const std::string no_state = "the checkpoint is damaged: it holds no state that the run could have been in";
  constexpr std::size_t time = 6, first_q = 7, first_v = 14;  // 8 bytes each, after counts and instants
  double t = 0;
  std::memcpy(&t, good.bytes.data() + 8 * time, sizeof t);
  ASSERT_EQ(t, good.t);
  for (const double bad : {-1e-3, 0.5001, std::nan("")}) {
    Checkpoint c = good;
    put(c, time, bad);
    EXPECT_EQ(refused(scene, c), no_state) << bad;
  }
  for (std::size_t k = first_q; k < first_v + 6; ++k) {
    Checkpoint c = good;
    put(c, k, k % 2 == 0 ? std::nan("") : forever);
    EXPECT_EQ(refused(scene, c), no_state) << k;
  }
  Checkpoint torn = good;
  torn.bytes.pop_back();
  EXPECT_EQ(refused(scene, torn), "the checkpoint belongs to another scene");
  torn = good;
  torn.bytes.push_back(std::byte{});
  EXPECT_EQ(refused(scene, torn), "the checkpoint belongs to another scene");
  scene.duration = 0.1;  // that run never came so far
  EXPECT_EQ(refused(scene, good), no_state);
}

// Clocks are looked at after each of the first 16 steps and after every 16th from then on. Progress is told when 0.05 s have
// gone by, a checkpoint is kept after 0.5 s; this test only ever waits for longer.
TEST(RunResumed, ProgressAndCheckpointsByTheClock) {
  const Scene scene = bouncing();
  Kept memory, whole, second;
  RunHooks hooks;
  int calls = 0;
  hooks.stop = [&] {
    ++calls;
    if (calls == 3) std::this_thread::sleep_for(std::chrono::milliseconds(510));
    if (calls == 36) std::this_thread::sleep_for(std::chrono::milliseconds(60));
    return false;
  };
  std::vector<int> told;
  std::vector<Clock::time_point> told_at;
  hooks.progress = [&](double t, double duration) {
    EXPECT_NEAR(t, 1e-3 * calls, calls <= 100 ? 1e-12 : 0.1);  // before the first impact all steps are whole
    EXPECT_EQ(duration, 0.5);
    told.push_back(calls), told_at.push_back(Clock::now());
  };
  const RunSummary summary = run(scene, memory, hooks);
  EXPECT_FALSE(summary.interrupted);
  EXPECT_EQ(calls, summary.steps);
  EXPECT_NE(std::find(told.begin(), told.end(), 3), told.end());
  EXPECT_NE(std::find(told.begin(), told.end(), 48), told.end());
  for (const int n : told) EXPECT_TRUE(n <= 16 || n % 16 == 0) << n;
  for (std::size_t k = 1; k < told_at.size(); ++k)
    EXPECT_GT(told_at[k] - told_at[k - 1], std::chrono::milliseconds(50)) << told[k];
  const auto kept = std::find_if(memory.checkpoints.begin(), memory.checkpoints.end(),
                                 [](const Checkpoint& c) { return std::abs(c.t - 3e-3) < 1e-12; });
  ASSERT_NE(kept, memory.checkpoints.end());
  EXPECT_EQ(kept->frames, 1u);
  for (std::size_t k = 1; k + 1 < memory.kept_at.size(); ++k)  // the last is that of the end
    EXPECT_GT(memory.kept_at[k] - memory.kept_at[k - 1], std::chrono::milliseconds(500)) << k;
  EXPECT_GT(summary.wall, 0.5);
  run(scene, whole);
  EXPECT_EQ(memory.rows, whole.rows);
  run(scene, second, {}, &*kept);
  EXPECT_EQ(std::vector(whole.rows.begin() + 1, whole.rows.end()), second.rows);
}

// Every recorded instant is verified; after resuming those that are recorded then.
TEST(RunResumed, VerifiesTheInstantsItRecords) {
  const Scene scene = bouncing();
  RunHooks hooks, stopped_hooks = stop_at_call(95);
  hooks.verify = stopped_hooks.verify = true;
  Kept whole, plain, first, second;
  const RunSummary all = run(scene, whole, hooks), unverified = run(scene, plain);
  EXPECT_FALSE(unverified.verification.has_value());
  ASSERT_TRUE(all.verification.has_value());
  EXPECT_EQ(all.verification->instants, 51);
  EXPECT_TRUE(all.verification->agree);
  EXPECT_NE(whole.json.find("\"verification\":{\"instants\":51,"), std::string::npos) << whole.json;
  EXPECT_EQ(whole.rows, plain.rows);
  run(scene, first, stopped_hooks);
  EXPECT_EQ(first.rows.size(), 10u);
  const RunSummary rest = run(scene, second, hooks, &first.checkpoints.back());
  EXPECT_EQ(rest.verification->instants, 41);
}

}  // namespace run_resumed_test
