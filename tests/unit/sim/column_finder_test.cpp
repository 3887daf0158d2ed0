// Many patterns at once find what each finds by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "marey/sim/channel_names.h"

namespace marey::column_finder_test {

const std::vector<std::string> xyz{"x", "y", "z"};
const std::vector<Channel> channels{{"time", "s", {""}, ""},
                                    {"energy/kinetic", "J", {""}, ""},
                                    {"link/finger.tip/position", "m", xyz, ""},
                                    {"link/finger.tip/velocity", "m/s", xyz, ""},
                                    {"link/Finger.Tip/position", "m", xyz, ""},
                                    {"link/toe/position", "m", xyz, ""},
                                    {"joint/finger.tip/angle", "rad", {""}, ""},
                                    {"joint/finger.tip/velocity", "rad/s", {""}, ""},
                                    {"joint/cart/slide", "m", {""}, ""},
                                    {"joint/finger.root/coordinate", "rad, m", {"angle", "slide"}, ""},
                                    {"contact/heel/left/force", "N", xyz, ""},
                                    {"contact/heel/left.x/force", "N", xyz, ""},
                                    {"contact/heel/left", "N", {"x", ""}, ""},
                                    {"closed_form/throw/stone.1/position", "m", xyz, ""},
                                    {"element/finger.tip/free_play/power", "W", {""}, ""}};

TEST(ColumnFinder, FindsWhatEachPatternFindsByItself) {
  std::set<std::string> patterns{"",           "nothing", "link/", "link/toe/", "/", ".", "link/toe/position.",
                                 "*/position", "l?nk/toe"};
  for (const Channel& c : channels)
    for (std::size_t from = 0; from < c.name.size(); ++from)
      for (const char* end : {"", ".x", ".slide", "/position", ".Y"})
        for (std::size_t length = 1; from + length <= c.name.size(); ++length)
          patterns.insert(c.name.substr(from, length) + end);
  for (const char* word : {"joint/finger.tip/rate", "joint/cart/displacement", "tip/speed.x", "LINK/FINGER.TIP", "TOE"})
    patterns.insert(word);
  const ColumnFinder finder(channels);
  std::size_t found = 0;
  for (const std::string& pattern : patterns) {
    const auto alone = columns_named(channels, pattern), together = finder.named(pattern);
    const auto same = [](const ColumnIndex& a, const ColumnIndex& b) {
      return a.channel == b.channel && a.column == b.column;
    };
    EXPECT_TRUE(std::ranges::equal(alone, together, same)) << pattern;
    found += alone.empty() ? 0 : 1;
  }
  EXPECT_GT(found, 100u);
}

}  // namespace marey::column_finder_test
