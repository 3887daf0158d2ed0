// Poses and velocities of all links, and what follows from them by summing.
#include <algorithm>

#include "marey/dynamics/place.h"
#include "marey/scalar/instantiate.h"

namespace marey {

const char* name_of(Dynamics d) {
  constexpr const char* names[] = {"armstrong", "aba", "crba", "dense", "multipliers"};
  return names[static_cast<int>(d)];
}

template <class T>
Kinematics<T>::Kinematics(const Model& model)
    : X_WB(model.links.size()), V_WB(model.links.size()), general(model.general.size()) {}

namespace {

template <class T>
__attribute__((noinline)) void place_general(const Model& model, const Params<T>& params, std::span<const T> q,
                                             std::span<const T> v, int i, Kinematics<T>& k) {
  GeneralMotion<T> g;
  const JointMotion<T> m = general_joint_motion(model, params, i, q.data(), v.data(), g);
  place_link(JointConstant<JointType::custom>{}, m, model.links[i].parent, i, k);
  place_motions(model.links[i], g, i, k);
}

}  // namespace

template <class T>
void forward_kinematics(const Model& model, const Params<T>& params, std::span<const T> q, std::span<const T> v,
                        Kinematics<T>& k) {
  for (int i = 1; i < model.nlink(); ++i) {
    const LinkTopology& link = model.links[i];
    with_joint(link.joint, [&](auto joint) {
      if constexpr (joint.general)
        place_general(model, params, q, v, i, k);
      else
        place_link(joint, joint_motion(joint, link, params.links[i], q.data(), v.data()), link.parent, i, k);
    });
  }
}

int joint_motions(const Model& model, const Params<double>& params, const Kinematics<double>& k, int link,
                  JointMotions<double>& S) {
  return joint_motions(model, params, k, link, S.data());
}

int joint_motions(const Model& model, const Params<double>& params, const Kinematics<double>& k, int link,
                  Twist<double>* S) {
  const LinkTopology& topology = model.links[link];
  const LinkParams<double>& p = params.links[link];
  const auto column = [](const Mat3<double>& R, int c) { return Vec3<double>{R(0, c), R(1, c), R(2, c)}; };
  const Mat3<double>& R_WB = k.X_WB[link].R;
  const auto R_WF = [&] { return k.X_WB[topology.parent].R * p.R_PF; };
  const auto shifts = [&](int first) {
    const Mat3<double> R = R_WF();
    for (int c = 0; c < 3; ++c) S[first + c] = {{}, column(R, c)};
  };
  switch (topology.joint) {
    case JointType::weld:
      return 0;
    case JointType::hinge:
      S[0] = {R_WB * p.axis, {}};
      return 1;
    case JointType::slider:
      S[0] = {{}, R_WF() * p.axis};
      return 1;
    case JointType::free:
      shifts(3);
      [[fallthrough]];
    case JointType::ball:
      for (int c = 0; c < 3; ++c) S[c] = {column(R_WB, c), {}};
      return freedom_count(topology);
    case JointType::point:
      shifts(0);
      return 3;
    default:
      std::copy_n(k.general[topology.general].begin(), freedom_count(topology), S);
      return freedom_count(topology);
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
