// Closed triangle meshes: the boundaries of solids of any form, with cavities and tunnels if wished. A mesh that has passed
// through closed_mesh() is closed, does not touch itself and has its outside outside; every other is refused with the
// reason and the place. docs/theory/shapes.md says what is checked, and how.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "marey/core.h"
#include "marey/shape/box_tree.h"
#include "marey/spatial.h"

namespace marey {

struct Mesh {
  std::vector<Vec3<double>> vertices;         // in the frame S of the shape; all of them are used, no two are equal
  std::vector<std::array<int, 3>> triangles;  // vertices, counterclockwise seen from outside
};

// ---- what may become a mesh
// Faces as a file or a program gives them: polygons with any number of corners, points that may be there several times.
struct Polygons {
  std::vector<Vec3<double>> points;
  std::vector<int> corners;   // of all faces, one after another: positions in points
  std::vector<int> first{0};  // [faces + 1]: where in corners each face begins, and where the last one ends
  // For messages. All of them may be empty.
  std::string file;
  std::vector<int> face_lines, point_lines;  // lines of the file, from 1
  struct Part {
    int first_face;
    std::string name;
  };
  std::vector<Part> parts;  // what the file calls its parts; each begins with a face and ends where the next begins

  int face_count() const { return static_cast<int>(first.size()) - 1; }
  std::span<const int> face(int f) const {
    return std::span(corners).subspan(index(first[index(f)]), index(first[index(f) + 1] - first[index(f)]));
  }
  void add_face(std::span<const int> corners_of_face) {
    corners.insert(corners.end(), corners_of_face.begin(), corners_of_face.end());
    first.push_back(static_cast<int>(corners.size()));
  }
};
Polygons polygons_of(const Mesh&);

enum class MeshReason {
  empty,            // no face
  too_large,        // more faces, points or corners than can be dealt with
  no_such_point,    // a corner that names none of the points
  not_finite,       // a coordinate that is no number
  out_of_range,     // a coordinate beyond largest_coordinate
  too_few_corners,  // a face with fewer than three
  repeated_corner,  // a face that comes to a point twice
  no_area,          // a face whose corners are in a line
  tangled_face,     // a polygon that crosses or touches itself
  repeated_face,    // two faces with the same corners
  open_edge,        // an edge of one face alone
  crowded_edge,     // an edge of more than two
  turned_face,      // neighbours that do not agree on which side is outside
  pinched_vertex,   // a point at which several sheets of the surface meet
  self_crossing,    // faces that meet where they are not neighbours
  no_volume,        // a shell as thin as rounding errors
  inside_out,       // a surface whose outside is inside
  misnested,        // a solid within a solid, or a cavity within a cavity
};
const char* name_of(MeshReason);

class InvalidMesh : public Error {
 public:
  InvalidMesh(MeshReason reason, const std::string& message, int face = -1, int other_face = -1)
      : Error(ErrorKind::bad_input, message), reason_(reason), face_(face), other_face_(other_face) {}
  MeshReason reason() const { return reason_; }
  // Positions among the polygons; −1 where none is to blame.
  int face() const { return face_; }
  int other_face() const { return other_face_; }

 private:
  MeshReason reason_;
  int face_, other_face_;
};

inline constexpr double largest_coordinate = 1e9;     // m
inline constexpr double smallest_coordinate = 1e-60;  // m; what is closer to zero is zero
inline constexpr int most_faces = 2'000'000, most_points = 6'000'000, most_corners_of_a_face = 1000;

// Makes one point of equal ones, triangles of polygons, and checks. Throws InvalidMesh.
Mesh closed_mesh(const Polygons&);
// The same for triangles; vertices that are not used are left out.
Mesh closed_mesh(const Mesh&);

// "cube.obj:12: face 3", counted from 1.
std::string place_of_face(const Polygons&, int face);

// ---- what a mesh weighs
struct SolidMass {
  double mass = 0;
  Vec3<double> center;   // p_SoScm
  Sym3<double> central;  // inertia matrix about the centre of mass
};
// Of the homogeneous solid within closed faces, to round-off also far from the origin.
SolidMass solid_mass(std::span<const Vec3<double>> vertices, std::span<const std::array<int, 3>> triangles,
                     double density);
SolidMass solid_mass(const Mesh&, double density);
// About So.
Inertia<double> inertia_of(const SolidMass&);

// ---- a ray against a mesh
Bounds bounds_of(const Mesh&, int triangle);
std::vector<Bounds> bounds_of(const Mesh&);  // [triangles]
BoxTree box_tree(const Mesh&);

struct Ray {
  Vec3<double> origin, direction;   // of any length but zero
  double reach = Bounds::infinity;  // as a multiple of direction
};
struct RayHit {
  double t = 0;  // the place is origin + t direction
  int triangle = -1;
  Vec3<double> normal;  // unit, outwards: where it goes along with the ray the ray comes from inside
};
// Writes the first place at which the ray meets the surface, from t = 0 on; false where there is none. Nothing slips
// through between triangles: signs are exact. Of several triangles at the same t the first one counts.
bool cast_ray(const Mesh&, const BoxTree&, const Ray&, RayHit& hit);

}  // namespace marey
