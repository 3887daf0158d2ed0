// Advancing a state in time, with rotations that stay rotations.
//
// A stepper asks a right-hand side for v̇ and for any number of rates (powers, forces); it integrates the rates with its
// own stages and weights, so that the ledger's only residual is the stepper's own error. Stepper<T> makes one fixed step,
// for every scalar; Method, for double, chooses its steps, offers dense output and is restarted at events.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "marey/dynamics.h"
#include "marey/model.h"

namespace marey {

// The methods, one line each: NAME is what a scene calls it. It is defined in a file of src/integrate, as NAME_method.
#define MAREY_INTEGRATORS(X)                                                          \
  X(euler)         /* explicit Euler, A (34)–(38) all from the start of the step */ \
  X(euler_second)  /* W (5)(6): the same, with ½ h² v̇ in the positions */         \
  X(semi_implicit) /* velocities first, then positions with the new velocities */     \
  X(rk4)           /* classical Runge–Kutta */                                      \
  X(rk45)          /* Dormand–Prince 5(4), the step chosen from the error (W8) */   \
  X(midpoint)      /* variational midpoint: for very long runs */                     \
  X(adams)         /* CVODES, variable order and step (R15: the modern DE) */         \
  X(bdf)           /* CVODES, variable order and step, implicit: for stiff impacts */
enum class Integrator {
#define MAREY_NAME(name) name,
  MAREY_INTEGRATORS(MAREY_NAME)
#undef MAREY_NAME
};
std::span<const Integrator> all_integrators();
const char* name_of(Integrator);
int order_of(Integrator);  // for methods of variable order, the highest
bool has_fixed_step(Integrator);
// Whether the method remembers many steps, so that every restart costs it something.
bool has_long_memory(Integrator);

// How a small rotation ξ (a vector in the axes of B) is applied to an attitude.
enum class Turn {
  exponential,  // R exp(ξ̃)
  first_order,  // R (1 + ξ̃), orthonormalised: A (34)(35)
};
// q_out = q ⊕ ξ, joint by joint; ξ has the layout of v. q_out may be q.
template <class T>
void advance(const Model&, std::span<const T> q, std::span<const T> xi, Turn, std::span<T> q_out);
// The same of some joints, given by their links; of the others q_out is left as it is.
template <class T>
void advance(const Model&, std::span<const LinkTopology> links, std::span<const T> q, std::span<const T> xi, Turn,
             std::span<T> q_out);
// ξ with q_1 = q_0 ⊕ ξ, the shortest way round.
template <class T>
void difference(const Model&, std::span<const T> q_0, std::span<const T> q_1, std::span<T> xi);
// Rate of the local coordinates ξ of q = q_0 ⊕ ξ when the velocity is v, to third order in ξ; and back.
template <class T>
void local_rate(const Model&, std::span<const T> xi, std::span<const T> v, std::span<T> xi_rate);
template <class T>
void local_rate(const Model&, std::span<const LinkTopology> links, std::span<const T> xi, std::span<const T> v,
                std::span<T> xi_rate);
template <class T>
void velocity_of_local_rate(const Model&, std::span<const T> xi, std::span<const T> xi_rate, std::span<T> v);

// One fixed step of the methods above. RightHandSide: void(double stage_time, span<const T> q, span<const T> v,
// span<T> vdot, span<T> rates).
//   euler          q ⊕ h v            v + h v̇                    (both from the start of the step; rotations as A (34)(35))
//   euler_second   q ⊕ (h v + ½h² v̇)   v + h v̇                    (W (5)(6))
//   semi_implicit  v′ = v + h v̇       q ⊕ h v′                   (the order in which A (32)(33), (37)(38) are printed)
//   rk4            classical, in local coordinates ξ around the start of the step (Munthe-Kaas)
template <class T>
class Stepper {
 public:
  // more: the number of states that follow the velocities (Flow::state_count).
  Stepper(const Model& model, Integrator method, std::size_t rate_count, std::size_t more = 0)
      : model_(&model),
        links_(model.links),
        method_(method),
        vdot_(static_cast<std::size_t>(model.nv) + more),
        q_stage_(model.nq),
        v_stage_(vdot_.size()),
        v_sum_(vdot_.size()),
        xi_(model.nv),
        xi_rate_(model.nv),
        xi_sum_(model.nv),
        rates_(rate_count) {}

  // Only the joints of these links move, until it is said again: v and v̇ of the others are 0. To stay alive.
  void move_only(std::span<const LinkTopology> links) { links_ = links; }

  // Advances q and v from t to t + h in place and adds h-weighted rates to `integrals`.
  template <class RightHandSide>
  void step(double t, double h, std::span<T> q, std::span<T> v, std::span<T> integrals, RightHandSide&& f) {
    if (method_ == Integrator::rk4) return step_rk4(t, h, q, v, integrals, f);
    f(t, q, v, std::span<T>(vdot_), std::span<T>(rates_));
    add(integrals, rates_, h);
    if (method_ == Integrator::euler) {
      scale(xi_, v, h);
      advance<T>(*model_, links_, q, xi_, Turn::first_order, q);
      add(v, vdot_, h);
    } else if (method_ == Integrator::euler_second) {
      scale(xi_, v, h);
      add(xi_, vdot_, 0.5 * h * h);
      advance<T>(*model_, links_, q, xi_, Turn::exponential, q);
      add(v, vdot_, h);
    } else {
      add(v, vdot_, h);
      scale(xi_, v, h);
      advance<T>(*model_, links_, q, xi_, Turn::exponential, q);
    }
  }

 private:
  static void add(std::span<T> x, std::span<const T> y, double s) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += T(s) * y[i];
  }
  static void scale(std::span<T> x, std::span<const T> y, double s) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = T(s) * y[i];
  }

  template <class RightHandSide>
  void step_rk4(double t, double h, std::span<T> q, std::span<T> v, std::span<T> integrals, RightHandSide& f) {
    if (model_->nq == model_->nv) return step_flat_rk4(t, h, q, v, integrals, f);
    constexpr double stage_time[] = {0, 0.5, 0.5, 1}, weight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    const std::size_t n = xi_.size();
    for (T& x : xi_sum_) x = T(0);
    for (std::size_t i = 0; i < n; ++i) xi_rate_[i] = v[i];         // where ξ = 0
    for (std::size_t i = 0; i < q.size(); ++i) q_stage_[i] = q[i];  // joints that do not move stay there
    for (int s = 0; s < 4; ++s) {
      const std::span<const T> v_s = s == 0 ? std::span<const T>(v) : std::span<const T>(v_stage_);
      if (s > 0) {
        advance<T>(*model_, links_, q, xi_, Turn::exponential, q_stage_);
        local_rate<T>(*model_, links_, xi_, v_s.first(n), xi_rate_);
      }
      f(t + h * stage_time[s], std::span<const T>(q_stage_), v_s, std::span<T>(vdot_), std::span<T>(rates_));
      add(integrals, rates_, h * weight[s]);
      const T w(h * weight[s]), reach(s < 3 ? h * stage_time[s + 1] : 0);
      pass_local(n, reach, w, xi_rate_.data(), xi_.data(), xi_sum_.data());
      pass_velocities(s, v.size(), reach, w, v.data(), vdot_.data(), v_stage_.data(), v_sum_.data());
    }
    advance<T>(*model_, links_, q, xi_sum_, Turn::exponential, q);
  }
  static void pass_local(std::size_t n, const T& reach, const T& w, const T* __restrict xi_rate, T* __restrict xi,
                         T* __restrict xi_sum) {
    for (std::size_t i = 0; i < n; ++i) xi_sum[i] += w * xi_rate[i], xi[i] = reach * xi_rate[i];
  }
  // v_stage is where the next stage is to be. The last pass ends the step in place.
  static void pass_velocities(int s, std::size_t size, const T& reach, const T& w, T* __restrict v,
                              const T* __restrict vdot, T* __restrict v_stage, T* __restrict v_sum) {
    if (s == 0)
      for (std::size_t i = 0; i < size; ++i) v_sum[i] = v[i] + w * vdot[i], v_stage[i] = v[i] + reach * vdot[i];
    else if (s < 3)
      for (std::size_t i = 0; i < size; ++i) v_sum[i] += w * vdot[i], v_stage[i] = v[i] + reach * vdot[i];
    else
      for (std::size_t i = 0; i < size; ++i) v[i] = v_sum[i] + w * vdot[i];
  }

  // The same where all coordinates simply add, since there is no attitude: one pass over all numbers for each stage.
  template <class RightHandSide>
  void step_flat_rk4(double t, double h, std::span<T> q, std::span<T> v, std::span<T> integrals, RightHandSide& f) {
    constexpr double stage_time[] = {0, 0.5, 0.5, 1}, weight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    const std::size_t n = q.size();
    for (int s = 0; s < 4; ++s) {
      const std::span<const T> q_s = s == 0 ? std::span<const T>(q) : std::span<const T>(q_stage_),
                               v_s = s == 0 ? std::span<const T>(v) : std::span<const T>(v_stage_);
      f(t + h * stage_time[s], q_s, v_s, std::span<T>(vdot_), std::span<T>(rates_));
      add(integrals, rates_, h * weight[s]);
      const T w(h * weight[s]), reach(s < 3 ? h * stage_time[s + 1] : 0);
      pass_coordinates(s, n, reach, w, v_s.data(), q.data(), q_stage_.data(), xi_sum_.data());
      pass_velocities(s, v.size(), reach, w, v.data(), vdot_.data(), v_stage_.data(), v_sum_.data());
    }
  }
  // v_s are the velocities of the stage; q_stage is where the next one is to be.
  static void pass_coordinates(int s, std::size_t n, const T& reach, const T& w, const T* __restrict v_s,
                               T* __restrict q, T* __restrict q_stage, T* __restrict xi_sum) {
    if (s == 0)
      for (std::size_t i = 0; i < n; ++i) xi_sum[i] = w * v_s[i], q_stage[i] = q[i] + reach * v_s[i];
    else if (s < 3)
      for (std::size_t i = 0; i < n; ++i) xi_sum[i] += w * v_s[i], q_stage[i] = q[i] + reach * v_s[i];
    else
      for (std::size_t i = 0; i < n; ++i) q[i] += xi_sum[i] + w * v_s[i];
  }

  const Model* model_;
  std::span<const LinkTopology> links_;
  Integrator method_;
  std::vector<T> vdot_, q_stage_, v_stage_, v_sum_, xi_, xi_rate_, xi_sum_, rates_;
};

// ---- one step as a curve
// The state along one step, as polynomials in θ = (t − t_0)/h ∈ [0, 1]: dense output. It serves output at requested
// times, the location of events, and the memory of delayed control.
struct Segment {
  enum class Coordinates {
    local,   // x is ξ of q = q_0 ⊕ ξ
    direct,  // x is q; quaternions are normalised
  };
  double t_0 = 0, h = 0;
  int degree = 0;
  Coordinates coordinates = Coordinates::local;
  std::vector<double> q_0;              // [nq], local coordinates only
  std::vector<double> x, v;             // [degree + 1] rows of coefficients, constant term first; v with the states
  std::vector<double> integrals;        // likewise; of the rates, since the start of the step
  mutable std::vector<double> scratch;  // [2 nv]

  double end() const { return t_0 + h; }
  // At t_0 + s. Any of the results may be empty: not wanted.
  void at(const Model&, double s, std::span<double> q, std::span<double> v, std::span<double> integrals) const;
};

// The last steps of a run, so that a controller can read past states, at the order of the method.
class History {
 public:
  History(const Model& model, double reach, std::size_t state_count = 0)
      : model_(&model), state_count_(state_count), reach_(reach) {}
  void add(const Segment& s) { add(s, s.h); }  // segments follow one another
  void add(const Segment&, double length);     // only the first part of it was used
  // Before everything that is kept: the earliest state. Before the start everything is taken to have moved as at the
  // start.
  void at(double t, std::span<double> q, std::span<double> v) const;
  // At an instant, known to within `close`, at which velocities may have jumped: before it, and after it.
  void before(double t, double close, std::span<double> q, std::span<double> v) const;
  void after(double t, double close, std::span<double> q, std::span<double> v) const;
  double begin() const;
  double end() const;
  // All its numbers, for a checkpoint.
  std::vector<std::byte> save() const;
  void restore(std::span<const std::byte>);

 private:
  const Model* model_;
  std::size_t state_count_;
  double reach_;
  // In the first segment that ends at `from` or later, or the last one.
  void at(double t, double from, std::span<double> q, std::span<double> v) const;
  std::deque<Segment> segments_;
};

// ---- methods: steps of double, fixed or chosen, with dense output
// What a method integrates between two events: smooth functions of t, q, v and of further states z, ż = f(t, q, v, z).
// The states follow the velocities: in everything that methods, segments, histories and switches exchange, v is (v, z)
// and v̇ is (v̇, ż), of nv + state_count() numbers.
class Flow {
 public:
  virtual ~Flow() = default;
  virtual const Model& model() const = 0;
  virtual std::size_t rate_count() const = 0;
  virtual std::size_t state_count() const { return 0; }
  // The links whose joints move, at present; of the others v and v̇ are 0.
  virtual std::span<const LinkTopology> moving_links() const { return model().links; }
  // v̇, and the rates to be integrated along with it.
  virtual void evaluate(double t, std::span<const double> q, std::span<const double> v, std::span<double> vdot,
                        std::span<double> rates) = 0;
  // ∂v̇/∂(q, v), exact: for each entry of v̇ a row with as many numbers as q and v have. The four numbers of a unit
  // quaternion are varied one by one; only variations that keep it a unit quaternion have a meaning.
  virtual void jacobian(double t, std::span<const double> q, std::span<const double> v, std::span<double> rows) = 0;
  // For the variational method: p = M(q) v, and v from p, both without the states; and the force dual to a shift of q
  // at constant v, g = ∂L/∂q + τ, followed by ż, with the rates of the ledger.
  virtual void momentum(std::span<const double> q, std::span<const double> v, std::span<double> p) = 0;
  virtual void velocity(std::span<const double> q, std::span<const double> p, std::span<double> v) = 0;
  virtual void force(double t, std::span<const double> q, std::span<const double> v, std::span<double> g,
                     std::span<double> rates) = 0;
  // The rows that are held by impulses at the ends of its steps, not by forces between them; null: none are.
  virtual class EndRows* end_rows() { return nullptr; }
};

// Rows J that must hold at the end of each step of the variational method: by impulses x on them at its start, which
// make its end satisfy them, and by further impulses at its end, which leave velocities that they allow.
class EndRows {
 public:
  virtual ~EndRows() = default;
  // At the start of a step. Returns how many rows there are now.
  virtual std::size_t begin(double t, std::span<const double> q, std::span<const double> v) = 0;
  // p += Jᵀ x, J at the start of the step.
  virtual void add_impulse(std::span<const double> x, std::span<double> p) const = 0;
  // A step over h that ends at q, with q_m and v_m at its middle: returns the constraint error, m or rad, and gives the
  // change of x to make.
  virtual double miss(double h, std::span<const double> q, std::span<const double> q_m, std::span<const double> v_m,
                      std::span<double> change) = 0;
  // No x was found: until the next begin() the rows are held by forces.
  virtual void give_up() = 0;
  // The step over h with the impulses x ends at q with p: adds the impulses at its end to p, and all of them to the
  // rates' integrals.
  virtual void finish(double h, std::span<const double> x, std::span<const double> q, std::span<double> p,
                      std::span<double> integrals) = 0;
};

struct MethodOptions {
  Integrator integrator = Integrator::rk4;
  // Adaptive methods: the error allowed per step, relative to the size of each coordinate and velocity, and absolute
  // (m, rad, m/s, rad/s).
  double relative = 1e-6, absolute = 1e-6;
};

struct Tally {
  long long evaluations = 0, jacobians = 0, rejected = 0;
};

// Advances a state from event to event. A step is taken, examined, perhaps retaken shorter, and then built upon.
class Method {
 public:
  virtual ~Method() = default;
  // Begins at a state, forgetting everything before it: at the start, after every event, and, where a method remembers
  // more than memory() can give, at fixed intervals of steps.
  virtual void restart(double t, std::span<const double> q, std::span<const double> v) = 0;
  // One step from where the last one ended, not beyond `limit`; fixed-step methods go exactly there. Throws
  // Error(cannot_go_on) when the tolerance cannot be met.
  virtual void step(double limit) = 0;
  // The last step again, ending after s < its length. False: the method cannot do this, and dense output must be used
  // instead.
  virtual bool retake(double s) = 0;
  // The last step as a curve (dense output). It may be computed only when it is first requested, from the flow as it
  // then is: if it is needed, request it before the flow changes.
  const Segment& segment() {
    if (curve_due_) make_curve();
    curve_due_ = false;
    return segment_;
  }
  bool curve_is_due() const { return curve_due_; }
  // Without the curve: when the last step began, how long it was, and what the rates have added up to over the whole of
  // it.
  double step_began() const { return segment_.t_0; }
  double step_length() const { return segment_.h; }
  virtual void step_integrals(std::span<double> out) { segment().at(flow_.model(), step_length(), {}, {}, out); }
  // When the last step ended, or the time of the restart.
  double t() const { return t_; }
  std::span<const double> q() const { return q_; }
  std::span<const double> v() const { return v_; }
  const Tally& tally() const { return tally_; }
  // What a one-step method knows besides the state (the step it would try next, …), for checkpoints; to be passed back
  // after a restart from the same state.
  virtual std::vector<double> memory() const { return {}; }
  virtual void recall(std::span<const double>) {}

 protected:
  explicit Method(Flow& flow);
  virtual void make_curve() {}
  Flow& flow_;
  Segment segment_;  // t_0 and h always; the curve unless it is still to be computed
  bool curve_due_ = false;
  double t_ = 0;
  std::vector<double> q_, v_;
  Tally tally_;
};
std::unique_ptr<Method> make_method(const MethodOptions&, Flow&);

// What a method is.
struct MethodForm {
  int order = 1;
  bool fixed_step = true;
  bool remembers_steps = false;  // more of them than memory() can give: runs restart it at fixed intervals of steps
  std::unique_ptr<Method> (*make)(const MethodOptions&, Flow&) = nullptr;
};
const MethodForm& form_of(Integrator);

// ---- events
// Event functions: functions of the state that are positive until the event they stand for.
class Switches {
 public:
  virtual ~Switches() = default;
  virtual std::size_t switch_count() const = 0;
  virtual void switch_values(double t, std::span<const double> q, std::span<const double> v,
                             std::span<double> values) = 0;
};
struct Event {
  double s = 0;           // since the start of the step; 0: at once
  std::size_t which = 0;  // the function that became negative
};
// Finds the first event within a step on its dense output, whatever method made it. A function may dip below zero and
// come back within the step, and may start at zero, as that of a contact does when it has just been released.
class EventLocator {
 public:
  EventLocator(const Model&, Switches&, std::size_t state_count = 0);
  bool has_switches() const { return count_ > 0; }
  // `looks`: into how many parts the step is divided to look for crossings.
  std::optional<Event> first(const Segment&, int looks);
  // The value of one function at s, or at a given state.
  double value(const Segment&, double s, std::size_t which);
  double value_at(double t, std::span<const double> q, std::span<const double> v, std::size_t which);

 private:
  std::span<double> row(int k) { return std::span(values_).subspan(static_cast<std::size_t>(k) * count_, count_); }
  void values_at(const Segment&, double s, std::span<double> values);
  std::optional<double> crossing(const Segment&, std::size_t which, int looks);
  std::optional<double> early_crossing(const Segment&, std::size_t which, double until);
  std::optional<double> dip(const Segment&, std::size_t which, double a, double m, double b);
  double root(const Segment&, std::size_t which, double positive, double negative);

  const Model* model_;
  Switches* switches_;
  std::size_t count_;
  std::vector<double> values_, scratch_, q_, v_;
};

}  // namespace marey
