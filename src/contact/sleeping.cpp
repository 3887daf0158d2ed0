#include "marey/contact/sleeping.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace marey {

namespace {

using Vec = Vec3<double>;
Vec part(std::span<const double> x, std::size_t i) { return {x[i], x[i + 1], x[i + 2]}; }
void put(std::span<double> x, std::size_t i, const Vec& a) { x[i] = a.x, x[i + 1] = a.y, x[i + 2] = a.z; }
Mat3<double> attitude(std::span<const double> q, std::size_t i) {
  return rotation(Quaternion<double>{q[i], q[i + 1], q[i + 2], q[i + 3]});
}

}  // namespace

Sleeping::Sleeping(const Model& figure, const SleepOptions& options, std::span<const char> alone,
                   std::span<const double> reach)
    : model_(figure),
      options_(options),
      gravity_(figure.params.gravity),
      bodies_(figure.links.size()),
      islands_(figure.links.size(), 0),
      now_(islands_),
      quiet_(figure.links.size(), 0.0),
      quiet_now_(quiet_),
      roots_(figure.links.size()),
      reach_(reach.begin(), reach.end()),
      kinematics_(figure),
      vdot_asleep_(static_cast<std::size_t>(figure.nv)),
      held_(vdot_asleep_) {
  for (std::size_t i = 1; i < bodies_.size(); ++i) {
    const LinkTopology& link = figure.links[i];
    const Inertia<double>& I = figure.params.links[i].I;
    Body& b = bodies_[i];
    b.may_sleep = link.parent == 0 && link.joint == JointType::free && link.leaf && alone[i] != 0 && I.m > 0;
    if (!b.may_sleep) continue;
    b.q = static_cast<std::size_t>(link.q), b.v = static_cast<std::size_t>(link.v);
    b.R = figure.params.links[i].R_PF, b.l = figure.params.links[i].l, b.gravity = transpose_times(b.R, gravity_);
    b.m = I.m, b.c = (1 / I.m) * I.h, b.J = I.J - point_inertia(I.m, b.c);
    b.turning_reach = std::sqrt(0.5 * (I.J.xx + I.J.yy + I.J.zz) / I.m);  // of gyration, about Bo
    b.reach = std::max(std::sqrt(3.0) * b.turning_reach, reach[i]);       // where a box has its corners, or farther
  }
  find_figures(alone);
}

// p_WoC_W
Vec Sleeping::centre(const Body& b, std::span<const double> q) {
  return b.l + b.R * (part(q, b.q + 4) + attitude(q, b.q) * b.c);
}

void Sleeping::wake(int island) {
  for (std::size_t i = 1; i < now_.size(); ++i)
    if (now_[i] == island) {
      now_[i] = 0;
      if (whole(static_cast<int>(i)) == static_cast<int>(i)) --count_, woken_.push_back(static_cast<int>(i));
    }
}

void Sleeping::wake_with(int link) {
  if (is_asleep(link)) wake(now_[static_cast<std::size_t>(link)]);
}

Sleeping::Taken Sleeping::begin_attempt(std::span<const double> q, std::span<double> v) {
  now_ = islands_, woken_.clear(), count_ = 0;
  Taken taken;
  for (std::size_t i = 1; i < now_.size(); ++i) {
    const Body& b = bodies_[i];
    if (now_[i] == 0 || !b.may_sleep) continue;
    ++count_;
    if (now_[i] > 0) continue;
    now_[i] = -now_[i];
    const Mat3<double> R = b.R * attitude(q, b.q);
    const Vec w = part(v, b.v), v_C = b.R * part(v, b.v + 3) + R * cross(w, b.c), p = b.m * v_C;
    taken.energy += 0.5 * dot(p, v_C) + 0.5 * dot(w, b.J * w);
    taken.momentum += Wrench<double>{cross(centre(b, q), p) + R * (b.J * w), p};
    put(v, b.v, {}), put(v, b.v + 3, {});
  }
  begin_figures(q, v, taken);
  for_sleepers([&](std::size_t i, const Body& b) {
    if (norm_squared(part(v, b.v)) + norm_squared(part(v, b.v + 3)) > 0) wake(now_[i]);
  });
  return taken;
}

// Of a body at rest under gravity alone the origin falls, and it does not turn; what turns adds about |ω|² reach to that.
bool Sleeping::is_pushed(const Body& b, std::span<const double> vdot, double by_turning) const {
  const double least = felt * norm(gravity_) + felt_alone + by_turning;
  return norm(part(vdot, b.v + 3) - b.gravity) > least || b.turning_reach * norm(part(vdot, b.v)) > least;
}

void Sleeping::notice_forces(std::span<const double> q, std::span<const double> vdot) {
  for_sleepers([&](std::size_t i, const Body& b) {
    if (is_pushed(b, vdot, 0)) wake(now_[i]);
  });
  notice_forces_on_figures(q, vdot);
  woken_.clear();  // they have v̇ as it is
}

void Sleeping::hold(std::span<double> vdot) {
  for_sleepers([&](std::size_t, const Body& b) { put(vdot, b.v, {}), put(vdot, b.v + 3, {}); });
  for_sleeping_figures([&](const Figure& figure) {
    for_velocities(figure, [&](std::size_t first, std::size_t count) {
      for (std::size_t k = first; k < first + count; ++k) held_[k] = std::exchange(vdot[k], 0.0);
    });
  });
}

void Sleeping::release(std::span<double> vdot) {
  for (const int link : woken_) {
    const Body& b = bodies_[static_cast<std::size_t>(link)];
    if (b.may_sleep) put(vdot, b.v, {}), put(vdot, b.v + 3, b.gravity);
  }
  for (const Figure& figure : figures_)
    if (std::ranges::find(woken_, static_cast<int>(figure.root)) != woken_.end())
      for_velocities(figure, [&](std::size_t first, std::size_t count) {
        std::copy_n(held_.begin() + static_cast<std::ptrdiff_t>(first), count,
                    vdot.begin() + static_cast<std::ptrdiff_t>(first));
      });
  woken_.clear();
}

void Sleeping::keep(std::span<const double> q_before, std::span<double> q) const {
  for_sleepers([&](std::size_t, const Body& b) { std::copy_n(q_before.begin() + b.q, 7, q.begin() + b.q); });
  for_sleeping_figures([&](const Figure& figure) {
    for (const std::size_t i : figure.links)
      std::copy_n(q_before.begin() + model_.links[i].q, coordinate_count(model_.links[i]),
                  q.begin() + model_.links[i].q);
  });
}

Wrench<double> Sleeping::finish(double h, std::span<const double> q, std::span<double> v,
                                std::span<const double> vdot) {
  Wrench<double> held;
  for_sleepers([&](std::size_t, const Body& b) {
    const Vec p = (h * b.m) * gravity_;
    held += Wrench<double>{cross(centre(b, q), p), p};
    put(v, b.v, {}), put(v, b.v + 3, {});
  });
  for (std::size_t i = 1; i < now_.size(); ++i) {
    const Body& b = bodies_[i];
    if (!b.may_sleep) continue;
    const double turning = norm(part(v, b.v));
    const bool slow = norm(part(v, b.v + 3)) + b.reach * turning <= options_.below;
    const bool woke = now_[i] == 0 && islands_[i] != 0;
    const bool quiet = slow && !woke && (now_[i] > 0 || !is_pushed(b, vdot, 2 * b.reach * turning * turning));
    quiet_now_[i] = quiet ? quiet_[i] + h : 0;
  }
  finish_figures(h, q, v, held);
  return held;
}

void Sleeping::accept() { islands_ = now_, quiet_ = quiet_now_; }

bool Sleeping::is_quiet(int link) const {
  const auto i = static_cast<std::size_t>(whole(link));
  return (bodies_[i].may_sleep || bodies_[i].m > 0) && quiet_[i] >= options_.lasts;
}

void Sleeping::exchange(const Part::Archive& archive) {
  archive(std::as_writable_bytes(std::span(islands_)));
  archive(std::as_writable_bytes(std::span(quiet_)));
  if (figures_.empty()) return;
  archive(std::as_writable_bytes(std::span(vdot_asleep_)));
  for (const Figure& figure : figures_)
    for (const std::size_t i : figure.links) islands_[i] = islands_[figure.root];  // whatever a damaged one says
}

}  // namespace marey
