// FCL: signed distance of two solids, and their contact points where they overlap.
#include <fcl/fcl.h>

#include <cmath>
#include <memory>

#include "shape_pairs.h"

namespace {

using marey::bench::PeerSolid;

// The vertices are enough for its solver (libccd); the one face is there because the class wants one.
std::shared_ptr<fcl::CollisionGeometryd> geometry_of(const PeerSolid& s) {
  const std::vector<double>& n = s.numbers;
  if (s.kind == "sphere") return std::make_shared<fcl::Sphered>(n[0]);
  if (s.kind == "capsule") return std::make_shared<fcl::Capsuled>(n[0], n[1]);
  if (s.kind == "box") return std::make_shared<fcl::Boxd>(n[0], n[1], n[2]);
  if (s.kind == "cylinder") return std::make_shared<fcl::Cylinderd>(n[0], n[1]);
  if (s.kind == "cone") return std::make_shared<fcl::Coned>(n[0], n[1]);
  auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
  for (size_t k = 0; k + 2 < n.size(); k += 3) vertices->emplace_back(n[k], n[k + 1], n[k + 2]);
  auto faces = std::make_shared<std::vector<int>>(std::vector<int>{3, 0, 1, 2});
  return std::make_shared<fcl::Convexd>(vertices, 1, faces, false);
}
std::unique_ptr<fcl::CollisionObjectd> object_of(const PeerSolid& s) {
  fcl::Matrix3d R;
  R << s.R[0], s.R[1], s.R[2], s.R[3], s.R[4], s.R[5], s.R[6], s.R[7], s.R[8];
  return std::make_unique<fcl::CollisionObjectd>(geometry_of(s), R, fcl::Vector3d(s.p[0], s.p[1], s.p[2]));
}

}  // namespace

int main(int argc, char**) {
  const auto pairs = marey::bench::read_pairs();
  std::vector<std::unique_ptr<fcl::CollisionObjectd>> a, b;
  for (const auto& p : pairs) a.push_back(object_of(p.a)), b.push_back(object_of(p.b));
  marey::bench::answer(pairs.size(), argc > 1, [&](size_t k) {
    fcl::DistanceRequestd request(true, true);
    request.distance_tolerance = 1e-9;
    fcl::DistanceResultd result;
    try {
      return fcl::distance(a[k].get(), b[k].get(), request, result);
    } catch (const std::exception&) {
      return std::nan("");
    }
  });
}
