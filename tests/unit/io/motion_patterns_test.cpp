// Channels are found by patterns that a person would guess.
#include <gtest/gtest.h>

#include <functional>

#include "marey/io/motion.h"
#include "support/trouble.h"

namespace marey {
namespace motion_patterns_test {
namespace {

using Names = std::vector<std::string>;
const Names xyz{"x", "y", "z"}, one{""};

MotionInfo motion(const char* slides = "slide") {
  MotionInfo info;
  info.file = "run.h5";
  info.channels = {{"time", "s", one, ""},
                   {"energy/kinetic", "J", one, ""},
                   {"link/box.body/position", "m", xyz, ""},
                   {"link/arm.tip/position", "m", xyz, ""},
                   {"joint/arm.tip/angle", "rad", one, ""},
                   {std::string("joint/arm.rail/") + slides, "m", one, ""},
                   {"joint/arm.tip/velocity", "rad/s", one, ""},
                   {"contact/box.body/floor 1/force", "N", xyz, ""},
                   {"contact/box.body/floor 2/force", "N", xyz, ""},
                   {"contact/box.body/floor 2/gap", "m", one, ""},
                   {"element/Spring [left]/power", "W", one, ""}};
  return info;
}
Names found(const std::string& pattern, const MotionInfo& info = motion()) {
  Names names;
  for (const ColumnIndex& c : columns_like(info, pattern))
    names.push_back(column_name(info.channels[c.channel], c.column));
  return names;
}
std::string refused(const std::string& pattern) {
  return trouble::of(ErrorKind::bad_input, [&] { found(pattern); });
}

TEST(MotionPatterns, StarsStandForAnything) {
  EXPECT_EQ(found("contact/*/force.z"),
            (Names{"contact/box.body/floor 1/force.z", "contact/box.body/floor 2/force.z"}));
  EXPECT_EQ(found("contact/*/force").size(), 6u);
  EXPECT_EQ(found("*/position.z"), (Names{"link/box.body/position.z", "link/arm.tip/position.z"}));
  EXPECT_EQ(found("joint/*/angle"), Names{"joint/arm.tip/angle"});
  EXPECT_EQ(found("link/arm.*/position.x"), Names{"link/arm.tip/position.x"});
  EXPECT_EQ(found("*").size(), 19u);
  EXPECT_EQ(found("*floor ?/gap"), Names{"contact/box.body/floor 2/gap"});
}

TEST(MotionPatterns, ANameStandsForAllThatIsRecordedOfIt) {
  const Names tip{"link/arm.tip/position.x", "link/arm.tip/position.y", "link/arm.tip/position.z",
                  "joint/arm.tip/angle", "joint/arm.tip/velocity"};
  EXPECT_EQ(found("arm.tip"), tip);
  EXPECT_EQ(found("tip"), tip);
  EXPECT_EQ(found("tip/position.z"), Names{"link/arm.tip/position.z"});
  EXPECT_EQ(found("arm.tip/angle"), Names{"joint/arm.tip/angle"});
  EXPECT_EQ(found("box.body/floor 2/gap"), Names{"contact/box.body/floor 2/gap"});
  EXPECT_EQ(found("box.body").size(), 3u + 7u);  // the link, and what touches there
  EXPECT_EQ(found("element/Spring [left]/power"), Names{"element/Spring [left]/power"});
  EXPECT_EQ(found("Spring [left]"), Names{"element/Spring [left]/power"});
}

// A whole name is never taken for a part of another.
TEST(MotionPatterns, WhatFitsFromTheStartComesFirst) {
  MotionInfo info = motion();
  info.channels.push_back({"tip/position", "m", one, ""});
  EXPECT_EQ(found("tip/position", info), Names{"tip/position"});
  EXPECT_EQ(found("energy"), Names{"energy/kinetic"});
}

TEST(MotionPatterns, OneThingByEitherWord) {
  EXPECT_EQ(found("joint/*/displacement"), Names{"joint/arm.rail/slide"});
  EXPECT_EQ(found("rail/displacement"), Names{"joint/arm.rail/slide"});
  const MotionInfo old = motion("displacement");
  EXPECT_EQ(found("joint/*/slide", old), Names{"joint/arm.rail/displacement"});
  EXPECT_EQ(found("joint/*/displacement", old), Names{"joint/arm.rail/displacement"});
  EXPECT_EQ(old.find("joint/arm.rail/slide"), 5u);
  EXPECT_TRUE(old.has("joint/arm.rail/slide"));
  EXPECT_FALSE(old.has("joint/arm.tip/slide"));
  EXPECT_EQ(find_column(motion(), "joint/arm.rail/displacement").channel, 5u);
  EXPECT_EQ(found("joint/*/rate"), Names{"joint/arm.tip/velocity"});
  EXPECT_FALSE(old.has("joint/arm.tip/rate")) << "names are exact but for the one word";
  EXPECT_EQ(found("LINK/*/Position.Z").size(), 2u);
}

TEST(MotionPatterns, NearMissesAreOffered) {
  EXPECT_EQ(refused("contact/*/forc"), "'run.h5' records no channel 'contact/*/forc'; did you mean 'contact/*/force'?");
  EXPECT_EQ(refused("kinetic"), "'run.h5' records no channel 'kinetic'; did you mean 'energy/kinetic'?");
  EXPECT_EQ(refused("position.z"), "'run.h5' records no channel 'position.z'; did you mean 'link/*/position.z'?");
  EXPECT_EQ(refused("link/arm.tpi/position"),
            "'run.h5' records no channel 'link/arm.tpi/position'; did you mean 'link/arm.tip/position'?");
  EXPECT_EQ(
      refused("heartbeat of the thing"),
      "'run.h5' records no channel 'heartbeat of the thing'; it records time, energy, link, joint, contact, element; "
      "'plot --list' shows all of it");
  EXPECT_EQ(refused("joint/*/ａngle")
                .rfind("'run.h5' records no channel 'joint/*/ａngle' (its character 9, 'ａ', is U+FF41 (full-width", 0),
            0u);
  EXPECT_NE(refused("").find("records no channel ''"), std::string::npos);
}

// A typing error in the motion of a long chain is told at once.
TEST(MotionPatterns, ManyChannelsAreSearchedQuickly) {
  MotionInfo info = motion();
  for (int i = 0; i < 60'000; ++i)
    info.channels.push_back({"link/rope." + std::to_string(i) + "/position", "m", xyz, ""});
  EXPECT_EQ(trouble::of(ErrorKind::bad_input, [&] { columns_like(info, "link/*/positon"); }),
            "'run.h5' records no channel 'link/*/positon'; did you mean 'link/*/position'?");
  EXPECT_EQ(columns_like(info, "rope.59999").size(), 3u);
}

}  // namespace
}  // namespace motion_patterns_test
}  // namespace marey
