// Scenes by chance, of figures with four to twenty points and round feet on floors, under every integrator (contact: events).
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "chance.h"
#include "integrators.h"

namespace marey {

class RandomSceneOnFloors : private Chance {
 public:
  explicit RandomSceneOnFloors(unsigned seed) : Chance(seed), seed_(seed) {}

  std::string text() {
    const auto methods = integrators::all();
    const Integrator method = methods[seed_ % methods.size()];
    bodies_ = whole(0, 4) == 0;
    const double duration = number(0.3, 0.5);
    const std::string how_exact = accuracy(method);
    std::string all =
        fmt::format("marey: 1\nduration: {:.3f} s\nsolver: {{integrator: {}, dynamics: {}, {}}}\nfigures:\n", duration,
                    name_of(method), bodies_ ? "multipliers" : "aba", how_exact);
    for (int f = 0, figures = whole(1, 2); f < figures; ++f) add_figure(f, all);
    all += "contacts:\n" + contacts_;
    if (!torques_.empty()) all += "torques:\n" + torques_;
    if (!forces_.empty()) all += "forces:\n" + forces_;
    if (!drives_.empty()) all += "drives:\n" + drives_;
    return all + "record: {every: 50 ms}\n";
  }

 private:
  // In tenths of millimetres, as it is written: what stands on the floor is not to begin below it.
  double length(double low, double high) { return 1e-4 * std::round(1e4 * number(low, high)); }

  std::string accuracy(Integrator method) {
    if (!has_fixed_step(method)) return fmt::format("tolerance: 1e-{}", whole(6, 8));
    return fmt::format("step: {:.4f} ms", number(0.5, 1) * (order_of(method) < 2 ? 0.05 : 0.5));
  }
  // A table on two to four legs that starts just above the floor, or lies on it.
  void add_figure(int f, std::string& all) {
    const std::string name(1, static_cast<char>('a' + f));
    const double x = number(0.2, 0.6), y = number(0.2, 0.5), z = 2 * length(0.025, 0.1);
    const bool stands = whole(0, 2) > 0;
    const double leg = length(0.15, 0.35), foot = length(0.02, 0.04), above = perhaps(0, 0.05);
    const double height = above + (stands ? leg + foot + 0.5 * z : 0.5 * z);
    const double mass = number(2, 20), v_x = perhaps(-1, 1), v_y = perhaps(-1, 1), spin = perhaps(-1, 1);
    all += fmt::format(
        "  {}:\n    links:\n      root: {{shape: {{box: [{:.4f}, {:.4f}, {:.4f}]}}, mass: {:.3f} kg, start: "
        "{{position: "
        "[{:.2f}, 0, {:.9f}], velocity: [{:.3f}, {:.3f}, 0], spin: [0, 0, {:.3f}]}}}}\n",
        name, x, y, z, mass, 2.0 * f, height, v_x, v_y, spin);
    add_contact(name + ".root", "at: corners");
    for (int l = 0, legs = stands ? whole(3, 4) : 0; l < legs; ++l) {
      const std::string own = fmt::format("{}.leg{}", name, l);
      const bool ball = whole(0, 3) == 0, about_y = !ball && whole(0, 1) == 0;
      const double own_mass = number(0.3, 2);
      all += fmt::format(
          "      leg{}: {{parent: root, joint: {}, at: [{:.4f}, {:.4f}, {:.4f}], shape: {{capsule: {{radius: {:.4f}, "
          "length: {:.4f}, along: -z}}}}, mass: {:.3f} kg}}\n",
          l,
          ball      ? "ball"
          : about_y ? "{type: hinge, axis: y}"
                    : "{type: hinge, axis: x}",
          (l % 2 == 0 ? 0.4 : -0.4) * x, (l < 2 ? 0.4 : -0.4) * y, -0.5 * z, foot, leg, own_mass);
      add_contact(own, fmt::format("at: [0, 0, -{:.4f}], radius: {:.4f}", leg, foot));
      add_torque(own, ball);
    }
    if (whole(0, 2) > 0) add_push(name);
  }
  void add_push(const std::string& name) {
    const double f_x = number(-80, 80), f_y = number(-80, 80), from = number(0, 0.1), until = number(0.15, 0.3);
    forces_ += fmt::format("  - push: {{link: {}.root, force: [{:.1f}, {:.1f}, 0], from: {:.3f} s, until: {:.3f} s}}\n",
                           name, f_x, f_y, from, until);
  }
  void add_contact(const std::string& link, const std::string& at) {
    const double mu = number(0, 1), mu_static = whole(0, 1) == 0 ? mu : 1.2 * mu, restitution = perhaps(0, 0.6);
    contacts_ +=
        fmt::format("  - {{link: {}, {}, friction: {{static: {:.3f}, kinetic: {:.3f}}}, restitution: {:.2f}}}\n", link,
                    at, mu_static, mu, restitution);
  }
  void add_torque(const std::string& joint, bool ball) {
    if (ball) {
      torques_ += fmt::format("  - friction: {{joint: {}, coefficient: {:.3f} N m s/rad}}\n", joint, number(0.1, 0.5));
    } else if (whole(0, 3) == 0) {
      const double size = number(-0.3, 0.3), rate = number(1, 6);
      drives_ += fmt::format("  - {{joint: {}, angle: '{:.3f}*(1 - cos({:.3f}*t))'}}\n", joint, size, rate);
    } else {
      const double from = number(-20, 0), to = number(0, 20), slope = number(20, 300), friction = number(0.1, 1);
      torques_ += fmt::format(
          "  - free_play: {{joint: {}, from: {:.1f} deg, to: {:.1f} deg, slope: {:.1f} N m/rad, friction: {:.3f} N m "
          "s/rad}}\n",
          joint, from, to, slope, friction);
    }
  }

  unsigned seed_;
  bool bodies_ = false;
  std::string contacts_, torques_, forces_, drives_;
};

inline std::string random_scene_on_floors(unsigned seed) { return RandomSceneOnFloors(seed).text(); }

}  // namespace marey
