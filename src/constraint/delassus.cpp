// The Delassus matrix A = J M⁻¹ Jᵀ, of a tree by the articulated-body algorithm.
//
// M⁻¹ τ is what aba() gives without velocity, gravity and forces from outside. Its inertias depend on the configuration
// alone, so that a workspace in which aba() has run serves for any number of right-hand sides τ: with the symbols of
// src/dynamics/aba.cpp and c = 0 what is left of its passes is
//   inward  u = τ − Sᵀ p,  p_P += shifted p + U D⁻¹ u  outward  A′ = shifted A_P,  v̇ = D⁻¹ (u − Uᵀ A′),  A = A′ + S v̇
// about 60 multiplications per link and row.
#include <algorithm>
#include <cassert>

#include "dynamics/joint.h"
#include "marey/constraint.h"

namespace marey {

namespace {
using Vec = Vec3<double>;
Vec load3(const double* x) { return {x[0], x[1], x[2]}; }
}  // namespace

Delassus::Delassus(const Model& model, int capacity)
    : nv_(static_cast<std::size_t>(model.nv)),
      A_(static_cast<std::size_t>(capacity) * static_cast<std::size_t>(capacity)),
      response_(static_cast<std::size_t>(capacity) * nv_),
      tree_(model) {
  filled_.reserve(nv_);
}

std::span<const double> Delassus::response(int row) const {
  return {response_.data() + static_cast<std::size_t>(row) * nv_, nv_};
}

void Delassus::add_response(std::span<const double> lambda, std::span<double> v) const {
  for (int i = 0; i < size_; ++i) {
    const std::span<const double> r = response(i);
    for (std::size_t k = 0; k < nv_; ++k) v[k] += lambda[static_cast<std::size_t>(i)] * r[k];
  }
}

void TreeResponse::use(const Model& model, const Params<double>& params, const AbaWorkspace<double>& factored) {
  model_ = &model, params_ = &params, factored_ = &factored;
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
      const Sym3<double> M_a = f.M - symmetric_transpose_times(f.H, f.K);
      b.a = inverse(M_a) * (t.f - b.p.f - transpose_times(f.H, b.u3));
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

void Delassus::compute(const Model& model, const Params<double>& params, const AbaWorkspace<double>& factored,
                       const RowSet& rows) {
  tree_.use(model, params, factored);
  compute(rows, tree_);
}

void Delassus::compute(const RowSet& rows, Response& plant) {
  size_ = rows.size(), nv_ = rows.velocities();
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
