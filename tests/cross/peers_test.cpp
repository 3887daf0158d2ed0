// The peers themselves: what they say to bad requests, what their parent makes of trouble, and that all of them tell the
// same about the human.
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "agreement.h"
#include "support/figures.h"

namespace {

using cross::Numbers;
using cross::Peer;
using marey::peers::PeerFigure;
using marey::peers::PeerJoint;
using marey::peers::PeerLink;
using marey::peers::PeerState;
using marey::peers::PeerTask;

const char* const names[] = {"mujoco", "simbody", "bullet", "dart"};

// A rod of 1 m and 1 kg on a hinge along y.
PeerFigure pendulum() {
  PeerLink link;
  link.joint = PeerJoint::hinge;
  link.axis_F = {0, 1, 0};
  link.mass = 1;
  link.p_BoBcm_B = {0, 0, -0.5};
  link.J_BBo_B = {1.0 / 3, 1.0 / 3, 0.01, 0, 0, 0};
  PeerFigure figure;
  figure.links = {link};
  return figure;
}
// Standing out sideways.
PeerState sideways() { return {{M_PI / 2}, {0}, {0}, {0}}; }

class EveryPeer : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Peers, EveryPeer, testing::ValuesIn(names), [](const auto& info) { return info.param; });

// J θ̈ = m g l/2: about +y, a rod that stands out along −x (θ = 90°) swings down with θ̈ = −3/2 g.
TEST_P(EveryPeer, SwingsAPendulum) {
  Peer peer(GetParam());
  if (!peer.running()) GTEST_SKIP() << peer.why();
  ASSERT_TRUE(peer.load(pendulum())) << peer.why();
  ASSERT_TRUE(peer.set_states({sideways()})) << peer.why();
  const auto vdot = peer.ask(PeerTask::forward, 0);
  ASSERT_TRUE(vdot) << peer.why();
  EXPECT_NEAR(vdot->at(0), -1.5 * 9.81, 1e-12);
}

TEST_P(EveryPeer, StaysInStepAfterABadRequest) {
  Peer peer(GetParam());
  if (!peer.running()) GTEST_SKIP() << peer.why();
  const auto expect_error = [&peer](const PeerFigure& figure, const std::string& word) {
    EXPECT_FALSE(peer.load(figure));
    EXPECT_FALSE(peer.refused());
    EXPECT_NE(peer.why().find(word), std::string::npos) << peer.why();
  };
  PeerFigure bad = pendulum();
  bad.links[0].parent = 1;
  expect_error(bad, "parent");
  bad = pendulum();
  bad.links[0].axis_F = {0, 2, 0};
  expect_error(bad, "axis");
  bad = pendulum();
  bad.links[0].mass = std::numeric_limits<double>::quiet_NaN();
  expect_error(bad, "mass");
  bad = pendulum();
  bad.links.clear();
  expect_error(bad, "needs a link");

  EXPECT_FALSE(peer.set_states({sideways()}));  // there is no figure
  ASSERT_TRUE(peer.load(pendulum())) << peer.why();
  EXPECT_FALSE(peer.ask(PeerTask::forward, 0));  // there are no states
  EXPECT_FALSE(peer.set_states({PeerState{{0, 0}, {0}, {0}, {0}}}));
  ASSERT_TRUE(peer.set_states({sideways()})) << peer.why();
  EXPECT_FALSE(peer.ask(PeerTask::forward, 1));
  EXPECT_FALSE(peer.time(PeerTask::forward, 10, 1));  // one state only
  EXPECT_TRUE(peer.ask(PeerTask::forward, 0)) << peer.why();
}

TEST_P(EveryPeer, TimesWhatItComputes) {
  Peer peer(GetParam());
  if (!peer.running()) GTEST_SKIP() << peer.why();
  ASSERT_TRUE(peer.load(pendulum())) << peer.why();
  ASSERT_TRUE(peer.set_states({sideways(), {{0.3}, {1}, {2}, {3}}, {{0.1}, {1}, {2}, {3}}})) << peer.why();
  const auto timing = peer.time(PeerTask::forward, 5, 4);  // 20 calls: the last is in state 19 mod 3
  ASSERT_TRUE(timing) << peer.why();
  ASSERT_EQ(timing->ns_per_call.size(), 4u);
  for (double ns : timing->ns_per_call) EXPECT_GT(ns, 0);
  EXPECT_EQ(timing->state, 1);
  EXPECT_EQ(timing->checksum, peer.ask(PeerTask::forward, 1)->at(0));
}

TEST_P(EveryPeer, TellsTheSameAboutTheHuman) {
  Peer peer(GetParam());
  if (!peer.running()) GTEST_SKIP() << peer.why();
  cross::Record record;
  for (std::uint64_t seed = 0; seed < 5; ++seed)
    cross::compare(figures::with_random_state(figures::human39(), seed), peer, 20, "human", record);
  EXPECT_EQ(record.held, 5);
}

TEST(MuJoCoWhole, IsTheSameAsTheFewestCalls) {
  Peer peer("mujoco");
  if (!peer.running()) GTEST_SKIP() << peer.why();
  const figures::Figure human = figures::with_random_state(figures::human39(), 3);
  ASSERT_TRUE(peer.load(marey::peers::peer_figure(human.model)));
  ASSERT_TRUE(peer.set_states({marey::peers::peer_state(human.state.q, human.state.v, human.tau, human.tau)}));
  for (auto [task, whole] :
       {std::pair(PeerTask::forward, PeerTask::forward_whole), std::pair(PeerTask::inverse, PeerTask::inverse_whole)}) {
    const auto a = peer.ask(task, 0), b = peer.ask(whole, 0);
    ASSERT_TRUE(a && b) << peer.why();
    EXPECT_LE(cross::difference(*a, *b), 1e-11 * cross::largest(*a));
  }
}

TEST(Refusal, IsToldFromAnError) {
  Peer peer("bullet");
  if (!peer.running()) GTEST_SKIP() << peer.why();
  PeerFigure figure = pendulum();
  figure.links.push_back(figure.links[0]);
  figure.links[1].parent = 1;
  figure.links[1].joint = PeerJoint::free;
  EXPECT_FALSE(peer.load(figure));
  EXPECT_TRUE(peer.refused());
  EXPECT_TRUE(peer.running());
}

// Springs, torques and friction in joints: where an engine's peer does not know them, and where they make no sense.
TEST(Refusal, OfWhatActsInJoints) {
  PeerFigure figure = pendulum();
  const marey::peers::PeerActing spring{{0}, {2}, {0}};
  for (const char* name : {"bullet", "dart"}) {
    Peer peer(name);
    if (!peer.running()) continue;
    ASSERT_TRUE(peer.load(figure)) << peer.why();
    EXPECT_FALSE(peer.set_acting(spring));
    EXPECT_TRUE(peer.refused());
  }
  for (const char* name : {"simbody", "mujoco"}) {
    Peer peer(name);
    if (!peer.running()) continue;
    EXPECT_FALSE(peer.set_acting(spring));  // there is no figure
    ASSERT_TRUE(peer.load(figure) && peer.set_acting(spring)) << peer.why();
    EXPECT_FALSE(peer.set_acting({{0, 0}, {2, 0}, {0, 0}}));  // too many
    PeerFigure ball = figure;
    ball.links[0].joint = PeerJoint::ball;
    ASSERT_TRUE(peer.load(ball)) << peer.why();
    EXPECT_FALSE(peer.set_acting({{0, 0, 0}, {0, 2, 0}, {0, 0, 0}}));
    EXPECT_FALSE(peer.refused());
    EXPECT_NE(peer.why().find("stiffness is for hinges and sliders"), std::string::npos) << peer.why();
  }
}

// J θ̈ = −k θ without gravity: after half a period θ is −θ₀; and a torque T held for long enough to be damped leaves θ = T/k.
TEST(Acting, IsASpringATorqueAndADamper) {
  PeerFigure figure = pendulum();
  figure.gravity = {0, 0, 0};
  const double k = 2, omega = std::sqrt(3 * k), J = 1.0 / 3, c = 2 * J * omega;  // critically damped
  for (const auto& [name, method] : {std::pair{"simbody", "merson_steps"}, {"mujoco", "rk4"}}) {
    Peer peer(name);
    if (!peer.running()) continue;
    ASSERT_TRUE(peer.load(figure) && peer.set_states({{{0.3}, {0}, {0}, {0}}})) << peer.why();
    ASSERT_TRUE(peer.set_acting({{0}, {k}, {0}})) << peer.why();
    const auto swung = peer.integrate(method, 1e-3, M_PI / omega, 0, 1);
    ASSERT_TRUE(swung) << peer.why();
    EXPECT_NEAR(swung->q[0], -0.3, 1e-10);  // (ω h)⁴/120 per radian: 1e-12, and roundings
    ASSERT_TRUE(peer.set_acting({{0.5}, {k}, {c}})) << peer.why();
    const auto settled = peer.integrate(method, 1e-3, 15, 0, 1);
    ASSERT_TRUE(settled) << peer.why();
    EXPECT_NEAR(settled->q[0], 0.5 / k, 0.3 * (1 + 15 * omega) * std::exp(-15 * omega) + 1e-12);
  }
}

// Programs that misbehave, in a folder of their own.
class Trouble : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("marey_peers_" + std::to_string(getpid()));
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& script) {
    const std::filesystem::path path = folder_ / ("peer_" + name);
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    chmod(path.c_str(), 0755);
    return folder_.string();
  }

  std::filesystem::path folder_;
};

TEST_F(Trouble, NoProgram) {
  const Peer peer("nobody", folder_);
  EXPECT_FALSE(peer.running());
  EXPECT_EQ(peer.why(), "peer_nobody is not installed");
}
TEST_F(Trouble, EndsAtOnce) {
  const Peer peer("mute", write("mute", "exit 3"));
  EXPECT_FALSE(peer.running());
  EXPECT_NE(peer.why().find("status 3"), std::string::npos) << peer.why();
}
TEST_F(Trouble, Crashes) {
  Peer peer("crash", write("crash", "read x; echo hello Crash 1 double; read x; kill -SEGV $$"));
  ASSERT_TRUE(peer.running()) << peer.why();
  EXPECT_FALSE(peer.load(pendulum()));
  EXPECT_FALSE(peer.running());
  EXPECT_NE(peer.why().find("signal"), std::string::npos) << peer.why();
  EXPECT_TRUE(peer.start()) << peer.why();
}
TEST_F(Trouble, FallsSilent) {
  Peer peer("silent", write("silent", "read x; echo hello Silent 1 double; exec sleep 60"));
  ASSERT_TRUE(peer.running()) << peer.why();
  EXPECT_FALSE(peer.load(pendulum(), 0.2));
  EXPECT_FALSE(peer.running());
  EXPECT_NE(peer.why().find("in time"), std::string::npos) << peer.why();
}
TEST_F(Trouble, TalksNonsense) {
  Peer peer("fool", write("fool", "read x; echo hello Fool 1 double; while read x; do echo moo; done"));
  ASSERT_TRUE(peer.running()) << peer.why();
  EXPECT_FALSE(peer.load(pendulum()));
  EXPECT_FALSE(peer.running());
}

}  // namespace
