// A figure of ball joints that tumbles: a trunk, an arm with a hand, a leg. For scenes in texts.
#pragma once

#include <string>

namespace limbs {

struct Hand {
  const char *radius, *mass;
};
// The figure `f`, from "figures:" on.
inline std::string tumbling(const Hand& hand) {
  return std::string(R"(figures:
  f:
    links:
      trunk:
        shape: {capsule: {radius: 8 cm, length: 30 cm}}
        mass: 4 kg
        start: {position: [0, 0, 62 cm], velocity: [0.3 m/s, 0.1 m/s, -0.5 m/s], spin: [1, -2, 3]}
      arm: {parent: trunk, at: [10 cm, 0, 12 cm], turned: {axis: x, angle: 40 deg}, joint: ball,
            shape: {capsule: {radius: 3 cm, length: 25 cm, along: -z}}, mass: 1 kg, start: {spin: [4, 1, -2]}}
      hand: {parent: arm, at: [0, 0, -25 cm], joint: ball,
            shape: {capsule: {radius: )") +
         hand.radius + ", length: 15 cm, along: -z}}, mass: " + hand.mass + R"(, start: {spin: [-3, 2, 0]}}
      leg: {parent: trunk, at: [0, 5 cm, -15 cm], joint: ball,
            shape: {capsule: {radius: 4 cm, length: 40 cm, along: -z}}, mass: 2 kg}
)";
}

}  // namespace limbs
