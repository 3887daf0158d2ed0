// Bodies that may touch: the shapes of links, and scenery, which never moves. Who may touch whom is a rule; where they do is
// found by broad phase and queries (marey/shape). What becomes of it is not decided here.
//
// Bodies are numbered: a link has its own number, scenery comes after all links.
#pragma once

#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "marey/contact/collide.h"
#include "marey/core/threads.h"
#include "marey/model.h"
#include "marey/shape/broad_phase.h"
#include "marey/shape/collider.h"

namespace marey {

class CollisionWorld {
 public:
  using Pair = BroadPhase::Pair;
  // `joined`: pairs of links that constraints hold together. The model need not live on.
  CollisionWorld(const Model&, std::span<const SceneryPiece>, CollideRule, std::span<const Pair> joined = {});

  int body_count() const { return static_cast<int>(names_.size()); }
  const std::string& name(int body) const { return names_[static_cast<std::size_t>(body)]; }
  bool is_sensor(int body) const { return rule_.bodies[static_cast<std::size_t>(body)].sensor; }
  // Whether there are two bodies that could ever touch.
  bool anything_to_do() const { return anything_to_do_; }

  // Where the links are now.
  void place(std::span<const Transform<double>> X_WB);
  // Those that may touch and whose boxes are no farther apart than `within`, sorted.
  std::span<const Pair> near(double within);
  // The same, each body with a margin of its own about it: [bodies]. Quick where bodies have moved little since the last time.
  std::span<const Pair> near(std::span<const double> margins, Threads&);
  ColliderDistance distance(const Pair&);
  // Whether they share a point: found without anything that earlier queries have left.
  bool touch(const Pair&);
  void manifolds(const Pair&, double within, std::vector<Manifold>& out);
  // What a thread works with; it means nothing between calls.
  struct Scratch {
    QueryScratch queries;
    ColliderCache parting;
  };
  // Of the pair with this number in what near() with margins has given last. The same whatever earlier queries have left: these are only
  // asked for a plane that still parts the two. Threads may ask for different pairs at once.
  void fresh_manifolds(std::size_t pair, double within, Scratch&, std::vector<Manifold>& out);
  // How thick a body is where it is thinnest, m: what something fast may leap over. Infinite for planes.
  double thickness(int body) const { return bodies_[static_cast<std::size_t>(body)].thickness; }
  double least_thickness() const { return least_thickness_; }  // of all of them
  const Collider& collider(int body) const { return bodies_[static_cast<std::size_t>(body)].collider; }
  // Where it was put last; scenery stays where it is.
  const Transform<double>& pose(int body) const { return bodies_[static_cast<std::size_t>(body)].X_WB; }
  // How far a body reaches from its origin, m; 0: it has no shape.
  double reach(int body) const { return bodies_[static_cast<std::size_t>(body)].collider.reach; }
  // Of the smaller of the two: how far it reaches from its origin, m.
  double size(const Pair&) const;
  // By how much rounding may make bodies overlap that only touch.
  double slack(const Pair&) const;

 private:
  void fresh_manifolds_of_parts(std::size_t pair, double within, Scratch&, std::vector<Manifold>& out);
  struct Body {
    Collider collider;
    int box = -1;  // in the broad phase; −1: it has no shape
    double thickness = 0;
    int figure = -1;    // of a link
    bool self = false;  // whether it may touch other links of its figure
    int group = 0;      // links that are welded to each other share it; 0: the world and scenery
    int hangs_on = -1;  // the group on which this one hangs by a joint that holds it
    Transform<double> X_WB;
  };
  // How far the points of a body can have travelled, m, in all steps until it was at the pose beside it.
  struct Travelled {
    Transform<double> X_WB;
    double way = 0;
  };
  void add_box(int body);
  void pairs_of_boxes(std::vector<Pair>& out);
  bool keep_boxes(std::span<const double> margins, Threads&);
  static void go_to(const Body&, Travelled&);
  double ways_of(const Pair&) const;
  void find_neighbours();
  void find_planes_alone();
  bool may_reach(const Pair&, std::span<const double> margins) const;
  bool may_touch(const Pair&) const;
  void add_links(const Model&);
  void add_scenery(std::span<const SceneryPiece>);

  std::vector<std::string> names_;
  std::vector<Body> bodies_;
  CollideRule rule_;
  std::vector<Pair> left_out_;  // sorted
  BroadPhase broad_;
  std::vector<int> body_of_box_;
  std::vector<Pair> near_;
  std::map<Pair, ColliderCache> caches_;
  // Neighbours: pairs whose boxes overlap with room around them, which stay as they are while boxes keep within that room.
  struct Neighbour {
    Pair pair;
    bool parted = false;  // when it was last looked at, by a plane across this normal
    Vec3<double> normal_A;
    double apart = 0, ways = 0;  // m: at least, when both together had travelled so far
  };
  std::vector<Neighbour> neighbours_, neighbours_before_;  // sorted
  std::vector<Bounds> boxes_, rooms_;                      // [boxes]
  std::vector<Travelled> travelled_;                       // [boxes]
  std::vector<char> left_room_;                            // [pieces of boxes]
  bool knows_neighbours_ = false;
  std::vector<Pair> plane_pairs_;          // sorted; empty unless nothing can ever touch but a body and a plane
  std::vector<std::size_t> neighbour_of_;  // [near_]
  std::vector<std::vector<std::size_t>> near_in_piece_;  // [pieces of neighbours]
  QueryScratch scratch_;
  bool anything_to_do_ = false;
  double least_thickness_ = std::numeric_limits<double>::infinity();
};

// Two bodies in each other.
struct Overlap {
  int a = 0, b = 0;
  double depth = 0;  // m
  Vec3<double> point_W;
};
// All of them but those of sensors, where links are now; the deepest first.
std::vector<Overlap> overlaps(CollisionWorld&);

}  // namespace marey
