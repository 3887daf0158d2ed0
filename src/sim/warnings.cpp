// Warnings before a run: steps too long for what is there, and methods too dear.
//
// Ground that gives way, under one point with the inverse inertia A along the normal (for a point that sticks, along
// the plane as well): z̈ = −A (a z + d ż), so that the figure swings in 2π/√(a A), and the damping by itself takes
// speeds away as exp(−d A t). As everywhere (force.h) a step of at most a tenth of the period is advised, and of a tenth
// of 2π/(d A).
// Points that touch together stiffen each other: with A of all their rows and D their stiffnesses along normal and plane (of an exponent
// other than 1 the slope at a depth of 1 mm), u̇ = −A D x, and the shortest period is 2π/√λ with λ the largest eigenvalue of D^½ A D^½.
#include "sim/warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/implicit_forces.h"

namespace marey {

namespace {

const double tau = 2 * std::acos(-1.0);
// The method bdf solves with a dense matrix of twice as many rows, made anew now and then.
constexpr int many_freedoms = 200;
// A tenth of a period is a rule of thumb: what all points together make shorter by less than a fifth is no other advice.
constexpr double worth_saying = 0.8;

void warn_of_step(const Scene& scene, std::vector<std::string>& warnings) {
  std::vector<Element> explicit_ones;
  const bool in_joints = scene.solver.dynamics != Dynamics::multipliers;
  const bool implicit =
      scene.solver.contact == ContactDriver::stepping && ImplicitForces::serves(scene.model, in_joints);
  const bool nets_too = implicit && ImplicitForces::has_room_for(scene.model, scene.elements, scene.start);
  for (const Element& e : scene.elements)
    if (!(implicit && (nets_too || acts_in_joint(e)))) explicit_ones.push_back(e);
  const StepAdvice advice = advise_step(scene.model, explicit_ones, scene.start);
  if (!(scene.solver.step > advice.advised_step)) return;
  warnings.push_back(fmt::format(
      "the step of {:.4g} s is long for the shortest period present, {:.4g} s ({}): a step of at most {:.3g} s is "
      "advised{}",
      scene.solver.step, advice.shortest_period, advice.cause, advice.advised_step,
      scene.solver.step > advice.unstable_step ? "; with this one the figure is likely to fly off" : ""));
}

// A floor that the step is too long for.
struct Haste {
  std::string floor, why;
  double advised = forever;
};

Haste haste_of(const Scene& scene, const FloorContact& c) {
  const GroundTimes times = ground_times(scene.model, c, scene.start);
  const std::string& floor = c.group.empty() ? c.name : c.group;
  if (tau * times.decay < times.period)
    return {floor, fmt::format("whose damping takes the figure's speed in {:.4g} s", times.decay),
            0.1 * tau * times.decay};
  return {floor, fmt::format("on which the figure swings in {:.4g} s", times.period), 0.1 * times.period};
}

std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 3;
  std::string text = "'" + names[0] + "'";
  for (std::size_t i = 1; i < std::min(most, names.size()); ++i)
    text += (i + 1 == names.size() ? " and '" : ", '") + names[i] + "'";
  return names.size() > most ? fmt::format("{} and {} more", text, names.size() - most) : text;
}

// What is said where one point after another would let the step pass, and all of them together do not.
void warn_of_all_points(const Scene& scene, double period, std::vector<std::string>& warnings) {
  if (!(scene.solver.step > 0.1 * period)) return;
  std::vector<std::string> names;
  for (const FloorContact& c : scene.contacts)
    if (const std::string& floor = c.group.empty() ? c.name : c.group;
        c.compliant && std::find(names.begin(), names.end(), floor) == names.end())
      names.push_back(floor);
  warnings.push_back(fmt::format(
      "the step of {:.4g} s is long for the ground under {}, on all points of which together the figure swings in "
      "{:.4g} s: a step of at most {:.3g} s is advised, or integrator: bdf",
      scene.solver.step, list_of(names), period, 0.1 * period));
}

// One warning for all points of a floor, the worst of them; and one for all floors alike.
void warn_of_ground(const Scene& scene, std::vector<std::string>& warnings) {
  std::vector<Haste> floors;
  for (const FloorContact& c : scene.contacts) {
    if (!c.compliant) continue;
    const Haste haste = haste_of(scene, c);
    if (!(scene.solver.step > haste.advised)) continue;
    const auto same =
        std::find_if(floors.begin(), floors.end(), [&](const Haste& h) { return h.floor == haste.floor; });
    if (same == floors.end())
      floors.push_back(haste);
    else if (haste.advised < same->advised)
      *same = haste;
  }
  const double together = ground_period(scene.model, scene.contacts, scene.start);
  if (floors.empty()) return warn_of_all_points(scene, together, warnings);
  while (!floors.empty()) {
    const Haste first = floors[0];
    std::vector<std::string> names;
    for (const Haste& h : floors)
      if (h.why == first.why) names.push_back(h.floor);
    std::erase_if(floors, [&](const Haste& h) { return h.why == first.why; });
    warnings.push_back(fmt::format(
        "the step of {:.4g} s is long for the ground under {}, {}: a step of at most {:.3g} s is advised, or "
        "integrator: bdf",
        scene.solver.step, list_of(names), first.why,
        0.1 * together < worth_saying * first.advised ? 0.1 * together : first.advised));
  }
}

}  // namespace

GroundTimes ground_times(const Model& model, const FloorContact& c, const State& state) {
  if (!c.compliant) return {};
  Kinematics<double> kinematics(model);
  forward_kinematics<double>(model, model.params, state.q, state.v, kinematics);
  BiasMotion no_bias(model);
  RowSet rows(model, 3);
  add_rows(model, model.params, c, kinematics, contact_motion(c, kinematics, no_bias), rows);
  AbaWorkspace<double> aba_ws(model);
  std::vector<double> no_forces(static_cast<std::size_t>(model.nv)), vdot(no_forces);
  aba<double>(model, model.params, state.q, state.v, {no_forces, {}}, aba_ws, vdot);
  Delassus delassus(model, 3);
  delassus.compute(model, model.params, aba_ws, rows);
  const std::span<const double> A = delassus.A();
  const double normal = A[0], any = c.friction_static > 0 ? std::max({A[0], A[4], A[8]}) : normal;
  GroundTimes times;
  if (normal > 0 && c.ground.exponent == 1) times.period = tau / std::sqrt(c.ground.stiffness * normal);
  if (any > 0 && c.ground.damping > 0) times.decay = 1 / (c.ground.damping * any);
  return times;
}

namespace {

// Of one exponent the slope is the stiffness, whatever the depth.
double slope(const CompliantGround& g) { return g.exponent * g.stiffness * std::pow(1e-3, g.exponent - 1); }
double slope_along(const FloorContact& c) {
  if (!(c.friction_static > 0)) return 0;
  return c.ground.tangential > 0 ? c.ground.tangential : c.ground.stiffness * std::pow(1e-3, c.ground.exponent - 1);
}

// Of D^½ A D^½, by powers of it.
double largest_eigenvalue(std::span<const double> A, const std::vector<double>& root_D) {
  const std::size_t n = root_D.size();
  std::vector<double> x(n), y(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = 1 + 0.1 * std::sin(static_cast<double>(7 * i));  // in no mode alone
  double value = 0;
  for (int round = 0; round < 60; ++round) {
    double size = 0;
    for (std::size_t i = 0; i < n; ++i) size += x[i] * x[i];
    if (!(size > 0)) return 0;
    for (double& xi : x) xi /= std::sqrt(size);
    value = 0;
    for (std::size_t i = 0; i < n; ++i) {
      y[i] = 0;
      for (std::size_t j = 0; j < n; ++j) y[i] += root_D[i] * A[i * n + j] * root_D[j] * x[j];
      value += x[i] * y[i];
    }
    x = y;
  }
  return value;
}

}  // namespace

double ground_period(const Model& model, std::span<const FloorContact> contacts, const State& state) {
  constexpr std::size_t most_points = 100;  // a dense matrix of three times as many rows
  std::vector<const FloorContact*> points;
  for (const FloorContact& c : contacts)
    if (c.compliant && points.size() < most_points) points.push_back(&c);
  if (points.empty()) return forever;
  Kinematics<double> kinematics(model);
  forward_kinematics<double>(model, model.params, state.q, state.v, kinematics);
  BiasMotion no_bias(model);
  const int count = static_cast<int>(3 * points.size());
  RowSet rows(model, count);
  std::vector<double> root_D;
  for (const FloorContact* c : points) {
    add_rows(model, model.params, *c, kinematics, contact_motion(*c, kinematics, no_bias), rows);
    root_D.push_back(std::sqrt(slope(c->ground)));
    root_D.insert(root_D.end(), 2, std::sqrt(slope_along(*c)));
  }
  AbaWorkspace<double> aba_ws(model);
  std::vector<double> no_forces(static_cast<std::size_t>(model.nv)), vdot(no_forces);
  aba<double>(model, model.params, state.q, state.v, {no_forces, {}}, aba_ws, vdot);
  Delassus delassus(model, count);
  delassus.compute(model, model.params, aba_ws, rows);
  const double largest = largest_eigenvalue(delassus.A(), root_D);
  return largest > 0 ? tau / std::sqrt(largest) : forever;
}

std::string warning_of_cost(const Scene& scene) {
  if (scene.solver.integrator != Integrator::bdf || scene.model.nv < many_freedoms) return {};
  return fmt::format(
      "bdf works with a dense matrix for all {} degrees of freedom, which takes long: where no part is much stiffer "
      "than "
      "the others, integrator: rk45 or adams is quicker",
      scene.model.nv);
}

std::vector<std::string> warnings_before(const Scene& scene) {
  std::vector<std::string> warnings;
  if (has_fixed_step(scene.solver.integrator)) {
    warn_of_step(scene, warnings);
    if (scene.solver.contact == ContactDriver::events) warn_of_ground(scene, warnings);
  }
  if (const std::string warning = warning_of_cost(scene); !warning.empty()) warnings.push_back(warning);
  return warnings;
}

}  // namespace marey
