// An element whose force is not finite is looked for at the state from which the step began, and a little further on
// the way it was going: methods try places that the motion does not reach.
#include "sim/breakdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "marey/force/finite.h"

namespace marey {
namespace {

struct Fault {
  std::string source;  // empty: none
  int link = -1;
};

// The first link on which the forces are not finite, or −1.
int link_of_fault(const Model& model, const ForceSum<double>& forces) {
  for (int i = 1; i < model.nlink(); ++i) {
    const std::size_t link = static_cast<std::size_t>(i);
    if (!finite(forces.F_Bo_W[link].n) || !finite(forces.F_Bo_W[link].f)) return i;
    for (int k = 0; k < freedom_count(model.links[link]); ++k)
      if (!std::isfinite(forces.tau[static_cast<std::size_t>(model.links[link].v + k)])) return i;
  }
  return -1;
}

Fault fault_at(const Scene& scene, const World& world, const State& s) {
  Kinematics<double> kinematics(scene.model);
  forward_kinematics<double>(scene.model, scene.model.params, s.q, s.v, kinematics);
  const Instant<double> now{scene.model, s.t, s.q, s.v, kinematics.X_WB, kinematics.V_WB, nullptr, s.z};
  for (std::size_t e = 0; e < scene.elements.size(); ++e) {
    const Element& element = world.sources().elements()[e];
    if (delay_of(element) > 0) continue;  // what it does depends on more than the state
    if (source_of(element) != nullptr) {
      ForceSum<double> forces(scene.model);
      world.sources().act(e, now, forces);
      if (const int link = link_of_fault(scene.model, forces); link >= 0) return {element.name, link};
      continue;
    }
    if (const int link = link_without_finite_force(element, now, world.sources().modes_of(e)); link >= 0)
      return {element.name, link};
  }
  for (std::size_t i = scene.elements.size(); i < world.sources().size(); ++i) {
    if (world.sources()[i].delay() > 0) continue;
    ForceSum<double> forces(scene.model);
    world.sources().act(i, now, forces);
    if (const int link = link_of_fault(scene.model, forces); link >= 0) return {world.sources()[i].name(), link};
  }
  return {};
}

// A constraint whose script has no finite value, rate or acceleration at a time not long after a state.
std::string script_at_fault(const Scene& scene, const World& world, const State& before, double ahead) {
  if (world.constraints() == nullptr) return {};
  Kinematics<double> kinematics(scene.model);
  forward_kinematics<double>(scene.model, scene.model.params, before.q, before.v, kinematics);
  std::array<ConstraintRow, most_rows> rows;
  for (int part = 0; part <= 4; ++part) {
    const Instant<double> now{scene.model,    before.t + 0.25 * part * ahead, before.q, before.v, kinematics.X_WB,
                              kinematics.V_WB};
    for (std::size_t i = 0; i < world.constraints()->size(); ++i) {
      const Constraint& c = world.constraints()->constraint(i);
      if (!world.constraints()->active(i) || !moves_in_time(c)) continue;
      const std::span<ConstraintRow> own = std::span(rows).first(static_cast<std::size_t>(row_count(c)));
      constraint_rows(c, now, own);
      for (const ConstraintRow& row : own)
        if (!std::isfinite(row.value + row.rate + row.bias))
          return fmt::format("; the script of '{}' is not finite there, or has no finite rate", c.name);
    }
  }
  return {};
}

// How far beyond a state a method may have looked.
double way_ahead(const Scene& scene) {
  return has_fixed_step(scene.solver.integrator) ? scene.solver.step : std::min(1e-3, scene.solver.step);
}

Fault find_fault(const Scene& scene, const World& world, const State& before) {
  constexpr int most_trials = 8;
  double ahead = way_ahead(scene);
  Fault fault = fault_at(scene, world, before);
  for (int trial = 0; trial < most_trials && fault.source.empty(); ++trial, ahead *= 0.5) {
    State s = before;
    std::vector<double> way = before.v;
    for (double& x : way) x *= ahead;
    advance<double>(scene.model, before.q, way, Turn::exponential, s.q);
    s.t += ahead;
    fault = fault_at(scene, world, s);
  }
  return fault;
}

// ---- the account

std::string joules(double x) { return std::isnan(x) ? "not a number" : fmt::format("{:.3g} J", x); }

// Energy and momentum of one link, as in totals().
struct LinkShare {
  double kinetic = 0, gravity = 0;
  Wrench<double> momentum;
  bool is_finite() const {
    return std::isfinite(kinetic) && std::isfinite(gravity) && finite(momentum.n) && finite(momentum.f) &&
           std::isfinite(norm(momentum.n)) && std::isfinite(norm(momentum.f));
  }
};
LinkShare share_of(const Model& model, const Kinematics<double>& k, std::size_t i) {
  const Inertia<double>& I = model.params.links[i].I;
  const Transform<double>& X = k.X_WB[i];
  const Twist<double> V_B{transpose_times(X.R, k.V_WB[i].w), transpose_times(X.R, k.V_WB[i].v)};
  const Wrench<double> L_B = I * V_B;
  const Vec3<double> linear = X.R * L_B.f;
  return {0.5 * power(L_B, V_B),
          -dot(model.params.gravity, X.R * I.h + I.m * X.p),
          {X.R * L_B.n + cross(X.p, linear), linear}};
}

// The link that is not finite by itself, or else moves with the most energy: sums overflow by their largest part.
std::string text_of_link(const Model& model, const Kinematics<double>& k, bool only_not_finite) {
  std::size_t worst = 0;
  double most = -1;
  for (std::size_t i = 1; i < model.links.size(); ++i) {
    const LinkShare share = share_of(model, k, i);
    if (!share.is_finite()) {
      worst = i;
      break;
    }
    if (!only_not_finite && share.kinetic > most) worst = i, most = share.kinetic;
  }
  if (worst == 0) return {};
  const LinkShare share = share_of(model, k, worst);
  return fmt::format(
      "link '{}', at {:.3g} m from the origin with {:.3g} m/s and {:.3g} rad/s, has a kinetic energy of {:.3g} J, a "
      "potential one of {:.3g} J and momenta of {:.3g} N s and {:.3g} N m s",
      model.names[worst], norm(k.X_WB[worst].p), norm(k.V_WB[worst].v), norm(k.V_WB[worst].w), share.kinetic,
      share.gravity, norm(share.momentum.f), norm(share.momentum.n));
}

std::string text_of_source(const Scene& scene, const World& world) {
  const RateLayout& layout = world.layout();
  const std::span<const double> x = world.integrals();
  const auto impulse_is_finite = [&](std::size_t at) {
    return std::all_of(x.begin() + static_cast<std::ptrdiff_t>(at), x.begin() + static_cast<std::ptrdiff_t>(at + 6),
                       [](double y) { return std::isfinite(y); });
  };
  for (std::size_t e = 0; e < layout.sources; ++e) {
    const std::string name = name_of_source(layout, e, scene);
    if (!std::isfinite(x[layout.power(e)]))
      return fmt::format("the work of '{}' is {}", name, joules(x[layout.power(e)]));
    if (!impulse_is_finite(layout.outside(e))) return fmt::format("the impulse of '{}' is not finite", name);
  }
  if (!impulse_is_finite(layout.gravity())) return "the impulse of gravity is not finite";
  if (!impulse_is_finite(layout.world())) return "the impulse that the world gives to the roots is not finite";
  return {};
}

std::string text_of_potential(const Scene& scene, const Instant<double>& now) {
  for (const Element& e : scene.elements)
    if (const double energy = potential<double>(e, now); !std::isfinite(energy))
      return fmt::format("the potential energy of '{}' is {}", e.name, joules(energy));
  return {};
}

}  // namespace

std::string account_text(const Scene& scene, World& world) {
  const State& s = world.state();
  Kinematics<double> k(scene.model);
  forward_kinematics<double>(scene.model, scene.model.params, s.q, s.v, k);
  std::string cause = text_of_link(scene.model, k, true);
  if (cause.empty()) {
    cause = text_of_potential(scene, {scene.model, s.t, s.q, s.v, k.X_WB, k.V_WB, world.past()});
    if (cause.empty()) cause = text_of_source(scene, world);
    cause += (cause.empty() ? "" : "; ") + text_of_link(scene.model, k, false);
  }
  return fmt::format("at t = {:.6g} s the account of energy and momentum is no longer finite: {}", world.time(), cause);
}

std::string element_at_fault(const Scene& scene, const World& world, const State& before) {
  const Fault fault = find_fault(scene, world, before);
  if (fault.source.empty()) return script_at_fault(scene, world, before, way_ahead(scene));
  return fmt::format("; the force of '{}' on link '{}' is not finite there", fault.source,
                     scene.model.names[static_cast<std::size_t>(fault.link)]);
}

std::string cause_besides(std::string_view said, const Scene& scene, const World& world, const State& before) {
  if (std::string element = element_at_fault(scene, world, before); !element.empty()) return element;
  const bool of_constraints = said.find("constraint") != std::string_view::npos;
  return of_constraints || world.constraints() == nullptr ? std::string() : world.constraints()->hardest();
}

std::string states_text(const World& world) {
  if (std::ranges::all_of(world.state().z, [](double x) { return std::isfinite(x); })) return {};
  std::size_t first = 0;
  for (std::size_t i = 0; i < world.sources().size(); ++i)
    for (const std::string& state : world.sources()[i].states())
      if (const double x = world.state().z[first++]; !std::isfinite(x))
        return fmt::format("at t = {:.6g} s the state '{}' of '{}' is no longer a number", world.time(), state,
                           world.sources()[i].name());
  return {};
}

std::string breakdown_text(const Scene& scene, const World& world, const State& before, int link) {
  const std::string start = fmt::format("at t = {:.6g} s the motion of link '{}' is no longer a number", world.time(),
                                        scene.model.names[static_cast<std::size_t>(link)]);
  if (const std::string fault = element_at_fault(scene, world, before); !fault.empty()) return start + fault;
  const std::string advice =
      has_fixed_step(scene.solver.integrator)
          ? fmt::format("the step of {:.4g} s is too long for the forces that act, or", scene.solver.step)
          : "the forces grow beyond all bounds, or";
  return fmt::format("{}: {} the figure has come into a position where a joint moves no inertia{}", start, advice,
                     world.constraints() == nullptr ? "" : world.constraints()->hardest());
}

}  // namespace marey
