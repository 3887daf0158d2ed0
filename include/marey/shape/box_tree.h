// Boxes with faces along the axes, and a tree of them over any items that have such boxes (triangles, shapes).
//
// The tree is one flat array in the order of a walk that goes down first: a node is followed by its first child, and
// knows where its second one is. So a walk needs a stack of one number per level, and no memory of its own; a refit
// goes through the array backwards. It is split by the surface area heuristic (Goldsmith & Salmon, IEEE CG&A 7(5), 1987)
// in bins (Wald, IEEE RT 2007), below a certain level by halves, so that no input makes it deeper than its stack.
#pragma once

#include <array>
#include <cassert>
#include <limits>
#include <span>
#include <vector>

#include "marey/core/index.h"
#include "marey/shape/bounds.h"
#include "marey/spatial.h"

namespace marey {

class BoxTree {
 public:
  struct Node {
    Bounds box;
    int count = 0;  // items of a leaf; 0: an inner node
    int at = 0;     // of a leaf: its first item in order(); of an inner node: its second child
  };
  static constexpr int most_levels = 64;

  BoxTree() = default;
  // The boxes must be finite.
  explicit BoxTree(std::span<const Bounds> items);
  // The same tree around items that have moved.
  void refit(std::span<const Bounds> items);

  bool empty() const { return nodes_.empty(); }
  std::span<const Node> nodes() const { return nodes_; }
  std::span<const int> order() const { return order_; }
  const Bounds& bounds() const { return nodes_.front().box; }

  // visit(item) for the items of all leaves that `enter(box)` lets in, as it did the nodes above them.
  template <class Enter, class Visit>
  void walk(Enter enter, Visit visit) const;
  // visit(item) for every item of leaves whose box meets this one (the items themselves need not).
  template <class Visit>
  void overlapping(const Bounds& box, Visit visit) const {
    walk([&](const Bounds& b) { return overlap(b, box); }, visit);
  }
  // The near ones first: bound(box) is what an item within costs at least, infinity where none can matter. visit(item)
  // returns what the best one so far costs; boxes that cannot do better are left out. Begins with the best known, `best`.
  template <class Bound, class Visit>
  void walk_nearest(double best, Bound bound, Visit visit) const;

 private:
  int build(std::span<const Bounds> items, std::span<const Vec3<double>> centers, int begin, int end, int level);
  std::vector<Node> nodes_;
  std::vector<int> order_;
};

template <class Enter, class Visit>
void BoxTree::walk(Enter enter, Visit visit) const {
  if (empty()) return;
  std::array<int, most_levels> waiting;
  int levels = 0;
  for (int at = 0;;) {
    const Node& node = nodes_[index(at)];
    if (enter(node.box)) {
      if (node.count == 0) {
        assert(levels < most_levels);
        waiting[index(levels++)] = node.at;
        ++at;
        continue;
      }
      for (int i = 0; i < node.count; ++i) visit(order_[index(node.at + i)]);
    }
    if (levels == 0) return;
    at = waiting[index(--levels)];
  }
}

template <class Bound, class Visit>
void BoxTree::walk_nearest(double best, Bound bound, Visit visit) const {
  if (empty()) return;
  struct Waiting {
    int node;
    double cost;
  };
  std::array<Waiting, most_levels> waiting;
  int levels = 0;
  Waiting now{0, bound(nodes_.front().box)};
  for (;;) {
    if (now.cost <= best && now.cost < Bounds::infinity) {
      const Node& node = nodes_[index(now.node)];
      if (node.count == 0) {
        Waiting near{now.node + 1, bound(nodes_[index(now.node + 1)].box)};
        Waiting far{node.at, bound(nodes_[index(node.at)].box)};
        if (far.cost < near.cost) std::swap(near, far);
        assert(levels < most_levels);
        waiting[index(levels++)] = far;
        now = near;
        continue;
      }
      for (int i = 0; i < node.count; ++i) best = visit(order_[index(node.at + i)]);
    }
    if (levels == 0) return;
    now = waiting[index(--levels)];
  }
}

}  // namespace marey
