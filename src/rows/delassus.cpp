// The Delassus matrix A = J M⁻¹ Jᵀ, of a tree by the articulated-body algorithm.
//
// M⁻¹ τ is what aba() gives without velocity, gravity and forces from outside. Its inertias depend on the configuration
// alone, so that a workspace in which aba() has run serves for any number of right-hand sides τ: with the symbols of
// src/dynamics/aba.cpp and c = 0 what is left of its passes is
//   inward  u = τ − Sᵀ p,  p_P += shifted p + U D⁻¹ u  outward  A′ = shifted A_P,  v̇ = D⁻¹ (u − Uᵀ A′),  A = A′ + S v̇
// about 60 multiplications per link and row.
//
// A alone needs no outward pass. The inward pass is linear in τ, u = E τ; the outward pass turns u into v̇ = M⁻¹ τ, and since
// M⁻¹ is symmetric it is the transpose of the inward one, M⁻¹ = Eᵀ D⁻¹ E with D in one block for each joint. So
//   τ M⁻¹ τ′ = Σ over joints u D⁻¹ u′
// and u is 0 but between the freedoms that τ names and the world. Of a free joint D is eliminated in blocks, with J, H, M of
// its articulated inertia about Bo, in B: u = (n, g), g = f − Hᵀ J⁻¹ n, and D⁻¹ u = (J⁻¹ n, (M − Hᵀ J⁻¹ H)⁻¹ g). Rows go
// inward four at a time, in the lanes of a Pack.
#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>
#include <utility>

#include "marey/dynamics/joint.h"
#include "marey/force/cast.h"
#include "marey/rows.h"
#include "marey/scalar/pack.h"

namespace marey {

namespace {
using Vec = Vec3<double>;
Vec load3(const double* x) { return {x[0], x[1], x[2]}; }

using Lanes = Pack<double, HalfResponse::lanes>;

// Numbers of the figure beside any scalar.
template <class T>
Sym3<T> spread(const Sym3<double>& a) {
  return {T(a.xx), T(a.yy), T(a.zz), T(a.xy), T(a.xz), T(a.yz)};
}
template <class T>
Wrench<T> spread(const Wrench<double>& a) {
  return {cast<T>(a.n), cast<T>(a.f)};
}

// A wrench in each lane, one after another in memory.
constexpr std::size_t wrench_size = 6 * HalfResponse::lanes;
Wrench<Lanes> load_wrench(const double* x) {
  const auto at = [&](std::size_t k) { return Lanes::load(x + k * HalfResponse::lanes); };
  return {{at(0), at(1), at(2)}, {at(3), at(4), at(5)}};
}
void store_wrench(double* x, const Wrench<Lanes>& F) {
  for (int k = 0; k < 3; ++k) {
    F.n[k].store(x + static_cast<std::size_t>(k) * HalfResponse::lanes);
    F.f[k].store(x + static_cast<std::size_t>(3 + k) * HalfResponse::lanes);
  }
}

// A wrench about Bo, in B, about the parent's origin in its axes.
template <class T>
Wrench<T> seen_from_parent(const AbaLink<double>& f, const Wrench<T>& F) {
  const Mat3<T> R = cast<T>(f.R);
  const Vec3<T> f_P = R * F.f;
  return {R * F.n + cross(cast<T>(f.r), f_P), f_P};
}
}  // namespace

void HalfResponse::prepare(std::size_t nv, std::size_t rows) {
  const std::size_t most = (rows + lanes - 1) / lanes;
  freedoms.reserve(nv), begin.reserve(most), end.reserve(most), of_one.reserve(2 * nv);
  u.resize(nv * most * lanes), D_inverse_u.resize(u.size());
}

Delassus::Delassus(const Model& model, int capacity)
    : nv_(static_cast<std::size_t>(model.nv)),
      A_(static_cast<std::size_t>(capacity) * static_cast<std::size_t>(capacity)),
      response_(static_cast<std::size_t>(capacity) * nv_),
      tree_(model) {
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

void TreeResponse::use(const Model& model, const Params<double>& params, const AbaWorkspace<double>& factored) {
  model_ = &model, params_ = &params, factored_ = &factored;
  ++uses_;
}

const Sym3<double>& TreeResponse::mobility(int i) {
  const AbaLink<double>& f = factored_->links[i];
  LinkResponse& b = links_[i];
  if (std::exchange(b.found_for, uses_) != uses_) b.mobility = inverse(f.M - symmetric_transpose_times(f.H, f.K));
  return b.mobility;
}

// The inward pass at one link: what it passes on to its parent, about Bo in B, of the forces tau of its joint and of p from
// outside; u and D⁻¹ u.
template <class T>
Wrench<T> TreeResponse::answer(int i, const Wrench<T>& p, const T* tau, T* u, T* D_inverse_u) {
  const LinkTopology& link = model_->links[i];
  const AbaLink<double>& f = factored_->links[i];
  switch (link.joint) {
    case JointType::weld:
      return p;
    case JointType::hinge:
    case JointType::slider: {
      const Vec3<T> axis = cast<T>(params_->links[i].axis);
      u[0] = tau[0] - dot(axis, link.joint == JointType::hinge ? p.n : p.f);
      const T s = D_inverse_u[0] = T(f.D_inverse) * u[0];
      return p + Wrench<T>{s * cast<T>(f.U_w), s * cast<T>(f.U_v)};
    }
    case JointType::ball: {
      const Vec3<T> t = load_vec3(tau), n = t - p.n, u3 = spread<T>(f.J_inverse) * n;
      store_vec3(u, n), store_vec3(D_inverse_u, u3);
      return {t, p.f + transpose_times(cast<T>(f.H), u3)};
    }
    case JointType::free: {
      const Wrench<T> t{load_vec3(tau), transpose_times(cast<T>(f.R_FB), load_vec3(tau + 3))};
      const Vec3<T> n = t.n - p.n, u3 = spread<T>(f.J_inverse) * n;
      const Vec3<T> g = t.f - p.f - transpose_times(cast<T>(f.H), u3);
      store_vec3(u, n), store_vec3(D_inverse_u, u3);
      store_vec3(u + 3, g), store_vec3(D_inverse_u + 3, spread<T>(mobility(i)) * g);
      return t;
    }
    case JointType::point: {
      const Vec3<T> t = load_vec3(tau), g = t - p.f, u3 = spread<T>(inverse(f.M)) * g;
      store_vec3(u, g), store_vec3(D_inverse_u, u3);
      return {p.n + cast<T>(f.H) * u3, t};
    }
    default: {
      const AbaGeneral<double>& g = factored_->general[link.general];
      Wrench<T> passed = p;
      for (int k = 0; k < freedom_count(link); ++k) {
        u[k] = tau[k] - power(p, Twist<T>{cast<T>(g.S[k].w), cast<T>(g.S[k].v)});
        for (int l = 0; l < k; ++l) u[k] -= T(g.L[k][l]) * u[l];
        const T s = D_inverse_u[k] = T(g.d_inverse[k]) * u[k];
        const Wrench<T> Y = spread<T>(g.Y[k]);
        passed += Wrench<T>{s * Y.n, s * Y.f};
      }
      return passed;
    }
  }
}

void TreeResponse::inward(const double* tau, int i) {
  const LinkTopology& link = model_->links[i];
  LinkResponse& b = links_[i];
  const Wrench<double> passed = answer(i, b.p, tau + link.v, b.u.data(), b.D_inverse_u.data());
  if (link.parent != 0) links_[link.parent].p += seen_from_parent(factored_->links[i], passed);
}

void TreeResponse::outward(int i, double* vdot) {
  const LinkTopology& link = model_->links[i];
  const AbaLink<double>& f = factored_->links[i];
  const LinkResponse& p = links_[link.parent];
  LinkResponse& b = links_[i];
  const Vec w_dot = transpose_times(f.R, p.w_dot), a = transpose_times(f.R, p.a + cross(p.w_dot, f.r));
  const Vec& axis = params_->links[i].axis;
  switch (link.joint) {
    case JointType::weld:
      b.w_dot = w_dot, b.a = a;
      break;
    case JointType::hinge:
    case JointType::slider: {
      const bool turns = link.joint == JointType::hinge;
      const double x = f.D_inverse * (b.u[0] - dot(f.U_w, w_dot) - dot(f.U_v, a));
      vdot[link.v] = x;
      b.w_dot = turns ? w_dot + x * axis : w_dot;
      b.a = turns ? a : a + x * axis;
      break;
    }
    case JointType::ball:
      b.a = a;
      b.w_dot = load3(b.D_inverse_u.data()) - f.K * a;
      store_vec3(vdot + link.v, b.w_dot - w_dot);
      break;
    case JointType::free:
      b.a = load3(b.D_inverse_u.data() + 3);
      b.w_dot = load3(b.D_inverse_u.data()) - f.K * b.a;
      store_vec3(vdot + link.v, b.w_dot - w_dot);
      store_vec3(vdot + link.v + 3, f.R_FB * (b.a - a));
      break;
    case JointType::point:
      b.w_dot = w_dot;
      b.a = load3(b.D_inverse_u.data()) - transpose_times(f.K, w_dot);
      store_vec3(vdot + link.v, b.a - a);
      break;
    default: {
      const AbaGeneral<double>& g = factored_->general[link.general];
      double* x = vdot + link.v;
      const int n = freedom_count(link);
      for (int k = 0; k < n; ++k)
        x[k] = g.d_inverse[k] * (b.u[static_cast<std::size_t>(k)] - power(g.Y[k], Twist<double>{w_dot, a}));
      b.w_dot = w_dot, b.a = a;
      for (int k = n - 1; k >= 0; --k) {
        for (int l = k + 1; l < n; ++l) x[k] -= g.L[l][k] * x[l];
        b.w_dot += x[k] * g.S[k].w, b.a += x[k] * g.S[k].v;
      }
      break;
    }
  }
}

void TreeResponse::respond(std::span<const double> p, std::span<double> dv) {
  for (LinkResponse& link : links_) link.p = {};
  links_[0].w_dot = links_[0].a = {};
  for (int i = model_->nlink() - 1; i > 0; --i) inward(p.data(), i);
  for (int i = 1; i < model_->nlink(); ++i) outward(i, dv.data());
}

bool TreeResponse::half_respond_to(std::span<const double> p, std::span<double> u, std::span<double> D_inverse_u) {
  for (LinkResponse& link : links_) link.p = {};
  for (int i = model_->nlink() - 1; i > 0; --i) {
    inward(p.data(), i);
    const LinkTopology& link = model_->links[i];
    const LinkResponse& b = links_[i];
    std::copy_n(b.u.begin(), freedom_count(link), u.begin() + link.v);
    std::copy_n(b.D_inverse_u.begin(), freedom_count(link), D_inverse_u.begin() + link.v);
  }
  return true;
}

bool Response::half_respond(const RowSet& rows, HalfResponse& out) {
  constexpr std::size_t lanes = HalfResponse::lanes;
  const std::size_t n = static_cast<std::size_t>(rows.size()), nv = rows.velocities();
  const std::size_t blocks = out.blocks = (n + lanes - 1) / lanes, stride = blocks * lanes;
  out.freedoms.resize(nv);
  std::iota(out.freedoms.begin(), out.freedoms.end(), std::size_t{0});
  out.begin.assign(blocks, 0), out.end.assign(blocks, nv);
  if (out.u.size() < nv * stride) out.u.resize(nv * stride), out.D_inverse_u.resize(nv * stride);
  std::fill_n(out.u.begin(), nv * stride, 0.0), std::fill_n(out.D_inverse_u.begin(), nv * stride, 0.0);
  out.of_one.resize(2 * nv);
  const std::span<double> u = std::span(out.of_one).first(nv), D_inverse_u = std::span(out.of_one).subspan(nv);
  for (std::size_t r = 0; r < n; ++r) {
    if (!half_respond_to(rows[static_cast<int>(r)].J, u, D_inverse_u)) return false;
    for (std::size_t k = 0; k < nv; ++k) out.u[k * stride + r] = u[k], out.D_inverse_u[k * stride + r] = D_inverse_u[k];
  }
  return true;
}

namespace {

// tau of one joint, of n freedoms from `first` on, for the rows of a block, a row in each lane; false: all are 0.
bool load_forces(const double* const* J, int first, int n, Lanes* tau) {
  Lanes::Mask::Bits some{};
  for (int k = 0; k < n; ++k) {
    const int at = first + k;
    tau[k] = Lanes(Lanes::Lanes{J[0][at], J[1][at], J[2][at], J[3][at]});
    some |= tau[k].lanes != Lanes::Lanes{};
  }
  return (some[0] | some[1] | some[2] | some[3]) != 0;
}
static_assert(HalfResponse::lanes == 4);

}  // namespace

// For as many rows as there ever are; beyond the last one J is 0.
void TreeResponse::begin_half(const RowSet& rows, HalfResponse& out) {
  constexpr std::size_t lanes = HalfResponse::lanes;
  const std::size_t blocks = out.blocks = (static_cast<std::size_t>(rows.size()) + lanes - 1) / lanes;
  out.freedoms.clear(), out.begin.assign(blocks, 0), out.end.assign(blocks, 0);
  if (out.u.size() < zero_.size() * blocks * lanes) out.prepare(zero_.size(), blocks * lanes);
  const std::size_t most = std::max(blocks, out.u.size() / std::max(zero_.size() * lanes, std::size_t{1}));
  if (J_.size() < most * lanes) {
    J_.resize(most * lanes), reached_.resize(links_.size() * most);
    carried_.resize(links_.size() * most * wrench_size);
  }
  for (std::size_t r = 0; r < blocks * lanes; ++r)
    J_[r] = static_cast<int>(r) < rows.size() ? rows[static_cast<int>(r)].J.data() : zero_.data();
}

bool TreeResponse::half_respond(const RowSet& rows, HalfResponse& out) {
  constexpr std::size_t lanes = HalfResponse::lanes;
  begin_half(rows, out);
  const std::size_t blocks = out.blocks;
  std::array<Lanes, most_freedoms> tau, u, D_inverse_u;
  for (int i = model_->nlink() - 1; i > 0; --i) {
    const LinkTopology& link = model_->links[i];
    const int n = freedom_count(link);
    const std::size_t first = out.freedoms.size();
    char *reached = reached_.data() + static_cast<std::size_t>(i) * blocks,
         *parent_reached = reached_.data() + static_cast<std::size_t>(link.parent) * blocks;
    double *carried = carried_.data() + static_cast<std::size_t>(i) * blocks * wrench_size,
           *to_parent = carried_.data() + static_cast<std::size_t>(link.parent) * blocks * wrench_size;
    bool some = false;
    for (std::size_t b = 0; b < blocks; ++b) {
      const bool acted_on = load_forces(&J_[b * lanes], link.v, n, tau.data());
      if (acted_on || reached[b] != 0) {
        const Wrench<Lanes> p = reached[b] != 0 ? load_wrench(carried + b * wrench_size) : Wrench<Lanes>{};
        Wrench<Lanes> passed = answer(i, p, tau.data(), u.data(), D_inverse_u.data());
        if (link.parent != 0) {
          passed = seen_from_parent(factored_->links[i], passed);
          if (std::exchange(parent_reached[b], char(1)) != 0) passed += load_wrench(to_parent + b * wrench_size);
          store_wrench(to_parent + b * wrench_size, passed);
        }
        reached[b] = 0;
        if (out.end[b] == 0) out.begin[b] = first;
        out.end[b] = first + static_cast<std::size_t>(n);
        some = true;
      } else {
        std::fill_n(u.begin(), n, Lanes{}), std::fill_n(D_inverse_u.begin(), n, Lanes{});
      }
      double *to_u = out.u.data() + (first * blocks + b) * lanes,
             *to_D = out.D_inverse_u.data() + (first * blocks + b) * lanes;
      for (int k = 0; k < n; ++k, to_u += blocks * lanes, to_D += blocks * lanes)
        u[static_cast<std::size_t>(k)].store(to_u), D_inverse_u[static_cast<std::size_t>(k)].store(to_D);
    }
    for (int k = 0; some && k < n; ++k) out.freedoms.push_back(static_cast<std::size_t>(link.v + k));
  }
  return true;
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

// u · D⁻¹ u′ of all pairs, by blocks of rows.
void Delassus::compute_matrix(const RowSet& rows, Response& plant) {
  constexpr std::size_t lanes = HalfResponse::lanes;
  size_ = rows.size(), nv_ = rows.velocities();
  assert(static_cast<std::size_t>(size_) * nv_ <= response_.size());
  if (!plant.half_respond(rows, half_)) return compute(rows, plant);
  const std::size_t n = static_cast<std::size_t>(size_), stride = half_.blocks * lanes;
  for (std::size_t a = 0; a < half_.blocks; ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      std::array<Lanes, lanes> sums{};
      for (std::size_t k = std::max(half_.begin[a], half_.begin[b]); k < std::min(half_.end[a], half_.end[b]); ++k) {
        const Lanes D_inverse_u = Lanes::load(&half_.D_inverse_u[k * stride + b * lanes]);
        for (std::size_t l = 0; l < lanes; ++l) sums[l] += Lanes(half_.u[k * stride + a * lanes + l]) * D_inverse_u;
      }
      for (std::size_t i = a * lanes; i < std::min(n, (a + 1) * lanes); ++i)
        for (std::size_t j = b * lanes; j < std::min(i + 1, (b + 1) * lanes); ++j)
          A_[i * n + j] = A_[j * n + i] = sums[i - a * lanes][static_cast<int>(j - b * lanes)];
    }
  for (std::size_t i = 0; i < n; ++i) A_[i * n + i] += rows[static_cast<int>(i)].compliance;
  rows_ = &rows, plant_ = &plant;
}

void Delassus::compute_responses() {
  if (rows_ == nullptr) return;
  for (int i = 0; i < size_; ++i)
    plant_->respond((*rows_)[i].J, std::span(response_).subspan(static_cast<std::size_t>(i) * nv_, nv_));
  rows_ = nullptr;
}

void Delassus::compute(const RowSet& rows, Response& plant) {
  size_ = rows.size(), nv_ = rows.velocities(), rows_ = nullptr;
  assert(static_cast<std::size_t>(size_) * nv_ <= response_.size());
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
