#include "marey/constraint/constraint_rows.h"

#include <algorithm>
#include <utility>

#include "marey/core/inner_product.h"
#include "marey/rows/parts.h"

namespace marey {

ConstraintRows::ConstraintRows(const Model& coordinates, int capacity)
    : single_(static_cast<std::size_t>(capacity)),
      slot_(single_.size()),
      biases_(single_.size()),
      held_(static_cast<std::size_t>(coordinates.nv)),
      axes_(coordinates),
      bias_motion_(coordinates),
      rows_(coordinates, capacity),
      row_of_(single_.size()),
      delassus_(coordinates, capacity),
      system_(capacity),
      lengths_(single_.size()),
      V_WB_(coordinates.links.size()),
      diagonal_(single_.size()),
      r_others_(single_.size()),
      x_others_(single_.size()),
      x_(single_.size()),
      p_(static_cast<std::size_t>(coordinates.nv)),
      dv_(p_),
      p_others_(p_) {
  half_.prepare(p_.size(), single_.size());
}

// ---- factors
int ConstraintRows::factor(std::span<const ConstraintRow> rows, std::span<const SingleFreedom> single, Plant& plant,
                           int before) {
  count_ = rows.size();
  of_links_ = {};
  std::ranges::copy(single, single_.begin());
  const bool dependent = before >= 0 && before < static_cast<int>(count_);  // they were, and hardly are not now
  const bool holds = !dependent && find_held(rows);
  held_response_ = holds ? plant.with_held(held_) : nullptr;
  if (held_response_ != nullptr) {
    plant.bias(bias_motion_), biases_known_ = true;
    add_rows(rows, plant);
    if (factor_others(rows, plant)) return static_cast<int>(count_);
    held_response_ = nullptr;
  }
  for (std::size_t k = 0; k < count_; ++k) slot_[k] = static_cast<int>(k);
  if (int rank = 0; factor_by_links(rows, plant, before, rank)) return rank;
  plant.bias(bias_motion_), biases_known_ = true;
  add_rows(rows, plant);
  delassus_.compute_matrix(rows_, plant);
  return system_.factor(
      static_cast<int>(count_), delassus_.A(),
      [&](int i) { return plant.row_weight(rows[static_cast<std::size_t>(i)], rows_[i]); }, before);
}

// False: they are to have J.
bool ConstraintRows::factor_by_links(std::span<const ConstraintRow> rows, Plant& plant, int before, int& rank) {
  if (keeps_J_ || !delassus_.compute_matrix(rows, plant)) return false;
  of_links_ = rows, plant_ = &plant;
  axes_known_ = biases_known_ = false;
  bool asked = false;
  const auto weight = [&](int i) {
    if (!std::exchange(asked, true)) find_axes(), row_lengths(plant.coordinates(), rows, axes_, lengths_);
    return row_weight(lengths_[static_cast<std::size_t>(i)]);
  };
  rank = system_.factor_by_memory(static_cast<int>(count_), delassus_.A(), weight, before);
  return true;
}

void ConstraintRows::renew_biases(std::span<const ConstraintRow> rows, Plant& plant) {
  if (answered_by_links()) {
    biases_known_ = false;
    return plant.renew_factors();
  }
  plant.bias(bias_motion_);
  for (std::size_t k = 0; k < count_; ++k) {
    biases_[k] = bias_of(rows[k], bias_motion_);
    if (slot_[k] >= 0) rows_[slot_[k]].bias = biases_[k];
  }
}

void ConstraintRows::find_axes() {
  if (!axes_known_) plant_->axes(axes_);
  axes_known_ = true;
}

std::span<const double> ConstraintRows::biases() {
  if (!biases_known_) {
    plant_->bias(bias_motion_);
    for (std::size_t k = 0; k < count_; ++k) biases_[k] = bias_of(of_links_[k], bias_motion_);
  }
  biases_known_ = true;
  return std::span(biases_).first(count_);
}

// Which rows are single freedoms, each of them once. False: too few.
bool ConstraintRows::find_held(std::span<const ConstraintRow> rows) {
  std::ranges::fill(held_, static_cast<unsigned char>(0));
  int others = 0;
  for (std::size_t k = 0; k < count_; ++k) {
    const int v = single_[k].v;
    const bool is_one = v >= 0 && rows[k].compliance == 0 && held_[static_cast<std::size_t>(v)] == 0;
    if (is_one) held_[static_cast<std::size_t>(v)] = 1;
    slot_[k] = is_one ? -1 : others++;
  }
  return static_cast<int>(count_) - others >= fewest_held_;
}

// Those with a slot go into the matrix; of the others the bias is all there is to know.
void ConstraintRows::add_rows(std::span<const ConstraintRow> rows, const Plant& plant) {
  const Model& coordinates = plant.coordinates();
  rows_.clear(static_cast<std::size_t>(coordinates.nv));
  if (std::any_of(slot_.begin(), slot_.begin() + static_cast<std::ptrdiff_t>(count_), [](int s) { return s >= 0; }))
    plant.axes(axes_);
  if (held_response_ == nullptr) {
    marey::add_rows(coordinates, rows, axes_, bias_motion_, rows_);
    for (std::size_t k = 0; k < count_; ++k) row_of_[k] = k, biases_[k] = rows_[static_cast<int>(k)].bias;
    return;
  }
  for (std::size_t k = 0; k < count_; ++k) {
    if (slot_[k] >= 0) {
      row_of_[static_cast<std::size_t>(rows_.size())] = k;
      add_row(coordinates, rows[k], axes_, bias_motion_, rows_);
    }
    biases_[k] = slot_[k] >= 0 ? rows_[slot_[k]].bias : bias_of(rows[k], bias_motion_);
  }
}

// False: they may not be independent of each other and of what is held.
bool ConstraintRows::factor_others(std::span<const ConstraintRow> rows, Plant& plant) {
  const int n = rows_.size();
  if (n == 0) return true;
  find_diagonal(plant);
  delassus_.compute_matrix(rows_, *held_response_);
  return system_.factor_if_full(n, delassus_.A(), diagonal_, [&](int i) {
    return plant.row_weight(rows[row_of_[static_cast<std::size_t>(i)]], rows_[i]);
  });
}

// J M⁻¹ Jᵀ of each row, with nothing held.
void ConstraintRows::find_diagonal(Plant& plant) {
  const std::size_t n = static_cast<std::size_t>(rows_.size());
  const bool by_halves = plant.half_respond(rows_, half_);
  const std::size_t stride = half_.blocks * HalfResponse::lanes;
  for (std::size_t i = 0; i < n; ++i) {
    const Row& row = rows_[static_cast<int>(i)];
    double& sum = diagonal_[i] = row.compliance;
    if (!by_halves) {
      plant.respond(row.J, dv_);
      for (std::size_t k = 0; k < dv_.size(); ++k) sum += row.J[k] * dv_[k];
      continue;
    }
    const std::size_t block = i / HalfResponse::lanes;
    for (std::size_t k = half_.begin[block]; k < half_.end[block]; ++k)
      sum += half_.u[k * stride + i] * half_.D_inverse_u[k * stride + i];
  }
}

// ---- rows
double ConstraintRows::dot(std::size_t row, std::span<const double> x) const {
  if (slot_[row] < 0) return single_[row].factor * x[static_cast<std::size_t>(single_[row].v)];
  return inner_product(rows_[slot_[row]].J, x);
}

void ConstraintRows::rates(std::span<const double> x, std::span<double> out) {
  if (answered_by_links()) find_axes(), link_motions(plant_->coordinates(), axes_, x, V_WB_);
  for (std::size_t k = 0; k < count_; ++k) out[k] = answered_by_links() ? power_of(of_links_[k], V_WB_) : dot(k, x);
}

void ConstraintRows::accelerations(std::span<const double> vdot, std::span<double> out) {
  if (answered_by_links() && plant_->link_accelerations(axes_.links, V_WB_)) {
    for (std::size_t k = 0; k < count_; ++k) out[k] = power_of(of_links_[k], V_WB_) + of_links_[k].bias;
    return;
  }
  rates(vdot, out);
  const std::span<const double> bias = biases();
  for (std::size_t k = 0; k < count_; ++k) out[k] += bias[k];
}

void ConstraintRows::set_held(std::span<double> vdot) const {
  for (std::size_t k = 0; k < count_; ++k)
    if (slot_[k] < 0) vdot[static_cast<std::size_t>(single_[k].v)] = -biases_[k] / single_[k].factor;
}

void ConstraintRows::add_momentum(std::span<const double> x, std::span<double> p) const {
  for (std::size_t k = 0; k < count_; ++k) {
    if (slot_[k] < 0) {
      p[static_cast<std::size_t>(single_[k].v)] += x[k] * single_[k].factor;
      continue;
    }
    const std::span<const double> J = rows_[slot_[k]].J;
    for (std::size_t i = 0; i < p.size(); ++i) p[i] += x[k] * J[i];
  }
}

// ---- what they bring about
void ConstraintRows::solve(std::span<const double> r, std::span<double> x) {
  if (held_response_ != nullptr) return answer({}, r, x);
  system_.solve(r.first(count_), x.first(count_));
}

void ConstraintRows::solve(std::span<const double> r, std::span<double> x, std::span<double> v) {
  solve(r, x);
  if (answered_by_links())
    plant_->respond_by_half(delassus_.half(), x.first(count_), dv_);
  else if (held_response_ == nullptr)
    return delassus_.add_response(x.first(count_), v);
  for (std::size_t k = 0; k < v.size(); ++k) v[k] += dv_[k];
}

void ConstraintRows::add_response(std::span<const double> x, Plant& plant, std::span<double> v) {
  if (held_response_ == nullptr) return delassus_.add_response(x.first(count_), v);
  std::ranges::fill(p_, 0.0);
  add_momentum(x, p_);
  plant.respond(p_, dv_);
  for (std::size_t k = 0; k < v.size(); ++k) v[k] += dv_[k];
}

// (2), with an impulse p from outside (empty: none) and r (empty: 0); Δv is left in dv_.
void ConstraintRows::answer(std::span<const double> p, std::span<const double> r, std::span<double> x) {
  if (p.empty())
    std::ranges::fill(p_others_, 0.0);
  else
    std::ranges::copy(p, p_others_.begin());
  for (std::size_t k = 0; k < count_; ++k)
    if (slot_[k] < 0) dv_[static_cast<std::size_t>(single_[k].v)] = r.empty() ? 0 : r[k] / single_[k].factor;
  std::ranges::copy(p_others_, p_.begin());
  held_response_->respond_to_both(p_, dv_);
  if (const std::size_t n = static_cast<std::size_t>(rows_.size()); n > 0) {
    for (std::size_t i = 0; i < n; ++i) r_others_[i] = (r.empty() ? 0 : r[row_of_[i]]) - dot(row_of_[i], dv_);
    system_.solve(std::span(r_others_).first(n), std::span(x_others_).first(n));
    for (std::size_t i = 0; i < n; ++i) {
      const std::span<const double> J = rows_[static_cast<int>(i)].J;
      for (std::size_t k = 0; k < p_others_.size(); ++k) p_others_[k] += x_others_[i] * J[k];
    }
    std::ranges::copy(p_others_, p_.begin());
    held_response_->respond_to_both(p_, dv_);
  }
  for (std::size_t k = 0; k < count_; ++k) {
    const std::size_t v = static_cast<std::size_t>(single_[k].v);
    x[k] = slot_[k] < 0 ? (p_[v] - p_others_[v]) / single_[k].factor : x_others_[static_cast<std::size_t>(slot_[k])];
  }
}

// ---- with other rows
// The figure with all rows holding, as others meet it: one column of G for each question.
struct ConstraintRows::Answering final : Response {
  Answering(ConstraintRows& to_rows, std::span<double> to_G, std::size_t columns)
      : rows(to_rows), G(to_G), n(columns) {}
  void respond(std::span<const double> p, std::span<double> dv) override {
    rows.answer(p, {}, rows.x_);
    std::ranges::copy(rows.dv_, dv.begin());
    for (std::size_t b = 0; b < rows.count_; ++b) G[b * n + column] = -rows.x_[b];
    ++column;
  }
  ConstraintRows& rows;
  std::span<double> G;
  std::size_t n, column = 0;
};

void ConstraintRows::eliminate_from(const RowSet& others, Plant& plant, Delassus& of_others, std::span<double> across,
                                    std::span<double> G) {
  const std::size_t n = static_cast<std::size_t>(others.size());
  if (held_response_ != nullptr) {
    Answering figure(*this, G, n);
    return of_others.compute(others, figure);
  }
  of_others.compute(others, plant);
  delassus_.compute_responses();
  for (std::size_t c = 0; c < n; ++c) {
    const std::span<const double> response = of_others.response(static_cast<int>(c));
    for (std::size_t b = 0; b < count_; ++b) r_others_[b] = across[b * n + c] = dot(b, response);
    system_.solve(std::span(r_others_).first(count_), std::span(x_).first(count_));
    for (std::size_t b = 0; b < count_; ++b) G[b * n + c] = x_[b];
  }
  of_others.eliminate(delassus_, across.first(count_ * n), G.first(count_ * n));
}

}  // namespace marey
