// Characters that are not what they look like are named.
#include "marey/core/look_alikes.h"

#include <gtest/gtest.h>

namespace marey {
namespace {

TEST(LookAlikes, AreNamedWithWhatToWriteInstead) {
  EXPECT_EQ(found_text("−5 m"), "'−5 m' (its character 1, '−', is U+2212 (minus sign): write '-')");
  EXPECT_EQ(found_text("5\u00a0m"), "'5\u00a0m' (its character 2 is U+00A0 (no-break space): write ' ')");
  EXPECT_EQ(found_text("1５"), "'1５' (its character 2, '５', is U+FF15 (full-width character): write '5')");
  EXPECT_EQ(found_text("2×t"), "'2×t' (its character 2, '×', is U+00D7 (multiplication sign): write '*')");
  EXPECT_EQ(found_text("5\u200bm"), "'5\u200bm' (its character 2 is U+200B (character of no width): leave it out)");
  EXPECT_EQ(found_text("µ–m"), "'µ–m' (its character 2, '–', is U+2013 (en dash): write '-')");
  EXPECT_EQ(found_text("“a”"), "'“a”' (its character 1, '“', is U+201C (curly quote): write '\"')");
  EXPECT_EQ(found_text("٣"), "'٣' (its character 1, '٣', is U+0663 (Arabic-Indic digit): write '3')");
  EXPECT_EQ(found_text("５："), "'５：' (its character 1, '５', is U+FF15 (full-width character): write '5')");
}

TEST(LookAlikes, OthersAreLeftInPeace) {
  for (const char* text : {"", "-5 m", "45°", "3 µs", "2 N·m", "m²", "Müller", "右手", "…", "café", "\xff\xfe"})
    EXPECT_EQ(look_alike_in(text), "") << text;
}

}  // namespace
}  // namespace marey
