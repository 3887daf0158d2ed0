// Force of the variational method: with π = M v, Euler–Poincaré's equations for velocities in body axes read
//   d(M v)/dt = (π × w on attitudes) + ∂L/∂q + τ       and rnea gives       M v̇ + b = τ
// so that g = ∂L/∂q + τ = Ṁ v − (π × w) − b + τ, where Ṁ v is the derivative of M(q) v along q̇ = v with v held: one dual
// direction through rnea. b includes gravity and the forces from outside.
#include "marey/plant/reduced_plant.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "marey/core/same_bits.h"
#include "marey/dynamics/least_wrench.h"
#include "marey/plant/dual_flow.h"
#include "plant/loose_bodies.h"

namespace marey {
namespace {

bool has_attitude(const LinkTopology& link) { return coordinate_count(link) > freedom_count(link); }

// q with the derivative that the velocity v gives it.
void set_direction(const Model& model, std::span<const double> q, std::span<const double> v, std::span<Dual1> out) {
  for (const LinkTopology& link : model.links) {
    const int n = freedom_count(link), shift = coordinate_count(link) - n;
    int first = 0;
    if (has_attitude(link)) {
      const double* x = q.data() + link.q;
      const double* w = v.data() + link.v;
      const Quaternion<double> rate =
          Quaternion<double>{x[0], x[1], x[2], x[3]} * Quaternion<double>{0, w[0], w[1], w[2]};
      const double d[] = {0.5 * rate.w, 0.5 * rate.x, 0.5 * rate.y, 0.5 * rate.z};
      for (int k = 0; k < 4; ++k) out[link.q + k] = Dual1(x[k]), out[link.q + k].d[0] = d[k];
      first = 3;
    }
    for (int k = first; k < n; ++k) {
      out[link.q + shift + k] = Dual1(q[link.q + shift + k]);
      out[link.q + shift + k].d[0] = v[link.v + k];
    }
  }
}

// None where all are 0: nobody then has to turn them into the axes of links. By their bits but for the signs, and without an
// early end, so that a compiler can look at many at once.
std::span<const Wrench<double>> wrenches_that_act(std::span<const Wrench<double>> F_Bo_W) {
  std::uint64_t some = 0;
  for (const Wrench<double>& F : F_Bo_W)
    for (const double x : {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z}) some |= std::bit_cast<std::uint64_t>(x) << 1;
  return some != 0 ? F_Bo_W : std::span<const Wrench<double>>{};
}

}  // namespace

ReducedPlant::ReducedPlant(const Model& model, const SolverOptions& options)
    : Plant(model, model),
      weightless_(model.params),
      solver_(model, options),
      aba_(model),
      response_(model),
      rnea_(model),
      tau_(static_cast<std::size_t>(model.nv)),
      zero_(tau_),
      unused_(tau_) {
  weigh();
}
ReducedPlant::~ReducedPlant() = default;

void ReducedPlant::look_at_loose_bodies(Threads* threads) {
  if (LooseBodies::serve(figure_)) loose_ = std::make_unique<LooseBodies>(figure_, threads);
}

void ReducedPlant::weigh() {
  weightless_.gravity = {};
  mass_ = 0;
  for (const LinkParams<double>& link : figure_.params.links) mass_ += link.I.m;
}
void ReducedPlant::masses_changed() {
  weightless_.links = figure_.params.links;
  weigh();
  solver_.masses_changed();
  if (loose_) loose_->take_masses();
  placed_ = false;
}

// A step begins where the account of the last one ended. Of a welded figure, which the recorder places as well, kinematics_ may be
// there while the figure is not: it is asked itself, in any case.
bool ReducedPlant::is_placed_at(std::span<const double> q, std::span<const double> v) const {
  return placed_ && placed_by_ == welded() && same_bits(q, placed_q_) && same_bits(v, placed_v_);
}

void ReducedPlant::begin_instant(std::span<const double> q, std::span<const double> v) {
  q_ = q, v_ = v, accelerated_ = false;
  if (ReducedFigure* figure = welded(); figure != nullptr) figure->forget_factors();
}

void ReducedPlant::keep_place(std::span<const double> q, std::span<const double> v) {
  placed_q_.assign(q.begin(), q.end()), placed_v_.assign(v.begin(), v.end());
  placed_ = true, placed_by_ = welded();
  factors_ = Factors::none;
}

Instant<double> ReducedPlant::place(double t, std::span<const double> q, std::span<const double> v,
                                    std::span<const double> z, const Past* past) {
  begin_instant(q, v);
  ReducedFigure* figure = welded();
  if (figure != nullptr) figure->place(q, v);
  if (!links_placed_ || !is_placed_at(q, v)) {
    if (figure != nullptr)
      figure->place_links(kinematics_);
    else
      solver_.place(q, v, kinematics_);
    keep_place(q, v);
    links_placed_ = true, totals_known_ = false;
  }
  return {figure_, t, q, v, kinematics_.X_WB, kinematics_.V_WB, past, z};
}

// Asked for where drift is put right, and for the account of the step at the same place. (Where the solver is without
// kinematics_, place_for_totals() has left them.)
Totals<double> ReducedPlant::totals() const {
  if (placed_by_ != nullptr) return placed_by_->totals();
  if (!std::exchange(totals_known_, placed_)) totals_ = Plant::totals();
  return totals_;
}

void ReducedPlant::mass_moment(double& mass, Vec3<double>& first_moment) {
  ReducedFigure* figure = welded();
  if (figure != nullptr)
    first_moment += figure->first_moment();
  else if (!solver_.add_first_moment(first_moment))
    return Plant::mass_moment(mass, first_moment);
  mass += mass_;
}

void ReducedPlant::place_without_links(std::span<const double> q, std::span<const double> v) {
  begin_instant(q, v);
  ReducedFigure* figure = welded();
  if (figure != nullptr) figure->place(q, v);
  if (is_placed_at(q, v)) return;
  if (figure == nullptr && !solver_.place_without_links(q, v)) return static_cast<void>(place(0, q, v, {}, nullptr));
  placed_ = totals_known_ = false, placed_by_ = figure;
  factors_ = Factors::none;
}

void ReducedPlant::place_for_totals(std::span<const double> q, std::span<const double> v) {
  if (welded() != nullptr) return place_without_links(q, v);
  begin_instant(q, v);
  if (!links_placed_ && is_placed_at(q, v)) return;  // the same to the bit, whoever may have looked at links in between
  if (!solver_.place_with_momenta(q, v)) return static_cast<void>(place(0, q, v, {}, nullptr));
  keep_place(q, v);
  links_placed_ = false, totals_ = solver_.totals(), totals_known_ = true;
}

// ---- what forces and impulses do
void ReducedPlant::accelerate(const Forces<double>& forces, std::span<double> vdot) {
  if (ReducedFigure* figure = welded(); figure != nullptr) return figure->solve_placed(kinematics_, forces, vdot);
  if (loose_) return loose_->accelerate(q_, v_, {forces.tau, wrenches_that_act(forces.F_Bo_W)}, vdot);
  solver_.solve_placed(q_, v_, {forces.tau, wrenches_that_act(forces.F_Bo_W)}, vdot);
  if (const AbaWorkspace<double>* factored = solver_.factored(); factored != nullptr) {
    response_.use(figure_, figure_.params, *factored);
    factors_ = Factors::of_solver;
    accelerated_ = true;
  }
}

bool ReducedPlant::force_alone(const Forces<double>& forces, std::span<double> Q) {
  if (welded() != nullptr) return false;
  rnea<double>(figure_, figure_.params, q_, v_, zero_, wrenches_that_act(forces.F_Bo_W), rnea_, Q);
  for (std::size_t k = 0; k < Q.size(); ++k) Q[k] = forces.tau[k] - Q[k];
  return true;
}

// aba() has them in the axes of the links, and as they are felt in the gravity: less its acceleration.
bool ReducedPlant::link_accelerations(std::span<const int> links, std::span<Twist<double>> A_WB) const {
  if (!accelerated_) return false;
  const std::vector<AbaLink<double>>& found = solver_.factored()->links;
  for (const int i : links) {
    const std::size_t k = static_cast<std::size_t>(i);
    const Mat3<double>& R_WB = kinematics_.X_WB[k].R;
    A_WB[k] = {R_WB * found[k].w_dot, R_WB * found[k].a + figure_.params.gravity};
  }
  return true;
}

void ReducedPlant::respond(std::span<const double> p, std::span<double> dv) {
  if (ReducedFigure* figure = welded(); figure != nullptr) return figure->respond(q_, p, dv);
  if (loose_) return loose_->respond(q_, p, dv);
  factor();
  response_.respond(p, dv);
}

bool ReducedPlant::half_respond(const RowSet& rows, HalfResponse& out) {
  if (welded() != nullptr) return false;
  factor();
  return response_.half_respond(rows, out);
}

bool ReducedPlant::half_respond_to(std::span<const double> p, std::span<double> u, std::span<double> D_inverse_u) {
  if (welded() != nullptr) return false;
  factor();
  return response_.half_respond_to(p, u, D_inverse_u);
}

bool ReducedPlant::half_respond_to_links(std::span<const ConstraintRow> rows, HalfResponse& out) {
  if (welded() != nullptr) return false;
  factor();
  response_.half_respond_at(rows, kinematics_.X_WB, out);
  return true;
}

void ReducedPlant::respond_by_half(const HalfResponse& half, std::span<const double> x, std::span<double> dv) {
  response_.respond_by_half(half, x, dv);
}

HeldResponse* ReducedPlant::with_held(std::span<const unsigned char> held) {
  if (ReducedFigure* figure = welded(); figure != nullptr) return figure->with_held(q_, held);
  if (!held_response_) held_response_ = std::make_unique<HeldTreeResponse>(figure_);
  held_response_->factor(figure_, figure_.params, q_, held);
  return held_response_.get();
}

// Where the solver has not done it.
void ReducedPlant::factor() {
  if (factors_ != Factors::none) return;
  const bool of_solver = solver_.factor_placed();
  if (!of_solver) aba<double>(figure_, figure_.params, q_, v_, {zero_, {}}, aba_, unused_);
  response_.use(figure_, figure_.params, of_solver ? *solver_.factored() : aba_);
  factors_ = of_solver ? Factors::of_solver : Factors::own;
}

// ---- what the world does
Wrench<double> ReducedPlant::world_on_roots(const Forces<double>& all, std::span<const double> vdot) {
  return reaction(figure_.params, v_, all, vdot);
}

// With v = 0, no gravity, and the change of v in the place of v̇.
Wrench<double> ReducedPlant::world_on_roots_at_once(std::span<const Wrench<double>> P_Bo_W,
                                                    std::span<const double> dv) {
  return reaction(weightless_, zero_, {zero_, P_Bo_W}, dv);
}

// The wrench through the roots' joints, less the joints' own forces, which their elements have booked already.
Wrench<double> ReducedPlant::reaction(const Params<double>& params, std::span<const double> v,
                                      const Forces<double>& forces, std::span<const double> vdot) {
  rnea<double>(figure_, params, q_, v, vdot, forces.F_Bo_W, rnea_, tau_);
  Wrench<double> sum;
  for (int i = 1; i < figure_.nlink(); ++i) {
    const LinkTopology& link = figure_.links[i];
    if (link.parent != 0 || link.joint == JointType::free) continue;
    Wrench<double> F = rnea_.links[i].F;
    F -= wrench_of_joint_force(link, figure_.params.links[i], {}, forces.tau.data() + link.v);
    if (link.general >= 0)
      F -= LeastWrench<double>(rnea_.general[link.general], freedom_count(link))(forces.tau.data() + link.v);
    const Transform<double>& X = kinematics_.X_WB[i];
    sum += shifted(Wrench<double>{X.R * F.n, X.R * F.f}, X.p);
  }
  return sum;
}

// ---- for the variational method
void ReducedPlant::momentum(std::span<const double> q, std::span<const double> v, std::span<double> p) {
  if (loose_) return loose_->momentum(q, v, p);
  rnea<double>(figure_, weightless_, q, zero_, v, {}, rnea_, p);
}

void ReducedPlant::velocity(std::span<const double> q, std::span<const double> p, std::span<double> v) {
  if (factors_ == Factors::own) factors_ = Factors::none;  // they stood in aba_
  aba<double>(figure_, weightless_, q, zero_, {p, {}}, aba_, v);
}

void ReducedPlant::generalised_force(const Forces<double>& forces, std::span<const double>, std::span<double> g) {
  if (!dual_) dual_ = std::make_unique<DualFlow>(figure_);
  rnea<double>(figure_, figure_.params, q_, v_, zero_, forces.F_Bo_W, rnea_, tau_);
  DualFlow& d = *dual_;
  set_direction(figure_, q_, v_, d.q);
  for (std::size_t i = 0; i < v_.size(); ++i) d.v[i] = Dual1(v_[i]);
  rnea<Dual1>(figure_, d.weightless, d.q, d.zero, d.v, {}, d.rnea, d.out);
  for (std::size_t i = 0; i < v_.size(); ++i) g[i] = d.out[i].d[0] - tau_[i] + forces.tau[i];
  for (const LinkTopology& link : figure_.links) {
    if (!has_attitude(link)) continue;
    const Dual1* p = d.out.data() + link.v;
    const double* w = v_.data() + link.v;
    const Vec3<double> turned = cross(Vec3<double>{p[0].value, p[1].value, p[2].value}, Vec3<double>{w[0], w[1], w[2]});
    for (int k = 0; k < 3; ++k) g[link.v + k] -= turned[k];
  }
}

}  // namespace marey
