// Lagrange multipliers on trees and across them, beside what agreement_test demands of every solver.
//
// Bodies and joints as one system, with A and the joints' wrenches F_J of the solver:
//   M A − F_J + Σ_sons Xᵀ F_J,son = p     Nᵀ (A − X A_P) + bias = 0                                                    (1)
// backward error ≤ 1e-12 of the terms of the row, summed; of a body 1e-11, since a wrench through a joint is found with the
// forces on all that the joint carries, which may cancel. Reference with rows across the tree: joint space,
//   [ M  −Jᵀ ] [ v̇ ]   [ τ − b   ]
//   [ J   0  ] [ λ ] = [ −J̇ v    ]      by a complete orthogonal decomposition                                         (2)
// ‖Δv̇‖ ≤ 10 κ ε ‖v̇‖ with κ = κ(M) κ(A), A = J M⁻¹ Jᵀ scaled to a unit diagonal, of its range; Jᵀλ likewise on the scale of
// the forces.
#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cstdio>

#include "marey/constraint/loops.h"
#include "support/joint_space.h"

namespace {

using Eigen::MatrixXd, Eigen::VectorXd;
using figures::eigen, figures::Figure, figures::JointSpace;
using marey::ConstraintRow, marey::LoopSolver, marey::MultiplierWorkspace, marey::Twist, marey::Wrench;
using Vec = marey::Vec3<double>;

Figure figure_of(int i) { return figures::random_figure(static_cast<std::uint64_t>(i), figures::options_of(i)); }
std::vector<double> solved(const Figure& f, MultiplierWorkspace<double>& ws) {
  std::vector<double> vdot(f.state.v.size());
  marey::multipliers<double>(f.model, f.model.params, f.state.q, f.state.v, {f.tau, f.F_Bo_W}, ws, vdot);
  return vdot;
}
double size(const Wrench<double>& F) { return std::sqrt(dot(F.n, F.n) + dot(F.f, F.f)); }
double size(const Twist<double>& A) { return std::sqrt(dot(A.w, A.w) + dot(A.v, A.v)); }

// ---------------------------------------------------------------------------------------------------- trees
TEST(Multipliers, JointWrenchesAreThoseOfInverseDynamics) {
  double worst = 0;
  for (int i = 0; i < 100; ++i) {
    const Figure f = figure_of(i);
    MultiplierWorkspace<double> ws(f.model);
    const std::vector<double> vdot = solved(f, ws);
    marey::RneaWorkspace<double> rnea(f.model);
    std::vector<double> tau(vdot.size());
    marey::rnea<double>(f.model, f.model.params, f.state.q, f.state.v, vdot, f.F_Bo_W, rnea, tau);
    double largest = 0;  // wrench or rate of momentum of a link
    for (int b = 1; b < f.model.nlink(); ++b) {
      const marey::Inertia<double> I =
          marey::Transform<double>{ws.kinematics.X_WB[b].R, {}} * f.model.params.links[b].I;
      largest = std::max({largest, size(rnea.links[b].F), size(I * ws.links[b].A)});
    }
    for (int b = 1; b < f.model.nlink(); ++b) {
      const marey::Mat3<double>& R = ws.kinematics.X_WB[b].R;
      Wrench<double> difference{R * rnea.links[b].F.n, R * rnea.links[b].F.f};
      difference -= ws.links[b].F;
      worst = std::max(worst, size(difference) / largest);
    }
  }
  std::printf("joint wrenches: %.2e of the largest (bound 1e-9)\n", worst);
  EXPECT_LE(worst, 1e-9);
}

// (1)
TEST(Multipliers, BodiesAndJointsSolveTheirSystem) {
  double worst_body = 0, worst_row = 0, worst_free = 0;
  for (int i = 0; i < 100; ++i) {
    const Figure f = figure_of(i);
    MultiplierWorkspace<double> ws(f.model);
    solved(f, ws);
    std::vector<Wrench<double>> left(f.model.links.size());
    std::vector<double> scale(f.model.links.size());
    const auto add = [&](int b, const Wrench<double>& F) { left[b] += F, scale[b] += size(F); };
    for (int b = 1; b < f.model.nlink(); ++b) {
      const marey::MultiplierLink<double>& link = ws.links[b];
      const marey::Inertia<double> I =
          marey::Transform<double>{ws.kinematics.X_WB[b].R, {}} * f.model.params.links[b].I;
      add(b, I * link.A);
      add(b, -link.F);
      add(b, -link.F_own);
      add(b, -f.F_Bo_W[b]);
      add(f.model.links[b].parent, shifted(link.F, link.r));
      for (int k = 0; k < link.freedoms; ++k) {  // Sᵀ F_J = τ
        const double along = dot(link.S[k].w, link.F.n) + dot(link.S[k].v, link.F.f);
        worst_free = std::max(worst_free, std::abs(along - f.tau[f.model.links[b].v + k]) /
                                              (size(link.F) + size(link.p) + std::abs(f.tau[f.model.links[b].v + k])));
      }
    }
    for (int b = 1; b < f.model.nlink(); ++b) worst_body = std::max(worst_body, size(left[b]) / scale[b]);
    std::copy(f.state.q.begin(), f.state.q.end(), ws.q.begin());
    marey::joint_errors(f.model, f.model.params, ws.kinematics, ws.q, ws.v, ws.error, ws.error_rate);
    std::vector<ConstraintRow> rows;
    std::vector<int> joint_of;
    std::vector<Twist<double>> A;
    for (const auto& link : ws.links) A.push_back(link.A);
    marey::joint_rows(f.model, f.model.params, ws.kinematics, ws, rows, joint_of);
    EXPECT_EQ(static_cast<int>(rows.size()), 6 * (f.model.nlink() - 1) - f.model.nv);
    for (const ConstraintRow& row : rows) {
      double value = row.bias, terms = std::abs(row.bias);
      for (int k = 0; k < row.part_count; ++k) {
        value += power(row.parts[k].F_Bo_W, A[row.parts[k].link]);
        terms += size(row.parts[k].F_Bo_W) * size(A[row.parts[k].link]);
      }
      worst_row = std::max(worst_row, std::abs(value) / std::max(terms, 1e-300));
    }
  }
  std::printf("bodies %.2e (bound 1e-11), rows of joints %.2e, free directions %.2e (bound 1e-12)\n", worst_body,
              worst_row, worst_free);
  EXPECT_LE(worst_body, 1e-11);
  EXPECT_LE(worst_row, 1e-12);
  EXPECT_LE(worst_free, 1e-12);
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
    residual = std::max({residual, e.position, e.rate / (1 + eigen(there.v).cwiseAbs().maxCoeff())});
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
        worst = std::max(
            worst, std::abs(f.state.v[link.v + k] - back.v[link.v + k]) / (1 + eigen(there.v).cwiseAbs().maxCoeff()));
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
    const double fast = 1 + eigen(s.v).cwiseAbs().maxCoeff();
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

struct Reference {
  VectorXd vdot, force;  // force: Jᵀλ
  double kappa = 0;
  int rank = 0;
  bool consistent = true;  // rows that contradict each other cannot all hold
};

// (2)
Reference reference(const Figure& f, const JointSpace& s, const marey::Kinematics<double>& at,
                    const std::vector<ConstraintRow>& rows) {
  const int n = f.model.nv, m = static_cast<int>(rows.size());
  MatrixXd J = MatrixXd::Zero(m, n);
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
  VectorXd c(m);
  for (int i = 0; i < m; ++i) {
    c[i] = -rows[i].bias;
    for (int p = 0; p < rows[i].part_count; ++p)
      c[i] -= power(rows[i].parts[p].F_Bo_W, bias.A_WB[rows[i].parts[p].link]);
  }
  const Eigen::LLT<MatrixXd> llt(s.M);
  const MatrixXd R = llt.solve(J.transpose());
  MatrixXd A = J * R;
  const double most = A.diagonal().maxCoeff();
  const VectorXd scale = A.diagonal().unaryExpr([&](double x) { return x > 1e-12 * most ? 1 / std::sqrt(x) : 0; });
  A = scale.asDiagonal() * A * scale.asDiagonal();
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> cod;
  cod.setThreshold(1e-10);
  cod.compute(A);
  const VectorXd free = llt.solve(eigen(f.tau) - s.b);
  const VectorXd lambda = scale.asDiagonal() * cod.solve(scale.asDiagonal() * (c - J * free));
  const Eigen::SelfAdjointEigenSolver<MatrixXd> values(A, Eigen::EigenvaluesOnly);
  Reference out;
  out.rank = static_cast<int>(cod.rank());
  if (out.rank > 0) out.kappa = s.kappa * values.eigenvalues()[m - 1] / values.eigenvalues()[m - out.rank];
  out.force = J.transpose() * lambda;
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
  VectorXd force(const std::vector<double>& vdot) const { return s.M * eigen(vdot) + s.b - eigen(f.tau); }
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
  marey::motion_axes(model, model.params, q, c.ws.kinematics.X_WB, axes);
  marey::RowSet rows(model, m);
  for (const ConstraintRow& row : c.rows) marey::add_row(model, row, c.ws.kinematics.X_WB, axes, bias, rows);
  marey::AbaWorkspace<double> aba(model);
  Answer out{std::vector<double>(v.size()), -1};
  marey::aba<double>(model, model.params, q, v, {c.f.tau, c.f.F_Bo_W}, aba, out.vdot);
  marey::TestForces forces(model, m);
  out.rank = forces.prescribe(model, model.params, aba, rows, out.vdot);
  return out;
}

// Where rows contradict each other what is least depends on how they are weighed: there the rank must be right and the
// answer finite.
template <class Solve>
void check_loops(int least, Solve solve) {
  constexpr double bound = 10;
  double worst = 0, worst_force = 0;
  int figures = 0, redundant = 0;
  for (int i = 0; i < 690; ++i) {
    if (figure_of(i).model.nv < 4) continue;
    Loops c(i, 1 + i / 2 % 4, i % 3 == 0);
    if (c.rows.empty()) continue;
    const Reference right = reference(c.f, c.s, c.ws.kinematics, c.rows);
    if (right.rank == 0 || !(right.kappa < 1e9)) continue;  // beyond that there is no common answer to compare
    const Answer answer = solve(c);
    if (answer.rank >= 0) {
      EXPECT_EQ(answer.rank, right.rank) << i;
    }
    if (!right.consistent) {
      EXPECT_TRUE(eigen(answer.vdot).allFinite()) << i;
      continue;
    }
    const double unit = right.kappa * DBL_EPSILON;
    worst = std::max(worst, (eigen(answer.vdot) - right.vdot).norm() / (unit * right.vdot.norm()));
    worst_force = std::max(worst_force, (c.force(answer.vdot) - right.force).norm() /
                                            (unit * (right.force.norm() + c.s.scale(answer.vdot, c.f.tau))));
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
TEST(Loops, ReducedCoordinatesAgainstTheDenseReference) { check_loops(500, by_reduced_coordinates); }

}  // namespace
