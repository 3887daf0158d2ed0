// Rows of every kind of constraint.
//
// A is fixed in link a and B in link b; r_A, r_B go from the links' origins to those of A and B; d = p_AoBo; all in W.
// Everything is made of three forms. The accelerations α, a of the links themselves are left out of the biases.
//
// Place: a function φ(x, t) of x = p_AoBo_A, with the gradient u = R_WA ∇φ in W. From d = R_WA x, differentiated twice,
//   R_WA ẋ = v_B − v_A − ω_A × d      ġ = u · R_WA ẋ + φ_t                                                          (1)
//   bias = u · (ω_B × (ω_B × r_B) − ω_A × (ω_A × (r_A + d)) − 2 ω_A × R_WA ẋ) + ẋᵀ φ″ ẋ + 2 ∇φ_t · ẋ + φ_tt         (2)
// so that λ is a force u at Bo on b, and −u at the same point on a.
//
// Axes: u · w, with u = R_WA û(t) and w fixed in b; u′, u″ the parts of u̇, ü that come from û. With m = w × u
//   ġ = m · (ω_B − ω_A) + u′ · w                                                                                    (3)
//   bias = (ω_A × (ω_A × u) + 2 ω_A × u′ + u″) · w + 2 (ω_A × u + u′) · (ω_B × w) + u · (ω_B × (ω_B × w))           (4)
//
// Rolling: see touch(). Couplers: see coupler.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "constraint/coupler.h"
#include "constraint/curves.h"
#include "constraint/parts.h"
#include "core/index.h"

namespace marey {
namespace {

using Vec = Vec3<double>;
using Kind = LoopJoint::Kind;

Vec column(const Mat3<double>& R, int k) { return {R(0, k), R(1, k), R(2, k)}; }
constexpr Vec unit(int k) { return {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0}; }

// What both ends are and do; in W.
struct Ends {
  int a = 0, b = 0;
  Mat3<double> R_A, R_B;
  Vec r_A, r_B, d;         // d: from Ao to Bo
  Vec w_A, w_B;            // of the links
  Vec x, x_rate;           // p_AoBo_A and its rate
  Vec carried;             // what (2) multiplies by u
  Vec v_A, v_B;            // of Ao and Bo
  Vec origin_A, origin_B;  // of the links
};

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

double since_of(const Constraint& c, const Instant<double>& now) { return c.since.value_or(now.t); }

// ---- place
struct Place {
  double value = 0;
  Vec gradient;          // in A
  double bent = 0;       // ẋᵀ φ″ ẋ + 2 ∇φ_t · ẋ + φ_tt
  double time_rate = 0;  // φ_t
};

ConstraintRow row_of(const Ends& e, const Place& p) {
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

Place along(const Ends& e, int axis) { return {e.x[axis], unit(axis), 0, 0}; }

// (k − 1) c with k² = Σ (x_i / radius_i)²; c, a mean radius, makes it the distance of a circle or sphere. Axes with an
// infinite radius do not count.
Place ellipse(const Ends& e, const Vec& radii) {
  Vec y, y_rate, inverse;
  double product = 1;
  int count = 0;
  for (int i = 0; i < 3; ++i) {
    if (!std::isfinite(radii[i])) continue;
    inverse[i] = 1 / radii[i], product *= radii[i], ++count;
    y[i] = e.x[i] * inverse[i], y_rate[i] = e.x_rate[i] * inverse[i];
  }
  const double c = std::pow(product, 1.0 / count), k = norm(y), k_rate = dot(y, y_rate) / k;
  Place p;
  p.value = c * (k - 1);
  for (int i = 0; i < 3; ++i) p.gradient[i] = c * y[i] * inverse[i] / k;
  p.bent = c * (dot(y_rate, y_rate) - k_rate * k_rate) / k;
  return p;
}

Place distance(const Ends& e, double length) {
  const double l = norm(e.x), rate = dot(e.x, e.x_rate) / l;
  return {l - length, (1 / l) * e.x, (dot(e.x_rate, e.x_rate) - rate * rate) / l, 0};
}

// A vector made a unit, and its derivatives.
struct Unit {
  Vec n, d1, d2;
};
Unit unit_of(const Vec& m, const Vec& m1, const Vec& m2) {
  const double l = norm(m);
  const Vec n = (1 / l) * m;
  const double l1 = dot(n, m1);
  const Vec n1 = (1 / l) * (m1 - l1 * n);
  const double l2 = dot(n1, m1) + dot(n, m2);
  return {n, n1, (1 / l) * (m2 - l2 * n - 2.0 * l1 * n1)};
}

// Two normals n of the path at the foot s(x) of Bo, where F = (x − C) · C′ = 0; φ = n(s) · e with e = x − C(s). s and
// its rates follow from F, Ḟ, F̈ = 0.
std::array<Place, 2> spline(const Ends& e, const SplinePath& path) {
  const double s = nearest_on(path, e.x);
  const CurvePoint c = curve_at(path, s);
  const Vec off = e.x - c.C;
  const double stiff = dot(c.d1, c.d1) - dot(off, c.d2);
  const Vec slope = (1 / stiff) * c.d1;  // ∇s
  const double s1 = dot(slope, e.x_rate);
  const Vec off1 = e.x_rate - s1 * c.d1;
  const double s2 = (-s1 * s1 * dot(c.d2, c.d1) + 2 * s1 * dot(off1, c.d2) + s1 * s1 * dot(off, c.d3)) / stiff;
  const Vec off2 = -s1 * s1 * c.d2 - s2 * c.d1;
  int square = 0;  // the axis farthest from the path's direction
  for (int k = 1; k < 3; ++k)
    if (std::abs(c.d1[k]) < std::abs(c.d1[square])) square = k;
  const Vec k = unit(square);
  std::array<Unit, 2> normals;
  normals[0] = unit_of(cross(k, c.d1), cross(k, c.d2), cross(k, c.d3));
  const Unit& n = normals[0];
  normals[1] = unit_of(cross(c.d1, n.n), cross(c.d2, n.n) + cross(c.d1, n.d1),
                       cross(c.d3, n.n) + 2.0 * cross(c.d2, n.d1) + cross(c.d1, n.d2));
  std::array<Place, 2> out;
  for (std::size_t i = 0; i < 2; ++i) {
    const Unit& u = normals[i];
    out[i] = {dot(u.n, off), u.n + dot(u.d1, off) * slope,
              dot(s1 * s1 * u.d2 + s2 * u.d1, off) + 2 * s1 * dot(u.d1, off1) + dot(u.n, off2), 0};
  }
  return out;
}

Place follow(const Ends& e, int axis, const TimeFunction::AtTime& f) {
  return {e.x[axis] - f.value, unit(axis), -f.acceleration, -f.rate};
}

// ---- axes
// û in A and its derivatives by time.
struct Arrow {
  Vec u, d1, d2;
};
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
ConstraintRow square(const Ends& e, int axis_A, int axis_B) {
  ConstraintRow row;
  add_axes(e, {unit(axis_A), {}, {}}, unit(axis_B), 1, row);
  return row;
}
// ½ (R_AB − R_ABᵀ) as a vector, which for small turns is the turn: ½ (a_k · b_j − a_j · b_k) about axis i.
ConstraintRow turn(const Ends& e, int i, const std::array<Arrow, 3>& axes) {
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  ConstraintRow row;
  add_axes(e, axes[index(k)], unit(j), 0.5, row);
  add_axes(e, axes[index(j)], unit(k), -0.5, row);
  return row;
}
std::array<Arrow, 3> still() { return {Arrow{unit(0), {}, {}}, Arrow{unit(1), {}, {}}, Arrow{unit(2), {}, {}}}; }
// The axes of a frame that turns about a fixed axis n: û̇ = θ̇ n × û, û̈ = θ̈ n × û + θ̇² n × (n × û).
std::array<Arrow, 3> turning(const Vec& n, const TimeFunction::AtTime& angle) {
  const Mat3<double> R = rotation_about(n, angle.value);
  std::array<Arrow, 3> axes;
  for (int k = 0; k < 3; ++k) {
    const Vec u = column(R, k), across = cross(n, u);
    axes[index(k)] = {u, angle.rate * across, angle.acceleration * across + angle.rate * angle.rate * cross(n, across)};
  }
  return axes;
}

// ---- the kinds
void rows_of(const LoopJoint& joint, const Constraint&, const Ends& e, const Instant<double>&,
             std::span<ConstraintRow> rows) {
  std::size_t n = 0;
  const auto place = [&](int axis) { rows[n++] = row_of(e, along(e, axis)); };
  const auto axis_parallel = [&] { rows[n++] = square(e, 0, 2), rows[n++] = square(e, 1, 2); };
  const auto no_turn = [&] {
    for (int i = 0; i < 3; ++i) rows[n++] = turn(e, i, still());
  };
  switch (joint.kind) {
    case Kind::ball:
      return place(0), place(1), place(2);
    case Kind::hinge:
      return place(0), place(1), place(2), axis_parallel();
    case Kind::slider:
      return place(0), place(1), no_turn();
    case Kind::weld:
      return place(0), place(1), place(2), no_turn();
    case Kind::universal:
      place(0), place(1), place(2);
      rows[n++] = square(e, 2, 0);
      return;
    case Kind::cylindrical:
      return place(0), place(1), axis_parallel();
    case Kind::planar:
      return place(2), axis_parallel();
    case Kind::on_line:
      return place(0), place(1);
    case Kind::on_plane:
      return place(2);
  }
}

void rows_of(const FixedDistance& rod, const Constraint&, const Ends& e, const Instant<double>&,
             std::span<ConstraintRow> rows) {
  rows[0] = row_of(e, distance(e, rod.length));
}

void rows_of(const OnPath& path, const Constraint&, const Ends& e, const Instant<double>&,
             std::span<ConstraintRow> rows) {
  if (path.spline) {
    const std::array<Place, 2> normals = spline(e, *path.spline);
    rows[0] = row_of(e, normals[0]), rows[1] = row_of(e, normals[1]);
    return;
  }
  rows[0] = row_of(e, ellipse(e, {path.radii[0], path.radii[1], forever}));
  rows[1] = row_of(e, along(e, 2));
}

void rows_of(const OnSurface& surface, const Constraint&, const Ends& e, const Instant<double>&,
             std::span<ConstraintRow> rows) {
  rows[0] = row_of(e, ellipse(e, surface.radii));
}

void rows_of(const Drive& drive, const Constraint& c, const Ends& e, const Instant<double>& now,
             std::span<ConstraintRow> rows) {
  std::size_t n = 0;
  if (drive.place)
    for (int k = 0; k < 3; ++k)
      rows[n++] = row_of(e, follow(e, k, (*drive.place)[index(k)].at(now.t, since_of(c, now))));
  if (!drive.angle) return;
  const std::array<Arrow, 3> axes = turning(drive.axis, drive.angle->at(now.t, since_of(c, now)));
  for (int i = 0; i < 3; ++i) rows[n++] = turn(e, i, axes);
}

void rows_of(const Coupler& coupler, const Constraint& c, const Ends&, const Instant<double>& now,
             std::span<ConstraintRow> rows) {
  rows[0] = coupler_row(coupler, now, since_of(c, now));
}

// The point P that touches lies at Bo + ρ f, f the direction in the body's reach farthest down: for the sphere −n, for
// the disc with axis k
//   f = −m/|m|,  m = n − (n · k) k                                                                                  (5)
// Its height n · (d + ρ f) has the rate of the material point of b that is there (f turns along the edge, whose tangent
// is level), n · u with
//   u = v_B + ω_B × ρ f − v_A − ω_A × (d + ρ f),                                                                    (6)
// and without slip t₁ · u = t₂ · u = 0. Their rates: P moves along the edge with Ṗ = v_B + ρ ḟ, n and t turn with A.
struct Touch {
  Vec f, f_rate;
};
Touch touch(const Rolling& rolling, const Ends& e, const Vec& n) {
  const Vec n_rate = cross(e.w_A, n);
  if (rolling.body == Rolling::Body::sphere) return {-n, -n_rate};
  const Vec k = column(e.R_B, 2), k_rate = cross(e.w_B, k);
  const double c = dot(n, k), c_rate = dot(n_rate, k) + dot(n, k_rate);
  const Vec m = n - c * k, m_rate = n_rate - c_rate * k - c * k_rate;  // (5)
  const double l = norm(m);
  const Vec f = (-1 / l) * m;
  return {f, (-1 / l) * (m_rate - dot(m_rate, f) * f)};
}

void rows_of(const Rolling& rolling, const Constraint&, const Ends& e, const Instant<double>&,
             std::span<ConstraintRow> rows) {
  const Vec n = column(e.R_A, 2);
  const Touch at = touch(rolling, e, n);
  const Vec reach = rolling.radius * at.f, r_b = e.r_B + reach, r_a = e.r_A + e.d + reach;
  const Vec u = e.v_B + cross(e.w_B, reach) - e.v_A - cross(e.w_A, e.d + reach);  // (6)
  const Vec P_rate = e.v_B + rolling.radius * at.f_rate;
  const Vec v_a = e.v_A - cross(e.w_A, e.r_A), v_b = e.v_B - cross(e.w_B, e.r_B);  // of the links' origins
  const Vec u_rate = cross(e.w_B, P_rate - v_b) - cross(e.w_A, P_rate - v_a);
  for (int i = 0; i < 3; ++i) {
    const Vec t = i == 0 ? n : column(e.R_A, i - 1);
    ConstraintRow& row = rows[index(i)] = {};
    put_part(row, e.b, {cross(r_b, t), t}, norm(r_b));
    put_part(row, e.a, {-cross(r_a, t), -t}, norm(r_a));
    row.holonomic = i == 0;
    if (i == 0) row.value = dot(n, e.d + reach);
    row.rate = dot(t, u);
    row.bias = dot(cross(e.w_A, t), u) + dot(t, u_rate);
  }
}

}  // namespace

// ------------------------------------------------------------------------------------------------- about constraints
const char* name_of(Kind kind) {
  constexpr const char* names[] = {"ball",        "hinge",  "slider",  "weld",    "universal",
                                   "cylindrical", "planar", "on_line", "on_plane"};
  return names[static_cast<int>(kind)];
}
int row_count(Kind kind) {
  constexpr int rows[] = {3, 5, 5, 6, 4, 4, 3, 2, 1};
  return rows[static_cast<int>(kind)];
}

int row_count(const Constraint& c) {
  if (const LoopJoint* joint = std::get_if<LoopJoint>(&c.kind)) return row_count(joint->kind);
  if (std::holds_alternative<OnPath>(c.kind)) return 2;
  if (const Drive* drive = std::get_if<Drive>(&c.kind)) return (drive->place ? 3 : 0) + (drive->angle ? 3 : 0);
  return std::holds_alternative<Rolling>(c.kind) ? 3 : 1;
}

void constraint_rows(const Constraint& c, const Instant<double>& now, std::span<ConstraintRow> rows) {
  const Ends e = std::holds_alternative<Coupler>(c.kind) ? Ends{} : ends_of(c, now);
  std::visit([&](const auto& kind) { rows_of(kind, c, e, now, rows); }, c.kind);
}

namespace {

// The functions of time of a constraint.
template <class Use>
void for_each_function(const Constraint& c, Use use) {
  if (const Coupler* coupler = std::get_if<Coupler>(&c.kind)) use(coupler->sum);
  const Drive* drive = std::get_if<Drive>(&c.kind);
  if (drive != nullptr && drive->place)
    for (const TimeFunction& f : *drive->place) use(f);
  if (drive != nullptr && drive->angle) use(*drive->angle);
}

bool reads_time(const TimeFunction& f) {
  return !f.t.empty() || std::any_of(f.formula.program.begin(), f.formula.program.end(),
                                     [](const Formula::Step& s) { return s.op == Formula::Op::variable; });
}

}  // namespace

bool moves_in_time(const Constraint& c) {
  bool moves = false;
  for_each_function(c, [&](const TimeFunction& f) { moves = moves || reads_time(f); });
  return moves;
}

double next_kink(const Constraint& c, double t) {
  double next = forever;
  for_each_function(c, [&](const TimeFunction& f) {
    if (f.t.empty()) return;
    for (const double end : {f.t.front(), f.t.back()})
      if (end > t + 1e-12 * (1 + std::abs(t))) next = std::min(next, end);
  });
  return next;
}

std::string refusal(const Model& model, const Constraint& c) {
  if (!(c.until > c.from)) return "it ends before it begins";
  if (const Coupler* coupler = std::get_if<Coupler>(&c.kind)) return refusal_of_coupler(model, *coupler);
  for (const LinkFrame* f : {&c.a, &c.b})
    if (f->link < 0 || f->link >= model.nlink()) return "there is no such link";
  if (c.a.link == c.b.link) return "it ties a link to itself";
  const auto positive = [](double x) { return x > 0 && std::isfinite(x); };
  if (const FixedDistance* rod = std::get_if<FixedDistance>(&c.kind); rod != nullptr && !positive(rod->length))
    return "the length of a rod is above zero";
  if (const OnSurface* s = std::get_if<OnSurface>(&c.kind);
      s != nullptr && !(positive(s->radii.x) && positive(s->radii.y) && positive(s->radii.z)))
    return "radii are above zero";
  if (const Rolling* r = std::get_if<Rolling>(&c.kind); r != nullptr && !positive(r->radius))
    return "the radius of what rolls is above zero";
  if (const OnPath* p = std::get_if<OnPath>(&c.kind)) {
    if (!p->spline && !(positive(p->radii[0]) && positive(p->radii[1]))) return "radii are above zero";
    if (p->spline && p->spline->points.size() < (p->spline->closed ? 3U : 2U))
      return "a path has at least two points, three when it is closed";
  }
  if (const Drive* d = std::get_if<Drive>(&c.kind); d != nullptr && !d->place && !d->angle)
    return "a drive gives a place, an angle or both";
  return {};
}

Constraint taken_as_is(const Constraint& c, const Instant<double>& now) {
  Constraint out = c;
  const Transform<double> X_WA = now.X_WB[index(c.a.link)] * c.a.X_LC, &X_b = now.X_WB[index(c.b.link)];
  const Transform<double> X_WB = X_b * c.b.X_LC;
  if (FixedDistance* rod = std::get_if<FixedDistance>(&out.kind)) rod->length = norm(X_WB.p - X_WA.p);
  if (Coupler* coupler = std::get_if<Coupler>(&out.kind); coupler != nullptr && coupler->from_where_it_is) {
    coupler->made = now.t, coupler->offset = off_script(*coupler, now);
  }
  if (std::holds_alternative<LoopJoint>(c.kind)) out.b.X_LC = inverse(X_b) * X_WA;
  return out;
}

}  // namespace marey
