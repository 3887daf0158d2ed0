// A link that swings on a hinge under gravity alone: a compound pendulum. With n the axis in W, r₀ the centre of mass from the
// axis at q = 0, g⊥ the part of gravity across n and ψ the angle from r₀ to g⊥ about n, the moment of the weight about the
// axis is m |r₀| |g⊥| sin(ψ − q): θ = q − ψ, κ = m |r₀| |g⊥|/(nᵀ J n).
#include "marey/closed_form/pendulum.h"

#include <cmath>

#include "marey/core/index.h"
#include "sim/closed_forms/form.h"

namespace marey {

static std::string refusal_of_pendulum(const ComparedScene& scene, int link) {
  if (std::string why = why_not_on(scene, link, {JointType::hinge}); !why.empty()) return why;
  return why_not_alone(scene, link);
}

static void add_pendulum(const ComparedScene& scene, int number, const std::string& base,
                         std::vector<RecordedChannel>& c) {
  using V = Vec3<double>;
  const LinkParams<double>& link = scene.model.params.links[index(number)];
  const LinkTopology& topology = scene.model.links[index(number)];
  const LinkStart s = scene.start_of(number);
  const double q = scene.start.q[index(topology.q)], rate = scene.start.v[index(topology.v)];
  const V n = s.R_WB * link.axis;
  const auto across = [&](const V& a) { return a - dot(a, n) * n; };
  const V h = across(s.R_WB * link.I.h), g = across(scene.model.params.gravity);  // h: m r, as it is at the start
  const double lever = norm(h) * norm(g), inertia = dot(link.axis, link.I.J * link.axis);
  const double rest = q + (lever > 0 ? std::atan2(dot(n, cross(h, g)), dot(h, g)) : 0);  // ψ
  const Pendulum exact(lever / inertia, q - rest, rate);
  add_channel(c, base + "angle", "rad", {""}, "of the joint by the closed form",
              [=](const Observed& o) { return exact.angle(o.now.t) + rest; });
  add_channel(c, base + "rate", "rad/s", {""}, "of the joint by the closed form",
              [=](const Observed& o) { return exact.rate(o.now.t); });
  add_channel(c, base + "difference", "rad", {""}, "of the simulated angle from that of the closed form",
              [=, at = index(topology.q)](const Observed& o) { return o.now.q[at] - (exact.angle(o.now.t) + rest); });
}

extern const ClosedFormKind pendulum_closed{"pendulum", "links on hinges under gravity alone: swings of any width",
                                            refusal_of_pendulum, add_pendulum};

}  // namespace marey
