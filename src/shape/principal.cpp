// Principal axes by Jacobi's rotations, and the artificial enlargement of moments about long axes.
//
// A symmetric J is turned in the plane (p, q) by the angle t that makes J_pq vanish,
//   tan 2t = 2 J_pq / (J_qq − J_pp),   |t| ≤ π/4,                                                       (a)
// over the three planes in turn until nothing is left off the diagonal; the product of the turns gives the axes.
// Convergence is quadratic: five or six sweeps reach round-off. Jacobi's method preserves the relative accuracy of
// small moments where J is graded (a thin rod), which a closed formula for the roots does not.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "marey/shape.h"

namespace marey {
namespace {

// J ← Rᵀ J R, axes ← axes R, with R the turn in the plane (p, q) of (a).
void turn_away(Mat3<double>& J, Mat3<double>& axes, int p, int q) {
  const double small = std::numeric_limits<double>::epsilon() / 2 * std::min(std::abs(J(p, p)), std::abs(J(q, q)));
  if (std::abs(J(p, q)) <= small) {  // below the last digit of both moments: turning would only add round-off
    J(p, q) = J(q, p) = 0;
    return;
  }
  const double cot = (J(q, q) - J(p, p)) / (2 * J(p, q));
  const double t = (cot >= 0 ? 1.0 : -1.0) / (std::abs(cot) + std::hypot(1.0, cot));  // tangent of the turn
  const double c = 1 / std::hypot(1.0, t), s = t * c, off = J(p, q);
  const int r = 3 - p - q;
  J(p, p) -= t * off, J(q, q) += t * off;
  J(p, q) = J(q, p) = 0;
  const double jrp = J(r, p), jrq = J(r, q);
  J(r, p) = J(p, r) = c * jrp - s * jrq;
  J(r, q) = J(q, r) = s * jrp + c * jrq;
  for (int i = 0; i < 3; ++i) {
    const double ap = axes(i, p), aq = axes(i, q);
    axes(i, p) = c * ap - s * aq;
    axes(i, q) = s * ap + c * aq;
  }
}

Vec3<double> column(const Mat3<double>& a, int j) { return {a(0, j), a(1, j), a(2, j)}; }

// An axis and its opposite are the same principal axis; take the one whose largest component is positive.
Vec3<double> pointing_forward(const Vec3<double>& a) {
  int largest = 0;
  for (int i = 1; i < 3; ++i) {
    if (std::abs(a[i]) > std::abs(a[largest])) largest = i;
  }
  return a[largest] < 0 ? -a : a;
}

}  // namespace

PrincipalAxes principal_axes(const Sym3<double>& inertia) {
  Mat3<double> J = to_mat3(inertia), axes = Mat3<double>::identity();
  for (int sweep = 0; sweep < 30; ++sweep) {
    if (J.xy == 0 && J.xz == 0 && J.yz == 0) break;
    turn_away(J, axes, 0, 1), turn_away(J, axes, 0, 2), turn_away(J, axes, 1, 2);
  }
  std::array<int, 3> order{0, 1, 2};  // a stable sort of three: equal moments keep the order of their axes
  const auto arrange = [&](int i) {
    if (J(order[i + 1], order[i + 1]) < J(order[i], order[i])) std::swap(order[i], order[i + 1]);
  };
  arrange(0), arrange(1), arrange(0);
  const Vec3<double> a = pointing_forward(column(axes, order[0])), b = pointing_forward(column(axes, order[1]));
  const Vec3<double> c = cross(a, b);
  return {{J(order[0], order[0]), J(order[1], order[1]), J(order[2], order[2])},
          {a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z}};
}

PrincipalAxes principal_axes(const Inertia<double>& body) { return principal_axes(central_inertia(body)); }

Sym3<double> central_inertia(const Inertia<double>& body) {
  if (body.m == 0) return body.J;  // no mass, no centre: the matrix is the same about every point
  return body.J - point_inertia(body.m, (1 / body.m) * body.h);
}

Inertia<double> enlarged_about_axis(const Inertia<double>& body, const Vec3<double>& axis, double factor) {
  const double aa = norm_squared(axis);
  const double extra = (factor - 1) * dot(axis, central_inertia(body) * axis) / (aa * aa);
  Inertia<double> larger = body;
  // extra · a aᵀ has no moment about axes across a, and is the same about every point.
  larger.J += Sym3<double>{extra * axis.x * axis.x, extra * axis.y * axis.y, extra * axis.z * axis.z,
                           extra * axis.x * axis.y, extra * axis.x * axis.z, extra * axis.y * axis.z};
  return larger;
}

}  // namespace marey
