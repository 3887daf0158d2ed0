// A pendulum for a long time: what it costs to keep its energy, and which methods keep it for ever.
#include <cmath>

#include "integrators/parts.h"
#include "marey/io/scene.h"
#include "sim/world.h"

namespace marey::bench {
namespace {

constexpr double allowed_part = 1e-3;     // of m g l
constexpr double most_evaluations = 2e7;  // of a search; beyond it the answer is extrapolated

Scene pendulum() { return load_scene(MAREY_SOURCE_DIR "/bench/scenes/point-pendulum.yaml"); }

double energy(World& world) {
  const State& s = world.state();
  return world.balance(s).energy;
}

void set(Scene& scene, Integrator integrator, double setting) {
  scene.solver.integrator = integrator;
  scene.solver.step = has_fixed_step(integrator) ? setting : forever;
  if (!has_fixed_step(integrator)) scene.solver.tolerance = setting;
}

// The largest error of the energy at the ends of steps; a run that goes beyond `allowed` is given up.
Point watch(const Scene& scene, double allowed) {
  World world(scene);
  const double start = energy(world);
  Point p;
  while (world.time() < scene.duration && p.error <= allowed) {
    world.step(scene.duration);
    p.error = std::max(p.error, std::abs(energy(world) - start));
    if (!std::isfinite(p.error)) p.error = HUGE_VAL;
  }
  p.work = static_cast<double>(world.tally().evaluations + 2 * world.tally().jacobians);
  return p;
}

double seconds_of(const Scene& scene) {
  World world(scene);
  const double start = cpu_seconds();
  while (world.time() < scene.duration) world.step(scene.duration);
  return cpu_seconds() - start;
}

// Where the energy grows without end, in proportion to the step and to time, from the beginning of two runs.
EnergyCost extrapolated(Scene scene, Integrator integrator, double allowed) {
  const double whole = scene.duration;
  scene.duration = 10;
  set(scene, integrator, scene.duration / (1 << 18));
  const Point p = watch(scene, HUGE_VAL);
  const double start = cpu_seconds();
  watch(scene, HUGE_VAL);
  const double per_step = (cpu_seconds() - start) / (1 << 18);
  const double step = scene.solver.step * allowed / (p.error * whole / scene.duration);
  return {name_of(integrator), {step, allowed, whole / step, per_step * whole / step, 0}, true};
}

EnergyCost cheapest(Scene scene, Integrator integrator, double allowed) {
  const bool fixed = has_fixed_step(integrator);
  double setting = fixed ? scene.duration / (1 << 13) : 0x1p-4;
  for (;; setting /= 2) {
    if (fixed && scene.duration / setting > most_evaluations) return extrapolated(scene, integrator, allowed);
    if (setting < 1e-14) return {name_of(integrator), {setting, NAN, NAN, NAN, 0}, false};
    set(scene, integrator, setting);
    try {
      Point p = watch(scene, allowed);
      if (!(p.error <= allowed)) continue;
      p.setting = setting;
      p.seconds = seconds_of(scene);
      return {name_of(integrator), p, false};
    } catch (const Error&) {
      continue;
    }
  }
}

void print(const EnergyCost& c, bool fixed, Report& report) {
  report.title(fmt::format(
      "  {:<24}{:>12}{:>16}{:>12}  {}", c.method, number_text(fixed ? "{:.3g} s" : "{:.2g}", c.run.setting),
      number_text(c.extrapolated ? "≈ {:.2g}" : "{:.0f}", c.run.work), number_text("{:.3g} s", c.run.seconds),
      c.extrapolated           ? "extrapolated from 10 s in steps of 38 µs"
      : std::isnan(c.run.work) ? "given up at 4 s of CPU time"
                               : ""));
  report.detail("pendulum 2000 s", c.method, fixed ? "longest step" : "loosest tolerance", c.run.setting,
                fixed ? "s" : "");
  report.detail("pendulum 2000 s", c.method, "evaluations", c.run.work, c.extrapolated ? "(extrapolated)" : "");
  report.detail("pendulum 2000 s", c.method, "CPU time", c.run.seconds, c.extrapolated ? "s (extrapolated)" : "s");
}

void costs(const Settings& settings, Report& report) {
  Scene scene = pendulum();
  if (settings.quick) scene.duration = 200;
  const double allowed = allowed_part * 9.81;
  report.title(fmt::format(
      "\nPendulum, 1 kg at 1 m, from the horizontal: the cheapest run (settings by powers of two) whose energy "
      "stays within {:g} m g l for {:g} s",
      allowed_part, scene.duration));
  report.title(fmt::format("  {:<24}{:>12}{:>16}{:>12}", "method", "setting", "evaluations", "CPU time"));
  for (const Integrator i :
       {Integrator::euler, Integrator::euler_second, Integrator::semi_implicit, Integrator::midpoint, Integrator::rk4,
        Integrator::rk45, Integrator::adams, Integrator::bdf})
    print(cheapest(scene, i, allowed), has_fixed_step(i), report);
  // Other engines refuse a mass without any moment of inertia: theirs is a bead.
  scene.model.params.links[1].I.J += Sym3<double>{1e-9, 1e-9, 1e-9, 0, 0, 0};
  std::vector<std::string> words;
  for (const EnergyCost& c : rival_energy_costs(scene, allowed, words))
    print(c, c.method.find("mujoco") != std::string::npos, report);
  for (const std::string& word : words) report.title("  " + word);
}

// The line through the energies of a run by least squares, against how far they swing around it.
void drift(Integrator integrator, int steps, double h, Report& report) {
  Scene scene = pendulum();
  set(scene, integrator, h);
  scene.duration = 2 * h * steps;
  World world(scene);
  std::vector<double> E;
  E.reserve(static_cast<std::size_t>(steps) + 1);
  E.push_back(energy(world));
  const double start = cpu_seconds();
  for (int k = 0; k < steps; ++k) {
    world.step();
    E.push_back(energy(world));
  }
  const double took = cpu_seconds() - start, middle = 0.5 * steps;
  double mean = 0, sxy = 0, sxx = 0;
  for (const double e : E) mean += e / static_cast<double>(E.size());
  for (int k = 0; k <= steps; ++k)
    sxy += (k - middle) * (E[static_cast<std::size_t>(k)] - mean), sxx += (k - middle) * (k - middle);
  const double slope = sxy / sxx;
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (int k = 0; k <= steps; ++k) {
    const double off = E[static_cast<std::size_t>(k)] - slope * (k - middle);
    low = std::min(low, off), high = std::max(high, off);
  }
  const double ratio = std::abs(slope * steps) / (high - low);
  report.title(fmt::format("  {:<16}{:>12.3g} J{:>14.3g} J{:>12.3g} %{:>10.3g} s", name_of(integrator), slope * steps,
                           high - low, 100 * ratio, took));
  const std::string which = fmt::format("pendulum {} steps", steps);
  report.detail(which, name_of(integrator), "energy slope × duration", slope * steps, "J");
  report.detail(which, name_of(integrator), "energy oscillation", high - low, "J");
  report.detail(which, name_of(integrator), "energy slope × duration over oscillation", ratio,
                integrator == Integrator::midpoint ? "(goal 0.01)" : "");
}

}  // namespace

void long_pendulum(const Settings& settings, Report& report) {
  costs(settings, report);
  const int steps = settings.quick ? 100000 : 1000000;
  constexpr double h = 0.01;
  report.title(fmt::format(
      "\nThe same pendulum, {} steps of {:g} s: the straight line through its energy (goal for midpoint: at most "
      "1 % of the oscillation)",
      steps, h));
  report.title(
      fmt::format("  {:<16}{:>14}{:>16}{:>14}{:>12}", "method", "slope × time", "oscillation", "ratio", "CPU time"));
  for (const Integrator i : {Integrator::midpoint, Integrator::semi_implicit, Integrator::rk4})
    drift(i, steps, h, report);
}

}  // namespace marey::bench
