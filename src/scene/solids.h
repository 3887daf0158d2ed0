// Solids of a scene, in their places: of links, of scenery, or as what a link's moments of inertia are taken from.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "marey/scene.h"
#include "marey/shape/hull.h"
#include "marey/shape/mesh.h"
#include "marey/spec/values.h"

namespace marey {

// The keys by which scenes name them.
const std::vector<std::string>& solid_names();

// Hulls and meshes that are read from files are read once, and shared by all that look alike.
class SolidReader {
 public:
  explicit SolidReader(SceneFiles* files) : files_(files) {}
  // `name`: one of solid_names(). X_BS is in the frame of whatever the solid is a part of.
  Shape read(const std::string& name, const Value&);

 private:
  Polygons polygons_from(const Value& file, double unit);
  std::shared_ptr<const Mesh> mesh_from(const Value& file, double unit);
  std::shared_ptr<const ConvexHull> hull_from(const Value& file, double unit);
  Shape read_mesh(const Value&);
  Shape read_hull(const Value&);

  SceneFiles* files_;
  std::map<std::pair<std::string, double>, std::shared_ptr<const Mesh>> meshes_;       // by file and unit
  std::map<std::pair<std::string, double>, std::shared_ptr<const ConvexHull>> hulls_;  // likewise
};

// The shortest turn that takes z to the unit vector u.
Mat3<double> turn_z_to(const Vec3<double>& u);

}  // namespace marey
