// Where a floor and a pin, a rod or a joint hold the same body: who carries what, at rest, in sliding and at an impact.
//
// A bar on a pin at p_0 reaches out along x, its centre of mass at (c, 0, h) from the pin, and touches the floor with points
// at (L, ±b, −d). About the pin its inertia is I; a turn w about y is positive when the bar comes down, so that
//   u_n = −L w,  u_x = −d w,  v_cm = (h w, 0, −c w).
// At an impact friction helps the floor while the bar comes down, and hinders it afterwards:
//   P_c (L + μ d) = I w⁻                                                                                            (1)
//   P_r (L − μ d) = −I w⁺,   with   w⁺ = −e w⁻ √((L − μ d)/(L + μ d))   Stronge                                     (2)
//                                   w⁺ = −e w⁻ (L − μ d)/(L + μ d)      Poisson,   w⁺ = −e w⁻   Newton
//   floor   P_z = P_c + P_r,  P_x = μ (P_c − P_r)            pin   R = m (v_cm⁺ − v_cm⁻) − P                        (3)
// as long as d > μ L: less deep, friction could hold the points at the instant of greatest compression, and several that
// are struck together would not use all of it. R is nothing for a floor at the centre of percussion, L = I/(m c). At rest the floor carries m g c/L and the pin
// the rest.
#include <gtest/gtest.h>

#include <cmath>

#include "support/floors.h"

namespace marey {
namespace {

using Vec = Vec3<double>;
constexpr double g = 9.81;
const Vec p_0{0.3, 0.2, 0.5};
const Mat3<double> z_along_y{1, 0, 0, 0, 0, 1, 0, -1, 0};  // a frame whose z is the link's y

enum class Held { by_the_tree, by_a_constraint };

struct Bar {
  double m = 1.4, c = 0.35, h = 0.06, I_cm = 0.05;
  double L = 0.9, d = 0.6, b = 0.1;
  double I() const { return I_cm + m * (c * c + h * h); }
};

Scene pinned(const Bar& bar, Held held, double w, int points) {
  ModelSpec spec;
  LinkSpec link;
  link.name = "bar";
  link.inertia = inertia_about_origin(bar.m, {bar.c, 0, bar.h}, {0.02, bar.I_cm, 0.06, 0, 0, 0});
  link.joint = held == Held::by_the_tree ? JointType::hinge : JointType::free;
  link.axis = {0, 1, 0};
  if (held == Held::by_the_tree) link.X_PF.p = p_0;
  spec.links = {link};
  spec.gravity = {0, 0, -g};
  Scene scene;
  scene.model = freeze(spec);
  scene.start = neutral_state(scene.model);
  if (held == Held::by_the_tree) {
    scene.start.v[0] = w;
  } else {
    for (std::size_t k = 0; k < 3; ++k) scene.start.q[4 + k] = p_0[static_cast<int>(k)];
    scene.start.v[1] = w;
    Constraint pin;
    pin.kind = LoopJoint{LoopJoint::Kind::hinge};
    pin.a = {0, {z_along_y, p_0}}, pin.b = {1, {z_along_y, {}}};
    pin.name = "pin";
    scene.constraints = {pin};
  }
  for (int i = 0; i < points; ++i) {
    const double y = points == 1 ? 0 : i == 0 ? bar.b : -bar.b;
    FloorContact c = floors::point({bar.L, y, -bar.d}, i == 0 ? "left" : "right");
    c.plane.offset = p_0.z - bar.d;
    scene.contacts.push_back(c);
  }
  scene.solver = floors::fixed(Integrator::rk4, 1e-3);
  scene.duration = 1;
  return scene;
}
void set_law(Scene& scene, double e, double mu, Hypothesis h) {
  for (FloorContact& c : scene.contacts)
    c.law = {ImpactKind::coulomb, h, e, mu}, c.friction_static = c.friction_kinetic = mu;
}

// What came from outside so far: the moment about the world's origin and the force, times time.
Wrench<double> given(const World& world, std::size_t at) {
  const std::span<const double> x = world.integrals();
  return {{x[at], x[at + 1], x[at + 2]}, {x[at + 3], x[at + 4], x[at + 5]}};
}
Wrench<double> given_by_pin(World& world) {
  return given(world,
               world.constraints() ? world.layout().outside(world.layout().constraint(0)) : world.layout().world());
}
double turn_rate(World& world) { return world.constraints() ? world.state().v[1] : world.state().v[0]; }
void expect_near(const Vec& found, const Vec& expected, double within, const char* what) {
  EXPECT_LE(norm(found - expected), within) << what << ": " << found.x << ' ' << found.y << ' ' << found.z
                                            << ", expected " << expected.x << ' ' << expected.y << ' ' << expected.z;
}

// (1)–(3), of one point and of two side by side, which share alike.
TEST(HeldOnAFloor, PinAndFloorShareTheImpulseOfAnImpact) {
  const Bar bar;
  const double w = 2.1, e = 0.6, up_to = 1e-11;
  for (const Held held : {Held::by_the_tree, Held::by_a_constraint})
    for (const Hypothesis h : {Hypothesis::stronge, Hypothesis::poisson, Hypothesis::newton})
      for (const double mu : {0.0, 0.5})
        for (const int points : {1, 2}) {
          if (h == Hypothesis::newton && mu > 0 && points > 1) continue;  // its friction is that of the slip afterwards
          SCOPED_TRACE(testing::Message() << (held == Held::by_the_tree ? "tree" : "constraint") << ", law "
                                          << static_cast<int>(h) << ", friction " << mu << ", points " << points);
          Scene scene = pinned(bar, held, w, points);
          set_law(scene, e, mu, h);
          World world(scene);
          const double down = bar.L + mu * bar.d, up = bar.L - mu * bar.d;
          double after = -e * w;
          if (h == Hypothesis::stronge) after *= std::sqrt(up / down);
          if (h == Hypothesis::poisson) after *= up / down;
          EXPECT_NEAR(turn_rate(world), after, up_to);
          const double P_c = bar.I() * w / down, P_r = -bar.I() * after / up;
          const Vec P{mu * (P_c - P_r), 0, P_c + P_r};
          const Vec R = bar.m * (after - w) * Vec{bar.h, 0, -bar.c} - P;
          Vec floor, floor_moment;
          for (int i = 0; i < points; ++i) {
            const std::size_t c = static_cast<std::size_t>(i);
            expect_near(world.contacts()->impulse_W(c), (1.0 / points) * P, up_to, "floor");
            const Wrench<double> booked = given(world, world.layout().outside(world.layout().contact(c)));
            floor += booked.f, floor_moment += booked.n;
          }
          expect_near(floor, P, up_to, "floor, booked");
          expect_near(floor_moment, cross(p_0 + Vec{bar.L, 0, -bar.d}, P), up_to, "moment of the floor, booked");
          expect_near(given_by_pin(world).f, R, up_to, "pin");
          expect_near(given_by_pin(world).n, cross(p_0, R), up_to, "moment of the pin");
          const double work = 0.5 * bar.I() * (after * after - w * w);
          EXPECT_NEAR(floors::ledger(world, scene).energy_residual, 0, up_to);
          double booked = 0;
          for (int i = 0; i < points; ++i)
            booked += world.integrals()[world.layout().power(world.layout().contact(static_cast<std::size_t>(i)))];
          EXPECT_NEAR(booked, work, up_to);
        }
}

// A floor under the centre of percussion leaves the pin out of it; nearer and farther the pin has to push or to pull.
TEST(HeldOnAFloor, ThePinFeelsNothingAtTheCentreOfPercussion) {
  for (const Held held : {Held::by_the_tree, Held::by_a_constraint})
    for (const double beside : {-0.2, 0.0, 0.2}) {
      Bar bar;
      bar.h = bar.d = 0;
      bar.L = bar.I() / (bar.m * bar.c) + beside;
      Scene scene = pinned(bar, held, 1.5, 1);
      set_law(scene, 0.4, 0, Hypothesis::stronge);
      World world(scene);
      const double R = 1.5 * 1.4 * (bar.m * bar.c - bar.I() / bar.L);
      EXPECT_NEAR(given_by_pin(world).f.z, R, 1e-12);
      EXPECT_EQ(R > 1e-9, beside > 0);
      EXPECT_EQ(R < -1e-9, beside < 0);
    }
}

// At rest: m g c/L on the floor, half of it on each of two points, the rest on the pin; in the forces and in the books.
TEST(HeldOnAFloor, PinAndFloorShareTheWeight) {
  for (const Held held : {Held::by_the_tree, Held::by_a_constraint})
    for (const double c : {0.2, 0.45, 0.8})
      for (const int points : {1, 2})
        for (const double mu : {0.0, 0.7}) {
          SCOPED_TRACE(testing::Message() << (held == Held::by_the_tree ? "tree" : "constraint") << ", c " << c
                                          << ", points " << points << ", friction " << mu);
          Bar bar;
          bar.c = c;
          if (mu > 0) bar.d = 0;  // below the pin friction and pin could press against each other
          Scene scene = pinned(bar, held, 0, points);
          set_law(scene, 0, mu, Hypothesis::stronge);
          World world(scene);
          const double floor = bar.m * g * c / bar.L, pin = bar.m * g - floor, until = 0.2;
          std::vector<double> vdot(static_cast<std::size_t>(scene.model.nv));
          world.everything_that_acts(vdot);
          for (const double x : vdot) EXPECT_NEAR(x, 0, 1e-10);
          for (std::size_t i = 0; i < static_cast<std::size_t>(points); ++i)
            expect_near(world.contacts()->force_W(i), {0, 0, floor / points}, 1e-10, "floor");
          if (world.constraints()) {
            Kinematics<double> k(scene.model);
            forward_kinematics<double>(scene.model, scene.model.params, world.state().q, world.state().v, k);
            const Wrench<double> on_world = world.constraints()->wrench_on_a(0, k);
            expect_near(on_world.f, {0, 0, -pin}, 1e-10, "on the world");
            expect_near(on_world.n, {}, 1e-10, "moment on the world");
          }
          floors::run_until(world, until);
          expect_near(given_by_pin(world).f, {0, 0, pin * until}, 1e-10, "pin, booked");
          expect_near(given_by_pin(world).n, cross(p_0, Vec{0, 0, pin * until}), 1e-10, "moment of the pin, booked");
        }
}

// A rod in place of the pin: upright, it holds its end up and lets it go along the floor. One end of a level bar hangs on
// it, the other comes down on a floor: along the vertical that is a pin.
TEST(HeldOnAFloor, ARodAndAFloor) {
  Bar bar;
  bar.h = bar.d = 0;
  const double w = 1.7, e = 0.3;
  for (const bool falls : {false, true}) {
    Scene scene = pinned(bar, Held::by_a_constraint, falls ? w : 0, 1);
    set_law(scene, falls ? e : 0, 0, Hypothesis::stronge);
    Constraint rod;
    rod.kind = FixedDistance{0.4};
    rod.a.X_LC.p = p_0 + Vec{0, 0, 0.4};
    rod.b.link = 1;
    rod.name = "rod";
    scene.constraints = {rod};
    World world(scene);
    if (falls) {
      const double P = bar.I() * w * (1 + e) / bar.L, R = bar.m * bar.c * w * (1 + e) - P;
      EXPECT_NEAR(world.state().v[1], -e * w, 1e-12);
      expect_near(world.contacts()->impulse_W(0), {0, 0, P}, 1e-12, "floor");
      expect_near(given_by_pin(world).f, {0, 0, R}, 1e-12, "rod");
      expect_near(given_by_pin(world).n, cross(p_0, Vec{0, 0, R}), 1e-12, "moment of the rod");
      continue;
    }
    std::vector<double> vdot(6);
    world.everything_that_acts(vdot);
    const double floor = bar.m * g * bar.c / bar.L;
    for (const double x : vdot) EXPECT_NEAR(x, 0, 1e-10);
    EXPECT_NEAR(world.contacts()->force_W(0).z, floor, 1e-10);
    floors::run_until(world, 0.1);
    expect_near(given_by_pin(world).f, {0, 0, 0.1 * (bar.m * g - floor)}, 1e-10, "rod, booked");
  }
}

// A body rests on a floor (the foot), and another that falls above it is welded to it on the way. The weld shares out the
// momentum m₂ v, and so drives the one that rests into its floor with u = m₂ v/(m₁ + m₂): that is an impact as any other,
//   P = (1 + e) (m₁ + m₂) u = (1 + e) m₂ v,
// with the restitution and the books of one.
TEST(HeldOnAFloor, AWeldMadeAboveABodyAtRestIsAnImpact) {
  const double m[2] = {1.5, 0.5}, at = 0.1, v = g * at;
  for (const double e : {0.0, 0.4})
    for (const double mu : {0.0, 0.5}) {
      SCOPED_TRACE(testing::Message() << "restitution " << e << ", friction " << mu);
      ModelSpec spec;
      spec.gravity = {0, 0, -g};
      for (int i = 0; i < 2; ++i) {
        LinkSpec link;
        link.name = i == 0 ? "rests" : "falls", link.joint = JointType::free;
        link.inertia = inertia_about_origin(m[i], {}, {0.1, 0.1, 0.1, 0, 0, 0});
        spec.links.push_back(link);
      }
      Scene scene;
      scene.model = freeze(spec);
      scene.start = neutral_state(scene.model);
      scene.start.q[7 + 6] = 1;
      scene.contacts = {floors::point({}, "foot")};
      set_law(scene, e, mu, Hypothesis::stronge);
      Constraint weld;
      weld.kind = LoopJoint{LoopJoint::Kind::weld};
      weld.a.link = 1, weld.b.link = 2, weld.name = "weld", weld.from = at;
      scene.constraints = {weld};
      scene.solver = floors::fixed(Integrator::rk4, 1e-2);
      World world(scene);
      floors::run_until(world, at);
      const double u = m[1] * v / (m[0] + m[1]);
      EXPECT_NEAR(world.state().v[5], e * u, 1e-10);
      EXPECT_NEAR(world.state().v[6 + 5], e * u, 1e-10);
      EXPECT_NEAR(world.contacts()->impulse_W(0).z, (1 + e) * m[1] * v, 1e-10);
      const Ledger books =
          close_ledger(world.layout(), world.ledger(), world.balance(world.state()), world.integrals(), scene, 1e-9);
      EXPECT_TRUE(books.closed) << books.energy_residual_relative << ' ' << books.linear_momentum_residual_relative;
      EXPECT_NEAR(books.work_in[0].second, 0.5 * (m[0] + m[1]) * u * u * (e * e - 1), 1e-10);
      EXPECT_NEAR(books.work_in[1].second, 0.5 * (m[0] + m[1]) * u * u - 0.5 * m[1] * v * v, 1e-10);
    }
}

// Two sleds on floors of different heights, joined by a rod that climbs with the angle α, slide along. The rod pushes with
// T, and so loads the lower one and lightens the upper one:
//   m₁ a = −T cos α − μ₁ (m₁ g + T sin α),   m₂ a = T cos α − μ₂ (m₂ g − T sin α)
// until both stop at t = −v/a.
TEST(HeldOnAFloor, SledsOnARodSlideToTheirStop) {
  const double m[2] = {1.2, 0.7}, length = 0.5, v = 1.1;
  for (const double alpha : {0.0, 0.5, -0.4})
    for (const auto& [mu_1, mu_2] : {std::pair{0.2, 0.6}, std::pair{0.5, 0.15}})
      for (const double heading : {0.0, 0.9, 2.5}) {  // of the slide, in the plane
        SCOPED_TRACE(testing::Message() << "climbs " << alpha << ", friction " << mu_1 << ' ' << mu_2 << ", heading "
                                        << heading);
        const Vec ahead{std::cos(heading), std::sin(heading), 0};
        const double s = std::sin(alpha), c = std::cos(alpha), mu[2] = {mu_1, mu_2};
        ModelSpec spec;
        spec.gravity = {0, 0, -g};
        for (int i = 0; i < 2; ++i) {
          LinkSpec link;
          link.name = i == 0 ? "lower" : "upper", link.joint = JointType::point;
          link.inertia = inertia_about_origin(m[i], {}, {1, 1, 1, 0, 0, 0});
          spec.links.push_back(link);
        }
        Scene scene;
        scene.model = freeze(spec);
        scene.start = neutral_state(scene.model);
        const Vec from_1_to_2 = length * c * ahead + Vec{0, 0, length * s};
        for (int i = 0; i < 2; ++i) {
          for (int k = 0; k < 3; ++k) {
            scene.start.q[static_cast<std::size_t>(3 * i + k)] = i == 0 ? 0 : from_1_to_2[k];
            scene.start.v[static_cast<std::size_t>(3 * i + k)] = v * ahead[k];
          }
          FloorContact sole = floors::point({}, i == 0 ? "one" : "two");
          sole.link = 1 + i, sole.plane.offset = i == 0 ? 0 : length * s;
          sole.friction_static = sole.friction_kinetic = sole.law.friction = mu[i];
          scene.contacts.push_back(sole);
        }
        Constraint rod;
        rod.kind = FixedDistance{length};
        rod.a.link = 1, rod.b.link = 2, rod.name = "rod";
        scene.constraints = {rod};
        scene.solver = floors::fixed(Integrator::rk4, 1e-3);
        World world(scene);
        const double T = (mu_2 - mu_1) * g / ((c + mu_2 * s) / m[1] + (c + mu_1 * s) / m[0]);
        const double N[2] = {m[0] * g + T * s, m[1] * g - T * s}, a = (-T * c - mu_1 * N[0]) / m[0];
        ASSERT_GT(N[0], 0);
        ASSERT_GT(N[1], 0);
        ASSERT_LT(a, 0);
        std::vector<double> vdot(6);
        world.everything_that_acts(vdot);
        for (int i = 0; i < 2; ++i) {
          const Vec force = Vec{0, 0, N[i]} - mu[i] * N[i] * ahead;
          expect_near(world.contacts()->force_W(static_cast<std::size_t>(i)), force, 1e-9,
                      scene.contacts[static_cast<std::size_t>(i)].name.c_str());
          for (int k = 0; k < 3; ++k) EXPECT_NEAR(vdot[static_cast<std::size_t>(3 * i + k)], a * ahead[k], 1e-9);
        }
        Kinematics<double> k(scene.model);
        forward_kinematics<double>(scene.model, scene.model.params, world.state().q, world.state().v, k);
        expect_near(world.constraints()->wrench_on_a(0, k).f, (-T / length) * from_1_to_2, 1e-9, "rod, on the first");
        floors::run_until(world, -v / a + 0.05);
        const Vec way = (-0.5 * v * v / a) * ahead;
        for (int i = 0; i < 2; ++i)
          for (int j = 0; j < 3; ++j) {
            const std::size_t at = static_cast<std::size_t>(3 * i + j);
            EXPECT_NEAR(world.state().q[at], scene.start.q[at] + way[j], 1e-9);
            EXPECT_NEAR(world.state().v[at], 0, 1e-9);
          }
      }
}

}  // namespace
}  // namespace marey
