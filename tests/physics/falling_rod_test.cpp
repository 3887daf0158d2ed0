// The falling rod of R 3.3: elastic, inelastic, on ground that gives way.
#include <gtest/gtest.h>

#include <cstdio>

#include "support/floors.h"

namespace marey {
namespace {

const floors::RodShape shape{2, 1.2};
const PlaneRod start{0, 1.5, 0.6, 0.4, 0, 1.1};

// Energy after each of 100 impacts, against the start; both roots of (3.30).
TEST(FallingRod, ElasticKeepsItsEnergyOverAHundredImpacts) {
  for (const ImpactKind kind : {ImpactKind::smooth, ImpactKind::rough})
    for (const SolverOptions& solver :
         {floors::adaptive(Integrator::rk45, 1e-13), floors::fixed(Integrator::rk4, 0.01)}) {
      Scene scene = floors::rod(shape, start);
      floors::set_law(scene, kind, 1);
      scene.solver = solver;
      World world(scene);
      const double before = floors::energy(world);
      double worst = 0;
      while (world.contacts()->impacts() < 100 && world.time() < 1000) {
        world.step(1000);
        worst = std::max(worst, std::abs(floors::energy(world) / before - 1));
      }
      std::printf("%s, %s: 100 impacts until %.3f s, energy off by %.1e\n", name_of(kind), name_of(solver.integrator),
                  world.time(), worst);
      EXPECT_GE(world.contacts()->impacts(), 100);
      EXPECT_LT(worst, 1e-12);
      EXPECT_TRUE(floors::ledger(world, scene, 1e-11).closed);
    }
}

// The state of the rod in the plane, from the world's coordinates.
PlaneRod plane(const World& world) {
  const State& s = world.state();
  const Mat3<double> R = rotation(Quaternion<double>{s.q[0], s.q[1], s.q[2], s.q[3]});
  return {s.q[4], s.q[6], std::atan2(R.zz, R.xz), s.v[3], s.v[5], -s.v[1]};
}
double distance(const PlaneRod& a, const PlaneRod& b) {
  const double d[] = {a.x - b.x,       a.z - b.z,       std::remainder(a.phi - b.phi, 2 * std::acos(-1.0)),
                      a.xdot - b.xdot, a.zdot - b.zdot, a.phidot - b.phidot};
  double sum = 0;
  for (const double x : d) sum += x * x;
  return std::sqrt(sum);
}

// The first impact of each kind is that of R (3.30), (3.31): the state after it, and the energy it took.
TEST(FallingRod, ImpactsAreThoseOfTheTextbook) {
  const std::pair<ImpactKind, RodImpact> kinds[] = {{ImpactKind::smooth, RodImpact::elastic_smooth},
                                                    {ImpactKind::rough, RodImpact::elastic_reversing},
                                                    {ImpactKind::stick, RodImpact::inelastic}};
  for (const auto& [kind, closed] : kinds) {
    Scene scene = floors::rod(shape, start);
    floors::set_law(scene, kind, closed == RodImpact::inelastic ? 0 : 1, 10);
    scene.solver = floors::adaptive(Integrator::rk45, 1e-13);
    World world(scene);
    while (world.contacts()->impacts() == 0) world.step(2);
    const Rod rod{shape.mass, shape.length};
    const RodState before = rod_flight(rod_in_space(start), 9.81, world.time());
    const RodEnd end = rod_end_position(rod, before, RodEnd::lower).z < rod_end_position(rod, before, RodEnd::upper).z
                           ? RodEnd::lower
                           : RodEnd::upper;
    EXPECT_NEAR(rod_end_position(rod, before, end).z, 0, 1e-13);
    const RodImpactResult after = rod_impact(rod, before, end, closed);
    EXPECT_LT(distance(plane(world), plane_rod(after.after)), 1e-11) << name_of(kind);
    const Ledger books = floors::ledger(world, scene);
    EXPECT_NEAR(books.work_in[0].second + books.work_in[1].second, -after.energy_lost, 1e-12) << name_of(kind);
    EXPECT_TRUE(books.closed);
  }
}

// Inelastic, with friction, until it lies: what is lost is what the contacts' entries say.
TEST(FallingRod, InelasticLosesWhatItsImpactsSay) {
  for (const double friction : {0.0, 0.4, 10.0}) {
    Scene scene = floors::rod(shape, start);
    floors::set_law(scene, friction == 10 ? ImpactKind::stick : ImpactKind::coulomb, 0, friction);
    scene.solver = floors::adaptive(Integrator::rk45, 1e-11);
    World world(scene);
    floors::run_until(world, 4);
    const Ledger books = floors::ledger(world, scene);
    const double entries = books.work_in[0].second + books.work_in[1].second;
    std::printf("friction %.1f: %.9f J lost, entries %.9f J, residual %.1e, %lld impacts, z = %.1e\n", friction,
                books.energy_end - books.energy_start, entries, books.energy_residual, world.contacts()->impacts(),
                world.state().q[6]);
    EXPECT_LT(entries, -0.9 * shape.mass * 9.81 * start.z);
    EXPECT_NEAR(books.energy_end - books.energy_start, entries, 1e-8);
    EXPECT_TRUE(books.closed) << books.energy_residual_relative;
    EXPECT_NEAR(world.state().q[6], 0, 1e-9);  // it lies
  }
}

// Restitution of a spring with a damper that lets go when its force ends (T. Schwager, T. Pöschel, Granular Matter 9 (2007)
// 465): with the damping ratio ζ ≥ 1, e = ((ζ + w)/(ζ − w))^(−ζ/w), w = √(ζ² − 1); below one
// e = exp(−(ζ/w)(π − atan2(2ζw, w² − ζ²))), w = √(1 − ζ²).
double restitution_of(double zeta) {
  if (zeta >= 1) {
    const double w = std::sqrt(zeta * zeta - 1);
    return w == 0 ? std::exp(-2.0) : std::pow((zeta + w) / (zeta - w), -zeta / w);
  }
  const double w = std::sqrt(1 - zeta * zeta);
  return std::exp(-zeta / w * (std::acos(-1.0) - std::atan2(2 * zeta * w, w * w - zeta * zeta)));
}

// The rod after its first impact, at t = 0.46 s (it is at 0.444 s), on ground of the given stiffness and damping ratio.
PlaneRod on_ground(double stiffness, double zeta, double friction, Ledger* books = nullptr,
                   const SolverOptions& solver = floors::adaptive(Integrator::rk45, 1e-11)) {
  Scene scene = floors::rod(shape, start);
  floors::set_law(scene, ImpactKind::coulomb, 0, friction);
  // The mass that the end has in the impact: R (3.29); its angle there is that of the rigid rod.
  Scene rigid = floors::rod(shape, start);
  rigid.solver = floors::adaptive(Integrator::rk45, 1e-12);
  World until(rigid);
  while (until.contacts()->impacts() == 0) until.step(2);
  const double u_z = std::sin(plane(until).phi), mass = shape.mass / (4 - 3 * u_z * u_z);
  for (FloorContact& c : scene.contacts) {
    c.compliant = true;
    c.ground = {stiffness, 1, 2 * zeta * std::sqrt(stiffness * mass)};
  }
  scene.solver = solver;
  World world(scene);
  floors::run_until(world, 0.46);
  if (books != nullptr) *books = floors::ledger(world, scene);
  return plane(world);
}
PlaneRod on_rigid(ImpactKind kind, double e, double friction) {
  Scene scene = floors::rod(shape, start);
  floors::set_law(scene, kind, e, friction);
  scene.solver = floors::adaptive(Integrator::rk45, 1e-12);
  World world(scene);
  floors::run_until(world, 0.46);
  EXPECT_EQ(world.contacts()->impacts(), 1);
  return plane(world);
}

// The time that the ground takes is ∝ 1/√stiffness, and so is the distance to the rigid rod.
TEST(FallingRod, StiffGroundBecomesTheElasticFloor) {
  const PlaneRod rigid = on_rigid(ImpactKind::smooth, 1, 0);
  double before = 0;
  for (const double stiffness : {1e5, 1e6, 1e7, 1e8}) {
    Ledger books;
    const double off = distance(on_ground(stiffness, 0, 0, &books), rigid);
    std::printf("stiffness %.0e N/m: off by %.2e, order %.2f\n", stiffness, off, std::log10(before / off));
    EXPECT_TRUE(books.closed) << books.energy_residual_relative;
    if (before > 0) {
      EXPECT_NEAR(std::log10(before / off), 0.5, 0.08);
    }
    before = off;
  }
}

TEST(FallingRod, StiffDampedGroundBecomesTheFloorWithRestitution) {
  for (const double zeta : {0.2, 1.0, 3.0}) {
    const PlaneRod rigid = on_rigid(ImpactKind::smooth, restitution_of(zeta), 0);
    double before = 0;
    for (const double stiffness : {1e5, 1e6, 1e7, 1e8}) {
      Ledger books;
      const double off = distance(on_ground(stiffness, zeta, 0, &books), rigid);
      std::printf("damping ratio %.1f (e = %.4f), stiffness %.0e N/m: off by %.2e, order %.2f\n", zeta,
                  restitution_of(zeta), stiffness, off, std::log10(before / off));
      EXPECT_TRUE(books.closed) << books.energy_residual_relative;
      if (before > 0) {
        EXPECT_NEAR(std::log10(before / off), 0.5, 0.1);
      }
      before = off;
    }
  }
}

// The inelastic floor holds the end: friction that grips, and damping so strong that the end does not come out again.
TEST(FallingRod, StiffDampedGroundWithFrictionBecomesTheInelasticFloor) {
  const PlaneRod rigid = on_rigid(ImpactKind::stick, 0, 10);
  double before = 0;
  const double zeta = 30;
  for (const double stiffness : {1e6, 1e7, 1e8, 1e9, 1e10}) {
    Ledger books;
    const double off = distance(on_ground(stiffness, zeta, 10, &books, floors::adaptive(Integrator::bdf, 1e-9)), rigid);
    std::printf("damping ratio %.0f (e = %.4f), stiffness %.0e N/m: off by %.2e\n", zeta, restitution_of(zeta),
                stiffness, off);
    if (before > 0) {
      EXPECT_LT(off, before);
    }
    before = off;
  }
  EXPECT_LT(before, 1e-5);
}

}  // namespace
}  // namespace marey
