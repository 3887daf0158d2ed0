// Poses and velocities of all links, and what follows from them by summing.
#include "dynamics/joint.h"
#include "marey/dynamics.h"
#include "marey/scalar/instantiate.h"

namespace marey {

const char* name_of(Dynamics d) {
  constexpr const char* names[] = {"armstrong", "aba", "crba", "dense", "multipliers"};
  return names[static_cast<int>(d)];
}

template <class T>
Kinematics<T>::Kinematics(const Model& model) : X_WB(model.links.size()), V_WB(model.links.size()) {}

template <class T>
void forward_kinematics(const Model& model, const Params<T>& params, std::span<const T> q, std::span<const T> v,
                        Kinematics<T>& k) {
  for (int i = 1; i < model.nlink(); ++i) {
    const LinkTopology& link = model.links[i];
    with_joint(link.joint, [&](auto joint) {
      const JointMotion<T> m = joint_motion(joint, link, params.links[i], q.data(), v.data());
      const Transform<T>& X_WP = k.X_WB[link.parent];
      const Twist<T>& V_WP = k.V_WB[link.parent];
      const Vec3<T> r_W = X_WP.R * m.r;
      k.X_WB[i] = {X_WP.R * m.R, X_WP.p + r_W};
      k.V_WB[i] = {V_WP.w + k.X_WB[i].R * m.w_J, V_WP.v + cross(V_WP.w, r_W) + X_WP.R * m.v_J};
    });
  }
}

template <class T>
Totals<T> totals(const Model& model, const Params<T>& params, const Kinematics<T>& k) {
  Totals<T> t;
  for (int i = 1; i < model.nlink(); ++i) {
    const Inertia<T>& I = params.links[i].I;
    const Transform<T>& X = k.X_WB[i];
    const Twist<T> V_B{transpose_times(X.R, k.V_WB[i].w), transpose_times(X.R, k.V_WB[i].v)};
    const Wrench<T> L_B = I * V_B;  // about Bo, in B
    const Vec3<T> linear = X.R * L_B.f;
    t.kinetic += T(0.5) * power(L_B, V_B);
    t.momentum += Wrench<T>{X.R * L_B.n + cross(X.p, linear), linear};
    t.mass += I.m;
    t.first_moment += X.R * I.h + I.m * X.p;
  }
  t.gravity_potential = -dot(params.gravity, t.first_moment);
  return t;
}

#define MAREY_INSTANTIATE(T)                                                                               \
  template struct Kinematics<T>;                                                                           \
  template void forward_kinematics(const Model&, const Params<T>&, std::span<const T>, std::span<const T>, \
                                   Kinematics<T>&);                                                        \
  template Totals<T> totals(const Model&, const Params<T>&, const Kinematics<T>&);
MAREY_FOR_EACH_SCALAR(MAREY_INSTANTIATE)

}  // namespace marey
