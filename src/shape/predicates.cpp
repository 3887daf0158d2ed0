// Compiled without fused multiply-adds (cmake/parts.cmake): the sums below are exact only if each operation is rounded by
// itself. Where a product's error is wanted it is asked for by std::fma.
#include "shape/predicates.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "marey/core/index.h"

namespace marey {

namespace {

constexpr double unit_roundoff = 0x1p-53;

// A sum of numbers that do not overlap, the smallest first, none of them zero. [at most N]
template <int N>
struct Expansion {
  std::array<double, static_cast<std::size_t>(N)> part;
  int count = 0;

  void append(double x) {
    if (x != 0) part[index(count++)] = x;
  }
  int sign() const { return count == 0 ? 0 : part[index(count - 1)] > 0 ? 1 : -1; }
};

// sum + error = a + b
struct Rounded {
  double sum, error;
};
Rounded two_sum(double a, double b) {
  const double sum = a + b, b_part = sum - a, a_part = sum - b_part;
  return {sum, (a - a_part) + (b - b_part)};
}
Rounded two_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

Expansion<2> exact_difference(double a, double b) {
  const Rounded r = two_sum(a, -b);
  Expansion<2> e;
  e.append(r.error), e.append(r.sum);
  return e;
}

// Shewchuk's FAST-EXPANSION-SUM, without zeros.
template <int M, int N>
Expansion<M + N> operator+(const Expansion<M>& e, const Expansion<N>& f) {
  Expansion<M + N> h;
  int i = 0, j = 0;
  const auto next = [&] {  // of both, by size
    const bool from_e = j == f.count || (i < e.count && std::abs(e.part[index(i)]) < std::abs(f.part[index(j)]));
    return from_e ? e.part[index(i++)] : f.part[index(j++)];
  };
  if (e.count + f.count == 0) return h;
  double q = next();
  while (i < e.count || j < f.count) {
    const Rounded r = two_sum(q, next());
    h.append(r.error);
    q = r.sum;
  }
  h.append(q);
  return h;
}
template <int N>
Expansion<N> negative(Expansion<N> e) {
  for (int i = 0; i < e.count; ++i) e.part[index(i)] = -e.part[index(i)];
  return e;
}
// Shewchuk's SCALE-EXPANSION, without zeros.
template <int N>
Expansion<2 * N> scaled(const Expansion<N>& e, double b) {
  Expansion<2 * N> h;
  if (e.count == 0) return h;
  Rounded q = two_product(e.part[0], b);
  h.append(q.error);
  for (int i = 1; i < e.count; ++i) {
    const Rounded t = two_product(e.part[index(i)], b);
    const Rounded low = two_sum(q.sum, t.error);
    h.append(low.error);
    q = two_sum(t.sum, low.sum);
    h.append(q.error);
  }
  h.append(q.sum);
  return h;
}
template <int N>
Expansion<4 * N> operator*(const Expansion<N>& e, const Expansion<2>& f) {
  const Expansion<2 * N> none{};
  return (f.count > 0 ? scaled(e, f.part[0]) : none) + (f.count > 1 ? scaled(e, f.part[1]) : none);
}

int exact_side(const Vec3<double>& a, const Vec3<double>& b, const Vec3<double>& c, const Vec3<double>& p) {
  const auto d = [&](const Vec3<double>& q, int i) { return exact_difference(q[i], a[i]); };
  const auto minor = [&](int i, int j) { return d(b, i) * d(c, j) + negative(d(b, j) * d(c, i)); };
  return (minor(1, 2) * d(p, 0) + (minor(2, 0) * d(p, 1) + minor(0, 1) * d(p, 2))).sign();
}
int exact_turn(const Vec2& a, const Vec2& b, const Vec2& c) {
  return (exact_difference(b.x, a.x) * exact_difference(c.y, a.y) +
          negative(exact_difference(b.y, a.y) * exact_difference(c.x, a.x)))
      .sign();
}

int sign_of(double x) { return (x > 0) - (x < 0); }

// Closed segments in the plane.
bool segments_meet(const Vec2& p, const Vec2& q, const Vec2& a, const Vec2& b) {
  const int sp = turn_of(a, b, p), sq = turn_of(a, b, q), sa = turn_of(p, q, a), sb = turn_of(p, q, b);
  if (sp * sq > 0 || sa * sb > 0) return false;
  if (sp != 0 || sq != 0 || sa != 0 || sb != 0) return true;
  // All in one line: they meet where their shadows on both axes do.
  const auto shadows_meet = [](double p0, double p1, double a0, double a1) {
    return std::min(p0, p1) <= std::max(a0, a1) && std::min(a0, a1) <= std::max(p0, p1);
  };
  return shadows_meet(p.x, q.x, a.x, b.x) && shadows_meet(p.y, q.y, a.y, b.y);
}
bool is_in_triangle(const Vec2& p, const Vec2& a, const Vec2& b, const Vec2& c) {
  const int ab = turn_of(a, b, p), bc = turn_of(b, c, p), ca = turn_of(c, a, p);
  return (ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0);
}

}  // namespace

int side_of_plane(const Vec3<double>& a, const Vec3<double>& b, const Vec3<double>& c, const Vec3<double>& p) {
  const Vec3<double> u = b - a, v = c - a, w = p - a;
  const double yz = u.y * v.z, zy = u.z * v.y, zx = u.z * v.x, xz = u.x * v.z, xy = u.x * v.y, yx = u.y * v.x;
  const double value = (yz - zy) * w.x + (zx - xz) * w.y + (xy - yx) * w.z;
  const double size = (std::abs(yz) + std::abs(zy)) * std::abs(w.x) + (std::abs(zx) + std::abs(xz)) * std::abs(w.y) +
                      (std::abs(xy) + std::abs(yx)) * std::abs(w.z);
  constexpr double bound = (7 + 56 * unit_roundoff) * unit_roundoff;  // Shewchuk, o3derrboundA
  return std::abs(value) > bound * size ? sign_of(value) : exact_side(a, b, c, p);
}

int turn_of(const Vec2& a, const Vec2& b, const Vec2& c) {
  const double left = (b.x - a.x) * (c.y - a.y), right = (b.y - a.y) * (c.x - a.x), value = left - right;
  constexpr double bound = (3 + 16 * unit_roundoff) * unit_roundoff;  // Shewchuk, ccwerrboundA
  return std::abs(value) > bound * (std::abs(left) + std::abs(right)) ? sign_of(value) : exact_turn(a, b, c);
}

int sign_of_difference(double a, double b, double c, double d) {
  const double left = a * b, right = c * d;
  if (left != right) return left > right ? 1 : -1;  // rounding keeps the order
  return sign_of(std::fma(a, b, -left) - std::fma(c, d, -right));
}

int axis_of_view(const Vec3<double>& a, const Vec3<double>& b, const Vec3<double>& c) {
  const Vec3<double> n = cross(b - a, c - a);
  int axis = std::abs(n.x) > std::abs(n.y) ? 0 : 1;
  if (std::abs(n.z) > std::abs(n[axis])) axis = 2;
  for (int k = 0; k < 3; ++k, axis = (axis + 1) % 3)
    if (turn_of(seen_along(axis, a), seen_along(axis, b), seen_along(axis, c)) != 0) return axis;
  return -1;
}

bool segment_meets_triangle(const Vec3<double>& p, const Vec3<double>& q, const Vec3<double>& a, const Vec3<double>& b,
                            const Vec3<double>& c) {
  const int sp = side_of_plane(a, b, c, p), sq = side_of_plane(a, b, c, q);
  if (sp * sq > 0) return false;
  if (sp != 0 || sq != 0) {  // the line goes through the plane in one point, which is in pq
    const int ab = side_of_plane(p, q, a, b), bc = side_of_plane(p, q, b, c), ca = side_of_plane(p, q, c, a);
    return (ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0);
  }
  const int axis = axis_of_view(a, b, c);
  const auto seen = [axis](const Vec3<double>& r) { return seen_along(axis, r); };
  return is_in_triangle(seen(p), seen(a), seen(b), seen(c)) || segments_meet(seen(p), seen(q), seen(a), seen(b)) ||
         segments_meet(seen(p), seen(q), seen(b), seen(c)) || segments_meet(seen(p), seen(q), seen(c), seen(a));
}

}  // namespace marey
