// Scenes by chance, in which things touch (contact: stepping).
#pragma once

#include <fmt/format.h>

#include <random>
#include <string>

namespace marey {

class RandomSceneInSteps {
 public:
  explicit RandomSceneInSteps(unsigned seed) : chance_(seed) {}

  std::string text() {
    const int figures = whole(1, 3);
    bodies_ = whole(0, 3) == 0, driven_ = !bodies_ && whole(0, 3) == 0;
    soft_ = bodies_ || driven_;
    std::string all = fmt::format(
        "marey: 1\nduration: {:.3f} s\nsolver: {{contact: stepping, step: {:.4f} ms, dynamics: {}}}\n"
        "materials: {{default: {{friction: {:.3f}}}, other: {{friction: {:.3f}, restitution: {:.3f}, rolling: {:.4f}, "
        "torsion: {:.4f}}}}}\n",
        number(0.3, 0.6), number(0.1, 0.3), bodies_ ? "multipliers" : "aba", number(0, 1.2), number(0, 1),
        number(0, 0.8), whole(0, 1) * number(0, 0.01), whole(0, 1) * number(0, 0.01));
    std::string torques, forces, drives;
    all += "figures:\n";
    for (int f = 0; f < figures; ++f) add_figure(f, all, torques, forces, drives);
    all += fmt::format(
        "scenery:\n  floor: {{plane: 0}}\n  step: {{shape: {{box: {{size: [60 cm, 2 m, 10 cm], center: [{:.3f}, 0, "
        "0]}}}}, material: other}}\n",
        number(-0.5, 0.5));
    if (!torques.empty()) all += "torques:\n" + torques;
    if (!forces.empty()) all += "forces:\n" + forces;
    if (!drives.empty()) all += "drives:\n" + drives;
    return all + "collide: all\nrecord: {every: 50 ms}\n";
  }

 private:
  double number(double low, double high) { return std::uniform_real_distribution(low, high)(chance_); }
  int whole(int low, int high) { return std::uniform_int_distribution(low, high)(chance_); }

  std::string shape() {
    switch (whole(0, 3)) {
      case 0:
        return fmt::format("{{box: [{:.3f}, {:.3f}, {:.3f}]}}", number(0.05, 0.3), number(0.05, 0.3),
                           number(0.05, 0.3));
      case 1:
        return fmt::format("{{sphere: {:.3f}}}", number(0.04, 0.12));
      case 2:
        return fmt::format("{{capsule: {{radius: {:.3f}, length: {:.3f}, along: -z}}}}", number(0.02, 0.05),
                           number(0.1, 0.3));
      default:
        return fmt::format("{{cylinder: {{radius: {:.3f}, length: {:.3f}, center: [0, 0, 0]}}}}", number(0.04, 0.1),
                           number(0.05, 0.2));
    }
  }
  void add_figure(int f, std::string& all, std::string& torques, std::string& forces, std::string& drives) {
    const std::string name(1, static_cast<char>('a' + f));
    all += fmt::format("  {}:\n    links:\n", name);
    all += fmt::format(
        "      root: {{shape: {}, mass: {:.3f} kg, {}start: {{position: [{:.3f}, {:.3f}, {:.3f}], turned: {{axis: [1, "
        "{:.3f}, {:.3f}], angle: "
        "{:.3f}}}, velocity: [{:.3f}, {:.3f}, {:.3f}], spin: [{:.3f}, {:.3f}, {:.3f}]}}}}\n",
        shape(), number(0.5, 10), whole(0, 1) == 0 ? "" : "material: other, ", number(-0.3, 0.3), number(-0.3, 0.3),
        0.5 + 0.5 * f, number(-1, 1), number(-1, 1), number(0, 3), number(-2, 2), number(-2, 2), number(-2, 1),
        number(-3, 3), number(-3, 3), number(-3, 3));
    for (int l = 0, links = whole(0, 3); l < links; ++l) {
      const std::string parent = l == 0 || whole(0, 1) == 0 ? "root" : fmt::format("l{}", l - 1),
                        own = fmt::format("{}.l{}", name, l);
      const bool ball = whole(0, 2) == 0;
      all +=
          fmt::format("      l{}: {{parent: {}, joint: {}, at: [0, {:.3f}, -10 cm], shape: {}, mass: {:.3f} kg}}\n", l,
                      parent, ball ? "ball" : "{type: hinge, axis: x}", number(-0.2, 0.2), shape(), number(0.3, 3));
      if (ball)
        torques += fmt::format("  - friction: {{joint: {}, coefficient: {:.3f} N m s/rad}}\n", own,
                               number(0, soft_ ? 0.02 : 5));
      else if (driven_ && whole(0, 1) == 0)
        drives += fmt::format("  - {{joint: {}, angle: '{:.3f}*(1 - cos({:.3f}*t))'}}\n", own, number(-0.5, 0.5),
                              number(1, 8));
      else
        torques += fmt::format(
            "  - free_play: {{joint: {}, from: -30 deg, to: {:.1f} deg, slope: {:.1f} N m/rad, friction: {:.3f} N m "
            "s/rad}}\n",
            own, number(0, 60), number(1, soft_ ? 5 : 400), number(0, soft_ ? 0.02 : 4));
    }
    if (whole(0, 1) == 0)
      forces +=
          fmt::format("  - push: {{link: {}.root, force: [{:.1f}, {:.1f}, 0], from: {:.3f} s, until: {:.3f} s}}\n",
                      name, number(-60, 60), number(-60, 60), number(0, 0.1), number(0.15, 0.3));
  }
  std::mt19937 chance_;
  // With bodies' coordinates, and with drives, what acts in joints is explicit, and must not be stiff.
  bool bodies_ = false, driven_ = false, soft_ = false;
};

inline std::string random_scene_in_steps(unsigned seed) { return RandomSceneInSteps(seed).text(); }

}  // namespace marey
