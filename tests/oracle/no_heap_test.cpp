// Solvers take no memory once their workspaces are made: this program counts every call of operator new.
#include <gtest/gtest.h>

#include "marey/dynamics/baraff.h"
#include "marey/io/scene.h"
#include "sim/world.h"
#include "support/allocations.h"
#include "support/figures.h"
#include "support/solvers.h"

namespace {

// How often `work` asks for memory.
template <class Work>
long count(const Work& work) {
  const long before = allocations;
  work();
  return allocations - before;
}

TEST(NoHeap, TheCounterCounts) {
  int* volatile kept = nullptr;  // so that the compiler may not do without the memory
  EXPECT_EQ(count([&] { kept = new int(1); }), 1);
  delete kept;
  std::vector<double> x;
  EXPECT_EQ(count([&] { x.resize(100); }), 1);
  EXPECT_EQ(count([&] { x.resize(50); }), 0);
  EXPECT_EQ(count([] {}), 0);
}

template <class T>
void no_solver_allocates() {
  const figures::Figure f = figures::with_random_state(figures::human39(), 1);
  const auto in = figures::input_of<T>(f);
  const marey::Model& model = f.model;
  std::vector<T> vdot(in.v.size()), tau(in.v.size());
  const marey::Forces<T> forces{in.tau, in.F_Bo_W};
  marey::AbaWorkspace<T> aba_ws(model);
  marey::CrbaWorkspace<T> crba_ws(model);
  marey::ArmstrongWorkspace<T> armstrong_ws(model);
  marey::RneaWorkspace<T> rnea_ws(model);
  marey::Kinematics<T> kinematics(model);
  const std::span<const T> q(in.q), v(in.v);
  EXPECT_EQ(count([&] { marey::aba<T>(model, in.params, q, v, forces, aba_ws, vdot); }), 0);
  EXPECT_EQ(count([&] { marey::crba<T>(model, in.params, q, v, forces, crba_ws, vdot); }), 0);
  EXPECT_EQ(count([&] { marey::armstrong<T>(model, in.params, q, v, forces, armstrong_ws, vdot); }), 0);
  EXPECT_EQ(count([&] { marey::rnea<T>(model, in.params, q, v, vdot, in.F_Bo_W, rnea_ws, tau); }), 0);
  if constexpr (std::is_same_v<T, double>) {
    marey::BaraffWorkspace baraff_ws(model);
    EXPECT_EQ(count([&] { marey::baraff(model, in.params, q, v, forces, baraff_ws, vdot); }), 0);
  }
  EXPECT_EQ(count([&] {
              marey::forward_kinematics<T>(model, in.params, q, v, kinematics);
              (void)marey::totals<T>(model, in.params, kinematics);
            }),
            0);
  EXPECT_EQ(count([&] {
              marey::armstrong_kinematics<T>(model, in.params, q, v, armstrong_ws);
              marey::armstrong_slow_band<T>(model, in.params, model.nlink() - 1, 1, armstrong_ws);
              marey::armstrong_fast_band<T>(model, in.params, forces, armstrong_ws, vdot);
            }),
            0);
}
TEST(NoHeap, NoSolverAllocates) { no_solver_allocates<double>(); }
TEST(NoHeap, NorInFloats) { no_solver_allocates<float>(); }

// The same with every joint there is.
TEST(NoHeap, NorOnGeneralJoints) {
  const figures::Figure f = figures::random_figure(3, {40, figures::Tree::random, figures::Joints::every});
  const auto in = figures::input_of<double>(f);
  std::vector<double> vdot(in.v.size()), tau(in.v.size());
  const marey::Forces<double> forces{in.tau, in.F_Bo_W};
  marey::AbaWorkspace<double> aba_ws(f.model);
  marey::CrbaWorkspace<double> crba_ws(f.model);
  marey::RneaWorkspace<double> rnea_ws(f.model);
  marey::MultiplierWorkspace<double> multiplier_ws(f.model);
  marey::Kinematics<double> kinematics(f.model);
  EXPECT_GE(f.model.general.size(), 10u);
  EXPECT_EQ(count([&] {
              marey::aba<double>(f.model, in.params, in.q, in.v, forces, aba_ws, vdot);
              marey::crba<double>(f.model, in.params, in.q, in.v, forces, crba_ws, vdot);
              marey::rnea<double>(f.model, in.params, in.q, in.v, vdot, in.F_Bo_W, rnea_ws, tau);
              marey::multipliers<double>(f.model, in.params, in.q, in.v, forces, multiplier_ws, vdot);
              marey::forward_kinematics<double>(f.model, in.params, in.q, in.v, kinematics);
            }),
            0);
}

// Steps with friction and torque functions on every coordinate of general joints.
TEST(NoHeap, NorAStepOnGeneralJoints) {
  const figures::Figure f = figures::random_figure(5, {12, figures::Tree::random, figures::Joints::every, 10});
  marey::Scene scene;
  scene.model = f.model;
  scene.start = f.state;
  scene.solver.step = 1e-5;
  const marey::TimeTable zero{{0}, {0}}, slope{{0}, {3}};
  for (int i = 1; i < scene.model.nlink(); ++i) {
    const marey::LinkTopology& link = scene.model.links[static_cast<std::size_t>(i)];
    if (!is_general(link.joint) || has_attitude(link.joint)) continue;
    for (int k = 0; k < freedom_count(link); ++k) {
      const std::string name = std::to_string(i) + " " + std::to_string(k);
      scene.elements.push_back({"f" + name, marey::JointFriction{i, 0.1, k}});
      marey::NamedAngle angle;
      angle.coordinate = k;
      scene.elements.push_back({"t" + name, marey::FreePlay{i, angle, zero, zero, slope, slope}});
    }
  }
  ASSERT_GE(scene.elements.size(), 6u);
  marey::World world(scene);
  EXPECT_EQ(count([&] {
              for (int i = 0; i < 5; ++i) world.step();
            }),
            0);
}

// Elements, switches, solver, stepper and ledger together.
void no_step_allocates(const marey::SolverOptions& options) {
  marey::Scene scene;
  scene.model = marey::freeze(figures::human39());
  scene.start = marey::neutral_state(scene.model);
  scene.solver = options;
  marey::Schedule spikes;
  spikes.from = 0.002, spikes.lasts = 0.003, spikes.every = 0.006;
  spikes.conditions = {{marey::Condition::Quantity::height, 1, {}, {}, true, -5}};
  for (int i = 2; i < scene.model.nlink(); ++i) {
    const marey::TimeTable zero{{0}, {0}}, slope{{0}, {3}};
    scene.elements.push_back({"f" + std::to_string(i), marey::JointFriction{i, 0.1}});
    scene.elements.push_back(
        {"t" + std::to_string(i),
         marey::FreePlay{i, {marey::NamedAngle::Kind::twist, {0, 0, 1}}, zero, zero, slope, slope}});
  }
  scene.elements.push_back({"spring", marey::SupportSpring{1, {}, {}, 100, 1, {}}});
  scene.elements.push_back({"damper", marey::SupportDamper{1, {}, 10, 1}});
  scene.elements.push_back({"spike", marey::Push{5, {}, {0, 0, 9}, {}, false, spikes}});
  marey::World world(scene);
  EXPECT_EQ(count([&] {
              for (int i = 0; i < 20; ++i) world.step();
            }),
            0)
      << name_of(options.dynamics) << ' ' << name_of(options.integrator);
}
TEST(NoHeap, NoStepAllocates) {
  using marey::Dynamics, marey::Integrator;
  for (Dynamics dynamics : {Dynamics::armstrong, Dynamics::aba, Dynamics::crba})
    for (Integrator method : {Integrator::euler, Integrator::semi_implicit, Integrator::rk4})
      no_step_allocates({dynamics, method, 1e-3, 1, false});
  no_step_allocates({Dynamics::armstrong, Integrator::semi_implicit, 1e-3, 3, false});
  no_step_allocates({Dynamics::armstrong, Integrator::euler, 1e-3, 3, true});
}

// A box that falls, rocks, slides and lies on a floor.
TEST(NoHeap, NoContactAllocates) {
  using marey::Integrator;
  for (const Integrator method : {Integrator::semi_implicit, Integrator::rk4, Integrator::midpoint}) {
    marey::Scene scene;
    marey::ModelSpec spec;
    marey::LinkSpec link;
    link.name = "box";
    link.joint = marey::JointType::free;
    link.inertia = marey::solid_inertia(marey::Box{{0.4, 0.3, 0.2}}, 3);
    spec.links = {link};
    scene.model = marey::freeze(spec);
    scene.start = marey::neutral_state(scene.model);
    scene.start.q[6] = 0.15;
    scene.start.v[1] = 0.8, scene.start.v[3] = 1.5;
    for (const double x : {-0.2, 0.2})
      for (const double y : {-0.15, 0.15}) {
        marey::FloorContact corner;
        corner.link = 1;
        corner.point_B = {x, y, -0.1};
        corner.name = "corner " + std::to_string(scene.contacts.size());
        corner.friction_static = corner.friction_kinetic = corner.law.friction = 0.4;
        corner.law.restitution = 0.2;
        scene.contacts.push_back(corner);
      }
    scene.solver.integrator = method;
    marey::World world(scene);
    for (int i = 0; i < 3; ++i) world.step();  // the dual workspace of the midpoint rule is made when first asked for
    EXPECT_EQ(count([&] {
                while (world.time() < 0.6) world.step();
              }),
              0)
        << name_of(method);
    EXPECT_GT(world.contacts()->impacts(), 4);
  }
}

// A wall of boxes that rests, swept in packs.
TEST(NoHeap, NoHeapOfBodiesAllocates) {
  marey::Scene scene = marey::parse_scene(
      "marey: 1\nduration: 1 s\nsolver: {contact: stepping, accuracy: fast, step: 2 ms}\nscenery: {floor: {plane: 0}}\n"
      "collide: all\nbodies: {box: {at: [0, 0, 5 cm], copies: {count: [4, 1, 4], spacing: [20 cm, 1 m, 10 cm]}, shape: "
      "{box: [20 cm, 15 cm, 10 cm]}, mass: 1 kg}}\n",
      "test.yaml");
  marey::World world(scene);
  for (int i = 0; i < 50; ++i) world.step();  // all is as large then as it gets
  EXPECT_GT(world.stepped()->certificate().swept, 50);
  EXPECT_EQ(count([&] {
              for (int i = 0; i < 50; ++i) world.step();
            }),
            0);
}

}  // namespace
