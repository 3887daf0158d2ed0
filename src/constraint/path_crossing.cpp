// Where a path C(s) meets itself: s ≠ t with C(s) = C(t).
//
// Each span is cut into short pieces, taken for straight. From two pieces whose ends come near each other, and that are
// no neighbours, Gauss and Newton's rule looks for the meeting,
//   C′(s) δs − C′(t) δt = C(t) − C(s)      in the least squares                                                     (1)
// Where one stretch runs along another these are one equation for two unknowns, or nearly: s is then left where it is,
//   |C′(t)|² δt = C′(t) · (C(s) − C(t))                                                                             (2)
// That is tried first; neighbours come together by it, s = t. So a path is found, too, that stops and runs back over
// itself. Spans whose boxes lie apart are not looked into: they are put in order along the path's longest side, and each
// meets only those that begin before it ends.
#include "constraint/path_crossing.h"

#include <algorithm>
#include <cmath>

#include "constraint/curves.h"

namespace marey {
namespace {

using Vec = Vec3<double>;
constexpr int pieces = 16;    // of a span
constexpr double met = 1e-6;  // of the path's length: nearer is a meeting

struct Span {
  double from = 0, to = 0;
  Vec low{forever, forever, forever}, high{-forever, -forever, -forever};
  std::vector<Vec> at;  // [pieces + 1]
  double at_piece(int i) const { return from + (to - from) * i / pieces; }
};

std::vector<Span> spans_of(const SplinePath& path) {
  std::vector<Span> spans;
  for (std::size_t i = 0; i + 1 < path.knots.size(); ++i) {
    Span span{path.knots[i], path.knots[i + 1], {forever, forever, forever}, {-forever, -forever, -forever}, {}};
    for (int k = 0; k <= pieces; ++k) {
      span.at.push_back(curve_at(path, span.at_piece(k)).C);
      for (int c = 0; c < 3; ++c)
        span.low[c] = std::min(span.low[c], span.at.back()[c]),
        span.high[c] = std::max(span.high[c], span.at.back()[c]);
    }
    const double room = 0.1 * (span.to - span.from);  // what lies between the pieces' ends
    span.low = span.low - Vec{room, room, room}, span.high = span.high + Vec{room, room, room};
    spans.push_back(std::move(span));
  }
  return spans;
}

bool apart(const Span& a, const Span& b) {
  for (int c = 0; c < 3; ++c)
    if (a.high[c] < b.low[c] || b.high[c] < a.low[c]) return true;
  return false;
}

class Search {
 public:
  explicit Search(const SplinePath& path) : path_(path), spans_(spans_of(path)), length_(path.knots.back()) {
    Vec low = spans_[0].low, high = spans_[0].high;
    for (const Span& s : spans_)
      for (int c = 0; c < 3; ++c) low[c] = std::min(low[c], s.low[c]), high[c] = std::max(high[c], s.high[c]);
    for (int c = 1; c < 3; ++c)
      if (high[c] - low[c] > high[side_] - low[side_]) side_ = c;
    std::ranges::sort(spans_, {}, [&](const Span& s) { return s.low[side_]; });
  }

  std::optional<Vec> first() const {
    for (std::size_t i = 0; i < spans_.size(); ++i)
      for (std::size_t j = i; j < spans_.size() && spans_[j].low[side_] <= spans_[i].high[side_]; ++j) {
        if (apart(spans_[i], spans_[j])) continue;
        const bool in_order = spans_[i].from <= spans_[j].from;
        if (const std::optional<Vec> at = between(spans_[in_order ? i : j], spans_[in_order ? j : i])) return at;
      }
    return {};
  }

 private:
  // How far apart along the path.
  double along(double s, double t) const {
    const double way = std::abs(s - t);
    return path_.closed ? std::min(way, length_ - way) : way;
  }

  std::optional<Vec> between(const Span& a, const Span& b) const {
    const double piece = std::max(a.to - a.from, b.to - b.from) / pieces;
    for (int i = 0; i < pieces; ++i)
      for (int j = 0; j < pieces; ++j) {
        const double s = a.at_piece(i), t = b.at_piece(j);
        if (s >= t || along(s, t) < 2.5 * piece) continue;
        const Vec &p = a.at[static_cast<std::size_t>(i)], &q = b.at[static_cast<std::size_t>(j)];
        if (norm(p - q) > 3 * piece) continue;
        if (const std::optional<Vec> at = alongside(s, t, piece)) return at;
        if (const std::optional<Vec> at = meeting(s, t, piece)) return at;
      }
    return {};
  }

  std::optional<Vec> alongside(double s, double t, double piece) const {
    const Vec C = curve_at(path_, s).C;
    const double t_0 = t;
    for (int round = 0; round < 20; ++round) {
      const CurvePoint b = curve_at(path_, t);
      const Vec gap = C - b.C;
      if (norm(gap) <= met * length_) return along(s, t) > piece ? std::optional(C) : std::nullopt;
      const double bb = dot(b.d1, b.d1);
      if (!(bb > 0)) return {};
      t += dot(b.d1, gap) / bb;  // (2)
      if (std::abs(t - t_0) > 6 * piece) return {};
      if (!path_.closed) t = std::clamp(t, 0.0, length_);
    }
    return {};
  }

  std::optional<Vec> meeting(double s, double t, double piece) const {
    const double s_0 = s, t_0 = t;
    for (int round = 0; round < 20; ++round) {
      const CurvePoint a = curve_at(path_, s), b = curve_at(path_, t);
      const Vec gap = b.C - a.C;
      if (norm(gap) <= met * length_) return along(s, t) > piece ? std::optional(a.C) : std::nullopt;
      const double aa = dot(a.d1, a.d1), ab = -dot(a.d1, b.d1), bb = dot(b.d1, b.d1), det = aa * bb - ab * ab;
      if (!(det > 1e-12 * aa * bb)) return {};  // side by side, and apart
      const double x = dot(a.d1, gap), y = -dot(b.d1, gap);
      s += (bb * x - ab * y) / det, t += (aa * y - ab * x) / det;  // (1)
      if (std::abs(s - s_0) > 6 * piece || std::abs(t - t_0) > 6 * piece) return {};
      if (!path_.closed) s = std::clamp(s, 0.0, length_), t = std::clamp(t, 0.0, length_);
    }
    return {};
  }

  const SplinePath& path_;
  std::vector<Span> spans_;
  double length_;
  int side_ = 0;
};

}  // namespace

std::optional<Vec3<double>> where_it_crosses(const SplinePath& path) { return Search(path).first(); }

}  // namespace marey
