// Source: Featherstone 2008, §9.1–9.2 (hybrid dynamics), without velocities and gravity, written with the symbols of
// src/dynamics/aba.inl: twists and wrenches about each link's own origin and in its axes, so that no digits are lost far out
// on a long chain. Of the joint's motions S those of free freedoms are S_f, of held ones S_h; c = S_h Δv_h.
//   D = S_fᵀ I S_f = L diag(d) Lᵀ     Y = L⁻¹ S_fᵀ I     I_P += shifted (I − Yᵀ d⁻¹ Y)                              (2)
//   inward    z = L⁻¹ (p_f − S_fᵀ P) − Y c      P_P += shifted (P + I c + Yᵀ d⁻¹ z)                                (3)
//   outward   A′ = shifted A_P       Δv_f = L⁻ᵀ d⁻¹ (z − Y A′)      A = A′ + c + S_f Δv_f                           (4)
//             p_h = S_hᵀ (I A + P)                                                                                (5)
// (3) is aba's p + I_a c + Yᵀ d⁻¹ L⁻¹ u with I_a = I − Yᵀ d⁻¹ Y. A joint all of whose freedoms are held is a weld that
// turns: I goes on as it is. As in src/rows/delassus.cpp, p M_ff⁻¹ p′ = Σ z d⁻¹ z′ for c = 0.
// About 200 multiplications per link for (2), 36 and 24 more for each free freedom in (2) and in (3)–(5).
#include "marey/rows/held_response.h"

#include <algorithm>
#include <utility>

#include "marey/dynamics/joint.h"

namespace marey {
namespace {

using Vec = Vec3<double>;

Wrench<double> times(const Sym3<double>& J, const Mat3<double>& H, const Sym3<double>& M, const Twist<double>& s) {
  return {J * s.w + H * s.v, transpose_times(H, s.w) + M * s.v};
}
Sym3<double> square(const Vec& a, double s) {
  const Vec b = s * a;
  return {a.x * b.x, a.y * b.y, a.z * b.z, a.x * b.y, a.x * b.z, a.y * b.z};
}
Wrench<double> scaled(double s, const Wrench<double>& F) { return {s * F.n, s * F.f}; }
Twist<double> scaled(double s, const Twist<double>& V) { return {s * V.w, s * V.v}; }

// What the velocities of a joint that is not general give its link, in B.
void motions_in_link(const LinkTopology& link, const LinkParams<double>& params, const Mat3<double>& R_FB,
                     Twist<double>* S) {
  const auto axis = [](int k) { return Vec{double(k == 0), double(k == 1), double(k == 2)}; };
  if (link.joint == JointType::hinge) S[0] = {params.axis, {}};
  if (link.joint == JointType::slider) S[0] = {{}, params.axis};
  if (link.joint == JointType::ball || link.joint == JointType::free)
    for (int k = 0; k < 3; ++k) S[k] = {axis(k), {}};
  if (link.joint == JointType::free)
    for (int k = 0; k < 3; ++k) S[3 + k] = {{}, transpose_times(R_FB, axis(k))};
  if (link.joint == JointType::point)
    for (int k = 0; k < 3; ++k) S[k] = {{}, axis(k)};
}

}  // namespace

HeldTreeResponse::HeldTreeResponse(const Model& model)
    : links_(model.links.size()), reached_(model.links.size()), zero_(static_cast<std::size_t>(model.nv)) {
  spoil<double>(links_);
}

// ---- factors
void HeldTreeResponse::factor(const Model& model, const Params<double>& params, std::span<const double> q,
                              std::span<const unsigned char> held) {
  model_ = &model, params_ = &params;
  for (int i = 1; i < model.nlink(); ++i) {
    const LinkTopology& link = model.links[i];
    Link& b = links_[static_cast<std::size_t>(i)];
    Twist<double> S[most_freedoms];
    with_joint(link.joint, [&](auto joint) {
      if constexpr (joint.general) {
        GeneralMotion<double> g;
        const JointMotion<double> m = general_joint_motion(model, params, i, q.data(), zero_.data(), g);
        b.R = m.R, b.r = m.r;
        std::copy_n(g.S.begin(), freedom_count(link), S);
      } else {
        const JointMotion<double> m = joint_motion(joint, link, params.links[i], q.data(), zero_.data());
        b.R = m.R, b.r = m.r;
        motions_in_link(link, params.links[i], m.R_FB, S);
      }
    });
    sort_freedoms(link, held, S, b);
    const Inertia<double>& I = params.links[i].I;
    b.J = I.J, b.H = tilde(I.h), b.M = Sym3<double>::diagonal(I.m, I.m, I.m);
  }
  for (int i = model.nlink() - 1; i > 0; --i) eliminate(i);
}

void HeldTreeResponse::sort_freedoms(const LinkTopology& link, std::span<const unsigned char> held,
                                     const Twist<double>* S, Link& b) {
  b.free = b.held = 0;
  const int n = freedom_count(link);
  for (int k = 0; k < n; ++k)
    if (held[static_cast<std::size_t>(link.v + k)] == 0) b.S[b.free] = S[k], b.at[b.free++] = k;
  for (int k = 0; k < n; ++k)
    if (held[static_cast<std::size_t>(link.v + k)] != 0) b.S[b.free + b.held] = S[k], b.at[b.free + b.held++] = k;
}

// (2) for a link whose sons are done.
void HeldTreeResponse::eliminate(int i) {
  Link& b = links_[static_cast<std::size_t>(i)];
  Sym3<double> J = b.J, M = b.M;
  Mat3<double> H = b.H;
  for (int k = 0; k < b.free; ++k) {
    const Twist<double>& s = b.S[k];
    Wrench<double> y = times(b.J, b.H, b.M, s);
    for (int l = 0; l < k; ++l) {
      const double L = b.d_inverse[l] * power(b.Y[l], s);  // y_l · s_k = (L⁻¹ D)_lk = d_l L_kl
      y -= scaled(L, b.Y[l]);
      b.L[k][l] = L;
    }
    const double d_inverse = 1 / power(y, s);
    b.Y[k] = y, b.d_inverse[k] = d_inverse;
    J -= square(y.n, d_inverse), M -= square(y.f, d_inverse);
    H = H - outer(d_inverse * y.n, y.f);
  }
  const int parent = model_->links[i].parent;
  if (parent == 0) return;
  Link& P = links_[static_cast<std::size_t>(parent)];
  const Sym3<double> M_P = congruence(b.R, M);
  const Mat3<double> H_R = b.R * H * transpose(b.R), H_P = H_R + tilde_times(b.r, M_P);
  const Mat3<double> r_tilde = tilde(b.r), shift = r_tilde * transpose(H_P) - H_R * r_tilde;
  P.M += M_P;
  P.H += H_P;
  P.J += congruence(b.R, J);
  P.J += Sym3<double>{shift.xx, shift.yy, shift.zz, shift.xy, shift.xz, shift.yz};
}

// ---- right-hand sides
// (3) of one link: what its joint passes on, about Bo in B. `p`: of the joint.
Wrench<double> HeldTreeResponse::inward(const double* p, const Twist<double>& c, Link& b) {
  double of_p[most_freedoms];  // L⁻¹ (p_f − S_fᵀ P)
  Wrench<double> passed = b.P;
  if (b.held > 0) passed += times(b.J, b.H, b.M, c);
  for (int k = 0; k < b.free; ++k) {
    of_p[k] = p[b.at[k]] - power(b.P, b.S[k]);
    for (int l = 0; l < k; ++l) of_p[k] -= b.L[k][l] * of_p[l];
    b.z[k] = b.held > 0 ? of_p[k] - power(b.Y[k], c) : of_p[k];
    passed += scaled(b.d_inverse[k] * b.z[k], b.Y[k]);
  }
  return passed;
}

void HeldTreeResponse::pass_on(const Link& b, const Wrench<double>& passed, int parent) {
  if (parent == 0) return;
  const Vec f_P = b.R * passed.f;
  links_[static_cast<std::size_t>(parent)].P += Wrench<double>{b.R * passed.n + cross(b.r, f_P), f_P};
}

// (4)
void HeldTreeResponse::outward(const Twist<double>& A_P, const Twist<double>& c, Link& b, double* dv) {
  const Twist<double> A{transpose_times(b.R, A_P.w), transpose_times(b.R, A_P.v + cross(A_P.w, b.r))};
  double x[most_freedoms];
  b.A = A + c;
  for (int k = 0; k < b.free; ++k) x[k] = b.d_inverse[k] * (b.z[k] - power(b.Y[k], A));
  for (int k = b.free - 1; k >= 0; --k) {
    for (int l = k + 1; l < b.free; ++l) x[k] -= b.L[l][k] * x[l];
    dv[b.at[k]] = x[k];
    b.A += scaled(x[k], b.S[k]);
  }
}

// c
Twist<double> HeldTreeResponse::given_motion(const double* dv, const Link& b) {
  Twist<double> c;
  for (int k = b.free; k < b.free + b.held; ++k) c += scaled(dv[b.at[k]], b.S[k]);
  return c;
}

void HeldTreeResponse::respond_to_both(std::span<double> p, std::span<double> dv) {
  for (Link& link : links_) link.P = {};
  links_[0].A = {};
  const auto link_at = [&](int i) -> const LinkTopology& { return model_->links[i]; };
  for (int i = model_->nlink() - 1; i > 0; --i) {
    Link& b = links_[static_cast<std::size_t>(i)];
    const double* own = dv.data() + link_at(i).v;
    pass_on(b, inward(p.data() + link_at(i).v, given_motion(own, b), b), link_at(i).parent);
  }
  for (int i = 1; i < model_->nlink(); ++i) {
    Link& b = links_[static_cast<std::size_t>(i)];
    double* own = dv.data() + link_at(i).v;
    outward(links_[static_cast<std::size_t>(link_at(i).parent)].A, given_motion(own, b), b, own);
    if (b.held == 0) continue;
    const Wrench<double> F = times(b.J, b.H, b.M, b.A) + b.P;  // (5)
    for (int k = b.free; k < b.free + b.held; ++k)
      p[static_cast<std::size_t>(link_at(i).v + b.at[k])] = power(F, b.S[k]);
  }
}

void HeldTreeResponse::respond(std::span<const double> p, std::span<double> dv) {
  for (Link& link : links_) link.P = {};
  links_[0].A = {};
  for (int i = model_->nlink() - 1; i > 0; --i) {
    Link& b = links_[static_cast<std::size_t>(i)];
    pass_on(b, inward(p.data() + model_->links[i].v, {}, b), model_->links[i].parent);
  }
  std::ranges::fill(dv, 0.0);
  for (int i = 1; i < model_->nlink(); ++i) {
    const LinkTopology& link = model_->links[i];
    Link& b = links_[static_cast<std::size_t>(i)];
    outward(links_[static_cast<std::size_t>(link.parent)].A, {}, b, dv.data() + link.v);
  }
}

bool HeldTreeResponse::half_respond_to(std::span<const double> p, std::span<double> u, std::span<double> D_inverse_u) {
  std::ranges::fill(u, 0.0), std::ranges::fill(D_inverse_u, 0.0);
  for (int i = model_->nlink() - 1; i > 0; --i) {
    const std::size_t at = static_cast<std::size_t>(i);
    const LinkTopology& link = model_->links[i];
    const double* own = p.data() + link.v;
    Link& b = links_[at];
    if (reached_[at] == 0) {
      if (std::all_of(own, own + freedom_count(link), [](double x) { return x == 0; })) continue;
      b.P = {};
    }
    reached_[at] = 0;
    const std::size_t parent = static_cast<std::size_t>(link.parent);
    if (parent != 0 && std::exchange(reached_[parent], char(1)) == 0) links_[parent].P = {};
    pass_on(b, inward(own, {}, b), link.parent);
    for (int k = 0; k < b.free; ++k) {
      const std::size_t to = static_cast<std::size_t>(link.v + b.at[k]);
      u[to] = b.z[k], D_inverse_u[to] = b.d_inverse[k] * b.z[k];
    }
  }
  return true;
}

}  // namespace marey
