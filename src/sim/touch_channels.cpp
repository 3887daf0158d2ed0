// What is recorded of contacts in a world that goes on in steps: how exact they were, and what touches each body.
#include "marey/sim/overlaps.h"
#include "sim/recorder.h"

namespace marey {

namespace {

void add_certificate(std::vector<RecordedChannel>& c) {
  const auto add = [&](const char* name, const char* meaning, auto value) {
    add_channel(c, name, "", {""}, meaning, [value](const Observed& o) { return static_cast<double>(value(o)); });
    c.back().needs = needs_no_more;
  };
  const auto of = [](auto member) { return [member](const Observed& o) { return o.touching->certificate().*member; }; };
  add("contacts/points", "points at which something touches, or might have touched, in the step",
      of(&StepCertificate::points));
  add("contacts/natural_map", "what the step leaves unsolved of its contact problem, over the velocities in it",
      of(&StepCertificate::natural_map));
  add("contacts/penetration", "the deepest overlap in the middle of the step, over the size of the smaller body",
      of(&StepCertificate::penetration));
  add("contacts/momentum", "what is missing between momentum and impulses of contacts, over the largest of them",
      of(&StepCertificate::momentum));
}

void add_body(std::vector<RecordedChannel>& c, const std::string& name, int body) {
  add_channel(c, "touch/" + name + "/force", "N", {"x", "y", "z"},
              "force of all that touches it, in world axes: the mean of a step, with impacts",
              [body](const Observed& o) { return o.touching->wrench_on_body(body, {}).f; });
  c.back().needs = needs_no_more;
  add_channel(c, "touch/" + name + "/moment", "N m", {"x", "y", "z"},
              "moment of all that touches it, about its origin (of scenery: the world's), in world axes: likewise",
              [body](const Observed& o) {
                const bool is_link = body < o.scene.model.nlink();
                return o.touching
                    ->wrench_on_body(body,
                                     is_link ? o.kinematics.X_WB[static_cast<std::size_t>(body)].p : Vec3<double>{})
                    .n;
              });
  c.back().needs = needs_no_more;
  add_channel(c, "touch/" + name + "/points", "", {""}, "at how many points something presses on it",
              [body](const Observed& o) { return static_cast<double>(o.touching->points_on_body(body)); });
  c.back().needs = needs_no_more;
}

}  // namespace

void add_touch_channels(const Scene& scene, std::vector<RecordedChannel>& c) {
  if (scene.solver.contact != ContactDriver::stepping) return;
  add_certificate(c);
  if (!scene.collide) return;
  add_channel(c, "contacts/work", "J", {""}, "work of all shapes that touch, since the start",
              [source = layout_of(scene).touching()](const Observed& o) { return o.integrals[source]; });
  c.back().needs = needs_no_more;
  add_channel(c, "contacts/correction", "J", {""}, "energy that putting shapes apart has added, since the start",
              [source = layout_of(scene).correction()](const Observed& o) { return o.integrals[source]; });
  c.back().needs = needs_no_more;
  const std::size_t links = scene.model.links.size();
  for (std::size_t body = 1; body < scene.collide->bodies.size(); ++body) {
    const CollideRule::Body& rule = scene.collide->bodies[body];
    if (rule.sensor || rule.meets == 0) continue;
    if (body < links && scene.model.shapes[body].empty()) continue;
    add_body(c, body < links ? scene.model.names[body] : scene.scenery[body - links].name, static_cast<int>(body));
  }
}

}  // namespace marey
