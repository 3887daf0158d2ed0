// Everything that docs/guide/embedding.md describes, in one program: a scene made in code, stepped, read by name, taken
// back to an earlier state, and what happens when something is wrong.
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>

#include "marey/constraint.h"
#include "marey/simulation.h"

namespace {

marey::Scene ball_on_a_string() {
  marey::LinkSpec bob;
  bob.name = "bob";
  bob.joint = marey::JointType::ball;
  bob.inertia = marey::inertia_about_origin<double>(2.0, {0, 0, -1}, marey::Sym3<double>::diagonal(0.01, 0.01, 0.01));
  marey::ModelSpec spec;
  spec.links = {bob};

  marey::Scene scene;
  scene.model = marey::freeze(spec);
  scene.start = marey::neutral_state(scene.model);
  scene.start.v[0] = 2;  // rad/s, about x

  marey::JointFriction friction;
  friction.link = scene.model.find("bob");
  friction.coefficient = 0.1;  // N m s/rad
  scene.elements.push_back({"air", friction});

  scene.solver.integrator = marey::Integrator::rk45;
  scene.solver.tolerance = 1e-9;
  return scene;
}

// It prints the energy account, which has to be closed.
bool step_and_read() {
  marey::Simulation simulation(ball_on_a_string());
  while (simulation.time() < 1) simulation.step(1);  // steps as the method chooses them, the last one ends at 1 s
  simulation.run_until(2);                           // the same, in one call

  const double height = simulation.values("center_of_mass/position")[2];
  const double energy = simulation.value("energy/total");
  const marey::Transform<double> X_WB = simulation.pose(simulation.system().model().find("bob"));
  for (const marey::Channel& channel : simulation.system().channels())
    std::printf("%s [%s]: %s\n", channel.name.c_str(), channel.unit.c_str(), channel.meaning.c_str());

  const marey::Ledger ledger = simulation.ledger();
  for (const auto& [source, work] : ledger.work_in) std::printf("%s has put in %g J\n", source.c_str(), work);
  std::printf("height %g m, energy %g J, tilted by %g rad\n", height, energy, std::acos(X_WB.R.zz));
  return ledger.closed;
}

// The same future twice, from one saved state.
bool go_back() {
  marey::Simulation simulation(ball_on_a_string());
  simulation.run_until(0.5);
  const marey::SavedState saved = simulation.save();
  simulation.run_until(1);
  const double first = simulation.value("energy/kinetic");
  simulation.restore(saved);
  simulation.run_until(1);
  return simulation.value("energy/kinetic") == first;
}

// Two simulations that share what does not change; each may run in its own thread.
bool share_a_system() {
  const auto system = std::make_shared<const marey::System>(ball_on_a_string());
  marey::Simulation one(system), other(system);
  one.run_until(0.3);
  other.run_until(0.3);
  return one.state().q == other.state().q;
}

// An arm whose motor is told where to go.
bool command_a_drive() {
  marey::LinkSpec arm;
  arm.name = "arm";
  arm.joint = marey::JointType::hinge;
  arm.axis = {0, 1, 0};
  arm.inertia = marey::inertia_about_origin<double>(1.0, {0.3, 0, 0}, marey::Sym3<double>::diagonal(0.01, 0.02, 0.02));
  marey::ModelSpec spec;
  spec.links = {arm};
  marey::Scene scene;
  scene.model = marey::freeze(spec);
  scene.start = marey::neutral_state(scene.model);
  scene.takes_inputs = true;

  marey::Coupler held;
  held.terms = {{.link = scene.model.find("arm")}};
  held.sum = marey::constant_in_time(0);  // rad; what the joint's coordinate is held at
  marey::Constraint servo;
  servo.name = "servo";
  servo.kind = held;
  scene.constraints.push_back(servo);

  marey::Simulation simulation(scene);
  simulation.run_until(0.1);
  simulation.command("servo", 0.7, 0.2);
  simulation.run_until(0.4);
  std::printf("the arm is at %g rad\n", simulation.state().q[0]);
  return std::abs(simulation.state().q[0] - 0.7) < 1e-9;
}

bool refuse() {
  marey::Scene scene = ball_on_a_string();
  scene.elements.push_back({"push", marey::Push{.link = 7, .point_B = {}, .force = {}, .torque = {}, .schedule = {}}});
  try {
    marey::Simulation simulation(scene);
  } catch (const marey::Error& error) {
    std::printf("refused: %s\n", error.what());  // which element, and why
    return error.kind() == marey::ErrorKind::bad_input;
  }
  return false;
}

}  // namespace

int main() { return step_and_read() && go_back() && share_a_system() && command_a_drive() && refuse() ? 0 : 1; }
