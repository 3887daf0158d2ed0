// Matrices that are kept (sim/kept_matrices.h), found anew.
#include <algorithm>
#include <array>
#include <cmath>

#include "sim/kept_columns.h"
#include "sim/kept_matrices.h"

namespace marey {

namespace {

constexpr double part_of_miss =
    0.25;  // of the last one, in what is taken for the next: the rest is of those before it, since points go to and fro
constexpr double at_bound = 1 - 1e-9, least_slip = 1e-6;  // of μ P_n; of what P_n would bring alone
constexpr double least_pivot = 1e-300;

// y += factor x
void add(double* __restrict y, const double* __restrict x, double factor, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) y[k] += factor * x[k];
}
// By Gauss and Jordan in place, n rows of `wide` numbers. Without a search for pivots, since slopes of impulses to velocities hardly ever want one: what
// comes of it is judged by what it leaves of (1) and (2). False: a pivot is next to nothing.
template <std::size_t wide>
bool invert_in_place(double* G, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) {
    double* at = G + k * wide;
    if (!(std::abs(at[k]) > least_pivot)) return false;
    const double d = 1 / at[k];
    std::array<double, wide> own;
    for (std::size_t j = 0; j < wide; ++j) own[j] = d * at[j];
    // a − a (1 + d) = −a d: so that what a row has there needs not be written by itself, for which the whole row would wait.
    own[k] = 1 + d;
    for (std::size_t i = 0; i < n; ++i) {
      double* __restrict row = G + i * wide;
      if (i == k) continue;
      const double a = row[k];
      for (std::size_t j = 0; j < wide; ++j) row[j] -= a * own[j];
    }
    own[k] = d;
    for (std::size_t j = 0; j < wide; ++j) at[j] = own[j];
  }
  return true;
}
template <std::size_t wide = 8>
bool invert_rows(double* G, std::size_t n) {
  if constexpr (wide < most_rows_kept)
    if (n > wide) return invert_rows<wide + 8>(G, n);
  return invert_in_place<wide>(G, n);
}

}  // namespace

void KeptMatrices::take(const SteppedContacts& contacts, std::span<const double> v_plus, bool by_kept, bool worth_it) {
  const std::span<const TouchingPoint> points = contacts.points();
  bool same = points.size() == keys_.size() && !points.empty();
  for (std::size_t i = 0; same && i < points.size(); ++i) same = points[i].key == keys_[i];
  if (!same) {
    forget();
    if (!contacts.are_plain_points() || 3 * points.size() > most_rows_kept || nv_ > most_freedoms_kept) return;
    for (const TouchingPoint& c : points) keys_.push_back(c.key);
  }
  pending_ = 1;
  std::vector<double>& last = impulses_.back();
  last.clear();
  for (const TouchingPoint& c : points) {
    const std::span<const double> P = contacts.solved_impulses().subspan(static_cast<std::size_t>(c.first), 3);
    last.insert(last.end(), P.begin(), P.end());
  }
  next_miss_.known = 0;
  if (by_kept) {
    ++age_;
    next_miss_.known = 1, next_miss_.way = way_;
    std::vector<double>& miss = next_miss_.all;
    miss.resize(nv_ + rows());
    for (std::size_t k = 0; k < nv_; ++k) miss[k] = v_plus[k] - plain_guess_[k];
    for (std::size_t r = 0; r < rows(); ++r) miss[nv_ + r] = last[r] - plain_guess_[nv_ + r];
    if (miss_.known != 0 && miss_.way == way_)
      for (std::size_t k = 0; k < miss.size(); ++k) miss[k] = miss_.all[k] + part_of_miss * (miss[k] - miss_.all[k]);
    return;
  }
  valid_ = age_ = 0;
  if (rest_ > 0) {
    --rest_;
    return;
  }
  if (same && worth_it && contacts.are_plain_points()) find(contacts);
}

// By the points of the step, as it was solved.
void KeptMatrices::find(const SteppedContacts& contacts) {
  const std::size_t n = rows(), stride = stride_of(n), count = keys_.size();
  joints_.finish_halves(contacts.plain_half(), n, stride, X_);
  joints_.copy(stride_of(nv_), N_, blocks_);
  if (!invert_rows(N_.data(), nv_)) return;
  find_X_rows();
  const std::span<const double> A = contacts.plain_matrix();
  friction_.resize(count), rho_.resize(count), mode_.resize(count), scale_.resize(count);
  A_.assign(n * stride, 0.0);
  for (std::size_t r = 0; r < n; ++r) std::copy_n(A.data() + r * n, n, A_.data() + r * stride);
  P_ = shared_ = impulses_.back(), u_.resize(n);
  for (std::size_t i = 0; i < count; ++i) {
    const TouchingPoint& c = contacts.points()[i];
    const double* P = P_.data() + 3 * i;
    std::copy_n(c.u.begin(), 3, u_.begin() + static_cast<std::ptrdiff_t>(3 * i));
    const double mu = friction_[i] = c.slides ? c.law.friction_kinetic : c.law.friction_static;
    rho_[i] = contacts.plain_rho(i);
    const bool at_edge = mu > 0 && std::hypot(P[1], P[2]) >= mu * P[0] * at_bound,
               slips = std::hypot(c.u[1], c.u[2]) * rho_[i] > least_slip * P[0];
    const Mode held = at_edge && !slips ? Mode::edge : Mode::sticks;
    mode_[i] = static_cast<double>(P[0] <= 0 ? Mode::open : slips && (at_edge || mu == 0) ? Mode::slides : held);
  }
  valid_ = find_slopes() ? 1 : 0;
}

void KeptMatrices::find_X_rows() {
  const std::size_t stride = stride_of(rows()), wide = stride_of(nv_);
  X_rows_.assign(rows() * wide, 0.0);
  for (std::size_t k = 0; k < nv_; ++k)
    for (std::size_t r = 0; r < rows(); ++r) X_rows_[r * wide + k] = X_[k * stride + r];
}

// f_u = 1 − e eᵀ tells e, but for its sign, which is that of P_t.
void KeptMatrices::add_slopes_of_edge(std::size_t point, double* G_1, double* G_2) {
  const std::size_t n = rows(), stride = stride_of(n), at = 3 * point;
  const double length = std::hypot(P_[at + 1], P_[at + 2]);
  const double e[2] = {length > 0 ? P_[at + 1] / length : 0, length > 0 ? P_[at + 2] / length : 0};
  double* const G[2] = {G_1, G_2};
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t l = 0; l < 2; ++l) {
      const double slope = f_u_[4 * point + 2 * k + l] = (k == l ? 1 : 0) - e[k] * e[l];
      add(G[k], A_.data() + (at + 1 + l) * stride, slope, n);
      G[k][at + 1 + l] += e[k] * e[l] / rho_[point];
    }
    G[k][at] -= friction_[point] * e[k] / rho_[point];
  }
}

// G and its inverse, by the slopes of f at P and u.
bool KeptMatrices::find_slopes() {
  const std::size_t n = rows(), stride = stride_of(n);
  f_u_.assign(4 * keys_.size(), 0.0);
  work_.assign(n * stride, 0.0);
  const auto G = [&](std::size_t i) { return work_.data() + i * stride; };
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const Mode mode = mode_of(i);
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t r = 3 * i + k;
      if (mode != Mode::open && (k == 0 || mode == Mode::sticks)) std::copy_n(A_.data() + r * stride, n, G(r));
      G(r)[r] += mode == Mode::open ? 1 : redundant / rho_[i];
    }
    if (mode == Mode::edge) add_slopes_of_edge(i, G(3 * i + 1), G(3 * i + 2));
    if (mode != Mode::slides) continue;
    const double *P = P_.data() + 3 * i, *u = u_.data() + 3 * i, mu = friction_[i];
    const double slip = std::hypot(u[1], u[2]), s = scale_[i] = mu * P[0] + rho_[i] * slip;
    if (!(slip > 0) || !(s > 0)) return false;
    for (std::size_t k = 0; k < 2; ++k) {
      double* to = G(3 * i + 1 + k);
      for (std::size_t l = 0; l < 2; ++l) {
        const double slope = f_u_[4 * i + 2 * k + l] = ((k == l ? mu * P[0] : 0) + P[1 + k] * u[1 + l] / slip) / s;
        add(to, A_.data() + (3 * i + 1 + l) * stride, slope, n);
      }
      to[3 * i] += mu * u[1 + k] / s, to[3 * i + 1 + k] += slip / s;
    }
  }
  return invert();
}

// Of work_.
bool KeptMatrices::invert() {
  const std::size_t n = rows(), stride = stride_of(n);
  G_inverse_.assign(n * stride, 0.0);
  if (!invert_rows(work_.data(), n)) return false;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k) G_inverse_[k * stride + i] = work_[i * stride + k];
  return true;
}

}  // namespace marey
