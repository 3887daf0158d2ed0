// Why constraints cannot be held, in words: which contradict each other, or ask for what the joints do not give.
//
// What no forces along the rows bring about is, A being symmetric, along those of which a sum is 0 whatever the figure does: rows
// that contradict each other, or that the joints leave no motion for.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "marey/constraint/held_constraints.h"
#include "marey/core/larger.h"

namespace marey {

// `asked`: J x of every row; what is left by less than `least` is none.
std::vector<std::size_t> HeldConstraints::left_without(std::span<const double> asked, double least) {
  constexpr double hardly = 1e-3;  // a part of the largest
  std::fill(dv_.begin(), dv_.end(), 0.0);
  rows_.solve(asked, x_, dv_);
  rows_.rates(dv_, rates_after_);
  double most = 0, most_left = 0;
  std::vector<double> left(size());
  for (std::size_t i = 0; i < size(); ++i)
    for (const std::size_t k : rows_held_by(i)) {
      most = larger_or_nan(most, std::max(std::abs(asked[k]), std::abs(rates_after_[k])));
      left[i] = larger_or_nan(left[i], std::abs(asked[k] - rates_after_[k]));
      most_left = larger_or_nan(most_left, left[i]);
    }
  std::vector<std::size_t> which;
  if (!(most_left > std::max(least, hardly * most)) || !std::isfinite(most)) return which;
  for (std::size_t i = 0; i < size(); ++i)
    if (left[i] > hardly * most_left) which.push_back(i);
  return which;
}

std::vector<std::size_t> HeldConstraints::contradict_in_velocity() {
  for (std::size_t k = 0; k < count_; ++k) rhs_[k] = -link_rows_[k].time_rate;
  return left_without(std::span(rhs_).first(count_), start_error);
}

// Velocities that no motion has are left for ever: drift that is put right at every step, by methods that then forget what they
// know of the motion and go on with ever shorter steps.
void HeldConstraints::check_velocities(ErrorKind kind, const std::string& when) {
  const std::vector<std::size_t> which = contradict_in_velocity();
  if (which.empty()) return;
  throw Error(kind, which.size() == 1
                        ? fmt::format("no motion of the joints has the velocity that the constraint {} asks for {}: "
                                      "the mechanism is at the end of its reach, or stands where it jams",
                                      names_of(constraints_, which), when)
                        : fmt::format("the constraints {} contradict each other {}: no motion of the joints has the "
                                      "velocities that they ask for together. End or change one of them before that",
                                      names_of(constraints_, which), when));
}

std::vector<std::size_t> HeldConstraints::contradict_in_acceleration() {
  const std::span<const double> bias = rows_.biases();
  for (std::size_t k = 0; k < count_; ++k) rhs_[k] = -bias[k];
  return left_without(std::span(rhs_).first(count_), start_error);
}

// Whether the joints give these constraints what they ask for (rhs_) where no others hold. The factors are then those of their rows.
bool HeldConstraints::can_together(std::span<const std::size_t> which, Plant& plant) {
  std::vector<ConstraintRow> rows;
  std::vector<SingleFreedom> single;
  std::vector<double> asked, x, got;
  for (const std::size_t i : which)
    for (const std::size_t k : rows_held_by(i))
      rows.push_back(link_rows_[k]), single.push_back(single_[k]), asked.push_back(rhs_[k]);
  x.resize(rows.size()), got.resize(rows.size());
  std::fill(dv_.begin(), dv_.end(), 0.0);
  rows_.factor(rows, single, plant, -1);
  rows_.solve(asked, x, dv_);
  rows_.rates(dv_, got);
  double most = 0, left = 0;
  for (std::size_t k = 0; k < rows.size(); ++k)
    most = larger_or_nan(most, std::abs(asked[k])), left = larger_or_nan(left, std::abs(asked[k] - got[k]));
  return left <= 0.1 * most;
}

// After compute_rows(), where |g| is too large. Nobody asks for the rows again.
std::string HeldConstraints::why_not_held(Plant& plant) {
  for (std::size_t k = 0; k < count_; ++k) rhs_[k] = link_rows_[k].holonomic ? -link_rows_[k].value : 0;
  const std::vector<std::size_t> without = left_without(std::span(rhs_).first(count_), 0);
  if (without.empty())
    return "its rows are independent, but the pose is too far from one that they allow: it was made where the links "
           "are not "
           "yet, a script jumps, or the step is too long";
  const std::string rows = fmt::format("{} of {} rows say something of their own", static_cast<int>(rank_), count_);
  std::vector<std::size_t> in_vain, at_odds;
  for (const std::size_t i : without)
    if (!can_together(std::span(&i, 1), plant)) in_vain.push_back(i);
  // At odds are those that do not get what they ask for, and those without which all the others would.
  for (std::size_t i = 0; i < size(); ++i) {
    std::vector<std::size_t> others;
    for (std::size_t k = 0; k < size(); ++k)
      if (k != i && active(k)) others.push_back(k);
    if (active(i) && (std::ranges::find(without, i) != without.end() || can_together(others, plant)))
      at_odds.push_back(i);
  }
  forget_factors(), rows_.forget();
  if (!in_vain.empty() || at_odds.size() == 1)
    return fmt::format(
        "no motion of the joints does what {} {} for there ({}): the mechanism is at the end of its reach, or stands "
        "where "
        "it jams. End or change that, or what drives it there, before that time",
        names_of(constraints_, in_vain.empty() ? at_odds : in_vain), in_vain.size() > 1 ? "ask" : "asks", rows);
  return fmt::format(
      "{} contradict each other there ({}): no motion of the joints does what they ask for together. End or change one "
      "of "
      "them before that time",
      names_of(constraints_, at_odds), rows);
}

std::string HeldConstraints::hardest() const {
  std::size_t which = size();
  double most = 0;
  for (std::size_t i = 0; i < size(); ++i)
    for (const std::size_t k : rows_held_by(i))
      if (!(std::abs(lambda_[k]) <= most) && !std::isnan(most)) most = std::abs(lambda_[k]), which = i;
  if (which == size()) return {};
  const std::string& name = constraints_[which].name;
  if (!std::isfinite(most)) return fmt::format("; the constraint '{}' takes a force there that is no number", name);
  const std::string force =
      fmt::format("; of the constraints '{}' takes the largest force there, {:.3g} (N or N m)", name, most);
  if (static_cast<std::size_t>(rank_) == count_) return force;
  return fmt::format(
      "{}, and {} of {} rows say something of their own, as of a mechanism that is driven to the end of its "
      "reach, or to where it jams",
      force, static_cast<int>(rank_), count_);
}

std::string names_of(std::span<const Constraint> constraints, std::span<const std::size_t> which) {
  std::string names;
  for (std::size_t n = 0; n < which.size(); ++n)
    names += fmt::format("{}'{}'", n == 0 ? "" : n + 1 == which.size() ? " and " : ", ", constraints[which[n]].name);
  return names;
}

}  // namespace marey
