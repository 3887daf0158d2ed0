// Static equilibrium by sinking and Newton's method in one.
//
// f(q) is the force, dual to v, on the figure at rest: f = τ − b, with b of rnea at v = v̇ = 0 under gravity and the wrenches
// of the elements. A figure in honey sinks by D dq/ds = f(q), s some kind of time, and ends in a pose with f = 0 that is
// stable. With K = −∂f/∂ξ, the derivative along q ⊕ ξ, one implicit step of length δ is
//   (D/δ + K) ξ = f                                                                                                (1)
// Short steps follow the sinking; long ones are Newton's method, which ends the search with its quadratic convergence, also
// where K has directions of no resistance (a hanging rope may turn about itself): there f has no part. Where D/δ + ½ (K + Kᵀ)
// is not positive definite, (1) might climb to a summit; then the modes u of ½ (K + Kᵀ) u = λ D u are taken one by one, with
//   ξ = Σ u (u·f) / (1/δ + |λ|)                                                                                    (2)
// so that f·ξ > 0 always. δ grows as long as the steps are good and is cut where they are not:
//   the work of the forces on the way, ½ (f(q) + f(q ⊕ ξ))·ξ, is not to be negative: no climbing out on the other side
//   no joint turns by more than half a radian, none shifts by more than the size of the figure
// This is pseudo-transient continuation: C. T. Kelley, D. E. Keyes, SIAM J. Numer. Anal. 35 (1998) 508–523. K is exact,
// column by column, by one dual direction each. D is the inertia matrix of the figure with every link as hard to turn about
// its long axis as about the others: in local coordinates K mixes twist and swing where a link does not hang straight, and a
// thin rod would have to be turned in tiny steps.
//
// Constraints with the rows J, g = 0, leave free what is tangent to them. With M = L Lᵀ and N an orthonormal basis of what
// J L⁻ᵀ takes to zero, Z = L⁻ᵀ N spans the tangents, and the search goes on in y with ξ = Z y:
//   f_y = Zᵀ f      D_y = Zᵀ D Z      K_y = Zᵀ (K Z − ∂(Jᵀ λ)/∂ξ Z)                                                  (3)
// where λ, of f + Jᵀ λ → 0 as nearly as can be (its size as below), bends the paths: along them f changes as f + Jᵀ λ does. Its
// derivative is a difference quotient, 1e-10 exact; Newton's method needs no more. After each step the pose is put back on
// g = 0 by the shortest way in the norm of M. Rows may say the same twice; those without g (rolling) count as the others.
//
// Forces are measured by the accelerations they cause, |f|² = fᵀ M⁻¹ f; at rest is what is left below 1e-10 of the sum over
// the elements one by one and gravity on links that nothing holds.
#include "marey/sim/equilibrium.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "marey/dynamics/dense_algebra.h"
#include "marey/integrate.h"
#include "marey/plant/dual_flow.h"
#include "marey/rows/row_system.h"

namespace marey {
namespace {

constexpr int most_descents = 400;
constexpr double at_rest = 1e-10, no_better = 1e-15, longest_turn = 0.5, soft = 1e-9;
// Of constraints: |g| with which they hold, and at which putting back ends; rows that are so nearly the same count as one.
constexpr double close_enough = 1e-10, on_it = 1e-14, same = 1e-8, difference = 1e-5;
constexpr int most_corrections = 40;

// The poses that constraints allow, near one of them.
class ConstraintManifold {
 public:
  ConstraintManifold(const Model& model, std::span<const Constraint> constraints)
      : model_(model),
        constraints_(constraints),
        count_(std::accumulate(constraints.begin(), constraints.end(), 0,
                               [](int n, const Constraint& c) { return n + row_count(c); })),
        kinematics_(model),
        axes_(model),
        bias_(model),
        rows_(model, count_),
        zero_(static_cast<std::size_t>(model.nv)),
        q_(static_cast<std::size_t>(model.nq)),
        link_rows_(static_cast<std::size_t>(count_)) {}

  bool any() const { return count_ > 0; }
  // The rows at q, and their factors; M there.
  void compute_rows(std::span<const double> q, const Matrix& M);
  const Matrix& tangents() const { return Z_; }  // Z of (3)
  // f + Jᵀ λ. Keeps λ.
  Vector left_of(const Vector& f);
  // ∂(Jᵀ λ)/∂ξ Z, where compute_rows() was called.
  Matrix bending(std::span<const double> q);
  // From a little way off, with the factors of the last compute_rows(). False: it did not get there.
  bool put_back(std::vector<double>& q);

 private:
  void measure(std::span<const double> q);
  Matrix scaled_rows();  // (J L⁻ᵀ)ᵀ, each row of the length of its weight (marey/rows/row_system.h)

  const Model& model_;
  std::span<const Constraint> constraints_;
  int count_;
  Kinematics<double> kinematics_;
  MotionAxes axes_;
  BiasMotion bias_;  // at rest: zero
  RowSet rows_;
  std::vector<double> zero_, q_;
  std::vector<ConstraintRow> link_rows_;
  Matrix J_, Z_;
  Vector g_, scale_, lambda_;
  Cholesky M_;
  CompleteOrthogonal factors_;
};

void ConstraintManifold::measure(std::span<const double> q) {
  forward_kinematics<double>(model_, model_.params, q, zero_, kinematics_);
  motion_axes(model_, model_.params, kinematics_, axes_);
  const Instant<double> now{model_, 0, q, zero_, kinematics_.X_WB, kinematics_.V_WB};
  rows_.clear();
  std::size_t at = 0;
  for (const Constraint& c : constraints_) {
    const std::size_t n = static_cast<std::size_t>(row_count(c));
    constraint_rows(c, now, std::span(link_rows_).subspan(at, n));
    at += n;
  }
  J_ = Matrix(count_, model_.nv), g_ = Vector(count_);
  for (int i = 0; i < count_; ++i) {
    const ConstraintRow& row = link_rows_[static_cast<std::size_t>(i)];
    add_row(model_, row, axes_, bias_, rows_);
    for (int j = 0; j < model_.nv; ++j) J_(i, j) = rows_[i].J[static_cast<std::size_t>(j)];
    g_[i] = row.holonomic ? row.value : 0;
  }
}

Matrix ConstraintManifold::scaled_rows() {
  const Matrix B = M_.solve_lower(transpose(J_));
  scale_ = column_norms(B);
  for (int i = 0; i < count_; ++i) scale_[i] = scale_[i] > 0 ? row_weight(rows_[i]) / scale_[i] : 0;
  return columns_scaled(B, scale_);
}

void ConstraintManifold::compute_rows(std::span<const double> q, const Matrix& M) {
  measure(q);
  M_ = Cholesky(M);
  factors_ = CompleteOrthogonal(scaled_rows(), same);
  // Z Zᵀ = L⁻ᵀ (1 − B B⁺) L⁻¹, B the scaled rows: what is left of an orthonormal basis of their space.
  Z_ = M_.solve_upper(last_columns(factors_.basis(), model_.nv - factors_.rank()));
}

Vector ConstraintManifold::left_of(const Vector& f) {
  lambda_ = scaled(scale_, factors_.solve(-M_.solve_lower(f)));
  return M_.times(Z_ * transpose_times(Z_, f));
}

Matrix ConstraintManifold::bending(std::span<const double> q) {
  Matrix out(model_.nv, Z_.cols());
  for (int k = 0; k < Z_.cols(); ++k) {
    const Vector tangent(Z_.col(k));
    const double h = difference / tangent.largest();
    Vector sides[2];
    for (const int side : {0, 1}) {
      const Vector xi = (side == 0 ? h : -h) * tangent;
      advance<double>(model_, q, xi, Turn::exponential, q_);
      measure(q_);
      sides[side] = transpose_times(J_, lambda_);
    }
    const Vector slope = (sides[0] - sides[1]) / (2 * h);
    for (int i = 0; i < model_.nv; ++i) out(i, k) = slope[i];
  }
  return out;
}

bool ConstraintManifold::put_back(std::vector<double>& q) {
  double off = std::numeric_limits<double>::infinity();
  for (int round = 0; round < most_corrections; ++round) {
    measure(q);
    const double now = g_.largest();
    if (now <= on_it || (off <= close_enough && !(now < 0.5 * off))) return true;
    off = now;
    const CompleteOrthogonal shortest(transpose(scaled_rows()), same);
    Vector xi = M_.solve_upper(shortest.solve(-scaled(scale_, g_)));
    if (const double most = xi.largest(); most > longest_turn) xi *= longest_turn / most;
    if (!xi.is_finite()) return false;
    advance<double>(model_, q, xi, Turn::exponential, q_);
    q = q_;
  }
  return off <= close_enough;
}

class Search {
 public:
  Search(const Model& model, std::span<const Element> elements, std::span<const Constraint> constraints,
         const State& near)
      : model_(model),
        elements_(elements),
        manifold_(model, constraints),
        n_(model.nv),
        zero_(static_cast<std::size_t>(n_)),
        kinematics_(model),
        forces_(model),
        rnea_(model),
        aba_(model),
        dual_(model),
        xi_(zero_.size()),
        xi_dual_(zero_.size()),
        q_dual_(near.q.size()),
        q_(near.q),
        q_next_(near.q) {
    weightless_ = model.params;
    weightless_.gravity = {};
    thick_ = weightless_;
    for (LinkParams<double>& link : thick_.links) {
      const double more = 0.5 * (link.I.J.xx + link.I.J.yy + link.I.J.zz);
      link.I.J += Sym3<double>::diagonal(more, more, more);
    }
    start_modes(near);
    instant_at(near.q, kinematics_);
    for (const Transform<double>& X : kinematics_.X_WB) size_ = std::max(size_, norm(X.p - kinematics_.X_WB[0].p));
    for (std::size_t i = 1; i < model.shapes.size(); ++i)
      if (model.params.links[i].I.m > 0)
        size_ = std::max(size_, norm(model.params.links[i].I.h) / model.params.links[i].I.m);
    size_ = std::max(size_, 0.1);
  }

  Equilibrium go();

 private:
  void start_modes(const State&);
  Instant<double> instant_at(std::span<const double> q, Kinematics<double>& k) const {
    forward_kinematics<double>(model_, model_.params, q, zero_, k);
    return {model_, 0, q, zero_, k.X_WB, k.V_WB};
  }
  std::span<const double> modes_of(std::size_t e) const {
    return std::span(modes_).subspan(mode_start_[e], mode_start_[e + 1] - mode_start_[e]);
  }
  Vector force(std::span<const double> q);
  Vector net_force(std::span<const double> q);  // less what constraints take
  // (3); without constraints f, K and D as they are.
  struct Local {
    Vector f;
    Matrix K, D;
  };
  Local local(const Vector& f);
  Vector along(const Vector& y) const { return manifold_.any() ? Z_ * y : y; }
  bool go_along(const Vector& xi);  // to q_next_
  Matrix stiffness();
  Matrix inertia(const Params<double>&, std::span<const double> q);
  double size_of(const Vector& f);  // √(fᵀ M⁻¹ f)
  double scale();
  Vector downhill(const Vector& f, const Matrix& K, const Matrix& D, double delta) const;
  bool sink(const Vector& f, const Local&, double delta);
  bool stable(const Vector& f);
  void measure(Equilibrium&, const State& near, const Vector& f);

  const Model& model_;
  std::span<const Element> elements_;
  ConstraintManifold manifold_;
  Matrix Z_;  // its tangents at q_; by local()
  int n_;
  std::vector<double> zero_;
  Params<double> weightless_, thick_;
  Kinematics<double> kinematics_;
  ForceSum<double> forces_;
  RneaWorkspace<double> rnea_;
  AbaWorkspace<double> aba_;
  DualFlow dual_;
  std::vector<double> xi_;
  std::vector<Dual1> xi_dual_, q_dual_;
  std::vector<double> q_, q_next_, modes_;
  std::vector<std::size_t> mode_start_;
  double size_ = 0;  // of the figure, m
};

void Search::start_modes(const State& near) {
  std::size_t count = 0;
  for (const Element& e : elements_) mode_start_.push_back(count), count += static_cast<std::size_t>(mode_count(e));
  mode_start_.push_back(count);
  modes_.assign(count, 0.0);
  const Instant<double> now = instant_at(near.q, kinematics_);
  for (std::size_t e = 0; e < elements_.size(); ++e)
    marey::start_modes(elements_[e], now, false,
                       std::span(modes_).subspan(mode_start_[e], mode_start_[e + 1] - mode_start_[e]));
}

Vector Search::force(std::span<const double> q) {
  const Instant<double> now = instant_at(q, kinematics_);
  forces_.clear();
  for (std::size_t e = 0; e < elements_.size(); ++e) evaluate<double>(elements_[e], now, modes_of(e), forces_);
  Vector f(n_);
  rnea<double>(model_, model_.params, q, zero_, zero_, forces_.F_Bo_W, rnea_, f);
  for (int i = 0; i < n_; ++i) f[i] = forces_.tau[static_cast<std::size_t>(i)] - f[i];
  return f;
}

Vector Search::net_force(std::span<const double> q) {
  const Vector f = force(q);
  if (!manifold_.any()) return f;
  manifold_.compute_rows(q, inertia(weightless_, q));
  return manifold_.left_of(f);
}

Search::Local Search::local(const Vector& f) {
  const Matrix K = stiffness(), D = inertia(thick_, q_);
  if (!manifold_.any()) return {f, K, D};
  manifold_.compute_rows(q_, inertia(weightless_, q_));
  manifold_.left_of(force(q_));
  Z_ = manifold_.tangents();
  return {transpose_times(Z_, f), transpose_times(Z_, K * Z_ - manifold_.bending(q_)),
          transpose_times(Z_, D) * Z_};  // (3)
}

bool Search::go_along(const Vector& xi) {
  advance<double>(model_, q_, xi, Turn::exponential, q_next_);
  return !manifold_.any() || manifold_.put_back(q_next_);
}

Matrix Search::stiffness() {
  Matrix K(n_, n_);
  for (std::size_t i = 0; i < q_.size(); ++i) dual_.q[i] = Dual1(q_[i]);
  for (int column = 0; column < n_; ++column) {
    for (Dual1& x : xi_dual_) x = Dual1(0);
    xi_dual_[static_cast<std::size_t>(column)].d[0] = 1;
    advance<Dual1>(model_, dual_.q, xi_dual_, Turn::exponential, q_dual_);
    forward_kinematics<Dual1>(model_, dual_.params, q_dual_, dual_.zero, dual_.kinematics);
    const Instant<Dual1> now{model_, 0, q_dual_, dual_.zero, dual_.kinematics.X_WB, dual_.kinematics.V_WB};
    dual_.forces.clear();
    for (std::size_t e = 0; e < elements_.size(); ++e) evaluate<Dual1>(elements_[e], now, modes_of(e), dual_.forces);
    rnea<Dual1>(model_, dual_.params, q_dual_, dual_.zero, dual_.zero, dual_.forces.F_Bo_W, dual_.rnea, dual_.out);
    for (int i = 0; i < n_; ++i)
      K(i, column) = dual_.out[static_cast<std::size_t>(i)].d[0] - dual_.forces.tau[static_cast<std::size_t>(i)].d[0];
  }
  return K;
}

Matrix Search::inertia(const Params<double>& params, std::span<const double> q) {
  Matrix M(n_, n_);
  for (int column = 0; column < n_; ++column) {
    xi_.assign(xi_.size(), 0.0);
    xi_[static_cast<std::size_t>(column)] = 1;
    rnea<double>(model_, params, q, zero_, xi_, {}, rnea_, M.col(column));
  }
  return symmetric_part(M);
}

double Search::size_of(const Vector& f) {
  aba<double>(model_, weightless_, q_, zero_, {f, {}}, aba_, xi_);
  return std::sqrt(std::max(0.0, f.dot(Vector(xi_))));
}

double Search::scale() {
  Vector f(n_);
  double mass = 0;
  for (const LinkParams<double>& link : model_.params.links) mass += link.I.m;
  double sum = norm(model_.params.gravity) * std::sqrt(mass);
  const Instant<double> now = instant_at(q_, kinematics_);
  for (std::size_t e = 0; e < elements_.size(); ++e) {
    forces_.clear();
    evaluate<double>(elements_[e], now, modes_of(e), forces_);
    rnea<double>(model_, weightless_, q_, zero_, zero_, forces_.F_Bo_W, rnea_, f);
    for (int i = 0; i < n_; ++i) f[i] -= forces_.tau[static_cast<std::size_t>(i)];
    sum += size_of(f);
  }
  return sum;
}

// ξ of (1), or of (2).
Vector Search::downhill(const Vector& f, const Matrix& K, const Matrix& D, double delta) const {
  const Matrix symmetric = symmetric_part(K);
  if (Cholesky(D / delta + symmetric).ok()) return LU(D / delta + K).solve(f);
  const Spectrum modes = spectrum(symmetric, D);
  if (!modes.found) return Vector(f.size(), std::numeric_limits<double>::quiet_NaN());
  Vector softness(f.size());
  for (int i = 0; i < f.size(); ++i) softness[i] = 1 / (1 / delta + std::abs(modes.values[i]));
  return modes.vectors * scaled(softness, transpose_times(modes.vectors, f));
}

// One step; false: it is no good, and a shorter one is to be tried.
bool Search::sink(const Vector& f, const Local& here, double delta) {
  const Vector xi = along(downhill(here.f, here.K, here.D, delta));
  if (!xi.is_finite()) return false;
  for (const LinkTopology& link : model_.links) {
    const bool slides = link.joint == JointType::slider || link.joint == JointType::point;
    for (int k = 0; k < freedom_count(link); ++k) {
      const bool shift = slides || (link.joint == JointType::free && k >= 3) ||
                         (link.general >= 0 && model_.coordinates[link.general][static_cast<std::size_t>(k)].is_length);
      if (std::abs(xi[link.v + k]) > (shift ? size_ : longest_turn)) return false;
    }
  }
  if (!go_along(xi)) return false;
  if (!((f + net_force(q_next_)).dot(xi) >= -1e-12 * std::abs(f.dot(xi)))) return false;
  q_ = q_next_;
  return true;
}

// Whether K resists in all directions. Where it seems not to, the softest direction is tried: at the corner of a torque
// function K is that of one side only.
bool Search::stable(const Vector& f) {
  const auto [at_rest_force, K, D] = local(f);
  if (K.rows() == 0) return true;
  const Spectrum modes = spectrum(symmetric_part(K), D);
  if (!modes.found) return false;
  if (modes.values[0] >= -soft * modes.values.largest()) return true;
  const Vector softest = along(Vector(modes.vectors.col(0))), u = softest / softest.largest();
  for (const double side : {1e-5, -1e-5}) {
    const Vector xi = side * u;
    if (!go_along(xi) || !(net_force(q_next_).dot(xi) < 0)) return false;
  }
  return true;
}

void Search::measure(Equilibrium& e, const State& near, const Vector& f) {
  Kinematics<double> before(model_);
  instant_at(near.q, before);
  instant_at(q_, kinematics_);
  // Accelerations of the links if they were let go: twists of M⁻¹ f.
  aba<double>(model_, weightless_, q_, zero_, {f, {}}, aba_, xi_);
  Kinematics<double> leaving(model_);
  forward_kinematics<double>(model_, model_.params, q_, xi_, leaving);
  for (int i = 1; i < model_.nlink(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double moved = norm(kinematics_.X_WB[k].p - before.X_WB[k].p);
    const Quaternion<double> d = quaternion_of(transpose(before.X_WB[k].R) * kinematics_.X_WB[k].R);
    const double turned = 2 * std::atan2(std::hypot(d.x, d.y, d.z), d.w);
    if (moved > e.moved) e.moved = moved, e.moved_link = i;
    if (turned > e.turned) e.turned = turned, e.turned_link = i;
    const Inertia<double>& I = model_.params.links[k].I;
    const Vec3<double> c = I.m > 0 ? kinematics_.X_WB[k].R * ((1 / I.m) * I.h) : Vec3<double>{};
    const double a = norm(leaving.V_WB[k].v + cross(leaving.V_WB[k].w, c));
    if (a > e.restless || e.restless_link == 0) e.restless = a, e.restless_link = i;
  }
}

Equilibrium Search::go() {
  Equilibrium out;
  const State near{0, q_, zero_};
  bool allowed = true;  // by the constraints
  if (manifold_.any()) {
    manifold_.compute_rows(q_, inertia(weightless_, q_));
    allowed = manifold_.put_back(q_);
  }
  Vector f = net_force(q_);
  double left = size_of(f), whole = scale(), delta = 1e-2;
  for (; out.rounds < most_descents && left > 0; ++out.rounds) {
    const std::vector<double> before = q_;
    const Local here = local(f);
    while (delta > 1e-16 && !sink(f, here, delta)) delta /= 4;
    if (!(delta > 1e-16)) break;
    f = net_force(q_);
    const double now = size_of(f);
    whole = scale();
    // At rest, and no better for the last step, or as good as numbers allow.
    if (left <= at_rest * whole && now > 0.5 * left) {
      if (now > left) q_ = before;
      break;
    }
    if (now <= no_better * whole) break;
    left = now;
    delta *= 8;
  }
  f = net_force(q_);
  left = size_of(f);
  out.acceleration = whole > 0 ? left / whole : 0;
  out.found = allowed && left <= at_rest * whole;
  out.stable = out.found && stable(f);
  measure(out, near, f);
  out.state = {0, q_, zero_};
  return out;
}

}  // namespace

Equilibrium find_equilibrium(const Model& model, std::span<const Element> elements,
                             std::span<const Constraint> constraints, const State& near) {
  return Search(model, elements, constraints, near).go();
}

std::string describe(const Model& model, const Equilibrium& e) {
  const auto name = [&](int link) { return model.names[static_cast<std::size_t>(link)]; };
  if (!e.found)
    return fmt::format(
        "no equilibrium near the given pose: after {} rounds and a way of {:.3g} m, '{}' would still be driven on with "
        "{:.3g} m/s^2; expected something that holds it, such as a joint to the world, a support or a spring",
        e.rounds, e.moved, name(e.restless_link), e.restless);
  std::string way = "it was there already";
  if (e.moved > 0 || e.turned > 0) {
    way = e.moved > 0 ? fmt::format("'{}' moved by {:.3g} m", name(e.moved_link), e.moved) : "";
    if (e.turned > 0)
      way += fmt::format("{}'{}' turned by {:.3g} deg", way.empty() ? "" : ", ", name(e.turned_link),
                         e.turned * 180 / std::numbers::pi);
  }
  return fmt::format("the equilibrium was found in {} rounds: {}{}", e.rounds, way,
                     e.stable ? "" : "; it is unstable, and the slightest push ends it");
}

}  // namespace marey
