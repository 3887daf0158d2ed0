// The step-size adviser (A4): the shortest period present in a figure, and what causes it.
//
// Near a state the figure moves like M ẍ + C ẋ + K x = 0 in its velocities' coordinates x. Springs and dampers are sums of
// rows, K = Σ k gᵀg and C = Σ c gᵀg, with g x the rate of the angle or displacement through which the element acts:
//   torque function   g of its named angle; for a swing, the two directions across its axis
//   friction          every degree of freedom of the joint
//   support           displacement of its point and turn of its link, three directions each
//   spring, damper    the length between its points
//   drag              displacement of the centre of mass, as fast as it moves now
//   field             displacement of the centre of mass, along the axes of −∂f/∂x and −∂f/∂v (their symmetric parts) there
//   attraction        displacement of the centre of mass, k = m ω² with ω the rate of a circular orbit at this distance
//   gravity           turn of every link across s, the moment of its own mass and of the masses it carries at its
//                     joints; k = |gravity| |s|, as if it hung (standing, it would fall at that rate)
// The highest frequency is ω² = max xᵀK x / xᵀM x, found by iterating x ← M⁻¹ K x with M⁻¹ from `aba`, and the fastest
// decay likewise with C. As M xᵢ₊₁ = K xᵢ, Rayleigh's quotient needs no M:
//   ω² ≈ Σ k (g xᵢ₊₁)² / Σ k (g xᵢ₊₁)(g xᵢ)                                                               (1)
// which approaches ω² from below, and is within a per cent or so after the few dozen iterations done here. The element
// that holds the largest part of xᵀK x is named as the cause. Cost: linear in the number of links and elements.
//
// Semi-implicit Euler with step h on one mode with both, v ← v − h (ω² x + λ v), x ← x + h v, is stable while
// 4 − 2hλ − h²ω² > 0:
//   h < 4 / (λ + √(λ² + 4ω²))                                                                            (2)
// 2/ω for a spring alone, 2/λ for a damper alone. Taking the fastest spring and the fastest damper together, though they
// may belong to different modes, is on the safe side.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

#include "force/descriptor.h"
#include "marey/core/index.h"
#include "marey/dynamics.h"

namespace marey {
namespace {

// Gravity makes links swing when something holds the figure up: its root is not free, or an element holds or pushes it.
void add_gravity(AdviserRows& rows, std::span<const Element> elements) {
  const Model& model = rows.at.model;
  const double g = norm(model.params.gravity);
  if (g == 0) return;
  const std::size_t n = model.links.size();
  std::vector<std::size_t> root(n, 0);
  std::vector<bool> held(n, false);
  for (std::size_t i = 1; i < n; ++i) {
    const LinkTopology& link = model.links[i];
    const bool floats = link.joint == JointType::free || link.joint == JointType::point;
    const bool is_root = link.parent == 0 || floats;
    root[i] = is_root ? i : root[index(link.parent)];
    if (is_root) held[i] = !floats;
  }
  for (const Element& e : elements) {
    const ElementLaw& kind = e.kind.law();
    if (kind.holds_up(e.kind)) held[root[index(kind.link(e.kind))]] = true;
  }
  std::vector<double> carried(n);  // mass of the link and of everything attached to it
  std::vector<Vec3<double>> moment(n);
  for (std::size_t i = n - 1; i > 0; --i) {
    const Inertia<double>& I = model.params.links[i].I;
    carried[i] += I.m;
    moment[i] += rows.at.X_WB[i].R * I.h;
    if (root[i] != i) {
      const std::size_t p = index(model.links[i].parent);
      carried[p] += carried[i];
      moment[p] += carried[i] * (rows.at.X_WB[i].p - rows.at.X_WB[p].p);
    }
    const double s = norm(moment[i]);
    if (!held[root[i]] || !(s > 0)) continue;
    const int source = static_cast<int>(elements.size() + i);
    for (const Vec3<double>& u : across(moment[i])) {
      rows.springs.push_back({static_cast<int>(i), false, u, {}, g * s, source});
    }
  }
}

// ---- the fastest mode of a set of rows
struct FastestMode {
  double value = 0;  // ω² or rate
  int source = -1;
};

class ModeFinder {
 public:
  ModeFinder(const Model& model, const State& state)
      : model_(model),
        params_(model.params),
        q_(state.q),
        rest_(index(model.nv)),
        x_(index(model.nv)),
        tau_(index(model.nv)),
        F_(model.links.size()),
        aba_(model),
        motion_(model) {
    params_.gravity = {};
  }

  FastestMode fastest(std::span<const AdviserRow> rows) {
    if (rows.empty() || model_.nv == 0) return {};
    std::vector<double> before(rows.size()), after(rows.size());
    std::uint32_t seed = 1;
    for (double& y : before) {  // any start with a component in every mode; fixed, so that the advice is reproducible
      seed = 1664525u * seed + 1013904223u;
      y = 0.5 + seed / 4294967296.0;
    }
    double value = 0;
    for (int round = 0; round < 60; ++round) {
      respond(rows, before, after);
      double potential = 0, kinetic = 0;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        potential += rows[i].k * after[i] * after[i];
        kinetic += rows[i].k * after[i] * before[i];
      }
      if (!(potential > 0 && kinetic > 0)) break;
      const double last = std::exchange(value, potential / kinetic);  // (1)
      const double scale = 1 / std::sqrt(potential);
      for (double& y : after) y *= scale;
      std::swap(before, after);
      if (round >= 20 && std::abs(value - last) < 1e-6 * value) break;
    }
    return {value, largest_part(rows, before)};
  }

 private:
  // after = g M⁻¹ Σ k gᵀ before
  void respond(std::span<const AdviserRow> rows, const std::vector<double>& before, std::vector<double>& after) {
    std::fill(tau_.begin(), tau_.end(), 0.0);
    std::fill(F_.begin(), F_.end(), Wrench<double>{});
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const AdviserRow& r = rows[i];
      const double f = r.k * before[i];
      if (r.through_joint) {
        for (int k = 0; k < freedoms(r); ++k) tau_[velocity(r, k)] += f * r.a[k];
      } else {
        F_[index(r.link)] += {f * r.a, f * r.b};
        if (r.other != 0) F_[index(r.other)] += {f * r.a_other, f * r.b_other};
      }
    }
    aba<double>(model_, params_, q_, rest_, Forces<double>{tau_, F_}, aba_, x_);
    forward_kinematics<double>(model_, params_, q_, x_, motion_);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const AdviserRow& r = rows[i];
      const Twist<double>& V = motion_.V_WB[index(r.link)];
      after[i] = r.through_joint ? 0 : dot(r.a, V.w) + dot(r.b, V.v);
      if (r.other != 0)
        after[i] += dot(r.a_other, motion_.V_WB[index(r.other)].w) + dot(r.b_other, motion_.V_WB[index(r.other)].v);
      for (int k = 0; r.through_joint && k < freedoms(r); ++k) after[i] += r.a[k] * x_[velocity(r, k)];
    }
  }
  int freedoms(const AdviserRow& r) const { return std::min(3, freedom_count(model_.links[index(r.link)]) - r.first); }
  std::size_t velocity(const AdviserRow& r, int k) const { return index(model_.links[index(r.link)].v + r.first + k); }

  static int largest_part(std::span<const AdviserRow> rows, const std::vector<double>& y) {
    int last = 0, best = -1;
    for (const AdviserRow& r : rows) last = std::max(last, r.source);
    std::vector<double> part(index(last) + 1);
    for (std::size_t i = 0; i < rows.size(); ++i) part[index(rows[i].source)] += rows[i].k * y[i] * y[i];
    for (int s = 0; s <= last; ++s) {
      if (part[index(s)] > (best < 0 ? 0 : part[index(best)])) best = s;
    }
    return best;
  }

  const Model& model_;
  Params<double> params_;  // without gravity
  std::vector<double> q_, rest_, x_, tau_;
  std::vector<Wrench<double>> F_;
  AbaWorkspace<double> aba_;
  Kinematics<double> motion_;
};

// ---- words
std::string quoted(const std::string& name) { return "'" + name + "'"; }

std::string describe(const Model& model, std::span<const Element> elements, int source) {
  if (source < 0) return "what acts";  // so extreme that no part of it can be identified as the largest
  const std::size_t i = index(source);
  if (i >= elements.size()) return quoted(model.names[i - elements.size()]) + " swinging under gravity";
  return elements[i].kind.law().describe(model, elements[i]);
}

}  // namespace

StepAdvice advise_step(const Model& model, std::span<const Element> elements, const State& state) {
  Kinematics<double> start(model);
  forward_kinematics<double>(model, model.params, state.q, state.v, start);
  const Instant<double> at{model, state.t, state.q, state.v, start.X_WB, start.V_WB};
  AdviserRows rows{at, {}, {}};
  for (const Element& e : elements) {
    e.kind.law().stiffness(e.kind, rows);
    ++rows.source;
  }
  add_gravity(rows, elements);

  ModeFinder finder(model, state);
  const FastestMode spring = finder.fastest(rows.springs), damper = finder.fastest(rows.dampers);
  const double omega = std::sqrt(spring.value), decay = damper.value;
  double rate = 0;
  StepAdvice advice;
  const auto consider = [&](double candidate, auto describe_it) {
    if (!(candidate > rate)) return;
    rate = candidate;
    advice.cause = describe_it();
  };
  consider(omega, [&] { return describe(model, elements, spring.source); });
  consider(decay, [&] { return describe(model, elements, damper.source); });
  for (std::size_t i = 1; i < model.links.size(); ++i) {
    consider(norm(start.V_WB[i].w), [&] { return quoted(model.names[i]) + " turning"; });
  }
  if (rate > 0) advice.shortest_period = 2 * std::numbers::pi / rate, advice.advised_step = advice.shortest_period / 10;
  if (omega + decay > 0) advice.unstable_step = 4 / (decay + std::hypot(decay, 2 * omega));  // (2)
  return advice;
}

}  // namespace marey
