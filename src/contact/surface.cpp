#include "marey/contact/surface.h"

#include <cmath>

namespace marey {
namespace {

using Vec = Vec3<double>;

// What (2) and (3) are made of.
struct Rim {
  Vec k, m;
  double along, length;  // n·k, |m|
  Rim(const FloorContact& c, const Mat3<double>& R) : k(R * c.surface.axis_B) {
    along = dot(c.plane.normal_W, k);
    m = c.plane.normal_W - along * k;
    length = norm(m);
  }
};

}  // namespace

double tilt_of_rim(const FloorContact& c, const Mat3<double>& R) { return Rim(c, R).length; }

Vec offset_of_contact(const FloorContact& c, const Mat3<double>& R) {
  const Vec r = R * c.point_B;
  if (c.surface.kind == ContactSurface::Kind::ball) return r - c.surface.radius * c.plane.normal_W;
  if (c.surface.kind == ContactSurface::Kind::point) return r;
  const Rim rim(c, R);
  return rim.length > 0 ? r - c.surface.radius / rim.length * rim.m : r;
}

Vec rate_of_offset(const FloorContact& c, const Mat3<double>& R, const Vec& w) {
  const Vec rate = cross(w, R * c.point_B);
  if (c.surface.kind != ContactSurface::Kind::rim) return rate;
  const Rim rim(c, R);
  if (!(rim.length > 0)) return rate;
  const Vec k_rate = cross(w, rim.k), n = c.plane.normal_W;
  const Vec m_rate = -dot(n, k_rate) * rim.k - rim.along * k_rate;
  const Vec turned = m_rate - dot(rim.m, m_rate) / (rim.length * rim.length) * rim.m;
  return rate - c.surface.radius / rim.length * turned;
}

}  // namespace marey
