// The free symmetric top, whose motion is known in sines and cosines. Moments (A, A, C) about the mass centre, no torque:
//   λ = (C − A)/A ω₃,   ω_B(t) = (ω⊥ cos λt, ω⊥ sin λt, ω₃),   ω̇_B = λ (−ω₂, ω₁, 0)                              (1)
//   H = R_WB (A ω₁, A ω₂, C ω₃) is fixed in space, and ω_W = H/A − λ e₃, hence
//   R_WB(t) = Rot(H/|H|, |H| t/A) R_WB(0) Rot(e₃, −λt)                                                            (2)
// A lost or turned gyroscopic term shows here and in no account of energy.
#include <gtest/gtest.h>

#include <cmath>

#include "support/figures.h"
#include "support/oracle_input.h"
#include "support/solvers.h"

namespace {

using marey::JointType;
using oracle::inner, oracle::times, oracle::M3, oracle::V3;

constexpr double A = 0.31, C = 0.12, spin = 7.0, across = 2.5;
constexpr double lambda = (C - A) / A * spin;

struct Attitude {
  M3 R;
  V3 w;
};
Attitude exact(const M3& R0, double t) {
  const V3 H = times(R0, V3{A * across, 0, C * spin});
  const double h = std::sqrt(inner(H, H));
  const M3 precession = oracle::rotation_of(oracle::scaled(1 / h, H), h * t / A);
  return {times(precession, times(R0, oracle::rotation_of(V3{0, 0, 1}, -lambda * t))),
          {across * std::cos(lambda * t), across * std::sin(lambda * t), spin}};
}
// The quaternion of a rotation whose angle is not near π.
std::array<double, 4> quaternion_of(const M3& R) {
  const double w = std::sqrt(1 + R[0][0] + R[1][1] + R[2][2]) / 2, s = 1 / (4 * w);
  return {w, s * (R[2][1] - R[1][2]), s * (R[0][2] - R[2][0]), s * (R[1][0] - R[0][1])};
}

// The top as one link, and cut in two halves welded together: the same motion.
marey::ModelSpec top(JointType joint, bool halved) {
  marey::ModelSpec spec;
  spec.gravity = {0, 0, 0};
  marey::LinkSpec body;
  body.name = "top", body.joint = joint;
  const double share = halved ? 0.5 : 1;
  body.inertia =
      figures::body(3 * share, {0, 0, 0}, {A * share, A * share, C * share}, marey::Mat3<double>::identity());
  spec.links = {body};
  if (halved) {
    body.name = "other half", body.parent = "top", body.joint = JointType::weld;
    spec.links.push_back(body);
  }
  return spec;
}

TEST(SymmetricTop, EverySolverGivesTheAccelerationOfTheClosedForm) {
  const auto turn = figures::Random(3).turn();
  const M3 R0 = oracle::rotation_of(turn.w, turn.x, turn.y, turn.z);
  for (const JointType joint : {JointType::ball, JointType::free})
    for (const bool halved : {false, true}) {
      const marey::ModelSpec spec = top(joint, halved);
      for (int k = 0; k < 20; ++k) {
        figures::Figure f{spec, marey::freeze(spec), {}, {}, {}};
        f.state = marey::neutral_state(f.model);
        const Attitude at = exact(R0, 0.1 * k);
        if (1 + at.R[0][0] + at.R[1][1] + at.R[2][2] < 0.1) continue;  // an attitude near π has no simple quaternion
        const auto q = quaternion_of(at.R);
        for (int j = 0; j < 4; ++j) f.state.q[j] = q[j];
        for (int j = 0; j < 3; ++j) f.state.v[j] = at.w[j];
        std::vector<std::vector<double>> answers{figures::dense_accelerations(f)};
        for (marey::Dynamics solver : figures::solvers_for(f.model))
          answers.push_back(figures::accelerations(solver, f.model, figures::input_of<double>(f)));
        for (const auto& vdot : answers) {
          EXPECT_NEAR(vdot[0], -lambda * at.w[1], 1e-12);  // (1)
          EXPECT_NEAR(vdot[1], lambda * at.w[0], 1e-12);
          EXPECT_NEAR(vdot[2], 0, 1e-12);
        }
      }
    }
}

}  // namespace
