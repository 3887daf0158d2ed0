// The falling rod: (3.24) against the turning axis, and the impact maps against the printed equations (3.29)–(3.31),
// solved by Gaussian elimination and by scanning for the roots, without the mass matrix of the end.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "marey/closed_form.h"

namespace marey {
namespace closed_rod_test {

using V = Vec3<double>;
constexpr double pi = std::numbers::pi, g = 9.81;
const Rod rod{1.3, 0.9};

RodState some_state(int seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> n;
  RodState s{
      {n(engine), n(engine), n(engine)}, {n(engine), n(engine), n(engine)}, {n(engine), n(engine), n(engine)}, {}};
  s.axis = (1 / norm(s.axis)) * s.axis;
  s.w = 3.0 * without_axial({n(engine), n(engine), n(engine)}, s.axis);
  return s;
}

double angle_difference(double a, double b) { return std::abs(std::remainder(a - b, 2 * pi)); }

// ---- flight
TEST(RodFlight, is_the_motion_of_newton_and_euler) {
  const double h = 1e-4;
  for (int i = 0; i < 20; ++i) {
    const RodState s = some_state(i), before = rod_flight(s, g, 0.7 - h), now = rod_flight(s, g, 0.7),
                   after = rod_flight(s, g, 0.7 + h);
    EXPECT_LT(norm((0.5 / h) * (after.r_c - before.r_c) - now.v_c), 1e-9);
    EXPECT_LT(norm((0.5 / h) * (after.v_c - before.v_c) - V{0, 0, -g}), 1e-9);
    EXPECT_LT(norm((0.5 / h) * (after.axis - before.axis) - cross(now.w, now.axis)), 1e-5);
    EXPECT_NEAR(norm(now.axis), 1, 1e-14);
    EXPECT_NEAR(dot(now.axis, now.w), 0, 1e-13);
    EXPECT_NEAR(rod_energy(rod, now, g), rod_energy(rod, s, g), 1e-13 * (1 + std::abs(rod_energy(rod, s, g))));
  }
}

// (3.24) as printed; with atan2 it also knows the quadrant.
TEST(RodFlight, has_the_printed_tan_alpha_and_cos_beta) {
  for (const double beta_min : {0.1, 0.5, 1.2, pi / 2}) {
    for (const double wt : {-2.5, -1.0, 0.0, 0.4, 1.3, 2.0, 3.1}) {
      const RodAngles a = rod_angles(wt, beta_min);
      EXPECT_NEAR(std::tan(a.alpha) * std::sin(beta_min), std::tan(wt), 1e-11 * (1 + std::abs(std::tan(wt))));
      EXPECT_NEAR(std::cos(a.beta), std::cos(wt) * std::cos(beta_min), 1e-15);
    }
  }
}

TEST(RodFlight, angles_are_those_of_the_turning_axis) {
  std::vector<RodState> states;
  for (int i = 0; i < 30; ++i) states.push_back(some_state(i));
  states.push_back({{}, {}, {0, 0, 1}, {0, 2, 0}});  // turns in a vertical plane
  states.push_back({{}, {}, {0.6, 0, 0.8}, {0, -2, 0}});
  states.push_back({{}, {}, {0.6, 0.8, 0}, {0, 0, 2}});  // in the horizontal one
  states.push_back({{}, {}, {0.6, 0.8, 0}, {0, 0, -2}});
  states.push_back({{}, {}, {0.6, 0, 0.8}, {}});  // not at all
  for (const RodState& s : states) {
    const RodSpin spin = rod_spin(s);
    double smallest = 10;
    for (double t = -3; t < 3; t += 0.0137) {
      const V u = rod_flight(s, g, t).axis;
      const RodAngles a = spin.at(t);
      EXPECT_NEAR(std::cos(a.beta), u.z, 1e-14);
      if (std::hypot(u.x, u.y) > 1e-6) {
        EXPECT_LT(angle_difference(a.alpha, std::atan2(u.y, u.x)), 1e-8);
      }
      smallest = std::min(smallest, a.beta);
    }
    EXPECT_GE(smallest, spin.beta_min - 1e-14);
    if (spin.omega > 2.2) {
      EXPECT_NEAR(smallest, spin.beta_min, 1e-2);
    }
    EXPECT_NEAR(spin.at(spin.t_min).beta, spin.beta_min, 1e-14);
  }
}

// As recorded angles are, the azimuth is continuous and counts whole turns: each turn of a rod in a plane that is not vertical adds
// 2π, in its sense, at any time. Between two looks it turns by no more than ω dt/sin β_min, its rate at the top.
TEST(RodFlight, azimuth_goes_on_without_jumps) {
  for (int i = 0; i < 30; ++i) {
    const RodSpin spin = rod_spin(some_state(i));
    if (!(spin.omega > 0 && spin.beta_min > 0.02)) continue;
    const double turn = 2 * pi / spin.omega, dt = 1e-3 * turn;
    double before = spin.at(-3 * turn).alpha;
    for (double t = -3 * turn; t < 3 * turn; t += dt) {
      const double now = spin.at(t).alpha;
      EXPECT_LE(std::abs(now - before), 1.01 * spin.omega * dt / std::sin(spin.beta_min));
      EXPECT_NEAR(spin.at(t + turn).alpha, now + spin.sense * 2 * pi, 1e-9);
      before = now;
    }
    EXPECT_LE(std::abs(spin.at(0).alpha), pi) << "at the start it is an azimuth as anybody would give it";
  }
}

// ---- impact in the plane, from the print
// Unknowns (Δẋ_c, Δż_c, Δφ̇, c_x, c_z): (3.29a,b,c) and two more rows.
using Row = std::array<double, 6>;
std::array<double, 5> solved(std::array<Row, 5> m) {
  for (int k = 0; k < 5; ++k) {
    int pivot = k;
    for (int i = k + 1; i < 5; ++i)
      if (std::abs(m[i][k]) > std::abs(m[pivot][k])) pivot = i;
    std::swap(m[k], m[pivot]);
    for (int i = 0; i < 5; ++i) {
      if (i == k) continue;
      const double factor = m[i][k] / m[k][k];
      for (int j = k; j < 6; ++j) m[i][j] -= factor * m[k][j];
    }
  }
  std::array<double, 5> x{};
  for (int k = 0; k < 5; ++k) x[k] = m[k][5] / m[k][k];
  return x;
}
struct Printed {
  double xe, ze, half_sin, half_cos;  // velocity of the lower end before, (l/2) sin φ, (l/2) cos φ
  std::array<Row, 3> rows;            // (3.29a,b,c)
  explicit Printed(const PlaneRod& p) {
    half_sin = rod.length / 2 * std::sin(p.phi), half_cos = rod.length / 2 * std::cos(p.phi);
    xe = p.xdot + half_sin * p.phidot, ze = p.zdot - half_cos * p.phidot;  // (3.27)
    const double M = rod.mass, theta = M * rod.length * rod.length / 12;
    rows = {Row{M, 0, 0, -1, 0, 0}, Row{0, M, 0, 0, -1, 0}, Row{0, 0, theta, -half_sin, half_cos, 0}};
  }
  Row end_x(double change) const { return {1, 0, half_sin, 0, 0, change}; }   // Δẋ_e
  Row end_z(double change) const { return {0, 1, -half_cos, 0, 0, change}; }  // Δż_e
};
const std::vector<PlaneRod> hits = {{0, 1, 0.7, 0.5, -3, 2},
                                    {0, 1, 1.4, -2, -1, 0},
                                    {0, 1, 0.2, 0, -2, -1},
                                    {0, 1, 2.5, 1, -2, 1},
                                    {0, 1, pi / 2, 1, -2, 1}};

void expect_change(const PlaneRod& p, RodImpact kind, const std::array<double, 5>& x) {
  const RodImpactResult r = rod_impact(rod, rod_in_space(p), RodEnd::lower, kind);
  const PlaneRod after = plane_rod(r.after);
  EXPECT_NEAR(after.xdot - p.xdot, x[0], 1e-13);
  EXPECT_NEAR(after.zdot - p.zdot, x[1], 1e-13);
  EXPECT_NEAR(after.phidot - p.phidot, x[2], 1e-12);
  EXPECT_NEAR(r.impulse.x, x[3], 1e-13);
  EXPECT_NEAR(r.impulse.z, x[4], 1e-13);
  EXPECT_EQ(r.impulse.y, 0);
  const double lost = rod_energy(rod, rod_in_space(p), g) - rod_energy(rod, r.after, g);
  EXPECT_NEAR(r.energy_lost, lost, 1e-13);
}

TEST(RodImpactMap, inelastic_solves_3_31) {
  for (const PlaneRod& p : hits) {
    const Printed e(p);
    expect_change(p, RodImpact::inelastic, solved({e.rows[0], e.rows[1], e.rows[2], e.end_x(-e.xe), e.end_z(-e.ze)}));
    const RodImpactResult r = rod_impact(rod, rod_in_space(p), RodEnd::lower, RodImpact::inelastic);
    EXPECT_LT(norm(rod_end_velocity(rod, r.after, RodEnd::lower)), 1e-14);
    EXPECT_GT(r.energy_lost, 0);
  }
}

TEST(RodImpactMap, elastic_solves_3_30_with_each_of_its_roots) {
  for (const PlaneRod& p : hits) {
    const Printed e(p);
    expect_change(p, RodImpact::elastic_smooth,
                  solved({e.rows[0], e.rows[1], e.rows[2], Row{0, 0, 0, 1, 0, 0}, e.end_z(-2 * e.ze)}));
    expect_change(p, RodImpact::elastic_reversing,
                  solved({e.rows[0], e.rows[1], e.rows[2], e.end_x(-2 * e.xe), e.end_z(-2 * e.ze)}));
  }
}

// With (3.29) and (3.30b) the energy is a quadratic in c_x: it is kept at the two named roots and nowhere else.
TEST(RodImpactMap, elastic_has_no_third_root) {
  for (const PlaneRod& p : hits) {
    const Printed e(p);
    const auto gain = [&](double cx) {
      const auto x = solved({e.rows[0], e.rows[1], e.rows[2], Row{0, 0, 0, 1, 0, cx}, e.end_z(-2 * e.ze)});
      const double theta = rod.inertia();
      return rod.mass / 2 * (x[0] * (x[0] + 2 * p.xdot) + x[1] * (x[1] + 2 * p.zdot)) +
             theta / 2 * x[2] * (x[2] + 2 * p.phidot);
    };
    const double other = rod_impact(rod, rod_in_space(p), RodEnd::lower, RodImpact::elastic_reversing).impulse.x;
    EXPECT_NEAR(gain(0), 0, 1e-13);
    EXPECT_NEAR(gain(other), 0, 1e-12);
    const double curvature = gain(1) + gain(-1) - 2 * gain(0);  // a parabola has two zeros
    EXPECT_GT(curvature, 0.1);
    EXPECT_NEAR(gain(3) - 3 * gain(2) + 3 * gain(1) - gain(0), 0, 1e-11);
  }
}

// ---- in space, either end
TEST(RodImpactMap, in_space_keeps_what_it_must) {
  int hit = 0;
  for (int i = 0; i < 200; ++i) {
    const RodState s = some_state(i);
    for (const RodEnd end : {RodEnd::lower, RodEnd::upper}) {
      const V before = rod_end_velocity(rod, s, end);
      for (const RodImpact kind : {RodImpact::elastic_smooth, RodImpact::elastic_reversing, RodImpact::inelastic}) {
        const RodImpactResult r = rod_impact(rod, s, end, kind);
        const V after = rod_end_velocity(rod, r.after, end);
        if (before.z >= 0) {
          EXPECT_EQ(norm(r.impulse), 0);
          EXPECT_EQ(norm(after - before), 0);
          continue;
        }
        ++hit;
        EXPECT_NEAR(after.z, kind == RodImpact::inelastic ? 0 : -before.z, 1e-13);
        if (kind == RodImpact::elastic_smooth) {
          EXPECT_EQ(std::hypot(r.impulse.x, r.impulse.y), 0);
        }
        if (kind == RodImpact::elastic_reversing) {
          EXPECT_LT(norm(after + before), 1e-13);
        }
        if (kind == RodImpact::inelastic) {
          EXPECT_LT(norm(after), 1e-13);
        }
        EXPECT_NEAR(rod_energy(rod, s, g) - rod_energy(rod, r.after, g), r.energy_lost, 1e-12);
        // The impulse acts at the end: momentum, and angular momentum about the end, know nothing else.
        const V e = rod_end_position(rod, s, end), arm = s.r_c - e;
        EXPECT_LT(norm(rod.mass * (r.after.v_c - s.v_c) - r.impulse), 1e-13);
        EXPECT_LT(norm(rod.mass * cross(arm, r.after.v_c - s.v_c) + rod.inertia() * (r.after.w - s.w)), 1e-13);
        EXPECT_NEAR(dot(r.after.w, s.axis), 0, 1e-13);
      }
    }
  }
  EXPECT_GT(hit, 300);
}

TEST(RodImpactMap, of_a_rod_that_falls_flat_or_upright_is_elementary) {
  const RodState upright{{0, 0, 1}, {0, 0, -2}, {0, 0, 1}, {}};
  const RodImpactResult bounce = rod_impact(rod, upright, RodEnd::lower, RodImpact::elastic_smooth);
  EXPECT_NEAR(bounce.after.v_c.z, 2, 1e-15);
  EXPECT_EQ(norm(bounce.after.w), 0);
  const RodState flat{{0, 0, 1}, {0, 0, -2}, {1, 0, 0}, {}};  // hit at one end it weighs a quarter
  const RodImpactResult turn = rod_impact(rod, flat, RodEnd::lower, RodImpact::elastic_smooth);
  EXPECT_NEAR(turn.impulse.z, 2 * 2 * rod.mass / 4, 1e-15);
  EXPECT_NEAR(turn.after.v_c.z, -1, 1e-15);
  EXPECT_NEAR(turn.energy_lost, 0, 1e-15);
}

TEST(PlaneRod, is_the_rod_in_space_of_3_25_to_3_27) {
  const PlaneRod p{0.3, 1.2, 0.7, 0.5, -3, 2};
  const RodState s = rod_in_space(p), later = rod_flight(s, g, 0.2);
  const PlaneRod q = plane_rod(later);
  EXPECT_NEAR(q.x, 0.3 + 0.5 * 0.2, 1e-15);
  EXPECT_NEAR(q.z, 1.2 - 3 * 0.2 - g / 2 * 0.04, 1e-15);
  EXPECT_NEAR(q.phi, 0.7 + 2 * 0.2, 1e-15);  // φ̇ = −ω_y
  const V e = rod_end_position(rod, s, RodEnd::lower), v = rod_end_velocity(rod, s, RodEnd::lower);
  EXPECT_NEAR(e.x, p.x - rod.length / 2 * std::cos(p.phi), 1e-15);
  EXPECT_NEAR(e.z, p.z - rod.length / 2 * std::sin(p.phi), 1e-15);
  EXPECT_NEAR(v.x, p.xdot + rod.length / 2 * std::sin(p.phi) * p.phidot, 1e-15);
  EXPECT_NEAR(v.z, p.zdot - rod.length / 2 * std::cos(p.phi) * p.phidot, 1e-15);
  // φ = 90° − β
  EXPECT_NEAR(rod_spin(s).at(0).beta, pi / 2 - 0.7, 1e-14);
}

}  // namespace closed_rod_test
}  // namespace marey
