// What implicit and variational methods ask of a world.
//
// Jacobian: ∂v̇/∂(q, v) column by column, exact, by one dual direction each; by difference quotients while rigid contacts
// or constraints act, while joints are welded, and in maximal coordinates.
// Force of the variational method: with π = M v, Euler–Poincaré's equations for velocities in body axes read
//   d(M v)/dt = (π × w on attitudes) + ∂L/∂q + τ       and rnea gives       M v̇ + b = τ
// so that g = ∂L/∂q + τ = Ṁ v − (π × w) − b + τ, where Ṁ v is the derivative of M(q) v along q̇ = v with v held: one dual
// direction through rnea. b includes gravity and the forces from outside.
#include <algorithm>
#include <cmath>

#include "sim/dual_flow.h"
#include "sim/world.h"

namespace marey {
namespace {

bool has_attitude(const LinkTopology& link) { return coordinate_count(link) > freedom_count(link); }

// q with the derivative that the velocity v gives it.
void set_direction(const Model& model, std::span<const double> q, std::span<const double> v, std::span<Dual1> out) {
  for (const LinkTopology& link : model.links) {
    const int n = freedom_count(link), shift = coordinate_count(link) - n;
    int first = 0;
    if (has_attitude(link)) {
      const double* x = q.data() + link.q;
      const double* w = v.data() + link.v;
      const Quaternion<double> rate =
          Quaternion<double>{x[0], x[1], x[2], x[3]} * Quaternion<double>{0, w[0], w[1], w[2]};
      const double d[] = {0.5 * rate.w, 0.5 * rate.x, 0.5 * rate.y, 0.5 * rate.z};
      for (int k = 0; k < 4; ++k) out[link.q + k] = Dual1(x[k]), out[link.q + k].d[0] = d[k];
      first = 3;
    }
    for (int k = first; k < n; ++k) {
      out[link.q + shift + k] = Dual1(q[link.q + shift + k]);
      out[link.q + shift + k].d[0] = v[link.v + k];
    }
  }
}

}  // namespace

void World::jacobian(double t, std::span<const double> q, std::span<const double> v, std::span<double> rows) {
  if (maximal_ || constraints_hold() || (welds_ && welds_->count() > 0) || (contacts_ && !contacts_->without_rows()))
    return jacobian_by_differences(t, q, v, rows);
  if (!dual_) dual_ = std::make_unique<DualFlow>(scene_.model, sources_.state_count());
  DualFlow& d = *dual_;
  const Model& model = scene_.model;
  const std::size_t nq = q.size(), nv = velocity_count(), width = nq + v.size();
  for (std::size_t i = 0; i < nq; ++i) d.q[i] = Dual1(q[i]);
  for (std::size_t i = 0; i < nv; ++i) d.v[i] = Dual1(v[i]);
  for (std::size_t i = nv; i < v.size(); ++i) d.z[i - nv] = Dual1(v[i]);
  for (std::size_t column = 0; column < width; ++column) {
    Dual1& x = column < nq ? d.q[column] : column < nq + nv ? d.v[column - nq] : d.z[column - nq - nv];
    x.d[0] = 1;
    forward_kinematics<Dual1>(model, d.params, d.q, d.v, d.kinematics);
    const Instant<Dual1> now{model, t, d.q, d.v, d.kinematics.X_WB, d.kinematics.V_WB, past(), d.z};
    d.forces.clear();
    if (!sources_.act(now, d.forces, d.z_rate)) {
      x.d[0] = 0;
      return jacobian_by_differences(t, q, v, rows);
    }
    if (contacts_) contacts_->add_ground<Dual1>(now, d.forces);
    aba<Dual1>(model, d.params, d.q, d.v, {d.forces.tau, d.forces.F_Bo_W}, d.aba, d.out);
    x.d[0] = 0;
    for (std::size_t i = 0; i < nv; ++i) rows[i * width + column] = d.out[i].d[0];
    for (std::size_t i = nv; i < v.size(); ++i) rows[i * width + column] = d.z_rate[i - nv].d[0];
  }
}

// Multipliers have no dual: their columns are central difference quotients. With steps of ε^(1/3) their error
// is some 1e-10 of the accelerations, which Newton's method does not feel; where a point creeps, its friction turns with
// changes of that size, and the steps are made shorter.
void World::jacobian_by_differences(double t, std::span<const double> q, std::span<const double> v,
                                    std::span<double> rows) {
  const std::size_t nq = q.size(), nv = v.size(), width = nq + nv;
  std::vector<double>&x = quotients_[0], &plus = quotients_[1], &minus = quotients_[2];
  x.resize(width), plus.resize(nv), minus.resize(nv);
  std::copy(q.begin(), q.end(), x.begin());
  std::copy(v.begin(), v.end(), x.begin() + static_cast<std::ptrdiff_t>(nq));
  const double most = std::clamp(1e-3 * (contacts_ ? contacts_->slowest_slip() : forever), 1e-8, 6e-6);
  const auto at = [&](std::vector<double>& out) {
    answer(t, std::span(x).first(nq), std::span(x).subspan(nq), out, jumped_rates_);
  };
  for (std::size_t column = 0; column < width; ++column) {
    const double x_0 = x[column], step = most * std::max(1.0, std::abs(x_0));
    x[column] = x_0 + step, at(plus);
    x[column] = x_0 - step, at(minus);
    x[column] = x_0;
    for (std::size_t i = 0; i < nv; ++i) rows[i * width + column] = (plus[i] - minus[i]) / (2 * step);
  }
}

void World::force(double t, std::span<const double> q, std::span<const double> v_z, std::span<double> g,
                  std::span<double> rates) {
  if (maximal_) return force_maximal(t, q, v_z, g, rates);
  if (!dual_) dual_ = std::make_unique<DualFlow>(scene_.model, sources_.state_count());
  const Model& model = scene_.model;
  answer(t, q, v_z, answered_, rates);  // the rates need v̇ where the world holds a root
  const std::span<const double> v = v_z.first(velocity_count());
  std::copy(answered_.begin() + static_cast<std::ptrdiff_t>(v.size()), answered_.end(),
            g.begin() + static_cast<std::ptrdiff_t>(v.size()));
  rnea<double>(model, model.params, q, v, zero_, forces_.F_Bo_W, rnea_, rnea_tau_);
  DualFlow& d = *dual_;
  set_direction(model, q, v, d.q);
  for (std::size_t i = 0; i < v.size(); ++i) d.v[i] = Dual1(v[i]);
  rnea<Dual1>(model, d.weightless, d.q, d.zero, d.v, {}, d.rnea, d.out);
  for (std::size_t i = 0; i < v.size(); ++i) g[i] = d.out[i].d[0] - rnea_tau_[i] + forces_.tau[i];
  for (const LinkTopology& link : model.links) {
    if (!has_attitude(link)) continue;
    const Dual1* p = d.out.data() + link.v;
    const double* w = v.data() + link.v;
    const Vec3<double> turned = cross(Vec3<double>{p[0].value, p[1].value, p[2].value}, Vec3<double>{w[0], w[1], w[2]});
    for (int k = 0; k < 3; ++k) g[link.v + k] -= turned[k];
  }
}

}  // namespace marey
