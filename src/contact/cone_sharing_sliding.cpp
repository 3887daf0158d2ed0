// Sharing where something slides: (3) of cone_sharing.h.
//
// e = v_g/|v_g| of what slides is that of the velocities at hand. Near them, with σ across e, w = μ_g z_n/|v_g| and v_σ = 0 at hand,
//   z_g = −μ_g z_n e + z_σ σ,   z_σ + w v_σ = 0                                                                      (4)
// so that z = z_fixed + D t as before, D having a column for each z_σ in addition (t free), and the laws of all that is closed or
// slides are linear in t:
//   v_n = 0,   v_g = 0 where it rests,   (4) where it slides:   M t = c                                              (5)
// Rows of what rests are as redundant as the rows of J are; those beside the pivots of their matrix B follow from the others. Of the t
// in C with (5) the shortest is t = Proj_C(Mᵀ ζ), as in (1) with Mᵀ for L. Then e and w are those of its velocities, and so on: each
// round is a step of Newton's method for the laws, and where t stays as it is no direction in which the laws go on to hold makes it
// shorter. A round leaves about μ h g/|u| of the change before it: slips change little within a step of time.
#include <algorithm>
#include <cmath>

#include "contact/cone_sharing.h"
#include "marey/core/inner_product.h"

namespace marey {
namespace {

constexpr int most_rounds = 30, most_careful_rounds = 300;
constexpr int few_minimum_steps = 16;  // to the shortest t of a round: where it takes more there often is none
constexpr std::size_t most_careful_columns = 64;  // of larger problems those rounds cost more than their solution
constexpr double stays = 1e-10;                   // change of t in a round, relative
constexpr double has_a_part = 1e-9;               // of a redundant vector, relative
constexpr double independent = 1e-12;             // pivots, the largest being about 1

// x · y of impulses in N s.
double impulse_product(const ScaledCones& cones, const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (const ScaledBlock& b : cones.blocks)
    for (int r = b.first; r < b.first + b.rows; ++r)
      sum += b.d * b.d * x[static_cast<std::size_t>(r)] * y[static_cast<std::size_t>(r)];
  return sum;
}

}  // namespace

// Whether loads of what slides are among those that are redundant; finds which rows of what rests are independent. Other redundant
// impulses move nothing, and share() does as well.
bool ConeSharing::slips_have_a_choice(const ScaledCones& cones) {
  resting_ = columns_.size();
  const auto slides = [](const Column& c) {
    return std::any_of(c.entry.begin() + 1, c.entry.begin() + c.count, [](double x) { return x != 0; });
  };
  if (std::none_of(columns_.begin(), columns_.end(), slides)) return false;
  const int count = static_cast<int>(resting_);
  matrix_.resize(count);
  for (int i = 0; i < count; ++i) {
    const double* from = cones.B.row(columns_[static_cast<std::size_t>(i)].row[0]);
    double* to = matrix_.row(i);
    for (int j = 0; j < count; ++j) to[j] = from[columns_[static_cast<std::size_t>(j)].row[0]];
  }
  root_.factor(matrix_, independent);
  const std::size_t redundant = resting_ - static_cast<std::size_t>(root_.rank());
  find_null_vectors(redundant);
  for (std::size_t k = 0; k < redundant; ++k) {
    const double* vector = weighted_.data() + k * resting_;
    double most = 0;
    for (std::size_t i = 0; i < resting_; ++i) most = std::max(most, std::abs(vector[i]));
    for (std::size_t i = 0; i < resting_; ++i)
      if (std::abs(vector[i]) > has_a_part * most && slides(columns_[i])) return true;
  }
  return false;
}

// Columns of z_σ, after the others, and their w.
void ConeSharing::add_slips(const ScaledCones& cones, double still, const double* z, const double* v) {
  slips_.clear();
  for (const ScaledBlock& b : cones.blocks) {
    if (b.kind != RowBlock::Kind::contact || v[b.first] > still * b.d) continue;
    for (std::size_t g = 0; g < static_cast<std::size_t>(b.cone.count); ++g) {
      const FrictionGroup& group = b.cone.groups[g];
      const double speed = length_of(group, v + b.first);
      if (group.coefficient == 0 || speed <= still * b.d || group.rows == 1) continue;
      const int row = b.first + group.first;
      Part part;
      part.first = static_cast<int>(columns_.size());
      parts_.push_back(part);
      add_column(row, b.d);
      Column& across = columns_.back();
      across.count = 2, across.row[1] = row + 1;
      across.entry[0] = -v[row + 1] / speed, across.entry[1] = v[row] / speed;
      slips_.push_back(group.coefficient * std::max(0.0, z[b.first]) / speed);
    }
  }
}

// M of (5) by the rows of Mᵀ, and c, z_fixed alone acting. Equations of slips are divided by 1 + w.
void ConeSharing::linearise(const ScaledCones& cones) {
  const std::size_t n = static_cast<std::size_t>(cones.size()), rank = static_cast<std::size_t>(root_.rank());
  const std::size_t equations = rank + slips_.size(), count = columns_.size();
  stride_ = eights(equations);
  if (rows_.size() < count * stride_) rows_.resize(count * stride_), weighted_.resize(count * stride_);
  for (std::vector<double>* x : {&c_, &zeta_, &step_, &g_}) x->assign(equations, 0.0);
  t_.resize(count), p_.resize(count), b_.resize(std::max(n, count));
  next_z_.assign(n, 0.0), free_v_.resize(n);
  for (std::size_t k = 0; k < fixed_.size(); ++k) next_z_[static_cast<std::size_t>(fixed_[k])] = fixed_at_[k];
  cones.find_velocities(next_z_.data(), free_v_.data());
  for (std::size_t k = 0; k < equations; ++k) {
    const bool slip = k >= rank;
    const std::size_t own = slip ? resting_ + k - rank : static_cast<std::size_t>(root_.pivot(static_cast<int>(k)));
    const Column& test = columns_[own];
    const double* tested = cones.B.row(test.row[0]);
    double held = 0, free = free_v_[static_cast<std::size_t>(test.row[0])];
    if (slip) {
      const double w = slips_[k - rank], part = w / (1 + w);
      const double *other = cones.B.row(test.row[1]), x = part * test.entry[0], y = part * test.entry[1];
      for (std::size_t i = 0; i < n; ++i) b_[i] = x * tested[i] + y * other[i];
      tested = b_.data(), held = 1 / (1 + w);
      free = x * free + y * free_v_[static_cast<std::size_t>(test.row[1])];
    }
    c_[k] = -free;
    for (std::size_t i = 0; i < count; ++i) {
      const Column& column = columns_[i];
      double sum = i == own ? held : 0;
      for (std::size_t l = 0; l < static_cast<std::size_t>(column.count); ++l)
        sum += column.entry[l] * tested[column.row[l]];
      rows_[i * stride_ + k] = sum / column.d;
    }
  }
}

// The next z and v, of t_. Returns how far z moved, relative.
double ConeSharing::take_lengths(const ScaledCones& cones) {
  std::fill(next_z_.begin(), next_z_.end(), 0.0);
  for (std::size_t k = 0; k < fixed_.size(); ++k) next_z_[static_cast<std::size_t>(fixed_[k])] = fixed_at_[k];
  for (std::size_t i = 0; i < columns_.size(); ++i)
    for (std::size_t k = 0; k < static_cast<std::size_t>(columns_[i].count); ++k)
      next_z_[static_cast<std::size_t>(columns_[i].row[k])] += columns_[i].entry[k] * t_[i] / columns_[i].d;
  z_.swap(next_z_);
  cones.find_velocities(z_.data(), v_.data());
  for (std::size_t i = 0; i < z_.size(); ++i) next_z_[i] = z_[i] - next_z_[i];
  const double size = impulse_product(cones, z_, z_), change = impulse_product(cones, next_z_, next_z_);
  return std::sqrt(size > 0 ? change / size : change);
}

// One round of (5) from z_ and v_: to the shortest t, or to the one that is nearest to a target. Returns how far z moved, relative; negative
// where there is no choice, or nothing was found.
double ConeSharing::slide(const ScaledCones& cones, double still, const double* target) {
  find_parts(cones, still * cones.s, v_.data());
  if (rounds_left_-- <= 0 || !slips_have_a_choice(cones)) return -1;
  add_slips(cones, still * cones.s, z_.data(), v_.data());
  offset_.clear();
  if (target) find_lengths(target), offset_ = t_;
  linearise(cones);
  const bool found = minimise(few_minimum_steps, -unbounded);
  offset_.clear();
  return found ? take_lengths(cones) : -1;
}

// Rounds as long as each moves z much less than the one before. True where z no longer moves.
bool ConeSharing::slide_on(const ScaledCones& cones, double still, const double* target) {
  double before = unbounded;
  for (int round = 0; round < most_rounds; ++round) {
    const double change = slide(cones, still, target);
    if (change < 0) return false;
    if (change <= stays) return true;
    if (change > 0.7 * before) return false;
    before = change;
  }
  return false;
}

// Where slips are so slow that they turn within the way to the shortest t: so much of that way that the solution nearest to there is
// shorter than the one at hand, and on from there. How much is judged by how the last step changed the way.
bool ConeSharing::slide_carefully(const ScaledCones& cones, double still, double most, double* z, double* v) {
  here_z_.assign(z, z + cones.size()), here_v_.assign(v, v + cones.size());
  way_.assign(here_z_.size(), 0.0);
  double length2 = impulse_product(cones, here_z_, here_z_), part = 1, last2 = 0;
  for (int step = 0; step < most_rounds; ++step) {
    z_ = here_z_, v_ = here_v_;
    const double change = slide(cones, still, nullptr);
    if (change < 0) break;
    if (change <= stays) return true;
    for (std::size_t i = 0; i < z_.size(); ++i) next_z_[i] = z_[i] - here_z_[i];
    if (last2 > 0) {
      const double bends = last2 - impulse_product(cones, way_, next_z_);
      part = bends > 0 ? std::clamp(part * last2 / bends, 1e-3, 4.0) : std::min(4.0, 2 * part);
    }
    way_ = next_z_, last2 = impulse_product(cones, way_, way_);
    bool shorter = false;
    for (int halving = 0; halving < 12 && !shorter; ++halving) {
      if (halving > 0) part *= 0.25;
      target_ = here_z_;
      for (std::size_t i = 0; i < target_.size(); ++i) target_[i] += part * way_[i];
      z_ = here_z_, v_ = here_v_;
      if (!slide_on(cones, still, target_.data()) || !(cones.natural_map(z_.data(), v_.data()) <= most)) continue;
      const double found = impulse_product(cones, z_, z_);
      shorter = found <= length2 - 1e-4 * part * last2 + 1e-14 * length2;
      if (shorter) length2 = found, here_z_ = z_, here_v_ = v_;
    }
    if (!shorter) break;
  }
  z_ = here_z_, v_ = here_v_;
  return false;
}

bool ConeSharing::share_sliding(const ScaledCones& cones, double still, double most, double* z, double* v,
                                double& natural_map) {
  z_.assign(z, z + cones.size()), v_.assign(v, v + cones.size());
  rounds_left_ = most_rounds;
  bool found = slide_on(cones, still, nullptr);
  if (!found && rounds_left_ == most_rounds - 1) return false;  // no choice
  double now = cones.natural_map(z_.data(), v_.data());
  here_z_.assign(z, z + cones.size());
  if (!found || !(now <= most) ||
      impulse_product(cones, z_, z_) > impulse_product(cones, here_z_, here_z_) * (1 + stays)) {
    if (columns_.size() > most_careful_columns) return false;
    rounds_left_ = most_careful_rounds;
    found = slide_carefully(cones, still, most, z, v);
    now = cones.natural_map(z_.data(), v_.data());
    if (!(now <= most)) return false;
  }
  natural_map = now;
  std::copy(z_.begin(), z_.end(), z), std::copy(v_.begin(), v_.end(), v);
  return found;
}

}  // namespace marey
