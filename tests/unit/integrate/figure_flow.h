// A figure that tumbles, as the methods see it: a Flow over any model, with joint forces that drive, brake and pull
// back.
//   v̇ = aba(q, v, τ),   τ_i = a sin(3 t + i) − c v_i − k φ_i                                                        (1)
// with φ the angle of a hinge or the way of a slider; of a ball, k′ 2w (x, y, z) of its quaternion (w, x, y, z).
//   rates: τ·v, the kinetic energy, sin(3 t)                                                                        (2)
// The force of the variational method, dual to a shift of q at constant v. With π = M v and Lagrange's equations in
// quasi-velocities, whose angular parts are in the axes of B (π̇ = π × w + ∂L/∂η + τ for an attitude),
//   g = ∂L/∂q + τ = π̇ − (π × w for attitudes, else 0),   π̇ = M v̇ + Ṁ v = τ − b + Ṁ v                             (3)
// b being the joint forces of rnea at v̇ = 0, gravity included, and Ṁ v the derivative of M(q) v along q̇ at constant v.
#pragma once

#include <cmath>
#include <vector>

#include "marey/dynamics.h"
#include "marey/integrate.h"
#include "marey/scalar/instantiate.h"
#include "support/figures.h"

namespace tumbling {

using marey::Dual1, marey::JointType, marey::LinkTopology, marey::Model, marey::State;

struct Drive {
  double amplitude = 0, friction = 0, stiffness = 0, ball_stiffness = 0;  // a, c, k, k′ of (1)
};

class FigureFlow : public marey::Flow {
 public:
  explicit FigureFlow(const Model& model, Drive drive = {})
      : model_(model), drive_(drive), weightless_(model.params), dual_(marey::convert<Dual1>(model.params)) {
    weightless_.gravity = {0, 0, 0};
    dual_weightless_ = marey::convert<Dual1>(weightless_);
  }
  const Model& model() const override { return model_; }
  std::size_t rate_count() const override { return 3; }

  void evaluate(double t, std::span<const double> q, std::span<const double> v, std::span<double> vdot,
                std::span<double> rates) override {
    const std::vector<double> tau = forces<double>(t, q, v);
    marey::AbaWorkspace<double> ws(model_);
    marey::aba<double>(model_, model_.params, q, v, {tau, {}}, ws, vdot);
    give_rates(t, q, v, tau, rates);
  }

  void jacobian(double t, std::span<const double> q, std::span<const double> v, std::span<double> rows) override {
    const std::size_t nq = q.size(), nv = v.size(), n = nq + nv;
    marey::AbaWorkspace<Dual1> ws(model_);
    std::vector<Dual1> q_d(q.begin(), q.end()), v_d(v.begin(), v.end()), vdot(nv);
    for (std::size_t j = 0; j < n; ++j) {
      Dual1& varied = j < nq ? q_d[j] : v_d[j - nq];
      varied.d[0] = 1;
      const std::vector<Dual1> tau = forces<Dual1>(t, q_d, v_d);
      marey::aba<Dual1>(model_, dual_, q_d, v_d, {tau, {}}, ws, vdot);
      varied.d[0] = 0;
      for (std::size_t i = 0; i < nv; ++i) rows[i * n + j] = vdot[i].d[0];
    }
  }

  void momentum(std::span<const double> q, std::span<const double> v, std::span<double> p) override {
    const std::vector<double> still(v.size());
    marey::RneaWorkspace<double> ws(model_);
    marey::rnea<double>(model_, weightless_, q, still, v, {}, ws, p);
  }
  void velocity(std::span<const double> q, std::span<const double> p, std::span<double> v) override {
    const std::vector<double> still(p.size());
    marey::AbaWorkspace<double> ws(model_);
    marey::aba<double>(model_, weightless_, q, still, {p, {}}, ws, v);
  }
  // (3)
  void force(double t, std::span<const double> q, std::span<const double> v, std::span<double> g,
             std::span<double> rates) override {
    const std::size_t nv = v.size();
    const std::vector<double> tau = forces<double>(t, q, v), still(nv);
    std::vector<double> b(nv);
    marey::RneaWorkspace<double> ws(model_);
    marey::rnea<double>(model_, model_.params, q, v, still, {}, ws, b);
    const std::vector<Dual1> pi = momentum_along(q, v);
    for (std::size_t i = 0; i < nv; ++i) g[i] = tau[i] - b[i] + pi[i].d[0];
    for (const LinkTopology& link : model_.links) {
      if (!has_attitude(link.joint)) continue;
      const int i = link.v;
      const marey::Vec3<double> p{pi[i].value, pi[i + 1].value, pi[i + 2].value}, w{v[i], v[i + 1], v[i + 2]};
      const marey::Vec3<double> turning = cross(p, w);
      for (int k = 0; k < 3; ++k) g[i + k] -= turning[k];
    }
    give_rates(t, q, v, tau, rates);
  }

  marey::Totals<double> totals(std::span<const double> q, std::span<const double> v) const {
    marey::Kinematics<double> k(model_);
    marey::forward_kinematics<double>(model_, model_.params, q, v, k);
    return marey::totals<double>(model_, model_.params, k);
  }

 private:
  // (1)
  template <class T>
  std::vector<T> forces(double t, std::span<const T> q, std::span<const T> v) const {
    std::vector<T> tau(v.size());
    for (const LinkTopology& link : model_.links) {
      const bool plain = link.joint == JointType::hinge || link.joint == JointType::slider;
      for (int i = link.v; i < link.v + freedom_count(link); ++i) {
        tau[i] = T(drive_.amplitude * std::sin(3 * t + i)) - T(drive_.friction) * v[i];
        if (plain) tau[i] = tau[i] - T(drive_.stiffness) * q[link.q];
        if (link.joint == JointType::ball)
          tau[i] = tau[i] - T(2 * drive_.ball_stiffness) * q[link.q] * q[link.q + 1 + i - link.v];
      }
    }
    return tau;
  }
  // (2)
  void give_rates(double t, std::span<const double> q, std::span<const double> v, std::span<const double> tau,
                  std::span<double> rates) const {
    rates[0] = 0;
    for (std::size_t i = 0; i < v.size(); ++i) rates[0] += tau[i] * v[i];
    rates[1] = totals(q, v).kinetic;
    rates[2] = std::sin(3 * t);
  }
  // M(q) v with its derivative along q̇.
  std::vector<Dual1> momentum_along(std::span<const double> q, std::span<const double> v) const {
    std::vector<Dual1> q_d(q.begin(), q.end()), v_d(v.begin(), v.end()), still(v.size()), p(v.size());
    for (const LinkTopology& link : model_.links) {
      const int a = link.q, b = link.v, turning = has_attitude(link.joint) ? 3 : 0;
      if (turning > 0) {
        const marey::Quaternion<double> rate = marey::Quaternion<double>{q[a], q[a + 1], q[a + 2], q[a + 3]} *
                                               marey::Quaternion<double>{0, v[b], v[b + 1], v[b + 2]};
        q_d[a].d[0] = rate.w / 2, q_d[a + 1].d[0] = rate.x / 2;
        q_d[a + 2].d[0] = rate.y / 2, q_d[a + 3].d[0] = rate.z / 2;
      }
      for (int i = turning; i < freedom_count(link); ++i) q_d[a + (turning > 0) + i].d[0] = v[b + i];
    }
    marey::RneaWorkspace<Dual1> ws(model_);
    marey::rnea<Dual1>(model_, dual_weightless_, q_d, still, v_d, {}, ws, p);
    return p;
  }

  const Model& model_;
  Drive drive_;
  marey::Params<double> weightless_;
  marey::Params<Dual1> dual_, dual_weightless_;
};

// Trunk, head on a ball, arm on a hinge, and with `slider` a weight that slides in the arm; no axis is one of symmetry.
inline Model figure(JointType root, bool gravity, bool slider = false) {
  figures::Random random(5);
  marey::ModelSpec spec;
  if (!gravity) spec.gravity = {0, 0, 0};
  const auto link = [&](const char* name, const char* parent, JointType joint, marey::Vec3<double> at, double m,
                        const double(&c)[3], double size) {
    marey::LinkSpec x;
    x.name = name, x.parent = parent, x.joint = joint, x.axis = {0.2, 1, -0.3};
    x.X_PF = {figures::matrix_of(random.turn()), at};
    const double r = m * size * size;
    x.inertia = figures::body(m, c, {0.5 * r, 0.8 * r, r}, figures::matrix_of(random.turn()));
    spec.links.push_back(x);
  };
  link("trunk", "world", root, {0, 0, 0}, 2, {0.05, -0.1, 0.2}, 0.25);
  link("head", "trunk", JointType::ball, {0.1, 0, 0.4}, 0.7, {0, 0.05, 0.15}, 0.15);
  link("arm", "trunk", JointType::hinge, {0, 0.2, 0.3}, 0.5, {0.2, 0, -0.05}, 0.2);
  if (slider) link("weight", "arm", JointType::slider, {0.3, 0, 0}, 0.2, {0.01, 0.02, 0}, 0.05);
  return marey::freeze(spec);
}

// Some state of it, turning at a few rad/s.
inline State tumble(const Model& model, double speed = 2) {
  figures::Random random(11);
  State s = marey::neutral_state(model);
  for (const LinkTopology& link : model.links) {
    int first = 0;
    if (has_attitude(link.joint)) {
      const marey::Quaternion<double> a = random.turn();
      s.q[link.q] = a.w, s.q[link.q + 1] = a.x, s.q[link.q + 2] = a.y, s.q[link.q + 3] = a.z;
      first = 4;
    }
    for (int i = first; i < coordinate_count(link); ++i) s.q[link.q + i] = random.between(-0.3, 0.3);
    for (int i = 0; i < freedom_count(link); ++i) s.v[link.v + i] = speed * random.between(-1, 1);
  }
  return s;
}

// The step that rk45 would try next.
inline void hope_for(marey::Method& rk45, double step) {
  std::vector<double> memory = rk45.memory();
  memory[0] = step;
  rk45.recall(memory);
}

// The end of a run, with the integrals of the rates.
struct Outcome {
  std::vector<double> q, v, integrals;
};

// Steps to the end; `step` 0 leaves the choice to the method.
inline Outcome run(marey::Method& method, marey::Flow& flow, const State& start, double duration, int steps) {
  Outcome out{start.q, start.v, std::vector<double>(flow.rate_count())};
  std::vector<double> part(flow.rate_count());
  method.restart(start.t, start.q, start.v);
  const double end = start.t + duration;
  for (int i = 1; method.t() < end; ++i) {
    method.step(steps == 0 || i == steps ? end : start.t + duration * i / steps);
    method.segment().at(flow.model(), method.segment().h, {}, {}, part);
    for (std::size_t k = 0; k < part.size(); ++k) out.integrals[k] += part[k];
  }
  out.q.assign(method.q().begin(), method.q().end());
  out.v.assign(method.v().begin(), method.v().end());
  return out;
}

inline Outcome run(marey::Integrator integrator, marey::Flow& flow, const State& start, double duration, int steps,
                   double tolerance = 1e-6) {
  const auto method = marey::make_method({integrator, tolerance, tolerance}, flow);
  return run(*method, flow, start, duration, steps);
}

// Far more exact than anything measured with it: the largest of these differences is what two methods disagree by.
inline Outcome reference(marey::Flow& flow, const State& start, double duration) {
  return run(marey::Integrator::rk45, flow, start, duration, 0, 1e-13);
}

// Largest differences of coordinates (as angles and lengths), velocities and integrals.
struct Difference {
  double q = 0, v = 0, integrals = 0;
};
inline double largest(std::span<const double> a, std::span<const double> b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}
inline Difference between(const Model& model, const Outcome& a, const Outcome& b) {
  std::vector<double> xi(a.v.size()), zero(a.v.size());
  marey::difference<double>(model, a.q, b.q, xi);
  return {largest(xi, zero), largest(a.v, b.v), largest(a.integrals, b.integrals)};
}

}  // namespace tumbling
