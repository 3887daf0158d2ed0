// From an editable description to a frozen model: links, joints, coordinates, state.
//
// Frames. Link 0 is the world W. Every other link B hangs on one parent P by one joint. The joint's frame F is fixed in
// P at X_PF; the link's own frame B has its origin at the joint (hinge-centred frames, A §2), so X_PB = X_PF X_FB(q).
//
// Coordinates q and velocities v of the joints, v̇ the accelerations, τ the forces dual to v:
//   weld    –                                       –
//   hinge   angle about `axis` (in F, and in B)     its rate
//   slider  displacement along `axis`               its rate
//   ball    unit quaternion of R_FB (w, x, y, z)    w_FB_B, angular velocity of B in F, in the axes of B
//   free    quaternion of R_FB, then p_FoBo_F       w_FB_B, then v_FBo_F, velocity of Bo in F, in the axes of F
//   point   p_FoBo_F; B keeps the axes of F         v_FBo_F
// A particle is a link on a point joint; it needs mass, and no moment of inertia.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "marey/core.h"
#include "marey/shape.h"
#include "marey/spatial.h"

namespace marey {

enum class JointType : std::uint8_t { weld, hinge, slider, ball, free, point };

constexpr int coordinate_count(JointType j) {
  constexpr int n[] = {0, 1, 1, 4, 7, 3};
  return n[static_cast<int>(j)];
}
constexpr int freedom_count(JointType j) {
  constexpr int n[] = {0, 1, 1, 3, 6, 3};
  return n[static_cast<int>(j)];
}
const char* name_of(JointType);

// ---- ModelSpec
struct LinkSpec {
  std::string name;
  std::string parent = "world";
  JointType joint = JointType::weld;
  Transform<double> X_PF;
  Vec3<double> axis{0, 0, 1};  // hinge and slider; need not be of unit length
  Inertia<double> inertia;     // about Bo, in B
  std::vector<Shape> shapes;   // what is drawn; carries no mass by itself
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
  std::vector<LinkParams<T>> links;  // [nlink]; entry 0, the world, is unused
  Vec3<T> gravity;                   // in W
};
template <class T>
Params<T> convert(const Params<double>&);

// Topology of one link.
struct LinkTopology {
  int parent = 0;
  JointType joint = JointType::weld;
  bool turned = false;  // R_PF is not the identity
  bool leaf = true;     // nothing hangs on it
  bool opens = false;   // of the links on its parent the first to be met on the way inward (the last stored)
  int q = 0, v = 0;     // where its coordinates and velocities start
};

// Frozen: contiguous, const, shared by threads. Links are stored parent before child.
struct Model {
  std::vector<LinkTopology> links;  // [nlink], link 0 is the world
  Params<double> params;
  std::vector<std::string> names;          // [nlink]
  std::vector<std::vector<Shape>> shapes;  // [nlink]
  int nq = 0, nv = 0;

  int nlink() const { return static_cast<int>(links.size()); }
  int find(const std::string& name) const;  // index, or −1
};

// Checks and orders a spec. Throws InvalidSpec, which names the link and says why: a name that is empty or
// taken, an unknown parent, a cycle, a mass or inertia that no body has, an axis of no length, numbers that
// are not finite, a joint-space inertia that is not positive definite.
Model freeze(const ModelSpec&);

// ---- State
struct State {
  double t = 0;
  std::vector<double> q, v;
};
// All coordinates zero, quaternions the identity, at rest.
State neutral_state(const Model&);

}  // namespace marey
