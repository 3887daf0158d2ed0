// The contact problem of one island: closed forms, the certificate, sharing. In all of these s = 1 m/s or as said.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "support/islands.h"

namespace {

using namespace marey;
using islands::Island;
using islands::Numbers;
using islands::Random;
using islands::Vec;
using islands::world;

struct Answer {
  std::vector<double> P, u;
  ConeReport report;
};
Answer solved(const Numbers& numbers, std::vector<double> guess = {}) {
  Answer out;
  out.P = std::move(guess), out.P.resize(numbers.size()), out.u.resize(numbers.size());
  ConeSolver solver;
  out.report = solver.solve(numbers.problem(), out.P, out.u);
  return out;
}
// One contact whose rows do not know of each other.
Numbers uncoupled(std::vector<double> diagonal, std::vector<double> u_free, double friction, double torsion = 0,
                  double rolling = 0) {
  Numbers out;
  const std::size_t n = diagonal.size();
  out.A.assign(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) out.A[i * n + i] = diagonal[i];
  out.u_free = std::move(u_free);
  RowBlock block;
  block.friction = friction, block.torsion = torsion, block.rolling = rolling;
  out.blocks = {block};
  return out;
}
void expect_all_near(const std::vector<double>& a, const std::vector<double>& b, double bound) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], bound) << "row " << i;
}
double largest(const std::vector<double>& x) {
  double most = 0;
  for (const double y : x) most = std::max(most, std::abs(y));
  return most;
}

// ------------------------------------------------------------------------------------------------- one contact
// A mass m comes down with 1 m/s and a tangential velocity a: it is stopped where a ≤ μ, or slides on with a − μ.
TEST(ConeOne, SticksOrSlides) {
  const double m = 2, mu = 0.5;
  for (const double a : {0.0, 0.3, 0.499, 0.7, 3.0}) {
    const Answer r = solved(uncoupled({1 / m, 1 / m, 1 / m}, {-1, 0.6 * a, 0.8 * a}, mu));
    EXPECT_TRUE(r.report.converged);
    EXPECT_EQ(r.report.attempts, 1);
    EXPECT_LE(r.report.iterations, 3);
    const double P_t = m * std::min(a, mu), u_t = std::max(0.0, a - mu);
    expect_all_near(r.P, {m, -0.6 * P_t, -0.8 * P_t}, 1e-14);
    expect_all_near(r.u, {0, 0.6 * u_t, 0.8 * u_t}, 1e-14);
  }
}
TEST(ConeOne, StaysOpen) {
  const Answer r = solved(uncoupled({1, 1, 1}, {0.2, 3, -1}, 0.5), {4, 1, 1});
  expect_all_near(r.P, {0, 0, 0}, 0);
  expect_all_near(r.u, {0.2, 3, -1}, 0);
  EXPECT_LE(r.report.certificate.natural_map, 1e-15);
}
// Sliding along −t₁ with A_nt ≠ 0: P_n = −u_n/(A_nn + μ A_nt), P_t = μ P_n.
TEST(ConeOne, FrictionLoadsTheNormal) {
  Numbers p = uncoupled({1, 2, 2}, {-1, -5, 0}, 0.4);
  p.A[1] = p.A[3] = 0.5;
  const Answer r = solved(p);
  const double P_n = 1 / (1 + 0.4 * 0.5);
  expect_all_near(r.P, {P_n, 0.4 * P_n, 0}, 1e-14);
  expect_all_near(r.u, {0, -5 + (0.5 + 0.4 * 2) * P_n, 0}, 1e-14);
}
// The direction of slip is not that of the free velocity where A_tt is not isotropic: u_t = −|u_t| P_t/|P_t|.
TEST(ConeOne, SlipTurns) {
  const Answer r = solved(uncoupled({1, 1, 4}, {-1, 1, 1}, 0.3));
  ASSERT_TRUE(r.report.converged);
  EXPECT_NEAR(r.P[0], 1, 1e-14);
  EXPECT_NEAR(std::hypot(r.P[1], r.P[2]), 0.3, 1e-14);
  EXPECT_NEAR(r.u[1] * r.P[2] - r.u[2] * r.P[1], 0, 1e-14);
  EXPECT_LT(r.u[1] * r.P[1] + r.u[2] * r.P[2], 0);
}
// A ball that slides without spin, held down hard: friction leaves it 5/7 of its speed, P_t = −2/7 m v.
TEST(ConeOne, BallRolls) {
  const double m = 3, r = 0.2, v = 1.4;
  Island ball;
  ball.bodies.push_back({m, {0.4 * m * r * r, 0.4 * m * r * r, 0.4 * m * r * r}, {0, 0, r}});
  ball.add_contact(0, world, {0, 0, 0}, {0, 0, 1}, 2);
  const Answer a = solved(ball.falling({v, 0, -1}));
  EXPECT_NEAR(a.P[0], m, 1e-13);
  EXPECT_NEAR(std::hypot(a.P[1], a.P[2]), 2.0 / 7 * m * v, 1e-13);
  EXPECT_NEAR(largest(a.u), 0, 1e-14);
}
// Torsion: a spin w about n is stopped where I w ≤ m_torsion P_n, else P = −m_torsion P_n.
TEST(ConeOne, Torsion) {
  const double m = 2, I = 0.1, torsion = 0.03;
  for (const double w : {0.2, 5.0}) {
    const Answer r = solved(uncoupled({1 / m, 1 / m, 1 / m, 1 / I}, {-1, 0, 0, w}, 0.5, torsion));
    const double P = std::min(I * w, torsion * m);
    expect_all_near(r.P, {m, 0, 0, -P}, 1e-14);
    EXPECT_NEAR(r.u[3], w - P / I, 1e-14);
  }
}
// Rolling friction: the same in two directions at once; and together with sliding and spinning, each with its own bound.
TEST(ConeOne, RollingBesideTheOthers) {
  const double m = 2, I = 0.1, mu = 0.4, torsion = 0.03, rolling = 0.02;
  const Answer r =
      solved(uncoupled({1 / m, 1 / m, 1 / m, 1 / I, 1 / I, 1 / I}, {-1, 3, 4, 0.2, -4, 3}, mu, torsion, rolling));
  expect_all_near(r.P, {m, -0.6 * mu * m, -0.8 * mu * m, -0.02, 0.8 * rolling * m, -0.6 * rolling * m}, 1e-14);
  const Answer held = solved(uncoupled({1 / m, 1 / m, 1 / m, 1 / I, 1 / I}, {-1, 0, 0, 0.1, 0.2}, mu, 0, rolling));
  expect_all_near(held.P, {m, 0, 0, -0.01, -0.02}, 1e-14);
}
// Compliance: u_n = −1 + (1/m + c) P_n = 0.
TEST(ConeOne, Compliance) {
  Numbers p = uncoupled({0.5, 0.5, 0.5}, {-1, 0, 0}, 0.5);
  p.compliance = {1.5, 0, 0};
  EXPECT_NEAR(solved(p).P[0], 0.5, 1e-15);
}

// --------------------------------------------------------------------------------------------- bounds and equalities
// A drive with limited force brings a mass from −v to rest, or as far as it can.
TEST(ConeBounds, DriveWithLimitedForce) {
  const double m = 2, most = 3;
  for (const double v : {0.5, -0.7, 4.0, -4.0}) {
    Numbers p = uncoupled({1 / m}, {v}, 0);
    p.blocks[0].kind = RowBlock::Kind::bounds, p.blocks[0].lower = -most, p.blocks[0].upper = most;
    const Answer r = solved(p, {1.0});
    const double P = std::clamp(-m * v, -most, most);
    EXPECT_NEAR(r.P[0], P, 1e-15);
    EXPECT_NEAR(r.u[0], v + P / m, 1e-15);
  }
}
// A limit of a joint pushes and lets go.
TEST(ConeBounds, LimitOfAJoint) {
  for (const double v : {1.0, -1.0}) {
    Numbers p = uncoupled({0.5}, {v}, 0);
    p.blocks[0].kind = RowBlock::Kind::bounds;
    const Answer r = solved(p);
    EXPECT_NEAR(r.P[0], v < 0 ? 2 : 0, 1e-15);
    EXPECT_NEAR(r.u[0], std::max(0.0, v), 1e-15);
  }
}
// Two cubes held together by six rows fall on the floor as one: 20 rows for 12 freedoms, and the joint carries its share.
TEST(ConeBounds, WeldedCubesLand) {
  Island island;
  for (const double x : {-0.5, 0.5}) island.bodies.push_back(islands::box(1, {1, 1, 1}, {x, 0, 0.5}));
  for (const bool turning : {false, true})
    for (const Vec& d : {Vec{1, 0, 0}, Vec{0, 1, 0}, Vec{0, 0, 1}})
      island.add_single(RowBlock::Kind::equality, 0, 1, {0, 0, 0.5}, d, turning);
  for (const double y : {-0.5, 0.5}) island.add_contact(0, world, {-1, y, 0}, {0, 0, 1}, 0.5);
  for (const double y : {-0.5, 0.5}) island.add_contact(1, world, {1, y, 0}, {0, 0, 1}, 0.5);
  const Answer r = solved(island.falling({0, 0, -1}));
  EXPECT_LE(r.report.certificate.natural_map, 1e-13);
  for (int c = 0; c < 4; ++c) EXPECT_NEAR(r.P[static_cast<std::size_t>(6 + 3 * c)], 0.5, 1e-13);
  EXPECT_NEAR(largest(r.u), 0, 1e-14);
}

// --------------------------------------------------------------------------------------------------- redundant contacts
// A cube of mass 1 on its four corners, the floor tilted or the cube pushed: P_n = (g ± a)/4, P_t = a/4 at all corners.
TEST(ConeShared, PlateOnFourCorners) {
  const double g = 0.1;
  for (const double a : {0.0, 0.01, 0.02}) {
    const Numbers p = islands::stack(1, 0.5).falling({a, 0, -g});
    const Answer r = solved(p);
    ASSERT_TRUE(r.report.converged && r.report.shared);
    EXPECT_LE(r.report.certificate.natural_map, 1e-13);
    for (std::size_t c = 0; c < 4; ++c) {
      EXPECT_NEAR(r.P[3 * c], (g + (c & 1 ? a : -a)) / 4, 1e-15);
      EXPECT_NEAR(std::hypot(r.P[3 * c + 1], r.P[3 * c + 2]), a / 4, 1e-15);
    }
  }
}
// Pushed harder, equal shares of friction would be too much for the corners that bear less: these give what they can, μ P_n,
// the others the rest. Nothing moves yet.
TEST(ConeShared, WithinTheCones) {
  const double g = 0.1, a = 0.04, mu = 0.5;
  const Answer r = solved(islands::stack(1, mu).falling({a, 0, -g}));
  ASSERT_TRUE(r.report.converged && r.report.shared);
  EXPECT_NEAR(largest(r.u), 0, 1e-15);
  const double light = mu * (g - a) / 4;
  for (std::size_t c = 0; c < 4; ++c) {
    EXPECT_NEAR(r.P[3 * c], (g + (c & 1 ? a : -a)) / 4, 1e-14);
    EXPECT_NEAR(std::hypot(r.P[3 * c + 1], r.P[3 * c + 2]), c & 1 ? a / 2 - light : light, 1e-14);
  }
}
// It slides: all corners along one line, P_t = μ P_n.
TEST(ConeShared, PlateSlides) {
  const double g = 0.1, a = 0.08, mu = 0.5;
  const Answer r = solved(islands::stack(1, mu).falling({a, 0, -g}));
  ASSERT_TRUE(r.report.shared);
  for (std::size_t c = 0; c < 4; ++c) {
    EXPECT_NEAR(r.P[3 * c], (g + (c & 1 ? mu * g : -mu * g)) / 4, 1e-14);
    EXPECT_NEAR(std::hypot(r.P[3 * c + 1], r.P[3 * c + 2]), mu * r.P[3 * c], 1e-15);
    EXPECT_NEAR(std::hypot(r.u[3 * c + 1], r.u[3 * c + 2]), a - mu * g, 1e-14);
  }
}
// A beam on two points may press these apart or together, by y x̂ at one and −y x̂ at the other, and nothing else is free: of all y that the
// cones allow, the one found leaves the shortest P. Where the cone of the point that bears less is in the way, P lies on it.
TEST(ConeShared, BeamOnTwoPoints) {
  Random random(7);
  const auto chance = [&](double most) { return most * (2 * random.uniform() - 1); };
  int at_rest = 0, on_a_cone = 0;
  for (int k = 0; k < 200; ++k) {
    Island island;
    island.bodies.push_back(islands::box(1, {1, 0.2, 0.2}, {chance(0.45), 0, 0.1}));
    for (const double x : {-0.5, 0.5}) island.add_contact(0, world, {x, 0, 0}, {0, 0, 1}, 0.5, 0, 0, chance(3));
    const double x = chance(0.04), y = chance(0.01);
    const Numbers p = island.moving({x, y, -0.1, 0, 0, 0});
    const Answer r = solved(p);
    ASSERT_TRUE(r.report.converged);
    if (largest(r.u) > 1e-12) continue;
    ++at_rest;
    ASSERT_TRUE(r.report.shared) << k;
    std::vector<double> N(6);
    double along = 0;  // N·P: zero where nothing is in the way
    for (std::size_t i = 0; i < 6; ++i) N[i] = (i < 3 ? 1 : -1) * island.J[i][0], along += N[i] * r.P[i];
    if (std::abs(along) < 1e-12) continue;
    ++on_a_cone;
    for (std::size_t i = 0; i < 6; ++i) N[i] *= along > 0 ? -1 : 1;  // the way in which it would become shorter
    double beyond = 0;
    for (std::size_t c = 0; c < 2; ++c)
      beyond = std::max(beyond, std::hypot(r.P[3 * c + 1] + 1e-9 * N[3 * c + 1], r.P[3 * c + 2] + 1e-9 * N[3 * c + 2]) -
                                    0.5 * r.P[3 * c]);
    EXPECT_GT(beyond, 1e-11) << k;
  }
  EXPECT_GE(at_rest, 60);
  EXPECT_GE(on_a_cone, 10);
}
// Between two walls a block hangs or falls: both are solutions, and the certificate says so of each.
TEST(ConeShared, BlockBetweenTwoWalls) {
  const double g = 0.1, mu = 0.5;
  Island island;
  island.bodies.push_back(islands::box(1, {1, 1, 1}, {0, 0, 0}));
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.5, 0.5}) island.add_contact(0, world, {x, y, 0}, {x < 0 ? 1.0 : -1.0, 0, 0}, mu);
  const Numbers p = island.falling({0, 0, -g});
  const std::vector<double> none(12, 0.0);
  EXPECT_LE(certify(p.problem(), none).natural_map, 1e-15);  // falls
  std::vector<double> pressed(12);
  for (std::size_t c = 0; c < 4; ++c) {  // hangs: all contacts lift a quarter of the weight
    pressed[3 * c] = 1;
    for (std::size_t t = 1; t < 3; ++t) pressed[3 * c + t] = -0.25 * p.u_free[3 * c + t];
  }
  EXPECT_LE(certify(p.problem(), pressed).natural_map, 1e-14);
  for (const std::vector<double>& guess : {none, pressed}) {
    const Answer r = solved(p, guess);
    EXPECT_LE(r.report.certificate.natural_map, 1e-13);
    ASSERT_TRUE(r.report.shared);
    const bool hangs = largest(r.u) < 0.01 * g;
    // The least that holds it is on the bound of friction: μ P_n = g/4.
    for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(r.P[3 * c], hangs ? g / 4 / mu : 0, 1e-12);
  }
}
// 20 cubes, 80 contacts, 120 freedoms: each layer carries what is above it, in equal parts, however its axes are turned and
// whatever the masses.
TEST(ConeShared, StackOfTwenty) {
  const double g = 0.1;
  for (const double ratio : {1.0, 1e-6, 1e6})
    for (const double turn : {0.0, 0.7}) {
      const Island island = islands::stack(20, 0.5, ratio, turn);
      const Answer r = solved(island.falling({0, 0, -g}));
      EXPECT_TRUE(r.report.converged && r.report.shared) << ratio;
      // Light ones below bear a million times what moves them: P rounds to 1e-10 of their velocity.
      EXPECT_LE(r.report.certificate.natural_map, ratio > 1 ? 4e-9 : 1e-12) << ratio;
      // and a velocity of 1e-10 m/s of the heaviest is 1e-7 of its weight, times the levers of twenty layers.
      const double part = ratio > 1 ? 1e-6 : 1e-9;
      double above = 0;
      for (int i = 19; i >= 0; --i) {
        above += island.bodies[static_cast<std::size_t>(i)].mass * g;
        for (int c = 0; c < 4; ++c) {
          const auto row = static_cast<std::size_t>(3 * (4 * i + c));
          EXPECT_NEAR(r.P[row], above / 4, part * above) << ratio << " layer " << i;
          EXPECT_NEAR(std::hypot(r.P[row + 1], r.P[row + 2]), 0, part * above) << ratio << " layer " << i;
        }
      }
    }
}
// Ten voussoirs of a half circle stand by friction alone; on slippery joints they do not.
TEST(ConeShared, ArchOfVoussoirs) {
  const auto arch = [](double mu) {
    Island island;
    const int count = 10;
    const double inner = 0.8, outer = 1.2, middle = 1, width = 0.3;
    for (int i = 0; i < count; ++i) {
      const double angle = M_PI * (i + 0.5) / count;
      island.bodies.push_back(
          islands::box(1, {0.4, width, 0.33}, {middle * std::cos(angle), 0, middle * std::sin(angle)}));
    }
    for (int joint = 0; joint <= count; ++joint) {
      const double angle = M_PI * joint / count;
      const Vec along{-std::sin(angle), 0, std::cos(angle)};
      for (const double radius : {inner, outer})
        for (const double y : {-width / 2, width / 2}) {
          const Vec point{radius * std::cos(angle), y, radius * std::sin(angle)};
          if (joint == count)
            island.add_contact(count - 1, world, point, -1.0 * along, mu);
          else
            island.add_contact(joint, joint - 1, point, along, mu);
        }
    }
    return island.falling({0, 0, -0.1});
  };
  const Answer stands = solved(arch(0.7)), slips = solved(arch(0.1));
  EXPECT_LE(stands.report.certificate.natural_map, 1e-11);
  EXPECT_LE(slips.report.certificate.natural_map, 1e-11);
  EXPECT_NEAR(largest(stands.u), 0, 1e-12);
  EXPECT_GT(largest(slips.u), 1e-3);
  ASSERT_TRUE(stands.report.shared);
  for (int i = 0; i < 3; ++i)  // left and right alike
    EXPECT_NEAR(stands.P[static_cast<std::size_t>(12 * i)], stands.P[static_cast<std::size_t>(12 * (10 - i))], 1e-12);
}

// ------------------------------------------------------------------------------------------------------- at random
// Whether five starts lead to the same velocities.
bool one_solution(const Numbers& p, const Answer& first, double bound) {
  Random random(5);
  for (int start = 0; start < 4; ++start) {
    std::vector<double> guess(p.size());
    for (std::size_t i = 0; i < guess.size(); ++i) guess[i] = random.between(-1, 3) / p.A[i * (p.size() + 1)];
    const Answer other = solved(p, guess);
    for (std::size_t i = 0; i < guess.size(); ++i)
      if (std::abs(other.u[i] - first.u[i]) > bound * p.scale) return false;
  }
  return true;
}
constexpr double bound = 1e-8;  // of the natural map: the contract's

TEST(ConeRandom, CertificateOfAll) {
  int unshared = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const Numbers p = seed % 2 ? islands::random_planted(random, {}) : islands::random_motion(random, {});
    const Answer r = solved(p);
    EXPECT_LE(r.report.certificate.natural_map, bound) << seed;
    EXPECT_LE(r.report.certificate.cone_excess, 4 * 2.3e-16) << seed;
    EXPECT_EQ(certify(p.problem(), r.P).natural_map, r.report.certificate.natural_map);
    expect_all_near(r.u, p.velocities(r.P), 16 * r.report.rounding * p.scale);
    unshared += !r.report.shared;
  }
  EXPECT_LE(unshared, 9);
}
// Where the solution is unique neither the order of the contacts nor the axes of their tangents matter, nor the start.
TEST(ConeRandom, OrderAndStartDoNotMatter) {
  int unique = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    Random random(1000 + seed);
    const Numbers p = islands::random_motion(random, {.decades = 2, .most_friction = seed % 3 ? 0.6 : 0});
    const Answer r = solved(p);
    if (!r.report.shared || !one_solution(p, r, 100 * bound)) continue;
    ++unique;
    std::vector<int> order(p.blocks.size());
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[static_cast<std::size_t>(random.below(static_cast<int>(i)))]);
    std::vector<std::size_t> rows;
    const Numbers q = islands::permuted(p, order, rows);
    const Answer s = solved(q);
    const double most = largest(r.P);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_NEAR(s.u[i], r.u[rows[i]], 100 * bound * p.scale) << seed;
      EXPECT_NEAR(s.P[i], r.P[rows[i]], 100 * bound * most) << seed;
    }
    std::vector<double> guess = r.P;
    for (double& x : guess) x *= 1.5;
    const Answer warm = solved(p, guess);
    expect_all_near(warm.P, r.P, 100 * bound * most);
  }
  EXPECT_GE(unique, 40);
}
// Another u_free with the same matrix: what was made of it serves on, and the answer is the same.
TEST(ConeRandom, TheSameMatrixAgain) {
  int quicker = 0, compared = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    Random random(seed);
    Numbers p = islands::random_motion(random, {.decades = 2, .most_friction = 0.6});
    ConeSolver solver;
    std::vector<double> P(p.size()), u(p.size());
    solver.solve(p.problem(), P, u);
    for (double& x : p.u_free) x += 1e-6 * p.scale * random.between(-1, 1);
    const Answer fresh = solved(p, P);
    ConeProblem problem = p.problem();
    problem.as_before = true;
    const ConeReport report = solver.solve(problem, P, u);
    EXPECT_LE(report.certificate.natural_map, bound) << seed;
    EXPECT_EQ(certify(p.problem(), P).natural_map, report.certificate.natural_map);
    quicker += report.factorisations < fresh.report.factorisations;
    if (!fresh.report.shared || !report.shared || !one_solution(p, fresh, 100 * bound)) continue;
    ++compared;
    expect_all_near(u, fresh.u, 100 * bound * p.scale);
  }
  EXPECT_GE(compared, 60);
  EXPECT_GE(quicker, 30);
}
// From the answer of the step before, a step of Newton's method or two.
TEST(ConeRandom, WarmStartIsQuick) {
  const Island island = islands::stack(5, 0.5);
  const Answer first = solved(island.falling({0.01, 0, -0.1}));
  const Answer next = solved(island.falling({0.0101, 0, -0.1}), first.P);
  EXPECT_LE(next.report.iterations, 2);
  EXPECT_LE(next.report.factorisations, 3);
  EXPECT_LE(next.report.certificate.natural_map, 1e-12);
  const Answer cold = solved(island.falling({0.0101, 0, -0.1}));
  expect_all_near(next.P, cold.P, 1e-12);
}

// ------------------------------------------------------------------------------------------------------ the certificate
// A = 1, so that ρ = 1: what is wrong is seen as large as it is.
TEST(ConeCertified, WrongAnswers) {
  const Numbers p = uncoupled({1, 1, 1}, {-1, 2, 0}, 0.5);
  const auto map = [&](std::vector<double> P) { return certify(p.problem(), P).natural_map; };
  EXPECT_LE(map({1, -0.5, 0}), 1e-16);
  EXPECT_NEAR(map({0, 0, 0}), map({0, 0, 0}), 0);
  EXPECT_GT(map({0, 0, 0}), 0.1);         // falls through the floor
  EXPECT_NEAR(map({1, 0, 0}), 0.5, 0.3);  // slides without friction
  EXPECT_GT(map({1, 0.5, 0}), 0.5);       // friction the wrong way round
  EXPECT_GT(map({1, 0, -0.5}), 0.3);      // and across
  EXPECT_GT(map({1.1, -0.55, 0}), 0.05);  // jumps up: what de Saxcé's term forbids
  EXPECT_NEAR(map({1.5, -0.5, 0}), 0.5, 0.2);
  EXPECT_NEAR(certify(p.problem(), std::vector<double>{1, -1, 0}).cone_excess, 0.5 / std::sqrt(1.25) / std::sqrt(2),
              1e-15);
  EXPECT_NEAR(certify(p.problem(), std::vector<double>{-1, 0, 0}).cone_excess, 1, 1e-15);
}
// In units of the scale, whatever the mass; and where.
TEST(ConeCertified, Units) {
  Numbers p = uncoupled({1e-3, 1e-3, 1e-3, 1, 1, 1}, {-1, 0, 0, 2, 0, 0}, 0.5);
  p.blocks[0] = {}, p.blocks[0].friction = 0.5;
  RowBlock second = p.blocks[0];
  second.first = 3;
  p.blocks.push_back(second);
  p.scale = 4;
  const ConeCertificate c = certify(p.problem(), std::vector<double>(6, 0.0));
  EXPECT_NEAR(c.natural_map, 0.25, 1e-15);
  EXPECT_EQ(c.block, 0);
}
// With P = 0 and A = 1 the natural map is the length of the nearest point of the cone to −u − φ n. That one is found here by
// trying normals: the least distance over y_n, each group shortened to its disc.
TEST(ConeCertified, ProjectionIsTheNearest) {
  Random random(3);
  for (int k = 0; k < 300; ++k) {
    std::vector<double> u(6);
    for (double& x : u) x = random.between(-1, 1);
    const double mu = random.between(0, 2), torsion = random.between(0.01, 2), rolling = random.between(0.01, 2);
    const Numbers p = uncoupled({1, 1, 1, 1, 1, 1}, u, mu, torsion, rolling);
    const double groups[3] = {std::hypot(u[1], u[2]), std::abs(u[3]), std::hypot(u[4], u[5])};
    const double coefficients[3] = {mu, torsion, rolling};
    double q_n = -u[0];
    for (int g = 0; g < 3; ++g) q_n -= coefficients[g] * groups[g];
    const auto distance2 = [&](double y) {
      double sum = (y - q_n) * (y - q_n);
      for (int g = 0; g < 3; ++g) sum += std::pow(std::max(0.0, groups[g] - coefficients[g] * y), 2);
      return sum;
    };
    double low = 0, high = 10;
    for (int i = 0; i < 200; ++i) {
      const double a = low + (high - low) / 3, b = high - (high - low) / 3;
      (distance2(a) < distance2(b) ? high : low) = distance2(a) < distance2(b) ? b : a;
    }
    double length2 = low * low;
    for (int g = 0; g < 3; ++g) length2 += std::pow(std::min(groups[g], coefficients[g] * low), 2);
    EXPECT_NEAR(certify(p.problem(), std::vector<double>(6, 0.0)).natural_map, std::sqrt(length2), 1e-7) << k;
  }
}
// Moments are weighed by a length, so that the certificate does not depend on the unit of length.
TEST(ConeCertified, UnitOfLength) {
  const double mm = 1000;
  Numbers metres = uncoupled({1, 1, 1, 50, 40, 40}, {-1, 1, 0, 3, 4, 0}, 0.5, 0.02, 0.01), millimetres = metres;
  for (std::size_t i = 0; i < 6; ++i) {
    millimetres.A[7 * i] *= i < 3 ? 1 : 1 / (mm * mm);
    millimetres.u_free[i] *= i < 3 ? 1 : 1 / mm;
  }
  millimetres.blocks[0].torsion *= mm, millimetres.blocks[0].rolling *= mm;
  const std::vector<double> P{0.5, -0.1, 0.2, 0.01, 0, 0}, Q{0.5, -0.1, 0.2, 0.01 * mm, 0, 0};
  EXPECT_NEAR(certify(metres.problem(), P).natural_map, certify(millimetres.problem(), Q).natural_map, 1e-14);
}

}  // namespace
