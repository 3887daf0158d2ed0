// What two patches have in common, seen along a normal: the corners of contacts. The equations are in manifold.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "marey/shape/manifold.h"
#include "shape/minkowski.h"
#include "shape/patch.h"

namespace marey {

struct Corner {
  double s, t;                // place across the normal
  double height_a, height_b;  // of the cores' surfaces there
  Feature a, b;
};
struct Place {
  double s, t, height;
};

// Two edges at a smaller angle lie along each other: where one ends the other is off by this much of its length.
inline constexpr double parallel_edges = 0.01;
inline constexpr int corner_limit = 2 * patch_points;

void sort_by_name(std::span<Corner> corners);
// Leaves up to four of them, in front: those that span most. Returns how many. At most corner_limit.
int reduce_to_four(std::span<Corner> corners, double size, double thick);

// Turns a patch into places; `back`: it belongs to b.
class Seen {
 public:
  Patch patch;
  Room<Place, patch_points> places;
  // The plane of a polygon: height = h0 + hs s + ht t.
  double h0 = 0, hs = 0, ht = 0;

  void look(const Mat3<double>& R, const Vec3<double>& p, const Vec3<double>& n, const Vec3<double>& t1,
            const Vec3<double>& t2) {
    look_along(transpose_times(R, t1), transpose_times(R, t2), transpose_times(R, n), dot(t1, p), dot(t2, p),
               dot(n, p));
  }
  // The directions in the solid's own axes, and where its origin is seen.
  MAREY_INLINE void look_along(const Vec3<double>& s_S, const Vec3<double>& t_S, const Vec3<double>& n_S, double s0,
                               double t0, double z0) {
    for (int k = 0; k < patch.count; ++k) {
      const Vec3<double>& x = patch.points[k];
      places[k] = {s0 + dot(s_S, x), t0 + dot(t_S, x), z0 + dot(n_S, x)};
    }
    disc_ = false;
    if (patch.count < 3) return;
    const double mn = dot(n_S, patch.normal);
    hs = -dot(s_S, patch.normal) / mn, ht = -dot(t_S, patch.normal) / mn;
    h0 = places[0].height - hs * places[0].s - ht * places[0].t;
    if (mn < 0) std::reverse(places.begin(), places.begin() + patch.count);  // seen from behind it runs the other way
    turned_ = mn < 0;
  }
  double height_at(double s, double t) const { return h0 + hs * s + ht * t; }

  // The patch is the flat end of a cylinder or cone, of radius r about the axis z of R, p. Its corners are points of the rim;
  // what is inside, and where edges cross it, is a matter of the circle:
  //   u = u₀ + u_s s + u_t t,  v = v₀ + v_s s + v_t t  are the coordinates in its plane, along n, of what is seen at s, t.
  void make_disc(const Convex& c, const Mat3<double>& R, const Vec3<double>& p, const Vec3<double>& n,
                 const Vec3<double>& t1, const Vec3<double>& t2) {
    disc_ = true, radius_ = c.half.x;
    const Vec3<double> x{R.xx, R.yx, R.zx}, y{R.xy, R.yy, R.zy}, z{R.xz, R.yz, R.zz};
    center_ = p + (patch.normal.z * c.half.z) * z, x_ = radius_ * x, y_ = radius_ * y;
    const double xn = dot(x, n), yn = dot(y, n);
    u_[0] = dot(x, h0 * n - center_), u_[1] = dot(x, t1) + hs * xn, u_[2] = dot(x, t2) + ht * xn;
    v_[0] = dot(y, h0 * n - center_), v_[1] = dot(y, t1) + hs * yn, v_[2] = dot(y, t2) + ht * yn;
    first_rim_ = patch.along[0].index < 10 ? 2 : 10;
  }
  bool is_disc() const { return disc_; }
  double across(double s, double t) const { return u_[0] + u_[1] * s + u_[2] * t; }
  double up(double s, double t) const { return v_[0] + v_[1] * s + v_[2] * t; }
  double radius() const { return radius_; }
  Vec3<double> rim(double angle) const { return center_ + std::cos(angle) * x_ + std::sin(angle) * y_; }
  // The eighth of the rim.
  Feature rim_at(double s, double t) const {
    const int k = static_cast<int>(std::floor(std::atan2(up(s, t), across(s, t)) * (4 / 3.141592653589793) + 8)) % 8;
    return {FeatureKind::edge, first_rim_ + k};
  }
  // Inside the polygon, or outside by no more than `thick`.
  bool holds(double s, double t, double thick) const {
    if (disc_) {
      const double u = across(s, t), v = up(s, t), r = radius_ + thick;
      return u * u + v * v <= r * r;
    }
    for (int k = 0; k < patch.count; ++k) {
      const Place &p = places[k], &q = places[k + 1 == patch.count ? 0 : k + 1];
      const double es = q.s - p.s, et = q.t - p.t, side = es * (t - p.t) - et * (s - p.s);
      if (side < 0 && side * side > thick * thick * (es * es + et * et)) return false;
    }
    return true;
  }
  // The vertex that is there; else all of the patch.
  const Feature& name_at(double s, double t, double near) const {
    for (int k = 0; k < patch.count; ++k) {
      const double ds = places[k].s - s, dt = places[k].t - t;
      if (ds * ds + dt * dt <= near * near) return vertex(k);
    }
    return patch.whole;
  }
  // Of straight edges.
  int edge_count() const { return patch.count < 2 || disc_ ? 0 : patch.count == 2 ? 1 : patch.count; }
  const Place& from(int k) const { return places[k]; }
  const Place& to(int k) const { return places[k + 1 == patch.count ? 0 : k + 1]; }
  const Feature& vertex(int k) const { return patch.at[turned_ ? patch.count - 1 - k : k]; }
  const Feature& edge(int k) const {
    if (!turned_) return patch.along[k];
    return patch.along[k == patch.count - 1 ? patch.count - 1 : patch.count - 2 - k];
  }

 private:
  bool turned_ = false, disc_ = false;
  double radius_ = 0;
  int first_rim_ = 2;
  Vec3<double> center_, x_, y_;
  double u_[3] = {}, v_[3] = {};
};

class Clip {
 public:
  // Places are right to 1e-9 of the size between polyhedra; where a surface is round, a distance to 1e-14 is a place to
  // 1e-7, and where edges cross at small angles a hundred times that and more. Of a small solid of size r on a large one
  // of size R that is √(rR) times as much: a height of ε R is a place to √(2 r ε R).
  Clip(const CorePair& pair, const Vec3<double>& n, int hint_a = -1, int hint_b = -1)
      : pair_(pair), n_(n), hint_a_(hint_a), hint_b_(hint_b), level_(1e-9 * pair.size) {
    thick_ = is_polyhedral(pair.a.kind) && is_polyhedral(pair.b.kind) ? level_ : 1e-4 * scale();
    across(n, t1_, t2_);
  }
  int count() const { return count_; }
  const Corner& corner(int k) const { return corners_[k]; }
  double gap(const Corner& c) const { return c.height_b - c.height_a - pair_.a.margin - pair_.b.margin; }
  Vec3<double> middle(const Corner& c) const {
    const double height = 0.5 * (c.height_a + pair_.a.margin + c.height_b - pair_.b.margin);
    return c.s * t1_ + c.t * t2_ + height * n_;
  }
  double deepest() const {
    double least = 1e300;
    for (int k = 0; k < count_; ++k) least = std::min(least, gap(corners_[k]));
    return least;
  }

  void find() {
    if (pair_.a.kind == ConvexKind::plane || pair_.b.kind == ConvexKind::plane) return with_plane();
    facing_patch(pair_.a, n_, a_.patch, hint_a_);
    facing_patch(pair_.b, -transpose_times(pair_.X_AB.R, n_), b_.patch, hint_b_);
    a_.look_along(t1_, t2_, n_, 0, 0, 0);
    b_.look(pair_.X_AB.R, pair_.X_AB.p, n_, t1_, t2_);
    if (has_disc(pair_.a, a_)) a_.make_disc(pair_.a, Mat3<double>::identity(), {}, n_, t1_, t2_);
    if (has_disc(pair_.b, b_)) b_.make_disc(pair_.b, pair_.X_AB.R, pair_.X_AB.p, n_, t1_, t2_);
    vertices_inside();
    if (a_.patch.count == 2 && b_.patch.count == 2 && along_each_other()) return;
    crossings();
    if (a_.is_disc()) crossings_of_rim(a_, b_, true);
    if (b_.is_disc()) crossings_of_rim(b_, a_, false);
    if (a_.is_disc() && b_.is_disc()) crossings_of_rims();
  }
  // The witness of the signed distance: a corner that is as deep, or else so near that it is the same but for the last
  // digits of a round surface's normal, takes its depth or its place.
  void add_witness(const Vec3<double>& x, const Vec3<double>& y, double distance) {
    const Vec3<double> middle = 0.5 * (x + y);
    const double s = dot(t1_, middle), t = dot(t2_, middle), height = dot(n_, middle);
    const double half = 0.5 * (distance + pair_.a.margin + pair_.b.margin);
    const double base = height - 0.5 * (pair_.a.margin - pair_.b.margin);
    bool there = false;
    for (int k = 0; k < count_; ++k) {
      Corner& c = corners_[k];
      if (gap(c) > distance + (there ? 0 : level_)) continue;
      there = true;
      c.height_b += distance - gap(c);  // nothing is deeper than the signed distance
    }
    if (there) return;
    for (int k = 0; k < count_; ++k) {
      Corner& c = corners_[k];
      const double ds = c.s - s, dt = c.t - t, near = 1e-3 * scale();
      if (gap(c) > distance + 1e-2 * near || ds * ds + dt * dt > near * near) continue;
      c.s = s, c.t = t, c.height_a = base - half, c.height_b = base + half;
      return;
    }
    add({s, t, base - half, base + half, a_.name_at(s, t, 10 * thick_), b_.name_at(s, t, 10 * thick_)});
  }
  void keep_within(double within) {
    int kept = 0;
    for (int k = 0; k < count_; ++k)
      if (gap(corners_[k]) <= within) corners_[kept++] = corners_[k];
    count_ = kept;
  }
  void reduce() {
    if (count_ > 4) count_ = reduce_to_four({corners_.begin(), index(count_)}, scale(), thick_);
  }
  double thick() const { return thick_; }
  // Three roots, which few contacts need.
  double scale() const {
    double smaller = pair_.size;
    for (const Convex* c : {&pair_.a, &pair_.b})
      if (c->kind != ConvexKind::plane) smaller = std::min(smaller, reach(*c));
    return std::sqrt(pair_.size * smaller);
  }
  const Vec3<double>& across1() const { return t1_; }
  const Vec3<double>& across2() const { return t2_; }

 private:
  void with_plane() {
    const bool plane_is_a = pair_.a.kind == ConvexKind::plane;
    Seen& other = plane_is_a ? b_ : a_;
    const Convex& solid = plane_is_a ? pair_.b : pair_.a;
    const Transform<double> X = plane_is_a ? pair_.X_AB : Transform<double>{};
    facing_patch(plane_is_a ? pair_.a : pair_.b, {0, 0, 1}, (plane_is_a ? a_ : b_).patch);
    if (solid.kind == ConvexKind::plane) return;
    facing_patch(solid, transpose_times(X.R, plane_is_a ? -n_ : n_), other.patch);
    other.look(X.R, X.p, n_, t1_, t2_);
    const double floor = plane_is_a ? 0 : dot(n_, pair_.X_AB.p);
    for (int k = 0; k < other.patch.count; ++k) {
      const Place& p = other.places[k];
      const Feature plane{FeatureKind::face, 0};
      if (plane_is_a)
        add({p.s, p.t, floor, p.height, plane, other.vertex(k)});
      else
        add({p.s, p.t, p.height, floor, other.vertex(k), plane});
    }
  }
  void vertices_inside() {
    if (b_.patch.count > 2)
      for (int k = 0; k < a_.patch.count; ++k) {
        const Place& p = a_.places[k];
        if (b_.holds(p.s, p.t, thick_)) add({p.s, p.t, p.height, b_.height_at(p.s, p.t), a_.vertex(k), b_.patch.whole});
      }
    if (a_.patch.count > 2)
      for (int k = 0; k < b_.patch.count; ++k) {
        const Place& p = b_.places[k];
        if (!a_.holds(p.s, p.t, thick_)) continue;
        const Corner c{p.s, p.t, a_.height_at(p.s, p.t), p.height, a_.patch.whole, b_.vertex(k)};
        Corner* same = find_near(p.s, p.t);
        if (same)
          same->b = c.b;  // vertex on vertex
        else
          add(c);
      }
  }
  // Within `thick` of an end of an edge the crossing is that vertex.
  void crossings() {
    for (int i = 0; i < a_.edge_count(); ++i)
      for (int j = 0; j < b_.edge_count(); ++j) {
        const Place &p = a_.from(i), &q = a_.to(i), &u = b_.from(j), &v = b_.to(j);
        const double es = q.s - p.s, et = q.t - p.t, fs = v.s - u.s, ft = v.t - u.t;
        const double turn = es * ft - et * fs, us = u.s - p.s, ut = u.t - p.t;
        // Where on a's edge and on b's, both times |turn|; most are outside, and need no division to say so.
        const double size = std::abs(turn), sign = turn < 0 ? -1 : 1, more = 1e-6 * size;
        const double k = sign * (us * ft - ut * fs), l = sign * (us * et - ut * es);
        if (k < -more || k > size + more || l < -more || l > size + more) continue;
        const double ee = es * es + et * et, ff = fs * fs + ft * ft;
        if (size * size <= 1e-24 * ee * ff) continue;
        add_crossing(i, j, k / size, l / size, std::sqrt(ee), std::sqrt(ff));
      }
  }
  void add_crossing(int i, int j, double k, double l, double e, double f) {
    if (std::max(-k, k - 1) * e > thick_ || std::max(-l, l - 1) * f > thick_) return;
    const Place &p = a_.from(i), &q = a_.to(i), &u = b_.from(j), &v = b_.to(j);
    const double s = p.s + k * (q.s - p.s), t = p.t + k * (q.t - p.t);
    if (find_near(s, t)) return;
    const int i_next = i + 1 == a_.patch.count ? 0 : i + 1, j_next = j + 1 == b_.patch.count ? 0 : j + 1;
    const bool a_first = k * e <= thick_, a_last = (1 - k) * e <= thick_, b_first = l * f <= thick_;
    const bool b_last = (1 - l) * f <= thick_;
    add({s, t, p.height + k * (q.height - p.height), u.height + l * (v.height - u.height),
         a_first  ? a_.vertex(i)
         : a_last ? a_.vertex(i_next)
                  : a_.edge(i),
         b_first  ? b_.vertex(j)
         : b_last ? b_.vertex(j_next)
                  : b_.edge(j)});
  }
  static bool has_disc(const Convex& c, const Seen& seen) {
    return seen.patch.count > 2 && (c.kind == ConvexKind::cylinder || c.kind == ConvexKind::cone);
  }
  // Where the other's edges cross the circle: |(u, v)| = r along each.
  void crossings_of_rim(const Seen& disc, const Seen& other, bool disc_is_a) {
    for (int j = 0; j < other.edge_count(); ++j) {
      const Place &p = other.from(j), &q = other.to(j);
      const double u = disc.across(p.s, p.t), v = disc.up(p.s, p.t);
      const double du = disc.across(q.s, q.t) - u, dv = disc.up(q.s, q.t) - v;
      const double a = du * du + dv * dv, b = u * du + v * dv, c = u * u + v * v - disc.radius() * disc.radius();
      if (!(b * b - a * c > 0)) continue;
      const double root = std::sqrt(b * b - a * c);
      for (const double k : {(-b - root) / a, (-b + root) / a}) {
        if (!(k >= 0 && k <= 1)) continue;
        const double s = p.s + k * (q.s - p.s), t = p.t + k * (q.t - p.t);
        if (find_near(s, t)) continue;
        const double height = p.height + k * (q.height - p.height), flat = disc.height_at(s, t);
        const Feature rim = disc.rim_at(s, t), edge = other.edge(j);
        if (disc_is_a)
          add({s, t, flat, height, rim, edge});
        else
          add({s, t, height, flat, edge, rim});
      }
    }
  }
  // Of two: where a's circle passes b's, by halving between sixteen of its points. Seen along n they are ellipses.
  void crossings_of_rims() {
    const auto outside = [&](double angle, double& s, double& t) {
      const Vec3<double> p = a_.rim(angle);
      s = dot(t1_, p), t = dot(t2_, p);
      const double u = b_.across(s, t), v = b_.up(s, t);
      return u * u + v * v > b_.radius() * b_.radius();
    };
    constexpr double step = 0.39269908169872414;
    double s = 0, t = 0;
    bool last = outside(0, s, t);
    for (int k = 1; k <= 16; ++k) {
      const bool here = outside(k * step, s, t);
      if (here == std::exchange(last, here)) continue;
      double low = (k - 1) * step, high = k * step;
      for (int halves = 0; halves < 50; ++halves) {
        const double middle = 0.5 * (low + high);
        (outside(middle, s, t) == here ? high : low) = middle;
      }
      if (!find_near(s, t)) add({s, t, a_.height_at(s, t), b_.height_at(s, t), a_.rim_at(s, t), b_.rim_at(s, t)});
    }
  }
  // Two segments side by side: the ends of their common stretch. False: they cross.
  bool along_each_other() {
    const Place &p = a_.places[0], &q = a_.places[1], &u = b_.places[0], &v = b_.places[1];
    const double es = q.s - p.s, et = q.t - p.t, fs = v.s - u.s, ft = v.t - u.t;
    const double ee = es * es + et * et, ff = fs * fs + ft * ft, turn = es * ft - et * fs;
    if (turn * turn > parallel_edges * parallel_edges * ee * ff) return false;
    for (int k = 0; k < 2; ++k) {
      const Place& x = a_.places[k];
      const double l = ((x.s - u.s) * fs + (x.t - u.t) * ft) / ff;
      if (l >= 0 && l <= 1)
        add({0.5 * (x.s + u.s + l * fs), 0.5 * (x.t + u.t + l * ft), x.height, u.height + l * (v.height - u.height),
             a_.vertex(k), b_.patch.whole});
    }
    for (int k = 0; k < 2; ++k) {
      const Place& y = b_.places[k];
      const double l = ((y.s - p.s) * es + (y.t - p.t) * et) / ee;
      if (l < 0 || l > 1) continue;
      const double s = 0.5 * (y.s + p.s + l * es), t = 0.5 * (y.t + p.t + l * et);
      Corner* same = find_near(s, t);
      if (same)
        same->b = b_.vertex(k);
      else
        add({s, t, p.height + l * (q.height - p.height), y.height, a_.patch.whole, b_.vertex(k)});
    }
    return true;
  }
  Corner* find_near(double s, double t) {
    for (int k = 0; k < count_; ++k) {
      const double ds = corners_[k].s - s, dt = corners_[k].t - t;
      if (ds * ds + dt * dt <= 4 * thick_ * thick_) return &corners_[k];
    }
    return nullptr;
  }
  void add(const Corner& c) {
    if (count_ < corner_limit) corners_[count_++] = c;
  }

  const CorePair& pair_;
  Vec3<double> n_, t1_, t2_;
  int hint_a_, hint_b_;  // vertices of hulls to look at first
  double level_, thick_ = 0;
  Seen a_, b_;
  int count_ = 0;
  Room<Corner, corner_limit> corners_;
};

}  // namespace marey
