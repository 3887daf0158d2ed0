// Heaps of loose bodies, swept in packs (contact/heap_sweeps.h): against the contact problem written out as one matrix, which knows
// nothing of packs, colours or bodies' velocities; and what may not depend on history.
#include <gtest/gtest.h>

#include <cmath>

#include "marey/contact/cone_problem.h"
#include "marey/contact/stepped_contacts.h"
#include "marey/integrate/turn.h"
#include "marey/io/scene.h"
#include "marey/simulation.h"
#include "sim/simulation_parts.h"

namespace marey {
namespace heaps_test {

constexpr double h = 2e-3, g = 9.81, mu = 0.4;

// A wall in bond, of bricks of two kinds, so that packs have gaps and bodies have many neighbours; pushed by a heavy ball.
Scene wall() {
  std::string bricks;
  for (int row = 0; row < 5; ++row)
    for (int k = 0; k < 6 - row % 2; ++k)
      bricks += "  b" + std::to_string(10 * row + k) +
                ": {links: {b: {shape: {box: [20 cm, 12 cm, 10 cm]}, mass: " + (k % 2 == 0 ? "2 kg" : "3 kg") +
                ", start: {position: [" + std::to_string(20 * k + (row % 2 == 0 ? 0 : 10)) + " cm, 0, " +
                std::to_string(10 * row + 5) + " cm]}}}}\n";
  return parse_scene(
      "marey: 1\nduration: 100 s\nsolver: {contact: stepping, accuracy: fast, step: 2 ms}\nscenery: {floor: {plane: "
      "0}}\ncollide: all\nmaterials: {default: {friction: 0.4}}\nfigures:\n" +
          bricks +
          "  ball: {links: {b: {shape: {sphere: 15 cm}, mass: 20 kg, start: {position: [50 cm, -25 cm, 25 cm], "
          "velocity: [0, 2 m/s, 0]}}}}\n",
      "test.yaml");
}
const SteppedContacts& contacts(Simulation& s) { return *s.parts().world.stepped(); }

// J of a row, by links: what a unit along `axis` does to the velocity of C and the angular velocity of b, and the contrary to a.
struct Bodies {
  std::vector<Vec3<double>> centre;
  std::vector<Mat3<double>> inverse_J;
  std::vector<double> inverse_mass;
};
double entry(const Bodies& bodies, const TouchingPoint& c, const Vec3<double>& e, const TouchingPoint& d,
             const Vec3<double>& f) {
  double sum = 0;
  for (const auto& [i, s] : {std::pair{c.link_a, -1.0}, {c.link_b, 1.0}})
    for (const auto& [j, t] : {std::pair{d.link_a, -1.0}, {d.link_b, 1.0}}) {
      if (i == 0 || i != j) continue;
      const auto k = static_cast<std::size_t>(i);
      const Vec3<double> r = c.p_WoC_W - bodies.centre[k], q = d.p_WoC_W - bodies.centre[k];
      sum += s * t * (bodies.inverse_mass[k] * dot(e, f) + dot(cross(r, e), bodies.inverse_J[k] * cross(q, f)));
    }
  return sum;
}

// Velocities and the certificate of each step are those of u = u⁻ + J g h + A P with A written out.
TEST(Heaps, TheCertificateIsThatOfTheDefinition) {
  const Scene scene = wall();
  Simulation s(scene);
  int islands_seen = 0;
  for (int step = 0; step < 60; ++step) {
    s.step();
    const std::span<const TouchingPoint> points = contacts(s).points();
    if (contacts(s).certificate().swept == 0 || step % 6 != 0) continue;
    Bodies bodies;
    for (int i = 0; i < scene.model.nlink();
         ++i) {  // in the middle of the step, half of it back; spheres and boxes have C in Bo
      const Transform<double> X = s.pose(i);
      const Twist<double> V = s.velocity(i);
      const Inertia<double>& I = scene.model.params.links[static_cast<std::size_t>(i)].I;
      const Quaternion<double> turn = turned_first_order(Quaternion<double>{1, 0, 0, 0}, (-0.5 * h) * V.w);
      const Mat3<double> R = rotation(turn) * X.R;
      bodies.centre.push_back(X.p - (0.5 * h) * V.v);
      bodies.inverse_mass.push_back(i == 0 ? 0 : 1 / I.m);
      bodies.inverse_J.push_back(i == 0 ? Mat3<double>{} : R * to_mat3(inverse(I.J)) * transpose(R));
    }
    const std::size_t n = 3 * points.size();
    std::vector<double> A(n * n), u_free(n), P(n), u(n);
    std::vector<RowBlock> blocks(points.size());
    double scale = h * g, apart = 0;
    for (std::size_t r = 0; r < n; ++r) {
      const TouchingPoint& c = points[r / 3];
      const double falls = (c.link_a == 0 || c.link_b == 0) ? (c.link_b != 0 ? -1 : 1) * h * g : 0;
      P[r] = h * dot(c.axes_W[r % 3], c.force_W);
      u_free[r] = c.u_minus[r % 3] + falls * c.axes_W[r % 3].z;
      scale = std::max({scale, std::abs(u_free[r]), std::abs(c.u_minus[r % 3])});
      for (std::size_t q = 0; q < n; ++q)
        A[r * n + q] = entry(bodies, c, c.axes_W[r % 3], points[q / 3], points[q / 3].axes_W[q % 3]);
    }
    for (std::size_t r = 0; r < n; ++r) {
      double sum = u_free[r];
      for (std::size_t q = 0; q < n; ++q) sum += A[r * n + q] * P[q];
      apart = std::max(apart, std::abs(sum - points[r / 3].u[r % 3]));
    }
    EXPECT_LE(apart, 1e-6 * scale) << step;  // places are half a step back by a constant twist
    for (std::size_t i = 0; i < points.size(); ++i) {
      blocks[i].first = static_cast<int>(3 * i), blocks[i].friction = mu;
      const double open = points[i].gap - 1e-4 * points[i].size;
      if (open > 0) u_free[3 * i] += 2 * open / h;
    }
    const ConeCertificate found = certify({A, {}, u_free, blocks, scale}, P);
    EXPECT_NEAR(found.natural_map, contacts(s).certificate().natural_map, 1e-5 + 1e-3 * found.natural_map) << step;
    ++islands_seen;
  }
  EXPECT_GE(islands_seen, 8);
}

// What queries of earlier steps have left (planes that part two bodies) is no part of the state: it may only save time.
TEST(Heaps, GoOnBitForBitFromAnyStep) {
  const auto system = std::make_shared<const System>(wall());
  Simulation whole(system);
  std::vector<SavedState> saved;
  for (int k = 0; k < 80; ++k) {
    if (k % 27 == 5) saved.push_back(whole.save());
    whole.step();
  }
  for (std::size_t k = 0; k < saved.size(); ++k) {
    Simulation resumed(system);
    resumed.restore(saved[k]);
    resumed.run_until(whole.state().t);
    EXPECT_EQ(resumed.state().q, whole.state().q) << k;
    EXPECT_EQ(resumed.state().v, whole.state().v) << k;
  }
}

// Spheres that touch their neighbours on all sides: one island, whose colours are shared out to threads.
Scene lattice() {
  return parse_scene(
      "marey: 1\nduration: 100 s\nsolver: {contact: stepping, accuracy: fast, step: 2 ms}\nscenery: {floor: {plane: "
      "0}}\n"
      "collide: all\nmaterials: {default: {friction: 0.4}}\nbodies:\n"
      "  s: {at: [0, 0, 9.999 cm], copies: {count: [16, 16, 13], spacing: 20 cm}, shape: {sphere: 10 cm}, mass: 1 "
      "kg}\n",
      "test.yaml");
}
State after(Scene scene, int threads, int steps) {
  scene.solver.threads = threads;
  Simulation s(std::move(scene));
  for (int k = 0; k < steps; ++k) s.step();
  return s.state();
}

TEST(Heaps, AreTheSameOnAnyNumberOfThreads) {
  const Scene bricks = wall(), spheres = lattice();
  const State by_one = after(bricks, 1, 60), packed = after(spheres, 1, 3);
  for (const int threads : {2, 4}) {
    const State by_several = after(bricks, threads, 60);
    EXPECT_EQ(by_several.q, by_one.q) << threads;
    EXPECT_EQ(by_several.v, by_one.v) << threads;
    const State together = after(spheres, threads, 3);
    EXPECT_EQ(together.q, packed.q) << threads;
    EXPECT_EQ(together.v, packed.v) << threads;
  }
}

// A plane that parted two bodies is not asked again until they have travelled as far, and what turns in its place travels: who goes on from
// a checkpoint has no such planes, and meets the other bar in the same step.
TEST(Heaps, WhatTurnsInItsPlaceIsSeen) {
  const auto system = std::make_shared<const System>(parse_scene(
      "marey: 1\nduration: 100 s\ngravity: [0, 0, 0]\nsolver: {contact: stepping, accuracy: fast, step: 2 ms}\n"
      "collide: all\nbodies:\n"
      "  turning: {at: [0, 0, 0], spin: [0, 0, 2 rad/s], shape: {box: [1 m, 4 cm, 4 cm]}, mass: 1 kg}\n"
      "  still: {at: [40 cm, 40 cm, 0], turned: {axis: z, angle: 45 deg}, shape: {box: [1 m, 4 cm, 4 cm]}, mass: 1 "
      "kg}\n",
      "test.yaml"));
  Simulation whole(system);
  std::vector<SavedState> saved;
  for (int k = 0; k < 400; ++k) {
    if (k % 50 == 0) saved.push_back(whole.save());
    whole.step();
  }
  EXPECT_GT(contacts(whole).sums().strikes, 0);
  EXPECT_LE(contacts(whole).sums().largest.penetration, 1e-3);
  for (const SavedState& from : saved) {
    Simulation resumed(system);
    resumed.restore(from);
    resumed.run_until(whole.state().t);
    EXPECT_EQ(resumed.state().q, whole.state().q);
  }
}

// What is seen for the first time where it has come in already is taken out at once, as deep as it came: balls that fall on each other at 4 m/s
// would be 4 mm deep.
TEST(Heaps, WhatComesInIsTakenOutAtOnce) {
  Simulation s(parse_scene(
      "marey: 1\nduration: 100 s\nsolver: {contact: stepping, accuracy: fast, step: 2 ms}\nscenery: {floor: {plane: "
      "0}}\n"
      "collide: all\nbodies:\n"
      "  s: {at: [0, 0, 3 cm], velocity: [0, 0, -4 m/s], copies: {count: [6, 6, 4], spacing: [21 mm, 21 mm, 23 mm]}, "
      "shape: {sphere: 1 cm}, mass: 10 g}\n",
      "test.yaml"));
  s.run_until(0.1);
  EXPECT_GT(contacts(s).sums().strikes, 100);
  EXPECT_LE(contacts(s).sums().largest.penetration, 1e-3);
}

// Many loose bodies are not looked at as trees (plant/loose_bodies.h): against mass matrices of trees, odd bodies off their origins that fly, fall and
// strike.
TEST(Heaps, LooseBodiesMoveAsTreesDo) {
  const auto at_the_end = [](const std::string& dynamics) {
    Simulation s(parse_scene(
        "marey: 1\nduration: 100 s\nsolver: {contact: stepping, accuracy: fast, step: 2 ms, dynamics: " + dynamics +
            "}\nscenery: {floor: {plane: 0}}\ncollide: all\nbodies:\n"
            "  b: {at: [0, 0, 12 cm], velocity: [1 m/s, 0, 0], spin: [3 rad/s, 2 rad/s, 1 rad/s], copies: {count: [6, "
            "5, 4], "
            "spacing: 30 cm, random: {seed: 3, turned: 180 deg}}, shape: {box: {size: [10 cm, 6 cm, 4 cm], center: [3 "
            "cm, 1 cm, -1 cm]}}, mass: 2 kg}\n",
        "test.yaml"));
    s.run_until(0.12);
    EXPECT_GT(contacts(s).sums().strikes, 0);
    return s.state();
  };
  const State loose = at_the_end("aba"), trees = at_the_end("crba");
  ASSERT_GE(loose.v.size(), 6u * 120);
  double apart = 0;
  for (std::size_t k = 0; k < loose.v.size(); ++k) apart = std::max(apart, std::abs(loose.v[k] - trees.v[k]));
  EXPECT_LE(apart, 1e-7);  // m/s, rad/s: rounding, and what blows make of it
}

// Nothing is lost where bodies strike, slide and fall: the books of energy and momenta close, however little is solved.
TEST(Heaps, TheBooksClose) {
  Simulation s(wall());
  s.run_until(0.3);
  const CertificateSums& sums = contacts(s).sums();
  EXPECT_GT(sums.swept, 100);
  EXPECT_LE(sums.largest.momentum, 1e-13);
  EXPECT_LE(sums.largest.cone_excess, 4 * 0x1p-52);
  EXPECT_LE(sums.largest.natural_map, 0.1);
  EXPECT_LE(std::abs(s.ledger().energy_residual), 1e-9);
}

}  // namespace heaps_test
}  // namespace marey
