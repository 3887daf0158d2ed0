// A block is started, slides, sticks, is pulled, slides again, sticks again: every instant against its closed form.
//
// The block moves on a carriage that can only rise and fall: x along the floor (mass m), z with the carriage (mass m + c).
// N = (m + c) g. It starts with v₀ and stops at t₁ = v₀ m/(μ_k N). From t₂ on the far end of a spring k is drawn away with
// the speed w: it slips when k w (t₃ − t₂) = μ_s N. Then m ÿ = k (w τ − y) − μ_k N, τ = t − t₂: with
// s = y − w τ + μ_k N/k, s̈ = −ω² s, s(t₃) = −(μ_s − μ_k) N/k = −a, ṡ(t₃) = −w, and it stops when ṡ = −w again, after
//   θ/ω,   θ = 2 (π − atan(a ω/w))
#include <gtest/gtest.h>

#include <cstdio>

#include "support/floors.h"

namespace marey {
namespace sliding_block_test {

constexpr double m = 2, c = 0.7, g = 9.81, N = (m + c) * g, mu_s = 0.5, mu_k = 0.3, v_0 = 2, k = 150, w = 0.4, t_2 = 2;
const double t_1 = v_0 * m / (mu_k * N), x_1 = 0.5 * v_0 * t_1, t_3 = t_2 + mu_s * N / (k * w);
const double omega = std::sqrt(k / m),
             t_4 = t_3 + 2 * (std::acos(-1.0) - std::atan((mu_s - mu_k) * N / k * omega / w)) / omega;

Scene block() {
  ModelSpec spec;
  spec.gravity = {0, 0, -g};
  LinkSpec carriage, body;
  carriage.name = "carriage", carriage.joint = JointType::slider, carriage.axis = {0, 0, 1};
  carriage.inertia = solid_inertia(Sphere{0.1}, c);
  body.name = "block", body.parent = "carriage", body.joint = JointType::slider, body.axis = {1, 0, 0};
  body.inertia = solid_inertia(Sphere{0.1}, m);
  spec.links = {carriage, body};
  Scene scene;
  scene.model = freeze(spec);
  scene.start = neutral_state(scene.model);
  scene.start.v[1] = v_0;
  FloorContact contact;
  contact.link = scene.model.find("block");
  contact.friction_static = mu_s, contact.friction_kinetic = mu_k, contact.law.friction = mu_k;
  contact.name = "floor";
  scene.contacts = {contact};
  const TimeTable far_end{{0, t_2, t_2 + 10}, {x_1, x_1, x_1 + 10 * w}}, slope{{0, 1.2, 1.3}, {0, 0, k}};
  scene.elements.push_back(
      {"spring", FreePlay{contact.link, {NamedAngle::Kind::coordinate, {}}, far_end, far_end, slope, slope}});
  return scene;
}

class SlidingBlock : public ::testing::TestWithParam<std::pair<SolverOptions, double>> {};

TEST_P(SlidingBlock, SlidesSticksAndSlidesAtTheRightInstants) {
  const auto [solver, within] = GetParam();
  Scene scene = block();
  scene.solver = solver;
  World world(scene);
  std::vector<std::pair<Mode, double>> course{{world.contacts()->phase(0).mode, 0}};
  while (world.time() < t_4 + 0.02) {
    world.step(t_4 + 0.02);
    const Mode mode = world.contacts()->phase(0).mode;
    if (mode != course.back().first) course.emplace_back(mode, world.time());
  }
  ASSERT_EQ(course.size(), 4u);
  const Mode modes[] = {Mode::slide, Mode::stick, Mode::slide, Mode::stick};
  const double instants[] = {0, t_1, t_3, t_4};
  std::printf("%-12s", name_of(solver.integrator));
  for (std::size_t i = 0; i < 4; ++i) {
    std::printf("  %s %.9f s (%+.1e)", name_of(course[i].first), course[i].second, course[i].second - instants[i]);
    EXPECT_EQ(course[i].first, modes[i]);
    EXPECT_NEAR(course[i].second, instants[i], within);
  }
  const Ledger books = floors::ledger(world, scene, std::max(1e-10, within));
  std::printf("  residual %.1e\n", books.energy_residual_relative);
  EXPECT_TRUE(books.closed);
  EXPECT_LT(books.work_in[1].second, -0.5 * m * v_0 * v_0);  // friction took more than the start gave
  EXPECT_NEAR(world.state().q[0], 0, 1e-14);                 // on the floor
}

INSTANTIATE_TEST_SUITE_P(Methods, SlidingBlock,
                         ::testing::Values(std::pair(floors::adaptive(Integrator::rk45, 1e-12), 1e-9),
                                           std::pair(floors::fixed(Integrator::rk4, 1e-3), 1e-9),
                                           std::pair(floors::adaptive(Integrator::adams, 1e-12), 1e-9),
                                           std::pair(floors::adaptive(Integrator::bdf, 1e-12), 1e-9),
                                           std::pair(floors::fixed(Integrator::midpoint, 1e-4), 1e-6),
                                           std::pair(floors::fixed(Integrator::semi_implicit, 1e-4), 2e-3),
                                           std::pair(floors::fixed(Integrator::euler, 1e-4), 2e-3)));

// A box on its four corners: the load is shared, the laws are the same; then the floor is tilted by turning gravity.
TEST(SlidingBox, StopsAtTheRightInstantAndStays) {
  for (const Integrator method : {Integrator::rk45, Integrator::rk4, Integrator::adams}) {
    Scene scene = floors::body(Box{{0.4, 0.3, 0.2}}, 3);
    scene.start.q[6] = 0.1;
    scene.start.v[3] = 1.2, scene.start.v[4] = -0.5;
    for (const double x : {-0.2, 0.2})
      for (const double y : {-0.15, 0.15}) {
        FloorContact corner = floors::point({x, y, -0.1}, "corner " + std::to_string(scene.contacts.size()));
        corner.friction_static = corner.friction_kinetic = corner.law.friction = 0.35;
        scene.contacts.push_back(corner);
      }
    scene.solver = method == Integrator::rk4 ? floors::fixed(method, 1e-2) : floors::adaptive(method, 1e-11);
    World world(scene);
    double stopped = 0;
    const double stop = std::hypot(1.2, 0.5) / (0.35 * 9.81);
    while (world.time() < 2) {
      world.step(2);
      if (stopped == 0 && world.contacts()->phase(0).mode == Mode::stick) stopped = world.time();
    }
    std::printf("%s: stops at %.12f s (%+.1e)\n", name_of(method), stopped, stopped - stop);
    EXPECT_NEAR(stopped, stop, 1e-9);
    EXPECT_NEAR(world.state().q[4], 0.5 * stop * 1.2, 1e-8);
    for (const double v : world.state().v) EXPECT_NEAR(v, 0, 1e-12);
    EXPECT_TRUE(floors::ledger(world, scene, 1e-9).closed);
  }
}

}  // namespace sliding_block_test
}  // namespace marey
