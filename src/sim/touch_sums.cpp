// Contacts summed (RecordOptions::touch): all that touches between some bodies and others, made of the points that the list of what touches would
// have at the instant (marey/sim/touching_items.h), whichever driver moves the scene.
#include <algorithm>
#include <array>
#include <memory>

#include "marey/sim/touching_items.h"
#include "sim/recorder.h"

namespace marey {

namespace {

struct Sum {
  Vec3<double> force;          // on a, in W
  Wrench<double> about_world;  // likewise, about Wo
  int points = 0;
};

// All sums of a scene, found once for each row: by the first channel of the first of them.
class TouchSums {
 public:
  explicit TouchSums(const Scene& scene)
      : of_body_(touching_list(scene).names.size()), sums_(scene.record.touch.size()) {
    for (std::size_t s = 0; s < sums_.size(); ++s) {
      const TouchSum& sum = scene.record.touch[s];
      for (const int body : sum.a) of_body_[static_cast<std::size_t>(body)].push_back({s, 1});
      for (const int body : sum.b) of_body_[static_cast<std::size_t>(body)].push_back({s, -1});
      alone_.push_back(sum.b.empty());
    }
  }
  void look(const Observed& o) {
    std::ranges::fill(sums_, Sum{});
    items_.clear();
    add_touching_items(o, items_);
    for (std::size_t i = 0; i + numbers <= items_.size(); i += numbers) {
      const auto vec = [&](std::size_t at) {
        return Vec3<double>{items_[i + at], items_[i + at + 1], items_[i + at + 2]};
      };
      const Vec3<double> point = vec(3), force = vec(9), moment = vec(12);
      add(static_cast<std::size_t>(items_[i + 1]), static_cast<std::size_t>(items_[i + 2]), point, force, moment);
    }
  }
  const Sum& operator[](std::size_t s) const { return sums_[s]; }

 private:
  static constexpr std::size_t numbers = 17;  // of an item: t, a, b, point, normal, force, moment, gap, slip
  struct Part {
    std::size_t sum = 0;
    int side = 0;  // 1: it is one of a, −1: one of b
  };
  static int side_of(const std::vector<Part>& parts, std::size_t sum) {
    const auto found = std::ranges::find(parts, sum, &Part::sum);
    return found == parts.end() ? 0 : found->side;
  }
  // The force acts on `first`.
  void add(std::size_t first, std::size_t second, const Vec3<double>& point, const Vec3<double>& force,
           const Vec3<double>& moment) {
    const auto count = [&](std::size_t s, double sign) {
      Sum& sum = sums_[s];
      sum.force += sign * force;
      sum.about_world += Wrench<double>{sign * (cross(point, force) + moment), sign * force};
      if (norm_squared(force) > 0) ++sum.points;
    };
    for (const Part& part : of_body_[first]) {
      const int other = side_of(of_body_[second], part.sum);
      if (alone_[part.sum] ? other == 0 : other == -part.side) count(part.sum, part.side);
    }
    for (const Part& part : of_body_[second])
      if (alone_[part.sum] && side_of(of_body_[first], part.sum) == 0) count(part.sum, -1);
  }

  std::vector<std::vector<Part>> of_body_;
  std::vector<bool> alone_;
  std::vector<Sum> sums_;
  std::vector<double> items_;
};

}  // namespace

void add_touch_sums(const Scene& scene, std::vector<RecordedChannel>& c) {
  if (scene.record.touch.empty()) return;
  const auto sums = std::make_shared<TouchSums>(scene);
  for (std::size_t s = 0; s < scene.record.touch.size(); ++s) {
    const TouchSum& sum = scene.record.touch[s];
    const std::string base = "touch/" + sum.name + "/";
    const char* what = sum.b.empty()
                           ? "force on it of all that it touches beside itself, in world axes"
                           : "force on the first by the second, of all points at which they touch, in world axes";
    add_channel(c, base + "force", "N", {"x", "y", "z"}, what, [sums, s](const Observed& o) {
      if (s == 0) sums->look(o);
      return (*sums)[s].force;
    });
    c.back().needs = needs_no_more;
    const int about = sum.a[0];
    add_channel(c, base + "moment", "N m", {"x", "y", "z"},
                "likewise, about the origin of the first link (of scenery: the world's)",
                [sums, s, about](const Observed& o) {
                  const Wrench<double>& F = (*sums)[s].about_world;
                  if (about >= o.scene.model.nlink()) return F.n;
                  return F.n - cross(o.kinematics.X_WB[static_cast<std::size_t>(about)].p, F.f);
                });
    c.back().needs = needs_no_more;
    add_channel(c, base + "points", "", {""}, "at how many points something presses there",
                [sums, s](const Observed&) { return static_cast<double>((*sums)[s].points); });
    c.back().needs = needs_no_more;
  }
}

}  // namespace marey
