// Islands that are swept (marey/contact/contact_sweeps.h) instead of solved by their matrix.
#include <algorithm>

#include "marey/contact/contact_sweeps.h"
#include "marey/contact/stepped_contacts.h"

namespace marey {

namespace {

constexpr std::size_t tight_by_choice = 300;  // of an island that `auto` solves tightly
constexpr std::size_t tight_at_most = 2400;   // that has a matrix, if it can be swept: 46 MB each of about nine
constexpr ContactSweeps::Options for_shifts{1e-3, 100};

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
  return all_swept ? std::max(by_tight, ContactSweeps::Options().tolerance * h_ * norm(gravity_)) : by_tight;
}

void SteppedContacts::place_swept(const Island& island, Plant& plant) {
  sweeps_->place(plant.kinematics(), std::span(rows_).subspan(island.first_row, island.rows),
                 std::span(blocks_).subspan(island.first_block, island.points + island.bounds), axes_, response(plant),
                 response_ == nullptr);
}

// As find_shift(), by sweeps.
void SteppedContacts::find_swept_shift(const Island& island, Plant& plant) {
  const std::size_t m = island.points + island.bounds;
  place_swept(island, plant);
  rhs_.resize(m), sub_P_.assign(m, 0.0), left_out_.assign(m, 0);
  double scale = 0;
  for (std::size_t i = 0; i < m; ++i) {
    bool gives_way = false;
    rhs_[i] = normal_gap(island, i, gives_way);
    left_out_[i] = gives_way;
    if (!gives_way) scale = std::max(scale, -rhs_[i]);
  }
  sweeps_->solve_normals(rhs_, left_out_, for_shifts, scale, sub_P_);
  for (std::size_t i = 0; i < m; ++i)
    P_[island.first_row + static_cast<std::size_t>(blocks_[island.first_block + i].first)] = sub_P_[i];
}

}  // namespace marey
