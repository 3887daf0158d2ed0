// Other engines' own steps: that they make Marey's motion, at the order they are listed with, and that what a peer says of a
// state is the state it was given.
#include "../../bench/peers/same_motion.h"
#include "agreement.h"
#include "support/figures.h"

namespace marey::peers {
// As a test says what it is about; by itself it would tell the bytes.
inline void PrintTo(const SteppedRival& rival, std::ostream* out) { *out << rival.engine << " " << rival.method; }
}  // namespace marey::peers

namespace {

using cross::Peer;
using marey::peers::AccurateMotion;
using marey::peers::SteppedRival;

class EveryStep : public testing::TestWithParam<SteppedRival> {};
INSTANTIATE_TEST_SUITE_P(Peers, EveryStep, testing::ValuesIn(marey::peers::stepped_rivals),
                         [](const auto& info) { return std::string(info.param.engine) + "_" + info.param.method; });

marey::peers::PeerState start_of(const marey::State& state) {
  const cross::Numbers none(state.v.size());
  return marey::peers::peer_state(state.q, state.v, none, none);
}

// A human that falls and turns, with all its joints.
TEST_P(EveryStep, MakesTheSameMotion) {
  const SteppedRival rival = GetParam();
  Peer peer(rival.engine);
  if (!peer.running()) GTEST_SKIP() << peer.why();
  for (const std::uint64_t seed : {1, 2, 2024}) {
    const figures::Figure human = figures::with_random_state(figures::human39(), seed);
    marey::Scene scene;
    scene.model = human.model, scene.start = human.state;
    ASSERT_TRUE(peer.load(marey::peers::peer_figure(human.model)) && peer.set_states({start_of(human.state)}))
        << peer.why();
    const auto found = AccurateMotion(scene, 1e-3, 0.2).of_peer(peer, rival, 0);
    ASSERT_TRUE(found) << peer.why();
    EXPECT_TRUE(found->same_motion(rival.order)) << "seed " << seed << ": order " << found->order() << ", error "
                                                 << found->fine << ", of which the limit " << found->limit;
  }
}

// In next to no time a figure goes next to nowhere: |Δq| ≤ h |v|, |Δv| ≤ h |v̇|, twice that and |v|² where frames turn, and
// rounding. So every joint and every frame comes back as it went in.
TEST_P(EveryStep, TellsTheStateItWasGiven) {
  Peer peer(GetParam().engine);
  if (!peer.running()) GTEST_SKIP() << peer.why();
  constexpr double h = 1e-12;
  int held = 0;
  for (int i = 0; i < 60; ++i) {
    figures::Options options = figures::options_of(i);
    options.joints = figures::Joints::common, options.links = 1 + i % 12;
    figures::Figure figure = figures::random_figure(static_cast<std::uint64_t>(i), options);
    if (figure.model.nv == 0 || !peer.load(marey::peers::peer_figure(figure.model))) continue;
    ASSERT_TRUE(peer.set_states({start_of(figure.state)})) << peer.why();
    const auto end = peer.integrate(GetParam().method, h, h, 0, figure.state.q.size());
    ASSERT_TRUE(end) << peer.why();
    ++held;
    std::fill(figure.tau.begin(), figure.tau.end(), 0);
    const cross::Marey ours(figure);
    cross::Numbers xi(ours.v.size());
    marey::difference<double>(figure.model, ours.q, end->q, xi);
    const double w = cross::largest(ours.v), rounding = 1e-13 * (1 + cross::largest(ours.q) + w);
    EXPECT_LE(cross::largest(xi), 2 * h * w + rounding) << "figure " << i;
    EXPECT_LE(cross::difference(ours.v, end->v), 2 * h * (cross::largest(ours.aba()) + w * w) + rounding)
        << "figure " << i;
  }
  EXPECT_GE(held, 20);
}

}  // namespace
