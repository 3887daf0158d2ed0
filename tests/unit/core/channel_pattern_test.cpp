// Patterns of channels against names that they fit and names that they do not.
#include "marey/core/channel_pattern.h"

#include <gtest/gtest.h>

#include <string>

namespace marey {

TEST(ChannelPattern, FitsNamesGroupsAndStars) {
  EXPECT_TRUE(fits_channel("energy/kinetic", "energy/kinetic"));
  EXPECT_TRUE(fits_channel("energy", "energy/kinetic"));
  EXPECT_TRUE(fits_channel("link/tip", "link/tip/position"));
  EXPECT_TRUE(fits_channel("link/*/position", "link/finger.tip/position"));
  EXPECT_TRUE(fits_channel("link/*/position", "link/finger.tip/position/of/a/group"));
  EXPECT_TRUE(fits_channel("contact/*/force", "contact/ball.body/floor/force"));
  EXPECT_TRUE(fits_channel("*/position.z", "link/tip/position.z"));
  EXPECT_TRUE(fits_channel("link/*", "link/a/spin"));
  EXPECT_TRUE(fits_channel("*", "time"));
  EXPECT_TRUE(fits_channel("contact/sole ?/gap", "contact/sole 2/gap"));
  EXPECT_FALSE(fits_channel("contact/sole?/gap", "contact/sole/gap"));
  EXPECT_TRUE(fits_channel("l*k/**/p*n", "link/a/position"));

  EXPECT_FALSE(fits_channel("energy/kin", "energy/kinetic"));
  EXPECT_FALSE(fits_channel("energy/kinetic", "energy"));
  EXPECT_FALSE(fits_channel("link/*/position", "link/tip/positions"));
  EXPECT_FALSE(fits_channel("link/*/position", "joint/link/position"));
  EXPECT_FALSE(fits_channel("link/*/spin", "link/tip/position"));
  EXPECT_FALSE(fits_channel("Energy", "energy"));
}

// Every star could take every letter: to try all ways would take for ever.
TEST(ChannelPattern, IsQuickAboutManyStars) {
  std::string stars;
  for (int i = 0; i < 60; ++i) stars += "a*";
  EXPECT_TRUE(fits_channel(stars, std::string(500, 'a')));
  EXPECT_FALSE(fits_channel(stars + "b", std::string(500, 'a')));
}

}  // namespace marey
