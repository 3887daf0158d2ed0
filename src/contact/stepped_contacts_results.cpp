// What contacts of a step, solved, have done: results of points, certificates, the account, what is recorded and saved.
#include <algorithm>
#include <cmath>
#include <utility>

#include "marey/contact/stepped_contacts.h"
#include "marey/core/larger.h"

namespace marey {

namespace {

constexpr std::size_t most_in_checkpoint = 20'000'000;  // contacts

}  // namespace

// ---- certificates
void CertificateSums::add(const StepCertificate& c, double t) {
  ++steps;
  largest.asleep = std::max(largest.asleep, c.asleep);
  if (c.points == 0 && c.bounds == 0) return;
  ++steps_with_contacts;
  if (c.swept > 0) ++swept;
  if (larger_or_nan(c.natural_map, largest.natural_map) != largest.natural_map || steps_with_contacts == 1)
    largest.natural_map = c.natural_map, largest.a = c.a, largest.b = c.b, largest_at = t;
  largest.cone_excess = larger_or_nan(largest.cone_excess, c.cone_excess);
  largest.penetration = larger_or_nan(largest.penetration, c.penetration);
  largest.momentum = larger_or_nan(largest.momentum, c.momentum);
  largest.points = std::max(largest.points, c.points), largest.bounds = std::max(largest.bounds, c.bounds);
  const double place = std::isnan(c.natural_map) ? bins - 1 : 4 * (std::log10(std::max(c.natural_map, 1e-18)) + 18);
  ++natural_maps[static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(bins - 1)))];
}

double CertificateSums::percentile_95() const {
  long long seen = 0;
  for (std::size_t k = 0; k < bins; ++k) {
    seen += natural_maps[k];
    if (20 * seen >= 19 * steps_with_contacts)
      return std::min(largest.natural_map, std::pow(10.0, static_cast<double>(k + 1) / 4 - 18));
  }
  return 0;
}

// ---- of a step
void SteppedContacts::keep_result(TouchingPoint& c) const {
  const auto first = static_cast<std::size_t>(c.first);
  c.force_W = {};
  c.moment_W = {};
  for (std::size_t k = 0; k < 3; ++k) c.force_W += (P_[first + k] / h_) * c.axes_W[k];
  for (std::size_t k = 3; k < static_cast<std::size_t>(c.rows); ++k)
    c.moment_W += (P_[first + k] / h_) * c.axes_W[c.law.torsion > 0 ? k - 3 : k - 2];
  for (std::size_t k = 0; k < static_cast<std::size_t>(c.rows); ++k)
    c.u_minus[k] = u_minus_[first + k], c.u[k] = u_[first + k];
}

void SteppedContacts::keep_results() {
  found_in_piece_.assign(2 * Threads::pieces(points_.size(), points_at_once), 0.0);
  threads_.in_pieces(points_.size(), points_at_once,
                     [&](std::size_t piece, std::size_t from, std::size_t to, std::size_t) {
                       double penetration = 0, struck = 0;
                       for (std::size_t i = from; i < to; ++i) {
                         TouchingPoint& c = points_[i];
                         keep_result(c);
                         if (c.strikes && P_[static_cast<std::size_t>(c.first)] > 0) struck = 1;
                         if (c.law.compliance == 0) penetration = std::max(penetration, -c.gap / c.size);
                       }
                       found_in_piece_[2 * piece] = penetration, found_in_piece_[2 * piece + 1] = struck;
                     });
  for (std::size_t k = 0; k < found_in_piece_.size(); k += 2) {
    certificate_.penetration = std::max(certificate_.penetration, found_in_piece_[k]);
    struck_ = struck_ || found_in_piece_[k + 1] != 0;
  }
  for (BoundedRow& b : bounds_) {
    b.guess = P_[static_cast<std::size_t>(b.first)] / h_;
    struck_ = struck_ || (b.strikes && b.guess > 0);
  }
}

void SteppedContacts::book_step(const RateLayout& layout, Plant& plant, const Solved& step,
                                std::span<double> integrals) {
  if (!any()) return;
  double struck = 0;  // by which impulses, in all
  for (const TouchingPoint& c : points_)
    if (c.strikes) struck += P_[static_cast<std::size_t>(c.first)];
  double struck_bounds = 0;
  for (const BoundedRow& b : bounds_)
    if (b.strikes) struck_bounds += P_[static_cast<std::size_t>(b.first)];
  for (const BoundedRow& b : bounds_) {
    book_bound(layout, plant, b, integrals);
    if (b.strikes && struck == 0 && struck_bounds > 0)
      integrals[layout.power(b.element)] += step.between * P_[static_cast<std::size_t>(b.first)] / struck_bounds;
  }
  for (const TouchingPoint& c : points_) {
    const std::size_t source = c.key.a == -1 ? layout.contact(static_cast<std::size_t>(c.key.b)) : layout.touching();
    Wrench<double> impulse;  // on b, about Wo
    double work = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(c.rows); ++k)
      work += 0.5 * P_[static_cast<std::size_t>(c.first) + k] * (c.u_minus[k] + c.u[k]);
    if (c.strikes && struck > 0) work += step.between * P_[static_cast<std::size_t>(c.first)] / struck;
    integrals[layout.power(source)] += work;
    if (c.link_a != 0 && c.link_b != 0) continue;
    impulse.f = h_ * c.force_W, impulse.n = cross(c.p_WoC_W, impulse.f) + h_ * c.moment_W;
    book_wrench(integrals, layout.outside(source), impulse, c.link_b != 0 ? 1 : -1);
  }
  if (held()) {
    constraints_->take_impulse(P_, step.v_minus, step.v_plus);
    constraints_->book_impulses(layout, plant.kinematics(), integrals);
    constraints_->add_impulses(plant.kinematics(), P_Bo_W_);
    constraints_->clear_impulses();
  }
}

void SteppedContacts::book_bound(const RateLayout& layout, Plant& plant, const BoundedRow& b,
                                 std::span<double> integrals) const {
  const auto r = static_cast<std::size_t>(b.first);
  integrals[layout.power(b.element)] += 0.5 * P_[r] * (u_minus_[r] + u_[r]);
  Wrench<double> sum;  // about Wo; not zero where the joint hangs on the world
  for (int p = 0; p < b.row.part_count; ++p) {
    const LinkWrench& part = b.row.parts[static_cast<std::size_t>(p)];
    sum += shifted(part.F_Bo_W, plant.kinematics().X_WB[static_cast<std::size_t>(part.link)].p);
  }
  book_wrench(integrals, layout.outside(b.element), sum, P_[r]);
}

void SteppedContacts::show_floors() {
  for (std::size_t i = 0; i < floors_.size(); ++i) forces_[i] = {}, modes_[i] = Mode::free;
  for (const TouchingPoint& c : points_) {
    if (c.key.a != -1) continue;
    const auto floor = static_cast<std::size_t>(c.key.b);
    forces_[floor] = c.force_W;
    modes_[floor] = P_[static_cast<std::size_t>(c.first)] > 0 ? (slides_on(c) ? Mode::slide : Mode::stick)
                    : c.gap + 0.5 * h_ * c.u[0] > 0           ? Mode::free
                                                              : Mode::idle;
  }
  for_sleeping_points([&](const TouchingPoint& c) {
    if (c.key.a != -1) return;
    const auto floor = static_cast<std::size_t>(c.key.b);
    forces_[floor] = c.force_W;
    modes_[floor] = norm_squared(c.force_W) > 0 ? Mode::stick : Mode::idle;
  });
}

void SteppedContacts::accept() {
  now_.resize(points_.size());
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const TouchingPoint& c = points_[i];
    now_[rank_[i]] = {c.key, c.strikes ? Vec3<double>{} : c.force_W, slides_on(c) ? 1.0 : 0.0};
    if (c.strikes && P_[static_cast<std::size_t>(c.first)] > 0) ++sums_.strikes;
    if (c.key.a == -1) impulses_[static_cast<std::size_t>(c.key.b)] += h_ * c.force_W;
  }
  for_sleeping_points([&](const TouchingPoint& c) {
    if (c.key.a == -1) impulses_[static_cast<std::size_t>(c.key.b)] += h_ * c.force_W;
  });
  for (const BoundedRow& b : bounds_) {
    now_.push_back({b.key, {b.strikes ? 0.0 : b.guess, 0, 0}, 0.0});
    if (b.strikes && b.guess > 0) ++sums_.strikes;
  }
  show_floors();
  if (!std::ranges::is_sorted(now_, {}, &Remembered::key)) std::ranges::sort(now_, {}, &Remembered::key);
  if (sleeping_) certificate_.asleep = sleeping_->count(), keep_sleepers(), send_to_sleep();
  before_.swap(now_);
  early_ = ends_early_ ? early_ + 1 : 0;
  if (corrected_ > 0) ++sums_.corrected;
  if (leap_now_.count > 0) {
    leap_now_.count += leap_.count;
    if (leap_.count > 0 && leap_.step <= leap_now_.step)
      leap_.count = leap_now_.count;
    else
      leap_ = leap_now_;
  }
  if (haste_now_.count > 0) {
    if (haste_now_.turn > haste_.turn) haste_now_.count = haste_.count, haste_ = haste_now_;
    ++haste_.count;
  }
  if (certificate_.natural_map > 1e-8) ++sums_.not_converged;
  sums_.add(certificate_, t_);
}

// ---- for the record
void SteppedContacts::add_forces(const Instant<double>&, const Kinematics<double>& k, ForceSum<double>& forces) {
  if (!recording_) return;
  for (std::size_t i = 0; i < floors_.size(); ++i) motion_[i] = contact_motion(floors_[i], k, no_bias_);
  const auto push = [&](int link, const TouchingPoint& c, double sign) {
    if (link == 0) return;
    const auto i = static_cast<std::size_t>(link);
    const Vec3<double> f = sign * c.force_W;
    forces.F_Bo_W[i] += Wrench<double>{cross(c.p_WoC_W - k.X_WB[i].p, f) + sign * c.moment_W, f};
  };
  for_each_point([&](const TouchingPoint& c) { push(c.link_b, c, 1), push(c.link_a, c, -1); });
  for (const BoundedRow& b : bounds_)  // in their joints, as torques
    for (int k = 0; k < 3; ++k)
      if (b.gradient[k] != 0) forces.tau[static_cast<std::size_t>(b.freedom + k)] += b.guess * b.gradient[k];
}

Wrench<double> SteppedContacts::wrench_on_body(int body, const Vec3<double>& p_WoQ_W) const {
  Wrench<double> sum;
  for_each_point([&](const TouchingPoint& c) {
    if (c.key.a == -1 || (c.key.a != body && c.key.b != body)) return;
    const double sign = c.key.b == body ? 1 : -1;
    const Vec3<double> f = sign * c.force_W;
    sum += Wrench<double>{cross(c.p_WoC_W - p_WoQ_W, f) + sign * c.moment_W, f};
  });
  return sum;
}

int SteppedContacts::points_on_body(int body) const {
  int count = 0;
  for_each_point([&](const TouchingPoint& c) {
    if (c.key.a != -1 && (c.key.a == body || c.key.b == body) && norm_squared(c.force_W) > 0) ++count;
  });
  return count;
}

SteppedContacts::Bounding SteppedContacts::bounding(std::size_t element) const {
  Bounding sum;
  for (const BoundedRow& b : bounds_) {
    if (b.element != element) continue;
    const auto r = static_cast<std::size_t>(b.first);
    sum.torque += b.sign * b.guess, sum.power += 0.5 * b.guess * (u_minus_[r] + u_[r]);
  }
  return sum;
}

// ---- checkpoints
void SteppedContacts::exchange(const Archive& archive) {
  const auto all_of = [&](auto& list) {
    std::size_t count = list.size();
    archive(std::as_writable_bytes(std::span(&count, 1)));
    if (count > most_in_checkpoint)
      throw Error(ErrorKind::bad_input, "the checkpoint is damaged: it speaks of too many contacts");
    list.resize(count);
    archive(std::as_writable_bytes(std::span(list)));
  };
  all_of(before_);
  archive(std::as_writable_bytes(std::span(impulses_)));
  archive(std::as_writable_bytes(std::span(&sums_, 1)));
  archive(std::as_writable_bytes(std::span(&leap_, 1)));
  archive(std::as_writable_bytes(std::span(&haste_, 1)));
  archive(std::as_writable_bytes(std::span(&early_, 1)));
  if (!sleeping_) return;
  sleeping_->exchange(archive);
  all_of(resting_), all_of(falling_);
  check_sleepers();
}

void SteppedContacts::restored() {
  points_.clear(), bounds_.clear(), islands_.clear(), rows_.clear(), row_count_ = 0, rows_due_ = false;
  forget_places();
}

}  // namespace marey
