// Who is near whom in a world that goes on in small steps: most pairs of a step are those of the one before.
//
// Boxes are given room, and those whose rooms overlap are neighbours; as long as no box leaves its room, all that overlap are among them.
// So which pairs there are is decided by the boxes of now, to the bit, and only the time it takes depends on what was before. Likewise a
// plane that parted two bodies is asked first: it can only say "still apart", beyond any doubt of rounding. And it is not even asked while
// the two have not travelled as far as it had parted them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "marey/contact/collision_world.h"

namespace marey {

namespace {

constexpr double room_of_reach = 0.02;  // around a box
constexpr std::size_t boxes_at_once = 128, neighbours_at_once = 512;

// How far a plane across n, in the frame of part a, parts two convex parts beyond any doubt.
double parted_by(const ColliderPart& a, const Transform<double>& X_WA, const ColliderPart& b,
                 const Transform<double>& X_WB, const Vec3<double>& n) {
  const Convex *p = std::get_if<Convex>(&a.geometry), *q = std::get_if<Convex>(&b.geometry);
  if (p == nullptr || q == nullptr) return -std::numeric_limits<double>::infinity();
  const Vec3<double> n_A = a.X_SP.R * n, n_W = X_WA.R * n_A, n_B = transpose_times(X_WB.R, n_W);
  const Vec3<double> apart = X_WB.p - X_WA.p;
  const double along = dot(n_W, apart) + dot(n_B, b.X_SP.p) - dot(n_A, a.X_SP.p);
  const double wide = support_value(*p, n) + support_value(*q, -transpose_times(b.X_SP.R, n_B));
  const double doubt = 1e-12 * (norm(apart) + std::abs(wide) + norm(X_WA.p) + norm(X_WB.p));
  return along - wide - doubt;
}

constexpr double doubt_of_ways = 1e-9;  // of a way, by rounding of all that were added up

// Of any point of a body within its reach: |Δp| + ‖ΔR‖ reach, with Frobenius' norm.
double way_between(const Transform<double>& X, const Transform<double>& Y, double reach) {
  double turn = 0;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) turn += (X.R(i, k) - Y.R(i, k)) * (X.R(i, k) - Y.R(i, k));
  return norm(X.p - Y.p) + (turn > 0 ? std::sqrt(turn) * reach : 0);
}

}  // namespace

void CollisionWorld::go_to(const Body& body, Travelled& travelled) {
  travelled.way += (1 + doubt_of_ways) * way_between(body.X_WB, travelled.X_WB, body.collider.reach);
  travelled.X_WB = body.X_WB;
}

double CollisionWorld::ways_of(const Pair& p) const {
  const auto way = [&](int body) {
    return travelled_[static_cast<std::size_t>(bodies_[static_cast<std::size_t>(body)].box)].way;
  };
  return way(p.a) + way(p.b);
}

// Where boxes are now. False: some have left their rooms.
bool CollisionWorld::keep_boxes(std::span<const double> margins, Threads& threads) {
  const std::size_t n = body_of_box_.size();
  boxes_.resize(n), rooms_.resize(n), travelled_.resize(n);
  left_room_.assign(Threads::pieces(n, boxes_at_once), 0);
  const auto is_within = [](const Bounds& a, const Bounds& b) {
    return a.low.x >= b.low.x && a.low.y >= b.low.y && a.low.z >= b.low.z && a.high.x <= b.high.x &&
           a.high.y <= b.high.y && a.high.z <= b.high.z;
  };
  threads.in_pieces(n, boxes_at_once, [&](std::size_t piece, std::size_t from, std::size_t to, std::size_t) {
    for (std::size_t k = from; k < to; ++k) {
      const int i = body_of_box_[k];
      const Body& body = bodies_[static_cast<std::size_t>(i)];
      go_to(body, travelled_[k]);
      boxes_[k] = widened(bounds_in_world(body.collider, body.X_WB), margins[static_cast<std::size_t>(i)]);
      if (!is_within(boxes_[k], rooms_[k])) left_room_[piece] = 1;
    }
  });
  return std::ranges::find(left_room_, 1) == left_room_.end();
}

void CollisionWorld::find_neighbours() {
  for (std::size_t k = 0; k < boxes_.size(); ++k) {
    const Body& body = bodies_[static_cast<std::size_t>(body_of_box_[k])];
    const double room = std::isfinite(body.collider.reach) ? room_of_reach * body.collider.reach : 0;
    broad_.move(body.box, rooms_[k] = widened(boxes_[k], room));
  }
  pairs_of_boxes(near_);
  neighbours_before_.swap(neighbours_), neighbours_.clear();
  auto known = neighbours_before_.begin();
  for (const Pair& p : near_) {
    while (known != neighbours_before_.end() && known->pair < p) ++known;
    if (known != neighbours_before_.end() && known->pair == p)
      neighbours_.push_back(*known);
    else
      neighbours_.push_back({p, false, {}, 0, 0});
  }
  knows_neighbours_ = true;
}

// Of a figure that meets only the floor all pairs are known beforehand, and need no boxes.
void CollisionWorld::find_planes_alone() {
  constexpr std::size_t most_pairs = 256;  // more are for the broad phase
  const auto is_plane = [&](int body) {
    return !std::isfinite(bodies_[static_cast<std::size_t>(body)].collider.reach);
  };
  for (const int a : body_of_box_)
    for (const int b : body_of_box_) {
      const Pair p{a, b, is_sensor(a) || is_sensor(b)};
      if (a >= b || !may_touch(p)) continue;
      const Body &x = bodies_[static_cast<std::size_t>(a)], &y = bodies_[static_cast<std::size_t>(b)];
      const CollideRule::Body &who_x = rule_.bodies[static_cast<std::size_t>(a)],
                              &who_y = rule_.bodies[static_cast<std::size_t>(b)];
      const bool meet = (who_x.groups & who_y.meets) != 0 && (who_y.groups & who_x.meets) != 0;
      if (!meet || (x.figure >= 0 && x.figure == y.figure && !(x.self && y.self))) continue;
      if (is_sensor(a) && is_sensor(b)) continue;
      if (is_plane(a) == is_plane(b) || plane_pairs_.size() == most_pairs) return plane_pairs_.clear();
      plane_pairs_.push_back(p);
    }
  std::sort(plane_pairs_.begin(), plane_pairs_.end());
}

// Whether a body and a plane are no farther apart than their margins, by a ball around the body.
bool CollisionWorld::may_reach(const Pair& p, std::span<const double> margins) const {
  const Body *solid = &bodies_[static_cast<std::size_t>(p.a)], *plane = &bodies_[static_cast<std::size_t>(p.b)];
  if (!std::isfinite(solid->collider.reach)) std::swap(solid, plane);
  const Transform<double> X = plane->X_WB * plane->collider.parts[0].X_SP;
  const Vec3<double> n{X.R.xz, X.R.yz, X.R.zz};
  return dot(n, solid->X_WB.p - X.p) - solid->collider.reach <=
         margins[static_cast<std::size_t>(p.a)] + margins[static_cast<std::size_t>(p.b)];
}

std::span<const CollisionWorld::Pair> CollisionWorld::near(std::span<const double> margins, Threads& threads) {
  if (!plane_pairs_.empty()) {
    near_.clear();
    for (const Pair& p : plane_pairs_)
      if (may_reach(p, margins)) near_.push_back(p);
    return near_;
  }
  if (!keep_boxes(margins, threads) || !knows_neighbours_) find_neighbours();
  const std::size_t pieces = Threads::pieces(neighbours_.size(), neighbours_at_once);
  if (near_in_piece_.size() < pieces) near_in_piece_.resize(pieces);
  const auto box_of = [&](int body) -> const Bounds& {
    return boxes_[static_cast<std::size_t>(bodies_[static_cast<std::size_t>(body)].box)];
  };
  threads.in_pieces(neighbours_.size(), neighbours_at_once,
                    [&](std::size_t piece, std::size_t from, std::size_t to, std::size_t) {
                      near_in_piece_[piece].clear();
                      for (std::size_t k = from; k < to; ++k)
                        if (overlap(box_of(neighbours_[k].pair.a), box_of(neighbours_[k].pair.b)))
                          near_in_piece_[piece].push_back(k);
                    });
  near_.clear(), neighbour_of_.clear();
  for (std::size_t piece = 0; piece < pieces; ++piece)
    for (const std::size_t k : near_in_piece_[piece]) near_.push_back(neighbours_[k].pair), neighbour_of_.push_back(k);
  return near_;
}

void CollisionWorld::fresh_manifolds(std::size_t pair, double within, Scratch& scratch, std::vector<Manifold>& out) {
  const Pair& p = near_[pair];
  const Body &a = bodies_[static_cast<std::size_t>(p.a)], &b = bodies_[static_cast<std::size_t>(p.b)];
  if (!plane_pairs_.empty())
    return find_manifolds(a.collider, a.X_WB, b.collider, b.X_WB, within, scratch.queries, out);
  if (a.collider.parts.size() != 1 || b.collider.parts.size() != 1)
    return fresh_manifolds_of_parts(pair, within, scratch, out);
  Neighbour& known = neighbours_[neighbour_of_[pair]];
  const double ways = ways_of(p);
  const auto is_still_apart = [&] { return known.apart - (ways - known.ways) > within + doubt_of_ways * known.apart; };
  if (known.parted && is_still_apart()) return out.clear();
  if (known.parted) {
    known.apart = parted_by(a.collider.parts[0], a.X_WB, b.collider.parts[0], b.X_WB, known.normal_A);
    known.ways = ways;
    if (known.apart > within) return out.clear();
  }
  PairCache& cache = scratch.parting.of(0, 0);
  cache = {};
  cache.beyond = known.parted, cache.normal_A = known.normal_A;
  find_manifolds(a.collider, a.X_WB, b.collider, b.X_WB, within, scratch.queries, out, &scratch.parting);
  known.parted = cache.beyond, known.normal_A = cache.normal_A, known.apart = 0, known.ways = ways;
}

}  // namespace marey
