// lying_bullet FILE ROUNDS: Bullet takes the steps of a figure (lying_figure.h) as a btMultiBody on a static plane, and says per
// phase what lying.h lists. Double precision, no damping but that of the joints, no sleep, friction in both directions (as it comes
// it has one, whatever the motion); its solver and all else as they come.
#include <cstdlib>
#include <memory>

#include "bullet_figure.h"
#include "lying.h"
#include "read_figure.h"

namespace {

using namespace marey::peers;

class World {
 public:
  explicit World(const lying::Figure& figure) : figure_(figure) {
    world_.setGravity(bt(vector_of(figure.links.gravity)));
    world_.getSolverInfo().m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    floor_.setCollisionShape(&plane_);
    floor_.setFriction(1);  // coefficients are multiplied
    world_.addCollisionObject(&floor_, btBroadphaseProxy::StaticFilter, btBroadphaseProxy::DefaultFilter);
    lying::BulletFigure::Collisions collisions;
    collisions.friction = figure.friction;
    body_ = std::make_unique<lying::BulletFigure>(figure, world_, collisions);
  }
  ~World() {
    body_.reset();
    world_.removeCollisionObject(&floor_);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void step() {
    body_->put_friction();
    world_.stepSimulation(figure_.step, 0);
  }

  lying::Certificate certified_step(double& points) {
    const double h = figure_.step;
    lying::Step certified(lying::mass_of(figure_), -figure_.links.gravity[2], h, h);
    const btVector3 before = momentum();
    step();  // leaves the contacts of where the step began, with their impulses
    body_->find_velocities();
    btVector3 sum = before - momentum();
    for (int m = 0; m < dispatcher_.getNumManifolds(); ++m) {
      const btPersistentManifold& manifold = *dispatcher_.getManifoldByIndexInternal(m);
      const auto* link = btMultiBodyLinkCollider::upcast(manifold.getBody0());
      const double sign = link != nullptr ? 1 : -1;  // impulses are on the first; the normal is from the second to it
      if (link == nullptr) link = btMultiBodyLinkCollider::upcast(manifold.getBody1());
      for (int k = 0; k < manifold.getNumContacts(); ++k) {
        const btManifoldPoint& p = manifold.getContactPoint(k);
        const btVector3 across =
            p.m_appliedImpulseLateral1 * p.m_lateralFrictionDir1 + p.m_appliedImpulseLateral2 * p.m_lateralFrictionDir2;
        sum += sign * (p.m_appliedImpulse * p.m_normalWorldOnB + across);
        if (!(p.m_appliedImpulse > 0) && p.getDistance() > 0) continue;
        certified.point(p.getDistance(), p.m_appliedImpulse, across.length(), p.m_combinedFriction,
                        velocity_along(link->m_link, p.getPositionWorldOnB(), sign * p.m_normalWorldOnB));
        ++points;
      }
    }
    return certified.done({sum.x(), sum.y(), sum.z()});
  }

 private:
  btVector3 momentum() {
    body_->find_velocities();
    btVector3 p(0, 0, 0);
    for (size_t i = 0; i < body_->link_count(); ++i) p += body_->mass(i) * body_->velocity(i);
    return p;
  }
  double velocity_along(int number, const btVector3& point, const btVector3& n) const {
    const auto i = static_cast<size_t>(number + 1);
    return n.dot(body_->velocity(i) + body_->turning(i).cross(point - body_->centre(i)));
  }

  const lying::Figure& figure_;
  btStaticPlaneShape plane_{btVector3(0, 0, 1), 0};
  btCollisionObject floor_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btMultiBodyConstraintSolver solver_;
  btMultiBodyDynamicsWorld world_{&dispatcher_, &broadphase_, &solver_, &configuration_};
  std::unique_ptr<lying::BulletFigure> body_;
};

class Engine {
 public:
  explicit Engine(const lying::Figure& figure) : figure_(figure) {}
  double step_length() const { return figure_.step; }
  void begin() { world_.reset(), world_ = std::make_unique<World>(figure_); }
  void step() { world_->step(); }
  lying::Certificate certified_step(double& points) { return world_->certified_step(points); }

 private:
  const lying::Figure& figure_;
  std::unique_ptr<World> world_;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) return 2;
  const lying::Figure figure = lying::read_figure(argv[1]);
  Engine engine(figure);
  lying::measure(engine, std::atoi(argv[2]));
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "Bullet: %s\n", e.what());
  return 3;
}
