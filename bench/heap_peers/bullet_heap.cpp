// heap_bullet FILE ROUNDS STEPS: Bullet takes the steps of a heap (heap.h) of rigid bodies between static planes. Double precision, no damping,
// no sleep; the solver and all else as they come (ten iterations; margins within boxes, and around hulls, which are made smaller by as
// much). Coefficients of friction multiply there: each has the root.
#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "heap.h"

namespace {

using heap::operator*;

btVector3 vector_of(const heap::Vec& x) { return {x[0], x[1], x[2]}; }
heap::Vec vec_of(const btVector3& x) { return {x.x(), x.y(), x.z()}; }

// With the margin within: faces of an octahedron go inwards by it.
std::unique_ptr<btCollisionShape> octahedron(const heap::Vec& half) {
  constexpr double margin = 0.002;
  const double way = 1 / std::hypot(1 / half[0], 1 / half[1], 1 / half[2]);  // of a face from the centre
  auto hull = std::make_unique<btConvexHullShape>();
  for (const heap::Vec& corner : heap::octahedron_corners((1 - margin / way) * half)) hull->addPoint(vector_of(corner));
  hull->setMargin(margin);
  return hull;
}
std::unique_ptr<btCollisionShape> shape_of(const heap::Body& b) {
  switch (b.kind) {
    case heap::sphere:
      return std::make_unique<btSphereShape>(b.size[0]);
    case heap::capsule:
      return std::make_unique<btCapsuleShapeZ>(b.size[0], 2 * b.size[1]);
    case heap::octahedron:
      return octahedron(b.size);
    default:
      return std::make_unique<btBoxShape>(vector_of(b.size));
  }
}

class World {
 public:
  explicit World(const heap::Heap& heap)
      : heap_(heap), dispatcher_(&configuration_), world_(&dispatcher_, &broad_, &solver_, &configuration_) {
    world_.setGravity({0, 0, -heap.gravity});
    for (const heap::Plane& p : heap.planes)
      add(std::make_unique<btStaticPlaneShape>(vector_of(p.normal), p.offset), 0, {0, 0, 0},
          btTransform::getIdentity());
    for (const heap::Body& b : heap.bodies) {
      const btTransform at(btQuaternion(b.quat[1], b.quat[2], b.quat[3], b.quat[0]), vector_of(b.p));
      btRigidBody& body = add(shape_of(b), b.mass, vector_of(b.inertia), at);
      body.setLinearVelocity(vector_of(b.v)), body.setAngularVelocity(vector_of(b.w));
    }
  }
  ~World() {
    for (auto& body : bodies_) world_.removeRigidBody(body.get());
  }
  void step() { world_.stepSimulation(heap_.step, 0); }

  void begin_looking() {
    now_.assign(bodies_.size(), {});
    for (std::size_t i = heap_.planes.size(); i < bodies_.size(); ++i) {
      const btTransform& X = bodies_[i]->getCenterOfMassTransform();
      const btQuaternion q = X.getRotation();
      now_[i].p = vec_of(X.getOrigin()), now_[i].quat = {q.w(), q.x(), q.y(), q.z()};
      const heap::Body& b = heap_.bodies[i - heap_.planes.size()];
      now_[i].fixed = false, now_[i].mass = b.mass, now_[i].inertia = b.inertia;
    }
  }
  void look(heap::Measure& measure) {
    for (std::size_t i = heap_.planes.size(); i < bodies_.size(); ++i)
      now_[i].v = vec_of(bodies_[i]->getLinearVelocity()), now_[i].w = vec_of(bodies_[i]->getAngularVelocity());
    for (int i = 0; i < dispatcher_.getNumManifolds(); ++i) {
      const btPersistentManifold* m = dispatcher_.getManifoldByIndexInternal(i);
      const auto a = static_cast<std::size_t>(m->getBody0()->getUserIndex()),
                 b = static_cast<std::size_t>(m->getBody1()->getUserIndex());
      for (int k = 0; k < m->getNumContacts(); ++k) {
        const btManifoldPoint& p = m->getContactPoint(k);
        const btVector3 impulse = p.m_appliedImpulse * p.m_normalWorldOnB +
                                  p.m_appliedImpulseLateral1 * p.m_lateralFrictionDir1 +
                                  p.m_appliedImpulseLateral2 * p.m_lateralFrictionDir2;
        measure.point(now_[a], now_[b],
                      {vec_of(p.getPositionWorldOnB()), vec_of(p.m_normalWorldOnB), vec_of(impulse), p.getDistance()});
      }
    }
  }
  const std::vector<heap::Moving>& bodies() {
    for (std::size_t i = heap_.planes.size(); i < bodies_.size(); ++i)
      now_[i].p = vec_of(bodies_[i]->getCenterOfMassPosition());
    return now_;
  }

 private:
  btRigidBody& add(std::unique_ptr<btCollisionShape> shape, double mass, const btVector3& inertia,
                   const btTransform& at) {
    states_.push_back(std::make_unique<btDefaultMotionState>(at));
    btRigidBody::btRigidBodyConstructionInfo info(mass, states_.back().get(), shape.get(), inertia);
    info.m_friction = std::sqrt(heap_.friction);
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
    bodies_.back()->setUserIndex(static_cast<int>(bodies_.size()) - 1);
    shapes_.push_back(std::move(shape));
    world_.addRigidBody(bodies_.back().get());
    return *bodies_.back();
  }

  const heap::Heap& heap_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broad_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btDefaultMotionState>> states_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::vector<heap::Moving> now_;
};

}  // namespace

int main(int argc, char** argv) { return heap::main_of<World>(argc, argv); }
