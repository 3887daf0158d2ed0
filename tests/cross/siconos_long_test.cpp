// Ten thousand contact problems, as in siconos_test.
#include <gtest/gtest.h>

#include "siconos_agreement.h"

namespace {

TEST(SiconosLong, ContactProblems) {
  const bool there = siconos::is_there();
  const siconos::Count count = siconos::compared(1000, 10000, there);
  EXPECT_EQ(count.certified, count.all) << "not:" << count.failures;
  if (!there) GTEST_SKIP() << "Siconos is not installed";
  EXPECT_EQ(count.agree, count.compared);
}

}  // namespace
