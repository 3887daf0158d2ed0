// One step of many humans: Armstrong's recursion (marey/dynamics/armstrong.inl) and a semi-implicit Euler step for a tree that is
// known at compile time, one human per thread on a GPU, or per loop turn on the host.
//
// The tree is the free-floating human of 12 links and 39 degrees of freedom: a free pelvis and 11 ball joints. Numbers
// of a batch are stored [field][world]: the k-th number of world w stands at k × stride + w, so that neighbouring
// threads read neighbouring words.
//
// What decides the speed on a GPU is how many numbers are alive at once. Between the passes only ω, K and d of every link are
// kept; rotations are worked out anew from the quaternions in each pass (Store::forgets), and a link's coordinates are
// advanced as soon as its acceleration is known.
#pragma once

#include "marey/dynamics/armstrong.inl"
#include "marey/integrate/turn.h"

namespace marey::batch {

// The tree, depth first: on the way inward a limb's coefficients are used up before the next limb begins.
struct HumanTree {
  static constexpr int links = 13;  // with the world
  static constexpr int nq = 7 + 4 * 11, nv = 6 + 3 * 11;
  // world; pelvis; abdomen, thorax, head; upper arm and forearm, twice; thigh and shank, twice
  MAREY_KERNEL static constexpr int parent(int i) {
    constexpr int parents[links] = {0, 0, 1, 2, 3, 3, 5, 3, 7, 1, 9, 1, 11};
    return parents[i];
  }
  MAREY_KERNEL static constexpr bool leaf(int i) { return i == 4 || i == 6 || i == 8 || i == 10 || i == 12; }
  MAREY_KERNEL static constexpr bool opens(int i) {
    return i == 11 || i == 12 || i == 10 || i == 7 || i == 8 || i == 6 || i == 3;
  }
  MAREY_KERNEL static constexpr JointType joint(int i) { return i == 1 ? JointType::free : JointType::ball; }
  MAREY_KERNEL static constexpr int q(int i) { return i == 1 ? 0 : 7 + 4 * (i - 2); }
  MAREY_KERNEL static constexpr int v(int i) { return i == 1 ? 0 : 6 + 3 * (i - 2); }
};

// The numbers of the human that all worlds share: handed to a kernel by value.
template <class T>
struct HumanParams {
  LinkParams<T> links[HumanTree::links];
  Vec3<T> gravity;
};
// Takes the parameters of a model whose links are those of HumanTree in some order; `link_of[i]` is the model's link for
// the tree's link i. Throws Error when the model is not such a human.
HumanParams<double> human_params(const Model&, int (&link_of)[HumanTree::links]);
template <class T>
HumanParams<T> cast(const HumanParams<double>&);

// Store for armstrong.inl: topology from HumanTree, coefficients in a local array that unrolled loops turn into registers.
template <class T, bool Forgets>
struct HumanStore {
  const HumanParams<T>& shared;
  ArmstrongLink<T> (&coefficients)[HumanTree::links];

  static constexpr bool fixed = true;
  static constexpr bool unit = true;  // AdvanceJoint sees to it
  static constexpr bool forgets = Forgets;
  MAREY_KERNEL static constexpr int nlink() { return HumanTree::links; }
  MAREY_KERNEL static constexpr int parent(int i) { return HumanTree::parent(i); }
  MAREY_KERNEL static constexpr JointType joint(int i) { return HumanTree::joint(i); }
  MAREY_KERNEL static constexpr bool turned(int) { return false; }
  MAREY_KERNEL static constexpr bool leaf(int i) { return HumanTree::leaf(i); }
  MAREY_KERNEL static constexpr bool opens(int i) { return HumanTree::opens(i); }
  MAREY_KERNEL static constexpr int q(int i) { return HumanTree::q(i); }
  MAREY_KERNEL static constexpr int v(int i) { return HumanTree::v(i); }
  MAREY_KERNEL const LinkParams<T>& params(int i) const { return shared.links[i]; }
  MAREY_KERNEL ArmstrongLink<T>& link(int i) const { return coefficients[i]; }
  // Keeps the compiler from carrying rotations over from one pass to the next after all.
  MAREY_KERNEL static void between_passes() {
#ifdef __CUDA_ARCH__
    asm volatile("" ::: "memory");
#endif
  }
};

// One world's numbers in [field][world] storage.
template <class T>
struct Column {
  T* first;
  int stride;
  MAREY_KERNEL T& operator[](int k) const { return first[k * stride]; }
};

// Semi-implicit Euler, joint by joint, as accelerations arrive.
template <class T>
struct AdvanceJoint {
  Column<T> q, v;
  T h;
  MAREY_KERNEL void operator()(int i, const Vec3<T>& w_dot) const { turn(HumanTree::q(i), HumanTree::v(i), w_dot); }
  MAREY_KERNEL void operator()(int i, const Vec3<T>& w_dot, const Vec3<T>& v_dot) const {
    const int at_q = HumanTree::q(i), at_v = HumanTree::v(i);
    turn(at_q, at_v, w_dot);
    shift(at_q + 4, at_v + 3, v_dot.x);
    shift(at_q + 5, at_v + 4, v_dot.y);
    shift(at_q + 6, at_v + 5, v_dot.z);
  }
  MAREY_KERNEL void shift(int at_q, int at_v, const T& v_dot) const {
    const T speed = v[at_v] + h * v_dot;
    v[at_v] = speed;
    q[at_q] += h * speed;
  }
  MAREY_KERNEL void turn(int at_q, int at_v, const Vec3<T>& w_dot) const {
    const Vec3<T> w = read_vec3<T>(v, at_v) + h * w_dot;
    const Quaternion<T> a = turned_first_order(read_quaternion<T>(q, at_q), h * w);
    v[at_v] = w.x, v[at_v + 1] = w.y, v[at_v + 2] = w.z;
    q[at_q] = a.w, q[at_q + 1] = a.x, q[at_q + 2] = a.y, q[at_q + 3] = a.z;
  }
};

// One step of one human; tau may be left out.
template <class T, bool Forgets>
MAREY_KERNEL void step_human(const HumanParams<T>& human, T h, bool with_tau, Column<T> tau, Column<T> q, Column<T> v) {
  ArmstrongLink<T> coefficients[HumanTree::links];
  const HumanStore<T, Forgets> store{human, coefficients};
  const Wrench<T>* nothing = nullptr;
  armstrong_kernel::solve<T>(store, human.gravity, q, v, with_tau, tau, nothing, AdvanceJoint<T>{q, v, h});
}

}  // namespace marey::batch
