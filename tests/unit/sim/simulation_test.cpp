// The public simulation: the same motion as run(), stepped, read and taken back by hand.
#include "marey/simulation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "marey/io/scene.h"
#include "support/large_scenes.h"
#include "support/recorded.h"
#include "support/sanitized.h"
#include "support/trouble.h"

namespace marey {
namespace {

Scene from_gallery(const std::string& name) { return load_scene(MAREY_SOURCE_DIR "/gallery/" + name + ".yaml"); }

// One of each: slow band and springs, contacts, constraints, welds, delays, maximal coordinates by hand, chosen steps.
const std::vector<std::string> various{"finger-tap",  "rod-inelastic", "four-bar", "falls-asleep",
                                       "late-reflex", "kepler-orbit",  "kick"};

// Stepped by hand to the end, and each frame read at its time.
TEST(Simulation, ShowsWhatARunRecords) {
  for (const std::string& name : various) {
    SCOPED_TRACE(name);
    Scene scene = from_gallery(name);
    scene.duration = std::min(scene.duration, 1.0);
    recorded::Memory memory;
    const RunSummary summary = run(scene, memory);
    Simulation simulation(scene);
    ASSERT_EQ(simulation.system().row_width(), memory.header.row_width());
    std::size_t frame = 0;
    const double slack = 1e-9 * std::min(scene.solver.step, scene.record.every);
    const auto time_of = [&](std::size_t k) { return static_cast<double>(k) * scene.record.every; };
    const auto compare = [&] {
      for (; frame < memory.rows.size() && time_of(frame) <= simulation.time() + slack; ++frame) {
        const auto row = simulation.row_at(time_of(frame));
        ASSERT_TRUE(std::equal(row.begin(), row.end(), memory.rows[frame].begin(), memory.rows[frame].end(),
                               [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); }))
            << frame;
      }
    };
    compare();
    while (simulation.time() < scene.duration) simulation.step(scene.duration), compare();
    EXPECT_EQ(frame, memory.rows.size());
    EXPECT_EQ(simulation.steps(), summary.steps);
    EXPECT_EQ(simulation.events(), summary.events);
    EXPECT_EQ(simulation.ledger().energy_residual, summary.ledger.energy_residual);
  }
}

// The scene it was made from is gone, and so is the first of two simulations of one system.
TEST(Simulation, OwnsWhatItNeeds) {
  std::shared_ptr<const System> system;
  double alone = 0;
  {
    const Scene scene = from_gallery("rod-inelastic");
    system = std::make_shared<const System>(scene);
    Simulation simulation(scene);
    simulation.run_until(0.1);
    simulation.run_until(0.3);
    alone = simulation.kinetic_energy();
  }
  Simulation second(system);
  {
    Simulation first(system);
    first.run_until(0.1);
    second.run_until(0.05);
    first.run_until(0.3);
    EXPECT_EQ(first.kinetic_energy(), alone);
  }
  system.reset();
  Simulation moved = std::move(second);
  moved.run_until(0.3);
  EXPECT_NEAR(moved.kinetic_energy(), alone, 1e-6 * (1 + alone));
  EXPECT_EQ(moved.time(), 0.3);
}

// A copy of its state goes on bit for bit, in the same simulation and in another one.
TEST(Simulation, GoesBackToWhereItWas) {
  for (const std::string& name : various) {
    SCOPED_TRACE(name);
    const auto system = std::make_shared<const System>(from_gallery(name));
    Simulation simulation(system), other(system);
    for (int i = 0; i < 40; ++i) simulation.step();
    ASSERT_TRUE(simulation.may_save());
    const SavedState there = simulation.save();
    EXPECT_EQ(there.t, simulation.time());
    for (int i = 0; i < 60; ++i) simulation.step();
    const std::vector<double> row(simulation.row().begin(), simulation.row().end());
    for (Simulation* again : {&simulation, &other}) {
      again->restore(there);
      EXPECT_EQ(again->time(), there.t);
      for (int i = 0; i < 60; ++i) again->step();
      for (std::size_t i = 0; i < row.size(); ++i) ASSERT_TRUE(again->row()[i] == row[i] || std::isnan(row[i])) << i;
    }
  }
}

TEST(Simulation, KeepsItsStateWhenAnotherCannotBeRestored) {
  Simulation simulation(from_gallery("rod-inelastic")), other(from_gallery("finger-tap"));
  for (int i = 0; i < 30; ++i) simulation.step();
  Simulation same(from_gallery("rod-inelastic"));
  same.restore(simulation.save());
  EXPECT_THROW(simulation.restore(other.save()), Error);
  EXPECT_THROW(simulation.restore({}), Error);
  for (int i = 0; i < 30; ++i) simulation.step(), same.step();
  EXPECT_EQ(simulation.state().q, same.state().q);
  EXPECT_EQ(simulation.state().v, same.state().v);
}

// adams remembers many steps, and starts anew at set ones.
TEST(Simulation, SaysWhereItCannotBeSaved) {
  Scene scene = from_gallery("kepler-orbit");
  scene.solver.integrator = Integrator::adams;
  Simulation simulation(scene);
  EXPECT_TRUE(simulation.may_save());
  for (int i = 0; i < 5; ++i) simulation.step();
  EXPECT_FALSE(simulation.may_save());
  EXPECT_THROW(simulation.save(), Error);
}

// A ball thrown up: place, velocity and energies by the formulas of a throw.
TEST(Simulation, TellsPosesEnergiesAndChannels) {
  const double g = 9.81, m = 2, v_0 = 3;
  const Scene scene = parse_scene(
      "marey: 1\nduration: 10 s\nsolver: {integrator: rk4, step: 10 ms}\nfigures: {f: {links: {ball: {mass: 2 kg, "
      "inertia: "
      "{sphere: 5 cm}, start: {velocity: [1 m/s, 0, 3 m/s], spin: [0, 0, 4]}}}}}\n",
      "test.yaml");
  Simulation simulation(scene);
  simulation.run_until(0.25);
  EXPECT_EQ(simulation.time(), 0.25);
  const double t = 0.25, z = v_0 * t - g / 2 * t * t, v = v_0 - g * t;
  const int ball = simulation.system().model().find("f.ball");
  EXPECT_NEAR(simulation.pose(ball).p.z, z, 1e-12);
  EXPECT_NEAR(simulation.pose(ball).p.x, t, 1e-12);
  EXPECT_NEAR(simulation.velocity(ball).v.z, v, 1e-12);
  EXPECT_NEAR(simulation.velocity(ball).w.z, 4, 1e-12);
  const double spin = 0.5 * 0.4 * m * 0.05 * 0.05 * 16;
  EXPECT_NEAR(simulation.kinetic_energy(), m / 2 * (1 + v * v) + spin, 1e-11);
  EXPECT_NEAR(simulation.potential_energy(), m * g * z, 1e-11);
  EXPECT_EQ(simulation.values("link/f.ball/position")[2], simulation.pose(ball).p.z);
  EXPECT_EQ(simulation.value("time"), 0.25);
  EXPECT_EQ(simulation.value("energy/kinetic"), simulation.kinetic_energy());
  EXPECT_TRUE(simulation.ledger().closed);
  EXPECT_THROW(simulation.value("link/f.ball/position"), Error);
  EXPECT_THROW(simulation.values("link/f.cube/position"), Error);
  simulation.step();
  EXPECT_NEAR(simulation.value("time"), 0.26, 1e-12);  // not what was read before
  EXPECT_NEAR(simulation.pose(ball).p.x, 0.26, 1e-12);
}

// What cannot be run is refused when it is made, with the words of a run; what cannot go on says so.
TEST(Simulation, RefusesAndStopsWithTheReason) {
  Scene scene = from_gallery("rod-inelastic");
  scene.solver.dynamics = Dynamics::multipliers, scene.solver.weld.emplace();
  try {
    const Simulation simulation(scene);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::bad_input);
    EXPECT_STREQ(e.what(), "weld merges links, which multipliers keep apart: use dynamics: aba");
  }
  scene = from_gallery("kepler-orbit");
  scene.record.compare.clear();  // no orbit has such numbers
  for (double& v : scene.start.v) v = 1e160;
  Simulation simulation(scene);
  try {
    for (int i = 0; i < 1000; ++i) simulation.step();
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::cannot_go_on);
    EXPECT_EQ(std::string(e.what()).rfind("at t = ", 0), 0u) << e.what();
  }
}

TEST(Simulation, RefusesWhatItCannotBeAsked) {
  const auto refused = [](const std::function<void()>& call) { return trouble::of(ErrorKind::bad_input, call); };
  Simulation s(from_gallery("compound-pendulum"));
  while (s.steps() < 3) s.step();
  const double t = s.time();
  EXPECT_EQ(refused([&] { s.step(0.5 * t); }).rfind("found a step that is to end at ", 0), 0u);
  EXPECT_EQ(refused([&] { s.step(t); }).rfind("found a step that is to end at ", 0), 0u);
  EXPECT_EQ(refused([&] { s.step(std::nan("")); }).rfind("found a step that is to end at nan", 0), 0u);
  EXPECT_EQ(refused([&] { s.run_until(std::nan("")); }), "found a time that is not a number; expected one to run to");
  EXPECT_EQ(refused([&] { s.run_until(0.5 * t); }), "");  // it is past
  EXPECT_EQ(s.time(), t);
  for (const double other : {-1.0, 0.1 * t, 100.0, std::nan("")})
    EXPECT_NE(refused([&] { s.row_at(other); }).find("expected a time within the last step"), std::string::npos);
  EXPECT_EQ(refused([&] { s.pose(-1); }), "found link -1; expected 0 to 1");
  EXPECT_EQ(refused([&] { s.velocity(2); }), "found link 2; expected 0 to 1");
  EXPECT_EQ(refused([&] { Simulation none{std::shared_ptr<const System>()}; }),
            "found no system; expected one to simulate");
  SavedState saved = s.save();
  saved.t += 1;
  EXPECT_EQ(refused([&] { s.restore(saved); }).rfind("the saved state is damaged", 0), 0u);
  EXPECT_EQ(s.time(), t);
}

// Saved at a random step and gone on with: the same to the bit. adams and bdf at the first step at which they may.
TEST(Simulation, OfEveryGallerySceneIsSavedAndRestoredBitForBit) {
  unsigned seed = 1;
  for (const SceneListing& listing : list_scenes(MAREY_SOURCE_DIR "/gallery")) {
    SCOPED_TRACE(listing.name);
    if (listing.name == "cloth" || listing.name == "jelly" || is_large_scene(listing.name))
      continue;  // many of the same
    const auto system = std::make_shared<const System>(from_gallery(listing.name));
    if (system->scene().kinematic) continue;  // without dynamics there are no steps
    Simulation one(system), other(system);
    std::mt19937 random(seed++);
    const long long at = 1 + static_cast<long long>(random() % (150 / every(5)));
    while (one.time() < system->scene().duration && (one.steps() < at || !one.may_save())) one.step();
    if (!one.may_save()) continue;  // a method that remembers, and a scene of fewer steps than it does between restarts
    const SavedState saved = one.save();
    other.step();
    other.restore(saved);
    for (int k = 0; k < 60; k += every(5)) one.step(), other.step();
    EXPECT_EQ(one.time(), other.time());
    EXPECT_EQ(one.state().q, other.state().q);
    EXPECT_EQ(one.state().v, other.state().v);
    EXPECT_EQ(one.ledger().work_in, other.ledger().work_in);
  }
}

}  // namespace
}  // namespace marey
