// Runge–Kutta of order 5 with an embedded error estimate of order 4 (W8: large steps in free fall, small at impact).
//
// J. R. Dormand, P. J. Prince, A family of embedded Runge–Kutta formulae, J. Comp. Appl. Math. 6 (1980) 19–26; dense
// output of order 4 and the choice of the first step after E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary
// Differential Equations I, 2nd ed. (1993), II.4–II.6. The stages work on y = (ξ, v, integrals) with ξ the local
// coordinates around the start of the step (turn.h), so that attitudes stay attitudes:
//   Y_s = y₀ + h Σ a_sr k_r,   k_s = f(t₀ + c_s h, Y_s),   y₁ = Y_7 (the last stage is the first of the next step)
//   error of the step e = h Σ e_s k_s; it counts by  ‖e‖² = mean (e_i/(absolute + relative |y_i|))²              (1)
// Integrals (works, impulses) count each by itself, at thirty times the tolerance as in src/integrate/cvodes.cpp: where all that
// moves follows scripts the state has no error, whatever the step, while its works have. The larger of the two decides,
// and the step follows h ← h · 0.9 ‖e‖^(−0.7/5) ‖e_before‖^(0.4/5), within a factor 0.2 … 5 (PI control).
#include <algorithm>
#include <cmath>
#include <limits>

#include "integrate/parts.h"

namespace marey {
namespace {

constexpr int stages = 7;
constexpr double c[stages] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
constexpr double a[stages][6] = {
    {},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};
constexpr double e[stages] = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
// The part of the dense output that the ends of the step do not fix.
constexpr double d[stages] = {-12715105075.0 / 11282082432,  0,
                              87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                              701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                              69997945.0 / 29380423};

struct Stage {
  std::vector<double> xi, v, rates;  // the derivatives of ξ, v and the integrals
};

class Rk45 final : public Method {
 public:
  Rk45(const MethodOptions& options, Flow& flow)
      : Method(flow),
        options_(options),
        q_0_(q_),
        v_0_(v_),
        q_stage_(q_),
        v_stage_(v_),
        xi_(static_cast<std::size_t>(flow.model().nv)),
        integrals_(flow.rate_count()) {
    for (Stage& k : k_) k.xi.resize(xi_.size()), k.v.resize(v_.size()), k.rates.resize(flow.rate_count());
    prepare(segment_, flow.model(), flow.rate_count(), 4, Segment::Coordinates::local, flow.state_count());
  }

  void restart(double t, std::span<const double> q, std::span<const double> v) override {
    t_ = t;
    std::copy(q.begin(), q.end(), q_.begin());
    std::copy(v.begin(), v.end(), v_.begin());
    end_known_ = false;
  }

  void step(double limit) override {
    begin();
    double& h_next = h_next_;
    if (!(h_next > 0)) h_next = first_step(limit - t_);
    for (;;) {
      const bool cut = t_ + h_next * (1 + 1e-9) >= limit;
      const double h = cut ? limit - t_ : h_next;
      const double end = cut ? limit : t_ + h, error = attempt(h, end);
      if (error <= 1) return accept(end, h, error, cut);
      ++tally_.rejected;
      h_next = h * (std::isfinite(error) ? std::max(0.2, 0.9 * std::pow(error, -0.2)) : 0.1);
      if (!(t_ + h_next > t_ + 8 * std::numeric_limits<double>::epsilon() * std::abs(t_)) || h_next < 1e-300)
        throw Error(ErrorKind::cannot_go_on, "the error cannot be kept within the tolerance, however short the step");
    }
  }

  bool retake(double s) override {
    t_ = segment_.t_0;
    const double end = t_ + s, h = end - t_;  // as a step to that limit would have it
    attempt(h, end);
    finish(end, h);
    return true;
  }

  std::vector<double> memory() const override {
    std::vector<double> x{h_next_, error_before_, end_known_ ? 1.0 : 0.0};
    x.insert(x.end(), k_[6].v.begin(), k_[6].v.end());
    x.insert(x.end(), k_[6].rates.begin(), k_[6].rates.end());
    return x;
  }
  void recall(std::span<const double> x) override {
    h_next_ = x[0], error_before_ = x[1], end_known_ = x[2] != 0;
    std::copy_n(x.begin() + 3, k_[6].v.size(), k_[6].v.begin());
    std::copy_n(x.begin() + 3 + static_cast<std::ptrdiff_t>(k_[6].v.size()), k_[6].rates.size(), k_[6].rates.begin());
  }

 private:
  void evaluate(double t, std::span<const double> xi, Stage& k) {
    local_rate_exact(flow_.model(), xi, std::span(v_stage_).first(xi.size()), k.xi);
    flow_.evaluate(t, q_stage_, v_stage_, k.v, k.rates);
    ++tally_.evaluations;
  }

  // The first stage: the end of the step before, or evaluated anew.
  void begin() {
    q_0_ = q_, v_0_ = v_;
    if (end_known_) {
      k_[0].v.swap(k_[6].v), k_[0].rates.swap(k_[6].rates);
      std::copy_n(v_0_.begin(), k_[0].xi.size(), k_[0].xi.begin());
      return;
    }
    q_stage_ = q_0_, v_stage_ = v_0_;
    std::fill(xi_.begin(), xi_.end(), 0.0);
    evaluate(t_, xi_, k_[0]);
  }

  // Fills the stages for a step of h and returns the size of its error (1). The new state is in q_stage_, v_stage_.
  double attempt(double h, double end) {
    for (int s = 1; s < stages; ++s) {
      for (std::size_t i = 0; i < xi_.size(); ++i) {
        double x = 0;
        for (int r = 0; r < s; ++r) x += a[s][r] * k_[r].xi[i];
        xi_[i] = h * x;
      }
      for (std::size_t i = 0; i < v_.size(); ++i) {
        double y = 0;
        for (int r = 0; r < s; ++r) y += a[s][r] * k_[r].v[i];
        v_stage_[i] = v_0_[i] + h * y;
      }
      advance<double>(flow_.model(), q_0_, xi_, Turn::exponential, q_stage_);
      evaluate(s == stages - 1 ? end : t_ + c[s] * h, xi_, k_[s]);
    }
    return std::max(error_of(h), error_of_integrals(h));
  }

  // Of the integrals of this step: what came before does not make them any more exact.
  double error_of_integrals(double h) const {
    double largest = 0;
    for (std::size_t i = 0; i < integrals_.size(); ++i) {
      double error = 0, change = 0;
      for (int s = 0; s < stages; ++s) {
        error += e[s] * k_[s].rates[i];
        if (s < 6) change += a[6][s] * k_[s].rates[i];
      }
      const double x = h * error / (options_.absolute + options_.relative * std::abs(h * change));
      if (!(std::abs(x) <= largest)) largest = std::abs(x);
    }
    return largest / quadrature_slack;
  }

  double error_of(double h) const {
    double sum = 0;
    for (const LinkTopology& link : flow_.model().links) {
      const int n = freedom_count(link), shift = coordinate_count(link) - n;
      const bool turns = shift > 0;  // the first three freedoms are an attitude: its size is one radian
      for (int j = 0; j < n; ++j) {
        const int i = link.v + j;
        double dx = 0, dv = 0;
        for (int s = 0; s < stages; ++s) dx += e[s] * k_[s].xi[i], dv += e[s] * k_[s].v[i];
        const double size =
            turns && j < 3 ? 1 : std::max(std::abs(q_0_[link.q + shift + j]), std::abs(q_stage_[link.q + shift + j]));
        const double x = h * dx / (options_.absolute + options_.relative * size);
        const double y =
            h * dv / (options_.absolute + options_.relative * std::max(std::abs(v_0_[i]), std::abs(v_stage_[i])));
        sum += x * x + y * y;
      }
    }
    for (std::size_t i = xi_.size(); i < v_.size(); ++i) {
      double dz = 0;
      for (int s = 0; s < stages; ++s) dz += e[s] * k_[s].v[i];
      const double size = std::max(std::abs(v_0_[i]), std::abs(v_stage_[i]));
      const double z = h * dz / (options_.absolute + options_.relative * size);
      sum += z * z;
    }
    const auto count = static_cast<double>(xi_.size() + v_.size());
    return std::sqrt(sum / std::max(2.0, count));
  }

  void accept(double t, double h, double error, bool cut) {
    const double factor =
        0.9 * std::pow(std::max(error, 1e-10), -0.7 / 5) * std::pow(std::max(error_before_, 1e-4), 0.4 / 5);
    const double wanted = h * std::clamp(factor, 0.2, 5.0);
    // A step cut short by its limit says little about the next; it may not shorten what was hoped for.
    h_next_ = cut ? std::max(h_next_, wanted) : wanted;
    error_before_ = error;
    finish(t, h);
  }

  // Makes the stages at hand the step.
  void finish(double t, double h) {
    segment_.t_0 = t_;
    segment_.h = h;
    fit(h);
    q_ = q_stage_, v_ = v_stage_;
    t_ = t;
    end_known_ = true;
  }

  // Dense output: y₀ + θ r₂ + θ(1−θ) r₃ + θ²(1−θ) r₄ + θ²(1−θ)² r₅, by powers of θ.
  void fit(double h) {
    segment_.q_0 = q_0_;
    std::fill(segment_.x.begin(), segment_.x.begin() + static_cast<std::ptrdiff_t>(xi_.size()), 0.0);
    std::copy(v_0_.begin(), v_0_.end(), segment_.v.begin());
    std::fill(segment_.integrals.begin(), segment_.integrals.begin() + static_cast<std::ptrdiff_t>(integrals_.size()),
              0.0);
    fit_rows(h, &Stage::xi, segment_.x);
    fit_rows(h, &Stage::v, segment_.v);
    fit_rows(h, &Stage::rates, segment_.integrals);
  }
  void fit_rows(double h, std::vector<double> Stage::*part, std::span<double> rows) {
    const std::size_t n = (k_[0].*part).size();
    for (std::size_t i = 0; i < n; ++i) {
      double change = 0, r_5 = 0;
      for (int s = 0; s < stages; ++s) {
        if (s < 6) change += a[6][s] * (k_[s].*part)[i];
        r_5 += d[s] * (k_[s].*part)[i];
      }
      const double r_2 = h * change, r_3 = h * (k_[0].*part)[i] - r_2, r_4 = r_2 - h * (k_[6].*part)[i] - r_3;
      r_5 *= h;
      rows[n + i] = r_2 + r_3;
      rows[2 * n + i] = -r_3 + r_4 + r_5;
      rows[3 * n + i] = -r_4 - 2 * r_5;
      rows[4 * n + i] = r_5;
    }
  }

  // A step whose error will be about right: from the sizes of y, ẏ and of the change of ẏ over a small Euler step.
  double first_step(double most) {
    const double size_y = norm_of(v_0_, v_0_), size_f = norm_of(k_[0].v, v_0_);
    double h = size_y < 1e-5 || size_f < 1e-5 ? 1e-6 : 0.01 * size_y / size_f;
    h = std::min(h, most);
    for (std::size_t i = 0; i < xi_.size(); ++i) xi_[i] = h * v_0_[i];
    for (std::size_t i = 0; i < v_.size(); ++i) v_stage_[i] = v_0_[i] + h * k_[0].v[i];
    advance<double>(flow_.model(), q_0_, xi_, Turn::exponential, q_stage_);
    evaluate(t_ + h, xi_, k_[1]);
    std::vector<double> change(v_.size());
    for (std::size_t i = 0; i < change.size(); ++i) change[i] = k_[1].v[i] - k_[0].v[i];
    const double size_2 = std::max(norm_of(change, v_0_) / h, size_f);
    const double next = size_2 <= 1e-15 ? std::max(1e-6, h * 1e-3) : std::pow(0.01 / size_2, 0.2);
    return std::min({100 * h, next, most});
  }
  // As (1), of x on the scale of y.
  double norm_of(std::span<const double> x, std::span<const double> y) const {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double r = x[i] / (options_.absolute + options_.relative * std::abs(y[i]));
      sum += r * r;
    }
    return std::sqrt(sum / std::max<double>(1, static_cast<double>(x.size())));
  }

  MethodOptions options_;
  bool end_known_ = false;
  double h_next_ = 0, error_before_ = 0;  // the step to try next, the error of the last
  Stage k_[stages];
  std::vector<double> q_0_, v_0_, q_stage_, v_stage_, xi_, integrals_;
};

}  // namespace

static std::unique_ptr<Method> make_rk45(const MethodOptions& options, Flow& flow) {
  return std::make_unique<Rk45>(options, flow);
}
extern const MethodForm rk45_method{5, false, false, make_rk45};

}  // namespace marey
