// Colliders of bodies from their shapes. What many bodies share (a mesh) is prepared once.
#pragma once

#include <map>
#include <memory>
#include <span>

#include "marey/shape/collider.h"

namespace marey {

class ColliderMaker {
 public:
  // One part for each shape, in their order. Throws Error(bad_input) where there is none, or one has no extent.
  Collider make(std::span<const Shape>);

 private:
  ColliderGeometry geometry_of(const Solid&);

  // By the mesh that the shape holds, which is kept, so that nobody else gets its address.
  std::map<std::shared_ptr<const Mesh>, std::shared_ptr<const MeshSolid>> meshes_;
};

}  // namespace marey
