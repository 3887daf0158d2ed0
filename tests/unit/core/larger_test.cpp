#include "marey/core/larger.h"

#include <gtest/gtest.h>

namespace {

TEST(LargerOrNan, IsTheLargerAndNeverLosesWhatIsNoNumber) {
  EXPECT_EQ(marey::larger_or_nan(1, 2), 2);
  EXPECT_EQ(marey::larger_or_nan(2, 1), 2);
  EXPECT_TRUE(std::isnan(marey::larger_or_nan(NAN, 1)));
  EXPECT_TRUE(std::isnan(marey::larger_or_nan(1, NAN)));
}

}  // namespace
