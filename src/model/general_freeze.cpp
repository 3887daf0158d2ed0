// From the description of a general joint to what a model keeps of it.
//
// Cubic spline through (x_i, y_i), i = 0 … n, with h_i = x_(i+1) − x_i, slopes d_i = (y_(i+1) − y_i)/h_i and second
// derivatives m_i at the knots (C. de Boor, A Practical Guide to Splines, ch. IV):
//   h_(i−1) m_(i−1) + 2 (h_(i−1) + h_i) m_i + h_i m_(i+1) = 6 (d_i − d_(i−1)),   0 < i < n                           (1)
//   natural  m_0 = m_n = 0
//   clamped  2 h_0 m_0 + h_0 m_1 = 6 (d_0 − y_0′)    h_(n−1) m_(n−1) + 2 h_(n−1) m_n = 6 (y_n′ − d_(n−1))             (2)
// and between x_i and x_(i+1), with u = x − x_i,
//   y = y_i + (d_i − h_i (2 m_i + m_(i+1))/6) u + m_i/2 u² + (m_(i+1) − m_i)/(6 h_i) u³                               (3)
#include <algorithm>
#include <cmath>

#include "model/general_joint.h"

namespace marey {
namespace {

using Vec = Vec3<double>;
using Coefficients = std::vector<double>;

Vec unit_axis(const LinkSpec& link, const Vec& a, const char* what) {
  const double length = norm(a);
  if (!std::isfinite(length) || length < 1e-300)
    throw InvalidSpec(link.name, std::string("its joint's ") + what + " has no direction");
  return (1 / length) * a;
}

// One function under construction: its pieces in a row.
struct Writer {
  FrozenJoint& out;
  void add(int channel, int coordinate, int degree, const Coefficients& pieces) const {
    const int first = static_cast<int>(out.params.coefficients.size());
    const int count = static_cast<int>(pieces.size()) / (degree + 3);
    out.joint.functions.push_back({channel, coordinate, degree, count, first});
    out.joint.used[static_cast<std::size_t>(channel)] = true;
    out.params.coefficients.insert(out.params.coefficients.end(), pieces.begin(), pieces.end());
  }
  // slope × coordinate
  void linear(int channel, int coordinate, double slope) const { add(channel, coordinate, 1, {0, 0, 0, slope}); }
};

// (1)(2): the second derivatives at the knots, by elimination from the top.
std::vector<double> second_derivatives(const JointFunction& f) {
  const std::size_t n = f.x.size() - 1;
  std::vector<double> lower(n + 1), diagonal(n + 1, 1.0), upper(n + 1), m(n + 1);
  const auto h = [&](std::size_t i) { return f.x[i + 1] - f.x[i]; };
  const auto d = [&](std::size_t i) { return (f.y[i + 1] - f.y[i]) / h(i); };
  for (std::size_t i = 1; i < n; ++i)
    lower[i] = h(i - 1), diagonal[i] = 2 * (h(i - 1) + h(i)), upper[i] = h(i), m[i] = 6 * (d(i) - d(i - 1));
  if (f.end_slopes) {
    diagonal[0] = 2 * h(0), upper[0] = h(0), m[0] = 6 * (d(0) - (*f.end_slopes)[0]);
    lower[n] = h(n - 1), diagonal[n] = 2 * h(n - 1), m[n] = 6 * ((*f.end_slopes)[1] - d(n - 1));
  }
  for (std::size_t i = 1; i <= n; ++i) {
    const double r = lower[i] / diagonal[i - 1];
    diagonal[i] -= r * upper[i - 1], m[i] -= r * m[i - 1];
  }
  m[n] /= diagonal[n];
  for (std::size_t i = n; i-- > 0;) m[i] = (m[i] - upper[i] * m[i + 1]) / diagonal[i];
  return m;
}

// (3), with straight lines before and after.
Coefficients spline(const JointFunction& f) {
  const std::size_t n = f.x.size() - 1;
  const std::vector<double> m = second_derivatives(f);
  Coefficients pieces;
  const auto add = [&](double from, double a, double b, double c, double d) {
    pieces.insert(pieces.end(), {from, from, a, b, c, d});
  };
  double slope = 0, h = 0;
  for (std::size_t i = 0; i < n; ++i) {
    h = f.x[i + 1] - f.x[i];
    slope = (f.y[i + 1] - f.y[i]) / h - h * (2 * m[i] + m[i + 1]) / 6;
    if (i == 0) add(f.x[0], f.y[0], slope, 0, 0);
    add(f.x[i], f.y[i], slope, m[i] / 2, (m[i + 1] - m[i]) / (6 * h));
  }
  add(f.x[n], f.y[n], slope + h * (m[n - 1] + m[n]) / 2, 0, 0);
  return pieces;
}

void check_table(const LinkSpec& link, const JointFunction& f) {
  if (f.x.size() != f.y.size() || f.x.size() < 2)
    throw InvalidSpec(link.name, "a table of its joint needs at least two points, each with two numbers");
  for (std::size_t i = 0; i < f.x.size(); ++i) {
    if (!std::isfinite(f.x[i]) || !std::isfinite(f.y[i]))
      throw InvalidSpec(link.name, "a table of its joint holds a number that is not finite");
    if (i > 0 && !(f.x[i] > f.x[i - 1]))
      throw InvalidSpec(link.name, "a table of its joint has coordinates that do not ascend");
  }
  if (f.end_slopes && !(std::isfinite((*f.end_slopes)[0]) && std::isfinite((*f.end_slopes)[1])))
    throw InvalidSpec(link.name, "the slopes at the ends of a table of its joint are not finite numbers");
}

void add_polynomial(const LinkSpec& link, int channel, const JointFunction& f, const Writer& write) {
  for (const double c : f.polynomial)
    if (!std::isfinite(c)) throw InvalidSpec(link.name, "a polynomial of its joint holds a number that is not finite");
  const int degree = static_cast<int>(f.polynomial.size()) - 1;
  if (degree < 0 || degree > most_degree)
    throw InvalidSpec(link.name,
                      "a polynomial of its joint needs 1 to " + std::to_string(most_degree + 1) + " coefficients");
  Coefficients piece{0, 0};
  piece.insert(piece.end(), f.polynomial.begin(), f.polynomial.end());
  write.add(channel, f.coordinate, degree, piece);
}

void check_coordinates(const LinkSpec& link) {
  const auto& names = link.custom.coordinates;
  if (names.empty() || names.size() > most_freedoms)
    throw InvalidSpec(link.name, "a custom joint needs 1 to 6 coordinates");
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (names[i].name == names[k].name)
        throw InvalidSpec(link.name, "two coordinates of its joint are called '" + names[i].name + "'");
}

void add_custom(const LinkSpec& link, FrozenJoint& out) {
  check_coordinates(link);
  const CustomJoint& custom = link.custom;
  const Writer write{out};
  out.coordinates = custom.coordinates;
  std::vector<bool> moves(custom.coordinates.size());
  for (int channel = 0; channel < 6; ++channel) {
    const auto at = static_cast<std::size_t>(channel);
    if (!std::isfinite(custom.constants[at])) throw InvalidSpec(link.name, "a constant of its joint is not finite");
    out.params.constants[at] = custom.constants[at];
    if (custom.constants[at] != 0) out.joint.used[at] = true;
    std::vector<bool> has(custom.coordinates.size());
    for (const JointFunction& f : custom.functions[at]) {
      if (f.coordinate < 0 || f.coordinate >= static_cast<int>(has.size()))
        throw InvalidSpec(link.name, "a function of its joint is of a coordinate that is not there");
      const auto k = static_cast<std::size_t>(f.coordinate);
      if (has[k])
        throw InvalidSpec(link.name, "an angle or displacement of its joint has two functions of '" +
                                         custom.coordinates[k].name + "'; put them into one");
      has[k] = moves[k] = true;
      if (f.polynomial.empty())
        check_table(link, f), write.add(channel, f.coordinate, 3, spline(f));
      else
        add_polynomial(link, channel, f, write);
    }
  }
  for (std::size_t k = 0; k < moves.size(); ++k)
    if (!moves[k])
      throw InvalidSpec(link.name, "coordinate '" + custom.coordinates[k].name + "' of its joint moves nothing");
}

void add_universal(const LinkSpec& link, FrozenJoint& out) {
  const Writer write{out};
  out.params.axes[0] = unit_axis(link, link.axis, "axis");
  out.params.axes[1] = unit_axis(link, link.axis_2, "second axis");
  if (norm(cross(out.params.axes[0], out.params.axes[1])) < 1e-6)
    throw InvalidSpec(link.name, "the two axes of its universal joint are parallel");
  write.linear(0, 0, 1), write.linear(1, 1, 1);
  out.coordinates = {{"first"}, {"second"}};
}

void add_planar(const LinkSpec& link, FrozenJoint& out) {
  const Writer write{out};
  const Vec normal = unit_axis(link, link.axis, "axis");
  const Vec along = unit_axis(link, link.axis_2, "direction in the plane");
  const Vec x = along - dot(along, normal) * normal;
  if (norm(x) < 1e-6)
    throw InvalidSpec(link.name, "the direction in the plane of its planar joint is the normal itself");
  out.params.axes[0] = normal;
  out.params.axes[3] = (1 / norm(x)) * x;
  out.params.axes[4] = cross(normal, out.params.axes[3]);
  write.linear(3, 0, 1), write.linear(4, 1, 1), write.linear(0, 2, 1);
  out.coordinates = {{"along", true}, {"across", true}, {"angle"}};
}

void add_on_axis(const LinkSpec& link, FrozenJoint& out) {
  const Writer write{out};
  out.params.axes[0] = out.params.axes[3] = unit_axis(link, link.axis, "axis");
  write.linear(0, 0, 1);
  out.coordinates = {{"angle"}};
  if (link.joint == JointType::cylindrical) {
    write.linear(3, 1, 1);
    out.coordinates.push_back({"slide", true});
    return;
  }
  if (!std::isfinite(link.pitch)) throw InvalidSpec(link.name, "the pitch of its screw is not a finite number");
  write.linear(3, 0, link.pitch / (2 * M_PI));
}

void add_ellipsoid(const LinkSpec& link, FrozenJoint& out) {
  if (!finite(link.radii) || !(link.radii.x > 0 && link.radii.y > 0 && link.radii.z > 0))
    throw InvalidSpec(link.name, "the radii of its ellipsoid joint must be above 0");
  out.joint.ellipsoid = true;
  out.params.radii = link.radii;
  out.coordinates = {{"x"}, {"y"}, {"z"}};
}

}  // namespace

FrozenJoint freeze_general(const LinkSpec& link) {
  FrozenJoint out;
  for (std::size_t j = 0; j < 6; ++j)
    out.params.axes[j] = {j % 3 == 0 ? 1.0 : 0, j % 3 == 1 ? 1.0 : 0, j % 3 == 2 ? 1.0 : 0};
  switch (link.joint) {
    case JointType::universal:
      add_universal(link, out);
      break;
    case JointType::planar:
      add_planar(link, out);
      break;
    case JointType::ellipsoid:
      add_ellipsoid(link, out);
      break;
    case JointType::custom:
      add_custom(link, out);
      break;
    default:
      add_on_axis(link, out);
  }
  out.joint.freedoms = static_cast<int>(out.coordinates.size());
  return out;
}

double generic_coordinate(const GeneralJoint& joint, const GeneralParams<double>& params, int coordinate,
                          double generic) {
  for (const GeneralJoint::Function& f : joint.functions) {
    if (f.coordinate != coordinate || f.pieces < 3) continue;
    const double* pieces = params.coefficients.data() + f.first;
    const int stride = f.degree + 3;
    const double from = pieces[stride], to = pieces[(f.pieces - 1) * stride];
    return from + (to - from) * (generic - 0.4);
  }
  return generic;
}

std::vector<JointCoordinate> freedoms_of(const Model& model, int link) {
  const LinkTopology& topology = model.links[static_cast<std::size_t>(link)];
  if (topology.general >= 0) return model.coordinates[static_cast<std::size_t>(topology.general)];
  switch (topology.joint) {
    case JointType::hinge:
      return {{"angle"}};
    case JointType::slider:
      return {{"slide", true}};
    case JointType::ball:
      return {{"x"}, {"y"}, {"z"}};
    case JointType::free:
      return {{"wx"}, {"wy"}, {"wz"}, {"vx", true}, {"vy", true}, {"vz", true}};
    case JointType::point:
      return {{"x", true}, {"y", true}, {"z", true}};
    default:
      return {};
  }
}

}  // namespace marey
