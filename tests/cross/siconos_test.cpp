// Siconos as a second opinion on contact problems: redundant contacts, masses 1 : 10⁶, friction up to 2.
#include <gtest/gtest.h>

#include "siconos_agreement.h"

namespace {

TEST(Siconos, ContactProblems) {
  const bool there = siconos::is_there();
  const siconos::Count count = siconos::compared(0, 200, there);
  EXPECT_EQ(count.certified, count.all) << "not:" << count.failures;
  if (!there) GTEST_SKIP() << "Siconos is not installed";
  EXPECT_EQ(count.agree, count.compared);
  EXPECT_GE(count.compared, 50);
}

}  // namespace
