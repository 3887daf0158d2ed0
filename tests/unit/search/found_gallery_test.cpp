// What was found for the gallery is so, by what the motions say themselves, without those who judged it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "marey/io/scene.h"
#include "support/recorded.h"

namespace found_gallery_test {

using namespace marey;

recorded::Memory motion_of(const char* name) {
  recorded::Memory memory;
  memory.summary = run(load_scene(std::string(MAREY_SOURCE_DIR "/gallery/") + name + ".yaml"), memory);
  return memory;
}

// The side under which it began lies up, and the die at rest within the circle.
TEST(FoundGallery, TheDieShowsASix) {
  const recorded::Memory m = motion_of("dice");
  const std::size_t last = m.rows.size() - 1;
  const Mat3<double> R = rotation(m.turn("link/die.body/orientation", last));
  EXPECT_NEAR(R.zz, -1, 1e-6);
  const Vec3<double> p = m.vec("link/die.body/position", last);
  EXPECT_LT(std::hypot(p.x - 0.1, p.y), 0.03);
  EXPECT_NEAR(p.z, 0.008, 1e-5);
  EXPECT_LT(norm(m.vec("link/die.body/velocity", last)), 1e-6);
}

// The ball is below the hoop in one frame after it was above, beside its centre by less than is free; and it had been on the floor before.
TEST(FoundGallery, TheBallFallsThroughTheHoopAfterABounce) {
  const recorded::Memory m = motion_of("basket");
  bool bounced = false, through = false;
  for (std::size_t k = 1; k < m.rows.size(); ++k) {
    const Vec3<double> a = m.vec("link/ball.body/position", k - 1), b = m.vec("link/ball.body/position", k);
    if (b.z < 0.2) bounced = true;
    if (!(a.z > 3.05 && b.z <= 3.05)) continue;
    const double s = (a.z - 3.05) / (a.z - b.z);
    EXPECT_LT(std::hypot(a.x + s * (b.x - a.x), a.y + s * (b.y - a.y)), 0.021);
    through = bounced;
  }
  EXPECT_TRUE(through);
}

// More than once round before the feet come down; and in flight L about the centre of mass stays, to 1e-10 of itself.
TEST(FoundGallery, TheSomersaultIsMoreThanOneTurnAndKeepsItsAngularMomentum) {
  const recorded::Memory m = motion_of("somersault");
  double turned = 0, before = 0, first = 0, spread = 0;
  bool flies = false, flew = false, landed = false;
  for (std::size_t k = 0; k < m.rows.size(); ++k) {
    const Quaternion<double> q = m.turn("link/gymnast.trunk/orientation", k);
    const double angle = 2 * std::atan2(q.x, q.w);
    if (k > 0) turned += std::remainder(angle - before, 2 * std::numbers::pi);
    before = angle;
    flies = m.number("contact/feet 1/gap", k) > 0 && m.number("contact/feet 2/gap", k) > 0;
    landed = landed || (flew && !flies);
    if (landed) break;
    if (!flies || m.time(k) < 0.3) continue;
    const Vec3<double> L =
        m.vec("momentum/angular", k) - cross(m.vec("center_of_mass/position", k), m.vec("momentum/linear", k));
    if (!flew) first = L.x;
    flew = true;
    spread = std::max(spread, std::abs(L.x - first));
    if (m.time(k) > 0.94) {
      EXPECT_GT(turned, 2 * std::numbers::pi);
    }
  }
  std::printf("%.4f turns before landing; L = %.4f kg m^2/s, kept to %.1e\n", turned / (2 * std::numbers::pi), first,
              spread / first);
  EXPECT_TRUE(landed);
  EXPECT_GT(first, 10);
  EXPECT_GT(turned, 2 * std::numbers::pi);
  EXPECT_LT(spread, 1e-10 * first);
  EXPECT_LT(m.summary.ledger.energy_residual_relative, 1e-8);
}

}  // namespace found_gallery_test
