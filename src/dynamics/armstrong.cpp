#include "marey/dynamics/armstrong.inl"

#include <cassert>

#include "marey/scalar/instantiate.h"

namespace marey {

bool armstrong_applies(const Model& model) {
  for (int i = 1; i < model.nlink(); ++i) {
    const LinkTopology& link = model.links[i];
    const bool root_only = link.joint == JointType::free || link.joint == JointType::weld;
    if (link.joint != JointType::ball && !(root_only && link.parent == 0)) return false;
  }
  return true;
}

template <class T>
ArmstrongWorkspace<T>::ArmstrongWorkspace(const Model& model) : links(static_cast<std::size_t>(model.nlink())) {
  spoil<T>(links);
}

namespace {

using armstrong_kernel::HostStore, armstrong_kernel::fast_inward, armstrong_kernel::fast_outward,
    armstrong_kernel::outside_rotation, armstrong_kernel::slow, armstrong_kernel::solve, armstrong_kernel::turn_link,
    armstrong_kernel::world;

template <class T>
HostStore<T> host_store(const Model& model, const Params<T>& params, ArmstrongWorkspace<T>& ws) {
  return {model.links.data(), params.links.data(), ws.links.data(), model.nlink()};
}
// Writes each joint's v̇ where the model says.
template <class T>
struct WriteTo {
  const LinkTopology* links;
  T* vdot;
  MAREY_KERNEL void operator()(int i, const Vec3<T>& w_dot) const { store_vec3(vdot + links[i].v, w_dot); }
  MAREY_KERNEL void operator()(int i, const Vec3<T>& w_dot, const Vec3<T>& v_dot) const {
    store_vec3(vdot + links[i].v, w_dot);
    store_vec3(vdot + links[i].v + 3, v_dot);
  }
};
template <class T>
const T* data_or_null(std::span<const T> s) {
  return s.empty() ? nullptr : s.data();
}

}  // namespace

template <class T>
void armstrong(const Model& model, const Params<T>& params, std::span<const T> q, std::span<const T> v,
               const Forces<T>& forces, ArmstrongWorkspace<T>& ws, std::span<T> vdot) {
  assert(armstrong_applies(model));
  const HostStore<T> store = host_store(model, params, ws);
  solve<T>(store, params.gravity, q.data(), v.data(), !forces.tau.empty(), forces.tau.data(),
           data_or_null(forces.F_Bo_W), WriteTo<T>{model.links.data(), vdot.data()});
}

template <class T>
void armstrong_kinematics(const Model& model, const Params<T>& params, std::span<const T> q, std::span<const T> v,
                          ArmstrongWorkspace<T>& ws) {
  const HostStore<T> store = host_store(model, params, ws);
  world<T>(store, params.gravity);
  for (int i = 1; i < model.nlink(); ++i) {
    turn_link<T>(store, i, q.data(), v.data());
    outside_rotation<T>(store, i);
  }
}

template <class T>
void armstrong_slow_band(const Model& model, const Params<T>& params, int from, int to, ArmstrongWorkspace<T>& ws) {
  const HostStore<T> store = host_store(model, params, ws);
  for (int i = from; i >= to; --i)
    if (store.joint(i) != JointType::weld) slow<T>(store, i, ws.links[i].band);
}

template <class T>
void armstrong_fast_band(const Model& model, const Params<T>& params, const Forces<T>& forces,
                         ArmstrongWorkspace<T>& ws, std::span<T> vdot) {
  const HostStore<T> store = host_store(model, params, ws);
  const Wrench<T>* outside = data_or_null(forces.F_Bo_W);
  for (int i = model.nlink() - 1; i > 0; --i)
    if (store.joint(i) != JointType::weld)
      fast_inward<T>(store, i, ws.links[i].band, !forces.tau.empty(), forces.tau.data(),
                     outside ? outside + i : nullptr);
  const WriteTo<T> write{model.links.data(), vdot.data()};
  for (int i = 1; i < model.nlink(); ++i) fast_outward<T>(store, i, params.gravity, write);
}

template <class T>
Vec3<T> armstrong_hinge_force(const ArmstrongWorkspace<T>& ws, int link) {
  const ArmstrongLink<T>& r = ws.links[static_cast<std::size_t>(link)];
  return r.band.M * r.a + r.f_1;  // (31)
}

#define MAREY_INSTANTIATE(T)                                                                                        \
  template struct ArmstrongWorkspace<T>;                                                                            \
  template void armstrong(const Model&, const Params<T>&, std::span<const T>, std::span<const T>, const Forces<T>&, \
                          ArmstrongWorkspace<T>&, std::span<T>);                                                    \
  template void armstrong_kinematics(const Model&, const Params<T>&, std::span<const T>, std::span<const T>,        \
                                     ArmstrongWorkspace<T>&);                                                       \
  template void armstrong_slow_band(const Model&, const Params<T>&, int, int, ArmstrongWorkspace<T>&);              \
  template void armstrong_fast_band(const Model&, const Params<T>&, const Forces<T>&, ArmstrongWorkspace<T>&,       \
                                    std::span<T>);                                                                  \
  template Vec3<T> armstrong_hinge_force(const ArmstrongWorkspace<T>&, int);
MAREY_FOR_EACH_SCALAR(MAREY_INSTANTIATE)

}  // namespace marey
