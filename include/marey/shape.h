// Solids and their mass properties.
#pragma once

#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "marey/spatial.h"

namespace marey {

struct Mesh;        // marey/shape/mesh.h
struct ConvexHull;  // marey/shape/convex.h

// Each solid has a frame S of its own. The round ones and the box are centred on So, long ones lie along z; those given by
// points have So where their points say.
struct Box {
  Vec3<double> size;
};  // full edge lengths
struct Sphere {
  double radius = 0;
};
struct Capsule {
  double radius = 0, length = 0;
};  // length of the cylindrical part, without the two caps
struct Cylinder {
  double radius = 0, length = 0;
};
struct Ellipsoid {
  Vec3<double> radii;
};
struct Cone {
  double radius = 0, length = 0;
};  // its base is at z = −length/2, its tip at z = +length/2
struct Hull {
  std::shared_ptr<const ConvexHull> hull;  // never null
  double rounding = 0;                     // m: the solid is all that is within this distance of the hull
};
struct Polyhedron {
  std::shared_ptr<const Mesh> mesh;
};  // within a closed surface of triangles; never null
using Solid = std::variant<Box, Sphere, Capsule, Cylinder, Ellipsoid, Cone, Hull, Polyhedron>;

// A solid placed in a link.
struct Shape {
  Solid solid;
  Transform<double> X_BS;
};

double volume(const Solid&);
// The smallest box, in the axes of S, that holds the solid (W: bounding box): full edge lengths, and p_SoCo_S of its centre.
Vec3<double> bounding_box(const Solid&);
Vec3<double> bounding_box_center(const Solid&);
// Mass properties of a homogeneous solid, about So in the axes of S.
Inertia<double> solid_inertia(const Solid&, double mass);
// The same for a homogeneous solid in its place in the link: about Bo, in B.
Inertia<double> shape_inertia(const Shape&, double mass);
Inertia<double> shape_inertia_of_density(const Shape&, double density);
// W's default: the bounding box filled with the density of water (the print's 1 kg/m³ is that of air).
Inertia<double> bounding_box_inertia(const Shape&, double density = 1000.0);

// The mass properties of several parts as one body; all about the same point in the same axes.
Inertia<double> sum(std::span<const Inertia<double>> parts);

struct PrincipalAxes {
  Vec3<double> moments;  // ascending, about the centre of mass
  Mat3<double> R_BP;     // columns: the principal axes in B, right-handed
};
PrincipalAxes principal_axes(const Sym3<double>& inertia);
PrincipalAxes principal_axes(const Inertia<double>&);  // about the centre of mass
// Inertia matrix about the centre of mass.
Sym3<double> central_inertia(const Inertia<double>&);
// The moment about `axis` (through the centre of mass, of any nonzero length) raised by `factor`, those across it left
// alone: A4's artificial enlargement about long axes. If it is raised beyond the sum of the other two moments no body
// can have it, and freeze() says so.
Inertia<double> enlarged_about_axis(const Inertia<double>&, const Vec3<double>& axis, double factor);

}  // namespace marey
