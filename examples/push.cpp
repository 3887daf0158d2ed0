// A human in free flight, pushed and driven while it runs: what the push does to its momentum, and a replay.
//
// In free flight only the push changes the momentum, Δp = F Δt, whatever the limbs do meanwhile; a torque in the elbow
// changes no momentum at all. All inputs are recorded, and replaying them gives the same motion, bit for bit.
#include <cmath>
#include <cstdio>

#include "marey/simulation.h"

namespace {

struct Part {
  const char *name, *parent;
  marey::Vec3<double> at, radii, center;
  double mass;
};
// Twelve ellipsoids, 75 kg; z points to the head.
const Part parts[] = {{"pelvis", "world", {0, 0, 1}, {0.10, 0.16, 0.10}, {}, 9},
                      {"abdomen", "pelvis", {0, 0, 0.08}, {0.10, 0.14, 0.10}, {0, 0, 0.09}, 10},
                      {"chest", "abdomen", {0, 0, 0.18}, {0.12, 0.17, 0.15}, {0, 0, 0.15}, 18},
                      {"head", "chest", {0, 0, 0.30}, {0.10, 0.08, 0.14}, {0, 0, 0.14}, 6},
                      {"left upper arm", "chest", {0, 0.20, 0.25}, {0.05, 0.05, 0.15}, {0, 0, -0.15}, 2.2},
                      {"left forearm", "left upper arm", {0, 0, -0.30}, {0.04, 0.04, 0.20}, {0, 0, -0.20}, 1.8},
                      {"right upper arm", "chest", {0, -0.20, 0.25}, {0.05, 0.05, 0.15}, {0, 0, -0.15}, 2.2},
                      {"right forearm", "right upper arm", {0, 0, -0.30}, {0.04, 0.04, 0.20}, {0, 0, -0.20}, 1.8},
                      {"left thigh", "pelvis", {0, 0.09, -0.05}, {0.08, 0.08, 0.22}, {0, 0, -0.21}, 8},
                      {"left shank", "left thigh", {0, 0, -0.42}, {0.06, 0.06, 0.24}, {0, 0, -0.22}, 4},
                      {"right thigh", "pelvis", {0, -0.09, -0.05}, {0.08, 0.08, 0.22}, {0, 0, -0.21}, 8},
                      {"right shank", "right thigh", {0, 0, -0.42}, {0.06, 0.06, 0.24}, {0, 0, -0.22}, 4}};

marey::Scene human() {
  marey::ModelSpec spec;
  spec.gravity = {};
  for (const Part& p : parts) {
    marey::Shape shape{marey::Ellipsoid{p.radii}, {}};
    shape.X_BS.p = p.center;
    marey::LinkSpec& link = spec.links.emplace_back();
    link.name = p.name, link.parent = p.parent;
    link.joint = spec.links.size() == 1 ? marey::JointType::free : marey::JointType::ball;
    link.X_PF.p = p.at;
    link.inertia = marey::shape_inertia(shape, p.mass);
    link.shapes = {shape};
  }
  marey::Scene scene;
  scene.model = marey::freeze(spec);
  scene.start = marey::neutral_state(scene.model);
  for (int i = 2; i < scene.model.nlink(); ++i)
    scene.elements.push_back(
        {"friction of " + scene.model.names[static_cast<std::size_t>(i)], marey::JointFriction{i, 0.1}});
  scene.solver.step = 1e-3;
  scene.takes_inputs = true;
  return scene;
}

}  // namespace

int main() {
  marey::Simulation simulation(human());
  const int chest = simulation.system().model().find("chest"), elbow = simulation.system().model().find("left forearm");
  const double flexing[] = {0, -3, 0}, slack[] = {0, 0, 0};

  simulation.run_until(0.5);
  simulation.push(chest, {150, 0, 0}, {}, {0, 0.1, 0.2});  // at a point of the chest: it turns, too
  simulation.drive(elbow, flexing);
  simulation.run_until(0.7);
  simulation.push(chest, {});
  simulation.drive(elbow, slack);
  simulation.run_until(2);

  const double momentum = simulation.values("momentum/linear")[0];
  const marey::Ledger ledger = simulation.ledger();
  std::printf("momentum %.9f N s, of the push %.9f N s\n", momentum, 150 * 0.2);
  for (const auto& [source, work] : ledger.work_in)
    if (source == "inputs") std::printf("the push and the drive have done %.3f J\n", work);
  std::printf("energy unaccounted for: %.1e of all there was\n", ledger.energy_residual_relative);

  marey::Simulation again(human());
  again.replay(simulation.inputs(), 2);
  const bool same = again.state().q == simulation.state().q && again.state().v == simulation.state().v;
  std::printf("done again: %s\n", same ? "the same to the bit" : "another motion");
  return same && std::abs(momentum - 30) < 1e-6 && ledger.closed ? 0 : 1;
}
