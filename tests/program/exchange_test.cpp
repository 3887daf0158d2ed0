// The how-tos of docs/guide/exchange.md, done as a reader would; and what export and render refuse.
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.h"

namespace marey {
namespace {

using program::contents, program::contains;

struct Exchange : program::InFolder {
  Exchange() { std::filesystem::create_directory_symlink(MAREY_SOURCE_DIR "/gallery", folder / "gallery"); }
};

TEST_F(Exchange, HowTosOfTheGuideSucceed) {
  std::istringstream guide(contents(MAREY_SOURCE_DIR "/docs/guide/exchange.md"));
  int done = 0;
  for (std::string line; std::getline(guide, line);) {
    if (!line.starts_with("./marey ")) continue;
    std::istringstream in(line);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    words.erase(words.begin());
    const program::Outcome o = run(words);
    EXPECT_EQ(o.status, 0) << line << "\n" << o.err;
    ++done;
  }
  EXPECT_EQ(done, 6);
  for (const char* name : {"human.glb", "arms.glb"}) EXPECT_TRUE(contents(folder / name).starts_with("glTF")) << name;
  EXPECT_TRUE(contents(folder / "human.bvh").starts_with("HIERARCHY\nROOT pelvis\n"));
  // She lifts 2 kg of arm to the horizontal, 0.3 m away: some newton metres about the lateral axis, and none worth a name about the arm.
  std::istringstream torques(contents(folder / "torques.csv"));
  std::string line;
  std::getline(torques, line);
  EXPECT_TRUE(line.starts_with("time [s],joint/eva.left_upper_arm/torque.x [N m]")) << line;
  double most = 0;
  while (std::getline(torques, line)) most = std::max(most, std::abs(std::stod(line.substr(line.find(',') + 1))));
  EXPECT_GT(most, 3);
  EXPECT_LT(most, 20);
}

TEST_F(Exchange, RefusesWhatMakesNoSense) {
  ASSERT_EQ(run({"run", "chain.yaml", "-o", "c.h5"}).status, 0);
  refused({"export", "c.h5", "-o", "c.glb", "--channels", "energy"}, 2, "--channels");
  refused({"export", "c.h5", "-o", "c.glb", "--scale", "100"}, 2, "found --scale for glb");
  refused({"export", "c.h5", "-o", "c.csv", "--per-second", "30"}, 2, "animations");
  refused({"export", "c.h5", "-o", "c.bvh", "--per-second", "0"}, 2, "--per-second: found '0'");
  refused({"export", "c.h5", "-o", "c.bvh", "--figure", "rop"}, 2, "--figure: found 'rop'; expected rope");
  refused({"export", "c.h5", "-o", "c.bvh", "--from", "9 s"}, 2, "no part of the motion");
  refused({"render", "c.h5", "--fps", "30"}, 2, "found --fps for a single picture");
  refused({"render", "c.h5", "--film", "--at", "1 s"}, 2, "found --at for a film");
  refused({"render", "c.h5", "--film", "-o", "c.avi"}, 2, ".mp4, .webm, .gif or .apng");
  refused({"render", "c.h5", "--blur"}, 2, "found --blur for a single picture");
  refused({"render", "c.h5", "--film", "--follow", "rope.9", "-o", "c-%d.png"}, 2,
          "--follow: there is no link 'rope.9'");
  refused({"render", "c.h5", "--film", "--slow", "-1", "-o", "c-%d.png"}, 2, "--slow: found '-1'");
  refused({"render", "c.h5", "--film", "--camera", "0 s: x", "-o", "c-%d.png"}, 2, "azimuth");
}

}  // namespace
}  // namespace marey
