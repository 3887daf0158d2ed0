// From a motion to a stage: instants → solids → camera → ground.
#include "render/stage.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>

#include "render/arrows.h"
#include "render/view.h"

namespace marey::render {
namespace {

bool has_children(const PictureScene& scene, int link) {
  return std::any_of(scene.links.begin(), scene.links.end(),
                     [&](const PictureLink& l) { return &l != &scene.links[0] && l.parent == link; });
}

// A link without shapes: a stick from its joint to each of its children's joints, or to its centre of mass.
void append_sticks(const PictureScene& scene, const Poses& X_WB, int link, double radius, std::vector<Prim>& prims) {
  const Vec& joint = X_WB[link].p;
  prims.push_back(ball(joint, 1.6 * radius));
  for (std::size_t child = 1; child < scene.links.size(); ++child)
    if (scene.links[child].parent == link) prims.push_back(stick(joint, X_WB[child].p, radius));
  if (!has_children(scene, link)) prims.push_back(stick(joint, X_WB[link] * scene.links[link].p_BoBcm_B, radius));
}

void append_link(const PictureScene& scene, const Poses& X_WB, int link, double stick_radius,
                 std::vector<Prim>& prims) {
  const auto& shapes = scene.links[link].shapes;
  for (const Shape& s : shapes) prims.push_back(placed(s, X_WB[link]));
  if (shapes.empty() && scene.links[link].felt.empty() && link != 0)
    append_sticks(scene, X_WB, link, stick_radius, prims);
}

void append_felt(const PictureScene& scene, const Poses& X_WB, int link, std::vector<Prim>& prims) {
  for (const Shape& s : scene.links[link].felt) prims.push_back(placed(s, X_WB[link]));
}

}  // namespace

// Diagonal of the box around one pose of all figures.
double figure_size(const PictureScene& scene, const Poses& X_WB) {
  Vec low{1e300, 1e300, 1e300}, high = -low;
  const auto add = [&](const Vec& p, double r) {
    for (int i = 0; i < 3; ++i) low[i] = std::min(low[i], p[i] - r), high[i] = std::max(high[i], p[i] + r);
  };
  std::vector<Ball> balls;
  for (std::size_t b = 1; b < scene.links.size(); ++b) {
    add(X_WB[b].p, 0);
    for (const Shape& s : scene.links[b].shapes) append_balls(placed(s, X_WB[b]), balls);
    if (scene.links[b].shapes.empty()) add(X_WB[b] * scene.links[b].p_BoBcm_B, 0);
  }
  for (const Ball& b : balls) add(b.centre, b.radius);
  const double size = norm(high - low);
  return size > 0 && std::isfinite(size) ? size : 1;
}

namespace {

bool is_still(const std::vector<Poses>& poses, int link, double size) {
  for (const Poses& X_WB : poses) {
    const auto &a = poses.front()[link], &b = X_WB[link];
    if (norm(a.p - b.p) > 0.002 * size) return false;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        if (std::abs(a.R(i, j) - b.R(i, j)) > 0.005) return false;
  }
  return true;
}

}  // namespace

// Links that visibly stay where they are over several instants belong to the static set, not to the motion.
std::vector<bool> still_links(const PictureScene& scene, const std::vector<Poses>& poses, double size, bool spread) {
  const int n = static_cast<int>(scene.links.size());
  std::vector<bool> still(n, false);
  still[0] = true;
  if (poses.size() < 2 || spread) return still;  // if spread, every link moves in the picture
  for (int b = 1; b < n; ++b) still[b] = is_still(poses, b, size);
  if (std::count(still.begin(), still.end(), true) == n) std::fill(still.begin() + 1, still.end(), false);
  return still;
}

void place_instants(Stage& stage, const PictureScene& scene, const std::vector<double>& times,
                    const std::vector<Poses>& poses, const std::vector<bool>& still) {
  const double stick_radius = 0.008 * stage.size;
  const int n = static_cast<int>(times.size());
  for (std::size_t b = 0; b < scene.links.size(); ++b)
    if (still[b]) {
      append_link(scene, poses[0], static_cast<int>(b), stick_radius, stage.fixed);
      append_felt(scene, poses[0], static_cast<int>(b), stage.felt);
      if (b == 0) stage.of_world = stage.fixed.size();
    }
  for (int i = 0; i < n; ++i) {
    Exposure instant;
    instant.t = times[i];
    instant.u = n == 1 ? 1.0 : static_cast<double>(i) / (n - 1);
    instant.colour = ramp_colour(*stage.theme, instant.u);
    const double oldest = stage.theme->oldest_opacity;
    instant.opacity = i == n - 1 ? 1.0 : oldest + (0.92 - oldest) * instant.u * instant.u;
    for (std::size_t b = 0; b < scene.links.size(); ++b)
      if (!still[b]) {
        append_link(scene, poses[i], static_cast<int>(b), stick_radius, instant.prims);
        append_felt(scene, poses[i], static_cast<int>(b), instant.felt);
      }
    stage.instants.push_back(std::move(instant));
  }
}

namespace {

// The instants as a scale: 0 at the first, 1 at the second …, and in between in proportion to time.
double place_among(const std::vector<Exposure>& instants, double t) {
  std::size_t i = 1;
  while (i + 1 < instants.size() && t > instants[i].t) ++i;
  if (instants.size() < 2) return 0;
  return i - 1 + std::clamp((t - instants[i - 1].t) / (instants[i].t - instants[i - 1].t), 0.0, 1.0);
}

}  // namespace

void add_trail(Stage& stage, const std::function<Vec(double)>& place) {
  const double t0 = stage.instants.front().t, t1 = stage.instants.back().t;
  constexpr int n = 600;
  Trail trail;
  for (int i = 0; i <= n; ++i) {
    const double t = t0 + (t1 - t0) * i / n;
    trail.points.push_back(place(t));
    trail.t.push_back(t);
    trail.u.push_back(place_among(stage.instants, t) / std::max<std::size_t>(1, stage.instants.size() - 1));
  }
  stage.trails.push_back(std::move(trail));
}

void lay_trails(Stage& stage, const PictureScene& scene, const StrobeOptions& options) {
  for (const std::string& name : options.trails) {
    const LinkPoint point = trail_point(scene, name);
    add_trail(stage, [&](double t) { return poses_at(scene, t)[point.link] * point.p_BoQ_B; });
  }
  lay_path_of_center(stage, scene);
}

namespace {

// Just far enough that each instant ends, along `right`, where the next begins, and a little more.
double clearing_spread(const std::vector<Exposure>& instants, const Vec& right) {
  double most = 0, before = -1e300, size = 0;
  for (const Exposure& e : instants) {
    double low = 1e300, high = -1e300;
    for (const Prim& p : e.prims) high = std::max(high, reach(p, right)), low = std::min(low, -reach(p, -right));
    most = std::max(most, before - low);
    size = std::max(size, high - low);
    before = high;
  }
  return most + 0.06 * size;
}

// Each instant moved aside in the picture, as on a plate that moves behind the lens.
void spread_instants(Stage& stage, double spread) {
  const Vec right = stage.camera.right;
  if (spread < 0) spread = clearing_spread(stage.instants, right);
  for (std::size_t i = 0; i < stage.instants.size(); ++i)
    for (std::vector<Prim>* prims : {&stage.instants[i].prims, &stage.instants[i].felt})
      for (Prim& p : *prims) p.X_WS.p += static_cast<double>(i) * spread * right;
  for (std::size_t i = 0; i < stage.instants.size(); ++i) {
    const Vec aside = static_cast<double>(i) * spread * right;
    for (Arrow& a : stage.instants[i].arrows) a.from += aside, a.to += aside;
    for (Vec& center : stage.instants[i].centers) center += aside;
  }
  for (Trail& trail : stage.trails)
    for (std::size_t k = 0; k < trail.points.size(); ++k)
      trail.points[k] += place_among(stage.instants, trail.t[k]) * spread * right;
}

// Of links, and of what they leave behind.
double reach_of_motion(const Stage& stage, const Vec& n) {
  double most = -1e300;
  const auto add = [&](std::span<const Prim> prims) {
    for (const Prim& p : prims) most = std::max(most, reach(p, n));
  };
  for (const Exposure& i : stage.instants) {
    add(i.prims), add(i.felt);
    for (const Arrow& a : i.arrows) most = std::max(most, dot(a.from, n));
    for (const Vec& center : i.centers) most = std::max(most, dot(center, n));
  }
  add(std::span(stage.fixed).subspan(stage.of_world));
  for (const Trail& t : stage.trails)
    for (const Vec& p : t.points) most = std::max(most, dot(p, n));
  return most;
}
double reach_of_all(const Stage& stage, const Vec& n) {
  double most = reach_of_motion(stage, n);
  for (const Prim& p : std::span(stage.fixed).first(stage.of_world)) most = std::max(most, reach(p, n));
  for (const Prim& p : stage.felt) most = std::max(most, reach(p, n));
  for (const Exposure& i : stage.instants)
    for (const Arrow& a : i.arrows) most = std::max(most, dot(a.to, n));
  return most;
}

struct Extent {
  double low, high;
  double size() const { return high - low; }
  double middle() const { return 0.5 * (low + high); }
};
Extent extent(const Stage& stage, const Vec& n) { return {-reach_of_all(stage, -n), reach_of_all(stage, n)}; }

// The length scale of the ground. A long row of figures needs no deeper floor.
double ground_scale(const Stage& stage) {
  const double wx = extent(stage, {1, 0, 0}).size(), wy = extent(stage, {0, 1, 0}).size(),
               wz = extent(stage, {0, 0, 1}).size();
  return std::min(std::max({wx, wy, wz}), 2 * stage.size);
}

bool is_level(const PictureFloor& floor) { return floor.normal_W.z > 1 - 1e-9; }
// Whether the motion comes near the floor from above, not from below, wherever scenery stands. Compliant ground is entered a little.
bool is_used(const Stage& stage, const PictureFloor& floor, double scale) {
  const double lowest = -reach_of_motion(stage, -floor.normal_W) - floor.height;
  return lowest > -0.02 * scale && lowest < 0.6 * scale;
}

// The height of the level floor under the motion, if there is one.
std::optional<double> level_floor(const Stage& stage, const std::vector<PictureFloor>& floors, double scale) {
  for (const PictureFloor& floor : floors)
    if (is_level(floor) && is_used(stage, floor, scale)) return floor.height;
  return {};
}

double level_below(const Stage& stage, double scale) {
  const double lowest = extent(stage, {0, 0, 1}).low;
  return lowest > -1e-6 * scale && lowest < 0.6 * scale ? 0.0 : lowest - 0.12 * scale;
}

void lay_ground(Stage& stage, const StrobeOptions& options, const std::optional<double>& floor) {
  Ground& g = stage.ground;
  const Extent x = extent(stage, {1, 0, 0}), y = extent(stage, {0, 1, 0});
  const double scale = ground_scale(stage);
  g.shown = options.ground;
  g.spacing = round_down_125(scale / 5);
  g.level = options.level ? *options.level : floor ? *floor : level_below(stage, scale);
  g.middle = {x.middle(), y.middle(), g.level};
  g.radius = 0.5 * std::hypot(x.size(), y.size()) + 0.15 * scale;
}

// A patch of a floor under the motion: a thin slab whose upper face lies in the plane.
Prim slab_of(const Stage& stage, const PictureFloor& floor, double scale) {
  const auto [n, t_1, t_2] = axes_of(Plane{floor.normal_W, floor.height});
  const Extent a = extent(stage, t_1), b = extent(stage, t_2);
  const double margin = 0.1 * scale, thickness = 0.02 * stage.size;
  const Box slab{{a.size() + 2 * margin, b.size() + 2 * margin, thickness}};
  const Mat3<double> R_WS{t_1.x, t_2.x, n.x, t_1.y, t_2.y, n.y, t_1.z, t_2.z, n.z};
  const Vec middle = a.middle() * t_1 + b.middle() * t_2 + (floor.height - 0.5 * thickness) * n;
  return placed(Shape{slab, {}}, {R_WS, middle});
}

}  // namespace

// The ground, and slabs for the other floors. A slab that would be seen from behind is omitted, since it would hide
// what it carries.
void lay_floors(Stage& stage, const StrobeOptions& options, const std::vector<PictureFloor>& floors) {
  const double scale = ground_scale(stage);
  const auto add_slabs = [&](bool level) {
    std::vector<Prim> slabs;
    for (const PictureFloor& floor : floors) {
      if (!options.ground || is_level(floor) != level || !is_used(stage, floor, scale)) continue;
      if (level && std::abs(floor.height - stage.ground.level) < 1e-6 * scale) continue;
      if (dot(floor.normal_W, stage.camera.forward) < 0) slabs.push_back(slab_of(stage, floor, scale));
    }
    stage.fixed.insert(stage.fixed.begin() + static_cast<std::ptrdiff_t>(stage.of_world), slabs.begin(), slabs.end());
    stage.of_world += slabs.size();
  };
  const std::optional<double> floor = level_floor(stage, floors, scale);  // before slabs hang below it
  add_slabs(false);
  lay_ground(stage, options, floor);  // without one: below what is slanted
  add_slabs(true);
}

double round_down_125(double x) {
  if (!(x > 0)) return 1;
  const double decade = std::pow(10, std::floor(std::log10(x)));
  const double lead = x / decade;
  return decade * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
}

// Of a picture this wide, the height at which all that is to be seen fills it: a row of instants is flat. No more than 5/8 of the width,
// as pictures usually have, and no less than the time scale needs.
static int height_for(const Stage& stage, int width) {
  const Vec &right = stage.camera.right, &up = stage.camera.up;
  const double aspect = extent(stage, up).size() / std::max(extent(stage, right).size(), 1e-12);
  constexpr double edges = 0.06, foot = 0.1, air = 1.15;
  return static_cast<int>(width * std::clamp(air * (1 - edges) * aspect + edges + foot, 0.25, 0.625));
}

void frame_all(const Stage& stage, const StrobeOptions& options, Camera& camera) {
  const double edge = 0.06 * std::min(stage.width, stage.height);
  const double foot = options.labels ? std::max(0.13 * stage.height, 0.075 * stage.width) : edge;
  const auto all = [&](const Vec& n) {
    const double most = reach_of_all(stage, n);
    return stage.ground.shown ? std::max(most, dot(stage.ground.middle, n)) : most;
  };
  fit(camera, stage.width, stage.height, {edge, edge, edge, foot}, all);
}

Stage set_stage(const PictureScene& scene, const StrobeOptions& given) {
  StrobeOptions options = given;
  const bool open = given.height <= 0;
  if (open) options.height = options.width * 5 / 8;
  Stage stage;
  stage.width = options.width, stage.height = options.height;
  stage.theme = options.light ? &light_theme() : &dark_theme();
  const std::vector<double> times = strobe_times(scene, options);
  std::vector<Poses> poses;
  for (const double t : times) poses.push_back(poses_at(scene, t));
  stage.size = figure_size(scene, poses.back());
  place_instants(stage, scene, times, poses, still_links(scene, poses, stage.size, options.spread != 0));
  lay_trails(stage, scene, options);
  stage.arrow_scale = arrow_scale(stage, scene);
  place_arrows(stage, scene);
  stage.camera = choose_view(stage, options);
  if (options.spread != 0) spread_instants(stage, options.spread);
  lay_floors(stage, options, scene.floors);
  if (open) {
    options.height = stage.height = height_for(stage, options.width);
    stage.camera.centre.y = 0.5 * options.height;
  }
  frame_all(stage, options, stage.camera);
  return stage;
}

}  // namespace marey::render
