#include "constraint/ends.h"

#include <cmath>

#include "marey/core/index.h"
#include "marey/rows/parts.h"

namespace marey {
namespace {

using Vec = Vec3<double>;

void add_axes(const Ends& e, const Arrow& arrow, const Vec& w_in_B, double factor, ConstraintRow& row) {
  const Vec u = e.R_A * arrow.u, u1 = e.R_A * arrow.d1, u2 = e.R_A * arrow.d2, w = e.R_B * w_in_B;
  const Vec m = factor * cross(w, u);
  put_part(row, e.b, {m, {}}, norm(m));
  put_part(row, e.a, {-m, {}}, norm(m));
  row.value += factor * dot(u, w);
  row.time_rate += factor * dot(u1, w);
  row.rate += dot(m, e.w_B - e.w_A) + factor * dot(u1, w);  // (3)
  row.bias += factor * (dot(cross(e.w_A, cross(e.w_A, u)) + 2.0 * cross(e.w_A, u1) + u2, w) +
                        2 * dot(cross(e.w_A, u) + u1, cross(e.w_B, w)) + dot(u, cross(e.w_B, cross(e.w_B, w))));  // (4)
}

}  // namespace

Ends ends_of(const Constraint& c, const Instant<double>& now) {
  Ends e;
  e.a = c.a.link, e.b = c.b.link;
  const Transform<double>&X_a = now.X_WB[index(e.a)], &X_b = now.X_WB[index(e.b)];
  const Twist<double> V_a = e.a == 0 ? Twist<double>{} : now.V_WB[index(e.a)];
  const Twist<double> V_b = e.b == 0 ? Twist<double>{} : now.V_WB[index(e.b)];
  e.R_A = X_a.R * c.a.X_LC.R, e.R_B = X_b.R * c.b.X_LC.R;
  e.r_A = X_a.R * c.a.X_LC.p, e.r_B = X_b.R * c.b.X_LC.p;
  e.origin_A = X_a.p, e.origin_B = X_b.p;
  e.d = X_b.p + e.r_B - X_a.p - e.r_A;
  e.w_A = V_a.w, e.w_B = V_b.w;
  e.v_A = V_a.v + cross(V_a.w, e.r_A), e.v_B = V_b.v + cross(V_b.w, e.r_B);
  const Vec along = e.v_B - e.v_A - cross(e.w_A, e.d);  // (1)
  e.x = transpose_times(e.R_A, e.d), e.x_rate = transpose_times(e.R_A, along);
  e.carried = cross(e.w_B, cross(e.w_B, e.r_B)) - cross(e.w_A, cross(e.w_A, e.r_A + e.d)) - 2.0 * cross(e.w_A, along);
  return e;
}

std::string refusal_of_ends(const Model& model, const Constraint& c) {
  for (const LinkFrame* f : {&c.a, &c.b})
    if (f->link < 0 || f->link >= model.nlink()) return "there is no such link";
  return c.a.link == c.b.link ? "it ties a link to itself" : "";
}

ConstraintRow row_of(const Ends& e, const PlaceRow& p) {
  ConstraintRow row;
  const Vec u = e.R_A * p.gradient;
  put_part(row, e.b, {cross(e.r_B, u), u}, norm(e.r_B) * norm(u));
  put_part(row, e.a, {-cross(e.r_A + e.d, u), -u}, (norm(e.r_A) + norm(e.d)) * norm(u));
  row.value = p.value;
  row.time_rate = p.time_rate;
  row.rate = dot(p.gradient, e.x_rate) + p.time_rate;  // (1)
  row.bias = dot(u, e.carried) + p.bent;               // (2)
  return row;
}

PlaceRow along(const Ends& e, int axis) { return {e.x[axis], unit_vector(axis), 0, 0}; }

PlaceRow ellipse(const Ends& e, const Vec& radii) {
  Vec y, y_rate, inverse;
  double product = 1;
  int count = 0;
  for (int i = 0; i < 3; ++i) {
    if (!std::isfinite(radii[i])) continue;
    inverse[i] = 1 / radii[i], product *= radii[i], ++count;
    y[i] = e.x[i] * inverse[i], y_rate[i] = e.x_rate[i] * inverse[i];
  }
  const double c = std::pow(product, 1.0 / count), k = norm(y), k_rate = dot(y, y_rate) / k;
  PlaceRow p;
  p.value = c * (k - 1);
  for (int i = 0; i < 3; ++i) p.gradient[i] = c * y[i] * inverse[i] / k;
  p.bent = c * (dot(y_rate, y_rate) - k_rate * k_rate) / k;
  return p;
}

ConstraintRow square(const Ends& e, int axis_A, int axis_B) {
  ConstraintRow row;
  add_axes(e, {unit_vector(axis_A), {}, {}}, unit_vector(axis_B), 1, row);
  return row;
}
ConstraintRow turn(const Ends& e, int i, const std::array<Arrow, 3>& axes) {
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  ConstraintRow row;
  add_axes(e, axes[index(k)], unit_vector(j), 0.5, row);
  add_axes(e, axes[index(j)], unit_vector(k), -0.5, row);
  return row;
}
std::array<Arrow, 3> still() {
  return {Arrow{unit_vector(0), {}, {}}, Arrow{unit_vector(1), {}, {}}, Arrow{unit_vector(2), {}, {}}};
}

}  // namespace marey
