// A run that cannot go on says which element has brought it about.
#include <gtest/gtest.h>

#include "support/recorded.h"

namespace {

std::string breakdown_of(const std::string& integrator) {
  return recorded::run_text("title: edge\nduration: 1 s\ngravity: 0\nsolver: {integrator: " + integrator + R"(}
particles: {w: {mass: 1 kg, points: {a: {position: [1 m, 0, 0], velocity: [-4 m/s, 0, 0]}}}}
forces:
  - drag: {links: w.a, linear: 0.1 N s/m}
  - field: {name: edge, links: w.a, force: ['sqrt(x)', '0', '0']}
)")
      .summary.breakdown;
}

TEST(Breakdown, NamesTheElementWhoseForceIsNotFinite) {
  for (const char* integrator : {"rk4, step: 1 ms", "semi_implicit, step: 1 ms", "rk45, tolerance: 1e-6", "bdf"}) {
    const std::string said = breakdown_of(integrator);
    EXPECT_NE(said.find("the force of 'edge' on link 'w.a' is not finite there"), std::string::npos)
        << integrator << ": " << said;
    EXPECT_EQ(said.find("step of"), std::string::npos) << said;
  }
}

}  // namespace
