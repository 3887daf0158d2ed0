// A user-defined force: a muscle with an activation that follows its excitation, written outside the library.
//
// The activation a is a state of the muscle, integrated with the figure by whatever method runs it:
//   τ da/dt = u(t) − a,     u = 1 from 0.2 s on                                                                     (1)
// and the muscle pulls a point of the forearm towards a point of the upper arm with the force F_max a. For an
// excitation that begins at t₀ from rest, a = 1 − e^(−(t − t₀)/τ). Switching on by the clock ends a step there, so that
// every step is smooth and a comes out at the order of the method; the work of the muscle is booked in the ledger under
// its name.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "marey/simulation.h"
#include "marey/source.h"

namespace {

constexpr double begins = 0.2;  // s

class Muscle final : public marey::Source {
 public:
  Muscle(int forearm, marey::Vec3<double> origin_W, marey::Vec3<double> insertion_B)
      : forearm_(forearm), origin_W_(origin_W), insertion_B_(insertion_B) {}

  std::string name() const override { return "biceps"; }
  std::vector<std::string> states() const override { return {"activation"}; }
  int mode_count() const override { return 1; }  // 1: excited

  void act(const marey::Instant<double>& now, const marey::Kept<double>& kept, marey::ForceSum<double>& sum,
           std::span<double> z_rate) const override {
    const double activation = kept.z[0], excitation = kept.modes[0];
    z_rate[0] = (excitation - activation) / time_constant;  // (1)
    const marey::Transform<double>& X = now.X_WB[static_cast<std::size_t>(forearm_)];
    const marey::Vec3<double> arm = X.R * insertion_B_, line = origin_W_ - (X.p + arm);
    const marey::Vec3<double> force = (strongest * activation / norm(line)) * line;
    sum.pair(now, forearm_, arm, 0, origin_W_, force);  // on the forearm, and the opposite on the world
  }

  double next_instant(double t, const marey::Kept<double>&) const override {
    return t < begins ? begins : marey::forever;
  }
  void switch_over(const marey::Instant<double>& now, int, std::span<double>, std::span<double> modes) const override {
    if (now.t >= begins) modes[0] = 1;
  }

  static constexpr double time_constant = 0.05, strongest = 400;  // s, N

 private:
  int forearm_;
  marey::Vec3<double> origin_W_, insertion_B_;
};

}  // namespace

int main() {
  // A forearm that hangs from an elbow one metre above the ground; the upper arm is held by the world.
  marey::Shape bone{marey::Capsule{0.03, 0.3}, {}};
  bone.X_BS.p = {0, 0, -0.15};
  marey::LinkSpec forearm;
  forearm.name = "forearm", forearm.joint = marey::JointType::hinge, forearm.axis = {0, 1, 0};
  forearm.X_PF.p = {0, 0, 1};
  forearm.inertia = marey::shape_inertia(bone, 1.5);
  marey::ModelSpec spec;
  spec.links = {forearm};

  marey::Scene scene;
  scene.model = marey::freeze(spec);
  scene.start = marey::neutral_state(scene.model);
  scene.elements.push_back({"elbow", marey::JointFriction{1, 1.5}});
  scene.solver.step = 1e-3;
  scene.sources.push_back(
      std::make_shared<Muscle>(1, marey::Vec3<double>{0.03, 0, 1.28}, marey::Vec3<double>{0.02, 0, -0.05}));

  marey::Simulation simulation(scene);
  double worst = 0;
  while (simulation.time() < 1) {
    simulation.step();
    const double t = simulation.time(), expected = t < begins ? 0 : 1 - std::exp(-(t - begins) / Muscle::time_constant);
    worst = std::max(worst, std::abs(simulation.value("element/biceps/activation") - expected));
  }
  const marey::Ledger ledger = simulation.ledger();
  std::printf("elbow at %.1f deg; activation off its closed form by %.1e at most\n",
              -simulation.value("joint/forearm/angle") * 57.29577951308232, worst);
  for (const auto& [source, work] : ledger.work_in) std::printf("work of %-6s %8.3f J\n", source.c_str(), work);
  std::printf("energy unaccounted for: %.1e of all there was\n", ledger.energy_residual_relative);
  return worst < 1e-7 && ledger.closed ? 0 : 1;
}
