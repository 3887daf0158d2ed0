// MuJoCo as referee: mass matrix by its composite bodies, inverse dynamics by its own recursion, accelerations by LᵀDL.
#include "agreement.h"
#include "support/figures.h"

namespace {

using cross::Peer;

TEST(MuJoCo, AgreesOnRandomFigures) {
  Peer mujoco("mujoco");
  if (!mujoco.running()) GTEST_SKIP() << mujoco.why();
  const cross::Record record = cross::compare_many(mujoco, 500, 20);
  EXPECT_GE(record.held, 490);
  EXPECT_GE(record.by_armstrong, 200);
}

TEST(MuJoCo, AgreesOnTheHuman) {
  Peer mujoco("mujoco");
  if (!mujoco.running()) GTEST_SKIP() << mujoco.why();
  cross::Record record;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    cross::compare(figures::with_random_state(figures::human39(), seed), mujoco, 20, "human", record);
  EXPECT_EQ(record.held, 20);
  EXPECT_EQ(record.by_armstrong, 20);
}

}  // namespace
