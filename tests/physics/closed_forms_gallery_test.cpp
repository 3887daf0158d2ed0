// The gallery's scenes that record closed forms: the run is as near to them as its method can be.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>

#include "marey/closed_form.h"
#include "marey/shape.h"
#include "support/recorded.h"

namespace marey {
namespace closed_forms_gallery_test {

using recorded::Memory;

Memory run_gallery(const std::string& name, double duration) {
  SceneOverrides options;
  options.duration = duration;
  Memory m;
  m.summary = run(load_scene(MAREY_SOURCE_DIR "/gallery/" + name + ".yaml", options), m);
  EXPECT_TRUE(m.summary.ledger.closed) << name;
  return m;
}

// w_WB_B at the start.
Vec3<double> recorded_spin(const Memory& m, int link) {
  const LinkTopology& l = m.header.scene.model.links[static_cast<std::size_t>(link)];
  const double* v = m.header.scene.start.v.data() + l.v;
  return {v[0], v[1], v[2]};
}

// The largest difference of each scene, and of what it is to be below: methods of order p with step h, of a motion of rate w
// for a time t, are off by about w t (w h)^p/12; chosen steps by the tolerance times their number.
TEST(ClosedFormsGallery, RunsAreWhereTheFormsSay) {
  const struct {
    const char *scene, *form, *ending;
    double duration, bound;
  } cases[] = {
      {"throw", "throw", "/distance", 1.4, 1e-11},               // rk4 meets a parabola
      {"kepler-orbit", "kepler", "/distance", 12.566371, 1e-6},  // rk4, w = 8 /s at the ellipse's perihelion, h = 2 ms
      {"compound-pendulum", "pendulum", "/difference", 10, 1e-7},  // rk4, w = 4 /s, h = 2 ms
      {"flip", "torque_free", "/angle", 8, 1e-5},                  // 1e-9, grown where it turns over, six times
      {"flip", "throw", "/distance", 8,
       1e-8},  // its origin is not its centre of mass: a turning body flies by steps of 1e-9
      {"free-top", "symmetric_top", "/angle", 2, 5e-3},  // midpoint, w = 42 /s, h = 1 ms: 42·2·(0.042)²/12 = 1.2e-2
      {"free-top", "torque_free", "/angle", 2, 5e-3},
      {"heavy-top", "heavy_top", "/angle", 3, 1e-4},  // 1e-9, w = 120 /s
      {"rod-thrown", "rod", "/angle", 1, 1e-6},
      {"rod-thrown", "rod", "/distance", 1, 1e-11},
      {"rod-thrown", "torque_free", "/angle", 1, 1e-6},
  };
  std::map<std::string, Memory> runs;
  for (const auto& c : cases) {
    const auto [place, is_new] = runs.try_emplace(c.scene);
    if (is_new) place->second = run_gallery(c.scene, c.duration);
    const Memory& m = place->second;
    int compared = 0;
    for (const Channel& channel : m.header.channels) {
      if (!channel.name.starts_with(std::string("closed_form/") + c.form + "/") || !channel.name.ends_with(c.ending))
        continue;
      double most = 0;
      for (std::size_t i = 0; i < m.rows.size(); ++i) most = std::max(most, std::abs(m.number(channel.name, i)));
      std::printf("%-18s %-50s %.1e\n", c.scene, channel.name.c_str(), most);
      EXPECT_LT(most, c.bound) << c.scene << " " << channel.name;
      ++compared;
    }
    EXPECT_GT(compared, 0) << c.scene << " " << c.form;
  }
}

// R (2.9): a circle of 1 m at 2 m/s, by rk4 with w h = 0.01, off by t w (w h)⁴/120 at most; the spiral is shorter, and bent more.
TEST(ClosedFormsGallery, TheCircleHasItsRadiusAndItsLength) {
  const Memory m = run_gallery("circular-motion", 6.283185);
  const std::size_t last = m.rows.size() - 1;
  for (std::size_t i = 0; i <= last; ++i) {
    EXPECT_NEAR(m.number("link/bead.round/path_length", i), 2 * m.time(i), 1e-9);
    EXPECT_NEAR(m.number("link/bead.round/radius_of_curvature", i), 1, 1e-8);
    EXPECT_NEAR(m.number("link/bead.round/curvature", i), 1, 1e-8);
    EXPECT_LE(m.number("link/bead.slowed/path_length", i), 2 * m.time(i) + 1e-9);
  }
  EXPECT_GT(m.number("link/bead.slowed/curvature", last), 2);
}

// R (2.13): about an upright angular momentum alpha goes round at L/A, gamma at (1 - C/A) w_z, and beta stays. The midpoint rule
// turns too slowly, by (w h)²/12 of the way: of 42 rad/s and 1 ms, 1.5e-4; it counts every turn.
TEST(ClosedFormsGallery, FreeTopsHaveTheEulerAnglesOfThePrint) {
  const Memory m = run_gallery("free-top", 10);
  const std::size_t last = m.rows.size() - 1;
  for (int i = 1; i <= 2; ++i) {
    const std::size_t link = static_cast<std::size_t>(i);
    const Model& model = m.header.scene.model;
    const Sym3<double> J = central_inertia(model.params.links[link].I);
    const Vec3<double> w = recorded_spin(m, i);
    const FreePrecession p = free_precession({J.xx, J.zz, 0}, w);
    const std::string channel = "link/" + model.names[link] + "/euler_zyz";
    const Vec3<double> start = m.vec(channel, 0), end = m.vec(channel, last);
    EXPECT_NEAR(end.x - start.x, p.precession * m.time(last), 1.5e-4 * std::abs(p.precession) * 10)
        << model.names[link];
    EXPECT_NEAR(end.z - start.z, p.spin * m.time(last), 1.5e-4 * (std::abs(p.spin) + p.precession) * 10)
        << model.names[link];
    for (std::size_t k = 0; k <= last; k += 100)
      EXPECT_NEAR(m.vec(channel, k).y, p.nutation, 1e-6) << model.names[link];
  }
}

}  // namespace closed_forms_gallery_test
}  // namespace marey
