// What somebody else needs to solve the contacts of a step, and takes back.
#include <algorithm>
#include <cmath>

#include "contact/cone_measure.h"
#include "marey/contact/cone_of_three.h"
#include "marey/contact/stepped_contacts.h"

namespace marey {

bool SteppedContacts::are_plain_points() const {
  if (islands_.size() != 1 || islands_[0].swept || !bounds_.empty() || points_.empty()) return false;
  const double slow = std::max(h_ * weight_, slowest_scale);
  return std::ranges::all_of(points_, [&](const TouchingPoint& c) {
    return c.rows == 3 && c.law.compliance == 0 && c.law.friction_static > 0 && c.law.friction_kinetic > 0 &&
           !c.strikes && !(u_minus_[static_cast<std::size_t>(c.first)] < -slow);
  });
}

double SteppedContacts::plain_offset(const TouchingPoint& c) const { return c.gap > 0 ? 2 * c.gap / h_ : 0; }

double SteppedContacts::plain_scale() const {
  double scale = std::max(slowest_scale, h_ * weight_);
  for (const double u : u_minus_) scale = std::max(scale, std::abs(u));
  return scale;
}

double SteppedContacts::plain_rho(std::size_t point) const {
  return measure_of({A_, {}, u_free_, blocks_}, blocks_[point]).rho;
}

void SteppedContacts::take_plain_answer(std::span<const double> P, std::span<const double> u, double natural_map,
                                        int worst) {
  std::ranges::copy(P, P_.begin());
  std::ranges::copy(u, u_.begin());
  certificate_ = {};
  certificate_.points = static_cast<int>(points_.size());
  certificate_.natural_map = natural_map;
  const ContactKey& key = points_[static_cast<std::size_t>(std::max(worst, 0))].key;
  certificate_.a = key.a, certificate_.b = key.b;
  for (const TouchingPoint& c : points_) {
    const double* own = P_.data() + c.first;
    double nearest[3], apart = 0, size = 0;
    project_three(c.slides ? c.law.friction_kinetic : c.law.friction_static, own, nearest);
    for (std::size_t k = 0; k < 3; ++k) apart += (own[k] - nearest[k]) * (own[k] - nearest[k]), size += own[k] * own[k];
    if (apart > 0) certificate_.cone_excess = std::max(certificate_.cone_excess, std::sqrt(apart / size));
  }
  keep_results();
  if (!rows_due_) sum_wrenches_of_rows(P_);  // else nobody wants them
}

}  // namespace marey
