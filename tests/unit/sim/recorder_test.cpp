// What is recorded within a step is what was then, and not what the end of the step has brought.
#include <gtest/gtest.h>

#include "support/recorded.h"

namespace {

TEST(Recorder, ForcesWithinAStepAreThoseOfThatStep) {
  const recorded::Memory m = recorded::run_text(R"(title: spike
duration: 0.5 s
solver: {integrator: rk45, tolerance: 1e-9}
particles:
  w: {mass: 1 kg, points: {a: {position: [0, 0, 1 m]}}}
forces:
  - spike: {name: kick, link: w.a, force: [0, 0, 100 N], lasts: 0.05 s, when: {height_of: w.a, below: 50 cm}}
record: {per_second: 1000}
)");
  const double begins = std::sqrt(2 * 0.5 / 9.81), ends = begins + 0.05;
  int acting = 0;
  for (std::size_t k = 0; k < m.rows.size(); ++k) {
    const double t = m.time(k);
    if (std::abs(t - begins) < 1e-6 || std::abs(t - ends) < 1e-6) continue;
    const bool acts = t > begins && t < ends;
    acting += acts;
    EXPECT_NEAR(m.at("link/w.a/acceleration", k)[2], acts ? 90.19 : -9.81, 1e-9) << t;
    EXPECT_NEAR(m.number("element/kick/power", k), acts ? 100 * m.at("link/w.a/velocity", k)[2] : 0, 1e-9) << t;
  }
  EXPECT_EQ(acting, 50);
}

// A floor that is about to be relieved of a body does not pull at it.
TEST(Recorder, AFloorNeverPulls) {
  recorded::Memory m;
  m.summary = marey::run(marey::load_scene(std::string(MAREY_SOURCE_DIR) + "/gallery/bouncing-ball.yaml"), m);
  int pressed = 0;
  for (const marey::Channel& c : m.header.channels) {
    if (!c.name.starts_with("contact/") || !c.name.ends_with("/force")) continue;
    for (std::size_t k = 0; k < m.rows.size(); ++k) {
      EXPECT_GE(m.at(c.name, k)[2], 0) << c.name << " at " << m.time(k);
      pressed += m.at(c.name, k)[2] > 0;
    }
  }
  EXPECT_GT(pressed, 10);
}

// A body that tumbles freely, three turns a second.
const char* const tumbling = R"(title: tumbling
duration: 2 s
gravity: 0
solver: {integrator: rk4, step: 1 ms}
figures:
  box: {links: {body: {shape: {box: [10 cm, 20 cm, 30 cm]}, mass: 1 kg, start: {spin: [1 rad/s, 19 rad/s, 2 rad/s]}}}}
record: {per_second: 50}
)";

// 2 T = 3.04 J and the least moment of inertia 0.00417 kg m² allow 27 rad/s, 0.54 rad from frame to frame: of q and −q the
// nearer one has a cosine of cos 0.27 or more with the last.
TEST(Recorder, AttitudesAreContinuous) {
  const recorded::Memory m = recorded::run_text(tumbling);
  EXPECT_GE(m.turn("link/box.body/orientation", 0).w, 0);
  double least_w = 1;
  for (std::size_t k = 1; k < m.rows.size(); ++k) {
    const auto a = m.turn("link/box.body/orientation", k - 1), b = m.turn("link/box.body/orientation", k);
    EXPECT_GT(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z, std::cos(0.27)) << m.time(k);
    least_w = std::min(least_w, b.w);
  }
  EXPECT_LT(least_w, -0.5);  // or nothing had to be chosen
}

// A free box with a wheel on a hinge, a rod on a universal joint, a ball joint, and a slider, all of which turn several times.
std::string whirling(const std::string& solver) {
  const std::string shape = "shape: {box: [10 cm, 20 cm, 30 cm]}, mass: 1 kg, ";
  return "title: whirling\nduration: 2 s\ngravity: 0\nsolver: {" + solver +
         "}\nfigures:\n  f:\n    links:\n      root: {" + shape +
         "start: {spin: [1 rad/s, 7 rad/s, 2 rad/s]}}\n      wheel: {parent: root, joint: {type: hinge, axis: y}, " +
         shape +
         "start: {angle: 200 deg, rate: 15 rad/s}}\n      rod: {parent: wheel, turned: {axis: x, angle: 170 deg}, "
         "joint: "
         "{type: universal, axes: [x, y]}, " +
         shape +
         "start: {rates: {first: 9 rad/s, second: 1 rad/s}}}\n      ball: {parent: rod, joint: ball, at: [10 cm, 0, "
         "0], " +
         shape +
         "start: {spin: [3 rad/s, -9 rad/s, 0]}}\n      slide: {parent: ball, joint: {type: slider, axis: z}, " +
         shape + "}\nrecord: {per_second: 100}\n";
}

// Whatever integrates them, in whatever coordinates; and gone on with anywhere, the signs are those of the run that nobody
// disturbed.
TEST(Recorder, AttitudesAreContinuousInEveryJointAndAcrossResuming) {
  using namespace marey;
  for (const char* solver :
       {"integrator: rk4, step: 1 ms", "integrator: semi_implicit, step: 1 ms", "integrator: rk45, tolerance: 1e-6",
        "integrator: bdf, tolerance: 1e-5", "integrator: midpoint, step: 2 ms",
        "dynamics: multipliers, integrator: rk4, step: 2 ms"}) {
    SCOPED_TRACE(solver);
    const Scene scene = parse_scene("marey: 1\n" + whirling(solver), "test.yaml");
    recorded::Memory whole;
    run(scene, whole);
    ASSERT_EQ(whole.rows.size(), 201u);
    for (const char* link : {"root", "wheel", "rod", "ball", "slide"}) {
      const std::string channel = std::string("link/f.") + link + "/orientation";
      EXPECT_GE(whole.turn(channel, 0).w, 0) << link;
      int negative = 0;
      for (std::size_t k = 1; k < whole.rows.size(); ++k) {
        const auto a = whole.turn(channel, k - 1), b = whole.turn(channel, k);
        EXPECT_GT(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z, 0) << link << whole.time(k);
        negative += b.w < 0;
      }
      EXPECT_GT(negative, 10) << link;  // or nothing had to be chosen
    }
    for (const int looks : {70, 200}) {
      recorded::Memory first, second;
      RunHooks hooks;
      hooks.stop = [&, n = 0]() mutable { return ++n > looks; };
      run(scene, first, hooks);
      if (first.checkpoints.empty()) continue;  // bdf may be saved now and then
      run(scene, second, {}, &first.checkpoints.back());
      const std::size_t from = first.checkpoints.back().frames;
      ASSERT_EQ(from + second.rows.size(), whole.rows.size());
      for (std::size_t k = 0; k < second.rows.size(); ++k) EXPECT_EQ(second.rows[k], whole.rows[from + k]) << from + k;
    }
  }
}

}  // namespace
