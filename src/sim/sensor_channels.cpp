// Sensors (collide: {sensors: …}): how many bodies touch each, at every instant that is recorded.
#include <limits>
#include <memory>

#include "marey/sim/overlaps.h"
#include "sim/recorder.h"

namespace marey {

namespace {

// All sensors of a scene, looked at once for each instant. Nothing is taken over from the instant before: what is recorded must
// not depend on where a run was resumed.
class Sensors {
 public:
  explicit Sensors(const Scene& scene) : world_(collision_world(scene)), counts_(bodies()) {}

  int count(int body, const Observed& o) {
    if (o.now.t != seen_) look(o);
    return counts_[static_cast<std::size_t>(body)];
  }

 private:
  std::size_t bodies() const { return static_cast<std::size_t>(world_.body_count()); }
  void look(const Observed& o) {
    seen_ = o.now.t;
    counts_.assign(bodies(), 0);
    world_.place(o.kinematics.X_WB);
    for (const CollisionWorld::Pair& p : world_.near(0)) {
      if (!p.sensor || !world_.touch(p)) continue;
      ++counts_[static_cast<std::size_t>(world_.is_sensor(p.a) ? p.a : p.b)];
    }
  }
  CollisionWorld world_;
  std::vector<int> counts_;
  double seen_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace

void add_sensor_channels(const Scene& scene, std::vector<RecordedChannel>& c) {
  if (!scene.collide) return;
  std::shared_ptr<Sensors> sensors;
  const std::size_t links = scene.model.links.size();
  for (std::size_t body = 1; body < scene.collide->bodies.size(); ++body) {
    if (!scene.collide->bodies[body].sensor) continue;
    if (!sensors) sensors = std::make_shared<Sensors>(scene);
    const std::string& name = body < links ? scene.model.names[body] : scene.scenery[body - links].name;
    add_channel(
        c, "sensor/" + name + "/touching", "", {""}, "how many links and pieces of scenery touch it",
        [sensors, body](const Observed& o) { return static_cast<double>(sensors->count(static_cast<int>(body), o)); });
    c.back().needs = needs_no_more;
  }
}

}  // namespace marey
