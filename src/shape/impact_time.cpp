// Time of impact by conservative advancement (Mirtich, PhD thesis, Berkeley 1996, §2.3; von Herzen, Barr and Zatz, SIGGRAPH
// 1990, for motions bounded by their speed).
//
// If the solids are d apart at t, and no point of a (b) is faster than u (w) in [t, t + s], then they are apart until
//
//   t + min(s, (d − gap)/(u + w))                                                                               (1)
//
// whatever way they move or turn. The speed that counts is that of the solid's points, all within its reach of So. Bounds
// over a shorter interval are tighter, so s is chosen: twice what the last step turned out to be. As long as s limits (1)
// it grows, else it shrinks. Near the contact (1) takes a share v/(u + w) of what is left of the gap, v being the speed at
// which they close; steps grow with the logarithm of d/gap. d is what the distance certifies;
// the half of `gap` is aimed at, so that rounding ends no search.
#include <algorithm>
#include <cmath>

#include "shape/impact_search.h"

namespace marey {
namespace {

constexpr int impact_steps = 100000;

}  // namespace

std::optional<Impact> search_impact(
    double reach_a, const MotionOfShape& motion_a, double reach_b, const MotionOfShape& motion_b, double t0, double t1,
    double gap, FunctionRef<Distance(const Transform<double>& X_WA, const Transform<double>& X_WB)> distance) {
  // A plane has no reach; what counts of its motion is that of its points near the other.
  const bool plane_a = !std::isfinite(reach_a), plane_b = !std::isfinite(reach_b);
  const double ra = plane_a ? 0 : reach_a, rb = plane_b ? 0 : reach_b;
  double t = t0, span = t1 - t0;
  for (int step = 1; step <= impact_steps; ++step) {
    const Transform<double> X_WA = motion_a.pose(t), X_WB = motion_b.pose(t);
    const Distance d = distance(X_WA, X_WB);
    if (d.distance <= gap) return Impact{t, d, step};
    if (t >= t1) return {};
    const double between = norm(X_WB.p - X_WA.p) + d.distance;
    const double to_a = plane_a ? rb + 2 * between : ra;
    const double to_b = plane_b ? ra + 2 * between : rb;
    double safe = 0;
    for (;;) {
      span = std::min(span, t1 - t);
      const double speed = motion_a.speed_bound(t, t + span, to_a) + motion_b.speed_bound(t, t + span, to_b);
      safe = speed > 0 ? (d.distance - d.slack - 0.5 * gap) / speed : span;
      // A bound over far more time than it lets pass is looser than it need be.
      if (safe >= 0.125 * span || span <= 1e-12 * std::max(std::abs(t), t1 - t0)) break;
      span = 2 * safe;
    }
    const double advance = std::min(safe, span);
    if (!(t + advance > t)) return Impact{t, d, step};  // less than rounding of t: they touch at t, or never apart
    t = std::min(t + advance, t1);
    span = 2 * std::max(advance, safe);
  }
  return {};
}

std::optional<Impact> impact_time(const Convex& a, const MotionOfShape& motion_a, const Convex& b,
                                  const MotionOfShape& motion_b, double t0, double t1, double gap) {
  PairCache cache;
  return search_impact(reach(a), motion_a, reach(b), motion_b, t0, t1, gap,
                       [&](const Transform<double>& X_WA, const Transform<double>& X_WB) {
                         return distance_between(a, X_WA, b, X_WB, &cache);
                       });
}

}  // namespace marey
