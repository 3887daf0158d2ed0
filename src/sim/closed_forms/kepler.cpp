// A particle, or the centre of mass of a free body, that one fixed point attracts: an ellipse, parabola or hyperbola (R1).
#include "marey/closed_form/kepler.h"

#include <fmt/core.h>

#include "sim/closed_forms/form.h"

namespace marey {

static std::string refusal_of_kepler(const ComparedScene& scene, int link) {
  if (std::string why = why_not_on(scene, link, {JointType::point, JointType::free}); !why.empty()) return why;
  if (norm(scene.model.params.gravity) > 0) return "there is gravity";
  const Company company = scene.company_of(link);
  if (!company.contacts.empty() || !company.other.empty()) return "something else than an attraction acts on it";
  if (company.elements.empty()) return "nothing attracts it";
  if (company.elements.size() > 1)
    return fmt::format("'{}' and '{}' act on it", company.elements[0]->name, company.elements[1]->name);
  const Attraction* sun = company.elements[0]->kind.get_if<Attraction>();
  if (sun == nullptr) return fmt::format("{} acts on it", word_of(*company.elements[0]));
  if (sun->softening != 0) return fmt::format("'{}' is softened", company.elements[0]->name);
  if (!(sun->strength > 0)) return fmt::format("'{}' does not attract", company.elements[0]->name);
  const LinkStart s = scene.start_of(link);
  const Vec3<double> r = s.p_WoBcm - sun->center_W;
  if (!(norm(cross(r, s.v_WBcm)) > 0)) return "it falls straight to the centre";
  return {};
}

static void add_kepler(const ComparedScene& scene, int link, const std::string& base, std::vector<RecordedChannel>& c) {
  const Attraction& sun = *scene.company_of(link).elements[0]->kind.get_if<Attraction>();
  const LinkStart s = scene.start_of(link);
  const KeplerOrbit orbit = KeplerOrbit::from_state(sun.strength, s.p_WoBcm - sun.center_W, s.v_WBcm);
  add_place(c, base, link, [orbit, center = sun.center_W](double t) {
    const PathPoint p = orbit.at(t);
    return PlaceAndVelocity{center + p.r, p.v};
  });
}

extern const ClosedFormKind kepler_closed{
    "kepler", "particles and free bodies that one fixed point attracts, without gravity: Kepler's orbits",
    refusal_of_kepler, add_kepler};

}  // namespace marey
