#include "jump.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "marey/io/scene.h"
#include "marey/sim.h"

namespace marey::bench::jump {
namespace {

constexpr double degree = std::numbers::pi / 180;
constexpr std::array<double, 3> length{0.43, 0.45, 0.75}, share{0.12, 0.22, 0.66};
constexpr std::array<double, 3> soft{0.75 * 0.12, 0.75 * 0.22, 0.5 * 0.66};
constexpr std::array<double, 3> soft_moment{2 * 0.00073, 2 * 0.00152, 0.0338};

struct Memory : Sink {
  MotionHeader header;
  std::vector<std::vector<double>> rows;
  void begin(const MotionHeader& h) override { header = h; }
  void frame(std::span<const double> row) override { rows.emplace_back(row.begin(), row.end()); }
  void checkpoint(const Checkpoint&) override {}
  void finish(const std::string&) override {}
  std::size_t column(const std::string& channel) const {
    std::size_t begin = 0;
    for (const Channel& c : header.channels) {
      if (c.name == channel) return begin;
      begin += c.columns.size();
    }
    throw Error(ErrorKind::bad_input, "no channel " + channel);
  }
};

std::string wobble_of(const Constants& c, std::size_t i) {
  const double m = soft[i] * mass, J = soft_moment[i] * mass;
  return fmt::format("{{stiffness: {:.10g}, damping: {:.10g}, turning_stiffness: {:.10g}, turning_damping: {:.10g}}}",
                     c.stiffness * m, c.damping * m, c.turning_stiffness * J, c.turning_damping * J);
}

// The turn of the shank that puts the centre of mass `lean` before the heel.
double turn_of_shank(double thigh, double trunk, double lean) {
  double y = 0, z = 0, cy = 0, cz = 0, turn = 0;
  const std::array<double, 3> turns{0, thigh, trunk};
  for (std::size_t i = 0; i < 3; ++i) {
    turn += turns[i];
    const double uy = -std::sin(turn * degree), uz = std::cos(turn * degree);
    cy += share[i] * (y + 0.5 * length[i] * uy), cz += share[i] * (z + 0.5 * length[i] * uz);
    y += length[i] * uy, z += length[i] * uz;
  }
  return std::atan2(cy, cz) / degree - lean;
}

}  // namespace

std::string scene_of(const Constants& c, const Jump& j, const std::string& more) {
  const double thigh = 180 - j.knee, trunk = j.hip - 180, speed = std::sqrt(2 * g * j.height) - g * before;
  const std::string heel = fmt::format("{{stiffness: {:.10g}, exponent: {:.10g}, damping: {:.10g}}}", c.heel_stiffness,
                                       c.heel_exponent, c.heel_damping);
  const auto link = [&](std::size_t i, const std::string& start) {
    const std::string own = j.wobbling ? "wobble: " + wobble_of(c, i) + ", " : std::string();
    return fmt::format("{{{}start: {{{}}}}}", own, start);
  };
  const double drop = before * speed + 0.5 * g * before * before;
  return fmt::format(
      R"(marey: 1
title: A jump down from {:g} m onto the heels
source: R9, R12
duration: {:g} s
solver: {{integrator: rk45, tolerance: 1e-7}}
figures:
  jumper:
    at: [0, 0, {:.12g}]
    human: {{mass: {:g} kg, source: ruder, form: three_links, limits: none}}
    links:
      shanks: {}
      thighs: {}
      trunk: {}
torques:
  - free_play: {{joint: jumper.thighs, from: {:.10g} deg, to: {:.10g} deg, slope: {:.10g}, friction: {:.10g}, name: knee}}
  - free_play: {{joint: jumper.trunk, from: {:.10g} deg, to: {:.10g} deg, slope: {:.10g}, friction: {:.10g}, name: hip}}
contacts:
  - {{name: heel, link: jumper.shanks, at: [[0, 0, 0]], friction: 0.8, compliant: {}}}
{})",
      j.height, j.lasts + before, drop, mass,
      link(0, fmt::format("coordinates: {{angle: {:.10g} deg}}, rates: {{across: {:.12g}}}",
                          turn_of_shank(thigh, trunk, j.lean), -speed)),
      link(1, fmt::format("angle: {:.10g} deg", thigh)), link(2, fmt::format("angle: {:.10g} deg", trunk)), thigh,
      thigh, c.knee, c.knee_damping, trunk, trunk, c.hip, c.hip_damping, heel, more);
}

Course run(const Constants& c, const Jump& j) {
  const std::string tissues = j.wobbling ? ", 'tissue/*/shift'" : "";
  const Scene scene = parse_scene(
      scene_of(c, j,
               fmt::format("record: {{every: 0.2 ms, channels: ['contact/heel/force', 'joint/jumper.thighs/angle', "
                           "'center_of_mass/position'{}]}}\n",
                           tissues)),
      "down-jump.yaml");
  Memory m;
  marey::run(scene, m);
  Course course;
  const std::size_t force = m.column("contact/heel/force"), knee = m.column("joint/jumper.thighs/angle"),
                    center = m.column("center_of_mass/position");
  std::vector<std::size_t> shifts;
  if (j.wobbling)
    for (const char* link : {"shanks", "thighs", "trunk"})
      shifts.push_back(m.column(fmt::format("tissue/jumper.{}/shift", link)));
  for (const std::vector<double>& row : m.rows) {
    course.time.push_back(row[0] - before);
    course.vertical.push_back(row[force + 2] / (mass * g));
    course.horizontal.push_back(row[force + 1] / (mass * g));
    course.knee.push_back(180 - row[knee] / degree);
    course.height.push_back(row[center + 2]);
    double most = 0;
    for (const std::size_t s : shifts) most = std::max(most, std::hypot(row[s], row[s + 1], row[s + 2]));
    course.shift.push_back(most);
  }
  return course;
}

// How long the force is above this part of its peak, around the peak.
static double width_at(const Course& c, std::size_t top, double part) {
  const double level = part * c.vertical[top];
  const auto crossing = [&](std::size_t a, std::size_t b) {  // between two frames
    return c.time[a] + (level - c.vertical[a]) / (c.vertical[b] - c.vertical[a]) * (c.time[b] - c.time[a]);
  };
  std::size_t i = top, k = top;
  while (i > 0 && c.vertical[i] > level) --i;
  while (k + 1 < c.time.size() && c.vertical[k] > level) ++k;
  return crossing(k - 1, k) - crossing(i, i + 1);
}

Measure measure(const Course& c) {
  Measure m;
  constexpr double impact_lasts = 0.05;
  std::size_t top = 0;
  for (std::size_t i = 0; i < c.time.size(); ++i) {
    if (c.time[i] < impact_lasts && c.vertical[i] > c.vertical[top]) top = i;
    if (c.time[i] >= impact_lasts) m.active = std::max(m.active, c.vertical[i]);
    m.horizontal = std::max(m.horizontal, std::abs(c.horizontal[i]));
    m.shift = std::max(m.shift, c.shift[i]);
  }
  m.peak = c.vertical[top], m.at = c.time[top];
  m.lower_width = width_at(c, top, 0.4), m.upper_width = width_at(c, top, 0.6);
  m.width = (m.lower_width + width_at(c, top, 0.5) + m.upper_width) / 3;
  m.lowest_knee = *std::min_element(c.knee.begin(), c.knee.end());
  return m;
}

}  // namespace marey::bench::jump
