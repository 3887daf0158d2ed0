// Reference solution in maximal coordinates: one dense linear system, nothing recursive.
//
// Unknowns: for each link the angular acceleration α and the acceleration a_c of its centre of mass, in W; and a multiplier
// for each direction in which a joint holds. With d = p_CpBo_W (from the parent's centre of mass to the joint) and
// e = p_BoCb_W (from the joint to the link's own), all in the axes of W:
//   I_c α = n − ω × I_c ω      m a_c = f                                                     Newton and Euler      (1)
//   α_B − α_P = ω_P × w_J + R_WB v̇_w                                                         relative turning      (2)
//   (a_cB − α_B × e − ω_B × (ω_B × e)) − (a_cP + α_P × d + ω_P × (ω_P × d)) = 2 ω_P × v_J + R_WF v̇_v   at the joint  (3)
// Directions the joint holds: v̇ drops out of (2)(3) there, which gives the constraint rows C A = k. The joint's own
// forces act on both sides at the joint. Together
//   [ M  Cᵀ ] [ A ]   [ F ]
//   [ C  0  ] [ λ ] = [ k ]                                                                                        (4)
// A general joint's own motion has an acceleration for v̇ = 0 too, which stands on the right of (2)(3); it holds what is
// orthogonal to its motions S (in W, turning and shifting together), and v̇ and the joint's own wrench follow from S by
// least squares.
// Solved by LU with pivoting and refined with residuals in extended precision. Afterwards v̇ is read off (2)(3).
#include <array>

#include "marey/dynamics.h"
#include "marey/dynamics/dense_algebra.h"
#include "marey/model/general_motion.h"

namespace marey {
namespace {

using Vec = Vec3<double>;
using Directions = std::vector<Vec>;

struct Body {
  Vec w, com, w_J, v_J, d, e;  // in W
  Vec w_bias, v_bias;          // general joints, in W
  Matrix S;                    // [6 × freedoms] general joints, in W
  Mat3<double> R_WB, R_WF;
  Sym3<double> I_c;
  double m = 0;
};

struct System {
  Matrix A;
  Vector b;
};

int angular_row(int link) { return 6 * (link - 1); }
int linear_row(int link) { return 6 * (link - 1) + 3; }

Vec column(const Mat3<double>& R, int j) { return {R(0, j), R(1, j), R(2, j)}; }

// Two unit vectors that make a right-handed set with u.
std::array<Vec, 2> across(const Vec& u) {
  const Vec other = std::abs(u.x) < 0.6 ? Vec{1, 0, 0} : Vec{0, 1, 0};
  Vec a = cross(u, other);
  a = (1 / norm(a)) * a;
  return {a, cross(u, a)};
}

// Directions, in W, in which a joint holds turning and shifting.
Directions held_turning(JointType joint, const Vec& axis_W) {
  if (joint == JointType::ball || joint == JointType::free) return {};
  if (joint == JointType::hinge) return {across(axis_W)[0], across(axis_W)[1]};
  return {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
}
Directions held_shifting(JointType joint, const Vec& axis_W) {
  if (joint == JointType::free || joint == JointType::point) return {};
  if (joint == JointType::slider) return {across(axis_W)[0], across(axis_W)[1]};
  return {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
}

// What a general joint adds.
void add_general(const Model& model, const Params<double>& params, const double* q, const double* v, int i, Body& b) {
  const LinkTopology& link = model.links[i];
  GeneralMotion<double> g;
  general_motion<double>(model.general[link.general], params.general[link.general], q + link.q, v + link.v, g);
  b.v_J = b.R_WF * g.v_J;
  b.w_bias = b.R_WB * g.w_bias;
  b.v_bias = b.R_WF * g.v_bias;
  b.S = Matrix(6, freedom_count(link));
  for (int k = 0; k < freedom_count(link); ++k) {
    const Vec w = b.R_WB * g.S[k].w, u = b.R_WB * g.S[k].v;
    for (int j = 0; j < 3; ++j) b.S(j, k) = w[j], b.S(3 + j, k) = u[j];
  }
}

std::vector<Body> bodies_of(const Model& model, const Params<double>& params, std::span<const double> q,
                            std::span<const double> v) {
  Kinematics<double> k(model);
  forward_kinematics<double>(model, params, q, v, k);
  std::vector<Body> bodies(model.links.size());
  for (int i = 1; i < model.nlink(); ++i) {
    const LinkTopology& link = model.links[i];
    const LinkParams<double>& p = params.links[i];
    const Body& parent = bodies[link.parent];
    Body& b = bodies[i];
    b.R_WB = k.X_WB[i].R;
    b.R_WF = k.X_WB[link.parent].R * p.R_PF;
    b.w = k.V_WB[i].w;
    b.m = p.I.m;
    b.e = b.m > 0 ? b.R_WB * ((1 / b.m) * p.I.h) : Vec{};
    b.com = k.X_WB[i].p + b.e;
    b.d = k.X_WB[i].p - parent.com;
    b.I_c = congruence(b.R_WB, central_inertia(p.I));
    b.w_J = b.w - parent.w;
    if (link.joint == JointType::slider) b.v_J = v[link.v] * (b.R_WF * p.axis);
    if (link.joint == JointType::free) b.v_J = b.R_WF * Vec{v[link.v + 3], v[link.v + 4], v[link.v + 5]};
    if (link.joint == JointType::point) b.v_J = b.R_WF * Vec{v[link.v], v[link.v + 1], v[link.v + 2]};
    if (link.general >= 0) add_general(model, params, q.data(), v.data(), i, b);
  }
  return bodies;
}

void add(Vector& b, int row, const Vec& a) { b[row] += a.x, b[row + 1] += a.y, b[row + 2] += a.z; }

// (1): masses on the diagonal; gravity, gyroscopic moments and forces from outside on the right.
void add_body(const Body& body, const Vec& gravity, const Wrench<double>& outside, int i, System& s) {
  const Mat3<double> I = to_mat3(body.I_c);
  for (int r = 0; r < 3; ++r) {
    s.A(linear_row(i) + r, linear_row(i) + r) = body.m;
    for (int c = 0; c < 3; ++c) s.A(angular_row(i) + r, angular_row(i) + c) = I(r, c);
  }
  add(s.b, linear_row(i), body.m * gravity + outside.f);
  add(s.b, angular_row(i), -cross(body.w, body.I_c * body.w) + outside.n - cross(body.e, outside.f));
}

// The joint's own forces: a wrench at the joint on the link, its opposite on the parent.
void add_joint_forces(const LinkTopology& link, const LinkParams<double>& p, const Body& b, const double* tau, int i,
                      System& s) {
  Wrench<double> F;
  if (link.joint == JointType::hinge) F.n = tau[0] * (b.R_WF * p.axis);
  if (link.joint == JointType::slider) F.f = tau[0] * (b.R_WF * p.axis);
  if (link.joint == JointType::ball || link.joint == JointType::free) F.n = b.R_WB * Vec{tau[0], tau[1], tau[2]};
  if (link.joint == JointType::free) F.f = b.R_WF * Vec{tau[3], tau[4], tau[5]};
  if (link.joint == JointType::point) F.f = b.R_WF * Vec{tau[0], tau[1], tau[2]};
  if (link.general >= 0) {  // some wrench with Sᵀ F = τ; what it is else, the multipliers make up for
    const Vector least =
        shortest_with_products(b.S, Vector(std::span(tau, static_cast<std::size_t>(freedom_count(link)))));
    F = {{least[0], least[1], least[2]}, {least[3], least[4], least[5]}};
  }
  add(s.b, angular_row(i), F.n - cross(b.e, F.f));
  add(s.b, linear_row(i), F.f);
  if (link.parent == 0) return;
  add(s.b, angular_row(link.parent), -(F.n + cross(b.d, F.f)));
  add(s.b, linear_row(link.parent), -F.f);
}

void set(System& s, int row, int at, const Vec& a) {
  for (int k = 0; k < 3; ++k) s.A(row, at + k) = s.A(at + k, row) = a[k];
}

// One row of (2) along n.
void add_turning_row(const Vec& n, const Body& b, const Body& parent, int i, int p, int row, System& s) {
  set(s, row, angular_row(i), n);
  if (p != 0) set(s, row, angular_row(p), -n);
  s.b[row] = dot(n, cross(parent.w, b.w_J));
}
// One row of (3) along n: n · (α × e) = α · (e × n).
void add_shifting_row(const Vec& n, const Body& b, const Body& parent, int i, int p, int row, System& s) {
  set(s, row, linear_row(i), n);
  set(s, row, angular_row(i), -cross(b.e, n));
  if (p != 0) {
    set(s, row, linear_row(p), -n);
    set(s, row, angular_row(p), -cross(b.d, n));
  }
  s.b[row] = dot(n, 2.0 * cross(parent.w, b.v_J) + cross(b.w, cross(b.w, b.e)) + cross(parent.w, cross(parent.w, b.d)));
}

// Rows of (2)(3) together, for what a general joint holds.
int add_general_rows(const Body& b, const Body& parent, int i, int p, int row, System& s) {
  const Matrix Q = completed_basis(b.S);
  for (int k = b.S.cols(); k < 6; ++k, ++row) {
    const Vec n{Q(0, k), Q(1, k), Q(2, k)}, m{Q(3, k), Q(4, k), Q(5, k)};
    set(s, row, linear_row(i), m);
    set(s, row, angular_row(i), n - cross(b.e, m));
    if (p != 0) {
      set(s, row, linear_row(p), -m);
      set(s, row, angular_row(p), -n - cross(b.d, m));
    }
    s.b[row] = dot(n, cross(parent.w, b.w_J) + b.w_bias) +
               dot(m, 2.0 * cross(parent.w, b.v_J) + b.v_bias + cross(b.w, cross(b.w, b.e)) +
                          cross(parent.w, cross(parent.w, b.d)));
  }
  return row;
}

Vector solve_refined(const System& s) {
  const LU lu(s.A);
  Vector x = lu.solve(s.b);
  for (int round = 0; round < 3; ++round) x += lu.solve(extended_residual(s.A, x, s.b));
  return x;
}

// v̇ of one joint from (2)(3).
void read_off(const LinkTopology& link, const LinkParams<double>& params, const Body& b, const Body& parent, int i,
              const Vector& x, double* vdot) {
  const auto at = [&](int row) { return Vec{x[row], x[row + 1], x[row + 2]}; };
  const int p = link.parent;
  const Vec alpha = at(angular_row(i)), alpha_P = p == 0 ? Vec{} : at(angular_row(p));
  const Vec turning = alpha - alpha_P - cross(parent.w, b.w_J);
  const Vec a_B = at(linear_row(i)) - cross(alpha, b.e) - cross(b.w, cross(b.w, b.e));
  const Vec a_P = p == 0 ? Vec{} : at(linear_row(p)) + cross(alpha_P, b.d) + cross(parent.w, cross(parent.w, b.d));
  const Vec shifting = a_B - a_P - 2.0 * cross(parent.w, b.v_J);
  if (link.joint == JointType::hinge) vdot[0] = dot(b.R_WF * params.axis, turning);
  if (link.joint == JointType::slider) vdot[0] = dot(b.R_WF * params.axis, shifting);
  if (link.joint == JointType::ball || link.joint == JointType::free)
    for (int k = 0; k < 3; ++k) vdot[k] = dot(column(b.R_WB, k), turning);
  if (link.joint == JointType::free)
    for (int k = 0; k < 3; ++k) vdot[3 + k] = dot(column(b.R_WF, k), shifting);
  if (link.joint == JointType::point)
    for (int k = 0; k < 3; ++k) vdot[k] = dot(column(b.R_WF, k), shifting);
  if (link.general >= 0) {
    const Vec w = turning - b.w_bias, u = shifting - b.v_bias;
    const double both[6] = {w.x, w.y, w.z, u.x, u.y, u.z};
    const Vector along = least_squares(b.S, Vector(both));
    for (int k = 0; k < along.size(); ++k) vdot[k] = along[k];
  }
}

}  // namespace

void dense(const Model& model, const Params<double>& params, std::span<const double> q, std::span<const double> v,
           const Forces<double>& forces, std::span<double> vdot) {
  const int n = model.nlink() - 1, size = 12 * n - model.nv;
  System s{Matrix(size, size), Vector(size)};
  const std::vector<Body> bodies = bodies_of(model, params, q, v);
  int row = 6 * n;
  for (int i = 1; i <= n; ++i) {
    const LinkTopology& link = model.links[i];
    const Body &b = bodies[i], &parent = bodies[link.parent];
    add_body(b, params.gravity, forces.F_Bo_W.empty() ? Wrench<double>{} : forces.F_Bo_W[i], i, s);
    if (!forces.tau.empty()) add_joint_forces(link, params.links[i], b, forces.tau.data() + link.v, i, s);
    if (link.general >= 0) {
      row = add_general_rows(b, parent, i, link.parent, row, s);
      continue;
    }
    const Vec axis_W = b.R_WF * params.links[i].axis;
    for (const Vec& held : held_turning(link.joint, axis_W)) add_turning_row(held, b, parent, i, link.parent, row++, s);
    for (const Vec& held : held_shifting(link.joint, axis_W))
      add_shifting_row(held, b, parent, i, link.parent, row++, s);
  }
  const Vector x = solve_refined(s);
  for (int i = 1; i <= n; ++i) {
    const LinkTopology& link = model.links[i];
    read_off(link, params.links[i], bodies[i], bodies[link.parent], i, x, vdot.data() + link.v);
  }
}

}  // namespace marey
