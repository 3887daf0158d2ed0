// Pushed and driven by hand while it runs: what it does, what is booked, and that the same done again gives the same motion.
#include "marey/inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "marey/io/scene.h"
#include "marey/simulation.h"
#include "support/trouble.h"

namespace marey {
namespace {

Scene ball_in_space() {
  Scene scene = parse_scene(
      "marey: 1\nduration: 10 s\ngravity: 0\nsolver: {integrator: rk4, step: 10 ms}\nfigures: {ball: {links: {body: "
      "{mass: 2 kg, "
      "inertia: {sphere: 10 cm}}}}}\n",
      "ball.yaml");
  scene.takes_inputs = true;
  return scene;
}
Scene gallery(const std::string& name) {
  Scene scene = load_scene(std::string(MAREY_SOURCE_DIR "/gallery/") + name + ".yaml");
  scene.takes_inputs = true;
  return scene;
}

// A ball of 2 kg and J = 2/5 m r² = 0.008 kg m²: 3 N for half a second are 0.75 m/s; at 10 cm to the side also a torque, which
// turns with the body, so that it is applied in the world's axes instead.
TEST(Inputs, PushesMoveWhatTheyShould) {
  Simulation simulation(ball_in_space());
  simulation.run_until(0.123);  // off the grid
  simulation.push(1, {3, 0, 0}, {0, 0, 0.004});
  simulation.run_until(0.623);
  simulation.push(1, {});
  simulation.run_until(1.623);
  const State& s = simulation.state();
  EXPECT_NEAR(s.v[3], 0.75, 1e-12);
  EXPECT_NEAR(s.q[4], 0.75 / 4 + 0.75, 1e-12);
  EXPECT_NEAR(s.v[2], 0.5 * 0.004 / 0.008, 1e-12);
  const Ledger ledger = simulation.ledger();
  ASSERT_EQ(ledger.work_in.size(), 1u);
  EXPECT_EQ(ledger.work_in[0].first, "inputs");
  EXPECT_NEAR(ledger.work_in[0].second, 0.75 * 0.75 + 0.5 * 0.008 * 0.0625, 1e-12);
  EXPECT_LT(ledger.energy_residual_relative, 1e-12);
  EXPECT_LT(ledger.linear_momentum_residual_relative, 1e-12);
  EXPECT_LT(ledger.angular_momentum_residual_relative, 1e-12);
}

// At a point of the body, which goes round with it: the moment about the centre is p × F at the start.
TEST(Inputs, APushActsAtItsPoint) {
  Simulation simulation(ball_in_space());
  simulation.push(1, {0, 0.2, 0}, {}, {0.1, 0, 0});
  simulation.step(1e-3);
  EXPECT_NEAR(simulation.state().v[2], 1e-3 * 0.1 * 0.2 / 0.008, 1e-9);
  EXPECT_NEAR(simulation.state().v[4], 1e-3 * 0.1, 1e-12);
  EXPECT_LT(simulation.ledger().energy_residual_relative, 1e-9);
}

TEST(Inputs, JointsAreDriven) {
  Scene scene = parse_scene(
      "marey: 1\nduration: 10 s\ngravity: 0\nfigures: {w: {links: {wheel: {joint: {type: hinge, axis: z}, mass: 1 kg, "
      "inertia: {diagonal: [0.3, 0.3, 0.5]}}}}}\n",
      "wheel.yaml");
  scene.takes_inputs = true;
  Simulation simulation(scene);
  const double torque[] = {0.25}, none[] = {0.0};
  simulation.drive(1, torque);
  simulation.run_until(2);
  EXPECT_NEAR(simulation.state().v[0], 1, 1e-12);
  simulation.drive(1, none);
  simulation.run_until(3);
  EXPECT_NEAR(simulation.state().v[0], 1, 1e-12);
  EXPECT_NEAR(simulation.state().q[0], 2, 1e-11);
  EXPECT_NEAR(simulation.ledger().work_in[0].second, 0.25, 1e-12);
}

// What rests on a floor lifts off when it is pulled up, and not before.
TEST(Inputs, ContactsNotice) {
  Scene scene = parse_scene(R"(marey: 1
duration: 10 s
figures: {box: {links: {body: {mass: 2 kg, inertia: {sphere: 10 cm}, start: {position: [0, 0, 10 cm]}}}}}
contacts: [{link: box.body, at: [0, 0, -10 cm], floor: {height: 0}, friction: 0.5, restitution: 0}]
)",
                            "box.yaml");
  scene.takes_inputs = true;
  Simulation simulation(scene);
  simulation.run_until(0.5);
  EXPECT_NEAR(simulation.values("contact/box.body/floor/force")[2], 2 * 9.81, 1e-9);
  simulation.push(1, {0, 0, 15});
  EXPECT_NEAR(simulation.values("contact/box.body/floor/force")[2], 2 * 9.81 - 15, 1e-9);
  simulation.run_until(1);
  EXPECT_NEAR(simulation.state().v[5], 0, 1e-12);
  simulation.push(1, {0, 0, 2 * 9.81 + 4});
  simulation.run_until(2);
  EXPECT_NEAR(simulation.state().v[5], 2, 1e-9);
  EXPECT_TRUE(simulation.ledger().closed);
}

// ------------------------------------------------------------------------------------------------------- replay
struct Played {
  std::vector<Input> inputs;
  State end;
  Ledger ledger;
};
Played play(const std::shared_ptr<const System>& system, unsigned seed, double until) {
  Simulation simulation(system);
  const Model& model = system->model();
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> share(0, 1);
  double size = 0;
  for (const LinkParams<double>& link : model.params.links) size += link.I.m;
  while (simulation.time() < until) {
    const int link = 1 + static_cast<int>(random() % static_cast<unsigned>(model.nlink() - 1));
    const int freedoms = freedom_count(model.links[static_cast<std::size_t>(link)]);
    const auto number = [&] { return size * normal(random); };
    if (const std::vector<Element>& all = system->scene().elements; random() % 4 == 0 && !all.empty()) {
      const Element& e = all[random() % all.size()];
      if (const std::vector<std::string> names = numbers_of(e); !names.empty()) {
        const std::size_t which = random() % names.size();
        simulation.set(e.name, names[which], number_of(e, which) * (0.5 + share(random)));
      }
    } else if (random() % 2 == 0) {
      const Vec3<double> force{number(), number(), number()}, at{0.01 * normal(random), 0, 0.01};
      simulation.push(link, force, {}, at);
    } else if (freedoms > 0) {
      std::vector<double> forces(static_cast<std::size_t>(freedoms));
      for (double& f : forces) f = 0.02 * number();
      simulation.drive(link, forces);
    }
    if (random() % 3 == 0)
      simulation.step();
    else
      simulation.run_until(std::min(until, simulation.time() + 0.1 * until * share(random)));
  }
  return {{simulation.inputs().begin(), simulation.inputs().end()}, simulation.state(), simulation.ledger()};
}

TEST(Inputs, TheSameDoneAgainIsTheSameMotion) {
  unsigned seed = 1;
  for (const char* name :
       {"finger-tap", "limp-figure", "four-bar", "bouncing-ball", "kick", "shoulder", "late-reflex"}) {
    for (const Integrator method : {Integrator::semi_implicit, Integrator::rk4, Integrator::rk45, Integrator::adams}) {
      Scene scene = gallery(name);
      scene.solver.integrator = method;
      scene.solver.slow_band = 1, scene.solver.spread = false;
      if (has_fixed_step(method)) scene.solver.step = std::min(scene.solver.step, 2e-3);
      const double until = 0.3;
      const auto system = std::make_shared<const System>(scene);
      const Played first = play(system, seed++, until);
      Simulation again(system);
      again.replay(first.inputs, until);
      SCOPED_TRACE(std::string(name) + ", " + name_of(method));
      EXPECT_GT(first.inputs.size(), 5u);
      EXPECT_EQ(again.time(), first.end.t);
      EXPECT_EQ(again.state().q, first.end.q);
      EXPECT_EQ(again.state().v, first.end.v);
      EXPECT_EQ(again.ledger().work_in, first.ledger.work_in);
      EXPECT_EQ(again.inputs().size(), first.inputs.size());
      if (order_of(method) > 1) {
        EXPECT_LT(first.ledger.energy_residual_relative, 1e-3);
      }
    }
  }
}

// Drives are sent elsewhere and brakes let slip at random instants; again it is the same, also from the middle.
TEST(Inputs, CommandsDoneAgainAreTheSameMotion) {
  for (const Dynamics dynamics : {Dynamics::aba, Dynamics::multipliers}) {
    Scene scene = gallery("joints-take-turns");
    scene.solver.dynamics = dynamics;
    const auto system = std::make_shared<const System>(scene);
    Simulation simulation(system);
    std::mt19937 random(7);
    std::uniform_real_distribution<double> share(0, 1);
    SavedState middle = simulation.save();
    std::vector<Input> before;
    for (int k = 0; simulation.time() < 1.9; ++k) {
      const double x = share(random) - 0.5;
      simulation.command(k % 2 == 0 ? "script" : "nod", x, 0.05 + 0.1 * share(random));
      if (simulation.time() > 1.5) simulation.command("motor", 3 * x);
      simulation.run_until(simulation.time() + 0.15 * share(random));
    }
    const std::vector<Input> inputs(simulation.inputs().begin(), simulation.inputs().end());
    const State end = simulation.state();
    EXPECT_LT(simulation.ledger().energy_residual_relative, 1e-6);
    EXPECT_LT(simulation.ledger().angular_momentum_residual_relative, 1e-6);
    Simulation again(system);
    again.replay(inputs, end.t);
    EXPECT_EQ(again.state().q, end.q);
    EXPECT_EQ(again.state().v, end.v);
    const std::size_t half = inputs.size() / 2;
    Simulation third(system);
    third.replay(std::span(inputs).first(half), inputs[half].t);
    Simulation fourth(system);
    fourth.restore(third.save());
    fourth.replay(std::span(inputs).subspan(half), end.t);
    EXPECT_EQ(fourth.state().q, end.q);
    EXPECT_EQ(fourth.state().v, end.v);
  }
}

// A wheel with friction: ω falls by e^(−c t/J), and by another c from the moment on at which it is set.
TEST(Inputs, NumbersAreSet) {
  Scene scene = parse_scene(
      "marey: 1\nduration: 10 s\ngravity: 0\nsolver: {integrator: rk4, step: 5 ms}\nfigures: {w: {links: {wheel: "
      "{joint: "
      "{type: hinge, axis: z}, mass: 1 kg, inertia: {diagonal: [0.3, 0.3, 0.5]}, start: {rate: 2 rad/s}}}}}\n"
      "torques: [friction: {name: brake, joint: w.wheel, coefficient: 0.1 N m s/rad}]\n",
      "wheel.yaml");
  scene.takes_inputs = true;
  Simulation simulation(scene);
  simulation.run_until(1.003);
  simulation.set("brake", "coefficient", 0.4);
  const SavedState saved = simulation.save();
  simulation.run_until(2);
  EXPECT_NEAR(simulation.state().v[0], 2 * std::exp(-(0.1 * 1.003 + 0.4 * 0.997) / 0.5), 1e-10);
  Simulation other(scene);
  other.restore(saved);
  other.run_until(2);
  EXPECT_EQ(other.state().v, simulation.state().v);
  other.set("brake", "coefficient", 0);
  simulation.restore(saved);  // and what was set before is as it was
  simulation.run_until(2);
  EXPECT_EQ(other.state().v, simulation.state().v);
}

// Whoever stiffens a stretched spring does work on it: ½ Δk x².
TEST(Inputs, AChangedPotentialIsWork) {
  Scene scene = parse_scene(
      "marey: 1\nduration: 10 s\ngravity: 0\nsolver: {integrator: rk45, tolerance: 1e-10}\nfigures: {f: {links: {bob: "
      "{mass: "
      "2 kg, inertia: {sphere: 10 cm}, start: {position: [30 cm, 0, 0], velocity: [0, 1 m/s, 0]}}}}}\n"
      "forces: [spring: {name: string, link: f.bob, to: [0, 0, 0], stiffness: 50 N/m, rest: 10 cm}]\n",
      "spring.yaml");
  scene.takes_inputs = true;
  Simulation simulation(scene);
  const double energy = simulation.potential_energy();
  EXPECT_NEAR(energy, 0.5 * 50 * 0.04, 1e-12);
  simulation.set("string", "stiffness", 80);
  EXPECT_NEAR(simulation.potential_energy(), 0.5 * 80 * 0.04, 1e-12);
  simulation.run_until(1);
  const Ledger ledger = simulation.ledger();
  EXPECT_EQ(ledger.work_in[0].first, "string");
  EXPECT_NEAR(ledger.work_in[0].second, 0.5 * 30 * 0.04, 1e-9);
  EXPECT_LT(ledger.energy_residual_relative, 1e-8);
}

// Nets have many springs behind one number; those that nobody has set are as they were, also after going back.
TEST(Inputs, GoingBackLeavesNetsAlone) {
  Scene scene = gallery("jelly");
  Simulation simulation(scene);
  const double energy = simulation.potential_energy();
  const SavedState saved = simulation.save();
  simulation.restore(saved);
  EXPECT_EQ(simulation.potential_energy(), energy);
  const auto net =
      std::ranges::find_if(scene.elements, [](const Element& e) { return e.kind.get_if<SpringNet>() != nullptr; });
  ASSERT_NE(net, scene.elements.end());
  simulation.run_until(0.01);
  const double before = simulation.potential_energy();
  const SavedState bent = simulation.save();
  simulation.set(net->name, "stiffness", 1);
  EXPECT_NE(simulation.potential_energy(), before);
  simulation.restore(bent);
  EXPECT_EQ(simulation.potential_energy(), before);
}

// What happened within a step happened with the numbers of then.
TEST(Inputs, TheLastStepKeepsItsNumbers) {
  Scene scene = ball_in_space();
  scene.elements = {{"string", SpringNet{{{{1, {}}, {0, {1, 0, 0}}, 50, 0.2}}}}};
  Simulation simulation(scene);
  simulation.run_until(0.5);
  const double t = 0.495;
  const std::vector<double> row(simulation.row_at(t).begin(), simulation.row_at(t).end());
  simulation.set("string", "stiffness", 80);
  EXPECT_EQ(std::vector<double>(simulation.row_at(t).begin(), simulation.row_at(t).end()), row);
}

// A motor told another speed takes it on by an impulse; a joint told another angle is there after the time it was given.
void command_drives(Integrator integrator) {
  Scene scene = parse_scene(R"(marey: 1
duration: 10 s
gravity: 0
solver: {integrator: rk4, step: 2 ms}
figures:
  w: {links: {wheel: {joint: {type: hinge, axis: z}, mass: 1 kg, inertia: {diagonal: [0.3, 0.3, 0.5]}}}}
  a: {links: {arm: {joint: {type: hinge, axis: y}, mass: 1 kg, inertia: {diagonal: [0.3, 0.2, 0.5]}}}}
drives:
  - {name: motor, joint: w.wheel, velocity: 0}
  - {name: servo, joint: a.arm, locked: true}
)",
                            "drives.yaml");
  scene.takes_inputs = true;
  scene.solver.integrator = integrator;
  Simulation simulation(scene);
  simulation.run_until(0.5);
  const SavedState still = simulation.save();
  simulation.command("motor", 3);
  EXPECT_NEAR(simulation.state().v[0], 3, 1e-12);
  simulation.restore(still);  // and nobody has said so
  simulation.run_until(0.51);
  EXPECT_EQ(simulation.state().v[0], 0);
  simulation.restore(still);
  simulation.command("motor", 3);
  simulation.command("servo", 0.7, 0.2);
  simulation.run_until(0.6);
  EXPECT_GT(simulation.state().q[1], 0.1);
  EXPECT_LT(simulation.state().q[1], 0.6);
  simulation.run_until(0.71);
  EXPECT_NEAR(simulation.state().q[1], 0.7, 1e-9);
  EXPECT_NEAR(simulation.state().v[1], 0, 1e-9);
  EXPECT_NEAR(simulation.state().q[0], 3 * 0.21, 1e-9);
  simulation.command("motor", 0);
  const SavedState saved = simulation.save();
  simulation.command("motor", 5);
  simulation.restore(saved);
  simulation.run_until(0.8);
  EXPECT_NEAR(simulation.state().v[0], 0, 1e-12);
  simulation.run_until(1);
  const Ledger ledger = simulation.ledger();
  ASSERT_EQ(ledger.work_in[1].first, "motor");
  EXPECT_NEAR(ledger.work_in[1].second, 0, 1e-9);  // what it gave it took back
  EXPECT_LT(ledger.energy_residual_relative, integrator == Integrator::rk4 ? 1e-8 : 1e-2);
}

TEST(Inputs, DrivesAreCommanded) {
  for (const Integrator integrator : {Integrator::rk4, Integrator::semi_implicit}) {
    SCOPED_TRACE(name_of(integrator));
    command_drives(integrator);
  }
}

// Going back forgets what was done, and what is done from there on is a record of its own.
TEST(Inputs, AreRecordedFromWhereItWasRestored) {
  Simulation simulation(ball_in_space());
  simulation.push(1, {1, 0, 0});
  simulation.run_until(0.5);
  const SavedState saved = simulation.save();
  simulation.push(1, {0, 5, 0});
  simulation.run_until(0.9);
  const State end = simulation.state();
  simulation.restore(saved);
  EXPECT_TRUE(simulation.inputs().empty());
  simulation.run_until(0.7);
  EXPECT_NEAR(simulation.state().v[3], 0.35, 1e-12);  // the push of before still acts
  simulation.restore(saved);
  simulation.push(1, {0, 5, 0});
  simulation.run_until(0.9);
  EXPECT_EQ(simulation.state().q, end.q);
  const std::vector<Input> inputs(simulation.inputs().begin(), simulation.inputs().end());
  simulation.restore(saved);
  simulation.replay(inputs, 0.9);
  EXPECT_EQ(simulation.state().q, end.q);
}

TEST(Inputs, AreRefusedWithAReason) {
  const auto refused = [](const std::function<void()>& call) { return trouble::of(ErrorKind::bad_input, call); };
  Scene deaf = ball_in_space();
  deaf.takes_inputs = false;
  Simulation closed(deaf), open(ball_in_space());
  EXPECT_EQ(refused([&] {
              closed.push(1, {1, 0, 0});
            }),
            "found an input for a scene that takes none; expected takes_inputs to be set");
  EXPECT_EQ(refused([&] { open.push(0, {1, 0, 0}); }), "found an input for link 0; expected 1 to 1");
  EXPECT_EQ(refused([&] { open.push(2, {1, 0, 0}); }), "found an input for link 2; expected 1 to 1");
  EXPECT_EQ(refused([&] {
              open.push(1, {1, std::nan(""), 0});
            }),
            "found an input that is not finite; expected numbers");
  class Namesake final : public Source {
    std::string name() const override { return "inputs"; }
    void act(const Instant<double>&, const Kept<double>&, ForceSum<double>&, std::span<double>) const override {}
  };
  Scene taken = ball_in_space();
  taken.sources.push_back(std::make_shared<Namesake>());
  EXPECT_EQ(refused([&] { Simulation two_of_a_name(taken); }),
            "found two things named 'inputs'; expected names of their own");
  Simulation again(open.system().scene());  // a scene that has its own source of inputs already
  EXPECT_EQ(refused([&] { again.push(1, {1, 0, 0}); }), "");
  EXPECT_EQ(refused([&] { open.set("air", "linear", 1); }), "there is no element 'air' whose numbers could be set");
  EXPECT_EQ(refused([&] { open.command("motor", 1); }), "there is no drive 'motor' to command");
  Scene rich = ball_in_space();
  rich.elements = {{"air", Drag{{1}, 1, 0}}, {"zone", FreePlay{}}};
  rich.elements.pop_back();
  Constraint rod, servo;
  rod.name = "rod", rod.kind = FixedDistance{1}, rod.b.link = 1, rod.a.X_LC.p = {1, 0, 0};
  servo.name = "servo";
  Coupler lift;
  lift.terms = {{1, 1.0, 5}}, lift.sum = constant_in_time(0);
  servo.kind = lift;
  rich.constraints = {rod, servo};
  Simulation windy(rich);
  EXPECT_EQ(refused([&] { windy.set("air", "cubic", 1); }),
            "found 'cubic' of 'air'; expected one of its numbers: linear, quadratic");
  EXPECT_NE(refused([&] { windy.set("air", "linear", -1); }).find("'air': "), std::string::npos);
  EXPECT_EQ(refused([&] { windy.set("air", "linear", std::nan("")); }),
            "found an input that is not finite; expected numbers");
  EXPECT_EQ(refused([&] { windy.command("rod", 1); }), "'rod' takes no commands: it drives no coordinates of joints");
  EXPECT_EQ(refused([&] { windy.command("servo", 1); }),
            "'servo' holds a coordinate, which cannot be elsewhere at once; expected a time to get there");
  EXPECT_EQ(refused([&] { windy.command("servo", 1, -1); }), "found a time of -1 s to get there; expected 0 or more");
  const double two[] = {1, 2};
  EXPECT_EQ(refused([&] { open.drive(1, two); }), "found 2 forces for the joint of 'ball.body'; expected 6");
  open.run_until(0.1);
  const Input late{Input::Kind::push, 1, 2, 0.02, {}};
  EXPECT_EQ(refused([&] { open.replay(std::span(&late, 1), 1); }),
            "found an input for step 2, which was done; expected inputs from step 10 on");
  EXPECT_EQ(open.inputs().size(), 1u);  // the limit of its steps
}

}  // namespace
}  // namespace marey
