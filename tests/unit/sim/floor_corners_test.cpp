// Corners of the contacts that few runs come to: slip in Painlevé's region that goes on, a grip that gives way with no load
// on it, laws of impact that cannot be had, and which contact is named where several touch.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "support/floors.h"
#include "support/random_figure.h"
#include "support/sanitized.h"

namespace marey {
namespace floor_corners_test {

using Vec = Vec3<double>;
constexpr double g = 9.81;
using Kind = ContactNote::Kind;

LinkSpec free_body(const std::string& name, double m, double J) {
  LinkSpec link;
  link.name = name, link.joint = JointType::free;
  link.inertia = inertia_about_origin(m, {}, {J, J, J, 0, 0, 0});
  return link;
}
Scene scene_of(const std::vector<LinkSpec>& links) {
  ModelSpec spec;
  spec.links = links, spec.gravity = {0, 0, -g};
  Scene scene;
  scene.model = freeze(spec);
  scene.start = neutral_state(scene.model);
  scene.solver = floors::fixed(Integrator::rk4, 1e-3);
  return scene;
}
FloorContact touching(int link, const Vec& at, double mu, const std::string& name) {
  FloorContact c = floors::point(at, name);
  c.link = link;
  c.friction_static = c.friction_kinetic = c.law.friction = mu;
  return c;
}

// ---- slip that starts in Painlevé's region
// A tall sled on a front and a rear runner slides ahead, with friction μ at the height h below its centre. A torque about
// its axis balances what friction does to it, so that both runners carry m g/2 and it brakes with μ g. The front runner by
// itself would be pressed into the floor faster than it is lifted, Λ = 1/m + a²/J − μ a h/J < 0: nothing begins there that
// could end, and nothing must be made of it.
struct TallSled {
  double m = 1, J = 0.05, a = 0.2, h = 0.5, mu = 1.2, v = 3;
  double inertia() const { return 1 / m + a * a / J - mu * a * h / J; }
  Scene scene(double heading) const {
    Scene scene = scene_of({free_body("sled", m, J)});
    const Vec ahead{std::cos(heading), std::sin(heading), 0};
    scene.start.q[0] = std::cos(heading / 2), scene.start.q[3] = std::sin(heading / 2);
    scene.start.q[6] = h;
    scene.start.v[3] = v * ahead.x, scene.start.v[4] = v * ahead.y;
    scene.contacts = {touching(1, {-a, 0, -h}, mu, "rear"), touching(1, {a, 0, -h}, mu, "front")};
    Push push;
    push.link = 1, push.torque = -mu * h * m * g * cross(Vec{0, 0, 1}, ahead);
    scene.elements = {{"torque", push}};
    return scene;
  }
};

TEST(FloorCorners, SlipThatStartsInPainlevesRegionGoesOn) {
  const TallSled sled;
  ASSERT_LT(sled.inertia(), -0.1);
  for (const double heading : {0.0, 1.2, 2.9}) {
    const Scene scene = sled.scene(heading);
    const Vec ahead{std::cos(heading), std::sin(heading), 0};
    World world(scene);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(world.contacts()->phase(i).mode, Mode::slide) << i;
      EXPECT_EQ(world.contacts()->phase(i).watches_jam, i == 0 ? 1 : 0) << scene.contacts[i].name;
    }
    ASSERT_EQ(world.contacts()->notes().size(), 1u);
    EXPECT_EQ(world.contacts()->notes()[0].kind, Kind::indeterminate);
    EXPECT_EQ(scene.contacts[static_cast<std::size_t>(world.contacts()->notes()[0].contact)].name, "front");
    const double stop = sled.v / (sled.mu * g);
    for (const double t : {0.3 * stop, 0.6 * stop, 0.95 * stop}) {
      floors::run_until(world, t);
      const State& s = world.state();
      const double way = sled.v * t - 0.5 * sled.mu * g * t * t, speed = sled.v - sled.mu * g * t;
      EXPECT_LE(norm(Vec{s.q[4], s.q[5], s.q[6]} - way * ahead - Vec{0, 0, sled.h}), 1e-9) << t;
      EXPECT_LE(norm(Vec{s.v[3], s.v[4], s.v[5]} - speed * ahead), 1e-9) << t;
      std::vector<double> vdot(6);
      world.everything_that_acts(vdot);
      for (std::size_t i = 0; i < 2; ++i)
        EXPECT_LE(norm(world.contacts()->force_W(i) - 0.5 * sled.m * g * (Vec{0, 0, 1} - sled.mu * ahead)), 1e-8) << i;
    }
    EXPECT_EQ(world.events(), 0);
  }
}

// ---- a grip that gives way without a load
// A weight on a spring above one end of a plank flies up and draws that end with it. The plank grips the floor with μ > 1,
// and nothing pulls along it: the grip and the load of that end end at the same instant, when the spring draws with half
// the plank's weight, and the end lifts off. Until then the plank has not moved.
void let_go(double up) {
  const double m = 1, half = 0.5, M = 0.4, k = 80;
  Scene scene = scene_of({free_body("plank", m, 0.1), free_body("weight", M, 0.1)});
  scene.start.q[6] = 0.1;
  scene.start.q[7 + 4] = half, scene.start.q[7 + 6] = 1.1;
  scene.start.v[6 + 5] = up;
  for (int i = 0; i < 4; ++i) {
    const double x = i < 2 ? half : -half, y = i % 2 == 0 ? 0.3 : -0.3;
    scene.contacts.push_back(touching(1, {x, y, -0.1}, 1.7, "foot " + std::to_string(i)));
  }
  SpringNet net;
  net.springs = {{{1, {half, 0, 0}}, {2, {}}, k, 1.0}};
  scene.elements = {{"spring", net}};
  World world(scene);
  // The weight swings about where the spring holds it: z = 1.1 − s + s cos ωt + (up/ω) sin ωt, s = M g/k, and the end lifts
  // off when k times the spring's stretch is half the plank's weight.
  const double omega = std::sqrt(k / M), s = M * g / k;
  const auto pull = [&](double t) { return k * (-s + s * std::cos(omega * t) + up / omega * std::sin(omega * t)); };
  double low = 0, high = std::acos(0.0) / omega;
  ASSERT_GT(pull(high), 0.5 * m * g);
  while (high - low > 1e-15) (pull(0.5 * (low + high)) < 0.5 * m * g ? low : high) = 0.5 * (low + high);
  const double energy = floors::energy(world);
  floors::run_until(world, low - 1e-6);
  EXPECT_EQ(world.events(), 0);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(world.contacts()->phase(i).mode, Mode::stick) << i;
  const double last = world.time();
  while (world.events() == 0 && world.time() < 2 * low) world.step(2 * low);
  EXPECT_NEAR(world.time(), low, 1e-9);
  EXPECT_GE(world.time(), last);
  floors::run_until(world, low + 0.02);
  for (std::size_t i = 0; i < 4; ++i) {
    const bool lifted = i < 2;
    EXPECT_EQ(world.contacts()->phase(i).mode, lifted ? Mode::free : Mode::stick) << i;
    EXPECT_EQ(world.contacts()->motion(i).gap > 1e-9, lifted) << i;
    const Vec force = world.contacts()->force_W(i);
    EXPECT_LE(std::hypot(force.x, force.y), 1.7 * force.z + 1e-9) << i;
  }
  EXPECT_NEAR(floors::energy(world), energy, 1e-7 * energy);  // sticking takes nothing
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(world.integrals()[world.layout().power(world.layout().contact(i))], 0, 1e-9) << i;
}

TEST(FloorCorners, AGripThatLosesItsLoadLetsGoWithoutAJolt) {
  for (int i = 0; i <= 100; ++i) {  // both ends of the plank's edge lose their load at once, but for rounding
    const double up = 2.5 + 0.01 * i;
    SCOPED_TRACE(up);
    ASSERT_NO_THROW(let_go(up));
  }
}

// ---- a slip that has just begun
// A point that is dragged off slides freshly at first, and plainly once it moves, whichever way it goes.
TEST(FloorCorners, ASlipThatHasGrownIsNoLongerFresh) {
  for (int k = 0; k < 12; ++k) {
    const double way = k * std::acos(-1.0) / 6;
    Scene scene = scene_of({free_body("puck", 1, 0.1)});
    scene.start.q[6] = 0.1;
    scene.contacts = {touching(1, {0, 0, -0.1}, 0.5, "foot")};
    scene.contacts[0].friction_static = 0.5;
    Push push;  // through the foot, so that the puck does not turn over; it begins at 10 ms
    push.link = 1, push.point_B = {0, 0, -0.1};
    push.force = {8 * std::cos(way), 8 * std::sin(way), 0};
    push.schedule.from = 0.01;
    scene.elements.push_back({"hand", push});
    World world(scene);
    ASSERT_EQ(world.contacts()->phase(0).mode, Mode::stick) << k;
    while (world.time() < 0.0125) world.step();
    const ContactPhase& phase = world.contacts()->phase(0);
    EXPECT_EQ(phase.mode, Mode::slide) << k;
    EXPECT_EQ(phase.stage, ContactPhase::Stage::plain) << k;
  }
}

// ---- a law of impact that would create energy
// Newton's e = 1 with a point that sticks gives a slanting rod more energy than it had (H (9)(11)). The run says so, of the
// contact that was struck, and takes Stronge's rule: with e = 1 and friction only the slip loses energy.
TEST(FloorCorners, ALawThatWouldCreateEnergyIsReplacedAndNamed) {
  int replaced = 0;
  for (double phi = 0.2; phi < 3; phi += 0.2)
    for (const double slip : {-0.7, 0.0, 0.7}) {
      PlaneRod at;
      at.phi = phi, at.z = 0.5 * std::sin(phi), at.zdot = -1, at.xdot = slip;
      Scene scene = floors::rod({1, 1}, at);
      floors::set_law(scene, ImpactKind::stick, 1, 0.5);
      for (FloorContact& c : scene.contacts) c.law.hypothesis = Hypothesis::newton;
      World world(scene);
      // As printed, u⁺ = (1, 0): its work against the 2 × 2 block of A (cos, sin: from the end to the centre).
      const double c = 0.5 * std::cos(phi), s = 0.5 * std::sin(phi);
      const double nn = 1 + 12 * c * c, tt = 1 + 12 * s * s, nt = -12 * c * s, det = nn * tt - nt * nt;
      const double P_n = (2 * tt + slip * nt) / det, P_t = (-slip * nn - 2 * nt) / det;
      const double work = 0.5 * P_t * slip;  // the normal velocity is reversed: no work
      const bool refused = P_n < 0 || work > 1e-12;
      replaced += refused;
      const auto notes = world.contacts()->notes();
      ASSERT_EQ(notes.size(), refused ? 1u : 0u) << phi << ' ' << slip;
      if (refused) {
        EXPECT_EQ(notes[0].kind, Kind::replaced);
        EXPECT_EQ(scene.contacts[static_cast<std::size_t>(notes[0].contact)].name, "lower");
        EXPECT_TRUE(is_warning(notes[0].kind));
        EXPECT_NE(text_of(notes[0], scene.contacts).find("'lower'"), std::string::npos);
      }
      EXPECT_LE(world.integrals()[world.layout().power(world.layout().contact(1))], 1e-12) << phi << ' ' << slip;
      EXPECT_NEAR(floors::ledger(world, scene).energy_residual, 0, 1e-12);
    }
  EXPECT_GT(replaced, 5);
}

// ---- who is named
// A ball bounces off the floor at the instant at which a rod jams (Painlevé): it touches, and takes no part in what follows.
TEST(FloorCorners, TheContactThatJamsIsNamedAmongSeveral) {
  for (const int before : {0, 1, 2, 3}) {  // balls that come before the rod in the list
    std::vector<LinkSpec> links{free_body("rod", 1, 1.0 / 12)};
    for (int i = 0; i < 3; ++i) links.push_back(free_body("ball " + std::to_string(i), 0.5, 0.01));
    Scene scene = scene_of(links);
    const double phi = 1.0;
    const Quaternion<double> turn = quaternion_about(Vec{0, 1, 0}, std::acos(0.0) - phi);
    const double q[] = {turn.w, turn.x, turn.y, turn.z, 0, 0, 0.5 * std::sin(phi)};
    std::copy(q, q + 7, scene.start.q.begin());
    for (int i = 0; i < 3; ++i) {
      scene.start.q[static_cast<std::size_t>(7 * (i + 1) + 4)] = 2.0 + i;
      scene.start.v[static_cast<std::size_t>(6 * (i + 1) + 5)] = -1;
    }
    for (int i = 0; i <= 3; ++i) {
      if (i == before) scene.contacts.push_back(touching(1, {0, 0, -0.5}, 3, "foot"));
      if (i == 3) continue;
      FloorContact c = touching(2 + i, {}, 0, "ball " + std::to_string(i));
      c.law.restitution = 1;
      scene.contacts.push_back(c);
    }
    int jams = 0;
    for (const double slip : {-2.0, 2.0}) {
      scene.start.v[3] = slip;
      World world(scene);
      for (const ContactNote& note : world.contacts()->notes()) {
        if (note.kind != Kind::inconsistent) continue;
        ++jams;
        EXPECT_EQ(scene.contacts[static_cast<std::size_t>(note.contact)].name, "foot") << before;
      }
    }
    EXPECT_EQ(jams, 1) << before;
  }
}

// Where no modes are found, and no impulse that leads to some, forces are those of a short time, and the run goes on; the contact to
// blame is named, whatever comes first in the list. Seldom enough that one has to be looked for: a body held between floors that look
// anywhere. (Which one is found first depends on rounding.)
TEST(FloorCorners, ThoseThatFindNoModesAreNamedAndGoOn) {
  figures::Random random(3);
  int unsolved = 0;
  constexpr int scenes = 3000 / every(5);
  for (int i = 0; i < scenes; ++i) {
    Scene scene = scene_of({free_body("still", 1, 0.1), free_body("wedged", 1, random.between(0.01, 0.2))});
    scene.start.q[6] = 0.1;
    scene.start.q[7 + 4] = 3;
    for (std::size_t k = 6; k < 12; ++k) scene.start.v[k] = random.normal();
    scene.contacts = {touching(1, {0, 0, -0.1}, 0.5, "bystander")};
    for (int k = 0; k < 3; ++k) {
      const Vec at{random.normal(), random.normal(), random.normal()};
      Vec n{random.normal(), random.normal(), random.normal()};
      n = (dot(n, at) > 0 ? -1 : 1) / norm(n) * n;
      FloorContact c = touching(2, at, random.between(0.5, 3), "wedge " + std::to_string(k));
      c.plane.normal_W = n, c.plane.offset = dot(n, at + Vec{3, 0, 0});
      scene.contacts.push_back(c);
    }
    std::optional<World> world;
    ASSERT_NO_THROW(world.emplace(scene)) << i;
    const auto notes = world->contacts()->notes();
    const auto note = std::ranges::find(notes, Kind::unsolved, &ContactNote::kind);
    if (note == notes.end()) continue;
    ++unsolved;
    EXPECT_EQ(scene.contacts[static_cast<std::size_t>(note->contact)].name.find("wedge "), 0u) << i;
    ASSERT_NO_THROW(floors::run_until(*world, 5e-3)) << i;
  }
  std::printf("%d of %d without modes at the start\n", unsolved, scenes);
  EXPECT_GE(unsolved, 1);
}

}  // namespace floor_corners_test
}  // namespace marey
