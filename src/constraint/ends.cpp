#include "constraint/ends.h"

#include <cmath>

#include "marey/core/index.h"
#include "marey/rows/parts.h"

namespace marey {
namespace {

using Vec = Vec3<double>;

// An axis as (3) and (4) ask for it: fixed in A, or moving in it; or fixed in B.
struct AxisOfA {
  AxisOfA(const Ends& e, const Arrow& arrow) : u(e.R_A * arrow.u), u1(e.R_A * arrow.d1) {
    const Vec turned = cross(e.w_A, u);
    rate = turned + u1;
    rest = cross(e.w_A, turned) + 2.0 * cross(e.w_A, u1) + e.R_A * arrow.d2;
  }
  AxisOfA(const Ends& e, int axis) : u(column(e.R_A, axis)), rate(cross(e.w_A, u)), rest(cross(e.w_A, rate)) {}
  Vec u, u1;
  Vec rate, rest;  // u̇; ü without ω̇_A
};
struct AxisOfB {
  AxisOfB(const Ends& e, int axis) : w(column(e.R_B, axis)), rate(cross(e.w_B, w)), rest(cross(e.w_B, rate)) {}
  Vec w;
  Vec rate, rest;  // ẇ; ẅ without ω̇_B
};

void add_axes(const Ends& e, const AxisOfA& a, const AxisOfB& b, double factor, ConstraintRow& row) {
  const Vec m = factor * cross(b.w, a.u);
  const double moment = norm(m);
  put_part(row, e.b, {m, {}}, moment);
  put_part(row, e.a, {-m, {}}, moment);
  row.value += factor * dot(a.u, b.w);
  row.time_rate += factor * dot(a.u1, b.w);
  row.rate += dot(m, e.w_B - e.w_A) + factor * dot(a.u1, b.w);                           // (3)
  row.bias += factor * (dot(a.rest, b.w) + 2 * dot(a.rate, b.rate) + dot(a.u, b.rest));  // (4)
}

// u at Bo on b, and −u at the same point on a; of the bias what (2) multiplies by u.
void put_force(const Ends& e, const Vec& u, ConstraintRow& row) {
  const double force = norm(u);
  put_part(row, e.b, {cross(e.r_B, u), u}, e.reach_B * force);
  put_part(row, e.a, {-cross(e.r_A + e.d, u), -u}, e.reach_A * force);
  row.bias = dot(u, e.carried);
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
  e.reach_A = norm(e.r_A) + norm(e.d), e.reach_B = norm(e.r_B);
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

void put_place(const Ends& e, const PlaceRow& p, ConstraintRow& row) {
  put_force(e, e.R_A * p.gradient, row);
  row.value = p.value;
  row.time_rate = p.time_rate;
  row.rate = dot(p.gradient, e.x_rate) + p.time_rate;  // (1)
  row.bias += p.bent;                                  // (2)
}

void put_along(const Ends& e, int axis, ConstraintRow& row) {
  put_force(e, column(e.R_A, axis), row);
  row.value = e.x[axis], row.rate = e.x_rate[axis];
}

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

void put_square(const Ends& e, int axis_A, int axis_B, ConstraintRow& row) {
  add_axes(e, {e, axis_A}, {e, axis_B}, 1, row);
}

namespace {
void put_turns(const Ends& e, const std::array<AxisOfA, 3>& of_A, std::span<ConstraintRow> rows) {
  const std::array<AxisOfB, 3> of_B{AxisOfB{e, 0}, {e, 1}, {e, 2}};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    add_axes(e, of_A[k], of_B[j], 0.5, rows[i]);
    add_axes(e, of_A[j], of_B[k], -0.5, rows[i]);
  }
}
}  // namespace

void put_turns(const Ends& e, const std::array<Arrow, 3>& axes, std::span<ConstraintRow> rows) {
  put_turns(e, std::array{AxisOfA{e, axes[0]}, AxisOfA{e, axes[1]}, AxisOfA{e, axes[2]}}, rows);
}
void put_turns(const Ends& e, std::span<ConstraintRow> rows) {
  put_turns(e, std::array{AxisOfA{e, 0}, AxisOfA{e, 1}, AxisOfA{e, 2}}, rows);
}

}  // namespace marey
