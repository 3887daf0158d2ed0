// Particles in a store of their own, springs, dampers and drag in packs: the same forces, motions and accounts as by links and
// elements one by one, under every method and solver; what is conserved; what repeats to the bit.
#include "marey/plant/particle_plant.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "marey/dynamics/particles.h"
#include "marey/force/particle_packs.h"
#include "marey/simulation.h"
#include "sim/world.h"
#include "support/figures.h"
#include "support/floors.h"
#include "support/integrators.h"
#include "support/sanitized.h"
#include "support/sizes.h"

namespace particle_plant_test {

using namespace marey;
using figures::Random;
using Vec = Vec3<double>;

constexpr double eps = 2.2e-16;

// ---- scenes
LinkSpec particle(const std::string& name, double mass) {
  LinkSpec link;
  link.name = name, link.joint = JointType::point, link.inertia = {mass, {}, {}};
  return link;
}

struct Net {
  SpringNet springs;
  DamperNet dampers;
  void join(const Anchor& a, const Anchor& b, double stiffness, double rest, double damping) {
    springs.springs.push_back({a, b, stiffness, rest});
    dampers.dampers.push_back({a, b, damping});
  }
};

constexpr int across = 9, along = 7;

// A grid of particles with two corners held, figures before, between and behind, particles here and there, of which two are at
// the same place, one has turned axes, one has its mass off its origin and one hangs on a figure.
ModelSpec mixed_figures(Random& random) {
  ModelSpec spec = figures::chain(2, JointType::free);
  for (int i = 0; i < across * along; ++i) {
    spec.links.push_back(particle(fmt::format("g{}", i), random.between(0.5, 2)));
    if (i == 0 || i == across - 1) {
      spec.links.back().joint = JointType::weld;
      spec.links.back().X_PF.p = {0.1 * i, 0, 1};
    }
    if (i == 40)
      spec.links.push_back(figures::rod_link("pendulum", "world", JointType::hinge, {0, 1, 0}, 1, 0.4, 0.02));
  }
  for (int i = 0; i < 12; ++i) spec.links.push_back(particle(fmt::format("p{}", i), random.between(0.5, 2)));
  spec.links[spec.links.size() - 1].X_PF.R = rotation_about(Vec{0, 0, 1}, 0.7);
  spec.links[spec.links.size() - 2].inertia = inertia_about_origin(0.7, {0.1, 0, 0.05}, {0.02, 0.03, 0.04, 0, 0, 0});
  spec.links[spec.links.size() - 3].parent = "pendulum";
  spec.links[spec.links.size() - 4].X_PF.p = {0.1, 0.2, 0.3};
  return spec;
}

int grid_link(const Model& model, int i, int j) { return model.find(fmt::format("g{}", j * across + i)); }

void join_grid(const Model& model, Random& random, Net& net) {
  const int steps[][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}, {2, 0}, {0, 2}};
  for (const auto& step : steps)
    for (int j = 0; j < along; ++j)
      for (int i = 0; i < across; ++i) {
        const int a = i + step[0], b = j + step[1];
        if (a < across && b >= 0 && b < along)
          net.join({grid_link(model, i, j), {}}, {grid_link(model, a, b), {}}, 20, random.between(0, 0.2), 0.3);
      }
}

Net mixed_net(const Model& model, Random& random) {
  Net net;
  join_grid(model, random, net);
  const auto anchor = [&](bool anywhere) {
    return Anchor{anywhere ? random.below(model.nlink()) : 4 + random.below(model.nlink() - 4),
                  anywhere ? random.normal3(0.5) : Vec{}};
  };
  for (int k = 0; k < 60; ++k) {
    const Anchor a = anchor(k % 3 == 0);
    Anchor b = anchor(k % 4 == 0);
    if (a.link == b.link) b.link = a.link == 0 ? 1 : 0;
    const double stiffness = random.between(0.5, 3), rest = k % 2 == 0 ? 0 : random.between(0.1, 1),
                 damping = random.between(0, 0.5);
    net.join(a, b, stiffness, rest, damping);
  }
  const Anchor p0{model.find("p0"), {}}, p1{model.find("p1"), {}};
  net.join(p0, p1, 5, 0.3, 0.1), net.join(p1, p0, 5, 0.3, 0.1), net.join(p0, p1, 5, 0.3, 0.1);
  return net;
}

std::vector<int> all_links(const Model& model) {
  std::vector<int> links;
  for (int i = 1; i < model.nlink(); ++i) links.push_back(i);
  return links;
}

Scene mixed_scene(unsigned seed) {
  Random random(seed);
  Scene scene;
  scene.model = freeze(mixed_figures(random));
  const Model& model = scene.model;
  scene.start = neutral_state(model);
  for (const LinkTopology& link : model.links) {
    const int shift = coordinate_count(link) - freedom_count(link);
    for (int k = shift == 0 ? 0 : 4; k < coordinate_count(link); ++k) scene.start.q[link.q + k] = random.between(-1, 1);
    for (int k = 0; k < freedom_count(link); ++k) scene.start.v[link.v + k] = random.between(-1, 1);
  }
  const int q0 = model.links[model.find("p0")].q, q1 = model.links[model.find("p1")].q;
  for (int k = 0; k < 3; ++k) scene.start.q[q1 + k] = scene.start.q[q0 + k];  // they meet
  const Net net = mixed_net(model, random);
  scene.elements = {{"net", net.springs}, {"net/damping", net.dampers}};
  SpringNet alone;
  DamperNet damping_alone;
  for (int k = 0; k < 20; ++k) {
    alone.springs.push_back({{model.find("g10"), {}}, {model.find(fmt::format("g{}", 20 + k)), {}}, 1.5, 0.4});
    damping_alone.dampers.push_back({{model.find(fmt::format("g{}", 30 + k)), {}}, {model.find("p3"), {}}, 0.2});
  }
  scene.elements.push_back({"alone", alone});
  scene.elements.push_back({"damping alone", damping_alone});
  scene.elements.push_back({"air", Drag{all_links(model), 0.05, 0.02}});
  scene.elements.push_back({"quiet air", Drag{{model.find("g12"), model.find("g13"), model.find("g12")}, 0.05, 0}});
  Push push;
  push.link = model.find("g20"), push.force = {1, 2, 3}, push.torque = {0.3, 0.2, 0.1}, push.point_B = {0.1, 0, 0};
  scene.elements.push_back({"push", push});
  scene.elements.push_back({"sun", Attraction{all_links(model), {0, 0, 4}, 2, 0.3}});
  return scene;
}

// A grid on its own, held or not: nothing but packs.
Scene net_scene(bool held, const Vec& gravity, double damping) {
  Random random(5);
  ModelSpec spec;
  spec.gravity = gravity;
  for (int i = 0; i < across * along; ++i) {
    spec.links.push_back(particle(fmt::format("g{}", i), random.between(0.5, 2)));
    if (!held || i != 0) continue;
    spec.links.back().joint = JointType::weld;
  }
  Scene scene;
  scene.model = freeze(spec);
  scene.start = neutral_state(scene.model);
  for (int j = 0; j < along; ++j)
    for (int i = 0; i < across; ++i) {
      const LinkTopology& link = scene.model.links[grid_link(scene.model, i, j)];
      if (link.joint == JointType::weld) continue;
      scene.start.q[link.q] = 0.1 * i + random.between(-0.01, 0.01);
      scene.start.q[link.q + 1] = 0.1 * j + random.between(-0.01, 0.01);
      for (int k = 0; k < 3; ++k) scene.start.v[link.v + k] = random.between(-0.2, 0.2);
    }
  Net net;
  join_grid(scene.model, random, net);
  for (SpringNet::Spring& s : net.springs.springs) s.rest = 0.5 * s.rest;
  for (DamperNet::Damper& d : net.dampers.dampers) d.damping = damping;
  scene.elements = {{"net", net.springs}, {"net/damping", net.dampers}};
  scene.solver.step = 1e-3;
  return scene;
}

Scene by_links(Scene scene) {
  scene.solver.particles_apart = false;
  return scene;
}

// ---- forces
TEST(ParticlePlant, KnowsWhatAParticleIs) {
  const Scene scene = mixed_scene(1);
  const Model& model = scene.model;
  for (const char* name : {"g1", "g62", "p0", "p8"}) EXPECT_TRUE(is_particle(model, model.find(name))) << name;
  // held; on a figure; off its origin; turned; a figure; the world
  for (const char* name : {"g0", "p9", "p10", "p11", "pendulum", "world"})
    EXPECT_FALSE(is_particle(model, model.find(name))) << name;
  EXPECT_TRUE(ParticlePlant::serves(scene.model, scene.solver));
  EXPECT_FALSE(ParticlePlant::serves(scene.model, by_links(scene).solver));
  // Most of a grid is tight: nothing of it is left to the general path.
  const ParticleStore store(model);
  ParticlePacks packs(store, scene.elements);
  EXPECT_TRUE(packs.covers(0) && packs.covers(1) && packs.covers(2) && packs.covers(3) && packs.covers(4));
  EXPECT_FALSE(packs.covers(6) || packs.covers(7));
  ASSERT_NE(packs.rest(0), nullptr);
  EXPECT_LT(packs.rest(0)->kind.get_if<SpringNet>()->springs.size(), 50u);
  EXPECT_EQ(packs.rest(2), nullptr);
}

// Of sums of some 30 forces, each of which is good for some ε: 100 ε of the largest.
TEST(ParticlePlant, ForcesAreThoseOfLinksAndElements) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const Scene scene = mixed_scene(seed), general = by_links(scene);
    World apart(scene), links(general);
    std::vector<double> vdot(scene.start.v.size()), expected(vdot);
    const Forces<double> a = apart.everything_that_acts(vdot), b = links.everything_that_acts(expected);
    EXPECT_LE(largest_difference(vdot, expected), 100 * eps * largest(expected)) << seed;
    EXPECT_LE(largest_difference(a.tau, b.tau), 0);
    double most = 0, off = 0;
    for (std::size_t i = 0; i < a.F_Bo_W.size(); ++i)
      for (int k = 0; k < 3; ++k) {
        most = std::max({most, std::abs(b.F_Bo_W[i].f[k]), std::abs(b.F_Bo_W[i].n[k])});
        off = std::max(
            {off, std::abs(a.F_Bo_W[i].f[k] - b.F_Bo_W[i].f[k]), std::abs(a.F_Bo_W[i].n[k] - b.F_Bo_W[i].n[k])});
      }
    EXPECT_LE(off, 100 * eps * most) << seed;
  }
}

// A net that nobody holds pulls itself nowhere and turns itself nowhere.
TEST(ParticlePlant, FreeNetsHaveNoResultant) {
  const Scene scene = net_scene(false, {}, 0.3);
  World world(scene);
  for (int i = 0; i < 20; ++i) world.step();
  std::vector<double> vdot(scene.start.v.size());
  world.everything_that_acts(vdot);
  Vec f, n;
  double most = 0;
  for (int i = 1; i < scene.model.nlink(); ++i) {
    const LinkTopology& link = scene.model.links[i];
    const double *q = world.state().q.data() + link.q, *a = vdot.data() + link.v, m = scene.model.params.links[i].I.m;
    const Vec force = m * Vec{a[0], a[1], a[2]};
    f += force, n += cross(Vec{q[0], q[1], q[2]}, force);
    most += norm(force);
  }
  EXPECT_GT(most, 10);
  EXPECT_LE(norm(f), 100 * eps * most);
  EXPECT_LE(norm(n), 100 * eps * most);
}

// ---- motions
struct Way {
  Dynamics dynamics;
  Integrator integrator;
};
class ParticleWays : public ::testing::TestWithParam<Way> {};

void expect_same_run(const Scene& scene, double until, double within) {
  Simulation apart(scene), links(by_links(scene));
  apart.run_until(until), links.run_until(until);
  const State &a = apart.state(), &b = links.state();
  EXPECT_LE(largest_difference(a.q, b.q), within * std::max(1.0, largest(b.q)));
  EXPECT_LE(largest_difference(a.v, b.v), within * std::max(1.0, largest(b.v)));
  const Ledger of_a = apart.ledger(), of_b = links.ledger();
  EXPECT_NEAR(of_a.energy_end, of_b.energy_end, within * of_b.energy_largest);
  ASSERT_EQ(of_a.work_in.size(), of_b.work_in.size());
  for (std::size_t i = 0; i < of_a.work_in.size(); ++i)
    EXPECT_NEAR(of_a.work_in[i].second, of_b.work_in[i].second, within * of_b.energy_largest) << of_b.work_in[i].first;
  EXPECT_NEAR(of_a.energy_residual_relative, of_b.energy_residual_relative, within);
  EXPECT_NEAR(of_a.linear_momentum_residual_relative, of_b.linear_momentum_residual_relative, within);
  EXPECT_NEAR(of_a.angular_momentum_residual_relative, of_b.angular_momentum_residual_relative, within);
}

// Rounding, which 40 steps of these nets make some ten times larger; and what chosen steps and Newton's rounds make of it, far
// below their tolerance of 1e-6.
double within(Integrator i) { return has_fixed_step(i) && i != Integrator::midpoint ? 1e-12 : 1e-8; }

TEST_P(ParticleWays, MoveAsLinksDo) {
  const auto [dynamics, integrator] = GetParam();
  Scene scene = mixed_scene(2);
  scene.solver.dynamics = dynamics, scene.solver.integrator = integrator;
  const double until = dynamics == Dynamics::dense ? 0.002 : 0.02 / every(5);  // that is slow, of so many links
  expect_same_run(scene, until, within(integrator));
  scene = net_scene(true, {0, 0, -9.81}, 0.1);
  scene.solver.dynamics = dynamics, scene.solver.integrator = integrator;
  expect_same_run(scene, until, within(integrator));
}

INSTANTIATE_TEST_SUITE_P(Every, ParticleWays,
                         ::testing::Values(Way{Dynamics::crba, Integrator::semi_implicit},
                                           Way{Dynamics::dense, Integrator::euler},
                                           Way{Dynamics::multipliers, Integrator::semi_implicit}));

std::vector<Way> every_method_with_aba() {
  std::vector<Way> all;
  for (const Integrator i : all_integrators()) all.push_back({Dynamics::aba, i});
  return all;
}
INSTANTIATE_TEST_SUITE_P(EveryMethod, ParticleWays, ::testing::ValuesIn(every_method_with_aba()));

// ---- with whatever restricts
TEST(ParticlePlant, TouchesFloorsAndIsHeldAsLinksAre) {
  Scene scene = mixed_scene(3);
  const Model& model = scene.model;
  double height = 0.01;
  for (const char* name : {"p0", "p5", "g33", "1"}) {
    FloorContact c = floors::point({}, std::string("under ") + name);
    c.link = model.find(name), c.law.restitution = 0.4, c.law.friction = 0.3;
    scene.contacts.push_back(c);
    const LinkTopology& link = model.links[c.link];
    if (link.joint != JointType::point) continue;
    scene.start.q[link.q + 2] = height += 0.01, scene.start.v[link.v + 2] = -2;
  }
  scene.start.q[model.links[1].q + 6] = 3;
  Constraint rod;
  rod.kind = FixedDistance{norm(Vec{1, 1, 1})}, rod.name = "rod";
  rod.a.link = model.find("p2"), rod.b.link = model.find("g50");
  for (int k = 0; k < 3; ++k) {
    scene.start.q[model.links[rod.b.link].q + k] = scene.start.q[model.links[rod.a.link].q + k] + 1;
    scene.start.v[model.links[rod.b.link].v + k] = scene.start.v[model.links[rod.a.link].v + k];
  }
  scene.constraints = {rod};
  scene.constraints.push_back(rod);
  Constraint& drive = scene.constraints.back();
  drive.name = "drive", drive.a = {}, drive.b = {};
  drive.kind = Coupler{{{model.find("p6"), 1.0, 1}}, spline_in_time({0, 1}, {0, 1})};
  scene.start.q[model.links[model.find("p6")].q + 1] = scene.start.v[model.links[model.find("p6")].v + 1] = 0;
  for (const Integrator integrator : {Integrator::rk4, Integrator::semi_implicit, Integrator::rk45}) {
    scene.solver.integrator = integrator;
    Simulation apart(scene);
    EXPECT_NO_THROW(apart.run_until(0.03));
    EXPECT_GT(apart.events(), 0);
    expect_same_run(scene, 0.03, 1e-8);
  }
}

// ---- numbers that change while it runs
// A chain whose joints follow scripts beside a net: the scripts are held, as they are where there are no particles.
TEST(ParticlePlant, HoldsScriptsOfFigures) {
  ModelSpec spec = figures::chain(8, JointType::hinge);
  for (LinkSpec& link : spec.links) link.joint = JointType::hinge, link.axis = {0, 1, 0};
  for (int i = 0; i < 3; ++i) spec.links.push_back(particle(fmt::format("p{}", i), 1 + i));
  Scene scene;
  scene.model = freeze(spec);
  scene.start = neutral_state(scene.model);
  for (std::size_t k = 0; k < scene.start.q.size(); ++k) scene.start.q[k] = 0.05 * static_cast<double>(k);
  scene.solver = floors::fixed(Integrator::rk4, 1e-3);
  const int a = scene.model.find("p0"), b = scene.model.find("p1"), c = scene.model.find("p2");
  scene.elements.push_back({"net", SpringNet{{{{a, {}}, {b, {}}, 50, 0.1}, {{b, {}}, {c, {}}, 70, 0.2}}}});
  int scripts = 0;
  for (int i = 1; i < scene.model.nlink(); ++i) {
    if (scene.model.links[static_cast<std::size_t>(i)].joint != JointType::hinge) continue;
    Coupler coupler;
    coupler.terms.push_back({i, 1, 0, {}});
    coupler.sum = constant_in_time(0.3 + 0.1 * i);
    coupler.level = Coupler::Level::velocity;
    Constraint script;
    script.name = fmt::format("script {}", i), script.kind = coupler;
    scene.constraints.push_back(script);
    scene.start.v[static_cast<std::size_t>(scene.model.links[static_cast<std::size_t>(i)].v)] = 0.3 + 0.1 * i;
    ++scripts;
  }
  ASSERT_GE(scripts, 4);
  Scene as_links = scene;
  as_links.solver.particles_apart = false;
  World apart(scene), together(as_links);
  floors::run_until(apart, 0.3), floors::run_until(together, 0.3);
  EXPECT_EQ(apart.constraints()->rows().matrix_size(), 0);
  for (std::size_t k = 0; k < scene.start.q.size(); ++k)
    EXPECT_NEAR(apart.state().q[k], together.state().q[k], 1e-12) << k;
  for (std::size_t k = 0; k < scene.start.v.size(); ++k)
    EXPECT_NEAR(apart.state().v[k], together.state().v[k], 1e-11) << k;
}

TEST(ParticlePlant, FollowsNumbersThatAreSet) {
  Scene scene = mixed_scene(4);
  scene.takes_inputs = true;
  Simulation apart(scene), links(by_links(scene));
  for (Simulation* s : {&apart, &links}) {
    s->run_until(0.01);
    s->set("net", "stiffness", 55);
    s->set("net/damping", "damping", 0.9);
    s->set("air", "linear", 0.8);
    s->run_until(0.02);
    s->push(scene.model.find("g30"), {3, 0, 0}, {0, 1, 0});
    s->run_until(0.03);
  }
  EXPECT_LE(largest_difference(apart.state().v, links.state().v), 1e-11);
  EXPECT_NEAR(apart.ledger().energy_end, links.ledger().energy_end, 1e-10);
  Simulation untouched(scene);
  untouched.run_until(0.03);
  EXPECT_GT(largest_difference(apart.state().v, untouched.state().v), 0.1);
}

// ---- accounts, orders, bits
TEST(ParticlePlant, AccountsOfNetsClose) {
  for (const bool held : {false, true}) {
    Scene scene = net_scene(held, {0, 0, -9.81}, 0.2);
    scene.elements.push_back({"air", Drag{all_links(scene.model), 0.05, 0.02}});
    Simulation simulation(scene);
    simulation.run_until(0.3);
    const Ledger ledger = simulation.ledger();
    EXPECT_LT(ledger.energy_residual_relative, 1e-9);
    EXPECT_LT(ledger.linear_momentum_residual_relative, 1e-13);
    EXPECT_LT(ledger.angular_momentum_residual_relative, 1e-10);
    for (const auto& [name, work] : ledger.work_in) {
      EXPECT_LE(work, name == "net" ? 0 : -1e-3) << name;
    }
  }
}

TEST(ParticlePlant, KeepsTheOrderOfTheMethod) {
  const auto end = [&](double step) {
    Scene scene = net_scene(true, {0, 0, -9.81}, 0.2);
    scene.solver.step = step;
    Simulation simulation(scene);
    simulation.run_until(0.128);
    return simulation.state().q;
  };
  const std::vector<double> coarse = end(8e-3), middle = end(4e-3), fine = end(2e-3);
  const double order = std::log2(largest_difference(coarse, middle) / largest_difference(middle, fine));
  EXPECT_GT(order, 3.5);
  EXPECT_LT(order, 4.6);
}

TEST(ParticlePlant, GoesOnToTheBit) {
  const int steps = 10 / every(5);
  for (Scene scene : {net_scene(true, {0, 0, -9.81}, 0.2), mixed_scene(6)})
    for (const Integrator integrator :
         {Integrator::rk4, Integrator::semi_implicit, Integrator::rk45, Integrator::midpoint}) {
      scene.solver.integrator = integrator;
      World whole(scene), again(scene), resumed(scene);
      for (int i = 0; i < steps; ++i) whole.step(), again.step();
      const std::vector<std::byte> saved = whole.save();
      for (int i = 0; i < steps; ++i) whole.step(), again.step();
      EXPECT_EQ(whole.save(), again.save());
      resumed.restore(saved);
      for (int i = 0; i < steps; ++i) resumed.step();
      EXPECT_EQ(whole.save(), resumed.save());
    }
}

// Where nothing but packs has to do with particles they are not shown as links. Whoever asks for forces sees them, and the
// motion is the same.
TEST(ParticlePlant, MovesTheSameWhetherItIsLookedAtOrNot) {
  const Scene scene = net_scene(true, {0, 0, -9.81}, 0.2);
  World unseen(scene), seen(scene);
  std::vector<double> vdot(scene.start.v.size());
  for (int i = 0; i < 5; ++i) unseen.step(), seen.step();
  const Forces<double> forces = seen.everything_that_acts(vdot);
  double most = 0;
  for (const Wrench<double>& F : forces.F_Bo_W) most = std::max(most, norm(F.f));
  EXPECT_GT(most, 1);
  for (int i = 0; i < 5; ++i) unseen.step(), seen.step();
  EXPECT_EQ(unseen.state().q, seen.state().q);
  EXPECT_EQ(unseen.state().v, seen.state().v);
  for (std::size_t i = 0; i < unseen.integrals().size(); ++i) EXPECT_EQ(unseen.integrals()[i], seen.integrals()[i]);
}

}  // namespace particle_plant_test
