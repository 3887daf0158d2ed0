// Lagrange multipliers in linear time, and maximal coordinates (P2): every link a free body, every joint a set of rows.
//
// The tree's system of bodies and joints (equations in src/dynamics/multipliers.cpp) is factored from the leaves to the
// root without fill-in, and then answers any right-hand side in two passes over the links. Loops, drives and measured
// paths are further rows over these factors: marey/rows/loops.h.
//
// For every scalar, as the other solvers. No call allocates once its workspace is made.
#pragma once

#include <span>
#include <vector>

#include "marey/dynamics.h"

namespace marey {

// ---- the tree's system
// One link with the joint that hangs it on its parent. Everything is about Bo, in the axes of W.
template <class T>
struct MultiplierLink {
  int freedoms = 0;
  bool loose = false;  // a free joint
  Vec3<T> r;           // p_PoBo_W; by multiplier_rows
  Twist<T> S[6];       // [freedoms] free directions: A_B = X A_P + k + Σ S v̇; by multiplier_rows
  Twist<T> k;          // by multiplier_rows
  Wrench<T> F_own;     // gravity less what the link's velocity asks for (gyroscopic, centrifugal); by multiplier_rows
  // factors, by multiplier_factor
  Sym3<T> J, M;    // [[J, H], [Hᵀ, M]]: inertia of the link and all it carries, less what gives way at the joint
  Mat3<T> H;       // (before multiplier_factor: the link's own inertia)
  Wrench<T> z[6];  // [freedoms] columns of the eliminated part
  T d_inverse[6]{};
  T L[6][6]{};  // strictly lower
  // answers, by multiplier_solve
  Wrench<T> p;  // forces on the link and all it carries
  T t[6]{};     // reduced right-hand side at the joint
  T vdot[6]{};  // [freedoms] along S
  Twist<T> A;   // A_WB: acceleration of the link, of Bo
  Wrench<T> F;  // on B by its parent through the joint, with the joint's own forces
  Twist<T> dA;  // the last change of A; by multiplier_refine
};

template <class T>
struct MultiplierWorkspace {
  explicit MultiplierWorkspace(const Model&);
  std::vector<MultiplierLink<T>> links;     // [nlink]; entry 0, the world, is at rest
  Kinematics<T> kinematics;                 // of the interface in reduced coordinates
  std::vector<T> q, v;                      // [nq], [nv] the joints' own, where links are in maximal coordinates
  std::vector<Twist<T>> error, error_rate;  // [nlink]; by joint_errors
};

// What acts on the links in a right-hand side. Spans may be empty: nothing of that kind.
template <class T>
struct MultiplierLoad {
  std::span<const T> tau;             // [nv] joint forces, dual to v
  std::span<const Wrench<T>> F_Bo_W;  // [nlink] about Bo in W
  bool own = true;                    // gravity and the terms of the velocities: F_own and k
  std::span<const Twist<T>> k;        // [nlink] in the place of k: accelerations asked of the joints' held directions
};

// The links' inertias and the joints' directions at the given poses and twists; q and v are the joints' own.
template <class T>
void multiplier_rows(const Model&, const Params<T>&, std::span<const T> q, std::span<const T> v, const Kinematics<T>&,
                     MultiplierWorkspace<T>&);
// Factors the system, from the leaves to the root: O(nlink).
template <class T>
void multiplier_factor(const Model&, MultiplierWorkspace<T>&);
// Accelerations and joint wrenches for a load: one pass inward, one outward.
template <class T>
void multiplier_solve(const Model&, const MultiplierLoad<T>&, MultiplierWorkspace<T>&);

// Refines the answer to the same load, once: wrenches are added up from the leaves to the root by Newton and Euler, and the
// factors answer what they lack of tau. Afterwards bodies, joints and tau agree to round-off.
template <class T>
void multiplier_refine(const Model&, const Params<T>&, const Kinematics<T>&, const MultiplierLoad<T>&,
                       MultiplierWorkspace<T>&);

// Forward dynamics in reduced coordinates. Afterwards links[i].F are the wrenches through the joints, about Bo in W.
template <class T>
void multipliers(const Model&, const Params<T>&, std::span<const T> q, std::span<const T> v, const Forces<T>&,
                 MultiplierWorkspace<T>&, std::span<T> vdot);

// ---- maximal coordinates, for double alone
// The same links, in the same order and with the same names, each on a free joint of its own: q holds the quaternion of
// R_WB and p_WoBo_W, v holds w_WB_B and v_WBo_W. What joins them are the joints of the figure it is made from. A link
// may have no mass here, if the figure as a whole moves some: solvers of trees do not know such a model.
Model maximal(const Model& figure);
struct Maximal {};
inline constexpr Maximal maximal_coordinates;
Model freeze(const ModelSpec&, Maximal);

State to_maximal(const Model& figure, const State&);
// Poses and twists of a state in maximal coordinates.
void maximal_kinematics(std::span<const double> q, std::span<const double> v, Kinematics<double>&);

// How far the links are from where their joints hold them: the largest distance (m) or angle (rad) at any joint, and the
// largest rate of one (m/s, rad/s).
struct JointError {
  double position = 0, rate = 0;
  int link = 0;  // where the position is worst
};
// The joint coordinates nearest to the given poses, and the velocities nearest to their twists, joint by joint. q holds a
// guess on entry, which says how many turns a hinge has made. What no coordinates can express is left in `error`, the turn
// and shift of B against the nearest pose that its joint allows, and in `error_rate`, the part of its twist relative to
// its parent that the joint holds; both [nlink], about Bo, in W.
JointError joint_errors(const Model& figure, const Params<double>&, const Kinematics<double>&, std::span<double> q,
                        std::span<double> v, std::span<Twist<double>> error, std::span<Twist<double>> error_rate);
// What forward_kinematics leaves of general joints in `general`, for poses of links and coordinates of joints at hand.
void general_motions(const Model& figure, const Params<double>&, std::span<const double> q, Kinematics<double>&);
// joint_errors() for states; `reduced` holds a guess on entry.
JointError to_reduced(const Model& figure, const State& maximal, State& reduced);

// ---- drift
enum class Stabilisation {
  projection,  // after each step the links are put back where their joints hold, by the shortest way in the mass metric
  baumgarte,   // errors decay by themselves: g̈ + 2 β ġ + β² g = 0
  none,        // joints hold accelerations alone, and drift apart
};
const char* name_of(Stabilisation);

// Forward dynamics in maximal coordinates: vdot has the layout of the maximal model. After joint_errors() into the
// workspace's q, v, error and error_rate; `beta` is Baumgarte's β, 0 for none.
void multipliers_maximal(const Model& figure, const Params<double>&, const Kinematics<double>&, const Forces<double>&,
                         double beta, MultiplierWorkspace<double>&, std::span<double> vdot);

// Its parts: the factors, with Baumgarte's terms in k; and vdot from the links' A.
void maximal_factor(const Model& figure, const Params<double>&, const Kinematics<double>&, double beta,
                    MultiplierWorkspace<double>&);
void maximal_accelerations(const Kinematics<double>&, const MultiplierWorkspace<double>&, std::span<double> vdot);

// Puts a maximal state back where the joints hold: the change ξ of the poses and Δv of the velocities are the least,
// ½ ξᵀ M ξ and ½ Δvᵀ M Δv, that make up for the errors, so that the centre of mass and the momentum of a free figure stay.
// Leaves the nearest joint coordinates in the workspace; returns the errors as they were found.
JointError project_on_joints(const Model& figure, const Params<double>&, State& maximal, MultiplierWorkspace<double>&);
// Its parts: moves the bodies of a state by the links' A, taken as a small change of poses, while each keeps its angular
// velocity and the velocity of its centre of mass; adds A to the velocities.
void move_bodies(const Params<double>&, const Kinematics<double>&, const MultiplierWorkspace<double>&, State&);
void add_velocities(const Kinematics<double>&, const MultiplierWorkspace<double>&, State&);

}  // namespace marey
