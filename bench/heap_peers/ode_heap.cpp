// heap_ode FILE ROUNDS STEPS: ODE takes the steps of a heap (heap.h) of rigid bodies between planes, by its QuickStep. Double precision, no damping,
// no sleep; twenty iterations and all else as they come, up to eight points for two bodies, friction by pyramids (dContactApprox1).
#include <ode/ode.h>

#include <memory>

#include "heap.h"

namespace {

using heap::operator-, heap::operator*;

heap::Vec vec_of(const dReal* x) { return {x[0], x[1], x[2]}; }

class World {
 public:
  explicit World(const heap::Heap& heap) : heap_(heap) {
    dInitODE2(0);
    world_ = dWorldCreate(), space_ = dHashSpaceCreate(nullptr), contacts_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, 0, 0, -heap.gravity);
    dWorldSetAutoDisableFlag(world_, 0);
    dWorldSetQuickStepNumIterations(world_, 20);
    for (const heap::Plane& p : heap.planes) dCreatePlane(space_, p.normal[0], p.normal[1], p.normal[2], p.offset);
    for (std::size_t i = 0; i < heap.bodies.size(); ++i) add(heap.bodies[i], i);
  }
  ~World() {
    dJointGroupDestroy(contacts_), dSpaceDestroy(space_), dWorldDestroy(world_);
    dCloseODE();
  }
  void step() {
    dJointGroupEmpty(contacts_);
    found_.clear();
    dSpaceCollide(space_, this, [](void* self, dGeomID a, dGeomID b) { static_cast<World*>(self)->meet(a, b); });
    if (looking_) {
      feedback_.resize(found_.size());
      for (std::size_t k = 0; k < found_.size(); ++k) dJointSetFeedback(found_[k].joint, &feedback_[k]);
    }
    dWorldQuickStep(world_, heap_.step);
  }

  void begin_looking() {
    looking_ = true;
    now_.assign(bodies_.size() + 1, {});  // the last one: what stands still
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const dReal* q = dBodyGetQuaternion(bodies_[i]);
      now_[i].p = vec_of(dBodyGetPosition(bodies_[i])), now_[i].quat = {q[0], q[1], q[2], q[3]};
      now_[i].fixed = false, now_[i].mass = heap_.bodies[i].mass, now_[i].inertia = heap_.bodies[i].inertia;
    }
  }
  void look(heap::Measure& measure) {
    for (std::size_t i = 0; i < bodies_.size(); ++i)
      now_[i].v = vec_of(dBodyGetLinearVel(bodies_[i])), now_[i].w = vec_of(dBodyGetAngularVel(bodies_[i]));
    for (std::size_t k = 0; k < found_.size(); ++k) {
      const Found& f = found_[k];
      // The force is that on the joint's first body, which ODE makes the second one where the first stands still.
      const double sign = f.a == bodies_.size() ? -1 : 1;
      const heap::Touch t{f.point, f.normal, sign * heap_.step * vec_of(feedback_[k].f1), -f.depth};
      measure.point(now_[f.a], now_[f.b], t);
    }
  }
  const std::vector<heap::Moving>& bodies() {
    for (std::size_t i = 0; i < bodies_.size(); ++i) now_[i].p = vec_of(dBodyGetPosition(bodies_[i]));
    return now_;
  }

 private:
  struct Found {
    std::size_t a, b;
    heap::Vec point, normal;
    double depth;
    dJointID joint;
  };

  void add(const heap::Body& b, std::size_t index) {
    const dBodyID body = dBodyCreate(world_);
    dMass mass;
    dMassSetParameters(&mass, b.mass, 0, 0, 0, b.inertia[0], b.inertia[1], b.inertia[2], 0, 0, 0);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, b.p[0], b.p[1], b.p[2]);
    const dQuaternion q{b.quat[0], b.quat[1], b.quat[2], b.quat[3]};
    dBodySetQuaternion(body, q);
    dBodySetLinearVel(body, b.v[0], b.v[1], b.v[2]), dBodySetAngularVel(body, b.w[0], b.w[1], b.w[2]);
    const dGeomID geom = shape_of(b);
    dGeomSetBody(geom, body);
    dGeomSetData(geom, reinterpret_cast<void*>(index + 1));
    bodies_.push_back(body);
  }
  dGeomID shape_of(const heap::Body& b) {
    switch (b.kind) {
      case heap::sphere:
        return dCreateSphere(space_, b.size[0]);
      case heap::capsule:
        return dCreateCapsule(space_, b.size[0], 2 * b.size[1]);
      case heap::octahedron:
        return octahedron(b);
      default:
        return dCreateBox(space_, 2 * b.size[0], 2 * b.size[1], 2 * b.size[2]);
    }
  }
  dGeomID octahedron(const heap::Body& b) {
    hulls_.push_back(std::make_unique<Hull>());
    Hull& h = *hulls_.back();
    const auto corners = heap::octahedron_corners(b.size);
    for (const heap::Vec& c : corners) h.points.insert(h.points.end(), c.begin(), c.end());
    for (const auto& f : heap::octahedron_faces) {
      const heap::Vec &p = corners[static_cast<std::size_t>(f[0])], &q = corners[static_cast<std::size_t>(f[1])],
                      &r = corners[static_cast<std::size_t>(f[2])];
      heap::Vec n = heap::cross(q - p, r - p);
      n = (1 / heap::norm(n)) * n;
      h.planes.insert(h.planes.end(), {n[0], n[1], n[2], heap::dot(n, p)});
      h.polygons.push_back(3);
      for (const int v : f) h.polygons.push_back(static_cast<unsigned>(v));
    }
    return dCreateConvex(space_, h.planes.data(), 8, h.points.data(), 6, h.polygons.data());
  }

  void meet(dGeomID a, dGeomID b) {
    const dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if (body_a == nullptr && body_b == nullptr) return;
    dContact contacts[8];
    const int n = dCollide(a, b, 8, &contacts[0].geom, sizeof(dContact));
    for (int k = 0; k < n; ++k) {
      dContact& c = contacts[k];
      c.surface = {};
      c.surface.mode = dContactApprox1, c.surface.mu = heap_.friction;
      const dJointID joint = dJointCreateContact(world_, contacts_, &c);
      dJointAttach(joint, body_a, body_b);
      if (looking_)
        found_.push_back({index_of(a), index_of(b), vec_of(c.geom.pos), vec_of(c.geom.normal), c.geom.depth, joint});
    }
  }
  std::size_t index_of(dGeomID g) const {
    const auto number = reinterpret_cast<std::size_t>(dGeomGetData(g));
    return number == 0 ? bodies_.size() : number - 1;
  }
  struct Hull {
    std::vector<dReal> points, planes;
    std::vector<unsigned> polygons;
  };

  const heap::Heap& heap_;
  dWorldID world_;
  dSpaceID space_;
  dJointGroupID contacts_;
  bool looking_ = false;
  std::vector<dBodyID> bodies_;
  std::vector<std::unique_ptr<Hull>> hulls_;
  std::vector<Found> found_;
  std::vector<dJointFeedback> feedback_;
  std::vector<heap::Moving> now_;
};

}  // namespace

int main(int argc, char** argv) { return heap::main_of<World>(argc, argv); }
