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
// its articulated inertia about Bo, in B: u = (n, g), g = f − Hᵀ J⁻¹ n, and D⁻¹ u = (J⁻¹ n, (M − Hᵀ J⁻¹ H)⁻¹ g).
#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "dynamics/joint.h"
#include "marey/constraint.h"

namespace marey {

namespace {
using Vec = Vec3<double>;
Vec load3(const double* x) { return {x[0], x[1], x[2]}; }

// In eight sums side by side, which a compiler can keep in one register.
double product(const double* x, const double* y, std::size_t n) {
  std::array<double, 8> sums{};
  std::size_t k = 0;
  for (; k + 8 <= n; k += 8)
    for (std::size_t l = 0; l < 8; ++l) sums[l] += x[k + l] * y[k + l];
  for (std::size_t l = 0; k < n; ++k, ++l) sums[l] += x[k] * y[k];
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}
}  // namespace

Delassus::Delassus(const Model& model, int capacity)
    : nv_(static_cast<std::size_t>(model.nv)),
      A_(static_cast<std::size_t>(capacity) * static_cast<std::size_t>(capacity)),
      response_(static_cast<std::size_t>(capacity) * nv_),
      tree_(model) {
  filled_.reserve(nv_), u_.resize(nv_), dv_.resize(nv_);
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

void TreeResponse::inward(const double* tau, int i) {
  const LinkTopology& link = model_->links[i];
  const AbaLink<double>& f = factored_->links[i];
  LinkResponse& b = links_[i];
  Wrench<double> passed = b.p;
  const Vec& axis = params_->links[i].axis;
  switch (link.joint) {
    case JointType::weld:
      break;
    case JointType::hinge:
    case JointType::slider: {
      b.u = tau[link.v] - dot(axis, link.joint == JointType::hinge ? b.p.n : b.p.f);
      const double s = f.D_inverse * b.u;
      passed += Wrench<double>{s * f.U_w, s * f.U_v};
      break;
    }
    case JointType::ball: {
      const Vec t = load3(tau + link.v);
      b.u3 = f.J_inverse * (t - b.p.n);
      passed = {t, b.p.f + transpose_times(f.H, b.u3)};
      break;
    }
    case JointType::free: {
      const Wrench<double> t{load3(tau + link.v), transpose_times(f.R_FB, load3(tau + link.v + 3))};
      b.u3 = f.J_inverse * (t.n - b.p.n);
      if (std::exchange(b.found_for, uses_) != uses_) b.mobility = inverse(f.M - symmetric_transpose_times(f.H, f.K));
      b.g = t.f - b.p.f - transpose_times(f.H, b.u3);
      b.a = b.mobility * b.g;
      b.w_dot = b.u3 - f.K * b.a;
      passed = t;
      break;
    }
    case JointType::point: {
      const Vec t = load3(tau + link.v);
      b.u3 = inverse(f.M) * (t - b.p.f);
      passed = {b.p.n + f.H * b.u3, t};
      break;
    }
    default: {
      const AbaGeneral<double>& g = factored_->general[link.general];
      for (int k = 0; k < freedom_count(link); ++k) {
        b.z[k] = tau[link.v + k] - power(b.p, g.S[k]);
        for (int l = 0; l < k; ++l) b.z[k] -= g.L[k][l] * b.z[l];
        const double s = g.d_inverse[k] * b.z[k];
        passed += Wrench<double>{s * g.Y[k].n, s * g.Y[k].f};
      }
      break;
    }
  }
  if (link.parent == 0) return;
  const Vec f_P = f.R * passed.f;
  links_[link.parent].p += Wrench<double>{f.R * passed.n + cross(f.r, f_P), f_P};
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
      const double x = f.D_inverse * (b.u - dot(f.U_w, w_dot) - dot(f.U_v, a));
      vdot[link.v] = x;
      b.w_dot = turns ? w_dot + x * axis : w_dot;
      b.a = turns ? a : a + x * axis;
      break;
    }
    case JointType::ball:
      b.a = a;
      b.w_dot = b.u3 - f.K * a;
      store_vec3(vdot + link.v, b.w_dot - w_dot);
      break;
    case JointType::free:
      store_vec3(vdot + link.v, b.w_dot - w_dot);
      store_vec3(vdot + link.v + 3, f.R_FB * (b.a - a));
      break;
    case JointType::point:
      b.w_dot = w_dot;
      b.a = b.u3 - transpose_times(f.K, w_dot);
      store_vec3(vdot + link.v, b.a - a);
      break;
    default: {
      const AbaGeneral<double>& g = factored_->general[link.general];
      double* x = vdot + link.v;
      const int n = freedom_count(link);
      for (int k = 0; k < n; ++k) x[k] = g.d_inverse[k] * (b.z[k] - power(g.Y[k], Twist<double>{w_dot, a}));
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

bool TreeResponse::half_respond(std::span<const double> p, std::span<double> u, std::span<double> D_inverse_u) {
  std::ranges::fill(u, 0.0), std::ranges::fill(D_inverse_u, 0.0);
  for (int i = model_->nlink() - 1; i > 0; --i) {
    const std::size_t at = static_cast<std::size_t>(i);
    const LinkTopology& link = model_->links[at];
    const double* tau = p.data() + link.v;
    const int n = freedom_count(link);
    if (reached_[at] == 0) {
      if (std::all_of(tau, tau + n, [](double x) { return x == 0; })) continue;
      links_[at].p = {};
    }
    reached_[at] = 0;
    if (link.parent != 0 && std::exchange(reached_[static_cast<std::size_t>(link.parent)], char(1)) == 0)
      links_[static_cast<std::size_t>(link.parent)].p = {};
    inward(p.data(), i);
    const LinkResponse& b = links_[at];
    double *out = u.data() + link.v, *D_out = D_inverse_u.data() + link.v;
    switch (link.joint) {
      case JointType::weld:
        break;
      case JointType::hinge:
      case JointType::slider:
        out[0] = b.u, D_out[0] = factored_->links[at].D_inverse * b.u;
        break;
      case JointType::ball:
        store_vec3(out, load3(tau) - b.p.n), store_vec3(D_out, b.u3);
        break;
      case JointType::free:
        store_vec3(out, load3(tau) - b.p.n), store_vec3(D_out, b.u3);
        store_vec3(out + 3, b.g), store_vec3(D_out + 3, b.a);
        break;
      case JointType::point:
        store_vec3(out, load3(tau) - b.p.f), store_vec3(D_out, b.u3);
        break;
      default:
        for (int k = 0; k < n; ++k) out[k] = b.z[k], D_out[k] = factored_->general[link.general].d_inverse[k] * b.z[k];
        break;
    }
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

// Row by row: D⁻¹ u of those before is where their responses would be.
void Delassus::compute_matrix(const RowSet& rows, Response& plant) {
  size_ = rows.size(), nv_ = rows.velocities();
  assert(static_cast<std::size_t>(size_) * nv_ <= response_.size());
  const std::span<double> u = std::span(u_).first(nv_);
  for (int i = 0; i < size_; ++i) {
    if (!plant.half_respond(rows[i].J, u, std::span(response_).subspan(static_cast<std::size_t>(i) * nv_, nv_)))
      return compute(rows, plant);
    std::size_t first = 0, end = nv_;
    while (first < end && u[first] == 0) ++first;
    while (end > first && u[end - 1] == 0) --end;
    for (int j = 0; j <= i; ++j) {
      const double* D_inverse_u = response_.data() + static_cast<std::size_t>(j) * nv_;
      const double s = (i == j ? rows[i].compliance : 0) + product(u.data() + first, D_inverse_u + first, end - first);
      A_[static_cast<std::size_t>(i * size_ + j)] = A_[static_cast<std::size_t>(j * size_ + i)] = s;
    }
  }
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
