// Where in a step a function of the state first becomes negative.
//
// The step is looked at in a few places. Between a place where a function is positive and one where it is negative lies a
// root, found by bisection sped up with the secant (Illinois). A function that starts at zero may rise before it falls:
// smaller and smaller parts of the first interval are tried for a positive value. A function that stays positive where it
// is looked at but has a minimum there between may dip below zero (grazing): its minimum is searched for by golden
// section, as soon as a parabola through the three values comes near zero.
#include <algorithm>
#include <cmath>

#include "marey/integrate.h"

namespace marey {
namespace {

constexpr int most_looks = 8;
constexpr int most_halvings = 200;
constexpr double golden = 0.3819660112501051;

// The least value of the parabola through three points, if it lies between them.
double parabola_minimum(double a, double fa, double m, double fm, double b, double fb) {
  const double x = fa - fm, y = fb - fm, l = m - a, r = b - m;
  const double curvature = (x / l + y / r) / (l + r), slope = (y / r * l - x / l * r) / (l + r);
  return curvature > 0 ? fm - slope * slope / (4 * curvature) : fm;
}

}  // namespace

EventLocator::EventLocator(const Model& model, Switches& switches, std::size_t state_count)
    : model_(&model),
      switches_(&switches),
      count_(switches.switch_count()),
      values_(count_ * (most_looks + 1)),
      scratch_(count_),
      q_(static_cast<std::size_t>(model.nq)),
      v_(static_cast<std::size_t>(model.nv) + state_count) {}

void EventLocator::values_at(const Segment& segment, double s, std::span<double> values) {
  segment.at(*model_, s, q_, v_, {});
  switches_->switch_values(segment.t_0 + s, q_, v_, values);
}

double EventLocator::value(const Segment& segment, double s, std::size_t which) {
  values_at(segment, s, scratch_);
  return scratch_[which];
}

double EventLocator::value_at(double t, std::span<const double> q, std::span<const double> v, std::size_t which) {
  switches_->switch_values(t, q, v, scratch_);
  return scratch_[which];
}

// The root between a place where the function is not negative and one where it is; the side returned is the negative
// one, so that the event has happened there.
double EventLocator::root(const Segment& segment, std::size_t which, double positive, double negative) {
  double f_p = value(segment, positive, which), f_n = value(segment, negative, which);
  int side = 0;
  for (int k = 0; k < most_halvings && f_n < 0; ++k) {
    const double width = negative - positive;
    double s = f_p > f_n ? positive + width * f_p / (f_p - f_n) : positive + 0.5 * width;
    if (k % 4 == 3) s = positive + 0.5 * width;
    if (!(s > positive && s < negative)) s = positive + 0.5 * width;
    if (!(s > positive && s < negative)) break;  // neighbouring numbers
    const double f = value(segment, s, which);
    if (f == 0) return s;
    if (f > 0) {
      positive = s, f_p = f;
      if (side == 1) f_n *= 0.5;
      side = 1;
    } else {
      negative = s, f_n = f;
      if (side == -1) f_p *= 0.5;
      side = -1;
    }
    if (negative - positive <= 1e-16 * segment.h) break;
  }
  return negative;
}

// The function is not positive at the start and negative at `until`: either it rises first, or the event is now.
std::optional<double> EventLocator::early_crossing(const Segment& segment, std::size_t which, double until) {
  for (double s = 0.25 * until; s > 1e-13 * segment.h; s *= 0.25) {
    if (value(segment, s, which) > 0) return root(segment, which, s, std::min(4 * s, until));
  }
  return 0.0;
}

std::optional<double> EventLocator::dip(const Segment& segment, std::size_t which, double a, double m, double b) {
  double f_m = value(segment, m, which);
  for (int k = 0; k < 60 && b - a > 1e-10 * segment.h; ++k) {
    const bool right = b - m > m - a;
    const double s = right ? m + golden * (b - m) : m - golden * (m - a);
    const double f = value(segment, s, which);
    if (f < 0) return root(segment, which, a, s);
    if (f < f_m) {
      (right ? a : b) = m;
      m = s, f_m = f;
    } else {
      (right ? b : a) = s;
    }
  }
  return std::nullopt;
}

std::optional<double> EventLocator::crossing(const Segment& segment, std::size_t which, int looks) {
  const double part = segment.h / looks;
  const auto at = [&](int k) { return row(k)[which]; };
  bool armed = at(0) > 0;
  for (int k = 1; k <= looks; ++k) {
    const double s = k == looks ? segment.h : part * k;
    if (at(k) < 0) return armed ? root(segment, which, part * (k - 1), s) : early_crossing(segment, which, s);
    armed = armed || at(k) > 0;
    if (k < 2 || !(at(k - 1) < at(k)) || !(at(k - 1) <= at(k - 2))) continue;
    if (parabola_minimum(part * (k - 2), at(k - 2), part * (k - 1), at(k - 1), s, at(k)) > 0.1 * at(k - 1)) continue;
    if (const auto found = dip(segment, which, part * (k - 2), part * (k - 1), s)) return found;
  }
  return std::nullopt;
}

std::optional<Event> EventLocator::first(const Segment& segment, int looks) {
  if (count_ == 0) return std::nullopt;
  looks = std::clamp(looks, 1, most_looks);
  for (int k = 0; k <= looks; ++k) values_at(segment, k == looks ? segment.h : segment.h / looks * k, row(k));
  std::optional<Event> found;
  for (std::size_t i = 0; i < count_; ++i) {
    const auto s = crossing(segment, i, looks);
    if (s && (!found || *s < found->s)) found = Event{*s, i};
  }
  return found;
}

}  // namespace marey
