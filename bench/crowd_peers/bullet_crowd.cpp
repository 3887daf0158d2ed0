// crowd_bullet FILE ROUNDS STEPS: Bullet takes the steps of figures (lying_figure.h, one after another in the file), each a btMultiBody, on a
// static plane, and says what heap.h lists. Double precision, no damping but that of the joints, no sleep, friction in both directions; links
// of one figure do not collide with each other; its solver and all else as they come. Coefficients of friction multiply there: each has the root.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <memory>

#include "../heap_peers/heap.h"
#include "../lying_peers/bullet_figure.h"
#include "../lying_peers/read_figure.h"

namespace {

using namespace marey::peers;
using Figures = std::vector<lying::Figure>;

heap::Vec vec_of(const btVector3& x) { return {x.x(), x.y(), x.z()}; }

class World {
 public:
  explicit World(const Figures& figures) : step_(figures.front().step) {
    const lying::Figure& one = figures.front();
    world_.setGravity(bt(vector_of(one.links.gravity)));
    world_.getSolverInfo().m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    floor_.setCollisionShape(&plane_);
    floor_.setFriction(std::sqrt(one.friction));
    floor_.setUserIndex(0);
    world_.addCollisionObject(&floor_, btBroadphaseProxy::StaticFilter, btBroadphaseProxy::DefaultFilter);
    lying::BulletFigure::Collisions collisions;
    collisions.mask = btBroadphaseProxy::StaticFilter | btBroadphaseProxy::DefaultFilter;
    collisions.friction = std::sqrt(one.friction);
    int links = 0;
    for (const lying::Figure& figure : figures) {
      bodies_.push_back(std::make_unique<lying::BulletFigure>(figure, world_, collisions));
      bodies_.back()->body().setCanSleep(false);
      for (std::size_t i = 0; i < bodies_.back()->link_count(); ++i) bodies_.back()->collider(i).setUserIndex(++links);
    }
    now_.resize(static_cast<std::size_t>(links) + 1);  // the first one: the world
  }
  ~World() {
    bodies_.clear();
    world_.removeCollisionObject(&floor_);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void step() {
    for (const auto& body : bodies_) body->put_friction();
    world_.stepSimulation(step_, 0);
  }

  void begin_looking() {
    each_link([](lying::BulletFigure& body, std::size_t i, heap::Moving& m) {
      const Vector3d& moments = body.moments(i);
      const btQuaternion q = body.collider(i).getWorldTransform().getRotation();
      m.fixed = false, m.mass = body.mass(i), m.inertia = {moments.x(), moments.y(), moments.z()};
      m.p = vec_of(body.centre(i)), m.quat = {q.w(), q.x(), q.y(), q.z()};
    });
  }
  void look(heap::Measure& measure) {
    each_link([](lying::BulletFigure& body, std::size_t i, heap::Moving& m) {
      m.v = vec_of(body.velocity(i)), m.w = vec_of(body.turning(i));
    });
    for (int m = 0; m < dispatcher_.getNumManifolds(); ++m) {
      const btPersistentManifold& manifold = *dispatcher_.getManifoldByIndexInternal(m);
      const heap::Moving &a = now_[static_cast<std::size_t>(manifold.getBody0()->getUserIndex())],
                         &b = now_[static_cast<std::size_t>(manifold.getBody1()->getUserIndex())];
      for (int k = 0; k < manifold.getNumContacts(); ++k) {
        const btManifoldPoint& p = manifold.getContactPoint(k);
        const btVector3 impulse = p.m_appliedImpulse * p.m_normalWorldOnB +
                                  p.m_appliedImpulseLateral1 * p.m_lateralFrictionDir1 +
                                  p.m_appliedImpulseLateral2 * p.m_lateralFrictionDir2;
        measure.point(a, b,
                      {vec_of(p.getPositionWorldOnB()), vec_of(p.m_normalWorldOnB), vec_of(impulse), p.getDistance()});
      }
    }
  }
  const std::vector<heap::Moving>& bodies() {
    each_link([](lying::BulletFigure& body, std::size_t i, heap::Moving& m) { m.p = vec_of(body.centre(i)); });
    return now_;
  }

 private:
  template <class Visit>
  void each_link(const Visit& visit) {
    std::size_t k = 0;
    for (const auto& body : bodies_) {
      body->find_velocities();
      for (std::size_t i = 0; i < body->link_count(); ++i) visit(*body, i, now_[++k]);
    }
  }

  double step_;
  btStaticPlaneShape plane_{btVector3(0, 0, 1), 0};
  btCollisionObject floor_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btMultiBodyConstraintSolver solver_;
  btMultiBodyDynamicsWorld world_{&dispatcher_, &broadphase_, &solver_, &configuration_};
  std::vector<std::unique_ptr<lying::BulletFigure>> bodies_;
  std::vector<heap::Moving> now_;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4) return 2;
  std::ifstream in(argv[1]);
  Figures figures;
  heap::Heap heap;
  while (in.peek() != std::ifstream::traits_type::eof()) {
    figures.push_back(lying::read_figure(in));
    heap.bodies.resize(heap.bodies.size() + figures.back().links.links.size());
  }
  if (figures.empty()) return 2;
  heap.step = figures[0].step, heap.gravity = -figures[0].links.gravity[2], heap.friction = figures[0].friction;
  heap::print(heap::measured<World>(figures, heap, std::atoi(argv[2]), std::atoi(argv[3])));
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "Bullet: %s\n", e.what());
  return 3;
}
