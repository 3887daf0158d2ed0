// The kernel of the general joints; equations (1)(2) of marey/model/general_joint.h.
//
// Composed joint (1). With b_j the axis of θ_j as seen from B,
//   b₃ = u₃    b₂ = R₃ᵀ u₂    b₁ = R₃ᵀ R₂ᵀ u₁                                                                         (3)
//   w = Σ θ̇_j b_j      ẇ = Σ θ̈_j b_j + θ̇₁ b₁ × (θ̇₂ b₂ + θ̇₃ b₃) + θ̇₂ θ̇₃ b₂ × b₃                                      (4)
//   v = Σ ṡ_j d_j      v̇ = Σ s̈_j d_j                                                                                  (5)
// where a channel f₀ + Σ f_k(q_k) has the rate Σ f_k′ q̇_k and the second derivative Σ f_k′ q̈_k + Σ f_k″ q̇_k².
//
// Ellipsoid (2). With A = diag(a²), n = R e_z, h = √(nᵀ A n), g = nᵀ A ṅ:
//   ṗ = A ṅ/h − (g/h³) A n                                                                                            (6)
//   p̈ = A n̈/h − 2 (g/h³) A ṅ + (3 g²/h⁵ − (ṅᵀ A ṅ + nᵀ A n̈)/h³) A n                                                  (7)
//   ṅ = R (w × e_z),  for ẇ = 0  n̈ = R (w × (w × e_z))                                                                (8)
// The radii are above zero, and so is h.
//
// Parameters may be of the scalar T itself or plain numbers (C).
#pragma once

#include "marey/model/general_motion.h"
#include "marey/scalar.h"

namespace marey {
namespace general {

template <class T, class C>
Vec3<T> as(const Vec3<C>& a) {
  return {T(a.x), T(a.y), T(a.z)};
}

template <class T>
struct Taylor {
  T value, slope, curvature;
};

// The polynomial of a function at x: y = c₀ + c₁ u + …, u from the piece's origin; returns u. Pieces are chosen by select,
// so that lanes of a pack may lie in different ones.
template <class T, class C>
T choose_piece(const GeneralJoint::Function& f, const GeneralParams<C>& params, const T& x, T (&c)[most_degree + 1]) {
  const C* piece = params.coefficients.data() + f.first;
  T origin = T(piece[1]);
  for (int i = 0; i <= f.degree; ++i) c[i] = T(piece[2 + i]);
  for (int k = 1; k < f.pieces; ++k) {
    piece += f.degree + 3;
    const auto beyond = x >= T(piece[0]);
    origin = select(beyond, T(piece[1]), origin);
    for (int i = 0; i <= f.degree; ++i) c[i] = select(beyond, T(piece[2 + i]), c[i]);
  }
  return x - origin;
}

// One function at x.
template <class T, class C>
Taylor<T> at(const GeneralJoint::Function& f, const GeneralParams<C>& params, const T& x) {
  T c[most_degree + 1];
  const T u = choose_piece(f, params, x, c);
  T y = c[f.degree], slope(0), half(0);  // Horner; half of the second derivative
  for (int i = f.degree - 1; i >= 0; --i) {
    half = half * u + slope;
    slope = slope * u + y;
    y = y * u + c[i];
  }
  return {y, slope, half + half};
}

// The six channels along a motion.
template <class T>
struct Channels {
  T value[6], rate[6], bias[6];  // f, ḟ, f̈ for v̇ = 0
  T slope[6][most_freedoms];     // ∂f/∂q_k
};
template <class T, class C>
void evaluate(const GeneralJoint& joint, const GeneralParams<C>& params, const T* q, const T* v, Channels<T>& c) {
  for (int j = 0; j < 6; ++j) {
    c.value[j] = T(params.constants[static_cast<std::size_t>(j)]), c.rate[j] = c.bias[j] = T(0);
    for (int k = 0; k < joint.freedoms; ++k) c.slope[j][k] = T(0);
  }
  for (const GeneralJoint::Function& f : joint.functions) {
    const Taylor<T> y = at(f, params, q[f.coordinate]);
    const T& rate = v[f.coordinate];
    c.value[f.channel] += y.value;
    c.rate[f.channel] += y.slope * rate;
    c.bias[f.channel] += y.curvature * rate * rate;
    c.slope[f.channel][f.coordinate] = y.slope;
  }
}

// (3) for given angles: the axes in B, and R_FB. Returns whether the joint turns at all.
template <class T, class C>
bool turn_axes(const GeneralJoint& joint, const GeneralParams<C>& params, const T* angles, Vec3<T>* b, Mat3<T>& R_FB) {
  R_FB = Mat3<T>::identity();
  bool turned = false;
  for (std::size_t j = 3; j-- > 0;) {
    if (!joint.used[j]) continue;
    const Vec3<T> u = as<T>(params.axes[j]);
    b[j] = turned ? transpose_times(R_FB, u) : u;
    const Mat3<T> R = rotation_about(u, angles[j]);
    R_FB = turned ? R * R_FB : R;
    turned = true;
  }
  return turned;
}

template <class T, class C>
void compose(const GeneralJoint& joint, const GeneralParams<C>& params, const T* q, const T* v, GeneralMotion<T>& m) {
  Channels<T> c;
  evaluate(joint, params, q, v, c);
  Vec3<T> b[3];
  const bool turned = turn_axes(joint, params, c.value, b, m.R_FB);
  m.p = m.w_J = m.v_J = m.w_bias = m.v_bias = {};
  for (int k = 0; k < joint.freedoms; ++k) m.S[static_cast<std::size_t>(k)] = {};
  for (std::size_t j = 3; j-- > 0;) {  // (4): m.w_J holds what turns inside of axis j
    if (!joint.used[j]) continue;
    m.w_bias += c.bias[j] * b[j] + cross(c.rate[j] * b[j], m.w_J);
    m.w_J += c.rate[j] * b[j];
    for (int k = 0; k < joint.freedoms; ++k) m.S[static_cast<std::size_t>(k)].w += c.slope[j][k] * b[j];
  }
  for (std::size_t j = 3; j < 6; ++j) {  // (5)
    if (!joint.used[j]) continue;
    const Vec3<T> d = as<T>(params.axes[j]);
    m.p += c.value[j] * d, m.v_J += c.rate[j] * d, m.v_bias += c.bias[j] * d;
    const Vec3<T> d_B = turned ? transpose_times(m.R_FB, d) : d;
    for (int k = 0; k < joint.freedoms; ++k) m.S[static_cast<std::size_t>(k)].v += c.slope[j][k] * d_B;
  }
}

template <class T, class C>
void roll_on_ellipsoid(const GeneralParams<C>& params, const T* q, const T* v, GeneralMotion<T>& m) {
  m.R_FB = rotation(Quaternion<T>{q[0], q[1], q[2], q[3]});
  m.w_J = {v[0], v[1], v[2]};
  m.w_bias = {};
  const Vec3<T> a = as<T>(params.radii);
  const auto scaled = [&](const Vec3<T>& x) { return Vec3<T>{a.x * a.x * x.x, a.y * a.y * x.y, a.z * a.z * x.z}; };
  const Vec3<T> n{m.R_FB.xz, m.R_FB.yz, m.R_FB.zz}, z{T(0), T(0), T(1)}, An = scaled(n);
  const T by_h = T(1) / sqrt(dot(n, An)), by_h3 = by_h * by_h * by_h;
  const auto along = [&](const Vec3<T>& n_rate) {  // (6)
    return by_h * scaled(n_rate) - (dot(An, n_rate) * by_h3) * An;
  };
  const Vec3<T> turning = cross(m.w_J, z), n_1 = m.R_FB * turning, n_2 = m.R_FB * cross(m.w_J, turning);  // (8)
  m.p = by_h * An;
  m.v_J = along(n_1);
  const T g = dot(An, n_1);
  m.v_bias = by_h * scaled(n_2) - (T(2) * g * by_h3) * scaled(n_1) +
             (T(3) * g * g * by_h3 * by_h * by_h - (dot(n_1, scaled(n_1)) + dot(An, n_2)) * by_h3) * An;  // (7)
  for (int k = 0; k < 3; ++k) {
    Twist<T>& s = m.S[static_cast<std::size_t>(k)];
    s.w = {T(k == 0 ? 1 : 0), T(k == 1 ? 1 : 0), T(k == 2 ? 1 : 0)};
    s.v = transpose_times(m.R_FB, along(m.R_FB * cross(s.w, z)));
  }
}

template <class T, class C>
void motion(const GeneralJoint& joint, const GeneralParams<C>& params, const T* q, const T* v, GeneralMotion<T>& m) {
  if (joint.ellipsoid)
    roll_on_ellipsoid(params, q, v, m);
  else
    compose(joint, params, q, v, m);
}

}  // namespace general
}  // namespace marey
