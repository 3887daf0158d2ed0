// marey human: what a person sees of the tables, and the figure written out.
#include <nlohmann/json.hpp>

#include "program.h"

namespace marey {
namespace {

using program::contains, program::contents, program::Outcome;
using Json = nlohmann::json;

class Human : public program::InFolder {};

// Six groups; each of their persons has a mass that closes and segments that can be, or is refused by a segment's name.
TEST_F(Human, GoesThroughAllGroups) {
  const Outcome o = run({"human", "--ranges", "--json"});
  ASSERT_EQ(o.status, 0) << o.err;
  const Json rows = Json::parse(o.out);
  ASSERT_EQ(rows.size(), 6u);
  for (const Json& row : rows) {
    int refused = 0;
    for (const auto& [segment, n] : row["refused"].items()) {
      EXPECT_TRUE(segment == "thigh" || segment == "shank") << segment;
      refused += n.get<int>();
    }
    EXPECT_EQ(row["sound"].get<int>() + refused, row["persons"].get<int>());
    EXPECT_GT(row["sound"].get<int>(), 0.9 * row["persons"].get<int>());
    EXPECT_LT(row["mass_off_relative"].get<double>(), 0.01);
  }
}

// The segments of the whole body, limbs twice, weigh what the person weighs.
TEST_F(Human, ComparesSources) {
  const Outcome o = run({"human", "--sex", "female", "--mass", "60 kg", "--height", "165 cm", "--compare", "--json"});
  ASSERT_EQ(o.status, 0) << o.err;
  int sound = 0;
  for (const Json& answer : Json::parse(o.out)) {
    if (answer.contains("refusal")) continue;
    double sum = 0;
    for (const Json& s : answer["segments"]) sum += (s["paired"].get<bool>() ? 2 : 1) * s["mass"].get<double>();
    EXPECT_NEAR(sum, 60, 1e-10) << answer["called"];
    ++sound;
  }
  EXPECT_EQ(sound, 4);  // all but the children's
}

// Written out, the figure is the one that a scene's one line makes, and runs.
TEST_F(Human, WritesTheFigureOut) {
  const Outcome o = run({"human", "--mass", "80 kg", "--height", "1.8 m", "--population", "german", "--scene"});
  ASSERT_EQ(o.status, 0) << o.err;
  std::ofstream(folder / "written.yaml") << o.out;
  std::ofstream(folder / "line.yaml") << "marey: 1\nduration: 1 s\nfigures: {human: {human: {sex: male, mass: 80 kg, "
                                         "height: 1.8 m, population: german}}}\n";
  const Outcome written = run({"check", "--mass", "--json", "written.yaml"}),
                line = run({"check", "--mass", "--json", "line.yaml"});
  ASSERT_EQ(written.status, 0) << written.err;
  ASSERT_EQ(line.status, 0) << line.err;
  const Json ours = Json::parse(written.out), theirs = Json::parse(line.out);
  ASSERT_EQ(ours["links"].size(), 12u);
  EXPECT_EQ(ours["links"], theirs["links"]);
  EXPECT_EQ(ours["figures"], theirs["figures"]);
}

TEST_F(Human, PlotsMasses) {
  const Outcome o = run({"human", "-o", "masses.svg"});
  ASSERT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.out, "masses.svg\n");
  for (const char* word : {"thigh", "upper arm", "Shan &amp; Bohn, German", "de Leva"})
    EXPECT_TRUE(contains(contents(folder / "masses.svg"), word)) << word;
}

TEST_F(Human, SaysWhatItCannotUse) {
  const auto says = [&](const std::vector<std::string>& words, const char* what) {
    const Outcome o = run(words);
    EXPECT_EQ(o.status, 2) << what;
    EXPECT_TRUE(contains(o.err, what)) << o.err;
  };
  says({"human", "--sex", "robot"}, "--sex: found 'robot'; expected female, male");
  says({"human", "--mass", "2 kg"}, "found a person of 2 kg");
  says({"human", "-o", "masses.pdf"}, "ends with .svg or .png");
  says({"human", "--ranges", "--compare"}, "expected one");
  says({"human", "--source", "ruder", "--scene"}, "expected form: three_links");
  says({"human", "--sex", "female", "--mass", "45 kg", "--height", "1.55 m", "--population", "german"},
       "a thigh with moments");
}

}  // namespace
}  // namespace marey
