// Slopes of what acts in joints, and the matrix of contacts with them, each beside another way to find it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "marey/integrate.h"
#include "marey/io/scene.h"
#include "marey/simulation.h"
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

// Figures of two kinds by turns, so that links of one stand between those of the others; some of their joints hang on the world.
std::string crowd_of(int figures) {
  return "marey: 1\nduration: 1 s\nsolver: {contact: stepping, step: 2 ms}\nfigures:\n"
         "  a:\n    copies: {count: [" +
         std::to_string(figures) +
         ", 1, 1], spacing: 2 m, random: {seed: 3, turned: 180 deg, spin: 3 rad/s}}\n"
         "    at: [0, 0, 5 m]\n    links:\n"
         "      body: {shape: {box: [30 cm, 20 cm, 16 cm]}, mass: 2 kg}\n"
         "      arm: {parent: body, joint: ball, friction: 4 N m s/rad, at: [15 cm, 0, 0], shape: {capsule: {radius: 3 "
         "cm, "
         "length: 30 cm, along: x}}, mass: 1 kg, start: {turned: {axis: y, angle: 40 deg}, spin: [0, 2 rad/s, 0]}}\n"
         "      hand: {parent: arm, joint: {type: hinge, axis: y}, friction: 2 N m s/rad, at: [30 cm, 0, 0], shape: "
         "{box: "
         "[10 cm, 8 cm, 3 cm]}, mass: 0.3 kg, start: {angle: 30 deg, rate: 5 rad/s}}\n"
         "      leg: {parent: body, joint: {type: hinge, axis: x}, friction: 3 N m s/rad, at: [0, 0, -8 cm], shape: "
         "{box: [10 "
         "cm, 10 cm, 40 cm]}, mass: 1.5 kg, start: {rate: -3 rad/s}}\n"
         "  b:\n    at: [-9 m, 0, 5 m]\n    links:\n"
         "      left: {joint: {type: hinge, axis: y}, friction: 1 N m s/rad, shape: {box: [10 cm, 10 cm, 40 cm]}, "
         "mass: 1 kg, "
         "start: {angle: 20 deg}}\n";
}
struct Crowd {
  Scene scene;
  Sources sources{scene};
  Kinematics<double> kinematics{scene.model};
  explicit Crowd(int figures) : scene(parse_scene(crowd_of(figures), "crowd.yaml")) { sources.start(now(), {}); }
  Instant<double> now() {
    const State& s = scene.start;
    forward_kinematics<double>(scene.model, scene.model.params, s.q, s.v, kinematics);
    return {scene.model, 0, s.q, s.v, kinematics.X_WB, kinematics.V_WB};
  }
};

// M of all figures at once, by the composite-rigid-body algorithm, has zeros where two of them meet; M̂ is it and the blocks.
TEST(ImplicitJoints, ACrowdHasTheMatrixOfAllFigures) {
  Crowd crowd(3);
  const Model& model = crowd.scene.model;
  ImplicitJoints implicit(model, crowd.sources);
  ASSERT_TRUE(implicit.find_blocks(crowd.now(), 2e-3));
  implicit.factor(crowd.now());
  EXPECT_FALSE(implicit.is_one_tree());
  CrbaWorkspace<double> whole(model);
  mass_matrix<double>(model, model.params, crowd.scene.start.q, whole);
  const auto nv = static_cast<std::size_t>(model.nv);
  std::vector<double> x(nv), wanted(nv), found(nv), back(nv);
  std::mt19937 random(8);
  std::normal_distribution<double> any;
  for (double& k : x) k = any(random);
  for (std::size_t r = 0; r < nv; ++r)
    for (std::size_t c = 0; c < nv; ++c) wanted[r] += whole.M[std::max(r, c) * nv + std::min(r, c)] * x[c];
  implicit.momentum(x, found);
  for (std::size_t k = 0; k < nv; ++k) EXPECT_NEAR(found[k], wanted[k], 1e-13 * 40) << k;
  implicit.add_slopes(x, found);
  implicit.respond(found, back);
  for (std::size_t k = 0; k < nv; ++k) EXPECT_NEAR(back[k], x[k], 1e-11) << k;
}

// What rows do to links, beside the same rows by their J; in a crowd, where most freedoms have no part in it.
TEST(ImplicitJoints, TheMatrixOfRowsOnLinks) {
  Crowd crowd(4);
  const Model& model = crowd.scene.model;
  ImplicitJoints implicit(model, crowd.sources);
  ASSERT_TRUE(implicit.find_blocks(crowd.now(), 2e-3));
  implicit.factor(crowd.now());
  MotionAxes axes(model);
  motion_axes(model, model.params, crowd.kinematics, axes);
  std::mt19937 random(5);
  std::normal_distribution<double> any;
  const auto vector = [&] { return Vec3<double>{any(random), any(random), any(random)}; };
  std::vector<ConstraintRow> rows(11);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (r == 5) continue;  // of nobody
    rows[r].holonomic = false, rows[r].part_count = r % 3 == 0 ? 2 : 1;
    for (int p = 0; p < rows[r].part_count; ++p)
      rows[r].parts[static_cast<std::size_t>(p)] = {1 + static_cast<int>(random() % (model.links.size() - 1)),
                                                    {vector(), vector()}};
  }
  const auto n = static_cast<std::size_t>(rows.size()), nv = static_cast<std::size_t>(model.nv);
  RowSet with_J(model, static_cast<int>(n));
  add_rows(model, rows, axes, BiasMotion(model), with_J);
  HalfResponse half;
  implicit.half_respond_along(rows, axes, half);
  EXPECT_LT(half.freedoms, nv);
  std::vector<double> dv(nv);
  const std::size_t stride = half.blocks * HalfResponse::lanes;
  for (std::size_t j = 0; j < n; ++j) {
    implicit.respond(with_J[static_cast<int>(j)].J, dv);
    for (std::size_t i = 0; i < n; ++i) {
      double wanted = 0, found = 0;
      for (std::size_t k = 0; k < nv; ++k) wanted += with_J[static_cast<int>(i)].J[k] * dv[k];
      for (std::size_t k = 0; k < half.freedoms; ++k)
        found += half.u[k * stride + i] * half.D_inverse_u[k * stride + j];
      EXPECT_NEAR(found, wanted, 1e-11 * (1 + std::abs(wanted))) << i << ' ' << j;
    }
  }
}

// Beyond 2,000 freedoms, too, what is stiff in joints is taken implicitly: figures that do not touch move as each would alone.
TEST(ImplicitJoints, ManyFiguresMoveAsOneAlone) {
  constexpr int many = 190;
  Simulation crowd(parse_scene(crowd_of(many), "crowd.yaml")), one(parse_scene(crowd_of(1), "crowd.yaml"));
  ASSERT_GT(crowd.system().model().nv, 2000);
  for (int k = 0; k < 3; ++k) crowd.step(), one.step();
  const auto hand = [](const Simulation& s, const std::string& name) {
    const Model& model = s.system().model();
    const auto link = std::ranges::find(model.names, name) - model.names.begin();
    if (link == model.nlink()) return std::nan("");
    return s.state().v[static_cast<std::size_t>(model.links[static_cast<std::size_t>(link)].v)];
  };
  // An explicit step takes 2 ms · 2 N m s/rad of a hand of 1e-3 kg m²: it would turn round, faster than before.
  EXPECT_NEAR(hand(crowd, "b.left"), hand(one, "b.left"), 1e-12);
  for (int i = 1; i <= many; ++i) EXPECT_LT(std::abs(hand(crowd, "a-" + std::to_string(i) + "-1-1.hand")), 5) << i;
}

}  // namespace implicit_joints_test
}  // namespace marey
