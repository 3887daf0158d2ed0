// Geometry and poses from a model and a recording; poses between frames; points and instants by name and
// number.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include "marey/render.h"
#include "render/names.h"
#include "render/solid_rays.h"

namespace marey {
namespace {

using render::did_you_mean, render::short_number, render::split;

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorKind::bad_input, why); }

// Between two poses: the point moves on a straight line, the rotation is about one axis.
Transform<double> between(const Transform<double>& a, const Transform<double>& b, double s) {
  const Quaternion<double> p = quaternion_of(a.R), q = quaternion_of(b.R);
  double c = p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z;
  const double sign = c < 0 ? -1 : 1;
  c = std::min(1.0, sign * c);
  const double angle = std::acos(c), sine = std::sin(angle);
  const double wa = sine < 1e-6 ? 1 - s : std::sin((1 - s) * angle) / sine;
  const double wb = sign * (sine < 1e-6 ? s : std::sin(s * angle) / sine);
  const Quaternion<double> r{wa * p.w + wb * q.w, wa * p.x + wb * q.x, wa * p.y + wb * q.y, wa * p.z + wb * q.z};
  return {rotation(r), a.p + s * (b.p - a.p)};
}

double number(const std::string& text, const std::string& what) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    refuse("'" + text + "' is not a number; expected " + what);
  return value;
}

bool is_finite(const Transform<double>& X) {
  double sum = norm_squared(X.p);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) sum += X.R(i, j) * X.R(i, j);
  return std::isfinite(sum);
}

void check_motion(const PictureScene& scene) {
  if (scene.times.empty() || scene.X_WB.size() != scene.times.size())
    refuse("the motion holds no frames: nothing to draw");
  if (scene.links.size() < 2 && (scene.links.empty() || scene.links[0].shapes.empty()))
    refuse("the motion holds no links: nothing to draw");
}

std::vector<PictureFloor> floors_of(std::span<const FloorContact> contacts, std::span<const SceneryPiece> scenery) {
  constexpr double same = 1e-9;
  std::vector<PictureFloor> floors;
  const auto add = [&](const Plane& plane, double clearance) {
    const PictureFloor floor{plane.normal_W, plane.offset - clearance};
    const auto known = [&](const PictureFloor& f) {
      return norm(f.normal_W - floor.normal_W) < same && std::abs(f.height - floor.height) < same;
    };
    if (std::none_of(floors.begin(), floors.end(), known)) floors.push_back(floor);
  };
  for (const FloorContact& c : contacts) add(c.plane, c.clearance);
  for (const SceneryPiece& piece : scenery)
    if (piece.plane) add(*piece.plane, 0);
  return floors;
}

}  // namespace

PictureScene picture_scene(const Model& model, const Motion& motion, std::span<const FloorContact> contacts,
                           std::span<const SceneryPiece> scenery, const CollideRule* rule) {
  PictureScene scene;
  scene.title = motion.title;
  scene.floors = floors_of(contacts, scenery);
  scene.times.assign(motion.time().begin(), motion.time().end());
  const std::size_t n = model.links.size(), frames = scene.times.size();
  scene.X_WB.assign(frames, std::vector<Transform<double>>(n));
  const auto feels_only = [&](std::size_t body) {
    return rule != nullptr && body < rule->bodies.size() && rule->bodies[body].sensor;
  };
  const ChannelFinder finder(motion);
  const auto numbers = [&](const std::string& channel) {
    return std::span(motion.values[finder.find(channel, "picture")]);
  };
  for (std::size_t b = 0; b < n; ++b) {
    const Inertia<double>& inertia = model.params.links[b].I;
    const Vec3<double> com = inertia.m > 0 ? (1 / inertia.m) * inertia.h : Vec3<double>{};
    scene.links.push_back({model.names[b], model.links[b].parent, model.shapes[b], com});
    if (feels_only(b)) scene.links[b].shapes.swap(scene.links[b].felt);
    if (b == 0) continue;
    const auto p = numbers("link/" + model.names[b] + "/position");
    if (p.size() != 3 * frames) refuse("the motion does not hold the places of link '" + model.names[b] + "'");
    if (model.links[b].joint == JointType::point && model.links[b].parent == 0) {  // a particle: it never turns
      for (std::size_t f = 0; f < frames; ++f)
        scene.X_WB[f][b] = {model.params.links[b].R_PF, {p[3 * f], p[3 * f + 1], p[3 * f + 2]}};
      continue;
    }
    const auto q = numbers("link/" + model.names[b] + "/orientation");
    if (q.size() != 4 * frames) refuse("the motion does not hold the places of link '" + model.names[b] + "'");
    for (std::size_t f = 0; f < frames; ++f)
      scene.X_WB[f][b] = {rotation(Quaternion<double>{q[4 * f], q[4 * f + 1], q[4 * f + 2], q[4 * f + 3]}),
                          {p[3 * f], p[3 * f + 1], p[3 * f + 2]}};
  }
  for (std::size_t i = 0; i < scenery.size(); ++i) {
    std::vector<Shape>& all = feels_only(n + i) ? scene.links[0].felt : scene.links[0].shapes;
    all.insert(all.end(), scenery[i].shapes.begin(), scenery[i].shapes.end());
  }
  return scene;
}

std::vector<Transform<double>> poses_at(const PictureScene& scene, double t) {
  check_motion(scene);
  const auto& times = scene.times;
  const std::size_t k = std::upper_bound(times.begin(), times.end(), t) - times.begin();
  const std::size_t before = k == 0 ? 0 : k - 1, after = std::min(k, times.size() - 1);
  const auto &A = scene.X_WB[before], &B = scene.X_WB[after];
  const double s = after > before ? (t - times[before]) / (times[after] - times[before]) : 0;
  std::vector<Transform<double>> X_WB = A;
  for (std::size_t b = 1; b < A.size(); ++b) {
    if (!is_finite(A[b]) || !is_finite(B[b]))
      refuse("the place of link '" + scene.links[b].name + "' at " + short_number(t) + " s is not a number");
    const int P = scene.links[b].parent;
    if (s > 0) X_WB[b] = X_WB[P] * between(inverse(A[P]) * A[b], inverse(B[P]) * B[b], s);
  }
  return X_WB;
}

std::vector<double> strobe_times(const PictureScene& scene, const StrobeOptions& options) {
  check_motion(scene);
  const double first = scene.times.front(), last = scene.times.back(), slack = 1e-9 * (1 + std::abs(last));
  const auto span = " (the motion lasts from " + short_number(first) + " s to " + short_number(last) + " s)";
  std::vector<double> times = options.at;
  for (const double t : times)
    if (!(t >= first - slack && t <= last + slack))
      refuse("time " + short_number(t) + " s lies outside the motion" + span);
  if (times.empty()) {
    const double begin = std::max(first, options.begin), end = std::min(last, options.end);
    if (!(begin <= end)) refuse("no part of the motion lies between the times asked for" + span);
    if (options.every > 0) {
      const double n = std::floor((end - begin) / options.every + 1e-9);
      if (n > 500) refuse("one instant each " + short_number(options.every) + " s makes more than 500 instants" + span);
      for (int i = 0; i <= n; ++i) times.push_back(begin + i * options.every);
    } else {
      if (options.count < 1 || options.count > 500) refuse("the number of instants must be between 1 and 500");
      const int n = begin == end ? 1 : options.count;
      for (int i = 0; i < n; ++i) times.push_back(n == 1 ? end : begin + (end - begin) * i / (n - 1));
    }
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

LinkPoint trail_point(const PictureScene& scene, const std::string& name) {
  const std::size_t at = name.find('@');
  const std::string link_name = name.substr(0, at);
  std::vector<std::string> names;
  for (const PictureLink& l : scene.links) names.push_back(l.name);
  const auto found = std::find(names.begin(), names.end(), link_name);
  if (found == names.end()) refuse("unknown link '" + link_name + "'" + did_you_mean(link_name, names));
  LinkPoint point{static_cast<int>(found - names.begin()), {}};
  if (at == std::string::npos) {
    point.p_BoQ_B = render::far_end(scene.links[point.link].shapes, scene.links[point.link].p_BoBcm_B);
  } else if (const std::string where = name.substr(at + 1); where != "origin") {
    const auto parts = split(where, ',');
    if (parts.size() != 3) refuse("'" + where + "' is no point of a link; expected 'origin' or x,y,z in metres");
    for (int i = 0; i < 3; ++i) point.p_BoQ_B[i] = number(parts[i], "x,y,z in metres");
  }
  return point;
}

void parse_picture_size(const std::string& text, StrobeOptions& options) {
  const auto parts = split(text, 'x');
  if (parts.size() != 2) refuse("'" + text + "' is no picture size; expected WIDTHxHEIGHT, for example 1600x1000");
  const double w = number(parts[0], "a width in pixels"), h = number(parts[1], "a height in pixels");
  if (!(w >= 16 && h >= 16 && w <= 16384 && h <= 16384) || w != std::floor(w) || h != std::floor(h))
    refuse("picture size " + text + " is out of range; each side may have 16 to 16384 pixels");
  options.width = static_cast<int>(w), options.height = static_cast<int>(h);
}

void parse_picture_view(const std::string& text, StrobeOptions& options) {
  constexpr double degree = std::numbers::pi / 180;
  const auto parts = split(text, ',');
  if (parts.size() > 2)
    refuse("'" + text + "' is no direction; expected AZIMUTH,ELEVATION in degrees, for example 30,15");
  options.azimuth = degree * number(parts[0], "an azimuth in degrees");
  if (parts.size() == 1) return;
  const double elevation = number(parts[1], "an elevation in degrees");
  if (std::abs(elevation) > 90) refuse("an elevation of " + parts[1] + " degrees is out of range; expected -90 to 90");
  options.elevation = degree * elevation;
}

}  // namespace marey
