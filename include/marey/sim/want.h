// What a scene wants to come true (`want:`). How far a motion is from it: marey/sim/outcome.h.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "marey/spatial.h"

namespace marey {

// A number may be anything between; where `aim` is given it lies in the middle.
struct WantedRange {
  std::optional<double> from, to, aim;
};
// A point of a link at a place in the world.
struct WantedPlace {
  int link = 0;
  Vec3<double> point;   // in B
  Vec3<double> target;  // in W
  double within = 0;    // m
  std::optional<double> time;
};
// A point goes through a disc, along its axis, at any time in between.
struct WantedPassage {
  int link = 0;
  Vec3<double> point, center, axis;  // axis: in W, unit
  double within = 0;                 // m: the disc's radius
  double from = 0;                   // s
};
// How often a link turns about an axis, from the start on.
struct WantedTurns {
  int link = 0;
  Vec3<double> axis;  // unit
  bool own = false;   // the axis is the link's, not the world's
  WantedRange turns;  // in turns
  std::optional<double> time;
};
// The number that a channel has at a time, or the largest it ever has; of several columns of one channel, their length.
struct WantedNumber {
  std::string channel, called, unit;  // called: as the scene does
  std::vector<std::size_t> columns;
  WantedRange range;
  std::optional<double> time;
  bool peak = false;
  double from = 0;  // s: of a peak
  std::optional<double> until;
};
// A link that is upright, so high, and as slow as that, at the end.
struct WantedStance {
  int link = 0;
  Vec3<double> point, axis;
  std::optional<double> above;   // m
  double within = 0;             // rad, from upright
  std::optional<double> slower;  // m/s, of the point
  std::optional<double> time;
};
// An axis of a link points upwards.
struct WantedFace {
  int link = 0;
  Vec3<double> axis;
  double within = 0;  // rad
  std::optional<double> time;
};

struct Want {
  std::string name;
  int line = 0;  // of the scene's text; 0: it has none
  std::variant<WantedPlace, WantedPassage, WantedTurns, WantedNumber, WantedStance, WantedFace> what;
};

}  // namespace marey
