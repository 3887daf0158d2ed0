// What a world tells implicit methods: ∂v̇/∂(q, v), against difference quotients of v̇ itself. A wrong one does no harm that
// a result shows, since Newton's method then only takes longer.
//
// Coordinates are varied along the freedoms, q ⊕ ξ, for the four numbers of a quaternion by ½ q (0, ξ), and velocities one
// by one. The quotient of order h⁴ errs by h⁴ of the fifth derivative and ε/h of v̇: at h = 10⁻³ both are below 10⁻⁹ of
// the size of v̇ here, times what the springs' stiffness makes of it; the bound is 10⁻⁶ of it.
#include <gtest/gtest.h>

#include <cmath>

#include "sim/world.h"
#include "support/random_figure.h"

namespace {

using namespace marey;

Scene moving(unsigned seed) {
  figures::Options options;
  options.links = 5, options.joints = figures::Joints::every, options.mass_ratio = 3;
  options.tree = seed % 2 == 0 ? figures::Tree::chain : figures::Tree::random;
  const figures::Figure f = figures::random_figure(seed, options);
  Scene scene;
  scene.model = f.model;
  scene.start = f.state;
  for (double& v : scene.start.v) v *= 0.5;
  std::vector<int> all;
  for (int i = 1; i < f.model.nlink(); ++i) all.push_back(i);
  scene.elements = {{"drag", Drag{all, 0.1, 0.4}}, {"sun", Attraction{all, {0.3, 3, 4}, 5, 0.1}}};
  scene.elements.push_back({"spring", SupportSpring{1, {0.1, 0, 0.2}, {1, 1, 1}, 3, 0.5, {1, 0, 0, 0}}});
  scene.solver.integrator = Integrator::bdf;
  return scene;
}

// q with ξ h added along one freedom, and its derivative by h at 0.
std::vector<double> direction(const Model& model, std::span<const double> q, int freedom) {
  std::vector<double> d(q.size());
  for (const LinkTopology& link : model.links) {
    const int k = freedom - link.v;
    if (k < 0 || k >= freedom_count(link)) continue;
    if (has_attitude(link.joint) && k < 3) {
      const double* x = q.data() + link.q;
      const Quaternion<double> rate = Quaternion<double>{x[0], x[1], x[2], x[3]} *
                                      Quaternion<double>{0, k == 0 ? 0.5 : 0, k == 1 ? 0.5 : 0, k == 2 ? 0.5 : 0};
      double* out = d.data() + link.q;
      out[0] = rate.w, out[1] = rate.x, out[2] = rate.y, out[3] = rate.z;
    } else {
      d[static_cast<std::size_t>(link.q + k + (has_attitude(link.joint) ? 1 : 0))] = 1;
    }
  }
  return d;
}

TEST(WorldJacobian, IsTheDerivativeOfTheAccelerations) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    const Scene scene = moving(seed);
    World world(scene);
    Flow& flow = (Flow&)world;  // what a world is to its method
    const std::size_t nq = scene.start.q.size(), nv = scene.start.v.size(), width = nq + nv;
    const std::vector<double>&q = scene.start.q, &v = scene.start.v;
    std::vector<double> rows(nv * width), rates(flow.rate_count()), vdot(nv);
    flow.jacobian(0, q, v, rows);
    const auto at = [&](const std::vector<double>& q_at, const std::vector<double>& v_at) {
      flow.evaluate(0, q_at, v_at, vdot, rates);
      return vdot;
    };
    const auto quotient = [&](const auto& moved) {
      const double h = 1e-3;
      const std::vector<double> a = moved(h), b = moved(-h), c = moved(2 * h), d = moved(-2 * h);
      std::vector<double> out(nv);
      for (std::size_t i = 0; i < nv; ++i) out[i] = (8 * (a[i] - b[i]) - (c[i] - d[i])) / (12 * h);
      return out;
    };
    for (std::size_t k = 0; k < nv; ++k) {
      const std::vector<double> along = direction(scene.model, q, static_cast<int>(k));
      const std::vector<double> by_q = quotient([&](double h) {
        std::vector<double> xi(nv), moved(q);
        xi[k] = h;
        advance<double>(scene.model, q, xi, Turn::exponential, moved);
        return at(moved, v);
      }),
                                by_v = quotient([&](double h) {
                                  std::vector<double> moved(v);
                                  moved[k] += h;
                                  return at(q, moved);
                                });
      double size = 1;
      for (std::size_t i = 0; i < nv; ++i) size = std::max({size, std::abs(by_q[i]), std::abs(by_v[i])});
      for (std::size_t i = 0; i < nv; ++i) {
        double told = 0;
        for (std::size_t j = 0; j < nq; ++j) told += rows[i * width + j] * along[j];
        EXPECT_NEAR(told, by_q[i], 1e-6 * size) << seed << ", v̇ " << i << " by coordinate " << k;
        EXPECT_NEAR(rows[i * width + nq + k], by_v[i], 1e-6 * size) << seed << ", v̇ " << i << " by velocity " << k;
      }
    }
  }
}

}  // namespace
