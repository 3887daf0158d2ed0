// What was done to a run from outside stands in its motion, and done again gives the same motion to the bit.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace marey
