// heap_bullet FILE ROUNDS: Bullet takes the steps of a heap (heap.h) of rigid bodies between static planes. Double precision, no damping, no
// sleep; the solver and all else as they come (ten iterations, margins within the boxes). Coefficients of friction multiply there: each
// has the root.
#include <btBulletDynamicsCommon.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>

#include "heap.h"

namespace {

btVector3 vector_of(const std::array<double, 3>& x) { return {x[0], x[1], x[2]}; }

class World {
 public:
  explicit World(const heap::Heap& heap)
      : dispatcher_(&configuration_), world_(&dispatcher_, &broad_, &solver_, &configuration_), step_(heap.step) {
    world_.setGravity({0, 0, -heap.gravity});
    for (const heap::Plane& p : heap.planes)
      add(std::make_unique<btStaticPlaneShape>(vector_of(p.normal), p.offset), 0, btTransform::getIdentity(),
          heap.friction);
    static_ = bodies_.size();
    for (const heap::Box& b : heap.boxes) {
      const btTransform at(btQuaternion(b.quat[1], b.quat[2], b.quat[3], b.quat[0]), vector_of(b.p));
      btRigidBody& body = add(std::make_unique<btBoxShape>(vector_of(b.half)), b.mass, at, heap.friction);
      body.setLinearVelocity(vector_of(b.v)), body.setAngularVelocity(vector_of(b.w));
    }
  }
  ~World() {
    for (auto& body : bodies_) world_.removeRigidBody(body.get());
  }
  void step() { world_.stepSimulation(step_, 0); }
  void look(heap::Answer& a) {
    for (int i = 0; i < dispatcher_.getNumManifolds(); ++i) {
      const btPersistentManifold* m = dispatcher_.getManifoldByIndexInternal(i);
      for (int k = 0; k < m->getNumContacts(); ++k) {
        ++a.points;
        a.penetration = std::max(a.penetration, -m->getContactPoint(k).getDistance());
      }
    }
  }
  void end(heap::Answer& a) const {
    for (std::size_t i = static_; i < bodies_.size(); ++i) {
      const btRigidBody& b = *bodies_[i];
      a.height += b.getCenterOfMassPosition().z() / static_cast<double>(bodies_.size() - static_);
      const btVector3& w = b.getAngularVelocity();
      a.kinetic +=
          0.5 * b.getMass() * b.getLinearVelocity().length2() + 0.5 * w.dot(b.getInvInertiaTensorWorld().inverse() * w);
    }
  }

 private:
  btRigidBody& add(std::unique_ptr<btCollisionShape> shape, double mass, const btTransform& at, double friction) {
    btVector3 inertia(0, 0, 0);
    if (mass > 0) shape->calculateLocalInertia(mass, inertia);
    states_.push_back(std::make_unique<btDefaultMotionState>(at));
    btRigidBody::btRigidBodyConstructionInfo info(mass, states_.back().get(), shape.get(), inertia);
    info.m_friction = std::sqrt(friction);
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
    shapes_.push_back(std::move(shape));
    world_.addRigidBody(bodies_.back().get());
    return *bodies_.back();
  }

  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broad_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_;
  double step_;
  std::size_t static_ = 0;  // of the bodies, which come first
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btDefaultMotionState>> states_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
};

}  // namespace

int main(int argc, char** argv) {
  heap::Heap heap;
  std::FILE* file = argc == 3 ? std::fopen(argv[1], "r") : nullptr;
  if (file == nullptr || !heap::read(file, heap)) return 2;
  std::fclose(file);
  heap::Answer answer;
  for (int round = 0; round < std::atoi(argv[2]); ++round) {
    World world(heap);
    const double began = heap::thread_seconds();
    for (int k = 0; k < heap::steps; ++k) world.step();
    answer.steps_per_second = std::max(answer.steps_per_second, heap::steps / (heap::thread_seconds() - began));
  }
  World world(heap);
  for (int k = 0; k < heap::steps; ++k) world.step(), world.look(answer);
  answer.points /= heap::steps;
  world.end(answer);
  heap::print(answer);
}
