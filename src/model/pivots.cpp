// Is the joint-space inertia positive definite?
//
// M is positive definite exactly when every pivot of its elimination from the leaves inwards is: with the
// inertia I of everything beyond a joint (6×6, about Bo in B) and the joint's motions S (6×k), the
// pivot is D = Sᵀ I S, and what is passed on is I − I S D⁻¹ Sᵀ I. A pivot that is singular in one
// configuration may be regular in others (two hinges in line), so the test is made in a generic one: M is an
// analytic function of q, and singular there means singular everywhere. Eliminating one motion at a time
// makes every pivot a number.
#include "model/pivots.h"

#include <array>
#include <cmath>

#include "marey/model/general_motion.h"

namespace marey {
namespace {

using Mat6 = std::array<std::array<double, 6>, 6>;

constexpr double smallest_share = 1e-14;  // of the trace: a pivot below it is round-off

Mat6 as_mat6(const Inertia<double>& b) {
  Mat6 m{};
  const Mat3<double> J = to_mat3(b.J), h = tilde(b.h);
  for (int i = 0; i < 3; ++i) {
    m[3 + i][3 + i] = b.m;
    for (int j = 0; j < 3; ++j) m[i][j] = J(i, j), m[i][3 + j] = h(i, j), m[3 + j][i] = h(i, j);
  }
  return m;
}

// X with V_B = X V_P for a frame at p, R in P; inertia in P is Xᵀ I X.
Mat6 motion_transform(const Mat3<double>& R, const Vec3<double>& p) {
  Mat6 X{};
  const Mat3<double> Rt = transpose(R), shift = Mat3<double>{} - Rt * tilde(p);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) X[i][j] = X[3 + i][3 + j] = Rt(i, j), X[3 + i][j] = shift(i, j);
  return X;
}

Mat6 seen_from_parent(const Mat6& I, const Mat6& X) {
  Mat6 IX{}, out{};
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 6; ++k)
      for (int j = 0; j < 6; ++j) IX[i][j] += I[i][k] * X[k][j];
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 6; ++k)
      for (int j = 0; j < 6; ++j) out[i][j] += X[k][i] * IX[k][j];
  return out;
}

// Removes the motion s from I; false when moving along s meets no inertia, measured by `scale`.
bool eliminate(Mat6& I, const std::array<double, 6>& s, double scale) {
  std::array<double, 6> U{};
  double D = 0;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) U[i] += I[i][j] * s[j];
  for (int i = 0; i < 6; ++i) D += s[i] * U[i];
  if (!(D > smallest_share * scale)) return false;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) I[i][j] -= U[i] * U[j] / D;
  return true;
}

// A generic angle and turn for the k-th link.
double generic(int k) { return std::fmod(0.7548776662466927 * k + 0.31, 1.0) + 0.4; }
Mat3<double> generic_rotation(int k) {
  return rotation(normalized(Quaternion<double>{1, generic(3 * k), generic(3 * k + 1) - 1.1, generic(3 * k + 2)}));
}

// The joint's rotation in a generic configuration. Displacements change the rank of no pivot more than rotations do, so
// those of sliders, free and point joints are left at zero.
Mat3<double> generic_turn(const LinkTopology& link, const LinkParams<double>& p, int i) {
  if (link.joint == JointType::ball || link.joint == JointType::free) return p.R_PF * generic_rotation(i);
  if (link.joint == JointType::hinge) return p.R_PF * rotation_about(p.axis, generic(i));
  return p.R_PF;
}

bool eliminate_joint(Mat6& I, const LinkTopology& link, const Vec3<double>& u) {
  // Angular and linear parts have traces of their own, since they have units of their own.
  const double angular = I[0][0] + I[1][1] + I[2][2], linear = I[3][3] + I[4][4] + I[5][5];
  if (link.joint == JointType::hinge) return eliminate(I, {u.x, u.y, u.z, 0, 0, 0}, angular);
  if (link.joint == JointType::slider) return eliminate(I, {0, 0, 0, u.x, u.y, u.z}, linear);
  const int motions = freedom_count(link);
  const int first = link.joint == JointType::point ? 3 : 0;
  for (int k = first; k < first + motions; ++k) {
    std::array<double, 6> s{};
    s[k] = 1;
    if (!eliminate(I, s, k < 3 ? angular : linear)) return false;
  }
  return true;
}

// A general joint: its motions in a generic configuration, and the link's pose there.
bool eliminate_general(Mat6& I, const Model& model, int i, GeneralMotion<double>& m) {
  const auto g = static_cast<std::size_t>(model.links[i].general);
  const GeneralJoint& joint = model.general[g];
  const Quaternion<double> turn =
      normalized(Quaternion<double>{1, generic(3 * i), generic(3 * i + 1), generic(3 * i + 2)});
  double q[most_freedoms + 1] = {turn.w, turn.x, turn.y, turn.z}, v[most_freedoms] = {};
  for (int k = 0; k < joint.freedoms && !joint.ellipsoid; ++k)
    q[k] = generic_coordinate(joint, model.params.general[g], k, generic(6 * i + k));
  general_motion<double>(joint, model.params.general[g], q, v, m);
  const double angular = I[0][0] + I[1][1] + I[2][2], linear = I[3][3] + I[4][4] + I[5][5];
  for (int k = 0; k < joint.freedoms; ++k) {
    const Twist<double>& s = m.S[static_cast<std::size_t>(k)];
    const double scale = norm_squared(s.w) * angular + norm_squared(s.v) * linear;
    if (!eliminate(I, {s.w.x, s.w.y, s.w.z, s.v.x, s.v.y, s.v.z}, scale)) return false;
  }
  return true;
}

std::string reason(JointType joint) {
  if (is_general(joint))
    return std::string("its ") + name_of(joint) +
           " joint could move without effort: what hangs on it has no mass or moment of inertia along one of its "
           "motions, or two of its coordinates do the same";
  if (joint == JointType::slider)
    return "nothing that hangs on its slider has mass: the joint could move without effort";
  if (joint == JointType::point) return "nothing that hangs on its point joint has mass: give the particle a mass";
  if (joint == JointType::free) return "a free link needs mass and a moment of inertia about every axis";
  return std::string("nothing that hangs on its ") + name_of(joint) +
         " joint has a moment of inertia about some axis of it (a point mass at the joint, or a rod without "
         "thickness "
         "along an axis the joint can turn about): the joint could turn without effort; give it a shape, or "
         "enlarge that "
         "moment of inertia";
}

}  // namespace

void check_pivots(const Model& model) {
  const int n = model.nlink();
  std::vector<Mat6> inertia(static_cast<std::size_t>(n));
  for (int i = 1; i < n; ++i) inertia[i] = as_mat6(model.params.links[i].I);
  for (int i = n - 1; i > 0; --i) {
    const LinkTopology& link = model.links[i];
    const LinkParams<double>& p = model.params.links[i];
    GeneralMotion<double> m;
    const bool general = is_general(link.joint);
    if (!(general ? eliminate_general(inertia[i], model, i, m) : eliminate_joint(inertia[i], link, p.axis)))
      throw InvalidSpec(model.names[i], reason(link.joint));
    if (link.parent == 0 || link.joint == JointType::free) continue;
    const Mat6 X = general ? motion_transform(p.R_PF * m.R_FB, p.l + p.R_PF * m.p)
                           : motion_transform(generic_turn(link, p, i), p.l);
    const Mat6 passed = seen_from_parent(inertia[i], X);
    for (int r = 0; r < 6; ++r)
      for (int c = 0; c < 6; ++c) inertia[link.parent][r][c] += passed[r][c];
  }
}

}  // namespace marey
