// Random figures for the tests of elements, with kinematics written here and nowhere else, for any scalar.
#pragma once

#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "marey/force.h"
#include "marey/scalar.h"

namespace marey::test {

using V3 = Vec3<double>;

struct Random {
  explicit Random(unsigned seed) : engine(seed) {}
  std::mt19937 engine;
  double uniform(double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(engine); }
  int whole(int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(engine); }
  V3 vec(double size = 1) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
  V3 unit() {
    const V3 a = vec();
    return (1 / norm(a)) * a;
  }
  Quaternion<double> quaternion() {  // of any length
    std::normal_distribution<double> n;
    return {n(engine), n(engine), n(engine), n(engine)};
  }
};

inline int add_link(Model& model, int parent, JointType joint, const Transform<double>& X_PF, const V3& axis,
                    const Inertia<double>& inertia) {
  LinkTopology link;
  link.parent = parent, link.joint = joint, link.turned = true, link.q = model.nq, link.v = model.nv;
  LinkParams<double> params;
  params.I = inertia, params.l = X_PF.p, params.R_PF = X_PF.R, params.axis = axis;
  model.links.push_back(link), model.params.links.push_back(params);
  model.names.push_back("link" + std::to_string(model.nlink() - 1));
  model.shapes.emplace_back();
  model.nq += coordinate_count(joint), model.nv += freedom_count(joint);
  return model.nlink() - 1;
}

inline Model world() {
  Model model;
  model.links.resize(1), model.params.links.resize(1), model.names = {"world"}, model.shapes.resize(1);
  model.params.gravity = {0, 0, -9.81};
  return model;
}

inline Model random_tree(Random& random, int n) {
  Model model = world();
  for (int i = 0; i < n; ++i) {
    const auto joint = static_cast<JointType>(random.whole(0, 5));
    const Inertia<double> inertia =
        shape_inertia({Box{V3{0.1, 0.2, 0.4}}, {Mat3<double>::identity(), random.vec(0.2)}}, 1);
    const int parent = random.whole(0, model.nlink() - 1);
    const Transform<double> X_PF{rotation(random.quaternion()), random.vec()};
    add_link(model, parent, joint, X_PF, random.unit(), inertia);
  }
  return model;
}

inline State random_state(Random& random, const Model& model) {
  State state;
  for (const LinkTopology& link : model.links) {
    const bool turns = link.joint == JointType::ball || link.joint == JointType::free;
    if (turns) {
      const Quaternion<double> q = random.quaternion();
      state.q.insert(state.q.end(), {q.w, q.x, q.y, q.z});
    }
    for (int i = turns ? 4 : 0; i < coordinate_count(link.joint); ++i) state.q.push_back(random.uniform(-2, 2));
    for (int i = 0; i < freedom_count(link.joint); ++i) state.v.push_back(random.uniform(-2, 2));
  }
  return state;
}

template <class T>
Vec3<T> as(const V3& a) {
  return {T(a.x), T(a.y), T(a.z)};
}
template <class T>
Mat3<T> as(const Mat3<double>& a) {
  return {T(a.xx), T(a.xy), T(a.xz), T(a.yx), T(a.yy), T(a.yz), T(a.zx), T(a.zy), T(a.zz)};
}

// q̇ of each coordinate.
inline std::vector<double> rates(const Model& model, const State& s) {
  std::vector<double> rate(s.q.size());
  for (const LinkTopology& link : model.links) {
    const std::size_t q = static_cast<std::size_t>(link.q), v = static_cast<std::size_t>(link.v);
    if (link.joint == JointType::hinge || link.joint == JointType::slider) rate[q] = s.v[v];
    if (link.joint == JointType::cylindrical) rate[q] = s.v[v], rate[q + 1] = s.v[v + 1];
    if (link.joint == JointType::point)
      for (std::size_t i = 0; i < 3; ++i) rate[q + i] = s.v[v + i];
    if (link.joint != JointType::ball && link.joint != JointType::free) continue;
    const Quaternion<double> a = Quaternion<double>{s.q[q], s.q[q + 1], s.q[q + 2], s.q[q + 3]} *
                                 Quaternion<double>{0, s.v[v], s.v[v + 1], s.v[v + 2]};
    rate[q] = a.w / 2, rate[q + 1] = a.x / 2, rate[q + 2] = a.y / 2, rate[q + 3] = a.z / 2;
    if (link.joint == JointType::free) {
      for (std::size_t i = 0; i < 3; ++i) rate[q + 4 + i] = s.v[v + 3 + i];
    }
  }
  return rate;
}

// The state after moving with its own, constant, joint velocities for the time h: exact, rotations by their
// angle.
inline State moved(const Model& model, const State& s, double h) {
  State m = s;
  for (const LinkTopology& link : model.links) {
    const std::size_t q = static_cast<std::size_t>(link.q), v = static_cast<std::size_t>(link.v);
    if (link.joint == JointType::hinge || link.joint == JointType::slider) m.q[q] += h * s.v[v];
    if (link.joint == JointType::cylindrical) m.q[q] += h * s.v[v], m.q[q + 1] += h * s.v[v + 1];
    if (link.joint == JointType::point)
      for (std::size_t i = 0; i < 3; ++i) m.q[q + i] += h * s.v[v + i];
    if (link.joint != JointType::ball && link.joint != JointType::free) continue;
    const V3 w{s.v[v], s.v[v + 1], s.v[v + 2]};
    const Quaternion<double> a = Quaternion<double>{s.q[q], s.q[q + 1], s.q[q + 2], s.q[q + 3]} *
                                 quaternion_about((1 / norm(w)) * w, h * norm(w));
    m.q[q] = a.w, m.q[q + 1] = a.x, m.q[q + 2] = a.y, m.q[q + 3] = a.z;
    if (link.joint == JointType::free) {
      for (std::size_t i = 0; i < 3; ++i) m.q[q + 4 + i] += h * s.v[v + 3 + i];
    }
  }
  return m;
}

// Poses and velocities of all links.
template <class T>
struct Placed {
  Placed(const Model& model, double t, std::vector<T> q_, std::vector<T> v_)
      : q(std::move(q_)), v(std::move(v_)), X_WB(model.links.size()), V_WB(model.links.size()), model_(model), t_(t) {
    V_WB[0] = {as<T>(V3{}), as<T>(V3{})};
    for (std::size_t i = 1; i < model.links.size(); ++i) place(i);
  }
  Instant<T> instant() const { return {model_, t_, q, v, X_WB, V_WB}; }

  std::vector<T> q, v;
  std::vector<Transform<T>> X_WB;
  std::vector<Twist<T>> V_WB;

 private:
  void place(std::size_t i) {
    const LinkTopology& link = model_.links[i];
    const LinkParams<double>& params = model_.params.links[i];
    const std::size_t p = static_cast<std::size_t>(link.parent), a = static_cast<std::size_t>(link.q),
                      b = static_cast<std::size_t>(link.v);
    const Transform<T> X_WF = X_WB[p] * Transform<T>{as<T>(params.R_PF), as<T>(params.l)};
    Transform<T> X_FB{Mat3<T>::identity(), as<T>(V3{})};
    Vec3<T> w_FB_B = as<T>(V3{}), v_FBo_F = as<T>(V3{});
    const Vec3<T> axis = as<T>(params.axis);
    switch (link.joint) {
      case JointType::weld:
        break;
      case JointType::hinge:
        X_FB.R = Mat3<T>::identity() + sin(q[a]) * tilde(axis) + (T(1) - cos(q[a])) * (tilde(axis) * tilde(axis));
        w_FB_B = v[b] * axis;
        break;
      case JointType::slider:
        X_FB.p = q[a] * axis, v_FBo_F = v[b] * axis;
        break;
      case JointType::point:
        X_FB.p = {q[a], q[a + 1], q[a + 2]}, v_FBo_F = {v[b], v[b + 1], v[b + 2]};
        break;
      case JointType::free:
        X_FB.p = {q[a + 4], q[a + 5], q[a + 6]}, v_FBo_F = {v[b + 3], v[b + 4], v[b + 5]};
        [[fallthrough]];
      case JointType::ball:
        X_FB.R = rotation(Quaternion<T>{q[a], q[a + 1], q[a + 2], q[a + 3]});
        w_FB_B = {v[b], v[b + 1], v[b + 2]};
        break;
      case JointType::cylindrical:  // about and along z
        X_FB.R = rotation_about(as<T>(V3{0, 0, 1}), q[a]);
        X_FB.p = {T(0), T(0), q[a + 1]};
        w_FB_B = {T(0), T(0), v[b]}, v_FBo_F = {T(0), T(0), v[b + 1]};
        break;
      default:
        throw std::logic_error("these trees have no other general joints");
    }
    X_WB[i] = X_WF * X_FB;
    V_WB[i].w = V_WB[p].w + X_WB[i].R * w_FB_B;
    V_WB[i].v = V_WB[p].v + cross(V_WB[p].w, X_WB[i].p - X_WB[p].p) + X_WF.R * v_FBo_F;
  }
  const Model& model_;
  double t_;
};

inline Placed<double> place(const Model& model, const State& s) { return {model, s.t, s.q, s.v}; }

inline TimeTable constant(double value) { return {{0}, {value}}; }

}  // namespace marey::test
