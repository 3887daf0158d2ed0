// Colliders of every kind, drawn at random: the convex kinds by their numbers, then a mesh, then a compound.
#pragma once

#include <memory>
#include <vector>

#include "marey/shape/collider.h"
#include "support/convex_samples.h"
#include "unit/shape/solids.h"

namespace marey::solids {

// A mesh that does not know that it is convex: it is met triangle by triangle, as concave ones are.
inline std::shared_ptr<const MeshSolid> unknowing(const std::shared_ptr<const MeshSolid>& solid) {
  auto copy = std::make_shared<MeshSolid>(*solid);
  copy->hull = nullptr;
  return copy;
}

inline constexpr int collider_kind_count = convex_kind_count + 2;

inline Collider some_collider(samples::Chance& chance, Chance& mesh_chance, int kind) {
  const auto mesh = [&] {
    Mesh m = closed_mesh(random_solid(mesh_chance).surface());
    for (V& v : m.vertices) v = 0.5 * (v - V{1.5, 1.5, 1.5});
    return mesh_solid(m);
  };
  if (kind < convex_kind_count) return collider_of(samples::random_convex(chance, samples::kind_number(kind)));
  if (kind == convex_kind_count) return collider_of(mesh());
  std::vector<ColliderPart> parts{
      {samples::random_convex(chance, ConvexKind::box), {chance.turn(), chance.direction()}}};
  parts.push_back({samples::random_convex(chance, ConvexKind::capsule), {chance.turn(), chance.direction()}});
  parts.push_back({mesh(), {chance.turn(), {}}});
  return compound(parts);
}

}  // namespace marey::solids
