// Sources of the caller's own code: forces, states z that are integrated along, switches, derivatives, books.
//
// Oracles. A filter τ ż = u(t) − z with u = sin ωt and z(0) = z₀:
//   z = (sin ωt − ωτ cos ωt)/(1 + ω²τ²) + (z₀ + ωτ/(1 + ω²τ²)) e^(−t/τ)                                             (1)
// A force F z on a mass m on a slider, z a filter of u = 1 from z₀ = 0, from rest:
//   v = (F/m) (t − τ (1 − e^(−t/τ))),   x = (F/m) (t²/2 − τ t + τ² (1 − e^(−t/τ)))                                  (2)
// An activation by what the slider's place was a delay T ago, τ ż = x(t − T) − z, while x = v₀ t on a slider that nothing
// pushes and was at rest at 0 before (its place then, by the rule of pasts, is that at the start):
//   z = 0 until T, then with s = t − T:  z = v₀ (s − τ (1 − e^(−s/τ)))                                               (3)
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "marey/io/scene.h"
#include "marey/simulation.h"
#include "marey/source.h"
#include "support/integrators.h"
#include "support/trouble.h"

namespace marey {
namespace {

// A block of 2 kg on a slider along x, at rest; no gravity.
Scene block(Integrator method = Integrator::rk4, double step = 1e-3) {
  Scene scene = parse_scene(
      "marey: 1\nduration: 10 s\ngravity: 0\nfigures: {b: {links: {block: {joint: {type: slider, axis: x}, mass: 2 kg, "
      "inertia: {sphere: 10 cm}}}}}\n",
      "block.yaml");
  scene.solver.integrator = method, scene.solver.step = step, scene.solver.tolerance = 1e-9;
  return scene;
}

// τ ż = u − z, and a force of `strength` z on the block. u: sin ωt, the constant 1 where ω is 0, or the block's place
// `late` ago.
class Filter : public Source {
 public:
  double tau = 0.2, omega = 0, start_value = 0, strength = 0, late = 0;
  bool with_derivatives = true;

  std::string name() const override { return "filter"; }
  double delay() const override { return late; }
  std::vector<std::string> states() const override { return {"activation"}; }
  void start(const Instant<double>&, std::span<double> z, std::span<double>) const override { z[0] = start_value; }
  void act(const Instant<double>& now, const Kept<double>& kept, ForceSum<double>& sum,
           std::span<double> z_rate) const override {
    act_in<double>(now, kept, sum, z_rate);
  }
  bool act(const Instant<Dual<1>>& now, const Kept<Dual<1>>& kept, ForceSum<Dual<1>>& sum,
           std::span<Dual<1>> z_rate) const override {
    if (with_derivatives) act_in<Dual<1>>(now, kept, sum, z_rate);
    return with_derivatives;
  }

 private:
  template <class T>
  void act_in(const Instant<T>& now, const Kept<T>& kept, ForceSum<T>& sum, std::span<T> z_rate) const {
    const double u = late > 0 ? now.past->at(now.t - late).q[0] : omega > 0 ? std::sin(omega * now.t) : 1;
    z_rate[0] = (T(u) - kept.z[0]) / tau;
    const T force = T(strength) * kept.z[0];
    sum.joint(now, 1, std::span(&force, 1));
  }
};

Scene with(Scene scene, std::shared_ptr<const Source> source) {
  scene.sources.push_back(std::move(source));
  return scene;
}

double filtered_sine(const Filter& f, double t) {  // (1)
  const double a = f.omega * f.tau, n = 1 + a * a;
  return (std::sin(f.omega * t) - a * std::cos(f.omega * t)) / n + (f.start_value + a / n) * std::exp(-t / f.tau);
}

// ------------------------------------------------------------------------------------------------------- states
TEST(OwnSources, AFilterFollowsItsClosedFormAtTheOrderOfEachMethod) {
  Filter filter;
  filter.omega = 3, filter.start_value = 0.4;
  for (const Integrator method : all_integrators()) {
    const auto error = [&](double step) {
      Scene scene = with(block(method, step), std::make_shared<Filter>(filter));
      Simulation simulation(scene);
      simulation.run_until(1.28);
      EXPECT_EQ(simulation.state().z.size(), 1u);
      EXPECT_EQ(simulation.value("element/filter/activation"), simulation.state().z[0]);
      return std::abs(simulation.state().z[0] - filtered_sine(filter, 1.28));
    };
    if (has_fixed_step(method)) {
      const double order = std::log2(error(0.02) / error(0.01));
      EXPECT_NEAR(order, order_of(method), 0.15) << name_of(method);
    } else {
      EXPECT_LT(error(forever), 1e-7) << name_of(method);
    }
  }
}

TEST(OwnSources, AForceOfAStateMovesWhatItShouldAndItsWorkIsBooked) {
  Filter filter;
  filter.strength = 3;
  const double t = 1, decayed = 1 - std::exp(-t / filter.tau), f_m = filter.strength / 2;
  const double v = f_m * (t - filter.tau * decayed);  // (2)
  const double x = f_m * (t * t / 2 - filter.tau * t + filter.tau * filter.tau * decayed);
  for (const Integrator method : integrators::accurate()) {
    for (const bool derivatives : {true, false}) {
      filter.with_derivatives = derivatives;
      Simulation simulation(with(block(method), std::make_shared<Filter>(filter)));
      simulation.run_until(t);
      EXPECT_NEAR(simulation.state().v[0], v, 2e-8) << name_of(method);
      EXPECT_NEAR(simulation.state().q[0], x, 2e-8) << name_of(method);
      const Ledger ledger = simulation.ledger();
      ASSERT_EQ(ledger.work_in.size(), 1u);
      EXPECT_EQ(ledger.work_in[0].first, "filter");
      EXPECT_NEAR(ledger.work_in[0].second, v * v, 1e-7) << name_of(method);  // m v²/2 with m = 2
      EXPECT_LT(ledger.energy_residual_relative, 1e-7) << name_of(method);
      EXPECT_LT(ledger.linear_momentum_residual_relative, 1e-7) << name_of(method);
    }
  }
}

// Maximal coordinates integrate the same states.
TEST(OwnSources, ActInMaximalCoordinates) {
  Filter filter;
  filter.strength = 3;
  const double decayed = 1 - std::exp(-1 / filter.tau);
  for (const Integrator method : all_integrators()) {
    if (order_of(method) < 2) continue;
    Scene scene = with(block(method), std::make_shared<Filter>(filter));
    scene.solver.dynamics = Dynamics::multipliers;
    Simulation simulation(scene);
    simulation.run_until(1);
    EXPECT_NEAR(simulation.state().z[0], decayed, 1e-6) << name_of(method);
    EXPECT_NEAR(simulation.state().v[0], 1.5 * (1 - filter.tau * decayed), 1e-6) << name_of(method);
  }
}

TEST(OwnSources, ADelayedActivationFollowsItsClosedForm) {
  Filter filter;
  filter.late = 0.25;
  const double v_0 = 0.7;
  for (const Integrator method : integrators::accurate()) {
    Scene scene = with(block(method, 0.01), std::make_shared<Filter>(filter));
    scene.start.v[0] = v_0;
    Simulation simulation(scene);
    simulation.run_until(0.2);
    EXPECT_NEAR(simulation.state().z[0], 0, 1e-9) << name_of(method);
    simulation.run_until(1);
    const double s = 1 - filter.late, tau = filter.tau;
    EXPECT_NEAR(simulation.state().z[0], v_0 * (s - tau * (1 - std::exp(-s / tau))), 1e-7) << name_of(method);  // (3)
  }
}

// A state that runs away is named.
TEST(OwnSources, AStateThatIsNoNumberEndsTheRunByName) {
  class Runaway final : public Filter {
    void act(const Instant<double>& now, const Kept<double>& kept, ForceSum<double>&,
             std::span<double> z_rate) const override {
      z_rate[0] = now.t > 0.5 ? std::nan("") : kept.z[0];
    }
  };
  Simulation simulation(with(block(), std::make_shared<Runaway>()));
  try {
    simulation.run_until(1);
    FAIL() << "it went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::cannot_go_on);
    EXPECT_NE(std::string(error.what()).find("the state 'activation' of 'filter' is no longer a number"),
              std::string::npos)
        << error.what();
  }
}

// ------------------------------------------------------------------------------------------------------ switches
// A thermostat: pushes with 4 N while its mode is 1; z, a clock of its own, is set to 0 at each switch, which comes when
// the block is beyond 1 m (the push ends) and when z has reached 0.3 s after that (it begins again).
class Thermostat final : public Source {
 public:
  std::string name() const override { return "thermostat"; }
  std::vector<std::string> states() const override { return {"since"}; }
  int mode_count() const override { return 2; }  // pushing; how often it has switched
  void start(const Instant<double>&, std::span<double>, std::span<double> modes) const override { modes[0] = 1; }
  void act(const Instant<double>& now, const Kept<double>& kept, ForceSum<double>& sum,
           std::span<double> z_rate) const override {
    z_rate[0] = 1;
    const double force = 4 * kept.modes[0];
    sum.joint(now, 1, std::span(&force, 1));
  }
  int switch_count() const override { return 2; }
  void switch_values(const Instant<double>& now, const Kept<double>& kept, std::span<double> values) const override {
    values[0] = kept.modes[1] == 0 ? 1 - now.q[0] : 1;
    values[1] = kept.modes[1] == 1 ? 0.3 - kept.z[0] : 1;
  }
  void switch_over(const Instant<double>&, int which, std::span<double> z, std::span<double> modes) const override {
    if (which == by_clock) return;
    modes[0] = which == 0 ? 0 : 1;
    modes[1] += 1;
    z[0] = 0;
  }
};

// x = t² to 1 m at 1 s with 2 m/s; coasts for 0.3 s to 1.6 m; then x = 1.6 + 2 s + s².
TEST(OwnSources, SwitchWhereTheirFunctionsSay) {
  for (const Integrator method : integrators::accurate()) {
    Simulation simulation(with(block(method, 7e-3), std::make_shared<Thermostat>()));
    simulation.run_until(1.15);
    EXPECT_NEAR(simulation.state().v[0], 2, 1e-8) << name_of(method);
    EXPECT_NEAR(simulation.state().z[0], 0.15, 1e-8) << name_of(method);
    simulation.run_until(1.8);
    EXPECT_NEAR(simulation.state().q[0], 1.6 + 2 * 0.5 + 0.25, 1e-7) << name_of(method);
    EXPECT_NEAR(simulation.state().z[0], 0.5, 1e-8) << name_of(method);
    EXPECT_EQ(simulation.events(), 2) << name_of(method);
  }
}

// -------------------------------------------------------------------------------------------------- conservative
// A spring of the caller's, −k x, with or without its potential told.
class OwnSpring final : public Source {
 public:
  explicit OwnSpring(bool tells) : tells_(tells) {}
  std::string name() const override { return "spring"; }
  Nature nature() const override { return tells_ ? Nature::conservative : Nature::active; }
  void act(const Instant<double>& now, const Kept<double>&, ForceSum<double>& sum, std::span<double>) const override {
    const double force = -8 * now.q[0];
    sum.joint(now, 1, std::span(&force, 1));
  }
  double potential(const Instant<double>& now, const Kept<double>&) const override {
    return tells_ ? 4 * now.q[0] * now.q[0] : 0;
  }

 private:
  bool tells_;
};
TEST(OwnSources, EnergyIsStoredOrPutInAsTheySay) {
  for (const bool tells : {true, false}) {
    Scene scene = with(block(), std::make_shared<OwnSpring>(tells));
    scene.start.q[0] = 0.5;
    Simulation simulation(scene);
    simulation.run_until(0.7);
    const double x = 0.5 * std::cos(2 * 0.7), stored = 4 * x * x;
    EXPECT_NEAR(simulation.state().q[0], x, 1e-10);
    EXPECT_NEAR(simulation.potential_energy(), tells ? stored : 0, 1e-9);
    EXPECT_NEAR(simulation.ledger().work_in[0].second, tells ? 0 : 1 - stored, 1e-9);
    EXPECT_TRUE(simulation.ledger().closed);
  }
}

// -------------------------------------------------------------------------------------------------- saved, shared
TEST(OwnSources, AreSavedAndRestoredBitForBit) {
  Filter filter;
  filter.omega = 5, filter.strength = 2, filter.start_value = 0.1, filter.late = 0;
  for (const Integrator method : integrators::without_long_memory()) {
    Scene scene = with(with(block(method, 3e-3), std::make_shared<Filter>(filter)), std::make_shared<Thermostat>());
    const auto system = std::make_shared<const System>(scene);
    Simulation one(system), other(system);
    while (one.time() < 0.6) one.step();
    const SavedState saved = one.save();
    while (one.time() < 1.9) one.step();
    other.restore(saved);
    EXPECT_EQ(other.state().z.size(), 2u);
    while (other.time() < 1.9) other.step();
    EXPECT_EQ(one.state().q, other.state().q) << name_of(method);
    EXPECT_EQ(one.state().v, other.state().v) << name_of(method);
    EXPECT_EQ(one.state().z, other.state().z) << name_of(method);
    EXPECT_EQ(one.events(), other.events());
  }
}

// Rows within a step hold the state there, not the one at its end.
TEST(OwnSources, AreRecordedWithinSteps) {
  Filter filter;
  filter.omega = 3;
  Simulation simulation(with(block(Integrator::rk45), std::make_shared<Filter>(filter)));
  const std::size_t column = simulation.system().columns_of("element/filter/activation").first;
  for (int i = 0; i < 40; ++i) {
    const double before = simulation.time();
    simulation.step();
    const double t = 0.3 * before + 0.7 * simulation.time();
    EXPECT_NEAR(simulation.row_at(t)[column], filtered_sine(filter, t), 1e-7) << t;
  }
}

// ----------------------------------------------------------------------------------------------------- refusals
TEST(OwnSources, AreRefusedWithAReason) {
  const auto refused = [](const Scene& scene) {
    return trouble::of(ErrorKind::bad_input, [&] { const System system(scene); });
  };
  EXPECT_EQ(refused(with(block(), std::make_shared<Filter>())), "");
  EXPECT_EQ(refused(with(block(), nullptr)), "found a source that is null; expected one that acts");
  EXPECT_EQ(refused(with(with(block(), std::make_shared<Filter>()), std::make_shared<Filter>())),
            "found two things named 'filter'; expected names of their own");
  class Nameless final : public Filter {
    std::string name() const override { return ""; }
  };
  EXPECT_EQ(refused(with(block(), std::make_shared<Nameless>())),
            "found a source without a name; expected one, for the ledger");
  class Picky final : public Filter {
    std::string refusal(const Model& model) const override { return model.nv == 1 ? "one freedom is too few" : ""; }
  };
  EXPECT_EQ(refused(with(block(), std::make_shared<Picky>())), "'filter': one freedom is too few");
  Filter late;
  late.late = 1e-3;
  EXPECT_EQ(refused(with(block(Integrator::rk4, 5e-3), std::make_shared<Filter>(late))),
            "'filter' has a delay of 0.001 s, shorter than the step of 0.005 s: use a step of at most the delay");
}

}  // namespace
}  // namespace marey
