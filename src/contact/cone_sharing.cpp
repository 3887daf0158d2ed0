#include "contact/cone_sharing.h"

#include <algorithm>
#include <cmath>

#include "marey/core/inner_product.h"

namespace marey {
namespace {

constexpr double rank_tolerance = 1e-12;  // of pivots, the largest being about 1
constexpr double hessian_floor = 1e-15;   // added to its diagonal, relative
constexpr double as_exact_as_before = 2;  // times the natural map, at most
constexpr double near_enough = 1.02;      // of the cone, to be taken for at rest
constexpr double at_bound = 1 - 1e-9;     // of the cone: what slid by the guess, and rests only where it is inside now
constexpr double much_longer = 1.2;       // than the guess: what rests is held by impulses of about the length they had

}  // namespace

// ------------------------------------------------------------------------------------------------- C, and its columns
void ConeSharing::add_column(int row, double d) {
  Column& column = columns_.emplace_back();
  column.row[0] = row, column.entry[0] = 1, column.d = d;
}

void ConeSharing::add_contact(const ScaledBlock& b, double still, const double* v) {
  const auto fix = [&](int row) { fixed_.push_back(row), fixed_at_.push_back(0); };
  if (v[b.first] > still * b.d) {
    for (int r = b.first; r < b.first + b.rows; ++r) fix(r);
    return;
  }
  Part part;
  part.kind = Part::Kind::cone, part.first = static_cast<int>(columns_.size());
  add_column(b.first, b.d);
  const std::size_t normal = columns_.size() - 1;
  double length2 = 1;
  for (std::size_t g = 0; g < static_cast<std::size_t>(b.cone.count); ++g) {
    const FrictionGroup& group = b.cone.groups[g];
    const double *v_g = v + b.first + group.first, speed = length_of(group, v + b.first);
    if (group.coefficient == 0 || speed > still * b.d) {  // along with the normal
      Column& n = columns_[normal];
      for (int r = 0; r < group.rows; ++r) {
        const auto k = static_cast<std::size_t>(n.count++);
        n.row[k] = b.first + group.first + r,
        n.entry[k] = group.coefficient > 0 ? -group.coefficient * v_g[r] / speed : 0;
      }
      length2 += group.coefficient * group.coefficient;
      continue;
    }
    FrictionGroup& own = part.cone.groups[static_cast<std::size_t>(part.cone.count++)];
    own = {static_cast<int>(columns_.size()) - part.first, group.rows, group.coefficient};
    for (int r = 0; r < group.rows; ++r) add_column(b.first + group.first + r, b.d);
  }
  const double length = std::sqrt(length2);
  for (double& entry : columns_[normal].entry) entry /= length;
  for (FrictionGroup& g : part.cone.groups) g.coefficient /= length;
  part.rows = static_cast<int>(columns_.size()) - part.first;
  parts_.push_back(part);
}

void ConeSharing::add_single(const ScaledBlock& b, double still, double v) {
  if (b.kind == RowBlock::Kind::bounds && std::abs(v) > still * b.d) {
    fixed_.push_back(b.first), fixed_at_.push_back(v > 0 ? b.lower : b.upper);
    return;
  }
  Part part;
  part.kind = b.kind == RowBlock::Kind::bounds ? Part::Kind::interval : Part::Kind::free;
  part.first = static_cast<int>(columns_.size());
  part.lower = b.lower * b.d, part.upper = b.upper * b.d;
  add_column(b.first, b.d);
  parts_.push_back(part);
}

void ConeSharing::find_parts(const ScaledCones& cones, double still, const double* v) {
  parts_.clear(), columns_.clear(), fixed_.clear(), fixed_at_.clear();
  for (const ScaledBlock& b : cones.blocks)
    if (b.kind == RowBlock::Kind::contact)
      add_contact(b, still, v);
    else
      add_single(b, still, v[b.first]);
}

void ConeSharing::expect(std::size_t rows) {
  parts_.reserve(rows), columns_.reserve(rows), fixed_.reserve(rows), fixed_at_.reserve(rows);
  matrix_.expect(rows), root_.expect(rows), cholesky_.expect(rows);
  const std::size_t most = rows * eights(rows);
  if (rows_.size() < most) rows_.resize(most), weighted_.resize(most);
  reserve_all(rows, {&c_, &b_, &t_, &p_, &zeta_, &step_, &g_, &z_, &v_, &wanted_, &before_});
  reserve_all(rows, {&slips_, &offset_, &next_z_, &free_v_, &here_z_, &here_v_, &way_, &target_});
}

void ConeSharing::assemble(const ScaledCones& cones) {
  const int count = static_cast<int>(columns_.size()), n = cones.size();
  matrix_.resize(count);
  b_.resize(static_cast<std::size_t>(n));
  for (int i = 0; i < count; ++i) {
    const Column& own = columns_[static_cast<std::size_t>(i)];
    const double* tested = cones.B.row(own.row[0]);
    if (own.count > 1) {
      for (int c = 0; c < n; ++c) b_[static_cast<std::size_t>(c)] = own.entry[0] * tested[c];
      for (std::size_t k = 1; k < static_cast<std::size_t>(own.count); ++k) {
        const double* other = cones.B.row(own.row[k]);
        if (own.entry[k] == 0) continue;
        for (int c = 0; c < n; ++c) b_[static_cast<std::size_t>(c)] += own.entry[k] * other[c];
      }
      tested = b_.data();
    }
    for (int j = i; j < count; ++j) {
      const Column& other = columns_[static_cast<std::size_t>(j)];
      double sum = other.entry[0] * tested[other.row[0]];
      for (std::size_t k = 1; k < static_cast<std::size_t>(other.count); ++k)
        sum += other.entry[k] * tested[other.row[k]];
      matrix_.row(i)[j] = matrix_.row(j)[i] = sum;
    }
  }
}

void ConeSharing::set_impulses(const double* t, double* z) const {
  for (std::size_t k = 0; k < fixed_.size(); ++k) z[fixed_[k]] = fixed_at_[k];
  for (std::size_t i = 0; i < columns_.size(); ++i)
    for (std::size_t k = 0; k < static_cast<std::size_t>(columns_[i].count); ++k)
      z[columns_[i].row[k]] = columns_[i].entry[k] * t[i] / columns_[i].d;
}

// t_ of z. Returns |t|².
double ConeSharing::find_lengths(const double* z) {
  double sum_of_squares = 0;
  t_.resize(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(columns_[i].count); ++k)
      sum += columns_[i].entry[k] * z[columns_[i].row[k]];
    t_[i] = sum * columns_[i].d;
    sum_of_squares += t_[i] * t_[i];
  }
  return sum_of_squares;
}

// t of z, and c = Lᵀ t, L in units of x.
void ConeSharing::find_target(const double* z) {
  const std::size_t count = columns_.size(), rank = static_cast<std::size_t>(root_.rank());
  p_.resize(count);
  find_lengths(z);
  project(t_.data(), p_.data());
  t_.swap(p_);
  stride_ = eights(rank);
  if (rows_.size() < count * stride_) rows_.resize(count * stride_), weighted_.resize(count * stride_);
  for (std::size_t k = 0; k < rank; ++k) {
    const double* from = root_.column(static_cast<int>(k));
    for (std::size_t i = 0; i < count; ++i) rows_[i * stride_ + k] = from[i] / columns_[i].d;
  }
  c_.assign(rank, 0.0), zeta_.resize(rank), step_.resize(rank), g_.resize(rank);
  imbalance(t_.data(), g_.data());
  c_.swap(g_);
}

// ------------------------------------------------------------------------------------------------------ the minimum
// p = L ζ, from the offset on if there is one: then the t that is nearest to it is found instead of the shortest.
void ConeSharing::make_lengths(const double* zeta, double* p) const {
  const std::span<const double> x(zeta, c_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) p[i] = inner_product(std::span(row(i), c_.size()), x);
  for (std::size_t i = 0; i < offset_.size(); ++i) p[i] += offset_[i];
}

// t = Proj_C(p); returns |t|².
double ConeSharing::project(const double* p, double* t) const {
  for (const Part& part : parts_) switch (part.kind) {
      case Part::Kind::free:
        t[part.first] = p[part.first];
        break;
      case Part::Kind::interval:
        t[part.first] = std::clamp(p[part.first], part.lower, part.upper);
        break;
      case Part::Kind::cone:
        marey::project(part.cone, p + part.first, t + part.first);
        break;
    }
  return inner_product(std::span(t, columns_.size()), std::span(t, columns_.size()));
}

// g = Lᵀ t − c; returns the largest.
double ConeSharing::imbalance(const double* t, double* g) const {
  const std::size_t rank = c_.size();
  for (std::size_t k = 0; k < rank; ++k) g[k] = -c_[k];
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const double *own = row(i), factor = t[i];
    for (std::size_t k = 0; k < rank; ++k) g[k] += factor * own[k];
  }
  double most = 0;
  for (std::size_t k = 0; k < rank; ++k) most = std::max(most, std::abs(g[k]));
  return most;
}

namespace {

// J x, J being the derivative of the projection onto a cone at p: with w = n + Σ μ_g τ_g over the groups at their bounds,
// J = w wᵀ/|w|² + 1 on the other groups + (|y_g|/|p_g|) (1 − τ τᵀ) on those at their bounds.
void add_cone_derivative(const FrictionCone& cone, const double* p, const double* x, double* out) {
  std::array<double, 6> y{};
  const ConeProjection at = project(cone, p, y.data());
  if (at.y_n == 0) return;
  double along = x[0], weight = 1;
  for (std::size_t g = 0; g < static_cast<std::size_t>(cone.count); ++g) {
    const FrictionGroup& group = cone.groups[g];
    if (!at.at_bound[g] || at.length[g] == 0) continue;
    for (int r = group.first; r < group.first + group.rows; ++r)
      along += group.coefficient * p[r] / at.length[g] * x[r];
    weight += group.coefficient * group.coefficient;
  }
  along /= weight;
  out[0] += along;
  for (std::size_t g = 0; g < static_cast<std::size_t>(cone.count); ++g) {
    const FrictionGroup& group = cone.groups[g];
    double radial = 0;
    if (at.at_bound[g] && at.length[g] > 0)
      for (int r = group.first; r < group.first + group.rows; ++r) radial += p[r] / at.length[g] * x[r];
    for (int r = group.first; r < group.first + group.rows; ++r) {
      if (!at.at_bound[g]) {
        out[r] += x[r];
      } else if (at.length[g] > 0) {
        const double tau = p[r] / at.length[g], kappa = group.coefficient * at.y_n / at.length[g];
        out[r] += group.coefficient * tau * along + kappa * (x[r] - tau * radial);
      }
    }
  }
}

}  // namespace

bool ConeSharing::all_inside(const double* p) const {
  for (const Part& part : parts_) {
    const double* own = p + part.first;
    if (part.kind == Part::Kind::interval && !(own[0] >= part.lower && own[0] <= part.upper)) return false;
    if (part.kind != Part::Kind::cone) continue;
    if (!(own[0] > 0)) return false;
    for (std::size_t g = 0; g < static_cast<std::size_t>(part.cone.count); ++g)
      if (length_of(part.cone.groups[g], own) > part.cone.groups[g].coefficient * own[0]) return false;
  }
  return true;
}

// Rows of J L, J being that of one part at p.
void ConeSharing::weigh(const Part& part, const double* p) {
  const auto first = static_cast<std::size_t>(part.first), count = static_cast<std::size_t>(part.rows);
  const double* own = p + first;
  const bool inside = part.kind == Part::Kind::free || (own[0] >= part.lower && own[0] <= part.upper);
  for (std::size_t j = 0; j < count; ++j) std::fill_n(weighted_.data() + (first + j) * stride_, c_.size(), 0.0);
  for (std::size_t j = 0; j < count; ++j) {  // a column of J
    std::array<double, 6> unit{}, column{};
    unit[j] = 1;
    if (part.kind == Part::Kind::cone)
      add_cone_derivative(part.cone, own, unit.data(), column.data());
    else
      column[0] = inside ? 1 : 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (column[i] == 0) continue;
      const double *from = row(first + j), factor = column[i];
      double* to = weighted_.data() + (first + i) * stride_;
      for (std::size_t k = 0; k < c_.size(); ++k) to[k] += factor * from[k];
    }
  }
}

// Lᵀ J L, J at p, or that of points inside everything.
void ConeSharing::assemble_hessian(const double* p, bool inside) {
  const std::size_t rank = c_.size();
  if (!inside)
    for (const Part& part : parts_) weigh(part, p);
  matrix_.resize(static_cast<int>(rank));
  set_products(rows_.data(), (inside ? rows_ : weighted_).data(), stride_, columns_.size(), matrix_);
  for (std::size_t k = 0; k < rank; ++k) {
    double own = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) own += row(i)[k] * row(i)[k];
    matrix_.row(static_cast<int>(k))[k] += hessian_floor * own;
  }
}

// ζ of (1); t_ then is Proj_C(L ζ). It starts from zero, as if inside everything. Below −½|t|² of the solution the function cannot
// come, and where there is none it falls without end: it gives up below `least`.
bool ConeSharing::minimise(int steps, double least) {
  const std::size_t rank = c_.size();
  double size = 0;
  for (const double c : c_) size = std::max(size, std::abs(c));
  std::fill(zeta_.begin(), zeta_.end(), 0.0), std::fill(t_.begin(), t_.end(), 0.0);
  std::fill(p_.begin(), p_.end(), 0.0);
  bool inside = false;  // the factors at hand are those of J = 1
  double value = 0;
  if (!offset_.empty()) p_ = offset_, value = 0.5 * project(p_.data(), t_.data());
  double apart = imbalance(t_.data(), g_.data());
  for (int k = 0; k < steps && apart > 1e-16 * size; ++k) {
    const bool stays = (k == 0 && offset_.empty()) || all_inside(p_.data());
    if (!(inside && stays)) {
      assemble_hessian(p_.data(), stays);
      ++factorisations;
      if (!cholesky_.factor(matrix_)) return false;
      inside = stays;
    }
    for (std::size_t j = 0; j < rank; ++j) step_[j] = -g_[j];
    cholesky_.solve(matrix_, step_.data());
    value = search_along(value, inner_product(step_, g_));
    if (value < least) return false;
    const double before = apart;
    apart = imbalance(t_.data(), g_.data());
    if (apart < 1e-12 * size && apart > 0.25 * before) break;
  }
  return apart <= 1e-11 * size;
}

// ζ + part × step with a sufficiently lower value, which is returned; p_ and t_ belong to it.
double ConeSharing::search_along(double value, double slope) {
  double found = 0;
  for (double part = 1; part > 1e-9; part *= 0.5) {
    for (std::size_t j = 0; j < zeta_.size(); ++j) g_[j] = zeta_[j] + part * step_[j];
    make_lengths(g_.data(), p_.data());
    found = 0.5 * project(p_.data(), t_.data()) - inner_product(c_, g_);
    if (found <= value + 1e-4 * part * slope + 1e-14 * std::abs(value)) break;
  }
  zeta_.swap(g_);
  return found;
}

// The velocities that are to stay: those of z, but zero where they count as zero.
void ConeSharing::find_wanted(const ScaledCones& cones, double still, const double* v) {
  wanted_.assign(v, v + cones.size());
  for (const ScaledBlock& b : cones.blocks) {
    if (b.kind != RowBlock::Kind::contact) {
      if (std::abs(v[b.first]) <= still * b.d || b.kind == RowBlock::Kind::equality) wanted_[b.first] = 0;
      continue;
    }
    if (v[b.first] > still * b.d) continue;
    wanted_[b.first] = 0;
    for (std::size_t g = 0; g < static_cast<std::size_t>(b.cone.count); ++g)
      if (length_of(b.cone.groups[g], v + b.first) <= still * b.d)
        std::fill_n(wanted_.begin() + b.first + b.cone.groups[g].first, b.cone.groups[g].rows, 0.0);
  }
}

// LᵀL in units of z.
bool ConeSharing::factor_plain() {
  matrix_.resize(root_.rank());
  for (std::size_t i = 0; i < columns_.size(); ++i)
    for (std::size_t k = 0; k < c_.size(); ++k)
      weighted_[i * stride_ + k] = columns_[i].d * columns_[i].d * rows_[i * stride_ + k];
  set_products(rows_.data(), weighted_.data(), stride_, columns_.size(), matrix_);
  ++factorisations;
  return cholesky_.factor(matrix_);
}

// The shortest change of z that brings the wanted velocities. Masses far apart cost (1) some digits of the velocities of the
// light ones; what this adds is as small as that.
void ConeSharing::correct() {
  const std::size_t count = columns_.size();
  b_.resize(std::max(b_.size(), count));
  for (std::size_t i = 0; i < count; ++i) {
    b_[i] = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(columns_[i].count); ++k)
      b_[i] += columns_[i].entry[k] * (wanted_[columns_[i].row[k]] - v_[columns_[i].row[k]]);
  }
  root_.solve_lower(b_.data(), step_.data());
  cholesky_.solve(matrix_, step_.data());
  for (std::size_t i = 0; i < count; ++i)
    t_[i] += columns_[i].d * columns_[i].d * inner_product(std::span(row(i), c_.size()), step_);
}

// What rests seems to go on resting: velocities by which share() would take the modes that z and v suggest. False where
// something slides.
bool ConeSharing::guess_rest(const ScaledCones& cones, const double* z, const double* v) {
  wanted_.assign(v, v + cones.size());
  for (const ScaledBlock& b : cones.blocks) {
    const double a_n = z[b.first] - v[b.first];
    double* own = wanted_.data() + b.first;
    if (b.kind != RowBlock::Kind::contact) {
      if (a_n >= b.lower && a_n <= b.upper)
        own[0] = 0;
      else
        own[0] = a_n < b.lower ? unbounded : -unbounded;
      continue;
    }
    if (a_n <= 0) {
      own[0] = unbounded;
      continue;
    }
    for (std::size_t g = 0; g < static_cast<std::size_t>(b.cone.count); ++g) {
      const FrictionGroup& group = b.cone.groups[g];
      double a2 = 0, z2 = 0;
      for (int r = b.first + group.first; r < b.first + group.first + group.rows; ++r)
        a2 += (z[r] - v[r]) * (z[r] - v[r]), z2 += z[r] * z[r];
      const double bound = at_bound * group.coefficient * z[b.first];
      const double most = (z2 < bound * bound ? near_enough : 1) * group.coefficient * a_n;
      if (a2 > most * most) return false;
    }
    std::fill(own, own + b.rows, 0.0);
  }
  return true;
}

// b = −Dᵀ v: what is to be taken from the velocities of all that rests.
void ConeSharing::find_residual() {
  b_.resize(std::max(b_.size(), columns_.size()));
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    b_[i] = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(columns_[i].count); ++k)
      b_[i] -= columns_[i].entry[k] * v_[static_cast<std::size_t>(columns_[i].row[k])];
  }
}

// c such that all that rests has no velocity.
void ConeSharing::find_target_at_rest(const ScaledCones& cones) {
  std::fill(z_.begin(), z_.end(), 0.0);
  for (std::size_t k = 0; k < fixed_.size(); ++k) z_[static_cast<std::size_t>(fixed_[k])] = fixed_at_[k];
  find_target(z_.data());
  cones.find_velocities(z_.data(), v_.data());
  find_residual();
  root_.solve_lower(b_.data(), c_.data());
}

bool ConeSharing::rest(const ScaledCones& cones, double* z, double* v) {
  if (!guess_rest(cones, z, v)) return false;
  find_parts(cones, 0, wanted_.data());
  if (columns_.empty()) return false;
  assemble(cones);
  root_.factor(matrix_, rank_tolerance);
  z_.resize(static_cast<std::size_t>(cones.size())), v_.resize(z_.size());
  const double guessed = find_lengths(z), most = guessed > 0 ? much_longer * much_longer * guessed : unbounded;
  if (columns_.size() - static_cast<std::size_t>(root_.rank()) <= few_redundant) return rest_inside(cones, most, z, v);
  find_target_at_rest(cones);
  const double least = -0.5 * most;
  return minimise(few_steps, least) && refine(cones, enough_at_rest, z, v);
}

bool ConeSharing::share(const ScaledCones& cones, double still, double* z, double* v, double& natural_map) {
  find_parts(cones, still * cones.s, v);
  unique = columns_.empty();
  if (unique) return true;
  assemble(cones);
  root_.factor(matrix_, rank_tolerance);
  unique = root_.rank() == matrix_.size();
  if (unique) return true;
  const double before = natural_map;
  if (share_inside(cones, std::max(as_exact_as_before * before, enough_at_rest), z, v, natural_map)) return true;
  find_wanted(cones, still * cones.s, v);
  z_.assign(z, z + cones.size()), v_.resize(z_.size());
  find_target(z);
  if (!minimise(most_steps, -unbounded) || !refine(cones, std::max(3 * still, 3 * before), z, v)) return false;
  natural_map = cones.natural_map(z, v);
  return true;
}

// z and v of t, corrected as long as that helps; true where their natural map is at most `most`.
bool ConeSharing::refine(const ScaledCones& cones, double most, double* z, double* v) {
  double best = unbounded;
  for (int round = 0; round < 4; ++round) {
    set_impulses(t_.data(), z_.data());
    cones.find_velocities(z_.data(), v_.data());
    const double now = cones.natural_map(z_.data(), v_.data());
    const bool goes_on = now > as_good_as_exact && now < 0.25 * best;
    if (now < best && now <= most) std::copy(z_.begin(), z_.end(), z), std::copy(v_.begin(), v_.end(), v);
    best = std::min(best, now);
    if (!goes_on || (round == 0 && !factor_plain())) break;
    correct();
  }
  return best <= most;
}

}  // namespace marey
