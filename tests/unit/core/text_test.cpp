#include "marey/core/text.h"

#include <gtest/gtest.h>

namespace marey {

TEST(Text, DistanceCountsInsertionsDeletionsChangesAndSwaps) {
  EXPECT_EQ(edit_distance("step", "step"), 0);
  EXPECT_EQ(edit_distance("Step", "sTEP"), 0);
  EXPECT_EQ(edit_distance("stp", "step"), 1);
  EXPECT_EQ(edit_distance("steep", "step"), 1);
  EXPECT_EQ(edit_distance("stop", "step"), 1);
  EXPECT_EQ(edit_distance("setp", "step"), 1);
  EXPECT_EQ(edit_distance("", "step"), 4);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance(std::string(100'000, 'a'), "b"), 64);
}

TEST(Text, ClosestIsNearOrNothing) {
  const std::vector<std::string> words{"stiffness", "damping", "to"};
  EXPECT_EQ(closest("stifness", words), "stiffness");
  EXPECT_EQ(closest("dampning", words), "damping");
  EXPECT_EQ(closest("ot", words), "to");
  EXPECT_EQ(closest("colour", words), "");
  EXPECT_EQ(closest("", words), "");
  EXPECT_EQ(closest("euler", {"every", "euler_zyz"}), "euler_zyz") << "what goes on behind a part of the name";
  EXPECT_EQ(closest("eul", {"every", "euler_zyz"}), "");
}

TEST(Text, PrintableFitsOneLine) {
  EXPECT_EQ(printable("a\nb\tc\x01"), "a\\nb\\tc\\x01");
  EXPECT_EQ(printable("äöü", 2), "äö…");
  EXPECT_EQ(printable("äö", 2), "äö");
}

TEST(Text, EitherReadsAsEnglish) {
  EXPECT_EQ(either({}), "");
  EXPECT_EQ(either({"a"}), "a");
  EXPECT_EQ(either({"a", "b", "c"}), "a, b or c");
}

}  // namespace marey
