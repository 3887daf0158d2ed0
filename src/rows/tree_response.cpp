// What impulses and forces do to a tree, by the articulated-body algorithm, where aba() has been.
//
// M⁻¹ τ is what aba() gives without velocity, gravity and forces from outside. Its inertias depend on the configuration
// alone, so that a workspace in which aba() has run serves for any number of right-hand sides τ: with the symbols of
// src/dynamics/aba.cpp and c = 0 what is left of its passes is
//   inward  u = τ − Sᵀ p,  p_P += shifted p + U D⁻¹ u  outward  A′ = shifted A_P,  v̇ = D⁻¹ (u − Uᵀ A′),  A = A′ + S v̇
// about 60 multiplications per link and row. What the inward pass leaves, u and D⁻¹ u, is half of the answer: src/rows/delassus.cpp
// says what it is good for. u is 0 but between the freedoms that τ names and the world. Of a free joint D is eliminated in blocks,
// with J, H, M of its articulated inertia about Bo, in B: u = (n, g), g = f − Hᵀ J⁻¹ n, and
// D⁻¹ u = (J⁻¹ n, (M − Hᵀ J⁻¹ H)⁻¹ g). Rows go inward four at a time, in the lanes of a Pack.
//
// Rows that are wrenches F on links need no τ: with p = −F, as of any force from outside, the same pass finds the same u.
#include <algorithm>
#include <array>
#include <cassert>
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
  constexpr std::size_t lanes = HalfResponse::lanes;
  F.n.x.store(x), F.n.y.store(x + lanes), F.n.z.store(x + 2 * lanes);
  F.f.x.store(x + 3 * lanes), F.f.y.store(x + 4 * lanes), F.f.z.store(x + 5 * lanes);
}

// A wrench about Bo, in B, about the parent's origin in its axes; and one without a moment.
template <class T>
MAREY_KERNEL Wrench<T> seen_from_parent(const AbaLink<double>& f, const Wrench<T>& F) {
  const Mat3<T> R = cast<T>(f.R);
  const Vec3<T> f_P = R * F.f;
  return {R * F.n + cross(cast<T>(f.r), f_P), f_P};
}
template <class T>
MAREY_KERNEL Wrench<T> force_seen_from_parent(const AbaLink<double>& f, const Vec3<T>& force) {
  const Vec3<T> f_P = cast<T>(f.R) * force;
  return {cross(cast<T>(f.r), f_P), f_P};
}
}  // namespace

void HalfResponse::prepare(std::size_t nv, std::size_t rows) {
  const std::size_t most = (rows + lanes - 1) / lanes;
  begin.reserve(most), end.reserve(most), of_one.reserve(2 * nv);
  u.resize(nv * most * lanes), D_inverse_u.resize(u.size());
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

namespace {

// The forces of a joint: given; or none.
template <class T>
struct JointForces {
  static constexpr bool act = true;
  const T* tau;
  MAREY_KERNEL Vec3<T> at(int k) const { return load_vec3(tau + k); }
  MAREY_KERNEL T less(int k, const T& x) const { return tau[k] - x; }
  MAREY_KERNEL Vec3<T> less(int k, const Vec3<T>& x) const { return at(k) - x; }
};
template <class T>
struct NoForces {
  static constexpr bool act = false;
  MAREY_KERNEL Vec3<T> at(int) const { return {}; }
  MAREY_KERNEL T less(int, const T& x) const { return -x; }
  MAREY_KERNEL Vec3<T> less(int, const Vec3<T>& x) const { return -x; }
};

// Where u and D⁻¹ u of a joint go: one after another; or, of a block of rows, each beside those of the other blocks.
struct InOrder {
  double *u, *D_inverse_u;
  MAREY_KERNEL void put(int k, double x, double D_inverse_x) const { u[k] = x, D_inverse_u[k] = D_inverse_x; }
};
struct BesideOthers {
  double *u, *D_inverse_u;
  std::size_t stride;
  MAREY_KERNEL void put(int k, const Lanes& x, const Lanes& D_inverse_x) const {
    x.store(u + static_cast<std::size_t>(k) * stride),
        D_inverse_x.store(D_inverse_u + static_cast<std::size_t>(k) * stride);
  }
};
template <class T, class Out>
MAREY_KERNEL void put3(const Out& out, int k, const Vec3<T>& u, const Vec3<T>& D_inverse_u) {
  out.put(k, u.x, D_inverse_u.x), out.put(k + 1, u.y, D_inverse_u.y), out.put(k + 2, u.z, D_inverse_u.z);
}

}  // namespace

// The inward pass at one link: what it passes on to its parent, about Bo in B, of the forces tau of its joint and of p from
// outside; u and D⁻¹ u.
template <class T, class Tau, class Out>
MAREY_KERNEL Wrench<T> TreeResponse::answer(int i, const Wrench<T>& p, const Tau& tau, const Out& out) {
  const LinkTopology& link = model_->links[i];
  const AbaLink<double>& f = factored_->links[i];
  switch (link.joint) {
    case JointType::weld:
      return p;
    case JointType::hinge:
    case JointType::slider: {
      const Vec3<T> axis = cast<T>(params_->links[i].axis);
      const T u = tau.less(0, dot(axis, link.joint == JointType::hinge ? p.n : p.f)), s = T(f.D_inverse) * u;
      out.put(0, u, s);
      return p + Wrench<T>{s * cast<T>(f.U_w), s * cast<T>(f.U_v)};
    }
    case JointType::ball: {
      const Vec3<T> n = tau.less(0, p.n), u3 = spread<T>(f.J_inverse) * n;
      put3(out, 0, n, u3);
      return {tau.at(0), p.f + transpose_times(cast<T>(f.H), u3)};
    }
    case JointType::free: {
      const Vec3<T> n = tau.less(0, p.n), u3 = spread<T>(f.J_inverse) * n;
      put3(out, 0, n, u3);
      Wrench<T> t;
      if constexpr (Tau::act) t = {tau.at(0), transpose_times(cast<T>(f.R_FB), tau.at(3))};
      const Vec3<T> g = t.f - p.f - transpose_times(cast<T>(f.H), u3);
      put3(out, 3, g, spread<T>(mobility(i)) * g);
      return t;
    }
    case JointType::point: {
      const Vec3<T> g = tau.less(0, p.f), u3 = spread<T>(inverse(f.M)) * g;
      put3(out, 0, g, u3);
      return {p.n + cast<T>(f.H) * u3, tau.at(0)};
    }
    default: {
      const AbaGeneral<double>& g = factored_->general[link.general];
      Wrench<T> passed = p;
      T u[most_freedoms];
      for (int k = 0; k < freedom_count(link); ++k) {
        u[k] = tau.less(k, power(p, Twist<T>{cast<T>(g.S[k].w), cast<T>(g.S[k].v)}));
        for (int l = 0; l < k; ++l) u[k] -= T(g.L[k][l]) * u[l];
        const T s = T(g.d_inverse[k]) * u[k];
        out.put(k, u[k], s);
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
  const Wrench<double> passed =
      answer(i, b.p, JointForces<double>{tau + link.v}, InOrder{b.u.data(), b.D_inverse_u.data()});
  if (link.parent != 0) links_[link.parent].p += seen_from_parent(factored_->links[i], passed);
}

namespace {
// Whether the outward pass takes D⁻¹ u of such joints, and not u.
bool goes_on_by_D_inverse(JointType joint) {
  return joint == JointType::ball || joint == JointType::free || joint == JointType::point;
}
}  // namespace

MAREY_KERNEL void TreeResponse::outward(int i, double* vdot) {
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
  out.freedoms = nv;
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

// What acts in joints on the way: of rows with J; or nothing.
struct ForcesOfRows {
  static constexpr bool act = true;
  const std::vector<const double*>& J;  // [blocks × lanes]
  std::array<Lanes, most_freedoms> tau;
  bool load(std::size_t block, int first, int n) {
    return load_forces(&J[block * HalfResponse::lanes], first, n, tau.data());
  }
  JointForces<Lanes> forces() const { return {tau.data()}; }
};
struct NothingInJoints {
  static constexpr bool act = false;
  static bool load(std::size_t, int, int) { return false; }
  static NoForces<Lanes> forces() { return {}; }
};

}  // namespace

// For as many rows as there ever are.
void TreeResponse::begin_half(std::size_t rows, HalfResponse& out) {
  constexpr std::size_t lanes = HalfResponse::lanes;
  const std::size_t blocks = out.blocks = (rows + lanes - 1) / lanes;
  out.links.reserve(links_.size());
  out.freedoms = 0, out.links.clear(), out.begin.assign(blocks, 0), out.end.assign(blocks, 0);
  if (out.u.size() < zero_.size() * blocks * lanes) out.prepare(zero_.size(), blocks * lanes);
  const std::size_t most = std::max(blocks, out.u.size() / std::max(zero_.size() * lanes, std::size_t{1}));
  if (J_.size() >= most * lanes) return;
  J_.resize(most * lanes), reached_.resize(links_.size() * most), waits_.resize(links_.size()), x_.resize(most * lanes);
  carried_.resize(links_.size() * most * wrench_size);
}

// Beyond the last row J is 0.
bool TreeResponse::half_respond(const RowSet& rows, HalfResponse& out) {
  constexpr std::size_t lanes = HalfResponse::lanes;
  begin_half(static_cast<std::size_t>(rows.size()), out);
  for (std::size_t r = 0; r < out.blocks * lanes; ++r)
    J_[r] = static_cast<int>(r) < rows.size() ? rows[static_cast<int>(r)].J.data() : zero_.data();
  sweep_half(ForcesOfRows{J_, {}}, out);
  return true;
}

void TreeResponse::half_respond_at(std::span<const ConstraintRow> rows, std::span<const Transform<double>> X_WB,
                                   HalfResponse& out) {
  begin_half(rows.size(), out);
  put_wrenches(rows, X_WB, out.blocks);
  sweep_half(NothingInJoints{}, out);
}

namespace {

std::span<const LinkWrench> parts_of(const ConstraintRow& row) {
  return std::span(row.parts).first(static_cast<std::size_t>(row.part_count));
}

// What a link gets of each row of a block, in lanes that are put together in registers: one by one in memory, whoever reads
// them would have to wait.
Wrench<Lanes> wrenches_on(int link, std::span<const ConstraintRow> block) {
  using W = Wrench<double>;
  static const W none{};
  std::array<const W*, HalfResponse::lanes> F{&none, &none, &none, &none};
  std::array<W, HalfResponse::lanes> sums;  // where a row has several parts on it
  for (std::size_t l = 0; l < block.size(); ++l)
    for (const LinkWrench& part : parts_of(block[l])) {
      if (part.link != link) continue;
      if (F[l] != &none) sums[l] = *F[l] + part.F_Bo_W;
      F[l] = F[l] != &none ? &sums[l] : &part.F_Bo_W;
    }
  const auto each = [&](auto number) {
    return Lanes(Lanes::Lanes{number(*F[0]), number(*F[1]), number(*F[2]), number(*F[3])});
  };
  return {{each([](const W& x) { return x.n.x; }), each([](const W& x) { return x.n.y; }),
           each([](const W& x) { return x.n.z; })},
          {each([](const W& x) { return x.f.x; }), each([](const W& x) { return x.f.y; }),
           each([](const W& x) { return x.f.z; })}};
}
static_assert(HalfResponse::lanes == 4);

}  // namespace

// −F of each row, in the axes of its links, where the sweep finds what has come from outside.
void TreeResponse::put_wrenches(std::span<const ConstraintRow> rows, std::span<const Transform<double>> X_WB,
                                std::size_t blocks) {
  constexpr std::size_t lanes = HalfResponse::lanes;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::span<const ConstraintRow> block = rows.subspan(b * lanes, std::min(lanes, rows.size() - b * lanes));
    for (const ConstraintRow& row : block)
      for (const LinkWrench& part : parts_of(row)) {
        const std::size_t link = static_cast<std::size_t>(part.link), at = link * blocks + b;
        if (part.link == 0 || std::exchange(reached_[at], char(1)) != 0) continue;
        waits_[link] = 1;
        const Wrench<Lanes> F = wrenches_on(part.link, block);
        const Mat3<Lanes> R_WB = cast<Lanes>(X_WB[link].R);
        store_wrench(carried_.data() + at * wrench_size, {-transpose_times(R_WB, F.n), -transpose_times(R_WB, F.f)});
      }
  }
}

// To what is carried at the parent. Without a force of its own a ball joint passes on no moment.
template <bool may_act, class T>
MAREY_KERNEL void TreeResponse::pass_on(int i, const Wrench<T>& passed, std::size_t to) {
  const AbaLink<double>& f = factored_->links[i];
  double* carried = carried_.data() + to * wrench_size;
  if (std::exchange(reached_[to], char(1)) == 0) std::fill_n(carried, wrench_size, 0.0);
  waits_[static_cast<std::size_t>(model_->links[i].parent)] = 1;
  const auto add = [&](const Wrench<T>& F) { store_wrench(carried, load_wrench(carried) + F); };
  if (!may_act && model_->links[i].joint == JointType::ball)
    add(force_seen_from_parent(f, passed.f));
  else
    add(seen_from_parent(f, passed));
}

// The inward pass of all blocks, from what is in carried_ where reached_ says so, and from what acts in joints.
template <class InJoints>
void TreeResponse::sweep_half(InJoints in_joints, HalfResponse& out) {
  constexpr std::size_t lanes = HalfResponse::lanes;
  const std::size_t blocks = out.blocks;
  for (int i = model_->nlink() - 1; i > 0; --i) {
    const bool waits = std::exchange(waits_[static_cast<std::size_t>(i)], char(0)) != 0;
    if (!InJoints::act && !waits) continue;  // as nearly all links of a crowd, where one figure is asked
    const LinkTopology& link = model_->links[i];
    const int n = freedom_count(link);
    const std::size_t first = out.freedoms, parent = static_cast<std::size_t>(link.parent);
    bool some = false;
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::size_t at = static_cast<std::size_t>(i) * blocks + b;
      const BesideOthers into{out.u.data() + (first * blocks + b) * lanes,
                              out.D_inverse_u.data() + (first * blocks + b) * lanes, blocks * lanes};
      const bool acted_on = in_joints.load(b, link.v, n), reached = std::exchange(reached_[at], char(0)) != 0;
      if (!acted_on && !reached) {
        for (int k = 0; k < n; ++k) into.put(k, Lanes{}, Lanes{});
        continue;
      }
      const Wrench<Lanes> p = reached ? load_wrench(carried_.data() + at * wrench_size) : Wrench<Lanes>{};
      const Wrench<Lanes> passed = answer(i, p, in_joints.forces(), into);
      if (parent != 0) pass_on<decltype(in_joints.forces())::act>(i, passed, parent * blocks + b);
      if (out.end[b] == 0) out.begin[b] = first;
      out.end[b] = first + static_cast<std::size_t>(n);
      some = true;
    }
    if (some) out.freedoms += static_cast<std::size_t>(n), out.links.push_back(i);
  }
}

// The inward pass is linear: u of impulses along all rows together is the sum of theirs.
void TreeResponse::respond_by_half(const HalfResponse& half, std::span<const double> x, std::span<double> dv) {
  constexpr std::size_t lanes = HalfResponse::lanes;
  std::copy(x.begin(), x.end(), x_.begin());
  std::fill(x_.begin() + static_cast<std::ptrdiff_t>(x.size()), x_.end(), 0.0);
  const auto sum = [&](const double* of_rows) {
    Lanes sums{};
    for (std::size_t b = 0; b < half.blocks; ++b)
      sums += Lanes::load(of_rows + b * lanes) * Lanes::load(&x_[b * lanes]);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  };
  links_[0].w_dot = links_[0].a = {};
  for (int i = 1; i < model_->nlink(); ++i) links_[i].u = links_[i].D_inverse_u = {};
  const auto at = [&](const std::vector<double>& of_rows, std::size_t k) { return &of_rows[k * half.blocks * lanes]; };
  std::size_t first = 0;
  for (const int i : half.links) {
    const std::size_t n = static_cast<std::size_t>(freedom_count(model_->links[i]));
    const bool by_D = goes_on_by_D_inverse(model_->links[i].joint);
    for (std::size_t k = 0; k < n; ++k)
      (by_D ? links_[i].D_inverse_u : links_[i].u)[k] = sum(at(by_D ? half.D_inverse_u : half.u, first + k));
    first += n;
  }
  for (int i = 1; i < model_->nlink(); ++i) outward(i, dv.data());
}

}  // namespace marey
