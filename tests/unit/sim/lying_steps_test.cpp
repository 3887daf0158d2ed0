// What steps of a figure that lies do without asking for all of it: the weights of links where they are, switches of joints that are far from their
// ends, and energies that are plainly not the largest.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "marey/dynamics.h"
#include "marey/integrate.h"
#include "marey/io/scene.h"
#include "marey/simulation.h"
#include "sim/energy_bound.h"
#include "sim/link_weights.h"
#include "sim/sources.h"
#include "support/random_figure.h"

namespace marey {
namespace lying_steps_test {

Vec3<double> turned(const Mat3<double>& R, const Vec3<double>& a) { return R * a; }

// Through the axes of the joints wrenches on links are forces; with h = −1 they are what inverse dynamics finds for v̇ = 0, whatever turns and slides. Two
// ways to sums of at most 8 links, whose terms are of the size of the largest.
TEST(LinkWeights, AreThoseOfInverseDynamics) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    figures::Options options;
    options.tree = seed % 2 == 0 ? figures::Tree::chain : figures::Tree::bushy;
    const figures::Figure f = figures::random_figure(seed, options);
    const Model& model = f.model;
    Kinematics<double> k(model);
    forward_kinematics<double>(model, model.params, f.state.q, f.state.v, k);
    MotionAxes axes(model);
    motion_axes(model, model.params, k, axes);
    std::vector<HeavyLink> heavy(model.links.size());
    for (std::size_t i = 1; i < heavy.size(); ++i) {
      const Inertia<double>& I = model.params.links[i].I;
      heavy[i] = {I.m, turned(k.X_WB[i].R, I.h), congruence(k.X_WB[i].R, I.J)};
    }
    std::vector<Twist<double>> A(heavy.size());
    std::vector<Wrench<double>> B(heavy.size());
    weigh_links(model, axes, heavy, model.params.gravity, -1, k.V_WB, A, B);
    const std::vector<double> none(f.state.v.size());
    std::vector<double> expected(none), found(none);
    RneaWorkspace<double> ws(model);
    rnea<double>(model, model.params, f.state.q, f.state.v, none, {}, ws, expected);
    double largest = 1e-3;
    for (int i = model.nlink() - 1; i > 0; --i) {
      const LinkTopology& link = model.links[static_cast<std::size_t>(i)];
      const Wrench<double>& F = B[static_cast<std::size_t>(i)];
      largest = std::max({largest, norm(F.n), norm(F.f)});
      for (int j = link.v; j < link.v + freedom_count(link); ++j)
        found[static_cast<std::size_t>(j)] = power(F, axes.S_W[static_cast<std::size_t>(j)]);
      B[static_cast<std::size_t>(link.parent)] += shifted(F, axes.ways[static_cast<std::size_t>(i)].r);
    }
    for (std::size_t j = 0; j < found.size(); ++j)
      EXPECT_NEAR(found[j], expected[j], 1e-11 * largest) << "figure " << seed << ", freedom " << j;
  }
}

// A human whose joints have zones, and one hinge of each kind of angle.
Scene limp() { return load_scene(MAREY_SOURCE_DIR "/gallery/limp-human-lies.yaml"); }

// Joints wander to and fro between their ends, at speeds that change. Who remembers where they were decides in every step as who looks at all angles
// anew, and where both say that nothing has switched every switch is positive all along.
TEST(JointSwitches, AreJudgedAsIfAllHadBeenLookedAt) {
  const Scene scene = limp();
  const Model& model = scene.model;
  Simulation falls(scene);
  falls.run_until(0.3);  // where no swing is at 0, which is an end of its zone
  figures::Random random(7);
  const State first = falls.state();
  State s = first;
  const Kinematics<double> k(model);
  const auto at = [&](const State& x) { return Instant<double>{model, x.t, x.q, x.v, k.X_WB, k.V_WB, nullptr, {}}; };
  Sources remembers(scene);
  remembers.start(at(s), {});
  int kept = 0, ended = 0;
  constexpr double h = 1e-3;
  for (int step = 0; step < 3000; ++step) {
    const double speed = std::pow(10, random.between(-4, 1));
    State next = s;
    for (double& v : next.v) v = speed * random.normal();
    std::vector<double> xi(next.v);
    for (double& x : xi) x *= h;
    advance<double>(model, s.q, xi, Turn::exponential, next.q);
    Sources fresh(scene);
    fresh.start(at(s), {});
    remembers.start(at(s), {});
    const bool nothing = remembers.nothing_switched(at(next), next.v, h);
    ASSERT_EQ(nothing, fresh.nothing_switched(at(next), next.v, h)) << "step " << step;
    (nothing ? kept : ended) += 1;
    std::vector<double> values(remembers.switch_count());
    for (int part = 1; nothing && part <= 4; ++part) {
      State between = s;
      std::vector<double> way(xi);
      for (double& x : way) x *= 0.25 * part;
      advance<double>(model, s.q, way, Turn::exponential, between.q);
      remembers.switch_values(at(between), k, values);
      ASSERT_GT(std::ranges::min(values), 0) << "step " << step;
    }
    s = nothing ? next : first;
  }
  EXPECT_GT(kept, 500);
  EXPECT_GT(ended, 50);
}

// An arm of 1 kg falls within its free play and out of it: whoever was left out while it rested acts from there on. Its weight of at most 1.5 N m turns it by 0.05 rad
// beyond the end, and what it falls through before by no more than √(2 · 1.5 · 30°/30) = 0.23 rad.
TEST(Sources, ActAgainWhenTheyHaveRested) {
  Simulation run(parse_scene(
      "marey: 1\nduration: 10 s\nsolver: {contact: stepping, step: 1 ms}\nmaterials: {default: {friction: 0.6}}\n"
      "scenery: {floor: {plane: 0}}\ncollide: all\nfigures:\n  f:\n    links:\n"
      "      torso: {shape: {box: [40 cm, 40 cm, 20 cm]}, mass: 20 kg, start: {position: [0, 0, 10 cm]}}\n"
      "      arm: {parent: torso, joint: {type: hinge, axis: y}, at: [20 cm, 0, 0], shape: {capsule: {radius: 3 cm, "
      "length: 30 cm, along: x}}, mass: 1 kg, start: {angle: -45 deg}}\n"
      "torques:\n  - free_play: {joint: f.arm, from: -60 deg, to: -30 deg, slope: 30 N m/rad}\n",
      "arm.yaml"));
  const auto angle = static_cast<std::size_t>(run.system().model().links.back().q);
  constexpr double degree = 0.017453292519943295;
  double most = -1e9;
  for (int k = 0; k < 2000; ++k) {
    run.step();
    most = std::max(most, run.state().q[angle]);
    ASSERT_LE(run.state().q[angle], -30 * degree + 0.05 + 0.23) << "at " << run.time() << " s";
    ASSERT_GE(run.state().q[angle], -60 * degree - 0.28) << "at " << run.time() << " s";
  }
  EXPECT_GT(most, -30 * degree);  // it has been there
  EXPECT_TRUE(run.ledger().closed);
}

// Places and velocities from some where all was looked at: where the bound says that they are below the largest, they are; and of what moves slowly it
// does say so.
TEST(EnergyBound, IsNeverLess) {
  const Scene scene = limp();
  const Model& model = scene.model;
  const auto balance = [&](const State& s) {
    Kinematics<double> k(model);
    forward_kinematics<double>(model, model.params, s.q, s.v, k);
    const Totals<double> t = totals(model, model.params, k);
    return Balance{t.kinetic + t.gravity_potential, t.momentum, t.kinetic};
  };
  figures::Random random(11);
  int below = 0, of_slow = 0;
  for (int i = 0; i < 2000; ++i) {
    State from = scene.start, to = from;
    std::vector<double> xi(from.v.size());
    for (double& x : xi) x = 0.3 * random.normal();
    advance<double>(model, scene.start.q, xi, Turn::exponential, from.q);
    const double way = std::pow(10, random.between(-6, -1)), speed = std::pow(10, random.between(-6, 1));
    for (double& x : xi) x = way * random.normal();
    advance<double>(model, from.q, xi, Turn::exponential, to.q);
    for (double& v : to.v) v = speed * random.normal();
    std::optional<EnergyBound> bound = EnergyBound::of(model);
    ASSERT_TRUE(bound.has_value());
    Kinematics<double> k(model);
    forward_kinematics<double>(model, model.params, from.q, from.v, k);
    const Balance was = balance(from), is = balance(to);
    const double potential = random.between(0, 10);
    Balance with = was;
    with.energy += potential;
    bound->look(with, potential, from.q, k);
    const MovingMass moving = moving_mass(model, k);
    LedgerState ledger;
    ledger.begin(was, moving);
    // The largest so far: about as much as there is now.
    ledger.largest_energy = random.between(0.5, 2) * (std::abs(is.energy) + potential);
    ledger.largest_linear = random.between(0.5, 20) * std::sqrt(2 * moving.mass * is.kinetic);
    ledger.largest_angular = random.between(0.5, 20) * std::sqrt(2 * moving.turning * is.kinetic);
    if (i % 2 == 0) ledger.largest_linear = ledger.largest_angular = 1e3;
    if (!bound->is_below(ledger, moving, to.q, to.v, [&] { return potential; })) continue;
    ++below;
    if (speed < 1e-3) ++of_slow;
    LedgerState after = ledger;
    Balance all = is;
    all.energy += potential;
    after.follow(all, moving);
    EXPECT_EQ(after.largest_energy, ledger.largest_energy) << i;
    EXPECT_EQ(after.largest_linear, ledger.largest_linear) << i;
    EXPECT_EQ(after.largest_angular, ledger.largest_angular) << i;
  }
  EXPECT_GT(below, 100);
  EXPECT_GT(of_slow, 100);
}

// Joints that slide make figures longer than their parts.
TEST(EnergyBound, KnowsNothingOfWhatSlides) {
  const Scene scene = parse_scene(
      "marey: 1\nduration: 1 s\nfigures: {b: {links: {block: {joint: {type: slider, axis: x}, mass: 2 kg, inertia: "
      "{sphere: 10 cm}}}}}\n",
      "block.yaml");
  EXPECT_FALSE(EnergyBound::of(scene.model).has_value());
}

}  // namespace lying_steps_test
}  // namespace marey
