#include "marey/sim/overlaps.h"

#include <fmt/format.h>

#include <cmath>

namespace marey {

namespace {

std::string length_text(double m) { return m < 0.1 ? fmt::format("{:.3g} mm", 1e3 * m) : fmt::format("{:.3g} m", m); }

// Whether it is worth making colliders: one figure alone in the world meets nobody, unless it may touch itself.
bool could_touch(const Scene& scene) {
  if (scene.collide || !scene.scenery.empty()) return true;
  const std::vector<std::string>& names = scene.model.names;
  for (std::size_t i = 2; i < names.size(); ++i)
    if (names[i].substr(0, names[i].find('.')) != names[1].substr(0, names[1].find('.'))) return true;
  return false;
}

const char* advice(bool ruled) {
  return ruled ? "they are put apart, a part of their size in each step" : "collide: says who may touch whom";
}

}  // namespace

CollisionWorld collision_world(const Scene& scene) {
  std::vector<BroadPhase::Pair> joined;
  for (const Constraint& c : scene.constraints)
    if (c.a.link > 0 && c.b.link > 0) joined.push_back({c.a.link, c.b.link});
  const std::size_t bodies = scene.model.links.size() + scene.scenery.size();
  return {scene.model, scene.scenery, scene.collide ? *scene.collide : everybody_may_touch(bodies), joined};
}

std::vector<Transform<double>> poses_at_start(const Scene& scene) {
  Kinematics<double> k(scene.model);
  forward_kinematics<double>(scene.model, scene.model.params, scene.start.q, scene.start.v, k);
  return {k.X_WB.begin(), k.X_WB.end()};
}

std::string describe(const CollisionWorld& world, std::span<const Overlap> all, std::size_t most) {
  std::vector<std::string> words;
  for (const Overlap& o : all.first(std::min(most, all.size())))
    words.push_back(fmt::format("{} and {} ({} deep)", world.name(o.a), world.name(o.b), length_text(o.depth)));
  std::string text = fmt::format("{}", fmt::join(words, ", "));
  if (const std::size_t more = all.size() - words.size(); more > 0)
    text += fmt::format(" and {} more {}", more, more == 1 ? "pair" : "pairs");
  return text;
}

std::string overlaps_at_start(const Scene& scene) {
  if (!could_touch(scene)) return {};
  CollisionWorld world = collision_world(scene);
  if (!world.anything_to_do()) return {};
  world.place(poses_at_start(scene));
  const std::vector<Overlap> all = overlaps(world);
  if (all.empty()) return {};
  return fmt::format("shapes overlap at the start: {}; {}", describe(world, all), advice(scene.collide.has_value()));
}

OverlapWatch::OverlapWatch(const Scene& scene)
    : model_(scene.model), ruled_(scene.collide.has_value()), kinematics_(scene.model) {
  // Where contacts keep them apart, their own certificate says how far.
  const bool kept_apart = scene.collide && scene.solver.contact == ContactDriver::stepping;
  if (could_touch(scene) && !kept_apart) world_.emplace(collision_world(scene));
  if (world_ && !world_->anything_to_do()) world_.reset();
}

void OverlapWatch::look(const State& now) {
  if (!world_) return;
  forward_kinematics<double>(model_, model_.params, now.q, now.v, kinematics_);
  for (const Transform<double>& X_WB : kinematics_.X_WB)
    if (!std::isfinite(norm_squared(X_WB.p))) return;
  world_->place(kinematics_.X_WB);
  const std::vector<Overlap> all = overlaps(*world_);
  if (all.empty()) return;
  found_ =
      fmt::format("shapes overlap in the frame at {:.6g} s: {}; {}", now.t, describe(*world_, all), advice(ruled_));
  world_.reset();
}

}  // namespace marey
