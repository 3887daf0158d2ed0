// Rows, and the acceleration that velocities alone give.
//
// For v̇ = 0 the accelerations of the links are, outward (dynamics/joint.h, here in the axes of W),
//   α_B = α_P + ω_P × w_J      a_B = a_P + α_P × r + ω_P × (ω_P × r) + 2 ω_P × v_J                                  (1)
// and on a general joint the biases of its own motion beside.
#include <array>
#include <cassert>
#include <cmath>

#include "constraint/parts.h"
#include "constraint/row_sweep.h"
#include "dynamics/joint.h"
#include "marey/constraint.h"

namespace marey {

using Vec = Vec3<double>;

const char* name_of(ImpactKind kind) {
  constexpr const char* names[] = {"coulomb", "smooth", "rough", "stick"};
  return names[static_cast<int>(kind)];
}
const char* name_of(Hypothesis hypothesis) {
  constexpr const char* names[] = {"stronge", "poisson", "newton"};
  return names[static_cast<int>(hypothesis)];
}

RowSet::RowSet(const Model& model, int capacity)
    : nv_(static_cast<std::size_t>(model.nv)),
      J_(nv_ * static_cast<std::size_t>(capacity)),
      rows_(static_cast<std::size_t>(capacity)) {}

void RowSet::clear(std::size_t velocities) {
  assert(velocities * rows_.size() <= J_.size());
  size_ = 0, nv_ = velocities;
}

std::span<double> RowSet::add(const Row& row) {
  assert(size_ < capacity());
  const std::size_t i = static_cast<std::size_t>(size_++);
  const std::span<double> J(J_.data() + i * nv_, nv_);
  for (double& x : J) x = 0;
  rows_[i] = row;
  rows_[i].J = J;
  return J;
}

BiasMotion::BiasMotion(const Model& model) : A_WB(model.links.size()) {}

void bias_motion(const Model& model, const Params<double>& params, std::span<const double> q, std::span<const double> v,
                 const Kinematics<double>& k, BiasMotion& bias) {
  bias.A_WB[0] = {};
  for (int i = 1; i < model.nlink(); ++i) {
    const LinkTopology& link = model.links[i];
    with_joint(link.joint, [&](auto joint) {
      GeneralMotion<double> g;
      const JointMotion<double> m = [&] {
        if constexpr (joint.general)
          return general_joint_motion(model, params, i, q.data(), v.data(), g);
        else
          return joint_motion(joint, link, params.links[i], q.data(), v.data());
      }();
      const Mat3<double>& R_WP = k.X_WB[link.parent].R;
      const Vec& w_P = k.V_WB[link.parent].w;
      const Twist<double>& A_P = bias.A_WB[link.parent];
      const Vec r = R_WP * m.r;
      bias.A_WB[i] = {A_P.w + cross(w_P, k.X_WB[i].R * m.w_J),
                      A_P.v + cross(A_P.w, r) + cross(w_P, cross(w_P, r) + 2.0 * (R_WP * m.v_J))};  // (1)
      if constexpr (joint.general)
        bias.A_WB[i] += Twist<double>{k.X_WB[i].R * g.w_bias, R_WP * in_parent(link, params.links[i], g.v_bias)};
    });
  }
}

// ---- rows in terms of links
namespace {
void measure_axes(MotionAxes& axes, MotionAxes::Way& way, int first, int n) {
  way.turns = way.shifts = 0;
  for (int k = first; k < first + n; ++k) {
    const Twist<double>& S = axes.S_W[static_cast<std::size_t>(k)];
    way.turns += norm_squared(S.w), way.shifts += norm_squared(S.v);
  }
}
}  // namespace

// A joint's motion is linear in its velocities, so that its columns are its motions with unit velocities.
void motion_axes(const Model& model, const Params<double>& params, std::span<const double> q,
                 std::span<const Transform<double>> X_WB, MotionAxes& axes) {
  std::array<double, 6> unit{};
  for (int i = 1; i < model.nlink(); ++i) {
    LinkTopology link = model.links[i];
    const std::size_t parent = static_cast<std::size_t>(link.parent);
    MotionAxes::Way& way = axes.ways[static_cast<std::size_t>(i)];
    way.r = X_WB[static_cast<std::size_t>(i)].p - X_WB[parent].p;
    way.length = norm(way.r);
    way.to_world = axes.ways[parent].to_world + way.length;
    const int first = link.v, n = freedom_count(link);
    if (is_general(link.joint)) {
      const std::size_t g = static_cast<std::size_t>(link.general);
      GeneralMotion<double> motion;
      general_motion(model.general[g], params.general[g], q.data() + link.q, unit.data(), motion);
      const Mat3<double>& R = X_WB[static_cast<std::size_t>(i)].R;
      for (int k = 0; k < n; ++k) {
        const Twist<double>& S = motion.S[static_cast<std::size_t>(k)];
        axes.S_W[static_cast<std::size_t>(first + k)] = {R * S.w, R * S.v};
      }
      measure_axes(axes, way, first, n);
      continue;
    }
    link.v = 0;
    with_joint(link.joint, [&](auto joint) {
      for (int k = 0; k < n; ++k) {
        unit[static_cast<std::size_t>(k)] = 1;
        const JointMotion<double> m = joint_motion(joint, link, params.links[i], q.data(), unit.data());
        unit[static_cast<std::size_t>(k)] = 0;
        const std::size_t at = static_cast<std::size_t>(first + k);
        axes.S_W[at] = {X_WB[static_cast<std::size_t>(i)].R * m.w_J,
                        X_WB[static_cast<std::size_t>(link.parent)].R * m.v_J};
      }
    });
    measure_axes(axes, way, first, n);
  }
}

double bias_of(const ConstraintRow& row, const BiasMotion& bias) {
  double sum = row.bias;
  for (int p = 0; p < row.part_count; ++p) {
    const LinkWrench& part = row.parts[static_cast<std::size_t>(p)];
    if (part.link != 0) sum += power(part.F_Bo_W, bias.A_WB[static_cast<std::size_t>(part.link)]);
  }
  return sum;
}

void add_row(const Model& model, const ConstraintRow& row, const MotionAxes& axes, const BiasMotion& bias,
             RowSet& rows) {
  Row reduced;
  reduced.bias = bias_of(row, bias);
  reduced.compliance = row.compliance;
  const int index = rows.size();
  const std::span<double> J = rows.add(reduced);
  sweep_row(model, row, KnownWays{model, axes}, J, rows[index]);
}

}  // namespace marey
