#include "sim/kept_matrices.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "marey/contact/cone_of_three.h"
#include "marey/core.h"
#include "marey/dynamics/place.h"
#include "sim/kept_columns.h"

namespace marey {

namespace {

constexpr int most_corrections = 8;
constexpr double momentum_bound = 9e-14;                // of the largest of Jᵀ P
constexpr double nearly = 8;                            // times that: what is mended alone
constexpr double map_enough = 1e-10, map_bound = 1e-9;  // of the natural map; the certificate's is 1e-8
constexpr int most_refreshed = 2;                       // times in one solution that slopes of f are found anew
constexpr double most_failures = 5;                     // that count

// In as many lanes as a register has; not a number where one of them is none.
double largest_of(std::span<const double> x) {
  std::array<double, 8> most{}, sums{};
  std::size_t k = 0;
  const auto look = [&](double value, std::size_t l) {
    most[l] = value > most[l] ? value : most[l];
    sums[l] += value;
  };
  for (; k + 8 <= x.size(); k += 8)
    for (std::size_t l = 0; l < 8; ++l) look(std::abs(x[k + l]), l);
  for (; k < x.size(); ++k) look(std::abs(x[k]), 0);
  double sum = 0;
  for (const double part : sums) sum += part;
  return std::isnan(sum) ? sum : *std::ranges::max_element(most);
}
}  // namespace

KeptMatrices::KeptMatrices(const Model& coordinates, const ImplicitJoints& joints)
    : model_(coordinates),
      joints_(joints),
      nv_(static_cast<std::size_t>(coordinates.nv)),
      axes_(coordinates),
      V_0_(coordinates.links.size()),
      V_mean_(V_0_),
      A_0_(V_0_),
      B_(coordinates.links.size()),
      heavy_(coordinates.links.size()),
      V_(coordinates.links.size()),
      F_(coordinates.links.size()),
      F_of_points_(coordinates.links.size()),
      v_guess_(nv_),
      x_(nv_),
      r_(nv_),
      JP_(nv_),
      dv_(2 * stride_of(nv_)) {
  std::vector<double> ways(coordinates.links.size());
  for (std::size_t i = 1; i < ways.size(); ++i) {
    const auto parent = static_cast<std::size_t>(coordinates.links[i].parent);
    ways[i] = parent == 0 ? 0 : ways[parent] + norm(coordinates.params.links[i].l);
    longest_ = std::max(longest_, ways[i]);
  }
}

void KeptMatrices::forget() { valid_ = known_ = pending_ = miss_.known = next_miss_.known = 0, keys_.clear(); }

void KeptMatrices::begin_step() {
  if (std::exchange(pending_, 0.0) == 0) return;
  std::rotate(impulses_.begin(), impulses_.end() - 1, impulses_.end());
  known_ = std::min(known_ + 1, 3.0);
  std::swap(miss_, next_miss_);
  next_miss_.known = 0;
}

bool KeptMatrices::serve(const SteppedContacts& contacts) const {
  if (valid_ == 0 || known_ == 0 || age_ >= most_age || !contacts.are_plain_points()) return false;
  const std::span<const TouchingPoint> points = contacts.points();
  if (points.size() != keys_.size()) return false;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const TouchingPoint& c = points[i];
    if (c.key != keys_[i] || (c.slides ? c.law.friction_kinetic : c.law.friction_static) != friction_[i]) return false;
  }
  return true;
}

// As plant.axes(), but that lengths and kinds of axes, which do not change where joints have none of their own, are found once.
void KeptMatrices::place_axes(Plant& plant) {
  if (!model_.general.empty() || !std::exchange(knows_axes_, true)) return plant.axes(axes_);
  const Kinematics<double>& k = plant.kinematics();
  for (std::size_t i = 1; i < heavy_.size(); ++i) {
    const LinkTopology& link = model_.links[i];
    axes_.ways[i].r = k.X_WB[i].p - k.X_WB[static_cast<std::size_t>(link.parent)].p;
    joint_motions(model_, plant.coordinates().params, k, static_cast<int>(i), axes_.S_W.data() + link.v);
  }
}

void KeptMatrices::place(Plant& plant, const SteppedContacts& contacts) {
  const Kinematics<double>& k = plant.kinematics();
  place_axes(plant);
  gravity_ = plant.figure().params.gravity;
  std::ranges::copy(k.V_WB, V_0_.begin());
  weigh_elsewhere();
  for (std::size_t i = 1; i < heavy_.size(); ++i) {
    const Inertia<double>& I = plant.figure().params.links[i].I;
    heavy_[i] = {I.m, k.X_WB[i].R * I.h, congruence(k.X_WB[i].R, I.J)};
  }
  const std::size_t n = 3 * contacts.points().size();
  points_.clear(), offset_.assign(n, 0.0), u_minus_.resize(n), u_.resize(n);
  for (const TouchingPoint& c : contacts.points()) {
    const auto from = [&](int link) {
      return link == 0 ? Vec3<double>{} : c.p_WoC_W - k.X_WB[static_cast<std::size_t>(link)].p;
    };
    const std::size_t row = 3 * points_.size();
    points_.push_back({{{{c.link_b, 1, from(c.link_b)}, {c.link_a, -1, from(c.link_a)}}}, c.axes_W});
    offset_[row] = contacts.plain_offset(c);
    std::copy_n(contacts.u_minus().data() + c.first, 3, u_minus_.data() + row);
  }
}

// ---- used
void KeptMatrices::guess(const std::array<double, 3>& way, std::span<double> v_plus) {
  const std::size_t n = rows();
  const bool all = known_ >= (way[2] != 0 ? 3 : way[1] != 0 ? 2 : 1);
  P_.resize(n), plain_guess_.resize(nv_ + n), way_ = way;
  for (std::size_t r = 0; r < n; ++r) {
    P_[r] = all ? way[0] * impulses_[0][r] : impulses_[0][r];
    if (all && way[1] != 0) P_[r] += way[1] * impulses_[1][r];
    if (all && way[2] != 0) P_[r] += way[2] * impulses_[2][r];
  }
  std::ranges::copy(v_plus, plain_guess_.begin());
  std::ranges::copy(P_, plain_guess_.begin() + static_cast<std::ptrdiff_t>(nv_));
  if (miss_.known != 0 && miss_.way == way) {
    for (std::size_t k = 0; k < nv_; ++k) v_plus[k] += miss_.all[k];
    for (std::size_t r = 0; r < n; ++r) P_[r] += miss_.all[nv_ + r];
  }
  keep_shares();
  project();
}

// (4), twice.
void KeptMatrices::keep_shares() {
  const std::size_t n = rows(), stride = stride_of(n);
  g_.resize(2 * stride);
  double *apart = g_.data(), *scaled = g_.data() + stride;
  for (std::size_t r = 0; r < n; ++r) apart[r] = P_[r] - shared_[r];
  for (int times = 0; times < 2; ++times) {
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const double scale = mode_of(i) == Mode::open ? 0 : redundant / rho_[i];
      for (std::size_t k = 3 * i; k < 3 * i + 3; ++k) scaled[k] = scale * apart[k];
    }
    multiply_columns_of(stride / 8, G_inverse_.data(), n, scaled, apart);
  }
  for (std::size_t r = 0; r < n; ++r) P_[r] -= apart[r];
}

void KeptMatrices::project() {
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    double p[3] = {P_[3 * i], P_[3 * i + 1], P_[3 * i + 2]};
    project_three(friction_[i], p, P_.data() + 3 * i);
  }
}

// Σ |¼ h (v⁺ − v⁻)| is an angle by which nothing has turned more, between q and q̄.
double KeptMatrices::felt_of_middle(std::span<const double> v_minus, std::span<const double> v_plus, double h) const {
  if (!model_.general.empty()) return unbounded;
  std::array<double, 8> turns{}, speeds{};  // sums in as many lanes as a register has
  const auto add = [&](std::size_t k, std::size_t l) {
    turns[l] += std::abs(v_plus[k] - v_minus[k]);
    const double after = std::abs(v_plus[k]), before = std::abs(v_minus[k]);
    speeds[l] += after > before ? after : before;
  };
  std::size_t k = 0;
  for (; k + 8 <= nv_; k += 8)
    for (std::size_t l = 0; l < 8; ++l) add(k + l, l);
  for (; k < nv_; ++k) add(k, 0);
  double turned = 0, turning = 0;
  for (std::size_t l = 0; l < 8; ++l) turned += 0.25 * h * turns[l], turning += speeds[l];
  return h * turned * (norm(gravity_) + turning * turning * (1 + longest_));
}

void KeptMatrices::weigh_elsewhere() {
  std::ranges::fill(B_, Wrench<double>{});
  moved_ = false;
}

std::span<const Twist<double>> KeptMatrices::weigh(std::span<const double> v_minus, std::span<const double> v_plus,
                                                   double h) {
  for (std::size_t k = 0; k < nv_; ++k) x_[k] = v_plus[k] - v_minus[k];
  link_motions(model_, axes_, x_, V_);
  moved_ = true;
  for (std::size_t i = 0; i < V_.size(); ++i) V_mean_[i] = {V_0_[i].w + 0.5 * V_[i].w, V_0_[i].v + 0.5 * V_[i].v};
  weigh_links(model_, axes_, heavy_, gravity_, h, V_mean_, A_0_, B_);
  return V_mean_;
}

// r of (1), u of (2), and for the first time Jᵀ P, by one way outward and one inward.
template <bool first>
void KeptMatrices::measure(std::span<const double> v_plus, std::span<const double> v_minus,
                           std::span<const double> impulse) {
  if (!first || !moved_) {
    for (std::size_t k = 0; k < nv_; ++k) x_[k] = v_plus[k] - v_minus[k];
    link_motions(model_, axes_, x_, V_);
  }
  for (std::size_t i = 1; i < F_.size(); ++i) {
    const HeavyLink& I = heavy_[i];
    const Twist<double>& V = V_[i];
    F_[i] = {B_[i].n - (I.J * V.w + cross(I.h, V.v)), B_[i].f - (I.m * V.v - cross(I.h, V.w))};
  }
  if constexpr (first) std::ranges::fill(F_of_points_, Wrench<double>{});
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const Point& c = points_[i];
    double* u = u_.data() + 3 * i;
    const double *P = P_.data() + 3 * i, *before = u_minus_.data() + 3 * i;
    const Vec3<double> f = P[0] * c.axes_W[0] + P[1] * c.axes_W[1] + P[2] * c.axes_W[2];
    Vec3<double> d;
    for (const Side& side : c.sides) {
      if (side.link == 0) continue;
      const auto link = static_cast<std::size_t>(side.link);
      const Wrench<double> on{side.sign * cross(side.r, f), side.sign * f};
      d += side.sign * (V_[link].v + cross(V_[link].w, side.r));
      F_[link] += on;
      if constexpr (first) F_of_points_[link] += on;
    }
    for (std::size_t k = 0; k < 3; ++k) u[k] = before[k] + dot(c.axes_W[k], d);
  }
  for (int i = model_.nlink() - 1; i > 0; --i) {
    const LinkTopology& link = model_.links[static_cast<std::size_t>(i)];
    const MotionAxes::Way& way = axes_.ways[static_cast<std::size_t>(i)];
    const Wrench<double>&F = F_[static_cast<std::size_t>(i)], &P = F_of_points_[static_cast<std::size_t>(i)];
    for (int k = link.v; k < link.v + freedom_count(link); ++k) {
      const auto at = static_cast<std::size_t>(k);
      const Twist<double>& S = axes_.S_W[at];
      r_[at] = impulse[at] + (way.shifts != 0 ? power(F, S) : dot(F.n, S.w));
      if constexpr (first) JP_[at] = way.shifts != 0 ? power(P, S) : dot(P.n, S.w);
    }
    if (link.parent == 0) continue;
    F_[static_cast<std::size_t>(link.parent)] += shifted(F, way.r);
    if constexpr (first) F_of_points_[static_cast<std::size_t>(link.parent)] += shifted(P, way.r);
  }
  if constexpr (first) return;  // from the guess itself
  for (std::size_t k = 0; k < nv_; ++k) x_[k] = v_guess_[k] - v_plus[k];
  joints_.add_slopes(blocks_, x_, r_);
}

// f of (2)
void KeptMatrices::find_law() {
  f_.resize(rows());
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const double *P = P_.data() + 3 * i, *u = u_.data() + 3 * i;
    double* f = f_.data() + 3 * i;
    const Mode mode = mode_of(i);
    if (mode == Mode::open) {
      for (std::size_t k = 0; k < 3; ++k) f[k] = P[k];
      continue;
    }
    f[0] = u[0] + offset_[3 * i];
    if (mode == Mode::edge) {
      const double* slope = f_u_.data() + 4 * i;
      const double along[2] = {P[1] - (slope[0] * P[1] + slope[1] * P[2]), P[2] - (slope[2] * P[1] + slope[3] * P[2])};
      const double length = std::hypot(along[0], along[1]);
      const double part = length > 0 ? (1 - friction_[i] * P[0] / length) / rho_[i] : 0;
      for (std::size_t k = 0; k < 2; ++k) f[1 + k] = slope[2 * k] * u[1] + slope[2 * k + 1] * u[2] + part * along[k];
      continue;
    }
    const double slip = std::sqrt(u[1] * u[1] + u[2] * u[2]);
    for (std::size_t k = 1; k < 3; ++k)
      f[k] = mode == Mode::sticks ? u[k] : (slip * P[k] + friction_[i] * P[0] * u[k]) / scale_[i];
  }
}

// (3)
void KeptMatrices::correct(std::span<double> v_plus) {
  const std::size_t n = rows(), stride = stride_of(n), wide = stride_of(nv_);
  g_.resize(2 * stride);
  find_law();
  double *Xr = g_.data(), *dP = g_.data() + stride, *dv = dv_.data(), *X_dP = dv_.data() + wide;
  multiply_columns_of(stride / 8, X_.data(), nv_, r_.data(), Xr);
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    double* f = f_.data() + 3 * i;
    const double *own = Xr + 3 * i, *slope = f_u_.data() + 4 * i;
    const Mode mode = mode_of(i);
    if (mode == Mode::open) continue;
    f[0] += own[0];
    for (std::size_t k = 0; k < 2; ++k)
      f[1 + k] += mode == Mode::sticks ? own[1 + k] : slope[2 * k] * own[1] + slope[2 * k + 1] * own[2];
  }
  multiply_columns_of(stride / 8, G_inverse_.data(), n, f_.data(), dP);
  multiply_columns_of(wide / 8, N_.data(), nv_, r_.data(), dv);
  multiply_columns_of(wide / 8, X_rows_.data(), n, dP, X_dP);
  for (std::size_t k = 0; k < nv_; ++k) v_plus[k] += dv[k] - X_dP[k];
  for (std::size_t i = 0; i < n; ++i) P_[i] -= dP[i];
  project();
}

// (3) with dP = 0, where the laws hold and only (1) does not yet: what that does to u is far less.
void KeptMatrices::correct_momenta(std::span<double> v_plus) {
  multiply_columns_of(stride_of(nv_) / 8, N_.data(), nv_, r_.data(), dv_.data());
  for (std::size_t k = 0; k < nv_; ++k) v_plus[k] += dv_[k];
}

// |P − Proj_K(P − ρ (u + φ n))|/(ρ scale), the largest. What is within the cone keeps its place there, and is told so without a root.
double KeptMatrices::natural_map(double scale, int& worst) const {
  double most = 0;  // its square
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const double *P = P_.data() + 3 * i, *u = u_.data() + 3 * i, rho = rho_[i], mu = friction_[i];
    const double phi = mu * std::sqrt(u[1] * u[1] + u[2] * u[2]), w = u[0] + offset_[3 * i] + phi;
    const double p[3] = {P[0] - rho * w, P[1] - rho * u[1], P[2] - rho * u[2]};
    double map = w * w + u[1] * u[1] + u[2] * u[2];
    if (!(p[0] > 0 && mu * mu * p[0] * p[0] >= p[1] * p[1] + p[2] * p[2])) {
      double y[3], sum = 0;
      project_three(mu, p, y);
      for (std::size_t k = 0; k < 3; ++k) sum += (P[k] - y[k]) * (P[k] - y[k]);
      map = sum / (rho * rho);
    }
    if (!(map <= most) && !std::isnan(most)) most = map, worst = static_cast<int>(i);
  }
  return std::sqrt(most) / scale;
}

// Matrices are found anew only after a while, the longer the more often these have failed.
bool KeptMatrices::fail() {
  valid_ = 0;
  failures_ = std::min(failures_ + 1, most_failures);
  rest_ = std::exp2(failures_) - 2;
  return false;
}

bool KeptMatrices::solve(std::span<const double> v_minus, std::span<const double> impulse, SteppedContacts& contacts,
                         std::span<double> v_plus) {
  std::ranges::copy(v_plus, v_guess_.begin());
  const double scale = contacts.plain_scale();
  double before = unbounded, map = 0, most = 0;
  int worst = -1, refreshed = 0;
  for (int k = 0;; ++k) {
    k == 0 ? measure<true>(v_plus, v_minus, impulse) : measure<false>(v_plus, v_minus, impulse);
    if (k == 0) most = largest_of(JP_);
    momentum_error_ = most > 0 ? largest_of(r_) / most : unbounded;
    const bool goes_on = k == 0 && momentum_error_ > momentum_bound;  // whatever the laws say
    if (!goes_on) map = natural_map(scale, worst);
    const double left = std::max(momentum_error_ / momentum_bound, map / map_bound);
    if (!std::isfinite(left)) return fail();
    if (momentum_error_ <= momentum_bound && map <= map_enough) break;
    if (k == most_corrections || (k > 1 && !(left < 10 * before))) {
      if (left <= 1) break;
      return fail();
    }
    const double rate = left / before;
    if (k > 0 && left * rate * rate * rate > 1 && refreshed++ < most_refreshed && !find_slopes()) return fail();
    before = left;
    if (k > 0 && map <= map_enough && momentum_error_ <= nearly * momentum_bound)
      correct_momenta(v_plus);
    else
      correct(v_plus);  // what is not finite then shows in what is left
  }
  contacts.take_plain_answer(P_, u_, map, worst);
  failures_ = 0;
  return true;
}

// ---- checkpoints
template <class Visit>
void KeptMatrices::for_vectors(Visit visit) {
  for (std::vector<double>* x : {&friction_, &rho_, &mode_, &scale_, &blocks_, &f_u_, &shared_, &impulses_[0],
                                 &impulses_[1], &impulses_[2], &impulses_[3], &miss_.all, &next_miss_.all})
    visit(*x);
  for (AlignedDoubles* x : {&N_, &X_, &A_, &G_inverse_}) visit(*x);
}

void KeptMatrices::save(std::vector<double>& out) const {
  for (const double x : {valid_, known_, pending_, failures_, rest_, age_}) out.push_back(x);
  for (const Miss* miss : {&miss_, &next_miss_}) {
    out.push_back(miss->known);
    out.insert(out.end(), miss->way.begin(), miss->way.end());
  }
  out.push_back(static_cast<double>(keys_.size()));
  for (const ContactKey& k : keys_)
    for (const int x : {k.a, k.b, k.part_a, k.part_b, k.kind_a, k.feature_a, k.kind_b, k.feature_b})
      out.push_back(static_cast<double>(x));
  KeptMatrices(*this).for_vectors([&](auto& x) {
    out.push_back(static_cast<double>(x.size()));
    out.insert(out.end(), x.begin(), x.end());
  });
}

void KeptMatrices::recall(std::span<const double> all) {
  std::size_t at = 0;
  const auto next = [&](double most) {
    if (at == all.size() || !(std::abs(all[at]) <= most))
      throw Error(ErrorKind::bad_input, "the checkpoint is damaged: it speaks of matrices that cannot be");
    return all[at++];
  };
  const auto count = [&](std::size_t most) {
    return static_cast<std::size_t>(std::abs(next(static_cast<double>(most))));
  };
  for (double* x : {&valid_, &known_, &pending_}) *x = next(3);
  for (double* x : {&failures_, &rest_}) *x = next(64);
  age_ = next(most_age);
  for (Miss* miss : {&miss_, &next_miss_}) {
    miss->known = next(1);
    for (double& factor : miss->way) factor = next(8);
  }
  keys_.resize(count(most_rows_kept / 3));
  for (ContactKey& k : keys_)
    for (int* x : {&k.a, &k.b, &k.part_a, &k.part_b, &k.kind_a, &k.feature_a, &k.kind_b, &k.feature_b})
      *x = static_cast<int>(next(std::numeric_limits<int>::max()));
  for_vectors([&](auto& x) {
    x.resize(count(all.size()));
    for (double& value : x) value = next(unbounded);
  });
  if (at != all.size() || !fits()) throw Error(ErrorKind::bad_input, "the checkpoint belongs to another scene");
  if (valid_ != 0) find_X_rows();
}

// Whether all numbers are as many as they have to be.
bool KeptMatrices::fits() const {
  const std::size_t points = keys_.size(), stride = stride_of(rows());
  for (int k = 0; k < static_cast<int>(known_); ++k)
    if (impulses_[static_cast<std::size_t>(k)].size() != rows()) return false;
  if (pending_ != 0 && impulses_.back().size() != rows()) return false;
  for (const Miss* miss : {&miss_, &next_miss_})
    if (miss->known != 0 && miss->all.size() != nv_ + rows()) return false;
  if (valid_ == 0) return true;
  return friction_.size() == points && rho_.size() == points && mode_.size() == points && scale_.size() == points &&
         N_.size() == nv_ * stride_of(nv_) && blocks_.size() == joints_.block_count() && X_.size() == nv_ * stride &&
         A_.size() == rows() * stride && G_inverse_.size() == rows() * stride && f_u_.size() == 4 * points &&
         shared_.size() == rows();
}

}  // namespace marey
