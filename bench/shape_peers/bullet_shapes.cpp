// Bullet, double precision: contact points of two solids by its dispatcher's algorithms, as its world computes them; margins
// are those it gives by itself, except that boxes and hulls are shrunk by them as Bullet does.
#include <btBulletCollisionCommon.h>

#include <cmath>
#include <memory>

#include "shape_pairs.h"

namespace {

using marey::bench::PeerSolid;

std::unique_ptr<btCollisionShape> shape_of(const PeerSolid& s) {
  const std::vector<double>& n = s.numbers;
  if (s.kind == "sphere") return std::make_unique<btSphereShape>(n[0]);
  if (s.kind == "capsule") return std::make_unique<btCapsuleShapeZ>(n[0], n[1]);
  if (s.kind == "box") return std::make_unique<btBoxShape>(btVector3(n[0] / 2, n[1] / 2, n[2] / 2));
  if (s.kind == "cylinder") return std::make_unique<btCylinderShapeZ>(btVector3(n[0], n[0], n[1] / 2));
  if (s.kind == "cone") return std::make_unique<btConeShapeZ>(n[0], n[1]);
  auto hull = std::make_unique<btConvexHullShape>();
  for (size_t k = 0; k + 2 < n.size(); k += 3) hull->addPoint(btVector3(n[k], n[k + 1], n[k + 2]), false);
  hull->setMargin(0);
  hull->recalcLocalAabb();
  return hull;
}
struct Placed {
  std::unique_ptr<btCollisionShape> shape;
  btCollisionObject object;
  explicit Placed(const PeerSolid& s) : shape(shape_of(s)) {
    object.setCollisionShape(shape.get());
    const btMatrix3x3 R(s.R[0], s.R[1], s.R[2], s.R[3], s.R[4], s.R[5], s.R[6], s.R[7], s.R[8]);
    object.setWorldTransform(btTransform(R, btVector3(s.p[0], s.p[1], s.p[2])));
  }
};

}  // namespace

int main(int argc, char**) {
  const auto pairs = marey::bench::read_pairs();
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  std::vector<std::unique_ptr<Placed>> a, b;
  for (const auto& p : pairs) a.push_back(std::make_unique<Placed>(p.a)), b.push_back(std::make_unique<Placed>(p.b));
  btDispatcherInfo info;
  marey::bench::answer(pairs.size(), argc > 1, [&](size_t k) {
    btCollisionObjectWrapper wa(nullptr, a[k]->shape.get(), &a[k]->object, a[k]->object.getWorldTransform(), -1, -1);
    btCollisionObjectWrapper wb(nullptr, b[k]->shape.get(), &b[k]->object, b[k]->object.getWorldTransform(), -1, -1);
    btCollisionAlgorithm* algorithm = dispatcher.findAlgorithm(&wa, &wb, nullptr, BT_CONTACT_POINT_ALGORITHMS);
    btManifoldResult result(&wa, &wb);
    algorithm->processCollision(&wa, &wb, info, &result);
    const btPersistentManifold* manifold = result.getPersistentManifold();
    double least = std::nan("");
    for (int c = 0; manifold && c < manifold->getNumContacts(); ++c)
      least = std::fmin(least, manifold->getContactPoint(c).getDistance());
    algorithm->~btCollisionAlgorithm();
    dispatcher.freeCollisionAlgorithm(algorithm);
    return least;
  });
}
