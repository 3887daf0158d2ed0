// A body of revolution on a ball joint, heavy, its centre of mass on its axis: Lagrange's top, with precession, nutation and
// spin (R2).
//
// Frames: P is fixed in the body at Bo with z towards the centre of mass; G is fixed in the world with z against gravity.
#include <cmath>

#include "marey/closed_form/top.h"
#include "marey/core/index.h"
#include "sim/closed_forms/form.h"

namespace marey {
namespace {

// A rotation whose z column is along a: the nearest to none.
Mat3<double> with_z_along(const Vec3<double>& a) {
  const Vec3<double> z = (1 / norm(a)) * a;
  const Vec3<double> n = cross(Vec3<double>{0, 0, 1}, z);
  if (norm(n) < 1e-12) return z.z > 0 ? Mat3<double>::identity() : Mat3<double>::diagonal(1, -1, -1);
  return rotation_about((1 / norm(n)) * n, std::atan2(norm(n), z.z));
}

// J in P, whose products and difference of moments across z are to vanish.
Sym3<double> inertia_of_top(const Inertia<double>& I) { return congruence(transpose(with_z_along(I.h)), I.J); }

}  // namespace

static std::string refusal_of_heavy_top(const ComparedScene& scene, int link) {
  if (std::string why = why_not_on(scene, link, {JointType::ball}); !why.empty()) return why;
  if (std::string why = why_not_alone(scene, link); !why.empty()) return why;
  const Inertia<double>& I = scene.model.params.links[index(link)].I;
  if (!(norm(scene.model.params.gravity) > 0)) return "there is no gravity";
  if (!(norm(I.h) > 1e-12 * I.m)) return "its centre of mass is at its joint";
  const Sym3<double> J = inertia_of_top(I);
  const double most = 1e-9 * (J.xx + J.yy + J.zz);
  const auto small = [&](double x) { return std::abs(x) <= most; };
  if (!small(J.xy) || !small(J.xz) || !small(J.yz) || !small(J.xx - J.yy))
    return "it is not alike about the line from its joint to its centre of mass";
  if (!(J.xx > 0 && J.zz > 0)) return "it has " + describe_moments(J);
  return {};
}

static void add_heavy_top(const ComparedScene& scene, int link, const std::string& base,
                          std::vector<RecordedChannel>& c) {
  const Inertia<double>& I = scene.model.params.links[index(link)].I;
  const Vec3<double>& g = scene.model.params.gravity;
  const LinkStart s = scene.start_of(link);
  const Sym3<double> J = inertia_of_top(I);
  const Mat3<double> R_BP = with_z_along(I.h), R_WG = with_z_along(-g);
  const HeavyTop top({0.5 * (J.xx + J.yy), J.zz, norm(I.h) * norm(g)}, quaternion_of(transpose(R_WG) * s.R_WB * R_BP),
                     transpose_times(R_BP, s.w_WB_B));
  const Quaternion<double> q_WG = quaternion_of(R_WG), q_PB = conjugate(quaternion_of(R_BP));
  add_attitude(c, base, link, [=](double t) {
    const Quaternion<double> q_GP = top.attitude(t);
    return AttitudeAndSpin{q_WG * q_GP * q_PB, R_WG * (rotation(q_GP) * top.angular_velocity(t))};
  });
}

extern const ClosedFormKind heavy_top_closed{
    "heavy_top", "bodies of revolution on ball joints at their axis, under gravity alone: Lagrange's top",
    refusal_of_heavy_top, add_heavy_top};

}  // namespace marey
