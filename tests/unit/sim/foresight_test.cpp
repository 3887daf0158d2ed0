// Where steps lead: guesses of motions whose velocities are polynomials in time, and when they are taken.
#include "sim/foresight.h"

#include <gtest/gtest.h>

#include "marey/io/scene.h"
#include "marey/simulation.h"

namespace marey {
namespace foresight_test {

constexpr double enough = 1e-9, h = 1e-3;

// v = 1 + a t + b t², n steps of it; rounds having made errors smaller by `rate`.
Foresight after(int n, double a, double b, double rate) {
  Foresight f(1, enough);
  const auto v = [&](int k) { return 1 + a * h * k + b * h * h * k * k; };
  for (int k = 0; k < n; ++k) {
    f.begin_step();
    f.learn(1, rate / 10);  // the margin
    const double from = v(k), to = v(k + 1);
    f.take(std::span(&from, 1), std::span(&to, 1), h, true);
  }
  f.begin_step();
  return f;
}
double guessed(const Foresight& f, double from) {
  double to = 0;
  f.guess(std::span(&from, 1), std::span(&to, 1));
  return to;
}

TEST(Foresight, EvenAccelerationsAreGuessedExactly) {
  EXPECT_NEAR(guessed(after(5, 3, 0, 1e-3), 1), 1 + 3 * h, 1e-15);
  EXPECT_NEAR(guessed(after(5, 3, 7, 1e-3), 5), 5 + 3 * h + 7 * h * h * (36 - 25), 1e-15);
}
// A change that is now larger and now smaller, and grows on the whole.
TEST(Foresight, GoesToAndFro) {
  Foresight f(1, enough);
  const auto change = [](int k) { return 1e-3 + 1e-5 * k + (k % 2 ? 1e-4 : -1e-4); };
  for (int k = 0; k < 6; ++k) {
    f.begin_step();
    const double from = 0, to = change(k);
    f.take(std::span(&from, 1), std::span(&to, 1), h, true);
  }
  f.begin_step();
  EXPECT_NEAR(guessed(f, 0), change(6), 1e-15);
}

TEST(Foresight, HelpsWhereRoundsAreSaved) {
  EXPECT_FALSE(after(1, 3, 0, 1e-3).helps(h));        // too little is known
  EXPECT_TRUE(after(4, 3, 0, 1e-3).helps(h));         // one round for two
  EXPECT_FALSE(after(4, 3, 0, 1e-3).helps(0.5 * h));  // another step
  EXPECT_FALSE(after(4, 3, 0, 0.5).helps(h));         // nothing is known of rounds that hardly get nearer
  EXPECT_FALSE(after(4, 1e-9, 0, 1e-3).helps(h));     // v⁻ is as good
  Foresight struck = after(4, 3, 0, 1e-3);
  const double from = 1, to = 2;
  struck.take(std::span(&from, 1), std::span(&to, 1), h, false);
  struck.begin_step();
  EXPECT_FALSE(struck.helps(h));
}

TEST(Foresight, OneRoundIsEnoughForAWhile) {
  Foresight f = after(4, 3, 0, 1e-3);
  EXPECT_FALSE(f.is_enough(2e-6));  // works would not be those of v⁺
  int steps = 1;
  while (f.is_enough(1e-7)) ++steps;
  EXPECT_EQ(steps, 32);  // then the rate is looked at anew
  f.learn(1e-7, 1e-7 * 0.5);
  EXPECT_FALSE(f.is_enough(1e-7));
}

TEST(Foresight, IsSaved) {
  Foresight f = after(5, 3, 7, 1e-3), g(1, enough);
  const double from = 1, to = 1.01;
  f.take(std::span(&from, 1), std::span(&to, 1), h, true);
  g.recall(f.memory());
  f.begin_step(), g.begin_step();
  EXPECT_EQ(g.memory(), f.memory());
  EXPECT_EQ(guessed(g, 1), guessed(f, 1));
}

// A human that lies, and still moves: one evaluation a step but for every thirty-second, and the same bits after a checkpoint.
TEST(Foresight, ARunLooksAtItsForcesOnce) {
  const Scene scene = load_scene(MAREY_SOURCE_DIR "/gallery/limp-human-lies.yaml");
  Simulation run(scene);
  run.run_until(2.5);
  const SavedState saved = run.save();
  const long long before = run.evaluations();
  run.run_until(2.6);
  EXPECT_LE(run.evaluations() - before, 220);  // of 200 steps
  Simulation again(scene);
  again.restore(saved);
  again.run_until(2.6);
  EXPECT_EQ(again.state().q, run.state().q);
  EXPECT_EQ(again.state().v, run.state().v);
}

}  // namespace foresight_test
}  // namespace marey
