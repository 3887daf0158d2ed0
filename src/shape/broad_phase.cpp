// All against all in cells.
//
// Space is divided into cells, two and a half times as wide as the median box; a box belongs to every cell it touches. In each cell every box is compared with every other, sixteen at a time: cells hold a dozen or
// two, and whatever would spare comparisons (sorting, leaving loops early) costs guesses of the processor that turn out
// wrong, which are worse. Cells that hold many more are sorted by their lower x and swept.
//
// Two boxes that share several cells are a pair in one of them, that of the larger of their lower sides: the cell in which,
// along every axis, one of them begins. The grid of cells repeats itself, so that a straggler far away costs nothing: boxes of
// different cells in one place differ in their sides and are no pair. For boxes of similar size at a given density a cell
// holds a fixed number of boxes, and a box meets a fixed number of others; the few that would touch more than `widest`
// cells either way are tried against all. Cells compare in float, rounded outwards; what they find is compared in double.
//
// Boxes are dealt out in the order in which the cells had them last time: neighbours in space are then neighbours in memory.
// What boxes are is gathered into this order once a step, the only time that memory is read all over the place. The answer
// does not depend on it.
#include "marey/shape/broad_phase.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "marey/core.h"
#include "marey/core/index.h"

namespace marey {
namespace {

constexpr int widest = 8;
constexpr size_t ahead = 16;  // so that memory has time to come
constexpr int lanes = 16;     // floats that are compared at a time
constexpr int crowd = 64;     // boxes from which on a cell is swept

std::uint64_t pair_key(int a, int b) {
  const auto low = static_cast<std::uint64_t>(std::min(a, b)), high = static_cast<std::uint64_t>(std::max(a, b));
  return low << 32 | high;
}
void refuse_nan(const Bounds& b) {
  for (int i = 0; i < 3; ++i)
    if (!(b.low[i] <= b.high[i]))
      throw Error(ErrorKind::bad_input, "a box whose lower side is not below its upper side, or not a number");
}

// The boxes of a cell, side by side; places beyond them are no numbers, which overlap nothing.
struct Crowd {
  alignas(64) float low_x[crowd], high_x[crowd], low_y[crowd], high_y[crowd], low_z[crowd], high_z[crowd];
  alignas(64) std::uint32_t begins[crowd];
};
// Which of `lanes` boxes from q on overlap with p, and are a pair in this cell, as bits.
std::uint32_t overlaps(const Crowd& c, int p, int q) {
  const float low_x = c.low_x[p], high_x = c.high_x[p], low_y = c.low_y[p], high_y = c.high_y[p], low_z = c.low_z[p],
              high_z = c.high_z[p];
  const std::uint32_t begins = c.begins[p];
  std::uint32_t bits = 0;
  for (int k = 0; k < lanes; ++k) {
    const bool both = (c.low_x[q + k] <= high_x) & (low_x <= c.high_x[q + k]) & (c.low_y[q + k] <= high_y) &
                      (low_y <= c.high_y[q + k]) & (c.low_z[q + k] <= high_z) & (low_z <= c.high_z[q + k]) &
                      ((c.begins[q + k] | begins) == 7);
    bits |= static_cast<std::uint32_t>(both) << k;
  }
  return bits;
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
  found_.clear(), candidates_.clear(), large_.clear();
  drop_removed();
  if (order_.size() <= crowd) {  // one cell
    gather(false);
    try_all(outlines_.data(), outlines_.data() + outlines_.size());
  } else {
    choose_cells();
    gather(true);
    fill_cells();
    sweep_cells();
  }
  compare_noted();
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
    const double width = std::max({b.high.x - b.low.x, b.high.y - b.low.y, b.high.z - b.low.z});
    if (states_[i].used && std::isfinite(width)) widths_.push_back(width);
  }
  per_width_ = 1;
  if (!widths_.empty()) {
    const auto middle = widths_.begin() + static_cast<std::ptrdiff_t>(widths_.size() / 2);
    std::nth_element(widths_.begin(), middle, widths_.end());
    if (*middle > 0) per_width_ = 1 / (2.5 * *middle);
  }
  bits_x_ = bits_y_ = bits_z_ = 4;  // more than `widest` cells, so that no box meets itself
  while ((size_t{1} << (bits_x_ + bits_y_ + bits_z_)) < boxes_.size() / 2) {
    int& least = bits_y_ <= bits_x_ ? bits_y_ : bits_z_ <= bits_x_ ? bits_z_ : bits_x_;
    ++least;
  }
}

inline BroadPhase::Cell BroadPhase::cell_of(const Vec3<double>& p) const {
  const auto whole = [](double x) { return static_cast<int>(std::clamp(std::floor(x), -1e9, 1e9)); };
  return {whole(p.x * per_width_), whole(p.y * per_width_), whole(p.z * per_width_)};
}
inline std::uint32_t BroadPhase::bucket_of(const Cell& c) const {
  const auto low_bits = [](int x, int bits) { return static_cast<std::uint32_t>(x) & ((1u << bits) - 1); };
  return (low_bits(c.y, bits_y_) << bits_z_ | low_bits(c.z, bits_z_)) << bits_x_ | low_bits(c.x, bits_x_);
}

// `into_cells`: and notes which cells they touch.
void BroadPhase::gather(bool into_cells) {
  const auto down = [](double x) { return static_cast<float>(x - (1.2e-7 * std::abs(x) + 1e-37)); };
  ordered_.resize(order_.size()), outlines_.resize(order_.size());
  touch_count_ = 0;
  for (size_t k = 0; k < order_.size(); ++k) {
    if (k + ahead < order_.size()) __builtin_prefetch(&boxes_[index(order_[k + ahead])]);
    const Box& box = boxes_[index(order_[k])];
    const Bounds& b = box.bounds;
    ordered_[k] = {b, box.filter, order_[k]};
    outlines_[k] = {down(b.low.x),
                    -down(-b.high.x),
                    down(b.low.y),
                    -down(-b.high.y),
                    down(b.low.z),
                    -down(-b.high.z),
                    7,
                    static_cast<std::uint32_t>(k),
                    order_[k]};
    if (!into_cells) continue;
    const Cell low = cell_of(b.low), high = cell_of(b.high);
    if (high.x - low.x < widest && high.y - low.y < widest && high.z - low.z < widest)
      touch_cells(static_cast<std::uint32_t>(k), low, high);
    else
      large_.push_back(order_[k]);
  }
}
// Most boxes touch one cell or two along each axis, which of the two is anybody's guess: all eight are written down, and
// counted if it is so.
void BroadPhase::touch_cells(std::uint32_t at, const Cell& low, const Cell& high) {
  const int wide_x = high.x - low.x, wide_y = high.y - low.y, wide_z = high.z - low.z;
  const bool few = (wide_x | wide_y | wide_z) < 2;
  const int to_x = few ? 1 : wide_x, to_y = few ? 1 : wide_y, to_z = few ? 1 : wide_z;
  const size_t room = touch_count_ + index((to_x + 1) * (to_y + 1) * (to_z + 1));
  if (touches_.size() < room) touches_.resize(2 * room);
  for (int y = 0; y <= to_y; ++y)
    for (int z = 0; z <= to_z; ++z)
      for (int x = 0; x <= to_x; ++x) {
        const std::uint32_t bucket = bucket_of({low.x + x, low.y + y, low.z + z});
        const std::uint32_t begins = (x == 0 ? 1u : 0u) | (y == 0 ? 2u : 0u) | (z == 0 ? 4u : 0u);
        const bool touches = (x <= wide_x) & (y <= wide_y) & (z <= wide_z);
        touches_[touch_count_] = {bucket, begins, at};
        touch_count_ += touches ? 1 : 0;
      }
}

// Counts, then places: the entries of a bucket lie together.
void BroadPhase::fill_cells() {
  begins_.assign((size_t{1} << (bits_x_ + bits_y_ + bits_z_)) + 1, 0);
  for (size_t k = 0; k < touch_count_; ++k) ++begins_[touches_[k].bucket];
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());  // now the ends: filling counts them down
  entries_.resize(begins_.back());
  for (size_t k = touch_count_; k-- > 0;) {  // backwards, since each bucket is filled from its end
    const Touch& t = touches_[k];
    Entry& entry = entries_[--begins_[t.bucket]];
    entry = outlines_[t.at];
    entry.begins = t.begins;
  }
}

void BroadPhase::sweep_cells() {
  for (size_t bucket = 0; bucket + 1 < begins_.size(); ++bucket) {
    Entry *from = entries_.data() + begins_[bucket], *to = entries_.data() + begins_[bucket + 1];
    if (to - from < 2) continue;
    if (to - from <= static_cast<std::ptrdiff_t>(crowd))
      try_all(from, to);
    else
      sweep(from, to);
  }
  order_.resize(large_.size() + entries_.size());  // for the next time
  size_t count = large_.size();
  std::copy(large_.begin(), large_.end(), order_.begin());
  for (const Entry& entry : entries_) order_[count] = entry.box, count += entry.begins == 7 ? 1 : 0;
  order_.resize(count);
}
void BroadPhase::try_all(const Entry* from, const Entry* to) {
  Crowd c;
  const int count = static_cast<int>(to - from), padded = (count + lanes - 1) / lanes * lanes;
  for (int k = 0; k < count; ++k) {
    const Entry& e = from[k];
    c.low_x[k] = e.low_x, c.high_x[k] = e.high_x, c.low_y[k] = e.low_y, c.high_y[k] = e.high_y;
    c.low_z[k] = e.low_z, c.high_z[k] = e.high_z, c.begins[k] = e.begins;
  }
  for (int k = count; k < padded; ++k) c.low_x[k] = std::numeric_limits<float>::quiet_NaN();
  for (int p = 0; p + 1 < count; ++p)
    for (int q = (p + 1) / lanes * lanes; q < padded; q += lanes) {
      std::uint32_t bits = overlaps(c, p, q);
      if (q <= p) bits &= ~std::uint32_t{1} << (p - q);  // those after p
      for (; bits != 0; bits &= bits - 1) note(from[p], from[q + __builtin_ctz(bits)]);
    }
}
void BroadPhase::sweep(Entry* from, Entry* to) {
  std::sort(from, to, [](const Entry& p, const Entry& q) { return p.low_x < q.low_x; });
  for (const Entry* p = from; p < to; ++p)
    for (const Entry* q = p + 1; q < to && q->low_x <= p->high_x; ++q)
      if ((q->low_y <= p->high_y) & (p->low_y <= q->high_y) & (q->low_z <= p->high_z) & (p->low_z <= q->high_z) &
          ((p->begins | q->begins) == 7))
        note(*p, *q);
}
void BroadPhase::note(const Entry& p, const Entry& q) { candidates_.push_back({p.at, q.at}); }
void BroadPhase::compare_noted() {
  for (const Candidate& c : candidates_) {
    const Ordered &a = ordered_[c.a], &b = ordered_[c.b];
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
