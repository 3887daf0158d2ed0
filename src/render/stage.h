// Everything a picture shows, placed and coloured: what the two painters (pixels and vectors) both read.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "marey/render.h"
#include "render/camera.h"
#include "render/colour.h"

namespace marey::render {

enum class ArrowKind { force, momentum };
struct Arrow {
  Vec from, to;
  bool broken = false;  // shorter than it should be
  ArrowKind kind = ArrowKind::force;
};
struct ArrowScale {
  double force = 0, momentum = 0;  // N and kg m/s to the metre; 0: there are none
};
struct Exposure {
  double t = 0;
  double u = 1;  // 0 oldest … 1 newest
  Colour colour;
  double opacity = 1;
  std::vector<Prim> prims;
  std::vector<Prim> felt;  // of sensors
  std::vector<Arrow> arrows;
  std::vector<Vec> centers;  // of mass, where it is marked
};
struct Trail {
  std::vector<Vec> points;   // in W
  std::vector<double> t, u;  // time of each point: in seconds, and on the ramp
  bool inside = false;       // of figures, and seen for all that
};
struct Ground {
  bool shown = false;
  double level = 0;    // m
  double spacing = 1;  // m between grid lines
  Vec middle;          // of the motion, on the ground
  double radius = 1;   // within which it is fully drawn
};
struct Stage {
  int width = 0, height = 0;
  const Theme* theme = nullptr;
  Camera camera;
  std::vector<Exposure> instants;  // oldest first
  std::vector<Prim> fixed;         // what does not move between the instants, including shapes of the world
  std::size_t of_world = 0;        // so many of these, at the front, belong to the world
  std::vector<Prim> felt;          // likewise, of sensors
  std::vector<Trail> trails;
  Ground ground;
  ArrowScale arrow_scale;
  double size = 1;  // m: of one figure; the length scale of sticks, shadows and wires
};

Stage set_stage(const PictureScene&, const StrobeOptions&);

// ---- the same in pieces, for films
using Poses = std::vector<Transform<double>>;
// Links that visibly stay where they are over several instants belong to the static set, not to the motion.
std::vector<bool> still_links(const PictureScene&, const std::vector<Poses>&, double size, bool spread);
// Instants of the links that move, and what is still, at these times and poses.
void place_instants(Stage&, const PictureScene&, const std::vector<double>& times, const std::vector<Poses>&,
                    const std::vector<bool>& still);
double figure_size(const PictureScene&, const Poses&);
void lay_trails(Stage&, const PictureScene&, const StrobeOptions&);
// From the first instant to the last.
void add_trail(Stage&, const std::function<Vec(double)>& place);
void lay_floors(Stage&, const StrobeOptions&, const std::vector<PictureFloor>&);
// Moves the camera to where it sees all that is on the stage.
void frame_all(const Stage&, const StrobeOptions&, Camera&);

// 1, 2 or 5 times a power of ten, close to x and not above it.
double round_down_125(double x);

}  // namespace marey::render
