// marey probe: what a person sees of shapes that are near each other, against distances that can be written down.
#include <fstream>
#include <nlohmann/json.hpp>

#include "program.h"

namespace marey {
namespace {

using program::contains, program::Outcome;
using Json = nlohmann::json;

class Probe : public program::InFolder {
 protected:
  // A ball falls from 1 m above a floor; a crate stands 2 mm above it.
  void write(const std::string& rest) const {
    std::ofstream(folder / "s.yaml") << R"(marey: 1
duration: 0.3 s
gravity: 10
figures:
  ball: {links: {body: {shape: {sphere: 10 cm}, mass: 1 kg, start: {position: [0, 0, 1.1 m]}}}}
  crate: {links: {body: {joint: weld, at: [1 m, 0, 102 mm], shape: {box: [20 cm, 20 cm, 20 cm]}, mass: 1 kg}}}
scenery:
  floor: {plane: 0}
  peg: {at: [3 m, 0, 0], shape: {cone: {radius: 5 cm, length: 30 cm, along: z}}}
)" << rest;
  }
};

TEST_F(Probe, SaysHowFarShapesAreApart) {
  write("");
  const Outcome start = run({"probe", "s.yaml", "--within", "1.5 m", "--json"});
  ASSERT_EQ(start.status, 0) << start.err;
  const Json json = Json::parse(start.out);
  EXPECT_FALSE(json["collide"].get<bool>());
  bool seen = false;
  for (const Json& pair : json["pairs"]) {
    if (pair["b"] != "floor") continue;
    seen = true;
    EXPECT_EQ(pair["a"], "ball.body");  // the crate is welded to the world: no motion brings it to the floor
    EXPECT_NEAR(pair["distance"].get<double>(), 1, 1e-15);
    EXPECT_NEAR(pair["normal"][2].get<double>(), -1, 1e-15);
    EXPECT_NEAR(pair["manifolds"][0]["points"][0]["gap"].get<double>(), 1, 1e-15);
  }
  EXPECT_TRUE(seen) << start.out;
}

// t² 10/2 lower after 0.2 s: the scene is run until then, and the motion holds that frame.
TEST_F(Probe, AtAnInstantOfASceneOrAMotion) {
  write("collide: [[ball, floor]]\nrecord: {every: 100 ms}\n");
  ASSERT_EQ(run({"run", "s.yaml", "-o", "m.h5"}).status, 0);
  for (const char* source : {"s.yaml", "m.h5"}) {
    const Outcome o = run({"probe", source, "--at", "200 ms", "--within", "1 m"});
    ASSERT_EQ(o.status, 0) << o.err;
    EXPECT_TRUE(contains(o.out, "at 0.2 s: 1 pair within 1 m\n")) << o.out;
    EXPECT_TRUE(contains(o.out, "ball.body – floor: distance 0.8 m, normal (0, 0, -1)\n")) << o.out;
    EXPECT_TRUE(contains(o.out, "round 0 on face 0\n")) << o.out;
  }
  refused({"probe", "none.h5"}, 2, "none.h5");
  refused({"probe", "s.yaml", "--within", "-1 m"}, 2, "--within");
  refused({"probe", "s.yaml", "--at", "2 kg"}, 2, "--at");
  refused({"probe", "s.yaml", "--at", "1 s"}, 2, "outside the scene");
  refused({"probe", "m.h5", "--at", "1 s"}, 2, "outside the motion");
  refused({"probe", "m.h5", "--at", "-1 s"}, 2, "outside the motion");
}

TEST_F(Probe, CheckAndRunSayWhatOverlaps) {
  write("");
  std::ofstream(folder / "s.yaml", std::ios::app) << "  post: {at: [0, 0, 1.25 m], shape: {sphere: 10 cm}}\n";
  const Outcome checked = run({"check", "s.yaml"});
  EXPECT_TRUE(contains(checked.out, "shapes overlap at the start: ball.body and post (50 mm deep); collide: says who"))
      << checked.out;
  const Outcome ran = run({"run", "s.yaml", "-o", "m.h5"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_TRUE(contains(ran.out, "shapes overlap in the frame at 0 s: ball.body and post (50 mm deep)")) << ran.out;
}

}  // namespace
}  // namespace marey
