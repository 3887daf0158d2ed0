// The figure of `marey bench lying` as plain numbers, for engines that read no scene format of their own: what bench/peers
// tells of a figure and its state, and its shapes, the friction of its joints and its floor. It leans on nothing of Marey.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "../peers/figure.h"

namespace lying {

struct Solid {
  size_t link = 0;  // counted from 0
  std::array<double, 3>
      radii{};           // of an ellipsoid, along its own axes, m; of a capsule radius, radius, half its length
  bool capsule = false;  // along its z, the half length without the caps
  std::array<double, 4> quat_BS{1, 0, 0, 0};  // w x y z
  std::array<double, 3> p_BoSo_B{};           // m
};

struct Figure {
  marey::peers::PeerFigure links;
  marey::peers::PeerState start;
  std::vector<double> damping;  // [nv] N m s/rad
  std::vector<Solid> solids;
  double friction = 0, step = 0;  // of the floor z = 0; s
};

inline std::string to_text(const Figure& f) {
  using marey::peers::append_number, marey::peers::append_numbers;
  std::string text = marey::peers::to_text(f.links);
  const auto line = [&text](const char* word, const std::vector<double>& numbers) {
    text += word;
    append_numbers(text, numbers);
    text += "\n";
  };
  line("q", f.start.q), line("v", f.start.v), line("damping", f.damping);
  line("friction", {f.friction}), line("step", {f.step});
  text += "solids " + std::to_string(f.solids.size()) + "\n";
  for (const Solid& s : f.solids) {
    text += std::to_string(s.link) + (s.capsule ? " capsule" : " ellipsoid");
    append_numbers(text, s.radii), append_numbers(text, s.quat_BS), append_numbers(text, s.p_BoSo_B);
    text += "\n";
  }
  return text;
}

}  // namespace lying
