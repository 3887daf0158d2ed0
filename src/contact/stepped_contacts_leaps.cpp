// Bodies so fast that within a step one could pass through another (marey/contact/leaps.h).
#include <algorithm>

#include "marey/contact/stepped_contacts.h"

namespace marey {

namespace {

constexpr double short_part = 0.125;  // of τ: as far two come closer on half of a step in which they meet
constexpr double same_place = 1e-6;   // of the way: meeting that close to its end is meeting there

}  // namespace

// Within the step two come closer by `way` at most, by a first look. Half of the thinner one is what they may be in each other and be put
// apart again the way they came. True: it is looked after.
bool SteppedContacts::may_leap(const CollisionWorld::Pair& pair, double way) {
  const double thin = Leaps::thin(*bodies_, pair);
  if (!(way > thin) || !(thin > 0)) return false;
  if (!(h_ * leaps_->approach(*bodies_, pair) > thin)) return false;
  if (guarded_)
    leaps_->pairs.push_back({pair, thin});
  else
    note_leap(pair, thin);
  return guarded_;
}

// Along the way that was looked at last.
void SteppedContacts::note_leap(const CollisionWorld::Pair& pair, double thin) {
  const double step = thin / leaps_->approach(*bodies_, pair);
  if (leap_now_.count == 0 || step < leap_now_.step) leap_now_ = {pair.a, pair.b, t_, step, 1};
}

// Whether the manifolds are of two that do not touch.
bool SteppedContacts::is_open(std::span<const Manifold> manifolds, double thin) {
  const auto touches = [&](const ManifoldPoint& p) { return p.gap <= Leaps::near(thin); };
  return std::ranges::none_of(
      manifolds, [&](const Manifold& m) { return std::any_of(m.points.begin(), m.points.begin() + m.count, touches); });
}

std::optional<SteppedContacts::Meeting> SteppedContacts::first_meeting(std::span<const double> q,
                                                                       std::span<const double> v) {
  double longest = 0.5 * h_;
  std::optional<Meeting> first;
  leaps_->go_along(q, v, longest);
  for (const Leaps::Fast& fast : leaps_->pairs) {
    const Leaps::Found found = leaps_->first(*bodies_, fast, longest);
    if (found.lost) note_leap(fast.pair, fast.thin);
    if (!found.s || *found.s >= 0.5 * h_ * (1 - same_place)) continue;
    longest = *found.s;
    first = {longest, short_part * fast.thin / leaps_->approach(*bodies_, fast.pair)};
  }
  return first;
}

std::optional<SteppedContacts::Meeting> SteppedContacts::meeting_before(std::span<const double> q,
                                                                        std::span<const double> v) {
  if (!may_meet_before()) return {};
  return first_meeting(q, v);
}

std::optional<SteppedContacts::Meeting> SteppedContacts::meeting_after(std::span<const double> q,
                                                                       std::span<const double> v_plus) {
  if (!may_meet_after()) return {};
  leaps_->go_along(q, v_plus, 0.5 * h_);
  if (struck_) {  // what was at rest may be fast now
    link_motions(coordinates_, axes_, v_plus, V_WB_);
    find_fast_after();
  }
  if (leaps_->pairs.empty()) return {};
  for (Leaps::Fast& fast : leaps_->pairs) {
    const bool touches = std::ranges::any_of(
        points_, [&](const TouchingPoint& c) { return c.key.a == fast.pair.a && c.key.b == fast.pair.b; });
    fast.start = touches ? Leaps::Start::touching : Leaps::Start::apart;
  }
  return first_meeting(q, v_plus);
}

// Those that V_WB_ makes fast, about the places where bodies are.
void SteppedContacts::find_fast_after() {
  double most = 0;
  for (std::size_t i = 1; i < links_; ++i)
    most = std::max(most, margins_[i] = approach_margin(static_cast<int>(i), V_WB_[i]));
  leaps_->pairs.clear();
  if (!(4 * most > 0.5 * bodies_->least_thickness())) return;
  for (const CollisionWorld::Pair& pair : bodies_->near(margins_, threads_)) {
    if (pair.sensor) continue;
    may_leap(pair, 2 * (margins_[static_cast<std::size_t>(pair.a)] + margins_[static_cast<std::size_t>(pair.b)]));
  }
}

}  // namespace marey
