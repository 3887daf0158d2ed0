#include "marey/io/poses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace marey {

namespace {

bool is_finite(const Transform<double>& X) {
  double sum = norm_squared(X.p);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) sum += X.R(i, j) * X.R(i, j);
  return std::isfinite(sum);
}

}  // namespace

std::vector<std::string> channels_of_poses(const MotionInfo& info) {
  std::vector<std::string> patterns{"link/*/position"};
  const auto turns = [](const Channel& c) { return c.name.starts_with("link/") && c.name.ends_with("/orientation"); };
  if (std::ranges::any_of(info.channels, turns)) patterns.emplace_back("link/*/orientation");
  return patterns;
}

LinkPoses link_poses(const Model& model, const Motion& motion, const std::string& task) {
  LinkPoses poses;
  poses.times.assign(motion.time().begin(), motion.time().end());
  const std::size_t n = model.links.size(), frames = poses.times.size();
  poses.X_WB.assign(frames, std::vector<Transform<double>>(n));
  const ChannelFinder finder(motion);
  const auto numbers = [&](std::size_t link, const char* what, std::size_t width) {
    const std::string& name = model.names[link];
    const std::vector<double>& all = motion.values[finder.find("link/" + name + what, task)];
    if (all.size() != width * frames)
      throw Error(ErrorKind::bad_input, "the motion does not hold the places of link '" + name + "'");
    return std::span(all);
  };
  for (std::size_t b = 1; b < n; ++b) {
    const auto p = numbers(b, "/position", 3);
    if (model.links[b].joint == JointType::point && model.links[b].parent == 0) {  // a particle: it never turns
      for (std::size_t f = 0; f < frames; ++f)
        poses.X_WB[f][b] = {model.params.links[b].R_PF, {p[3 * f], p[3 * f + 1], p[3 * f + 2]}};
      continue;
    }
    const auto q = numbers(b, "/orientation", 4);
    for (std::size_t f = 0; f < frames; ++f)
      poses.X_WB[f][b] = {rotation(Quaternion<double>{q[4 * f], q[4 * f + 1], q[4 * f + 2], q[4 * f + 3]}),
                          {p[3 * f], p[3 * f + 1], p[3 * f + 2]}};
  }
  return poses;
}

Transform<double> pose_between(const Transform<double>& a, const Transform<double>& b, double s) {
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

std::vector<Transform<double>> poses_at(std::span<const double> times,
                                        std::span<const std::vector<Transform<double>>> frames,
                                        std::span<const int> parents, const std::function<std::string(int)>& name_of,
                                        double t) {
  const auto k = static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), t) - times.begin());
  const std::size_t before = k == 0 ? 0 : k - 1, after = std::min(k, times.size() - 1);
  const auto &A = frames[before], &B = frames[after];
  const double s = after > before ? (t - times[before]) / (times[after] - times[before]) : 0;
  std::vector<Transform<double>> X_WB = A;
  for (std::size_t b = 1; b < A.size(); ++b) {
    if (!is_finite(A[b]) || !is_finite(B[b]))
      throw Error(ErrorKind::bad_input,
                  fmt::format("the place of link '{}' at {:.6g} s is not a number", name_of(static_cast<int>(b)), t));
    const auto P = static_cast<std::size_t>(parents[b]);
    if (s > 0) X_WB[b] = X_WB[P] * pose_between(inverse(A[P]) * A[b], inverse(B[P]) * B[b], s);
  }
  return X_WB;
}

std::vector<Plane> floors_of(std::span<const FloorContact> contacts, std::span<const SceneryPiece> scenery) {
  constexpr double same = 1e-9;
  std::vector<Plane> floors;
  const auto add = [&](const Plane& floor) {
    const auto known = [&](const Plane& f) {
      return norm(f.normal_W - floor.normal_W) < same && std::abs(f.offset - floor.offset) < same;
    };
    if (std::ranges::none_of(floors, known)) floors.push_back(floor);
  };
  for (const FloorContact& c : contacts) add({c.plane.normal_W, c.plane.offset - c.clearance});
  for (const SceneryPiece& piece : scenery)
    if (piece.plane) add(*piece.plane);
  return floors;
}

}  // namespace marey
