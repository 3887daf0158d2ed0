// A figure of lying_figure.h as a btMultiBody with its shapes and the friction of its joints, for the programs whose engine is Bullet.
// Bullet has no ellipsoid. It takes convex shapes of one's own by their farthest point in a direction, and that of an ellipsoid
// is given to it exactly. It has no friction in joints either: its torques are put in before each step.
#pragma once

#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <btBulletCollisionCommon.h>

#include <memory>
#include <vector>

#include "../peers/bullet_chain.h"
#include "lying_figure.h"

namespace lying {

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

class BulletFigure {
 public:
  // What its links collide with, in Bullet's groups, but never with each other; their coefficient, which Bullet multiplies with the other's.
  struct Collisions {
    int group = btBroadphaseProxy::DefaultFilter, mask = btBroadphaseProxy::StaticFilter;
    double friction = 1;
  };
  BulletFigure(const Figure& figure, btMultiBodyDynamicsWorld& world, const Collisions& collisions)
      : figure_(figure), world_(world), chain_(figure.links) {
    btMultiBody& body = chain_.body();
    body.setMaxCoordinateVelocity(BT_LARGE_FLOAT);
    body.setHasSelfCollision(false);
    chain_.set_states({figure.start});
    chain_.place(0);
    chain_.place_base(0);
    body.clearForcesAndTorques();
    world_.addMultiBody(&body);
    for (size_t i = 0; i < figure.links.links.size(); ++i) add_collider(i, collisions);
    btAlignedObjectArray<btQuaternion> turns;
    btAlignedObjectArray<btVector3> places;
    body.forwardKinematics(turns, places);
    body.updateCollisionObjectWorldTransforms(turns, places);
  }
  ~BulletFigure() {
    for (const auto& c : colliders_) world_.removeCollisionObject(c.get());
    world_.removeMultiBody(&chain_.body());
  }
  BulletFigure(const BulletFigure&) = delete;
  BulletFigure& operator=(const BulletFigure&) = delete;

  // Before each step.
  void put_friction() {
    btMultiBody& body = chain_.body();
    for (int k = 0; k < body.getNumLinks(); ++k) {
      const btMultibodyLink& link = body.getLink(k);
      const double* v = body.getJointVelMultiDof(k);
      btScalar torque[6] = {};
      for (int i = 0; i < link.m_dofCount; ++i)
        torque[i] = -figure_.damping[static_cast<size_t>(6 + link.m_dofOffset + i)] * v[i];
      body.addJointTorqueMultiDof(k, torque);
    }
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
  // As find_velocities() has found it, by link from the base on.
  const btVector3& turning(size_t i) const { return omega_[i]; }
  const btVector3& velocity(size_t i) const { return v_[i]; }
  const btVector3& centre(size_t i) const { return centre_[i]; }
  size_t link_count() const { return colliders_.size(); }
  double mass(size_t i) { return i == 0 ? body().getBaseMass() : body().getLinkMass(static_cast<int>(i) - 1); }
  // About the mass centre, along the axes of its frame.
  const Vector3d& moments(size_t i) const { return chain_.axes_of(i).moments; }
  btMultiBodyLinkCollider& collider(size_t i) { return *colliders_[i]; }
  btMultiBody& body() { return chain_.body(); }

 private:
  void add_collider(size_t i, const Collisions& collisions) {
    const int number = chain_.number_of(i);
    const PrincipalAxes& axes = chain_.axes_of(i);
    auto compound = std::make_unique<btCompoundShape>();
    for (const Solid& s : figure_.solids) {
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
    collider->setFriction(collisions.friction);
    world_.addCollisionObject(collider.get(), collisions.group, collisions.mask);
    if (number < 0)
      chain_.body().setBaseCollider(collider.get());
    else
      chain_.body().getLink(number).m_collider = collider.get();
    shapes_.push_back(std::move(compound));
    colliders_.push_back(std::move(collider));
  }

  const Figure& figure_;
  btMultiBodyDynamicsWorld& world_;
  BulletChain chain_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btMultiBodyLinkCollider>> colliders_;
  std::vector<btVector3> omega_, v_, centre_;
};

}  // namespace lying
