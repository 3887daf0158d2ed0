// Simbody as referee: everything by operators of order n, in frames of its own.
#include "agreement.h"
#include "support/figures.h"

namespace {

using cross::Peer;

TEST(Simbody, AgreesOnRandomFigures) {
  Peer simbody("simbody");
  if (!simbody.running()) GTEST_SKIP() << simbody.why();
  const cross::Record record = cross::compare_many(simbody, 500, 20);
  EXPECT_GE(record.held, 490);
  EXPECT_GE(record.by_armstrong, 200);
}

TEST(Simbody, AgreesOnTheHuman) {
  Peer simbody("simbody");
  if (!simbody.running()) GTEST_SKIP() << simbody.why();
  cross::Record record;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    cross::compare(figures::with_random_state(figures::human39(), seed), simbody, 20, "human", record);
  EXPECT_EQ(record.held, 20);
  EXPECT_EQ(record.by_armstrong, 20);
}

}  // namespace
