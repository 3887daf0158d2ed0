#include "sim/world.h"

#include <cmath>
#include <cstring>

namespace marey {
namespace {

void add_wrench(std::span<double> x, std::size_t at, const Wrench<double>& F) {
  for (int k = 0; k < 3; ++k) x[at + k] += F.n[k], x[at + 3 + k] += F.f[k];
}

}  // namespace

World::World(const Scene& scene)
    : scene_(scene),
      state_(scene.start),
      layout_(scene.elements.size()),
      integrals_(layout_.count()),
      kinematics_(scene.model),
      forces_(scene.model),
      solver_(scene.model, scene.solver),
      rnea_(scene.model),
      rnea_tau_(scene.model.nv),
      stepper_(scene.model, scene.solver.integrator, layout_.count()) {
  std::size_t n = 0;
  for (const Element& e : scene.elements) {
    mode_start_.push_back(n);
    n += static_cast<std::size_t>(mode_count(e));
  }
  mode_start_.push_back(n);
  modes_.assign(n, 0.0);
  for (const LinkTopology& link : scene.model.links)
    held_ = held_ || (&link != scene.model.links.data() && link.parent == 0 && link.joint != JointType::free);
  ledger_.begin(balance(0, state_.q, state_.v));
}

void World::step() {
  const double h = scene_.solver.step, t = time();
  set_modes();
  solver_.begin_step(steps_, state_.q, state_.v);
  stepper_.step(t, h, state_.q, state_.v, integrals_,
                [this](double stage_t, std::span<const double> q, std::span<const double> v, std::span<double> vdot,
                       std::span<double> rates) { right_hand_side(stage_t, q, v, vdot, rates); });
  ++steps_;
  state_.t = time();
  ledger_.follow(balance(state_.t, state_.q, state_.v));
}

// Switches are set from the state at the start of the step and stay for all its stages.
void World::set_modes() {
  if (modes_.empty()) return;
  forward_kinematics<double>(scene_.model, scene_.model.params, state_.q, state_.v, kinematics_);
  const Instant<double> now{scene_.model, time(), state_.q, state_.v, kinematics_.X_WB, kinematics_.V_WB};
  for (std::size_t e = 0; e < scene_.elements.size(); ++e)
    update_modes(scene_.elements[e], now, scene_.solver.step,
                 std::span(modes_).subspan(mode_start_[e], mode_start_[e + 1] - mode_start_[e]));
}

void World::right_hand_side(double t, std::span<const double> q, std::span<const double> v, std::span<double> vdot,
                            std::span<double> rates) {
  const Model& model = scene_.model;
  std::fill(rates.begin(), rates.end(), 0.0);
  forward_kinematics<double>(model, model.params, q, v, kinematics_);
  sum_elements({model, t, q, v, kinematics_.X_WB, kinematics_.V_WB}, rates);
  solver_.solve(q, v, {forces_.tau, forces_.F_Bo_W}, vdot);
  book_gravity(rates);
  if (held_) book_world(q, v, vdot, rates);
}

void World::sum_elements(const Instant<double>& now, std::span<double> rates) {
  forces_.clear();
  for (std::size_t e = 0; e < scene_.elements.size(); ++e) {
    const Element& element = scene_.elements[e];
    forces_.begin_element();
    evaluate<double>(element, now, std::span(modes_).subspan(mode_start_[e], mode_start_[e + 1] - mode_start_[e]),
                     forces_);
    rates[layout_.power(e)] =
        nature_of(element) == Nature::conservative ? potential_rate<double>(element, now) : forces_.power;
    add_wrench(rates, layout_.outside(e), forces_.external);
  }
}

void World::book_gravity(std::span<double> rates) const {
  const Params<double>& params = scene_.model.params;
  Vec3<double> first_moment;
  double mass = 0;
  for (int i = 1; i < scene_.model.nlink(); ++i) {
    first_moment += kinematics_.X_WB[i].R * params.links[i].I.h + params.links[i].I.m * kinematics_.X_WB[i].p;
    mass += params.links[i].I.m;
  }
  add_wrench(rates, layout_.gravity(), {cross(first_moment, params.gravity), mass * params.gravity});
}

Wrench<double> wrench_of_joint_force(const LinkTopology& link, const LinkParams<double>& params,
                                     const Mat3<double>& R_FB, const double* tau) {
  const Vec3<double> first = freedom_count(link.joint) >= 3 ? Vec3<double>{tau[0], tau[1], tau[2]} : Vec3<double>{};
  switch (link.joint) {
    case JointType::weld:
      return {};
    case JointType::hinge:
      return {tau[0] * params.axis, {}};
    case JointType::slider:
      return {{}, tau[0] * params.axis};
    case JointType::ball:
      return {first, {}};
    case JointType::free:
      return {first, transpose_times(R_FB, Vec3<double>{tau[3], tau[4], tau[5]})};
    case JointType::point:
      return {{}, first};
  }
  return {};
}

// What the world does to roots that are not free: the wrench through their joint, less the joint's own forces, which
// their elements have booked already.
void World::book_world(std::span<const double> q, std::span<const double> v, std::span<const double> vdot,
                       std::span<double> rates) {
  const Model& model = scene_.model;
  rnea<double>(model, model.params, q, v, vdot, forces_.F_Bo_W, rnea_, rnea_tau_);
  for (int i = 1; i < model.nlink(); ++i) {
    const LinkTopology& link = model.links[i];
    if (link.parent != 0 || link.joint == JointType::free) continue;
    Wrench<double> F = rnea_.links[i].F;
    F -= wrench_of_joint_force(link, model.params.links[i], {}, forces_.tau.data() + link.v);
    const Transform<double>& X = kinematics_.X_WB[i];
    add_wrench(rates, layout_.world(), shifted(Wrench<double>{X.R * F.n, X.R * F.f}, X.p));
  }
}

Balance World::balance(double t, std::span<const double> q, std::span<const double> v) {
  forward_kinematics<double>(scene_.model, scene_.model.params, q, v, kinematics_);
  const Totals<double> total = totals(scene_.model, scene_.model.params, kinematics_);
  const Instant<double> now{scene_.model, t, q, v, kinematics_.X_WB, kinematics_.V_WB};
  double energy = total.kinetic + total.gravity_potential;
  for (const Element& e : scene_.elements) energy += potential<double>(e, now);
  return {energy, total.momentum};
}

int World::broken_link() const {
  for (int i = 1; i < scene_.model.nlink(); ++i) {
    const LinkTopology& link = scene_.model.links[i];
    for (int k = 0; k < coordinate_count(link.joint); ++k)
      if (!std::isfinite(state_.q[link.q + k])) return i;
    for (int k = 0; k < freedom_count(link.joint); ++k)
      if (!std::isfinite(state_.v[link.v + k])) return i;
  }
  return -1;
}

// One list of what a checkpoint holds, for writing and for reading.
template <class Archive>
void World::exchange(Archive& archive) {
  archive(std::as_writable_bytes(std::span(&steps_, 1)));
  archive(std::as_writable_bytes(std::span(&state_.t, 1)));
  archive(std::as_writable_bytes(std::span(state_.q)));
  archive(std::as_writable_bytes(std::span(state_.v)));
  archive(std::as_writable_bytes(std::span(modes_)));
  archive(std::as_writable_bytes(std::span(integrals_)));
  archive(std::as_writable_bytes(std::span(&ledger_, 1)));
  archive(solver_.band_bytes(0));
  archive(solver_.band_bytes(1));
}

std::vector<std::byte> World::save() {
  std::size_t size = 0, at = 0;
  auto measure = [&](std::span<std::byte> part) { size += part.size(); };
  exchange(measure);
  std::vector<std::byte> out(size);
  auto write = [&](std::span<std::byte> part) {
    if (!part.empty()) std::memcpy(out.data() + at, part.data(), part.size());
    at += part.size();
  };
  exchange(write);
  return out;
}

void World::restore(std::span<const std::byte> bytes) {
  std::size_t at = 0;
  auto read = [&](std::span<std::byte> part) {
    if (bytes.size() - at < part.size()) throw Error(ExitCode::bad_input, "the checkpoint belongs to another scene");
    if (!part.empty()) std::memcpy(part.data(), bytes.data() + at, part.size());
    at += part.size();
  };
  exchange(read);
  if (at != bytes.size()) throw Error(ExitCode::bad_input, "the checkpoint belongs to another scene");
}

}  // namespace marey
