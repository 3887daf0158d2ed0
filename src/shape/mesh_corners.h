// The corners of a patch of a mesh, which become the points of one manifold.
#pragma once

#include <vector>

#include "shape/clip.h"
#include "shape/mesh_pieces.h"

namespace marey {

// What a feature of triangle t is called on the mesh; `inner`: it is inside a facet.
Feature name_on_mesh(const MeshSolid&, int t, const Feature&, bool& inner);

// Heights are along the normal n, places along the vectors that across(n) gives, all in A.
struct PatchCorners {
  std::vector<Corner>& corners;
  double size = 0, thick = 0;  // of what touches; what is nearer than `thick` is one place

  // Appends the manifold of up to four of the corners with gaps up to `within`, less the margin; none has a gap of the cores
  // below `least`. False: there is none.
  bool put_manifold(const Vec3<double>& n, double least, double within, double margin, const Transform<double>& X_WA,
                    std::vector<Manifold>& out);

 private:
  bool same_corner(const Corner&, const Corner&) const;
  void thin_out();
};

}  // namespace marey
