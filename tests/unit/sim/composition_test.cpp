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

// Of eight methods: before the parts composed, 655 of these 1,440 were allowed by the rules there were; 216 have a reason left.
TEST(Composition, EveryCellRunsOrIsRefusedForItsOwnReason) {
  int runs = 0, refused = 0;
  for (const Cell& cell : all_cells(true))
    for (const Dynamics dynamics : all_dynamics)
      for (const Integrator integrator : all_integrators()) {
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
  const int methods = static_cast<int>(all_integrators().size());
  EXPECT_EQ(runs + refused, 180 * methods);
  EXPECT_EQ(refused, 9 * 2 * (methods + 4));
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
// Of a method that is not listed, what its order promises.
double allowed_of(Integrator i) {
  if (const auto known = allowed.find(i); known != allowed.end()) return known->second;
  constexpr double by_order[] = {3e-2, 1e-4, 1e-5};
  return !has_fixed_step(i) ? 1e-6 : order_of(i) <= 3 ? by_order[order_of(i) - 1] : 1e-7;
}

TEST(Composition, MethodsAgreeWhateverActs) {
  int count = 0;
  for (const Cell& cell : all_cells(false)) {
    if (count++ % every(5) != 0) continue;
    Scene scene = scene_of(cell);
    choose(scene, Dynamics::aba, Integrator::rk45, 0, 1e-10);
    const Memory right = motion_of(scene);
    for (const Dynamics dynamics : {Dynamics::aba, Dynamics::multipliers})
      for (const Integrator integrator : all_integrators()) {
        SCOPED_TRACE(cell.text() + ", " + name_of(dynamics) + ", " + name_of(integrator));
        choose(scene, dynamics, integrator, 0.5e-3, 1e-8);
        const Memory other = motion_of(scene);
        EXPECT_LE(apart(right, other), allowed_of(integrator));
        EXPECT_LE(other.summary.ledger.energy_residual_relative, allowed_of(integrator));
        EXPECT_LE(other.summary.ledger.linear_momentum_residual_relative, allowed_of(integrator));
        EXPECT_LE(other.summary.ledger.angular_momentum_residual_relative, allowed_of(integrator));
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
    if (by_rows && sanitized) continue;  // the same floor, seen through its rows: EveryCell… has those lines
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
  // How often such a sled goes from grip to slip hangs on rounding: five of them, which turn at other rates, are counted together.
  const auto run_with = [&](Dynamics dynamics, double rate) {
    scene.solver.dynamics = dynamics;
    scene.start.v[6] = rate;
    return motion_of(scene).summary;
  };
  long long of_bodies = 0, of_joints = 0;
  for (const double rate : {7, 8, 9, 10, 11}) {
    const RunSummary bodies = run_with(Dynamics::multipliers, rate);
    const RunSummary joints = run_with(Dynamics::aba, rate);  // whose joints need no halves
    of_bodies += bodies.events, of_joints += joints.events;
    std::printf("%lld events, %lld in joints' coordinates; %.2e and %.2e of the energy missing\n", bodies.events,
                joints.events, bodies.ledger.energy_residual_relative, joints.ledger.energy_residual_relative);
    if (rate == 9) {
      EXPECT_LE(bodies.ledger.energy_residual_relative, 1.2 * joints.ledger.energy_residual_relative);
    }
  }
  EXPECT_LE(of_bodies, 3 * of_joints);
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

}  // namespace composition_test
