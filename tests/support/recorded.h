// Scenes run from their text, and what they recorded, by name.
#pragma once

#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "marey/io/scene.h"
#include "marey/spatial.h"

namespace recorded {

using marey::Quaternion, marey::Vec3;

// A motion kept in memory.
struct Memory : marey::Sink {
  marey::MotionHeader header;
  std::vector<std::vector<double>> rows;
  std::vector<marey::Checkpoint> checkpoints;
  marey::RunSummary summary;
  void begin(const marey::MotionHeader& h) override { header = h; }
  void frame(std::span<const double> row) override { rows.emplace_back(row.begin(), row.end()); }
  void checkpoint(const marey::Checkpoint& c) override { checkpoints.push_back(c); }
  std::string finished;  // what it was finished with
  void finish(const std::string& summary_text) override { finished = summary_text; }

  // A channel's numbers in one frame.
  std::span<const double> at(const std::string& channel, std::size_t frame) const {
    std::size_t begin = 0;
    for (const marey::Channel& c : header.channels) {
      if (c.name == channel) return std::span(rows.at(frame)).subspan(begin, c.columns.size());
      begin += c.columns.size();
    }
    throw std::runtime_error("no channel " + channel);
  }
  double number(const std::string& channel, std::size_t frame) const { return at(channel, frame)[0]; }
  Vec3<double> vec(const std::string& channel, std::size_t frame) const {
    const auto x = at(channel, frame);
    return {x[0], x[1], x[2]};
  }
  Quaternion<double> turn(const std::string& channel, std::size_t frame) const {
    const auto x = at(channel, frame);
    return {x[0], x[1], x[2], x[3]};
  }
  double time(std::size_t frame) const { return rows.at(frame)[0]; }
};

inline Memory run_text(const std::string& text) {
  Memory memory;
  memory.summary = marey::run(marey::parse_scene("marey: 1\n" + text, "test.yaml"), memory);
  return memory;
}

// The angle between two attitudes.
inline double angle_between(const Quaternion<double>& a, const Quaternion<double>& b) {
  const Quaternion<double> d = conjugate(a) * b;
  return 2 * std::atan2(std::hypot(d.x, d.y, d.z), std::abs(d.w));
}

}  // namespace recorded
