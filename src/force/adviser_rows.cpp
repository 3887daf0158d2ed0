#include "force/adviser_rows.h"

#include <algorithm>
#include <cmath>

#include "marey/core/index.h"

namespace marey {

std::array<Vec3<double>, 2> across(const Vec3<double>& a) {
  const int least = std::abs(a.x) <= std::abs(a.y) ? (std::abs(a.x) <= std::abs(a.z) ? 0 : 2)
                                                   : (std::abs(a.y) <= std::abs(a.z) ? 1 : 2);
  const Vec3<double> b = cross(a, unit_vectors[least]), unit = (1 / norm(b)) * b;
  return {unit, (1 / norm(a)) * cross(a, unit)};
}

double largest(const TimeTable& table) {
  return table.value.empty() ? 0 : *std::max_element(table.value.begin(), table.value.end());
}

Vec3<double> axis_of(const Model& model, int link, const NamedAngle& angle) {
  const JointType joint = model.links[index(link)].joint;
  if (joint == JointType::hinge || joint == JointType::slider) return model.params.links[index(link)].axis;
  switch (angle.kind) {
    case NamedAngle::Kind::euler_x:
      return unit_vectors[0];
    case NamedAngle::Kind::euler_y:
      return unit_vectors[1];
    case NamedAngle::Kind::euler_z:
      return unit_vectors[2];
    default:
      return (1 / norm(angle.axis)) * angle.axis;
  }
}

void AdviserRows::on_point(std::vector<AdviserRow>& rows, int link, const Vec3<double>& point_B, double k,
                           double turning_k) const {
  const Vec3<double> r = at.X_WB[index(link)].R * point_B;
  for (const Vec3<double>& u : unit_vectors) {
    if (k > 0) rows.push_back({link, false, cross(r, u), u, k, source});
    if (turning_k > 0) rows.push_back({link, false, u, {}, turning_k, source});
  }
}

void AdviserRows::on_center(std::vector<AdviserRow>& rows, int link, const Vec3<double>& u, double k) const {
  const Vec3<double> r = at.X_WB[index(link)].R * com_B(link);
  if (k > 0) rows.push_back({link, false, cross(r, u), u, k, source});
}

void AdviserRows::between(std::vector<AdviserRow>& rows, const Anchor& a, const Anchor& b, double k) const {
  if (!(k > 0)) return;
  const Vec3<double> r_a = at.X_WB[index(a.link)].R * a.point, r_b = at.X_WB[index(b.link)].R * b.point;
  const Vec3<double> d = (at.X_WB[index(b.link)].p + r_b) - (at.X_WB[index(a.link)].p + r_a);
  const double length = norm(d);
  const Vec3<double> u = length > 0 ? (1 / length) * d : unit_vectors[0];
  rows.push_back({b.link, false, cross(r_b, u), u, k, source, a.link, -cross(r_a, u), -u});
}

void AdviserRows::in_joint(std::vector<AdviserRow>& rows, int link, const Vec3<double>& gradient, int first,
                           double k) const {
  AdviserRow row{link, true, gradient, {}, k, source};
  row.first = first;
  rows.push_back(row);
}

void AdviserRows::along_angle(std::vector<AdviserRow>& rows, int link, const NamedAngle& angle, double k) const {
  const AngleAndGradient<double> a = named_angle(angle, at, link);
  Vec3<double> g = a.gradient;
  if (norm(g) == 0) g = axis_of(at.model, link, angle);
  in_joint(rows, link, g, a.first, k);
}

double AdviserRows::mass(int link) const { return at.model.params.links[index(link)].I.m; }
Vec3<double> AdviserRows::com_B(int link) const {
  const Inertia<double>& I = at.model.params.links[index(link)].I;
  return I.m > 0 ? (1 / I.m) * I.h : Vec3<double>{};
}
Vec3<double> AdviserRows::center(int link) const { return at.X_WB[index(link)] * com_B(link); }

}  // namespace marey
