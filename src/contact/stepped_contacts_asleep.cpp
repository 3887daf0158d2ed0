// Contacts of bodies that sleep (marey/contact/sleeping.h): not looked for, remembered, and shown as they were.
#include <algorithm>
#include <cmath>

#include "marey/contact/stepped_contacts.h"

namespace marey {

namespace {

constexpr double as_good_as_touching = 1e-4;  // of the size
constexpr double unbalanced = 0.1;            // of the weight

}  // namespace

void SteppedContacts::let_sleep(const Model& figure, const SleepOptions& options, std::span<const char> alone) {
  std::vector<double> reach(links_, 0.0);
  for (std::size_t i = 1; bodies_ && i < links_; ++i) reach[i] = bodies_->reach(static_cast<int>(i));
  for (const FloorContact& c : floors_)
    reach[static_cast<std::size_t>(c.link)] =
        std::max(reach[static_cast<std::size_t>(c.link)], norm(c.point_B) + c.surface.radius);
  sleeping_.emplace(figure, options, alone, reach);
  carried_by_.assign(links_, {});
}

// Nothing comes of two that sleep, or of one on scenery.
bool SteppedContacts::is_idle(const CollisionWorld::Pair& pair) const {
  if (pair.sensor) return true;
  if (!sleeping_ || sleeping_->count() == 0) return false;
  const int links = static_cast<int>(links_);
  const bool a = pair.a < links && sleeping_->is_asleep(pair.a), b = pair.b < links && sleeping_->is_asleep(pair.b);
  return (a || b) && (a || pair.a >= links) && (b || pair.b >= links);
}

bool SteppedContacts::sleeps(const ContactKey& key) const {
  const int links = static_cast<int>(links_);
  if (key.a == -1) return sleeps(floors_[static_cast<std::size_t>(key.b)].link);
  return (key.a >= 0 && key.a < links && sleeps(key.a)) || (key.a >= 0 && key.b < links && sleeps(key.b));
}

// What is awake wakes those on whom it comes down within the step, and does not see the others. True: somebody woke.
bool SteppedContacts::wake_what_is_met(const Kinematics<double>& k) {
  const int asleep = sleeping_->count();
  if (asleep == 0) return false;
  for (const TouchingPoint& c : points_) {
    const bool a = sleeps(c.link_a), b = sleeps(c.link_b);
    if (a == b) continue;
    const auto i = static_cast<std::size_t>(a ? c.link_b : c.link_a);
    const Vec3<double> v = k.V_WB[i].v + cross(k.V_WB[i].w, c.p_WoC_W - k.X_WB[i].p);
    const double closing = (a ? -1 : 1) * dot(c.axes_W[0], v) + h_ * weight_;
    if (c.gap - 0.5 * h_ * closing <= as_good_as_touching * c.size) sleeping_->wake_with(a ? c.link_a : c.link_b);
  }
  if (sleeping_->count() != asleep) return true;
  std::erase_if(points_, [&](const TouchingPoint& c) { return sleeps(c.link_a) || sleeps(c.link_b); });
  return false;
}

// Of an island: whether its contacts carry each body and figure, no more and no less, and nothing is struck.
bool SteppedContacts::is_settled(std::span<const TouchingPoint> points) {
  const auto on = [&](int link) -> Vec3<double>& {
    return carried_by_[static_cast<std::size_t>(sleeping_->whole(link))];
  };
  for (const TouchingPoint& c : points) on(c.link_a) = on(c.link_b) = {};
  for (const TouchingPoint& c : points) on(c.link_b) += c.force_W, on(c.link_a) -= c.force_W;
  const auto carries = [&](int link) {
    const double m = sleeping_->mass(sleeping_->whole(link));
    return link == 0 || norm(on(link) + m * gravity_) <= unbalanced * m * weight_;
  };
  return weight_ > 0 && std::ranges::all_of(points, [&](const TouchingPoint& c) {
           return !c.strikes && carries(c.link_a) && carries(c.link_b);
         });
}

// After an accepted step: islands of which all have been quiet for long enough.
void SteppedContacts::send_to_sleep() {
  sleeping_->accept();
  std::erase_if(falling_, [&](const TouchingPoint& c) { return !sleeps(c.link_a) && !sleeps(c.link_b); });
  resting_.insert(resting_.end(), falling_.begin(), falling_.end()), falling_.clear();
  std::erase_if(resting_, [&](const TouchingPoint& c) { return !sleeps(c.link_a) && !sleeps(c.link_b); });
  for (const Island& island : islands_) {
    const std::span<const TouchingPoint> points(points_.data() + island.first_point, island.points);
    const auto quiet = [&](int link) { return link == 0 || sleeping_->is_quiet(link); };
    if (island.bounds > 0 || points.empty() ||
        !std::ranges::all_of(points, [&](const TouchingPoint& c) { return quiet(c.link_a) && quiet(c.link_b); }) ||
        !is_settled(points))
      continue;
    const int number = std::max(points[0].link_a, points[0].link_b);  // nobody else has it
    for (const TouchingPoint& c : points)
      for (const int link : {c.link_a, c.link_b})
        if (link != 0) sleeping_->let_sleep(link, number);
    falling_.insert(falling_.end(), points.begin(), points.end());
  }
}

// What a checkpoint says of them.
void SteppedContacts::check_sleepers() const {
  const int links = static_cast<int>(links_);
  const auto is_link = [&](int link) { return link >= 0 && link < links; };
  const auto is_known = [&](const ContactKey& key) {
    return key.a >= -1 && (key.a >= 0 || (key.b >= 0 && static_cast<std::size_t>(key.b) < floors_.size()));
  };
  const auto can_be = [&](const TouchingPoint& c) { return is_known(c.key) && is_link(c.link_a) && is_link(c.link_b); };
  if (!std::ranges::all_of(resting_, can_be) || !std::ranges::all_of(falling_, can_be) ||
      !std::ranges::all_of(before_, is_known, &Remembered::key))
    throw Error(ErrorKind::bad_input, "the checkpoint is damaged: it speaks of contacts that cannot be");
}

// In now_, which is sorted, beside what was solved: impulses of contacts whose bodies sleep, from before_.
void SteppedContacts::keep_sleepers() {
  if (sleeping_->count() == 0) return;
  const auto middle = static_cast<std::ptrdiff_t>(now_.size());
  for (const Remembered& known : before_)
    if (sleeps(known.key)) now_.push_back(known);
  std::ranges::inplace_merge(now_, now_.begin() + middle, {}, &Remembered::key);
}

}  // namespace marey
