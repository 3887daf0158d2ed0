#include "marey/contact/leaps.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "marey/dynamics/joint.h"
#include "marey/integrate.h"

namespace marey {

namespace {

constexpr double deep_part = 0.25;      // of τ: deeper than that is too deep
constexpr double start_part = 0.01;     // of τ: so near at the start of a way, they touch
constexpr double touch_part = 1e-5;     // of τ: no farther apart is touching
constexpr int most_looks = 2000;        // on one way; then what is left of it is left to the next step
constexpr double general_slack = 1.25;  // of joints whose motions change with q, looked at in three places
constexpr double whole = std::numeric_limits<double>::infinity();

bool is_convex(const Collider& c) {
  if (c.parts.size() != 1) return false;
  const auto* mesh = std::get_if<std::shared_ptr<const MeshSolid>>(&c.parts[0].geometry);
  return mesh == nullptr || (*mesh)->hull != nullptr;
}

// Of what turns: without the ball that rounds it.
double turning_reach(const Collider& c) {
  const auto* convex = c.parts.size() == 1 ? std::get_if<Convex>(&c.parts[0].geometry) : nullptr;
  return convex != nullptr ? std::max(c.reach - convex->margin, 0.0) : c.reach;
}

}  // namespace

// ---- ways
LinkWays::LinkWays(const Model& model)
    : model_(model), xi_(static_cast<std::size_t>(model.nv)), q_s_(static_cast<std::size_t>(model.nq)) {}

void LinkWays::begin(std::span<const double> q, std::span<const double> v, double longest) {
  q_ = q, v_ = v, longest_ = longest;
}

LinkWays::Across LinkWays::across(int link, double s) {
  const auto i = static_cast<std::size_t>(link);
  const LinkTopology& topology = model_.links[i];
  for (int k = topology.v; k < topology.v + freedom_count(topology); ++k)
    xi_[static_cast<std::size_t>(k)] = s * v_[static_cast<std::size_t>(k)];
  advance<double>(model_, std::span(&topology, 1), q_, xi_, Turn::exponential, q_s_);
  JointMotion<double> m;
  with_joint(topology.joint, [&](auto joint) {
    if constexpr (joint.general) {
      GeneralMotion<double> general;
      m = general_joint_motion(model_, model_.params, link, q_s_.data(), v_.data(), general);
    } else {
      m = joint_motion(joint, topology, model_.params.links[i], q_s_.data(), v_.data());
    }
  });
  return {{m.R, m.r}, m.w_J, m.v_J};
}

Transform<double> LinkWays::pose(int link, double s) {
  const int parent = model_.links[static_cast<std::size_t>(link)].parent;
  if (link == 0) return {};
  const Transform<double> X_PB = across(link, s).X_PB;
  return parent == 0 ? X_PB : pose(parent, s) * X_PB;
}

LinkWays::Speed LinkWays::speed(int link) {
  if (link == 0) return {};
  const LinkTopology& topology = model_.links[static_cast<std::size_t>(link)];
  const Speed of_parent = speed(topology.parent);
  const Across start = across(link, 0);
  double turning = norm(start.w), shifting = norm(start.v);
  const bool general = is_general(topology.joint);
  if (general) {
    for (const double part : {0.5, 1.0}) {
      const Across later = across(link, part * longest_);
      turning = std::max(turning, norm(later.w)), shifting = std::max(shifting, norm(later.v));
    }
    turning *= general_slack, shifting *= general_slack;
  }
  Speed speed = of_parent;
  if (of_parent.turning == 0 && !general)
    speed.steady += pose(topology.parent, 0).R * start.v;
  else
    speed.beside += of_parent.turning * (norm(start.X_PB.p) + longest_ * shifting) + shifting;
  speed.turning += turning;
  return speed;
}

// ---- leaps
double Leaps::thin(const CollisionWorld& bodies, const CollisionWorld::Pair& pair) {
  const double a = bodies.thickness(pair.a), b = bodies.thickness(pair.b);
  return std::max(a, b) < whole ? 0.5 * std::min(a, b) : whole;
}

Transform<double> Leaps::pose(const CollisionWorld& bodies, int body, double s) {
  return body < links_ ? ways_.pose(body, s) : bodies.pose(body);
}

Leaps::Motion Leaps::motion(const CollisionWorld& bodies, const CollisionWorld::Pair& pair) {
  Motion sum;
  sum.convex = true;
  for (const int body : {pair.a, pair.b}) {
    const Collider& collider = bodies.collider(body);
    sum.convex = sum.convex && is_convex(collider);
    if (body >= links_) continue;
    const LinkWays::Speed speed = ways_.speed(body);
    sum.steady += (body == pair.b ? 1.0 : -1.0) * speed.steady;
    sum.others += speed.beside + speed.turning * turning_reach(collider);
  }
  return sum;
}

double Leaps::approach(const CollisionWorld& bodies, const CollisionWorld::Pair& pair) {
  const Motion m = motion(bodies, pair);
  return norm(m.steady) + m.others;
}

Leaps::Found Leaps::first(const CollisionWorld& bodies, const Fast& fast, double longest) {
  const CollisionWorld::Pair& pair = fast.pair;
  const Collider &a = bodies.collider(pair.a), &b = bodies.collider(pair.b);
  const Motion m = motion(bodies, pair);
  cache_.entries.clear();
  double s = 0, found = 0, aim = 0;
  for (int look = 0; look < most_looks; ++look) {
    const Distance d =
        distance_between(a, pose(bodies, pair.a, s), b, pose(bodies, pair.b, s), scratch_, &cache_).distance;
    if (look == 0) {
      if (d.distance < -fast.thin) return {{}, true};
      const bool apart =
          fast.start == Start::apart || (fast.start == Start::by_distance && d.distance > start_part * fast.thin);
      const double deep = std::min(d.distance, 0.0) - deep_part * fast.thin;
      found = apart ? touch_part * fast.thin : 0.5 * (deep + std::min(d.distance, 0.0));
      aim = apart ? 0.5 * found : deep;
    }
    if (d.distance <= found) return {s, false};
    if (s >= longest) return {};
    const double w = (m.convex ? -dot(d.normal_W, m.steady) : norm(m.steady)) + m.others;  // (1)
    const double safe = w > 0 ? (d.distance - d.slack - aim) / w : longest;
    if (!(s + safe > s)) return {s, false};
    s = std::min(s + safe, longest);
  }
  return {s, false};
}

}  // namespace marey
