// What may touch before a step ends: points, islands, rows, and their matrices.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "marey/contact/stepped_contacts.h"
#include "marey/contact/surface.h"
#include "marey/core.h"

namespace marey {

namespace {

// How near a point at rest has to be to be looked at, as a part of the size of its body: it may be set in motion within the step.
constexpr double skin_at_rest = 1e-4;
// Of one island: its matrices are dense, about nine of them at a time, and take 2 GB.
constexpr std::size_t most_rows_of_heap = 5000;
constexpr std::size_t links_at_once = 256, pairs_at_once = 64;  // that a thread takes

// By their keys, which have features last.
bool comes_first(const ManifoldPoint& p, const ManifoldPoint& q) {
  const auto of = [](const ManifoldPoint& x) {
    return std::array{static_cast<int>(x.a.kind), x.a.index, static_cast<int>(x.b.kind), x.b.index};
  };
  return of(p) < of(q);
}

bool is_of_same_pair(const TouchingPoint& c, const TouchingPoint& d) {
  return c.link_a == d.link_a && c.link_b == d.link_b;
}

// λ = 1 along `axis` at a point of b, and against it on a.
void set_force_row(const TouchingPoint& c, const Vec3<double>& axis, const Kinematics<double>& k, ConstraintRow& row) {
  row.holonomic = false;
  const auto add = [&](int link, double sign) {
    if (link == 0) return;
    const Vec3<double> r = c.p_WoC_W - k.X_WB[static_cast<std::size_t>(link)].p;
    row.parts[static_cast<std::size_t>(row.part_count++)] = {link, {sign * cross(r, axis), sign * axis}, norm(r)};
  };
  add(c.link_b, 1), add(c.link_a, -1);
}
// The same of a moment.
ConstraintRow moment_row(const TouchingPoint& c, const Vec3<double>& axis) {
  ConstraintRow row;
  row.holonomic = false;
  const auto add = [&](int link, double sign) {
    if (link != 0) row.parts[static_cast<std::size_t>(row.part_count++)] = {link, {sign * axis, {}}, 1};
  };
  add(c.link_b, 1), add(c.link_a, -1);
  return row;
}

}  // namespace

// How far a link's points can come within half a step, by its own motion.
double SteppedContacts::approach_margin(int link, const Twist<double>& V_WB) const {
  const auto i = static_cast<std::size_t>(link);
  const double reach = std::max(reach_[i], bodies_ ? bodies_->reach(link) : 0.0);
  const double speed = norm(V_WB.v) + norm(V_WB.w) * reach + 2 * h_ * weight_;
  return 0.5 * h_ * speed + skin_at_rest * reach;
}

void SteppedContacts::find(Plant& plant, Response* response) {
  response_ = response, joining_ = {};
  const Kinematics<double>& k = plant.kinematics();
  find_all(plant);
  while (sleeping_ && wake_what_is_met(k)) find_all(plant);
  recall_points();
  divide_into_islands();
  make_rows();
  if (wants_rows()) ensure_rows(k);
  measure(k, k.V_WB, u_minus_);
  matrices_due_ = true;
}

void SteppedContacts::find_all(Plant& plant) {
  points_.clear(), forget_places();
  find_floors(plant.kinematics());
  if (bodies_) find_pairs(plant);
  if (!std::ranges::is_sorted(points_, {}, &TouchingPoint::key)) std::ranges::sort(points_, {}, &TouchingPoint::key);
}

void SteppedContacts::use(Plant& plant, Response* response, std::span<const ConstraintRow> joining) {
  const bool others = held() || !joining.empty() ||  // islands than those that were found, or others than heaps
                      std::ranges::any_of(islands_, [](const Island& island) { return island.heap; });
  response_ = response, joining_ = joining;
  matrices_due_ = false;
  forget_places();
  if (others) {
    std::ranges::sort(points_, {}, &TouchingPoint::key);
    std::ranges::sort(bounds_, {}, &BoundedRow::key);
    divide_into_islands();
    make_rows();
    ensure_rows(plant.kinematics());
    measure(plant.kinematics(), plant.kinematics().V_WB, u_minus_);
    if (held() && any()) {  // what their impulses are is a matter of M, whoever else answers (book_step)
      ensure_capacity(rows_.size());
      plant.axes(axes_);
      eliminate_constraints(rows_, plant);
    }
  }
  compute_matrices(plant);
}

void SteppedContacts::eliminate_constraints(std::span<const ConstraintRow> rows, Plant& plant) {
  write_rows(rows);
  constraints_->eliminate_from(*row_set_, plant, *delassus_);
}

void SteppedContacts::find_floors(const Kinematics<double>& k) {
  for (std::size_t i = 0; i < floors_.size(); ++i) {
    const FloorContact& c = floors_[i];
    if (sleeps(c.link)) continue;
    TouchingPoint point;
    const Transform<double>& X = k.X_WB[static_cast<std::size_t>(c.link)];
    point.p_WoC_W = X.p + offset_of_contact(c, X.R);
    point.gap = dot(c.plane.normal_W, point.p_WoC_W) - c.plane.offset;
    if (point.gap > approach_margin(c.link, k.V_WB[static_cast<std::size_t>(c.link)])) continue;
    point.key = {-1, static_cast<int>(i)};
    point.link_b = c.link;
    point.axes_W = axes_of(c.plane);
    point.size = std::max(norm(c.point_B) + c.surface.radius, 1e-3);
    point.law = {
        c.friction_static, c.friction_kinetic, c.law.restitution, 0, 0, c.compliant ? 1 / c.ground.stiffness : 0};
    points_.push_back(point);
  }
}

void SteppedContacts::find_margins(const Kinematics<double>& k) {
  margins_.assign(static_cast<std::size_t>(bodies_->body_count()), 0.0);
  threads_.in_pieces(links_, links_at_once, [&](std::size_t, std::size_t from, std::size_t to, std::size_t) {
    for (std::size_t i = std::max<std::size_t>(from, 1); i < to; ++i)
      margins_[i] = approach_margin(static_cast<int>(i), k.V_WB[i]);
  });
}

void SteppedContacts::find_pairs(Plant& plant) {
  const Kinematics<double>& k = plant.kinematics();
  bodies_->place(k.X_WB);
  leaps_->pairs.clear();
  leaps_->go_along(plant.q(), plant.v(), 0.5 * h_);
  find_margins(k);
  const std::span<const CollisionWorld::Pair> near = bodies_->near(margins_, threads_);
  looked_after_.resize(near.size()), looked_within_.resize(near.size());
  for (std::size_t i = 0; i < near.size(); ++i) {
    const auto a = static_cast<std::size_t>(near[i].a), b = static_cast<std::size_t>(near[i].b);
    double within = margins_[a] + margins_[b];
    // What flies together does not come nearer by that, as long as nothing stops one of the two: limbs of a crowd give way, balls that are stopped
    // by the floor do not, and are met by those behind them in the same step.
    if (prefers_sweeps() && a < links_ && b < links_ && is_limb(a) && is_limb(b))
      within -= 0.5 * h_ * (norm(k.V_WB[a].v) + norm(k.V_WB[b].v) - norm(k.V_WB[b].v - k.V_WB[a].v));
    looked_within_[i] = within;
    looked_after_[i] = !is_idle(near[i]) && may_leap(near[i], 2 * within);
  }
  const std::size_t at_once = threads_.count() == 1 ? std::max<std::size_t>(near.size(), 1) : pairs_at_once;
  const std::size_t pieces = Threads::pieces(near.size(), at_once);
  if (points_in_piece_.size() < pieces) points_in_piece_.resize(pieces);
  threads_.in_pieces(near.size(), at_once, [&](std::size_t piece, std::size_t from, std::size_t to, std::size_t slot) {
    std::vector<TouchingPoint>& out = pieces == 1 ? points_ : points_in_piece_[piece];
    if (pieces > 1) out.clear();
    for (std::size_t i = from; i < to; ++i)
      if (!is_idle(near[i])) find_points_of(i, near[i], slot, out);
  });
  if (pieces > 1) gather_points(pieces);
}

// What pieces have found, one after the other.
void SteppedContacts::gather_points(std::size_t pieces) {
  first_in_piece_.assign(1, points_.size());
  for (std::size_t p = 0; p < pieces; ++p)
    first_in_piece_.push_back(first_in_piece_.back() + points_in_piece_[p].size());
  points_.resize(first_in_piece_.back());
  threads_.in_pieces(pieces, 1, [&](std::size_t p, std::size_t, std::size_t, std::size_t) {
    std::ranges::copy(points_in_piece_[p], points_.begin() + static_cast<std::ptrdiff_t>(first_in_piece_[p]));
  });
}

void SteppedContacts::find_points_of(std::size_t number, const CollisionWorld::Pair& pair, std::size_t slot,
                                     std::vector<TouchingPoint>& out) {
  std::vector<Manifold>& manifolds = slots_[slot].manifolds;
  const double within = looked_within_[number];
  bodies_->fresh_manifolds(number, within, slots_[slot].queries, manifolds);
  if (looked_after_[number] != 0 && is_open(manifolds, Leaps::thin(*bodies_, pair))) return;
  const auto first = static_cast<std::ptrdiff_t>(out.size());
  for (Manifold& m : manifolds) {
    std::sort(m.points.begin(), m.points.begin() + m.count, comes_first);
    add_manifold(pair, m, out);
  }
  const std::ranges::subrange found(out.begin() + first, out.end());
  if (!std::ranges::is_sorted(found, {}, &TouchingPoint::key)) std::ranges::sort(found, {}, &TouchingPoint::key);
}

void SteppedContacts::add_manifold(const CollisionWorld::Pair& pair, const Manifold& m,
                                   std::vector<TouchingPoint>& out) const {
  const auto link = [&](int body) { return body < static_cast<int>(links_) ? body : 0; };
  const bool as_before = !out.empty() && norm_squared(out.back().axes_W[0] - m.normal_W) == 0;  // on the same floor
  const std::array<Vec3<double>, 3> axes = as_before ? out.back().axes_W : axes_of(Plane{m.normal_W, 0});
  const double size = bodies_->size(pair);
  const SurfaceLaw law = laws_.of(pair.a, pair.b);
  for (int k = 0; k < m.count; ++k) {
    const ManifoldPoint& at = m.points[static_cast<std::size_t>(k)];
    TouchingPoint& point = out.emplace_back();
    point.key = {
        pair.a,    pair.b, m.part_a, m.part_b, static_cast<int>(at.a.kind), at.a.index, static_cast<int>(at.b.kind),
        at.b.index};
    point.link_a = link(pair.a), point.link_b = link(pair.b);
    point.p_WoC_W = at.point_W;
    point.axes_W = axes;
    point.gap = at.gap;
    point.size = size;
    point.law = law;
  }
}

void SteppedContacts::find_joint_bounds(const Instant<double>& now) {
  joint_bounds_.find(now, h_, bounds_);
  for (BoundedRow& b : bounds_) {
    const auto known = std::ranges::lower_bound(before_, b.key, {}, &Remembered::key);
    if (known != before_.end() && known->key == b.key) b.guess = b.before = known->force_W.x;
  }
}

// What the step before has left of the same points; both are sorted.
void SteppedContacts::recall_points() {
  threads_.in_pieces(points_.size(), points_at_once, [&](std::size_t, std::size_t from, std::size_t to, std::size_t) {
    auto known = std::ranges::lower_bound(before_, points_[from].key, {}, &Remembered::key);
    for (std::size_t i = from; i < to; ++i) {
      TouchingPoint& c = points_[i];
      while (known != before_.end() && known->key < c.key) ++known;
      if (known == before_.end()) return;
      if (known->key != c.key) continue;
      c.was_there = true;
      c.slides = known->slides != 0;
      c.force_W = known->force_W;
    }
  });
}

// By the tree that stands for their island, keeping their order within it: counted, since there may be many.
template <class IslandOf>
void SteppedContacts::sort_points_by(const IslandOf& island_of) {
  island_of_point_.resize(points_.size());
  for (std::size_t i = 0; i < points_.size(); ++i)
    island_of_point_[i] =
        i > 0 && is_of_same_pair(points_[i], points_[i - 1]) ? island_of_point_[i - 1] : island_of(points_[i]);
  island_of_sorted_ = island_of_point_;
  if (std::ranges::is_sorted(island_of_point_)) return;
  in_tree_.assign(trees_.size() + 1, 0);
  for (const int tree : island_of_point_) ++in_tree_[static_cast<std::size_t>(tree) + 1];
  std::partial_sum(in_tree_.begin(), in_tree_.end(), in_tree_.begin());
  other_points_.resize(points_.size());
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const auto place = static_cast<std::size_t>(in_tree_[static_cast<std::size_t>(island_of_point_[i])]++);
    rank_[place] = i, island_of_sorted_[place] = island_of_point_[i];
  }
  for (std::size_t i = 0; i < points_.size(); ++i) other_points_[i] = points_[rank_[i]];
  points_.swap(other_points_);
}

// Trees that contacts join. Islands come in the order of their first points, and these in the order of their keys.
void SteppedContacts::divide_into_islands() {
  islands_.clear();
  rank_.resize(points_.size());
  std::iota(rank_.begin(), rank_.end(), std::size_t{0});
  if (points_.empty() && bounds_.empty()) return;
  if (eliminates_constraints()) {
    Island all;
    all.points = points_.size(), all.bounds = bounds_.size();
    islands_.push_back(all);
    return;
  }
  parent_of_tree_.resize(trees_.size());
  std::iota(parent_of_tree_.begin(), parent_of_tree_.end(), 0);
  const auto root = [&](int tree) {
    while (parent_of_tree_[static_cast<std::size_t>(tree)] != tree)
      tree = parent_of_tree_[static_cast<std::size_t>(tree)] =
          parent_of_tree_[static_cast<std::size_t>(parent_of_tree_[static_cast<std::size_t>(tree)])];
    return tree;
  };
  const auto join = [&](int link_a, int link_b) {
    const int a = tree_of(link_a), b = tree_of(link_b);
    if (a == 0 || b == 0) return;  // the world joins nobody
    const int x = root(a), y = root(b);
    parent_of_tree_[static_cast<std::size_t>(std::max(x, y))] = std::min(x, y);
  };
  for (std::size_t i = 0; i < points_.size(); ++i)  // those of a pair stand together
    if (i == 0 || !is_of_same_pair(points_[i], points_[i - 1])) join(points_[i].link_a, points_[i].link_b);
  for (const ConstraintRow& row : joining_)
    for (int p = 1; p < row.part_count; ++p) join(row.parts[0].link, row.parts[static_cast<std::size_t>(p)].link);
  const auto island_of = [&](const TouchingPoint& c) {
    const int tree = std::max(tree_of(c.link_a), tree_of(c.link_b));
    return root(tree);
  };
  const auto island_of_bound = [&](const BoundedRow& b) { return root(tree_of(b.row.parts[0].link)); };
  sort_points_by(island_of);
  if (!bounds_.empty()) std::ranges::stable_sort(bounds_, {}, island_of_bound);
  constexpr int none = std::numeric_limits<int>::max();
  for (std::size_t i = 0, k = 0; i < points_.size() || k < bounds_.size();) {
    const auto next_point = [&] { return i < points_.size() ? island_of_sorted_[i] : none; };
    const auto next_bound = [&] { return k < bounds_.size() ? island_of_bound(bounds_[k]) : none; };
    const int tree = std::min(next_point(), next_bound());
    Island island;
    island.first_point = i, island.first_bound = k;
    while (next_point() == tree) ++i;
    while (next_bound() == tree) ++k;
    island.points = i - island.first_point, island.bounds = k - island.first_bound;
    islands_.push_back(island);
  }
}

void SteppedContacts::refuse_heap(const Island& island) const {
  const std::string where = island.points > 0
                                ? fmt::format(", {} among them,", name_of_pair(points_[island.first_point].key.a,
                                                                               points_[island.first_point].key.b))
                                : "";
  throw Error(
      ErrorKind::cannot_go_on,
      fmt::format("{} points of contact{} hold each other in one heap, together with constraints or stiff springs "
                  "between figures: such a heap is solved by a matrix, of {} rows, and more than {} need more memory "
                  "than steps may take (fewer bodies in it, or none that are tied to others, go on)",
                  island.points, where, island.rows, most_rows_of_heap));
}

void SteppedContacts::add_rows_of(const TouchingPoint& c, const Kinematics<double>& k,
                                  std::vector<ConstraintRow>& out) {
  for (const Vec3<double>& axis : c.axes_W) set_force_row(c, axis, k, out.emplace_back());
  if (c.law.torsion > 0) out.push_back(moment_row(c, c.axes_W[0]));
  if (c.law.rolling > 0) out.push_back(moment_row(c, c.axes_W[1])), out.push_back(moment_row(c, c.axes_W[2]));
}

// How many there will be, and who solves them.
void SteppedContacts::count_rows(Island& island) {
  island.rows = island.bounds;
  for (std::size_t i = island.first_point; i < island.first_point + island.points; ++i) {
    const SurfaceLaw& law = points_[i].law;
    island.rows += 3 + (law.torsion > 0 ? 1u : 0u) + (law.rolling > 0 ? 2u : 0u);
  }
  island.swept = is_swept(island), island.heap = is_heap(island);
  if (!island.swept && island.rows > most_rows_of_heap) refuse_heap(island);
}

void SteppedContacts::make_rows() {
  rows_.clear(), blocks_.clear(), row_count_ = 0, solved_ = nullptr, rows_due_ = true;
  for (Island& island : islands_) count_rows(island);
  for (const bool heaps : {false, true})  // which have no rows of their own, and come last
    for (Island& island : islands_)
      if (island.heap == heaps) heaps ? number_rows_of_heap(island) : number_rows(island);
  heaps_.clear();
  for (std::size_t i = 0; i < islands_.size(); ++i)
    if (islands_[i].heap) islands_[i].heap_number = heaps_.size(), heaps_.push_back(i);
  std::size_t A = 0;
  for (Island& island : islands_) {
    island.A = A;
    if (!island.swept) A += island.rows * island.rows;
  }
  A_.resize(A);
  for (std::vector<double>* x : {&compliance_, &offset_, &u_minus_, &u_free_, &u_, &P_}) {
    if (x->capacity() < row_count_) x->reserve(row_count_ + row_count_ / 2);  // few steps ask for memory
    x->assign(row_count_, 0.0);
  }
}

void SteppedContacts::number_rows(Island& island) {
  island.first_row = row_count_, island.first_block = blocks_.size();
  const auto add_block = [&](RowBlock::Kind kind) -> RowBlock& {
    RowBlock& block = blocks_.emplace_back();
    block.kind = kind, block.first = static_cast<int>(row_count_ - island.first_row);
    return block;
  };
  for (std::size_t i = island.first_point; i < island.first_point + island.points; ++i) {
    TouchingPoint& c = points_[i];
    RowBlock& block = add_block(RowBlock::Kind::contact);
    block.torsion = c.law.torsion, block.rolling = c.law.rolling;
    c.first = static_cast<int>(row_count_), c.rows = block.rows();
    row_count_ += static_cast<std::size_t>(c.rows), c.in_heap = false;
  }
  for (std::size_t i = island.first_bound; i < island.first_bound + island.bounds; ++i) {
    BoundedRow& bound = bounds_[i];
    add_block(RowBlock::Kind::bounds);
    bound.first = static_cast<int>(row_count_++);
  }
}

// Whether the points, which have all that plain ones need, are not enough.
bool SteppedContacts::wants_rows() const {
  return roots_are_held_ || held() || !bounds_.empty() ||
         std::ranges::any_of(points_, [](const TouchingPoint& c) { return !c.in_heap && c.rows != 3; });
}

// In the middle of the step.
void SteppedContacts::ensure_rows(const Kinematics<double>& k) {
  if (!std::exchange(rows_due_, false)) return;
  for (const Island& island : islands_) {
    if (island.heap) continue;
    for (std::size_t i = island.first_point; i < island.first_point + island.points; ++i)
      add_rows_of(points_[i], k, rows_);
    for (std::size_t i = island.first_bound; i < island.first_bound + island.bounds; ++i)
      rows_.push_back(bounds_[i].row);
  }
}

// Three to a point, and none written down.
void SteppedContacts::number_rows_of_heap(Island& island) {
  island.first_row = row_count_, island.first_block = blocks_.size();
  row_count_ += 3 * island.points, blocks_.resize(blocks_.size() + island.points);
  threads_.in_pieces(island.points, points_at_once, [&](std::size_t, std::size_t from, std::size_t to, std::size_t) {
    for (std::size_t i = from; i < to; ++i) {
      TouchingPoint& c = points_[island.first_point + i];
      c.first = static_cast<int>(island.first_row + 3 * i), c.rows = 3, c.in_heap = true;
      RowBlock& block = blocks_[island.first_block + i];
      block = {}, block.kind = RowBlock::Kind::contact, block.first = static_cast<int>(3 * i);
    }
  });
}

void SteppedContacts::measure(const Kinematics<double>& k, std::span<const Twist<double>> V_WB, std::span<double> u) {
  for (std::size_t r = 0; r < rows_.size(); ++r) u[r] = power_of(rows_[r], V_WB);
  threads_.in_pieces(points_.size(), points_at_once, [&](std::size_t, std::size_t from, std::size_t to, std::size_t) {
    for (std::size_t i = from; i < to; ++i)
      if (points_[i].in_heap || rows_due_) measure_in_heap(points_[i], k, V_WB, u);
  });
}

void SteppedContacts::ensure_capacity(std::size_t rows) {
  if (rows <= capacity_) return;
  capacity_ = rows + rows / 2;
  row_set_.reset();
  delassus_.emplace(coordinates_, static_cast<int>(capacity_));
  if (constraints_ != nullptr) constraints_->expect_contact_rows(capacity_);
}

// By their J; most islands do without, and so do without the room for it.
void SteppedContacts::write_rows(std::span<const ConstraintRow> rows) {
  if (!row_set_) row_set_.emplace(coordinates_, static_cast<int>(capacity_));
  row_set_->clear(static_cast<std::size_t>(coordinates_.nv));
  add_rows(coordinates_, rows, axes_, no_bias_, *row_set_);
}

// A of each island; with constraints, or where the plant knows rows by their J alone, by these.
void SteppedContacts::compute_matrices(Plant& plant) {
  solved_ = nullptr;
  if (islands_.empty()) return;
  ensure_rows(plant.kinematics());
  plant.axes(axes_);
  std::size_t most = 0;
  for (const Island& island : islands_)
    if (!island.swept) most = std::max(most, island.rows);
  ensure_capacity(most);
  for (const Island& island : islands_) {
    if (island.swept) continue;
    const std::span<const ConstraintRow> rows(rows_.data() + island.first_row, island.rows);
    if (eliminates_constraints()) {
      eliminate_constraints(rows, plant);
    } else if (!delassus_->compute_matrix(rows, response(plant))) {
      write_rows(rows);
      delassus_->compute_matrix(*row_set_, response(plant));
    }
    std::ranges::copy(delassus_->A(), A_.begin() + static_cast<std::ptrdiff_t>(island.A));
  }
}

}  // namespace marey
