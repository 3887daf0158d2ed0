// Anything thrown: its centre of mass is on the parabola of R (2.7), whatever the body does about it.
#include "marey/closed_form/point_mass.h"
#include "sim/closed_forms/form.h"

namespace marey {

static std::string refusal_of_throw(const ComparedScene& scene, int link) {
  if (std::string why = why_not_on(scene, link, {JointType::point, JointType::free}); !why.empty()) return why;
  return why_not_alone(scene, link);
}

static void add_throw(const ComparedScene& scene, int link, const std::string& base, std::vector<RecordedChannel>& c) {
  const LinkStart s = scene.start_of(link);
  add_place(c, base, link, [s, g = scene.model.params.gravity](double t) {
    const PathPoint p = throw_motion(s.p_WoBcm, s.v_WBcm, g, t);
    return PlaceAndVelocity{p.r, p.v};
  });
}

extern const ClosedFormKind throw_closed{
    "throw", "particles and free bodies on which nothing acts but gravity: the parabola", refusal_of_throw, add_throw};

}  // namespace marey
