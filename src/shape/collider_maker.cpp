#include "marey/shape/collider_maker.h"

namespace marey {

ColliderGeometry ColliderMaker::geometry_of(const Solid& solid) {
  if (const Polyhedron* p = std::get_if<Polyhedron>(&solid)) {
    std::shared_ptr<const MeshSolid>& mesh = meshes_[p->mesh];
    if (!mesh) mesh = mesh_solid(*p->mesh);
    return mesh;
  }
  return convex_of(solid);
}

Collider ColliderMaker::make(std::span<const Shape> shapes) {
  std::vector<ColliderPart> parts;
  for (const Shape& s : shapes) parts.push_back({geometry_of(s.solid), s.X_BS});
  return compound(std::move(parts));
}

}  // namespace marey
