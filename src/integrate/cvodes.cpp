// Adams and BDF methods of variable order and step: CVODES of SUNDIALS, as a Method.
//
// A. C. Hindmarsh et al., SUNDIALS: Suite of nonlinear and differential/algebraic equation solvers, ACM Trans. Math.
// Softw. 31 (2005) 363–396; R. Serban, A. C. Hindmarsh, CVODES (2005). Adams (orders 1 … 12, fixed-point iteration) is
// for smooth motion at high accuracy, BDF (orders 1 … 5, Newton's method with the exact Jacobian) for stiff forces.
//
// The equations are y = (q, v), ẏ = (q̇, v̇), with the four numbers of a quaternion as they are:
//   q̇ = ½ q ⊗ (0, w)   w: angular velocity in the axes of B                                                       (1)
//   v̇ = a(t, q/|q|, v)                                                                                            (2)
// (1) keeps |q|, but for the errors of the method; since (2) only sees q/|q|, these turn nothing. With u = q/|q|,
//   ∂v̇/∂q = ∂a/∂u (1 − u uᵀ)/|q|                                                                                  (3)
// A small rotation ξ changes q by ½ |q| |ξ|: the tolerance of a quaternion's number is ½ |q| (absolute + relative), an
// angle's size being one radian. The rates are quadratures: in most motions they follow the steps. Where nothing moves but
// forces change (a block that sticks while it is pulled) the state would allow a step of any length; so they have a say,
// at thirty times the tolerance at work.
//
// At order p the error of a step, ∝ h^(p+1), is kept at the tolerance ε; over a given time these errors add up to one
// ∝ h^p ∝ ε^(p/(p+1)). Adams' orders are high enough not to mind. BDF, of order 5 at most, works with a finer one,
//   ε (ε/10⁻³)^(1/5)                                                                                                (4)
// so that asking for ten times less error gives ten times less. The errors of the many short steps of a multistep method
// have mostly the same sign, and those of the rates are watched loosely: of either method's tolerance it takes
//   a tenth                                                                                                         (5)
// which brings both to about the error at the end, and the residual of the ledger, that rk45 has at the same tolerance.
//
// Dense output: CVODES keeps the polynomial of its current order; its derivatives at the end of the step are a Taylor
// polynomial about the end, which is moved to the start, in powers of θ.
#include <cvodes/cvodes.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "integrate/parts.h"

namespace marey {
namespace {

constexpr int most_order = 12;
constexpr double caution = 0.1;         // (5)
constexpr double never = 1e9;           // s: so far ahead that no step ends there
constexpr double shortest_part = 1e-3;  // of a planned step, if what its limit leaves of it is to be remembered

struct Free {
  void operator()(SUNContext x) const { SUNContext_Free(&x); }
  void operator()(N_Vector x) const { N_VDestroy(x); }
  void operator()(SUNMatrix x) const { SUNMatDestroy(x); }
  void operator()(SUNLinearSolver x) const { SUNLinSolFree(x); }
  void operator()(SUNNonlinearSolver x) const { SUNNonlinSolFree(x); }
  void operator()(void* x) const { CVodeFree(&x); }
};
// Owner of one of the pointers of SUNDIALS.
template <class Pointer>
using Owned = std::unique_ptr<std::remove_pointer_t<Pointer>, Free>;

std::string what_went_wrong(int flag) {
  switch (flag) {
    case CV_TOO_MUCH_ACC:
      return "the tolerance is finer than the numbers of the state can be told apart";
    case CV_ERR_FAILURE:
      return "the error cannot be kept within the tolerance, however short the step";
    case CV_CONV_FAILURE:
      return "the implicit equations of a step have no solution near by, however short the step";
    case CV_LSETUP_FAIL:
    case CV_LSOLVE_FAIL:
      return "the linear equations of a step cannot be solved";
    case CV_RHSFUNC_FAIL:
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR:
    case CV_QRHSFUNC_FAIL:
    case CV_FIRST_QRHSFUNC_ERR:
    case CV_REPTD_QRHSFUNC_ERR:
    case CV_UNREC_QRHSFUNC_ERR:
      return "the accelerations or the powers are not finite";
    default: {
      char* name = CVodeGetReturnFlagName(flag);
      const std::string text = std::string("CVODES stopped with ") + name;
      std::free(name);
      return text;
    }
  }
}

double norm_of_quaternion(const double* q) { return std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]); }

// (1)
void quaternion_rate(const double* q, const double* w, double* rate) {
  rate[0] = 0.5 * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]);
  rate[1] = 0.5 * (q[0] * w[0] - q[3] * w[1] + q[2] * w[2]);
  rate[2] = 0.5 * (q[3] * w[0] + q[0] * w[1] - q[1] * w[2]);
  rate[3] = 0.5 * (-q[2] * w[0] + q[1] * w[1] + q[0] * w[2]);
}

// The polynomial Σ row_k x^k in powers of x − e, row by row (Horner's scheme, again and again).
void move_origin(std::span<double> rows, std::size_t n, int degree, double e) {
  for (int i = 0; i < degree; ++i)
    for (int k = degree - 1; k >= i; --k) {
      double* row = rows.data() + static_cast<std::size_t>(k) * n;
      for (std::size_t j = 0; j < n; ++j) row[j] += e * row[n + j];
    }
}

class Cvodes final : public Method {
 public:
  Cvodes(const MethodOptions& options, Flow& flow);
  void restart(double t, std::span<const double> q, std::span<const double> v) override;
  void step(double limit) override;
  // The history of a multistep method has moved on.
  bool retake(double) override { return false; }

 private:
  void create();
  void attach_solver();
  void begin();
  void creep(double limit);
  void take_state(const double* y);
  void fill_segment(double t_0);
  void count_rejected();
  void check(int flag);

  // What CVODES calls.
  int derivative(double t, const double* y, double* ydot);
  int rates(double t, const double* y, double* out);
  int jacobian(double t, const double* y, SUNMatrix J);
  int weights(const double* y, double* out) const;
  // An exception may not pass through C: it waits until CVODES has come back.
  template <class Call>
  static int guarded(void* self, Call&& call) noexcept;

  bool finite(std::span<const double> x);
  bool unit_attitudes(const double* y);
  void q_rates(const double* y, double* rate) const;
  void q_rate_rows(const double* y, SUNMatrix J) const;
  void vdot_rows(const double* y, SUNMatrix J) const;

  MethodOptions options_;
  std::size_t nq_, nv_, nr_, n_;  // nv: with the states behind the velocities; n: of y
  Owned<SUNContext> context_;
  Owned<N_Vector> y_, dky_, integrals_, dky_integrals_;
  Owned<SUNMatrix> matrix_;
  Owned<SUNLinearSolver> linear_;
  Owned<SUNNonlinearSolver> nonlinear_;
  std::unique_ptr<void, Free> cvode_;
  std::exception_ptr thrown_;
  bool fresh_ = true;        // no step since the restart
  bool not_finite_ = false;  // an evaluation of this step was not
  long error_fails_ = 0, solver_fails_ = 0;
  std::vector<double> unit_;                 // [nq] q with unit quaternions
  std::vector<double> vdot_, rates_, rows_;  // scratch; rows: [nv] of nq + nv
};

Cvodes::Cvodes(const MethodOptions& options, Flow& flow)
    : Method(flow),
      options_(options),
      nq_(q_.size()),
      nv_(v_.size()),
      nr_(flow.rate_count()),
      n_(std::max<std::size_t>(1, nq_ + nv_)),  // a figure that cannot move still has its rates: one idle number
      unit_(nq_),
      vdot_(nv_),
      rates_(nr_),
      rows_(options.integrator == Integrator::bdf ? nv_ * (nq_ + nv_) : 0) {
  double finer = caution;
  if (options.integrator == Integrator::bdf)  // (4)
    finer *= std::pow(std::min(1.0, std::max(options.relative, options.absolute) / 1e-3), 0.2);
  // Not so fine that it cannot be told apart, unless asked for.
  constexpr double finest = 8 * std::numeric_limits<double>::epsilon();
  const auto tightened = [&](double asked) { return std::max(finer * asked, std::min(asked, finest)); };
  options_.relative = tightened(options.relative), options_.absolute = tightened(options.absolute);
  SUNContext context = nullptr;
  if (SUNContext_Create(nullptr, &context) != 0) throw std::bad_alloc();
  context_.reset(context);
  const auto vector = [&](std::size_t n) {
    Owned<N_Vector> x(N_VNew_Serial(static_cast<sunindextype>(n), context));
    if (!x) throw std::bad_alloc();
    N_VConst(0, x.get());
    return x;
  };
  y_ = vector(n_), dky_ = vector(n_);
  if (nr_ > 0) integrals_ = vector(nr_), dky_integrals_ = vector(nr_);
  prepare(segment_, flow.model(), nr_, most_order, Segment::Coordinates::direct, flow.state_count());
  segment_.degree = 1;
}

template <class Call>
int Cvodes::guarded(void* self, Call&& call) noexcept {
  auto& method = *static_cast<Cvodes*>(self);
  try {
    return call(method);
  } catch (...) {
    method.thrown_ = std::current_exception();
    return -1;
  }
}

void Cvodes::create() {
  cvode_.reset(CVodeCreate(options_.integrator == Integrator::adams ? CV_ADAMS : CV_BDF, context_.get()));
  if (!cvode_) throw std::bad_alloc();
  void* m = cvode_.get();
  // What it has to say is said by what_went_wrong().
  check(CVodeSetErrHandlerFn(
      m, [](int, const char*, const char*, char*, void*) {}, nullptr));
  check(CVodeInit(
      m,
      [](double t, N_Vector y, N_Vector ydot, void* self) {
        return guarded(self,
                       [&](Cvodes& x) { return x.derivative(t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot)); });
      },
      t_, y_.get()));
  check(CVodeSetUserData(m, this));
  check(CVodeWFtolerances(m, [](N_Vector y, N_Vector weights, void* self) {
    return guarded(self, [&](Cvodes& x) { return x.weights(N_VGetArrayPointer(y), N_VGetArrayPointer(weights)); });
  }));
  attach_solver();
  if (nr_ == 0) return;
  check(CVodeQuadInit(
      m,
      [](double t, N_Vector y, N_Vector rates, void* self) {
        return guarded(self, [&](Cvodes& x) { return x.rates(t, N_VGetArrayPointer(y), N_VGetArrayPointer(rates)); });
      },
      integrals_.get()));
  const double looser = quadrature_slack * std::max(options_.relative, options_.absolute);
  check(CVodeQuadSStolerances(m, looser, looser));
  check(CVodeSetQuadErrCon(m, SUNTRUE));
}

void Cvodes::attach_solver() {
  void* m = cvode_.get();
  if (options_.integrator == Integrator::adams) {
    nonlinear_.reset(SUNNonlinSol_FixedPoint(y_.get(), 0, context_.get()));
    check(CVodeSetNonlinearSolver(m, nonlinear_.get()));
    return;
  }
  const auto n = static_cast<sunindextype>(n_);
  nonlinear_.reset(SUNNonlinSol_Newton(y_.get(), context_.get()));
  matrix_.reset(SUNDenseMatrix(n, n, context_.get()));
  linear_.reset(SUNLinSol_Dense(y_.get(), matrix_.get(), context_.get()));
  check(CVodeSetNonlinearSolver(m, nonlinear_.get()));
  // Above order 2 BDF is not stable for all stiff swings: CVODES watches for that, and lowers the order.
  check(CVodeSetStabLimDet(m, SUNTRUE));
  check(CVodeSetLinearSolver(m, linear_.get(), matrix_.get()));
  check(CVodeSetJacFn(m, [](double t, N_Vector y, N_Vector, SUNMatrix J, void* self, N_Vector, N_Vector, N_Vector) {
    return guarded(self, [&](Cvodes& x) { return x.jacobian(t, N_VGetArrayPointer(y), J); });
  }));
}

// ---- steps
void Cvodes::restart(double t, std::span<const double> q, std::span<const double> v) {
  t_ = t;
  std::copy(q.begin(), q.end(), q_.begin());
  std::copy(v.begin(), v.end(), v_.begin());
  begin();
}

// Begins at t_, q_, v_.
void Cvodes::begin() {
  double* y = N_VGetArrayPointer(y_.get());
  std::copy(q_.begin(), q_.end(), y);
  std::copy(v_.begin(), v_.end(), y + nq_);
  if (nr_ > 0) N_VConst(0, integrals_.get());
  if (!cvode_) {
    create();
  } else {
    check(CVodeReInit(cvode_.get(), t_, y_.get()));
    if (nr_ > 0) check(CVodeQuadReInit(cvode_.get(), integrals_.get()));
  }
  fresh_ = true;
  error_fails_ = solver_fails_ = 0;
}

void Cvodes::step(double limit) {
  const double t_0 = t_;
  // CVODES does not begin with a step of a few units in the last place of t.
  constexpr double tiny = 200 * std::numeric_limits<double>::epsilon();
  if (fresh_ && std::isfinite(limit) && limit - t_ <= tiny * std::max(std::abs(t_), std::abs(limit)))
    return creep(limit);
  double planned = 0;
  if (!fresh_) check(CVodeGetCurrentStep(cvode_.get(), &planned));
  // From where it is asked to go CVODES also takes a first idea of how long a step may be.
  const double stop = std::isfinite(limit) ? limit : t_ + never, ahead = std::isfinite(limit) ? limit : t_ + 1;
  check(CVodeSetStopTime(cvode_.get(), stop));
  not_finite_ = false;
  const int flag = CVode(cvode_.get(), ahead, y_.get(), &t_, CV_ONE_STEP);
  count_rejected();
  if (flag < 0) t_ = t_0;
  check(flag);
  // Steps too short to be told apart in t only earn a warning there.
  if (!(t_ > t_0)) check(not_finite_ ? CV_REPTD_RHSFUNC_ERR : CV_ERR_FAILURE);
  fresh_ = false;
  fill_segment(t_0);
  take_state(N_VGetArrayPointer(y_.get()));
  // Differences over next to no time are rounding, and the steps after would be built on them.
  if (t_ - t_0 < shortest_part * planned) begin();
}

// One step of Euler's method, over a time in which nothing else can be told.
void Cvodes::creep(double limit) {
  const double h = limit - t_, t_0 = t_;
  double* y = N_VGetArrayPointer(y_.get());
  double* ydot = N_VGetArrayPointer(dky_.get());
  const int flag = guarded(this, [&](Cvodes& x) { return x.derivative(t_0, y, ydot); });
  check(flag == 0 ? CV_SUCCESS : CV_RHSFUNC_FAIL);
  segment_.t_0 = t_0, segment_.h = h, segment_.degree = 1;
  const auto line = [&](std::vector<double>& rows, std::size_t n, const double* x, const double* rate) {
    for (std::size_t i = 0; i < n; ++i) rows[i] = x == nullptr ? 0 : x[i], rows[n + i] = h * rate[i];
  };
  line(segment_.x, nq_, y, ydot);
  line(segment_.v, nv_, y + nq_, ydot + nq_);
  line(segment_.integrals, nr_, nullptr, rates_.data());
  for (std::size_t i = 0; i < nq_ + nv_; ++i) y[i] += h * ydot[i];
  t_ = limit;
  take_state(y);
  begin();
}

void Cvodes::take_state(const double* y) {
  std::copy(y, y + nq_, q_.begin());
  std::copy(y + nq_, y + nq_ + nv_, v_.begin());
  normalize_attitudes(flow_.model(), q_);
  // Over very many steps the errors may add up to a quaternion much longer or shorter than one.
  for (const LinkTopology& link : flow_.model().links) {
    if (!has_attitude(link.joint)) continue;
    const double length = norm_of_quaternion(y + link.q);
    if (!(length > 0.5 && length < 2)) return begin();
  }
}

void Cvodes::fill_segment(double t_0) {
  segment_.t_0 = t_0;
  segment_.h = t_ - t_0;
  double t_n = 0;
  check(CVodeGetLastOrder(cvode_.get(), &segment_.degree));
  check(CVodeGetCurrentTime(cvode_.get(), &t_n));
  const double* dky = N_VGetArrayPointer(dky_.get());
  double scale = 1;  // h^k/k!
  for (int k = 0; k <= segment_.degree; ++k) {
    if (k > 0) scale *= segment_.h / k;
    const auto put = [&](std::vector<double>& rows, std::size_t n, const double* derivatives) {
      double* row = rows.data() + static_cast<std::size_t>(k) * n;
      for (std::size_t i = 0; i < n; ++i) row[i] = scale * derivatives[i];
    };
    check(CVodeGetDky(cvode_.get(), t_n, k, dky_.get()));
    put(segment_.x, nq_, dky);
    put(segment_.v, nv_, dky + nq_);
    if (nr_ == 0) continue;
    check(CVodeGetQuadDky(cvode_.get(), t_n, k, dky_integrals_.get()));
    put(segment_.integrals, nr_, N_VGetArrayPointer(dky_integrals_.get()));
  }
  const double e = segment_.h > 0 ? (t_0 - t_n) / segment_.h : 0;
  move_origin(segment_.x, nq_, segment_.degree, e);
  move_origin(segment_.v, nv_, segment_.degree, e);
  move_origin(segment_.integrals, nr_, segment_.degree, e);
  std::fill(segment_.integrals.begin(), segment_.integrals.begin() + static_cast<std::ptrdiff_t>(nr_), 0.0);
}

void Cvodes::count_rejected() {
  long error_fails = 0, solver_fails = 0;
  CVodeGetNumErrTestFails(cvode_.get(), &error_fails);
  CVodeGetNumStepSolveFails(cvode_.get(), &solver_fails);
  tally_.rejected += error_fails - error_fails_ + solver_fails - solver_fails_;
  error_fails_ = error_fails, solver_fails_ = solver_fails;
}

void Cvodes::check(int flag) {
  if (flag >= 0) return;
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  throw Error(ErrorKind::cannot_go_on, what_went_wrong(flag));
}

// ---- what CVODES asks; 0: done, 1: not here, perhaps with a shorter step
bool Cvodes::finite(std::span<const double> x) {
  const bool yes = std::all_of(x.begin(), x.end(), [](double a) { return std::isfinite(a); });
  if (!yes) not_finite_ = true;
  return yes;
}

bool Cvodes::unit_attitudes(const double* y) {
  std::copy(y, y + nq_, unit_.begin());
  normalize_attitudes(flow_.model(), unit_);
  return finite(unit_);
}

void Cvodes::q_rates(const double* y, double* rate) const {
  const double* v = y + nq_;
  for (const LinkTopology& link : flow_.model().links) {
    const int turning = has_attitude(link.joint) ? 3 : 0, shift = turning > 0 ? 1 : 0;
    if (turning > 0) quaternion_rate(y + link.q, v + link.v, rate + link.q);
    for (int i = turning; i < freedom_count(link); ++i) rate[link.q + shift + i] = v[link.v + i];
  }
}

int Cvodes::derivative(double t, const double* y, double* ydot) {
  if (!unit_attitudes(y)) return 1;
  ++tally_.evaluations;
  flow_.evaluate(t, unit_, {y + nq_, nv_}, vdot_, rates_);
  if (!finite(vdot_)) return 1;
  std::fill(ydot, ydot + n_, 0.0);
  q_rates(y, ydot);
  std::copy(vdot_.begin(), vdot_.end(), ydot + nq_);
  return 0;
}

int Cvodes::rates(double t, const double* y, double* out) {
  if (!unit_attitudes(y)) return 1;
  ++tally_.evaluations;
  flow_.evaluate(t, unit_, {y + nq_, nv_}, vdot_, rates_);
  if (!finite(rates_)) return 1;
  std::copy(rates_.begin(), rates_.end(), out);
  return 0;
}

int Cvodes::weights(const double* y, double* out) const {
  const double angle = options_.absolute + options_.relative;
  for (std::size_t i = 0; i < n_; ++i) out[i] = options_.absolute + options_.relative * std::abs(y[i]);
  for (const LinkTopology& link : flow_.model().links) {
    if (!has_attitude(link.joint)) continue;
    const double length = norm_of_quaternion(y + link.q);
    std::fill(out + link.q, out + link.q + 4, 0.5 * length * angle);
  }
  for (std::size_t i = 0; i < n_; ++i) {
    if (!(out[i] > 0)) return -1;
    out[i] = 1 / out[i];
  }
  return 0;
}

int Cvodes::jacobian(double t, const double* y, SUNMatrix J) {
  if (!unit_attitudes(y)) return 1;
  ++tally_.jacobians;
  flow_.jacobian(t, unit_, {y + nq_, nv_}, rows_);
  if (!finite(rows_)) return 1;
  SUNMatZero(J);
  q_rate_rows(y, J);
  vdot_rows(y, J);
  return 0;
}

// Derivatives of (1), and of q̇ = v.
void Cvodes::q_rate_rows(const double* y, SUNMatrix J) const {
  for (const LinkTopology& link : flow_.model().links) {
    const int turning = has_attitude(link.joint) ? 3 : 0, shift = turning > 0 ? 1 : 0, nq = static_cast<int>(nq_);
    for (int i = turning; i < freedom_count(link); ++i) SM_ELEMENT_D(J, link.q + shift + i, nq + link.v + i) = 1;
    if (turning == 0) continue;
    // The rate is linear in q and in w: its columns are its values for unit vectors.
    double column[4];
    for (int k = 0; k < 4; ++k) {
      const double unit[4] = {k == 0 ? 1. : 0., k == 1 ? 1. : 0., k == 2 ? 1. : 0., k == 3 ? 1. : 0.};
      quaternion_rate(unit, y + nq_ + link.v, column);
      for (int i = 0; i < 4; ++i) SM_ELEMENT_D(J, link.q + i, link.q + k) = column[i];
      if (k == 3) break;
      quaternion_rate(y + link.q, unit, column);
      for (int i = 0; i < 4; ++i) SM_ELEMENT_D(J, link.q + i, nq + link.v + k) = column[i];
    }
  }
}

// rows_, with (3).
void Cvodes::vdot_rows(const double* y, SUNMatrix J) const {
  const std::size_t width = nq_ + nv_;
  for (std::size_t r = 0; r < nv_; ++r)
    for (std::size_t c = 0; c < width; ++c) SM_ELEMENT_D(J, nq_ + r, c) = rows_[r * width + c];
  for (const LinkTopology& link : flow_.model().links) {
    if (!has_attitude(link.joint)) continue;
    const double length = norm_of_quaternion(y + link.q);
    const double* u = unit_.data() + link.q;
    for (std::size_t r = 0; r < nv_; ++r) {
      const double* a = rows_.data() + r * width + link.q;
      const double along = a[0] * u[0] + a[1] * u[1] + a[2] * u[2] + a[3] * u[3];
      for (int k = 0; k < 4; ++k) SM_ELEMENT_D(J, nq_ + r, link.q + k) = (a[k] - along * u[k]) / length;
    }
  }
}

}  // namespace

static std::unique_ptr<Method> make_cvodes(const MethodOptions& options, Flow& flow) {
  return std::make_unique<Cvodes>(options, flow);
}
extern const MethodForm adams_method{12, false, true, make_cvodes};
extern const MethodForm bdf_method{5, false, true, make_cvodes};

}  // namespace marey
