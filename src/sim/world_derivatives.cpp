// What implicit and variational methods ask of a world.
//
// Jacobian: ∂v̇/∂(q, v) column by column, exact, by one dual direction each; by difference quotients while rigid contacts
// or constraints act, while joints are welded, and in maximal coordinates.
#include <algorithm>
#include <cmath>

#include "marey/core/afterwards.h"
#include "marey/plant/dual_flow.h"
#include "sim/world.h"

namespace marey {
void World::jacobian(double t, std::span<const double> q, std::span<const double> v, std::span<double> rows) {
  if (!plant_->has_derivatives() || any_part(&Part::has_rows)) return jacobian_by_differences(t, q, v, rows);
  if (!dual_) dual_ = std::make_unique<DualFlow>(scene_.model, sources_.state_count());
  DualFlow& d = *dual_;
  if (masses_) {
    put_masses(t);
    for (const int i : masses_->links())
      d.params.links[static_cast<std::size_t>(i)].I.m =
          Dual1(scene_.model.params.links[static_cast<std::size_t>(i)].I.m);
  }
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
    if (!std::ranges::all_of(parts_, [&](const Part* p) { return p->add_dual_forces(now, d.forces, d.z_rate); })) {
      x.d[0] = 0;
      return jacobian_by_differences(t, q, v, rows);
    }
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
  double slowest = forever;
  for (const Part* part : parts_) slowest = std::min(slowest, part->turning_speed());
  const double most = std::clamp(1e-3 * slowest, 1e-8, 6e-6);
  const auto at = [&](std::vector<double>& out) {
    right_hand_side(t, std::span(x).first(nq), std::span(x).subspan(nq), out, jumped_rates_);
  };
  const std::size_t ways = plant_->way_count();  // on which nothing depends, but for whole turns
  for (std::size_t i = 0; i < nv; ++i)
    std::fill_n(rows.begin() + static_cast<std::ptrdiff_t>((i + 1) * width - ways), ways, 0.0);
  for (std::size_t column = 0; column < width - ways; ++column) {
    const double x_0 = x[column], step = most * std::max(1.0, std::abs(x_0));
    x[column] = x_0 + step, at(plus);
    x[column] = x_0 - step, at(minus);
    x[column] = x_0;
    for (std::size_t i = 0; i < nv; ++i) rows[i * width + column] = (plus[i] - minus[i]) / (2 * step);
  }
}

void World::force(double t, std::span<const double> q, std::span<const double> v_z, std::span<double> g,
                  std::span<double> rates) {
  {
    const bool at_ends = holds_at_ends() && !ends_->given_up();
    const Afterwards outside([&] {
      if (at_ends) constraints_->hold_at_ends_alone(false);
    });
    if (at_ends) constraints_->hold_at_ends_alone(true);
    right_hand_side(t, q, v_z, answered_, rates);  // the rates need v̇ where the world holds a root
  }
  plant_->generalised_force({forces_.tau, forces_.F_Bo_W}, std::span(answered_).first(velocity_count()), g);
  std::copy(answered_.begin() + static_cast<std::ptrdiff_t>(velocity_count()), answered_.end(),
            g.begin() + static_cast<std::ptrdiff_t>(velocity_count()));
}

}  // namespace marey
