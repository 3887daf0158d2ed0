// Sort and sweep in cells.
//
// Space is divided into cells, square in y and z, twice as wide as the median box, and four times as long in x; a box belongs
// to every cell it touches. In each cell boxes are sorted by their lower x, and the sweep finds the pairs: only boxes that
// begin before this one ends. Two boxes that share several cells are a pair in one of them, that of the larger of their lower
// sides. The grid of cells repeats itself, so that a straggler far away costs nothing: boxes of different cells in one place
// differ in their sides and are no pair. For boxes of similar size at a given density a cell holds a fixed number of boxes,
// and a box meets a fixed number of others; the few that would touch more than `widest` cells either way are tried
// against all. The sweep is in float, rounded outwards; what it finds is compared in double. Whether two boxes overlap is as
// often true as not, and a wrong guess costs more than the rest: so what is found is written down in any case, and counted if
// it is so.
//
// Boxes are dealt out in the order in which the cells had them last time: in a cell they then come nearly sorted, which
// insertion puts right in nearly no time, and neighbours in space are neighbours in memory: what boxes are is gathered into
// this order once a step, the only time that memory is read all over the place. The answer does not depend on it.
#include "marey/shape/broad_phase.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "marey/core.h"
#include "marey/core/index.h"

namespace marey {
namespace {

constexpr int widest = 8;
constexpr size_t ahead = 16;      // so that memory has time to come
constexpr double long_cells = 4;  // x over y

std::uint64_t pair_key(int a, int b) {
  const auto low = static_cast<std::uint64_t>(std::min(a, b)), high = static_cast<std::uint64_t>(std::max(a, b));
  return low << 32 | high;
}
void refuse_nan(const Bounds& b) {
  for (int i = 0; i < 3; ++i)
    if (!(b.low[i] <= b.high[i]))
      throw Error(ErrorKind::bad_input, "a box whose lower side is not below its upper side, or not a number");
}

// By insertion, unless that turns out to be long.
template <class Entry>
void sort_nearly_sorted(Entry* from, Entry* to) {
  std::ptrdiff_t moves = 4 * (to - from) + 16;
  for (Entry* p = from + 1; p < to && moves > 0; ++p) {
    if (!(p->low_x < p[-1].low_x)) continue;
    const Entry entry = *p;
    Entry* q = p;
    for (; q > from && entry.low_x < q[-1].low_x; --q, --moves) *q = q[-1];
    *q = entry;
  }
  if (moves <= 0) std::sort(from, to, [](const Entry& p, const Entry& q) { return p.low_x < q.low_x; });
}

}  // namespace

int BroadPhase::add(const Bounds& bounds, const Filter& filter) {
  refuse_nan(bounds);
  int box = static_cast<int>(boxes_.size());
  if (free_.empty()) {
    boxes_.emplace_back();
    states_.emplace_back();
  } else {
    std::pop_heap(free_.begin(), free_.end(), std::greater<>());
    box = free_.back();
    free_.pop_back();
  }
  if (!states_[index(box)].ordered) order_.push_back(box);
  boxes_[index(box)] = {bounds, filter};
  states_[index(box)] = {true, true};
  return box;
}
void BroadPhase::remove(int box) {
  states_[index(box)].used = false;
  some_removed_ = true;
  free_.push_back(box);
  std::push_heap(free_.begin(), free_.end(), std::greater<>());
  std::erase_if(left_out_, [&](std::uint64_t key) {
    return key >> 32 == static_cast<std::uint64_t>(box) || (key & 0xffffffffu) == static_cast<std::uint64_t>(box);
  });
}
void BroadPhase::move(int box, const Bounds& bounds) {
  refuse_nan(bounds);
  boxes_[index(box)].bounds = bounds;
}
void BroadPhase::set_filter(int box, const Filter& filter) { boxes_[index(box)].filter = filter; }
void BroadPhase::leave_out(int a, int b) {
  const std::uint64_t key = pair_key(a, b);
  const auto at = std::lower_bound(left_out_.begin(), left_out_.end(), key);
  if (at == left_out_.end() || *at != key) left_out_.insert(at, key);
}
void BroadPhase::admit(int a, int b) { std::erase(left_out_, pair_key(a, b)); }

std::span<const BroadPhase::Pair> BroadPhase::pairs() {
  found_.clear();
  drop_removed();
  choose_cells();
  gather();
  fill_cells();
  sweep_cells();
  try_large();
  sort_pairs();
  return pairs_;
}

void BroadPhase::drop_removed() {
  if (!std::exchange(some_removed_, false)) return;
  std::erase_if(order_, [&](int i) {
    State& state = states_[index(i)];
    state.ordered = state.used;
    return !state.used;
  });
}

void BroadPhase::choose_cells() {
  constexpr size_t enough = 1024;  // of many boxes every nth tells the median
  widths_.clear();
  const size_t step = 1 + boxes_.size() / enough;
  for (size_t i = 0; i < boxes_.size(); i += step) {
    const Bounds& b = boxes_[i].bounds;
    const double width = std::max(b.high.y - b.low.y, b.high.z - b.low.z);
    if (states_[i].used && std::isfinite(width)) widths_.push_back(width);
  }
  per_width_ = 1;
  if (!widths_.empty()) {
    const auto middle = widths_.begin() + static_cast<std::ptrdiff_t>(widths_.size() / 2);
    std::nth_element(widths_.begin(), middle, widths_.end());
    if (*middle > 0) per_width_ = 0.5 / *middle;
  }
  bits_x_ = bits_y_ = bits_z_ = 4;  // more than `widest` cells, so that no box meets itself
  while ((size_t{1} << (bits_x_ + bits_y_ + bits_z_)) < boxes_.size()) {
    int& least = bits_y_ <= bits_x_ ? bits_y_ : bits_z_ <= bits_x_ ? bits_z_ : bits_x_;
    ++least;
  }
}

BroadPhase::Cell BroadPhase::cell_of(const Vec3<double>& p) const {
  const auto whole = [](double x) { return static_cast<int>(std::clamp(std::floor(x), -1e9, 1e9)); };
  return {whole(p.x * (per_width_ / long_cells)), whole(p.y * per_width_), whole(p.z * per_width_)};
}
std::uint32_t BroadPhase::bucket_of(const Cell& c) const {
  const auto low_bits = [](int x, int bits) { return static_cast<std::uint32_t>(x) & ((1u << bits) - 1); };
  return (low_bits(c.y, bits_y_) << bits_z_ | low_bits(c.z, bits_z_)) << bits_x_ | low_bits(c.x, bits_x_);
}
template <class Visit>
void BroadPhase::for_cells(const Ordered& o, Visit visit) const {
  for (int y = o.low.y; y <= o.high.y; ++y)
    for (int z = o.low.z; z <= o.high.z; ++z)
      for (int x = o.low.x; x <= o.high.x; ++x) visit(bucket_of({x, y, z}));
}

void BroadPhase::gather() {
  ordered_.resize(order_.size());
  large_.clear();
  for (size_t k = 0; k < order_.size(); ++k) {
    if (k + ahead < order_.size()) __builtin_prefetch(&boxes_[index(order_[k + ahead])]);
    const Box& box = boxes_[index(order_[k])];
    Ordered& o = ordered_[k];
    o = {box.bounds, box.filter, order_[k], cell_of(box.bounds.low), cell_of(box.bounds.high)};
    if (o.high.x - o.low.x < widest && o.high.y - o.low.y < widest && o.high.z - o.low.z < widest) continue;
    large_.push_back(o.box);
    o.low = {0, 1, 0}, o.high = {0, 0, 0};
  }
}

// Counts, then places: the entries of a bucket lie together.
void BroadPhase::fill_cells() {
  begins_.assign((size_t{1} << (bits_x_ + bits_y_ + bits_z_)) + 1, 0);
  for (const Ordered& o : ordered_) for_cells(o, [&](std::uint32_t bucket) { ++begins_[bucket]; });
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());  // now the ends: filling counts them down
  entries_.resize(begins_.back());
  const auto down = [](double x) { return static_cast<float>(x - (1.2e-7 * std::abs(x) + 1e-37)); };
  for (size_t k = ordered_.size(); k-- > 0;) {  // backwards, since each bucket is filled from its end
    const Bounds& b = ordered_[k].bounds;
    Entry entry{down(b.low.x), -down(-b.high.x), down(b.low.y),       -down(-b.high.y),
                down(b.low.z), -down(-b.high.z), static_cast<int>(k), true};
    for_cells(ordered_[k], [&](std::uint32_t bucket) {
      entries_[--begins_[bucket]] = entry;
      entry.first = false;
    });
  }
}

void BroadPhase::sweep_cells() {
  for (std::uint32_t bucket = 0; bucket + 1 < begins_.size(); ++bucket) {
    Entry *from = entries_.data() + begins_[bucket], *to = entries_.data() + begins_[bucket + 1];
    if (to - from < 2) continue;
    sort_nearly_sorted(from, to);
    sweep(from, to, bucket);
  }
  order_ = large_;  // for the next time
  for (const Entry& entry : entries_)
    if (entry.first) order_.push_back(ordered_[index(entry.at)].box);
}
void BroadPhase::sweep(const Entry* from, const Entry* to, std::uint32_t bucket) {
  size_t count = 0;
  for (const Entry* p = from; p < to; ++p) {
    const size_t room = count + static_cast<size_t>(to - p);
    if (candidates_.size() < room) candidates_.resize(2 * room);
    Candidate* out = candidates_.data();
    for (const Entry* q = p + 1; q < to && q->low_x <= p->high_x; ++q) {
      out[count] = {p->at, q->at};
      count += static_cast<size_t>((q->low_y <= p->high_y) & (p->low_y <= q->high_y) & (q->low_z <= p->high_z) &
                                   (p->low_z <= q->high_z));
    }
  }
  size_t here = 0;
  for (size_t k = 0; k < count; ++k) {  // those that belong to this cell
    const Candidate c = candidates_[k];
    const Ordered &a = ordered_[index(c.a)], &b = ordered_[index(c.b)];
    candidates_[here] = c;
    here += static_cast<size_t>(
        bucket_of({std::max(a.low.x, b.low.x), std::max(a.low.y, b.low.y), std::max(a.low.z, b.low.z)}) == bucket);
  }
  for (size_t k = 0; k < here; ++k) {
    const Ordered &a = ordered_[index(candidates_[k].a)], &b = ordered_[index(candidates_[k].b)];
    if (overlap(a.bounds, b.bounds)) put(a.box, a.filter, b.box, b.filter);
  }
}

void BroadPhase::try_large() {
  std::sort(large_.begin(), large_.end());
  for (const int i : large_)
    for (const int j : order_) {
      if (i == j || !overlap(boxes_[index(i)].bounds, boxes_[index(j)].bounds)) continue;
      if (j < i && std::binary_search(large_.begin(), large_.end(), j)) continue;  // j has found it
      put(i, boxes_[index(i)].filter, j, boxes_[index(j)].filter);
    }
}

void BroadPhase::put(int a, const Filter& p, int b, const Filter& q) {
  if (!(p.groups & q.meets) || !(q.groups & p.meets)) return;
  if (p.figure >= 0 && p.figure == q.figure && !(p.self && q.self)) return;
  if (p.sensor && q.sensor) return;
  if (!left_out_.empty() && std::binary_search(left_out_.begin(), left_out_.end(), pair_key(a, b))) return;
  found_.push_back({std::min(a, b), std::max(a, b), p.sensor || q.sensor});
}

// By a: counted; by b: the few of each a.
void BroadPhase::sort_pairs() {
  starts_.assign(boxes_.size() + 1, 0);
  for (const Pair& p : found_) ++starts_[index(p.a) + 1];
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  pairs_.resize(found_.size());
  for (const Pair& p : found_) pairs_[index(starts_[index(p.a)]++)] = p;
  size_t from = 0;
  for (size_t a = 0; a < boxes_.size(); ++a) {
    const size_t to = index(starts_[a]);
    if (to - from == 2) {
      if (pairs_[from + 1].b < pairs_[from].b) std::swap(pairs_[from], pairs_[from + 1]);
    } else if (to - from > 2) {
      std::sort(pairs_.begin() + static_cast<long>(from), pairs_.begin() + static_cast<long>(to));
    }
    from = to;
  }
}

}  // namespace marey
