// What the gallery's scenes of particles claim, in numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "marey/io/scene.h"

namespace marey {
namespace particles_gallery_test {

struct Memory : Sink {
  MotionHeader header;
  std::vector<std::vector<double>> rows;
  void begin(const MotionHeader& h) override { header = h; }
  void frame(std::span<const double> row) override { rows.emplace_back(row.begin(), row.end()); }
  void checkpoint(const Checkpoint&) override {}
  void finish(const std::string&) override {}

  // All columns of a channel, frame by frame.
  std::vector<Vec3<double>> channel(const std::string& name) const {
    std::size_t at = 0;
    for (const Channel& c : header.channels) {
      if (c.name == name) {
        std::vector<Vec3<double>> out;
        for (const auto& row : rows)
          out.push_back(c.columns.size() == 3 ? Vec3<double>{row[at], row[at + 1], row[at + 2]}
                                              : Vec3<double>{row[at], 0, 0});
        return out;
      }
      at += c.columns.size();
    }
    throw std::runtime_error("no channel " + name);
  }
};

Memory run_gallery(const std::string& name, double duration) {
  SceneOverrides options;
  options.duration = duration;
  Memory memory;
  const RunSummary s = run(load_scene(MAREY_SOURCE_DIR "/gallery/" + name + ".yaml", options), memory);
  EXPECT_TRUE(s.ledger.closed);
  return memory;
}

TEST(ParticleGallery, NoThrowLeavesTheParabolaOfSafety) {
  const Memory m = run_gallery("throw", 1.4);
  const double v2 = 100, g = 9.81;
  double nearest = 1;
  for (const char* stone : {"a15", "a30", "a45", "a60", "a75"})
    for (const Vec3<double>& p : m.channel(std::string("link/throw.") + stone + "/position")) {
      const double above = p.z - (v2 / (2 * g) - g * p.x * p.x / (2 * v2));
      EXPECT_LE(above, 1e-6) << stone;
      nearest = std::min(nearest, -above);
    }
  EXPECT_LE(nearest, 0.01);  // and they touch it
  const auto cock = m.channel("link/shuttlecock.1/position"), stone = m.channel("link/throw.a45/position");
  EXPECT_LT(cock.back().x, 0.5 * stone.back().x);
}

TEST(ParticleGallery, TheCircleHasNoTangentialAcceleration) {
  const Memory m = run_gallery("circular-motion", 3);
  for (const Vec3<double>& a : m.channel("link/bead.round/tangential_acceleration")) EXPECT_NEAR(a.x, 0, 1e-6);
  for (const Vec3<double>& a : m.channel("link/bead.round/normal_acceleration")) EXPECT_NEAR(a.x, 4, 1e-6);
  EXPECT_LT(m.channel("link/bead.slowed/tangential_acceleration")[0].x, -0.7);
  EXPECT_LT(norm(m.channel("link/bead.slowed/position").back()), 0.9);
}

TEST(ParticleGallery, PlanetsReturnTogether) {
  const Memory m = run_gallery("kepler-orbit", 12.566371);
  const auto time = m.channel("time");
  // The last frame lies 6.371 ms before two turns are done.
  const double early = 12.566371 - time.back().x;
  for (const char* planet : {"circle", "ellipse", "outer"}) {
    const std::string base = std::string("link/planet.") + planet;
    const auto p = m.channel(base + "/position"), v = m.channel(base + "/velocity");
    EXPECT_LE(norm(p.back() + early * v.back() - p.front()), 1e-4) << planet;
  }
}

// Jacobi's constant ½ v² − ½ ω² r² − Σ G M/d of every particle, and the stream that passes the star on one side.
TEST(ParticleGallery, TheStreamKeepsJacobisConstantAndMissesTheStar) {
  const Memory m = run_gallery("two-stars", 4);
  const Vec3<double> left{-0.6, 0, 0}, right{0.4, 0, 0};
  for (int i = 1; i <= 6; ++i) {
    const std::string base = "link/stream." + std::to_string(i);
    const auto p = m.channel(base + "/position"), v = m.channel(base + "/velocity");
    const auto jacobi = [&](std::size_t k) {
      return 0.5 * norm_squared(v[k]) - 0.5 * (p[k].x * p[k].x + p[k].y * p[k].y) - 0.4 / norm(p[k] - left) -
             0.6 / norm(p[k] - right);
    };
    double closest = 1;
    for (std::size_t k = 0; k < p.size(); ++k) {
      EXPECT_NEAR(jacobi(k), jacobi(0), 1e-6);
      closest = std::min(closest, norm(p[k] - right));
    }
    EXPECT_GT(closest, 0.03);
    const auto passes = std::find_if(p.begin(), p.end(), [](const Vec3<double>& at) { return at.x > 0.4; });
    ASSERT_NE(passes, p.end());
    EXPECT_LT(passes->y, 0);  // bent to the right of its way
  }
}

TEST(ParticleGallery, TheClothHangsByTwoCornersAndTheJellyFliesLikeAStone) {
  const Memory cloth = run_gallery("cloth", 0.6);
  const auto corner = cloth.channel("link/cloth.1-1/position");
  EXPECT_LT(corner.back().z, 1.3);
  EXPECT_GT(corner.back().z, 0.8);  // a metre of thread, hardly stretched
  const Memory jelly = run_gallery("jelly", 0.3);
  const auto center = jelly.channel("center_of_mass/position"), time = jelly.channel("time");
  for (std::size_t k = 0; k < time.size(); ++k) {
    const double t = time[k].x;
    EXPECT_LE(norm(center[k] - Vec3<double>{4 * t, 0, 5.8 * t - 0.5 * 9.81 * t * t}), 1e-9);
  }
}

}  // namespace particles_gallery_test
}  // namespace marey
