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

}  // namespace

DelayMemory::DelayMemory(const Model& model, std::vector<double> delays, const State& start)
    : delays_(std::move(delays)),
      history_(model, delays_.back(), start.z.size()),
      q_(start.q),
      v_(start.v.size() + start.z.size()),
      velocities_(start.v.size()) {
  history_.add(standing(model, start));
  mark(0);
}

Past::View DelayMemory::at(double t) const {
  history_.at(t, q_, v_);
  return {q_, std::span(v_).first(velocities_), std::span(v_).subspan(velocities_)};
}

void DelayMemory::mark(double t) {
  const double close = same_instant(t);
  double level = weakest;
  bool comes_back = false;
  for (const Kink& k : kinks_)
    for (const double delay : delays_)
      if (std::abs(k.t + delay - t) <= close) comes_back = true, level = std::min(level, k.level + 1);
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
  const std::size_t count = kinks_.size();
  std::vector<std::byte> out(sizeof count + count * sizeof(Kink));
  std::memcpy(out.data(), &count, sizeof count);
  if (count > 0) std::memcpy(out.data() + sizeof count, kinks_.data(), count * sizeof(Kink));
  const std::vector<std::byte> steps = history_.save();
  out.insert(out.end(), steps.begin(), steps.end());
  return out;
}

void DelayMemory::restore(std::span<const std::byte> bytes) {
  std::size_t count = 0;
  if (bytes.size() < sizeof count) throw Error(ErrorKind::bad_input, "the checkpoint belongs to another scene");
  std::memcpy(&count, bytes.data(), sizeof count);
  bytes = bytes.subspan(sizeof count);
  if (count > bytes.size() / sizeof(Kink)) throw Error(ErrorKind::bad_input, "the checkpoint belongs to another scene");
  kinks_.resize(count);
  if (count > 0) std::memcpy(kinks_.data(), bytes.data(), count * sizeof(Kink));
  history_.restore(bytes.subspan(count * sizeof(Kink)));
}

}  // namespace marey
