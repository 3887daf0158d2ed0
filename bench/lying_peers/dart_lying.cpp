// lying_dart FILE ROUNDS: DART takes the steps of a figure (lying_figure.h) as a Skeleton on a large box, and says per phase what lying.h
// lists. FCL finds the contacts, by its own solids, as DART's own detector knows no ellipsoids; of capsules, which neither knows,
// it has the spheres at their ends, which are all that a plane can meet. DART's solver and all else as they come.
#include <cstdlib>
#include <dart/collision/CollisionObject.hpp>
#include <dart/collision/fcl/FCLCollisionDetector.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/EllipsoidShape.hpp>
#include <dart/dynamics/ShapeFrame.hpp>
#include <dart/dynamics/ShapeNode.hpp>
#include <dart/dynamics/SphereShape.hpp>
#include <dart/simulation/World.hpp>
#include <memory>

#include "../peers/dart_figure.h"
#include "lying.h"
#include "read_figure.h"

namespace {

using namespace marey::peers;

class Engine {
 public:
  explicit Engine(const lying::Figure& figure) : figure_(figure) {
    dart_.build(figure.links);
    for (size_t i = 0; i < figure.links.links.size(); ++i) {
      dd::Joint* joint = dart_.body(i)->getParentJoint();
      if (figure.links.links[i].joint == PeerJoint::free) continue;
      for (size_t k = 0; k < joint->getNumDofs(); ++k)
        joint->setDampingCoefficient(k, figure.damping[static_cast<size_t>(offsets_.v[i]) + k]);
    }
    for (const lying::Solid& s : figure.solids) add(s);
    add_floor();
    world_->setGravity(vector_of(figure.links.gravity));
    world_->setTimeStep(figure.step);
    const auto detector = dart::collision::FCLCollisionDetector::create();
    detector->setPrimitiveShapeType(dart::collision::FCLCollisionDetector::PRIMITIVE);
    world_->getConstraintSolver()->setCollisionDetector(detector);
    world_->addSkeleton(dart_.skeleton());
    world_->addSkeleton(floor_);
    start_ = dart_.to_native(figure.start);
  }
  double step_length() const { return figure_.step; }
  void begin() {
    dart_.skeleton()->resetGeneralizedForces();
    dart_.skeleton()->clearConstraintImpulses();
    dart_.skeleton()->setPositions(start_.q);
    dart_.skeleton()->setVelocities(start_.v);
  }
  void step() { world_->step(); }

  lying::Certificate certified_step(double& points) {
    const double h = figure_.step;
    lying::Step certified(dart_.skeleton()->getMass(), -figure_.links.gravity[2], h, h);
    const Vector3d before = momentum();
    step();  // leaves the contacts of where the step began, with their forces
    Vector3d sum = before - momentum();
    for (const dart::collision::Contact& c : world_->getLastCollisionResult().getContacts()) {
      const dd::BodyNode *one = body_of(c.collisionObject1), *other = body_of(c.collisionObject2);
      const double sign = one->getSkeleton() == dart_.skeleton() ? 1 : -1;  // forces are on the first
      const dd::BodyNode* link = sign > 0 ? one : other;
      const Vector3d normal = sign * c.normal, force = sign * c.force;
      const double along = normal.dot(force);
      sum += h * force;
      const Vector3d velocity = link->getLinearVelocity(Vector3d(link->getTransform().inverse() * c.point));
      certified.point(-c.penetrationDepth, h * along, h * (force - along * normal).norm(), figure_.friction,
                      normal.dot(velocity));
      ++points;
    }
    return certified.done({sum.x(), sum.y(), sum.z()});
  }

 private:
  static const dd::BodyNode* body_of(const dart::collision::CollisionObject* object) {
    return object->getShapeFrame()->asShapeNode()->getBodyNodePtr().get();
  }
  Vector3d momentum() const { return dart_.skeleton()->getMass() * dart_.skeleton()->getCOMLinearVelocity(); }

  // DART knows capsules, but no detector of it does; a plane is met by the spheres at their ends alone.
  void add(const lying::Solid& s) {
    if (!s.capsule) return add(s, std::make_shared<dd::EllipsoidShape>(2 * vector_of(s.radii)), 0);
    for (const double end : {-1.0, 1.0}) add(s, std::make_shared<dd::SphereShape>(s.radii[0]), end * s.radii[2]);
  }
  void add(const lying::Solid& s, const dd::ShapePtr& shape, double along) {
    auto* node = dart_.body(s.link)->createShapeNodeWith<dd::CollisionAspect, dd::DynamicsAspect>(shape);
    Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
    X.linear() = quaternion_of(s.quat_BS).toRotationMatrix();
    X.translation() = vector_of(s.p_BoSo_B) + along * X.linear().col(2);
    node->setRelativeTransform(X);
    node->getDynamicsAspect()->setFrictionCoeff(figure_.friction);
  }
  // Of the endless plane that DART has, FCL's broad phase breaks down.
  void add_floor() {
    auto* body = floor_->createJointAndBodyNodePair<dd::WeldJoint>().second;
    auto* node = body->createShapeNodeWith<dd::CollisionAspect, dd::DynamicsAspect>(
        std::make_shared<dd::BoxShape>(Vector3d(20, 20, 2)));
    node->setRelativeTranslation(Vector3d(0, 0, -1));
    node->getDynamicsAspect()->setFrictionCoeff(figure_.friction);
    floor_->setMobile(false);
  }

  const lying::Figure& figure_;
  Offsets offsets_{figure_.links};
  DartFigure dart_;
  DartFigure::Native start_;
  dd::SkeletonPtr floor_ = dd::Skeleton::create("floor");
  dart::simulation::WorldPtr world_ = dart::simulation::World::create("world");
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) return 2;
  const lying::Figure figure = lying::read_figure(argv[1]);
  Engine engine(figure);
  lying::measure(engine, std::atoi(argv[2]));
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "DART: %s\n", e.what());
  return 3;
}
