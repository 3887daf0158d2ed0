#include "contact/cone_interior.h"

#include <algorithm>
#include <cmath>

namespace marey {
namespace {

constexpr double on_equalities = 1e-12;  // added to the diagonal, where there is no barrier

bool has_bound(double x) { return std::isfinite(x); }

}  // namespace

double ConeInterior::disc(const ScaledBlock& b, const double* z, std::size_t group) const {
  const FrictionGroup& g = b.cone.groups[group];
  const double radius = g.coefficient * z[0], length = length_of(g, z);
  return 0.5 * (radius - length) * (radius + length);
}

void ConeInterior::start(const ScaledCones& cones, const Manner& manner) {
  manner_ = manner;
  const auto n = static_cast<std::size_t>(cones.size());
  z_.assign(n, 0.0), dz_.resize(n), v_.resize(n), barriers_.resize(cones.blocks.size());
  changes_.resize(cones.blocks.size());
  double most = 0;
  for (const double x : cones.v_free) most = std::max(most, std::abs(x));
  if (most == 0) most = 1;
  const double z_n = manner.size * most, tau = z_n * most;
  for (std::size_t i = 0; i < barriers_.size(); ++i) {
    const ScaledBlock& b = cones.blocks[i];
    double* z = z_.data() + b.first;
    barriers_[i] = {};
    if (b.kind == RowBlock::Kind::contact) {
      z[0] = z_n, barriers_[i].sigma[0] = most;
      for (std::size_t g = 0; g < static_cast<std::size_t>(b.cone.count); ++g)
        if (b.cone.groups[g].coefficient > 0) barriers_[i].lambda[g] = tau / disc(b, z, g);
    } else {
      const bool low = has_bound(b.lower), high = has_bound(b.upper);
      z[0] = low && high ? 0.5 * (b.lower + b.upper) : low ? b.lower + z_n : high ? b.upper - z_n : 0;
      if (low) barriers_[i].sigma[0] = tau / std::max(z[0] - b.lower, 1e-300);
      if (high) barriers_[i].sigma[1] = tau / std::max(b.upper - z[0], 1e-300);
    }
  }
  gap_ = first_gap_ = mean_gap(cones), centring_ = 0.2, first_apart_ = 0;
}

double ConeInterior::mean_gap(const ScaledCones& cones) const {
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < barriers_.size(); ++i) {
    const ScaledBlock& b = cones.blocks[i];
    const double* z = z_.data() + b.first;
    const Barrier& own = barriers_[i];
    if (b.kind == RowBlock::Kind::contact) {
      sum += own.sigma[0] * z[0], ++count;
      for (std::size_t g = 0; g < static_cast<std::size_t>(b.cone.count); ++g)
        if (b.cone.groups[g].coefficient > 0) sum += own.lambda[g] * disc(b, z, g), ++count;
    } else {
      if (has_bound(b.lower)) sum += own.sigma[0] * (z[0] - b.lower), ++count;
      if (has_bound(b.upper)) sum += own.sigma[1] * (b.upper - z[0]), ++count;
    }
  }
  return count ? sum / count : 0;
}

// Rows and right-hand side (in dz_) of a contact, v being as z makes it.
void ConeInterior::assemble_contact(const ScaledBlock& b, const Barrier& own, double tau) {
  const double* z = z_.data() + b.first;
  matrix_.row(b.first)[b.first] += own.sigma[0] / z[0];
  dz_[static_cast<std::size_t>(b.first)] = tau / z[0] - v_[static_cast<std::size_t>(b.first)];
  for (std::size_t g = 0; g < static_cast<std::size_t>(b.cone.count); ++g) {
    const FrictionGroup& group = b.cone.groups[g];
    const double mu = group.coefficient;
    if (mu == 0) {  // no impulse
      for (int r = b.first + group.first; r < b.first + group.first + group.rows; ++r) {
        std::fill(matrix_.row(r), matrix_.row(r) + matrix_.size(), 0.0);
        matrix_.row(r)[r] = 1, dz_[static_cast<std::size_t>(r)] = 0;
      }
      continue;
    }
    const double c = disc(b, z, g), lambda = own.lambda[g];
    for (int r = group.first; r < group.first + group.rows; ++r) {
      double* row = matrix_.row(b.first + r) + b.first;
      row[0] -= lambda / c * mu * mu * z[0] * z[r];
      row[r] += lambda;
      for (int k = group.first; k < group.first + group.rows; ++k) row[k] += lambda / c * z[r] * z[k];
      dz_[static_cast<std::size_t>(b.first + r)] = -v_[static_cast<std::size_t>(b.first + r)] - tau / c * z[r];
    }
  }
}

void ConeInterior::assemble_bounds(const ScaledBlock& b, const Barrier& own, double tau) {
  const auto r = static_cast<std::size_t>(b.first);
  double add = on_equalities, rhs = -v_[r];
  if (has_bound(b.lower)) add += own.sigma[0] / (z_[r] - b.lower), rhs += tau / (z_[r] - b.lower);
  if (has_bound(b.upper)) add += own.sigma[1] / (b.upper - z_[r]), rhs -= tau / (b.upper - z_[r]);
  matrix_.row(b.first)[r] += add, dz_[r] = rhs;
}

void ConeInterior::assemble(const ScaledCones& cones, double tau) {
  const int n = cones.size();
  matrix_.resize(n);
  for (int i = 0; i < n; ++i) std::copy(cones.B.row(i), cones.B.row(i) + n, matrix_.row(i));
  for (std::size_t i = 0; i < barriers_.size(); ++i)
    if (cones.blocks[i].kind == RowBlock::Kind::contact)
      assemble_contact(cones.blocks[i], barriers_[i], tau);
    else
      assemble_bounds(cones.blocks[i], barriers_[i], tau);
}

ConeInterior::Barrier ConeInterior::change_of(const ScaledBlock& b, const Barrier& own, double tau) const {
  const double *z = z_.data() + b.first, *dz = dz_.data() + b.first;
  Barrier out;
  if (b.kind != RowBlock::Kind::contact) {
    if (has_bound(b.lower)) out.sigma[0] = (tau - own.sigma[0] * dz[0]) / (z[0] - b.lower) - own.sigma[0];
    if (has_bound(b.upper)) out.sigma[1] = (tau + own.sigma[1] * dz[0]) / (b.upper - z[0]) - own.sigma[1];
    return out;
  }
  out.sigma[0] = (tau - own.sigma[0] * dz[0]) / z[0] - own.sigma[0];
  for (std::size_t g = 0; g < static_cast<std::size_t>(b.cone.count); ++g) {
    const FrictionGroup& group = b.cone.groups[g];
    if (group.coefficient == 0) continue;
    double dc = group.coefficient * group.coefficient * z[0] * dz[0];
    for (int r = group.first; r < group.first + group.rows; ++r) dc -= z[r] * dz[r];
    out.lambda[g] = (tau - own.lambda[g] * dc) / disc(b, z, g) - own.lambda[g];
  }
  return out;
}

// Part of the step that leaves everything positive.
double ConeInterior::longest(const ScaledBlock& b, const Barrier& own, const Barrier& change) const {
  const double *z = z_.data() + b.first, *dz = dz_.data() + b.first;
  double part = 1e300;
  const auto keep = [&](double x, double dx) {
    if (dx < 0) part = std::min(part, -x / dx);
  };
  for (std::size_t k = 0; k < 2; ++k) keep(own.sigma[k], change.sigma[k]);
  for (std::size_t k = 0; k < 3; ++k) keep(own.lambda[k], change.lambda[k]);
  if (b.kind != RowBlock::Kind::contact) {
    if (has_bound(b.lower)) keep(z[0] - b.lower, dz[0]);
    if (has_bound(b.upper)) keep(b.upper - z[0], -dz[0]);
    return part;
  }
  keep(z[0], dz[0]);
  for (std::size_t g = 0; g < static_cast<std::size_t>(b.cone.count); ++g) {  // the first root of disc(z + α dz)
    const FrictionGroup& group = b.cone.groups[g];
    if (group.coefficient == 0) continue;
    const double mu2 = group.coefficient * group.coefficient;
    double A = mu2 * dz[0] * dz[0], B = mu2 * z[0] * dz[0];
    for (int r = group.first; r < group.first + group.rows; ++r) A -= dz[r] * dz[r], B -= z[r] * dz[r];
    const double C = 2 * disc(b, z, g), D = B * B - A * C;
    if (D < 0) continue;
    const double root = std::sqrt(D);
    for (const double q : {B + root, B - root})  // C / −(B ± √D)
      if (q < 0) part = std::min(part, -C / q);
  }
  return part;
}

// How far v is from what the barriers say, the largest.
double ConeInterior::discord(const ScaledCones& cones) const {
  double most = 0;
  for (std::size_t i = 0; i < barriers_.size(); ++i) {
    const ScaledBlock& b = cones.blocks[i];
    const double *z = z_.data() + b.first, *v = v_.data() + b.first;
    most = std::max(most, std::abs(v[0] - barriers_[i].sigma[0] + barriers_[i].sigma[1]));
    if (b.kind != RowBlock::Kind::contact) continue;
    for (std::size_t g = 0; g < static_cast<std::size_t>(b.cone.count); ++g) {
      const FrictionGroup& group = b.cone.groups[g];
      if (group.coefficient == 0) continue;
      for (int r = group.first; r < group.first + group.rows; ++r)
        most = std::max(most, std::abs(v[r] + barriers_[i].lambda[g] * z[r]));
    }
  }
  return most;
}

bool ConeInterior::step(const ScaledCones& cones) {
  ++steps;
  cones.find_velocities(z_.data(), v_.data());
  const double apart = discord(cones);
  if (first_apart_ == 0) first_apart_ = std::max(apart, 1e-300);
  const double tau = std::max(centring_ * gap_, std::min(gap_, manner_.keep * first_gap_ * apart / first_apart_));
  assemble(cones, tau);
  if (!lu_.factor(matrix_)) return false;
  lu_.solve(matrix_, dz_.data());
  double part = 1e300;
  for (std::size_t i = 0; i < barriers_.size(); ++i) {
    changes_[i] = change_of(cones.blocks[i], barriers_[i], tau);
    part = std::min(part, longest(cones.blocks[i], barriers_[i], changes_[i]));
  }
  part = std::min(1.0, manner_.way * part);
  if (!(part > 1e-10)) return false;
  for (std::size_t r = 0; r < z_.size(); ++r) z_[r] += part * dz_[r];
  for (std::size_t i = 0; i < barriers_.size(); ++i) {
    for (std::size_t k = 0; k < 2; ++k) barriers_[i].sigma[k] += part * changes_[i].sigma[k];
    for (std::size_t k = 0; k < 3; ++k) barriers_[i].lambda[k] += part * changes_[i].lambda[k];
  }
  gap_ = mean_gap(cones);
  centring_ = part > 0.9 ? 0.05 : part > 0.5 ? 0.3 : 0.8;
  return std::isfinite(gap_);
}

}  // namespace marey
