// R9's three-link figure with wobbling masses against its own equations of motion, (4.5), written out here and nowhere else, as
// corrected (docs/theory/soft-tissue.md): fourteen coordinates, solved as one system, by another integrator.
//
// The paper's plane is Marey's plane x = 0: its x is y, its z is z. φ_i is the direction of a segment from the horizontal, turning from
// x to z, so that φ_i = 90° + the turn of Marey's link about x; torques are about the paper's y, which is Marey's −x.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "marey/io/scene.h"
#include "marey/simulation.h"

namespace three_links_test {

using namespace marey;

constexpr double m = 75, g = 9.81;
constexpr std::array<double, 3> l{0.43, 0.45, 0.75};
constexpr std::array<double, 3> ms{0.25 * 0.12 * m, 0.25 * 0.22 * m, 0.5 * 0.66 * m};
constexpr std::array<double, 3> mw{0.75 * 0.12 * m, 0.75 * 0.22 * m, 0.5 * 0.66 * m};
constexpr std::array<double, 3> th_s{2 * 0.00023 * m, 2 * 0.00047 * m, 0.00845 * m};
constexpr std::array<double, 3> th_w{2 * 0.00073 * m, 2 * 0.00152 * m, 0.03380 * m};
// Coupling: c_l, c_t (N/m³), d_l, d_t (N s/m), a (N m/rad), b (N m s/rad)
struct Coupling {
  double cl, ct, dl, dt, a, b;
};
constexpr std::array<Coupling, 3> coupling{
    {{3e7, 1e7, 300, 200, 300, 5}, {5e7, 2e7, 500, 300, 600, 9}, {9e7, 4e7, 900, 700, 4000, 60}}};

// x_h, z_h, φ, Δx, Δz, Δφ
struct Paper {
  std::array<double, 14> x{}, v{};
};
enum At { heel_x = 0, heel_z = 1, phi = 2, dx = 5, dz = 8, dphi = 11 };

double force_x(double t) { return 300 * std::sin(9 * t); }
double force_z(double t) { return 700 + 500 * std::sin(20 * t); }
double foot(double t) { return 12 * std::sin(15 * t); }
double knee(double t) { return 60 * std::sin(7 * t); }
double hip(double t) { return -40 + 30 * std::sin(11 * t); }

struct Loads {
  bool pushed = true, corrected = true;  // outside forces, gravity and torques; T_corr
};

// (4.5) as corrected.
std::array<double, 14> accelerations(const Paper& s, double t, const Loads& loads) {
  std::array<double, 3> si{}, co{}, Fwx{}, Fwz{}, Tw{}, Tcorr{}, m_of{}, w{};
  for (std::size_t i = 0; i < 3; ++i) {
    si[i] = std::sin(s.x[phi + i]), co[i] = std::cos(s.x[phi + i]), w[i] = s.v[phi + i];
    m_of[i] = ms[i] + mw[i];
    const double X = s.x[dx + i], Z = s.x[dz + i], Xd = s.v[dx + i], Zd = s.v[dz + i];
    const double along = co[i] * X + si[i] * Z, across = -si[i] * X + co[i] * Z;
    const double along_rate = co[i] * Xd + si[i] * Zd + w[i] * across;
    const double across_rate = -si[i] * Xd + co[i] * Zd - w[i] * along;
    const Coupling& k = coupling[i];
    const double F_l = k.cl * along * along * along + k.dl * along_rate;      // (4.3b)
    const double F_t = k.ct * across * across * across + k.dt * across_rate;  // (4.3c)
    Fwx[i] = co[i] * F_l - si[i] * F_t, Fwz[i] = si[i] * F_l + co[i] * F_t;
    Tw[i] = k.a * s.x[dphi + i] + k.b * s.v[dphi + i];  // (4.3a)
    Tcorr[i] = loads.corrected ? Z * Fwx[i] - X * Fwz[i] : 0;
  }
  const double on = loads.pushed ? 1 : 0, gravity = on * g;
  const double FGx = on * force_x(t), FGz = on * force_z(t), TG = on * foot(t), T12 = on * knee(t), T23 = on * hip(t);
  std::array<double, 14 * 14> M{};
  std::array<double, 14> r{};
  const auto set = [&](std::size_t row, std::size_t column, double value) { M[row * 14 + column] = value; };
  // The centre of segment i is at the heel plus Σ_j arm(i, j) (cos φ_j, sin φ_j).
  const auto arm = [](std::size_t i, std::size_t j) { return j < i ? l[j] : j == i ? 0.5 * l[j] : 0.0; };
  // (a), (b)
  set(0, heel_x, m), set(1, heel_z, m), r[0] = FGx, r[1] = FGz - m * gravity;
  const std::array<double, 3> K{(m_of[0] + 2 * m_of[1] + 2 * m_of[2]) * l[0] / 2, (m_of[1] + 2 * m_of[2]) * l[1] / 2,
                                m_of[2] * l[2] / 2};
  for (std::size_t i = 0; i < 3; ++i) {
    set(0, phi + i, -K[i] * si[i]), set(1, phi + i, K[i] * co[i]);
    set(0, dx + i, mw[i]), set(1, dz + i, mw[i]);
    r[0] += K[i] * co[i] * w[i] * w[i], r[1] += K[i] * si[i] * w[i] * w[i];
  }
  // (c)
  set(2, phi, -th_s[0]), set(2, dx, ms[0] * l[0] / 2 * si[0]), set(2, dz, -ms[0] * l[0] / 2 * co[0]);
  r[2] = TG - l[0] * si[0] * (FGx + 0.5 * m_of[0] / mw[0] * Fwx[0]) +
         l[0] * co[0] * (FGz + 0.5 * m_of[0] / mw[0] * Fwz[0]) + T12 - Tw[0] + Tcorr[0];
  // (d)
  set(3, phi + 1, -th_s[1]), set(3, dx, ms[0] * l[1] * si[1]), set(3, dz, -ms[0] * l[1] * co[1]);
  set(3, dx + 1, ms[1] * l[1] / 2 * si[1]), set(3, dz + 1, -ms[1] * l[1] / 2 * co[1]);
  r[3] = -l[1] * si[1] * (FGx + m_of[0] / mw[0] * Fwx[0] + 0.5 * m_of[1] / mw[1] * Fwx[1]) +
         l[1] * co[1] * (FGz + m_of[0] / mw[0] * Fwz[0] + 0.5 * m_of[1] / mw[1] * Fwz[1]) - T12 + T23 - Tw[1] +
         Tcorr[1];
  // (e)
  set(4, phi + 2, -th_s[2]), set(4, dx + 2, -ms[2] * l[2] / 2 * si[2]), set(4, dz + 2, ms[2] * l[2] / 2 * co[2]);
  r[4] = l[2] / 2 * m_of[2] / mw[2] * (si[2] * Fwx[2] - co[2] * Fwz[2]) - T23 - Tw[2] + Tcorr[2];
  // (f)–(k), (l)–(n)
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t x = 5 + 2 * i, z = x + 1, turn = 11 + i;
    set(x, heel_x, 1), set(z, heel_z, 1), set(x, dx + i, 1), set(z, dz + i, 1);
    r[x] = -Fwx[i] / mw[i], r[z] = -Fwz[i] / mw[i] - gravity;
    for (std::size_t j = 0; j <= i; ++j) {
      set(x, phi + j, -arm(i, j) * si[j]), set(z, phi + j, arm(i, j) * co[j]);
      r[x] += arm(i, j) * co[j] * w[j] * w[j], r[z] += arm(i, j) * si[j] * w[j] * w[j];
    }
    set(turn, phi + i, -th_w[i]), set(turn, dphi + i, -th_w[i]);
    r[turn] = Tw[i];
  }
  // Gauss's elimination, with pivots.
  for (std::size_t c = 0; c < 14; ++c) {
    std::size_t p = c;
    for (std::size_t i = c + 1; i < 14; ++i)
      if (std::abs(M[i * 14 + c]) > std::abs(M[p * 14 + c])) p = i;
    for (std::size_t k = 0; k < 14; ++k) std::swap(M[c * 14 + k], M[p * 14 + k]);
    std::swap(r[c], r[p]);
    for (std::size_t i = c + 1; i < 14; ++i) {
      const double f = M[i * 14 + c] / M[c * 14 + c];
      if (f == 0) continue;
      for (std::size_t k = c; k < 14; ++k) M[i * 14 + k] -= f * M[c * 14 + k];
      r[i] -= f * r[c];
    }
  }
  for (std::size_t c = 14; c-- > 0;) {
    for (std::size_t k = c + 1; k < 14; ++k) r[c] -= M[c * 14 + k] * r[k];
    r[c] /= M[c * 14 + c];
  }
  return r;
}

Paper advanced(Paper s, double duration, int steps, const Loads& loads) {
  const double h = duration / steps;
  for (int n = 0; n < steps; ++n) {  // the classical method of fourth order
    const double t = n * h;
    const auto moved = [&](const std::array<double, 14>& v, const std::array<double, 14>& a, double by) {
      Paper p = s;
      for (std::size_t i = 0; i < 14; ++i) p.x[i] += by * v[i], p.v[i] += by * a[i];
      return p;
    };
    const auto a1 = accelerations(s, t, loads);
    const Paper p2 = moved(s.v, a1, h / 2);
    const auto a2 = accelerations(p2, t + h / 2, loads);
    const Paper p3 = moved(p2.v, a2, h / 2);
    const auto a3 = accelerations(p3, t + h / 2, loads);
    const Paper p4 = moved(p3.v, a3, h);
    const auto a4 = accelerations(p4, t + h, loads);
    for (std::size_t i = 0; i < 14; ++i) {
      s.x[i] += h / 6 * (s.v[i] + 2 * p2.v[i] + 2 * p3.v[i] + p4.v[i]);
      s.v[i] += h / 6 * (a1[i] + 2 * a2[i] + 2 * a3[i] + a4[i]);
    }
  }
  return s;
}

// About the heel's plane: ∫ (x dm v_z − z dm v_x), from x to z.
double angular_momentum(const Paper& s) {
  double L = 0, x = s.x[heel_x], z = s.x[heel_z], vx = s.v[heel_x], vz = s.v[heel_z];
  for (std::size_t i = 0; i < 3; ++i) {
    const double c = std::cos(s.x[phi + i]), n = std::sin(s.x[phi + i]), w = s.v[phi + i], half = l[i] / 2;
    const double cx = x + half * c, cz = z + half * n, cvx = vx - half * n * w, cvz = vz + half * c * w;
    const double wx = cx + s.x[dx + i], wz = cz + s.x[dz + i], wvx = cvx + s.v[dx + i], wvz = cvz + s.v[dz + i];
    L += ms[i] * (cx * cvz - cz * cvx) + th_s[i] * w + mw[i] * (wx * wvz - wz * wvx) + th_w[i] * (w + s.v[dphi + i]);
    x += l[i] * c, z += l[i] * n, vx -= l[i] * n * w, vz += l[i] * c * w;
  }
  return L;
}

// ---- the same in Marey
std::string wobble(std::size_t i) {
  const Coupling& k = coupling[i];
  return fmt::format(
      "{{stiffness: {{along: {}, across: {}}}, damping: {{along: {}, across: {}}}, turning_stiffness: {}, "
      "turning_damping: {}}}",
      k.cl, k.ct, k.dl, k.dt, k.a, k.b);
}
Scene scene(bool pushed, const std::string& solver = "{integrator: rk45, tolerance: 1e-13}") {
  const std::string loads = R"yaml(
torques:
  - torque: {joint: r.thighs, value: "60 * sin(7 * t)"}
  - torque: {joint: r.trunk, value: "-40 + 30 * sin(11 * t)"}
forces:
  - push: {link: r.shanks, force: [0, "300 * sin(9 * t)", "700 + 500 * sin(20 * t)"], torque: ["-12 * sin(15 * t)", 0, 0]}
)yaml";
  return parse_scene(fmt::format(R"(marey: 1
duration: 1 s
gravity: {}
solver: {}
figures:
  r:
    human: {{mass: {}, source: ruder, form: three_links, limits: none, wobble: true}}
    links:
      shanks: {{wobble: {}, start: {{coordinates: {{angle: 9 deg}}, rates: {{angle: 1.1, along: 0.4, across: -0.6}}}}}}
      thighs: {{wobble: {}, start: {{angle: -33 deg, rate: -2}}}}
      trunk: {{wobble: {}, start: {{angle: 25 deg, rate: 3}}}}
{})",
                                 pushed ? g : 0, solver, m, wobble(0), wobble(1), wobble(2), pushed ? loads : ""),
                     "test.yaml");
}
// Tissues that begin beside their places, and move.
void disturb(Scene& s) {
  double k = 0;
  for (const char* name : {"r.shanks_tissue", "r.thighs_tissue", "r.trunk_tissue"}) {
    const LinkTopology& link = s.model.links[static_cast<std::size_t>(s.model.find(name))];
    for (int i = 0; i < 3; ++i) {
      s.start.q[static_cast<std::size_t>(link.q + i)] = 0.02 * std::sin(1 + k);
      s.start.v[static_cast<std::size_t>(link.v + i)] = 0.5 * std::cos(2 + k);
      ++k;
    }
  }
}
Paper paper_state(const Simulation& s) {
  Paper p;
  const Model& model = s.system().scene().model;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string name = std::array{"r.shanks", "r.thighs", "r.trunk"}[i];
    const int link = model.find(name), tissue = model.find(name + "_tissue");
    const Transform<double> X = s.pose(link), Y = s.pose(tissue);
    const Twist<double> V = s.velocity(link), U = s.velocity(tissue);
    const auto turn = [](const Mat3<double>& R) { return std::atan2(R.zy, R.yy); };
    if (i == 0) p.x[0] = X.p.y, p.x[1] = X.p.z, p.v[0] = V.v.y, p.v[1] = V.v.z;
    p.x[phi + i] = std::numbers::pi / 2 + turn(X.R), p.v[phi + i] = V.w.x;
    const Vec3<double> r = X.R * Vec3<double>{0, 0, l[i] / 2}, d = Y.p - X.p - r, rate = U.v - V.v - cross(V.w, r);
    p.x[dx + i] = d.y, p.x[dz + i] = d.z, p.v[dx + i] = rate.y, p.v[dz + i] = rate.z;
    p.x[dphi + i] = turn(Y.R) - turn(X.R), p.v[dphi + i] = U.w.x - V.w.x;
  }
  return p;
}
// Angles may differ by whole turns.
double difference(const Paper& a, const Paper& b) {
  constexpr double turn = 2 * std::numbers::pi;
  double most = 0;
  for (std::size_t i = 0; i < 14; ++i) {
    const bool angle = (i >= phi && i < dx) || i >= dphi;
    const double x = a.x[i] - b.x[i];
    most = std::max({most, std::abs(angle ? std::remainder(x, turn) : x), std::abs(a.v[i] - b.v[i])});
  }
  return most;
}

TEST(ThreeLinks, MoveByTheirOwnEquationsAsCorrected) {
  Scene s = scene(true);
  disturb(s);
  Simulation simulation(s);
  const Paper start = paper_state(simulation);
  constexpr double duration = 0.2;
  simulation.run_until(duration);
  const Paper found = paper_state(simulation), known = advanced(start, duration, 4000, {}),
              coarser = advanced(start, duration, 2000, {});
  std::printf("apart by %.1e m, rad, m/s, rad/s after %g s; (4.5) with twice the step by %.1e\n",
              difference(found, known), duration, difference(coarser, known));
  EXPECT_LE(difference(found, known), 1e-9);
  EXPECT_LE(difference(coarser, known), 16 * 1e-9) << "of fourth order";
  EXPECT_GT(difference(found, start), 1) << "and something happened";
}

// By all solvers, each of whose steps is the same step.
TEST(ThreeLinks, MoveAlikeWithEverySolver) {
  for (const char* dynamics : {"aba", "crba", "dense", "multipliers"}) {
    Scene s = scene(true, fmt::format("{{dynamics: {}, integrator: rk45, tolerance: 1e-12}}", dynamics));
    disturb(s);
    Simulation simulation(s);
    const Paper start = paper_state(simulation);
    simulation.run_until(0.05);
    const double off = difference(paper_state(simulation), advanced(start, 0.05, 1000, {}));
    std::printf("%s: %.1e\n", dynamics, off);
    EXPECT_LE(off, 1e-9) << dynamics;
  }
}

// Alone in space: with T_corr angular momentum stays, in the paper's equations and in Marey; without it, as printed, it does not.
TEST(ThreeLinks, KeepTheirAngularMomentumOnlyWithTcorr) {
  Scene s = scene(false);
  disturb(s);
  Simulation simulation(s);
  const Paper start = paper_state(simulation);
  const double L = angular_momentum(start), size = std::abs(L);
  const double with = angular_momentum(advanced(start, 0.2, 2000, {.pushed = false}));
  const double without = angular_momentum(advanced(start, 0.2, 2000, {.pushed = false, .corrected = false}));
  simulation.run_until(0.2);
  const double marey = angular_momentum(paper_state(simulation));
  std::printf("angular momentum %.3f; changes with T_corr %.1e, without %.1e, in Marey %.1e\n", L, with - L,
              without - L, marey - L);
  EXPECT_LE(std::abs(with - L), 1e-10 * size);
  EXPECT_LE(std::abs(marey - L), 1e-10 * size);
  EXPECT_GT(std::abs(without - L), 1e-4 * size);
  const Ledger ledger = simulation.ledger();
  EXPECT_LE(ledger.energy_residual_relative, 1e-10);
}

}  // namespace three_links_test
