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

// Whether a plane across n, in the frame of part a, is farther than `within` between two convex parts beyond any doubt.
bool are_parted(const ColliderPart& a, const Transform<double>& X_WA, const ColliderPart& b,
                const Transform<double>& X_WB, const Vec3<double>& n, double within) {
  const Convex *p = std::get_if<Convex>(&a.geometry), *q = std::get_if<Convex>(&b.geometry);
  if (p == nullptr || q == nullptr) return false;
  const Vec3<double> n_A = a.X_SP.R * n, n_W = X_WA.R * n_A, n_B = transpose_times(X_WB.R, n_W);
  const Vec3<double> apart = X_WB.p - X_WA.p;
  const double along = dot(n_W, apart) + dot(n_B, b.X_SP.p) - dot(n_A, a.X_SP.p);
  const double wide = support_value(*p, n) + support_value(*q, -transpose_times(b.X_SP.R, n_B));
  const double doubt = 1e-12 * (norm(apart) + std::abs(wide) + norm(X_WA.p) + norm(X_WB.p));
  return along - wide > within + doubt;
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
  pairs_of_boxes();
  std::erase_if(caches_,
                [&](const auto& known) { return !std::binary_search(near_.begin(), near_.end(), known.first); });
  return near_;
}

std::span<const CollisionWorld::Pair> CollisionWorld::near(std::span<const double> margins) {
  for (const int i : body_of_box_) {
    const Body& body = bodies_[static_cast<std::size_t>(i)];
    const double margin = margins[static_cast<std::size_t>(i)];
    broad_.move(body.box, widened(bounds_in_world(body.collider, body.X_WB), margin));
  }
  return pairs_of_boxes();
}

std::span<const CollisionWorld::Pair> CollisionWorld::pairs_of_boxes() {
  parted_before_.swap(near_), partings_before_.swap(partings_);
  near_.clear();
  for (const Pair& boxes : broad_.pairs()) {
    const Pair p = ordered(body_of_box_[static_cast<std::size_t>(boxes.a)],
                           body_of_box_[static_cast<std::size_t>(boxes.b)], boxes.sensor);
    if (may_touch(p)) near_.push_back(p);
  }
  if (!std::is_sorted(near_.begin(), near_.end())) std::sort(near_.begin(), near_.end());
  partings_.assign(near_.size(), {}), next_near_ = 0;
  for (std::size_t i = 0, k = 0; i < near_.size(); ++i) {
    while (k < parted_before_.size() && parted_before_[k] < near_[i]) ++k;
    if (k < parted_before_.size() && parted_before_[k] == near_[i]) partings_[i] = partings_before_[k];
  }
  return near_;
}

// Of a pair in near_; its size: it is not there.
std::size_t CollisionWorld::place_of(const Pair& p) {
  if (next_near_ < near_.size() && near_[next_near_] == p) return next_near_++;
  const auto at = std::ranges::lower_bound(near_, p);
  next_near_ = static_cast<std::size_t>(at - near_.begin());
  return at != near_.end() && *at == p ? next_near_++ : near_.size();
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

void CollisionWorld::fresh_manifolds(const Pair& p, double within, std::vector<Manifold>& out) {
  const Body &a = bodies_[static_cast<std::size_t>(p.a)], &b = bodies_[static_cast<std::size_t>(p.b)];
  const std::size_t i = place_of(p);
  if (i == near_.size() || a.collider.parts.size() != 1 || b.collider.parts.size() != 1)
    return find_manifolds(a.collider, a.X_WB, b.collider, b.X_WB, within, scratch_, out);
  Parting& parting = partings_[i];
  if (parting.known && are_parted(a.collider.parts[0], a.X_WB, b.collider.parts[0], b.X_WB, parting.normal_A, within))
    return out.clear();
  PairCache& cache = parting_cache_.of(0, 0);
  cache = {};
  cache.beyond = parting.known, cache.normal_A = parting.normal_A;
  find_manifolds(a.collider, a.X_WB, b.collider, b.X_WB, within, scratch_, out, &parting_cache_);
  parting = {cache.beyond, cache.normal_A};
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
