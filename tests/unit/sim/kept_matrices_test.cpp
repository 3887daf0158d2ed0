// Steps with matrices of earlier ones: the same motion as without, the same shares, the same bits after a checkpoint.
#include "sim/kept_matrices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "marey/io/scene.h"
#include "marey/simulation.h"
#include "sim/simulation_parts.h"

namespace marey {
namespace kept_matrices_test {

constexpr double h = 5e-4, lies = 2.5;  // s

// Lies, and still slips by 2 mm/s on four of nine points. `friction` replaces that of its material.
Scene human(const std::string& friction = "friction: 0.6") {
  std::ifstream file(MAREY_SOURCE_DIR "/gallery/limp-human-lies.yaml");
  std::stringstream text;
  text << file.rdbuf();
  std::string all = text.str();
  const std::string usual = "friction: 0.6";
  all.replace(all.find(usual), usual.size(), friction);
  return parse_scene(all, "human.yaml");
}
const SavedState& lying() {
  static const SavedState saved = [] {
    Simulation run(human());
    run.run_until(lies);
    return run.save();
  }();
  return saved;
}
// Steps, events and evaluations come first; whoever looks at a start has evaluated forces once more.
std::vector<std::byte> but_for_counts(const SavedState& saved) {
  return {saved.bytes.begin() + 3 * sizeof(long long), saved.bytes.end()};
}
double most_apart(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t k = 0; k < a.size(); ++k) most = std::max(most, std::abs(a[k] - b[k]));
  return most;
}

// With friction against turning on the spot by a lever of 1e-15 m points have four rows, which are solved with matrices of their own step. A step
// differs by 1e-9 m/s at most (same_velocity in sim/stepping.cpp); what slips is slowed, and forgets it.
TEST(KeptMatrices, MoveAsFreshOnesDo) {
  const Scene usual = human(), fresh = human("friction: 0.6, torsion: 1e-15 m");
  Simulation run(usual);
  run.restore(lying());
  Scene from = fresh;
  from.start = run.state();
  Simulation other(from);
  constexpr int steps = 64;
  for (int k = 0; k < steps; ++k) {
    run.step(), other.step();
    ASSERT_LE(most_apart(run.state().v, other.state().v), 1e-9 * (k + 1)) << "step " << k;
  }
}

// After a long rest some of the redundant points bear all that their cones allow, and do not slip: of them it is not u that has to vanish.
TEST(KeptMatrices, PointsOnTheEdgeOfTheirConesMoveAsFreshOnesDo) {
  Simulation run(human());
  run.run_until(6.5);
  Scene from = human("friction: 0.6, torsion: 1e-15 m");
  from.start = run.state();
  Simulation other(from);
  for (int k = 0; k < 64; ++k) {
    run.step(), other.step();
    ASSERT_LE(most_apart(run.state().v, other.state().v), 1e-9 * (k + 1)) << "step " << k;
  }
  int on_the_edge = 0;
  for (const TouchingPoint& c : run.parts().world.stepped()->points()) {
    const double load = dot(c.axes_W[0], c.force_W),
                 across = std::hypot(dot(c.axes_W[1], c.force_W), dot(c.axes_W[2], c.force_W));
    if (load > 0 && across >= 0.6 * load * (1 - 1e-9)) ++on_the_edge;
  }
  EXPECT_GE(on_the_edge, 2);
}

// Two ends of the chest's capsule rest on the floor: loads along the line between them may be shared anyhow, and their shortest ones are equal there. They
// are so where the matrices are found, 96 steps ago at most, and what does not move anything turns with the figure.
TEST(KeptMatrices, RedundantPointsGoOnSharing) {
  Simulation run(human());
  run.restore(lying());
  int seen = 0;
  for (int k = 0; k < 64; ++k) {
    run.step();
    double turning = 0;
    for (const double v : run.state().v) turning = std::max(turning, std::abs(v));
    const std::span<const TouchingPoint> points = run.parts().world.stepped()->points();
    for (std::size_t i = 1; i < points.size(); ++i) {
      const TouchingPoint &p = points[i - 1], &q = points[i];
      if (p.key.a != q.key.a) continue;
      const Vec3<double> along = q.p_WoC_W - p.p_WoC_W, e = (1 / norm(along)) * along;
      const double difference = std::abs(dot(e, p.force_W - q.force_W)), load = norm(p.force_W) + norm(q.force_W);
      EXPECT_LE(difference, 32 * 2 * h * turning * load) << "step " << k;
      ++seen;
    }
  }
  EXPECT_EQ(seen, 64);
}

// Whatever a checkpoint meets: matrices of this step or of one before, or none.
TEST(KeptMatrices, AreSaved) {
  Simulation run(human());
  run.restore(lying());
  std::vector<std::vector<std::byte>> after;
  std::vector<SavedState> saved;
  constexpr int steps = 40;
  for (int k = 0; k < steps; ++k)
    run.step(), saved.push_back(run.save()), after.push_back(but_for_counts(saved.back()));
  for (int k = 0; k + 3 < steps; k += 3) {
    Simulation again(human());
    again.restore(saved[static_cast<std::size_t>(k)]);
    for (int step = 0; step < 3; ++step) again.step();
    EXPECT_TRUE(but_for_counts(again.save()) == after[static_cast<std::size_t>(k + 3)]) << "after step " << k;
  }
}

// A checkpoint from which something was cut, or in which a number says what cannot be, is refused.
TEST(KeptMatrices, DamagedOnesAreRefused) {
  Simulation run(human());
  run.restore(lying());
  SavedState cut = run.save();
  cut.bytes.resize(cut.bytes.size() - 800);
  EXPECT_THROW(run.restore(cut), Error);
  EXPECT_EQ(run.time(), lies);
}

Scene parsed(const std::string& text) {
  return parse_scene(
      "marey: 1\nduration: 100 s\nsolver: {contact: stepping, step: 1 ms}\nmaterials: {default: {friction: 0.6}}\n"
      "scenery: {floor: {plane: 0}}\ncollide: all\n" +
          text,
      "test.yaml");
}

// An arm that starts within its free play, without friction: nothing was implicit when the run began, and a run that goes on must not take
// that for its last step.
TEST(KeptMatrices, AreSavedWhereTheStartHadNone) {
  const Scene scene = parsed(
      "figures:\n  f:\n    links:\n"
      "      torso: {shape: {box: [40 cm, 40 cm, 20 cm]}, mass: 20 kg, start: {position: [0, 0, 10 cm]}}\n"
      "      arm: {parent: torso, joint: {type: hinge, axis: y}, at: [20 cm, 0, 0], shape: {capsule: {radius: 3 cm, "
      "length: 30 cm, along: x}}, mass: 1 kg, start: {angle: -45 deg}}\n"
      "torques:\n  - free_play: {joint: f.arm, from: -60 deg, to: -30 deg, slope: 30 N m/rad}\n");
  Simulation run(scene);
  run.run_until(0.12);
  for (int k = 0; k < 60; ++k) {
    const SavedState saved = run.save();
    run.step();
    Simulation again(scene);
    again.restore(saved);
    again.step();
    ASSERT_TRUE(but_for_counts(again.save()) == but_for_counts(run.save())) << "after step " << k;
  }
}

// Two links that hang on the world, of which the lower one comes to lie on the floor: what contacts do to the root is booked in every
// step, whoever has solved them. Without kept matrices momenta close to 1.2e-5.
TEST(KeptMatrices, ImpulsesOnHeldRootsAreBooked) {
  Simulation run(parsed(
      "figures:\n  f:\n    links:\n"
      "      upper: {joint: {type: hinge, axis: y}, at: [0, 0, 5 cm], shape: {capsule: {radius: 3 cm, length: 30 cm, "
      "along: x}}, mass: 1 kg, start: {angle: -40 deg}}\n"
      "      arm: {parent: upper, joint: {type: hinge, axis: y}, at: [30 cm, 0, 0], shape: {capsule: {radius: 3 cm, "
      "length: 30 cm, along: x}}, mass: 1 kg, start: {angle: 20 deg}}\n"
      "torques:\n"
      "  - free_play: {joint: f.arm, from: 50 deg, to: 60 deg, slope: 3 N m/rad, friction: 2 N m s/rad}\n"
      "  - free_play: {joint: f.upper, from: -60 deg, to: 5 deg, slope: 3 N m/rad, friction: 2 N m s/rad}\n"));
  run.run_until(1);
  EXPECT_LE(run.ledger().linear_momentum_residual_relative, 1e-4);
  EXPECT_LE(run.ledger().angular_momentum_residual_relative, 1e-4);
}

}  // namespace kept_matrices_test
}  // namespace marey
