#include "marey/plant/plant.h"

#include <fmt/core.h>

#include <algorithm>

#include "marey/integrate.h"
#include "marey/rows/row_system.h"

namespace marey {

namespace {
constexpr double hopeless = 1e-6;  // |g| that no projection may leave
}  // namespace

bool projects(const SolverOptions& o) {
  return o.dynamics != Dynamics::multipliers || o.stabilisation == Stabilisation::projection;
}

// Methods of one step are put back as soon as they are off; those that would lose their memory, when they are a few errors
// off.
double drift_bound(const SolverOptions& o, double after_a_step) {
  return has_long_memory(o.integrator) ? 10 * std::max(o.tolerance, o.absolute_tolerance.value_or(o.tolerance))
                                       : after_a_step;
}

void check_held(double left, const std::function<std::string()>& what, const std::function<std::string()>& why) {
  if (left <= hopeless) return;
  throw Error(ErrorKind::cannot_go_on,
              fmt::format("{} can no longer be held: it is off by {:.3g} (m or rad), and no small change of the pose "
                          "mends it{}",
                          what(), left,
                          why ? ": " + why()
                              : " (a position beyond the mechanism's reach, or constraints that contradict each "
                                "other)"));
}

Plant::Plant(const Model& figure, const Model& coordinates)
    : figure_(figure), coordinates_(coordinates), kinematics_(figure) {
  for (const LinkTopology& link : figure.links)
    holds_roots_ = holds_roots_ || (&link != figure.links.data() && link.parent == 0 && link.joint != JointType::free);
}

void Plant::joint_accelerations(std::span<const double> vdot, std::span<double> of_joints) const {
  std::copy(vdot.begin(), vdot.end(), of_joints.begin());
}

void Plant::mass_moment(double& mass, Vec3<double>& first_moment) {
  const Params<double>& params = figure_.params;
  for (int i = 1; i < figure_.nlink(); ++i) {
    first_moment += kinematics_.X_WB[i].R * params.links[i].I.h + params.links[i].I.m * kinematics_.X_WB[i].p;
    mass += params.links[i].I.m;
  }
}

double Plant::row_weight(const ConstraintRow&, const Row& row) const { return marey::row_weight(row); }

void Plant::shift(State& s, std::span<const double> x) {
  advance<double>(coordinates_, s.q, x, Turn::exponential, s.q);
}

JointError Plant::to_joints(std::span<const double> q, std::span<const double> v, std::span<const double>,
                            std::span<const double>, std::span<double> q_joints, std::span<double> v_joints) const {
  std::copy(q.begin(), q.end(), q_joints.begin());
  std::copy(v.begin(), v.end(), v_joints.begin());
  return {};
}

Wrench<double> wrench_of_joint_force(const LinkTopology& link, const LinkParams<double>& params,
                                     const Mat3<double>& R_FB, const double* tau) {
  const Vec3<double> first = freedom_count(link) >= 3 ? Vec3<double>{tau[0], tau[1], tau[2]} : Vec3<double>{};
  switch (link.joint) {
    case JointType::weld:
      return {};
    case JointType::hinge:
      return {tau[0] * params.axis, {}};
    case JointType::slider:
      return {{}, tau[0] * params.axis};
    case JointType::ball:
      return {first, {}};
    case JointType::free:
      return {first, transpose_times(R_FB, Vec3<double>{tau[3], tau[4], tau[5]})};
    case JointType::point:
      return {{}, first};
    default:
      return {};  // general joints: LeastWrench
  }
  return {};
}

}  // namespace marey
