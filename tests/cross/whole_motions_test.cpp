// Whole motions of several seconds, by Simbody and by MuJoCo: figures in flight, and held by the world, with torques, springs and
// friction in their joints (P3). Each engine comes to Marey's motion at the order of its own method, and its limit is there
// (same_motion.h): what is left between the engines is the error of their integrators, and gets less with it. That is asked for half
// way and at the end.
//
// Steps are such that what same_motion.h leaves out, h times the fastest rate, is a few percent (friction of 3 mN m s/rad about the long
// axis of a rod of 0.5 kg and 2 cm decays with 30 /s), and that the errors are far above the roundings, which a limp figure in flight
// enlarges by some 100 in two seconds. Marey's own steps of 0.25 ms are 2⁻¹² off what rk4 is with the longest of these.
#include <fmt/format.h>

#include "../../bench/peers/same_motion.h"
#include "agreement.h"
#include "marey/io/scene.h"
#include "support/figures.h"

namespace marey::whole_motions_test {
namespace {

using cross::Peer;
using peers::AccurateMotion;
using peers::Convergence;
using peers::PeerActing;
using peers::SteppedRival;

struct WholeMotion {
  std::string name;
  Scene scene;
  PeerActing acting;
  double duration = 3;  // s
};

// Turning at some rad/s in all joints.
void start_human(std::uint64_t seed, Scene& scene) {
  const figures::Figure human = figures::with_random_state(figures::human39(), seed);
  scene.model = human.model, scene.start = human.state;
  for (double& v : scene.start.v) v *= 0.5;
}

WholeMotion in_flight() {
  WholeMotion m{"a human in flight", {}, {}, 2};
  start_human(7, m.scene);
  return m;
}

// A body of text whose joints have what acting says: by Marey's own elements.
WholeMotion of_text(const std::string& name, const std::string& text) {
  WholeMotion m{name, parse_scene("marey: 1\nduration: 3 s\n" + text, "test.yaml"), {}};
  const auto nv = static_cast<std::size_t>(m.scene.model.nv);
  for (std::vector<double>* x : {&m.acting.torque, &m.acting.stiffness, &m.acting.damping}) x->assign(nv, 0.0);
  const auto first = [&](int link) {
    return static_cast<std::size_t>(m.scene.model.links[static_cast<std::size_t>(link)].v);
  };
  for (const Element& e : m.scene.elements) {
    if (const FreePlay* spring = e.kind.get_if<FreePlay>())
      m.acting.stiffness[first(spring->link)] = spring->slope_above.value[0];
    if (const JointTorque* torque = e.kind.get_if<JointTorque>())
      m.acting.torque[first(torque->link)] = torque->value.at(0).value;
    if (const JointFriction* friction = e.kind.get_if<JointFriction>())
      for (int k = 0; k < freedom_count(m.scene.model.links[static_cast<std::size_t>(friction->link)]); ++k)
        m.acting.damping[first(friction->link) + static_cast<std::size_t>(k)] = friction->coefficient;
  }
  return m;
}

WholeMotion chain() {
  return of_text("a chain of eight on balls, with friction", R"(
figures:
  rope:
    at: [0, 0, 2 m]
    chain:
      links: 8
      spacing: [0, 0, -20 cm]
      link: {joint: ball, shape: {capsule: {radius: 2 cm, length: 20 cm, along: -z}}, mass: 0.5 kg, friction: 3 mN m s/rad}
      first: {start: {turned: {axis: y, angle: -80 deg}, spin: [0, 0, 2 rad/s]}}
)");
}

WholeMotion arm() {
  return of_text("an arm with torques, springs and friction", R"(
figures:
  arm:
    links:
      upper: {joint: {type: hinge, axis: y}, shape: {capsule: {radius: 4 cm, length: 30 cm, along: x}}, mass: 2 kg, start: {angle: 20 deg}}
      slide: {parent: upper, joint: {type: slider, axis: x}, at: [30 cm, 0, 0], shape: {box: [10 cm, 6 cm, 6 cm]}, mass: 1 kg, friction: 2 N s/m}
      fore: {parent: slide, joint: {type: hinge, axis: [0, 1, 1]}, shape: {capsule: {radius: 3 cm, length: 25 cm, along: x}}, mass: 1.5 kg, friction: 30 mN m s/rad}
      hand: {parent: fore, joint: ball, at: [25 cm, 0, 0], shape: {box: {size: [18 cm, 9 cm, 3 cm], along: x}}, mass: 0.5 kg, friction: 10 mN m s/rad, start: {spin: [3, 1, -2]}}
torques:
  - free_play: {joint: arm.upper, from: 0, to: 0, slope: 25 N m/rad}
  - free_play: {joint: arm.slide, coordinate: slide, from: 0, to: 0, slope: 400 N/m}
  - free_play: {joint: arm.fore, from: 0, to: 0, slope: 6 N m/rad}
  - torque: {joint: arm.upper, value: -8 N m}
  - torque: {joint: arm.fore, value: 1.5 N m}
)");
}

WholeMotion limp_human() {
  WholeMotion m{"a human in flight, with friction in all joints", {}, {}, 2};
  start_human(11, m.scene);
  const Model& model = m.scene.model;
  const auto nv = static_cast<std::size_t>(model.nv);
  for (std::vector<double>* x : {&m.acting.torque, &m.acting.stiffness, &m.acting.damping}) x->assign(nv, 0.0);
  for (int i = 2; i < model.nlink(); ++i) {
    const JointFriction friction{i, 0.02};
    m.scene.elements.push_back({"friction " + std::to_string(i), friction});
    for (int k = 0; k < 3; ++k)
      m.acting.damping[static_cast<std::size_t>(model.links[static_cast<std::size_t>(i)].v + k)] = 0.02;
  }
  return m;
}

class WholeMotions : public testing::TestWithParam<SteppedRival> {};
INSTANTIATE_TEST_SUITE_P(Peers, WholeMotions,
                         testing::Values(SteppedRival{"simbody", "merson_steps", 4, Integrator::rk4},
                                         SteppedRival{"mujoco", "rk4", 2, Integrator::rk4}),
                         [](const auto& info) { return std::string(info.param.engine); });

TEST_P(WholeMotions, AreTheSame) {
  const SteppedRival rival = GetParam();
  const double step = rival.order == 4 ? 2e-3 : 1e-3;
  Peer peer(rival.engine);
  if (!peer.running()) GTEST_SKIP() << peer.why();
  for (const WholeMotion& m : {in_flight(), limp_human(), chain(), arm()}) {
    ASSERT_TRUE(peer.load(peers::peer_figure(m.scene.model))) << peer.why();
    ASSERT_TRUE(m.acting.torque.empty() || peer.set_acting(m.acting)) << peer.why();
    const cross::Numbers none(m.scene.start.v.size());
    ASSERT_TRUE(peer.set_states({peers::peer_state(m.scene.start.q, m.scene.start.v, none, none)})) << peer.why();
    for (const double part : {0.5, 1.0}) {
      const double t = part * m.duration;
      const auto found = AccurateMotion(m.scene, step, t, 2.5e-4).of_peer(peer, rival, 0);
      ASSERT_TRUE(found) << peer.why();
      std::printf(
          "%-8s %-48s %5.2f s: off by %.2e with steps of %g ms, %.2e with half; order %.3f, limit off by %.1e\n",
          rival.engine, m.name.c_str(), t, found->coarse, 1e3 * step, found->fine, found->order(), found->limit);
      EXPECT_TRUE(found->same_motion(rival.order)) << m.name << " at " << t << " s";
    }
  }
}

}  // namespace
}  // namespace marey::whole_motions_test
