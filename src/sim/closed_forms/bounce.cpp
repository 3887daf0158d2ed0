// A particle, or a ball that does not turn, on a smooth rigid floor across gravity: it keeps the part e of its speed at every
// bounce, and rests after infinitely many of them.
#include <fmt/core.h>

#include <cmath>

#include "marey/closed_form/point_mass.h"
#include "marey/core/index.h"
#include "sim/closed_forms/form.h"

namespace marey {

static std::string refusal_of_bounce(const ComparedScene& scene, int link) {
  if (std::string why = why_not_on(scene, link, {JointType::point, JointType::free}); !why.empty()) return why;
  const Company company = scene.company_of(link);
  if (!company.elements.empty()) return fmt::format("'{}' acts on it", company.elements[0]->name);
  if (!company.other.empty()) return company.other;
  if (company.contacts.size() != 1) return fmt::format("it has {} contacts", company.contacts.size());
  const FloorContact& contact = *company.contacts[0];
  const Vec3<double>& n = contact.plane.normal_W;
  const Vec3<double>& g = scene.model.params.gravity;
  const LinkStart s = scene.start_of(link);
  const Vec3<double> along = s.v_WBcm - dot(s.v_WBcm, n) * n;
  const Inertia<double>& I = scene.model.params.links[index(link)].I;
  if (contact.compliant) return "its ground gives way";
  if (!(dot(n, g) < 0) || norm(cross(n, g)) > 1e-12 * norm(g)) return "its floor is not across gravity";
  if (norm(I.m * contact.point_B - I.h) > 1e-12 * I.m) return "its contact is not at its centre of mass";
  if (contact.surface.kind == ContactSurface::Kind::rim) return "it touches with a rim";
  if (norm(s.w_WB_W) > 0) return "it turns";
  const bool smooth = contact.law.kind == ImpactKind::smooth || contact.law.friction == 0;
  const bool slides_freely = smooth && contact.friction_kinetic == 0 && contact.friction_static == 0;
  if (norm(along) > 0 && !slides_freely) return "it slides, on a floor that is not smooth";
  if (dot(n, s.p_WoBcm) < contact.plane.offset + contact.surface.radius) return "it starts within the floor";
  return {};
}

static void add_bounce(const ComparedScene& scene, int link, const std::string& base, std::vector<RecordedChannel>& c) {
  const FloorContact& contact = *scene.company_of(link).contacts[0];
  const LinkStart s = scene.start_of(link);
  const Vec3<double> n = contact.plane.normal_W;
  const double height = dot(n, s.p_WoBcm) - contact.surface.radius - contact.plane.offset, up = dot(n, s.v_WBcm);
  const BouncingBall ball(height, up, norm(scene.model.params.gravity), contact.law.restitution);
  add_place(c, base, link, [=](double t) {
    const Vec3<double> along = s.v_WBcm - up * n;
    return PlaceAndVelocity{s.p_WoBcm + t * along + (ball.height(t) - height) * n, along + ball.velocity(t) * n};
  });
}

extern const ClosedFormKind bounce_closed{
    "bounce", "particles and balls that do not turn, on a smooth rigid floor across gravity: parabolas, then rest",
    refusal_of_bounce, add_bounce};

}  // namespace marey
