// The stations of closed_mesh(): each throws InvalidMesh for what it finds first, and may rely on those before it.
#pragma once

#include <string>
#include <vector>

#include "marey/shape/mesh.h"

namespace marey {

// A mesh that is not checked yet, and where it came from.
struct MeshDraft {
  const Polygons& source;
  Mesh mesh;
  std::vector<int> face_of;   // [triangles] in source
  std::vector<int> point_of;  // [vertices] the first of the equal points in source
};

// polygons.cpp: numbers and faces; equal points become one vertex, polygons triangles.
MeshDraft draft_of(const Polygons&);
// mesh_edges.cpp: every edge has two faces that agree, every vertex one ring of them. Returns for each side of a triangle,
// numbered 3 triangle + k and going from its corner k to the next, the opposite side.
std::vector<int> check_edges(const MeshDraft&);
// mesh_crossing.cpp
void check_crossing(const MeshDraft&, const BoxTree&);
// mesh_shells.cpp: the surfaces of which it consists.
void check_shells(const MeshDraft&, const BoxTree&, const std::vector<int>& opposite);

// Refuses by a triangle of the draft, and perhaps another: "cube.obj:12: face 3 " + what.
[[noreturn]] void refuse_triangle(const MeshDraft&, MeshReason, int triangle, const std::string& what, int other = -1);
// "(0, 1, 0.5)", with the line it was read from
std::string text_of_vertex(const MeshDraft&, int vertex);
// "face 9 (line 14)"
std::string text_of_face(const Polygons&, int face);

}  // namespace marey
