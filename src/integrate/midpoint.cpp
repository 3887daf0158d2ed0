// A variational method for very long runs: the midpoint rule on the rotation group.
//
// From the discrete Lagrangian L_d(q₀, q₁) = h L(q_m, ξ/h) with q₁ = q₀ ⊕ ξ and q_m = q₀ ⊕ ξ/2 (J. E. Marsden, M. West,
// Discrete mechanics and variational integrators, Acta Numerica 10 (2001) 357–514): it is symplectic, so that the energy
// error stays bounded, and keeps the momenta that the figure's symmetries keep, exactly. Frames: ξ, momenta and forces of
// an attitude are in the axes of B. Variations δR = R η̃ of the ends give, with E = exp(ξ̃/2),
//   δξ = J_r⁻¹(ξ) η₁ − J_l⁻¹(ξ) η₀,    η_m = Eᵀ η₀ + ½ J_r(ξ/2) δξ
// where J_r, J_l are the right and left Jacobians of the exponential. With π = ∂L/∂v and g = ∂L/∂q + τ at the middle,
// p₁·η₁ − p₀·η₀ = π·δξ + h g·η_m for all η, and ½ J_l⁻¹(ξ) J_l(ξ/2) = (1 + E)⁻¹ = ½ (1 − k̃), k = tan(|ξ|/4) ξ/|ξ|:
//   p₀ = J_r⁻¹(ξ) π − ½h (g + k × g)                                                                             (1)
//   p₁ = J_l⁻¹(ξ) π + ½h (g − k × g)                                                                             (2)
//   J_r⁻¹(ξ) x = x + ½ ξ×x + c ξ×(ξ×x),   J_l⁻¹(ξ) x = x − ½ ξ×x + c ξ×(ξ×x)        (c: turn.h)
// For plain coordinates: p₀ = π − ½h g, p₁ = π + ½h g. (1) is solved for ξ with M(q_m)/h in the place of its derivative,
// which contracts by about (hω/2)²; where that is slow, by Newton's method with difference quotients. It is solved when
// its residual is round-off of its terms, or, where large forces cancel and the terms are round-off themselves, when it
// falls no further and moves nothing that places have digits for.
//
// What holds at the ends of steps (constraints) belongs to the discrete Lagrangian as g(q₁)·λ₁: impulses on its rows J where
// a step starts and where it ends (SHAKE and RATTLE; E. Hairer, C. Lubich, G. Wanner, Geometric numerical integration,
// 2nd ed., VII.1),
//   p₀ + J(q₀)ᵀ λ in the place of p₀ in (1), with λ such that g(q₁) = 0;   p₁ + J(q₁)ᵀ μ, with μ such that J v₁ + ∂g/∂t = 0
// which keeps it symplectic, and keeps the momenta that the rows keep. λ is found by Newton's method with h J M⁻¹ Jᵀ at q₀.
//
// States beside q and v follow the implicit midpoint rule along with it: z₁ = 2 z_m − z₀ with
//   z_m = z₀ + ½h ż(t_m, q_m, ξ/h, z_m)                                                                          (3)
#include <algorithm>
#include <cmath>
#include <limits>

#include "integrate/parts.h"
#include "marey/dynamics/dense_algebra.h"
#include "marey/integrate/turn.h"

namespace marey {
namespace {

constexpr int most_simple = 25, most_newton = 25, most_rounds = 40;
constexpr double held = 1e-13;    // m, rad: off by less, rows hold
constexpr double hardly = 1e-9;   // and by more, they do not
constexpr double farthest = 1e3;  // from where nothing comes back

// (1) and (2) for one attitude; `end` is −1 at the start of the step and +1 at its end.
Vec3<double> end_momentum(const Vec3<double>& xi, const Vec3<double>& pi, const Vec3<double>& g, double h, double end) {
  const double angle = norm(xi), quarter = 0.25 * angle;
  const Vec3<double> k = (angle > 0 ? std::tan(quarter) / angle : 0.25) * xi;
  return local_rate_exact(-end * xi, pi) + 0.5 * h * (end * g - cross(k, g));
}

class Midpoint final : public Method {
 public:
  explicit Midpoint(Flow& flow)
      : Method(flow),
        n_(static_cast<std::size_t>(flow.model().nv)),
        all_(v_.size()),
        memory_(2 * n_),
        q_0_(q_),
        v_0_(v_),
        p_0_(n_),
        q_m_(q_),
        v_m_(all_),
        pi_(n_),
        g_(all_),
        xi_(n_),
        half_(n_),
        residual_(all_),
        change_(n_),
        rates_(flow.rate_count()),
        integrals_(flow.rate_count()) {
    prepare(segment_, flow.model(), flow.rate_count(), 3, Segment::Coordinates::local, flow.state_count());
  }

  void restart(double t, std::span<const double> q, std::span<const double> v) override {
    t_ = t;
    std::copy(q.begin(), q.end(), q_.begin());
    std::copy(v.begin(), v.end(), v_.begin());
    flow_.momentum(q_, std::span(v_).first(n_), momentum());
    std::copy_n(v.begin(), n_, earlier_velocity().begin());
  }

  void step(double limit) override {
    q_0_ = q_, v_0_ = v_;
    std::copy(momentum().begin(), momentum().end(), p_0_.begin());
    segment_.t_0 = t_;
    go(limit);
    std::copy_n(v_0_.begin(), n_, earlier_velocity().begin());
  }

  bool retake(double s) override {
    t_ = segment_.t_0;
    go(segment_.t_0 + s);
    return true;
  }

  std::vector<double> memory() const override { return memory_; }
  void recall(std::span<const double> x) override { std::copy(x.begin(), x.end(), memory_.begin()); }

 private:
  // p where the last step ended, and v where it began, for the first guess.
  std::span<double> momentum() { return std::span(memory_).first(n_); }
  std::span<double> earlier_velocity() { return std::span(memory_).subspan(n_, n_); }

  void go(double t) {
    h_ = t - segment_.t_0;
    guess();
    EndRows* rows = flow_.end_rows();
    x_.assign(rows != nullptr ? rows->begin(segment_.t_0, q_0_, v_0_) : 0, 0.0);
    if (!x_.empty() && !meet(*rows)) {
      rows->give_up();
      x_.clear();
      guess();
    }
    if (x_.empty()) {
      p_start_ = p_0_;
      move();
    }
    ends(+1, momentum());
    // What is left of (1) is handed on, so that momenta do not wander by round-off.
    for (std::size_t i = 0; i < n_; ++i) momentum()[i] += residual_[i];
    for (std::size_t i = 0; i < rates_.size(); ++i) integrals_[i] = h_ * rates_[i];
    if (!x_.empty()) rows->finish(h_, x_, q_, momentum(), integrals_);
    flow_.velocity(q_, momentum(), std::span(v_).first(n_));
    for (std::size_t i = n_; i < all_; ++i) v_[i] = 2 * v_m_[i] - v_0_[i];  // (3)
    t_ = t;
    segment_.h = h_;
    fit_cubic(flow_.model(), {q_0_, v_0_, {}, {}, q_, v_, {}, {}, integrals_}, segment_);
  }

  void guess() {
    for (std::size_t i = 0; i < n_; ++i) xi_[i] = h_ * (1.5 * v_0_[i] - 0.5 * earlier_velocity()[i]);
    std::copy(v_0_.begin() + static_cast<std::ptrdiff_t>(n_), v_0_.end(),
              v_m_.begin() + static_cast<std::ptrdiff_t>(n_));
  }

  // From q₀ with p_start_ to q_.
  bool moves() {
    if (!solve_simply() && !solve_by_newton()) return false;
    advance<double>(flow_.model(), q_0_, xi_, Turn::exponential, q_);
    return true;
  }
  void move() {
    if (!moves())
      throw Error(ErrorKind::cannot_go_on,
                  "the implicit equations of the midpoint rule have no solution near by: the "
                  "step is too long for the forces that act");
  }

  // To where the rows hold: λ in x_. False where there is no such λ near by: a mechanism goes through a place where its rows
  // say the same, and what they lack is given by the velocity that it comes with.
  bool meet(EndRows& rows) {
    double before = std::numeric_limits<double>::infinity();
    change_of_x_.resize(x_.size());
    for (int round = 0;; ++round) {
      p_start_ = p_0_;
      rows.add_impulse(x_, p_start_);
      if (!moves()) return false;
      const double off = rows.miss(h_, q_, q_m_, v_m_, change_of_x_);
      if (off <= held || (off <= hardly && off > 0.5 * before)) return true;
      if (round == most_rounds || !(off < farthest) || (round > 2 && off > before)) return false;
      before = off;
      for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += change_of_x_[i];
    }
  }

  // The right-hand sides of (1), (2) at the ξ last looked at.
  void ends(double end, std::span<double> p) const {
    for (const LinkTopology& link : flow_.model().links) {
      const int n = freedom_count(link), turning = coordinate_count(link) > n ? 3 : 0;
      if (turning > 0) {
        const auto part = [&](const std::vector<double>& x) {
          return Vec3<double>{x[link.v], x[link.v + 1], x[link.v + 2]};
        };
        const Vec3<double> x = end_momentum(part(xi_), part(pi_), part(g_), h_, end);
        for (int k = 0; k < 3; ++k) p[link.v + k] = x[k];
      }
      for (int i = link.v + turning; i < link.v + n; ++i) p[i] = pi_[i] + end * 0.5 * h_ * g_[i];
    }
  }

  // p₀ less what (1) says for xi_, and its size relative to p.
  double compute_residual() {
    const double t_m = segment_.t_0 + 0.5 * h_;
    for (std::size_t i = 0; i < n_; ++i) half_[i] = 0.5 * xi_[i], v_m_[i] = xi_[i] / h_;
    advance<double>(flow_.model(), q_0_, half_, Turn::exponential, q_m_);
    flow_.momentum(q_m_, std::span(v_m_).first(n_), pi_);
    flow_.force(t_m, q_m_, v_m_, g_, rates_);
    ++tally_.evaluations;
    ends(-1, residual_);
    for (std::size_t i = 0; i < n_; ++i) residual_[i] = p_start_[i] - residual_[i];
    for (std::size_t i = n_; i < all_; ++i) residual_[i] = v_0_[i] + 0.5 * h_ * g_[i] - v_m_[i];
    const double of_states =
        relative_residual(n_, all_, [&](std::size_t i) { return std::max(std::abs(v_0_[i]), std::abs(v_m_[i])); });
    return std::max(of_states, relative_residual(0, n_, [&](std::size_t i) {
                      return std::max({std::abs(p_start_[i]), std::abs(pi_[i]), std::abs(h_ * g_[i])});
                    }));
  }
  // The largest residual over the largest term of a range of the equations.
  template <class Term>
  double relative_residual(std::size_t from, std::size_t to, Term term) const {
    double worst = 0, size = std::numeric_limits<double>::min();
    for (std::size_t i = from; i < to; ++i) {
      size = std::max(size, term(i));
      if (!std::isfinite(residual_[i])) return std::numeric_limits<double>::infinity();  // max() would pass over a NaN
      worst = std::max(worst, std::abs(residual_[i]));
    }
    return worst / size;
  }

  // Whether the residual is round-off: it falls no further.
  static bool solved(double now, double before) { return now < 4e-16 || (now < 1e-12 && now > 0.5 * before); }
  // Whether what it asks for moves nothing.
  bool moves_nothing(double now) {
    if (!std::isfinite(now)) return false;
    double place = 1e-3, shift = 0;
    for (const double x : q_0_) place = std::max(place, std::abs(x));
    flow_.velocity(q_m_, std::span(residual_).first(n_), change_);
    for (const double x : change_) {
      if (!std::isfinite(x)) return false;  // max() would pass over a NaN
      shift = std::max(shift, std::abs(h_ * x));
    }
    for (std::size_t i = n_; i < all_; ++i)
      if (!(std::abs(residual_[i]) <= 4 * std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(v_m_[i]))))
        return false;
    return shift < 4 * std::numeric_limits<double>::epsilon() * place;
  }

  bool solve_simply() {
    double before = std::numeric_limits<double>::infinity();
    for (int k = 0; k < most_simple; ++k) {
      const double now = compute_residual();
      if (solved(now, before)) return true;
      if (!(now < before) && k > 2) return moves_nothing(now);
      before = now;
      flow_.velocity(q_m_, std::span(residual_).first(n_), change_);
      for (std::size_t i = 0; i < n_; ++i) xi_[i] += h_ * change_[i];
      for (std::size_t i = n_; i < all_; ++i) v_m_[i] += residual_[i];
    }
    return false;
  }

  bool solve_by_newton() {
    for (std::size_t i = 0; i < n_; ++i) xi_[i] = h_ * v_0_[i];
    for (std::size_t i = n_; i < all_; ++i) v_m_[i] = v_0_[i];
    double before = std::numeric_limits<double>::infinity();
    for (int k = 0; k < most_newton; ++k) {
      const double now = compute_residual();
      if (solved(now, before)) return true;
      if (!std::isfinite(now)) return false;
      before = now;
      newton_change();
    }
    return false;
  }
  void newton_change() {
    const int n = static_cast<int>(all_);
    Matrix J(n, n);
    const Vector r(residual_);
    const auto unknown = [&](int j) -> double& {
      const auto i = static_cast<std::size_t>(j);
      return i < n_ ? xi_[i] : v_m_[i];
    };
    for (int j = 0; j < n; ++j) {
      const double kept = unknown(j), d = 1e-7 * std::max(std::abs(kept), 1e-3);
      unknown(j) = kept + d;
      compute_residual();
      unknown(j) = kept;
      for (int k = 0; k < n; ++k) J(k, j) = (r[k] - residual_[static_cast<std::size_t>(k)]) / d;
    }
    const Vector x = LU(J).solve(r);
    for (int j = 0; j < n; ++j) unknown(j) += x[j];
  }

  std::size_t n_, all_;  // of the velocities, and with the states
  double h_ = 0;
  std::vector<double> memory_;
  std::vector<double> x_, change_of_x_;  // λ
  std::vector<double> p_start_;          // p₀ with the impulses where the step starts
  std::vector<double> q_0_, v_0_, p_0_, q_m_, v_m_, pi_, g_, xi_, half_, residual_, change_, rates_, integrals_;
};

}  // namespace

static std::unique_ptr<Method> make_midpoint(const MethodOptions&, Flow& flow) {
  return std::make_unique<Midpoint>(flow);
}
extern const MethodForm midpoint_method{2, true, false, make_midpoint};

}  // namespace marey
