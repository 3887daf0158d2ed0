// Runs in maximal coordinates against the same runs in joint coordinates.
//
// Both integrate the same motion with the same method, so that they differ by the method's own error: each is compared with
// a fine run of the other kind. Without stabilisation joints drift apart with the order p of the method, |g| ~ hᵖ; with
// projection they stay together to round-off; with Baumgarte's rule errors stay at β⁻² of what each step leaves.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "sim/world.h"
#include "support/figures.h"
#include "support/recorded.h"

namespace {

using marey::Dynamics, marey::Integrator, marey::Scene, marey::Stabilisation;

// A branching figure with every kind of joint in motion, on a hinge.
Scene swinging(Integrator integrator, double step) {
  Scene scene;
  scene.title = "swinging";
  scene.duration = 0.4;
  marey::ModelSpec spec;
  using marey::JointType;
  const auto add = [&](const char* name, const char* parent, JointType joint) {
    marey::LinkSpec link = figures::rod_link(name, parent, joint, {0, 0.02, parent == std::string("world") ? 0 : -0.3}, 0.5, 0.3, 0.03);
    link.axis = {1, 0.2, 0};
    spec.links.push_back(link);
  };
  add("upper", "world", JointType::hinge);
  add("fore", "upper", JointType::ball);
  add("hand", "fore", JointType::hinge);
  add("bead", "upper", JointType::slider);
  add("plate", "fore", JointType::weld);
  scene.model = marey::freeze(spec);
  scene.start = marey::neutral_state(scene.model);
  for (std::size_t i = 0; i < scene.start.v.size(); ++i) scene.start.v[i] = 1 + 0.3 * static_cast<double>(i);
  scene.solver.integrator = integrator;
  scene.solver.step = step;
  scene.solver.dynamics = Dynamics::multipliers;
  scene.record.every = 0.1;
  return scene;
}

recorded::Memory run(const Scene& scene) {
  recorded::Memory memory;
  memory.summary = marey::run(scene, memory);
  return memory;
}

// The largest difference of all channels that both runs have, in the last frame, on the scale of 1 and the number itself.
double difference(const recorded::Memory& a, const recorded::Memory& b) {
  const std::size_t last = std::min(a.rows.size(), b.rows.size()) - 1;
  double worst = 0;
  for (const marey::Channel& c : b.header.channels) {
    if (c.name.find("residual") != std::string::npos) continue;
    const auto x = a.at(c.name, last), y = b.at(c.name, last);
    for (std::size_t k = 0; k < x.size(); ++k) worst = std::max(worst, std::abs(x[k] - y[k]) / (1 + std::abs(y[k])));
  }
  return worst;
}

recorded::Memory exact() {
  Scene scene = swinging(Integrator::rk4, 2.5e-4);
  scene.solver.dynamics = Dynamics::aba;
  return run(scene);
}

TEST(MaximalRun, EveryIntegratorShowsTheSameMotionAndClosesItsBooks) {
  const recorded::Memory right = exact();
  struct Case {
    Integrator integrator;
    double step, bound;
  };
  for (const Case& c : {Case{Integrator::rk4, 1e-3, 1e-8}, {Integrator::rk45, 0.1, 1e-6}, {Integrator::adams, 0.1, 1e-5},
                        {Integrator::bdf, 0.1, 1e-5}, {Integrator::midpoint, 1e-3, 1e-3}, {Integrator::euler, 1e-4, 1e-2},
                        {Integrator::euler_second, 1e-4, 1e-2}, {Integrator::semi_implicit, 1e-4, 1e-2}}) {
    Scene scene = swinging(c.integrator, c.step);
    if (!has_fixed_step(c.integrator)) scene.solver.tolerance = 1e-8;
    const recorded::Memory got = run(scene);
    ASSERT_TRUE(got.summary.breakdown.empty()) << got.summary.breakdown;
    const double off = difference(got, right);
    double drift = 0;
    for (std::size_t f = 0; f < got.rows.size(); ++f) drift = std::max(drift, got.number("drift/position", f));
    std::printf("%-13s off by %.2e (bound %.0e), drift %.1e, energy residual %.1e\n", name_of(c.integrator), off, c.bound,
                drift, got.summary.ledger.energy_residual_relative);
    EXPECT_LE(off, c.bound) << name_of(c.integrator);
    EXPECT_LE(drift, 1e-6) << name_of(c.integrator);
    const bool first_order = marey::order_of(c.integrator) == 1;
    EXPECT_LE(got.summary.ledger.energy_residual_relative, first_order ? 1e-3 : 1e-6) << name_of(c.integrator);
    EXPECT_LE(got.summary.ledger.linear_momentum_residual_relative, first_order ? 1e-3 : 1e-6);
    EXPECT_LE(got.summary.ledger.angular_momentum_residual_relative, first_order ? 1e-3 : 1e-6);
  }
}

double drift_of(Integrator integrator, Stabilisation way, double step, double time = 0.05) {
  Scene scene = swinging(integrator, step);
  scene.solver.stabilisation = way;
  scene.solver.stabilisation_time = time;
  const recorded::Memory got = run(scene);
  return got.number("drift/position", got.rows.size() - 1);
}

TEST(MaximalRun, DriftFallsWithTheOrderOfTheMethod) {
  for (const auto& [integrator, step] : {std::pair{Integrator::euler, 1e-3}, {Integrator::rk4, 1e-2}}) {
    const double coarse = drift_of(integrator, Stabilisation::none, step),
                 fine = drift_of(integrator, Stabilisation::none, step / 2), order = std::log2(coarse / fine);
    std::printf("%-6s without stabilisation: |g| %.2e, order %.2f\n", name_of(integrator), fine, order);
    EXPECT_NEAR(order, marey::order_of(integrator), 0.35);
    EXPECT_GT(fine, 1e-10);
    const double held = drift_of(integrator, Stabilisation::projection, step);
    EXPECT_LE(held, 1e-13);
    std::printf("       projection |g| %.2e\n", held);
  }
  const double left = drift_of(Integrator::euler, Stabilisation::none, 1e-3),
               faded = drift_of(Integrator::euler, Stabilisation::baumgarte, 1e-3, 0.02);
  std::printf("baumgarte %.2e of %.2e\n", faded, left);
  EXPECT_LE(faded, 0.25 * left);
}

TEST(MaximalRun, FreeFlightKeepsItsMomentum) {
  Scene scene;
  scene.duration = 0.5;
  marey::ModelSpec spec = figures::human39();
  spec.gravity = {};
  scene.model = marey::freeze(spec);
  const figures::Figure f = figures::with_random_state(spec, 3);
  scene.start = f.state;
  for (double& v : scene.start.v) v *= 0.3;
  scene.solver = {.dynamics = Dynamics::multipliers, .integrator = Integrator::rk4, .step = 2e-3};
  const recorded::Memory got = run(scene);
  const std::size_t last = got.rows.size() - 1;
  const auto change = [&](const char* name) {
    return norm(got.vec(name, last) - got.vec(name, 0)) / norm(got.vec(name, 0));
  };
  std::printf("momentum changed by %.2e (bound 1e-12), angular momentum by %.2e (bound 1e-11)\n",
              change("momentum/linear"), change("momentum/angular"));
  EXPECT_LE(change("momentum/linear"), 1e-12);
  EXPECT_LE(change("momentum/angular"), 1e-11);
}

// A hinge that goes round and round: its angle is the one of a run in joint coordinates, turns and all.
TEST(MaximalRun, HingesCountTheirTurns) {
  const std::string text =
      "duration: 1 s\nsolver: {dynamics: DYNAMICS, step: 1 ms}\nfigures:\n  wheel:\n    links:\n      rim:\n"
      "        joint: {type: hinge, axis: y}\n        shape: {sphere: {radius: 10 cm, center: [0, 0, -5 cm]}}\n"
      "        mass: 1 kg\n        start: {rate: 40 rad/s}\n";
  const auto with = [&](const std::string& dynamics) {
    std::string t = text;
    return recorded::run_text(t.replace(t.find("DYNAMICS"), 8, dynamics));
  };
  const recorded::Memory one = with("multipliers"), two = with("aba");
  const std::string channel = "joint/wheel.rim/angle";
  EXPECT_GT(two.number(channel, two.rows.size() - 1), 20);
  for (std::size_t f = 0; f < one.rows.size(); ++f) EXPECT_NEAR(one.number(channel, f), two.number(channel, f), 1e-6);
}

TEST(MaximalRun, ACheckpointGoesOnBitForBit) {
  for (const Integrator integrator : {Integrator::rk4, Integrator::rk45}) {
    const Scene scene = swinging(integrator, integrator == Integrator::rk4 ? 1e-3 : 0.02);
    marey::World whole(scene), part(scene);
    while (whole.steps() < 20) whole.step(scene.duration);
    const std::vector<std::byte> bytes = whole.save();
    part.restore(bytes);
    EXPECT_EQ(part.state().q, whole.state().q);
    for (int i = 0; i < 20; ++i) whole.step(scene.duration), part.step(scene.duration);
    EXPECT_EQ(part.state().q, whole.state().q);
    EXPECT_EQ(part.state().v, whole.state().v);
  }
}

TEST(MaximalRun, RefusesWhatItDoesNotKnow) {
  Scene scene = swinging(Integrator::midpoint, 1e-3);
  marey::ModelSpec spec;
  marey::LinkSpec bead;
  bead.name = "bead", bead.joint = marey::JointType::point, bead.inertia = {1, {}, {}};
  spec.links = {bead};
  scene.model = marey::freeze(spec);
  EXPECT_NE(refusal(scene.model, scene.solver).find("moments of inertia"), std::string::npos);
  scene.solver.integrator = Integrator::rk4;
  EXPECT_EQ(refusal(scene.model, scene.solver), "");
}

}  // namespace
