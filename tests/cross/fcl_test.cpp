// FCL as a second opinion on signed distances. Where the two differ the certificate decides: a plane between the solids and
// two points of theirs, both found by formulas of the test's own, prove what the distance is to 1e-12; the depth is
// at most what a plane says, and no direction found by a search may say less.
#include <gtest/gtest.h>

#include "../../bench/shape_peers/ask.h"
#include "marey/shape/distance.h"
#include "support/convex_samples.h"

namespace marey::fcl_test {
namespace {

using samples::V;
using samples::X;

struct Case {
  samples::Placed pair;
  double theirs;
};

// Solids without margins, at random.
std::vector<Case> asked(samples::Chance& chance, ConvexKind ka, ConvexKind kb, int count) {
  std::vector<Case> cases;
  std::vector<std::string> lines;
  for (int k = 0; k < count; ++k) {
    samples::Placed p = samples::random_pair(chance, ka, kb);
    for (Convex* c : {&p.a, &p.b})
      if (c->kind != ConvexKind::sphere && c->kind != ConvexKind::capsule) c->margin = 0;
    lines.push_back(bench::text_of(p.a, p.X_WA) + " " + bench::text_of(p.b, p.X_WB));
    cases.push_back({p, 0});
  }
  const auto answer = bench::ask_peer("shapes_fcl", lines, 0.7, true);  // one pair takes microseconds, or for ever
  cases.resize(answer ? answer->distances.size() : 0);
  for (size_t k = 0; k < cases.size(); ++k) cases[k].theirs = answer->distances[k];
  return cases;
}

// The least extent of b − a over directions near n: a depth below ours would show here.
double least_depth(const samples::Placed& p, V n) {
  const auto depth = [&](const V& m) { return -samples::between(p.a, p.X_WA, p.b, p.X_WB, m); };
  double best = depth(n);
  for (double step = 0.5; step > 1e-7; step *= 0.7) {
    const V u = std::abs(n.x) < 0.6 ? cross(n, V{1, 0, 0}) : cross(n, V{0, 1, 0}), s = (1 / norm(u)) * u,
            t = cross(n, s);
    for (int k = 0; k < 8; ++k) {
      const double angle = 0.7853981633974483 * k;
      const V trial = n + step * (std::cos(angle) * s + std::sin(angle) * t), m = (1 / norm(trial)) * trial;
      if (depth(m) < best) best = depth(m), n = m;
    }
  }
  return best;
}

TEST(Fcl, AgreesOrIsProvedWrong) {
  if (!bench::is_there("shapes_fcl")) GTEST_SKIP() << "FCL is not installed";
  samples::Chance chance(91);
  int agreed = 0, proved_wrong = 0, all = 0, silent = 0;
  for (int i = 1; i < convex_kind_count; ++i)
    for (int j = 1; j < convex_kind_count; ++j) {
      const ConvexKind ka = samples::kind_number(i), kb = samples::kind_number(j);
      if (!bench::known_to_peers(ka) || !bench::known_to_peers(kb)) continue;
      constexpr int each = 40;
      const std::vector<Case> cases = asked(chance, ka, kb, each);
      silent += cases.size() < each;
      for (const Case& c : cases) {
        const samples::Placed& p = c.pair;
        const Distance d = distance_between(p.a, p.X_WA, p.b, p.X_WB);
        ++all;
        if (std::abs(c.theirs - d.distance) <= 1e-6 * p.size) {
          ++agreed;
          continue;
        }
        ++proved_wrong;
        const std::string what = std::string(name_of(ka)) + "–" + name_of(kb) + ": FCL says " +
                                 std::to_string(c.theirs) + ", Marey " + std::to_string(d.distance);
        const double plane = samples::between(p.a, p.X_WA, p.b, p.X_WB, d.normal_W);
        EXPECT_NEAR(plane, d.distance, (d.distance < 0 ? 1e-9 : 1e-12) * p.size) << what;
        EXPECT_NEAR(norm(d.point_b_W - d.point_a_W), std::abs(d.distance), 1e-12 * p.size) << what;
        const V x = transpose_times(p.X_WA.R, d.point_a_W - p.a.margin * d.normal_W - p.X_WA.p);
        const V y = transpose_times(p.X_WB.R, d.point_b_W + p.b.margin * d.normal_W - p.X_WB.p);
        const double off = (d.distance < 0 ? 1e-5 : 1e-12) * p.size;  // deep witnesses of round solids: √ε
        EXPECT_LE(samples::outside_core(p.a, x), off) << what;
        EXPECT_LE(samples::outside_core(p.b, y), off) << what;
        if (d.distance < 0 && -c.theirs < -d.distance) {  // it claims a shorter way out
          double least = least_depth(p, d.normal_W);
          for (int k = 0; k < 20; ++k) least = std::min(least, least_depth(p, chance.direction()));
          EXPECT_GE(least, -d.distance - 1e-7 * p.size) << what;
        }
      }
    }
  RecordProperty("agreed", agreed);
  RecordProperty("fcl_proved_wrong", proved_wrong);
  RecordProperty("fcl_hung", silent);
  std::printf(
      "FCL: %d of %d agree to 1e-6 of the size, %d are proved wrong; with %d of 36 pairs of kinds it hung or fell "
      "over\n",
      agreed, all, proved_wrong, silent);
  EXPECT_GE(agreed, all / 2);
  EXPECT_GE(all, 500);
}

}  // namespace
}  // namespace marey::fcl_test
