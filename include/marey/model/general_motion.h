// Motion across a general joint, whatever the functions of its coordinates are.
#pragma once

#include "marey/model.h"

namespace marey {

template <class T>
struct GeneralMotion {
  Mat3<T> R_FB;
  Vec3<T> p;                              // p_FoBo_F
  Vec3<T> w_J;                            // w_FB_B
  Vec3<T> v_J;                            // v_FBo_F
  Vec3<T> w_bias;                         // time derivative of w_J for v̇ = 0, in B
  Vec3<T> v_bias;                         // the same for v_J, in F
  std::array<Twist<T>, most_freedoms> S;  // [freedoms] w_FB_B and v_FBo per unit of each velocity, both in B
};
// q and v point to the joint's own part.
template <class T>
void general_motion(const GeneralJoint&, const GeneralParams<T>&, const T* q, const T* v, GeneralMotion<T>&);

// A joint as freeze() keeps it. Throws InvalidSpec.
struct FrozenJoint {
  GeneralJoint joint;
  GeneralParams<double> params;
  std::vector<JointCoordinate> coordinates;
};
FrozenJoint freeze_general(const LinkSpec&);

// A value at which a coordinate is neither zero nor beyond the ends of a table, for the i-th joint of a figure.
double generic_coordinate(const GeneralJoint&, const GeneralParams<double>&, int coordinate, double generic);

}  // namespace marey
