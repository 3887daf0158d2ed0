// From an editable description to a frozen model: links, joints, coordinates, state.
//
// Frames. Link 0 is the world W. Every other link B is attached to one parent P by one joint. The joint's frame F is
// fixed in P at X_PF; the link's own frame B has its origin at the joint (hinge-centred frames, A §2), so X_PB = X_PF
// X_FB(q).
//
// Coordinates q and velocities v of the joints, v̇ the accelerations, τ the forces dual to v:
//   weld    –                                       –
//   hinge   angle about `axis` (in F, and in B)     its rate
//   slider  displacement along `axis`               its rate
//   ball    unit quaternion of R_FB (w, x, y, z)    w_FB_B, angular velocity of B in F, in the axes of B
//   free    quaternion of R_FB, then p_FoBo_F       w_FB_B, then v_FBo_F, velocity of Bo in F, in the axes of F
//   point   p_FoBo_F; B keeps the axes of F         v_FBo_F
// and of the general joints (marey/model/general_motion.h), whose v is q̇ wherever q has no quaternion:
//   universal    angle about `axis` (in F), then about `axis_2` (in B)
//   cylindrical  angle about `axis`, displacement along it
//   planar       displacements along `axis_2` and along axis × axis_2 (in F), angle about `axis`, the plane's normal
//   screw        angle about `axis`, along which it moves by `pitch` per turn
//   ellipsoid    unit quaternion of R_FB; v is w_FB_B. Bo lies on an ellipsoid of the `radii` about Fo
//   custom       1–6 coordinates, from which functions make three angles and three displacements
// A particle is a link on a point joint; it needs mass, but no moment of inertia.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "marey/core.h"
#include "marey/model/general_joint.h"
#include "marey/shape.h"
#include "marey/spatial.h"

namespace marey {

enum class JointType : std::uint8_t {
  weld,
  hinge,
  slider,
  ball,
  free,
  point,
  universal,
  cylindrical,
  planar,
  screw,
  ellipsoid,
  custom,
};

// 0 for a custom joint: its number belongs to the link (see below).
constexpr int coordinate_count(JointType j) {
  constexpr int n[] = {0, 1, 1, 4, 7, 3, 2, 2, 3, 1, 4, 0};
  return n[static_cast<int>(j)];
}
constexpr int freedom_count(JointType j) {
  constexpr int n[] = {0, 1, 1, 3, 6, 3, 2, 2, 3, 1, 3, 0};
  return n[static_cast<int>(j)];
}
// Whether q begins with a quaternion, and v with the angular velocity w_FB_B.
constexpr bool has_attitude(JointType j) {
  return j == JointType::ball || j == JointType::free || j == JointType::ellipsoid;
}
constexpr bool is_general(JointType j) { return j >= JointType::universal; }
const char* name_of(JointType);

// ---- ModelSpec
struct LinkSpec {
  std::string name;
  std::string parent = "world";
  JointType joint = JointType::weld;
  Transform<double> X_PF;
  Vec3<double> axis{0, 0, 1};  // need not be of unit length
  Vec3<double> axis_2;         // universal, planar; for a planar joint only its part in the plane counts
  double pitch = 0;            // screw; m per turn
  Vec3<double> radii;          // ellipsoid
  CustomJoint custom;
  Inertia<double> inertia;    // about Bo, in B
  std::vector<Shape> shapes;  // what is drawn; carries no mass by itself
};

struct ModelSpec {
  std::vector<LinkSpec> links;  // in any order; names are unique, "world" is link 0
  Vec3<double> gravity{0, 0, -9.81};
};

// ---- Model
// The numbers of one link that solvers read, for one scalar type.
template <class T>
struct LinkParams {
  Inertia<T> I;  // about Bo, in B
  Vec3<T> l;     // p_PoFo_P
  Mat3<T> R_PF = Mat3<T>::identity();
  Vec3<T> axis;  // unit; hinge and slider
};

template <class T>
struct Params {
  std::vector<LinkParams<T>> links;       // [nlink]; entry 0, the world, is unused
  Vec3<T> gravity;                        // in W
  std::vector<GeneralParams<T>> general;  // [joints that are general]
};
template <class T>
Params<T> convert(const Params<double>&);

// Topology of one link.
struct LinkTopology {
  int parent = 0;
  JointType joint = JointType::weld;
  bool turned = false;               // R_PF is not the identity
  bool leaf = true;                  // nothing hangs on it
  bool opens = false;                // of its parent's children, the first met on the way inward (the last stored)
  int q = 0, v = 0;                  // where its coordinates and velocities start
  std::int16_t general = -1;         // which of the general joints
  std::uint8_t custom_freedoms = 0;  // custom joints
};
constexpr int freedom_count(const LinkTopology& link) {
  return link.joint == JointType::custom ? link.custom_freedoms : freedom_count(link.joint);
}
constexpr int coordinate_count(const LinkTopology& link) {
  return link.joint == JointType::custom ? link.custom_freedoms : coordinate_count(link.joint);
}

// Frozen: contiguous, const, shared by threads. Links are stored parent before child.
struct Model {
  std::vector<LinkTopology> links;  // [nlink], link 0 is the world
  Params<double> params;
  std::vector<GeneralJoint> general;  // [joints that are general]
  // [joints that are general] names of their degrees of freedom; for an ellipsoid joint x, y, z
  std::vector<std::vector<JointCoordinate>> coordinates;
  std::vector<std::string> names;          // [nlink]
  std::vector<std::vector<Shape>> shapes;  // [nlink]
  int nq = 0, nv = 0;

  int nlink() const { return static_cast<int>(links.size()); }
  int find(const std::string& name) const;  // index, or −1
};

// Checks and orders a spec. Throws InvalidSpec, which names the link and says why: a name that is empty or taken, an
// unknown parent, a cycle, a mass or inertia that no body can have, an axis of zero length, numbers that are not
// finite, functions that move nothing, a joint-space inertia that is not positive definite.
Model freeze(const ModelSpec&);

// Names of the degrees of freedom of a link's joint, in order: angle; slide; x, y, z; wx, wy, wz, vx, vy, vz …
std::vector<JointCoordinate> freedoms_of(const Model&, int link);

// ---- State
struct State {
  double t = 0;
  std::vector<double> q, v;
  std::vector<double> z{};  // what sources keep and a run integrates too: activations, filters … (marey/source.h)
};
// All coordinates zero, quaternions the identity, at rest.
State neutral_state(const Model&);

}  // namespace marey
