// Lagrange multipliers on trees and across them, beside what agreement_test demands of every solver.
//
// Bodies and joints as one system, with A and the joints' wrenches F_J of the solver:
//   M A − F_J + Σ_sons Xᵀ F_J,son = p     Nᵀ (A − X A_P) + bias = 0                                                    (1)
// backward error ≤ 1e-12 of what the terms of the row are made of: of M A that is |M||A|, since J α may cancel h × a. Each
// joint's wrench against rnea's, which is given v̇ alone: a v̇ of d digits says what A is to ε Σ|S v̇| over the joints between
// the link and the world, however small A itself. So a joint's wrench has the unit ε Σ |I||A|, over all that it carries, with
// those sums for |A|.
// Reference with rows across the tree: joint space,
//   [ M  −Jᵀ ] [ v̇ ]   [ τ − b   ]
//   [ J   0  ] [ λ ] = [ −J̇ v    ]      by a complete orthogonal decomposition                                         (2)
// ‖Δv̇‖ ≤ 10 κ ε ‖v̇‖ with κ = κ(M) κ(A), A = J M⁻¹ Jᵀ scaled to a unit diagonal, of its range; Jᵀλ likewise on the scale of
// the forces.
#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cstdio>

#include "marey/dynamics/baraff.h"
#include "marey/rows/loops.h"
#include "support/figures.h"
#include "support/joint_space.h"

namespace {

using figures::Figure, figures::JointSpace;
using marey::ConstraintRow, marey::LoopSolver, marey::Matrix, marey::MultiplierWorkspace, marey::Twist, marey::Vector,
    marey::Wrench;
using Vec = marey::Vec3<double>;

Figure figure_of(int i) { return figures::random_figure(static_cast<std::uint64_t>(i), figures::options_of(i)); }
std::vector<double> solved(const Figure& f, MultiplierWorkspace<double>& ws) {
  std::vector<double> vdot(f.state.v.size());
  marey::multipliers<double>(f.model, f.model.params, f.state.q, f.state.v, {f.tau, f.F_Bo_W}, ws, vdot);
  return vdot;
}
double size(const Wrench<double>& F) { return std::sqrt(dot(F.n, F.n) + dot(F.f, F.f)); }
double size(const Twist<double>& A) { return std::sqrt(dot(A.w, A.w) + dot(A.v, A.v)); }

// Keeps the largest; what is no number counts as boundless, and stays.
void note(double& worst, double error) { worst = std::isfinite(error) ? std::max(worst, error) : INFINITY; }
// Nothing of nothing is nothing: a particle has no moments.
void note_part(double& worst, double error, double of) { note(worst, error == 0 && of == 0 ? 0 : error / of); }

// ---------------------------------------------------------------------------------------------------- trees
double size(const marey::Sym3<double>& J) {
  return std::sqrt(J.xx * J.xx + J.yy * J.yy + J.zz * J.zz + 2 * (J.xy * J.xy + J.xz * J.xz + J.yz * J.yz));
}
struct Lengths {
  double angular = 0, linear = 0;
};
// |M||A|
Lengths made_of(const marey::Inertia<double>& I, const Lengths& A) {
  return {size(I.J) * A.angular + norm(I.h) * A.linear, I.m * A.linear + norm(I.h) * A.angular};
}

// What the wrenches through the joints are made of, for rnea.
std::vector<Lengths> sizes_of_wrenches(const Figure& f, const MultiplierWorkspace<double>& ws,
                                       const std::vector<double>& vdot) {
  std::vector<Lengths> A(f.model.links.size()), F(A);
  for (int b = 1; b < f.model.nlink(); ++b) {
    const marey::MultiplierLink<double>& link = ws.links[b];
    const Lengths& P = A[f.model.links[b].parent];
    A[b] = {P.angular + norm(link.k.w), P.linear + norm(link.r) * P.angular + norm(link.k.v)};
    for (int k = 0; k < link.freedoms; ++k) {
      const double y = std::abs(vdot[f.model.links[b].v + k]);
      A[b].angular += norm(link.S[k].w) * y, A[b].linear += norm(link.S[k].v) * y;
    }
    F[b] = made_of(f.model.params.links[b].I, A[b]);
    F[b].angular += norm(link.F_own.n) + norm(f.F_Bo_W[b].n), F[b].linear += norm(link.F_own.f) + norm(f.F_Bo_W[b].f);
  }
  for (int b = f.model.nlink() - 1; b > 0; --b) {
    Lengths& P = F[f.model.links[b].parent];
    P.angular += F[b].angular + norm(ws.links[b].r) * F[b].linear, P.linear += F[b].linear;
  }
  return F;
}

TEST(Multipliers, JointWrenchesAreThoseOfInverseDynamics) {
  double worst = 0;
  for (int i = 0; i < 100; ++i) {
    const Figure f = figure_of(i);
    MultiplierWorkspace<double> ws(f.model);
    const std::vector<double> vdot = solved(f, ws);
    marey::RneaWorkspace<double> rnea(f.model);
    std::vector<double> tau(vdot.size());
    marey::rnea<double>(f.model, f.model.params, f.state.q, f.state.v, vdot, f.F_Bo_W, rnea, tau);
    const std::vector<Lengths> sizes = sizes_of_wrenches(f, ws, vdot);
    for (int b = 1; b < f.model.nlink(); ++b) {
      const marey::Mat3<double>& R = ws.kinematics.X_WB[b].R;
      Wrench<double> difference{R * rnea.links[b].F.n, R * rnea.links[b].F.f};
      difference -= ws.links[b].F;
      note_part(worst, norm(difference.n), sizes[b].angular);
      note_part(worst, norm(difference.f), sizes[b].linear);
    }
  }
  std::printf("joint wrenches: %.2e of what they are made of (bound 1e-12)\n", worst);
  EXPECT_LE(worst, 1e-12);
}

// (1) for A and F of a solver: bodies, and Sᵀ F_J = τ.
struct Backward {
  double body = 0, free = 0;
};
template <class Acceleration, class JointWrench>
void check_bodies(const Figure& f, const MultiplierWorkspace<double>& ws, Acceleration A, JointWrench F,
                  Backward& worst) {
  std::vector<Wrench<double>> left(f.model.links.size());
  std::vector<double> scale(f.model.links.size());
  const auto add = [&](int b, const Wrench<double>& F) { left[b] += F, scale[b] += size(F); };
  for (int b = 1; b < f.model.nlink(); ++b) {
    const marey::MultiplierLink<double>& link = ws.links[b];  // its S, r and own forces
    const marey::Inertia<double>& I = f.model.params.links[b].I;
    const Lengths terms = made_of(I, {norm(A(b).w), norm(A(b).v)});
    left[b] += marey::Transform<double>{ws.kinematics.X_WB[b].R, {}} * I * A(b);
    scale[b] += std::hypot(terms.angular, terms.linear);
    add(b, -F(b));
    add(b, -link.F_own);
    add(b, -f.F_Bo_W[b]);
    add(f.model.links[b].parent, shifted(F(b), link.r));
    for (int k = 0; k < link.freedoms; ++k) {
      const double tau = f.tau[f.model.links[b].v + k], along = dot(link.S[k].w, F(b).n) + dot(link.S[k].v, F(b).f);
      note(worst.free, std::abs(along - tau) / (size(F(b)) + std::abs(tau)));
    }
  }
  for (int b = 1; b < f.model.nlink(); ++b) note(worst.body, size(left[b]) / scale[b]);
}

// Nᵀ (A − X A_P) + bias = 0; `beside`: what else A is a sum of.
double row_error(const Figure& f, MultiplierWorkspace<double>& ws, const std::vector<Twist<double>>& A,
                 double beside = 0) {
  double worst = 0;
  std::copy(f.state.q.begin(), f.state.q.end(), ws.q.begin());
  marey::joint_errors(f.model, f.model.params, ws.kinematics, ws.q, ws.v, ws.error, ws.error_rate);
  std::vector<ConstraintRow> rows;
  std::vector<int> joint_of;
  marey::joint_rows(f.model, f.model.params, ws.kinematics, ws, rows, joint_of);
  EXPECT_EQ(static_cast<int>(rows.size()), 6 * (f.model.nlink() - 1) - f.model.nv);
  for (const ConstraintRow& row : rows) {
    double value = row.bias, terms = std::abs(row.bias) + beside;
    for (int k = 0; k < row.part_count; ++k) {
      value += power(row.parts[k].F_Bo_W, A[row.parts[k].link]);
      terms += size(row.parts[k].F_Bo_W) * size(A[row.parts[k].link]);
    }
    note(worst, std::abs(value) / std::max(terms, 1e-300));
  }
  return worst;
}

TEST(Multipliers, BodiesAndJointsSolveTheirSystem) {
  Backward worst;
  double worst_row = 0;
  for (int i = 0; i < 500; ++i) {
    const Figure f = figure_of(i);
    MultiplierWorkspace<double> ws(f.model);
    solved(f, ws);
    check_bodies(
        f, ws, [&](int b) { return ws.links[b].A; }, [&](int b) { return ws.links[b].F; }, worst);
    std::vector<Twist<double>> A;
    for (const auto& link : ws.links) A.push_back(link.A);
    note(worst_row, row_error(f, ws, A));
  }
  std::printf("bodies %.2e, rows of joints %.2e, free directions %.2e (bound 1e-12)\n", worst.body, worst_row,
              worst.free);
  EXPECT_LE(worst.body, 1e-12);
  EXPECT_LE(worst_row, 1e-12);
  EXPECT_LE(worst.free, 1e-12);
}

// What the figure does to the world is summed anew in each refinement.
TEST(Multipliers, AWorkspaceServesManyCalls) {
  const Figure f = figure_of(7);
  MultiplierWorkspace<double> ws(f.model);
  solved(f, ws);
  const Wrench<double> once = ws.links[0].F;
  EXPECT_GT(size(once), 0);
  solved(f, ws);
  EXPECT_EQ(size(ws.links[0].F), size(once));
}

// What is refined is an answer already, to its condition, and so are the joints' wrenches: a factorisation that is wrong may
// hide behind refinement.
TEST(Multipliers, RefinementFindsLittleToDo) {
  double worst = 0, worst_wrench = 0;
  for (int i = 0; i < 100; ++i) {
    const Figure f = figure_of(i);
    if (f.model.nv == 0) continue;
    const JointSpace s(f);
    MultiplierWorkspace<double> ws(f.model);
    const Vector refined(solved(f, ws));
    std::vector<Wrench<double>> F;
    for (const auto& link : ws.links) F.push_back(link.F);
    multiplier_solve<double>(f.model, {f.tau, f.F_Bo_W, true, {}}, ws);
    std::vector<double> vdot(f.state.v.size());
    for (int b = 1; b < f.model.nlink(); ++b)
      std::copy_n(ws.links[b].vdot, ws.links[b].freedoms, vdot.begin() + f.model.links[b].v);
    ASSERT_TRUE(refined.is_finite() && Vector(vdot).is_finite()) << i;
    const double unit = s.kappa * DBL_EPSILON * s.scale(vdot, f.tau);
    note(worst, (Vector(vdot) - refined).norm() * s.norm / unit);
    for (std::size_t b = 1; b < F.size(); ++b) {
      F[b] -= ws.links[b].F;
      note(worst_wrench, size(F[b]) / unit);
    }
  }
  std::printf("refined by %.3g k eps, wrenches by %.3g (bounds 10)\n", worst, worst_wrench);
  EXPECT_LE(worst, 10);
  EXPECT_LE(worst_wrench, 10);
}

// ---------------------------------------------------------------------------------------------------- Baraff
// On every figure of 750 that it is for, at least 500: the system (1); in joint space backward and forward error,
//   ‖M v̇ + b − τ‖ ≤ 1e-12 S,    ‖v̇ − v̇_aba‖ ≤ 10 κ(M) ε S/‖M‖,    S = ‖M‖‖v̇‖ + ‖b‖ + ‖τ‖
// and the wrenches through the joints against those of the other solver, of the largest.
TEST(Baraff, FiveHundredRandomFigures) {
  Backward worst;
  double worst_row = 0, backward = 0, forward = 0, wrenches = 0;
  int figures = 0;
  for (int i = 0; i < 750; ++i) {
    const Figure f = figure_of(i);
    if (f.model.nv == 0 || !marey::baraff_refusal(f.model).empty()) continue;
    const JointSpace s(f);
    MultiplierWorkspace<double> ws(f.model);
    solved(f, ws);
    marey::BaraffWorkspace baraff(f.model);
    std::vector<double> vdot(f.state.v.size());
    marey::baraff(f.model, f.model.params, f.state.q, f.state.v, {f.tau, f.F_Bo_W}, baraff, vdot);
    ASSERT_TRUE(Vector(vdot).is_finite()) << i;
    check_bodies(
        f, ws, [&](int b) { return baraff.A[b]; }, [&](int b) { return baraff.F[b]; }, worst);
    note(worst_row, row_error(f, ws, baraff.A, norm(f.model.params.gravity)));
    const auto other = figures::accelerations(marey::Dynamics::aba, f.model, figures::input_of<double>(f));
    note(backward, s.backward_error(vdot, f.tau));
    note(forward, (Vector(vdot) - Vector(other)).norm() * s.norm / (s.kappa * DBL_EPSILON * s.scale(other, f.tau)));
    double largest = 0, difference = 0;
    for (int b = 1; b < f.model.nlink(); ++b) {
      Wrench<double> d = ws.links[b].F;
      d -= baraff.F[b];
      note(largest, size(baraff.F[b])), note(difference, size(d));
    }
    if (largest > 0) note(wrenches, difference / largest);
    ++figures;
  }
  std::printf("%d figures: bodies %.2e, rows of joints %.2e, free directions %.2e, backward error %.2e (bound 1e-12)\n",
              figures, worst.body, worst_row, worst.free, backward);
  std::printf("against aba %.3g k eps (bound 10), wrenches against multipliers %.2e (bound 1e-12)\n", forward,
              wrenches);
  EXPECT_GE(figures, 500);
  for (const double error : {worst.body, worst_row, worst.free, backward, wrenches}) EXPECT_LE(error, 1e-12);
  EXPECT_LE(forward, 10);
}

TEST(Baraff, RefusesLinksWithoutInertiaByName) {
  marey::ModelSpec spec;
  spec.links = {figures::rod_link("upper", "world", marey::JointType::hinge, {}, 1, 0.4, 0.03),
                figures::rod_link("bead", "upper", marey::JointType::point, {0, 0, -0.4}, 1, 0.4, 0.03)};
  EXPECT_EQ(marey::baraff_refusal(marey::freeze(spec)), "");
  spec.links[1].inertia.h = {}, spec.links[1].inertia.J = {};
  const marey::Model model = marey::freeze(spec);
  const std::string why = marey::baraff_refusal(model);
  EXPECT_NE(why.find("'bead'"), std::string::npos) << why;
  EXPECT_NE(why.find("dynamics: multipliers"), std::string::npos) << why;
  EXPECT_THROW(marey::BaraffWorkspace{model}, marey::Error);
}

// ---------------------------------------------------------------------------------------------------- coordinates
TEST(MaximalCoordinates, ThereAndBackIsTheSameState) {
  double worst = 0, residual = 0;
  for (int i = 0; i < 100; ++i) {
    const Figure f = figure_of(i);
    marey::State back = marey::neutral_state(f.model);
    // A hinge that has turned often comes back from a guess within half a turn.
    for (const marey::LinkTopology& link : f.model.links)
      if (link.joint == marey::JointType::hinge) back.q[link.q] = f.state.q[link.q] + 3;
    const marey::State there = marey::to_maximal(f.model, f.state);
    const marey::JointError e = marey::to_reduced(f.model, there, back);
    residual = std::max({residual, e.position, e.rate / (1 + Vector(there.v).largest())});
    for (const marey::LinkTopology& link : f.model.links) {
      double sign = 1, length = 1;
      if (coordinate_count(link) > freedom_count(link)) {  // a quaternion of any length and either sign
        double inner = 0, square = 0;
        for (int k = 0; k < 4; ++k) {
          inner += f.state.q[link.q + k] * back.q[link.q + k];
          square += f.state.q[link.q + k] * f.state.q[link.q + k];
        }
        sign = inner < 0 ? -1 : 1, length = std::sqrt(square);
      }
      for (int k = 0; k < coordinate_count(link); ++k) {
        const double one = f.state.q[link.q + k] / (k < 4 ? length : 1) * (k < 4 ? sign : 1);
        worst = std::max(worst, std::abs(one - back.q[link.q + k]) / (1 + std::abs(one)));
      }
      for (int k = 0; k < freedom_count(link); ++k)
        worst = std::max(worst, std::abs(f.state.v[link.v + k] - back.v[link.v + k]) / (1 + Vector(there.v).largest()));
    }
  }
  std::printf("there and back: %.2e, residual %.2e (bound 1e-12)\n", worst, residual);
  EXPECT_LE(worst, 1e-12);
  EXPECT_LE(residual, 1e-12);
}

// Links pushed apart are put back on their joints; a free figure keeps its centre of mass and its momentum.
TEST(MaximalCoordinates, ProjectionPutsLinksBackAndMovesNoCentreOfMass) {
  double left = 0, moved = 0, gained = 0;
  for (int i = 0; i < 60; ++i) {
    const Figure f = figure_of(i);
    const marey::Model bodies = marey::maximal(f.model);
    marey::State s = marey::to_maximal(f.model, f.state);
    figures::Random random(static_cast<std::uint64_t>(i));
    for (double& x : s.q) x += 1e-4 * random.normal();
    for (double& x : s.v) x += 1e-4 * random.normal();
    for (std::size_t b = 0; b + 1 < bodies.links.size(); ++b) {
      double square = 0;
      for (int k = 0; k < 4; ++k) square += s.q[7 * b + k] * s.q[7 * b + k];
      for (int k = 0; k < 4; ++k) s.q[7 * b + k] /= std::sqrt(square);
    }
    marey::Kinematics<double> k(f.model);
    marey::maximal_kinematics(s.q, s.v, k);
    const marey::Totals<double> before = totals(bodies, bodies.params, k);
    MultiplierWorkspace<double> ws(f.model);
    ws.q = f.state.q;
    marey::project_on_joints(f.model, f.model.params, s, ws);
    marey::State joints = f.state;
    const marey::JointError e = marey::to_reduced(f.model, s, joints);
    const double fast = 1 + Vector(s.v).largest();
    left = std::max({left, e.position, e.rate / fast});
    const bool afloat = std::all_of(
        f.model.links.begin() + 1, f.model.links.end(),
        [](const marey::LinkTopology& link) { return link.parent != 0 || link.joint == marey::JointType::free; });
    if (!afloat) continue;
    marey::maximal_kinematics(s.q, s.v, k);
    const marey::Totals<double> after = totals(bodies, bodies.params, k);
    moved = std::max(moved, norm(after.first_moment - before.first_moment) / before.mass);
    gained = std::max(gained, norm(after.momentum.f - before.momentum.f) / (before.mass * fast));
  }
  // The poses are changed by 1e-4; what each round moves the centre of mass by is of second order.
  std::printf("left of the errors %.2e (bound 1e-12), centre of mass moved %.2e (bound 1e-7), momentum %.2e (1e-12)\n",
              left, moved, gained);
  EXPECT_LE(left, 1e-12);
  EXPECT_LE(moved, 1e-7);
  EXPECT_LE(gained, 1e-12);
}

// ---------------------------------------------------------------------------------------------------- loops
// A point of one link on a point of another, or of the world: three rows.
void add_point_loop(const Figure& f, const marey::Kinematics<double>& k, figures::Random& random,
                    std::vector<ConstraintRow>& rows) {
  const int a = random.below(f.model.nlink()), b = 1 + random.below(f.model.nlink() - 1);
  const Vec r_a = random.normal3(0.3), r_b = random.normal3(0.3);
  if (a == b) return;
  for (int axis = 0; axis < 3; ++axis) {
    Vec n{};
    n[axis] = 1;
    ConstraintRow row;
    row.parts[0] = {b, {cross(r_b, n), n}};
    row.parts[1] = {a, {-cross(r_a, n), -n}};
    row.part_count = 2;
    const Vec &w_a = k.V_WB[a].w, &w_b = k.V_WB[b].w;
    row.bias = dot(n, cross(w_b, cross(w_b, r_b)) - cross(w_a, cross(w_a, r_a)));
    rows.push_back(row);
  }
}

// What makes the diagonal of A one; nothing where A has none.
Vector unit_diagonal(const Matrix& A) {
  Vector scale = diagonal(A);
  const double most = scale.largest();
  for (double& x : std::span<double>(scale)) x = x > 1e-12 * most ? 1 / std::sqrt(x) : 0;
  return scale;
}

struct Reference {
  Vector vdot, force;  // force: Jᵀλ
  double kappa = 0;
  int rank = 0;
  bool consistent = true;  // rows that contradict each other cannot all hold
};

// (2)
Reference reference(const Figure& f, const JointSpace& s, const marey::Kinematics<double>& at,
                    const std::vector<ConstraintRow>& rows) {
  const int n = f.model.nv, m = static_cast<int>(rows.size());
  Matrix J(m, n);
  marey::Kinematics<double> k(f.model);
  for (int column = 0; column < n; ++column) {
    std::vector<double> e(static_cast<std::size_t>(n), 0.0);
    e[static_cast<std::size_t>(column)] = 1;
    marey::forward_kinematics<double>(f.model, f.model.params, f.state.q, e, k);
    for (int i = 0; i < m; ++i)
      for (int p = 0; p < rows[i].part_count; ++p)
        J(i, column) += power(rows[i].parts[p].F_Bo_W, k.V_WB[rows[i].parts[p].link]);
  }
  marey::BiasMotion bias(f.model);
  marey::bias_motion(f.model, f.model.params, f.state.q, f.state.v, at, bias);
  Vector c(m);
  for (int i = 0; i < m; ++i) {
    c[i] = -rows[i].bias;
    for (int p = 0; p < rows[i].part_count; ++p)
      c[i] -= power(rows[i].parts[p].F_Bo_W, bias.A_WB[rows[i].parts[p].link]);
  }
  const marey::Cholesky inertia(s.M);
  const Matrix R = inertia.solve(transpose(J));
  Matrix A = J * R;
  const Vector scale = unit_diagonal(A);
  A = scaled_on_both_sides(A, scale);
  const marey::CompleteOrthogonal factors(A, 1e-10);
  const Vector free = inertia.solve(Vector(f.tau) - s.b);
  const Vector lambda = scaled(scale, factors.solve(scaled(scale, c - J * free)));
  const Vector values = eigenvalues(A);
  Reference out;
  out.rank = factors.rank();
  if (out.rank > 0) out.kappa = s.kappa * values[m - 1] / values[m - out.rank];
  out.force = transpose_times(J, lambda);
  out.vdot = free + R * lambda;
  out.consistent = (J * out.vdot - c).norm() <= 1e-9 * (J.norm() * out.vdot.norm() + c.norm());
  return out;
}

struct Loops {
  Figure f;
  JointSpace s;
  MultiplierWorkspace<double> ws;
  std::vector<ConstraintRow> rows;

  Loops(int seed, int loops, bool twice) : f(figure_of(seed)), s(f), ws(f.model) {
    solved(f, ws);
    figures::Random random(static_cast<std::uint64_t>(seed + 1000));
    for (int i = 0; i < loops; ++i) add_point_loop(f, ws.kinematics, random, rows);
    if (twice) rows.insert(rows.end(), rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2));
  }
  std::vector<double> solve(LoopSolver& solver) {
    solver.solve(f.model, {f.tau, f.F_Bo_W, true, {}}, rows, ws);
    std::vector<double> vdot(f.state.v.size());
    for (int i = 1; i < f.model.nlink(); ++i)
      std::copy_n(ws.links[i].vdot, ws.links[i].freedoms, vdot.begin() + f.model.links[i].v);
    return vdot;
  }
  // Jᵀλ from the accelerations: M v̇ + b − τ.
  Vector force(const std::vector<double>& vdot) const { return s.M * Vector(vdot) + s.b - Vector(f.tau); }
};

// v̇ of a case and the rank found, −1 where the method finds none.
struct Answer {
  std::vector<double> vdot;
  int rank = -1;
};
Answer by_multipliers(Loops& c, LoopSolver::Way way) {
  LoopSolver solver(c.f.model, static_cast<int>(c.rows.size()), way);
  Answer out{c.solve(solver), -1};
  if (way == LoopSolver::Way::direct) out.rank = solver.rank();
  return out;
}
// Reduced coordinates: aba, the rows through the tree, and the Delassus matrix.
Answer by_reduced_coordinates(Loops& c) {
  const marey::Model& model = c.f.model;
  const int m = static_cast<int>(c.rows.size());
  const std::vector<double>&q = c.f.state.q, &v = c.f.state.v;
  marey::BiasMotion bias(model);
  marey::bias_motion(model, model.params, q, v, c.ws.kinematics, bias);
  marey::MotionAxes axes(model);
  marey::motion_axes(model, model.params, c.ws.kinematics, axes);
  marey::RowSet rows(model, m);
  for (const ConstraintRow& row : c.rows) marey::add_row(model, row, axes, bias, rows);
  marey::AbaWorkspace<double> aba(model);
  Answer out{std::vector<double>(v.size()), -1};
  marey::aba<double>(model, model.params, q, v, {c.f.tau, c.f.F_Bo_W}, aba, out.vdot);
  marey::TestForces forces(model, m);
  out.rank = forces.prescribe(model, model.params, aba, rows, out.vdot);
  return out;
}

// Baraff's factors, with a Schur complement of their own.
Answer by_baraff(Loops& c) {
  const marey::Model& model = c.f.model;
  const int m = static_cast<int>(c.rows.size());
  marey::BaraffWorkspace ws(model);
  Answer out{std::vector<double>(c.f.state.v.size()), -1};
  std::vector<Wrench<double>> F(model.links.size());
  const auto add = [&](int i, double lambda) {
    for (int p = 0; p < c.rows[i].part_count; ++p) {
      const marey::LinkWrench& part = c.rows[i].parts[p];
      F[part.link] += Wrench<double>{lambda * part.F_Bo_W.n, lambda * part.F_Bo_W.f};
    }
  };
  const auto along_rows = [&] {
    Vector a(m);
    for (int i = 0; i < m; ++i)
      for (int p = 0; p < c.rows[i].part_count; ++p)
        a[i] += power(c.rows[i].parts[p].F_Bo_W, ws.A[c.rows[i].parts[p].link]);
    return a;
  };
  marey::baraff_factor(model, model.params, c.f.state.q, c.f.state.v, ws);
  Matrix C(m, m);
  for (int j = 0; j < m; ++j) {
    std::fill(F.begin(), F.end(), Wrench<double>{});
    add(j, 1);
    marey::baraff_solve(model, model.params, {{}, F}, false, ws, out.vdot);
    const Vector a = along_rows();
    std::copy_n(a.data(), m, C.col(j).begin());
  }
  marey::baraff_solve(model, model.params, {c.f.tau, c.f.F_Bo_W}, true, ws, out.vdot);
  Vector b = -along_rows();
  for (int i = 0; i < m; ++i) b[i] -= c.rows[i].bias;
  const Vector scale = unit_diagonal(C);
  const marey::CompleteOrthogonal factors(scaled_on_both_sides(C, scale), 1e-10);
  out.rank = factors.rank();
  const Vector lambda = scaled(scale, factors.solve(scaled(scale, b)));
  F = c.f.F_Bo_W;
  for (int i = 0; i < m; ++i) add(i, lambda[i]);
  marey::baraff_solve(model, model.params, {c.f.tau, F}, true, ws, out.vdot);
  return out;
}

// Where rows contradict each other what is least depends on how they are weighed: there the rank must be right and the
// answer finite.
template <class Solve>
void check_loops(int least, Solve solve, int of = 690, bool (*applies)(const marey::Model&) = nullptr) {
  constexpr double bound = 10;
  double worst = 0, worst_force = 0;
  int figures = 0, redundant = 0;
  for (int i = 0; i < of; ++i) {
    const marey::Model model = figure_of(i).model;
    if (model.nv < 4 || (applies && !applies(model))) continue;
    Loops c(i, 1 + i / 2 % 4, i % 3 == 0);
    if (c.rows.empty()) continue;
    const Reference right = reference(c.f, c.s, c.ws.kinematics, c.rows);
    if (right.rank == 0 || !(right.kappa < 1e9)) continue;  // beyond that there is no common answer to compare
    const Answer answer = solve(c);
    if (answer.rank >= 0) {
      EXPECT_EQ(answer.rank, right.rank) << i;
    }
    if (!right.consistent) {
      EXPECT_TRUE(Vector(answer.vdot).is_finite()) << i;
      continue;
    }
    const double unit = right.kappa * DBL_EPSILON;
    note(worst, (Vector(answer.vdot) - right.vdot).norm() / (unit * right.vdot.norm()));
    note(worst_force,
         (c.force(answer.vdot) - right.force).norm() / (unit * (right.force.norm() + c.s.scale(answer.vdot, c.f.tau))));
    ++figures, redundant += right.rank < static_cast<int>(c.rows.size());
  }
  std::printf("%d figures, %d with redundant rows: accelerations %.3g, forces %.3g in k eps (bound %g)\n", figures,
              redundant, worst, worst_force, bound);
  EXPECT_GE(figures, least);
  EXPECT_GE(redundant, least / 6);
  EXPECT_LE(worst, bound);
  EXPECT_LE(worst_force, bound);
}

TEST(Loops, FactorsAgainstTheDenseReference) {
  check_loops(500, [](Loops& c) { return by_multipliers(c, LoopSolver::Way::direct); });
}
TEST(Loops, ConjugateGradientsAgainstTheDenseReference) {
  check_loops(500, [](Loops& c) { return by_multipliers(c, LoopSolver::Way::iterative); });
}
TEST(Loops, BaraffAgainstTheDenseReference) {
  check_loops(500, by_baraff, 1100, [](const marey::Model& model) { return marey::baraff_refusal(model).empty(); });
}
TEST(Loops, ReducedCoordinatesAgainstTheDenseReference) { check_loops(500, by_reduced_coordinates); }

}  // namespace
