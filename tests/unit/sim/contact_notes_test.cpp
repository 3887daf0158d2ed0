// What is noted of contacts, and contacts that rest without a load.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "support/floors.h"

namespace contact_notes_test {

using namespace marey;
using Kind = ContactNote::Kind;

TEST(ContactNotes, SayWhatHappened) {
  const std::vector<FloorContact> contacts = {floors::point({}, "heel"), floors::point({}, "toe")};
  EXPECT_EQ(text_of({0.25, Kind::rest, 0}, contacts),
            "t = 0.25 s: 'heel' has come to the end of its bounces and stays on the floor");
  EXPECT_EQ(text_of({1, Kind::indeterminate, 1}, contacts),
            "t = 1 s: 'toe' slides where friction makes its motion ambiguous (Painlevé): it was taken to lift off");
  EXPECT_EQ(text_of({1, Kind::inconsistent, 0}, contacts),
            "t = 1 s: 'heel' slides where friction jams it and no finite force will do (Painlevé): an impact without "
            "collision stopped it");
  EXPECT_EQ(text_of({1, Kind::replaced, 0}, contacts),
            "t = 1 s: 'heel' was struck in a way its law of impact cannot answer (it would pull, or create energy): "
            "Coulomb's law with Stronge's rule was used");
  EXPECT_EQ(text_of({1, Kind::unsolved, 1}, contacts),
            "t = 1 s: 'toe' was struck together with others, and their laws have no common solution near by: the "
            "nearest was used");
  EXPECT_FALSE(is_warning(Kind::rest));
  for (const Kind k : {Kind::indeterminate, Kind::inconsistent, Kind::replaced, Kind::unsolved})
    EXPECT_TRUE(is_warning(k));
}

// A name that somebody has given does not say whose points these are.
TEST(ContactNotes, NameTheLink) {
  Scene scene = floors::ball(0.01, 0, 0.1);
  scene.solver = floors::fixed(Integrator::rk4, 1e-3);
  const auto links_of = [&](const std::string& name) {
    scene.contacts[0].name = name;
    World world(scene);
    floors::run_until(world, 0.2);
    return world.contacts()->counted_notes().at(0).links;
  };
  const std::string link = scene.model.names[static_cast<std::size_t>(scene.contacts[0].link)];
  ASSERT_FALSE(link.empty());
  EXPECT_EQ(links_of("sole"), std::vector<std::string>{link});
  EXPECT_EQ(links_of(link + "/floor"), std::vector<std::string>{});
}

// Two contacts of a ball, of which the second is never reached.
Scene dropped() {
  Scene scene = floors::ball(0.01, 0, 0.1);
  scene.solver = floors::fixed(Integrator::rk4, 1e-3);
  scene.contacts.push_back(scene.contacts[0]);
  scene.contacts[1].name = "far", scene.contacts[1].plane.offset = -5;
  return scene;
}
std::vector<ContactNote> notes_after(World& world, double end) {
  floors::run_until(world, end);
  return {world.contacts()->notes().begin(), world.contacts()->notes().end()};
}
// The notes of the run when it begins with those given; a checkpoint is where a test can put them.
std::vector<ContactNote> notes_with(const Scene& scene, const std::vector<ContactNote>& before) {
  World world(scene);
  std::vector<std::byte> bytes = world.save();
  const std::size_t at = 8 * (7 + 7 + 6 + world.layout().count()) + sizeof(LedgerState) + 2 * sizeof(ContactPhase);
  if (!before.empty()) std::memcpy(bytes.data() + at, before.data(), before.size() * sizeof(ContactNote));
  const long long count = static_cast<long long>(before.size());
  std::memcpy(bytes.data() + at + 64 * sizeof(ContactNote), &count, sizeof count);
  world.restore(bytes);
  EXPECT_EQ(world.contacts()->notes().size(), before.size());
  return notes_after(world, 0.2);
}

TEST(ContactNotes, AreKeptOnceAndNoMoreThanFit) {
  const Scene scene = dropped();
  World world(scene);
  const std::vector<ContactNote> notes = notes_after(world, 0.2);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].kind, Kind::rest);
  EXPECT_EQ(notes[0].contact, 0);
  EXPECT_EQ(notes_with(scene, {}).size(), 1u);
  EXPECT_EQ(notes_with(scene, {notes[0]}).size(), 1u) << "it is there already";
  ContactNote other = notes[0];
  other.t += 1e-9;
  EXPECT_EQ(notes_with(scene, {other}).size(), 2u);
  other = notes[0], other.kind = Kind::replaced;
  EXPECT_EQ(notes_with(scene, {other}).size(), 2u);
  other = notes[0], other.contact = 1;
  const std::vector<ContactNote> two = notes_with(scene, {other});
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[1].t, notes[0].t);
  EXPECT_EQ(two[1].contact, 0);
  other = notes[0], other.t = -1;
  EXPECT_EQ(notes_with(scene, std::vector(62, other)).size(), 63u);
  EXPECT_EQ(notes_with(scene, std::vector(63, other)).size(), 64u);
  EXPECT_EQ(notes_with(scene, std::vector(64, other)).size(), 64u);
}

TEST(ContactNotes, ThatRepeatAreOneLine) {
  EXPECT_EQ(text_of(CountedNote{Kind::rest, "heel", 1, 1, 0.25, 0.25}),
            "t = 0.25 s: 'heel' has come to the end of its bounces and stays on the floor");
  EXPECT_EQ(
      text_of(CountedNote{Kind::rest, "heel", 66, 1, 0.25, 3.5}),
      "t = 0.25 s: 'heel' has come to the end of its bounces and stays on the floor (66 times, last at t = 3.5 s)");
  EXPECT_EQ(
      text_of(CountedNote{Kind::rest, "foot/floor", 9, 4, 0.25, 3.5}),
      "t = 0.25 s: 'foot/floor' has come to the end of its bounces and stays on the floor (9 times at 4 of its points, "
      "last at t = 3.5 s)");
  EXPECT_EQ(text_of(CountedNote{Kind::rest, "sole", 1, 1, 0.25, 0.25, {"boy.foot", "girl.foot"}}),
            "t = 0.25 s: 'sole' of boy.foot, girl.foot has come to the end of its bounces and stays on the floor");
  EXPECT_STREQ(name_of(Kind::rest), "rest");
  EXPECT_STREQ(name_of(Kind::unsolved), "unsolved");
}

// A ball on a floor is knocked up every half second, and each time bounces to rest: with v = (F/m − g) 20 ms = 0.2038 m/s it is up
// for 2 v/g (1 + ½ + ¼ + …) = 4 v/g = 0.0831 s, from 20 ms and a rise of ½ (F/m − g) (20 ms)² after the knock. More often than
// notes are kept; nothing is lost of the count, also over a checkpoint.
TEST(ContactNotes, AreCountedBeyondThoseThatAreKept) {
  Scene scene = floors::ball(0, 0, 0.5);
  scene.solver = floors::adaptive(Integrator::rk45, 1e-8);
  Push knock;
  knock.link = 1, knock.force = {0, 0, 10};  // on 0.5 kg
  knock.schedule.from = 0.5, knock.schedule.every = 0.5, knock.schedule.lasts = 0.02;
  scene.elements = {{"knock", knock}};
  World world(scene);
  floors::run_until(world, 17.2);
  World resumed(scene);
  resumed.restore(world.save());
  floors::run_until(resumed, 33.4);
  EXPECT_EQ(resumed.contacts()->notes().size(), 64u);
  const std::vector<CountedNote> counted = resumed.contacts()->counted_notes();
  ASSERT_EQ(counted.size(), 1u);
  EXPECT_EQ(counted[0].of, "ball");
  EXPECT_EQ(counted[0].count, 66);
  EXPECT_EQ(counted[0].points, 1);
  const double v = (10 / 0.5 - 9.81) * 0.02, rise = 0.5 * v * 0.02;
  const double fall = (v + std::sqrt(v * v + 2 * 9.81 * rise)) / 9.81, strikes = std::sqrt(v * v + 2 * 9.81 * rise);
  const double rest = 0.02 + fall + 2 * strikes / 9.81 * (0.5 / (1 - 0.5));
  EXPECT_NEAR(counted[0].first, 0.5 + rest, 1e-6);  // 100 × the tolerance
  EXPECT_NEAR(counted[0].last, 33 + rest, 1e-6);
}

// The points of a group are counted together, those of two apart; what came first is said first.
TEST(ContactNotes, AreCountedByGroups) {
  Scene scene = floors::ball(0.01, 0, 0.1);
  scene.solver = floors::fixed(Integrator::rk4, 1e-3);
  scene.contacts.push_back(scene.contacts[0]);
  scene.contacts[1].name = "twin";
  for (FloorContact& c : scene.contacts) c.group = "both";
  World grouped(scene);
  floors::run_until(grouped, 0.3);
  ASSERT_EQ(grouped.contacts()->counted_notes().size(), 1u);
  EXPECT_EQ(grouped.contacts()->counted_notes()[0].of, "both");
  EXPECT_EQ(grouped.contacts()->counted_notes()[0].count, grouped.contacts()->counted_notes()[0].points);
  for (FloorContact& c : scene.contacts) c.group = "";
  World apart(scene);
  floors::run_until(apart, 0.3);
  EXPECT_EQ(apart.contacts()->counted_notes().size(), apart.contacts()->notes().size());
}

TEST(ContactNotes, AStartBelowTheFloorIsRefused) {
  Scene scene = floors::ball(-1e-6, 0, 0);
  try {
    World world(scene);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::bad_input);
    EXPECT_STREQ(e.what(), "'ball' starts 1e-06 m below its floor; expected a start on the floor or above it");
  }
  scene = floors::ball(-0.9e-9, 0, 0);  // within a nanometre: put on the floor
  World world(scene);
  EXPECT_NEAR(world.state().q[6], 0.1, 1e-15);
  EXPECT_NE(world.contacts()->phase(0).mode, Mode::free);
  scene = floors::ball(3e-9, 0, 0);
  World above(scene);
  EXPECT_NEAR(above.state().q[6], 0.1 + 3e-9, 1e-16);
  EXPECT_EQ(above.contacts()->phase(0).mode, Mode::free);
}

// Without gravity a ball on a floor lies there without a load. Where others carry everything such a contact is idle; here a
// checkpoint says so.
Scene weightless_ball(double force_z_per_s) {
  Scene scene = floors::ball(0, 0, 0);
  scene.model.params.gravity = {};
  scene.solver = floors::fixed(Integrator::rk4, 1e-3);
  if (force_z_per_s == 0) return scene;
  constexpr int time = 6;  // among formula_variable_names
  Field field;
  field.links = {1};
  field.force[2].program = {
      {Formula::Op::number, 0, force_z_per_s}, {Formula::Op::variable, time, 0}, {Formula::Op::multiply, 0, 0}};
  scene.elements = {{"lift", field}};
  return scene;
}

void make_idle(World& world) {
  std::vector<std::byte> bytes = world.save();
  const Mode idle = Mode::idle;
  const std::size_t at = 8 * (7 + 7 + 6 + world.layout().count()) + sizeof(LedgerState);
  ContactPhase phase;
  std::memcpy(&phase, bytes.data() + at, sizeof phase);
  EXPECT_EQ(phase.mode, Mode::slide);
  std::memcpy(bytes.data() + at, &idle, sizeof idle);
  world.restore(bytes);
  EXPECT_EQ(world.contacts()->phase(0).mode, Mode::idle);
}

TEST(ContactNotes, AContactWithoutALoadIsIdleUntilItIsPressed) {
  const Scene still = weightless_ball(0);
  World idle(still);
  make_idle(idle);
  floors::run_until(idle, 0.05);
  EXPECT_EQ(idle.contacts()->phase(0).mode, Mode::idle);
  EXPECT_EQ(idle.events(), 0);
  EXPECT_EQ(idle.state().q[6], 0.1);

  const Scene pressing = weightless_ball(-2);
  World pressed(pressing);
  make_idle(pressed);
  pressed.step(1);
  EXPECT_EQ(pressed.contacts()->phase(0).mode, Mode::slide);
  EXPECT_LT(pressed.time(), 1e-6) << "at once, and not when it has sunk in";
  EXPECT_EQ(pressed.events(), 1);
  floors::run_until(pressed, 0.05);
  EXPECT_NEAR(pressed.state().q[6], 0.1, 1e-14);
  std::vector<double> vdot(6);
  EXPECT_NEAR(pressed.everything_that_acts(vdot).F_Bo_W[1].f.z, 0, 1e-12);
  EXPECT_NEAR(pressed.contacts()->force_W(0).z, 0.1, 1e-12);

  const Scene lifting = weightless_ball(2);
  World lifted(lifting);
  make_idle(lifted);
  floors::run_until(lifted, 0.05);
  EXPECT_EQ(lifted.contacts()->phase(0).mode, Mode::free);
  EXPECT_NEAR(lifted.state().q[6], 0.1 + 2 * std::pow(0.05, 3) / 6 / 0.5, 1e-14);
  EXPECT_EQ(lifted.events(), 0);
}

// What a joint's own forces are for the link, about Bo in its axes.
TEST(ContactNotes, ForcesOfAJointAreWrenches) {
  const double tau[] = {1, 2, 3, 4, 5, 6};
  LinkParams<double> params;
  params.axis = {0, 0.6, 0.8};
  const Mat3<double> R = rotation(quaternion_about({0, 0, 1}, std::acos(0.0)));  // x of B is y of F
  const auto of = [&](JointType joint) {
    LinkTopology link;
    link.joint = joint;
    return wrench_of_joint_force(link, params, R, tau);
  };
  const auto expect = [&](JointType joint, const Vec3<double>& n, const Vec3<double>& f) {
    EXPECT_LE(norm(of(joint).n - n) + norm(of(joint).f - f), 1e-14) << name_of(joint);  // roundings of numbers below 10
  };
  expect(JointType::weld, {}, {});
  expect(JointType::hinge, {0, 0.6, 0.8}, {});
  expect(JointType::slider, {}, {0, 0.6, 0.8});
  expect(JointType::ball, {1, 2, 3}, {});
  expect(JointType::point, {}, {1, 2, 3});
  expect(JointType::free, {1, 2, 3}, {5, -4, 6});
  expect(JointType::screw, {}, {});
}

}  // namespace contact_notes_test
