#include "marey/shape/box_tree.h"

#include <algorithm>
#include <numeric>

namespace marey {

namespace {

constexpr int items_per_leaf = 4;
constexpr int bins = 12;
constexpr int levels_of_choice = 32;  // below them 31 halvings are enough for any number of items

double half_area(const Bounds& b) {
  if (b.empty()) return 0;
  const Vec3<double> d = b.high - b.low;
  return d.x * d.y + d.y * d.z + d.z * d.x;
}

// Where the centres spread out most, and the plane across it that makes Σ (items × area of their box) least.
struct BinSplit {
  int axis = 0;
  double low = 0, width = 0;
  int plane = 0;  // bins before it go first; 0: none is worth it

  int bin_of(const Vec3<double>& center) const {
    return std::clamp(static_cast<int>((center[axis] - low) / width * bins), 0, bins - 1);
  }
  bool is_first(const Vec3<double>& center) const { return bin_of(center) < plane; }
};

int widest_axis(const Bounds& b) {
  const Vec3<double> d = b.high - b.low;
  if (d.x >= d.y && d.x >= d.z) return 0;
  return d.y >= d.z ? 1 : 2;
}

BinSplit best_split(std::span<const Bounds> items, std::span<const Vec3<double>> centers, std::span<const int> chosen,
                    const Bounds& spread) {
  BinSplit split;
  split.axis = widest_axis(spread);
  split.low = spread.low[split.axis];
  split.width = spread.high[split.axis] - split.low;
  if (!(split.width > 0)) return split;
  std::array<Bounds, bins> boxes;
  std::array<int, bins> counts{};
  for (const int item : chosen) {
    const std::size_t bin = index(split.bin_of(centers[index(item)]));
    boxes[bin].add(items[index(item)]);
    ++counts[bin];
  }
  std::array<double, bins> cost{};  // of a plane before bin k
  Bounds box;
  int count = 0;
  for (std::size_t k = 1; k < bins; ++k) {
    box.add(boxes[k - 1]), count += counts[k - 1];
    cost[k] = count == 0 ? Bounds::infinity : half_area(box) * count;
  }
  box = {}, count = 0;
  double best = Bounds::infinity;
  for (std::size_t k = bins - 1; k >= 1; --k) {
    box.add(boxes[k]), count += counts[k];
    if (count == 0) continue;
    cost[k] += half_area(box) * count;
    if (cost[k] < best) best = cost[k], split.plane = static_cast<int>(k);
  }
  return split;
}

}  // namespace

BoxTree::BoxTree(std::span<const Bounds> items) : order_(items.size()) {
  if (items.empty()) return;
  std::iota(order_.begin(), order_.end(), 0);
  std::vector<Vec3<double>> centers;
  centers.reserve(items.size());
  for (const Bounds& b : items) centers.push_back(b.center());
  build(items, centers, 0, static_cast<int>(items.size()), 0);
}

int BoxTree::build(std::span<const Bounds> items, std::span<const Vec3<double>> centers, int begin, int end,
                   int level) {
  const int at = static_cast<int>(nodes_.size());
  nodes_.emplace_back();
  Bounds box, spread;
  for (int i = begin; i < end; ++i) {
    box.add(items[index(order_[index(i)])]);
    spread.add(centers[index(order_[index(i)])]);
  }
  nodes_[index(at)].box = box;
  if (end - begin <= items_per_leaf) {
    nodes_[index(at)].count = end - begin;
    nodes_[index(at)].at = begin;
    return at;
  }
  const auto first = order_.begin() + begin, last = order_.begin() + end;
  auto middle = first + (end - begin) / 2;
  const BinSplit split = best_split(items, centers, {first, last}, spread);
  if (level < levels_of_choice && split.plane > 0) {
    middle = std::stable_partition(first, last, [&](int item) { return split.is_first(centers[index(item)]); });
  } else {
    std::nth_element(first, middle, last, [&](int a, int b) {
      const double ca = centers[index(a)][split.axis], cb = centers[index(b)][split.axis];
      return ca != cb ? ca < cb : a < b;
    });
  }
  const int cut = static_cast<int>(middle - order_.begin());
  build(items, centers, begin, cut, level + 1);
  const int second = build(items, centers, cut, end, level + 1);
  nodes_[index(at)].at = second;
  return at;
}

void BoxTree::refit(std::span<const Bounds> items) {
  assert(items.size() == order_.size());
  for (std::size_t at = nodes_.size(); at-- > 0;) {
    Node& node = nodes_[at];
    node.box = {};
    if (node.count == 0) {
      node.box.add(nodes_[at + 1].box);
      node.box.add(nodes_[index(node.at)].box);
    }
    for (int i = 0; i < node.count; ++i) node.box.add(items[index(order_[index(node.at + i)])]);
  }
}

}  // namespace marey
