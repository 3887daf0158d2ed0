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

}  // namespace
}  // namespace marey
