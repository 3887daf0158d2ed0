// What elements do to the links, added up and booked.
//
// An external wrench acts on its link only. A joint's own force is a pair: what acts on the link acts on the parent
// with the opposite sign at the same point Bo,
//   hinge   n = τ R_WB axis                          slider  f = τ R_WF axis
//   ball    n = R_WB τ                               free    n = R_WB (τ₀ τ₁ τ₂),  f = R_WF (τ₃ τ₄ τ₅)
//   point   f = R_WF τ
//   general joints: the least of all wrenches that have the power τ·v, F = S (Sᵀ S)⁻¹ τ, in N m and N, with the joint's
//   motions S; the rest of what the joint carries belongs to the reaction
//   power = n·(w_WB − w_WP) + f·(v_WBo − v_WPo − w_WP × p_PoBo)                                          (1)
// so a pair between two links has no resultant. Where the parent is the world, what acts on the link is external.
#include <fmt/format.h>

#include <algorithm>

#include "marey/dynamics/least_wrench.h"
#include "marey/force.h"
#include "marey/force/cast.h"
#include "marey/model/general_motion.inl"
#include "marey/scalar.h"
#include "marey/scalar/instantiate.h"

namespace marey {
namespace {

// F = S x with (Sᵀ S) x = τ, by elimination.
template <class T>
Wrench<T> pair_of_general(const Instant<T>& at, int link, std::span<const T> tau) {
  const LinkTopology& joint = at.model.links[static_cast<std::size_t>(link)];
  const auto g = static_cast<std::size_t>(joint.general);
  GeneralMotion<T> m;
  general::motion(at.model.general[g], at.model.params.general[g], at.q.data() + joint.q, at.v.data() + joint.v, m);
  const LeastWrench<T> least(m.S, static_cast<int>(tau.size()));
  const Wrench<T> F = least(tau.data());
  const Mat3<T>& R_WB = at.X_WB[static_cast<std::size_t>(link)].R;
  return {R_WB * F.n, R_WB * F.f};
}

// What acts on the link, about Bo in W.
template <class T>
Wrench<T> pair_on_link(const Instant<T>& at, int link, std::span<const T> tau) {
  const LinkTopology& joint = at.model.links[static_cast<std::size_t>(link)];
  const LinkParams<double>& params = at.model.params.links[static_cast<std::size_t>(link)];
  const Mat3<T>& R_WB = at.X_WB[static_cast<std::size_t>(link)].R;
  const auto from_F = [&](const Vec3<T>& a_F) {
    const Vec3<T> a_P = joint.turned ? cast<T>(params.R_PF) * a_F : a_F;
    return at.X_WB[static_cast<std::size_t>(joint.parent)].R * a_P;
  };
  const Vec3<T> none{T(0), T(0), T(0)};
  switch (joint.joint) {
    case JointType::hinge:
      return {tau[0] * (R_WB * cast<T>(params.axis)), none};
    case JointType::slider:
      return {none, tau[0] * from_F(cast<T>(params.axis))};
    case JointType::ball:
      return {R_WB * Vec3<T>{tau[0], tau[1], tau[2]}, none};
    case JointType::free:
      return {R_WB * Vec3<T>{tau[0], tau[1], tau[2]}, from_F({tau[3], tau[4], tau[5]})};
    case JointType::point:
      return {none, from_F({tau[0], tau[1], tau[2]})};
    case JointType::weld:
      break;
    default:
      return pair_of_general(at, link, tau);
  }
  return {none, none};
}

// User-defined sources may name any link; elements were checked when they were read.
template <class T>
void check_link(const Instant<T>& at, int link) {
  if (link >= 0 && link < at.model.nlink()) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("found a force on link {}; expected 0 to {} (Model::find gives -1 for a "
                          "name that no link has)",
                          link, at.model.nlink() - 1));
}

}  // namespace

template <class T>
void ForceSum<T>::clear() {
  std::fill(tau.begin(), tau.end(), T(0));
  std::fill(F_Bo_W.begin(), F_Bo_W.end(), Wrench<T>{});
  begin_element();
}

template <class T>
void ForceSum<T>::wrench(const Instant<T>& at, int link, const Wrench<T>& F) {
  check_link(at, link);
  const std::size_t i = static_cast<std::size_t>(link);
  F_Bo_W[i] += F;
  power += marey::power(F, at.V_WB[i]);
  external += shifted(F, at.X_WB[i].p);
}

template <class T>
void ForceSum<T>::pair(const Instant<T>& at, int a, const Vec3<T>& r_a, int b, const Vec3<T>& r_b, const Vec3<T>& f) {
  check_link(at, a), check_link(at, b);
  const auto put = [&](int link, const Vec3<T>& r, const Vec3<T>& force, bool outside) {
    if (link == 0) return T(0);
    const std::size_t i = static_cast<std::size_t>(link);
    const Wrench<T> F{cross(r, force), force};
    F_Bo_W[i] += F;
    if (outside) external += shifted(F, at.X_WB[i].p);
    return marey::power(F, at.V_WB[i]);
  };
  const T on_a = put(a, r_a, f, b == 0);
  power += on_a + put(b, r_b, -f, a == 0);
}

template <class T>
void ForceSum<T>::joint(const Instant<T>& at, int link, std::span<const T> joint_tau) {
  check_link(at, link);
  const std::size_t i = static_cast<std::size_t>(link);
  const LinkTopology& topology = at.model.links[i];
  if (static_cast<int>(joint_tau.size()) != freedom_count(topology))
    throw Error(ErrorKind::bad_input,
                fmt::format("found {} forces in the joint of '{}'; expected {}, one for each of its freedoms",
                            joint_tau.size(), at.model.names[i], freedom_count(topology)));
  for (std::size_t k = 0; k < joint_tau.size(); ++k) {
    tau[static_cast<std::size_t>(topology.v) + k] += joint_tau[k];
  }
  const Wrench<T> on_link = pair_on_link(at, link, joint_tau);
  power += marey::power(on_link, at.V_WB[i]);  // (1)
  if (topology.parent == 0) {
    external += shifted(on_link, at.X_WB[i].p);
  } else {
    const std::size_t p = static_cast<std::size_t>(topology.parent);
    power -= marey::power(shifted(on_link, at.X_WB[i].p - at.X_WB[p].p), at.V_WB[p]);
  }
}

// Only what is defined here: the whole class would put its inline functions into the library's interface, too.
#define MAREY_INSTANTIATE(T)                                                                                    \
  template void ForceSum<T>::clear();                                                                           \
  template void ForceSum<T>::wrench(const Instant<T>&, int, const Wrench<T>&);                                  \
  template void ForceSum<T>::pair(const Instant<T>&, int, const Vec3<T>&, int, const Vec3<T>&, const Vec3<T>&); \
  template void ForceSum<T>::joint(const Instant<T>&, int, std::span<const T>);
MAREY_FOR_EACH_SCALAR(MAREY_INSTANTIATE)
#undef MAREY_INSTANTIATE

}  // namespace marey
