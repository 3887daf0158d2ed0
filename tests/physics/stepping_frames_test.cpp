// One step of bodies that touch does not depend on how it is written down: bodies and their points in another order, all of it turned, all of
// it in motion. Where the velocities are unique they agree within 100 × the bound of the certificate. (What slides on more points than it
// needs is not such a case: by how the points share the weight its friction turns it.)
//
// A turn R takes gravity g, the floor's normal n and places x to R g, R n, R x; velocities, from rest, to R v. A frame that moves with u, without a
// floor, takes v to v + u.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "marey/io/scene.h"
#include "marey/simulation.h"

namespace marey {
namespace stepping_frames_test {

constexpr double tight = 1e-8;  // the bound of a step's certificate

struct Block {
  std::string name, shape;
  double mass;
  Vec3<double> at, velocity;
};
struct Heap {
  std::vector<Block> blocks;
  double friction = 0;
};
// Blocks beside and upon each other, pushed about, without friction: the problem is convex, and its velocities are unique.
Heap of_boxes() {
  return {{{"base", "{box: [60 cm, 50 cm, 10 cm]}", 4, {0, 0, 0.05}, {0.3, 0, 0}},
           {"left", "{box: [20 cm, 30 cm, 20 cm]}", 1.5, {-0.15, 0.02, 0.2}, {0, 0.2, -0.1}},
           {"right", "{box: [18 cm, 26 cm, 20 cm]}", 2.5, {0.14, -0.03, 0.2}, {-0.4, 0, -0.2}},
           {"top", "{box: [50 cm, 20 cm, 5 cm]}", 0.8, {0.01, 0.01, 0.325}, {0.1, 0.1, -1}}},
          0};
}
// Balls that touch at one point each: with friction, and no way to share forces otherwise.
Heap of_balls() {
  return {{{"a", "{sphere: 10 cm}", 1, {0, 0, 0.1}, {0.5, 0.1, 0}},
           {"b", "{sphere: 10 cm}", 2, {0.2, 0, 0.1}, {-0.3, 0.2, 0}},
           {"c", "{sphere: 10 cm}", 1.5, {0.1, 0.1732050807568877, 0.1}, {0, -0.4, 0}},
           {"d", "{sphere: 10 cm}", 0.7, {0.1, 0.05773502691896258, 0.2632993161855452}, {0.1, 0.3, -0.5}}},
          0.2};
}

struct Frame {
  Quaternion<double> q{1, 0, 0, 0};
  Vec3<double> u{};
  bool floor = true;
  Mat3<double> R = rotation(q);
};
std::string vector_text(const Vec3<double>& a) { return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", a.x, a.y, a.z); }

std::string scene_text(const Heap& heap, const std::vector<std::size_t>& order, const Frame& f) {
  const Quaternion<double>& q = f.q;
  std::string text = fmt::format(
      "marey: 1\nduration: 1 s\nsolver: {{contact: stepping, step: 1 ms}}\nmaterials: {{default: {{friction: {}}}}}\n"
      "gravity: {}\ncollide: all\n",
      heap.friction, vector_text(f.floor ? f.R * Vec3<double>{0, 0, -9.81} : Vec3<double>{}));
  if (f.floor)
    text += fmt::format("scenery: {{floor: {{plane: {{normal: {}, through: [0, 0, 0]}}}}}}\n",
                        vector_text(f.R * Vec3<double>{0, 0, 1}));
  text += "figures:\n";
  for (const std::size_t i : order) {
    const Block& b = heap.blocks[i];
    text += fmt::format(
        "  {}: {{links: {{b: {{shape: {}, mass: {}, start: {{position: {}, velocity: {}, turned: {{quaternion: "
        "[{:.17g}, "
        "{:.17g}, {:.17g}, {:.17g}]}}}}}}}}}}\n",
        b.name, b.shape, b.mass, vector_text(f.R * b.at), vector_text(f.R * b.velocity + f.u), q.w, q.x, q.y, q.z);
  }
  return text;
}

// Velocities of all blocks after one step, in the axes of the heap.
struct Step {
  std::vector<Vec3<double>> v, w;
};
Step step_of(const Heap& heap, const std::vector<std::size_t>& order, const Frame& f) {
  Simulation s(parse_scene(scene_text(heap, order, f), "test.yaml"));
  s.step();
  Step out;
  for (const Block& b : heap.blocks) {
    const auto at = [&](const char* what) {
      const std::span<const double> x = s.values("link/" + b.name + ".b/" + what);
      return Vec3<double>{x[0], x[1], x[2]};
    };
    out.v.push_back(transpose(f.R) * (at("velocity") - f.u)), out.w.push_back(transpose(f.R) * at("spin"));
  }
  EXPECT_GE(s.value("contacts/points"), 5);
  EXPECT_LT(s.value("contacts/natural_map"), tight);
  return out;
}
void expect_same(const Step& one, const Step& other, const std::string& what) {
  const double bound = 100 * tight;  // × the velocities in it, of which the fastest is about 1 m/s
  for (std::size_t i = 0; i < one.v.size(); ++i) {
    EXPECT_LT(norm(one.v[i] - other.v[i]), bound) << what << ", body " << i;
    EXPECT_LT(norm(one.w[i] - other.w[i]), bound / 0.05) << what << ", body " << i;  // over the least of its arms
  }
}
std::vector<std::size_t> in_order(std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}
Quaternion<double> random_turn(std::mt19937& random) {
  std::normal_distribution<double> normal;
  const Quaternion<double> q{normal(random), normal(random), normal(random), normal(random)};
  const double n = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {q.w / n, q.x / n, q.y / n, q.z / n};
}

TEST(SteppingFrames, BodiesInAnyOrder) {
  for (const Heap& heap : {of_boxes(), of_balls()}) {
    std::vector<std::size_t> order = in_order(heap.blocks.size());
    const Step one = step_of(heap, order, {});
    while (std::ranges::next_permutation(order).found) {
      Heap renamed = heap;  // names, too, decide who comes first in a pair
      for (std::size_t i = 0; i < order.size(); ++i)
        renamed.blocks[i].name = fmt::format("n{}{}", order[i], heap.blocks[i].name);
      expect_same(one, step_of(renamed, order, {}), fmt::format("{}{}{}{}", order[0], order[1], order[2], order[3]));
    }
  }
}

TEST(SteppingFrames, TurnedAsAWhole) {
  std::mt19937 random(3);
  for (const Heap& heap : {of_boxes(), of_balls()}) {
    const std::vector<std::size_t> order = in_order(heap.blocks.size());
    const Step one = step_of(heap, order, {});
    for (int k = 0; k < 20; ++k) expect_same(one, step_of(heap, order, {random_turn(random)}), fmt::format("{}", k));
  }
}

// Scenery does not move: in a frame that does, the heap floats, pressed together by its velocities.
TEST(SteppingFrames, InAMovingFrame) {
  std::mt19937 random(5);
  for (Heap heap : {of_boxes(), of_balls()}) {
    for (Block& b : heap.blocks) b.velocity.z = -3 * b.at.z;
    const std::vector<std::size_t> order = in_order(heap.blocks.size());
    Frame still;
    still.floor = false;
    const Step one = step_of(heap, order, still);
    for (const double speed : {0.1, 1.0, 10.0}) {
      Frame moving{random_turn(random), {}, false};
      moving.u = moving.R * Vec3<double>{0.6 * speed, -0.48 * speed, 0.64 * speed};
      expect_same(one, step_of(heap, order, moving), fmt::format("{} m/s", speed));
    }
  }
}

}  // namespace stepping_frames_test
}  // namespace marey
