// Points that touch, frame by frame. Under contact: stepping those of the step that ends at the frame or has it within, as the
// step has found them in its middle; under contact: events the points on floors as they are at the frame.
#include "marey/sim/touching_items.h"

#include <algorithm>
#include <cmath>

#include "sim/recorder.h"

namespace marey {

ItemList touching_list(const Scene& scene) {
  const std::vector<std::string> xyz{"x", "y", "z"};
  ItemList list{touching_items_name,
                {{"t", "s", {""}, "time of the frame"},
                 {"a", unit_of_names, {""}, "the body that is touched"},
                 {"b", unit_of_names, {""}, "what touches it: a body, or the floor of a point"},
                 {"point", "m", xyz, "where, in the world"},
                 {"normal", "", xyz, "from b to a, of length 1, in world axes"},
                 {"force", "N", xyz, "on a by b, in world axes; in steps the mean of the step, with impacts"},
                 {"moment", "N m", xyz, "likewise about the point: friction of turning and rolling"},
                 {"gap", "m", {""}, "between the two; negative: how far they are in each other"},
                 {"slip", "m/s", {""}, "speed of one along the other"}},
                "points that touch, at each frame"};
  list.names.assign(scene.model.names.begin(), scene.model.names.end());
  for (const SceneryPiece& piece : scene.scenery) list.names.push_back(piece.name);
  for (const FloorContact& contact : scene.contacts) list.names.push_back(contact.name);
  return list;
}

bool names_touching(const std::string& pattern) {
  const std::string name = touching_items_name;
  return pattern == "*" || pattern == name || pattern.starts_with(name + "/");
}

bool has_touching(const Scene& scene) {
  return !scene.contacts.empty() || scene.solver.contact == ContactDriver::stepping;
}

bool records_touching(const Scene& scene) {
  if (!has_touching(scene)) return false;
  const std::vector<std::string>& asked = scene.record.channels;
  return asked.empty() || std::ranges::any_of(asked, names_touching);
}

namespace {

class ItemWriter {
 public:
  explicit ItemWriter(std::vector<double>& to) : to_(to) {}
  ItemWriter& put(double x) {
    to_.push_back(x + 0.0);  // no −0
    return *this;
  }
  ItemWriter& put(const Vec3<double>& a) { return put(a.x).put(a.y).put(a.z); }

 private:
  std::vector<double>& to_;
};

// Without those that are near and carry nothing.
void add_points_of_step(const Observed& o, ItemWriter to) {
  const double floors = static_cast<double>(o.scene.model.links.size() + o.scene.scenery.size());
  o.touching->for_each_point([&](const TouchingPoint& c) {
    if (c.gap > 0 && norm_squared(c.force_W) == 0) return;
    const bool on_floor = c.key.a == -1;  // the force is that on b, a link
    const double sign = on_floor ? 1 : -1;
    to.put(o.now.t);
    if (on_floor)
      to.put(c.link_b).put(floors + c.key.b);
    else
      to.put(c.key.a).put(c.key.b);
    to.put(c.p_WoC_W).put(sign * c.axes_W[0]).put(sign * c.force_W).put(sign * c.moment_W);
    to.put(c.gap).put(std::hypot(c.u[1], c.u[2]));
  });
}

void add_points_on_floors(const Observed& o, ItemWriter to) {
  const double floors = static_cast<double>(o.scene.model.links.size() + o.scene.scenery.size());
  for (std::size_t i = 0; i < o.scene.contacts.size(); ++i) {
    if (o.contacts->mode(i) == Mode::free) continue;
    const FloorContact& c = o.scene.contacts[i];
    const ContactMotion& m = o.contacts->motion(i);
    to.put(o.now.t).put(c.link).put(floors + static_cast<double>(i));
    to.put(m.p_WoC_W - c.clearance * c.plane.normal_W).put(c.plane.normal_W);
    to.put(o.contacts->force_W(i)).put(Vec3<double>{}).put(m.gap).put(std::hypot(m.velocity[1], m.velocity[2]));
  }
}

}  // namespace

void add_touching_items(const Observed& o, std::vector<double>& items) {
  if (o.touching != nullptr)
    add_points_of_step(o, ItemWriter(items));
  else if (o.contacts != nullptr)
    add_points_on_floors(o, ItemWriter(items));
}

}  // namespace marey
