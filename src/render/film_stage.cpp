// The whole motion is laid out once, as a stroboscope of many instants; camera, ground and floors are those of that picture. Where the
// camera follows a link, all instants are moved back by the way of that link before, so that the camera keeps its distance.
#include "render/film_stage.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "render/arrows.h"
#include "render/view.h"

namespace marey::render {
namespace {

// Of instants that the camera is chosen by: many, and not more than memory is for.
int looks_at(const PictureScene& scene) {
  constexpr std::size_t most_prims = 300'000;
  return static_cast<int>(std::clamp<std::size_t>(most_prims / (scene.links.size() + 1), 12, 150));
}

// In a film a figure has one colour: what is still of one that moves goes with it.
void whole_figures(const PictureScene& scene, std::vector<bool>& still) {
  const auto figure = [&](std::size_t b) { return scene.links[b].name.substr(0, scene.links[b].name.find('.')); };
  std::set<std::string> moving;
  for (std::size_t b = 1; b < still.size(); ++b)
    if (!still[b]) moving.insert(figure(b));
  for (std::size_t b = 1; b < still.size(); ++b) still[b] = still[b] && !moving.contains(figure(b));
}

void move(Exposure& instant, const Vec& by) {
  for (Prim& p : instant.prims) p.X_WS.p += by;
  for (Prim& p : instant.felt) p.X_WS.p += by;
  for (Arrow& a : instant.arrows) a.from += by, a.to += by;
  for (Vec& center : instant.centers) center += by;
}

}  // namespace

FilmStage::FilmStage(const PictureScene& scene, const FilmOptions& options) : scene_(scene), options_(options) {
  StrobeOptions looks = options.look;
  looks.at.clear(), looks.every = 0, looks.count = looks_at(scene), looks.spread = 0;
  if (looks.height <= 0) looks.height = looks.width * 9 / 16;
  looks.ground = looks.ground && !options.transparent;
  const std::vector<double> times = strobe_times(scene, looks);
  std::vector<Poses> poses;
  for (const double t : times) poses.push_back(poses_at(scene, t));
  if (!options.follow.empty()) link_ = trail_point(scene, options.follow + "@origin").link;
  from_ = followed(times.front());
  whole_.width = looks.width, whole_.height = looks.height;
  whole_.theme = looks.light ? &light_theme() : &dark_theme();
  whole_.size = figure_size(scene, poses[poses.size() / 2]);
  still_ = still_links(scene, poses, whole_.size, false);
  whole_figures(scene, still_);
  place_instants(whole_, scene, times, poses, still_);
  lay_trails(whole_, scene, looks);
  whole_.arrow_scale = arrow_scale(whole_, scene);
  place_arrows(whole_, scene);
  for (std::size_t i = 0; i < times.size(); ++i) move(whole_.instants[i], from_ - followed(times[i]));
  whole_.camera = choose_view(whole_, looks);
  lay_floors(whole_, looks, scene.floors);
  frame_all(whole_, looks, whole_.camera);
}

Vec FilmStage::followed(double t) const {
  return link_ == 0 ? Vec{} : poses_at(scene_, t)[static_cast<std::size_t>(link_)].p;
}

// Between two keys the angles go smoothly, and rest at each of them.
Camera FilmStage::camera_at(double t) const {
  const std::vector<CameraKey>& keys = options_.camera;
  if (keys.empty()) return whole_.camera;
  const auto after = std::ranges::upper_bound(keys, t, {}, &CameraKey::t);
  const CameraKey &b = after == keys.end() ? keys.back() : *after, &a = after == keys.begin() ? b : *(after - 1);
  const double x = b.t > a.t ? std::clamp((t - a.t) / (b.t - a.t), 0.0, 1.0) : 0, s = x * x * (3 - 2 * x);
  Camera camera = looking_from(a.azimuth + s * (b.azimuth - a.azimuth), a.elevation + s * (b.elevation - a.elevation),
                               whole_.width, whole_.height);
  frame_all(whole_, options_.look, camera);
  return camera;
}

// Instants before t of which something stays.
std::vector<double> FilmStage::left_behind(double t) const {
  std::vector<double> times;
  const double every = options_.leaves_every, first = whole_.instants.front().t;
  constexpr double most = 500;
  if (!(every > 0)) return times;
  if ((whole_.instants.back().t - first) / every > most)
    throw Error(ErrorKind::bad_input, "an instant left behind so often makes more than 500; expected a longer time");
  for (int i = 0; first + i * every < t - 1e-9; ++i) times.push_back(first + i * every);
  return times;
}

Stage FilmStage::at(double t) const {
  Stage stage;
  stage.width = whole_.width, stage.height = whole_.height, stage.theme = whole_.theme, stage.size = whole_.size;
  stage.ground = whole_.ground;
  std::vector<double> times = left_behind(t);
  times.push_back(t);
  std::vector<Poses> poses;
  for (const double at : times) poses.push_back(poses_at(scene_, at));
  place_instants(stage, scene_, times, poses, still_);
  // What was left behind keeps its colour, that of its time in the whole.
  const double first = whole_.instants.front().t, last = whole_.instants.back().t;
  for (std::size_t i = 0; i + 1 < times.size(); ++i) {
    Exposure& e = stage.instants[i];
    constexpr double oldest_to_newest = 0.85;  // of the ramp, whose end is the present
    e.u = last > first ? oldest_to_newest * (e.t - first) / (last - first) : 0;
    e.colour = ramp_colour(*stage.theme, e.u);
  }
  stage.arrow_scale = whole_.arrow_scale;
  place_arrows(stage, scene_);
  // Floors were laid by the whole motion.
  stage.fixed = whole_.fixed, stage.of_world = whole_.of_world, stage.felt = whole_.felt;
  for (const Trail& trail : whole_.trails) {  // as far as it has come
    const auto end = std::ranges::upper_bound(trail.t, t) - trail.t.begin();
    stage.trails.push_back({{trail.points.begin(), trail.points.begin() + end},
                            {trail.t.begin(), trail.t.begin() + end},
                            {trail.u.begin(), trail.u.begin() + end},
                            trail.inside});
  }
  const Vec way = followed(t) - from_;
  stage.camera = camera_at(t);
  stage.camera.eye += way;
  stage.ground.middle += Vec{way.x, way.y, 0};
  return stage;
}

}  // namespace marey::render
