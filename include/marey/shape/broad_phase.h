// Which of many boxes overlap: the pairs worth a closer look.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "marey/shape/convex.h"

namespace marey {

// Boxes come, move and go; pairs() says which overlap. The answer depends on the boxes of now alone, not on how they came
// to be there: sorted, the same after a restart. For fast bodies the caller gives the box of all that is swept in the step
// (swept_bounds() in collider.h).
// Memory is kept, so that nothing is allocated once all is as large as it gets.
class BroadPhase {
 public:
  struct Pair {
    int a = 0, b = 0;     // a < b
    bool sensor = false;  // one of them only watches: there is nothing to respond to
    auto operator<=>(const Pair&) const = default;
  };
  // Two boxes may form a pair if each is in a group that the other meets; those of one figure only if both ask for
  // contact with their own kind. Sensors watch what is no sensor.
  struct Filter {
    std::uint32_t groups = 1, meets = ~std::uint32_t{0};
    int figure = -1;    // −1: of none
    bool self = false;  // whether it meets others of its figure
    bool sensor = false;
  };

  // Returns its number: the lowest that is free. A side may be infinite; NaN is refused (Error).
  int add(const Bounds&, const Filter&);
  int add(const Bounds& bounds) { return add(bounds, Filter()); }
  void remove(int box);
  void move(int box, const Bounds&);
  void set_filter(int box, const Filter&);
  // Never a pair (bodies joined by a joint), until it is admitted again or one of them is removed.
  void leave_out(int a, int b);
  void admit(int a, int b);

  // Valid until the next call.
  std::span<const Pair> pairs();

 private:
  struct alignas(64) Box {  // one line of the cache
    Bounds bounds;
    Filter filter;
  };
  struct State {
    bool used = false, ordered = false;  // ordered: it is in order_
  };
  struct Cell {
    int x, y, z;
  };
  struct Ordered {  // a box among its neighbours: numbers are far from each other, neighbours in space should not be
    Bounds bounds;
    Filter filter;
    int box;
  };
  // A box in a cell of the grid, rounded outwards: half as much to move as in double. `begins`: the axes (bits 0, 1, 2)
  // along which the box begins in this cell; where along all three, the cell is the first of those it touches.
  struct alignas(32) Entry {
    float low_x, high_x, low_y, high_y, low_z, high_z;
    std::uint32_t begins : 3, at : 29;  // at: in ordered_
    int box;
  };
  struct Touch {  // of a box with a cell
    std::uint32_t bucket;
    std::uint32_t begins : 3, at : 29;
  };
  void drop_removed();
  void choose_cells();
  void gather(bool into_cells);
  void touch_cells(std::uint32_t at, const Cell& low, const Cell& high);
  void fill_cells();
  void sweep_cells();
  void try_all(const Entry* from, const Entry* to);
  void sweep(Entry* from, Entry* to);
  void note(const Entry&, const Entry&);
  void compare_noted();
  void try_large();
  void sort_pairs();
  void put(int a, const Filter& of_a, int b, const Filter& of_b);
  Cell cell_of(const Vec3<double>&) const;
  std::uint32_t bucket_of(const Cell&) const;

  std::vector<Box> boxes_;
  std::vector<State> states_;  // [boxes]
  bool some_removed_ = false;
  std::vector<int> free_;                // numbers of removed boxes: a heap, the lowest first
  std::vector<std::uint64_t> left_out_;  // sorted
  std::vector<int> order_;               // all boxes, neighbours near each other: as the cells had them last time
  std::vector<Ordered> ordered_;         // the same, with what the sweep needs
  std::vector<int> large_;               // boxes too wide for cells
  std::vector<double> widths_;
  std::vector<std::uint32_t> begins_;  // where a bucket's entries begin
  std::vector<Entry> outlines_;        // [ordered_] what becomes an entry in each cell it touches
  std::vector<Touch> touches_;
  std::size_t touch_count_ = 0;
  std::vector<Entry> entries_;
  struct Candidate {
    std::uint32_t a, b;  // in ordered_
  };
  std::vector<Candidate> candidates_;
  std::vector<Pair> found_, pairs_;
  std::vector<int> starts_;
  double per_width_ = 1;                      // cells per metre
  int bits_x_ = 4, bits_y_ = 4, bits_z_ = 4;  // the grid has 2^bits cells each way, and repeats beyond
};

}  // namespace marey
