// Maximal coordinates: every link's own pose and twist, and the way to joint coordinates and back.
//
// With X_FB the pose of a link in its joint's frame, and X_FB(q) the nearest that the joint allows,
//   error       δ = (log(R_FB R_FB(q)ᵀ), p_FB − p_FB(q))                    turn and shift, in F                     (1)
//   velocities  v = (SᵀS)⁻¹ Sᵀ V_FB,  error rate V_FB − S v                                                          (2)
// The nearest turn about an axis u maximises tr(Rᵀ R_u(θ)) = cos θ (tr R − u·R u) + sin θ (u · vee(R − Rᵀ)) + u·R u.  (3)
// Of balls, free joints and points the coordinates are read off, and so is the slider's; those of general joints are found
// by Gauss and Newton's rounds.
#include <algorithm>
#include <cmath>

#include "marey/core/larger.h"
#include "marey/dynamics/joint_directions.h"
#include "marey/dynamics/multipliers.h"

namespace marey {
namespace {

using Vec = Vec3<double>;
using Mat = Mat3<double>;

constexpr int most_rounds = 12;
constexpr double round_off = 1e-14;

// The vector a with ã = R − Rᵀ.
Vec vee(const Mat& R) { return {R.zy - R.yz, R.xz - R.zx, R.yx - R.xy}; }

// The rotation vector of R, |ξ| ≤ π.
Vec rotation_vector(const Mat& R) {
  const Quaternion<double> q = quaternion_of(R);
  const Vec u{q.x, q.y, q.z};
  const double s = norm(u);
  return s < 1e-12 ? 2.0 * u : (2 * std::atan2(s, q.w) / s) * u;
}

void store(double* x, const Quaternion<double>& q) { x[0] = q.w, x[1] = q.x, x[2] = q.y, x[3] = q.z; }

// Of q and −q the one on the side of the guess, so that coordinates do not jump.
void store_near(double* x, const Quaternion<double>& q) {
  const double s = x[0] * q.w + x[1] * q.x + x[2] * q.y + x[3] * q.z < 0 ? -1 : 1;
  store(x, {s * q.w, s * q.x, s * q.y, s * q.z});
}

void nearest_coordinates(JointType joint, const Vec& axis, const Transform<double>& X_FB, double* q) {
  switch (joint) {
    case JointType::weld:
      return;
    case JointType::hinge: {
      const Mat& R = X_FB.R;
      const double angle = std::atan2(dot(axis, vee(R)), R.xx + R.yy + R.zz - dot(axis, R * axis));  // (3)
      q[0] = angle + 2 * M_PI * std::round((q[0] - angle) / (2 * M_PI));
      return;
    }
    case JointType::slider:
      q[0] = dot(axis, X_FB.p);
      return;
    case JointType::ball:
      return store_near(q, quaternion_of(X_FB.R));
    case JointType::free:
      store_near(q, quaternion_of(X_FB.R));
      return store_vec3(q + 4, X_FB.p);
    case JointType::point:
      return store_vec3(q, X_FB.p);
    default:
      return;  // general joints: nearest_general
  }
}

double inner(const Twist<double>& a, const Twist<double>& b) { return dot(a.w, b.w) + dot(a.v, b.v); }

// (2): takes S v out of V, by an unpivoted LDLᵀ of SᵀS.
void take_free_part(const JointDirections<double>& d, Twist<double>& V, double* v) {
  double L[6][6]{}, D[6]{}, y[6]{};
  const int n = d.freedoms;
  for (int i = 0; i < n; ++i) {
    y[i] = inner(d.S[i], V);
    D[i] = inner(d.S[i], d.S[i]);
    for (int j = 0; j < i; ++j) {
      L[i][j] = inner(d.S[i], d.S[j]);
      for (int m = 0; m < j; ++m) L[i][j] -= L[i][m] * D[m] * L[j][m];
      L[i][j] /= D[j];
      D[i] -= L[i][j] * L[i][j] * D[j];
      y[i] -= L[i][j] * y[j];
    }
  }
  for (int i = n - 1; i >= 0; --i) {
    v[i] = y[i] / D[i];
    for (int j = i + 1; j < n; ++j) v[i] -= L[j][i] * v[j];
  }
  for (int i = 0; i < n; ++i) V += Twist<double>{-v[i] * d.S[i].w, -v[i] * d.S[i].v};
}

// (1)
Twist<double> error_of(const Transform<double>& X_FB, const JointDirections<double>& d) {
  return {rotation_vector(X_FB.R * transpose(d.R_FB)), X_FB.p - d.p_FB};
}

// Gauss and Newton's rounds from the guess: q ⊕ (SᵀS)⁻¹ Sᵀ δ.
void nearest_general(const Model& figure, const Params<double>& params, int i, const Transform<double>& X_FB, double* q,
                     const double* v) {
  const LinkTopology& link = figure.links[i];
  double* x = q + link.q;
  double change[6]{};
  for (int round = 0; round < most_rounds; ++round) {
    const JointDirections<double> d = joint_directions(figure, params, i, static_cast<const double*>(q), v);
    Twist<double> delta = error_of(X_FB, d);
    take_free_part(d, delta, change);
    int first = 0;
    if (has_attitude(link.joint)) {
      const Quaternion<double> turn{1, 0.5 * change[0], 0.5 * change[1], 0.5 * change[2]};
      store_near(x, normalized(load_quaternion(static_cast<const double*>(x)) * turn));
      first = 3;
    }
    const int shift = coordinate_count(link) - d.freedoms;
    double most = 0;
    for (int k = 0; k < d.freedoms; ++k) most = std::max(most, std::abs(change[k]));
    for (int k = first; k < d.freedoms; ++k) x[shift + k] += change[k];
    if (!(most > 1e-15)) return;
  }
}

}  // namespace

const char* name_of(Stabilisation s) {
  constexpr const char* names[] = {"projection", "baumgarte", "none"};
  return names[static_cast<int>(s)];
}

Model maximal(const Model& figure) {
  Model bodies = figure;
  bodies.nq = bodies.nv = 0;
  bodies.general.clear(), bodies.coordinates.clear(), bodies.params.general.clear();
  for (int i = 1; i < bodies.nlink(); ++i) {
    LinkTopology& link = bodies.links[i];
    link = {};
    link.joint = JointType::free, link.opens = i == bodies.nlink() - 1;
    link.q = bodies.nq, link.v = bodies.nv;
    bodies.nq += coordinate_count(link.joint), bodies.nv += freedom_count(link.joint);
    bodies.params.links[i].l = {};
    bodies.params.links[i].R_PF = Mat::identity();
  }
  return bodies;
}

Model freeze(const ModelSpec& spec, Maximal) { return maximal(freeze(spec)); }

State to_maximal(const Model& figure, const State& s) {
  Kinematics<double> k(figure);
  forward_kinematics<double>(figure, figure.params, s.q, s.v, k);
  const std::size_t n = figure.links.size() - 1;
  State out{s.t, std::vector<double>(7 * n), std::vector<double>(6 * n)};
  for (std::size_t i = 0; i < n; ++i) {
    const Transform<double>& X = k.X_WB[i + 1];
    store(&out.q[7 * i], quaternion_of(X.R));
    store_vec3(&out.q[7 * i + 4], X.p);
    store_vec3(&out.v[6 * i], transpose_times(X.R, k.V_WB[i + 1].w));
    store_vec3(&out.v[6 * i + 3], k.V_WB[i + 1].v);
  }
  return out;
}

void maximal_kinematics(std::span<const double> q, std::span<const double> v, Kinematics<double>& k) {
  k.X_WB[0] = {}, k.V_WB[0] = {};
  for (std::size_t i = 1; i < k.X_WB.size(); ++i) {
    const double *x = q.data() + 7 * (i - 1), *u = v.data() + 6 * (i - 1);
    k.X_WB[i] = {rotation(load_quaternion(x)), load_vec3(x + 4)};
    k.V_WB[i] = {k.X_WB[i].R * load_vec3(u), load_vec3(u + 3)};
  }
}

JointError joint_errors(const Model& figure, const Params<double>& params, const Kinematics<double>& k,
                        std::span<double> q, std::span<double> v, std::span<Twist<double>> error,
                        std::span<Twist<double>> error_rate) {
  JointError worst;
  for (int i = 1; i < figure.nlink(); ++i) {
    const LinkTopology& link = figure.links[i];
    const LinkParams<double>& p = params.links[i];
    const Transform<double> X_WF = k.X_WB[link.parent] * Transform<double>{p.R_PF, p.l};
    const Transform<double> X_FB = inverse(X_WF) * k.X_WB[i];
    if (is_general(link.joint))
      nearest_general(figure, params, i, X_FB, q.data(), v.data());
    else
      nearest_coordinates(link.joint, p.axis, X_FB, q.data() + link.q);
    const JointDirections<double> d = joint_directions<double>(figure, params, i, q.data(), v.data());
    const Twist<double> delta = error_of(X_FB, d);
    const Twist<double>&V = k.V_WB[i], &V_P = k.V_WB[link.parent];
    const Vec r = k.X_WB[i].p - k.X_WB[link.parent].p;
    Twist<double> V_FB{transpose_times(X_WF.R, V.w - V_P.w), transpose_times(X_WF.R, V.v - V_P.v - cross(V_P.w, r))};
    take_free_part(d, V_FB, v.data() + link.v);
    error[i] = {X_WF.R * delta.w, X_WF.R * delta.v};
    error_rate[i] = {X_WF.R * V_FB.w, X_WF.R * V_FB.v};
    const double position = larger_or_nan(norm(delta.w), norm(delta.v));
    if (position > worst.position || !(position == position)) worst.position = position, worst.link = i;
    worst.rate = larger_or_nan(worst.rate, larger_or_nan(norm(V_FB.w), norm(V_FB.v)));
  }
  return worst;
}

void general_motions(const Model& figure, const Params<double>& params, std::span<const double> q,
                     Kinematics<double>& k) {
  const double still[6]{};
  for (int i = 1; i < figure.nlink(); ++i) {
    const LinkTopology& link = figure.links[i];
    if (!is_general(link.joint)) continue;
    GeneralMotion<double> g;
    general_motion(figure.general[link.general], params.general[link.general], q.data() + link.q, still, g);
    for (int n = 0; n < freedom_count(link); ++n)
      k.general[link.general][n] = {k.X_WB[i].R * g.S[n].w, k.X_WB[i].R * g.S[n].v};
  }
}

JointError to_reduced(const Model& figure, const State& maximal, State& reduced) {
  Kinematics<double> k(figure);
  maximal_kinematics(maximal.q, maximal.v, k);
  std::vector<Twist<double>> error(figure.links.size()), error_rate(figure.links.size());
  reduced.t = maximal.t;
  return joint_errors(figure, figure.params, k, reduced.q, reduced.v, error, error_rate);
}

void maximal_factor(const Model& figure, const Params<double>& params, const Kinematics<double>& k, double beta,
                    MultiplierWorkspace<double>& ws) {
  multiplier_rows<double>(figure, params, ws.q, ws.v, k, ws);
  multiplier_factor<double>(figure, ws);
  if (beta == 0) return;
  for (int i = 1; i < figure.nlink(); ++i) {
    const Twist<double>&g = ws.error[i], &g_rate = ws.error_rate[i];
    ws.links[i].k += Twist<double>{-beta * (beta * g.w + 2.0 * g_rate.w), -beta * (beta * g.v + 2.0 * g_rate.v)};
  }
}

void maximal_accelerations(const Kinematics<double>& k, const MultiplierWorkspace<double>& ws, std::span<double> vdot) {
  for (std::size_t i = 1; i < ws.links.size(); ++i) {
    store_vec3(vdot.data() + 6 * (i - 1), transpose_times(k.X_WB[i].R, ws.links[i].A.w));
    store_vec3(vdot.data() + 6 * (i - 1) + 3, ws.links[i].A.v);
  }
}

void multipliers_maximal(const Model& figure, const Params<double>& params, const Kinematics<double>& k,
                         const Forces<double>& forces, double beta, MultiplierWorkspace<double>& ws,
                         std::span<double> vdot) {
  maximal_factor(figure, params, k, beta, ws);
  const MultiplierLoad<double> load{forces.tau, forces.F_Bo_W, true, {}};
  multiplier_solve<double>(figure, load, ws);
  multiplier_refine<double>(figure, params, k, load, ws);
  maximal_accelerations(k, ws, vdot);
}

namespace {

// The least change of all links that makes up for the errors: A of the answer.
void solve_for_change(const Model& figure, std::vector<Twist<double>>& error, MultiplierWorkspace<double>& ws) {
  for (Twist<double>& e : error) e = {-e.w, -e.v};
  multiplier_solve<double>(figure, {{}, {}, false, error}, ws);
}

// R_WB turned by a small vector in W, to second order.
Quaternion<double> turned(const Quaternion<double>& q, const Vec& xi) {
  return normalized(Quaternion<double>{1, 0.5 * xi.x, 0.5 * xi.y, 0.5 * xi.z} * q);
}

// Moves a body by a small twist; it keeps its angular velocity and the velocity of its centre of mass in the world.
void move(const Inertia<double>& I, const Mat& R_before, const Vec& w, const Twist<double>& change, double* q,
          double* v) {
  const Quaternion<double> attitude = turned(load_quaternion(q), change.w);
  const Mat R = rotation(attitude);
  store(q, attitude);
  store_vec3(q + 4, load_vec3(q + 4) + change.v);
  const Vec c = I.m > 0 ? (1 / I.m) * I.h : Vec{};
  store_vec3(v, transpose_times(R, w));
  store_vec3(v + 3, load_vec3(v + 3) + cross(w, R_before * c - R * c));
}

}  // namespace

void move_bodies(const Params<double>& params, const Kinematics<double>& k, const MultiplierWorkspace<double>& ws,
                 State& s) {
  for (std::size_t i = 1; i < ws.links.size(); ++i)
    move(params.links[i].I, k.X_WB[i].R, k.V_WB[i].w, ws.links[i].A, s.q.data() + 7 * (i - 1),
         s.v.data() + 6 * (i - 1));
}

void add_velocities(const Kinematics<double>& k, const MultiplierWorkspace<double>& ws, State& s) {
  for (std::size_t i = 1; i < ws.links.size(); ++i) {
    double* u = s.v.data() + 6 * (i - 1);
    store_vec3(u, load_vec3(u) + transpose_times(k.X_WB[i].R, ws.links[i].A.w));
    store_vec3(u + 3, load_vec3(u + 3) + ws.links[i].A.v);
  }
}

JointError project_on_joints(const Model& figure, const Params<double>& params, State& maximal,
                             MultiplierWorkspace<double>& ws) {
  JointError found;
  double before = 0;
  for (int round = 0;; ++round) {
    maximal_kinematics(maximal.q, maximal.v, ws.kinematics);
    const JointError now = joint_errors(figure, params, ws.kinematics, ws.q, ws.v, ws.error, ws.error_rate);
    if (round == 0) found = now;
    maximal_factor(figure, params, ws.kinematics, 0, ws);
    // Newton'maximal rounds square the error; when one no longer does, what is left is round-off.
    if (!(now.position > round_off) || round == most_rounds || (round > 1 && now.position > 0.25 * before)) break;
    before = now.position;
    solve_for_change(figure, ws.error, ws);
    move_bodies(params, ws.kinematics, ws, maximal);
  }
  solve_for_change(figure, ws.error_rate, ws);
  add_velocities(ws.kinematics, ws, maximal);
  return found;
}

}  // namespace marey
