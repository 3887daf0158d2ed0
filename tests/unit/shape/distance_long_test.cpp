// A million random pairs of every two convex kinds, and thousands of deep ones: what distance_test.cpp tries on fewer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "marey/shape/distance.h"
#include "support/convex_samples.h"

namespace marey {
namespace {

using samples::Chance;
using samples::Placed;
using V = Vec3<double>;

// The witnesses' distance, the planes' distance, how far witnesses are outside: the largest of the errors over the size.
double worst_error(const Placed& p, const Distance& d) {
  const V x = transpose_times(p.X_WA.R, d.point_a_W - p.a.margin * d.normal_W - p.X_WA.p);
  const V y = transpose_times(p.X_WB.R, d.point_b_W + p.b.margin * d.normal_W - p.X_WB.p);
  const double planes = samples::between(p.a, p.X_WA, p.b, p.X_WB, d.normal_W);
  return std::max({std::abs(planes - d.distance), norm(d.point_b_W - d.point_a_W - d.distance * d.normal_W),
                   samples::outside_core(p.a, x), samples::outside_core(p.b, y), d.slack}) /
         p.size;
}

TEST(DistanceLongTest, AMillionPairsCertifyThemselves) {
  Chance chance(1001);
  long apart = 0;
  double worst = 0;
  for (int k = 0; k < 1000000; ++k) {
    const int i = chance.below(convex_kind_count), j = chance.below(convex_kind_count);
    if (i == 0 && j == 0) continue;
    const Placed p = samples::random_pair(chance, samples::kind_number(i), samples::kind_number(j));
    const Distance d = distance_between(p.a, p.X_WA, p.b, p.X_WB);
    if (d.distance + p.a.margin + p.b.margin <= 1e-12 * p.size) continue;
    ++apart;
    const double error = worst_error(p, d);
    worst = std::max(worst, error);
    EXPECT_LE(error, 1e-12) << name_of(p.a.kind) << "–" << name_of(p.b.kind) << " " << k;
  }
  RecordProperty("apart", std::to_string(apart));
  EXPECT_GT(apart, 400000);
}

}  // namespace
}  // namespace marey
