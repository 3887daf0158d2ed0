// Scenes by chance, in which things touch (contact: stepping).
#pragma once

#include <fmt/format.h>

#include <string>

#include "chance.h"

namespace marey {

class RandomSceneInSteps : private Chance {
 public:
  explicit RandomSceneInSteps(unsigned seed) : Chance(seed) {}

  std::string text() {
    const int figures = whole(1, 3);
    bodies_ = whole(0, 3) == 0, driven_ = !bodies_ && whole(0, 3) == 0;
    soft_ = bodies_ || driven_;
    const double duration = number(0.3, 0.6), step = number(0.1, 0.3), mu = number(0, 1.2), other_mu = number(0, 1),
                 restitution = number(0, 0.8), rolling = perhaps(0, 0.01), torsion = perhaps(0, 0.01);
    std::string all = fmt::format(
        "marey: 1\nduration: {:.3f} s\nsolver: {{contact: stepping, step: {:.4f} ms, dynamics: {}}}\n"
        "materials: {{default: {{friction: {:.3f}}}, other: {{friction: {:.3f}, restitution: {:.3f}, rolling: {:.4f}, "
        "torsion: {:.4f}}}}}\n",
        duration, step, bodies_ ? "multipliers" : "aba", mu, other_mu, restitution, rolling, torsion);
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
  std::string shape() {
    switch (whole(0, 3)) {
      case 0: {
        const double x = number(0.05, 0.3), y = number(0.05, 0.3), z = number(0.05, 0.3);
        return fmt::format("{{box: [{:.3f}, {:.3f}, {:.3f}]}}", x, y, z);
      }
      case 1:
        return fmt::format("{{sphere: {:.3f}}}", number(0.04, 0.12));
      case 2: {
        const double radius = number(0.02, 0.05), length = number(0.1, 0.3);
        return fmt::format("{{capsule: {{radius: {:.3f}, length: {:.3f}, along: -z}}}}", radius, length);
      }
      default: {
        const double radius = number(0.04, 0.1), length = number(0.05, 0.2);
        return fmt::format("{{cylinder: {{radius: {:.3f}, length: {:.3f}, center: [0, 0, 0]}}}}", radius, length);
      }
    }
  }
  std::string vec(double x, double y, double z) { return fmt::format("[{:.3f}, {:.3f}, {:.3f}]", x, y, z); }
  void add_figure(int f, std::string& all, std::string& torques, std::string& forces, std::string& drives) {
    const std::string name(1, static_cast<char>('a' + f));
    all += fmt::format("  {}:\n    links:\n", name);
    const std::string form = shape();
    const double mass = number(0.5, 10);
    const bool plain = whole(0, 1) == 0;
    const double x = number(-0.3, 0.3), y = number(-0.3, 0.3), a_y = number(-1, 1), a_z = number(-1, 1),
                 angle = number(0, 3), v_x = number(-2, 2), v_y = number(-2, 2), v_z = number(-2, 1),
                 w_x = number(-3, 3), w_y = number(-3, 3), w_z = number(-3, 3);
    all += fmt::format(
        "      root: {{shape: {}, mass: {:.3f} kg, {}start: {{position: {}, turned: {{axis: [1, {:.3f}, {:.3f}], "
        "angle: "
        "{:.3f}}}, velocity: {}, spin: {}}}}}\n",
        form, mass, plain ? "" : "material: other, ", vec(x, y, 0.5 + 0.5 * f), a_y, a_z, angle, vec(v_x, v_y, v_z),
        vec(w_x, w_y, w_z));
    for (int l = 0, links = whole(0, 3); l < links; ++l) {
      const std::string parent = l == 0 || whole(0, 1) == 0 ? "root" : fmt::format("l{}", l - 1),
                        own = fmt::format("{}.l{}", name, l);
      const bool ball = whole(0, 2) == 0;
      const double at = number(-0.2, 0.2);
      const std::string own_form = shape();
      const double own_mass = number(0.3, 3);
      all += fmt::format("      l{}: {{parent: {}, joint: {}, at: [0, {:.3f}, -10 cm], shape: {}, mass: {:.3f} kg}}\n",
                         l, parent, ball ? "ball" : "{type: hinge, axis: x}", at, own_form, own_mass);
      if (ball)
        torques += fmt::format("  - friction: {{joint: {}, coefficient: {:.3f} N m s/rad}}\n", own,
                               number(0, soft_ ? 0.02 : 5));
      else if (driven_ && whole(0, 1) == 0)
        add_drive(own, drives);
      else
        add_free_play(own, torques);
    }
    if (whole(0, 1) == 0) add_push(name, forces);
  }
  void add_drive(const std::string& joint, std::string& drives) {
    const double size = number(-0.5, 0.5), rate = number(1, 8);
    drives += fmt::format("  - {{joint: {}, angle: '{:.3f}*(1 - cos({:.3f}*t))'}}\n", joint, size, rate);
  }
  void add_free_play(const std::string& joint, std::string& torques) {
    const double to = number(0, 60), slope = number(1, soft_ ? 5 : 400), friction = number(0, soft_ ? 0.02 : 4);
    torques += fmt::format(
        "  - free_play: {{joint: {}, from: -30 deg, to: {:.1f} deg, slope: {:.1f} N m/rad, friction: {:.3f} N m "
        "s/rad}}\n",
        joint, to, slope, friction);
  }
  void add_push(const std::string& name, std::string& forces) {
    const double f_x = number(-60, 60), f_y = number(-60, 60), from = number(0, 0.1), until = number(0.15, 0.3);
    forces += fmt::format("  - push: {{link: {}.root, force: [{:.1f}, {:.1f}, 0], from: {:.3f} s, until: {:.3f} s}}\n",
                          name, f_x, f_y, from, until);
  }
  // With bodies' coordinates, and with drives, what acts in joints is explicit, and must not be stiff.
  bool bodies_ = false, driven_ = false, soft_ = false;
};

inline std::string random_scene_in_steps(unsigned seed) { return RandomSceneInSteps(seed).text(); }

}  // namespace marey
