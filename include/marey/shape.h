// Solid primitives and their mass properties.
#pragma once

#include <span>
#include <variant>
#include <vector>

#include "marey/spatial.h"

namespace marey {

// Each solid is centred on the origin of its own frame S; a long one lies along its z axis.
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
using Solid = std::variant<Box, Sphere, Capsule, Cylinder, Ellipsoid>;

// A solid placed in a link.
struct Shape {
  Solid solid;
  Transform<double> X_BS;
};

double volume(const Solid&);
// Full edge lengths of the smallest box, in the axes of S, that holds the solid (W: bounding box).
Vec3<double> bounding_box(const Solid&);
// Mass properties about the centre of a homogeneous solid, in the axes of S.
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
