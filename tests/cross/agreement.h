// Marey's solvers against another engine on random figures.
//
// The engine and Marey each work with rounded numbers: with u = 2⁻⁵³, n links and κ the condition number of M, what they
// compute may differ by
//   mass matrix       |ΔM|  ≤ c n u |M|
//   inverse dynamics  |Δτ|  ≤ c n u (|M| |v̇| + |b|)    b = τ for v̇ = 0
//   forward dynamics  |Δv̇|  ≤ 20 κ u' |v̇|              u' = 2⁻⁵²: each may be 10 κ u' from the truth
//   backward error    |M v̇ + b − τ| ≤ c n u (|M| |v̇| + |b| + |τ|)
// in the largest norm; c = 20 leaves room for the products each entry is made of.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "../../bench/peers/from_model.h"
#include "../../bench/peers/peer.h"
#include "marey/dynamics.h"
#include "marey/dynamics/dense_algebra.h"
#include "support/random_figure.h"

namespace cross {

using Numbers = std::vector<double>;
using marey::peers::Peer;
using marey::peers::PeerTask;

inline double largest(const Numbers& a) {
  double most = 0;
  for (double x : a) most = std::isfinite(x) ? std::max(most, std::abs(x)) : std::numeric_limits<double>::infinity();
  return most;
}
inline double difference(const Numbers& a, const Numbers& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  Numbers d(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) d[i] = a[i] - b[i];
  return largest(d);
}

// One figure in one state, with all that Marey says about it.
struct Marey {
  explicit Marey(const figures::Figure& f) : model(f.model), q(f.state.q), v(f.state.v), tau(f.tau) {
    const auto n = static_cast<std::size_t>(model.nv);
    figures::Random random(99);
    vdot_asked.resize(n);
    for (double& a : vdot_asked) a = 5 * random.normal();
    bias = inverse(Numbers(n, 0));
    tau_needed = inverse(vdot_asked);
    marey::CrbaWorkspace<double> workspace(model);
    marey::mass_matrix<double>(model, model.params, q, workspace);
    M = workspace.M;
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t c = r + 1; c < n; ++c) M[r * n + c] = M[c * n + r];
  }

  Numbers inverse(const Numbers& vdot) const {
    marey::RneaWorkspace<double> workspace(model);
    Numbers out(vdot.size());
    marey::rnea<double>(model, model.params, q, v, vdot, {}, workspace, out);
    return out;
  }
  Numbers aba() const {
    marey::AbaWorkspace<double> workspace(model);
    return solved([&](const auto& forces, std::span<double> out) {
      marey::aba<double>(model, model.params, q, v, forces, workspace, out);
    });
  }
  Numbers crba() const {
    marey::CrbaWorkspace<double> workspace(model);
    return solved([&](const auto& forces, std::span<double> out) {
      marey::crba<double>(model, model.params, q, v, forces, workspace, out);
    });
  }
  Numbers armstrong() const {
    marey::ArmstrongWorkspace<double> workspace(model);
    return solved([&](const auto& forces, std::span<double> out) {
      marey::armstrong<double>(model, model.params, q, v, forces, workspace, out);
    });
  }
  Numbers dense() const {
    return solved(
        [&](const auto& forces, std::span<double> out) { marey::dense(model, model.params, q, v, forces, out); });
  }
  double condition() const {
    marey::Matrix matrix(model.nv, model.nv);
    std::copy(M.begin(), M.end(), matrix.data());
    const marey::Vector values = eigenvalues(matrix);
    return values[model.nv - 1] / values[0];
  }
  // |M| |v̇|, the size of what is summed up in M v̇: by the largest row sum.
  double inertial(const Numbers& vdot) const {
    double row_sum = 0;
    const auto n = static_cast<std::size_t>(model.nv);
    for (std::size_t r = 0; r < n; ++r) {
      double sum = 0;
      for (std::size_t c = 0; c < n; ++c) sum += std::abs(M[r * n + c]);
      row_sum = std::max(row_sum, sum);
    }
    return row_sum * largest(vdot);
  }

  const marey::Model& model;
  const Numbers &q, &v, &tau;
  Numbers vdot_asked, tau_needed, bias;
  Numbers M;  // full

 private:
  template <class Solver>
  Numbers solved(const Solver& solver) const {
    Numbers vdot(static_cast<std::size_t>(model.nv));
    solver(marey::Forces<double>{tau, {}}, std::span<double>(vdot));
    return vdot;
  }
};

// How near to its bound each comparison came, at worst.
struct Record {
  double mass_matrix = 0, inverse = 0, backward = 0, forward = 0, condition = 0;
  int held = 0, refused = 0, by_armstrong = 0;
};

inline constexpr double unit = 0x1p-53;
inline constexpr double rounding = 20;  // c

// value ≤ bound, and remembers the ratio.
inline void expect_within(double value, double bound, double& worst, const std::string& what) {
  EXPECT_LE(value, bound) << what;
  worst = std::max(worst, value / bound);
}

inline void compare_forward(const Marey& ours, const Numbers& theirs, int dense_up_to, const std::string& what,
                            Record& record) {
  const double n = static_cast<double>(ours.model.nlink());
  Numbers back = ours.inverse(theirs);
  expect_within(difference(back, ours.tau),
                rounding * n * unit * (ours.inertial(theirs) + largest(ours.bias) + largest(ours.tau)), record.backward,
                what + " backward error");
  const double condition = ours.condition();
  record.condition = std::max(record.condition, condition);
  const double bound = 20 * condition * 2 * unit * largest(theirs);
  expect_within(difference(ours.aba(), theirs), bound, record.forward, what + " aba");
  expect_within(difference(ours.crba(), theirs), bound, record.forward, what + " crba");
  if (ours.model.nlink() <= dense_up_to)
    expect_within(difference(ours.dense(), theirs), bound, record.forward, what + " dense");
  if (marey::armstrong_applies(ours.model)) {
    expect_within(difference(ours.armstrong(), theirs), bound, record.forward, what + " armstrong");
    ++record.by_armstrong;
  }
}

inline void compare(const figures::Figure& figure, Peer& peer, int dense_up_to, const std::string& what,
                    Record& record) {
  if (!peer.load(marey::peers::peer_figure(figure.model))) {
    ASSERT_TRUE(peer.refused()) << what << ": " << peer.why();
    ++record.refused;
    return;
  }
  ++record.held;
  const Marey ours(figure);
  ASSERT_TRUE(peer.set_states({marey::peers::peer_state(ours.q, ours.v, ours.tau, ours.vdot_asked)})) << peer.why();
  const auto tau = peer.ask(PeerTask::inverse, 0);
  const auto vdot = peer.ask(PeerTask::forward, 0);
  ASSERT_TRUE(tau && vdot) << what << ": " << peer.why();
  const double n = static_cast<double>(ours.model.nlink());
  expect_within(difference(ours.tau_needed, *tau),
                rounding * n * unit * (ours.inertial(ours.vdot_asked) + largest(ours.bias)), record.inverse,
                what + " inverse dynamics");
  compare_forward(ours, *vdot, dense_up_to, what, record);
  if (ours.model.nv > 60 && record.held % 8 != 0) return;  // a large matrix is long to tell: every eighth will do
  const auto M = peer.ask(PeerTask::massmatrix, 0);
  ASSERT_TRUE(M) << what << ": " << peer.why();
  expect_within(difference(ours.M, *M), rounding * n * unit * largest(*M), record.mass_matrix, what + " mass matrix");
}

// Figures 0 … count − 1 of the large comparison.
inline Record compare_many(Peer& peer, int count, int dense_up_to) {
  Record record;
  for (int i = 0; i < count && !testing::Test::HasFatalFailure(); ++i) {
    figures::Options options = figures::options_of(i);
    if (options.joints != figures::Joints::balls) options.joints = figures::Joints::common;
    const figures::Figure figure = figures::random_figure(static_cast<std::uint64_t>(i), options);
    if (figure.model.nv == 0) continue;
    compare(figure, peer, dense_up_to, "figure " + std::to_string(i), record);
  }
  std::printf(
      "%s: %d figures held, %d refused, %d of them by armstrong too; largest κ(M) %.1e\n"
      "worst share of its bound: mass matrix %.2g, inverse %.2g, backward error %.2g, forward %.2g\n",
      peer.version().c_str(), record.held, record.refused, record.by_armstrong, record.condition, record.mass_matrix,
      record.inverse, record.backward, record.forward);
  return record;
}

}  // namespace cross
