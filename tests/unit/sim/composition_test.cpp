// Parts that compose: every way of dynamics × contacts × constraints × welds × delays × integrators is run or refused, and those
// that run are the same motion.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "marey/simulation.h"
#include "support/recorded.h"
#include "support/sanitized.h"

namespace composition_test {

using namespace marey;
using recorded::Memory;

constexpr Dynamics all_dynamics[] = {Dynamics::armstrong, Dynamics::aba, Dynamics::crba, Dynamics::dense,
                                     Dynamics::multipliers};
constexpr Integrator all_integrators[] = {Integrator::euler, Integrator::euler_second, Integrator::semi_implicit,
                                          Integrator::rk4,   Integrator::rk45,         Integrator::midpoint,
                                          Integrator::adams, Integrator::bdf};
enum class Touch { none, gives_way, rigid };
enum class Hold { none, always, made_and_broken };

struct Cell {
  Touch touch = Touch::none;
  Hold hold = Hold::none;
  bool delay = false, weld = false;
  std::string text() const {
    const char* const touches[] = {"no contacts", "ground that gives way", "rigid contacts"};
    const char* const holds[] = {"no constraints", "a loop", "a rod made and broken"};
    return fmt::format("{}, {}{}{}", touches[static_cast<int>(touch)], holds[static_cast<int>(hold)],
                       delay ? ", a delay" : "", weld ? ", welds" : "");
  }
};

// A trunk with an arm and a leg that falls on the floor with its foot first. The loop is a rod from hand to foot; the other
// one catches the hand on its way.
Scene scene_of(const Cell& cell, const std::string& joint = "ball") {
  std::string text = fmt::format(R"(
duration: 120 ms
gravity: [0, 0, -9.81]
solver: {{dynamics: aba, integrator: rk4, step: 1 ms}}
record: {{every: 10 ms}}
figures:
  f:
    links:
      trunk:
        shape: {{capsule: {{radius: 8 cm, length: 30 cm}}}}
        mass: 4 kg
        start: {{position: [0, 0, 62 cm], velocity: [0.3 m/s, 0.1 m/s, -0.5 m/s], spin: [0.4, -0.7, 0.5]}}
      arm: {{parent: trunk, at: [10 cm, 0, 12 cm], joint: {0},
            shape: {{capsule: {{radius: 3 cm, length: 25 cm, along: -z}}}}, mass: 1 kg}}
      leg: {{parent: trunk, at: [0, 5 cm, -15 cm], joint: {0},
            shape: {{capsule: {{radius: 4 cm, length: 40 cm, along: -z}}}}, mass: 2 kg}}
)",
                                 joint);
  if (cell.delay)
    text += fmt::format(
        "torques: [{{reflex: {{joint: f.arm, {}stiffness: 3 N m/rad, damping: 0.1 N m s/rad, delay: 15 ms}}}}]\n",
        joint == "ball" ? "angle: {twist: y}, " : "");
  if (cell.touch != Touch::none) {  // rough ground that gives way sticks and slips too often to be compared
    const char* const law = cell.touch == Touch::rigid ? "friction: 0.6, restitution: 0.3"
                                                       : "compliant: {stiffness: 3 kN/m, damping: 100 N s/m}";
    text += fmt::format(
        "contacts:\n  - {{link: f.leg, name: heel, at: [-6 cm, 0, -43 cm], {0}}}\n"
        "  - {{link: f.leg, name: toe, at: [3 cm, 0, -44 cm], {0}}}\n",
        law);
  }
  if (cell.hold == Hold::always)
    text +=
        "constraints: [rod: {name: loop, a: f.arm, at: [0, 0, -20 cm], b: f.leg, at_b: [0, 0, -20 cm]}]\n"
        "start: projected\n";
  if (cell.hold == Hold::made_and_broken)
    text += "constraints: [ball: {name: catch, b: f.arm, at_b: [0, 0, -20 cm], from: 21.3 ms, until: 83 ms}]\n";
  Scene scene = parse_scene("marey: 1\n" + text, "composition.yaml");
  if (cell.weld) scene.solver.weld.emplace();
  return scene;
}

std::vector<Cell> all_cells(bool with_welds) {
  std::vector<Cell> out;
  for (const Touch touch : {Touch::none, Touch::gives_way, Touch::rigid})
    for (const Hold hold : {Hold::none, Hold::always, Hold::made_and_broken})
      for (const bool delay : {false, true})
        for (int weld = 0; weld <= (with_welds ? 1 : 0); ++weld) out.push_back({touch, hold, delay, weld != 0});
  return out;
}

void choose(Scene& scene, Dynamics dynamics, Integrator integrator, double step, double tolerance) {
  scene.solver.dynamics = dynamics, scene.solver.integrator = integrator;
  scene.solver.step = has_fixed_step(integrator) ? step : forever;
  scene.solver.tolerance = tolerance;
}

Memory motion_of(const Scene& scene) {
  Memory memory;
  memory.summary = run(scene, memory);
  EXPECT_EQ(memory.summary.breakdown, "");
  return memory;
}

// The largest distance between the links of two motions at their ends.
double apart(const Memory& a, const Memory& b) {
  double most = 0;
  for (const char* link : {"trunk", "arm", "leg"})
    for (const char* what : {"position", "velocity"}) {
      const std::string channel = fmt::format("link/f.{}/{}", link, what);
      most = std::max(most, norm(a.vec(channel, a.rows.size() - 1) - b.vec(channel, b.rows.size() - 1)));
    }
  return most;
}

// What goes with nothing, and why.
std::string reason(const Cell& cell, Dynamics dynamics, Integrator integrator) {
  if (cell.weld && dynamics == Dynamics::multipliers) return "weld merges links, which multipliers keep apart";
  if (cell.weld && integrator == Integrator::midpoint) return "midpoint knows no welds";
  return {};
}

// Before the parts composed, 655 of these 1,440 were allowed by the rules there were; 216 have a reason left.
TEST(Composition, EveryCellRunsOrIsRefusedForItsOwnReason) {
  int runs = 0, refused = 0;
  for (const Cell& cell : all_cells(true))
    for (const Dynamics dynamics : all_dynamics)
      for (const Integrator integrator : all_integrators) {
        SCOPED_TRACE(cell.text() + ", " + name_of(dynamics) + ", " + name_of(integrator));
        Scene scene = scene_of(cell);
        choose(scene, dynamics, integrator, 1e-3, 1e-6);
        const std::string why = reason(cell, dynamics, integrator);
        try {
          Simulation simulation(scene);
          EXPECT_EQ(why, "");
          ++runs;
          if (runs % every(31) != 0) continue;
          simulation.run_until(0.03);
          EXPECT_NEAR(simulation.time(), 0.03, 1e-12);
          EXPECT_LE(simulation.ledger().energy_residual_relative, 2e-2);
        } catch (const Error& e) {
          EXPECT_EQ(std::string(e.what()).substr(0, why.size()), why) << e.what();
          EXPECT_NE(why, "") << e.what();
          ++refused;
        }
      }
  EXPECT_EQ(runs + refused, 1440);
  EXPECT_EQ(refused, 9 * 2 * (8 + 4));
}

// Whichever solver, the same motion; and the books close.
TEST(Composition, SolversAgreeWhateverActs) {
  int count = 0;
  for (const char* joint : {"ball", "{type: hinge, axis: [0.3, 1, 0.2]}"})
    for (const Cell& cell : all_cells(false)) {
      if (count++ % every(7) != 0) continue;
      Scene scene = scene_of(cell, joint);
      const Memory right = motion_of(scene);
      EXPECT_LE(right.summary.ledger.energy_residual_relative, 1e-6) << cell.text();
      for (const Dynamics dynamics : all_dynamics) {
        if (dynamics == Dynamics::aba || (dynamics == Dynamics::armstrong && joint != std::string("ball"))) continue;
        SCOPED_TRACE(cell.text() + ", " + joint + ", " + name_of(dynamics));
        scene.solver.dynamics = dynamics;
        const Memory other = motion_of(scene);
        EXPECT_LE(apart(right, other), 1e-8);  // m, m/s: the same steps, and rounding that impacts make grow
        EXPECT_LE(other.summary.ledger.energy_residual_relative, 1e-6);
        EXPECT_LE(other.summary.ledger.linear_momentum_residual_relative, 1e-6);
        EXPECT_LE(other.summary.ledger.angular_momentum_residual_relative, 1e-6);
      }
    }
}

// m, m/s, and as a part of the energy and the momenta: of first order h, of second h², … at h = 0.5 ms over 0.12 s with
// velocities of 1 m/s that change within 10 ms where something touches.
const std::map<Integrator, double> allowed{{Integrator::euler, 3e-2},         {Integrator::euler_second, 1e-2},
                                           {Integrator::semi_implicit, 3e-2}, {Integrator::rk4, 1e-7},
                                           {Integrator::rk45, 1e-7},          {Integrator::midpoint, 1e-4},
                                           {Integrator::adams, 1e-6},         {Integrator::bdf, 1e-6}};

TEST(Composition, MethodsAgreeWhateverActs) {
  int count = 0;
  for (const Cell& cell : all_cells(false)) {
    if (count++ % every(5) != 0) continue;
    Scene scene = scene_of(cell);
    choose(scene, Dynamics::aba, Integrator::rk45, 0, 1e-10);
    const Memory right = motion_of(scene);
    for (const Dynamics dynamics : {Dynamics::aba, Dynamics::multipliers})
      for (const Integrator integrator : all_integrators) {
        SCOPED_TRACE(cell.text() + ", " + name_of(dynamics) + ", " + name_of(integrator));
        choose(scene, dynamics, integrator, 0.5e-3, 1e-8);
        const Memory other = motion_of(scene);
        EXPECT_LE(apart(right, other), allowed.at(integrator));
        EXPECT_LE(other.summary.ledger.energy_residual_relative, allowed.at(integrator));
        EXPECT_LE(other.summary.ledger.linear_momentum_residual_relative, allowed.at(integrator));
        EXPECT_LE(other.summary.ledger.angular_momentum_residual_relative, allowed.at(integrator));
      }
  }
}

// Two delays after one impact: the step that begins where one of them has its echo may end where the other has.
TEST(Composition, SeveralDelaysAfterAJump) {
  Scene scene = scene_of({Touch::rigid, Hold::none, true});
  Element other = scene.elements[0];
  other.name = "later";
  other.kind.get_if<Reflex>()->link = 3, other.kind.get_if<Reflex>()->delay = 0.02;
  scene.elements.push_back(other);
  choose(scene, Dynamics::aba, Integrator::rk45, 0, 1e-11);
  const Memory right = motion_of(scene);
  choose(scene, Dynamics::aba, Integrator::rk4, 5e-3, 0);
  const Memory coarse = motion_of(scene);
  choose(scene, Dynamics::aba, Integrator::rk4, 2.5e-3, 0);
  EXPECT_LE(apart(right, coarse), 1e-6);
  EXPECT_LE(apart(right, motion_of(scene)), 0.15 * apart(right, coarse) + 1e-10);  // of fourth order, or third
}

// Somebody at the controls at every step: a motion with delays and impacts is what it is without.
TEST(Composition, InputsOfNothingChangeNothing) {
  Scene scene = scene_of({Touch::rigid, Hold::none, true});
  scene.takes_inputs = true;
  Simulation alone(scene), handled(scene);
  alone.run_until(0.12);
  const double nothing[3] = {};
  while (handled.time() < 0.12) {
    handled.drive(2, nothing);
    handled.step(0.12);
  }
  for (std::size_t i = 0; i < alone.state().v.size(); ++i)
    EXPECT_NEAR(alone.state().v[i], handled.state().v[i], 1e-10) << i;
}

// In maximal coordinates what is shown after a step is where constraints have put it.
TEST(Composition, MaximalStatesAreShownAsTheyAre) {
  Scene scene = scene_of({Touch::none, Hold::always});
  choose(scene, Dynamics::multipliers, Integrator::semi_implicit, 1e-3, 0);
  Simulation simulation(scene);
  simulation.run_until(0.05);
  const State shown = simulation.state();
  simulation.restore(simulation.save());
  for (std::size_t i = 0; i < shown.v.size(); ++i) EXPECT_NEAR(shown.v[i], simulation.state().v[i], 1e-13) << i;
}

// A sled on the floor carries a rotor. Answered as a whole at the old place, what its turning asks of its bearing, a joint of
// bodies or rows, would put (h ω)² of its energy in with every step.
// The axis is along y or z.
Scene sled_with_rotor(bool by_rows, bool upright, double rate, double friction) {
  const char* const axis = upright ? "z" : "y";
  const std::string by_joints = fmt::format(R"(
      rotor: {{parent: sled, at: [0, 0, 10 cm], joint: {{type: hinge, axis: {}}}, start: {{rate: {}}},
              shape: {{sphere: 2 cm}}, mass: 0.1 kg}}
      tip: {{parent: rotor, at: [10 cm, 0, 0], joint: weld, shape: {{sphere: 3 cm}}, mass: 0.3 kg}})",
                                            axis, rate);
  const std::string loose =
      fmt::format(R"(
  r: {{links: {{rotor: {{shape: {{sphere: 3 cm}}, mass: 0.3 kg, start: {{position: [10 cm, 0, 15 cm],
                         velocity: [1.5, {}, {}], spin: [0, {}, {}]}}}}}}}})",
                  upright ? 0.1 * rate : 0, upright ? 0 : -0.1 * rate, upright ? 0 : rate, upright ? rate : 0);
  const std::string bearing = fmt::format(
      "constraints: [hinge: {{name: bearing, a: f.sled, at: [0, 0, 10 cm], b: r.rotor, at_b: [-10 cm, 0, 0], axis: "
      "{}}}]",
      axis);
  return parse_scene(fmt::format(R"(marey: 1
duration: 0.5 s
gravity: [0, 0, -9.81]
solver: {{dynamics: aba, integrator: rk4, step: 1 ms}}
record: {{every: 10 ms}}
figures:
  f:
    links:
      sled: {{shape: {{box: [60 cm, 60 cm, 10 cm]}}, mass: 40 kg, start: {{position: [0, 0, 5 cm], velocity: [1.5, 0, 0]}}}}{}
contacts: [{{link: f.sled, at: corners, friction: {}}}]
{}
)",
                                 by_rows ? loose : by_joints, friction, by_rows ? bearing : ""),
                     "sled.yaml");
}

TEST(Composition, SemiImplicitStepsOnAFloorPumpNoEnergyIntoWhatGoesRound) {
  for (const Dynamics dynamics : {Dynamics::aba, Dynamics::multipliers})
    for (const bool by_rows : {false, true}) {
      Scene scene = sled_with_rotor(by_rows, true, 60, 0);
      choose(scene, dynamics, Integrator::semi_implicit, 1e-3, 0);
      const Ledger books = motion_of(scene).summary.ledger;
      std::printf("%s %d: gained %.2e of %.3g J\n", name_of(dynamics), by_rows ? 1 : 0,
                  books.energy_end - books.energy_start, books.energy_start);
      EXPECT_LE(std::abs(books.energy_end - books.energy_start), 2e-3 * books.energy_start);
    }
}

// Friction is that of the whole load, which the rotor's turning changes: half of it would stop the sled elsewhere.
TEST(Composition, SemiImplicitStepsOnAFloorRubWithAllOfTheLoad) {
  for (const bool by_rows : {false, true}) {
    const auto slid = [&](Dynamics dynamics, Integrator integrator, double step) {
      Scene scene = sled_with_rotor(by_rows, false, 40, 0.3);
      choose(scene, dynamics, integrator, step, 0);
      const Memory memory = motion_of(scene);
      return memory.vec("link/f.sled/position", memory.rows.size() - 1).x;
    };
    const double right = slid(Dynamics::aba, Integrator::rk4, 2.5e-4);
    for (const Dynamics dynamics : {Dynamics::aba, Dynamics::multipliers}) {
      const double coarse = slid(dynamics, Integrator::semi_implicit, 1e-3) - right,
                   fine = slid(dynamics, Integrator::semi_implicit, 5e-4) - right;
      std::printf("%s %d: off by %.2e m, %.2e with half the step, of %.3g m\n", name_of(dynamics), by_rows ? 1 : 0,
                  coarse, fine, right);
      EXPECT_LE(std::abs(coarse), 1e-3);
      EXPECT_LE(std::abs(fine), 5e-4);
    }
  }
}

// A rotor so heavy that the far corners of its sled hardly touch: points that begin to slide are not stopped at once by the half
// that is still to come, nor are idle ones pressed into the floor by it.
TEST(Composition, SemiImplicitStepsOnAFloorDoNotChatter) {
  Scene scene = parse_scene(R"(marey: 1
duration: 0.3 s
gravity: [0, 0, -9.81]
solver: {dynamics: multipliers, integrator: semi_implicit, step: 1 ms}
record: {every: 10 ms}
figures:
  f:
    links:
      sled: {shape: {box: [60 cm, 60 cm, 10 cm]}, mass: 4 kg, start: {position: [0, 0, 5 cm]}}
      rotor: {parent: sled, at: [28 cm, 28 cm, 10 cm], joint: {type: hinge, axis: y}, start: {rate: 9 rad/s},
              shape: {sphere: 2 cm}, mass: 1 kg}
      tip: {parent: rotor, at: [10 cm, 0, 0], joint: weld, shape: {sphere: 3 cm}, mass: 6 kg}
contacts: [{link: f.sled, at: corners, friction: 0.5}]
)",
                            "heavy.yaml");
  const RunSummary bodies = motion_of(scene).summary;
  scene.solver.dynamics = Dynamics::aba;  // whose joints need no halves
  const RunSummary joints = motion_of(scene).summary;
  std::printf("%lld events, %lld in joints' coordinates; %.2e and %.2e of the energy missing\n", bodies.events,
              joints.events, bodies.ledger.energy_residual_relative, joints.ledger.energy_residual_relative);
  EXPECT_LE(bodies.events, 3 * joints.events);
  EXPECT_LE(bodies.ledger.energy_residual_relative, 1.2 * joints.ledger.energy_residual_relative);
}

// Bodies do not say how many turns a hinge has made; the past has to.
TEST(Composition, ADelayOverSeveralTurns) {
  Scene scene = parse_scene(R"(marey: 1
duration: 1 s
gravity: [0, 0, 0]
solver: {dynamics: aba, integrator: rk4, step: 2 ms}
record: {every: 0.1 s}
figures: {arm: {links: {bar: {joint: {type: hinge, axis: y}, shape: {capsule: {radius: 3 cm, length: 30 cm}}, mass: 1 kg,
  start: {rate: 20 rad/s}}}}}
torques: [{reflex: {joint: arm.bar, stiffness: 0.02 N m/rad, damping: 0.01 N m s/rad, delay: 0.7 s}}]
)",
                            "turns.yaml");
  const Memory right = motion_of(scene);
  scene.solver.dynamics = Dynamics::multipliers;
  const Memory other = motion_of(scene);
  for (std::size_t i = 0; i < right.rows.size(); ++i)
    EXPECT_LE(norm(right.vec("link/arm.bar/spin", i) - other.vec("link/arm.bar/spin", i)), 1e-9) << i;
  EXPECT_GT(norm(right.vec("link/arm.bar/spin", 10) - right.vec("link/arm.bar/spin", 0)), 0.1);
}

// ---- constraints by impulses at the ends of variational steps
Memory by_midpoint(const std::string& scene, double step, double duration, int frames = 10) {
  return recorded::run_text(
      fmt::format("duration: {} s\nsolver: {{integrator: midpoint, step: {} s}}\nrecord: {{every: {} s}}\n"
                  "ledger: {{closed_within: 0.001}}\n{}",
                  duration, step, duration / frames, scene));
}

// Two links, pinned to each other and to the world by constraints alone.
const char* const pinned = R"(
gravity: [0, 0, -9.81]
figures:
  f:
    links:
      upper: {mass: 2 kg, inertia: {box: [4 cm, 4 cm, 60 cm]}, start: {position: [30 cm, 0, 0], turned: {axis: y, angle: 90 deg}}}
      lower: {mass: 1 kg, inertia: {box: [4 cm, 4 cm, 40 cm]}, start: {position: [80 cm, 0, 0], turned: {axis: y, angle: 90 deg}}}
constraints:
  - hinge: {name: shoulder, b: f.upper, at: [0, 0, 0], axis: y}
  - ball: {name: elbow, a: f.upper, at: [0, 0, 30 cm], b: f.lower}
)";

TEST(VariationalConstraints, HaveTheOrderOfTheMethod) {
  const Memory right = recorded::run_text(std::string("duration: 0.8 s\nsolver: {integrator: rk45, tolerance: 1e-11}\n"
                                                      "record: {every: 0.08 s}\n") +
                                          pinned);
  double error[2];
  for (const int halved : {0, 1}) {
    const Memory m = by_midpoint(pinned, halved ? 1e-3 : 2e-3, 0.8);
    ASSERT_EQ(m.summary.breakdown, "");
    error[halved] = norm(m.vec("link/f.lower/position", 10) - right.vec("link/f.lower/position", 10));
    EXPECT_LE(m.number("constraint/elbow/error", 10), 1e-12);
  }
  EXPECT_LE(error[1], 1e-3);
  EXPECT_NEAR(error[0] / error[1], 4, 0.4);
}

// A symplectic method has no trend in its energy; rk4 with projection has one.
TEST(VariationalConstraints, EnergyDoesNotWander) {
  const double duration = sanitized ? 10 : 80;
  const Memory m = by_midpoint(pinned, 5e-3, duration, 400);
  ASSERT_EQ(m.summary.breakdown, "");
  double early = 0, late = 0, drift = 0;
  const std::size_t n = m.rows.size(), part = n / 2;
  for (std::size_t i = 0; i < part; ++i) {
    const double first = m.number("energy/residual", i), last = m.number("energy/residual", n - 1 - i);
    early += first * first / static_cast<double>(part), late += last * last / static_cast<double>(part);
    drift += (last - first) / static_cast<double>(part);
  }
  EXPECT_GT(early, 1e-12);
  if (sanitized) return;  // too short for a trend
  EXPECT_LE(std::sqrt(late), 1.5 * std::sqrt(early));
  EXPECT_LE(std::abs(drift), 0.5 * std::sqrt(early));
}

// Two bodies on a rod in free space turn about each other: momenta are kept to rounding, the rod's length too.
TEST(VariationalConstraints, KeepMomenta) {
  const Memory m = by_midpoint(R"(
gravity: [0, 0, 0]
figures:
  a: {links: {body: {mass: 2 kg, inertia: {sphere: 10 cm}, start: {velocity: [0, 1 m/s, 0.2 m/s], spin: [1, 2, 3]}}}}
  b: {links: {body: {mass: 1 kg, inertia: {box: [10 cm, 20 cm, 30 cm]}, start: {position: [1 m, 0, 0], velocity: [0, -2 m/s, 0], spin: [3, 0, -1]}}}}
constraints:
  - rod: {name: rod, a: a.body, at: [10 cm, 0, 0], b: b.body, at_b: [0, 5 cm, 0]}
start: projected
)",
                               2e-3, 4);
  ASSERT_EQ(m.summary.breakdown, "");
  for (const char* what : {"momentum/linear", "momentum/angular"})
    for (std::size_t i = 1; i < m.rows.size(); ++i) EXPECT_LE(norm(m.vec(what, i) - m.vec(what, 0)), 1e-11) << what;
  EXPECT_LE(m.summary.ledger.linear_momentum_residual_relative, 1e-12);
}

// A crank that follows a function of time: its work is in the books, and closes them to the method's order.
TEST(VariationalConstraints, BookTheWorkOfDrives) {
  double left[2];
  for (const int halved : {0, 1}) {
    const Memory m = by_midpoint(R"(
gravity: [0, 0, -9.81]
figures: {f: {links: {
  crank: {joint: {type: hinge, axis: y}, mass: 1 kg, inertia: {box: [4 cm, 4 cm, 40 cm]}},
  rod: {parent: crank, at: [0, 0, 20 cm], joint: {type: hinge, axis: y}, mass: 1 kg, inertia: {box: [4 cm, 4 cm, 30 cm]}}}}}
constraints: [follow: {name: motor, joint: f.crank, angle: 'sin(3*t) - 3*t'}]
start: projected
)",
                                 halved ? 1e-3 : 2e-3, 1);
    ASSERT_EQ(m.summary.breakdown, "");
    double work = 0;
    for (const auto& [source, joules] : m.summary.ledger.work_in)
      if (source == "motor") work = joules;
    EXPECT_GT(std::abs(work), 0.1);
    left[halved] = m.summary.ledger.energy_residual_relative;
  }
  EXPECT_LE(left[1], 1e-4);
  EXPECT_NEAR(left[0] / left[1], 4, 1);
}

// Rows of velocities have no place to end at. Held at the ends of steps alone, places would be a step's half behind.
TEST(VariationalConstraints, VelocitiesAreHeldInTheMiddleOfSteps) {
  double off[2];
  for (const int halved : {0, 1}) {
    const Memory m = by_midpoint(R"(
gravity: [0, 0, 0]
figures: {f: {links: {
  crank: {joint: {type: hinge, axis: y}, mass: 1 kg, inertia: {box: [4 cm, 4 cm, 40 cm]}, start: {rate: 2 rad/s}},
  rod: {parent: crank, at: [0, 0, 20 cm], joint: {type: hinge, axis: y}, mass: 1 kg, inertia: {box: [4 cm, 4 cm, 30 cm]}}}}}
drives: [{joint: f.crank, velocity: '2 + 1.5*sin(3*t)'}]
)",
                                 halved ? 2.5e-3 : 5e-3, 1);
    ASSERT_EQ(m.summary.breakdown, "");
    const double angle = 2 + 0.5 * (1 - std::cos(3.0));
    const Vec3<double> p = m.vec("link/f.rod/position", m.rows.size() - 1);
    off[halved] = std::remainder(std::atan2(p.x, p.z) - angle, 2 * M_PI);
  }
  EXPECT_NEAR(off[1], 2.5e-3 * 2.5e-3 / 24 * 4.5 * (1 - std::cos(3.0)), 1e-9);  // of the midpoint rule
  EXPECT_NEAR(off[0] / off[1], 4, 0.5);
}

// ---- welds beside what restricts
// An arm sinks until its hand lies on rough ground, with a rod to a pendulum beside it. Where joints are still they are
// welded; a push wakes them, lifts the hand, and it falls down again. With welds it is the same motion, to what stopping slow
// joints does, and the books close.
Memory at_rest(const std::string& duration, const std::string& weld) {
  return recorded::run_text("duration: " + duration + R"(
gravity: [0, 0, -9.81]
record: {every: 0.1 s}
solver: {integrator: rk4, step: 1 ms)" +
                            weld + R"(}
figures:
  arm:
    links:
      upper: {joint: {type: hinge, axis: y}, shape: {capsule: {radius: 3 cm, length: 30 cm, along: x}}, mass: 2 kg}
      fore: {parent: upper, at: [30 cm, 0, 0], joint: {type: hinge, axis: y}, shape: {capsule: {radius: 2 cm, length: 30 cm, along: x}}, mass: 1 kg}
  bell: {links: {body: {at: [0, 20 cm, 10 cm], joint: {type: hinge, axis: y}, shape: {capsule: {radius: 3 cm, length: 30 cm, along: x}}, mass: 1 kg}}}
torques:
  - friction: {joint: arm.upper, coefficient: 2 N m s/rad}
  - friction: {joint: arm.fore, coefficient: 0.5 N m s/rad}
  - friction: {joint: bell.body, coefficient: 1 N m s/rad}
forces:
  - spike: {link: arm.fore, force: [0, 0, 60 N], lasts: 0.2 s, from: 3 s}
contacts:
  - {name: hand, link: arm.fore, at: [30 cm, 0, 0], floor: -30 cm, friction: 0.5, restitution: 0.2}
constraints:
  - rod: {name: string, a: arm.upper, at: [15 cm, 0, 0], b: bell.body, at_b: [15 cm, 0, 0]}
)");
}

TEST(WeldsBesideRows, LieOnAFloorWithALoopAndAreWokenByAnImpact) {
  const Memory right = at_rest("9 s", ""),
               welded = at_rest("9 s", ", weld: {below: 0.002 rad/s, for: 0.2 s, wake: 20 N m}");
  EXPECT_EQ(welded.summary.breakdown, "");
  EXPECT_GE(welded.summary.welds_made, 4);   // before the push and after it
  EXPECT_GE(welded.summary.welds_woken, 2);  // by the push or the impact
  EXPECT_GE(welded.summary.welded, 1);
  const std::size_t last = right.rows.size() - 1;
  EXPECT_EQ(right.rows.size(), welded.rows.size());
  for (const char* link : {"arm.upper", "arm.fore", "bell.body"})
    for (const std::size_t i : {last / 3 - 2, last})
      EXPECT_LE(recorded::angle_between(right.turn(fmt::format("link/{}/orientation", link), i),
                                        welded.turn(fmt::format("link/{}/orientation", link), i)),
                2e-3)  // rad: what creeps at 0.002 rad/s comes to rest within a second
          << link << " " << i;
  EXPECT_LE(welded.summary.ledger.energy_residual_relative, 1e-7);
  EXPECT_LE(welded.summary.ledger.linear_momentum_residual_relative, 1e-8);
  EXPECT_LE(welded.summary.ledger.angular_momentum_residual_relative, 1e-8);
}

// Two capsules in a row on the joint given, with whatever else the scene has.
Memory two_capsules(const std::string& solver, const std::string& start, const std::string& joint,
                    const std::string& rest) {
  return recorded::run_text(fmt::format(R"(
gravity: [0, 0, -9.81]
solver: {{step: 1 ms{}}}
figures:
  f:
    links:
      one: {{shape: {{capsule: {{radius: 3 cm, length: 30 cm, along: x}}}}, mass: 2 kg, start: {}}}
      two: {{parent: one, at: [30 cm, 0, 0], joint: {}, mass: 1 kg,
            shape: {{capsule: {{radius: 2 cm, from: [0, 0, 0], to: [30 cm, 5 cm, 0]}}}}}}
{})",
                                        solver, start, joint, rest));
}

// In free flight the joints of a body that does not turn are still, and are welded; when it comes down on one end they give
// way at once, as if they had never been.
TEST(WeldsBesideRows, AnImpactWakes) {
  const auto falls = [](const std::string& weld) {
    return two_capsules(weld, "{position: [0, 0, 30 cm], velocity: [0.5 m/s, 0, 0]}", "{type: hinge, axis: y}",
                        "duration: 0.35 s\nrecord: {every: 0.05 s}\n"
                        "contacts: [{name: end, link: f.two, at: [30 cm, 0, 0], friction: 0.3, restitution: 0.5}]\n");
  };
  const Memory right = falls(""), welded = falls(", weld: {below: 0.01 rad/s, for: 0.1 s, wake: 1 N m}");
  EXPECT_EQ(welded.summary.welds_made, 1);
  EXPECT_EQ(welded.summary.welds_woken, 1);
  const std::size_t last = right.rows.size() - 1;
  for (const char* link : {"f.one", "f.two"})
    EXPECT_LE(norm(right.vec(fmt::format("link/{}/velocity", link), last) -
                   welded.vec(fmt::format("link/{}/velocity", link), last)),
              1e-9);
  EXPECT_GT(std::abs(right.number("joint/f.two/angle", last)), 0.1);
}

// Joints held from the first step on: it swings as one body does, but for what that step has let the joint move.
TEST(WeldsBesideRows, SwingAsOneBody) {
  const auto swings = [](const std::string& joint, const std::string& weld) {
    return two_capsules(weld, "{}", joint,
                        "duration: 1 s\nrecord: {every: 0.1 s}\nconstraints: [ball: {name: hook, b: f.one}]\n");
  };
  const Memory right = swings("weld", ""),
               welded = swings("ball", ", weld: {below: 100 rad/s, for: 0.5 ms, wake: 1 MN m}");
  EXPECT_EQ(welded.summary.welds_made, 1);
  for (std::size_t i = 1; i < right.rows.size(); ++i)
    EXPECT_LE(norm(right.vec("link/f.two/position", i) - welded.vec("link/f.two/position", i)), 1e-4) << i;
  EXPECT_GT(norm(right.vec("link/f.two/position", 5) - right.vec("link/f.two/position", 0)), 0.2);
  EXPECT_LE(welded.summary.ledger.energy_residual_relative, 1e-6);
}

// What a weld stops is passed on to the hook by an impulse that is booked, and is no drift to be put right in silence.
TEST(WeldsBesideRows, PassOnWhatTheyStop) {
  for (const char* integrator : {"rk4", "semi_implicit"}) {
    const Memory m =
        two_capsules(fmt::format(", integrator: {}, weld: {{below: 100 rad/s, for: 50 ms, wake: 1 MN m}}", integrator),
                     "{}", "{type: hinge, axis: y}",
                     "duration: 0.2 s\nrecord: {every: 0.1 s}\nconstraints: [ball: {name: hook, b: f.one}]\n");
    EXPECT_EQ(m.summary.welds_made, 1);
    // Semi-implicit steps miss 3.3e-3 and 6.4e-4 by themselves (half of it at half the step); the hook's work is 2.3e-3.
    EXPECT_LE(m.summary.ledger.linear_momentum_residual_relative, 5e-3) << integrator;
    EXPECT_LE(m.summary.ledger.energy_residual_relative, 1e-3) << integrator;
  }
}

// What holds the roots carries what the floor and the rod do, in either coordinates.
TEST(Composition, ReactionsOfRootsInMaximalCoordinates) {
  const Memory right = at_rest("1 s", ""), other = at_rest("1 s", ", dynamics: multipliers");
  const std::size_t last = right.rows.size() - 1;
  EXPECT_EQ(other.summary.breakdown, "");
  EXPECT_GT(norm(right.vec("contact/hand/force", last)), 1);
  for (const char* link : {"arm.upper", "arm.fore", "bell.body"})
    EXPECT_LE(norm(right.vec(fmt::format("link/{}/position", link), last) -
                   other.vec(fmt::format("link/{}/position", link), last)),
              1e-9);
  for (const Memory* m : {&right, &other}) {
    EXPECT_LE(m->summary.ledger.energy_residual_relative, 1e-8);
    EXPECT_LE(m->summary.ledger.linear_momentum_residual_relative, 1e-9);
    EXPECT_LE(m->summary.ledger.angular_momentum_residual_relative, 1e-9);
  }
}

}  // namespace composition_test
