// Contacts of a step, solved. How they are found: stepped_contacts_find.cpp; what comes of it: stepped_contacts_results.cpp.
#include "marey/contact/stepped_contacts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "contact/heap_sweeps.h"
#include "marey/contact/contact_sweeps.h"
#include "marey/core/larger.h"

namespace marey {

namespace {

constexpr double slack_of_size = 2e-7;   // overlap that is left alone
constexpr double slack_of_swept = 2e-4;  // likewise, of what is swept
constexpr double slack_again = 1e-3;     // likewise, of heaps that have been put apart,
constexpr int most_apart_again = 3;      // so often
constexpr double most_of_swept = 0.1;    // of the natural map: what is small and left with more is solved tightly
constexpr double rest_of_heap = 1e-4;    // of the size: gap at which bodies of a heap rest on each other
constexpr double most_apart = 0.05;      // of the size of a body, at once; of stops rad, m
constexpr double slack_of_angle = 2e-7;  // rad, m: beyond its end
constexpr double slip_of_scale = 1e-7;   // slower than that it sticks
constexpr int halvings_of_kappa = 12;
constexpr double work_of_rounding = 1e-12;  // of its terms

}  // namespace

// ---- set-up
SteppedContacts::SteppedContacts(const Model& figure, std::span<const FloorContact> floors,
                                 std::optional<CollisionWorld> bodies, const MaterialRule& materials,
                                 const Model& coordinates, HeldConstraints* constraints,
                                 std::span<const Element> elements, ContactAccuracy accuracy, Threads threads)
    : figure_(figure),
      coordinates_(coordinates),
      floors_(floors),
      bodies_(std::move(bodies)),
      links_(figure.links.size()),
      laws_(materials, bodies_ ? static_cast<std::size_t>(bodies_->body_count()) : links_),
      gravity_(figure.params.gravity),
      weight_(norm(gravity_)),
      constraints_(constraints),
      trees_(links_),
      links_of_tree_(links_, 0),
      reach_(links_),
      joint_bounds_(elements),
      P_Bo_W_(links_),
      carried_(links_),
      V_WB_(links_),
      p_(static_cast<std::size_t>(coordinates.nv)),
      dv_(p_),
      axes_(coordinates),
      no_bias_(coordinates),
      accuracy_(accuracy),
      threads_(std::move(threads)),
      slots_(static_cast<std::size_t>(threads_.count())),
      motion_(floors.size()),
      modes_(floors.size(), Mode::free),
      forces_(floors.size()),
      impulses_(floors.size()) {
  for (int i = 1; i < figure.nlink(); ++i) {
    const int parent = figure.links[static_cast<std::size_t>(i)].parent;
    if (parent == 0 && figure.links[static_cast<std::size_t>(i)].joint != JointType::free) roots_are_held_ = true;
    trees_[static_cast<std::size_t>(i)] = parent == 0 ? i : trees_[static_cast<std::size_t>(parent)];
    ++links_of_tree_[static_cast<std::size_t>(trees_[static_cast<std::size_t>(i)])];
  }
  for (const FloorContact& c : floors_) {
    double& reach = reach_[static_cast<std::size_t>(c.link)];
    reach = std::max(reach, norm(c.point_B) + c.surface.radius);
  }
  if (bodies_) leaps_.emplace(coordinates_, static_cast<int>(links_));
  for (Slot& slot : slots_) slot.heap = std::make_unique<HeapSweeps>(figure);
}

SteppedContacts::~SteppedContacts() = default;

std::string SteppedContacts::name_of_pair(int a, int b) const {
  if (a == -1) return b >= 0 ? floors_[static_cast<std::size_t>(b)].name : std::string();
  if (a == -2) return joint_bounds_.name(b);
  return bodies_ ? bodies_->name(a) + " and " + bodies_->name(b) : std::string();
}

// ---- a step
void SteppedContacts::begin_attempt(double t, double h, bool guarded) {
  t_ = t, h_ = h, guarded_ = guarded;
  struck_ = false, corrected_ = 0, leap_now_ = {}, haste_now_ = {};
  points_.clear(), bounds_.clear(), islands_.clear(), rows_.clear(), row_count_ = 0, rows_due_ = false;
  forget_places();
  if (leaps_) leaps_->pairs.clear();
  certificate_ = {};
}

void SteppedContacts::forget_places() {
  for (Slot& slot : slots_) slot.placed.reset();
  for (Swept& swept : swept_) swept.placed.reset();
}

bool SteppedContacts::is_beyond(const BoundedRow& b) { return b.stop && b.gap < -slack_of_angle; }
bool SteppedContacts::is_deep(const TouchingPoint& c, double slack) {
  return c.law.compliance == 0 && c.gap < -slack * c.size;
}
// Whether anything in it is to be put apart: what is swept does not become exact by being put apart again and again. But who is taken out of one
// body of a heap may come into the next.
bool SteppedContacts::overlaps(const Island& island) const {
  if (island.swept && corrected_ > (island.heap ? most_apart_again : 0)) return false;
  const std::span<const TouchingPoint> points(points_.data() + island.first_point, island.points);
  const std::span<const BoundedRow> bounds(bounds_.data() + island.first_bound, island.bounds);
  const double slack = island.swept ? corrected_ > 0 ? slack_again : slack_of_swept : slack_of_size;
  return std::ranges::any_of(points, [&](const TouchingPoint& c) { return is_deep(c, slack); }) ||
         std::ranges::any_of(bounds, is_beyond);
}

bool SteppedContacts::any_overlaps() const {
  return std::ranges::any_of(islands_, [&](const Island& island) { return overlaps(island); });
}

// (4)
bool SteppedContacts::put_apart(Plant& plant, std::span<double> x) {
  if (!any_overlaps()) return false;
  ensure_matrices(plant);
  std::fill(P_.begin(), P_.end(), 0.0);
  for (const Island& island : islands_) {
    if (island.heap || !overlaps(island)) continue;
    if (island.swept)
      find_swept_shift(island, plant);
    else
      find_shift(island);
  }
  for_heaps([&](std::size_t, const Island& island, std::size_t slot) {
    if (overlaps(island)) find_heap_shift(island, plant, slot);
  });
  ++corrected_;
  std::fill(x.begin(), x.end(), 0.0);
  respond(plant, P_, x);
  return true;
}

// φ of a point, or of a stop; what gives way, and motors, are not put apart.
double SteppedContacts::normal_gap(const Island& island, std::size_t block, bool& gives_way) const {
  if (block >= island.points) {
    const BoundedRow& b = bounds_[island.first_bound + block - island.points];
    gives_way = !b.stop;
    return std::max(b.gap, -most_apart);
  }
  const TouchingPoint& c = points_[island.first_point + block];
  gives_way = c.law.compliance > 0;
  return std::max(c.gap, -most_apart * c.size - came_in(island, c));
}

// How deep it has come in on the first half of the step. In heaps that is all taken out at once, the way it came: what is left would be
// pushed by others meanwhile.
double SteppedContacts::came_in(const Island& island, const TouchingPoint& c) const {
  if (!island.heap) return 0;
  return 0.5 * h_ * std::max(0.0, -u_minus_[static_cast<std::size_t>(c.first)]);
}

// λ of (4), by the normal rows of all points of an island: what is moved may come to overlap where it does not yet.
void SteppedContacts::find_shift(const Island& island) {
  const std::size_t m = island.points + island.bounds;
  sub_A_.resize(m * m), sub_P_.assign(m, 0.0), sub_u_.assign(m, 0.0), rhs_.resize(m), sub_blocks_.assign(m, RowBlock{});
  double scale = 0;
  const std::span<const RowBlock> blocks = std::span(blocks_).subspan(island.first_block, m);
  for (std::size_t i = 0; i < m; ++i) {
    sub_blocks_[i].kind = RowBlock::Kind::bounds;
    sub_blocks_[i].first = static_cast<int>(i);
    bool gives_way = false;
    const double gap = normal_gap(island, i, gives_way);
    rhs_[i] = gives_way ? 0 : gap;
    if (gives_way) sub_blocks_[i].upper = 0;
    scale = std::max(scale, -rhs_[i]);
    const std::size_t row = static_cast<std::size_t>(blocks[i].first) * island.rows;
    for (std::size_t j = 0; j < m; ++j)
      sub_A_[i * m + j] = A_[island.A + row + static_cast<std::size_t>(blocks[j].first)];
  }
  solved_ = nullptr;
  solver_.solve({sub_A_, {}, rhs_, sub_blocks_, scale}, sub_P_, sub_u_);
  for (std::size_t i = 0; i < m; ++i) P_[island.first_row + static_cast<std::size_t>(blocks[i].first)] = sub_P_[i];
}

void SteppedContacts::solve(Plant& plant, std::span<const double> v_free, std::span<double> v_plus) {
  std::copy(v_free.begin(), v_free.end(), v_plus.begin());
  if (!any()) return;
  ensure_matrices(plant);
  link_motions(coordinates_, axes_, v_free, V_WB_);
  measure(plant.kinematics(), V_WB_, u_free_);
  guess_impulses();
  certificate_ = {};
  certificate_.points = static_cast<int>(points_.size()), certificate_.bounds = static_cast<int>(bounds_.size());
  for (Island& island : islands_)
    if (!island.heap) island.scale = scale_of(island);
  solve_heaps(plant);
  for (Island& island : islands_) solve_island(island, plant);
  respond(plant, P_, v_plus);
  keep_results();
}

double SteppedContacts::scale_of(const Island& island) const {
  double scale = std::max(slowest_scale, h_ * weight_);
  for (std::size_t r = island.first_row; r < island.first_row + island.rows; ++r)
    scale = std::max({scale, std::abs(u_free_[r]), std::abs(u_minus_[r])});
  return scale;
}

// From the forces of the step before, turned into the axes of now.
void SteppedContacts::guess_impulses() {
  std::fill(P_.begin(), P_.end(), 0.0);
  threads_.in_pieces(points_.size(), points_at_once, [&](std::size_t, std::size_t from, std::size_t to, std::size_t) {
    for (std::size_t i = from; i < to; ++i)
      for (std::size_t k = 0; k < 3; ++k)
        P_[static_cast<std::size_t>(points_[i].first) + k] = h_ * dot(points_[i].axes_W[k], points_[i].force_W);
  });
  for (const BoundedRow& b : bounds_) P_[static_cast<std::size_t>(b.first)] = h_ * b.guess;
}

double SteppedContacts::response_between(const Island& island, std::size_t row, std::size_t column) const {
  return island.swept ? swept(island).response_between(row, column) : A_[island.A + row * island.rows + column];
}

// What motors bring along the row, as strong as in the step before.
double SteppedContacts::pushed_by_motors(const Island& island, std::size_t row) const {
  double sum = 0;
  for (std::size_t k = island.first_bound; k < island.first_bound + island.bounds; ++k) {
    const BoundedRow& b = bounds_[k];
    if (b.stop || b.before == 0) continue;
    const std::size_t column = static_cast<std::size_t>(b.first) - island.first_row;
    sum += response_between(island, row - island.first_row, column) * h_ * b.before;
  }
  return sum;
}

// Whether what has this gap strikes, along the row.
bool SteppedContacts::strikes(const Island& island, double gap, std::size_t row) const {
  const double before = u_minus_[row], change = u_free_[row] - before + pushed_by_motors(island, row);
  const double slow = std::max({2 * std::abs(change), h_ * weight_, slowest_scale});
  return before < -slow && gap + 0.5 * h_ * before <= 0;
}

// (1), (2) of marey/contact/joint_bounds.h.
void SteppedContacts::set_offset(const Island& island, BoundedRow& b, RowBlock& block, double kappa) {
  const auto n = static_cast<std::size_t>(b.first);
  if (b.stop) {
    b.strikes = strikes(island, b.gap, n);
    offset_[n] = b.strikes && b.restitution > 0 ? kappa * b.restitution * u_minus_[n] : b.gap > 0 ? 2 * b.gap / h_ : 0;
    return;
  }
  const std::size_t own = static_cast<std::size_t>(block.first);
  const double A = response_between(island, own, own), off = std::abs(b.gap);
  block.lower = -h_ * b.most, block.upper = h_ * b.most;
  offset_[n] = -b.script_rate + std::copysign(std::min(off / h_, std::sqrt(b.most * A * off)), b.gap);
}

// (3)
void SteppedContacts::set_offset(const Island& island, TouchingPoint& c, RowBlock& block, double kappa) {
  const auto n = static_cast<std::size_t>(c.first);
  const double before = u_minus_[n];
  if (!c.was_there)
    c.slides = std::hypot(u_minus_[n + 1], u_minus_[n + 2]) > 2 * h_ * weight_ + slip_of_scale * island.scale;
  const double friction = c.slides ? c.law.friction_kinetic : c.law.friction_static;
  if (std::exchange(block.friction, friction) != friction && !island.heap) solved_ = nullptr;
  for (int k = 0; k < c.rows; ++k) offset_[n + static_cast<std::size_t>(k)] = 0;
  c.strikes = strikes(island, c.gap, n);
  if (c.law.compliance > 0) {
    const double give = 1 / (0.5 * h_ + c.law.compliance * c.law.damping);  // k/(½h k + d), k = 1/s
    offset_[n] = give * c.gap, compliance_[n] = give * c.law.compliance / h_;
  } else if (c.strikes && c.law.restitution > 0)
    offset_[n] = kappa * c.law.restitution * before;
  else if (const double gap = c.gap - (island.heap ? rest_of_heap * c.size : 0); gap > 0)
    offset_[n] = 2 * gap / h_;
}

void SteppedContacts::set_offsets(const Island& island, double kappa) {
  for (std::size_t i = 0; i < island.points; ++i)
    set_offset(island, points_[island.first_point + i], blocks_[island.first_block + i], kappa);
  for (std::size_t k = 0; k < island.bounds; ++k)
    set_offset(island, bounds_[island.first_bound + k], blocks_[island.first_block + island.points + k], kappa);
}

void SteppedContacts::solve_with(const Island& island, Plant& plant, double kappa) {
  set_offsets(island, kappa);
  take_solution(island, plant, island.heap ? solve_heap(island, plant, 0) : solve_problem(island));
}

void SteppedContacts::take_solution(const Island& island, Plant& plant, ConeCertificate found) {
  if (island.swept && found.natural_map > most_of_swept)
    if (const auto better = solve_tightly(island, plant))
      found = *better, certificate_.swept -= static_cast<int>(island.points);
  if (!std::isnan(certificate_.natural_map) && !(found.natural_map < certificate_.natural_map)) {
    certificate_.natural_map = found.natural_map;
    const std::size_t block = static_cast<std::size_t>(std::max(found.block, 0));
    const ContactKey& worst = block < island.points ? points_[island.first_point + block].key
                                                    : bounds_[island.first_bound + block - island.points].key;
    certificate_.a = worst.a, certificate_.b = worst.b;
  }
  certificate_.cone_excess = larger_or_nan(found.cone_excess, certificate_.cone_excess);
}

ConeCertificate SteppedContacts::solve_problem(const Island& island) {
  const std::size_t n = island.rows, first = island.first_row;
  rhs_.resize(n);
  for (std::size_t r = 0; r < n; ++r) rhs_[r] = u_free_[first + r] + offset_[first + r];
  const std::span<double> P = std::span(P_).subspan(first, n), u = std::span(u_).subspan(first, n);
  const ConeProblem problem{
      island.swept ? std::span<const double>() : std::span<const double>(A_).subspan(island.A, n * n),
      std::span(compliance_).subspan(first, n),
      rhs_,
      std::span(blocks_).subspan(island.first_block, island.points + island.bounds),
      island.scale,
      solved_ == &island};
  const ConeCertificate found = island.swept ? room_for(island).sweeps->solve(problem, {}, P, u).certificate
                                             : solver_.solve(problem, P, u).certificate;
  if (!island.swept) solved_ = &island;
  for (std::size_t r = 0; r < n; ++r) u[r] -= offset_[first + r] + compliance_[first + r] * P[r];
  return found;
}

// Whether it is more than what rounding and the solver leave of its terms.
bool SteppedContacts::does_work(const Island& island) const {
  double work = 0, terms = 0;
  const auto add = [&](std::size_t r, double sign) {
    work += sign * 0.5 * P_[r] * (u_minus_[r] + u_[r]);
    terms += sign * 0.5 * std::abs(P_[r]) * (std::abs(u_minus_[r]) + std::abs(u_[r]));
  };
  for (std::size_t r = island.first_row; r < island.first_row + island.rows; ++r) add(r, 1);
  for (std::size_t i = island.first_bound; i < island.first_bound + island.bounds; ++i)  // motors may
    if (!bounds_[i].stop) add(static_cast<std::size_t>(bounds_[i].first), -1);
  return work > work_of_rounding * terms;
}

// With restitution impulses may do work on the whole: then less of it, as much as does none.
void SteppedContacts::solve_island(const Island& island, Plant& plant) {
  if (island.swept && !island.heap) place_swept(island, plant);
  if (island.swept) certificate_.swept += static_cast<int>(island.points);
  const StepCertificate others = certificate_;
  if (island.heap)
    take_solution(island, plant, heap_found_[island.heap_number]);
  else
    solve_with(island, plant, 1);
  const auto bounces = [&](const TouchingPoint& c) { return c.strikes && c.law.restitution > 0; };
  const std::span<const TouchingPoint> points(points_.data() + island.first_point, island.points);
  const std::span<const BoundedRow> bounds(bounds_.data() + island.first_bound, island.bounds);
  const bool any_bounces = std::ranges::any_of(points, bounces) || std::ranges::any_of(bounds, [](const BoundedRow& b) {
                             return b.strikes && b.restitution > 0;
                           });
  if (!any_bounces || !does_work(island)) return;
  double low = 0, high = 1;
  for (int k = 0; k < halvings_of_kappa; ++k) {
    const double kappa = 0.5 * (low + high);
    certificate_ = others;
    solve_with(island, plant, kappa);
    (does_work(island) ? high : low) = kappa;
  }
  certificate_ = others;
  solve_with(island, plant, low);
}

// dv += M⁻¹ Jᵀ P
void SteppedContacts::respond(Plant& plant, std::span<const double> P, std::span<double> v) {
  sum_wrenches(plant.kinematics(), P);
  if (eliminates_constraints()) return delassus_->add_response(P, v);
  carried_ = P_Bo_W_;
  for (int i = coordinates_.nlink() - 1; i > 0; --i) {
    const LinkTopology& link = coordinates_.links[static_cast<std::size_t>(i)];
    const Wrench<double>& F = carried_[static_cast<std::size_t>(i)];
    for (int k = link.v; k < link.v + freedom_count(link); ++k)
      p_[static_cast<std::size_t>(k)] = power(F, axes_.S_W[static_cast<std::size_t>(k)]);
    carried_[static_cast<std::size_t>(link.parent)] += shifted(F, axes_.ways[static_cast<std::size_t>(i)].r);
  }
  response(plant).respond(p_, dv_);
  for (std::size_t k = 0; k < v.size(); ++k) v[k] += dv_[k];
}

void SteppedContacts::sum_wrenches_of_rows(std::span<const double> P) {
  std::fill(P_Bo_W_.begin(), P_Bo_W_.end(), Wrench<double>{});
  for (std::size_t r = 0; r < rows_.size(); ++r)
    for (int p = 0; p < rows_[r].part_count; ++p) {
      const LinkWrench& part = rows_[r].parts[static_cast<std::size_t>(p)];
      P_Bo_W_[static_cast<std::size_t>(part.link)] += Wrench<double>{P[r] * part.F_Bo_W.n, P[r] * part.F_Bo_W.f};
    }
}

void SteppedContacts::sum_wrenches(const Kinematics<double>& k, std::span<const double> P) {
  sum_wrenches_of_rows(P);
  for_heaps([&](std::size_t, const Island& island, std::size_t) { add_heap_wrenches(island, k, P); });
}

bool SteppedContacts::slides_on(const TouchingPoint& c) const {
  const double scale = std::max(slowest_scale, h_ * weight_);
  const double least = slip_of_scale * std::max(scale, std::abs(c.u_minus[0]));
  return c.u[1] * c.u[1] + c.u[2] * c.u[2] > least * least;
}

}  // namespace marey
