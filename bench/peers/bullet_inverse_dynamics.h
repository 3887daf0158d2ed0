// Declarations of the inverse dynamics in Bullet's extras. Debian ships the library
// (libBulletInverseDynamics-float64) but not its header, so the few names the peer calls are declared here,
// with the layout the library was built with.
#pragma once

#include <LinearMath/btMatrix3x3.h>
#include <LinearMath/btMatrixX.h>
#include <LinearMath/btVector3.h>

// NOLINTBEGIN(readability-identifier-naming): the names are Bullet's.
namespace btInverseDynamicsBullet3 {

enum JointType { FIXED = 0, REVOLUTE, PRISMATIC, FLOATING, SPHERICAL };

class vec3 : public btVector3 {
 public:
  explicit vec3(const btVector3& v) : btVector3(v) {}
};
class mat33 : public btMatrix3x3 {
 public:
  explicit mat33(const btMatrix3x3& m) : btMatrix3x3(m) {}
};
class vecx : public btVectorX<double> {
 public:
  explicit vecx(int size) : btVectorX<double>(size) {}
};

// q per joint: revolute, prismatic one number; spherical three angles with R_FB = Rz(q2) Ry(q1) Rx(q0);
// floating three with R_FB = Rx(q0) Ry(q1) Rz(q2), then the position. u: spherical w_FB_B; floating w_FB_B,
// then the velocity in B. dot_u: floating has the acceleration of Bo in B (a vector's components, not the
// derivative of u). Forces are dual to u.
class MultiBodyTree {
 public:
  MultiBodyTree();
  ~MultiBodyTree();
  MultiBodyTree(const MultiBodyTree&) = delete;
  MultiBodyTree& operator=(const MultiBodyTree&) = delete;

  // Zero on success. body_T_parent turns components in P into components in B at q = 0; the axis is in B; the
  // inertia is about Bo in B.
  int addBody(int body, int parent, JointType joint, const vec3& p_PoFo_P, const mat33& body_T_parent, const vec3& axis,
              double mass, const vec3& p_BoBcm_B, const mat33& J_BBo_B, int user_int, void* user_pointer);
  void setAcceptInvalidMassParameters(bool flag);
  int finalize();
  int setGravityInWorldFrame(const vec3& gravity);
  int calculateInverseDynamics(const vecx& q, const vecx& u, const vecx& dot_u, vecx* joint_forces);
  int calculateMassMatrix(const vecx& q, btMatrixX<double>* mass_matrix);

 private:
  bool is_finalized_;
  bool mass_parameters_are_valid_;
  bool accept_invalid_mass_parameters_;
  void* impl_;
  void* init_cache_;
};

}  // namespace btInverseDynamicsBullet3
// NOLINTEND(readability-identifier-naming)
