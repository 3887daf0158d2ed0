// Scenes made by a program, not read from a text, that cannot be run.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "support/floors.h"
#include "support/recorded.h"

namespace run_refusals_test {

using namespace marey;

// A hinge and a slider in a row.
Scene two_joints() {
  ModelSpec spec;
  LinkSpec link;
  link.inertia = solid_inertia(Sphere{0.1}, 1);
  link.name = "arm", link.joint = JointType::hinge, link.axis = {0, 1, 0};
  spec.links.push_back(link);
  link.name = "rod", link.parent = "arm", link.joint = JointType::slider;
  spec.links.push_back(link);
  Scene scene;
  scene.model = freeze(spec);
  scene.start = neutral_state(scene.model);
  scene.duration = 2e-3;
  return scene;
}

std::string said_of(const Scene& scene) {
  recorded::Memory memory;
  try {
    run(scene, memory);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::bad_input);
    EXPECT_TRUE(memory.rows.empty());
    return e.what();
  }
  return {};
}
std::string said_after(const std::function<void(Scene&)>& change) {
  Scene scene = two_joints();
  change(scene);
  return said_of(scene);
}

Element reflex(double delay) {
  Reflex r;
  r.link = 1, r.stiffness = 1, r.delay = delay;
  return {"reflex", r};
}
FloorContact on_the_arm() {
  FloorContact c;
  c.link = 1, c.name = "toe", c.plane.offset = -1;
  return c;
}
Constraint rod_of(double length) {
  Constraint c;
  c.name = "string", c.a.link = 0, c.a.X_LC.p = {0, 0, 1}, c.b.link = 2;
  c.kind = FixedDistance{length};
  return c;
}

TEST(RunRefusals, AWholeSceneIsNotRefused) {
  EXPECT_EQ(said_after([](Scene&) {}), "");
  EXPECT_EQ(said_after([](Scene& s) { s.contacts = {on_the_arm()}; }), "");
  EXPECT_EQ(said_after([](Scene& s) { s.elements = {reflex(1e-3)}; }), "");
  EXPECT_EQ(said_after([](Scene& s) { s.constraints = {rod_of(1)}; }), "");
  EXPECT_EQ(said_after([](Scene& s) { s.solver.weld.emplace(); }), "");
}

TEST(RunRefusals, TooManyFrames) {
  EXPECT_EQ(said_after([](Scene& s) { s.duration = 1e3, s.record.every = 1e-5; }),
            "found 1e+08 frames to record (a frame every 1e-05 s); expected at most 1e+07");
  EXPECT_NE(said_after([](Scene& s) { s.duration = std::nan(""); }).find("frames to record"), std::string::npos);
  // Just as many as may be: what is refused is something else.
  EXPECT_EQ(said_after([](Scene& s) { s.duration = 1e7, s.record.every = 1, s.elements = {reflex(1e-4)}; }),
            "'reflex' has a delay of 0.0001 s, shorter than the step of 0.001 s: use a step of at most the delay");
}

TEST(RunRefusals, OfTheSolver) {
  EXPECT_EQ(said_after([](Scene& s) { s.solver.slow_band = 0; }), "slow_band must be at least 1");
  EXPECT_EQ(
      said_after([](Scene& s) { s.solver.dynamics = Dynamics::armstrong; }),
      "armstrong knows ball joints, and roots that are free, balled or welded to the world; link 'arm' hangs on a "
      "hinge: use dynamics: aba");
}

TEST(RunRefusals, OfElements) {
  EXPECT_EQ(said_after([](Scene& s) { s.elements = {{"glue", JointFriction{7, 1}}}; }).substr(0, 8), "'glue': ");
  EXPECT_EQ(said_after([](Scene& s) {
              s.elements = {{"fine", JointFriction{1, 1}}, {"glue", JointFriction{1, NAN}}};
            }).substr(0, 8),
            "'glue': ");
}

TEST(RunRefusals, OfDelays) {
  EXPECT_EQ(said_after([](Scene& s) { s.elements = {reflex(0.02)}, s.solver.dynamics = Dynamics::multipliers; }), "");
  SolverOptions options;
  EXPECT_EQ(refusal_of_delay(reflex(1e-3), options), "");
  EXPECT_NE(refusal_of_delay(reflex(0.999e-3), options), "");
  options.integrator = Integrator::rk45;  // chooses its steps
  EXPECT_EQ(refusal_of_delay(reflex(1e-5), options), "");
  options = {}, options.dynamics = Dynamics::multipliers;
  EXPECT_EQ(refusal_of_delay({"glue", JointFriction{1, 1}}, options), "");
}

TEST(RunRefusals, OfContacts) {
  const auto with = [](const std::function<void(FloorContact&)>& change) {
    return said_after([&](Scene& s) {
      s.contacts = {on_the_arm()};
      change(s.contacts[0]);
    });
  };
  EXPECT_EQ(said_after([](Scene& s) { s.contacts = {on_the_arm()}, s.solver.dynamics = Dynamics::multipliers; }), "");
  for (const int link : {-1, 0, 3}) EXPECT_EQ(with([=](auto& c) { c.link = link; }), "'toe': there is no such link");
  EXPECT_EQ(with([](auto& c) { c.link = 2; }), "");
  const std::string not_finite = "'toe': the point or the plane is not finite";
  EXPECT_EQ(with([](auto& c) { c.point_B.x = NAN; }), not_finite);
  EXPECT_EQ(with([](auto& c) { c.point_B.y = NAN; }), not_finite);
  EXPECT_EQ(with([](auto& c) { c.point_B.z = forever; }), not_finite);
  EXPECT_EQ(with([](auto& c) { c.plane.offset = -forever; }), not_finite);
  const std::string not_unit = "'toe': the normal of the plane is not of unit length";
  EXPECT_EQ(with([](auto& c) { c.plane.normal_W = {0, 0, 1.00001}; }), not_unit);
  EXPECT_EQ(with([](auto& c) { c.plane.normal_W = {0, 0.6, 0.79999}; }), not_unit);
  EXPECT_EQ(with([](auto& c) { c.plane.normal_W = {0, 0.6, 0.8}; }), "");
  const std::string restitution = "'toe': restitution lies between 0 and 1";
  for (const double bad : {-0.01, 1.01, std::nan("")})
    EXPECT_EQ(with([=](auto& c) { c.law.restitution = bad; }), restitution) << bad;
  EXPECT_EQ(with([](auto& c) { c.law.restitution = 1; }), "");
  const std::string friction = "'toe': friction is not negative, and not smaller at rest than in motion";
  EXPECT_EQ(with([](auto& c) { c.friction_static = c.friction_kinetic = -0.1; }), friction);
  EXPECT_EQ(with([](auto& c) { c.friction_static = 0.3, c.friction_kinetic = 0.4; }), friction);
  EXPECT_EQ(with([](auto& c) { c.friction_static = 0.4, c.friction_kinetic = 0.3; }), "");
  EXPECT_EQ(with([](auto& c) { c.law.friction = -0.1; }), friction);
  EXPECT_EQ(with([](auto& c) { c.law.friction = forever; }), friction);
  EXPECT_EQ(with([](auto& c) { c.friction_static = forever; }), friction);
}

TEST(RunRefusals, OfGroundThatGivesWay) {
  const auto with = [](const CompliantGround& ground) {
    return said_after([&](Scene& s) {
      s.contacts = {on_the_arm()};
      s.contacts[0].compliant = true, s.contacts[0].ground = ground;
    });
  };
  EXPECT_EQ(with({1000, 1, 0, 0}), "");
  EXPECT_EQ(with({1000, 1.5, 10, 0}), "");
  for (const CompliantGround& bad :
       {CompliantGround{0, 1, 0, 0}, CompliantGround{-5, 1, 0, 0}, CompliantGround{1000, 0.9, 0, 0},
        CompliantGround{1000, 1, -1, 0}, CompliantGround{forever, 1, 0, 0}, CompliantGround{1000, forever, 0, 0},
        CompliantGround{1000, 1, forever, 0}, CompliantGround{NAN, 1, 0, 0}})
    EXPECT_EQ(with(bad),
              "'toe': ground that gives way has a stiffness above zero, an exponent of 1 or more, and no negative "
              "damping");
}

TEST(RunRefusals, OfConstraints) {
  EXPECT_EQ(said_after([](Scene& s) { s.constraints = {rod_of(-1)}; }), "'string': the length of a rod is above zero");
  EXPECT_EQ(said_after([](Scene& s) { s.constraints = {rod_of(1)}, s.solver.integrator = Integrator::midpoint; }), "");
  const auto driven = [](Coupler::Level level) {
    return said_after([&](Scene& s) {
      Constraint c;
      c.name = "crank";
      Coupler coupler;
      coupler.terms = {{1, 1.0}}, coupler.sum = constant_in_time(0), coupler.level = level;
      c.kind = coupler;
      s.constraints = {c}, s.solver.integrator = Integrator::midpoint;
    });
  };
  EXPECT_EQ(driven(Coupler::Level::coordinate), "");
  EXPECT_EQ(driven(Coupler::Level::velocity), "");
  EXPECT_EQ(
      driven(Coupler::Level::acceleration),
      "'crank' asks for accelerations, and midpoint holds places and velocities alone: use integrator: rk4, rk45, "
      "adams or bdf");
  const auto in_maximal = [](const std::function<void(Constraint&)>& change) {
    return said_after([&](Scene& s) {
      s.constraints = {rod_of(1)}, s.solver.dynamics = Dynamics::multipliers;
      change(s.constraints[0]);
    });
  };
  EXPECT_EQ(in_maximal([](auto&) {}), "");
  EXPECT_EQ(in_maximal([](auto& c) { c.from = 1e-3; }), "");
  EXPECT_EQ(in_maximal([](auto& c) { c.until = 1e-3; }), "");
}

TEST(RunRefusals, OfWelding) {
  const auto with = [](const std::function<void(Scene&)>& change) {
    return said_after([&](Scene& s) {
      s.solver.weld.emplace();
      change(s);
    });
  };
  const std::string above = "weld: below, for and wake are above 0";
  EXPECT_EQ(with([](Scene& s) { s.solver.weld->below = 0; }), above);
  EXPECT_EQ(with([](Scene& s) { s.solver.weld->lasts = 0; }), above);
  EXPECT_EQ(with([](Scene& s) { s.solver.weld->wake = NAN; }), above);
  EXPECT_EQ(with([](Scene& s) { s.solver.dynamics = Dynamics::multipliers; }),
            "weld merges links, which multipliers keep apart: use dynamics: aba");
  EXPECT_EQ(with([](Scene& s) { s.solver.dynamics = Dynamics::crba, s.solver.reuse = 0.1; }),
            "weld does not go with reuse, whose factors are of another figure: use dynamics: aba");
  EXPECT_EQ(with([](Scene& s) { s.solver.integrator = Integrator::midpoint; }),
            "midpoint knows no welds: use integrator: rk4, rk45, adams or bdf");
  EXPECT_EQ(with([](Scene& s) { s.constraints = {rod_of(1)}; }), "");
  EXPECT_EQ(with([](Scene& s) { s.contacts = {on_the_arm()}; }), "");
  EXPECT_EQ(with([](Scene& s) {
              s.contacts = {on_the_arm()};
              s.contacts[0].compliant = true, s.contacts[0].ground.stiffness = 100;
            }),
            "");
  SolverOptions slow;
  slow.weld.emplace(), slow.dynamics = Dynamics::armstrong, slow.slow_band = 2;
  EXPECT_EQ(refusal_of_welding(slow), "weld does not go with a slow band: use slow_band: 1, or dynamics: aba");
}

Model particles(int count) {
  ModelSpec spec;
  LinkSpec link;
  link.joint = JointType::point, link.inertia.m = 1;
  for (int i = 0; i < count; ++i) {
    link.name = std::to_string(i);
    spec.links.push_back(link);
  }
  return freeze(spec);
}
TEST(RunRefusals, OfMatricesTooLarge) {
  SolverOptions options;
  options.dynamics = Dynamics::dense;
  EXPECT_EQ(refusal(particles(299), options), "");
  EXPECT_EQ(refusal(particles(300), options),
            "dense is a reference for small figures (at most 300 links): use dynamics: aba");
  options.dynamics = Dynamics::crba;
  EXPECT_EQ(refusal(particles(3333), options), "");  // 9,999 freedoms
  EXPECT_EQ(refusal(particles(3334), options),
            "crba keeps a dense matrix, too large for this figure: use dynamics: aba");
  options.dynamics = Dynamics::aba;
  EXPECT_EQ(refusal(particles(3334), options), "");
}

TEST(RunRefusals, OfSlowBands) {
  ModelSpec spec;
  LinkSpec link;
  link.name = "ball", link.joint = JointType::ball, link.inertia = solid_inertia(Sphere{0.1}, 1);
  spec.links = {link};
  const Model model = freeze(spec);
  SolverOptions o;
  o.dynamics = Dynamics::armstrong, o.slow_band = 2;
  const std::string euler =
      "slow_band above 1 goes with the Euler methods: use integrator: semi_implicit, or slow_band: 1";
  for (const Integrator i : {Integrator::euler, Integrator::euler_second, Integrator::semi_implicit}) {
    o.integrator = i;
    EXPECT_EQ(refusal(model, o), "");
  }
  for (const Integrator i :
       {Integrator::rk4, Integrator::rk45, Integrator::adams, Integrator::bdf, Integrator::midpoint}) {
    o.integrator = i;
    EXPECT_EQ(refusal(model, o), euler) << name_of(i);
  }
  o.integrator = Integrator::semi_implicit, o.spread = true;
  EXPECT_EQ(refusal(model, o), "");
  o.slow_band = 1;
  EXPECT_EQ(refusal(model, o), "spread needs slow_band of 2 or more");
}

// What the scene asks for, or what its steps allow.
TEST(RunRefusals, WhenAnAccountIsClosed) {
  Scene scene = two_joints();
  EXPECT_EQ(closed_within(scene), 1e-3);
  scene.solver.integrator = Integrator::rk45, scene.solver.tolerance = 1e-9;
  EXPECT_DOUBLE_EQ(closed_within(scene), 1e-7);
  scene.solver.absolute_tolerance = 1e-8;
  EXPECT_DOUBLE_EQ(closed_within(scene), 1e-6);
  scene.solver.absolute_tolerance = 1e-12;
  EXPECT_DOUBLE_EQ(closed_within(scene), 1e-7);
  scene.solver.tolerance = 1e-3;
  EXPECT_EQ(closed_within(scene), 1e-3);
  scene.closed_within = 0.5;
  EXPECT_EQ(closed_within(scene), 0.5);
}

}  // namespace run_refusals_test
