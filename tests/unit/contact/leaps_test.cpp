// The ways of links through a step, against forward kinematics, and the bounds of their speeds, against differences; when bodies meet,
// against looking at very many places; how thick bodies are.
#include "marey/contact/leaps.h"

#include <gtest/gtest.h>

#include <cmath>

#include "contact/thickness.h"
#include "marey/dynamics.h"
#include "marey/integrate.h"
#include "support/random_figure.h"

namespace marey {
namespace leaps_test {

using V = Vec3<double>;

figures::Figure way_of(unsigned seed) {
  return figures::random_figure(seed, {.links = 8, .tree = figures::Tree::random, .joints = figures::Joints::every});
}

TEST(Leaps, WaysOfLinksAreThoseOfTheStep) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const figures::Figure way = way_of(seed);
    LinkWays ways(way.model);
    ways.begin(way.state.q, way.state.v, 0.1);
    std::vector<double> q(way.state.q), xi(way.state.v);
    Kinematics<double> k(way.model);
    for (const double s : {0.0, 0.01, 0.1}) {
      for (std::size_t i = 0; i < xi.size(); ++i) xi[i] = s * way.state.v[i];
      advance<double>(way.model, way.state.q, xi, Turn::exponential, q);
      forward_kinematics<double>(way.model, way.model.params, q, way.state.v, k);
      for (int link = 1; link < way.model.nlink(); ++link) {
        const Transform<double> X = ways.pose(link, s);
        const Transform<double>& other = k.X_WB[static_cast<std::size_t>(link)];
        EXPECT_LT(norm(X.p - other.p), 1e-12 * (1 + norm(other.p)));
        for (const V& e : {V{1, 0, 0}, V{0, 1, 0}}) EXPECT_LT(norm(X.R * e - other.R * e), 1e-12);
      }
    }
  }
}

TEST(Leaps, NoPointIsFasterThanItsBound) {
  figures::Random random(7);
  double tightest = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const figures::Figure way = way_of(seed);
    const double longest = 0.05;
    LinkWays ways(way.model);
    ways.begin(way.state.q, way.state.v, longest);
    for (int link = 1; link < way.model.nlink(); ++link) {
      const LinkWays::Speed speed = ways.speed(link);
      for (int k = 0; k < 10; ++k) {
        const V r = random.normal3(0.3);
        const double s = random.between(0, longest), d = 1e-6;
        const V moved = ways.pose(link, s + d) * r - ways.pose(link, s) * r - d * speed.steady;
        const double bound = d * (speed.beside + speed.turning * norm(r));
        ASSERT_LE(norm(moved), bound * (1 + 1e-6) + 1e-13) << seed << ", link " << link;
        if (bound > 1e-9) tightest = std::max(tightest, norm(moved) / bound);
      }
    }
  }
  EXPECT_GT(tightest, 0.99);  // and it is no larger than it need be
}

// Two boxes that spin past and into each other.
TEST(Leaps, TwoMeetWhereTheyFirstTouch) {
  figures::Random random(3);
  int met = 0;
  for (int k = 0; k < 60; ++k) {
    ModelSpec spec;
    for (const char* name : {"a.b", "b.b"}) {
      LinkSpec link;
      link.name = name, link.joint = JointType::free;
      link.shapes = {{Box{{0.4, 0.3, 0.02}}, {}}};
      link.inertia = shape_inertia(link.shapes[0], 1);
      spec.links.push_back(link);
    }
    const Model model = freeze(spec);
    State state = neutral_state(model);
    for (int link = 1; link <= 2; ++link) {
      const LinkTopology& at = model.links[static_cast<std::size_t>(link)];
      const Quaternion<double> turn = random.turn();
      const double x[] = {turn.w, turn.x, turn.y, turn.z, link == 1 ? 0.0 : 1.0, random.between(-0.2, 0.2), 0};
      std::copy_n(x, 7, state.q.begin() + at.q);
      const V w = random.normal3(20), v = V{link == 1 ? 40.0 : -40.0, 0, 0} + random.normal3(5);
      const double y[] = {w.x, w.y, w.z, v.x, v.y, v.z};
      std::copy_n(y, 6, state.v.begin() + at.v);
    }
    CollisionWorld bodies(model, {}, everybody_may_touch(3));
    const CollisionWorld::Pair pair{1, 2, false};
    Leaps leaps(model, 3);
    const double longest = 0.025;
    leaps.go_along(state.q, state.v, longest);
    const double thin = Leaps::thin(bodies, pair);
    EXPECT_NEAR(thin, 0.01, 1e-15);
    const Leaps::Found found = leaps.first(bodies, {pair, thin, Leaps::Start::by_distance}, longest);
    LinkWays ways(model);
    ways.begin(state.q, state.v, longest);
    QueryScratch scratch;
    const auto distance = [&](double s) {
      return distance_between(bodies.collider(1), ways.pose(1, s), bodies.collider(2), ways.pose(2, s), scratch)
          .distance.distance;
    };
    const int looks = 4000;
    int first = 0;
    while (first <= looks && distance(longest * first / looks) > 0) ++first;
    if (!found.s) {
      EXPECT_GT(first, looks) << k;
      continue;
    }
    ++met;
    EXPECT_LE(*found.s, longest * first / looks) << k;
    EXPECT_NEAR(distance(*found.s), 0, 1e-5 * thin) << k;
    if (first <= looks) EXPECT_GE(*found.s, longest * (first - 1) / looks - 1e-6 * longest) << k;
  }
  EXPECT_GT(met, 20);
  EXPECT_LT(met, 60);
}

TEST(Leaps, HowThickBodiesAre) {
  const Transform<double> turned{rotation_about(V{0, 0.6, 0.8}, 0.7), {1, 2, 3}};
  const auto of = [&](const Convex& c) { return thickness_of(compound({{c, turned}})); };
  EXPECT_NEAR(of(convex_box({0.3, 0.001, 0.2})), 0.001, 1e-15);
  EXPECT_NEAR(of(convex_sphere(0.1)), 0.2, 1e-15);
  EXPECT_NEAR(of(convex_capsule(0.1, 3)), 0.2, 1e-15);
  EXPECT_NEAR(of(convex_cylinder(0.1, 0.002)), 0.002, 1e-15);
  EXPECT_NEAR(of(convex_ellipsoid({1, 0.2, 3})), 0.4, 1e-15);
  EXPECT_NEAR(of(convex_cone(1, 0.2)), 0.2, 1e-15);
  EXPECT_NEAR(of(convex_cone(0.3, 0.4)), 0.4, 1e-15);
  EXPECT_NEAR(of(convex_cone(0.03, 0.4)), 2 * 0.03 * 0.4 / std::hypot(0.03, 0.4), 1e-15);
  EXPECT_TRUE(std::isinf(of(convex_plane())));
  EXPECT_NEAR(thickness_of(compound({{convex_sphere(0.1), {}}, {convex_box({1, 1, 0.01}), {}}})), 0.01, 1e-15);
}

}  // namespace leaps_test
}  // namespace marey
