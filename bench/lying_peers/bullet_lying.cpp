// lying_bullet FILE ROUNDS: Bullet takes the steps of a figure (lying_figure.h) as a btMultiBody on a static plane, and says per
// phase what lying.h lists. Double precision, no damping but that of the joints, no sleep, friction in both directions (as it comes
// it has one, whatever the motion); its solver and all else as they come.
// Bullet has no ellipsoid. It takes convex shapes of one's own by their farthest point in a direction, and that of an ellipsoid
// is given to it exactly. It has no friction in joints either: its torques are put in before each step.
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <btBulletCollisionCommon.h>

#include <cstdlib>
#include <memory>

#include "../peers/bullet_chain.h"
#include "lying.h"
#include "read_figure.h"

namespace {

using namespace marey::peers;

// The farthest point in direction d is R² d / |R d|.
class BulletEllipsoid final : public btConvexInternalShape {
 public:
  explicit BulletEllipsoid(const btVector3& radii) : radii_(radii) {
    m_shapeType = CUSTOM_CONVEX_SHAPE_TYPE;
    setMargin(0);
  }
  btVector3 localGetSupportingVertexWithoutMargin(const btVector3& d) const override {
    const btVector3 stretched = radii_ * d;
    const btScalar length = stretched.length();
    return length > 0 ? radii_ * stretched / length : btVector3(radii_.x(), 0, 0);
  }
  btVector3 localGetSupportingVertex(const btVector3& d) const override {
    return localGetSupportingVertexWithoutMargin(d);
  }
  void batchedUnitVectorGetSupportingVertexWithoutMargin(const btVector3* vectors, btVector3* out,
                                                         int count) const override {
    for (int i = 0; i < count; ++i) out[i] = localGetSupportingVertexWithoutMargin(vectors[i]);
  }
  void calculateLocalInertia(btScalar, btVector3& inertia) const override { inertia.setZero(); }
  void getAabb(const btTransform& at, btVector3& least, btVector3& most) const override {
    btVector3 half;
    for (int i = 0; i < 3; ++i) half[i] = (at.getBasis()[i] * radii_).length();
    least = at.getOrigin() - half, most = at.getOrigin() + half;
  }
  const char* getName() const override { return "ellipsoid"; }

 private:
  btVector3 radii_;
};

class World {
 public:
  explicit World(const lying::Figure& figure) : figure_(figure), chain_(figure.links) {
    btMultiBody& body = chain_.body();
    body.setMaxCoordinateVelocity(BT_LARGE_FLOAT);
    body.setHasSelfCollision(false);
    chain_.set_states({figure.start});
    chain_.place(0);
    chain_.place_base(0);
    body.clearForcesAndTorques();
    world_.setGravity(bt(vector_of(figure.links.gravity)));
    world_.getSolverInfo().m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    world_.addMultiBody(&body);
    floor_.setCollisionShape(&plane_);
    floor_.setFriction(1);  // coefficients are multiplied
    world_.addCollisionObject(&floor_, btBroadphaseProxy::StaticFilter, btBroadphaseProxy::DefaultFilter);
    for (size_t i = 0; i < figure.links.links.size(); ++i) add_collider(i);
    btAlignedObjectArray<btQuaternion> turns;
    btAlignedObjectArray<btVector3> places;
    body.forwardKinematics(turns, places);
    body.updateCollisionObjectWorldTransforms(turns, places);
  }
  ~World() {
    for (const auto& c : colliders_) world_.removeCollisionObject(c.get());
    world_.removeCollisionObject(&floor_);
    world_.removeMultiBody(&chain_.body());
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void step() {
    btMultiBody& body = chain_.body();
    for (int k = 0; k < body.getNumLinks(); ++k) {
      const btMultibodyLink& link = body.getLink(k);
      const double* v = body.getJointVelMultiDof(k);
      btScalar torque[6] = {};
      for (int i = 0; i < link.m_dofCount; ++i)
        torque[i] = -figure_.damping[static_cast<size_t>(6 + link.m_dofOffset + i)] * v[i];
      body.addJointTorqueMultiDof(k, torque);
    }
    world_.stepSimulation(figure_.step, 0);
  }

  lying::Certificate certified_step(double& points) {
    const double h = figure_.step;
    lying::Step certified(lying::mass_of(figure_), -figure_.links.gravity[2], h, h);
    const btVector3 before = momentum();
    step();  // leaves the contacts of where the step began, with their impulses
    find_velocities();
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
  void add_collider(size_t i) {
    const int number = chain_.number_of(i);
    const PrincipalAxes& axes = chain_.axes_of(i);
    auto compound = std::make_unique<btCompoundShape>();
    for (const lying::Solid& s : figure_.solids) {
      if (s.link != i) continue;
      if (s.capsule)
        shapes_.push_back(std::make_unique<btCapsuleShapeZ>(s.radii[0], 2 * s.radii[2]));
      else
        shapes_.push_back(std::make_unique<BulletEllipsoid>(bt(vector_of(s.radii))));
      const Matrix3d R_AS = axes.R_BA.transpose() * quaternion_of(s.quat_BS).toRotationMatrix();
      const Vector3d c = vector_of(figure_.links.links[i].p_BoBcm_B);
      compound->addChildShape(btTransform(bt(R_AS), bt(Vector3d(axes.R_BA.transpose() * (vector_of(s.p_BoSo_B) - c)))),
                              shapes_.back().get());
    }
    auto collider = std::make_unique<btMultiBodyLinkCollider>(&chain_.body(), number);
    collider->setCollisionShape(compound.get());
    collider->setFriction(figure_.friction);
    world_.addCollisionObject(collider.get(), btBroadphaseProxy::DefaultFilter, btBroadphaseProxy::StaticFilter);
    if (number < 0)
      chain_.body().setBaseCollider(collider.get());
    else
      chain_.body().getLink(number).m_collider = collider.get();
    shapes_.push_back(std::move(compound));
    colliders_.push_back(std::move(collider));
  }

  // Of every link, the base first: turning, and of the mass centre, in the world.
  void find_velocities() {
    btMultiBody& body = chain_.body();
    const auto n = static_cast<size_t>(body.getNumLinks() + 1);
    omega_.resize(n), v_.resize(n), centre_.resize(n);
    body.compTreeLinkVelocities(omega_.data(), v_.data());
    for (size_t i = 0; i < n; ++i) {
      const int number = static_cast<int>(i) - 1;
      omega_[i] = body.localDirToWorld(number, omega_[i]), v_[i] = body.localDirToWorld(number, v_[i]);
      centre_[i] = body.localPosToWorld(number, btVector3(0, 0, 0));
    }
  }
  btVector3 momentum() {
    find_velocities();
    btVector3 p(0, 0, 0);
    for (size_t i = 0; i < v_.size(); ++i)
      p += (i == 0 ? chain_.body().getBaseMass() : chain_.body().getLinkMass(static_cast<int>(i) - 1)) * v_[i];
    return p;
  }
  double velocity_along(int number, const btVector3& point, const btVector3& n) const {
    const auto i = static_cast<size_t>(number + 1);
    return n.dot(v_[i] + omega_[i].cross(point - centre_[i]));
  }

  const lying::Figure& figure_;
  BulletChain chain_;
  btStaticPlaneShape plane_{btVector3(0, 0, 1), 0};
  btCollisionObject floor_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btMultiBodyLinkCollider>> colliders_;
  std::vector<btVector3> omega_, v_, centre_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btMultiBodyConstraintSolver solver_;
  btMultiBodyDynamicsWorld world_{&dispatcher_, &broadphase_, &solver_, &configuration_};
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
