// What is not finite stops a run with its cause, also where only the account is: the state may still be a number when its
// square is none. What was recorded until then is kept, and the summary has no infinities.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "marey/io/scene.h"

namespace marey {
namespace {

class Rows final : public Sink {
 public:
  void begin(const MotionHeader&) override {}
  void frame(std::span<const double> row) override { times.push_back(row[0]); }
  void checkpoint(const Checkpoint&) override { ++checkpoints; }
  void finish(const std::string& json) override { summary = json; }

  std::vector<double> times;
  int checkpoints = 0;
  std::string summary;
};

Scene two_tops() {
  return parse_scene(R"(marey: 1
duration: 0.1 s
solver: {step: 10 ms}
figures:
  slow: {links: {body: {joint: {type: hinge, axis: z}, shape: {sphere: 5 cm}, mass: 1 kg}}}
  fast: {links: {body: {joint: {type: hinge, axis: z}, shape: {sphere: 5 cm}, mass: 1 kg}}}
record: {every: 10 ms}
)",
                     "f.yaml");
}

void expect_broken(const RunSummary& s, const Rows& rows, const std::string& begin, const std::string& inside) {
  EXPECT_TRUE(s.breakdown.starts_with(begin)) << s.breakdown;
  EXPECT_NE(s.breakdown.find(inside), std::string::npos) << s.breakdown;
  EXPECT_FALSE(s.ledger.closed);
  EXPECT_NE(rows.summary.find("\"breakdown\":\"" + begin), std::string::npos) << rows.summary;
  const std::size_t ledger = rows.summary.find("\"ledger\""), end = rows.summary.find("\"verification\"");
  const std::string numbers = rows.summary.substr(ledger, end - ledger);
  EXPECT_EQ(numbers.find("inf"), std::string::npos) << numbers;
  EXPECT_EQ(numbers.find("nan"), std::string::npos) << numbers;
}

}  // namespace

// ½ J ω² of ω = 1e200 rad/s is no double; the angle after the first steps still is.
TEST(AccountFinite, AtTheVeryStart) {
  Scene scene = two_tops();
  scene.start.v[1] = 1e200;
  Rows rows;
  const RunSummary s = run(scene, rows);
  expect_broken(s, rows, "at t = 0 s the account of energy and momentum is no longer finite: link 'fast.body'",
                "rad/s");
  EXPECT_EQ(s.steps, 0);
  EXPECT_EQ(rows.times, std::vector<double>{0});
  EXPECT_EQ(rows.checkpoints, 0);
}

// Two forces exp(4000 t) that balance, on a point that goes on with 1e10 m/s. In the middle of the step to 0.175 s each is
// 4.6e299 N, a number, and its power is none.
TEST(AccountFinite, OnTheWay) {
  const Scene scene = parse_scene(R"(marey: 1
duration: 0.5 s
solver: {step: 5 ms}
gravity: 0
particles: {p: {points: [{position: [0, 0, 0], mass: 1 kg, velocity: [1.0e+10, 0, 0]}]}}
forces:
  - field: {name: growing, links: p.1, force: ['exp(4000*t)', 0, 0]}
  - field: {name: balancing, links: p.1, force: ['-exp(4000*t)', 0, 0]}
record: {every: 10 ms}
)",
                                  "f.yaml");
  Rows rows;
  const RunSummary s = run(scene, rows);
  expect_broken(s, rows,
                "at t = 0.175 s the account of energy and momentum is no longer finite: the work of 'growing' is ",
                "link 'p.1', at ");
  EXPECT_EQ(rows.times.size(), 18u) << "the frames before it";
}

// At rest, at 1e110 m: the force 2e90 x is a number, the potential 1e90 x² is none.
TEST(AccountFinite, APotentialIsNamed) {
  Scene scene = parse_scene(R"(marey: 1
duration: 0.1 s
gravity: 0
particles: {p: {points: [{position: [1, 0, 0], mass: 1 kg}]}}
forces: [{field: {name: well, links: p.1, potential: '1e90*x^2'}}]
)",
                            "f.yaml");
  scene.start.q[0] = 1e110;
  Rows rows;
  const RunSummary s = run(scene, rows);
  expect_broken(
      s, rows,
      "at t = 0 s the account of energy and momentum is no longer finite: the potential energy of 'well' is inf J", "");
}

}  // namespace marey
