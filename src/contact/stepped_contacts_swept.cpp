// Islands that are swept (marey/contact/contact_sweeps.h) instead of solved by their matrix.
#include <algorithm>

#include "contact/heap_sweeps.h"
#include "marey/contact/contact_sweeps.h"
#include "marey/contact/stepped_contacts.h"

namespace marey {

namespace {

constexpr std::size_t tight_by_choice = 300;  // of an island that `auto` solves tightly
constexpr std::size_t tight_at_most = 2400;   // that has a matrix, if it can be swept: 46 MB each of about nine
constexpr ContactSweeps::Options for_shifts{1e-3, 100};
constexpr std::size_t points_of_large = 1000;  // whose packs of one colour are enough for several threads
constexpr double kept_of_heap = 5e-5;          // of the size: overlap that bodies of a heap are left with

}  // namespace

// Sweeps need links that answer tree by tree.
bool SteppedContacts::is_swept(const Island& island) const {
  if (eliminates_constraints() || !joining_.empty()) return false;
  switch (accuracy_) {
    case ContactAccuracy::fast:
      return true;
    case ContactAccuracy::automatic:
      return island.rows > tight_by_choice;
    case ContactAccuracy::tight:
      break;
  }
  return island.rows > tight_at_most;
}

// What is swept is not more exact than that.
double SteppedContacts::not_felt() const {
  constexpr double by_tight = 1e-9;
  const bool all_swept = std::ranges::all_of(islands_, [](const Island& island) { return island.swept; });
  return all_swept ? std::max(by_tight, ContactSweeps::Options().tolerance * h_ * weight_) : by_tight;
}

// Rounds of a step ask again; of many islands the last ones share a room.
SteppedContacts::Swept& SteppedContacts::room_for(const Island& island) {
  constexpr std::size_t most_rooms = 64;
  for (Swept& room : swept_)
    if (room.placed == island.first_point) return room;
  for (Swept& room : swept_)
    if (!room.placed) return room;
  if (swept_.size() < most_rooms)
    swept_.push_back({std::make_unique<ContactSweeps>(figure_, coordinates_, trees_), std::nullopt});
  return swept_.back();
}

const ContactSweeps& SteppedContacts::swept(const Island& island) const {
  return *std::ranges::find(swept_, std::optional(island.first_point), &Swept::placed)->sweeps;
}

ContactSweeps& SteppedContacts::place_swept(const Island& island, Plant& plant) {
  Swept& room = room_for(island);
  if (room.placed != island.first_point)
    room.sweeps->place(plant.kinematics(), std::span(rows_).subspan(island.first_row, island.rows),
                       std::span(blocks_).subspan(island.first_block, island.points + island.bounds), axes_,
                       response(plant), response_ == nullptr);
  room.placed = island.first_point;
  return *room.sweeps;
}

// As find_shift(), by sweeps.
void SteppedContacts::find_swept_shift(const Island& island, Plant& plant) {
  const std::size_t m = island.points + island.bounds;
  ContactSweeps& sweeps = place_swept(island, plant);
  rhs_.resize(m), sub_P_.assign(m, 0.0), left_out_.assign(m, 0);
  double scale = 0;
  for (std::size_t i = 0; i < m; ++i) {
    bool gives_way = false;
    rhs_[i] = normal_gap(island, i, gives_way);
    left_out_[i] = gives_way;
    if (!gives_way) scale = std::max(scale, -rhs_[i]);
  }
  sweeps.solve_normals(rhs_, left_out_, for_shifts, scale, sub_P_);
  for (std::size_t i = 0; i < m; ++i)
    P_[island.first_row + static_cast<std::size_t>(blocks_[island.first_block + i].first)] = sub_P_[i];
}

// By its matrix, where that is small.
std::optional<ConeCertificate> SteppedContacts::solve_tightly(const Island& island, Plant& plant) {
  if (island.rows > tight_by_choice) return {};
  const Kinematics<double>& k = plant.kinematics();
  tight_rows_.clear();
  for (std::size_t i = island.first_point; i < island.first_point + island.points; ++i)
    add_rows_of(points_[i], k, tight_rows_);
  for (std::size_t i = island.first_bound; i < island.first_bound + island.bounds; ++i)
    tight_rows_.push_back(bounds_[i].row);
  ensure_capacity(island.rows);
  if (!delassus_->compute_matrix(tight_rows_, response(plant))) {
    write_rows(tight_rows_);
    delassus_->compute_matrix(*row_set_, response(plant));
  }
  Island tight = island;
  tight.swept = tight.heap = false, tight.A = A_.size();
  A_.insert(A_.end(), delassus_->A().begin(), delassus_->A().end());
  solved_ = nullptr;  // it knows islands by their places, and this one has none to stay
  const ConeCertificate found = solve_problem(tight);
  solved_ = nullptr;
  A_.resize(tight.A);
  return found;
}

// ---- heaps
// Loose bodies that answer by their inertia, three rows to a point.
bool SteppedContacts::is_heap(const Island& island) const {
  if (!island.swept || response_ != nullptr || island.bounds > 0) return false;
  const auto loose = [&](int link) { return link == 0 || slots_[0].heap->is_loose(link); };
  const std::span<const TouchingPoint> points(points_.data() + island.first_point, island.points);
  return std::ranges::all_of(points, [&](const TouchingPoint& c) {
    return loose(c.link_a) && loose(c.link_b) && c.link_a != c.link_b && c.law.torsion == 0 && c.law.rolling == 0;
  });
}

void SteppedContacts::measure_in_heap(const TouchingPoint& c, const Kinematics<double>& k,
                                      std::span<const Twist<double>> V_WB, std::span<double> u) {
  Vec3<double> d;
  const auto add = [&](int link, double sign) {
    const auto l = static_cast<std::size_t>(link);
    if (link != 0) d += sign * (V_WB[l].v + cross(V_WB[l].w, c.p_WoC_W - k.X_WB[l].p));
  };
  add(c.link_b, 1), add(c.link_a, -1);
  for (std::size_t r = 0; r < 3; ++r) u[static_cast<std::size_t>(c.first) + r] = dot(c.axes_W[r], d);
}

void SteppedContacts::add_heap_wrenches(const Island& island, const Kinematics<double>& k, std::span<const double> P) {
  for (std::size_t i = island.first_point; i < island.first_point + island.points; ++i) {
    const TouchingPoint& c = points_[i];
    const auto first = static_cast<std::size_t>(c.first);
    const Vec3<double> f = P[first] * c.axes_W[0] + P[first + 1] * c.axes_W[1] + P[first + 2] * c.axes_W[2];
    const auto add = [&](int link, double sign) {
      const auto l = static_cast<std::size_t>(link);
      if (link != 0) P_Bo_W_[l] += Wrench<double>{sign * cross(c.p_WoC_W - k.X_WB[l].p, f), sign * f};
    };
    add(c.link_b, 1), add(c.link_a, -1);
  }
}

HeapSweeps& SteppedContacts::place_heap(const Island& island, Plant& plant, std::size_t number) {
  Slot& slot = slots_[number];
  if (slot.placed != island.first_point)
    slot.heap->place(plant.kinematics(), std::span(points_).subspan(island.first_point, island.points));
  slot.placed = island.first_point;
  return *slot.heap;
}

ConeCertificate SteppedContacts::solve_heap(const Island& island, Plant& plant, std::size_t slot) {
  HeapSweeps& heap = place_heap(island, plant, slot);
  heap.laws.resize(island.points);
  for (std::size_t i = 0; i < island.points; ++i) {
    const std::size_t row = island.first_row + 3 * i;
    heap.laws[i] = {offset_[row], compliance_[row], blocks_[island.first_block + i].friction};
  }
  const std::size_t n = island.rows, first = island.first_row;
  return heap.solve(V_WB_, island.scale, {}, std::span(P_).subspan(first, n), std::span(u_).subspan(first, n))
      .certificate;
}

// Each by itself, with restitution as it is: many small ones by a thread each, large ones by all threads one after the other.
void SteppedContacts::solve_heaps(Plant& plant) {
  heap_found_.resize(heaps_.size());
  const auto solve_one = [&](std::size_t number, Island& island, std::size_t slot) {
    island.scale = scale_of(island);
    set_offsets(island, 1);
    heap_found_[number] = solve_heap(island, plant, slot);
  };
  for_heaps([&](std::size_t number, Island& island, std::size_t slot) {
    if (island.points < points_of_large) solve_one(number, island, slot);
  });
  for (std::size_t number = 0; number < heaps_.size(); ++number)
    if (Island& island = islands_[heaps_[number]]; island.points >= points_of_large) {
      slots_[0].heap->share_with(&threads_);
      solve_one(number, island, 0);
      slots_[0].heap->share_with(nullptr);
    }
}

void SteppedContacts::find_heap_shift(const Island& island, Plant& plant, std::size_t number) {
  HeapSweeps& heap = place_heap(island, plant, number);
  std::vector<double>& gaps = slots_[number].gaps;
  std::vector<char>& left_out = slots_[number].left_out;
  gaps.resize(island.points), left_out.assign(island.points, 0);
  double scale = 0;
  for (std::size_t i = 0; i < island.points; ++i) {
    bool gives_way = false;
    gaps[i] = normal_gap(island, i, gives_way) + kept_of_heap * points_[island.first_point + i].size;
    left_out[i] = gives_way;
    if (!gives_way) scale = std::max(scale, -gaps[i]);
  }
  heap.shift(gaps, left_out, scale, {1e-3, 100}, std::span(P_).subspan(island.first_row, island.rows));
}

}  // namespace marey
