// Derivatives of the motion across a general joint; (1)(2) of marey/model/general_joint.h, (3)–(8) of general_joint.inl.
//
// All vectors are components in B, and a dot or ∂_k is the derivative of the components. k and l are degrees of
// freedom.
//
// Composed joint. A channel c = f₀ + Σ f_k(q_k), angle or displacement, has along the motion
//   c_k = f_k′      ċ = Σ f_k′ v_k      c̈ = Σ f_k′ v̇_k + f_k″ v_k²
//   ∂_k ċ = f_k″ v_k      ∂_k c̈ = f_k″ v̇_k + f_k‴ v_k²                                                            (1)
// The axis b_j of an angle is turned by the angles inside of it, i > j. With their w = Σ_i θ̇_i b_i, w_k = Σ_i θ_i,k b_i
// and r_k = ∂_k w,
//   ∂_k b_j = b_j × w_k      ḃ_j = b_j × w      ∂_k ḃ_j = (∂_k b_j) × w + b_j × r_k                               (2)
// and from the innermost axis outward each adds
//   to S_k         θ_j,k b_j                 to ∂_k S_l   θ_j,l ∂_k b_j, for k = l also f_k″ b_j
//   to Ṡ_k         (∂_k θ̇_j) b_j + θ_j,k ḃ_j        to A   θ̈_j b_j + θ̇_j ḃ_j
//   to ∂_k V = r_k (∂_k θ̇_j) b_j + θ̇_j ∂_k b_j
//   to ∂_k A       (∂_k θ̈_j) b_j + θ̈_j ∂_k b_j + (∂_k θ̇_j) ḃ_j + θ̇_j ∂_k ḃ_j                                     (3)
// A direction d is fixed in F: ∂_k d = d × w_k, ḋ = d × w with all angles in w. With V = Σ ṡ d (displacements s),
//   S_k = Σ s_k d     ∂_k S_l = S_l × w_k, for k = l also Σ f_k″ d     Ṡ_k = Σ (∂_k ṡ) d + S_k × w
//   ∂_k V = Σ (∂_k ṡ) d + V × w_k      A = Σ s̈ d + V × w
//   ∂_k A = Σ (∂_k s̈) d + (Σ s̈ d) × w_k + ∂_k V × w + V × r_k                                                    (4)
//
// Ellipsoid. S has the angular part 1: only its linear part, of p = A n/h, changes. In B the normal n is e_z at rest,
// and A = Rᵀ diag(a²) R; with g_x = n·Ax and a_xy = x·Ay, the derivatives of p by n along x, y, z as seen from F are
//   p′(x) = Ax/h − (g_x/h³) An                                                                                    (5)
//   p″(x, y) = −(g_y/h³) Ax − (g_x/h³) Ay + (3 g_x g_y/h⁵ − a_xy/h³) An                                           (6)
//   p‴(x, x, y) = 2 (3 g_x g_y/h⁵ − a_xy/h³) Ax + (3 g_x²/h⁵ − a_xx/h³) Ay
//                 + (3 (2 a_xy g_x + a_xx g_y)/h⁵ − 15 g_x² g_y/h⁷) An                                            (7)
// n moves by n_k = e_k × n along freedom k, by n₁ = w × n along the motion, n₂ = v̇ × n + w × n₁. What is fixed in F
// turns by −e_k in B, so that
//   S_k = p′(n_k)      ∂_k S_l = p″(n_k, n_l) + p′(e_k × n_l) − e_k × S_l
//   V = p′(n₁)         ∂_k V = p″(n_k, n₁) + p′(e_k × n₁) − e_k × V      Ṡ_k = p″(n_k, n₁) + p′(w × n_k) − w × S_k
//   A = a − w × V,  a = p′(n₂) + p″(n₁, n₁)
//   ∂_k A = p′(e_k × n₂) + p″(n₂, n_k) + p‴(n₁, n₁, n_k) + 2 p″(n₁, e_k × n₁) − e_k × a − w × ∂_k V              (8)
#include "marey/model/general_derivatives.h"

#include "marey/model/general_motion.inl"

namespace marey {
namespace {

using Vec = Vec3<double>;
using Lanes = JointLanes;
using VecLanes = Vec3<Lanes>;

MAREY_KERNEL VecLanes wide(const Vec& a) { return {Lanes(a.x), Lanes(a.y), Lanes(a.z)}; }
MAREY_KERNEL Vec of_lane(const VecLanes& a, int i) { return {a.x[i], a.y[i], a.z[i]}; }

// ---- composed joints
// (1) of one channel.
struct ChannelDerivatives {
  double value = 0, rate = 0, second = 0;
  alignas(64) double slope[8]{}, curvature[8]{}, rate_by_q[8]{}, second_by_q[8]{};
};

void add_function(const GeneralJoint::Function& f, const GeneralParams<double>& params, double q, double v, double vdot,
                  ChannelDerivatives& to) {
  double c[most_degree + 1];
  const double u = general::choose_piece(f, params, q, c);
  double y = c[f.degree], slope = 0, half = 0, sixth = 0;  // Horner; a half of f″, a sixth of f‴
  for (int i = f.degree - 1; i >= 0; --i) {
    sixth = sixth * u + half;
    half = half * u + slope;
    slope = slope * u + y;
    y = y * u + c[i];
  }
  const double curvature = 2 * half;
  const int k = joint_lane(f.coordinate);
  to.value += y, to.rate += slope * v, to.second += slope * vdot + curvature * v * v;
  to.slope[k] = slope, to.curvature[k] = curvature;
  to.rate_by_q[k] = curvature * v, to.second_by_q[k] = curvature * vdot + 6 * sixth * v * v;
}

// Only one number, in the lane of degree of freedom l.
MAREY_KERNEL Lanes alone(const double* of, int l) {
  Lanes x{};
  x.set(joint_lane(l), of[joint_lane(l)]);
  return x;
}

// (2)(3) for one axis. g holds what turns inside it, and receives its contribution.
void add_axis(const ChannelDerivatives& c, const Vec& axis, int freedoms, GeneralDerivatives& g) {
  const VecLanes b = wide(axis);
  const Vec b_rate = cross(axis, g.V.w);
  const VecLanes b_by_q = cross(b, g.S.w), wide_rate = wide(b_rate);
  const VecLanes b_rate_by_q = cross(b_by_q, wide(g.V.w)) + cross(b, g.V_by_q.w);
  const Lanes slope = Lanes::load(c.slope), rate_by_q = Lanes::load(c.rate_by_q), rate(c.rate);
  g.A_by_q.w += Lanes::load(c.second_by_q) * b + Lanes(c.second) * b_by_q + rate_by_q * wide_rate + rate * b_rate_by_q;
  g.A.w += c.second * axis + c.rate * b_rate;
  g.V_by_q.w += rate_by_q * b + rate * b_by_q;
  g.V.w += c.rate * axis;
  g.S_rate.w += rate_by_q * b + slope * wide_rate;
  g.S.w += slope * b;
  for (int l = 0; l < freedoms; ++l)
    g.S_by_q[static_cast<std::size_t>(l)].w += Lanes(c.slope[joint_lane(l)]) * b_by_q + alone(c.curvature, l) * b;
}

// (4), after the angular part.
void add_directions(const GeneralJoint& joint, const GeneralParams<double>& params, const ChannelDerivatives* channels,
                    GeneralDerivatives& g) {
  Vec second;
  for (std::size_t j = 3; j < 6; ++j) {
    if (!joint.used[j]) continue;
    const ChannelDerivatives& c = channels[j];
    const Vec direction = transpose_times(g.R_FB, params.axes[j]);
    const VecLanes d = wide(direction);
    g.p += c.value * params.axes[j];
    g.V.v += c.rate * direction;
    second += c.second * direction;
    g.S.v += Lanes::load(c.slope) * d;
    g.V_by_q.v += Lanes::load(c.rate_by_q) * d;
    g.A_by_q.v += Lanes::load(c.second_by_q) * d;
    for (int l = 0; l < joint.freedoms; ++l) g.S_by_q[static_cast<std::size_t>(l)].v += alone(c.curvature, l) * d;
  }
  const VecLanes w = wide(g.V.w), V = wide(g.V.v);
  g.A.v = second + cross(g.V.v, g.V.w);
  g.S_rate.v = g.V_by_q.v + cross(g.S.v, w);
  g.V_by_q.v += cross(V, g.S.w);
  g.A_by_q.v += cross(wide(second), g.S.w) + cross(g.V_by_q.v, w) + cross(V, g.V_by_q.w);
  for (int l = 0; l < joint.freedoms; ++l)
    g.S_by_q[static_cast<std::size_t>(l)].v += cross(wide(of_lane(g.S.v, joint_lane(l))), g.S.w);
}

void compose(const GeneralJoint& joint, const GeneralParams<double>& params, const double* q, const double* v,
             const double* vdot, GeneralDerivatives& g) {
  ChannelDerivatives channels[6];
  double angles[3];
  Vec b[3];
  for (std::size_t j = 0; j < 6; ++j) channels[j].value = params.constants[j];
  for (const GeneralJoint::Function& f : joint.functions)
    add_function(f, params, q[f.coordinate], v[f.coordinate], vdot[f.coordinate], channels[f.channel]);
  for (int j = 0; j < 3; ++j) angles[j] = channels[j].value;
  general::turn_axes(joint, params, angles, b, g.R_FB);
  for (std::size_t j = 3; j-- > 0;)
    if (joint.used[j]) add_axis(channels[j], b[j], joint.freedoms, g);
  add_directions(joint, params, channels, g);
}

// ---- ellipsoid
// (5)–(7)
struct Surface {
  Sym3<Lanes> A;
  VecLanes An;
  Lanes by_h, by_h3, by_h5, by_h7;

  MAREY_KERNEL Surface(const Vec& radii, const Mat3<double>& R) {
    const Mat3<double> R_T = transpose(R);
    const Sym3<double> S =
        congruence(R_T, Sym3<double>::diagonal(radii.x * radii.x, radii.y * radii.y, radii.z * radii.z));
    A = {Lanes(S.xx), Lanes(S.yy), Lanes(S.zz), Lanes(S.xy), Lanes(S.xz), Lanes(S.yz)};
    An = {A.xz, A.yz, A.zz};
    const double h = std::sqrt(S.zz), i = 1 / h, square = i * i;
    by_h = Lanes(i), by_h3 = by_h * Lanes(square), by_h5 = by_h3 * Lanes(square), by_h7 = by_h5 * Lanes(square);
  }
  MAREY_KERNEL VecLanes first(const VecLanes& x) const { return by_h * (A * x) - (dot(An, x) * by_h3) * An; }
  MAREY_KERNEL Lanes mixed(const VecLanes& x, const VecLanes& Ay, const Lanes& g_x, const Lanes& g_y) const {
    return Lanes(3.0) * g_x * g_y * by_h5 - dot(x, Ay) * by_h3;
  }
  MAREY_KERNEL VecLanes second(const VecLanes& x, const VecLanes& y) const {
    const Lanes g_x = dot(An, x), g_y = dot(An, y);
    const VecLanes Ay = A * y;
    return mixed(x, Ay, g_x, g_y) * An - (g_y * by_h3) * (A * x) - (g_x * by_h3) * Ay;
  }
  MAREY_KERNEL VecLanes third(const VecLanes& x, const VecLanes& y) const {
    const Lanes g_x = dot(An, x), g_y = dot(An, y);
    const VecLanes Ax = A * x, Ay = A * y;
    const Lanes by_n =
        Lanes(3.0) * (Lanes(2.0) * dot(x, Ay) * g_x + dot(x, Ax) * g_y) * by_h5 - Lanes(15.0) * g_x * g_x * g_y * by_h7;
    return (Lanes(2.0) * mixed(x, Ay, g_x, g_y)) * Ax + mixed(x, Ax, g_x, g_x) * Ay + by_n * An;
  }
};

// (8)
void roll_on_ellipsoid(const GeneralParams<double>& params, const double* q, const double* v, const double* vdot,
                       GeneralDerivatives& g) {
  g.R_FB = rotation(Quaternion<double>{q[0], q[1], q[2], q[3]});
  const Surface s(params.radii, g.R_FB);
  const VecLanes e{Lanes(Lanes::Lanes{1}), Lanes(Lanes::Lanes{0, 1}), Lanes(Lanes::Lanes{0, 0, 1})};
  const VecLanes n{Lanes(0.0), Lanes(0.0), Lanes(1.0)};
  g.V.w = {v[0], v[1], v[2]}, g.A.w = {vdot[0], vdot[1], vdot[2]}, g.S.w = e;
  const VecLanes w = wide(g.V.w), n_k = cross(e, n), n_1 = cross(w, n), n_2 = cross(wide(g.A.w), n) + cross(w, n_1);
  const VecLanes turned = cross(e, n_1), bend = s.second(n_k, n_1), V = s.first(n_1);
  const VecLanes a = s.first(n_2) + s.second(n_1, n_1);
  g.p = g.R_FB * of_lane(s.by_h * s.An, 0);
  g.V.v = of_lane(V, 0), g.A.v = of_lane(a - cross(w, V), 0);
  g.S.v = s.first(n_k);
  g.S_rate.v = bend + s.first(cross(w, n_k)) - cross(w, g.S.v);
  g.V_by_q.v = bend + s.first(turned) - cross(e, V);
  g.A_by_q.v = s.first(cross(e, n_2)) + s.second(n_2, n_k) + s.third(n_1, n_k) + Lanes(2.0) * s.second(n_1, turned) -
               cross(e, a) - cross(w, g.V_by_q.v);
  for (int l = 0; l < 3; ++l) {
    const VecLanes n_l = wide(of_lane(n_k, l)), S_l = wide(of_lane(g.S.v, l));
    g.S_by_q[static_cast<std::size_t>(l)].v = s.second(n_k, n_l) + s.first(cross(e, n_l)) - cross(e, S_l);
  }
}

}  // namespace

void general_derivatives(const GeneralJoint& joint, const GeneralParams<double>& params, const double* q,
                         const double* v, const double* vdot, GeneralDerivatives& g) {
  g = {};
  if (joint.ellipsoid)
    roll_on_ellipsoid(params, q, v, vdot, g);
  else
    compose(joint, params, q, v, vdot, g);
}

}  // namespace marey
