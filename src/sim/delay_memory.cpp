// A force that depends on v(t − T) is as smooth at t as v is at t − T. At an event v̇ jumps; one delay later v̈ does, and so
// on: at level l the derivative l + 1 of v jumps. A jump of the derivative k within a step costs an error ∝ h^k there, once,
// so that a method of order p keeps its order when the steps end at the kinks of levels below p − 1.
#include "sim/delay_memory.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace marey {
namespace {

constexpr double weakest = 5;  // level

// Instants closer than this are the same.
double same_instant(double t) { return 8 * std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(t)); }

// A moment that lasts: the state at the start.
Segment standing(const Model& model, const State& start) {
  Segment s;
  s.coordinates = Segment::Coordinates::local;
  s.q_0 = start.q;
  s.x.assign(static_cast<std::size_t>(model.nv), 0.0);
  s.v = start.v;
  s.v.insert(s.v.end(), start.z.begin(), start.z.end());
  s.scratch.assign(2 * static_cast<std::size_t>(model.nv), 0.0);
  return s;
}

[[noreturn]] void not_of_this_scene() { throw Error(ErrorKind::bad_input, "the checkpoint belongs to another scene"); }

// A list as bytes: its length, and its members.
template <class X>
std::vector<std::byte> bytes_of(const std::vector<X>& list) {
  const std::size_t count = list.size();
  std::vector<std::byte> out(sizeof count + count * sizeof(X));
  std::memcpy(out.data(), &count, sizeof count);
  if (count > 0) std::memcpy(out.data() + sizeof count, list.data(), count * sizeof(X));
  return out;
}
template <class X>
void get(std::span<const std::byte>& bytes, std::vector<X>& list) {
  std::size_t count = 0;
  if (bytes.size() < sizeof count) not_of_this_scene();
  std::memcpy(&count, bytes.data(), sizeof count);
  bytes = bytes.subspan(sizeof count);
  if (count > bytes.size() / sizeof(X)) not_of_this_scene();
  list.resize(count);
  if (count > 0) std::memcpy(list.data(), bytes.data(), count * sizeof(X));
  bytes = bytes.subspan(count * sizeof(X));
}

}  // namespace

DelayMemory::DelayMemory(Plant& plant, std::vector<double> delays, const State& start)
    : plant_(plant),
      delays_(std::move(delays)),
      history_(plant.coordinates(), delays_.back(), start.z.size()),
      q_(start.q),
      v_(start.v.size() + start.z.size()),
      q_joints_(static_cast<std::size_t>(plant.figure().nq)),
      v_joints_(static_cast<std::size_t>(plant.figure().nv)),
      velocities_(start.v.size()) {
  history_.add(standing(plant.coordinates(), start));
  remember_turns(start.t);
  mark(0);
}

// An impact, or a constraint that is made, lets velocities jump. A step that ends one delay after it reads what was before,
// the one that begins there what came after.
void DelayMemory::read(double t) const {
  const double close = same_instant(t + delays_.back());
  const auto is_here = [&](const Kink& kink) { return std::abs(kink.t - t) <= close; };
  const bool any = std::any_of(kinks_.begin(), kinks_.end(), is_here) ||
                   std::any_of(out_of_reach_.begin(), out_of_reach_.end(), is_here);
  if (!any) return history_.at(t, q_, v_);
  const bool at_start = std::abs(now_ - step_began_) <= close;
  if (at_start) return history_.after(t, close, q_, v_);
  history_.before(t, close, q_, v_);
}

Past::View DelayMemory::at(double t) const {
  read(t);
  const std::span<const double> v = std::span(v_).first(velocities_), z = std::span(v_).subspan(velocities_);
  if (!counts_turns()) return {q_, v, z};
  plant_.to_joints(q_, v, z, turns_at(t), q_joints_, v_joints_);
  return {q_joints_, v_joints_, z};
}

void DelayMemory::remember_turns(double t) {
  if (!counts_turns()) return;
  const std::span<const double> turns = plant_.turns();
  const std::size_t width = 1 + turns.size();
  std::size_t old = 0;  // those before the last one that is out of reach
  while ((old + 2) * width <= turns_.size() && turns_[(old + 1) * width] <= t - delays_.back()) ++old;
  turns_.erase(turns_.begin(), turns_.begin() + static_cast<std::ptrdiff_t>(old * width));
  turns_.push_back(t);
  turns_.insert(turns_.end(), turns.begin(), turns.end());
}

// At the end of the step that t was in.
std::span<const double> DelayMemory::turns_at(double t) const {
  const std::size_t width = 1 + plant_.turns().size(), count = turns_.size() / width;
  std::size_t low = 0, high = count - 1;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (turns_[middle * width] < t)
      low = middle + 1;
    else
      high = middle;
  }
  return std::span(turns_).subspan(low * width + 1, width - 1);
}

void DelayMemory::mark(double t) {
  const double close = same_instant(t);
  double level = weakest;
  bool comes_back = false;
  for (const std::vector<Kink>* kinks : {&kinks_, &out_of_reach_})
    for (const Kink& k : *kinks)
      for (const double delay : delays_)
        if (std::abs(k.t + delay - t) <= close) comes_back = true, level = std::min(level, k.level + 1);
  // Those that come back for the last time now are left to the step that begins, which has to know on which side of them it
  // reads.
  const auto leaves_now = [&](const Kink& k) { return std::abs(k.t + delays_.back() - t) <= close; };
  std::erase_if(out_of_reach_, [&](const Kink& k) { return !leaves_now(k); });
  std::copy_if(kinks_.begin(), kinks_.end(), std::back_inserter(out_of_reach_), leaves_now);
  std::erase_if(kinks_, [&](const Kink& k) { return k.t + delays_.back() <= t + close; });
  if (!comes_back) level = 0;
  if (level < weakest) kinks_.push_back({t, level});
}

double DelayMemory::next_kink(double t) const {
  double next = forever;
  for (const Kink& k : kinks_)
    for (const double delay : delays_)
      if (k.t + delay > t + same_instant(t)) next = std::min(next, k.t + delay);
  return next;
}

std::vector<std::byte> DelayMemory::save() const {
  std::vector<std::byte> out = bytes_of(kinks_);
  const auto append = [&](const std::vector<std::byte>& x) { out.insert(out.end(), x.begin(), x.end()); };
  append(bytes_of(out_of_reach_));
  if (counts_turns()) append(bytes_of(turns_));
  const std::vector<std::byte> steps = history_.save();
  out.insert(out.end(), steps.begin(), steps.end());
  return out;
}

void DelayMemory::restore(std::span<const std::byte> bytes) {
  get(bytes, kinks_);
  get(bytes, out_of_reach_);
  if (counts_turns()) {
    get(bytes, turns_);
    if (turns_.empty() || turns_.size() % (1 + plant_.turns().size()) != 0) not_of_this_scene();
  }
  history_.restore(bytes);
}

}  // namespace marey
