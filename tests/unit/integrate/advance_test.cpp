// Attitudes that turn several at a time: each as it would alone, and as long numbers turn it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "marey/integrate.h"
#include "marey/integrate/turn.h"
#include "support/figures.h"

namespace marey {
namespace {

// q ⊕ ξ of one attitude, in extended precision; of first order, (1, ξ/2) brought to unit length.
std::array<double, 4> turned(const double* q, const double* xi, Turn turn) {
  using L = long double;
  const L x = xi[0], y = xi[1], z = xi[2], half = std::sqrt(x * x + y * y + z * z) / 2;
  const bool whole = turn == Turn::exponential;
  const L s = whole && half > 0 ? std::sin(half) / (2 * half) : L(0.5), w = whole ? std::cos(half) : L(1);
  const L b[] = {w, s * x, s * y, s * z}, a[] = {q[0], q[1], q[2], q[3]};
  const L c[] = {
      a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
      a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
  const L length = std::sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2] + c[3] * c[3]);
  return {double(c[0] / length), double(c[1] / length), double(c[2] / length), double(c[3] / length)};
}

// At rest, by angles whose sines are a series, and by others, in any order.
double any_angle(int k) {
  constexpr double angles[] = {1e-4, 0, 0.3, 1e-9, 2e-3, 3.0, 1.9e-3};
  return angles[k % 7];
}

TEST(Advance, TurnsEachAttitudeAsItWouldAlone) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (int links = 1; links <= 37; ++links) {
    SCOPED_TRACE(links);
    figures::Options o;
    o.links = links, o.joints = figures::Joints::any;
    figures::Figure f = figures::with_random_state(figures::random_spec(static_cast<std::uint64_t>(links), o), 3);
    const Model& model = f.model;
    std::vector<double> xi(static_cast<std::size_t>(model.nv));
    for (double& x : xi) x = normal(random);
    int k = links;
    for (const LinkTopology& link : model.links) {
      if (coordinate_count(link) == freedom_count(link)) continue;
      double* x = xi.data() + link.v;
      const double scale = any_angle(k++) / std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
      for (int i = 0; i < 3; ++i) x[i] *= scale;
    }
    for (const Turn turn : {Turn::exponential, Turn::first_order}) {
      std::vector<double> q(f.state.q.size(), 7.0);
      advance<double>(model, f.state.q, xi, turn, q);
      std::vector<double> in_place = f.state.q;
      advance<double>(model, in_place, xi, turn, in_place);
      EXPECT_EQ(in_place, q);
      for (const LinkTopology& link : model.links) {
        std::vector<double> alone(q.size(), 7.0);
        advance<double>(model, std::span(&link, 1), f.state.q, xi, turn, alone);
        const int n = coordinate_count(link), plain = freedom_count(link) - 3;
        for (int i = 0; i < n; ++i)
          EXPECT_EQ(alone[link.q + i], q[link.q + i]) << model.names[&link - model.links.data()];
        if (n == freedom_count(link)) {
          for (int i = 0; i < n; ++i) EXPECT_EQ(q[link.q + i], f.state.q[link.q + i] + xi[link.v + i]);
          continue;
        }
        const std::array<double, 4> right = turned(f.state.q.data() + link.q, xi.data() + link.v, turn);
        for (int i = 0; i < 4; ++i) EXPECT_NEAR(q[link.q + i], right[i], 1e-15);
        for (int i = 0; i < plain; ++i) EXPECT_EQ(q[link.q + 4 + i], f.state.q[link.q + 4 + i] + xi[link.v + 3 + i]);
      }
    }
  }
}

}  // namespace
}  // namespace marey
