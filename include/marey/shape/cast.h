// What a ray or a moving solid meets first.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "marey/shape/distance.h"

namespace marey {

struct Hit {
  double t = 0;           // 0: they overlap from the start
  Vec3<double> point_W;   // where they touch
  Vec3<double> normal_W;  // unit, of the solid that is met, towards what comes; 0 where they overlap from the start
};

// The ray origin + t · direction, 0 ≤ t ≤ longest; the direction has any length but 0.
std::optional<Hit> ray_cast(const Convex& b, const Transform<double>& X_WB, const Vec3<double>& origin_W,
                            const Vec3<double>& direction_W, double longest);
// Solid a moves along `way`, without turning, to X_WA.p + t · way, 0 ≤ t ≤ 1, until its distance to b is `gap`.
std::optional<Hit> shape_cast(const Convex& a, const Transform<double>& X_WA, const Vec3<double>& way_W,
                              const Convex& b, const Transform<double>& X_WB, double gap = 0);

// ---- Time of impact of any motion

// A reference to something callable that outlives the call it is passed to; copying it costs two pointers.
template <class>
class FunctionRef;
template <class R, class... Args>
class FunctionRef<R(Args...)> {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>)
      // NOLINTNEXTLINE(google-explicit-constructor): a lambda is passed as it is
      FunctionRef(F&& f)
      : object_(const_cast<void*>(static_cast<const void*>(&f))),  // NOLINT(cppcoreguidelines-pro-type-const-cast)
        call_([](void* object, Args... args) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Args>(args)...);
        }) {}
  R operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

// A body's motion: where its frame is, and how fast a point of it can be.
struct MotionOfShape {
  FunctionRef<Transform<double>(double t)> pose;
  // At least the largest speed, at any time in [t0, t1], of any point of the body within `radius` of So.
  FunctionRef<double(double t0, double t1, double radius)> speed_bound;
};

struct Impact {
  double t = 0;
  Distance distance;  // then: at most `gap`
  int steps = 0;
};
// The first t in [t0, t1] at which the signed distance is `gap` or less; none if there is none. By conservative advancement:
// no contact is passed over, however the bodies turn, as long as the bounds are bounds. Where they approach each other by v
// when they meet, t is early by at most gap/v. A gap of 1e-9 m is the default.
std::optional<Impact> impact_time(const Convex& a, const MotionOfShape&, const Convex& b, const MotionOfShape&,
                                  double t0, double t1, double gap = 1e-9);

}  // namespace marey
