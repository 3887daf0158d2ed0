// Figures that sleep (marey/contact/sleeping.h): as loose bodies do, all links of one together.
#include <algorithm>
#include <cmath>

#include "marey/contact/sleeping.h"

namespace marey {

// `m` of a root's body is that of the figure, which tells it from links that never sleep.
void Sleeping::find_figures(std::span<const char> alone) {
  for (std::size_t i = 1; i < roots_.size(); ++i) {
    const LinkTopology& link = model_.links[i];
    roots_[i] = static_cast<int>(i);
    if (alone[i] == 0 || bodies_[i].may_sleep) continue;
    if (link.parent == 0) {
      if (link.joint != JointType::free) continue;
      figures_.push_back({i, {i}});
    } else {
      roots_[i] = roots_[static_cast<std::size_t>(link.parent)];
      const auto own = std::ranges::find(figures_, static_cast<std::size_t>(roots_[i]), &Figure::root);
      if (own == figures_.end()) continue;
      own->links.push_back(i);
    }
    bodies_[static_cast<std::size_t>(roots_[i])].m += model_.params.links[i].I.m;
  }
}

// Those whose turn it is stop; what moves although it was asleep is awake.
void Sleeping::begin_figures(std::span<const double> q, std::span<double> v, Taken& taken) {
  const auto falls = [&](const Figure& figure) { return islands_[figure.root] < 0; };
  if (std::ranges::any_of(figures_, falls)) forward_kinematics<double>(model_, model_.params, q, v, kinematics_);
  for (const Figure& figure : figures_) {
    if (now_[figure.root] == 0) continue;
    ++count_;
    if (!falls(figure)) continue;
    for (const std::size_t i : figure.links) {
      const Inertia<double>& I = model_.params.links[i].I;
      const Transform<double>& X = kinematics_.X_WB[i];
      const Twist<double>& V = kinematics_.V_WB[i];
      const Twist<double> V_B{transpose_times(X.R, V.w), transpose_times(X.R, V.v)};
      const Wrench<double> p_B = I * V_B, p_W{X.R * p_B.n, X.R * p_B.f};
      taken.energy += 0.5 * power(p_B, V_B);
      taken.momentum += shifted(p_W, X.p);
      now_[i] = -islands_[i];
    }
    for_velocities(figure, [&](std::size_t first, std::size_t count) { std::fill_n(v.begin() + first, count, 0.0); });
  }
  for_sleeping_figures([&](const Figure& figure) {
    bool moves = false;
    for_velocities(figure, [&](std::size_t first, std::size_t count) {
      moves = moves || std::any_of(v.begin() + first, v.begin() + first + count, [](double x) { return x != 0; });
    });
    if (moves) wake(now_[figure.root]);
  });
}

// (1), with v̇ in the place of velocities.
bool Sleeping::only_gravity_acts_on(const Figure& figure) const {
  Wrench<double> rate;  // about the origin of the root
  double m = 0, reach = 0;
  const Vec3<double>& root = kinematics_.X_WB[figure.root].p;
  for (const std::size_t i : figure.links) {
    const Inertia<double>& I = model_.params.links[i].I;
    const Transform<double>& X = kinematics_.X_WB[i];
    const Twist<double> A_B{transpose_times(X.R, kinematics_.V_WB[i].w),
                            transpose_times(X.R, kinematics_.V_WB[i].v - gravity_)};
    const Wrench<double> F_B = I * A_B;
    rate += shifted(Wrench<double>{X.R * F_B.n, X.R * F_B.f}, X.p - root);
    m += I.m, reach = std::max(reach, norm(X.p - root) + reach_[i]);
  }
  const double least = m * (felt * norm(gravity_) + felt_alone);
  return norm(rate.f) <= least && norm(rate.n) <= least * reach;
}

bool Sleeping::acts_otherwise(const Figure& figure, std::span<const double> vdot) const {
  double most = 0;
  for_velocities(figure, [&](std::size_t first, std::size_t count) {
    for (std::size_t k = first; k < first + count; ++k) most = std::max(most, std::abs(vdot[k] - vdot_asleep_[k]));
  });
  return !(most <= felt * norm(gravity_) + felt_alone);
}

void Sleeping::notice_forces_on_figures(std::span<const double> q, std::span<const double> vdot) {
  bool placed = false;
  for_sleeping_figures([&](const Figure& figure) {
    if (islands_[figure.root] > 0) {
      if (acts_otherwise(figure, vdot)) wake(now_[figure.root]);
      return;
    }
    if (!placed) forward_kinematics<double>(model_, model_.params, q, vdot, kinematics_);
    placed = true;
    for_velocities(figure, [&](std::size_t first, std::size_t count) {
      std::copy_n(vdot.begin() + static_cast<std::ptrdiff_t>(first), count,
                  vdot_asleep_.begin() + static_cast<std::ptrdiff_t>(first));
    });
    if (!only_gravity_acts_on(figure)) wake(now_[figure.root]);
  });
}

// Without a look at its links.
bool Sleeping::may_be_slow(const Figure& figure, std::span<const double> v) const {
  const auto first = static_cast<std::size_t>(model_.links[figure.root].v);
  return norm(Vec3<double>{v[first + 3], v[first + 4], v[first + 5]}) <= options_.below;
}

bool Sleeping::is_slow(const Figure& figure) const {
  return std::ranges::all_of(figure.links, [&](std::size_t i) {
    const Twist<double>& V = kinematics_.V_WB[i];
    return norm(V.v) + reach_[i] * norm(V.w) <= options_.below;
  });
}

void Sleeping::finish_figures(double h, std::span<const double> q, std::span<double> v, Wrench<double>& held) {
  const auto is_asked = [&](const Figure& figure) { return now_[figure.root] > 0 || may_be_slow(figure, v); };
  for (const Figure& figure : figures_) quiet_now_[figure.root] = 0;
  if (std::ranges::none_of(figures_, is_asked)) return;
  for_sleeping_figures([&](const Figure& figure) {
    for_velocities(figure, [&](std::size_t first, std::size_t count) { std::fill_n(v.begin() + first, count, 0.0); });
  });
  forward_kinematics<double>(model_, model_.params, q, v, kinematics_);
  for (const Figure& figure : figures_) {
    const std::size_t root = figure.root;
    if (now_[root] > 0)
      for (const std::size_t i : figure.links) {
        const Inertia<double>& I = model_.params.links[i].I;
        const Transform<double>& X = kinematics_.X_WB[i];
        held += Wrench<double>{h * cross(I.m * X.p + X.R * I.h, gravity_), (h * I.m) * gravity_};
      }
    const bool woke = now_[root] == 0 && islands_[root] != 0;
    if (!woke && may_be_slow(figure, v) && is_slow(figure)) quiet_now_[root] = quiet_[root] + h;
  }
}

void Sleeping::let_sleep(int link, int island) {
  const auto own = std::ranges::find(figures_, static_cast<std::size_t>(whole(link)), &Figure::root);
  if (own == figures_.end()) {
    islands_[static_cast<std::size_t>(link)] = -island;
    return;
  }
  for (const std::size_t i : own->links) islands_[i] = -island;
}

}  // namespace marey
