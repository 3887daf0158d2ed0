// Andrews' squeezing mechanism against its own equations of motion, in extended precision.
//
// The mechanism is plane: every point is a sum of bars, p = p₀ + Σ_j R(θ_j) a_j with θ_j = σ_j · q, so that
//   ∂p/∂q_k = Σ_j σ_jk R′(θ_j) a_j        p̈ = J q̈ − Σ_j θ̇_j² R(θ_j) a_j                                              (1)
// With the centres of mass c_b and the turns θ_b of the seven bodies, the loops g(q) = 0 and their multipliers
//   Σ m J_cᵀ c̈ + I θ_bᵀ θ̈ = Q + Gᵀ λ        G q̈ = −Ġ v                                                              (2)
// a dense system of 13 unknowns in `long double` (64 bits of mantissa), integrated by extrapolation of the midpoint rule
// (Gragg, Bulirsch and Stoer). Nothing here is shared with the engine.
//
// Data and printed angles: E. Hairer and G. Wanner, Solving Ordinary Differential Equations II, VII.7; F. Mazzia and C. Magherini,
// Test Set for Initial Value Problem Solvers, release 2.4, Andrews' squeezing mechanism. The printed angles at 30 ms were
// computed in 64 bits and are those of an instant 1.0e-12 s later: at 1,100 rad/s that is the tenth digit of the first.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

#include "support/recorded.h"

namespace {

using Real = long double;
constexpr int n = 7, m = 6;  // angles β, Θ, γ, Φ, δ, Ω, ε; equations of three loops
using Angles = std::array<Real, n>;

struct Bar {
  std::array<int, n> sigma;
  Real x, y;
};
struct Point {
  Real x, y;
  std::vector<Bar> bars;
};
constexpr std::array<int, n> k1{1}, k2{1, 1}, k3{0, 0, 1}, k4{0, 0, 0, 1, 1}, k5{0, 0, 0, 0, 1},
    k6{0, 0, 0, 0, 0, 1, 1}, k7{0, 0, 0, 0, 0, 0, 1};
constexpr Real xa = -0.06934L, ya = -0.00227L, xb = -0.03635L, yb = 0.03273L, xc = 0.014L, yc = 0.072L;

struct Body {
  Point centre;
  std::array<int, n> turn;
  Real mass, inertia;
};
const std::array<Body, n>& bodies() {
  static const std::array<Body, n> all{{
      {{0, 0, {{k1, 0.00092L, 0}}}, k1, 0.04325L, 2.194e-6L},
      {{0, 0, {{k1, 0.007L, 0}, {k2, -0.0115L, 0}}}, k2, 0.00365L, 4.410e-7L},
      {{xb, yb, {{k3, 0.01874L, -0.01043L}}}, k3, 0.02373L, 5.255e-6L},
      {{xa, ya, {{k5, 0.04L, 0}, {k4, 0, -0.00579L}}}, k4, 0.00706L, 5.667e-7L},
      {{xa, ya, {{k5, 0.02308L, 0.00916L}}}, k5, 0.07050L, 1.169e-5L},
      {{xa, ya, {{k7, 0, -0.04L}, {k6, 0.00579L, 0}}}, k6, 0.00706L, 5.667e-7L},
      {{xa, ya, {{k7, 0.01228L, -0.00449L}}}, k7, 0.05498L, 1.912e-5L},
  }};
  return all;
}
// Where four bodies meet, reached by k2 and three other ways.
const Point& meeting() {
  static const Point p{0, 0, {{k1, 0.007L, 0}, {k2, -0.028L, 0}}};
  return p;
}
const std::array<Point, 3>& other_ways() {
  static const std::array<Point, 3> all{{{xb, yb, {{k3, 0, -0.035L}}},
                                         {xa, ya, {{k5, 0.04L, 0}, {k4, 0, -0.02L}}},
                                         {xa, ya, {{k7, 0, -0.04L}, {k6, 0.02L, 0}}}}};
  return all;
}

Real turned(const std::array<int, n>& sigma, const Angles& q) {
  Real sum = 0;
  for (int k = 0; k < n; ++k) sum += sigma[k] * q[k];
  return sum;
}

// (1): place, Jacobian and what velocities alone give the acceleration.
struct Seen {
  Real x, y;
  Angles Jx{}, Jy{};
  Real bx = 0, by = 0;
};
Seen look(const Point& p, const Angles& q, const Angles& v) {
  Seen s{p.x, p.y};
  for (const Bar& bar : p.bars) {
    const Real angle = turned(bar.sigma, q), rate = turned(bar.sigma, v), c = std::cos(angle), d = std::sin(angle);
    const Real x = c * bar.x - d * bar.y, y = d * bar.x + c * bar.y;
    s.x += x, s.y += y;
    s.bx -= rate * rate * x, s.by -= rate * rate * y;
    for (int k = 0; k < n; ++k) s.Jx[k] -= bar.sigma[k] * y, s.Jy[k] += bar.sigma[k] * x;
  }
  return s;
}

// Gauss with row pivots; the matrix and the right-hand side are used up.
template <std::size_t N>
void solve(std::array<std::array<Real, N>, N>& A, std::array<Real, N>& b) {
  for (std::size_t k = 0; k < N; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < N; ++i)
      if (std::abs(A[i][k]) > std::abs(A[best][k])) best = i;
    std::swap(A[k], A[best]), std::swap(b[k], b[best]);
    for (std::size_t i = k + 1; i < N; ++i) {
      const Real f = A[i][k] / A[k][k];
      if (f == 0) continue;
      for (std::size_t j = k; j < N; ++j) A[i][j] -= f * A[k][j];
      b[i] -= f * b[k];
    }
  }
  for (std::size_t i = N; i-- > 0;) {
    for (std::size_t j = i + 1; j < N; ++j) b[i] -= A[i][j] * b[j];
    b[i] /= A[i][i];
  }
}

void add_forces(const Angles& q, const Angles& v, std::array<Real, n + m>& rhs) {
  rhs[0] += 0.033L;  // the motor, N m
  const Seen hook = look({xb, yb, {{k3, 0.02L, -0.018L}}}, q, v);
  const Real dx = hook.x - xc, dy = hook.y - yc, length = std::hypot(dx, dy);
  const Real pull = -4530 * (length - 0.07785L) / length;
  for (int k = 0; k < n; ++k) rhs[k] += pull * (hook.Jx[k] * dx + hook.Jy[k] * dy);
}

// (2)
Angles acceleration(const Angles& q, const Angles& v) {
  std::array<std::array<Real, n + m>, n + m> A{};
  std::array<Real, n + m> rhs{};
  for (const Body& body : bodies()) {
    const Seen c = look(body.centre, q, v);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j)
        A[i][j] += body.mass * (c.Jx[i] * c.Jx[j] + c.Jy[i] * c.Jy[j]) + body.inertia * body.turn[i] * body.turn[j];
      rhs[i] -= body.mass * (c.Jx[i] * c.bx + c.Jy[i] * c.by);
    }
  }
  add_forces(q, v, rhs);
  const Seen met = look(meeting(), q, v);
  for (int l = 0; l < 3; ++l) {
    const Seen other = look(other_ways()[l], q, v);
    for (int k = 0; k < n; ++k) {
      A[n + 2 * l][k] = A[k][n + 2 * l] = met.Jx[k] - other.Jx[k];
      A[n + 2 * l + 1][k] = A[k][n + 2 * l + 1] = met.Jy[k] - other.Jy[k];
    }
    rhs[n + 2 * l] = other.bx - met.bx, rhs[n + 2 * l + 1] = other.by - met.by;
  }
  solve(A, rhs);
  Angles out;
  std::copy_n(rhs.begin(), n, out.begin());
  return out;
}

using Phase = std::array<Real, 2 * n>;  // q and v
Phase rate(const Phase& x) {
  Angles q, v;
  std::copy_n(x.begin(), n, q.begin()), std::copy_n(x.begin() + n, n, v.begin());
  const Angles a = acceleration(q, v);
  Phase out;
  std::copy_n(v.begin(), n, out.begin()), std::copy_n(a.begin(), n, out.begin() + n);
  return out;
}
Phase moved(const Phase& x, Real h, const Phase& f) {
  Phase out;
  for (int i = 0; i < 2 * n; ++i) out[i] = x[i] + h * f[i];
  return out;
}
// Gragg's midpoint rule with `parts` steps, whose error has even powers alone.
Phase midpoint(const Phase& x, Real h, int parts) {
  Phase before = x, now = moved(x, h / parts, rate(x));
  for (int i = 1; i < parts; ++i) {
    const Phase next = moved(before, 2 * h / parts, rate(now));
    before = now, now = next;
  }
  const Phase f = rate(now);
  for (int i = 0; i < 2 * n; ++i) now[i] = (now[i] + before[i] + h / parts * f[i]) / 2;
  return now;
}
Phase extrapolated(const Phase& x, Real h, int columns) {
  std::vector<Phase> T;
  for (int j = 0; j < columns; ++j) {
    T.push_back(midpoint(x, h, 2 * (j + 1)));
    for (int k = j - 1; k >= 0; --k) {
      const Real ratio = Real(j + 1) / (k + 1), factor = ratio * ratio - 1;
      for (int i = 0; i < 2 * n; ++i) T[k][i] = T[k + 1][i] + (T[k + 1][i] - T[k][i]) / factor;
    }
  }
  return T[0];
}
Phase after_30_ms(int steps) {
  Phase x{-0.0617138900142764496L, 0,
          0.455279819163070380L,   0.222668390165885885L,
          0.487364979543842550L,   -0.222668390165885885L,
          1.23054744454982119L};
  for (int i = 0; i < steps; ++i) x = extrapolated(x, 0.03L / steps, 8);
  return x;
}

TEST(SqueezingMechanism, TwelveDigitsOfItsOwnEquations) {
  const Phase coarse = after_30_ms(300), exact = after_30_ms(450);
  for (int i = 0; i < n; ++i) ASSERT_LT(std::abs(coarse[i] - exact[i]), 1e-14L) << i;

  marey::Scene scene = marey::load_scene(MAREY_SOURCE_DIR "/gallery/squeezing-mechanism.yaml");
  scene.solver.tolerance = 1e-14;
  recorded::Memory run;
  run.summary = marey::run(scene, run);
  ASSERT_EQ(run.summary.breakdown, "");
  EXPECT_TRUE(run.summary.ledger.closed);
  const std::size_t last = run.rows.size() - 1;
  ASSERT_NEAR(run.time(last), 0.03, 1e-15);

  struct Name {
    const char *link, *symbol;
    Real printed;
  };
  const Name names[n] = {{"k1", "beta", 0.1581077119629904e+2L},   {"k2", "Theta", -0.1575637105984298e+2L},
                         {"k3", "gamma", 0.4082224013073101e-1L},  {"k4", "Phi", -0.5347301163226948e+0L},
                         {"k5", "delta", 0.5244099658805304e+0L},  {"k6", "Omega", 0.5347301163226948e+0L},
                         {"k7", "epsilon", 0.1048080741042263e+1L}};
  std::printf("angle      its own equations     less Marey  less the printed\n");
  for (int i = 0; i < n; ++i) {
    const double found = run.number(std::string("joint/squeezer.") + names[i].link + "/angle", last);
    std::printf("%-8s %20.16Lf  %11.1Le  %16.1Le\n", names[i].symbol, exact[i], exact[i] - found,
                exact[i] - names[i].printed);
    EXPECT_NEAR(found, static_cast<double>(exact[i]), 5e-13 * std::max(1.0, std::abs(found))) << names[i].symbol;
    EXPECT_LT(std::abs(exact[i] - names[i].printed), 1.5e-10L * std::max(Real(1), std::abs(exact[i])))
        << names[i].symbol;
  }
}

}  // namespace
