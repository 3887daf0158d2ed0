// An element whose force is not finite is looked for at the state from which the step began, and a little further on
// the way it was going: methods try places that the motion does not reach.
#include "sim/breakdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "marey/force/finite.h"

namespace marey {
namespace {

struct Fault {
  const Element* element = nullptr;
  int link = -1;
};

Fault fault_at(const Scene& scene, const World& world, const State& s) {
  Kinematics<double> kinematics(scene.model);
  forward_kinematics<double>(scene.model, scene.model.params, s.q, s.v, kinematics);
  const Instant<double> now{scene.model, s.t, s.q, s.v, kinematics.X_WB, kinematics.V_WB, nullptr};
  for (std::size_t e = 0; e < scene.elements.size(); ++e) {
    const Element& element = scene.elements[e];
    if (delay_of(element) > 0) continue;  // what it does depends on more than the state
    if (const int link = link_without_finite_force(element, now, world.modes_of(e)); link >= 0) return {&element, link};
  }
  return {};
}

Fault find_fault(const Scene& scene, const World& world, const State& before) {
  constexpr int most_trials = 8;
  double ahead = has_fixed_step(scene.solver.integrator) ? scene.solver.step : std::min(1e-3, scene.solver.step);
  Fault fault = fault_at(scene, world, before);
  for (int trial = 0; trial < most_trials && fault.element == nullptr; ++trial, ahead *= 0.5) {
    State s = before;
    std::vector<double> way = before.v;
    for (double& x : way) x *= ahead;
    advance<double>(scene.model, before.q, way, Turn::exponential, s.q);
    s.t += ahead;
    fault = fault_at(scene, world, s);
  }
  return fault;
}

}  // namespace

std::string element_at_fault(const Scene& scene, const World& world, const State& before) {
  const Fault fault = find_fault(scene, world, before);
  if (fault.element == nullptr) return {};
  return fmt::format("; the force of '{}' on link '{}' is not finite there", fault.element->name,
                     scene.model.names[static_cast<std::size_t>(fault.link)]);
}

std::string breakdown_text(const Scene& scene, const World& world, const State& before, int link) {
  const std::string start = fmt::format("at t = {:.6g} s the motion of link '{}' is no longer a number", world.time(),
                                        scene.model.names[static_cast<std::size_t>(link)]);
  if (const std::string fault = element_at_fault(scene, world, before); !fault.empty()) return start + fault;
  const std::string advice =
      has_fixed_step(scene.solver.integrator)
          ? fmt::format("the step of {:.4g} s is too long for the forces that act, or", scene.solver.step)
          : "the forces grow beyond all bounds, or";
  return fmt::format("{}: {} the figure has come into a position where a joint moves no inertia", start, advice);
}

}  // namespace marey
