// A body that nothing turns, in flight or about its centre of mass: Jacobi's elliptic functions (H2).
#include "marey/closed_form/torque_free.h"

#include "marey/core/index.h"
#include "marey/shape.h"
#include "sim/closed_forms/turning.h"

namespace marey {

std::string why_turned(const ComparedScene& scene, int link) {
  if (std::string why = why_not_on(scene, link, {JointType::free, JointType::ball}); !why.empty()) return why;
  if (std::string why = why_not_alone(scene, link); !why.empty()) return why;
  const Inertia<double>& I = scene.model.params.links[index(link)].I;
  const bool held = scene.model.links[index(link)].joint == JointType::ball;
  // Its lever against the size of the body, √(J/m).
  if (held && norm(scene.model.params.gravity) > 0 && norm_squared(I.h) > 1e-24 * I.m * (I.J.xx + I.J.yy + I.J.zz))
    return "its weight turns it about its joint";
  if (!(principal_axes(turning_inertia(scene, link)).moments.x > 0))
    return describe_moments(turning_inertia(scene, link));
  return {};
}

Sym3<double> turning_inertia(const ComparedScene& scene, int link) {
  const Inertia<double>& I = scene.model.params.links[index(link)].I;
  return scene.model.links[index(link)].joint == JointType::free ? central_inertia(I) : I.J;
}

static void add_torque_free(const ComparedScene& scene, int link, const std::string& base,
                            std::vector<RecordedChannel>& c) {
  const LinkStart s = scene.start_of(link);
  const TorqueFree body(turning_inertia(scene, link), quaternion_of(s.R_WB), s.w_WB_B);
  add_attitude(c, base, link, [body](double t) {
    const Quaternion<double> q = body.attitude(t);
    return AttitudeAndSpin{q, rotation(q) * body.angular_velocity(t)};
  });
}

extern const ClosedFormKind torque_free_closed{
    "torque_free",
    "bodies on free joints, or on balls about their centre of mass, that nothing turns: elliptic functions", why_turned,
    add_torque_free};

}  // namespace marey
