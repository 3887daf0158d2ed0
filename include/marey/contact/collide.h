// Scenery, and who may touch whom.
//
// Bodies are numbered: a link has its own number, scenery comes after all links.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "marey/contact.h"
#include "marey/shape.h"

namespace marey {

struct SceneryPiece {
  std::string name;
  std::vector<Shape> shapes;   // placed in W
  std::optional<Plane> plane;  // instead: everything behind the plane
};

// Two bodies may touch if one is in a group that the other meets, except
//   pairs that are left out;
//   what no motion can part or bring together: links welded to each other, scenery and what is welded to the world;
//   links that a joint or a constraint joins (Scene::constraints), and other links of one figure unless that is asked for.
struct CollideRule {
  struct Body {
    std::uint32_t groups = 0, meets = 0;  // bits
    bool sensor = false;                  // it feels others, and they do not feel it
  };
  std::vector<Body> bodies;  // [links + scenery]
  std::vector<std::pair<int, int>> except;
  std::vector<std::string> self;  // figures whose own links may touch each other
};
inline constexpr int most_collide_groups = 32;
CollideRule everybody_may_touch(std::size_t bodies);

}  // namespace marey
