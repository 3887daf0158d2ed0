// The oracles on trial: systems whose equations of motion are in every textbook, and accelerations that are
// wrong on purpose, which must not pass. Tolerance: round-off of a few hundred operations, 1e-12 of the
// largest term.
#include <gtest/gtest.h>

#include <cmath>

#include "support/figures.h"
#include "support/newton_euler_sum.h"
#include "support/oracle_input.h"

namespace {

using marey::JointType;
using oracle::crossed, oracle::minus, oracle::plus, oracle::scaled, oracle::times, oracle::transposed, oracle::V3;

constexpr double tight = 1e-12;

marey::LinkSpec link(const char* name, const char* parent, JointType joint, const marey::Vec3<double>& axis,
                     const marey::Vec3<double>& at, const marey::Inertia<double>& inertia) {
  marey::LinkSpec l;
  l.name = name, l.parent = parent, l.joint = joint, l.axis = axis, l.X_PF.p = at, l.inertia = inertia;
  return l;
}
marey::Inertia<double> upright(double m, const double (&c)[3], const double (&moments)[3]) {
  return figures::body(m, c, moments, marey::Mat3<double>::identity());
}

// ---------------------------------------------------------------------------------------- the double
// pendulum Two compound pendulums in a plane, absolute angles φ₁, φ₂ from the downward vertical, c =
// cos(φ₁−φ₂), s = sin(φ₁−φ₂):
//   (I₁ + m₁a₁² + m₂l²) φ̈₁ + m₂ l a₂ c φ̈₂ + m₂ l a₂ s φ̇₂² + (m₁a₁ + m₂l) g sin φ₁ = τ₁ − τ₂
//   (I₂ + m₂a₂²) φ̈₂ + m₂ l a₂ c φ̈₁ − m₂ l a₂ s φ̇₁² + m₂ a₂ g sin φ₂ = τ₂
struct DoublePendulum {
  double m1 = 1.3, a1 = 0.31, I1 = 0.05, l = 0.7, m2 = 0.6, a2 = 0.22, I2 = 0.02, g = 9.81;
  oracle::PlainFigure figure;
  oracle::Motion motion;

  DoublePendulum() {
    marey::ModelSpec spec;
    spec.gravity = {0, 0, -g};
    spec.links = {
        link("upper", "world", JointType::hinge, {0, 3, 0}, {0.2, 0.1, 1}, upright(m1, {0, 0, -a1}, {0.04, I1, 0.02})),
        link("lower", "upper", JointType::hinge, {0, 1, 0}, {0, 0.3, -l},
             upright(m2, {0, 0.1, -a2}, {0.03, I2, 0.025}))};
    figure = oracle::plain_figure(spec, marey::freeze(spec));
    const double f1 = 0.8, f2 = -0.5, w1 = 1.7, w2 = -2.9, t1 = 0.4, t2 = -0.9;
    const double c = std::cos(f1 - f2), s = std::sin(f1 - f2);
    const double A = I1 + m1 * a1 * a1 + m2 * l * l, B = m2 * l * a2 * c, C = I2 + m2 * a2 * a2;
    const double r1 = t1 - t2 - m2 * l * a2 * s * w2 * w2 - (m1 * a1 + m2 * l) * g * std::sin(f1);
    const double r2 = t2 + m2 * l * a2 * s * w1 * w1 - m2 * a2 * g * std::sin(f2);
    const double d = A * C - B * B, f1dd = (C * r1 - B * r2) / d, f2dd = (A * r2 - B * r1) / d;
    motion = {{f1, f2 - f1}, {w1, w2 - w1}, {f1dd, f2dd - f1dd}, {t1, t2}, {}};
  }
};
TEST(EulerLagrange, KnowsTheDoublePendulum) {
  const DoublePendulum p;
  EXPECT_LT(oracle::euler_lagrange(p.figure, p.motion).relative(), tight);
}
TEST(EulerLagrange, SeesAnAccelerationThatIsWrongInTheSeventhPlace) {
  for (int k = 0; k < 2; ++k) {
    DoublePendulum p;
    p.motion.vdot[k] *= 1 + 1e-7;
    EXPECT_GT(oracle::euler_lagrange(p.figure, p.motion).relative(), 1e-9);
  }
}
TEST(EulerLagrange, SeesALostCentrifugalTerm) {
  DoublePendulum p;  // as if the lower rod's rate did not pull on the upper one
  const double v = p.motion.v[1];
  p.motion.v[1] = -p.motion.v[0];
  EXPECT_GT(oracle::euler_lagrange(p.figure, p.motion).relative(), 1e-3);
  p.motion.v[1] = v;
  EXPECT_LT(oracle::euler_lagrange(p.figure, p.motion).relative(), tight);
}

// ------------------------------------------------------------------------------------- a slider on a
// turntable
//   (I + m r²) Ω̇ + 2 m r ṙ Ω = τ₁,   m (r̈ − r Ω²) = τ₂,   r the distance of the mass centre from the axis.
TEST(EulerLagrange, KnowsCoriolisAndCentrifugalForcesOnATurntable) {
  const double I = 0.4, Ib = 0.07, m = 1.9, at = 0.35, q = 0.2, r = at + q, rd = -1.1, W = 2.3, t1 = 0.3, t2 = -0.7;
  marey::ModelSpec spec;
  spec.links = {
      link("table", "world", JointType::hinge, {0, 0, 1}, {0, 0, 0}, upright(5, {0, 0, 0}, {0.3, 0.3, I})),
      link("bead", "table", JointType::slider, {1, 0, 0}, {at, 0, 0.1}, upright(m, {0, 0, 0.05}, {0.06, 0.05, Ib}))};
  const auto figure = oracle::plain_figure(spec, marey::freeze(spec));
  const double Wd = (t1 - 2 * m * r * rd * W) / (I + Ib + m * r * r), rdd = t2 / m + r * W * W;
  oracle::Motion motion{{0.9, q}, {W, rd}, {Wd, rdd}, {t1, t2}, {}};
  EXPECT_LT(oracle::euler_lagrange(figure, motion).relative(), tight);
  motion.vdot[0] = t1 / (I + Ib + m * r * r);  // Coriolis forgotten
  EXPECT_GT(oracle::euler_lagrange(figure, motion).relative(), 1e-2);
}

// ----------------------------------------------------------------------------------------------- a body in
// space Euler's equations with the joint away from the mass centre c, a wrench (n, f) about Bo:
//   m a_c = m g + f,   I ω̇ = Rᵀ (n − R c × f) − ω × I ω,   a_Bo = a_c − R (ω̇ × c + ω × (ω × c))
struct FreeBody {
  static constexpr double m = 2.2;
  const double moments[3] = {0.11, 0.23, 0.31}, c[3] = {0.1, -0.2, 0.15};
  V3 w{1.9, -0.7, 2.4};
  oracle::PlainWrench F{{0.4, -0.8, 0.3}, {3, 1, -2}};
  marey::Quaternion<double> turn = figures::Random(5).turn();
  oracle::PlainFigure figure;

  FreeBody() {
    marey::ModelSpec spec;
    spec.links = {link("body", "world", JointType::free, {0, 0, 1}, {0, 0, 0}, upright(m, c, moments))};
    figure = oracle::plain_figure(spec, marey::freeze(spec));
  }
  oracle::Motion motion(double gyroscopic) const {
    const oracle::M3 R = oracle::rotation_of(turn.w, turn.x, turn.y, turn.z);
    const V3 at{c[0], c[1], c[2]}, h{moments[0] * w[0], moments[1] * w[1], moments[2] * w[2]};
    V3 torque = times(transposed(R), minus(F.n, crossed(times(R, at), F.f)));
    torque = minus(torque, scaled(gyroscopic, crossed(w, h)));
    const V3 wd{torque[0] / moments[0], torque[1] / moments[1], torque[2] / moments[2]};
    const V3 arm = times(R, plus(crossed(wd, at), crossed(w, crossed(w, at))));
    const V3 a = minus(plus(scaled(1 / m, F.f), V3{0, 0, -9.81}), arm);
    return {{turn.w, turn.x, turn.y, turn.z, 0.3, -0.1, 0.8},
            {w[0], w[1], w[2], 0.5, -1.2, 0.9},
            {wd[0], wd[1], wd[2], a[0], a[1], a[2]},
            {0, 0, 0, 0, 0, 0},
            {{}, F}};
  }
};
TEST(EulerLagrange, KnowsEulersEquationsOfAFreeBody) {
  const FreeBody body;
  EXPECT_LT(oracle::euler_lagrange(body.figure, body.motion(1)).relative(), tight);
}
TEST(EulerLagrange, SeesALostGyroscopicTerm) {  // which no energy balance can see
  const FreeBody body;
  EXPECT_GT(oracle::euler_lagrange(body.figure, body.motion(0)).relative(), 1e-2);
  EXPECT_GT(oracle::euler_lagrange(body.figure, body.motion(-1)).relative(), 1e-2);
}
TEST(NewtonEulerSum, FindsNoForceInAFreeJointAndTheWeightInAWeld) {
  const FreeBody body;
  const auto on = oracle::joint_wrenches(body.figure, body.motion(1));
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(on[1].f[k], 0, tight * 30);
    EXPECT_NEAR(on[1].n[k], 0, tight * 30);
  }
  oracle::PlainFigure welded = body.figure;
  welded.links[1].joint = JointType::weld;
  welded.nq = welded.nv = 0;
  const auto held = oracle::joint_wrenches(welded, {{}, {}, {}, {}, {}});
  EXPECT_NEAR(held[1].f[2], FreeBody::m * 9.81, 1e-12);
  EXPECT_NEAR(held[0].f[2], FreeBody::m * 9.81, 1e-12);
  EXPECT_NEAR(held[1].n[1], -FreeBody::m * 9.81 * body.c[0], 1e-12);
}

// ------------------------------------------------------------------------------------ a heavy top on a ball
// joint
//   J ω̇ + ω × J ω = m c × Rᵀ g + τ about the fixed point.
TEST(EulerLagrange, KnowsTheHeavyTop) {
  const double m = 0.8, c[3] = {0, 0, 0.3}, moments[3] = {0.02, 0.03, 0.045};
  const V3 J{moments[0] + m * 0.09, moments[1] + m * 0.09, moments[2]}, w{0.6, -1.3, 12}, tau{0.2, 0.1, -0.3};
  marey::ModelSpec spec;
  spec.links = {link("top", "world", JointType::ball, {0, 0, 1}, {1, 2, 3}, upright(m, c, moments))};
  const auto figure = oracle::plain_figure(spec, marey::freeze(spec));
  const auto turn = figures::Random(6).turn();
  const oracle::M3 R = oracle::rotation_of(turn.w, turn.x, turn.y, turn.z);
  const V3 weight = times(transposed(R), V3{0, 0, -m * 9.81});
  const V3 right =
      plus(tau, minus(crossed(V3{0, 0, 0.3}, weight), crossed(w, V3{J[0] * w[0], J[1] * w[1], J[2] * w[2]})));
  const oracle::Motion motion{{turn.w, turn.x, turn.y, turn.z},
                              {w[0], w[1], w[2]},
                              {right[0] / J[0], right[1] / J[1], right[2] / J[2]},
                              {tau[0], tau[1], tau[2]},
                              {}};
  EXPECT_LT(oracle::euler_lagrange(figure, motion).relative(), tight);
}

// ------------------------------------------------------------------------------------------- the oracles
// together For arbitrary accelerations the Lagrange equations say which τ they need; the sums of Newton and
// Euler say which wrench. The wrench along each freedom must be that τ.
TEST(Oracles, LagrangeAndNewtonAgreeOnRandomFigures) {
  for (int i = 0; i < 40; ++i) {
    const figures::Figure f = figures::random_figure(1000 + i, figures::options_of(i));
    const auto figure = oracle::plain_figure(f.spec, f.model);
    oracle::Motion motion = oracle::motion_of(f, {});
    figures::Random random(i);
    for (double& a : motion.vdot) a = 5 * random.normal();
    motion.tau.assign(motion.tau.size(), 0.0);
    const oracle::Residual needed = oracle::euler_lagrange(figure, motion);
    const auto tau = oracle::along_freedoms(figure, motion, oracle::joint_wrenches(figure, motion));
    for (std::size_t k = 0; k < tau.size(); ++k) EXPECT_NEAR(tau[k], needed.value[k], tight * needed.scale[k]) << i;
  }
}
// The residual is linear in the virtual direction.
TEST(Oracles, RandomDirectionsCombineTheCoordinates) {
  const figures::Figure f = figures::random_figure(3, {12, figures::Tree::random});
  const auto figure = oracle::plain_figure(f.spec, f.model);
  oracle::Motion motion = oracle::motion_of(f, {});
  figures::Random random(4);
  for (double& a : motion.vdot) a = random.normal();
  const oracle::Residual all = oracle::euler_lagrange(figure, motion);
  std::vector<double> u(motion.v.size());
  double expected = 0;
  for (std::size_t k = 0; k < u.size(); ++k) expected += (u[k] = random.normal()) * all.value[k];
  const oracle::Residual one = oracle::residual_along(figure, motion, {u});
  EXPECT_NEAR(one.value[0], expected, tight * one.scale[0]);
}

}  // namespace
