// The Delassus matrix A = J M⁻¹ Jᵀ, by what a plant answers to its rows.
//
// A alone needs no outward pass (src/rows/tree_response.cpp). The inward pass is linear in τ, u = E τ; the outward pass turns u
// into v̇ = M⁻¹ τ, and since M⁻¹ is symmetric it is the transpose of the inward one, M⁻¹ = Eᵀ D⁻¹ E with D in one block for each
// joint. So
//   τ M⁻¹ τ′ = Σ over joints u D⁻¹ u′
#include <algorithm>
#include <array>
#include <cassert>

#include "marey/rows.h"
#include "marey/scalar/pack.h"

namespace marey {

namespace {
using Lanes = Pack<double, HalfResponse::lanes>;

void use_room(std::vector<double>& x, std::size_t count) {
  if (x.size() < count) x.resize(count);
}
}  // namespace

// Room that is not in use is not touched: of many rows it would be gigabytes.
Delassus::Delassus(const Model& model, int capacity) : nv_(static_cast<std::size_t>(model.nv)), tree_(model) {
  A_.reserve(static_cast<std::size_t>(capacity) * static_cast<std::size_t>(capacity));
  response_.reserve(static_cast<std::size_t>(capacity) * nv_);
  filled_.reserve(nv_), u_.resize(nv_), dv_.resize(nv_);
  half_.prepare(nv_, static_cast<std::size_t>(capacity));
}

std::span<const double> Delassus::response(int row) const {
  return {response_.data() + static_cast<std::size_t>(row) * nv_, nv_};
}

void Delassus::add_response(std::span<const double> lambda, std::span<double> v) {
  if (rows_ != nullptr) {
    const std::span<double> p = std::span(u_).first(nv_), dv = std::span(dv_).first(nv_);
    std::ranges::fill(p, 0.0);
    for (int i = 0; i < size_; ++i)
      for (std::size_t k = 0; k < nv_; ++k) p[k] += lambda[static_cast<std::size_t>(i)] * (*rows_)[i].J[k];
    plant_->respond(p, dv);
    for (std::size_t k = 0; k < nv_; ++k) v[k] += dv[k];
    return;
  }
  for (int i = 0; i < size_; ++i) {
    const std::span<const double> r = response(i);
    for (std::size_t k = 0; k < nv_; ++k) v[k] += lambda[static_cast<std::size_t>(i)] * r[k];
  }
}

void Delassus::compute(const Model& model, const Params<double>& params, const AbaWorkspace<double>& factored,
                       const RowSet& rows) {
  tree_.use(model, params, factored);
  compute(rows, tree_);
}

void Delassus::compute_matrix(const Model& model, const Params<double>& params, const AbaWorkspace<double>& factored,
                              const RowSet& rows) {
  tree_.use(model, params, factored);
  compute_matrix(rows, tree_);
}

void Delassus::compute_matrix(const RowSet& rows, Response& plant) {
  size_ = rows.size(), nv_ = rows.velocities();
  assert(static_cast<std::size_t>(size_) * nv_ <= response_.capacity());
  if (!plant.half_respond(rows, half_)) return compute(rows, plant);
  multiply_halves();
  for (int i = 0; i < size_; ++i) A_[static_cast<std::size_t>(i * size_ + i)] += rows[i].compliance;
  rows_ = &rows, plant_ = &plant;
}

bool Delassus::compute_matrix(std::span<const ConstraintRow> rows, Response& plant) {
  if (!plant.half_respond_to_links(rows, half_)) return false;
  size_ = static_cast<int>(rows.size()), rows_ = nullptr;
  assert(rows.size() * rows.size() <= A_.capacity());
  multiply_halves();
  for (std::size_t i = 0; i < rows.size(); ++i) A_[i * rows.size() + i] += rows[i].compliance;
  return true;
}

namespace {

// u · D⁻¹ u′ of the first rows of block a with those of `count` blocks from b on, so that no sum has to wait for another.
template <std::size_t rows, std::size_t count>
std::array<Lanes, rows * count> products(const HalfResponse& half, std::size_t a, std::size_t b) {
  constexpr std::size_t lanes = HalfResponse::lanes;
  const std::size_t stride = half.blocks * lanes;
  std::size_t begin = half.begin[b], end = half.end[b];
  for (std::size_t c = 1; c < count; ++c)
    begin = std::min(begin, half.begin[b + c]), end = std::max(end, half.end[b + c]);
  std::array<Lanes, rows * count> sums{};
  for (std::size_t k = std::max(begin, half.begin[a]); k < std::min(end, half.end[a]); ++k) {
    const double* u = &half.u[k * stride + a * lanes];
    for (std::size_t c = 0; c < count; ++c) {
      const Lanes D_inverse_u = Lanes::load(&half.D_inverse_u[k * stride + (b + c) * lanes]);
      for (std::size_t l = 0; l < rows; ++l) sums[l * count + c] += Lanes(u[l]) * D_inverse_u;
    }
  }
  return sums;
}

// A of the first rows of block a with those of all blocks from it on, and the same across the diagonal. A [n × n].
template <std::size_t rows>
void put_products(const HalfResponse& half, std::size_t a, std::size_t n, double* A) {
  constexpr std::size_t lanes = HalfResponse::lanes;
  const auto put = [&](const auto& sums, std::size_t first) {
    const std::size_t count = sums.size() / rows;
    for (std::size_t l = 0; l < rows; ++l)
      for (std::size_t c = 0; c < count; ++c) {
        const std::size_t i = a * lanes + l, j = (first + c) * lanes;
        const Lanes& sum = sums[l * count + c];
        if (j + lanes <= n)
          sum.store(A + i * n + j);
        else
          for (std::size_t k = j; k < n; ++k) A[i * n + k] = sum[static_cast<int>(k - j)];
      }
    for (std::size_t l = 0; l < rows; ++l) {
      const std::size_t i = a * lanes + l;
      for (std::size_t j = std::max(i + 1, first * lanes); j < std::min(n, (first + count) * lanes); ++j)
        A[j * n + i] = sums[l * count + j / lanes - first][static_cast<int>(j % lanes)];
    }
  };
  std::size_t b = a;
  for (; b + 2 <= half.blocks; b += 2) put(products<rows, 2>(half, a, b), b);
  if (b < half.blocks) put(products<rows, 1>(half, a, b), b);
}

}  // namespace

void Delassus::multiply_halves() {
  constexpr std::size_t lanes = HalfResponse::lanes;
  const std::size_t n = static_cast<std::size_t>(size_);
  use_room(A_, n * n);
  for (std::size_t a = 0; a < half_.blocks; ++a) switch (n - a * lanes) {
      case 1:
        put_products<1>(half_, a, n, A_.data());
        break;
      case 2:
        put_products<2>(half_, a, n, A_.data());
        break;
      case 3:
        put_products<3>(half_, a, n, A_.data());
        break;
      default:
        put_products<lanes>(half_, a, n, A_.data());
    }
}

void Delassus::compute_responses() {
  if (rows_ == nullptr) return;
  use_room(response_, static_cast<std::size_t>(size_) * nv_);
  for (int i = 0; i < size_; ++i)
    plant_->respond((*rows_)[i].J, std::span(response_).subspan(static_cast<std::size_t>(i) * nv_, nv_));
  rows_ = nullptr;
}

void Delassus::compute(const RowSet& rows, Response& plant) {
  size_ = rows.size(), nv_ = rows.velocities(), rows_ = nullptr;
  assert(static_cast<std::size_t>(size_) * nv_ <= response_.capacity());
  use_room(A_, static_cast<std::size_t>(size_) * static_cast<std::size_t>(size_));
  use_room(response_, static_cast<std::size_t>(size_) * nv_);
  for (int i = 0; i < size_; ++i)
    plant.respond(rows[i].J, std::span(response_).subspan(static_cast<std::size_t>(i) * nv_, nv_));
  for (int i = 0; i < size_; ++i) {
    const std::span<const double> J = rows[i].J;
    filled_.clear();  // a row names few freedoms: those between its links and the world at most
    for (std::size_t k = 0; k < nv_; ++k)
      if (J[k] != 0) filled_.push_back(k);
    for (int j = 0; j <= i; ++j) {
      const std::span<const double> r = response(j);
      double s = i == j ? rows[i].compliance : 0;
      for (const std::size_t k : filled_) s += J[k] * r[k];
      A_[static_cast<std::size_t>(i * size_ + j)] = A_[static_cast<std::size_t>(j * size_ + i)] = s;
    }
  }
}

// With the others' rows b held, an impulse P on these rows c calls for P_b = −G P:
//   response′ = response − response_b G      A′ = A − acrossᵀ G
void Delassus::eliminate(const Delassus& theirs, std::span<const double> across, std::span<const double> G) {
  const std::size_t n = static_cast<std::size_t>(size_), m = static_cast<std::size_t>(theirs.size());
  for (std::size_t i = 0; i < n; ++i) {
    double* own = response_.data() + i * nv_;
    for (std::size_t b = 0; b < m; ++b) {
      const std::span<const double> r = theirs.response(static_cast<int>(b));
      for (std::size_t k = 0; k < nv_; ++k) own[k] -= G[b * n + i] * r[k];
    }
    for (std::size_t j = 0; j <= i; ++j) {
      double s = 0;
      for (std::size_t b = 0; b < m; ++b) s += across[b * n + i] * G[b * n + j];
      A_[i * n + j] -= s;
      A_[j * n + i] = A_[i * n + j];
    }
  }
}

}  // namespace marey
