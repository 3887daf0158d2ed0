#include "marey/contact/collision_world.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "contact/thickness.h"
#include "marey/shape/collider_maker.h"

namespace marey {

namespace {

constexpr double relative_slack = 1e-9;  // of the size of the smaller body

BroadPhase::Pair ordered(int a, int b, bool sensor = false) { return {std::min(a, b), std::max(a, b), sensor}; }

// The half space behind the plane: that of z ≤ 0 in a frame whose z axis is the normal.
Transform<double> pose_of(const Plane& plane) {
  const auto [n, t_1, t_2] = axes_of(plane);
  return {Mat3<double>{t_1.x, t_2.x, n.x, t_1.y, t_2.y, n.y, t_1.z, t_2.z, n.z}, plane.offset * n};
}

std::string figure_of(const std::string& link) { return link.substr(0, link.find('.')); }

}  // namespace

CollideRule everybody_may_touch(std::size_t bodies) {
  CollideRule rule;
  rule.bodies.assign(bodies, {1, 1, false});
  return rule;
}

CollisionWorld::CollisionWorld(const Model& model, std::span<const SceneryPiece> scenery, CollideRule rule,
                               std::span<const Pair> joined)
    : rule_(std::move(rule)) {
  if (rule_.bodies.size() != model.links.size() + scenery.size())
    throw Error(ErrorKind::bad_input, "found a rule of who may touch whom for another number of bodies");
  for (const Pair& p : joined) left_out_.push_back(ordered(p.a, p.b));
  for (const auto& [a, b] : rule_.except) left_out_.push_back(ordered(a, b));
  std::sort(left_out_.begin(), left_out_.end());
  add_links(model);
  add_scenery(scenery);
  // Any two that differ in what decides are enough.
  int moving = 0, fixed = 0, figures = 0, last = -1;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Body& b = bodies_[i];
    if (b.box < 0 || rule_.bodies[i].meets == 0) continue;
    (b.group == 0 ? fixed : moving) += 1;
    if (b.figure >= 0 && (b.figure != last || b.self)) ++figures, last = b.figure;
  }
  anything_to_do_ = moving > 0 && (fixed > 0 || figures > 1);
  find_planes_alone();
}

void CollisionWorld::add_links(const Model& model) {
  std::map<std::string, int> figures;
  const std::set<std::string> self(rule_.self.begin(), rule_.self.end());
  ColliderMaker maker;
  for (int i = 0; i < model.nlink(); ++i) {
    const LinkTopology& link = model.links[static_cast<std::size_t>(i)];
    names_.push_back(model.names[static_cast<std::size_t>(i)]);
    Body& body = bodies_.emplace_back();
    if (i == 0) continue;  // the world itself: scenery is its shapes
    const Body& parent = bodies_[static_cast<std::size_t>(link.parent)];
    const bool welded = link.joint == JointType::weld;
    body.group = welded ? parent.group : i;
    const bool loose = link.joint == JointType::free || link.joint == JointType::point;
    body.hangs_on = welded ? parent.hangs_on : loose ? -1 : parent.group;
    const std::string figure = figure_of(names_.back());
    body.figure = figures.try_emplace(figure, static_cast<int>(figures.size())).first->second;
    body.self = self.contains(figure);
    const std::vector<Shape>& shapes = model.shapes[static_cast<std::size_t>(i)];
    if (shapes.empty() || rule_.bodies[static_cast<std::size_t>(i)].meets == 0) continue;
    body.collider = maker.make(shapes);
    add_box(i);
  }
}

void CollisionWorld::add_box(int number) {
  Body& body = bodies_[static_cast<std::size_t>(number)];
  const CollideRule::Body& who = rule_.bodies[static_cast<std::size_t>(number)];
  body.box = broad_.add(bounds_in_world(body.collider, body.X_WB),
                        {who.groups, who.meets, body.figure, body.self, who.sensor});
  body_of_box_.push_back(number);
  body.thickness = thickness_of(body.collider);
  least_thickness_ = std::min(least_thickness_, body.thickness);
}

void CollisionWorld::add_scenery(std::span<const SceneryPiece> scenery) {
  ColliderMaker maker;
  for (const SceneryPiece& piece : scenery) {
    names_.push_back(piece.name);
    Body& body = bodies_.emplace_back();
    const auto number = static_cast<int>(bodies_.size()) - 1;
    if (rule_.bodies[static_cast<std::size_t>(number)].meets == 0) continue;
    if (piece.plane)
      body.collider = collider_of(convex_plane()), body.X_WB = pose_of(*piece.plane);
    else
      body.collider = maker.make(piece.shapes);
    add_box(number);
  }
}

void CollisionWorld::place(std::span<const Transform<double>> X_WB) {
  for (std::size_t i = 1; i < X_WB.size(); ++i) bodies_[i].X_WB = X_WB[i];
}

bool CollisionWorld::may_touch(const Pair& p) const {
  const Body &a = bodies_[static_cast<std::size_t>(p.a)], &b = bodies_[static_cast<std::size_t>(p.b)];
  if (a.group == b.group) return false;
  // A root hangs on the world, and may touch scenery all the same: a pendulum above a floor.
  if (a.group != 0 && b.group != 0 && (a.hangs_on == b.group || b.hangs_on == a.group)) return false;
  return !std::binary_search(left_out_.begin(), left_out_.end(), ordered(p.a, p.b));
}

std::span<const CollisionWorld::Pair> CollisionWorld::near(double within) {
  for (const int i : body_of_box_) {
    const Body& body = bodies_[static_cast<std::size_t>(i)];
    broad_.move(body.box, widened(bounds_in_world(body.collider, body.X_WB), 0.5 * within));
  }
  knows_neighbours_ = false;
  pairs_of_boxes(near_);
  std::erase_if(caches_,
                [&](const auto& known) { return !std::binary_search(near_.begin(), near_.end(), known.first); });
  return near_;
}

// Sorted.
void CollisionWorld::pairs_of_boxes(std::vector<Pair>& out) {
  out.clear();
  for (const Pair& boxes : broad_.pairs()) {
    const Pair p = ordered(body_of_box_[static_cast<std::size_t>(boxes.a)],
                           body_of_box_[static_cast<std::size_t>(boxes.b)], boxes.sensor);
    if (may_touch(p)) out.push_back(p);
  }
  if (!std::is_sorted(out.begin(), out.end())) std::sort(out.begin(), out.end());
}

ColliderDistance CollisionWorld::distance(const Pair& p) {
  const Body &a = bodies_[static_cast<std::size_t>(p.a)], &b = bodies_[static_cast<std::size_t>(p.b)];
  return distance_between(a.collider, a.X_WB, b.collider, b.X_WB, scratch_, &caches_[p]);
}

bool CollisionWorld::touch(const Pair& p) {
  const Body &a = bodies_[static_cast<std::size_t>(p.a)], &b = bodies_[static_cast<std::size_t>(p.b)];
  return distance_between(a.collider, a.X_WB, b.collider, b.X_WB, scratch_).distance.distance <= 0;
}

void CollisionWorld::manifolds(const Pair& p, double within, std::vector<Manifold>& out) {
  const Body &a = bodies_[static_cast<std::size_t>(p.a)], &b = bodies_[static_cast<std::size_t>(p.b)];
  find_manifolds(a.collider, a.X_WB, b.collider, b.X_WB, within, scratch_, out, &caches_[p]);
}

double CollisionWorld::size(const Pair& p) const {
  return std::min(bodies_[static_cast<std::size_t>(p.a)].collider.reach,
                  bodies_[static_cast<std::size_t>(p.b)].collider.reach);
}
double CollisionWorld::slack(const Pair& p) const { return relative_slack * size(p); }

std::vector<Overlap> overlaps(CollisionWorld& world) {
  std::vector<Overlap> all;
  for (const CollisionWorld::Pair& p : world.near(0)) {
    if (p.sensor) continue;  // they are meant to be entered
    const Distance d = world.distance(p).distance;
    if (d.distance < -world.slack(p)) all.push_back({p.a, p.b, -d.distance, 0.5 * (d.point_a_W + d.point_b_W)});
  }
  std::stable_sort(all.begin(), all.end(), [](const Overlap& x, const Overlap& y) { return x.depth > y.depth; });
  return all;
}

}  // namespace marey
