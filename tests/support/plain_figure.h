// A figure in the oracle's own words, and the positions of its links: the only mechanics the oracles are
// given. Velocities, accelerations, momenta and equations of motion all follow from positions by
// differentiation with the numbers of jets.h; no spatial algebra, no recursion of the engine is used.
//
// Positions are functions of small local coordinates ξ [nv] around the given configuration:
//   hinge, slider   angle and displacement q + ξ
//   ball            R_FB = R(q) exp(ξ̃),  ξ in the axes of B
//   free            the same, and p_FoBo_F = p + ξ[3..5]
//   point           p_FoBo_F = p + ξ
//   general joints  q + ξ (plain_joint.h); the ellipsoid's attitude as that of a ball
// The body's angular velocity along a path ξ(t) is ω = ξ̇ − ½ ξ×ξ̇ + …, so that at ξ = 0
//   ω = ξ̇   and   ω̇ = ξ̈ − ½ ξ̇×ξ̇ = ξ̈:
// there ξ̇ is exactly v, ξ̈ is exactly v̇, and the force dual to ξ is exactly τ. Each ξ is a sum of terms with
// at least one of three nilpotent numbers (ε, ε₁, ε₂), hence ξ̃⁴ = 0 and exp stops after ξ̃³.
#pragma once

#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "marey/model.h"
#include "support/plain_joint.h"

namespace oracle {

struct PlainLink {
  int parent = 0;  // index into links; 0 is the world
  marey::JointType joint = marey::JointType::weld;
  M3 R_PF{};
  V3 p_PF{};  // of the joint's origin, in the parent's axes
  V3 axis{};  // unit
  double m = 0;
  V3 c{};   // mass centre, from Bo in B
  M3 Ic{};  // inertia matrix about the mass centre, in B
  int q = 0, v = 0;
  int freedoms = 0;
  marey::LinkSpec spec;  // general joints
  TableSlopes slopes;    // custom joints
};

struct PlainFigure {
  std::vector<PlainLink> links;  // [nlink] as the model orders them; 0 is the world
  V3 gravity{};
  int nq = 0, nv = 0;
};

// A wrench on a link: moment about Bo and force, in the axes of the world.
struct PlainWrench {
  V3 n{}, f{};
};

// ------------------------------------------------------------------------------------------- from a spec
inline V3 plain(const marey::Vec3<double>& a) { return {a.x, a.y, a.z}; }
inline M3 plain(const marey::Mat3<double>& a) { return {{{a.xx, a.xy, a.xz}, {a.yx, a.yy, a.yz}, {a.zx, a.zy, a.zz}}}; }
inline M3 plain(const marey::Sym3<double>& a) { return {{{a.xx, a.xy, a.xz}, {a.xy, a.yy, a.yz}, {a.xz, a.yz, a.zz}}}; }

inline PlainLink plain_link(const marey::LinkSpec& spec) {
  PlainLink link;
  link.joint = spec.joint;
  if (is_general(spec.joint)) link.spec = spec, link.slopes = table_slopes(spec.custom);
  link.freedoms = spec.joint == marey::JointType::custom ? static_cast<int>(spec.custom.coordinates.size())
                                                         : freedom_count(spec.joint);
  link.R_PF = plain(spec.X_PF.R);
  link.p_PF = plain(spec.X_PF.p);
  const V3 axis = plain(spec.axis);
  link.axis = scaled(1 / std::sqrt(inner(axis, axis)), axis);
  link.m = spec.inertia.m;
  if (link.m > 0) link.c = scaled(1 / link.m, plain(spec.inertia.h));
  link.Ic = plain(spec.inertia.J);
  const double cc = inner(link.c, link.c);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) link.Ic[i][j] -= link.m * ((i == j ? cc : 0) - link.c[i] * link.c[j]);
  return link;
}

// Numbers come from the spec; only the order of links and the places of coordinates come from the model.
inline PlainFigure plain_figure(const marey::ModelSpec& spec, const marey::Model& model) {
  PlainFigure figure;
  figure.gravity = plain(spec.gravity);
  figure.nq = model.nq, figure.nv = model.nv;
  figure.links.resize(spec.links.size() + 1);
  for (const marey::LinkSpec& s : spec.links) {
    const int i = model.find(s.name), parent = s.parent == "world" ? 0 : model.find(s.parent);
    if (i <= parent || parent < 0) throw std::logic_error("links are not stored parent before child");
    PlainLink& link = figure.links[static_cast<std::size_t>(i)] = plain_link(s);
    link.parent = parent;
    link.q = model.links[static_cast<std::size_t>(i)].q, link.v = model.links[static_cast<std::size_t>(i)].v;
  }
  return figure;
}

// ----------------------------------------------------------------------------------------------- positions
// The pose of B in F.
template <class S>
Pose<S> joint_pose(const PlainLink& link, const double* q, const S* xi) {
  Pose<S> X;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) X.R[i][j] = S(i == j ? 1.0 : 0.0);
  using marey::JointType;
  switch (link.joint) {
    case JointType::weld:
      break;
    case JointType::hinge: {
      const Vector<S> small{link.axis[0] * xi[0], link.axis[1] * xi[0], link.axis[2] * xi[0]};
      X.R = turned(rotation_of(link.axis, q[0]), small);
      break;
    }
    case JointType::slider:
      for (int i = 0; i < 3; ++i) X.p[i] = link.axis[i] * (S(q[0]) + xi[0]);
      break;
    case JointType::point:
      for (int i = 0; i < 3; ++i) X.p[i] = S(q[i]) + xi[i];
      break;
    case JointType::free:
      for (int i = 0; i < 3; ++i) X.p[i] = S(q[4 + i]) + xi[3 + i];
      [[fallthrough]];
    case JointType::ball:
      X.R = turned(rotation_of(q[0], q[1], q[2], q[3]), Vector<S>{xi[0], xi[1], xi[2]});
      break;
    default:
      general_pose(link.spec, link.slopes, link.freedoms, q, xi, X);
  }
  return X;
}

template <class S>
std::vector<Pose<S>> positions(const PlainFigure& figure, const std::vector<double>& q, const std::vector<S>& xi) {
  std::vector<Pose<S>> X_W(figure.links.size());
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) X_W[0].R[i][j] = S(i == j ? 1.0 : 0.0);
  for (std::size_t i = 1; i < figure.links.size(); ++i) {
    const PlainLink& link = figure.links[i];
    const Pose<S>& X_WP = X_W[static_cast<std::size_t>(link.parent)];
    const Pose<S> X_FB = joint_pose(link, q.data() + link.q, xi.data() + link.v);
    Vector<S> p_PB = times(link.R_PF, X_FB.p);
    for (int k = 0; k < 3; ++k) p_PB[k] += S(link.p_PF[k]);
    X_W[i].R = times(X_WP.R, times(link.R_PF, X_FB.R));
    X_W[i].p = plus(X_WP.p, times(X_WP.R, p_PB));
  }
  return X_W;
}

// ------------------------------------------------------------------------------------- what follows from
// them
template <class S>
Vector<S> value(const Vector<Rate<S>>& a) {
  return {a[0].x, a[1].x, a[2].x};
}
template <class S>
Vector<S> rate(const Vector<Rate<S>>& a) {
  return {a[0].dx, a[1].dx, a[2].dx};
}
// Angular velocity in the axes of B: Rᵀ Ṙ = ω̃.
template <class S>
Vector<S> spin(const Matrix<Rate<S>>& R) {
  auto entry = [&](int i, int j) {
    S s = R[0][i].x * R[0][j].dx;
    for (int k = 1; k < 3; ++k) s += R[k][i].x * R[k][j].dx;
    return s;
  };
  return {entry(2, 1), entry(0, 2), entry(1, 0)};
}
template <class S>
Vector<Rate<S>> mass_centre(const PlainLink& link, const Pose<Rate<S>>& X) {
  return plus(X.p, times(X.R, link.c));
}
// ½ m v_c² + ½ ω·I_c ω
template <class S>
S kinetic(const PlainLink& link, const Pose<Rate<S>>& X) {
  const Vector<S> v = rate(mass_centre(link, X)), w = spin(X.R);
  return (0.5 * link.m) * inner(v, v) + 0.5 * inner(w, times(link.Ic, w));
}
// −m g·p_c
template <class S>
S potential(const PlainLink& link, const V3& gravity, const Pose<Rate<S>>& X) {
  return (-link.m) * inner(gravity, value(mass_centre(link, X)));
}

inline std::vector<Pose<Rate<double>>> moving_positions(const PlainFigure& figure, const std::vector<double>& q,
                                                        const std::vector<double>& v) {
  std::vector<Rate<double>> xi(static_cast<std::size_t>(figure.nv));
  for (std::size_t k = 0; k < xi.size(); ++k) xi[k] = {0.0, v[k]};
  return positions(figure, q, xi);
}
struct Energies {
  double kinetic = 0, potential = 0;
};
inline Energies energies(const PlainFigure& figure, const std::vector<double>& q, const std::vector<double>& v) {
  const auto X = moving_positions(figure, q, v);
  Energies e;
  for (std::size_t i = 1; i < X.size(); ++i) {
    e.kinetic += kinetic(figure.links[i], X[i]);
    e.potential += potential(figure.links[i], figure.gravity, X[i]);
  }
  return e;
}

}  // namespace oracle
