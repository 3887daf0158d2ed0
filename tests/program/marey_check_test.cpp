// marey check --mass: the table and the JSON of masses, against the closed forms of a box and a dumbbell.
#include <fstream>
#include <nlohmann/json.hpp>

#include "program.h"

namespace marey::program {
namespace {

using Json = nlohmann::json;

class CheckMass : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(folder / "s.yaml") << R"(marey: 1
duration: 1 s
gravity: 10
figures:
  block: {at: [0, 0, 5 m], links: {body: {shape: {box: {size: [1 m, 2 m, 3 m], center: [4 m, 0, 0]}}}}}
  bell:
    links:
      a: {shape: {sphere: 10 cm}, mass: 3 kg}
      b: {parent: a, joint: {type: slider, axis: x}, shape: {sphere: 10 cm}, mass: 3 kg, start: {slide: 2 m}}
particles: {dust: {points: [{position: [0, 0, 1], mass: 2 kg}]}}
)";
  }
  Outcome run(const std::vector<std::string>& words) { return marey(folder, words); }
  Folder folder;
};

TEST_F(CheckMass, IsATable) {
  const Outcome o = run({"check", "--mass", "s.yaml"});
  EXPECT_EQ(o.status, 0) << o.err;
  for (const char* part :
       {"note: shapes without mass or density have that of water, 1000 kg/m^3: of block.body", "centre of mass in B, m",
        "centre of mass in W, m", "moment, kg m^2", "a particle",
        // ρ = 1000: m = 6000 kg, and m (1² + 2²)/12 about z
        "block.body        6000", "2500   0.00000  0.00000  1.00000", "60000", "bell                 6          60"})
    EXPECT_TRUE(contains(o.out, part)) << part << "\n" << o.out;
}

TEST_F(CheckMass, IsJson) {
  const Outcome o = run({"check", "--mass", "--json", "s.yaml"});
  ASSERT_EQ(o.status, 0) << o.err;
  const Json json = Json::parse(o.out);
  ASSERT_EQ(json["links"].size(), 4u);
  const Json &body = json["links"][0], &bell = json["figures"][1], &all = json["all"];
  EXPECT_EQ(body["name"], "block.body");
  EXPECT_EQ(body["frame"], "link");
  EXPECT_NEAR(body["center"][0].get<double>(), 4, 1e-12);
  EXPECT_NEAR(body["moments"][0].get<double>(), 2500, 1e-6);
  EXPECT_NEAR(body["moments"][2].get<double>(), 6000 * 13 / 12.0, 1e-6);
  EXPECT_NEAR(body["axes"][0][2].get<double>(), 1, 1e-12);
  EXPECT_EQ(bell["frame"], "world");
  EXPECT_EQ(bell["mass"], 6.0);
  EXPECT_EQ(bell["weight"], 60.0);
  EXPECT_NEAR(bell["center"][0].get<double>(), 1, 1e-14);
  EXPECT_NEAR(bell["moments"][0].get<double>(), 2 * 0.4 * 3 * 0.01, 1e-13);
  EXPECT_NEAR(bell["moments"][2].get<double>(), 2 * 0.4 * 3 * 0.01 + 6, 1e-12);
  EXPECT_EQ(all["mass"], 6008.0);
  EXPECT_EQ(json["notes"].size(), 1u);
}

// Axes of symmetric figures have components of −0, which nobody wants to read.
TEST_F(CheckMass, HasNoMinusZeros) {
  const std::string out = run({"check", "--mass", "--json", "tumbling-human"}).out;
  EXPECT_TRUE(contains(out, " 0.0"));
  for (const char* end : {",", "\n", "]"}) EXPECT_FALSE(contains(out, std::string("-0.0") + end)) << out;
}

TEST_F(CheckMass, HasJsonOfOneSceneAtATime) {
  EXPECT_EQ(run({"check", "--json", "s.yaml"}).status, 2);
  EXPECT_EQ(run({"check", "--mass", "--json", "s.yaml", "s.yaml"}).status, 2);
  EXPECT_EQ(run({"check", "--mass"}).status, 2);
  EXPECT_EQ(run({"check", "--mass", "--json", "none.yaml"}).status, 2);
}

}  // namespace
}  // namespace marey::program
