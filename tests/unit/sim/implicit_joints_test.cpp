// Slopes of what acts in joints, and the matrix of contacts with them, each beside another way to find it.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "marey/integrate.h"
#include "marey/io/scene.h"
#include "sim/implicit.h"
#include "sim/ledger.h"

namespace marey {
namespace implicit_joints_test {

// A human whose joints are in and out of their ranges, and move.
struct Human {
  Scene scene = load_scene(MAREY_SOURCE_DIR "/gallery/limp-human-lies.yaml");
  Sources sources{scene};
  std::vector<double> q = scene.start.q, v = scene.start.v;
  Kinematics<double> kinematics{scene.model};

  explicit Human(unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> any;
    std::vector<double> x(v.size());
    for (double& k : x) k = 0.6 * any(random);
    for (double& k : v) k = any(random);
    advance<double>(scene.model, q, x, Turn::exponential, q);
    sources.start(at(q, v), {});
  }
  Instant<double> at(std::span<const double> of_q, std::span<const double> of_v) {
    forward_kinematics<double>(scene.model, scene.model.params, of_q, of_v, kinematics);
    return {scene.model, 0, of_q, of_v, kinematics.X_WB, kinematics.V_WB};
  }
  // What acts in joints, at q ⊕ x and v + y.
  std::vector<double> forces(std::span<const double> x, std::span<const double> y) {
    std::vector<double> q_x = q, v_y = v;
    advance<double>(scene.model, q, x, Turn::exponential, q_x);
    for (std::size_t k = 0; k < v.size(); ++k) v_y[k] += y[k];
    ForceSum<double> sum(scene.model);
    sum.clear();
    const Instant<double> now = at(q_x, v_y);
    for (std::size_t i = 0; i < sources.size(); ++i) sources.act(i, now, sum);
    return sum.tau;
  }
};

// R = ½h D + ¼h² K: symmetric part of the slopes of the forces, by central differences; free plays that pull beyond what
// is positive are left out of this test, which it says.
TEST(ImplicitJoints, SlopesAreThoseOfTheForces) {
  constexpr double h = 1e-2, step = 1e-5;
  int joints = 0;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    Human human(seed);
    ImplicitJoints implicit(human.scene.model, human.sources);
    ASSERT_TRUE(implicit.find_blocks(human.at(human.q, human.v), h));
    implicit.factor(human.at(human.q, human.v));
    const std::size_t nv = human.v.size();
    std::vector<double> wanted(nv * nv), unit(nv), none(nv), found(nv);
    for (std::size_t c = 0; c < nv; ++c) {
      std::vector<double> up(nv), down(nv);
      up[c] = step, down[c] = -step;
      const auto q_up = human.forces(up, none), q_down = human.forces(down, none);
      const auto v_up = human.forces(none, up), v_down = human.forces(none, down);
      for (std::size_t r = 0; r < nv; ++r)
        wanted[r * nv + c] = -(0.5 * h * (v_up[r] - v_down[r]) + 0.25 * h * h * (q_up[r] - q_down[r])) / (2 * step);
    }
    for (const LinkTopology& link : human.scene.model.links) {
      if (link.joint != JointType::ball && link.joint != JointType::hinge) continue;
      const auto first = static_cast<std::size_t>(link.v), n = static_cast<std::size_t>(freedom_count(link));
      bool left_out = false;  // of what is negative
      double size = 0;
      for (std::size_t c = first; c < first + n; ++c) {
        std::fill(unit.begin(), unit.end(), 0.0), std::fill(found.begin(), found.end(), 0.0);
        unit[c] = 1;
        implicit.add_slopes(unit, found);
        for (std::size_t r = first; r < first + n; ++r) {
          const double mean = 0.5 * (wanted[r * nv + c] + wanted[c * nv + r]);
          size = std::max(size, std::abs(mean));
          left_out = left_out || (r != c && found[r] == 0 && std::abs(mean) > 1e-9);
          if (!left_out) EXPECT_NEAR(found[r], mean, 1e-6 * size + 1e-9) << seed << ' ' << r << ' ' << c;
        }
      }
      joints += !left_out;
    }
  }
  EXPECT_GT(joints, 40);
}

// By halves of responses, and row by row.
TEST(ImplicitJoints, TheMatrixOfRows) {
  Human human(3);
  ImplicitJoints implicit(human.scene.model, human.sources);
  ASSERT_TRUE(implicit.find_blocks(human.at(human.q, human.v), 1e-3));
  implicit.factor(human.at(human.q, human.v));
  const std::size_t nv = human.v.size();
  for (const int count : {1, 3, 4, 9, 14}) {
    RowSet rows(human.scene.model, count);
    std::mt19937 random(5);
    std::normal_distribution<double> any;
    for (int r = 0; r < count; ++r) {  // of forces on one link each, as of contacts: J is 0 beside its way to the world
      const std::span<double> J = rows.add();
      int link = 1 + r % (human.scene.model.nlink() - 1);
      for (; link != 0; link = human.scene.model.links[static_cast<std::size_t>(link)].parent) {
        const LinkTopology& joint = human.scene.model.links[static_cast<std::size_t>(link)];
        for (int k = 0; k < freedom_count(joint); ++k) J[static_cast<std::size_t>(joint.v + k)] = any(random);
      }
    }
    Delassus delassus(human.scene.model, count);
    delassus.compute_matrix(rows, implicit);
    std::vector<double> dv(nv);
    for (int j = 0; j < count; ++j) {
      implicit.respond(rows[j].J, dv);
      for (int i = 0; i < count; ++i) {
        double wanted = 0;
        for (std::size_t k = 0; k < nv; ++k) wanted += rows[i].J[k] * dv[k];
        EXPECT_NEAR(delassus.A()[static_cast<std::size_t>(i * count + j)], wanted, 1e-12 * (1 + std::abs(wanted)))
            << count << ' ' << i << ' ' << j;
      }
    }
  }
}

}  // namespace implicit_joints_test
}  // namespace marey
