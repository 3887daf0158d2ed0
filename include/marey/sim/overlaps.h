// Shapes of a scene that are in each other, though nothing says that they may be.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "marey/contact/collision_world.h"
#include "marey/dynamics.h"
#include "marey/sim.h"

namespace marey {

// The bodies of a scene, under its own rule; without one, as if all might touch all.
CollisionWorld collision_world(const Scene&);
// Where the links are at the start.
std::vector<Transform<double>> poses_at_start(const Scene&);

// "ball.body and floor (3.2 mm deep), … and 4 more pairs"; empty: none.
std::string describe(const CollisionWorld&, std::span<const Overlap>, std::size_t most = 3);
// What to say of the start of a scene, by whether it has a rule; empty: nothing overlaps.
std::string overlaps_at_start(const Scene&);

// Looks at recorded frames until something overlaps, once.
class OverlapWatch {
 public:
  explicit OverlapWatch(const Scene&);  // which has to outlive it
  void look(const State&);
  // What to say of the run; empty: nothing.
  const std::string& found() const { return found_; }

 private:
  const Model& model_;
  std::optional<CollisionWorld> world_;  // while there is something to look for
  bool ruled_;
  Kinematics<double> kinematics_;
  std::string found_;
};

}  // namespace marey
