// A body of revolution that nothing turns: its axis goes round the angular momentum L at L/A, tilted by a constant β, while
// it turns about its axis at γ̇ = (1 − C/A) ω_ζ (R2, (2.13)). With Z along L, R_WB = Rz(α₀ + α̇ t) Ry(β) Rz(γ₀ + γ̇ t), so
//   R_WB(t) = turn(L, L t/A) R_WB(0) turn(ζ, γ̇ t)                                                                   (1)
// which needs no angles, and has no singular pose.
#include "marey/closed_form/top.h"
#include "sim/closed_forms/turning.h"

namespace marey {

static std::string refusal_of_symmetric_top(const ComparedScene& scene, int link) {
  if (std::string why = why_turned(scene, link); !why.empty()) return why;
  const Sym3<double> J = turning_inertia(scene, link);
  return body_of_revolution(J) ? "" : "it has " + describe_moments(J) + ", no two alike";
}

static void add_symmetric_top(const ComparedScene& scene, int link, const std::string& base,
                              std::vector<RecordedChannel>& c) {
  using V = Vec3<double>;
  const LinkStart s = scene.start_of(link);
  const Sym3<double> J = turning_inertia(scene, link);
  const BodyOfRevolution top = *body_of_revolution(J);
  const V L = s.R_WB * (J * s.w_WB_B);
  const double length = norm(L), spin = dot(s.w_WB_B, top.axis_B);
  const double own = (1 - top.along / top.across) * spin, round = length / top.across;
  const V e = length > 0 ? (1 / length) * L : V{0, 0, 1};
  add_attitude(c, base, link, [=, q0 = quaternion_of(s.R_WB)](double t) {
    const Quaternion<double> q = quaternion_about(e, round * t) * q0 * quaternion_about(top.axis_B, own * t);  // (1)
    return AttitudeAndSpin{q, round * e + own * (rotation(q) * top.axis_B)};
  });
}

extern const ClosedFormKind symmetric_top_closed{
    "symmetric_top", "bodies of revolution that nothing turns: an even precession about the angular momentum",
    refusal_of_symmetric_top, add_symmetric_top};

}  // namespace marey
