// A rod in free flight (R7): its centre on the parabola of (3.23), its axis as (3.24) says, t = 0 at β_min. The print's rod is
// thin; any body of revolution flies so that does not spin about its axis, since then L is across the axis and L = A ω.
#include "marey/closed_form/rod.h"

#include <fmt/core.h>

#include <cmath>
#include <numbers>

#include "marey/closed_form/euler_angles.h"
#include "marey/core/index.h"
#include "marey/shape.h"
#include "sim/closed_forms/form.h"

namespace marey {

static std::string refusal_of_rod(const ComparedScene& scene, int link) {
  if (std::string why = why_not_on(scene, link, {JointType::free}); !why.empty()) return why;
  if (std::string why = why_not_alone(scene, link); !why.empty()) return why;
  const Vec3<double>& g = scene.model.params.gravity;
  if (g.x != 0 || g.y != 0) return "gravity is not along z";
  const Sym3<double> J = central_inertia(scene.model.params.links[index(link)].I);
  const std::optional<BodyOfRevolution> rod = body_of_revolution(J);
  if (!rod) return "it has " + describe_moments(J) + ", no two alike";
  const LinkStart s = scene.start_of(link);
  if (const double spin = dot(s.w_WB_B, rod->axis_B); std::abs(spin) > 1e-9 * norm(s.w_WB_B))
    return fmt::format("it spins about its axis at {:.6g} rad/s", spin);
  return {};
}

// (3.24) as recorded Euler angles are: where the axis goes straight through the vertical, α stays and β goes on beyond it.
static RodAngles continuous_angles(const RodSpin& spin, double t) {
  if (spin.omega == 0 || spin.beta_min > euler_pole) return spin.at(t);
  const double at_start = std::remainder(-spin.omega * spin.t_min, 2 * std::numbers::pi);  // ω t at the start
  const double sign = at_start < 0 ? -1 : 1;
  const double alpha = std::remainder(spin.alpha_min + sign * spin.sense * std::numbers::pi / 2, 2 * std::numbers::pi);
  return {alpha, sign * (at_start + spin.omega * t)};
}

static void add_rod(const ComparedScene& scene, int link, const std::string& base, std::vector<RecordedChannel>& c) {
  using V = Vec3<double>;
  const LinkStart s = scene.start_of(link);
  V axis_B = body_of_revolution(central_inertia(scene.model.params.links[index(link)].I))->axis_B;
  if (axis_B.z < 0) axis_B = -axis_B;  // ζ upwards in the link
  const RodState start{s.p_WoBcm, s.v_WBcm, s.R_WB * axis_B, without_axial(s.w_WB_W, s.R_WB * axis_B)};
  const double g = -scene.model.params.gravity.z;
  add_place(c, base, link, [=](double t) {
    const RodState now = rod_flight(start, g, t);
    return PlaceAndVelocity{now.r_c, now.v_c};
  });
  const RodSpin spin = rod_spin(start);
  const auto axis = [spin](double t) {
    const RodAngles a = spin.at(t);
    return V{std::sin(a.beta) * std::cos(a.alpha), std::sin(a.beta) * std::sin(a.alpha), std::cos(a.beta)};
  };
  add_channel(c, base + "alpha", "rad", {""}, "azimuth of the rod's axis by (3.24), without jumps and with whole turns",
              [spin](const Observed& o) { return continuous_angles(spin, o.now.t).alpha; });
  add_channel(c, base + "beta", "rad", {""},
              "tilt of the rod's axis from the vertical by (3.24); it goes on where the axis goes straight through the "
              "vertical",
              [spin](const Observed& o) { return continuous_angles(spin, o.now.t).beta; });
  add_channel(c, base + "angle", "rad", {""}, "between the simulated axis and that of the closed form",
              [=, i = index(link)](const Observed& o) {
                const V a = o.kinematics.X_WB[i].R * axis_B, b = axis(o.now.t);
                return std::atan2(norm(cross(a, b)), dot(a, b));
              });
}

extern const ClosedFormKind rod_closed{
    "rod", "free bodies of revolution that do not spin about their axis, under gravity along z alone: (3.23), (3.24)",
    refusal_of_rod, add_rod};

}  // namespace marey
