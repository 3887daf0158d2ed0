#include "sim/implicit_forces.h"

#include <algorithm>
#include <cmath>

#include "marey/constraint/coupler.h"
#include "marey/force/tissue.h"
#include "marey/rows/parts.h"

namespace marey {

namespace {

// Of rows that are as stiff as this beside the inertia of their links, free of all joints, explicit steps are as good: R M⁻¹.
constexpr double soft_enough = 0.02;
// Dampers of wobbling masses, of which a figure has dozens: x = ½ h d of them goes in two rounds by 1 − 2x + 2x², which decays as it
// should up to there within x².
constexpr double soft_enough_of_tissue = 0.25;
constexpr std::size_t most_rows_of_elements = 400;  // more are left explicit
constexpr int most_freedoms_of_rows = 2000;

bool has_own_forces(const LinkTopology& link) { return link.joint != JointType::free && freedom_count(link) > 0; }

// What is below the diagonal counts. False where a pivot is negative.
bool root_of(const double* R, int n, double (&L)[most_freedoms][most_freedoms]) {
  double largest = 0;
  for (int r = 0; r < n; ++r) largest = std::max(largest, std::abs(R[r * most_freedoms + r]));
  for (int r = 0; r < n; ++r)
    for (int c = 0; c <= r; ++c) {
      double sum = R[r * most_freedoms + c];
      for (int k = 0; k < c; ++k) sum -= L[r][k] * L[c][k];
      if (c < r) {
        L[r][c] = L[c][c] > 0 ? sum / L[c][c] : 0;
      } else {
        if (!(sum >= -1e-12 * largest)) return false;
        L[r][r] = std::sqrt(std::max(sum, 0.0));
      }
    }
  return true;
}

}  // namespace

ImplicitForces::ImplicitForces(const Model& figure, const Model& coordinates, bool in_joints, const Sources& sources,
                               HeldConstraints* constraints)
    : model_(figure),
      coordinates_(coordinates),
      in_joints_(in_joints),
      sources_(sources),
      constraints_(constraints),
      joints_(figure, sources),
      axes_(coordinates),
      no_bias_(coordinates) {
  is_tissue_.assign(model_.links.size(), 0);
  for (const TissuePlace& tissue : tissues_of(sources.elements()))
    is_tissue_[static_cast<std::size_t>(tissue.tissue)] = 1;
  of_joint_.level = Coupler::Level::velocity;
  of_joint_.sum = constant_in_time(0);
  of_joint_.terms.reserve(most_freedoms);
}

bool ImplicitForces::serves(const Model& figure, bool in_joints) {
  return in_joints || figure.nv <= most_freedoms_of_rows;
}

bool ImplicitForces::has_room_for(const Model& figure, std::span<const Element> elements, const State& s) {
  Kinematics<double> k(figure);
  forward_kinematics<double>(figure, figure.params, s.q, s.v, k);
  return StiffRows().of(elements, {figure, s.t, s.q, s.v, k.X_WB, k.V_WB}).size() <= most_rows_of_elements;
}

bool ImplicitForces::prepare(const Instant<double>& now, Plant& plant, double h) {
  plant_ = &plant, factored_ = false;
  rows_.clear();
  const bool any = joints_.find_blocks(now, h);
  for (std::size_t i = 1; any && !in_joints_ && i < model_.links.size(); ++i) add_rows_of_block(now, i);
  const std::size_t before = rows_.size();
  add_rows_of_elements(now, h);
  soft_ = rows_.size(), of_elements_ = soft_ - before;
  if (!any && soft_ == 0) return false;
  if (any && in_joints_) {
    joints_.factor(now), factored_ = true;
    if (!joints_.is_one_tree()) plant.axes(axes_);
  }
  if (constraints_ != nullptr && constraints_->any_active())
    for (const ConstraintRow& row : constraints_->rows_now()) rows_.push_back(row);
  if (!rows_.empty()) factor_rows(plant);
  return true;
}

// ---- what acts in joints
// A block L Lᵀ as rows between the joint's links, one for each column of L.
void ImplicitForces::add_rows_of_block(const Instant<double>& now, std::size_t link) {
  const int n = has_own_forces(model_.links[link]) ? freedom_count(model_.links[link]) : 0;
  double L[most_freedoms][most_freedoms] = {};
  if (!root_of(joints_.block(link), n, L)) return;
  for (int c = 0; c < n; ++c) {
    if (!(L[c][c] > 0)) continue;
    of_joint_.terms.clear();
    for (int r = c; r < n; ++r)
      if (L[r][c] != 0) of_joint_.terms.push_back({static_cast<int>(link), L[r][c], r, {}});
    rows_.push_back(coupler_row(of_joint_, now, now.t));
  }
}

// ---- what acts between links
void ImplicitForces::add_rows_of_elements(const Instant<double>& now, double h) {
  const std::size_t before = rows_.size();
  for (const StiffRow& s : stiff_.of(sources_.elements(), now)) {
    const double weight = 0.5 * h * s.damping + 0.25 * h * h * s.stiffness;
    if (!(weight > 0) || !std::isfinite(weight)) continue;
    double ease = mobility(now, s.link, s.a, s.b);
    if (s.other != 0) ease += mobility(now, s.other, s.a_other, s.b_other);
    const bool damps_tissue = s.stiffness == 0 && is_tissue_[static_cast<std::size_t>(s.link)] != 0;
    if (!(weight * ease > (damps_tissue ? soft_enough_of_tissue : soft_enough))) continue;
    const double scale = std::sqrt(weight);
    ConstraintRow row;
    row.holonomic = false;
    put_part(row, s.link, {scale * s.a, scale * s.b}, scale * norm(s.a));
    put_part(row, s.other, {scale * s.a_other, scale * s.b_other}, scale * norm(s.a_other));
    rows_.push_back(row);
    if (rows_.size() > before + most_rows_of_elements) return rows_.resize(before);
  }
}

// What a unit of a · w + b · v changes by when its impulse acts on the link alone; joints make it less.
double ImplicitForces::mobility(const Instant<double>& now, int link, const Vec3<double>& a,
                                const Vec3<double>& b) const {
  const Inertia<double>& I = model_.params.links[static_cast<std::size_t>(link)].I;
  if (!(I.m > 0)) return unbounded;
  const Mat3<double>& R = now.X_WB[static_cast<std::size_t>(link)].R;
  const Vec3<double> c = (1 / I.m) * I.h;
  const Vec3<double> n = transpose_times(R, a) - cross(c, transpose_times(R, b));  // about the centre of mass, in B
  double turning = 0;
  if (norm_squared(n) > 0) {
    const Sym3<double> J = I.J - point_inertia(I.m, c);
    turning = dot(n, inverse(J) * n);
    if (!(turning >= 0)) turning = unbounded;
  }
  return norm_squared(b) / I.m + turning;
}

// ---- (5)
void ImplicitForces::ensure_capacity(std::size_t rows) {
  if (rows <= capacity_) return;
  capacity_ = rows + rows / 2;
  const int capacity = static_cast<int>(capacity_);
  row_set_.emplace(coordinates_, capacity);
  delassus_.emplace(coordinates_, capacity);
  system_.emplace(capacity);
  C_.reserve(capacity_ * capacity_), y_.reserve(capacity_), z_.reserve(capacity_);
}

void ImplicitForces::factor_rows(Plant& plant) {
  const std::size_t n = rows_.size();
  ensure_capacity(n);
  plant.axes(axes_);
  row_set_->clear(static_cast<std::size_t>(coordinates_.nv));
  add_rows(coordinates_, rows_, axes_, no_bias_, *row_set_);
  delassus_->compute(*row_set_, base_);
  C_.assign(delassus_->A().begin(), delassus_->A().end());
  for (std::size_t i = 0; i < soft_; ++i) C_[i * n + i] += 1;
  y_.resize(n), z_.resize(n);
  system_->factor(static_cast<int>(n), C_, [&](int i) {
    return static_cast<std::size_t>(i) < soft_ ? 1.0
                                               : plant.row_weight(rows_[static_cast<std::size_t>(i)], (*row_set_)[i]);
  });
}

void ImplicitForces::Base::respond(std::span<const double> p, std::span<double> dv) {
  if (all.factored_) return all.joints_.respond(p, dv);
  all.plant_->respond(p, dv);
}
bool ImplicitForces::Base::half_respond(const RowSet& rows, HalfResponse& out) {
  return all.factored_ ? all.joints_.half_respond(rows, out) : all.plant_->half_respond(rows, out);
}

bool ImplicitForces::half_respond(const RowSet& rows, HalfResponse& out) {
  return rows_.empty() && base_.half_respond(rows, out);
}

bool ImplicitForces::half_respond_to_links(std::span<const ConstraintRow> rows, HalfResponse& out) {
  if (!rows_.empty() || !factored_ || joints_.is_one_tree()) return false;
  joints_.half_respond_along(rows, axes_, out);
  return true;
}

void ImplicitForces::respond(std::span<const double> p, std::span<double> dv) {
  base_.respond(p, dv);
  if (rows_.empty()) return;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const std::span<const double> J = (*row_set_)[static_cast<int>(r)].J;
    double sum = 0;
    for (std::size_t k = 0; k < J.size(); ++k) sum += J[k] * dv[k];
    y_[r] = sum;
  }
  system_->solve(y_, z_);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const std::span<const double> answer = delassus_->response(static_cast<int>(r));
    for (std::size_t k = 0; k < dv.size(); ++k) dv[k] -= z_[r] * answer[k];
  }
}

void ImplicitForces::add_slopes(std::span<const double> x, std::span<double> p) const {
  if (factored_) joints_.add_slopes(x, p);
  for (std::size_t r = 0; r < soft_; ++r) {
    const std::span<const double> J = (*row_set_)[static_cast<int>(r)].J;
    double sum = 0;
    for (std::size_t k = 0; k < J.size(); ++k) sum += J[k] * x[k];
    for (std::size_t k = 0; k < J.size(); ++k) p[k] += sum * J[k];
  }
}

void ImplicitForces::add_held_momentum(std::span<double> p) const {
  for (std::size_t r = soft_; r < rows_.size(); ++r) {
    const std::span<const double> J = (*row_set_)[static_cast<int>(r)].J;
    for (std::size_t k = 0; k < J.size(); ++k) p[k] -= z_[r] * J[k];
  }
}

}  // namespace marey
