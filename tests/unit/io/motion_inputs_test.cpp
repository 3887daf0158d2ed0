// What was done to a run from outside stands in its motion, and done again gives the same motion to the bit.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <random>

#include "marey/io/motion.h"
#include "marey/simulation.h"
#include "unit/io/motion_fake.h"

namespace marey {
namespace {

Scene gallery(const std::string& name) {
  Scene scene = load_scene(std::string(MAREY_SOURCE_DIR "/gallery/") + name + ".yaml");
  scene.takes_inputs = true;
  scene.duration = 0.5;
  return scene;
}

// Pushes and drives at random, now and then.
RunHooks by_hand(unsigned seed) {
  RunHooks hooks;
  hooks.before_step = [random = std::mt19937(seed)](Simulation& simulation) mutable {
    std::normal_distribution<double> normal;
    const Model& model = simulation.system().model();
    if (random() % 20 != 0) return;
    const int link = 1 + static_cast<int>(random() % static_cast<unsigned>(model.nlink() - 1));
    std::vector<double> forces(static_cast<std::size_t>(freedom_count(model.links[static_cast<std::size_t>(link)])));
    for (double& f : forces) f = 0.01 * normal(random);
    if (random() % 2 == 0 || forces.empty())
      simulation.push(link, {normal(random), normal(random), normal(random)}, {}, {0.01, 0, 0});
    else
      simulation.drive(link, forces);
  };
  return hooks;
}

TEST(MotionInputs, ReplayedFromTheirMotionGiveTheSameMotion) {
  for (const char* name : {"finger-tap", "limp-figure", "four-bar", "kick"}) {
    SCOPED_TRACE(name);
    const fake::Folder folder;
    const std::string first = folder / "first.h5", second = folder / "second.h5";
    RunSummary summary;
    {
      MotionFile file(first);
      summary = run(gallery(name), file, by_hand(7));
    }
    const Motion one = read_motion(first);
    const std::vector<Input> inputs = inputs_of(one);
    EXPECT_EQ(inputs, summary.inputs);
    EXPECT_GT(inputs.size(), 2u);
    {
      RunHooks hooks;
      hooks.replay = inputs;
      MotionFile file(second);
      run(scene_of(one), file, hooks);
    }
    const Motion two = read_motion(second);
    EXPECT_EQ(two.values, one.values);
    EXPECT_EQ(inputs_of(two), inputs);
    // And by hand, from the motion alone.
    Simulation again(scene_of(one));
    again.replay(inputs, one.duration);
    const std::span<const double> row = again.row();
    EXPECT_EQ(row[0], one.time().back());
    const System::Columns angle = again.system().columns_of("energy/total");
    EXPECT_EQ(row[angle.first], one.channel("energy/total").back());
  }
}

// Broken off and gone on with: what was done before is still on record at the end, and still acts.
TEST(MotionInputs, SurviveAnInterrupt) {
  const fake::Folder folder;
  const std::string name = folder / "run.h5", whole = folder / "whole.h5";
  const auto push_once = [](Simulation& s) {
    if (s.steps() == 3) s.push(1, {0.3, 0, 0});
  };
  RunHooks hooks;
  hooks.before_step = push_once;
  Scene scene = gallery("limp-figure");
  {
    MotionFile file(whole);
    run(scene, file, hooks);
  }
  {
    MotionFile file(name);
    RunHooks broken = hooks;
    int looks = 0;
    broken.stop = [&] { return ++looks > 30; };
    EXPECT_TRUE(run(scene, file, broken).interrupted);
  }
  {
    MotionFile file = MotionFile::resume(name);
    run(scene, file, hooks, &*file.from());
  }
  EXPECT_EQ(read_motion(name).values, read_motion(whole).values);
  EXPECT_EQ(inputs_of(read_motion_info(name)), inputs_of(read_motion_info(whole)));
  EXPECT_EQ(inputs_of(read_motion_info(name)).size(), 2u);  // the limit of its steps, and the push
}

// A live run is killed, and never writes a summary. What was done to it is in its file as far as its frames are, and given
// again it leads to the same frames.
TEST(MotionInputs, OfAKilledRunCanBeReplayed) {
  const fake::Folder folder;
  const std::string name = folder / "run.h5", again = folder / "again.h5";
  Scene scene = gallery("limp-figure");
  scene.duration = 1e4;  // it will not live to see that
  const pid_t child = ::fork();
  if (child == 0) {
    MotionFile file(name);
    run(scene, file, by_hand(11));
    ::_exit(0);
  }
  for (int i = 0; i < 1000 && !(std::filesystem::exists(name) && read_motion_info(name).frames > 20); ++i)
    ::usleep(10000);
  ::kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));

  const Motion killed = read_motion(name);
  const std::vector<Input> inputs = inputs_of(killed);
  ASSERT_EQ(killed.end, MotionEnd::open);
  EXPECT_TRUE(killed.summary.empty());
  ASSERT_GT(killed.frames, 20u);
  EXPECT_GT(inputs.size(), 2u);
  // By frame: no input that came later is counted, none that came before is left out.
  const MotionItems items = read_items(name, "inputs");
  for (std::size_t f = 0; f < killed.frames; ++f) {
    if (items.ends[f] > 0) {
      EXPECT_LE(items.at(items.ends[f] - 1)[0], killed.time()[f]);
    }
    if (items.ends[f] < items.count()) {
      EXPECT_GE(items.at(items.ends[f])[0] + 2 * scene.solver.step, killed.time()[f]);
    }
  }
  scene = scene_of(killed);
  EXPECT_TRUE(scene.takes_inputs);
  scene.duration = killed.time()[killed.frames - 1];
  RunHooks hooks;
  hooks.replay = inputs;
  {
    MotionFile file(again);
    run(scene, file, hooks);
  }
  const Motion two = read_motion(again);
  ASSERT_EQ(two.frames, killed.frames);
  for (std::size_t c = 0; c < two.values.size(); ++c) {
    const std::size_t before_the_end = two.values[c].size() - two.channels[c].columns.size();
    EXPECT_TRUE(std::equal(two.values[c].begin(), two.values[c].begin() + static_cast<std::ptrdiff_t>(before_the_end),
                           killed.values[c].begin()))
        << two.channels[c].name;
  }
}

// Gone on with after the kill, its inputs are those before the checkpoint and those after, each once.
TEST(MotionInputs, OfAKilledRunGoOn) {
  const fake::Folder folder;
  const std::string name = folder / "run.h5", whole = folder / "whole.h5";
  const auto push_often = [](Simulation& s) {
    if (s.steps() % 50 == 7) s.push(1, {0.01 * static_cast<double>(s.steps() % 3), 0, 0});
  };
  RunHooks hooks;
  hooks.before_step = push_often;
  const Scene scene = gallery("limp-figure");
  {
    MotionFile file(whole);
    run(scene, file, hooks);
  }
  const pid_t child = ::fork();
  if (child == 0) {
    MotionFile file(name);
    RunHooks fatal = hooks;
    fatal.before_step = [&, told = false](Simulation& s) mutable {
      push_often(s);
      if (s.steps() > 200 && !told) told = true, ::usleep(600000);  // a checkpoint is due
      if (s.steps() > 300) ::kill(::getpid(), SIGKILL);
    };
    run(scene, file, fatal);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  {
    MotionFile file = MotionFile::resume(name);
    ASSERT_TRUE(file.from());
    run(scene, file, hooks, &*file.from());
  }
  EXPECT_EQ(read_motion(name).values, read_motion(whole).values);
  EXPECT_EQ(read_items(name, "inputs").numbers, read_items(whole, "inputs").numbers);
  EXPECT_EQ(read_items(name, "inputs").ends, read_items(whole, "inputs").ends);
  EXPECT_EQ(inputs_of(read_motion_info(name)), inputs_of(read_motion_info(whole)));
}

}  // namespace
}  // namespace marey
