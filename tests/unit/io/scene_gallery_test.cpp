// The gallery, run: every scene ends, closes its books without a warning, and shows what it claims.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "marey/io/scene.h"
#include "support/large_scenes.h"
#include "support/sanitized.h"

namespace marey {

namespace {

struct Memory : Sink {
  MotionHeader header;
  std::vector<std::vector<double>> rows;
  void begin(const MotionHeader& h) override { header = h; }
  void frame(std::span<const double> row) override { rows.emplace_back(row.begin(), row.end()); }
  void checkpoint(const Checkpoint&) override {}
  void finish(const std::string&) override {}

  // One column of a channel over time.
  std::vector<double> column(const std::string& channel, const std::string& name) const {
    std::size_t at = 0;
    for (const Channel& c : header.channels)
      for (const std::string& col : c.columns) {
        if (c.name == channel && col == name) {
          std::vector<double> out;
          for (const auto& row : rows) out.push_back(row[at]);
          return out;
        }
        ++at;
      }
    throw std::runtime_error("no channel " + channel);
  }
};

struct Run {
  Memory memory;
  RunSummary summary;
};

// Each scene is run once for all cases. Heaps and the grids of hundreds of particles take most of the time of the whole
// gallery, to do the same in every step: in a sanitized build they do a part of them, in which the first stones fall. So do motions in which
// nothing ever happens but that they go on. Of thousands of bodies the first steps are enough anywhere.
const Run& run_of(const std::string& name) {
  static std::map<std::string, Run> runs;
  const auto [place, is_new] = runs.try_emplace(name);
  if (is_new) {
    Scene scene = load_scene(std::string(MAREY_SOURCE_DIR "/gallery/") + name + ".yaml");
    if (name == "cloth" || name == "jelly") scene.duration /= every(10);
    for (const char* long_one :
         {"dominoes", "wall-hit", "heap", "double-four-bar", "free-top", "heavy-top", "n-pendulum", "two-stars-orbit"})
      if (name == long_one) scene.duration /= every(5);
    for (const char* human : {"measured-human", "three-sources", "limp-human-lies"})
      if (name == human) scene.duration /= every(10);
    if (is_large_scene(name)) scene.duration = scene.record.every = 20e-3 / every(10);
    place->second.summary = run(scene, place->second.memory);
  }
  return place->second;
}

}  // namespace

// Two scenes show what must not be done (tests/physics/armstrong_green_test.cpp): one breaks down, and the books of the other do not
// close.
TEST(SceneGalleryRun, EveryBookCloses) {
  for (const SceneListing& listing : list_scenes(MAREY_SOURCE_DIR "/gallery")) {
    const RunSummary& s = run_of(listing.name).summary;
    if (listing.name == "oblivion" || listing.name == "free-play-calms") {
      EXPECT_EQ(s.breakdown != "", listing.name == "oblivion");
      EXPECT_FALSE(s.ledger.closed);
      continue;
    }
    EXPECT_EQ(s.breakdown, "") << listing.name;
    if (listing.name == "landings") {  // one of them is a child, whose lengths no table has: that, and nothing else
      ASSERT_EQ(s.warnings.size(), 1u);
      EXPECT_NE(s.warnings[0].find("lengths of a child are an adult's"), std::string::npos) << s.warnings[0];
    } else {
      EXPECT_TRUE(s.warnings.empty()) << listing.name << ": " << (s.warnings.empty() ? "" : s.warnings[0]);
    }
    EXPECT_TRUE(s.ledger.closed) << listing.name << ": " << s.ledger.energy_residual_relative;
  }
}

// The finger rests before the first tap, goes down by two centimetres or more at each, and comes back up.
TEST(SceneGalleryRun, TheFingerTapsAndReturns) {
  for (const char* name : {"finger-tap", "finger-tap-slow-band"}) {
    const Memory& memory = run_of(name).memory;
    const std::vector<double> z = memory.column("link/finger.tip/position", "z"),
                              x = memory.column("link/finger.knuckle/position", "x");
    ASSERT_EQ(z.size(), 81u);  // a frame every 0.1 s
    for (std::size_t i = 10; i <= 20; ++i) EXPECT_NEAR(z[i], z[20], 3e-3) << name;
    for (std::size_t tap : {20u, 40u, 60u}) {
      EXPECT_LT(*std::min_element(z.begin() + static_cast<long>(tap), z.begin() + static_cast<long>(tap) + 5),
                z[20] - 0.02);
      EXPECT_NEAR(z[tap + 20], z[20], 0.01) << name;
    }
    for (const double v : x) EXPECT_NEAR(v, 0, 1e-3);  // the knuckle stays
  }
}

// A4: at rest after one or two seconds.
TEST(SceneGalleryRun, TheLimpFigureComesToRest) {
  const Memory& memory = run_of("limp-figure").memory;
  const std::vector<double> t = memory.column("time", ""), kinetic = memory.column("energy/kinetic", "");
  const double most = *std::max_element(kinetic.begin(), kinetic.end());
  for (std::size_t i = 0; i < t.size(); ++i)
    EXPECT_TRUE(t[i] <= 2 || kinetic[i] < 0.02 * most) << kinetic[i] << " J at " << t[i] << " s";
}

// Half the time between passages through the lowest point in one direction, against T = 4 K(sin(θ/2)) √(I/(m g d)).
TEST(SceneGalleryRun, ThePendulumKeepsItsPeriod) {
  const Memory& memory = run_of("compound-pendulum").memory;
  const std::vector<double> t = memory.column("time", ""), a = memory.column("joint/pendulum.bar/angle", "");
  std::vector<double> crossings;
  for (std::size_t i = 1; i < a.size(); ++i)
    if (a[i - 1] < 0 && a[i] >= 0) crossings.push_back(t[i - 1] + (t[i] - t[i - 1]) * a[i - 1] / (a[i - 1] - a[i]));
  ASSERT_GE(crossings.size(), 3u);
  const double measured = (crossings.back() - crossings.front()) / static_cast<double>(crossings.size() - 1);
  // Bar of 0.5 kg, radius 1 cm, 60 cm from the hinge down; ball of 1 kg, radius 6 cm, at 66 cm.
  const double I = 0.5 * (0.01 * 0.01 / 4 + 0.6 * 0.6 / 3) + 0.4 * 0.06 * 0.06 + 0.66 * 0.66;
  const double moment = 0.5 * 0.3 + 0.66;
  const double k = std::sin(std::acos(-1.0) / 6);
  const double T = 4 * std::comp_ellint_1(k) * std::sqrt(I / (moment * 9.81));
  EXPECT_NEAR(measured, T, 2e-4);  // straight lines between frames of 1/60 s
}

}  // namespace marey
