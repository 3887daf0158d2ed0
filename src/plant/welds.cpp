#include "marey/plant/welds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace marey {
namespace {

// A weld is made where it carries at most this part of what breaks it: else it would be made and broken in turns.
constexpr double part_at_first = 0.5;

// Nothing is welded to the world that is free in it, and particles have no joint to speak of.
bool can_be_welded(JointType j) { return j != JointType::weld && j != JointType::free && j != JointType::point; }

}  // namespace

std::string refusal_of_welding(const SolverOptions& options) {
  if (!options.weld) return {};
  const WeldOptions& w = *options.weld;
  if (!(w.below > 0) || !(w.lasts > 0) || !(w.wake > 0)) return "weld: below, for and wake are above 0";
  if (options.dynamics == Dynamics::multipliers)
    return "weld merges links, which multipliers keep apart: use dynamics: aba";
  if (options.slow_band > 1) return "weld does not go with a slow band: use slow_band: 1, or dynamics: aba";
  if (options.reuse > 0) return "weld does not go with reuse, whose factors are of another figure: use dynamics: aba";
  if (options.integrator == Integrator::midpoint)
    return "midpoint knows no welds: use integrator: rk4, rk45, adams or bdf";
  return {};
}

Welds::Welds(const Model& figure, const State& start, const SolverOptions& options, std::span<const int> never)
    : model_(figure),
      options_(options),
      held_(figure.links.size()),
      chosen_(held_),
      may_be_held_(held_),
      since_(figure.links.size()),
      q_held_(start.q),
      carried_(static_cast<std::size_t>(figure.nv)) {
  for (int i = 1; i < model_.nlink(); ++i)
    may_be_held_[static_cast<std::size_t>(i)] = can_be_welded(model_.links[i].joint);
  for (const int link : never) may_be_held_[static_cast<std::size_t>(link)] = 0;
}

double Welds::size_in(std::span<const double> x, int i) const {
  const LinkTopology& link = model_.links[i];
  double sum = 0;
  for (int k = 0; k < freedom_count(link); ++k) sum += x[link.v + k] * x[link.v + k];
  return std::sqrt(sum);
}

void Welds::begin_step(double) {
  if (!changed_) return;
  changed_ = false;
  before_.reset();
}

void Welds::remember() {
  if (changed_) return;
  changed_ = true;
  before_ = std::move(figure_);
  count_before_ = count_;
}

void Welds::rebuild() {
  count_ = static_cast<int>(std::count(held_.begin(), held_.end(), 1));
  figure_ = count_ > 0 ? std::make_unique<ReducedFigure>(model_, options_, held_, q_held_) : nullptr;
}

void Welds::restored() {
  changed_ = false;
  before_.reset();
  rebuild();
}

void Welds::carry(std::span<const double> needed, std::span<const double> tau) {
  std::fill(carried_.begin(), carried_.end(), 0.0);
  for (int i = 1; i < model_.nlink(); ++i)
    for (int k = 0; held_[i] && k < freedom_count(model_.links[i]); ++k) {
      const int at = model_.links[i].v + k;
      carried_[at] = needed[at] - tau[at];  // (1)
    }
}

bool Welds::is_overloaded(int i) const { return held_[i] && size_in(carried_, i) > options_.weld->wake; }
bool Welds::any_overloaded() const {
  for (int i = 1; i < model_.nlink(); ++i)
    if (is_overloaded(i)) return true;
  return false;
}

template <class Which>
void Welds::let_go(const State& state, Which which) {
  for (int i = 1; i < model_.nlink(); ++i) {
    if (!held_[i] || !which(i)) continue;
    held_[i] = 0;
    since_[i] = state.t;
    ++woken_;
  }
  remember();
  rebuild();
}
void Welds::wake(const State& state) {
  let_go(state, [&](int i) { return is_overloaded(i); });
}
void Welds::wake_all(const State& state) {
  let_go(state, [](int) { return true; });
}

bool Welds::choose(const State& state) {
  const WeldOptions& w = *options_.weld;
  std::fill(chosen_.begin(), chosen_.end(), 0);
  for (int i = 1; i < model_.nlink(); ++i) {
    if (held_[i] || !may_be_held_[i]) continue;
    if (size_in(state.v, i) >= w.below) since_[i] = state.t;
    chosen_[i] = state.t - since_[i] >= w.lasts;
  }
  return any_chosen();
}

bool Welds::any_chosen() const { return std::find(chosen_.begin(), chosen_.end(), 1) != chosen_.end(); }

void Welds::weld(State& state) {
  remember();
  for (int i = 1; i < model_.nlink(); ++i) {
    if (!chosen_[i]) continue;
    held_[i] = 1;
    std::copy_n(state.q.data() + model_.links[i].q, coordinate_count(model_.links[i]),
                q_held_.data() + model_.links[i].q);
  }
  rebuild();
  if (figure_) figure_->hold(state.q, state.v);
}

bool Welds::drop(double t) {
  bool any = false;
  for (int i = 1; i < model_.nlink(); ++i) {
    if (!chosen_[i] || size_in(carried_, i) <= part_at_first * options_.weld->wake) continue;
    chosen_[i] = held_[i] = 0;
    since_[i] = t;
    any = true;
  }
  return any;
}

void Welds::keep() {
  made_ += std::count(chosen_.begin(), chosen_.end(), 1);
  most_ = std::max<long long>(most_, count_);
}

void Welds::forget_choice() { rebuild(); }

}  // namespace marey
