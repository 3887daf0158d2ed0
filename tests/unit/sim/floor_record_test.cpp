// What a floor gives: its force between impacts and its impulses at impacts account for the momentum, of each point and
// of all points of a contact together.
#include <gtest/gtest.h>

#include <cstdio>

#include "support/recorded.h"

namespace {

using marey::Vec3;
constexpr double g = 9.81, m = 2;

// ∫ F dt by the trapezium rule over the frames.
Vec3<double> integral(const recorded::Memory& memory, const std::string& channel) {
  Vec3<double> sum;
  for (std::size_t k = 1; k < memory.rows.size(); ++k)
    sum += 0.5 * (memory.time(k) - memory.time(k - 1)) * (memory.vec(channel, k) + memory.vec(channel, k - 1));
  return sum;
}

std::string box(const std::string& start, const std::string& contact, const std::string& solver,
                int per_second = 1000) {
  return "title: box\nduration: 1 s\nsolver: " + solver +
         "\nfigures:\n  b:\n    links:\n      body: {shape: {box: [40 cm, "
         "30 cm, 20 cm]}, mass: 2 kg, start: " +
         start + "}\ncontacts:\n  - {link: b.body, name: sole, " + contact +
         "}\nrecord: {per_second: " + std::to_string(per_second) + "}\n";
}

// Falls flat by 0.2 m and stays. The steps are as long as the error allows: frames lie within them.
TEST(FloorRecord, TheImpulseOfAnImpactIsOnRecordFromItsInstant) {
  const recorded::Memory memory =
      recorded::run_text(box("{position: [0, 0, 30 cm]}", "restitution: 0", "{integrator: rk45, tolerance: 1e-9}"));
  const double t = std::sqrt(2 * 0.2 / g), P = m * g * t;
  for (std::size_t k = 0; k < memory.rows.size(); ++k) {
    const bool after = memory.time(k) > t;
    EXPECT_NEAR(memory.at("floor/sole/impulse", k)[2], after ? P : 0, 1e-8) << memory.time(k);
    EXPECT_NEAR(memory.at("floor/sole/force", k)[2], after ? m * g : 0, 1e-8) << memory.time(k);
    for (const char* low : {"1", "3", "5", "7"})
      EXPECT_NEAR(memory.at(std::string("contact/sole ") + low + "/impulse", k)[2], after ? P / 4 : 0, 1e-8);
    EXPECT_EQ(memory.at("contact/sole 2/impulse", k)[2], 0);
    EXPECT_EQ(std::isnan(memory.number("floor/sole/center_of_pressure", k)), !after);
  }
}

// ∫ F dt + impulses + weight = change of momentum, tumbling over a rough floor. At each of the instants at which the
// force jumps the trapezium rule misses up to half a frame of it.
TEST(FloorRecord, ForceAndImpulsesAccountForTheMomentum) {
  for (const char* floor :
       {"restitution: 0.4, friction: 0.3", "compliant: {stiffness: 20 kN/m, damping: 100 N s/m}, friction: 0.3"}) {
    const recorded::Memory memory = recorded::run_text(
        box("{position: [0, 0, 40 cm], turned: {axis: y, angle: 25 deg}, velocity: [1 m/s, 0.5 m/s, 0]}", floor,
            "{integrator: rk45, tolerance: 1e-8}", 10000));
    const std::size_t end = memory.rows.size() - 1;
    double largest = 0;
    for (std::size_t k = 0; k <= end; ++k) largest = std::max(largest, norm(memory.vec("floor/sole/force", k)));
    const Vec3<double> given = integral(memory, "floor/sole/force") + memory.vec("floor/sole/impulse", end);
    const Vec3<double> change = memory.vec("momentum/linear", end) - memory.vec("momentum/linear", 0);
    const double within = 0.5e-4 * largest * static_cast<double>(memory.summary.events);
    const double miss = norm(given + Vec3<double>{0, 0, -m * g} - change);
    std::printf("%s: missed by %.2g N s, at most %.2g\n", floor, miss, within);
    EXPECT_LE(miss, within);
    EXPECT_LE(within, 0.1 * norm(given));
    EXPECT_GT(std::abs(given.x), 0.1);
    Vec3<double> sum;
    for (int i = 1; i <= 8; ++i) sum += memory.vec("contact/sole " + std::to_string(i) + "/impulse", end);
    EXPECT_LE(norm(sum - memory.vec("floor/sole/impulse", end)), 1e-12);
  }
}

// At rest on a slope the centre of pressure lies on the plane, plumb below the centre of mass, whatever the corners do.
TEST(FloorRecord, TheCenterOfPressureIsBelowTheCenterOfMass) {
  const double angle = 20 * std::acos(-1.0) / 180, x = 0.1 * std::sin(angle), z = 0.1 * std::cos(angle);
  char start[200], floor[200];
  std::snprintf(start, sizeof start, "{position: [%.17g, 0, %.17g], turned: {axis: y, angle: 20 deg}}", x, z);
  std::snprintf(floor, sizeof floor, "friction: 0.5, floor: {normal: [%.17g, 0, %.17g], through: [0, 0, 0]}",
                std::sin(angle), std::cos(angle));
  const recorded::Memory memory = recorded::run_text(box(start, floor, "{integrator: rk4, step: 1 ms}", 10));
  const std::size_t end = memory.rows.size() - 1;
  const Vec3<double> center = memory.vec("floor/sole/center_of_pressure", end);
  EXPECT_NEAR(center.x, x, 1e-9);
  EXPECT_NEAR(center.y, 0, 1e-9);
  EXPECT_NEAR(center.z, -x * std::tan(angle), 1e-9);
  EXPECT_NEAR(memory.at("floor/sole/force", end)[2], m * g, 1e-8);
}

// The end of a pile of bounces is known before it comes; it is told in its place among the others all the same.
TEST(FloorRecord, NotesAreInTheOrderOfTime) {
  std::string points, contacts;
  for (int i = 0; i < 8; ++i) {
    const std::string name(1, static_cast<char>('a' + i)), x = std::to_string(i);
    points += (i > 0 ? ", " : "") + name + ": {position: [" + x + " m, 0, 1 cm]}";
    contacts += "  - {link: w." + name + ", clearance: 0, restitution: " + std::to_string(0.5 + 0.06 * i) + "}\n";
  }
  const recorded::Memory memory = recorded::run_text(
      "title: balls\nduration: 3 s\nsolver: {integrator: semi_implicit, step: 10 ms}\nparticles:\n  w: "
      "{mass: 1 kg, points: {" +
      points + "}}\ncontacts:\n" + contacts);
  ASSERT_EQ(memory.summary.notes.size(), 8u);
  double before = 0;
  for (const std::string& note : memory.summary.notes) {
    double t = 0;
    ASSERT_EQ(std::sscanf(note.c_str(), "t = %lf s", &t), 1) << note;
    EXPECT_GE(t, before) << note;
    before = t;
  }
}

// What is summed: all points of a contact with a name, those of each link without; a single point is its own sum.
TEST(FloorRecord, SumsByContact) {
  const recorded::Memory memory = recorded::run_text(R"(title: boxes
duration: 1 ms
figures:
  b: {links: {body: {shape: {box: [1 m, 1 m, 1 m]}, mass: 2 kg, start: {position: [0, 0, 1 m]}}}}
  c: {links: {body: {shape: {box: [1 m, 1 m, 1 m]}, mass: 2 kg, start: {position: [2 m, 0, 1 m]}}}}
contacts:
  - {link: [b.body, c.body]}
  - {link: [b.body, c.body], name: plate}
  - {link: b.body, at: joint, name: middle}
)");
  std::vector<std::string> sums;
  for (const marey::Channel& c : memory.header.channels)
    if (c.name.starts_with("floor/") && c.name.ends_with("/force")) sums.push_back(c.name);
  EXPECT_EQ(sums,
            (std::vector<std::string>{"floor/b.body/floor/force", "floor/c.body/floor/force", "floor/plate/force"}));
}

}  // namespace
