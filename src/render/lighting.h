// How a surface looks: a broad key light, the ambient light of the room, and a dark line along outlines.
#pragma once

#include <vector>

#include "marey/shape/box_tree.h"
#include "render/camera.h"
#include "render/colour.h"

namespace marey::render {

struct Lights {
  Vec key;                   // unit, towards the middle of the key light
  std::vector<Vec> key_fan;  // one direction per sample of a pixel: an extended light, so shadows are soft
  std::vector<Vec> sky_fan;  // likewise about +z: what is open to the room
};
// From above, to the left and in front, as the camera sees it.
Lights set_lights(const Camera&, int samples_per_pixel);

// Solids that shade each other, and a tree of boxes around them, in W.
struct Crowd {
  const std::vector<Prim>* prims = nullptr;
  BoxTree tree;
};
Crowd crowd_of(const std::vector<Prim>&);

// Light from a point p_W with outward normal n towards the eye, for a surface of the colour given.
// `facing` is the cosine between n and the line of sight, `scale` the size of the figure in metres.
Colour lit(const Lights&, const Crowd&, const Colour&, const Vec& p_W, const Vec& n, double facing, double scale,
           int sample);

}  // namespace marey::render
