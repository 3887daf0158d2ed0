#include "sim/followed.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/recorder.h"

namespace marey {
namespace {

// Kronrod's seven points on [−1, 1], Gauss's three among them (Kronrod 1965).
struct Node {
  double at, kronrod, gauss;
};
constexpr Node nodes[] = {
    {-0.960491268708020283, 0.104656226026467265, 0}, {-0.774596669241483377, 0.268488089868333441, 5.0 / 9},
    {-0.434243749346802558, 0.401397414775962223, 0}, {0, 0.450916538658474142, 8.0 / 9},
    {0.434243749346802558, 0.401397414775962223, 0},  {0.774596669241483377, 0.268488089868333441, 5.0 / 9},
    {0.960491268708020283, 0.104656226026467265, 0}};
// Gauss's error, of which Kronrod's is a small part, over the length of the step's path.
constexpr double most_error = 1e-10;
constexpr int most_halvings = 20;  // of a corner's interval: what is left is 1e-12 of the step's path

// Of Euler angles: how far a body may turn between two looks, and how far its axis, as a part of its distance from the pole.
constexpr double widest_look = 0.5, farthest_look = 0.5;
// A motion that is about to break down may go through any number of turns in a step; nobody waits until they are counted.
constexpr int most_looks = 10'000, most_intervals = 1'000;

}  // namespace

Followed::Followed(const Scene& scene)
    : model_(scene.model),
      record_(scene.record),
      now_(scene.record.paths.size() + 3 * scene.record.euler_zyz.size()),
      state_(scene.start),
      kinematics_(scene.model),
      gauss_(scene.record.paths.size()),
      kronrod_(scene.record.paths.size()),
      begin_(scene.record.euler_zyz.size()),
      end_(scene.record.euler_zyz.size()) {
  open_.reserve(most_halvings + 2);
  const Kinematics<double>& k = kinematics_of(scene.start);
  for (std::size_t i = 0; i < record_.euler_zyz.size(); ++i)
    put_angles(i, euler_zyz(attitude(k, record_.euler_zyz[i]).R), now_);
  before_ = now_;
}

const Kinematics<double>& Followed::kinematics_of(const State& s) {
  forward_kinematics<double>(model_, model_.params, s.q, s.v, kinematics_);
  return kinematics_;
}
const Kinematics<double>& Followed::kinematics_at(double t, const World& world) {
  world.at(t, state_, {});
  return kinematics_of(state_);
}

void Followed::put_angles(std::size_t i, const EulerZyz& e, std::span<double> values) const {
  const std::size_t at = angles(record_, i);
  values[at] = e.alpha, values[at + 1] = e.beta, values[at + 2] = e.gamma;
}
EulerZyz Followed::angles_in(std::size_t i, std::span<const double> values) const {
  const std::size_t at = angles(record_, i);
  return {values[at], values[at + 1], values[at + 2]};
}

void Followed::follow(const World& world) {
  before_ = now_;
  go(world, world.step_began(), world.time(), now_);
  // What happens at the end of a step may put links right by a little.
  if (record_.euler_zyz.empty()) return;
  const Kinematics<double>& k = kinematics_of(world.state());
  for (std::size_t i = 0; i < record_.euler_zyz.size(); ++i)
    put_angles(i, next_zyz(angles_in(i, now_), attitude(k, record_.euler_zyz[i]).R), now_);
}

void Followed::at(double t, const World& world, std::vector<double>& values) {
  values = before_;
  go(world, world.step_began(), t, values);
}

void Followed::go(const World& world, double from, double to, std::span<double> values) {
  if (!(to > from)) return;
  add_lengths(world, from, to, values.first(record_.paths.size()));
  if (record_.euler_zyz.empty()) return;
  look(kinematics_at(from, world), begin_), look(kinematics_at(to, world), end_);
  for (std::size_t i = 0; i < record_.euler_zyz.size(); ++i) {
    EulerZyz e = angles_in(i, values);
    looks_left_ = most_looks;
    turn_on(world, record_.euler_zyz[i], from, begin_[i], to, end_[i], e);
    put_angles(i, e, values);
  }
}

void Followed::look(const Kinematics<double>& k, std::vector<Attitude>& all) const {
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = attitude(k, record_.euler_zyz[i]);
}

// ---- lengths
void Followed::add_lengths(const World& world, double from, double to, std::span<double> lengths) {
  if (lengths.empty()) return;
  double scale = -1;  // the longest path of the whole interval, about
  int intervals_left = most_intervals;
  open_.assign(1, {from, to, 0});
  while (!open_.empty()) {
    const Interval now = open_.back();
    open_.pop_back();
    std::fill(gauss_.begin(), gauss_.end(), 0.0), std::fill(kronrod_.begin(), kronrod_.end(), 0.0);
    const double half = 0.5 * (now.to - now.from), middle = now.from + half;
    for (const Node& node : nodes) {
      const Kinematics<double>& k = kinematics_at(middle + half * node.at, world);
      for (std::size_t i = 0; i < lengths.size(); ++i) {
        const double speed = norm(k.V_WB[static_cast<std::size_t>(record_.paths[i])].v);
        gauss_[i] += half * node.gauss * speed, kronrod_[i] += half * node.kronrod * speed;
      }
    }
    double error = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) error = std::max(error, std::abs(kronrod_[i] - gauss_[i]));
    if (scale < 0) scale = *std::max_element(kronrod_.begin(), kronrod_.end());
    if (error > most_error * scale && now.halvings < most_halvings && intervals_left > 0) {
      intervals_left -= 2;
      open_.push_back({middle, now.to, now.halvings + 1}), open_.push_back({now.from, middle, now.halvings + 1});
      continue;
    }
    for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] += kronrod_[i];
  }
}

// ---- Euler angles
// From look to look the axis goes a part of its distance from the pole, or passes it as near as euler_pole, which counts as
// going straight through; so that it depends on no step whether β turns back at the vertical or goes on beyond it.
void Followed::turn_on(const World& world, int link, double from, const Attitude& a, double to, const Attitude& b,
                       EulerZyz& e) {
  const auto sine = [](const Mat3<double>& R) { return std::hypot(R.xz, R.yz); };
  const double way = norm(Vec3<double>{b.R.xz - a.R.xz, b.R.yz - a.R.yz, b.R.zz - a.R.zz});
  const bool too_far = (to - from) * std::max(norm(a.w), norm(b.w)) > widest_look ||
                       (way > euler_pole && way > farthest_look * std::min(sine(a.R), sine(b.R)));
  const double middle = from + 0.5 * (to - from);
  if (!too_far || looks_left_ == 0 || !(middle > from && middle < to)) {
    e = next_zyz(e, b.R);
    return;
  }
  --looks_left_;
  const Attitude between = attitude(kinematics_at(middle, world), link);
  turn_on(world, link, from, a, middle, between, e);
  turn_on(world, link, middle, between, to, b, e);
}

// ---- channels
namespace {

// κ = |v × a|/|v|³, R (2.6b) with ρ = 1/κ. Of a point at rest v and a do not tell.
double curvature(const Observed& o, std::size_t link) {
  const Vec3<double>& v = o.kinematics.V_WB[link].v;
  const Vec3<double> a = o.kinematics.X_WB[link].R * o.joints.links[link].a + o.scene.model.params.gravity;
  return norm(cross(v, a)) / (norm_squared(v) * norm(v));
}

Vec3<double> zyz_rates(const Observed& o, std::size_t link, std::size_t at) {
  const EulerZyz e{o.followed[at], o.followed[at + 1], o.followed[at + 2]};
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  return euler_rates_from_world(e, o.kinematics.V_WB[link].w).value_or(Vec3<double>{none, none, none});
}

}  // namespace

void add_followed_channels(const Scene& scene, std::vector<RecordedChannel>& c) {
  const RecordOptions& record = scene.record;
  for (std::size_t i = 0; i < record.paths.size(); ++i) {
    const auto link = static_cast<std::size_t>(record.paths[i]);
    const std::string base = "link/" + scene.model.names[link] + "/";
    add_channel(c, base + "path_length", "m", {""}, "how far the link's origin has gone along its path since the start",
                [at = Followed::path(i)](const Observed& o) { return o.followed[at]; });
    add_channel(c, base + "curvature", "1/m", {""},
                "of the path of the link's origin: 0 where it is straight; not a number at rest",
                [link](const Observed& o) { return curvature(o, link); });
    add_channel(c, base + "radius_of_curvature", "m", {""},
                "of the path of the link's origin: infinite where it is straight; not a number at rest",
                [link](const Observed& o) { return 1 / curvature(o, link); });
  }
  const std::vector<std::string> angles{"alpha", "beta", "gamma"};
  for (std::size_t i = 0; i < record.euler_zyz.size(); ++i) {
    const auto link = static_cast<std::size_t>(record.euler_zyz[i]);
    const std::string base = "link/" + scene.model.names[link] + "/";
    const std::size_t at = Followed::angles(record, i);
    add_channel(c, base + "euler_zyz", "rad", angles,
                "R_WB = Rz(alpha) Ry(beta) Rz(gamma), without jumps and with whole turns; where sin(beta) = 0, alpha "
                "stays as it was and gamma takes the turn",
                [at](const Observed& o) {
                  return Vec3<double>{o.followed[at], o.followed[at + 1], o.followed[at + 2]};
                });
    add_channel(c, base + "euler_zyz_rate", "rad/s", angles, "their rates; not a number where sin(beta) = 0",
                [at, link](const Observed& o) { return zyz_rates(o, link, at); });
  }
}

}  // namespace marey
