// Closed forms beside runs (H2, R2): what they record, how near runs of every kind are to them, and whom they refuse.
#include "marey/sim/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "marey/closed_form.h"
#include "support/recorded.h"

namespace marey {
namespace compare_test {

using recorded::Memory, recorded::run_text;
constexpr double pi = std::numbers::pi;

// The largest of a channel.
double most(const Memory& m, const std::string& channel) {
  double largest = 0;
  for (std::size_t i = 0; i < m.rows.size(); ++i)
    for (const double x : m.at(channel, i)) largest = std::isnan(x) ? 1e300 : std::max(largest, std::abs(x));
  return largest;
}

const std::string precise = "solver: {integrator: rk45, tolerance: 1e-12}\n";

// ------------------------------------------------------------------------------------- each form
const std::string brick = "shape: {box: [10 cm, 6 cm, 3 cm]}, mass: 1 kg";

// Thrown, turning about its middle axis: the centre and the attitude, of a link whose origin is neither.
TEST(Compare, ABrickInFlight) {
  const Memory m = run_text("duration: 3 s\n" + precise +
                            "figures: {brick: {links: {body: {shape: {box: {size: [10 cm, 6 cm, 3 cm], center: [7 cm, "
                            "0, 1 cm]}}, mass: 1 kg, "
                            "start: {velocity: [1, 0, 14], spin: [0.1, 7, 0.05]}}}}}\n"
                            "record: {compare: {throw: brick.body, torque_free: brick.body}}\n");
  // Hundreds of steps of 1e-12; the middle axis multiplies what was wrong by e^(λ t) at each turn-over, here three times.
  EXPECT_LT(most(m, "closed_form/throw/brick.body/distance"), 1e-9);
  EXPECT_LT(most(m, "closed_form/torque_free/brick.body/angle"), 1e-7);
  const std::size_t last = m.rows.size() - 1;
  EXPECT_LT(norm(m.vec("closed_form/torque_free/brick.body/spin", last) - m.vec("link/brick.body/spin", last)), 1e-6);
  EXPECT_LT(recorded::angle_between(m.turn("closed_form/torque_free/brick.body/orientation", last),
                                    m.turn("link/brick.body/orientation", last)),
            1e-7);
}

// The same form on a ball joint at the centre of mass, with gravity; and about any point without.
TEST(Compare, ABrickOnAPivot) {
  const Memory heavy = run_text("duration: 2 s\n" + precise + "figures: {brick: {links: {body: {joint: ball, " + brick +
                                ", start: {spin: [3, 1, 2]}}}}}\nrecord: {compare: {torque_free: brick.body}}\n");
  EXPECT_LT(most(heavy, "closed_form/torque_free/brick.body/angle"), 1e-8);
  const Memory light = run_text(
      "duration: 2 s\ngravity: 0\n" + precise +
      "figures: {brick: {links: {body: {joint: ball, shape: {box: {size: [10 cm, 6 cm, 3 cm], center: [7 cm, 2 "
      "cm, 1 cm]}}, mass: 1 kg, start: {spin: [3, 1, 2]}}}}}\nrecord: {compare: {torque_free: brick.body}}\n");
  EXPECT_LT(most(light, "closed_form/torque_free/brick.body/angle"), 1e-8);
}

// Two forms of one motion: the elliptic functions of a symmetric body, and the even precession of R (2.13).
TEST(Compare, ASymmetricTopByBothForms) {
  const Memory m = run_text("duration: 3 s\ngravity: 0\n" + precise +
                            "figures: {plate: {links: {body: {shape: {cylinder: {radius: 10 cm, length: 2 cm, turned: "
                            "{axis: x, angle: 40 deg}}}, "
                            "mass: 1 kg, start: {turned: {axis: y, angle: 1}, spin: [3, 5, 9]}}}}}\n"
                            "record: {compare: {symmetric_top: plate.body, torque_free: plate.body}}\n");
  EXPECT_LT(most(m, "closed_form/symmetric_top/plate.body/angle"), 1e-8);
  for (std::size_t i = 0; i < m.rows.size(); ++i) {
    EXPECT_LT(recorded::angle_between(m.turn("closed_form/symmetric_top/plate.body/orientation", i),
                                      m.turn("closed_form/torque_free/plate.body/orientation", i)),
              1e-12);
    EXPECT_LT(norm(m.vec("closed_form/symmetric_top/plate.body/spin", i) -
                   m.vec("closed_form/torque_free/plate.body/spin", i)),
              1e-11);
  }
}

// Leaning gravity, an axis that is none of the link's, a turned figure.
TEST(Compare, AHeavyTopThatLeansEveryWay) {
  const Memory m = run_text("duration: 2 s\ngravity: [1, -2, -9]\n" + precise +
                            "figures: {top: {turned: {axis: [1, 2, 3], angle: 0.4}, at: [1 m, 2 m, 3 m], links: {body: "
                            "{joint: ball, turned: {axis: x, angle: 1}, "
                            "shape: {cylinder: {radius: 5 cm, length: 12 cm, along: [1, 1, 0.5]}}, mass: 1 kg, start: "
                            "{spin: [30, 30, 15.3]}}}}}\n"
                            "record: {compare: {heavy_top: top.body}}\n");
  EXPECT_LT(most(m, "closed_form/heavy_top/top.body/angle"), 1e-8);
}

TEST(Compare, OrbitsAboutAPointThatIsNotTheOrigin) {
  const Memory m =
      run_text("duration: 10 s\ngravity: 0\n" + precise +
               "particles: {p: {mass: 1 kg, points: {ellipse: {position: [1, 0, 0], velocity: [0, 0.8, 0.3]}, "
               "hyperbola: {position: [-1, 1, 0], velocity: [0.5, 2, 0]}}}}\n"
               "forces: [{attraction: {links: p.*, to: [0.2, 0.1, -0.3], strength: 1.5}}]\n"
               "record: {compare: {kepler: p.*}}\n");
  EXPECT_LT(most(m, "closed_form/kepler/p.ellipse/distance"), 1e-8);
  EXPECT_LT(most(m, "closed_form/kepler/p.hyperbola/distance"), 1e-8);
}

TEST(Compare, ARodAsItIsPrinted) {
  const Memory m = run_text(
      "duration: 2 s\n" + precise +
      "figures: {rod: {links: {bar: {shape: {capsule: {radius: 1 cm, length: 60 cm, center: [0, 0, 0]}}, mass: 0.5 kg, "
      "start: {position: [0, 0, 1], velocity: [1, 2, 8], turned: {axis: x, angle: 0.6}, spin: [2, 0, 0]}}}}}\n"
      "record: {compare: {rod: rod.bar, throw: rod.bar, torque_free: rod.bar, symmetric_top: rod.bar}}\n");
  EXPECT_LT(most(m, "closed_form/rod/rod.bar/angle"), 1e-9);
  for (const char* form : {"rod", "throw"})
    EXPECT_LT(most(m, std::string("closed_form/") + form + "/rod.bar/distance"), 1e-10);
  for (const char* form : {"torque_free", "symmetric_top"})
    EXPECT_LT(most(m, std::string("closed_form/") + form + "/rod.bar/angle"), 1e-9);
}

// Azimuth and tilt are the link's own Euler angles, turn by turn: in a plane that leans, and straight through the vertical.
TEST(Compare, AnglesOfARodGoOnAsEulerAnglesDo) {
  for (const char* spin : {"[-5, 0, 2]", "[0, 5, 0]", "[0, -5, 0]"}) {
    const Memory m =
        run_text("duration: 3 s\n" + precise +
                 "figures: {rod: {links: {bar: {shape: {capsule: {radius: 1 cm, length: 60 cm, center: [0, 0, "
                 "0]}}, mass: 0.5 kg, start: {turned: {axis: y, angle: 0.3805063771123649}, spin: " +
                 spin + "}}}}}\nrecord: {every: 50 ms, compare: {rod: rod.bar}, euler_zyz: rod.bar}\n");
    for (std::size_t k = 0; k < m.rows.size(); ++k) {
      const auto e = m.vec("link/rod.bar/euler_zyz", k);
      EXPECT_NEAR(m.number("closed_form/rod/rod.bar/alpha", k), e.x, 1e-6) << spin << " in frame " << k;
      EXPECT_NEAR(m.number("closed_form/rod/rod.bar/beta", k), e.y, 1e-6) << spin << " in frame " << k;
    }
  }
}

TEST(Compare, BouncesUntilItLies) {
  const Memory m =
      run_text("duration: 3 s\n" + precise +
               "figures: {ball: {links: {body: {shape: {sphere: 6 cm}, mass: 200 g, start: {position: [-1, 0, 1.06], "
               "velocity: [0.3, 0.1, 0]}}}}}\n"
               "contacts: [{link: ball.body, restitution: 0.7}]\nrecord: {compare: {bounce: ball.body}}\n");
  EXPECT_LT(most(m, "closed_form/bounce/ball.body/distance"), 1e-8);
  EXPECT_GT(m.vec("closed_form/bounce/ball.body/position", 10).z, 0.06);
}

// By every algorithm and method; of fixed steps at their order, so that form and method vouch for each other.
TEST(Compare, APendulumByEverySolverAtItsOrder) {
  const auto worst = [](const std::string& solver) {
    return most(
        run_text("duration: 2 s\nsolver: {" + solver + "}\n" +
                 "figures: {arm: {turned: {axis: z, angle: 0.3}, links: {bar: {joint: {type: hinge, axis: [0, 1, "
                 "0.2]}, shape: {capsule: "
                 "{radius: 2 cm, length: 60 cm, along: [0.3, 0, -1]}}, mass: 2 kg, start: {angle: 1, rate: 2}}}}}\n"
                 "record: {compare: {pendulum: arm.bar}}\n"),
        "closed_form/pendulum/arm.bar/difference");
  };
  for (const char* dynamics : {"aba", "crba", "dense", "multipliers"})
    EXPECT_LT(worst(std::string("integrator: rk45, tolerance: 1e-11, dynamics: ") + dynamics), 1e-8) << dynamics;
  for (const char* method : {"adams", "bdf"})
    EXPECT_LT(worst(std::string("integrator: ") + method + ", tolerance: 1e-11"), 1e-6) << method;
  const struct {
    const char* method;
    double step, order;
  } fixed[] = {{"semi_implicit", 1e-3, 1}, {"midpoint", 4e-3, 2}, {"rk4", 2e-2, 4}};
  for (const auto& f : fixed) {
    const auto with_step = [&](double h) {
      return worst(std::string("integrator: ") + f.method + ", step: " + std::to_string(h));
    };
    const double coarse = with_step(f.step), fine = with_step(f.step / 2);
    std::printf("%s: %.2e and %.2e, order %.2f\n", f.method, coarse, fine, std::log2(coarse / fine));
    EXPECT_NEAR(std::log2(coarse / fine), f.order, 0.2) << f.method;
  }
}

// ------------------------------------------------------------------------------------- whom they refuse
std::string refused(const std::string& text) {
  try {
    parse_scene("marey: 1\nduration: 1 s\n" + text, "test.yaml");
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::bad_input);
    return e.what();
  }
  return "not refused";
}
#define REFUSED(text, why)                                  \
  {                                                         \
    const std::string found = refused(text);                \
    EXPECT_NE(found.find(why), std::string::npos) << found; \
  }

TEST(Compare, RefusesWhatDoesNotMoveSo) {
  const std::string stone = "particles: {s: {mass: 1 kg, points: {a: {position: [0, 0, 1], velocity: [1, 0, 0]}}}}\n";
  REFUSED(stone + "forces: [{drag: {links: s.a, linear: 1}}]\nrecord: {compare: {throw: s.a}}\n",
          "test.yaml:5:27: found throw for 's.a', which does not move so: drag 'drag' acts on it; expected particles "
          "and free "
          "bodies on which nothing acts but gravity");
  REFUSED(stone + "contacts: [{link: s.a, at: joint}]\nrecord: {compare: {throw: s.a}}\n", "may stop it");
  REFUSED(stone + "frame: {angular_velocity: [0, 0, 1]}\nrecord: {compare: {throw: s.a}}\n", "acts on it");
  REFUSED(stone + "record: {compare: {kepler: s.a}}\n", "there is gravity");
  REFUSED(stone + "gravity: 0\nrecord: {compare: {kepler: s.a}}\n", "nothing attracts it");
  REFUSED(stone +
              "gravity: 0\nforces: [{attraction: {links: s.a, to: [0, 0, 0], strength: 1, softening: 1 cm}}]\nrecord: "
              "{compare: "
              "{kepler: s.a}}\n",
          "is softened");
  REFUSED(stone + "record: {compare: {bounce: s.a}}\n", "it has 0 contacts");
  REFUSED(stone + "contacts: [{link: s.a, at: joint, friction: 0.5}]\nrecord: {compare: {bounce: s.a}}\n",
          "not smooth");
  REFUSED(stone + "record: {compare: {torque_free: s.a}}\n", "its joint is of the kind point");
  REFUSED(stone + "record: {compare: {parabola: s.a}}\n", "unknown key 'parabola' in compare");
  REFUSED(stone + "record: {compare: {throw: s.b}}\n", "unknown link 's.b'");
  REFUSED(stone + "record: {compare: {}}\n", "expected closed forms and their links");
  REFUSED(stone + "record: {paths: s.b}\n", "unknown link 's.b'");
  REFUSED(stone + "record: {euler_zyz: 3}\n", "unknown link '3'");
  REFUSED(stone + "record: {euler_zyz: s.a}\n", "the angles of 's.a', which never turns");
  REFUSED(stone + "record: {paths: [s.a, s.a]}\n", "each link once");
  const auto body = [](const std::string& link) { return "figures: {b: {links: {x: {" + link + "}}}}\n"; };
  REFUSED(body(brick + ", start: {spin: [1, 2, 3]}") + "record: {compare: {symmetric_top: b.x}}\n", "no two alike");
  REFUSED(body(brick) + "record: {compare: {heavy_top: b.x}}\n", "its joint is of the kind free");
  REFUSED(body("joint: ball, " + brick) + "record: {compare: {heavy_top: b.x}}\n",
          "its centre of mass is at its joint");
  REFUSED(body("joint: ball, shape: {box: {size: [10 cm, 6 cm, 3 cm], along: z}}, mass: 1 kg") +
              "record: {compare: {heavy_top: b.x}}\n",
          "not alike about the line");
  REFUSED(body("joint: ball, shape: {box: {size: [10 cm, 6 cm, 3 cm], along: z}}, mass: 1 kg") +
              "record: {compare: {torque_free: b.x}}\n",
          "its weight turns it");
  REFUSED(body("shape: {capsule: {radius: 1 cm, length: 1 m, along: z}}, mass: 1 kg, start: {spin: [1, 0, 2]}") +
              "record: {compare: {rod: b.x}}\n",
          "spins about its axis at");
  REFUSED("figures: {b: {links: {x: {joint: {type: hinge, axis: y}, " + brick +
              "}, z: {parent: x, joint: ball, at: [0, 0, 1], " + brick + "}}}}\nrecord: {compare: {pendulum: b.x}}\n",
          "'b.z' hangs on it");
  REFUSED("figures: {b: {links: {x: {joint: {type: hinge, axis: y}, friction: 0.1, " + brick +
              "}}}}\nrecord: {compare: {pendulum: b.x}}\n",
          "acts on it");
}

// What is made in code is held to the same.
TEST(Compare, RefusesInCodeToo) {
  Scene scene = parse_scene(
      "marey: 1\nduration: 1 s\nparticles: {s: {mass: 1 kg, points: {a: {position: [0, 0, 1]}}}}\n", "test.yaml");
  EXPECT_EQ(refusal_of_record(scene), "");
  scene.record.compare = {{"kepler", 1}};
  EXPECT_NE(refusal_of_record(scene).find("there is gravity"), std::string::npos);
  scene.record.compare = {{"throw", 7}};
  EXPECT_NE(refusal_of_record(scene).find("link 7"), std::string::npos);
  scene.record.compare = {{"sling", 1}};
  EXPECT_NE(refusal_of_record(scene).find("sling"), std::string::npos);
  scene.record.compare = {{"throw", 1}};
  EXPECT_EQ(refusal_of_record(scene), "");
  scene.model.params.gravity = {}, scene.elements = {{"sun", Attraction{{1}, {}, 1, 0}}}, scene.start.v = {1e160, 0, 0};
  scene.record.compare = {{"kepler", 1}};
  EXPECT_NE(refusal_of_record(scene).find("state is not finite"), std::string::npos) << refusal_of_record(scene);
  scene.record.compare.clear(), scene.record.paths = {0};
  EXPECT_NE(refusal_of_record(scene).find("link 0"), std::string::npos);
}

}  // namespace compare_test
}  // namespace marey
