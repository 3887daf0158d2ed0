// Geometry and poses from a model and a recording; poses between frames; points and instants by name and
// number.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include "marey/core/index.h"
#include "marey/io/poses.h"
#include "marey/render.h"
#include "render/names.h"
#include "render/solid_rays.h"

namespace marey {
namespace {

using render::did_you_mean, render::short_number, render::split;

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorKind::bad_input, why); }

double number(const std::string& text, const std::string& what) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    refuse("'" + text + "' is not a number; expected " + what);
  return value;
}

void check_motion(const PictureScene& scene) {
  if (scene.times.empty() || scene.X_WB.size() != scene.times.size())
    refuse("the motion holds no frames: nothing to draw");
  if (scene.links.size() < 2 && (scene.links.empty() || scene.links[0].shapes.empty()))
    refuse("the motion holds no links: nothing to draw");
}

}  // namespace

PictureScene picture_scene(const Model& model, const Motion& motion, std::span<const FloorContact> contacts,
                           std::span<const SceneryPiece> scenery, const CollideRule* rule) {
  PictureScene scene;
  scene.title = motion.title;
  for (const Plane& floor : floors_of(contacts, scenery)) scene.floors.push_back({floor.normal_W, floor.offset});
  LinkPoses poses = link_poses(model, motion, "picture");
  scene.times = std::move(poses.times), scene.X_WB = std::move(poses.X_WB);
  const std::size_t n = model.links.size();
  const auto feels_only = [&](std::size_t body) {
    return rule != nullptr && body < rule->bodies.size() && rule->bodies[body].sensor;
  };
  for (std::size_t b = 0; b < n; ++b) {
    const Inertia<double>& inertia = model.params.links[b].I;
    const Vec3<double> com = inertia.m > 0 ? (1 / inertia.m) * inertia.h : Vec3<double>{};
    scene.links.push_back({model.names[b], model.links[b].parent, model.shapes[b], com});
    if (feels_only(b)) scene.links[b].shapes.swap(scene.links[b].felt);
  }
  for (std::size_t i = 0; i < scenery.size(); ++i) {
    std::vector<Shape>& all = feels_only(n + i) ? scene.links[0].felt : scene.links[0].shapes;
    all.insert(all.end(), scenery[i].shapes.begin(), scenery[i].shapes.end());
  }
  return scene;
}

void add_forces(PictureScene& scene, const MotionItems& items) {
  const auto column = [&](std::string_view field) {
    std::size_t at = 0;
    for (const Channel& c : items.list.fields) {
      if (c.name == field) return at;
      at += c.columns.size();
    }
    throw Error(ErrorKind::bad_input,
                "the motion's list of points that touch has no field '" + std::string(field) + "'");
  };
  const std::size_t point = column("point"), force = column("force");
  const auto vector = [](std::span<const double> item, std::size_t k) {
    return Vec3<double>{item[k], item[k + 1], item[k + 2]};
  };
  scene.forces.assign(scene.times.size(), {});
  for (std::size_t frame = 0, i = 0; frame < std::min(scene.times.size(), items.ends.size()); ++frame)
    for (; i < items.ends[frame]; ++i)
      scene.forces[frame].push_back({vector(items.at(i), point), vector(items.at(i), force)});
}

void add_center(PictureScene& scene, const Motion& motion, bool mark, bool momentum) {
  const auto vectors = [&](const char* channel) {
    std::vector<Vec3<double>> all;
    const std::size_t c = motion.find(channel);
    for (std::size_t frame = 0; frame < scene.times.size(); ++frame) {
      const std::span<const double> x = motion.at(c, frame);
      all.push_back({x[0], x[1], x[2]});
    }
    return all;
  };
  scene.centers_of_mass = vectors("center_of_mass/position");
  if (momentum) scene.momenta = vectors("momentum/linear");
  scene.marks_center = mark;
}

std::vector<Transform<double>> poses_at(const PictureScene& scene, double t) {
  check_motion(scene);
  std::vector<int> parents;
  for (const PictureLink& link : scene.links) parents.push_back(link.parent);
  return poses_at(
      scene.times, scene.X_WB, parents, [&](int i) { return scene.links[index(i)].name; }, t);
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
